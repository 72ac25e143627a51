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
from halcert.model.proofs.witness import UNDEFINED
from halcert.results import Answered, Trace, TraceHeader, TraceStep
from halcert.results.story import Story, StoryStep
from halcert.results.vectors import Vector, VectorCall, VectorFile

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
    """Iterate over the vectors of areas for a product, the rules before the boundaries.

    What ends in something undefined, or in arguments that nobody can pass, is no vector.
    """
    found = witnesses(areas, profile)
    for kind in ("rule", "boundary"):
        for witness in found:
            promised = all(step.expected.verdict != UNDEFINED for step in witness.steps)
            made = told(witness) if witness.kind == kind and promised else None
            if made is not None and all(step.made for step in made.story.steps):
                yield made


def told(witness: Witness) -> Told:
    """Return a witness as a vector."""
    header = TraceHeader(profile=witness.profile, origin=f"vector[{witness.id}]")
    steps = tuple(
        msgspec.structs.replace(each, args=_written(plain(each.interface, each.args)))
        for each in plan(witness)
    )
    played = story_of(Trace(header, steps), thorough=False)
    # Told again with what the model answered: promises are about results that there are.
    again = tuple(_referring(each.step for each in played.steps))
    story = story_of(Trace(header, again), thorough=False)
    vector = Vector(
        id=witness.id,
        rule=witness.rule,
        kind=witness.kind,
        note=witness.note,
        shows=witness.shows,
        calls=tuple(map(_call, story.steps)),
    )
    return Told(vector, story)


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
