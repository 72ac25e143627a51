"""Mutants that nothing notices, judged one by one, and why that is no hole.

A pattern may stand for several; it is matched against the id of the mutant. What is not listed
here is not judged yet, or a hole.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

from halcert.conformance.survivors_rules import RULES
from halcert.conformance.survivors_sources import SOURCES


def reason_for(mutant: str) -> str:
    """Return why it is no hole that nothing notices a mutant; empty if nobody judged it."""
    for pattern, reason in (*RULES.items(), *SOURCES.items()):
        if fnmatchcase(mutant, pattern.replace("[", "[[]")):
            return reason
    return ""
