"""Mutated rules that nothing notices, judged one by one, and why that is no hole.

A pattern may stand for several; it is matched against ``RULE:CHANGE``. What is not listed here is
not judged yet, or a hole.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

REVIEWED: dict[str, str] = {
    "SVM-HMAP-*": "what the operating system gives a program is no promise of the library",
    "SVM-HUNMAP-*": "what a program does with its own memory is no promise of the library",
    "*-DSTORE-020:*": "bytes of a store that failed are open, whichever they are",
    "*-DLOAD-020:*": "pages that a load moved before it failed are open, wherever they are",
}
"""Why mutations survive, by patterns of their ids."""


def reason_for(mutation: str) -> str:
    """Return why it is no hole that nothing notices a mutation; empty if nobody judged it."""
    for pattern, reason in REVIEWED.items():
        if fnmatchcase(mutation, pattern.replace("[", "[[]")):
            return reason
    return ""
