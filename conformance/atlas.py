"""Which call gave each address, handle and number that a process has, and such things moved apart.

Addresses of live things are moved far apart, each into a range of its own, before a rule is read
with terms: whatever number then stands in a formula tells which thing it belongs to, and is written
as a distance into what a call gave.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Sequence as Listed
from typing import Any, NamedTuple

from halcert.model.concrete.table import ConcreteTable
from halcert.results.story import Origin

FIRST_PLACE = 1 << 62
APART = 1 << 42
"""Distance between things that were moved apart; more than any of them has bytes."""
MOVED = (
    ("blocks", ("base", "handle")),
    ("reservations", ("base",)),
    ("handles", ("id",)),
    ("copies", ("target", "source")),
    ("descriptors", ("target", "source")),
    ("registrations", ("src", "dst")),
    ("queues", ("id",)),
    ("events", ("id",)),
    ("stream_pools", ("id",)),
    ("portions", ("base", "pool")),
    ("works", ("base",)),
    ("words", ("address",)),
)
"""Columns that hold addresses or handles, by table.

What is known by way of an event names it by a number made of its handle; no promise asks for that.
"""
Thing = tuple[str, int]
"""A table, and the number that stands for one of its rows in a process."""


class Place(NamedTuple):
    """Numbers that belong to a thing."""

    table: str
    start: int
    length: int

    @property
    def thing(self) -> Thing:
        """Which thing it is."""
        return self.table, self.start


NUMBERED = ("handles", "queues", "events", "stream_pools")
"""Tables of what is known by a number alone."""


def places(view: Any) -> Iterator[Place]:
    """Iterate over what calls gave a process and is live.

    Mapped memory is part of the reservation that it lies in, and what is in use of a pool is a
    block; neither is a place of its own.
    """
    for row in view.reservations:
        yield Place("reservations", row.base, row.extent)
    for row in view.blocks:
        if not view.reservations.covering(row.base).exists:
            yield Place("blocks", row.base, row.extent)
    for row in view.portions.delete_where(lambda part: part.used):
        yield Place("portions", row.base, row.extent)
    for row in view.registrations:
        if row.dst and not view.blocks.covering(row.dst).exists:
            yield Place("registrations", row.dst, row.size)
    for table in NUMBERED:
        yield from (Place(table, row.id, 1) for row in getattr(view, table) if row.id > 0)


class Givers:
    """Which calls gave a process its addresses and handles.

    The same memory has an address of its own in each process, and the same number may be given in
    several.
    """

    def __init__(self) -> None:
        """Start with nothing given."""
        self._given: dict[Place, Origin] = {}

    @property
    def origins(self) -> Mapping[Thing, Origin]:
        """Who gave what, by thing."""
        return {place.thing: origin for place, origin in self._given.items()}

    def follow(self, number: int, out: Mapping[str, Any], view: Any) -> None:
        """Take note of what a call gave.

        Args:
            number: number of the call.
            out: its outputs.
            view: the state after it, as its process sees it.
        """
        before = {place.thing: origin for place, origin in self._given.items()}
        after: dict[Place, Origin] = {}
        for place in places(view):
            known = before.get(place.thing)
            origin = known or _given_now(number, out, place) or self._part(place)
            if origin is not None:
                after[place] = origin
        self._given = after

    def _part(self, place: Place) -> Origin | None:
        """Return the origin of what is left of a larger thing, or was one with a block before."""
        for other, origin in self._given.items():
            distance = place.start - other.start
            if 0 <= distance < other.length and place.table == "portions":
                return Origin(origin.number, origin.field, origin.plus + distance)
        return None


def _given_now(number: int, out: Mapping[str, Any], place: Place) -> Origin | None:
    """Return the output that leads to a thing: to its start, or into it."""
    field = field_of(out, place.start)
    if field:
        return Origin(number, field)
    if place.table != "registrations":
        return None
    inside = ((name, value) for name, value in out.items() if isinstance(value, int))
    return next(
        (
            Origin(number, name, place.start - value)
            for name, value in inside
            if 0 < value - place.start < place.length
        ),
        None,
    )


def field_of(out: Mapping[str, Any], value: int, path: str = "") -> str:
    """Return the path of the output that holds a number; empty if none does."""
    for name, each in out.items():
        if isinstance(each, Mapping):
            found = field_of(each, value, f"{path}{name}.")
            if found:
                return found
        elif each == value and not isinstance(each, bool):
            return path + name
    return ""


class Region(NamedTuple):
    """Numbers that belong together, and which call gave the first of them."""

    start: int
    length: int
    origin: Origin


class Atlas:
    """Where live things of a process were moved to.

    Attributes:
        view: the state with all of them at their new places.
        unmoved: the state as it was.
    """

    def __init__(self, view: Any, origins: Mapping[Thing, Origin]) -> None:
        """Move the things of a view; ``origins`` tells who gave their addresses and numbers.

        What no call gave stays: a program names its address or number itself.
        """
        self.unmoved = view
        self._old = sorted(_regions(places(view), origins))
        self._bases = [region.start for region in self._old]
        tables = {name: self._moved_table(getattr(view, name), columns) for name, columns in MOVED}
        self.view = view.but(**tables, grants=self._moved_grants(view.grants))

    def _moved_table(self, table: ConcreteTable[Any], columns: Listed[str]) -> ConcreteTable[Any]:
        made: Any = ConcreteTable(table.row_type)
        for row in table:
            made = made.put(row.but(**{name: self.moved(getattr(row, name)) for name in columns}))
        moved: ConcreteTable[Any] = made
        return moved

    def _moved_grants(self, table: ConcreteTable[Any]) -> ConcreteTable[Any]:
        made: Any = ConcreteTable(table.row_type)
        for row in table:
            base = self.moved(row.base)
            made = made.put(row.but(base=base, place=row.place - row.base + base))
        moved: ConcreteTable[Any] = made
        return moved

    def moved(self, number: int) -> int:
        """Return where a number in a region was moved to; any other stays."""
        place = bisect_right(self._bases, number) - 1
        if place < 0 or number >= self._bases[place] + self._old[place].length:
            return number
        return self._start(place) + number - self._bases[place]

    def _start(self, place: int) -> int:
        low = self._bases[place] % (1 << 31)  # keeps every alignment that pages can have
        return FIRST_PLACE + place * APART + low

    def named(self, number: int) -> tuple[Origin, int] | None:
        """Return which call gave the thing next to a number, and how far behind that it is."""
        if number < FIRST_PLACE - APART // 2:
            return None
        place = (number - FIRST_PLACE + APART // 2) // APART
        if place >= len(self._old):
            return None
        origin = self._old[place].origin
        return origin, number - self._start(place) + origin.plus


def _regions(found: Iterable[Place], origins: Mapping[Thing, Origin]) -> Iterator[Region]:
    for place in found:
        origin = origins.get(place.thing)
        if origin is not None:
            yield Region(place.start, place.length, origin)
