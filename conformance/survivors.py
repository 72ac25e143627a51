"""Mutants that nothing notices, judged one by one, and why that is no hole.

A pattern may stand for several; it is matched against the id of the mutant. What is not listed
here is not judged yet, or a hole.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

MIDWAY = "it is about a call that stops in the middle, which no test can make it do"
TASK = "it is about a task that fails, which no test can bring about; then less is known, not more"
GRANULE = "of such memory nobody asks more than whether its pages are huge or giant"
ONCE = "one call ends the use of the runtime, however often it was initialised, so nobody can count"
NAMES = "what is no string is never the name of a share, so it is not found either"
ZEROS = "no export gives bytes that are all zero, as which null is read"
RULES: dict[str, str] = {
    "SVM-HMAP-*": "what the operating system gives a program is no promise of the library",
    "SVM-HUNMAP-*": "what a program does with its own memory is no promise of the library",
    "*-DSTORE-020:*": "bytes of a store that failed are open, whichever they are",
    "*-DLOAD-020:*": "pages that a load moved before it failed are open, wherever they are",
    "SVM-SET-012:*": "bytes of a fill that failed are open; no test can make one fail there",
    "SVM-COPY-026:*": "bytes of a copy that failed are open; no test can make one fail there",
    "SVM-HCOPY-036:*": "bytes of a copy that failed are open; no test can make one fail there",
    "SHARING-PERMIT-030:*": MIDWAY,
    "SHARING-POD-030:*": MIDWAY,
    "SHARING-HPERMIT-030:*": MIDWAY,
    "PHYSICAL-PERMIT-030:*": MIDWAY,
    "PHYSICAL-PERMIT2-030:*": MIDWAY,
    "IPC-PERMIT-030:*": MIDWAY,
    "SHARING-OPENLAST-010:code moved": MIDWAY,
    "SHARING-IMPORT2-015:code moved": MIDWAY,
    "PHYSICAL-IMPORT2-011:dropped": MIDWAY,
    "RUNTIME-SYNCDEV-020:*": TASK,
    "RUNTIME-ARECT-030:*": TASK,
    "RUNTIME-MANAGED-010:PAGE ?1 (2)": GRANULE,
    "RUNTIME-PMALLOC-021:PAGE ?1": GRANULE,
    "RUNTIME-INIT-010:1 +1": ONCE,
    "RUNTIME-INIT-020:*": ONCE,
    "RUNTIME-RECORD-010:1 -1": "the one task between both places is the record itself",
    "RUNTIME-PMALLOC-023:guard dropped": "null is given for no bytes, and nothing lives there",
    "SVM-FREE-010:without 1: each.memory == block.memory": "nobody reads memory that is gone",
    "SHARING-PEERON-010:without 2: not found.ended": "a process that calls has not ended",
    "IPC-PERMIT-003:without 1: is_string(call.key)": NAMES,
    "PHYSICAL-PERMIT2-004:without 1: call.shareableHandle.given": ZEROS,
}
"""Why mutations of rules survive, by patterns of ``RULE:CHANGE``."""
FORKED = "what a child may do after fork() is told by no document"
SETTINGS = "how the software driver is told its own settings is no part of the ABI"
SYSTEM = "it is about an operating system that refuses, which no test can make it do"
DIED = "it mends what a process that died at this very place had begun"
SYSCALLS = "no document tells what the operating system makes of addresses of managed memory"


def open_by(rule: str) -> str:
    """Return that nothing is promised about what comes here, as a rule says."""
    return f"nothing is promised about it ({rule})"


CHOICE = "any of the codes may come"
KEPT = "how much of what was freed a cache keeps is left open"
SCANNED = "when pages that nobody uses are swapped out is left open"
ADVICE = "equivalent: it is advice to the operating system"
LEAK = "equivalent: what the library keeps in the process beside the memory is its own affair"
PLACED = "which addresses are given is left open"
SOURCES: dict[str, str] = {
    "soft*/*.c:*: calloc: *": "equivalent: a product is the same either way",
    "soft*/*.c:*: without free(*": LEAK,
    "softhal/*.c:*: without close(*": LEAK,
    "softhal/*.c:*: without peer_close(*": LEAK,
    "softhal/heap.c:heap_new:*": PLACED,
    "softhal/heap.c:heap_gap:*: >= becomes >": PLACED,
    "softhal/heap.c:general_gap:*": PLACED,
    "softhal/window.c:hold_v2:*: + becomes -": PLACED,
    "softhal/reserve.c:v3_place:*: heaps_touch: *": PLACED,
    "softhal/shares.c:share_holders:*: < becomes <=": "equivalent: all entries "
    "behind the highest one are empty",
    "softhal/uvm_frames.c:swap_one:*": SCANNED,
    "softhal/uvm_frames.c:uvm_make_room:*: without look(*": SCANNED,
    "softhal/ctl.c:*: cp_mmap: *": open_by("SVM-CTL-029"),
    "softhal/convert.c:convert:*: without dma_addr->phyAddr.*": "what a descriptor holds is the "
    "driver's own affair",
    "softhal/*.c:*: caprice_code: *": CHOICE,
    "softhal/reserve.c:place:*: == becomes !=": CHOICE,
    "softhal/cache.c:trim:*": KEPT,
    "softhal/alloc_v2.c:cache_limit_of:*": KEPT,
    "softhal/uvm_scan.c:*": SCANNED,
    "softhal/uvm_frames.c:uvm_stir:*": SCANNED,
    "softhal/window.c:*: set_advice: *": ADVICE,
    "softhal/window.c:*: without set_advice(*": ADVICE,
    "softhal/window.c:hold_v2:*: without (void)window_hold(*": SYSTEM,
    "softhal/place.c:block_place_outside:*: without *_drop(*": SYSTEM,
    "softhal/place.c:heap_for:*: && becomes ||": "whether free addresses beside others of another "
    "use are given is left open",
    "softhal/view.c:view_remove:*window_map_at*": "what freed addresses lead to is left open",
    "softhal/domain.c:domain_detach:*": "equivalent: who comes next finds out that a process ended",
    "softhal/process.c:enter_direct:*: without code = DRV_ERROR_PARA_ERROR;": FORKED,
    "softhal/config.c:*": SETTINGS,
    "softhal/domain.c:sweep*": SETTINGS,
    "softacl/hal.c:*": SETTINGS,
    "softacl/init.c:read_config:*": open_by("RUNTIME-INIT-002"),
    "softacl/init.c:looks_like_json:*": open_by("RUNTIME-INIT-002"),
    "softacl/init.c:digest:*": open_by("RUNTIME-INIT-002"),
    "softacl/init.c:read_settings:*": open_by("RUNTIME-INIT-002"),
    "softhal/process.c:before_fork:*": FORKED,
    "softhal/process.c:in_parent:*": FORKED,
    "softhal/process.c:in_child:*": FORKED,
    "softhal/process.c:start_over:*": FORKED,
    "softhal/*.c:*_unlock_child:*": FORKED,
    "softhal/*.c:*_after_fork:*": FORKED,
    "softhal/*.c:*s_forget:*": FORKED,
    "softhal/*.c:uvm_forget:*": FORKED,
    "softhal/*.c:domain_forget:*": FORKED,
    "softhal/window.c:windows_drop:*": FORKED,
    "softhal/heap_device.c:blocks_forget_parked:*": FORKED,
    "softacl/context.c:before_fork:*": FORKED,
    "softacl/context.c:in_parent:*": FORKED,
    "softacl/context.c:in_child:*": FORKED,
    "softacl/*.c:*s_forget:*": FORKED,
    "softhal/migrate.c:bring_home:*": open_by("SVM-LOAD-001"),
    "softhal/migrate.c:on_fault:*": open_by("SVM-LOAD-001"),
    "softhal/pages.c:page_to_host:*": open_by("SVM-LOAD-001"),
    "softhal/pages.c:notice_touch:*": open_by("SVM-STORE-001"),
    "softhal/migrate.c:signal_pass_on:*": "handlers that the program has for signals are its own",
    "softhal/uvm_syscalls.c:*": SYSCALLS,
    "softhal/uvm_query.c:give:*": SYSCALLS,
    "softhal/map.c:mappings_cover:*": open_by("SVM-SET-005"),
    "softhal/memset.c:fully_allocated:*": open_by("SVM-SET-005"),
    "softhal/resolve.c:v3_range:*": open_by("SVM-SET-005"),
    "softhal/register.c:device_block:*: - becomes +": open_by("SHARING-REGISTER-017"),
    "softhal/register.c:device_block:*: + becomes -": open_by("SHARING-REGISTER-017"),
    "softhal/register.c:v2_device_local:*": open_by("SHARING-REGISTER-018"),
    "softhal/shmem.c:v2_source:*": open_by("SHARING-NAME-011"),
    "softhal/pool.c:pool_free_block:*": "freeing memory of a pool otherwise is told by no document",
    "softhal/ctl.c:map_registers:*": open_by("SVM-CTL-029"),
    "softhal/ctl.c:unmap_registers:*": open_by("SVM-CTL-029"),
    "softhal/ctl.c:register_window:*": open_by("SVM-CTL-029"),
    "softhal/ctl.c:repair:*": open_by("SVM-CTL-029"),
    "softhal/async.c:concerns:*": open_by("SVM-CLOSE-003"),
    "softhal/async.c:jobs_settle:*": open_by("SVM-CLOSE-003"),
    "softhal/convert.c:conversions_detach_device:*": open_by("SVM-CLOSE-003"),
    "softhal/pages.c:pages_leave_device:*": open_by("SVM-CLOSE-005"),
    "softhal/uvm_table.c:leave_device:*": open_by("SVM-CLOSE-007"),
    "softhal/uvm_table.c:uvm_close_device:*": open_by("SVM-CLOSE-007"),
    "softhal/domain.c:domain_adopt:*": DIED,
    "softhal/shares.c:shares_mend:*": DIED,
    "softhal/window.c:release:*": SYSTEM,
    "softhal/window.c:memory_read:*": SYSTEM,
    "softhal/window.c:memory_write:*": SYSTEM,
    "softhal/uvm_store.c:uvm_read:*": SYSTEM,
    "softhal/uvm_store.c:uvm_write:*": SYSTEM,
    "softhal/*.c:*: without *code = DRV_ERROR_OUT_OF_MEMORY;": SYSTEM,
    "softacl/*.c:*: without *code = ACL_ERROR_RT_MEMORY_ALLOCATION;": SYSTEM,
    "softhal/*.c:*: without complain(*": SYSTEM,
    "softacl/segments.c:segment_untake:*": SYSTEM,
    "softhal/white.c:rebuild:*": "it takes 200,000 permissions to come here",
    "softhal/access.c:check_desc:*: 64 + 1": "equivalent: ids of devices are below 64",
    "softhal/uvm_frames.c:uvm_scan:*: > becomes >=": SCANNED,
    "softacl/pool_calls.c:run_ordinary_free:*": open_by("RUNTIME-PFREE-007"),
    "softacl/copy2d.c:by_rows:*": "rectangles in managed memory are promised by no document",
    "softacl/copy.c:take_early:*": "equivalent: only a seeded fault copies before its time",
}
"""Why mutants of C sources survive, by patterns of ``FILE:FUNCTION:LINE:COLUMN: CHANGE``."""


def reason_for(mutant: str) -> str:
    """Return why it is no hole that nothing notices a mutant; empty if nobody judged it."""
    for pattern, reason in (*RULES.items(), *SOURCES.items()):
        if fnmatchcase(mutant, pattern.replace("[", "[[]")):
            return reason
    return ""
