"""The white lists of names and handles: who is entered, and who may be."""

from __future__ import annotations

from halcert.spec.language import (
    Elements,
)
from halcert.spec.profiles import Profile
from halcert.spec.sharing.memory import (
    me,
    named_share,
    permit_place,
)
from halcert.spec.sharing.names import Name
from halcert.spec.state import ADMITTED, BARRED, DOUBTFUL, Permit, Share, State

MOST_AT_ONCE = 31
"""Processes that one call enters; the header does not say so."""


def find(state: State, name: Name) -> Share:
    """Return the share that a name stands for."""
    return state.shares.at(named_share(name.token))


def permitted(state: State, share: int, pid: int) -> State:
    """Return the state after a process was entered in a white list, anew or for the first time.

    It counts for the process that has the number now. If there is none, it will never count.
    """
    permit = Permit(
        place=permit_place(share, pid),
        share=share,
        pid=pid,
        listed=True,
        standing=ADMITTED if state.processes.at(pid).exists else BARRED,
    )
    return state.but(permits=state.permits.put(permit))


def perhaps_permitted(state: State, share: int, pid: int) -> State:
    """Return the state after a process may have been entered in a white list.

    Who was on the list before stays on it.
    """
    known = state.permits.at(permit_place(share, pid))
    doubt = known.standing != ADMITTED and state.processes.at(pid).exists
    permit = Permit(
        place=permit_place(share, pid),
        share=share,
        pid=pid,
        listed=known.listed,
        standing=DOUBTFUL if doubt else known.standing,
    )
    return state.but(permits=state.permits.put(permit))


def counts(state: State, pid: int, profile: Profile) -> bool:
    """Tell whether a number is entered: 0 is not, nor the creator's own in SVM v2."""
    return pid != 0 and not (profile.generation == "v2" and pid == me(state))


def entered(state: State, share: int, pids: Elements[int], profile: Profile) -> State:
    """Return the state after processes were entered in the white list of a named share."""
    return pids.fold(
        lambda now, pid: permitted(now, share, pid) if counts(state, pid, profile) else now, state
    )


def perhaps_entered(state: State, share: int, pids: Elements[int], profile: Profile) -> State:
    """Return the state after processes may have been entered in the list of a named share."""
    return pids.fold(
        lambda now, pid: perhaps_permitted(now, share, pid) if counts(state, pid, profile) else now,
        state,
    )


def opened_to_all(state: State, share: int) -> State:
    """Return the state after a share became one without a white list.

    That works only if nobody was entered in it, so whoever was in doubt was not.
    """
    return state.but(
        shares=state.shares.update_where(
            lambda each: each.id == share, lambda each: each.but(anyone=True)
        ),
        permits=state.permits.delete_where(lambda each: each.share == share),
    )


def has_own_list(state: State, share: Share) -> bool:
    """Tell whether a share of the process has a white list that can be added to."""
    return share.exists and share.valid and share.owner == me(state) and not share.anyone
