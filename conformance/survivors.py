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
SOURCES: dict[str, str] = {
    "softhal/config.c:*": "how the software driver is told its own settings is no part of the ABI",
}
"""Why mutants of C sources survive, by patterns of ``FILE:FUNCTION:LINE:COLUMN: CHANGE``."""


def reason_for(mutant: str) -> str:
    """Return why it is no hole that nothing notices a mutant; empty if nobody judged it."""
    for pattern, reason in (*RULES.items(), *SOURCES.items()):
        if fnmatchcase(mutant, pattern.replace("[", "[[]")):
            return reason
    return ""
