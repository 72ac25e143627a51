"""Rules about managed memory: advice, prefetch, attributes, accesses, and calls that meet it."""

import pytest

from halcert.spec.svm.flags import UVM, AllocFlags

MIB = 2**20
PAGE = 2 * MIB
V2 = {"only": "v2"}
END = 0xC0000000000
LAST = END - PAGE
HOST = {"type": 2, "id": 0}
NODE = {"type": 3, "id": 0}
NOWHERE = {"type": 0, "id": 0}
CLOSED = {"type": 1, "id": 2}
DEVICE = {"type": 1, "id": 1}
MANAGED = AllocFlags.compose(virt=UVM)
PREFER, ACCESS, UNSET_MOSTLY = 2, 4, 1
WRITTEN, MOSTLY, ON_DEVICE, UNTOUCHED = "MM", "MM+2097152", "MM+4194304", "MM+6291456"
HINTED, HINTED_TOO, HOLE = "MH", "MH+2097152", "MH+4194304"
SHORT = {"code": 6}
STOPPED = {"code": 8}


def advise(advice, **more):
    return {"advise": advice, **more}


def to(place, **more):
    return {"location": place, **more}


def asked(attribute, *told, ptr=WRITTEN, **more):
    size = 4 * len(told) or 4
    args = {"attributes": [attribute], "data_sizes": [size], "ptr": ptr, **more}
    return args, {"data": [list(told)]}


def copied(src, dst="H"):
    return {"src": src, "dst": dst}


def after(*steps):
    return {"after": list(steps), **V2}


def said(what, rule, *answer):
    args, out = asked(*answer[:-1], **answer[-1])
    return what, rule, args, out


NINE = {"data": [True] * 9, "data_sizes": [4] * 9, "attributes": [1] * 9, "attribute_num": 9}

CASES = [
    # ---------------------------------------------------------------- halMemManagedAdvise
    ("rejects", "UVM-ADVISE-001", {}),
    ("rejects", "UVM-ADVISE-002", {"size": 0}),
    ("rejects", "UVM-ADVISE-003", {"ptr": "D0"}),
    ("rejects", "UVM-ADVISE-003", {"ptr": LAST, "size": 2 * PAGE}),
    ("rejects", "UVM-ADVISE-004", advise(6)),
    ("rejects", "UVM-ADVISE-005", advise(PREFER, location={"id": 64})),
    ("rejects", "UVM-ADVISE-005", advise(ACCESS, location={"id": -1})),
    ("rejects", "UVM-ADVISE-006", advise(PREFER, location=NOWHERE)),
    ("rejects", "UVM-ADVISE-006", advise(ACCESS, location={"type": 7})),
    ("rejects", "UVM-ADVISE-007", advise(PREFER, location={"type": 3, "id": -1})),
    ("rejects", "UVM-ADVISE-008", advise(ACCESS, location=NODE)),
    ("rejects", "UVM-ADVISE-009", {"ptr": HOLE}),
    ("rejects", "UVM-ADVISE-009", {"ptr": HINTED_TOO, "size": 2 * PAGE}),
    ("undefined", "UVM-ADVISE-020", {"ptr": "MM+1048576"}),
    ("undefined", "UVM-ADVISE-021", {"size": 5 * PAGE}),
    ("undefined", "UVM-ADVISE-022", advise(UNSET_MOSTLY, location={"type": 4})),
    ("may", "UVM-ADVISE-023", {}),
    ("may", "UVM-ADVISE-024", {"size": 100}),
    ("may", "UVM-ADVISE-025", advise(PREFER, ptr=UNTOUCHED, location={"type": 3, "id": 2})),
    ("may", "UVM-ADVISE-026", advise(PREFER, ptr=UNTOUCHED, location=CLOSED)),
    ("may", "UVM-ADVISE-027", advise(PREFER)),
    ("accepts", "UVM-ADVISE-030", advise(0)),
    ("accepts", "UVM-ADVISE-030", advise(0, location={"id": -7})),
    ("accepts", "UVM-ADVISE-031", advise(UNSET_MOSTLY, ptr=MOSTLY)),
    ("accepts", "UVM-ADVISE-032", advise(PREFER, ptr=UNTOUCHED)),
    ("accepts", "UVM-ADVISE-033", advise(3)),
    ("accepts", "UVM-ADVISE-034", advise(ACCESS)),
    ("accepts", "UVM-ADVISE-035", advise(5, ptr=HINTED)),
    ("leaves", "UVM-ADVISE-040", {"ptr": HINTED_TOO, "size": 2 * PAGE}, STOPPED),
    ("leaves", "UVM-ADVISE-041", {}, SHORT),
    # -------------------------------------------------------------- halMemManagedPrefetch
    ("rejects", "UVM-FETCH-001", {}),
    ("rejects", "UVM-FETCH-002", {"ptr": "D0"}),
    ("rejects", "UVM-FETCH-002", {"ptr": LAST, "size": 2**64 - 2 * PAGE}),
    ("rejects", "UVM-FETCH-003", {"location": {"id": 64}}),
    ("rejects", "UVM-FETCH-004", {"flags": 1}),
    ("rejects", "UVM-FETCH-005", {"location": {"type": 3, "id": -1}}),
    ("rejects", "UVM-FETCH-006", {"ptr": HOLE}),
    ("rejects", "UVM-FETCH-006", {"ptr": HINTED_TOO, "size": 2 * PAGE}),
    ("rejects", "UVM-FETCH-007", to(NOWHERE)),
    ("undefined", "UVM-FETCH-020", {"size": 0}),
    ("undefined", "UVM-FETCH-021", {"size": 5 * PAGE}),
    ("undefined", "UVM-FETCH-022", to(NOWHERE, ptr=UNTOUCHED)),
    ("may", "UVM-FETCH-023", {}),
    ("may", "UVM-FETCH-024", {"size": 100}),
    ("may", "UVM-FETCH-025", to(NODE, ptr=UNTOUCHED)),
    ("may", "UVM-FETCH-026", to(CLOSED)),
    ("may", "UVM-FETCH-027", to(HOST)),
    ("accepts", "UVM-FETCH-030", {}),
    ("accepts", "UVM-FETCH-030", to(HOST, ptr=UNTOUCHED)),
    ("leaves", "UVM-FETCH-040", {}, SHORT),
    # --------------------------------------------------------- halMemManagedPrefetchBatch
    ("rejects", "UVM-BATCH-001", {}),
    ("rejects", "UVM-BATCH-002", {"ptrs": ["MM", "D0"]}),
    ("rejects", "UVM-BATCH-003", {"ptrs": ["MM", HOLE]}),
    ("undefined", "UVM-BATCH-020", {"prefetchLocIdxs": [1, 1]}),
    ("undefined", "UVM-BATCH-020", {"prefetchLocIdxs": [0, 2]}),
    ("undefined", "UVM-BATCH-020", {"count": 5000}),
    ("undefined", "UVM-BATCH-020", {"prefetchLocs": None}),
    ("undefined", "UVM-BATCH-021", {"flags": 1}),
    ("undefined", "UVM-BATCH-022", {"sizes": [PAGE, 0]}),
    ("undefined", "UVM-BATCH-023", {"sizes": [5 * PAGE, PAGE]}),
    ("may", "UVM-BATCH-024", {}),
    ("may", "UVM-BATCH-025", {"sizes": [PAGE, 100]}),
    ("may", "UVM-BATCH-026", {"ptrs": [UNTOUCHED, "MN"], "prefetchLocs": [NODE, DEVICE]}),
    ("may", "UVM-BATCH-027", {"prefetchLocs": [CLOSED, DEVICE]}),
    ("may", "UVM-BATCH-028", {"prefetchLocs": [HOST, DEVICE]}),
    ("accepts", "UVM-BATCH-030", {}),
    ("leaves", "UVM-BATCH-040", {}, SHORT),
    # ---------------------------------------------------- halMemManagedRangeGetAttributes
    ("rejects", "UVM-RANGE-001", {}),
    ("rejects", "UVM-RANGE-002", {"attributes": None}),
    ("rejects", "UVM-RANGE-003", {"attribute_num": 0}),
    ("rejects", "UVM-RANGE-004", {"size": 0}),
    ("rejects", "UVM-RANGE-005", {"data": None}),
    ("rejects", "UVM-RANGE-006", {"data_sizes": None}),
    ("rejects", "UVM-RANGE-007", {"ptr": "D0"}),
    ("rejects", "UVM-RANGE-008", {"attributes": [9]}),
    ("rejects", "UVM-RANGE-009", {"data": [False]}),
    ("rejects", "UVM-RANGE-010", {"data_sizes": [8]}),
    ("rejects", "UVM-RANGE-010", {"data_sizes": [6], "attributes": [3]}),
    ("rejects", "UVM-RANGE-012", {"ptr": HOLE}),
    ("rejects", "UVM-RANGE-012", {"ptr": HINTED_TOO, "size": 2 * PAGE}),
    ("undefined", "UVM-RANGE-020", {"attributes": [0]}),
    ("undefined", "UVM-RANGE-021", {"attribute_num": 2}),
    ("undefined", "UVM-RANGE-022", {"ptr": "MM+1048576"}),
    ("undefined", "UVM-RANGE-023", {"size": 5 * PAGE}),
    ("may", "UVM-RANGE-024", {}),
    ("undefined", "UVM-RANGE-021", NINE),
    ("accepts", "UVM-RANGE-030", {}),
    said("accepts", "UVM-RANGE-031", 1, 0, {}),
    said("accepts", "UVM-RANGE-031", 1, 1, {"ptr": MOSTLY}),
    said("accepts", "UVM-RANGE-031", 1, 0, {"ptr": MOSTLY, "size": 2 * PAGE}),
    said("ensures", "UVM-RANGE-031", 1, 1, {"size": 2 * PAGE}),
    said("ensures", "UVM-RANGE-031", 1, 2, {"ptr": MOSTLY}),
    said("accepts", "UVM-RANGE-032", 2, -2, {}),
    said("accepts", "UVM-RANGE-032", 2, 0, {"ptr": HINTED}),
    said("accepts", "UVM-RANGE-032", 2, -2, {"ptr": HINTED, "size": 2 * PAGE}),
    said("ensures", "UVM-RANGE-032", 2, 127, {"ptr": HINTED, "size": 2 * PAGE}),
    said("ensures", "UVM-RANGE-032", 2, 0, {"ptr": HINTED, "size": 2 * PAGE}),
    said("ensures", "UVM-RANGE-032", 2, -1, {}),
    said("accepts", "UVM-RANGE-033", 3, -2, -2, {}),
    said("accepts", "UVM-RANGE-033", 3, 0, -2, {"ptr": HINTED}),
    said("accepts", "UVM-RANGE-033", 3, -2, 1, {"ptr": HINTED_TOO}),
    said("accepts", "UVM-RANGE-033", 3, -2, {"ptr": HINTED, "size": 2 * PAGE}),
    said("ensures", "UVM-RANGE-033", 3, 1, -2, {"ptr": HINTED}),
    said("ensures", "UVM-RANGE-033", 3, -2, -2, {"ptr": HINTED}),
    said("ensures", "UVM-RANGE-033", 3, 0, 0, {"ptr": HINTED}),
    said("ensures", "UVM-RANGE-033", 3, 0, {"ptr": HINTED, "size": 2 * PAGE}),
    said("accepts", "UVM-RANGE-034", 4, 0, {}),
    said("accepts", "UVM-RANGE-034", 4, 1, {"ptr": HINTED}),
    said("accepts", "UVM-RANGE-034", 4, 1, {"ptr": HINTED, "size": 2 * PAGE}),
    said("accepts", "UVM-RANGE-034", 4, 0, {"ptr": HINTED, "size": 2 * PAGE}),
    said("ensures", "UVM-RANGE-034", 4, 2, {"ptr": HINTED}),
    said("accepts", "UVM-RANGE-035", 5, -2, {}),
    said("accepts", "UVM-RANGE-035", 5, 1, {"ptr": HINTED_TOO}),
    said("ensures", "UVM-RANGE-035", 5, 1, {"ptr": HINTED, "size": 2 * PAGE}),
    said("accepts", "UVM-RANGE-036", 6, 0, {"ptr": HINTED}),
    said("ensures", "UVM-RANGE-036", 6, 0, {"ptr": HINTED, "size": 2 * PAGE}),
    said("accepts", "UVM-RANGE-037", 7, 1, {"ptr": HINTED}),
    said("ensures", "UVM-RANGE-037", 7, 1, {"ptr": HINTED, "size": 2 * PAGE}),
    said("accepts", "UVM-RANGE-038", 8, 0, {"ptr": HINTED}),
    said("ensures", "UVM-RANGE-038", 8, -1, {"ptr": HINTED}),
    # ---------------------------------------------------------------- device.store, device.load
    ("undefined", "UVM-DSTORE-002", {"device": 2}),
    ("undefined", "UVM-DSTORE-002", {"address": "D1"}),
    ("undefined", "UVM-DSTORE-004", {"address": "D1+4096", "device": 1}),
    ("accepts", "UVM-DSTORE-010", {"address": "D0"}),
    ("may", "UVM-DSTORE-003", {}),
    ("accepts", "UVM-DSTORE-010", {}, V2),
    ("leaves", "UVM-DSTORE-020", {}, SHORT),
    ("accepts", "UVM-DLOAD-010", {"address": "V0"}),
    ("undefined", "UVM-DLOAD-002", {"address": HOLE}),
    ("may", "UVM-DLOAD-003", {}),
    ("accepts", "UVM-DLOAD-010", {"device": 1, "address": MOSTLY}, V2),
    ("accepts", "UVM-DLOAD-011", {"device": 1, "address": ON_DEVICE}, V2),
    ("accepts", "UVM-DLOAD-011", {"address": "V0"}),
    ("leaves", "UVM-DLOAD-020", {}, SHORT),
    # --------------------------------------------------------------------- calls of the SVM core
    ("accepts", "SVM-ALLOC-048", {"flag": MANAGED}, {"pp": 0x90080000000}),
    ("ensures", "SVM-ALLOC-048", {"flag": MANAGED}, {"pp": 0x8FFFFE00000}),
    ("ensures", "SVM-ALLOC-048", {"flag": MANAGED, "size": 2 * PAGE}, {"pp": LAST}),
    ("rejects", "SVM-SET-009", {"dst": HOLE}),
    ("rejects", "SVM-SET-009", {"dst": "MH+4194300"}),
    ("may", "SVM-SET-011", {"dst": "MM"}),
    ("leaves", "SVM-SET-012", {"dst": "MM"}, SHORT),
    ("rejects", "SVM-COPY-022", copied(UNTOUCHED)),
    ("may", "SVM-COPY-023", copied("MN"), after(("halMemManagedPrefetch", {"ptr": "MN"}))),
    ("may", "SVM-COPY-024", copied(ON_DEVICE, "D0")),
    ("may", "SVM-COPY-025", copied(WRITTEN)),
    ("leaves", "SVM-COPY-026", copied("H", WRITTEN), SHORT),
    ("rejects", "SVM-HCOPY-032", copied(UNTOUCHED)),
    ("may", "SVM-HCOPY-033", copied("MN"), after(("halMemManagedPrefetch", {"ptr": "MN"}))),
    ("may", "SVM-HCOPY-034", copied("D0", ON_DEVICE)),
    ("may", "SVM-HCOPY-035", copied(WRITTEN)),
    ("leaves", "SVM-HCOPY-036", copied("H", WRITTEN), SHORT),
    ("undefined", "SVM-CLOSE-007", {"devid": 0}),
    ("undefined", "SVM-DCLOSE-006", {"devid": 1}),
]


@pytest.mark.parametrize("case", CASES, ids=lambda each: f"{each[0]}-{each[1]}")
def test_case(check, case):
    check(case)


def run_at(stage, place):
    return stage.world.views[0].pages.covering(stage.resolve(place))


def test_a_write_by_a_device_ends_read_mostly_for_its_page_alone(stage):
    both = {"ptr": WRITTEN, "size": 2 * PAGE}
    then = stage(
        "v2", ("halMemManagedAdvise", both), ("device.store", {"address": MOSTLY, "device": 1})
    )
    assert [run_at(then, place).mostly for place in (WRITTEN, MOSTLY)] == [1, 0]
    assert run_at(then, MOSTLY).device == 1


def test_a_call_that_stops_at_a_hole_was_followed_for_the_pages_before(stage):
    there = stage("v2")
    args = {"ptr": HINTED_TOO, "size": 2 * PAGE, "advise": 0, "location": DEVICE}
    judged = there.judge("halMemManagedAdvise", args, 8)
    view = judged.world.views[0]
    assert view.pages.covering(there.resolve(HINTED_TOO)).mostly == 1
    assert view.pages.covering(there.resolve(HINTED)).mostly == 0


def test_pages_that_may_have_been_advised_may_be_told_in_any_way(stage):
    there = stage("v2")
    judged = there.judge("halMemManagedAdvise", {**advise(0), **usual_range()}, 6)
    ask = {"data": [True], "data_sizes": [4], "attributes": [1], "attribute_num": 1}
    there.world = judged.world
    for told in (0, 1):
        found = there.judge(
            "halMemManagedRangeGetAttributes", {**ask, **asking()}, 0, {"data": [[told]]}
        )
        assert found.violation is None


def test_a_range_may_not_end_behind_managed_addresses(stage):
    there = stage("v2", ("halMemAlloc", {"size": PAGE, "flag": MANAGED}, {"pp": LAST}))
    args = {"data": [True], "data_sizes": [4], "attributes": [1], "attribute_num": 1}
    args |= {"ptr": LAST, "size": 2 * PAGE}
    for code in (4, 8):
        judged = there.judge("halMemManagedRangeGetAttributes", args, code, {"data": None})
        assert judged.violation is None
        assert judged.held == ("UVM-RANGE-011", "UVM-RANGE-012")
    accepted = there.judge("halMemManagedRangeGetAttributes", args, 0, {"data": [[0]]})
    assert accepted.violation.shape == "accepted"


def usual_range():
    return {"ptr": WRITTEN, "size": PAGE, "location": DEVICE}


def asking():
    return {"ptr": WRITTEN, "size": PAGE}


def test_freed_pages_take_what_was_set_for_them_along(stage):
    then = stage("v2", ("halMemFree", {"pp": HINTED}))
    view = then.world.views[0]
    assert not run_at(then, HINTED).exists
    assert not [row for row in view.accessors if row.base == then.resolve(HINTED)]


def test_a_large_allocation_costs_what_its_touched_pages_cost(stage):
    then = stage("v2", ("halMemAlloc", {"size": 2**40, "flag": MANAGED}, {"pp": 0x91000000000}))
    before = len(then.world.views[0].pages)
    for number in range(100):
        place = 0x91000000000 + number * 5003 * PAGE
        then.do("host.store", {"address": place, "size": 64, "pattern": 1, "offset": number})
    assert len(then.world.views[0].pages) - before <= 200
