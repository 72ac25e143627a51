"""A whole proof run: which pieces of work there are, and doing them on several cores."""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed

import msgspec

from halcert.model.proofs.conclusions import conclusions
from halcert.model.proofs.records import Findings, Record
from halcert.model.proofs.search import DEPTH
from halcert.model.proofs.settled import carry_out, forget_old, known
from halcert.model.proofs.situation import ROWS
from halcert.model.proofs.work import INTERFACE, SEARCH, THEOREMS, Recall, Task
from halcert.spec.catalogue import interfaces
from halcert.spec.language import Interface, Rule
from halcert.spec.profiles import PROFILES, Profile

RULES_OF_A_SEARCH = 110
"""How many rules one search is for, unless an interface has more."""


def representatives() -> tuple[Profile, ...]:
    """Return one product for each set of rules: products that differ in name only share proofs."""
    found: dict[tuple[object, ...], Profile] = {}
    for profile in PROFILES.values():
        facts = tuple(
            getattr(profile, name)
            for name in profile.__dataclass_fields__
            if name not in ("name", "title")
        )
        ids = tuple(
            rule.id
            for interface in interfaces().values()
            for rule in interface.rules
            if rule.applies_to(profile.name)
        )
        found.setdefault((facts, ids), profile)
    return tuple(found.values())


def represented_by(name: str) -> Profile:
    """Return the product whose proofs hold for a product."""
    asked = PROFILES[name]
    for each in representatives():
        if each.generation == asked.generation and _same_rules(each, asked):
            return each
    return asked


def _same_rules(one: Profile, other: Profile) -> bool:
    rules: Iterable[Rule] = (r for i in interfaces().values() for r in i.rules)
    return all(rule.applies_to(one.name) == rule.applies_to(other.name) for rule in rules)


def tasks(
    areas: tuple[str, ...],
    *,
    rows: int,
    seed: int = 0,
    only: str = "",
    second: bool = False,
    depth: int = DEPTH,
    smt: str = "",
    recall: Recall = Recall.WITNESSES,
) -> tuple[Task, ...]:
    """Return the pieces of work of a run, the longest ones first."""
    profiles = representatives()
    found: list[Task] = []
    if not only:
        found = [
            Task(THEOREMS, p.name, (area,), rows=rows, second=second)
            for area in areas
            for p in profiles
        ]
    for profile in profiles:
        found += searches(profile, areas, rows=rows, only=only)
    subjects = [
        name
        for name, interface in _own(areas).items()
        if not only or any(rule.id == only for rule in interface.rules)
    ]
    first, *rest = (each.name for each in profiles)
    found += [
        Task(INTERFACE, first, areas, (name,), rows, seed, second=second, also=tuple(rest))
        for name in subjects
    ]
    return tuple(
        msgspec.structs.replace(each, depth=depth, smt=smt, recall=recall) for each in found
    )


def _own(areas: tuple[str, ...]) -> dict[str, Interface]:
    """Return the interfaces of areas without those that they borrow."""
    return {name: each for name, each in interfaces(areas).items() if each.area in areas}


def searches(
    profile: Profile, areas: tuple[str, ...], *, rows: int = ROWS, only: str = ""
) -> list[Task]:
    """Return the searches for the witnesses of a product, each for a few interfaces.

    The words that several interfaces need are made in each search anew; that is little as long
    as a search is for some dozens of rules, and keeps every core busy.
    """
    groups: list[list[str]] = []
    room, area = 0, ""
    for name, interface in _own(areas).items():
        if interface.area != area:
            room, area = 0, interface.area
        rules = [r for r in interface.rules if r.applies_to(profile.name) and only in ("", r.id)]
        if not rules:
            continue
        if len(rules) > room:
            groups.append([])
            room = RULES_OF_A_SEARCH
        groups[-1].append(name)
        room -= len(rules)
    return [
        Task(SEARCH, profile.name, areas, tuple(group), rows=rows, only=only) for group in groups
    ]


def carried_out(
    work: Iterable[Task], jobs: int, fresh: bool = False
) -> Iterator[tuple[Task, Findings]]:
    """Do pieces of work on several cores and give each when it is done.

    What earlier runs have settled is given at once, unless all is to be settled afresh.

    The last search of a product gives what follows from all its witnesses as well.
    """
    pieces = list(work)
    forget_old()
    searched: dict[Task, Findings] = {}
    for task, found in _done(pieces, jobs, fresh):
        if task.kind != SEARCH or task.only:
            yield task, found
            continue
        searched[task] = found
        same = [each for each in pieces if each.kind == SEARCH and each.profile == task.profile]
        more: tuple[Record, ...] = ()
        if all(each in searched for each in same):
            all_found = [searched[each] for each in same]
            more = tuple(conclusions(task.areas, PROFILES[task.profile], all_found))
        yield task, msgspec.structs.replace(found, records=(*found.records, *more))


def _done(pieces: list[Task], jobs: int, fresh: bool) -> Iterator[tuple[Task, Findings]]:
    """Give what is known from earlier runs at once, then do the rest."""
    work = []
    for task in pieces:
        found = None if fresh or task.smt else known(task)
        if found is None:
            work.append(task)
        else:
            yield task, found
    yield from _carried_out(work, jobs)


def _carried_out(work: list[Task], jobs: int) -> Iterator[tuple[Task, Findings]]:
    jobs = min(jobs, len(work))
    if jobs <= 1:
        for task in work:
            yield task, carry_out(task)
        return
    context = multiprocessing.get_context("spawn")
    # Terms are kept for good, so looking for garbage among them again and again finds nothing.
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=gc.disable) as pool:
        futures = {pool.submit(carry_out, task): task for task in work}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
