"""What a range is said to be, from what its pages are.

Each function tells whether a number may be told of a range. An attribute that is open for some
page may be told in any way. The public driver tells devices of different pages apart in some
attributes only, and calls all nodes of the host the host; where that departs from the reference,
both are taken.
"""

from __future__ import annotations

from collections.abc import Callable

from halcert.spec.abi.constants import RangeDevice
from halcert.spec.language import Sequence
from halcert.spec.state import NO, OPEN, YES, Accessor, Pages, State
from halcert.spec.uvm.locations import DEVICE, HOST, HOST_ACCESSOR, NUMA
from halcert.spec.uvm.pages import NONE, SPAN, first_page, runs_of, stop_of

ON_HOST = RangeDevice.MEM_RANGE_CPU_DEVICE_ID
NOBODY = RangeDevice.MEM_RANGE_INVALID_DEVICE_ID

Column = Callable[[Pages], int]


def mostly_fits(state: State, address: int, size: int, told: int) -> bool:
    """Tell whether a range may be said to be read-mostly, or not."""
    pages = runs_of(state, address, size)
    if pages.any(lambda run: run.mostly == NO):
        return told == NO
    if pages.all(lambda run: run.mostly == YES):
        return told == YES
    return told >= NO and told <= YES


# ----------------------------------------------------------------------------------- locations


def _first(state: State, address: int) -> Pages:
    return state.pages.covering(first_page(address))


def _is_open(state: State, address: int, size: int, kind: Column) -> bool:
    return runs_of(state, address, size).any(lambda run: kind(run) == OPEN)


def _all_of_type(state: State, address: int, size: int, kind: Column) -> bool:
    expected = kind(_first(state, address))
    return runs_of(state, address, size).all(lambda run: kind(run) == expected)


def _all_alike(state: State, address: int, size: int, kind: Column, number: Column) -> bool:
    expected, place = kind(_first(state, address)), number(_first(state, address))
    return runs_of(state, address, size).all(
        lambda run: kind(run) == expected and number(run) == place
    )


def _all_on_host(state: State, address: int, size: int, kind: Column) -> bool:
    return runs_of(state, address, size).all(lambda run: kind(run) == HOST or kind(run) == NUMA)


def location_fits(
    state: State, address: int, size: int, kind: Column, number: Column, told: int
) -> bool:
    """Tell whether a place may be told of a range: a device, -1 for the host, or -2."""
    if _is_open(state, address, size, kind):
        return True
    first = _first(state, address)
    alike = _all_alike(state, address, size, kind, number)
    if _all_on_host(state, address, size, kind):
        if alike:
            return told == ON_HOST or (kind(first) == NUMA and told == number(first))
        return told >= NOBODY and told <= ON_HOST
    if alike and kind(first) == DEVICE:
        return told == number(first)
    return told == NOBODY


def type_fits(
    state: State, address: int, size: int, kind: Column, number: Column, told: int
) -> bool:
    """Tell whether a type of place may be told of a range."""
    if _is_open(state, address, size, kind):
        return True
    if not _all_of_type(state, address, size, kind):
        return told == NONE
    alike = _all_alike(state, address, size, kind, number)
    return told == kind(_first(state, address)) or (told == NONE and not alike)


def number_fits(
    state: State, address: int, size: int, kind: Column, number: Column, told: int
) -> bool:
    """Tell whether a device or node may be told of a range, or -2."""
    if _is_open(state, address, size, kind):
        return True
    first = _first(state, address)
    numbered = kind(first) == DEVICE or kind(first) == NUMA
    if numbered and _all_alike(state, address, size, kind, number):
        return told == number(first)
    return told == NOBODY


def _prefer_type(run: Pages) -> int:
    return run.prefer_type


def _prefer_id(run: Pages) -> int:
    return run.prefer_id


def _latest_type(run: Pages) -> int:
    return run.latest_type


def _latest_id(run: Pages) -> int:
    return run.latest_id


def preferred_fits(state: State, address: int, size: int, told: int) -> bool:
    """Tell whether a range may be said to prefer a place."""
    return location_fits(state, address, size, _prefer_type, _prefer_id, told)


def preferred_type_fits(state: State, address: int, size: int, told: int) -> bool:
    """Tell whether a range may be said to prefer a place of a type."""
    return type_fits(state, address, size, _prefer_type, _prefer_id, told)


def preferred_number_fits(state: State, address: int, size: int, told: int) -> bool:
    """Tell whether a range may be said to prefer a device or node."""
    return number_fits(state, address, size, _prefer_type, _prefer_id, told)


def latest_fits(state: State, address: int, size: int, told: int) -> bool:
    """Tell whether a range may be said to have been prefetched to a place last."""
    return location_fits(state, address, size, _latest_type, _latest_id, told)


def latest_type_fits(state: State, address: int, size: int, told: int) -> bool:
    """Tell whether a range may be said to have been prefetched to a place of a type last."""
    return type_fits(state, address, size, _latest_type, _latest_id, told)


def latest_number_fits(state: State, address: int, size: int, told: int) -> bool:
    """Tell whether a range may be said to have been prefetched to a device or node last."""
    return number_fits(state, address, size, _latest_type, _latest_id, told)


# ------------------------------------------------------------------------------------ accessors


def accesses_all(state: State, low: int, high: int, accessor: int) -> bool:
    """Tell whether every page of ``[low, high)`` is said to be accessed by somebody."""
    place, end = accessor * SPAN + low, accessor * SPAN + high
    held = state.accessors.meeting(place, end)
    return held.sum(lambda row: _shared(row, place, end)) == high - low


def _shared(row: Accessor, place: int, end: int) -> int:
    """Return how many bytes of a run lie in ``[place, end)``, which it meets."""
    first = max(place, row.place)
    last = row.place + row.extent
    return (min(end, last)) - first


def _accessors_of(state: State, low: int, high: int) -> int:
    """Return how many access every page of ``[low, high)``."""
    return state.accessors.count(
        lambda row: (
            row.place <= row.id * SPAN + low
            and row.id * SPAN + low < row.place + row.extent
            and accesses_all(state, low, high, row.id)
        )
    )


def _accesses_all(state: State, low: int, high: int, told: int) -> bool:
    """Tell whether every page of ``[low, high)`` is accessed by whom a number tells."""
    return state.accessors.any(
        lambda row: told == _told_as(row) and accesses_all(state, low, high, row.id)
    )


def _told_as(row: Accessor) -> int:
    """Return the number by which somebody who accesses pages is told."""
    return ON_HOST if row.id == HOST_ACCESSOR else row.id


def accessors_fit(state: State, address: int, size: int, told: Sequence[int]) -> bool:
    """Tell whether numbers may be told of who accesses a range.

    All of them are told if there is room, in any order, and -2 in the places that are left.
    """
    if runs_of(state, address, size).any(lambda run: run.access_open):
        return True
    low, high = first_page(address), stop_of(state, address, size)
    room = len(told.items)
    named = told.number(lambda value: value != NOBODY)
    there = _accessors_of(state, low, high)
    return (
        told.all(lambda value: value == NOBODY or _accesses_all(state, low, high, value))
        and named == (min(room, there))
        and (
            there > room
            or state.accessors.all(
                lambda row: (
                    not accesses_all(state, low, high, row.id)
                    or told.any(lambda value: value == _told_as(row))
                )
            )
        )
    )
