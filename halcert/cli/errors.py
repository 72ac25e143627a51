"""Which errors are told in which words, and with which exit code."""

from __future__ import annotations

from typing import NamedTuple

from halcert.adapters.errors import (
    AdapterError,
    FaultUnknown,
    LibraryForeign,
    LibraryNotFound,
    ProgramNotFound,
)
from halcert.conformance.registry import UnknownAdapter
from halcert.conformance.run import UsageError
from halcert.reports.dsse import KeyUnusable
from halcert.reports.verify import EnvelopeError
from halcert.results import BaselineError, CertificateError, Exit, TraceError, WaiverError

USAGE = (
    UsageError,
    UnknownAdapter,
    TraceError,
    KeyUnusable,
    EnvelopeError,
    CertificateError,
    BaselineError,
    WaiverError,
    LibraryNotFound,
    LibraryForeign,
    ProgramNotFound,
    FaultUnknown,
)
"""Errors of what the user gave."""


class Told(NamedTuple):
    """An error as the user reads it."""

    text: str
    code: Exit


def explained(error: Exception) -> Told:
    """Return what to tell the user about an error; one that nobody foresaw is halcert's fault."""
    if isinstance(error, USAGE):
        return Told(f"halcert: {error}", Exit.USAGE)
    if isinstance(error, AdapterError):
        return Told(f"halcert: {error}", Exit.NOT_STARTED)
    if isinstance(error, BrokenPipeError):
        return Told("", Exit.OK)
    if isinstance(error, OSError) and error.filename is not None:
        return Told(f"halcert: {error.filename}: {error.strerror}", Exit.USAGE)
    said = " ".join(str(error).split())
    return Told(
        f"halcert: internal error: {type(error).__name__}: {said}; please report", Exit.HARNESS
    )
