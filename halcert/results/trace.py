"""Traces: the calls of a run with what came back, as JSON Lines.

The first line is a header with the format version, then one line for each call. Addresses and
handles that an earlier call gave are written as references, so that a trace can be replayed on
another run or another implementation: ``{"$": 3, "field": "pp", "plus": 16}`` is 16 bytes
behind what call 3 gave as ``pp``.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from halcert.results.files import contents

FORMAT = "halcert-trace/1"


class Answered(msgspec.Struct, frozen=True, gc=False, tag="answered", tag_field="kind"):
    """The call returned.

    Attributes:
        code: return code.
        out: outputs by name as they stand after the call.
        began: when the call began, in nanoseconds of a monotonic clock.
        ended: when it returned.
        stand_in: what the kernel stand-in says of the call, a bit for each answer that it had to
            assume; 0 without one.
    """

    code: int
    out: dict[str, Any] = {}
    began: int = 0
    ended: int = 0
    stand_in: int = 0


class Crashed(msgspec.Struct, frozen=True, tag="crashed", tag_field="kind"):
    """The process died in the call.

    Attributes:
        signal: number of the signal; 0 when the process ended by itself.
        note: last words on its error output.
    """

    signal: int
    note: str = ""


class Hung(msgspec.Struct, frozen=True, tag="hung", tag_field="kind"):
    """The call did not return in time; the process was killed.

    Attributes:
        seconds: how long was waited.
    """

    seconds: float


class Garbled(msgspec.Struct, frozen=True, tag="garbled", tag_field="kind"):
    """What came back could not be understood.

    Attributes:
        note: what was wrong with it.
    """

    note: str


class Missing(msgspec.Struct, frozen=True, tag="missing", tag_field="kind"):
    """The library lacks the symbol.

    Attributes:
        symbol: its name.
    """

    symbol: str


Outcome = Answered | Crashed | Hung | Garbled | Missing


class TraceStep(msgspec.Struct, frozen=True):
    """One call.

    Attributes:
        number: number of the call in the trace, from 1; references name it.
        interface: name of the interface.
        args: arguments, with references in place of addresses that calls gave.
        outcome: what came; None in a trace that is only a plan.
        actor: number of the process that called.
        thread: number of the thread within the process.
        values: the arguments with every reference resolved, as they were passed.
        observing: the call was made only to look at memory.
    """

    number: int
    interface: str
    args: dict[str, Any]
    outcome: Outcome | None = None
    actor: int = 0
    thread: int = 0
    values: dict[str, Any] = {}
    observing: bool = False


class TraceHeader(msgspec.Struct, frozen=True):
    """What a trace was made from.

    Attributes:
        format: name and version of the format.
        halcert: version of halcert.
        profile: name of the product.
        adapter: name of the adapter.
        library: path of the library, as given.
        origin: the test that made it.
        seed: seed of the run.
        rule: id of the broken rule; empty if none is.
        allowed: what the rule allows, in words.
        came: what came, in words.
        environment: configuration that the implementation was started with.
        devices: ids of the devices that were present; empty if that is not known.
        calls: how many calls follow; None in a trace that was written by hand.
    """

    format: str = FORMAT
    halcert: str = ""
    profile: str = ""
    adapter: str = ""
    library: str = ""
    origin: str = ""
    seed: int = 0
    rule: str = ""
    allowed: str = ""
    came: str = ""
    environment: dict[str, str] = {}
    devices: tuple[int, ...] = ()
    calls: int | None = None


class Trace(msgspec.Struct, frozen=True):
    """A header and its calls."""

    header: TraceHeader
    steps: tuple[TraceStep, ...]


class TraceError(Exception):
    """A trace file cannot be used; the message names file and line."""


def write_trace(trace: Trace, path: Path) -> None:
    """Write a trace as JSON Lines, whole or not at all; the header tells how many calls follow.

    Raises:
        OSError: the file cannot be written; names the file.
    """
    header = msgspec.structs.replace(trace.header, calls=len(trace.steps))
    lines = [msgspec.json.encode(header), *map(msgspec.json.encode, trace.steps)]
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    try:
        partial.write_bytes(b"\n".join(lines) + b"\n")
        partial.replace(path)
    except OSError as error:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        error.filename = str(path)
        raise


def read_trace(path: Path) -> Trace:
    """Read a trace.

    Raises:
        TraceError: the file cannot be read, is cut off, malformed or of another version.
    """
    try:
        raw = contents(path)
    except OSError as error:
        raise TraceError(f"{path}: cannot be read: {error.strerror}") from error
    if not raw.strip():
        raise TraceError(f"{path}: line 1: empty; a trace starts with a header")
    if not raw.endswith(b"\n"):
        number = raw.count(b"\n") + 1
        raise TraceError(f"{path}: line {number}: cut off; a trace ends with a line break")
    lines = raw.splitlines()
    header = _line(path, 1, lines[0], TraceHeader)
    if header.format != FORMAT:
        raise TraceError(
            f"{path}: line 1: format is {header.format!r}, this halcert reads {FORMAT!r}"
        )
    if wrong := _environment_fault(header.environment):
        raise TraceError(f"{path}: line 1: environment: {wrong}")
    if "\0" in header.library:
        raise TraceError(f"{path}: line 1: library: a path holds no NUL")
    steps = [_line(path, n, line, TraceStep) for n, line in enumerate(lines[1:], start=2)]
    if header.calls is not None and header.calls != len(steps):
        number = 2 + max(0, min(header.calls, len(steps)))
        wrong = "cut off" if len(steps) < header.calls else "a call too many"
        raise TraceError(
            f"{path}: line {number}: {wrong}; calls by the header: {header.calls}, "
            f"in the file: {len(steps)}"
        )
    return Trace(header, tuple(steps))


def _environment_fault(environment: Mapping[str, str]) -> str:
    """Return why no process can be started with these variables; empty if one can."""
    for name, value in environment.items():
        if not name or "=" in name or "\0" in name:
            return f"{name!r} is no name of a variable"
        if "\0" in value:
            return f"the value of {name!r} holds a NUL"
    return ""


def _line(path: Path, number: int, line: bytes, kind: type[Any]) -> Any:
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.DecodeError as error:
        raise TraceError(f"{path}: line {number}: {error}") from error
    except RecursionError:
        raise TraceError(f"{path}: line {number}: nested too deeply") from None
