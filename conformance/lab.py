"""A lab: one implementation under test and the oracle beside it, call by call.

The lab makes a call, has the result judged, counts what it showed and writes everything down,
so that whatever goes wrong comes with the trace that led there. A call about which nothing is
promised is not made.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from typing_extensions import Self

from halcert.adapters.protocol import Actor, Request, Session
from halcert.conformance.accounts import Accounts
from halcert.conformance.book import roles_of
from halcert.conformance.choices import Choices, of_caches, of_codes, of_freedoms
from halcert.conformance.forms import plain
from halcert.conformance.given import Given
from halcert.conformance.mishaps import Bereft, failed_on_request, met_a_loss, unfinished
from halcert.conformance.naming import Naming
from halcert.conformance.outcomes import result_of, shape_of
from halcert.conformance.sightings import Act, Place, Sightings, accepting
from halcert.conformance.tally import Tally
from halcert.model.concrete import Judgement, Oracle, Violation, World
from halcert.model.concrete.rope import Rope
from halcert.results import Answered, Outcome, TraceStep
from halcert.spec.abi.parameters import PLACE_LIMIT, place_sizes
from halcert.spec.language import Call, Interface, Returned, Rule, Strength
from halcert.spec.profiles import Profile
from halcert.spec.sharing.process import KILLED, HostExit
from halcert.spec.state import Block, State
from halcert.spec.universal import MEMORY_CAN_BE_HAD_AGAIN, REFUSAL_HAS_NO_EFFECT
from halcert.spec.uvm.universal import DEVICE_SWAPS


class Broken(Exception):
    """The implementation broke a rule; carries the violation and the calls that led to it."""

    def __init__(self, violation: Violation, interface: str, steps: Iterable[TraceStep]) -> None:
        super().__init__(f"{violation.rule}: {violation.came}; allowed: {violation.allowed}")
        self.violation = violation
        self.interface = interface
        self.steps = tuple(steps)

    @property
    def cause(self) -> tuple[str, str, str]:
        """What identifies the failure: rule, interface and shape."""
        return self.violation.rule, self.interface, self.violation.shape


@dataclass(frozen=True)
class Setting:
    """What all labs of a run have in common.

    Attributes:
        session: the open session with the implementation.
        oracle: the judge for the product.
        interfaces: the specified interfaces by name.
        devices: ids of the devices that are present.
    """

    session: Session
    oracle: Oracle
    interfaces: Mapping[str, Interface]
    devices: tuple[int, ...]

    @property
    def profile(self) -> Profile:
        """The product."""
        return self.oracle.profile

    def may_lack(self, interface: str) -> bool:
        """Tell whether the implementation lacks an interface, and its product may."""
        optional = self.profile.name in self.interfaces[interface].optional
        return optional and not self.session.offers(interface)


@dataclass
class Lab:
    """One experiment: fresh processes, a fresh world.

    Attributes:
        setting: what all labs of the run share.
        test: name of the test that runs the experiment.
        tally: where counts go.
        world: what is known of the implementation.
        accounts: what devices told of their memory.
        sightings: which bytes were seen to be right.
        choices: what was chosen where the rules leave it free.
        steps: the calls so far.
        process: the process that calls where none is named.
    """

    setting: Setting
    test: str
    tally: Tally
    world: World = field(init=False)
    accounts: Accounts = field(init=False)
    sightings: Sightings = field(default_factory=Sightings)
    choices: Choices = field(default_factory=Choices)
    steps: list[TraceStep] = field(default_factory=list)
    process: int = 0
    outputs: dict[int, dict[str, Any]] = field(default_factory=dict)
    _naming: Naming = field(default_factory=Naming)
    _observing: bool = False
    _actors: dict[int, Actor] = field(default_factory=dict)
    _ended: set[int] = field(default_factory=set)
    _pids: dict[int, int] = field(default_factory=dict)
    _bereft: Bereft | None = None

    def __post_init__(self) -> None:
        """Start with the world before any call."""
        self.world = World.start(self.setting.devices, ())
        self.accounts = Accounts(self.setting.profile)

    def __enter__(self) -> Self:
        """Return the lab."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the processes."""
        self.close()

    def close(self) -> None:
        """End the processes of the experiment at once."""
        for actor in self._actors.values():
            actor.kill()
        self._actors.clear()

    @contextmanager
    def seat(self, process: int) -> Iterator[None]:
        """Let a process make the calls, and be looked at, where none is named."""
        before, self.process = self.process, process
        try:
            yield
        finally:
            self.process = before

    def has_ended(self, process: int) -> bool:
        """Tell whether a process was ended by a call of the experiment."""
        return process in self._ended

    def _meant(self, process: int | None) -> int:
        return self.process if process is None else process

    def view(self, process: int | None = None) -> State:
        """Return the state as a process sees it, or saw it when it ended."""
        process = self._meant(process)
        if process not in self._ended:
            self.actor(process)
        view: State = self.world.views[process]
        return view

    def views(self) -> list[State]:
        """Return the state as each process sees it that was started."""
        return list(self.world.views.values())

    def blocks(self, process: int | None = None) -> list[Block]:
        """Return the live blocks of a process, by address."""
        table: Any = self.view(process).blocks
        return list(table)

    def rope(self, block: Block, process: int | None = None) -> Rope:
        """Return what is known of a block's bytes."""
        contents: Any = self.view(process).contents
        rope: Rope = contents.rope(block.memory)
        return rope

    def actor(self, process: int | None = None) -> Actor:
        """Return the process with a number, started at its first use."""
        process = self._meant(process)
        if process not in self._actors and process not in self._ended:
            actor = self._actors[process] = self.setting.session.spawn()
            self._pids[process] = actor.pid
            self.world = self.world.joined(process, actor.pid, self.setting.devices)
            if self._bereft is not None:
                self._bereft = self._bereft.joined(process, actor.pid, self.setting.devices)
            self._naming.started(process, actor.pid)
        return self._actors[process]

    def pid(self, process: int | None = None) -> int:
        """Return the number that the operating system gave a process, which may have ended."""
        process = self._meant(process)
        return self._pids[process] if process in self._pids else self.actor(process).pid

    def given(self, numbers: Mapping[int, int]) -> Mapping[int, Any]:
        """Return what calls gave, by their numbers in a plan; call 0 gives the processes.

        Args:
            numbers: for each call of the plan its number here.
        """
        return Given(self, numbers)

    def end(self, process: int, *, killed: bool) -> Outcome:
        """End a process, by itself or by a signal, and return what that gave."""
        began = time.monotonic_ns()
        actor = self._actors.pop(process)
        self._ended.add(process)
        if killed:
            actor.kill()
        else:
            actor.close()
        return Answered(0, {}, began, time.monotonic_ns())

    @contextmanager
    def observing(self, process: int | None = None) -> Iterator[None]:
        """Mark copies as looks at memory, which do not answer for what they copy."""
        contents: Any = self.view(process).contents
        pen = contents.pen
        pen.observing = self._observing = True
        try:
            yield
        finally:
            pen.observing = self._observing = False

    def named(
        self, interface: str, args: Mapping[str, Any], process: int | None = None
    ) -> dict[str, Any]:
        """Return arguments with references in place of what earlier calls gave."""
        process = self._meant(process)
        return self._naming.named(self.setting.interfaces[interface], args, process)

    def prepared(
        self, interface: str, args: Mapping[str, Any], process: int | None = None
    ) -> Call | None:
        """Return the call, or None if it is not to be made.

        It is not specified here, the product may lack it, or nothing is promised about it.
        """
        process = self._meant(process)
        if interface not in self.setting.interfaces:
            return None
        if self.setting.may_lack(interface):
            self.tally.skip(interface)
            return None
        self.actor(process)
        call = self.setting.interfaces[interface].parse(args)
        oracle = self.setting.oracle
        if self._bereft and not self._bereft.promises(oracle, interface, call, process):
            self.tally.skip(interface)
            return None
        rule = oracle.undefined(interface, call, self.world, process)
        if rule is None and not self._is_endless(call, args) and not _has_vast_places(args):
            return call
        self.tally.skip(rule.id if rule is not None else interface)
        return None

    def _is_endless(self, call: Call, args: Mapping[str, Any]) -> bool:
        """Tell whether a call would be accepted and then go on for more rounds than is sensible."""
        if self.setting.oracle.rules(call.interface.name).refused_by_arguments(call):
            return False
        return any(
            role == "rounds" and _at(args, path) > MOST_ROUNDS
            for path, role in roles_of(type(call)).items()
        )

    def call(self, interface: str, process: int | None = None, **args: Any) -> Returned | None:
        """Make one call and have it judged.

        Returns:
            The result, or None if the call was not made: nothing is promised about it, or its
            area is not part of the run.

        Raises:
            Broken: the implementation broke a rule.
        """
        process = self._meant(process)
        if process in self._ended:
            return None
        args = plain(interface, args)
        call = self.prepared(interface, args, process)
        if call is None:
            return None
        number = len(self.steps) + 1
        if isinstance(call, HostExit):
            outcome = self.end(process, killed=call.how == KILLED)
        else:
            outcome = self.actor(process).call(Request(interface, dict(args), number))
        return self.take(call, args, outcome, process)

    def take(
        self, call: Call, args: Mapping[str, Any], outcome: Outcome, process: int | None = None
    ) -> Returned:
        """Judge what a call gave and write it down; the call was made by the caller.

        Raises:
            Broken: the implementation broke a rule.
        """
        process = self._meant(process)
        interface = call.interface
        number = len(self.steps) + 1
        written = self.named(interface.name, args, process)
        self.steps.append(
            TraceStep(
                number,
                interface.name,
                written,
                outcome,
                process,
                values=dict(args),
                observing=self._observing,
            )
        )
        if not isinstance(outcome, Answered):
            raise self._broken(self._no_answer(call, outcome, process), interface.name)
        result = result_of(call, outcome)
        oracle = self.setting.oracle
        if self._bereft is not None or met_a_loss(outcome):
            self._go_on(call, args, result, outcome, process)
            return result
        if failed_on_request(outcome):
            self.tally.excuse(interface.name)
            self.world = unfinished(oracle, self.world, call, process, number)
            return result
        judgement = oracle.judge(self.world, call, result, process=process, step=number)
        self.tally.add(interface.name, outcome.code, judgement, self.test)
        self.tally.rest(judgement.shown, outcome.stand_in)
        if judgement.violation is not None:
            raise self._broken(self._blamed(judgement.violation, process), interface.name)
        before = self.view(process)
        self._chosen(call, result, judgement, before, process)
        self._had_again(call, result, before)
        self.world = judgement.world
        self._swapped(call, result, before, process)
        self._seen(call, result, judgement.shown, before)
        if outcome.code == 0:
            self.learn(number, args, result, outcome.out, process)
            self._balance(call, result, before, process)
        return result

    def _go_on(
        self,
        call: Call,
        args: Mapping[str, Any],
        result: Returned,
        outcome: Answered,
        process: int,
    ) -> None:
        """Follow a call from the loss of a device on: it had to return, and did."""
        self.tally.excuse(call.interface.name)
        number = len(self.steps)
        bereft = self._bereft or Bereft(self.world, self.world)
        self._bereft = bereft.after(self.setting.oracle, call, result, process, number)
        self.world = self._bereft.at_least
        if outcome.code == 0:
            self.learn(number, args, result, outcome.out, process)

    def _chosen(
        self, call: Call, result: Returned, judgement: Judgement, before: State, process: int
    ) -> None:
        rules = self.setting.oracle.rules(call.interface.name)
        self.tally.chose(of_freedoms(rules, call, result, before, judgement))
        if result.code != 0 and judgement.held:
            self.tally.chose(of_codes(rules.holding(call, before), result.code))
        elif result.code == 0:
            self.tally.chose(self.choices.after(call, result, before, process))
            self.tally.chose(of_caches(call, result, self.accounts, self.views()))

    def _blamed(self, violation: Violation, process: int) -> Violation:
        if violation.wrong is None:
            return violation
        memory, byte = violation.wrong
        copies: Any = self.view(process).copies
        place = self.sightings.original(Place(memory, byte, byte + 1))
        pending = bool(len(copies))
        return self.sightings.blamed(violation, place, pending=pending)

    def _seen(self, call: Call, result: Returned, shown: Sequence[str], before: State) -> None:
        """Note what a call did to what is known of the bytes: looked at some, or made others."""
        interface = call.interface.name
        rules = self.setting.oracle.rules(interface)
        number = len(self.steps)
        if rules.observes and result.code == 0:
            for _, extent_of in rules.observes:
                memory, offset, length = extent_of(call, before, result)
                place = self.sightings.original(Place(memory, offset, offset + length))
                if self.sightings.looked(place, number):
                    self.tally.show((REFUSAL_HAS_NO_EFFECT.id,), self.test)
        elif self._observing and result.code == 0:
            copy: Any = call
            source, target = (before.blocks.covering(each) for each in (copy.src, copy.dst))
            start = copy.src - source.base
            length = copy.count if hasattr(copy, "count") else copy.byte_count
            place = Place(source.memory, start, start + length)
            self.sightings.mirrored(target.memory, copy.dst - target.base, place)
        elif not self._observing:
            accepts = [rule for rule, _, _ in rules.accepts]
            rule = None if result.code else accepting(shown, accepts)
            self.sightings.acted(Act(number, interface, rule))

    def _had_again(self, call: Call, result: Returned, before: State) -> None:
        known = self.accounts.had_again(call, result, before, self.views())
        if known is None:
            return
        rule = MEMORY_CAN_BE_HAD_AGAIN
        if result.code != 0 and not rule.function(*known):
            then, now = known
            allowed = f"success: an equal call succeeded with {then} bytes held, now {now} are"
            raise self.fail(rule, "account", allowed, "failure with DRV_ERROR_OUT_OF_MEMORY")
        if result.code == 0:
            self.tally.show((rule.id,), self.test)

    def _swapped(self, call: Call, result: Returned, before: State, process: int) -> None:
        room = self.accounts.room
        if result.code == 0 and room.exceeded(call, self.view(process)):
            self.tally.show((DEVICE_SWAPS.id,), self.test)
        known = room.lacking(call, result, before)
        if known is not None and not DEVICE_SWAPS.function(*known):
            left, used = known
            allowed = f"success: {left} bytes of the device are there for {used} managed bytes"
            raise self.fail(DEVICE_SWAPS, "account", allowed, "failure: out of memory")

    def _balance(self, call: Call, result: Returned, before: State, process: int) -> None:
        for balance in self.accounts.after(call, result, before, self.world.views, process):
            if not balance.holds:
                came = f"{balance.free} bytes free"
                raise self.fail(balance.rule, "account", balance.allowed, came)
            if balance.held:
                self.tally.show((balance.rule.id,), self.test)

    def learn(
        self,
        number: int,
        args: Mapping[str, Any],
        result: Returned,
        out: Mapping[str, Any],
        process: int | None = None,
    ) -> None:
        """Remember what a successful call gave, so that later calls can be written with it."""
        process = self._meant(process)
        self.outputs[number] = dict(out)
        self._naming.learn(number, args, result, out, process, self.world.views[process])

    def _no_answer(self, call: Call, outcome: Outcome, process: int) -> Violation:
        rules = self.setting.oracle.rules(call.interface.name)
        view = self.world.views[process]
        held = rules.holding(call, view)
        fitting = [
            rule for rule, when, _ in rules.accepts if when is None or when(call, view, None)
        ]
        expected = held[0] if held else fitting[0] if fitting else rules.accepts[0][0]
        allowed = "the call is refused" if held else "the call returns"
        shape, came = shape_of(outcome)
        return Violation(expected.id, Strength.MUST, shape, allowed, came)

    def _broken(self, violation: Violation, interface: str) -> Broken:
        return Broken(violation, interface, self.steps)

    def fail(self, rule: Rule, shape: str, allowed: str, came: str) -> Broken:
        """Return the failure of a rule that speaks of several calls."""
        violation = Violation(rule.id, rule.strength, shape, allowed, came)
        return self._broken(violation, self.steps[-1].interface)


MOST_ROUNDS = 1 << 16
"""Rounds (rows of a matrix) that a single call may take while testing."""


def _has_vast_places(args: Mapping[str, Any]) -> bool:
    """Tell whether a call passes places for answers that are larger than anybody makes them."""
    return any(size > PLACE_LIMIT for size in place_sizes(args))


def _at(args: Mapping[str, Any], path: str) -> int:
    value: Any = args
    for part in path.split("."):
        value = value.get(part, 0) if isinstance(value, Mapping) else 0
    return int(value or 0)
