"""How accesses and advice move pages, and the moves that nobody asked for.

Each function takes what is known of the pages of a run and returns what is known afterwards. A
page that may be on a device may be on the host as well, before and after: devices hand cold pages
back at any time. What a page holds is no matter of these functions; its bytes belong to the page
and not to a copy, so that no move can change them.
"""

from __future__ import annotations

from halcert.spec.state import NO, NOWHERE, OPEN, SEVERAL, YES, Pages
from halcert.spec.uvm.locations import Location, is_device


def either_device(one: int, other: int) -> int:
    """Return which device may have a copy when it may be either of two."""
    if one == other or other == NOWHERE:
        return one
    return other if one == NOWHERE else SEVERAL


def may_hold(run: Pages, device: int) -> bool:
    """Tell whether a device may have a copy of the pages."""
    return run.device == device or run.device == SEVERAL


def untouched(run: Pages) -> bool:
    """Tell whether the pages have no copy anywhere, for sure."""
    return run.unset and not run.host and run.device == NOWHERE


# ------------------------------------------------------------------------------------ accesses


def read_by_host(run: Pages) -> Pages:
    """Return the pages after the host read them: they are on the host.

    A replica of read-mostly pages stays; a single copy moves, since hosts of these products
    cannot reach into devices.
    """
    device = NOWHERE if run.mostly == NO else run.device
    return run.but(unset=False, host=True, device=device)


def written_by_host(run: Pages) -> Pages:
    """Return the pages after the host wrote to them: it has the only copy."""
    return run.but(mostly=NO, unset=False, host=True, device=NOWHERE)


def read_by_device(run: Pages, device: int) -> Pages:
    """Return the pages after a device read them: they are there, or a replica is."""
    where = device if run.mostly == NO else either_device(run.device, device)
    return run.but(unset=False, host=True, device=where)


def written_by_device(run: Pages, device: int) -> Pages:
    """Return the pages after a device wrote to them: it has the only copy."""
    return run.but(mostly=NO, unset=False, host=True, device=device)


def set_by_call(run: Pages) -> Pages:
    """Return the pages after a call set bytes in them; whether they stay read-mostly is open."""
    mostly = OPEN if run.mostly == YES else run.mostly
    return run.but(mostly=mostly, unset=False, host=True)


def copied_into(run: Pages) -> Pages:
    """Return the pages after a call copied bytes into them: they are not read-mostly any more."""
    return run.but(mostly=NO, unset=False, host=True)


def copied_from(run: Pages) -> Pages:
    """Return the pages after a call copied bytes from them: they were there."""
    return run.but(unset=False, host=True)


# -------------------------------------------------------------------------------------- advice


def made_read_mostly(run: Pages) -> Pages:
    """Return the pages after they became read-mostly: the host has a copy for sure."""
    return run.but(mostly=YES, unset=False, host=True)


def made_single(run: Pages, place: Location) -> Pages:
    """Return the pages after they ceased to be read-mostly: one copy is left.

    It is at the place that the caller names, or on the host. Where pages prefer another place,
    nobody says which of the two counts.
    """
    if run.mostly == NO:
        return run
    named = place.id if is_device(place) else NOWHERE
    known = run.mostly == YES and run.prefer_type == 0
    return run.but(mostly=NO, unset=False, host=True, device=named if known else SEVERAL)


def prepared(run: Pages, place: Location, *, certain: bool) -> Pages:
    """Return the pages after memory was made ready for them at a place, for sure or perhaps."""
    device = either_device(run.device, place.id) if is_device(place) else run.device
    return run.but(unset=run.unset and not certain, host=True, device=device)


def sent(run: Pages, place: Location) -> Pages:
    """Return the pages after they were asked to go to a place; they may stay where they are."""
    return prepared(run, place, certain=False)


def anywhere(run: Pages) -> Pages:
    """Return the pages when they may have gone anywhere."""
    return run.but(host=True, device=SEVERAL)


# ---------------------------------------------------------------- moves that nobody asked for


def may_swap_out(run: Pages, device: int) -> bool:
    """Tell whether a device may hand the pages back to the host: it may have the only copy."""
    return run.mostly != YES and may_hold(run, device)


def swapped_out(run: Pages) -> Pages:
    """Return the pages after a device handed them back to the host."""
    return run.but(mostly=run.mostly, unset=False, host=True, device=NOWHERE)


def may_drop_replica(run: Pages, device: int) -> bool:
    """Tell whether a device may drop its copy of the pages: the host may have one as well."""
    return run.mostly != NO and may_hold(run, device)


def replica_dropped(run: Pages, device: int) -> Pages:
    """Return the pages after a device dropped its copy of them."""
    return run.but(device=NOWHERE if run.device == device else run.device)


def narrower(one: Pages, other: Pages) -> bool:
    """Tell whether the pages can be nowhere in the first case where they cannot be in the second.

    What was set for them is the same in both.
    """
    return (
        one.mostly == other.mostly
        and one.prefer_type == other.prefer_type
        and one.prefer_id == other.prefer_id
        and one.access_open == other.access_open
        and one.latest_type == other.latest_type
        and one.latest_id == other.latest_id
        and (not one.unset or other.unset)
        and (not one.host or other.host)
        and (one.device == NOWHERE or one.device == other.device or other.device == SEVERAL)
    )
