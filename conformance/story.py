"""Telling the story of a trace: its recorded outcomes judged once more, call by call.

Nothing is called. The lab that judged the calls while they were made judges them again, with the
recording in the place of the implementation; before each call it is asked what the rules demand.
A trace without outcomes, which is only a plan, is played by the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from itertools import groupby
from typing import Any

import msgspec

from halcert.adapters.protocol import Request
from halcert.conformance.atlas import Atlas, Givers, Thing, field_of
from halcert.conformance.balances import Balances
from halcert.conformance.book import resolve
from halcert.conformance.concurrent import Planned, take_program
from halcert.conformance.demands import demand_of, stretches
from halcert.conformance.forms import plain
from halcert.conformance.lab import Broken, Lab, Setting
from halcert.conformance.likeness import likeness
from halcert.conformance.model_adapter import DEVICES, ModelAdapter
from halcert.conformance.outcomes import result_of
from halcert.conformance.promises import promises
from halcert.conformance.recorded import RecordedSession, restored
from halcert.conformance.replay import program_of
from halcert.conformance.sightings import Place
from halcert.conformance.tally import Tally
from halcert.conformance.together import together
from halcert.model.concrete import Oracle, World
from halcert.results import Answered, Certificate, Outcome, Trace, TraceHeader, TraceStep
from halcert.results.story import (
    BlockSeen,
    Origin,
    Promise,
    Snapshot,
    Story,
    StoryStep,
    Verdict,
)
from halcert.spec.catalogue import interfaces
from halcert.spec.language import Call
from halcert.spec.profiles import PROFILES

TOLD_TABLES = ("devices", "copies", "descriptors")
"""Tables, besides the blocks, of which a snapshot has the rows."""
Outputs = Mapping[int, Mapping[str, Any]]


def story_of(trace: Trace, *, thorough: bool | None = None) -> Story:
    """Return the story of a trace.

    Args:
        trace: the trace.
        thorough: tell the promises of every call; by default those of the call at fault, or of
            every call if no rule is named as broken.
    """
    return _Teller(trace, thorough).tell()


class _Teller:
    """Judges the calls one after the other and notes what is to be told of each."""

    def __init__(self, trace: Trace, thorough: bool | None) -> None:
        found = interfaces()
        self._steps = tuple(restored(step, found[step.interface]) for step in trace.steps)
        self._trace = trace
        self._thorough = not trace.header.rule if thorough is None else thorough
        profile = PROFILES[trace.header.profile or "ascend910b"]
        played = any(step.outcome is None for step in self._steps)
        self._recorded = RecordedSession(self._steps)
        session: Any = ModelAdapter().open(profile.name) if played else self._recorded
        oracle = Oracle(found.values(), profile)
        devices = trace.header.devices or DEVICES
        self._lab = Lab(Setting(session, oracle, found, devices), "story", Tally())
        for actor in sorted({0, *(step.actor for step in trace.steps)}):
            self._lab.actor(actor)
        self._numbers: dict[int, int] = {}
        self._told: list[StoryStep] = []
        self._worlds: dict[int, tuple[World, World]] = {}
        self._origins: dict[Thing, Origin] = {}
        self._givers: dict[int, Givers] = {}
        self._former: list[BlockSeen] = []
        self._balances = Balances(self._lab)
        self._equal: list[tuple[tuple[int, ...], int]] = []

    def tell(self) -> Story:
        """Return the story."""
        broken: Broken | None = None
        try:
            for threaded, run in groupby(self._steps, key=lambda step: step.thread > 0):
                if threaded:
                    self._together(list(run))
                else:
                    for step in run:
                        self._one(step)
        except Broken as met:
            broken = met
        verdict = None if broken is None else self._verdict(broken)
        focus = verdict.culprit if verdict else max((n for n in self._worlds), default=0)
        before, after = self._worlds.get(focus, (self._lab.world, self._lab.world))
        return Story(
            header=self._trace.header,
            steps=tuple(self._told),
            broken=verdict,
            focus=focus,
            before=self._snapshot(before, self._ended_before(focus)),
            after=self._snapshot(after, self._ended_before(focus, itself=True), before),
            promised=tuple(self._equal),
        )

    # ----------------------------------------------------------------------------- single calls

    def _one(self, step: TraceStep) -> None:
        lab = self._lab
        self._recorded.next = step.number
        try:
            args = resolve(step.args, self._outputs())
        except KeyError:
            self._told.append(StoryStep(step, None, made=False))
            return
        call = lab.prepared(step.interface, plain(step.interface, args), step.actor)
        if call is None:
            self._told.append(StoryStep(step, None, made=False))
            return
        demand = demand_of(lab, call, step.outcome, step.actor)
        alike = likeness(step, call, self._atlas(step.actor))
        demand = msgspec.structs.replace(demand, alike=alike)
        if self._thorough or step is self._steps[-1]:
            due = tuple(
                each
                for each in self._promises(step, call)
                if (demand.success if each.on_success else demand.failure)
            )
            demand = msgspec.structs.replace(demand, promises=due)
        self._told.append(StoryStep(step, demand))
        before = lab.world
        claimed = self._claimed(call, step)
        self._worlds[step.number] = before, claimed
        self._note_origins(step, claimed)
        with lab.observing(step.actor) if step.observing else nullcontext():
            self._numbers[step.number] = len(lab.steps) + 1
            lab.call(step.interface, step.actor, **args)
        self._told[-1] = StoryStep(_with_outcome(step, lab.steps[-1].outcome), demand)
        self._worlds[step.number] = before, lab.world
        self._note_ends(step, before)
        self._note_origins(self._told[-1].step, lab.world)
        self._balances.note(step, call)

    def _outputs(self) -> Mapping[int, Any]:
        return self._lab.given(self._numbers)

    def _promises(self, step: TraceStep, call: Call) -> tuple[Promise, ...]:
        atlas = self._atlas(step.actor)
        found = promises(call.interface, self._lab.setting.profile, step, atlas, self._outputs())
        return (*found, *self._balances.promises(step, call))

    def _claimed(self, call: Call, step: TraceStep) -> World:
        """Return the world as the implementation has it by its own account, allowed or not."""
        lab, outcome = self._lab, step.outcome
        if not isinstance(outcome, Answered) or outcome.code != 0:
            return lab.world
        result = result_of(call, outcome)
        view = lab.view(step.actor)
        for _, when, effect in lab.setting.oracle.rules(step.interface).accepts:
            if when is None or when(call, view, result):
                return lab.world.after(step.actor, effect(call, view, result))
        return lab.world

    # -------------------------------------------------------------------------------- the rest

    def _together(self, steps: Sequence[TraceStep]) -> None:
        lab = self._lab
        before = lab.world
        outputs = self._outputs()
        program = program_of(steps, outputs)
        replies = lab.actor().threads(
            [[_request(planned) for planned in calls] for calls in program]
        )
        came = {
            planned.number: reply
            for calls, answers in zip(program, replies, strict=True)
            for planned, reply in zip(calls, answers, strict=False)
        }
        steps = [_with_outcome(step, came.get(step.number)) for step in steps]
        inside = {s.number: s.outcome.out for s in steps if isinstance(s.outcome, Answered)}
        found = together(lab, steps, {**outputs, **inside})
        self._equal += found.equal
        self._told += [StoryStep(step, found.demands.get(step.number)) for step in steps]
        self._worlds.update(dict.fromkeys((step.number for step in steps), (before, before)))
        take_program(lab, program, replies)
        self._numbers.update({s.number: s.number for s in steps if s.number in lab.outputs})
        for step in steps:
            self._note_origins(step, lab.world)
            self._worlds[step.number] = before, lab.world

    def _note_ends(self, step: TraceStep, before: World) -> None:
        """Remember the blocks that a call gave back."""
        views = self._lab.world.views
        for process, past in before.views.items():
            blocks: Any = views[process].blocks if process in views else ()
            if blocks is past.blocks:
                continue
            live = {block.memory for block in blocks}
            self._former += [
                msgspec.structs.replace(self._seen(process, past, block), ended=step.number)
                for block in past.blocks
                if block.memory not in live
            ]

    def _note_origins(self, step: TraceStep, world: World) -> None:
        """Remember which call gave the blocks that are new."""
        if not isinstance(step.outcome, Answered):
            return
        things = dict(_things(world.views[step.actor]))
        live = {thing for view in world.views.values() for thing, _ in _things(view)}
        for thing in [t for t in self._origins if t[0] != "blocks" and t not in live]:
            del self._origins[thing]  # the number may come again, and mean another one
        for thing, number in things.items():
            if thing not in self._origins:
                field = field_of(step.outcome.out, number)
                if field:
                    self._origins[thing] = Origin(step.number, field)
        self._givers_of(step.actor).follow(step.number, step.outcome.out, world.views[step.actor])

    def _atlas(self, actor: int) -> Atlas:
        return Atlas(self._lab.view(actor), self._givers_of(actor).origins)

    def _givers_of(self, actor: int) -> Givers:
        return self._givers.setdefault(actor, Givers())

    def _verdict(self, broken: Broken) -> Verdict:
        violation = broken.violation
        back = {new: old for old, new in self._numbers.items()}
        last = self._told[-1].step.number
        block, byte = self._wrong(violation.wrong)
        return Verdict(
            rule=violation.rule,
            strength=violation.strength.value,
            interface=broken.interface,
            shape=violation.shape,
            allowed=violation.allowed,
            came=violation.came,
            culprit=last if violation.culprit is None else back.get(violation.culprit, last),
            block=block,
            byte=byte,
        )

    def _wrong(self, wrong: tuple[int, int] | None) -> tuple[Origin | None, int]:
        """Return the block that a wrong byte is in, not the copy by which it was looked at."""
        if wrong is None:
            return None, 0
        memory, byte = wrong
        place = self._lab.sightings.original(Place(memory, byte, byte + 1))
        return self._origins.get(("blocks", place.memory)), place.start

    def _ended_before(self, focus: int, *, itself: bool = False) -> list[BlockSeen]:
        order = {each.step.number: place for place, each in enumerate(self._told)}
        last = order.get(focus, len(order)) + itself
        return [block for block in self._former if order[block.ended] < last]

    def _snapshot(
        self, world: World, former: Sequence[BlockSeen], earlier: World | None = None
    ) -> Snapshot:
        """Return what is there; what a block took the place of at the same address stays."""
        blocks, rows = [], []
        for process, view in sorted(world.views.items()):
            for block in view.blocks:
                past = view if earlier is None else earlier.views[process]
                old = past.blocks.at(block.base)
                if old.exists and old.memory != block.memory:
                    blocks.append(self._seen(process, past, old))
                blocks.append(self._seen(process, view, block))
            for name in TOLD_TABLES:
                rows += [
                    (name, process, msgspec.structs.asdict(row)) for row in getattr(view, name)
                ]
        return Snapshot(tuple(blocks), tuple(_still_bare(former, blocks)), tuple(rows))

    def _seen(self, process: int, view: Any, block: Any) -> BlockSeen:
        rope = view.contents.rope(block.memory)
        return BlockSeen(
            process=process,
            base=block.base,
            size=block.size,
            extent=block.extent,
            kind=block.kind,
            device=None if block.device == self._lab.setting.profile.host_id else block.device,
            origin=self._origins.get(("blocks", block.memory))
            or self._origins.get(("reservations", block.base)),
            stretches=tuple(stretches(rope, 0, block.extent)),
        )


def _with_outcome(step: TraceStep, outcome: Outcome | None) -> TraceStep:
    """Return a call of a plan with what came; a recorded one stays as it is."""
    if step.outcome is not None or outcome is None:
        return step
    return msgspec.structs.replace(step, outcome=outcome)


def _still_bare(former: Sequence[BlockSeen], live: Sequence[BlockSeen]) -> list[BlockSeen]:
    """Return the former blocks in whose place nothing came, the latest ones for each place."""
    found: list[BlockSeen] = []
    for block in reversed(former):
        if not any(_meet(block, other) for other in (*live, *found)):
            found.append(block)
    return found[::-1]


def _meet(one: BlockSeen, other: BlockSeen) -> bool:
    return (
        one.process == other.process
        and one.base < other.base + other.extent
        and other.base < one.base + one.extent
    )


def stories_of(certificate: Certificate) -> dict[tuple[str, str, str], Story]:
    """Return the stories of a certificate's findings, by rule, interface and shape."""
    found = {}
    for finding in certificate.findings:
        if not finding.steps:
            continue
        header = TraceHeader(
            halcert=certificate.halcert,
            profile=certificate.profile,
            adapter=certificate.implementation.adapter,
            library=certificate.implementation.path,
            origin=finding.origin,
            seed=certificate.seed,
            rule=finding.rule,
            allowed=finding.allowed,
            came=finding.came,
            devices=certificate.implementation.devices,
        )
        # A picture is not worth the report that it belongs to.
        with suppress(ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            story = story_of(Trace(header, finding.steps))
            found[finding.rule, finding.interface, finding.shape] = story
    return found


def _request(planned: Planned) -> Request:
    return Request(planned.interface, planned.args, planned.number)


def _things(view: Any) -> Iterator[tuple[Thing, int]]:
    """Iterate over what calls gave and is live, with the number that stands for it."""
    yield from ((("blocks", row.memory), row.base) for row in view.blocks)
    yield from ((("reservations", row.base), row.base) for row in view.reservations)
    yield from ((("handles", row.id), row.id) for row in view.handles)
