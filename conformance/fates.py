"""What became of mutated rules, found out on several cores and kept as soon as it is known.

All changes of all rules take long. So a run that is ended goes on where it was, as long as
nothing has changed that its answers depend on: rules, proofs, vectors, and who compares them.
"""

from __future__ import annotations

import hashlib
import itertools
import multiprocessing
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from pathlib import Path

import msgspec

import halcert.conformance
from halcert.conformance.mutants import Fate, Watch
from halcert.conformance.stages import SCENARIO, stage_of
from halcert.model.proofs import witnesses
from halcert.model.proofs.depends import rules_digest
from halcert.model.proofs.folder import asked_for, cache_folder, forget_old
from halcert.model.proofs.mutations import Mutation
from halcert.model.proofs.run import representatives
from halcert.spec.catalogue import AREAS

CHUNK = 8
"""Changes that are looked at before what became of them is told."""
PREFIX = "mutants-"
OF_NO_MATTER = frozenset(
    {"survivors.py", "survivors_rules.py", "survivors_sources.py"}
    | {"coverage.py", "driver_mutants.py", "mutant_record.py"}
    | {"campaign.py", "order.py"}
)
"""Files that no fate depends on: what people think of one that nothing noticed, what is about
mutants of C sources, and the order in which the suite is run."""


def fates_of(found: Sequence[Mutation], jobs: int, fresh: bool = False) -> Iterator[list[Fate]]:
    """Iterate over what became of changes, a few at a time, what is known already first.

    Args:
        found: the changes.
        jobs: processes that work side by side.
        fresh: what earlier runs found out is found out again.
    """
    lasting, of_flows = places = _places()
    if fresh:
        for place in places:
            place.unlink(missing_ok=True)
    known = {**read(of_flows), **read(lasting)}
    yield [known[each.id] for each in found if each.id in known]
    left = [each for each in found if each.id not in known]
    if left:
        for fates in _judged(left, jobs):
            keep(lasting, filter(_lasts, fates))
            keep(of_flows, itertools.filterfalse(_lasts, fates))
            yield fates


def _lasts(fate: Fate) -> bool:
    """Tell whether a fate stays what it is when scenarios are added or changed."""
    return not fate.survives and SCENARIO not in fate.noticed


def read(place: Path) -> dict[str, Fate]:
    """Return what is kept, by id of the change; a line that was cut off is as good as none."""
    try:
        lines = asked_for(place).splitlines()
    except OSError:
        return {}
    found = {}
    for line in lines:
        with suppress(msgspec.DecodeError):
            fate = msgspec.json.decode(line, type=Fate)
            found[fate.id] = fate
    return found


def keep(place: Path, fates: Iterable[Fate]) -> None:
    """Keep what became of changes, a line each; a full disk is no trouble."""
    lines = b"".join(msgspec.json.encode(each) + b"\n" for each in fates)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("ab") as file:
            file.write(lines)
    except OSError:
        return


def _places() -> tuple[Path, Path]:
    """Return where fates under these rules are kept: such as last, and others."""
    root = Path(halcert.conformance.__path__[0])
    digest = hashlib.sha256(rules_digest().encode())
    for path in sorted(root.glob("*.py")):
        if path.name not in OF_NO_MATTER:
            digest.update(path.name.encode() + path.read_bytes())
    of_flows = digest.copy()
    for path in sorted((root / "scenarios").glob("*.py")):
        of_flows.update(path.name.encode() + path.read_bytes())
    folder = cache_folder()
    forget_old(folder, f"{PREFIX}*")
    lasting, changing = (
        folder / f"{PREFIX}{each.hexdigest()[:32]}.jsonl" for each in (digest, of_flows)
    )
    return lasting, changing


# ----------------------------------------------------------------------------------------- judging

_work: tuple[Watch, Sequence[Mutation]] | None = None
"""What forked processes take over from the first one: what watches, and the changes."""


def _judged(found: Sequence[Mutation], jobs: int) -> Iterator[list[Fate]]:
    """Iterate over what became of changes, in the order in which it is found out."""
    global _work  # noqa: PLW0603 - how forked processes get it without a copy
    everywhere = tuple(AREAS)
    _work = (
        Watch([stage_of(p.name, witnesses(everywhere, p.name)) for p in representatives()]),
        found,
    )
    chunks = [range(start, min(start + CHUNK, len(found))) for start in range(0, len(found), CHUNK)]
    if jobs <= 1:
        yield from map(_of_chunk, chunks)
        return
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        futures = [pool.submit(_of_chunk, chunk) for chunk in chunks]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _of_chunk(chunk: range) -> list[Fate]:
    if _work is None:
        raise RuntimeError("there is nothing to change")
    watch, found = _work
    return [watch.fate(found[number]) for number in chunk]
