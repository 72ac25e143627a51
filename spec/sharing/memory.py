"""What becomes of shared memory: who holds it, who may open it, and what ends that.

Everything here speaks of tables alone, so that the rules of other areas can ask it, too.
"""

from __future__ import annotations

from halcert.spec.state import (
    ADMITTED,
    BARRED,
    DEFERRED,
    DOUBTFUL,
    INTACT,
    TAKEN,
    UNCERTAIN,
    Block,
    Share,
    State,
)
from halcert.spec.svm.flags import MAPPED, OPENED

ANY_DEVICE = -1
"""Stands for all devices where a process leaves one, or all of them."""
PIDS = 2**33
"""Shares are this far apart in the numbers of their permits."""
LOWEST_PID = -(2**31)
PAIRS = 2**32
"""Device ids are this far apart in the numbers of peerings."""
ADDRESSES = 2**64
"""Processes are this far apart in the numbers of their holdings."""


def me(state: State) -> int:
    """Return the number of the process that calls."""
    return state.caller.at(0).pid


def named_share(token: int) -> int:
    """Return the id of the share that a name stands for."""
    return 2 * token


def is_named(share: Share) -> bool:
    """Tell whether a share has a name; others have a shareable handle."""
    return share.id % 2 == 0


def permit_place(share: int, pid: int) -> int:
    """Return the number of the permit of a process for a share."""
    return share * PIDS + pid - LOWEST_PID


def holding_place(pid: int, base: int) -> int:
    """Return the number of what a process holds at an address."""
    return pid * ADDRESSES + base


def handle_place(pid: int, handle: int) -> int:
    """Return the number of what a process holds by a handle."""
    return -1 - holding_place(pid, handle)


def peering_place(pid: int, device: int, peer: int) -> int:
    """Return the number of what a process enabled from a device to another."""
    return (pid * PAIRS + device) * PAIRS + peer


def enveloped(state: State, content: int) -> Share:
    """Return the share that opaque bytes stand for, or one that does not exist."""
    return state.shares.at(state.envelopes.at(content).share)


def exported_share(memory: int) -> int:
    """Return the id of the share of physical memory."""
    return 2 * memory + 1


def numbered(state: State, number: int) -> Share:
    """Return the share that a number stands for."""
    return state.shares.at(state.numbers.at(number).share)


def is_held(state: State, share: int) -> bool:
    """Tell whether some process has a share open."""
    return state.holdings.any(lambda each: each.share == share)


def is_listed(state: State, share: int) -> bool:
    """Tell whether a process was entered in the white list of a share."""
    return state.permits.any(lambda each: each.share == share and each.listed)


def may_be_listed(state: State, share: int) -> bool:
    """Tell whether some process may have been entered in the white list of a share."""
    return state.permits.any(lambda each: each.share == share)


def standing(state: State, share: Share) -> int:
    """Return whether the white list of a share has the calling process, as far as is known."""
    return state.permits.at(permit_place(share.id, me(state))).standing


def is_barred(state: State, share: Share) -> bool:
    """Tell whether the calling process is not on the white list of a share, but must be."""
    return not share.anyone and standing(state, share) == BARRED


def is_doubtful(state: State, share: Share) -> bool:
    """Tell whether nobody knows if the calling process is on the white list of a share."""
    return not share.anyone and standing(state, share) == DOUBTFUL


def admitted(state: State, share: Share) -> State:
    """Return the state after the process was seen to be on the white list, if that was in doubt."""
    place = permit_place(share.id, me(state))
    return state.but(
        permits=state.permits.update_where(
            lambda each: each.place == place and each.standing == DOUBTFUL,
            lambda each: each.but(listed=True, standing=ADMITTED),
        )
    )


def opened_share(state: State, block: Block) -> Share:
    """Return the share that opened memory is of."""
    return state.shares.at(block.handle)


def maker_left(state: State, block: Block) -> bool:
    """Tell whether memory is mapped whose maker closed its device or ended (SVM v3).

    The memory is pinned, but the driver asks for its maker to copy it, and nobody tells what holds
    then.
    """
    share = state.shares.at(exported_share(block.memory))
    return block.kind == MAPPED and share.exists and share.fate == TAKEN


def is_imported(state: State, block: Block) -> bool:
    """Tell whether physical memory of another process is mapped there."""
    return block.kind == MAPPED and state.handles.at(block.handle).imported


def reaches_shared(state: State, block: Block, address: int, length: int) -> bool:
    """Tell whether a range lies in opened memory that is on the device where it was opened.

    Copies between devices through opened memory have limits that depend on the product, and
    what the owner gave up is nobody's promise.
    """
    share = opened_share(state, block)
    return (
        block.kind == OPENED
        and address >= block.base
        and address + length <= block.base + block.size
        and share.device == block.device
        and (share.fate == INTACT or share.fate == DEFERRED)
    )


def settled(state: State) -> State:
    """Return the state after everything went that only what is gone now had kept.

    A share lives as long as it can be opened or is open. Memory that its owner gave back has gone
    with its last opener, and then nobody says what a name for it leads to.
    """
    shares = state.shares.delete_where(
        lambda each: not each.valid and not is_held(state, each.id)
    ).update_where(
        lambda each: each.fate == DEFERRED and not is_held(state, each.id),
        lambda each: each.but(fate=UNCERTAIN),
    )
    return state.but(
        shares=shares,
        permits=state.permits.delete_where(lambda each: not shares.at(each.share).exists),
        numbers=state.numbers.delete_where(lambda each: not shares.at(each.share).exists),
        envelopes=state.envelopes.delete_where(lambda each: not shares.at(each.share).exists),
    )


def departed(state: State, device: int, *, lasting: bool) -> State:
    """Return the state after the process left a device, or all: what it holds there is let go.

    What it shared there can be opened no more.

    Args:
        state: the state before.
        device: the device, or ANY_DEVICE.
        lasting: physical memory that others imported stays theirs (SVM v2).
    """
    pid = me(state)
    return settled(
        state.but(
            holdings=state.holdings.delete_where(
                lambda each: each.pid == pid and (device == ANY_DEVICE or each.device == device)
            ),
            shares=state.shares.update_where(
                lambda each: (
                    each.owner == pid
                    and (device == ANY_DEVICE or each.device == device)
                    and (is_named(each) or not lasting)
                ),
                lambda each: each.but(valid=False, fate=TAKEN),
            ),
        )
    )


def let_go(state: State, handle: int) -> State:
    """Return the state after a process gave up a handle of shared physical memory."""
    return settled(state.but(holdings=state.holdings.delete(handle_place(me(state), handle))))


def unpinned(state: State, address: int) -> State:
    """Return the state after a process took a mapping of shared physical memory away."""
    return settled(state.but(holdings=state.holdings.delete(holding_place(me(state), address))))


def taken_back(state: State, block: Block, *, kept: bool, asked: bool) -> State:
    """Return what becomes of the shares of a block that its owner frees.

    Args:
        state: the state before.
        block: the block.
        kept: openers keep what the owner gives back (SVM v3).
        asked: the kernel is asked; what goes to a cache only may come back to the owner.
    """

    def fate(share: Share) -> Share:
        if not asked:
            return share.but(fate=UNCERTAIN)
        if not kept:
            return share.but(fate=TAKEN)
        return share.but(fate=DEFERRED if is_held(state, share.id) else UNCERTAIN)

    return state.but(
        shares=state.shares.update_where(
            lambda each: each.owner == me(state) and each.memory == block.memory, fate
        )
    )
