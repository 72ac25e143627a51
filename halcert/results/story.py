"""The story of a trace: for each call what the rules demanded and what was there, as plain data.

The suite tells it (``halcert.conformance.story``) from the recorded outcomes, without any
implementation; reports and exports are made of it and need no oracle.
"""

from __future__ import annotations

from typing import Any

import msgspec

from halcert.results.trace import TraceHeader, TraceStep


class Formula(msgspec.Struct, frozen=True):
    """A condition or a number that a result decides.

    Attributes:
        op: what it is; the operands follow from it:

            - ``number``: an integer; ``truth``: True or False
            - ``output``: number of a call and the path of one of its outputs
            - ``bits``: a formula, the lowest bit and the number of bits
            - ``both``: two formulas, of which it has the bits that both have
            - ``add``, ``and``, ``or``: formulas; ``times``, ``mod``, ``div``: a formula and an
              integer
            - ``lt``, ``le``, ``eq``, ``ne``: two formulas; ``not``: one
            - ``if``: a condition, what the value is if it holds, and what else
        args: the operands.
    """

    op: str
    args: tuple[Any, ...]


class Promise(msgspec.Struct, frozen=True):
    """What a rule promises of one result.

    Attributes:
        rule: id of the rule.
        summary: the rule in plain English.
        on_success: the promise is about a success; else about a failure.
        condition: what must hold.
        depends: it holds if the implementation chose so far as it did in the trace.
    """

    rule: str
    summary: str
    on_success: bool
    condition: Formula
    depends: bool = False


class Stretch(msgspec.Struct, frozen=True):
    """Bytes that must be there, from one source.

    Attributes:
        start: first byte, counted from where the reader looks.
        length: number of bytes.
        pattern: number of the pattern; None for a constant byte.
        value: the constant byte, or the offset in the pattern that the first byte shows.
        author: number of the call that wrote them.
    """

    start: int
    length: int
    pattern: int | None
    value: int
    author: int


class Demand(msgspec.Struct, frozen=True):
    """What the rules demand of one call.

    Attributes:
        success: it may succeed.
        failure: it may fail.
        codes: the codes that a failure may have; empty for any.
        rules: ids of the rules that say so.
        stretches: the bytes that it must give.
        promises: what must hold of its result.
        alike: what holds of its result if the implementation chose as it did in the trace.
    """

    success: bool
    failure: bool
    codes: tuple[int, ...] = ()
    rules: tuple[str, ...] = ()
    stretches: tuple[Stretch, ...] = ()
    promises: tuple[Promise, ...] = ()
    alike: tuple[Formula, ...] = ()


class Origin(msgspec.Struct, frozen=True):
    """Where a block comes from: a call and one of its outputs.

    Attributes:
        number: number of the call.
        field: path of the output.
        plus: how many bytes behind the address that it gave the block starts.
    """

    number: int
    field: str
    plus: int = 0


class BlockSeen(msgspec.Struct, frozen=True):
    """A live block of one process.

    Attributes:
        process: number of the process.
        base: first address as it was recorded.
        size: bytes that may be accessed.
        extent: bytes that belong to the block.
        kind: virtual type, or that of ordinary process memory.
        device: device that holds the pages; None for the host.
        origin: the call that gave it; None if unknown.
        stretches: its bytes as far as they are known.
        ended: number of the call by which it ceased to be; 0 while it lives.
    """

    process: int
    base: int
    size: int
    extent: int
    kind: int
    device: int | None
    origin: Origin | None
    stretches: tuple[Stretch, ...] = ()
    ended: int = 0


class Snapshot(msgspec.Struct, frozen=True):
    """What is there at one moment.

    Attributes:
        blocks: the live blocks of all processes, by process and address.
        former: blocks that were there before, where nothing is now.
        rows: the rows of the other tables that are worth telling: table, process and columns.
    """

    blocks: tuple[BlockSeen, ...]
    former: tuple[BlockSeen, ...] = ()
    rows: tuple[tuple[str, int, dict[str, Any]], ...] = ()


class StoryStep(msgspec.Struct, frozen=True):
    """One call of the story.

    Attributes:
        step: the call as it was recorded.
        demand: what the rules demanded; None if nothing is promised about it, or if it depends
            on the order of calls that were made at the same time.
        made: False if the call was left out: nothing is promised about it, or what it refers to
            was not given.
    """

    step: TraceStep
    demand: Demand | None
    made: bool = True


class Verdict(msgspec.Struct, frozen=True):
    """The rule that the trace breaks.

    Attributes:
        rule: id of the rule.
        strength: strength of the part that is broken.
        interface: the interface at fault.
        shape: how it is broken.
        allowed: what was allowed, in words.
        came: what came, in words.
        culprit: number of the call at fault.
        block: the block that holds a wrong byte, if the rule is about one.
        byte: that byte, counted from the start of the block.
    """

    rule: str
    strength: str
    interface: str
    shape: str
    allowed: str
    came: str
    culprit: int
    block: Origin | None = None
    byte: int = 0


class Story(msgspec.Struct, frozen=True):
    """The whole story.

    Attributes:
        header: what the trace was made from.
        steps: its calls.
        broken: the rule that it breaks, judged anew; None if it breaks none.
        focus: number of the call that the snapshots are about.
        before: what was there before that call.
        after: what was there after it, by its own account.
        promised: for calls made at the same time, how many of those that are equal may succeed:
            their numbers, and how many.
    """

    header: TraceHeader
    steps: tuple[StoryStep, ...]
    broken: Verdict | None
    focus: int
    before: Snapshot
    after: Snapshot
    promised: tuple[tuple[tuple[int, ...], int], ...] = ()
