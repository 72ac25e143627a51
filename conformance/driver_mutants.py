"""The suite against mutants of the software driver and runtime.

Which tests execute a line is found out first, on a build that keeps a record. A mutant is given to
those that execute its line until one finds something; what no test executes no test can find.
Machines are tests like the others here, with a turn for each area.
"""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import msgspec

from halcert.adapters import softacl
from halcert.adapters.errors import AdapterError
from halcert.adapters.mutation import BUNDLES, Change, Workshop
from halcert.adapters.protocol import Options
from halcert.adapters.reach import served
from halcert.conformance.activity import NOTHING, Activity
from halcert.conformance.campaign import LEAST, Campaign, Plan, directed, pool_of, turns
from halcert.conformance.coverage import Asked, Coverage, kept_coverage, suite_digest
from halcert.conformance.survivors import reason_for
from halcert.conformance.target import PATIENCE, Target
from halcert.conformance.witness import witness_activities
from halcert.spec.catalogue import AREAS, interfaces

KILLED = "killed"
SURVIVED = "survived"
UNSEEN = "not executed"
"""No test executes the line."""
TIMED_OUT = "timed out"
"""The time was up before every test had been made that has an end of its own."""
NO_MUTANT = "none"
"""It does not compile, or compiles to the code of the driver."""
NOT_SHOWN = "no longer shown by"
"""What stands in front of the tests where no rule was broken, but one that a certificate needs
could not be shown any more: the library is not certified."""
FOR_MACHINES = 0.3
"""Part of the time that is kept for machines, however many other tests there are."""
GLANCE = 0.1
"""Part of the time that a mutant has which was judged: most are killed at once or never."""
ENVIRONMENT: Mapping[str, Callable[[], dict[str, str]]] = {"acl": softacl.settings}
"""What a bundled library needs to be told, where it is loaded from a path."""


class MutantResult(msgspec.Struct, frozen=True):
    """What the suite made of a mutant.

    Attributes:
        id: file, line, column and what was changed.
        file: the file.
        fate: killed, survived, timed out, not executed, or none.
        rule: id of the rule that killed it.
        test: the test that did.
        seconds: seconds of testing until then.
        whole: seconds that it took altogether, with what it takes to compile it.
    """

    id: str
    file: str
    fate: str
    rule: str = ""
    test: str = ""
    seconds: float = 0.0
    whole: float = 0.0


class Trial(msgspec.Struct, frozen=True):
    """What a mutant is given to.

    Attributes:
        target: the library that is changed.
        tests: the tests that have an end of their own, in order.
        alone: rules that only these tests show, with the names of those that do.
        machines: turns of machines and concurrent runs, which share the time that is left.
    """

    target: Target
    tests: tuple[Activity, ...]
    alone: tuple[tuple[str, tuple[str, ...]], ...] = ()
    machines: tuple[Activity, ...] = ()


class Question(msgspec.Struct, frozen=True):
    """A mutant, and what is asked about it.

    Attributes:
        change: the mutant.
        asked: the numbers of tests, for each product.
    """

    change: Change
    asked: tuple[Asked, ...]


@dataclass(frozen=True)
class Inquiry:
    """What all mutants of a library have in common.

    Attributes:
        targets: the library, for each product.
        seed: seed of all choices.
        budget: seconds of testing for each mutant.
        folder: where libraries are built.
    """

    targets: tuple[Target, ...]
    seed: int
    budget: float
    folder: Path


def target_of(adapter: str, areas: Sequence[str], profile: str, devices: tuple[int, ...]) -> Target:
    """Return a bundled library as a target, for those of the areas that are about it."""
    own = tuple(name for name in areas if AREAS[name].library == adapter)
    environment = ENVIRONMENT[adapter]() if adapter in ENVIRONMENT else {}
    options = Options(environment=environment, call_timeout=PATIENCE)
    return Target(adapter, options, profile, own, devices)


def tests_of(target: Target, seed: int) -> list[Activity]:
    """Return all tests: the directed ones, then a turn of the machine for each area."""
    witnesses = witness_activities(target.areas, target.profile)
    return [*directed(target, seed, witnesses), *turns(target, seed, len(target.areas))]


def judge(change: Change, folder: Path, trials: Sequence[Trial], budget: float) -> MutantResult:
    """Build a mutant and run the tests against it, product by product, until one finds something.

    Args:
        change: the mutant.
        folder: where libraries are built.
        trials: what it is given to, for each product.
        budget: seconds of testing; each product has its share, and what others left.
    """
    began = time.monotonic()
    library = workshop_in(folder, change.bundle).built(change)
    if library is None:
        return MutantResult(change.id, change.file, NO_MUTANT, whole=time.monotonic() - began)
    result = MutantResult(change.id, change.file, UNSEEN)
    fates = []
    before = 0.0
    asked = [each for each in trials if each.tests or each.machines]
    try:
        for number, trial in enumerate(asked):
            share = (budget - before) / (len(asked) - number)
            result = _searched(change, library, trial, share)
            before += result.seconds
            fates.append(result.fate)
            if result.fate == KILLED:
                break
    finally:
        library.unlink(missing_ok=True)
    if result.fate != KILLED and TIMED_OUT in fates:
        result = MutantResult(change.id, change.file, TIMED_OUT)
    return msgspec.structs.replace(result, seconds=before, whole=time.monotonic() - began)


def workshop_in(folder: Path, bundle: str) -> Workshop:
    """Return the workshop for a library in a folder that several processes share."""
    return Workshop(BUNDLES[bundle], folder / bundle)


def _searched(change: Change, library: Path, trial: Trial, seconds: float) -> MutantResult:
    options = msgspec.structs.replace(trial.target.options, library=str(library))
    plan = Plan(budget=seconds, jobs=1, effort=NOTHING, stop_at_first=True, machines=False)
    campaign = Campaign(msgspec.structs.replace(trial.target, options=options), plan)
    try:
        campaign.run(_timed(trial, seconds))
    except AdapterError as error:
        return MutantResult(change.id, change.file, KILLED, test=f"start: {error}")
    before = 0.0
    for done in campaign.done:
        if done.failures or done.trouble:
            first = done.failures[0] if done.failures else None
            return MutantResult(
                change.id,
                change.file,
                KILLED,
                "" if first is None else first.rule,
                done.activity if first is not None else f"{done.activity}: {done.trouble}",
                before + (done.seconds if first is None else first.seconds),
            )
        before += done.seconds
    made = {done.activity for done in campaign.done}
    for rule, tests in trial.alone:
        if rule not in campaign.tally.shown and made.issuperset(tests):
            test = f"{NOT_SHOWN}: {', '.join(tests)}"
            return MutantResult(change.id, change.file, KILLED, rule, test, before)
    fate = SURVIVED if made.issuperset(each.name for each in trial.tests) else TIMED_OUT
    return MutantResult(change.id, change.file, fate, seconds=before)


def _timed(trial: Trial, seconds: float) -> Iterator[Activity]:
    """Iterate over tests while there is time for them, and share what is left among machines."""
    end = time.monotonic() + seconds
    until = end - FOR_MACHINES * seconds if trial.machines else end
    yield from takewhile(lambda _: time.monotonic() < until, trial.tests)
    for number, machine in enumerate(trial.machines):
        share = (end - time.monotonic()) / (len(trial.machines) - number)
        yield msgspec.structs.replace(machine, seconds=min(machine.seconds, max(LEAST, share)))


_tests: dict[tuple[str, str, int], list[Activity]] = {}
"""What this process has worked out already, by library, product and seed."""


def _known_tests(target: Target, seed: int) -> list[Activity]:
    key = target.adapter, target.profile, seed
    if key not in _tests:
        _tests[key] = tests_of(target, seed)
    return _tests[key]


def _answered(inquiry: Inquiry, question: Question) -> MutantResult:
    """Judge a mutant in a process of a pool, which gets no tests but their numbers."""
    trials = []
    for target, asked in zip(inquiry.targets, question.asked, strict=True):
        tests = _known_tests(target, inquiry.seed)
        alone = tuple(
            (rule, tuple(tests[n].name for n in numbers)) for rule, numbers in asked.alone
        )
        chosen = tuple(tests[number] for number in asked.tests)
        areas = Counter(each.area for each in chosen)
        machines = sorted((tests[n] for n in asked.machines), key=lambda each: -areas[each.area])
        trials.append(Trial(target, chosen, alone, tuple(machines)))
    judged = bool(reason_for(question.change.id))
    budget = inquiry.budget * (GLANCE if judged else 1)
    return judge(question.change, inquiry.folder, trials, budget)


def digest_of(areas: Sequence[str], profiles: Sequence[str], seed: int, budget: float) -> str:
    """Return a digest of what decides the fate of mutants."""
    asked = repr((suite_digest(), tuple(areas), tuple(profiles), seed, budget))
    return hashlib.sha256(asked.encode()).hexdigest()[:32]


def judge_all(
    found: Mapping[str, Sequence[Change]],
    areas: Sequence[str],
    devices: tuple[int, ...],
    *,
    profiles: Sequence[str],
    seed: int,
    budget: float,
    jobs: int,
    begin: Callable[[str], None],
) -> Iterator[MutantResult]:
    """Judge mutants, several at a time; results come in the order in which they are there.

    Args:
        found: the mutants of each bundled library, by the name of its folder.
        areas: names of the areas whose tests are run.
        devices: ids of the devices that are present.
        profiles: names of the products whose tests are run.
        seed: seed of all choices.
        budget: seconds of testing for each mutant.
        jobs: processes that work side by side.
        begin: called with what is about to be done.
    """
    for adapter in dict.fromkeys(AREAS[name].library for name in areas):
        changes = found.get(f"soft{adapter}", ())
        if not changes:
            continue
        targets = tuple(target_of(adapter, areas, each, devices) for each in profiles)
        with tempfile.TemporaryDirectory(prefix="halcert-mutants-") as scratch:
            inquiry = Inquiry(targets, seed, budget, Path(scratch))
            workshop_in(inquiry.folder, f"soft{adapter}").prepare(jobs)
            coverages = []
            for target in targets:
                begin(f"what tests execute of soft{adapter} as {target.profile}")
                coverages.append(kept_coverage(target, tests_of(target, seed), jobs))
            begin(f"mutants of soft{adapter}")
            promising = Promising(f"soft{adapter}", [tests_of(each, seed) for each in targets])
            questions = [Question(each, _asked(each, coverages, promising)) for each in changes]
            yield from _in_processes(inquiry, questions, jobs)


class Promising:
    """Tests that find more about a function than others.

    Witnesses whose last call comes to it look at what it does, and flows at what it leaves.
    """

    def __init__(self, bundle: str, tests: Sequence[Sequence[Activity]]) -> None:
        """Take the name of a library, and the tests for each product."""
        self._serves = served(BUNDLES[bundle], interfaces())
        self._flows = [_numbers(own, lambda each: each.kind == "scenario") for own in tests]
        self._tests = tests

    def of(self, change: Change) -> list[tuple[frozenset[int], ...]]:
        """Return the numbers of the tests of both sorts, for each product."""
        place = Path(change.file).name, change.within
        names = self._serves.get(place, frozenset())
        about = [
            _numbers(own, lambda each: bool(each.steps) and each.steps[-1].interface in names)
            for own in self._tests
        ]
        return list(zip(about, self._flows, strict=True))


def _numbers(tests: Sequence[Activity], fits: Callable[[Activity], bool]) -> frozenset[int]:
    return frozenset(number for number, each in enumerate(tests) if fits(each))


def _asked(
    change: Change, coverages: Sequence[Coverage], promising: Promising
) -> tuple[Asked, ...]:
    """Return what is asked about a mutant, for each product."""
    line = change.line if change.runs else None
    file = Path(change.file).name
    pairs = zip(coverages, promising.of(change), strict=True)
    return tuple(each.asked(file, line, sorts) for each, sorts in pairs)


def _in_processes(
    inquiry: Inquiry, questions: Sequence[Question], jobs: int
) -> Iterator[MutantResult]:
    """Ask the questions in processes; those that took a process with them are not asked again."""
    left = list(questions)
    while left:
        pool = pool_of(jobs)
        try:
            pending = {pool.submit(_answered, inquiry, each): each for each in left}
            left = []
            for future in as_completed(pending):
                try:
                    yield future.result()
                except BrokenProcessPool:
                    left.append(pending[future])
        finally:
            # On Ctrl-C hundreds are waiting still.
            pool.shutdown(wait=True, cancel_futures=True)
        # The pool takes them in order, so the first ones were under way.
        left.sort(key=questions.index)
        for lost in left[:jobs]:
            yield MutantResult(lost.change.id, lost.change.file, TIMED_OUT)
        left = left[jobs:]
