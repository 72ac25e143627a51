"""Where two implementations differ in answer to the same calls, as plain data."""

from __future__ import annotations

from enum import Enum

import msgspec

from halcert.results.certificate import Implementation
from halcert.results.trace import TraceStep

FORMAT = "halcert-comparison/1"


class Aspect(Enum):
    """In what respect two answers differ."""

    SYMBOL = "symbol"
    """One of the two lacks the symbol."""
    CODE = "code"
    """The calls end with different codes."""
    REPORT = "report"
    """What a call reports is different."""
    ALIGNMENT = "alignment"
    """What all addresses that a call gives are a multiple of, as far as it was seen."""
    CONTENT = "content"
    """The bytes that nobody wrote are different."""


class Contrast(msgspec.Struct, frozen=True):
    """One respect in which the two differ.

    Attributes:
        aspect: in what respect.
        interface: name of the interface.
        what: path of the output; empty for codes and symbols.
        when: what the calls have in common: the flag, or that they failed; empty for nothing.
        rules: ids of the rules that leave the choice of code, as far as they say so.
        left: what comes on the left.
        right: what comes on the right.
        count: number of calls that differ so.
        of: number of calls that were compared in this respect.
        origin: the test that made the example.
        example: the calls that lead to the shortest example, as the left answered them.
    """

    aspect: Aspect
    interface: str
    what: str
    when: str
    rules: tuple[str, ...]
    left: str
    right: str
    count: int
    of: int
    origin: str = ""
    example: tuple[TraceStep, ...] = ()


class Fault(msgspec.Struct, frozen=True):
    """A rule that one of the two broke; from there on the calls were not compared.

    Attributes:
        side: left or right.
        rule: id of the rule.
        interface: the interface at fault.
        shape: how it is broken.
        strength: strength of what is broken.
        came: what came, in words.
        count: number of tests in which that was met.
    """

    side: str
    rule: str
    interface: str
    shape: str
    strength: str
    came: str
    count: int = 1


class Side(msgspec.Struct, frozen=True):
    """One of the two.

    Attributes:
        given: how it was named on the command line.
        profile: name of the product.
        implementation: what it is.
    """

    given: str
    profile: str
    implementation: Implementation


class Comparison(msgspec.Struct, frozen=True):
    """What comparing two implementations found.

    Attributes:
        left: the one.
        right: the other; it repeats the calls of the one.
        areas: names of the areas.
        contrasts: where they differ although both are allowed, most frequent first.
        faults: what either breaks.
        compared: number of calls that both answered.
        left_out: number of calls of the left that the right did not make: nothing is promised
            about them there, what they refer to was not given, or a call before them succeeded
            on one side only.
        tests: number of tests.
        seed: seed of the choices.
        seconds: how long it took.
        command: command that repeats it.
        halcert: version of halcert.
        spec: digest of the specification.
        format: name and version of the format.
    """

    left: Side
    right: Side
    areas: tuple[str, ...]
    contrasts: tuple[Contrast, ...]
    faults: tuple[Fault, ...] = ()
    compared: int = 0
    left_out: int = 0
    tests: int = 0
    seed: int = 0
    seconds: float = 0.0
    command: str = ""
    halcert: str = ""
    spec: str = ""
    format: str = FORMAT
