"""The suite against mutants of the software driver and runtime.

Which tests execute a line is found out first, on a build that keeps a record. A mutant is given to
those that execute its line, the quickest first, until one finds something; what no test executes
no test can find.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import msgspec

from halcert.adapters import softacl
from halcert.adapters.errors import AdapterError
from halcert.adapters.mutation import BUNDLES, Change, Workshop
from halcert.adapters.protocol import Options
from halcert.conformance.activity import Activity
from halcert.conformance.campaign import Campaign, Plan, directed, pool_of
from halcert.conformance.coverage import Coverage, coverage_of
from halcert.conformance.faults import QUICK
from halcert.conformance.target import Target
from halcert.conformance.witness import witness_activities
from halcert.spec.catalogue import AREAS

KILLED = "killed"
SURVIVED = "survived"
UNSEEN = "not executed"
"""No test executes the line."""
TIMED_OUT = "timed out"
"""The time was up before every test had been made."""
NO_MUTANT = "none"
"""It does not compile, or compiles to the code of the driver."""
PATIENCE = 3.0
"""Seconds after which a call counts as hung; none of the right driver takes a tenth of it."""
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
    """

    id: str
    file: str
    fate: str
    rule: str = ""
    test: str = ""
    seconds: float = 0.0


class Trial(msgspec.Struct, frozen=True):
    """What a mutant is given to.

    Attributes:
        target: the library that is changed.
        tests: the tests, in order.
        seed: seed of all choices.
        budget: seconds for each mutant.
    """

    target: Target
    tests: tuple[Activity, ...]
    seed: int
    budget: float


def target_of(adapter: str, areas: Sequence[str], profile: str, devices: tuple[int, ...]) -> Target:
    """Return a bundled library as a target, for those of the areas that are about it."""
    own = tuple(name for name in areas if AREAS[name].library == adapter)
    environment = ENVIRONMENT[adapter]() if adapter in ENVIRONMENT else {}
    options = Options(environment=environment, call_timeout=PATIENCE)
    return Target(adapter, options, profile, own, devices)


def judge(change: Change, folder: Path, trials: Sequence[Trial]) -> MutantResult:
    """Build a mutant and run the tests against it, product by product, until one finds something.

    Args:
        change: the mutant.
        folder: where libraries are built.
        trials: what it is given to, for each product.
    """
    library = _workshop(folder, change.bundle).built(change)
    if library is None:
        return MutantResult(change.id, change.file, NO_MUTANT)
    result = MutantResult(change.id, change.file, UNSEEN)
    before = 0.0
    try:
        for trial in trials:
            if trial.tests and before < trial.budget:
                result = _searched(change, library, trial)
                before += result.seconds
                if result.fate == KILLED:
                    break
    finally:
        library.unlink(missing_ok=True)
    return msgspec.structs.replace(result, seconds=before)


_workshops: dict[tuple[Path, str], Workshop] = {}


def _workshop(folder: Path, bundle: str) -> Workshop:
    """Return the workshop of this process for a library; its objects are compiled once."""
    key = folder, bundle
    if key not in _workshops:
        _workshops[key] = Workshop(BUNDLES[bundle], Path(tempfile.mkdtemp(dir=folder)))
    return _workshops[key]


def _searched(change: Change, library: Path, trial: Trial) -> MutantResult:
    options = msgspec.structs.replace(trial.target.options, library=str(library))
    plan = Plan(
        seed=trial.seed,
        budget=trial.budget,
        jobs=1,
        effort=QUICK,
        stop_at_first=True,
        machines=False,
    )
    campaign = Campaign(msgspec.structs.replace(trial.target, options=options), plan)
    try:
        campaign.run(trial.tests)
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
                done.activity,
                before + (done.seconds if first is None else first.seconds),
            )
        before += done.seconds
    fate = SURVIVED if len(campaign.done) >= len(trial.tests) else TIMED_OUT
    return MutantResult(change.id, change.file, fate, seconds=before)


class Judges:
    """The suite, and what it executes of a library."""

    def __init__(self, target: Target, *, seed: int, budget: float, jobs: int) -> None:
        """Run the suite once on the library as it is, to see what it executes."""
        witnesses = witness_activities(target.areas, target.profile)
        self._target, self._seed, self._budget = target, seed, budget
        self._tests = directed(target, seed, witnesses)
        self._coverage: Coverage = coverage_of(target, self._tests, jobs)

    def trial(self, change: Change) -> Trial:
        """Return what a mutant is given to: the tests that execute its line."""
        numbers = self._coverage.tests_of(Path(change.file).name, change.line)
        tests = tuple(self._tests[number] for number in numbers)
        return Trial(self._target, tests, self._seed, self._budget)


def judge_all(
    found: Mapping[str, Sequence[Change]],
    areas: Sequence[str],
    devices: tuple[int, ...],
    *,
    profiles: Sequence[str],
    seed: int,
    budget: float,
    jobs: int,
    told: Callable[[MutantResult], None],
) -> Iterator[MutantResult]:
    """Judge mutants, several at a time; each result is told as it comes.

    Args:
        found: the mutants of each bundled library, by the name of its folder.
        areas: names of the areas whose tests are run.
        devices: ids of the devices that are present.
        profiles: names of the products whose tests are run.
        seed: seed of all choices.
        budget: seconds for each mutant.
        jobs: processes that work side by side.
        told: called with each result.
    """
    for adapter in dict.fromkeys(AREAS[name].library for name in areas):
        changes = found.get(f"soft{adapter}", ())
        if not changes:
            continue
        judges = [
            Judges(target_of(adapter, areas, each, devices), seed=seed, budget=budget, jobs=jobs)
            for each in profiles
        ]
        with (
            tempfile.TemporaryDirectory(prefix="halcert-mutants-") as scratch,
            pool_of(jobs) as pool,
        ):
            pending = {
                pool.submit(judge, each, Path(scratch), [j.trial(each) for j in judges]): each
                for each in changes
            }
            for future in as_completed(pending):
                change = pending[future]
                try:
                    result = future.result()
                except BrokenProcessPool:
                    result = MutantResult(change.id, change.file, TIMED_OUT)
                told(result)
                yield result
