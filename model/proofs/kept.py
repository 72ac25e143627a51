"""Witnesses for the suite, kept on disk so that certifying need not prove again."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from halcert.model.proofs.depends import rules_digest
from halcert.model.proofs.folder import asked_for, cache_folder, forget_old
from halcert.model.proofs.run import represented_by, searches
from halcert.model.proofs.settled import carry_out, known
from halcert.model.proofs.witness import Witness
from halcert.spec.catalogue import AREAS
from halcert.spec.profiles import PROFILES


def witnesses(areas: Iterable[str], profile: str) -> list[Witness]:
    """Return the witnesses of all rules of the areas for a product, boundaries behind rules.

    They are computed where the spec has changed since the last time, which takes some seconds.
    A search is for the interfaces of one area, whatever other areas are asked for: so a part of
    what is kept for all areas is as good as what was searched for by itself.
    """
    names = tuple(areas)
    asked = represented_by(profile).name
    place = _place(asked, names)
    found = _read(place)
    if found is None:
        found = _part(_read(_place(asked, tuple(AREAS))), names)
    if found is None:
        work = searches(PROFILES[asked], names)
        searched = (known(task) or carry_out(task) for task in work)
        found = [each for findings in searched for each in findings.witnesses]
        keep(place, found)
    return [msgspec.structs.replace(each, profile=profile) for each in found]


def are_kept(areas: Iterable[str], profile: str) -> bool:
    """Tell whether the witnesses need not be computed."""
    asked = represented_by(profile).name
    return any(_place(asked, names).exists() for names in (tuple(areas), tuple(AREAS)))


def _part(found: list[Witness] | None, areas: tuple[str, ...]) -> list[Witness] | None:
    """Return the witnesses of some areas, in the order of a search for them."""
    if found is None:
        return None
    area_of = {rule.id: name for name in areas for rule in AREAS[name].rules()}
    return [each for name in areas for each in found if area_of.get(each.rule) == name]


def _place(profile: str, areas: tuple[str, ...]) -> Path:
    return cache_folder() / f"witnesses-{rules_digest()}-{profile}-{'-'.join(areas)}.msgpack"


def keep_all(areas: tuple[str, ...], found: Iterable[Witness]) -> None:
    """Keep the witnesses of a whole proof run."""
    by_profile: dict[str, list[Witness]] = {}
    for each in found:
        by_profile.setdefault(each.profile, []).append(each)
    for name, group in by_profile.items():
        keep(_place(name, areas), group)


def keep(place: Path, found: list[Witness]) -> None:
    """Write witnesses; a cache that cannot be written is done without."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        forget_old(place.parent, "witnesses-*")
        scratch = place.with_suffix(f".{os.getpid()}")
        scratch.write_bytes(msgspec.msgpack.encode(found))
        scratch.replace(place)
    except OSError:
        return


def _read(place: Path) -> list[Witness] | None:
    try:
        return msgspec.msgpack.decode(asked_for(place), type=list[Witness])
    except (OSError, msgspec.DecodeError):
        return None
