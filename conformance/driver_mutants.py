"""The suite against mutants of the software driver: which does it kill, by which rule, how fast?"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import msgspec

from halcert.adapters.errors import AdapterError
from halcert.adapters.softhal.mutation import Change, Workshop
from halcert.conformance.activity import Activity
from halcert.conformance.campaign import Campaign, Plan, Target, directed, pool_of
from halcert.conformance.faults import QUICK
from halcert.conformance.witness import witness_activities

KILLED = "killed"
SURVIVED = "survived"
TIMED_OUT = "timed out"
"""The time was up before every test had been made."""
NO_MUTANT = "none"
"""It does not compile, or compiles to the code of the driver."""


class MutantResult(msgspec.Struct, frozen=True):
    """What the suite made of a mutant.

    Attributes:
        id: file, line, column and what was changed.
        file: the file.
        fate: killed, survived, timed out, or none.
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


def judge(
    change: Change,
    folder: Path,
    target: Target,
    seed: int,
    budget: float,
    activities: Sequence[Activity],
) -> MutantResult:
    """Build a mutant and run the suite against it until something is found."""
    library = _workshop(folder).built(change)
    if library is None:
        return MutantResult(change.id, change.file, NO_MUTANT)
    try:
        return _searched(change, library, target, seed, budget, activities)
    finally:
        library.unlink(missing_ok=True)


_workshops: dict[Path, Workshop] = {}


def _workshop(folder: Path) -> Workshop:
    """Return the workshop of this process; its objects are compiled once."""
    if folder not in _workshops:
        _workshops[folder] = Workshop(Path(tempfile.mkdtemp(dir=folder)))
    return _workshops[folder]


def _searched(
    change: Change,
    library: Path,
    target: Target,
    seed: int,
    budget: float,
    activities: Sequence[Activity],
) -> MutantResult:
    options = msgspec.structs.replace(target.options, library=str(library))
    plan = Plan(seed=seed, budget=budget, jobs=1, effort=QUICK, stop_at_first=True)
    campaign = Campaign(msgspec.structs.replace(target, options=options), plan)
    try:
        campaign.run(activities)
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
    fate = SURVIVED if len(campaign.done) >= len(activities) else TIMED_OUT
    return MutantResult(change.id, change.file, fate, seconds=before)


def judge_all(
    found: Iterable[Change],
    target: Target,
    *,
    seed: int,
    budget: float,
    jobs: int,
    told: Callable[[MutantResult], None],
) -> list[MutantResult]:
    """Judge mutants, several at a time, and tell each result as it comes."""
    activities = directed(target, seed, witness_activities(target.areas, target.profile))
    results = []
    with tempfile.TemporaryDirectory(prefix="halcert-mutants-") as scratch, pool_of(jobs) as pool:
        folder = Path(scratch)
        pending = {
            pool.submit(judge, each, folder, target, seed, budget, activities): each
            for each in found
        }
        for future in as_completed(pending):
            change = pending[future]
            try:
                result = future.result()
            except BrokenProcessPool:
                result = MutantResult(change.id, change.file, TIMED_OUT)
            results.append(result)
            told(result)
    return results
