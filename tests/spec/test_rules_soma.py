"""Rules about pools: making, using, trimming and ending them, and calls that meet their memory."""

import pytest

from halcert.spec.language import poison

MIB = 2**20
PAGE = 2 * MIB
V2 = {"only": "v2"}
V3 = {"only": "v3"}
LEFT32 = poison(32)
LEFT64 = poison(64)
FREED = "P+4194304"
UNUSED = "P+8388608"
BEHIND = "P+16777216"
ELSEWHERE = {"pool": {"devId": 1}}
THRESHOLD, RESERVED, RESERVED_MARK, USED, USED_MARK = 1, 2, 3, 4, 5


def prop(**members):
    return {"prop": members}


def told(**members):
    told_all = {"memType": 0x400, "resv1": LEFT32, "resv2": LEFT32, "devId": LEFT32}
    return {"attr": {**told_all, "pageSize": PAGE, **members}}


def value(number):
    return {"value": number}


CASES = [
    # ---------------------------------------------------------------- halMemPoolCreate
    ("rejects", "SOMA-CREATE-001", prop(handle_type=1)),
    ("rejects", "SOMA-CREATE-001", prop(handle_type=3)),
    ("rejects", "SOMA-CREATE-002", prop(side=0)),
    ("rejects", "SOMA-CREATE-003", prop(module_id=7)),
    ("rejects", "SOMA-CREATE-004", prop(pg_type=0)),
    ("rejects", "SOMA-CREATE-004", prop(mem_type=1)),
    ("rejects", "SOMA-CREATE-005", prop(maxSize=0)),
    ("rejects", "SOMA-CREATE-006", prop(maxSize=PAGE + 4096)),
    ("rejects", "SOMA-CREATE-007", prop(va=0x7000000000)),
    ("rejects", "SOMA-CREATE-007", prop(maxSize=2**42)),
    ("rejects", "SOMA-CREATE-008", {"pool": {"devId": 2}, **prop(devid=2)}),
    ("rejects", "SOMA-CREATE-009", prop(va=UNUSED)),
    ("rejects", "SOMA-CREATE-010", prop(va="NOWHERE")),
    ("rejects", "SOMA-CREATE-011", prop(devid=1)),
    ("undefined", "SOMA-CREATE-012", prop(devid=1)),
    ("undefined", "SOMA-CREATE-013", prop(va="PE+2097152")),
    ("undefined", "SOMA-CREATE-013", prop(maxSize=128 * MIB)),
    ("undefined", "SOMA-CREATE-014", {"pool": {"poolId": 7}}),
    ("undefined", "SOMA-CREATE-015", prop(reserve=1)),
    ("undefined", "SOMA-CREATE-018", prop(va="P")),
    ("may", "SOMA-CREATE-016", {}),
    ("may", "SOMA-CREATE-017", {}),
    ("accepts", "SOMA-CREATE-020", {}),
    # ---------------------------------------------------------------- halMemPoolDestroy
    ("rejects", "SOMA-DESTROY-001", {"pool": {"devId": 2}}),
    ("rejects", "SOMA-DESTROY-003", ELSEWHERE),
    ("rejects", "SOMA-DESTROY-003", {"pool": {"poolId": 9}}),
    ("rejects", "SOMA-DESTROY-004", ELSEWHERE),
    ("accepts", "SOMA-DESTROY-010", {}),
    # ---------------------------------------------------------------- halMemPoolMalloc
    ("rejects", "SOMA-MALLOC-001", ELSEWHERE),
    ("rejects", "SOMA-MALLOC-002", {"size": 0}),
    ("rejects", "SOMA-MALLOC-002", {"size": MIB}),
    ("rejects", "SOMA-MALLOC-003", {"va": BEHIND}),
    ("rejects", "SOMA-MALLOC-003", {"size": 10 * MIB}),
    ("rejects", "SOMA-MALLOC-004", {"va": "P"}),
    ("rejects", "SOMA-MALLOC-004", {"va": "P+2097152", "size": 6 * MIB}),
    ("undefined", "SOMA-MALLOC-005", {"policy": 3}),
    ("undefined", "SOMA-MALLOC-005", {"policy": -1}),
    ("may", "SOMA-MALLOC-006", {}),
    ("accepts", "SOMA-MALLOC-010", {}),
    ("accepts", "SOMA-MALLOC-010", {"va": FREED, "size": 6 * MIB}),
    # ---------------------------------------------------------------- halMemPoolFree
    ("rejects", "SOMA-FREE-001", ELSEWHERE),
    ("rejects", "SOMA-FREE-002", {"va": FREED, "size": PAGE}),
    ("rejects", "SOMA-FREE-002", {"size": PAGE}),
    ("rejects", "SOMA-FREE-002", {"va": "P+2097152", "size": PAGE}),
    ("undefined", "SOMA-FREE-003", {"policy": 5}),
    ("accepts", "SOMA-FREE-010", {}),
    # ---------------------------------------------------------------- halMemPoolTrim
    ("rejects", "SOMA-TRIM-001", {}, V3),
    ("rejects", "SOMA-TRIM-002", {"reservedSize": None}, {"refused": {"reservedSize": None}}),
    ("rejects", "SOMA-TRIM-003", {"reservedSize": 4096}, {"refused": {"reservedSize": 4096}}),
    ("rejects", "SOMA-TRIM-004", ELSEWHERE),
    ("undefined", "SOMA-TRIM-005", {"usedSize": 6 * MIB}),
    ("undefined", "SOMA-TRIM-005", {"freeSize": 4 * MIB}),
    ("accepts", "SOMA-TRIM-010", {}),
    ("accepts", "SOMA-TRIM-010", {"reservedSize": 0}),
    ("accepts", "SOMA-TRIM-011", {}),
    ("ensures", "SOMA-TRIM-011", {"reservedSize": 0}, {"reservedSize": PAGE}),
    ("accepts", "SOMA-TRIM-012", {"reservedSize": 6 * MIB}, {"reservedSize": 6 * MIB}),
    ("ensures", "SOMA-TRIM-012", {"reservedSize": 6 * MIB}, {"reservedSize": 4 * MIB}),
    ("accepts", "SOMA-TRIM-013", {"reservedSize": 8 * MIB}, {"reservedSize": 6 * MIB}),
    ("ensures", "SOMA-TRIM-013", {"reservedSize": 8 * MIB}, {"reservedSize": 8 * MIB}),
    ("accepts", "SOMA-TRIM-014", {"reservedSize": 0}),
    ("ensures", "SOMA-TRIM-014", {"reservedSize": 0}, {"reservedSize": 6 * MIB}),
    (
        "ensures",
        "SOMA-TRIM-015",
        {"pool": {"devId": 1}},
        {"reservedSize": PAGE},
        {"refused": 8},
    ),
    # ---------------------------------------------------------------- halMemPoolAsyncConfig
    ("rejects", "SOMA-CONFIG-001", {}, V2),
    ("rejects", "SOMA-CONFIG-002", ELSEWHERE),
    ("rejects", "SOMA-CONFIG-003", {"flag": 2}),
    ("rejects", "SOMA-CONFIG-004", {"va": BEHIND}),
    ("rejects", "SOMA-CONFIG-004", {"size": MIB}),
    ("rejects", "SOMA-CONFIG-005", {"va": UNUSED}),
    ("rejects", "SOMA-CONFIG-006", {"flag": 1}),
    ("rejects", "SOMA-CONFIG-006", {"flag": 1, "va": UNUSED, "size": 4 * MIB}),
    ("may", "SOMA-CONFIG-007", {}),
    ("accepts", "SOMA-CONFIG-010", {}),
    ("accepts", "SOMA-CONFIG-011", {"flag": 1, "va": UNUSED}),
    # ---------------------------------------------------------------- halMemPoolSetAttr
    ("rejects", "SOMA-SETATTR-001", {}, V2),
    ("rejects", "SOMA-SETATTR-002", {"value": None}),
    ("rejects", "SOMA-SETATTR-003", {"pool": {"poolId": 9}}),
    ("rejects", "SOMA-SETATTR-004", {"value": [PAGE + 1]}),
    ("rejects", "SOMA-SETATTR-004", {"value": [2**63]}),
    ("rejects", "SOMA-SETATTR-005", {"attr": RESERVED}),
    ("rejects", "SOMA-SETATTR-005", {"attr": USED, "value": [0]}),
    ("rejects", "SOMA-SETATTR-006", {"attr": USED_MARK}),
    ("rejects", "SOMA-SETATTR-006", {"attr": RESERVED_MARK, "value": [1]}),
    ("rejects", "SOMA-SETATTR-007", {"attr": 0}),
    ("rejects", "SOMA-SETATTR-007", {"attr": 6}),
    ("undefined", "SOMA-SETATTR-009", ELSEWHERE),
    ("may", "SOMA-SETATTR-010", {"value": [32 * MIB]}),
    ("accepts", "SOMA-SETATTR-020", {}),
    ("accepts", "SOMA-SETATTR-021", {"attr": RESERVED_MARK, "value": [0]}),
    ("accepts", "SOMA-SETATTR-022", {"attr": USED_MARK, "value": [0]}),
    # ---------------------------------------------------------------- halMemPoolGetAttr
    ("rejects", "SOMA-GETATTR-001", {}, V2),
    ("rejects", "SOMA-GETATTR-002", {"value": False}, {"refused": {"value": None}}),
    ("rejects", "SOMA-GETATTR-003", {"attr": 6}),
    ("rejects", "SOMA-GETATTR-004", {"pool": {"poolId": 9}}),
    ("undefined", "SOMA-GETATTR-005", ELSEWHERE),
    ("accepts", "SOMA-GETATTR-010", {}),
    ("accepts", "SOMA-GETATTR-011", {}),
    ("ensures", "SOMA-GETATTR-011", {}, value(PAGE)),
    ("accepts", "SOMA-GETATTR-012", {"attr": RESERVED}, value(6 * MIB)),
    ("ensures", "SOMA-GETATTR-012", {"attr": RESERVED}, value(4 * MIB)),
    ("accepts", "SOMA-GETATTR-013", {"attr": RESERVED_MARK}, value(6 * MIB)),
    ("ensures", "SOMA-GETATTR-013", {"attr": RESERVED_MARK}, value(8 * MIB)),
    ("accepts", "SOMA-GETATTR-014", {"attr": USED}, value(4 * MIB)),
    ("ensures", "SOMA-GETATTR-014", {"attr": USED}, value(6 * MIB)),
    ("accepts", "SOMA-GETATTR-015", {"attr": USED_MARK}, value(6 * MIB)),
    ("ensures", "SOMA-GETATTR-015", {"attr": USED_MARK}, value(4 * MIB)),
    (
        "ensures",
        "SOMA-GETATTR-016",
        {"attr": 6},
        value(0),
        {"refused": 3},
    ),
    # ---------------------------------------------------------------- calls of other areas
    ("undefined", "SVM-ATTR-006", {"vptr": "P"}),
    ("accepts", "SVM-ATTR-028", {"vptr": "P"}, told()),
    ("ensures", "SVM-ATTR-028", {"vptr": UNUSED}, told(devId=0)),
    ("ensures", "SVM-ATTR-028", {"vptr": "P"}, told(memType=0x10)),
    ("undefined", "SVM-RANGE-005", {"ptr": "P"}),
    ("undefined", "SVM-PREF-019", {"dev_ptr": "P", "len": PAGE}),
    ("undefined", "VMM-AFREE-006", {"ptr": "P"}),
    ("undefined", "VMM-MAP-022", {"ptr": "P"}),
    ("may", "SVM-SET-013", {"dst": "P"}),
    ("may", "SVM-COPY-027", {"dst": "P"}),
    ("may", "SVM-COPY-027", {"dst": "H", "src": "P+100"}),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[1]} {case[0]}")
def test_rule(case, check):
    check(case)


def test_marks_that_started_anew_may_stand_at_zero_or_at_what_there_is(stage):
    reset = ("halMemPoolSetAttr", {"attr": USED_MARK, "value": [0]})
    malloc = ("halMemPoolMalloc", {})
    place = stage("v3", reset)
    ask = {"pool": {"poolId": 7, "devId": 0}, "attr": USED_MARK, "value": True}
    allowed = [n for n in (0, 2, 4, 6) if _told(place, ask, n * MIB)]
    assert allowed == [0, 2, 4]
    assert [n for n in (4, 6, 8) if _told(place.after(malloc), ask, n * MIB)] == [6]


def _told(place, ask, number):
    return place.judge("halMemPoolGetAttr", ask, 0, value(number)).violation is None


def test_a_pool_that_kept_a_part_may_have_kept_any(stage):
    place = stage(
        "v2",
        ("halMemPoolMalloc", {"va": UNUSED}),
        ("halMemPoolFree", {"va": UNUSED, "size": PAGE}),
        (
            "halMemPoolTrim",
            {"reservedSize": 6 * MIB, "freeSize": 4 * MIB},
            {"reservedSize": 6 * MIB},
        ),
        ("halMemPoolMalloc", {"va": FREED, "size": PAGE}),
    )
    pool = place.world.views[0].pools.at(7)
    assert (pool.held_least, pool.held_most) == (6 * MIB, 8 * MIB)
