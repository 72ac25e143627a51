"""A campaign: all activities of a run, done in parallel within a budget of time.

Activities run in worker processes of ours, each with a session of its own with the
implementation. What an activity finds is known to those that start later, so that one cause is
one finding.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from itertools import chain
from multiprocessing import forkserver
from multiprocessing.util import Finalize
from typing import Any, NoReturn

import msgspec

from halcert.adapters.errors import AdapterError
from halcert.adapters.lifeline import end_with
from halcert.conformance.activity import Activity, Cause, Done, Effort, perform
from halcert.conformance.experiments import EXPERIMENTS
from halcert.conformance.lab import Setting
from halcert.conformance.order import in_turn, spread
from halcert.conformance.registry import adapter_named
from halcert.conformance.scenarios import SCENARIOS
from halcert.conformance.shares import Fair
from halcert.conformance.tally import Tally
from halcert.conformance.target import Target, setting_of
from halcert.conformance.witness import Named
from halcert.results import CutShort

GRACE = 3.0
"""Seconds in which activities that were ended may hand over what they have found."""
LEAST = 0.5
"""Seconds under which a turn is not worth starting."""
EARLY = 16
"""Flows of an area that come before the witnesses: short ones that find most faults at once."""
CONCURRENT = 2.0
"""Seconds of concurrent runs."""
SLICE = 4.0
"""Seconds of one turn of a machine; between turns the machines learn what is known."""
LIVES = 3
"""How often processes of ours may be killed before the campaign is given up."""


class Plan(msgspec.Struct, frozen=True):
    """How much to do.

    Attributes:
        seed: seed of all choices.
        budget: seconds for the whole campaign.
        jobs: number of processes of ours.
        effort: how much to do about each failure.
        stop_at_first: end as soon as something was found.
        machines: run the machines after the directed tests until the budget is used.
        weights: how much of the time each area gets; empty for tests in the order that finds
            most early, and machines by turns.
    """

    seed: int = 0
    budget: float = 40.0
    jobs: int = 1
    effort: Effort = Effort()
    stop_at_first: bool = False
    machines: bool = True
    weights: dict[str, float] = {}


def directed(target: Target, seed: int, witnesses: Sequence[Named]) -> list[Activity]:
    """Return the activities that have an end of their own, in the order that finds most early.

    Args:
        target: what is tested.
        seed: seed of the run.
        witnesses: the witnesses.
    """
    early: list[list[Activity]] = []
    late: list[list[Activity]] = []
    threads: list[Activity] = []
    for area in target.areas:
        flows = [
            Activity(f"scenario[{name}]", "scenario", area, seed)
            for name, scenario in SCENARIOS.items()
            if scenario.area == area
        ]
        early.append(flows[:EARLY])
        late.append(flows[EARLY:])
        threads += [
            Activity(f"concurrent[{name}]", "concurrent", area, seed, seconds=CONCURRENT)
            for name, experiment in EXPERIMENTS.items()
            if experiment.area == area
        ]
    rules: list[Activity] = []
    boundaries: list[Activity] = []
    for name, steps, side in witnesses:
        # The first witness of a rule shows it; further ones have a number and try its edges.
        group = boundaries if ":" in name else rules
        area = name.partition("-")[0].lower()
        made = Activity(f"witness[{name}]", "witness", area, seed, steps=steps, side=side)
        group.append(made)
    return [*in_turn(early), *spread(list(in_turn(late)), rules), *threads, *boundaries]


def turns(target: Target, seed: int, count: int) -> Iterator[Activity]:
    """Return the turns of the machines, one area after the other."""
    yield from (turn(target, seed, number) for number in range(count))


def turn(target: Target, seed: int, number: int) -> Activity:
    """Return the turn of the machines with a number."""
    area = target.areas[number % len(target.areas)]
    return Activity(f"machine[{number}]", "machine", area, seed * 10_007 + number, SLICE)


_here: dict[str, Any] = {}


def _set_up(main_process: int) -> None:
    """Prepare a process of ours: leave interrupts to the main one, and end when that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGUSR1, _hand_over)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    end_with(main_process)
    Finalize(None, _tear_down, exitpriority=1)


def pool_of(jobs: int) -> ProcessPoolExecutor:
    """Return processes of ours, each of which holds a session while it has work."""
    context = multiprocessing.get_context("forkserver")
    # Imported once in the process that all of them are forked from, not again in each.
    context.set_forkserver_preload([__name__, "halcert.conformance.machine"])
    _start_server()
    return ProcessPoolExecutor(
        jobs, mp_context=context, initializer=_set_up, initargs=(os.getpid(),)
    )


def _start_server() -> None:
    """Start the process that others are forked from, where Python finds nothing to import.

    It looks for modules where it is started before all other places, so in a checkout it would
    take that for halcert, whichever is installed. Those that are forked go to where this one is.
    """
    here = os.open(".", os.O_RDONLY)
    os.chdir(os.sep)
    try:
        forkserver.ensure_running()
    finally:
        os.fchdir(here)
        os.close(here)


def end_all(pool: ProcessPoolExecutor) -> None:
    """End what the processes of a pool have under way; they hand over what they have found."""
    for process in list((getattr(pool, "_processes", None) or {}).values()):
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGUSR1)


class Ended(BaseException):
    """The parent ends this process."""


def _hand_over(*_: object) -> None:
    """Answer SIGUSR1, which comes on Ctrl-C: what is under way ends and hands over its findings.

    Who has nothing to do goes on waiting, since a process that leaves a pool takes the results
    of the others with it.
    """
    if _here.get("busy"):
        _here["busy"] = False
        raise Ended


def _end(*_: object) -> None:
    """Answer SIGTERM, which comes when another process of the pool, or the main one, has gone."""
    _here["leaving"] = True
    if not _here.get("busy"):
        _leave()
    _here["busy"] = False
    raise Ended


def _leave() -> NoReturn:
    try:
        _tear_down()
    finally:
        os._exit(1)


def _setting(target: Target) -> Setting:
    if _here.get("target") != target:
        _tear_down()
        session = adapter_named(target.adapter).open(target.profile, target.options)
        _here.update(target=target, session=session, setting=setting_of(target, session))
    setting: Setting = _here["setting"]
    return setting


def _tear_down() -> None:
    session = _here.pop("session", None)
    _here.pop("target", None)
    _here.pop("setting", None)
    if session is not None:
        session.close()


def _perform(target: Target, activity: Activity, known: set[Cause], effort: Effort) -> Done:
    try:
        setting = _setting(target)
        _here["busy"] = True
        done = perform(setting, activity, known, effort)
    except AdapterError as error:
        return Done(activity.name, Tally(), (), 0.0, str(error))
    except Ended:
        _leave()
    finally:
        _here["busy"] = False
    if _here.get("leaving"):
        _leave()
    return done


class Campaign:
    """The activities of one run and what they gave.

    Attributes:
        target: what is tested.
        plan: how much to do.
        done: what activities gave, in the order in which they ended.
        tally: the sum of their counts.
        stopped: why activities were left out; None if none were.
    """

    def __init__(self, target: Target, plan: Plan) -> None:
        """Prepare a campaign; nothing runs yet."""
        self.target = target
        self.plan = plan
        self.done: list[Done] = []
        self.tally = Tally()
        self.stopped: CutShort | None = None
        self._known: set[Cause] = set()
        self._deadline = 0.0
        self._fair = Fair(plan.weights) if plan.weights else None

    def run(
        self,
        activities: Iterable[Activity],
        begin: Callable[[Activity], None] = lambda _: None,
        end: Callable[[Activity, Done], None] = lambda _, __: None,
    ) -> None:
        """Do the activities, then turns of the machines until the budget is used.

        Args:
            activities: the directed ones; the next is asked for when there is time for it.
            begin: called when an activity starts.
            end: called when an activity has ended.

        Raises:
            KeyboardInterrupt: the user has had enough; what was found so far is kept.
        """
        self._deadline = time.monotonic() + self.plan.budget
        queue = self._queue(activities)
        try:
            if self.plan.jobs <= 1:
                self._alone(queue, begin, end)
            else:
                self._side_by_side(queue, begin, end)
        finally:
            _tear_down()

    def without_machines(self) -> None:
        """Leave the machines out: they were not selected."""
        self.plan = msgspec.structs.replace(self.plan, machines=False)

    def _queue(self, activities: Iterable[Activity]) -> Iterator[Activity]:
        for activity in activities if self._fair is None else self._fair.ordered(activities):
            if time.monotonic() > self._deadline:
                self.stopped = CutShort.BUDGET
                return
            yield activity
        if self.plan.machines:
            for activity in self._turns():
                left = self._deadline - time.monotonic()
                if left < LEAST:
                    return
                yield msgspec.structs.replace(activity, seconds=min(SLICE, left))

    def _turns(self) -> Iterator[Activity]:
        target, seed = self.target, self.plan.seed
        if self._fair is None:
            return turns(target, seed, 100_000)
        return self._fair.turns(lambda number: turn(target, seed, number), target.areas)

    def _over(self) -> bool:
        return self.plan.stop_at_first and any(done.failures for done in self.done)

    def _alone(self, queue: Iterator[Activity], begin: Any, end: Any) -> None:
        for activity in queue:
            begin(activity)
            done = _perform(self.target, activity, self._known, self.plan.effort)
            self._took(done, activity, end)
            if done.cut:
                raise KeyboardInterrupt
            if self._over():
                return

    def _side_by_side(self, queue: Iterator[Activity], begin: Any, end: Any) -> None:
        pool = self._pool()
        running: dict[Future[Done], Activity] = {}
        try:
            for lives in range(LIVES, 0, -1):
                if self._until_broken(pool, queue, running, begin, end):
                    return
                lost = list(running.values())
                running.clear()
                pool.shutdown(wait=False)
                names = " or ".join(each.name for each in lost)
                trouble = f"a process of the suite was killed during {names}"
                self._took(Done(lost[0].name, Tally(), (), 0.0, trouble), lost[0], end)
                if lives > 1:
                    queue, pool = chain(lost[1:], queue), self._pool()
            self.stopped = CutShort.KILLED
        except KeyboardInterrupt:
            end_all(pool)
            self._take_what_is_left(running, end)
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _take_what_is_left(self, running: dict[Future[Done], Activity], end: Any) -> None:
        """Take what activities had found when they were ended."""
        finished, _ = wait(running, timeout=GRACE)
        for future in finished:
            if not future.cancelled() and future.exception() is None:
                self._took(future.result(), running[future], end)

    def _pool(self) -> ProcessPoolExecutor:
        return pool_of(self.plan.jobs)

    def _until_broken(
        self,
        pool: ProcessPoolExecutor,
        queue: Iterator[Activity],
        running: dict[Future[Done], Activity],
        begin: Any,
        end: Any,
    ) -> bool:
        """Do activities side by side; return false when a process was killed."""
        while True:
            while len(running) < self.plan.jobs and not self._over():
                activity = next(queue, None)
                if activity is None:
                    break
                begin(activity)
                running[self._submitted(pool, activity)] = activity
            if not running:
                return True
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            whole = [each for each in finished if not _killed(each)]
            for future in whole:
                self._took(future.result(), running.pop(future), end)
            if len(whole) < len(finished):
                return False

    def _submitted(self, pool: ProcessPoolExecutor, activity: Activity) -> Future[Done]:
        known, effort = set(self._known), self.plan.effort
        try:
            return pool.submit(_perform, self.target, activity, known, effort)
        except BrokenProcessPool as error:
            lost: Future[Done] = Future()
            lost.set_exception(error)
            return lost

    def _took(self, done: Done, activity: Activity, end: Any) -> None:
        self.done.append(done)
        self.tally.merge(done.tally)
        self._known.update(failure.cause for failure in done.failures)
        if self._fair is not None:
            self._fair.ended(activity, done.seconds)
        end(activity, done)


def _killed(future: Future[Done]) -> bool:
    return isinstance(future.exception(), BrokenProcessPool)
