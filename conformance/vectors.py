"""Witnesses as vectors: each call with what the rules allow of it, and running them here.

The model plays the calls; before each the oracle is asked what it would allow. So a vector says
what the rules say in the state that its own calls made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import Any, NamedTuple

import msgspec

from halcert.adapters.protocol import reference
from halcert.conformance.book import BYTES, resolve
from halcert.conformance.forms import plain
from halcert.conformance.lab import Broken, Lab
from halcert.conformance.story import story_of
from halcert.model.proofs import Witness, witnesses
from halcert.model.proofs.notes import plan
from halcert.model.proofs.witness import ACCEPTED, UNDEFINED
from halcert.results import Answered, Trace, TraceHeader, TraceStep
from halcert.results.story import Story, StoryStep
from halcert.results.vectors import Vector, VectorCall, VectorFile
from halcert.spec.abi.declarations import ALL_FUNCTIONS

FIRST_ADDRESS = 1 << 32
"""No address is below that, and no other output as large is an argument of a later call."""


class Told(NamedTuple):
    """A vector with the story that it was made of."""

    vector: Vector
    story: Story


class Shown(Enum):
    """What running a vector shows."""

    OK = "ok"
    NOT_OK = "not ok"
    SKIPPED = "skipped"
    """A call before the last one was refused, as may be."""


def vectors(areas: Sequence[str], profile: str) -> Iterator[Told]:
    """Iterate over the vectors of areas for a product: rules, repetitions, boundaries.

    What ends in something undefined, or in arguments that nobody can pass, is no vector.
    """
    found = [
        witness
        for witness in witnesses(areas, profile)
        if all(step.expected.verdict != UNDEFINED for step in witness.steps)
    ]
    of_rules = [witness for witness in found if witness.kind == "rule"]
    yield from filter(_is_made, map(told, of_rules))
    yield from filter(None, map(repetition, of_rules))
    yield from filter(_is_made, (told(each) for each in found if each.kind == "boundary"))


def _is_made(one: Told) -> bool:
    return all(step.made for step in one.story.steps)


def told(witness: Witness) -> Told:
    """Return a witness as a vector."""
    story = _played(plan(witness), witness.profile, witness.id)
    vector = Vector(
        id=witness.id,
        rule=witness.rule,
        kind=witness.kind,
        note=witness.note,
        shows=witness.shows,
        calls=tuple(map(_call, story.steps)),
    )
    return Told(vector, story)


def repetition(witness: Witness) -> Told | None:
    """Return the vector that makes the last call of a witness once more and is refused.

    The shortest way to the rule that refuses to free twice is to free what never was, which says
    nothing of what an implementation remembers of a block that has gone.

    Returns:
        The vector, or None where the last call is none of the library's, is refused at once, or
        may succeed again.
    """
    last = witness.steps[-1]
    if last.expected.verdict != ACCEPTED or last.interface not in ALL_FUNCTIONS:
        return None
    steps = plan(witness)
    again = msgspec.structs.replace(steps[-1], number=len(steps) + 1)
    name = f"{witness.profile}/again-after-{witness.rule.lower()}"
    story = _played((*steps, again), witness.profile, name)
    first, demand = story.steps[-2].demand, story.steps[-1].demand
    if first is None or not first.success:  # the model went another way than the witness
        return None
    if demand is None or demand.success or not demand.rules:
        return None
    vector = Vector(
        id=f"{demand.rules[0]}@{name}",
        rule=demand.rules[0],
        kind="repetition",
        note=f"what {witness.rule} accepts, once more",
        shows=demand.rules,
        calls=tuple(map(_call, story.steps)),
    )
    made = Told(vector, story)
    return made if _is_made(made) else None


def _played(plan: Sequence[TraceStep], profile: str, name: str) -> Story:
    """Return the story of calls that the model plays."""
    header = TraceHeader(profile=profile, origin=f"vector[{name}]")
    steps = tuple(
        msgspec.structs.replace(each, args=_written(plain(each.interface, each.args)))
        for each in plan
    )
    played = story_of(Trace(header, steps), thorough=False)
    # Told again with what the model answered: promises are about results that there are.
    again = tuple(_referring(each.step for each in played.steps))
    return story_of(Trace(header, again), thorough=False)


def _written(args: dict[str, Any]) -> dict[str, Any]:
    """Return arguments as a trace holds them."""
    return {
        name: {BYTES: value.hex()} if isinstance(value, bytes) else value
        for name, value in args.items()
    }


def _referring(steps: Iterable[TraceStep]) -> Iterator[TraceStep]:
    """Iterate over calls in which an address that a call gave is a reference to it.

    A witness names some addresses by their numbers, which are others on an implementation.
    """
    given: dict[int, dict[str, Any]] = {}
    for step in steps:
        args = {
            name: given.get(value, value) if type(value) is int else value
            for name, value in step.args.items()
        }
        yield msgspec.structs.replace(step, args=args)
        if isinstance(step.outcome, Answered):
            for name, value in step.outcome.out.items():
                if type(value) is int and value >= FIRST_ADDRESS:
                    given[value] = reference(step.number, name)


def _call(each: StoryStep) -> VectorCall:
    step, demand = each.step, each.demand
    if demand is None:
        return VectorCall(step.number, step.interface, step.args, step.actor)
    return VectorCall(
        number=step.number,
        interface=step.interface,
        args=step.args,
        actor=step.actor,
        success=demand.success,
        failure=demand.failure,
        codes=demand.codes,
        rules=demand.rules,
        promises=demand.promises,
        bytes=demand.stretches,
    )


def files(found: Iterable[Told], profile: str, halcert: str, spec: str) -> list[VectorFile]:
    """Return the vectors as files, one for each interface whose rules they are about."""
    by_interface: dict[str, list[Vector]] = {}
    for each in found:
        by_interface.setdefault(each.vector.calls[-1].interface, []).append(each.vector)
    return [
        VectorFile(interface, profile, tuple(group), halcert, spec)
        for interface, group in sorted(by_interface.items())
    ]


def shown(lab: Lab, vector: Vector) -> Shown:
    """Run a vector in a fresh lab and return what it shows."""
    numbers: dict[int, int] = {}
    try:
        for call in vector.calls:
            try:
                args = resolve(call.args, lab.given(numbers))
            except KeyError:
                return Shown.SKIPPED
            result = lab.call(call.interface, call.actor, **args)
            refused = result is None or result.code != 0
            if refused and call.success and call is not vector.calls[-1]:
                return Shown.SKIPPED
            numbers[call.number] = len(lab.steps)
    except Broken:
        return Shown.NOT_OK
    return Shown.OK
