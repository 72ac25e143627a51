"""What tells that another run goes on like a recorded one, where an implementation may choose.

Most choices leave no trace in what is demanded later: an address is whatever a call gave. Which
freed memory of a pool is used again does, for what is left may be given to some streams only, and
how much the pool has depends on it.
"""

from __future__ import annotations

from halcert.conformance.atlas import Atlas
from halcert.results import Answered, TraceStep
from halcert.results.story import Formula
from halcert.spec.language import Call
from halcert.spec.runtime.pool_use import PoolMallocAsync, granted
from halcert.spec.runtime_state import Portion

DEPEND = (
    "RUNTIME-PMALLOC-024",
    "RUNTIME-GETATTR-015",
    "RUNTIME-GETATTR-016",
    "RUNTIME-GETATTR-018",
)
"""Rules whose promises depend on which memory was given before.

The mark of use does on products on which a free counts when its stream gets there: freed memory
that is given again has been freed by then, and any other may be in use still.
"""


def likeness(step: TraceStep, call: Call, atlas: Atlas) -> tuple[Formula, ...]:
    """Return what holds if the implementation chose as it did in the trace.

    Args:
        step: the call as it was recorded.
        call: the same, its arguments resolved.
        atlas: the state before it.
    """
    outcome = step.outcome
    if not isinstance(call, PoolMallocAsync) or not isinstance(outcome, Answered):
        return ()
    if outcome.code != 0 or not call.size:
        return ()
    view, size = atlas.unmoved, granted(call.size)
    given = Formula("output", (step.number, "ptr"))
    freed = [part for part in view.portions if part.pool == call.memPool and not part.used]
    found = (_about(part, given, int(outcome.out["ptr"]), size, atlas) for part in freed)
    return tuple(each for each in found if each is not None)


def _about(part: Portion, given: Formula, address: int, size: int, atlas: Atlas) -> Formula | None:
    """Return where memory lies that was given, seen from a freed portion; None if unknown."""
    named = atlas.named(atlas.moved(part.base))
    if named is None:
        return None
    origin, distance = named
    base = Formula("output", (origin.number, origin.field))
    if part.base < address + size and address < part.base + part.extent:
        return Formula("eq", (given, _plus(base, distance + address - part.base)))
    before = Formula("le", (_plus(given, size), _plus(base, distance)))
    behind = Formula("le", (_plus(base, distance + part.extent), given))
    return Formula("or", (before, behind))


def _plus(formula: Formula, distance: int) -> Formula:
    return Formula("add", (formula, Formula("number", (distance,)))) if distance else formula
