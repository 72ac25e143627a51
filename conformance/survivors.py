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
SOURCES: dict[str, str] = {
    "softhal/config.c:*": "how the software driver is told its own settings is no part of the ABI",
}
"""Why mutants of C sources survive, by patterns of ``FILE:LINE:COLUMN: CHANGE``."""


def reason_for(mutant: str) -> str:
    """Return why it is no hole that nothing notices a mutant; empty if nobody judged it."""
    for pattern, reason in (*RULES.items(), *SOURCES.items()):
        if fnmatchcase(mutant, pattern.replace("[", "[[]")):
            return reason
    return ""
