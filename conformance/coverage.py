"""Which tests execute which blocks of the bundled libraries: the ones to ask about a mutant.

What was found out is kept on disk, as long as neither a library nor the suite changes.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

import msgspec

from halcert.adapters import bundled
from halcert.adapters.coverage import VARIABLE, Traced, block_of, traced
from halcert.adapters.mutation import BUNDLES
from halcert.conformance.activity import NOTHING, Activity, perform
from halcert.conformance.campaign import pool_of
from halcert.conformance.order import in_turn
from halcert.conformance.registry import adapter_named
from halcert.conformance.target import Target, setting_of
from halcert.spec.catalogue import rule
from halcert.spec.language import Strength

OF_MUTANTS = frozenset(
    {"coverage.py", "driver_mutants.py", "mutants.py", "mutation.py", "nearness.py", "reach.py"}
    | {"survivors.py", "survivors_rules.py", "survivors_sources.py"}
)
"""Files that are about mutants and take no part in a test."""
FORM = 3
"""Number of the form in which coverage is kept."""
SURE = frozenset({"scenario", "witness"})
"""Kinds of tests that make the same calls each time."""
FEW = 6
"""A rule that more tests show is asked about only if they take little time together."""
TOGETHER = 1.0
"""Seconds that the tests of a rule may take: so long it takes to see that none shows it."""
RULES_ASKED = 24
"""Rules that are asked about at most, those that fewest tests show first."""
LONG = 0.5
"""Seconds from which on a test takes long."""
ENDLESS = frozenset({"machine", "concurrent"})
"""Kinds of tests that go on for as long as they are told to."""


class Executed(msgspec.Struct, frozen=True):
    """What a test executes.

    Attributes:
        lines: for each file the lines at which the blocks begin that were executed.
        seconds: how long it takes.
        right: whether it finds nothing at fault with the library as it is.
        shown: rules that it shows to hold, if it makes the same calls each time.
    """

    lines: dict[str, tuple[int, ...]]
    seconds: float
    right: bool
    shown: tuple[str, ...] = ()


class Asked(msgspec.Struct, frozen=True):
    """What is asked about a line.

    Attributes:
        tests: numbers of the tests that execute it and have an end of their own, in the order that
            finds most early.
        machines: numbers of those that execute it and go on for as long as they are told to.
        alone: rules that a certificate needs and that only these tests show, with the numbers of
            those that do. Who spoils all of them is not certified, though no rule is broken.
    """

    tests: tuple[int, ...] = ()
    machines: tuple[int, ...] = ()
    alone: tuple[tuple[str, tuple[int, ...]], ...] = ()


class Coverage(msgspec.Struct, frozen=True, dict=True):
    """What tests execute of a library.

    Attributes:
        starts: for each file the lines at which blocks begin.
        tests: what each test executes.
        machines: numbers of the tests that go on for as long as they are told to.
    """

    starts: dict[str, list[int]]
    tests: tuple[Executed, ...]
    machines: frozenset[int]

    def asked(self, file: str, line: int | None, promising: Sequence[frozenset[int]] = ()) -> Asked:
        """Return what is asked about a line of a file.

        Without a line it is about everything in the file. Tests that execute the same blocks of
        the file are of one kind; each kind has its turn in each round, and the quicker ones come
        first. Promising ones take turns with those by which a certificate stands or falls, and come
        before all others. Those that take long come last: in the time of one of them dozens of
        others are made.

        Args:
            file: name of the file.
            line: the line; None for all lines.
            promising: numbers of tests that find more than others; those of each sort take turns.
        """
        start = 0 if line is None else block_of(self.starts, file, line)[1]
        quick: list[int] = []
        long: list[int] = []
        machines: list[int] = []
        for number in self._by_seconds:
            lines = self.tests[number].lines.get(file, ())
            if start in lines or (line is None and lines):
                endless, takes_long = number in self.machines, self.tests[number].seconds > LONG
                (machines if endless else long if takes_long else quick).append(number)
        alone = self._alone({*quick, *long})
        needed = [number for _, numbers in alone for number in numbers]
        sorts = [self._by_kinds([n for n in quick if n in sort], file) for sort in promising]
        rest = self._by_kinds(quick, file)
        own = [number for number in needed if self.tests[number].seconds <= LONG]
        ordered = dict.fromkeys((*in_turn([*sorts, own]), *rest, *needed, *long))
        return Asked(tuple(ordered), tuple(machines), alone)

    def _by_kinds(self, numbers: Sequence[int], file: str) -> list[int]:
        """Return tests with each kind in its turn."""
        kinds: dict[tuple[int, ...], list[int]] = {}
        for number in numbers:
            kinds.setdefault(self.tests[number].lines[file], []).append(number)
        return list(in_turn(kinds.values()))

    def _alone(self, tests: set[int]) -> tuple[tuple[str, tuple[int, ...]], ...]:
        found = [(rule, numbers) for rule, numbers in self._showing if tests.issuperset(numbers)]
        return tuple(found[:RULES_ASKED])

    @cached_property
    def _by_seconds(self) -> list[int]:
        right = [number for number, each in enumerate(self.tests) if each.right]
        return sorted(right, key=lambda number: self.tests[number].seconds)

    @cached_property
    def _showing(self) -> list[tuple[str, tuple[int, ...]]]:
        """Rules that a certificate needs, with the tests that show them, if these are soon made."""
        found: dict[str, list[int]] = {}
        for number, each in enumerate(self.tests):
            for name in each.shown:
                known = rule(name)
                if known is not None and known.strength is Strength.MUST:
                    found.setdefault(name, []).append(number)
        few = [(name, tuple(each)) for name, each in found.items() if self._soon_made(each)]
        return sorted(few, key=lambda each: len(each[1]))

    def _soon_made(self, tests: Sequence[int]) -> bool:
        return len(tests) <= FEW or sum(self.tests[n].seconds for n in tests) <= TOGETHER


def kept_coverage(target: Target, tests: Sequence[Activity], jobs: int) -> Coverage:
    """Return what tests execute of a bundled library, from the disk if nothing has changed.

    A survivor is answered by a scenario most of the time. So what scenarios execute is kept by
    itself: a change of them leaves what was found out of the other tests as it is.
    """
    flows = [number for number, each in enumerate(tests) if each.kind == "scenario"]
    others = [number for number, each in enumerate(tests) if each.kind != "scenario"]
    found = [Executed({}, 0.0, right=True)] * len(tests)
    starts: dict[str, list[int]] = {}
    for numbers, digest in ((flows, suite_digest()), (others, suite_digest(without="scenarios"))):
        part = _kept(target, [tests[number] for number in numbers], digest, jobs)
        starts = part.starts
        for number, executed in zip(numbers, part.tests, strict=True):
            found[number] = executed
    return Coverage(starts, tuple(found), _machines(tests))


def _kept(target: Target, tests: Sequence[Activity], digest: str, jobs: int) -> Coverage:
    asked = hashlib.sha256(digest.encode())
    asked.update(msgspec.json.encode((target, tests)))
    place = bundled.cache("coverage") / f"coverage-{FORM}-{asked.hexdigest()[:32]}.msgpack"
    try:
        return msgspec.msgpack.decode(place.read_bytes(), type=Coverage)
    except (OSError, msgspec.DecodeError):
        found = coverage_of(target, tests, jobs)
        with tempfile.NamedTemporaryFile(dir=place.parent, delete=False) as fresh:
            fresh.write(msgspec.msgpack.encode(found))
        Path(fresh.name).replace(place)
        return found


def suite_digest(without: str = "") -> str:
    """Return a digest of what tests do, and of the sources of the bundled libraries.

    Args:
        without: name of a folder that does not count.
    """
    root = bundled.HERE.parent
    digest = hashlib.sha256()
    for folder in ("spec", "model", "adapters", "conformance"):
        for path in sorted((root / folder).rglob("*.[pch]*")):
            counts = path.suffix in (".py", ".c", ".h") and path.name not in OF_MUTANTS
            if counts and path.parent.name != without:
                digest.update(path.relative_to(root).as_posix().encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:32]


def _machines(tests: Sequence[Activity]) -> frozenset[int]:
    return frozenset(number for number, each in enumerate(tests) if each.kind in ENDLESS)


def coverage_of(target: Target, tests: Sequence[Activity], jobs: int) -> Coverage:
    """Run tests on a build of a bundled library that notes what is executed.

    Args:
        target: the library; the name of its adapter tells which.
        tests: the tests.
        jobs: processes that work side by side.
    """
    with tempfile.TemporaryDirectory(prefix="halcert-traced-") as scratch, pool_of(jobs) as pool:
        build = traced(BUNDLES[f"soft{target.adapter}"], Path(scratch))
        parts = [list(tests[start::jobs]) for start in range(jobs)]
        futures = [pool.submit(_executed, target, build, part) for part in parts]
        found = [Executed({}, 0.0, right=True)] * len(tests)
        for start, future in enumerate(futures):
            found[start::jobs] = future.result()
    return Coverage(build.starts(), tuple(found), _machines(tests))


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
                lines = _by_file(build.executed(marks.read()))
                right = not done.failures and not done.trouble
                shown = sorted(done.tally.shown) if activity.kind in SURE else ()
                found.append(Executed(lines, done.seconds, right, tuple(shown)))
                marks.seek(0)
                marks.write(bytes(build.size))
                marks.flush()
    return found


def _by_file(blocks: Iterable[tuple[str, int]]) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for file, line in sorted(blocks):
        found.setdefault(file, []).append(line)
    return {file: tuple(lines) for file, lines in found.items()}
