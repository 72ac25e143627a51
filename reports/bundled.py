"""What a trace was recorded on, in words."""

from __future__ import annotations

from halcert.results import TraceHeader

BUNDLED = {"hal": "software driver", "acl": "software runtime"}
"""The implementation that comes with halcert, by adapter."""


def told(header: TraceHeader) -> str:
    """Return which implementation a trace was recorded on; empty if it does not say."""
    bundled = BUNDLED.get(header.adapter)
    return header.library or (f"the bundled {bundled}" if bundled else "")


def named(header: TraceHeader) -> str:
    """Return a short name for the implementation."""
    return header.library.rpartition("/")[2] or BUNDLED.get(header.adapter, "library")
