"""What processes hold of devices, of the host and of addresses, and what must be had again."""

from __future__ import annotations

from halcert.conformance.accounts import HBM_SIZE, Accounts
from halcert.conformance.held import ADDRESSES, by_place, of_device
from halcert.model.concrete import World
from halcert.spec.abi.codes import DrvError
from halcert.spec.catalogue import interfaces
from halcert.spec.profiles import ASCEND910B, MIB
from halcert.spec.state import Block, Handle, Holding, Reservation, Share
from halcert.spec.svm.flags import DEV, DVPP, HOST, OPENED, SVM, UVM

HUGE = ASCEND910B.huge
HOST_PLACE = ASCEND910B.host_id


def row(of, /, **columns):
    return of(**{**dict.fromkeys(of.__struct_fields__, 0), **columns})


def block(base, memory, kind=DEV, device=0, size=MIB):
    return row(
        Block, base=base, size=size, extent=size, kind=kind, device=device, memory=memory, hbm=True
    )


def share(memory, extent=MIB):
    return row(Share, id=2, owner=1001, memory=memory, size=extent, extent=extent, valid=True)


def holding(pid):
    return row(Holding, place=pid, pid=pid, base=4096, share=2, count=1)


def world():
    return World.start((0, 1), pids=(1001, 1002))


def with_blocks(views, process, *blocks):
    view = views[process]
    for each in blocks:
        view = view.but(blocks=view.blocks.put(each))
    return [view if p == process else other for p, other in enumerate(views)]


def places(views, *, generously, mine=0):
    found = by_place(views[mine], views, ASCEND910B, generously=generously)
    return {place: cost for place, cost in found.items() if cost}


def start():
    return list(world().views.values())


def test_least_is_what_was_asked_for_and_most_is_in_whole_pages():
    views = with_blocks(start(), 0, block(4096, 1))
    assert places(views, generously=False) == {0: MIB}
    assert places(views, generously=True) == {0: HUGE}


def test_every_process_counts():
    views = with_blocks(start(), 0, block(4096, 1))
    views = with_blocks(views, 1, block(4096, 2), block(1 << 30, 3, kind=HOST, device=HOST_PLACE))
    assert places(views, generously=False) == {0: 2 * MIB, HOST_PLACE: MIB}


def test_memory_that_processes_share_counts_once():
    views = with_blocks(start(), 0, block(4096, 1))
    views = with_blocks(views, 1, block(8192, 1, kind=OPENED))
    common = views[0].shares.put(share(1)), views[0].holdings.put(holding(1002))
    views = [each.but(shares=common[0], holdings=common[1]) for each in views]
    assert places(views, generously=False) == {0: MIB}
    assert places(views, generously=True) == {0: HUGE}
    assert of_device(0, views, ASCEND910B, generously=True) == HUGE


def test_memory_that_only_openers_keep_may_still_be_held():
    views = [
        each.but(shares=each.shares.put(share(1)), holdings=each.holdings.put(holding(1002)))
        for each in start()
    ]
    assert places(views, generously=False) == {}
    assert places(views, generously=True) == {0: HUGE}


def test_physical_memory_that_was_imported_counts_once():
    owned = row(Handle, id=8, held=1, size=HUGE, device=1, side=1, memory=5)
    taken = row(Handle, id=9, held=1, size=HUGE, device=1, side=1, memory=5, share=11)
    views = start()
    views[0] = views[0].but(handles=views[0].handles.put(owned))
    views[1] = views[1].but(handles=views[1].handles.put(taken.but(imported=True)))
    assert places(views, generously=False) == {1: HUGE}


def test_pages_that_move_may_be_held_of_every_device_and_of_the_host():
    views = with_blocks(start(), 0, block(4096, 1, kind=SVM))
    assert places(views, generously=False) == {}
    assert places(views, generously=True) == dict.fromkeys((0, 1, HOST_PLACE), HUGE)


def test_addresses_are_those_of_the_process_alone():
    views = start()
    taken = row(Reservation, base=1 << 30, size=HUGE, extent=HUGE)
    views[1] = views[1].but(reservations=views[1].reservations.put(taken))
    views = with_blocks(views, 1, block(8192, 1, kind=OPENED))
    assert places(views, generously=True, mine=0) == {}
    assert places(views, generously=True, mine=1) == {ADDRESSES: HUGE + MIB}


def test_managed_memory_takes_addresses_before_it_takes_any_memory():
    views = with_blocks(start(), 0, block(4096, 1, kind=UVM, size=8 * MIB))
    assert places(views, generously=False) == {ADDRESSES: 8 * MIB}
    accounts = Accounts(ASCEND910B)
    had_again(accounts, start(), 0)
    assert had_again(accounts, views, int(DrvError.OUT_OF_MEMORY)) is None


ALLOC = {"pp": True, "size": MIB, "flag": HOST}


def had_again(accounts, views, code, process=0):
    made = interfaces()["halMemAlloc"]
    result = made.parse_result(code, {"pp": 0})
    return accounts.had_again(made.parse(ALLOC), result, views[process], views)


def test_what_was_had_must_be_had_again_when_no_process_holds_more():
    accounts = Accounts(ASCEND910B)
    full = with_blocks(start(), 1, block(4096, 1, device=1, size=HUGE))
    assert had_again(accounts, full, 0) is None
    assert had_again(accounts, start(), int(DrvError.OUT_OF_MEMORY)) == (HUGE, 0)


def test_nothing_is_said_when_another_process_holds_more_somewhere():
    accounts = Accounts(ASCEND910B)
    before = with_blocks(start(), 0, block(4096, 1, device=0, size=4 * HUGE))
    had_again(accounts, before, 0)
    elsewhere = with_blocks(start(), 1, block(4096, 2, device=1, size=HUGE))
    assert had_again(accounts, elsewhere, int(DrvError.OUT_OF_MEMORY)) is None


def test_what_an_ended_process_held_may_still_be_on_its_way():
    accounts = Accounts(ASCEND910B)
    had_again(accounts, start(), 0)
    views = with_blocks(start(), 1, block(4096, 1, size=HUGE))
    ended = interfaces()["host.exit"]
    now = dict(enumerate(start()))
    accounts.after(ended.parse({"how": 1}), ended.parse_result(0, {}), views[1], now, 1)
    assert had_again(accounts, start(), int(DrvError.OUT_OF_MEMORY)) is None
    rested = interfaces()["host.rest"]
    call = rested.parse({"milliseconds": 3000})
    accounts.after(call, rested.parse_result(0, {}), start()[0], now, 0)
    assert had_again(accounts, start(), int(DrvError.OUT_OF_MEMORY)) == (0, 0)


FREE = 1 << 30


def told(accounts, free, views):
    query = interfaces()["halMemGetInfo"]
    call = query.parse({"device": 0, "type": HBM_SIZE, "info": True})
    result = query.parse_result(0, {"info": {"free": free, "huge_free": 0}})
    return accounts.after(call, result, views[0], dict(enumerate(views)), 0)


def test_image_memory_is_taken_ahead_once_by_each_process():
    accounts = Accounts(ASCEND910B)
    assert told(accounts, FREE, start()) == []
    views = start()
    for process, count in ((1, 1), (1, 1), (0, 2)):
        views = with_blocks(views, process, block(4096, process + 1, kind=DVPP))
        made = interfaces()["halMemAlloc"]
        result = made.parse_result(0, {"pp": 4096})
        now = {p: views[p] for p in (1, 0)}
        accounts.after(made.parse(ALLOC), result, start()[process], now, process)
        most = (HUGE + ASCEND910B.cached_huge) * count
        assert not accounts.missing(0, FREE - most, views)
        assert accounts.missing(0, FREE - most - 1, views)
    assert accounts.kept_back(0, FREE, start()) is None
