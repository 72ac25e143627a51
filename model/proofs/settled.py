"""Findings of earlier proof runs, kept by the content that they were made from."""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec

from halcert.model.proofs import work
from halcert.model.proofs.depends import key_of
from halcert.model.proofs.folder import cache_folder
from halcert.model.proofs.records import PROVED, Findings
from halcert.model.proofs.work import Task

DAYS = 30
"""How long findings are kept that nobody asks for."""
SECONDS_OF_A_DAY = 86_400


def carry_out(task: Task) -> Findings:
    """Do a piece of work and keep what it gave."""
    found = work.carry_out(task)
    remember(task, found)
    return found


def known(task: Task) -> Findings | None:
    """Return what a piece of work gave when the rules were the same, or None."""
    place = _place(task)
    try:
        found = msgspec.msgpack.decode(place.read_bytes(), type=Findings)
        os.utime(place)
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
    """Remove what nobody has asked for in a long time."""
    limit = time.time() - DAYS * SECONDS_OF_A_DAY
    try:
        for path in _folder().iterdir():
            if path.stat().st_mtime < limit:
                path.unlink(missing_ok=True)
    except OSError:
        return


def _folder() -> Path:
    return cache_folder() / "proofs"


def _place(task: Task) -> Path:
    return _folder() / f"{key_of(task)}.msgpack"
