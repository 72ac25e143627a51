"""Mutants that nothing notices, judged one by one, and why that is no hole.

A pattern may stand for several; it is matched against the id of the mutant. What is not listed
here is not judged yet, or a hole.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

RULES: dict[str, str] = {
    "SVM-HMAP-*": "what the operating system gives a program is no promise of the library",
    "SVM-HUNMAP-*": "what a program does with its own memory is no promise of the library",
    "*-DSTORE-020:*": "bytes of a store that failed are open, whichever they are",
    "*-DLOAD-020:*": "pages that a load moved before it failed are open, wherever they are",
    "SVM-SET-012:*": "bytes of a fill that failed are open; no test can make one fail there",
    "SVM-COPY-026:*": "bytes of a copy that failed are open; no test can make one fail there",
    "SVM-HCOPY-036:*": "bytes of a copy that failed are open; no test can make one fail there",
}
"""Why mutations of rules survive, by patterns of ``RULE:CHANGE``."""
FORKED = "what a child may do after fork() is told by no document"
FORGOTTEN = "only a child after fork() comes here, and no document tells what it may do"
SETTINGS = "how the software driver is told its own settings is no part of the ABI"
SYSTEM = "it is about an operating system that refuses, which no test can make it do"
DIED = "it mends what a process that died at this very place had begun"
ACCESS = "no rule lets the program itself touch MEM_SVM memory"
ONE_BLOCK = "a range over several blocks is promised by no document"
MANAGED_GONE = "closing a device while there is managed memory is promised by no document"
SYSCALLS = "no document tells what the operating system makes of addresses of managed memory"
SOURCES: dict[str, str] = {
    "softhal/map.c:mappings_cover:*": ONE_BLOCK,
    "softhal/memset.c:fully_allocated:*": ONE_BLOCK,
    "softhal/resolve.c:v3_range:*": ONE_BLOCK,
    "softhal/uvm_table.c:leave_device:*": MANAGED_GONE,
    "softhal/uvm_table.c:uvm_close_device:*": MANAGED_GONE,
    "softhal/pages.c:pages_leave_device:*": "bytes of MEM_SVM on a closed device are promised by "
    "no document",
    "softhal/uvm_syscalls.c:*": SYSCALLS,
    "softhal/white.c:rebuild:*": "only a quarter of a million permissions come here",
    "softhal/register.c:device_block:105:*": "registering bytes beyond a block is promised by no "
    "document",
    "softhal/access.c:check_desc:*: 64 + 1": "device ids are below 64, so the rest is the id",
    "softhal/uvm_frames.c:uvm_scan:*: > becomes >=": "a page more may be swapped out at any time",
    "softacl/segments.c:segment_untake:*": SYSTEM,
    "softacl/pool_calls.c:run_ordinary_free:*": "freeing what no pool gave out is promised by no "
    "document",
    "softacl/copy2d.c:by_rows:*": "rectangles in managed memory are promised by no document",
    "softacl/hal.c:*": SETTINGS,
    "softacl/copy.c:take_early:*": "only a seeded fault copies before its time",
    "softhal/config.c:*": SETTINGS,
    "softhal/process.c:before_fork:*": FORKED,
    "softhal/process.c:in_parent:*": FORKED,
    "softhal/process.c:in_child:*": FORKED,
    "softhal/process.c:start_over:*": FORKED,
    "softhal/*.c:*_unlock_child:*": FORKED,
    "softhal/*.c:*_after_fork:*": FORKED,
    "softhal/*.c:*s_forget:*": FORGOTTEN,
    "softhal/*.c:uvm_forget:*": FORGOTTEN,
    "softhal/*.c:domain_forget:*": FORGOTTEN,
    "softhal/window.c:windows_drop:*": FORGOTTEN,
    "softhal/heap_device.c:blocks_forget_parked:*": FORGOTTEN,
    "softacl/context.c:before_fork:*": FORKED,
    "softacl/context.c:in_parent:*": FORKED,
    "softacl/context.c:in_child:*": FORKED,
    "softacl/*.c:*s_forget:*": FORGOTTEN,
    "softhal/migrate.c:bring_home:*": ACCESS,
    "softhal/migrate.c:on_fault:*": ACCESS,
    "softhal/pages.c:page_to_host:*": ACCESS,
    "softhal/migrate.c:signal_pass_on:*": "handlers that the program has for signals are its own",
    "softhal/window.c:release:*": SYSTEM,
    "softhal/domain.c:domain_adopt:*": DIED,
    "softhal/shares.c:shares_mend:*": DIED,
    "softhal/register.c:v2_device_local:*": "a device's own process, which no test has",
}
"""Why mutants of C sources survive, by patterns of ``FILE:FUNCTION:LINE:COLUMN: CHANGE``."""


def reason_for(mutant: str) -> str:
    """Return why it is no hole that nothing notices a mutant; empty if nobody judged it."""
    for pattern, reason in (*RULES.items(), *SOURCES.items()):
        if fnmatchcase(mutant, pattern.replace("[", "[[]")):
            return reason
    return ""
