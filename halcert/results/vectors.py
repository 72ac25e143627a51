"""Vectors: generated tests as data, for whoever has no Python."""

from __future__ import annotations

from typing import Any

import msgspec

from halcert.results.story import Promise, Stretch

FORMAT = "halcert-vectors/1"


class VectorCall(msgspec.Struct, frozen=True):
    """One call of a vector and what the rules allow of it.

    Attributes:
        number: number of the call within the vector, from 1.
        interface: symbol in the library, or ``host.NAME`` for an access by the program itself.
        args: the arguments as in a trace; what an earlier call gave is a reference
            ``{"$": number of the call, "field": output, "plus": distance in bytes}``.
        actor: number of the process that makes it.
        success: it may succeed.
        failure: it may fail.
        codes: the codes that a failure may have; empty for any.
        rules: ids of the rules that say so.
        promises: what must hold of its outputs.
        bytes: the bytes that it must give, where it reads memory.
    """

    number: int
    interface: str
    args: dict[str, Any]
    actor: int = 0
    success: bool = True
    failure: bool = False
    codes: tuple[int, ...] = ()
    rules: tuple[str, ...] = ()
    promises: tuple[Promise, ...] = ()
    bytes: tuple[Stretch, ...] = ()


class Vector(msgspec.Struct, frozen=True):
    """A word of calls; the last one is what it is about.

    The calls before the last one set the scene. Where one of them is refused, as may be, the
    vector shows nothing.

    Attributes:
        id: ``RULE@PRODUCT``, for a boundary with the comparison and the side of it, for a
            repetition with the rule that accepts the call the first time.
        rule: id of the rule that it was made for.
        kind: rule, boundary, or repetition: the last call is that before it once more.
        note: for a boundary, which comparison and on which side of it; for a repetition of what.
        shows: ids of the rules that decide the last call.
        calls: the calls, in a process in which no device is open yet.
    """

    id: str
    rule: str
    kind: str
    note: str
    shows: tuple[str, ...]
    calls: tuple[VectorCall, ...]


class VectorFile(msgspec.Struct, frozen=True):
    """The vectors of one interface for one product.

    Attributes:
        interface: name of the interface.
        profile: name of the product.
        vectors: the vectors.
        halcert: version of halcert.
        spec: digest of the specification.
        format: name and version of the format.
    """

    interface: str
    profile: str
    vectors: tuple[Vector, ...]
    halcert: str = ""
    spec: str = ""
    format: str = FORMAT
