"""Arguments for the calls of pools that fit the state: pools, ranges in them and attributes."""

from __future__ import annotations

from typing import Any

from halcert.conformance.draw import Draw
from halcert.conformance.lab import Lab
from halcert.conformance.pools import ATTRIBUTES, FREE_POLICY, name_of, named, properties
from halcert.spec.soma.attributes import THRESHOLD
from halcert.spec.soma.memory import PAGE, used_bytes
from halcert.spec.state import Pool
from halcert.spec.svm.memory import SOMA_WINDOW

MOST_PAGES = 6
"""Pages of a pool that are used most."""


def fitting(draw: Draw, lab: Lab, interface: str) -> dict[str, Any]:
    """Return arguments in place of others; none for calls that are not of pools."""
    if interface == "halMemPoolCreate":
        return _create(draw, lab)
    chosen = _CHOICES.get(interface)
    view: Any = lab.view()
    pools = list(view.pools)
    if chosen is None or not pools:
        return {}
    pool = draw.pick(pools)
    return {"pool": name_of(pool), **chosen(draw, lab, pool)}


def _create(draw: Draw, lab: Lab) -> dict[str, Any]:
    view: Any = lab.view()
    device = draw.pick(lab.setting.devices)
    size = PAGE * draw.pick((1, 2, 3, 4, 8))
    base = SOMA_WINDOW + PAGE * draw.pick((0, 1, 8, 100, 4096))
    if lab.setting.profile.generation == "v3":
        places = list(view.reservations)
        if places:
            place = draw.pick(places)
            base, size = place.base, min(size, max(place.size // PAGE, 1) * PAGE)
    return {
        "pool": named(draw.integer(1, 5), device),
        "prop": properties(device, base, size, handle_type=draw.pick((0, 2))),
    }


def _range(draw: Draw, pool: Pool) -> dict[str, int]:
    pages = min(pool.size // PAGE, MOST_PAGES)
    first = draw.integer(0, pages - 1)
    last = draw.integer(first, pages - 1)
    return {"va": pool.base + first * PAGE, "size": (last - first + 1) * PAGE}


def _malloc(draw: Draw, _lab: Lab, pool: Pool) -> dict[str, Any]:
    return {**_range(draw, pool), "policy": draw.pick((0, 0, 1, 2))}


def _free(draw: Draw, lab: Lab, pool: Pool) -> dict[str, Any]:
    view: Any = lab.view()
    parts = [part for part in view.stretches if part.pool == pool.id]
    used = [part for part in parts if part.used]
    if not parts or draw.chance(8):
        return {**_range(draw, pool), "policy": FREE_POLICY}
    part = draw.pick(used or parts)
    return {"va": part.base, "size": part.extent, "policy": FREE_POLICY}


def _trim(draw: Draw, lab: Lab, pool: Pool) -> dict[str, Any]:
    used = used_bytes(lab.view(), pool.id)
    sizes = {"usedSize": used, "freeSize": pool.held_most - used}
    return {"reservedSize": draw.integer(0, MOST_PAGES) * PAGE, **sizes}


def _announce(draw: Draw, lab: Lab, pool: Pool) -> dict[str, Any]:
    view: Any = lab.view()
    known = [part for part in view.announcements if part.pool == pool.id]
    if known and draw.chance(50):
        part = draw.pick(known)
        return {"va": part.base, "size": part.extent, "flag": draw.pick((1, 1, 1, 0))}
    return {**_range(draw, pool), "flag": 0}


def _set(draw: Draw, _lab: Lab, _pool: Pool) -> dict[str, Any]:
    attribute = draw.pick(ATTRIBUTES)
    value = draw.integer(0, MOST_PAGES) * PAGE if attribute == THRESHOLD else 0
    return {"attr": attribute, "value": [value]}


def _destroy(_draw: Draw, _lab: Lab, _pool: Pool) -> dict[str, Any]:
    return {}


def _ask(draw: Draw, _lab: Lab, _pool: Pool) -> dict[str, Any]:
    return {"attr": draw.pick(ATTRIBUTES), "value": True}


_CHOICES = {
    "halMemPoolMalloc": _malloc,
    "halMemPoolFree": _free,
    "halMemPoolTrim": _trim,
    "halMemPoolAsyncConfig": _announce,
    "halMemPoolSetAttr": _set,
    "halMemPoolGetAttr": _ask,
    "halMemPoolDestroy": _destroy,
}
