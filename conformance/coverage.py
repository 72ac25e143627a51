"""Which tests execute which blocks of the bundled libraries: the ones to ask about a mutant."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from halcert.adapters.coverage import VARIABLE, Traced, block_of, traced
from halcert.adapters.mutation import BUNDLES
from halcert.conformance.activity import Activity, Effort, perform
from halcert.conformance.campaign import pool_of
from halcert.conformance.registry import adapter_named
from halcert.conformance.target import Target, setting_of

NOTHING = Effort(shrink=0.0, reduce=0.0, repetitions=0)
Blocks = frozenset[tuple[str, int]]


class Executed(msgspec.Struct, frozen=True):
    """What a test executes.

    Attributes:
        blocks: where the blocks begin: file and line.
        seconds: how long it takes.
    """

    blocks: Blocks
    seconds: float


@dataclass(frozen=True)
class Coverage:
    """What tests execute of a library.

    Attributes:
        starts: for each file the lines at which blocks begin.
        tests: for each block the numbers of the tests that execute it, the quickest first.
    """

    starts: Mapping[str, list[int]]
    tests: Mapping[tuple[str, int], tuple[int, ...]]

    def tests_of(self, file: str, line: int) -> tuple[int, ...]:
        """Return the tests that execute a line of a file, the quickest first."""
        return self.tests.get(block_of(self.starts, file, line), ())


def coverage_of(target: Target, activities: Sequence[Activity], jobs: int) -> Coverage:
    """Run tests on a build of a bundled library that notes what is executed.

    Args:
        target: the library; the name of its adapter tells which.
        activities: the tests.
        jobs: processes that work side by side.
    """
    with tempfile.TemporaryDirectory(prefix="halcert-traced-") as scratch, pool_of(jobs) as pool:
        build = traced(BUNDLES[f"soft{target.adapter}"], Path(scratch))
        parts = [list(activities[start::jobs]) for start in range(jobs)]
        futures = [pool.submit(_executed, target, build, part) for part in parts]
        found: list[Executed] = [Executed(frozenset(), 0.0)] * len(activities)
        for start, future in enumerate(futures):
            found[start::jobs] = future.result()
    return Coverage(build.starts(), _by_block(found))


def _by_block(found: Sequence[Executed]) -> dict[tuple[str, int], tuple[int, ...]]:
    by_block: dict[tuple[str, int], list[int]] = {}
    for number in sorted(range(len(found)), key=lambda each: found[each].seconds):
        for block in found[number].blocks:
            by_block.setdefault(block, []).append(number)
    return {block: tuple(numbers) for block, numbers in by_block.items()}


def _executed(target: Target, build: Traced, part: Sequence[Activity]) -> list[Executed]:
    """Run some tests in this process."""
    found = []
    with tempfile.NamedTemporaryFile(prefix="halcert-marks-") as marks:
        marks.truncate(build.size)
        environment = {**target.options.environment, VARIABLE: marks.name}
        options = msgspec.structs.replace(
            target.options, library=str(build.library), environment=environment
        )
        with adapter_named(target.adapter).open(target.profile, options) as session:
            setting = setting_of(target, session)
            for activity in part:
                done = perform(setting, activity, set(), NOTHING)
                marks.seek(0)
                found.append(Executed(build.executed(marks.read()), done.seconds))
                marks.seek(0)
                marks.write(bytes(build.size))
                marks.flush()
    return found
