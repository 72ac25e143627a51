"""Findings of earlier proof runs, kept by the content that they were made from."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from halcert.model.proofs import work
from halcert.model.proofs.depends import key_of
from halcert.model.proofs.folder import asked_for, cache_folder
from halcert.model.proofs.folder import forget_old as forget
from halcert.model.proofs.records import PROVED, Findings
from halcert.model.proofs.work import Task


def carry_out(task: Task) -> Findings:
    """Do a piece of work and keep what it gave."""
    found = work.carry_out(task)
    remember(task, found)
    return found


def known(task: Task) -> Findings | None:
    """Return what a piece of work gave when the rules were the same, or None."""
    place = _place(task)
    try:
        found = msgspec.msgpack.decode(asked_for(place), type=Findings)
    except (OSError, msgspec.DecodeError):
        return None
    return found


def remember(task: Task, found: Findings) -> None:
    """Keep what a piece of work gave, if all of it is proved; a full disk is no trouble."""
    if any(record.status != PROVED for record in found.records):
        return
    place = _place(task)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        scratch = place.with_suffix(f".{os.getpid()}")
        scratch.write_bytes(msgspec.msgpack.encode(found))
        scratch.replace(place)
    except OSError:
        return


def forget_old() -> None:
    """Remove findings that nobody has asked for in a long time."""
    forget(_folder())


def _folder() -> Path:
    return cache_folder() / "proofs"


def _place(task: Task) -> Path:
    return _folder() / f"{key_of(task)}.msgpack"
