"""Rules about DMA descriptors, and about where pages are."""

import pytest

from halcert.spec.language import poison

V2 = {"only": "v2"}
V3 = {"only": "v3"}


def made(dma=9, fixed_size=100, virt_id=0):
    return {"dma_addr": {"dma": dma, "fixed_size": fixed_size, "virt_id": virt_id}}


DONE = [("halMemcpyWait", {"dma_addr": 8})]
CONVERTED = {"after": [("drvMemConvertAddr", {})]}
BOTH = {"after": [("drvMemConvertAddr", {}), ("drvMemConvertAddr", {}, made(dma=10))]}

CASES = [
    ("rejects", "SVM-CONV-001", {"dma_addr": None}),
    ("rejects", "SVM-CONV-002", {"dma_addr": {"devid": 66}}),
    ("rejects", "SVM-CONV-003", {"p_src": 0}),
    ("rejects", "SVM-CONV-004", {"p_dst": 0}),
    ("rejects", "SVM-CONV-005", {"len": 0}),
    ("rejects", "SVM-CONV-006", {"len": 0}),
    ("rejects", "SVM-CONV-007", {"p_src": "D0B"}),
    ("rejects", "SVM-CONV-008", {"p_dst": "H"}),
    ("rejects", "SVM-CONV-009", {"dma_addr": {"devid": 1}}),
    ("rejects", "SVM-CONV-010", {"p_dst": "CP"}),
    ("rejects", "SVM-CONV-011", {"p_src": "S"}),
    ("undefined", "SVM-CONV-012", {"p_src": "U+19999"}),
    ("undefined", "SVM-CONV-012", {"p_src": 0}, V2),
    ("undefined", "SVM-CONV-013", {"dma_addr": {"devid": 1}}),
    ("undefined", "SVM-CONV-014", {"dma_addr": 5}),
    ("may", "SVM-CONV-015", {}),
    ("may", "SVM-CONV-016", {"p_src": "D1"}),
    ("accepts", "SVM-CONV-020", {}),
    ("accepts", "SVM-CONV-021", {}),
    ("accepts", "SVM-CONV-022", {}),
    ("ensures", "SVM-CONV-021", {}, made(fixed_size=0)),
    ("ensures", "SVM-CONV-021", {}, made(fixed_size=101)),
    ("ensures", "SVM-CONV-022", {}, made(virt_id=1)),
    ("rejects", "SVM-DESTROY-001", {"ptr": None}),
    ("rejects", "SVM-DESTROY-002", {"ptr": {"dma": 5, "virt_id": 66}}),
    ("undefined", "SVM-DESTROY-003", {"ptr": 7}),
    ("undefined", "SVM-DESTROY-003", {"ptr": 8}, V2),
    ("undefined", "SVM-DESTROY-003", {"ptr": {"dma": 9, "virt_id": 1}}, CONVERTED),
    ("accepts", "SVM-DESTROY-010", {"ptr": 9}, CONVERTED),
    ("rejects", "SVM-DBATCH-001", {"ptr": None}),
    ("rejects", "SVM-DBATCH-002", {"num": 0}),
    ("rejects", "SVM-DBATCH-003", {"ptr": [9, 0]}, CONVERTED),
    ("rejects", "SVM-DBATCH-004", {"ptr": [9, {"dma": 10, "virt_id": 66}]}, BOTH),
    ("undefined", "SVM-DBATCH-005", {"num": 3}),
    ("undefined", "SVM-DBATCH-006", {"ptr": [9, 7]}, CONVERTED),
    ("undefined", "SVM-DBATCH-007", {"ptr": [9, 9]}, CONVERTED),
    ("undefined", "SVM-DBATCH-008", {"ptr": [5, 9]}, {"only": "v2", **CONVERTED}),
    ("accepts", "SVM-DBATCH-010", {"ptr": [9, 10]}, BOTH),
    ("rejects", "SVM-SUBMIT-001", {}),
    ("rejects", "SVM-SUBMIT-002", {"dma_addr": None}),
    ("rejects", "SVM-SUBMIT-003", {"flag": 2}),
    ("rejects", "SVM-SUBMIT-003", {"flag": -1}),
    ("rejects", "SVM-SUBMIT-004", {"dma_addr": {"dma": 5, "virt_id": 64}}),
    ("undefined", "SVM-SUBMIT-005", {"dma_addr": 7}),
    ("undefined", "SVM-SUBMIT-005", {"dma_addr": 8}),
    (
        "undefined",
        "SVM-SUBMIT-006",
        {"dma_addr": 9},
        {
            "after": [
                ("halMemcpySumbit", {"flag": 1}),
                (
                    "drvMemConvertAddr",
                    {"p_dst": "D1+99", "dma_addr": {"devid": 1}},
                    made(virt_id=1),
                ),
            ]
        },
    ),
    ("accepts", "SVM-SUBMIT-010", {}),
    ("accepts", "SVM-SUBMIT-011", {"flag": 1}, {"after": DONE}),
    ("rejects", "SVM-WAIT-001", {}),
    ("rejects", "SVM-WAIT-002", {"dma_addr": None}),
    ("rejects", "SVM-WAIT-003", {"dma_addr": {"dma": 8, "virt_id": 64}}),
    ("undefined", "SVM-WAIT-004", {"dma_addr": 5}),
    ("undefined", "SVM-WAIT-004", {"dma_addr": 8}, {"after": DONE}),
    ("accepts", "SVM-WAIT-010", {}),
    # ------------------------------------------------------------------------- halMemAdvise
    ("rejects", "SVM-ADVISE-001", {"type": 4}),
    ("rejects", "SVM-ADVISE-002", {"device": 66}),
    ("rejects", "SVM-ADVISE-003", {"device": 2}),
    ("rejects", "SVM-ADVISE-004", {"ptr": "H"}),
    ("rejects", "SVM-ADVISE-004", {"ptr": "U", "type": 0}),
    ("rejects", "SVM-ADVISE-005", {"ptr": "D0B"}),
    ("rejects", "SVM-ADVISE-006", {"ptr": "SD", "device": 1}),
    ("rejects", "SVM-ADVISE-007", {"type": 0}),
    ("rejects", "SVM-ADVISE-008", {"ptr": "U"}),
    ("rejects", "SVM-ADVISE-008", {"ptr": 4096}),
    ("rejects", "SVM-ADVISE-009", {"device": 1}),
    ("rejects", "SVM-ADVISE-010", {"count": 4096}),
    ("rejects", "SVM-ADVISE-010", {"ptr": "RW+4096", "count": 4096}),
    ("accepts", "SVM-ADVISE-022", {"count": 8000}),
    ("rejects", "SVM-ADVISE-011", {"ptr": "D0B"}),
    ("rejects", "SVM-ADVISE-011", {"ptr": "D0B", "count": 8191}),
    ("rejects", "SVM-ADVISE-011", {"ptr": "H", "device": 65}),
    ("undefined", "SVM-ADVISE-012", {"ptr": "S+4096"}),
    ("undefined", "SVM-ADVISE-012", {"ptr": "M", "type": 0}),
    ("undefined", "SVM-ADVISE-013", {"ptr": "SH"}),
    ("undefined", "SVM-ADVISE-013", {"ptr": "SD"}),
    ("undefined", "SVM-ADVISE-014", {"ptr": "CONT", "count": 4096}),
    ("may", "SVM-ADVISE-015", {}),
    ("may", "SVM-ADVISE-016", {"ptr": "D0B", "type": 0}),
    ("accepts", "SVM-ADVISE-020", {}),
    ("accepts", "SVM-ADVISE-021", {"ptr": 5, "count": 0, "type": 2, "device": 99}),
    ("accepts", "SVM-ADVISE-021", {"type": 0}),
    ("accepts", "SVM-ADVISE-022", {}),
    # --------------------------------------------------------------- drvMemPrefetchToDevice
    ("rejects", "SVM-PREF-001", {"device": 66}),
    ("rejects", "SVM-PREF-002", {"dev_ptr": "H"}),
    ("rejects", "SVM-PREF-002", {"dev_ptr": "U"}),
    ("rejects", "SVM-PREF-003", {"dev_ptr": 4096}),
    ("rejects", "SVM-PREF-004", {"dev_ptr": "CP"}),
    ("rejects", "SVM-PREF-005", {"dev_ptr": "V0+1", "len": 5}),
    ("rejects", "SVM-PREF-005", {"dev_ptr": "BIG+4096", "len": 5}),
    ("rejects", "SVM-PREF-006", {"len": 8193}),
    ("rejects", "SVM-PREF-007", {"dev_ptr": "S"}),
    ("undefined", "SVM-PREF-008", {"dev_ptr": "V0+1", "len": 5}),
    ("undefined", "SVM-PREF-008", {"len": 0}, V2),
    ("undefined", "SVM-PREF-009", {"device": 1}),
    ("undefined", "SVM-PREF-009", {"dev_ptr": "SX"}),
    ("undefined", "SVM-PREF-010", {"device": 2}),
    ("undefined", "SVM-PREF-011", {"len": 0}),
    ("undefined", "SVM-PREF-012", {"dev_ptr": "D0B"}),
    ("undefined", "SVM-PREF-013", {"dev_ptr": "D0+5001", "len": 1}),
    ("may", "SVM-PREF-014", {}),
    ("may", "SVM-PREF-015", {"device": 1}),
    ("may", "SVM-PREF-018", {"dev_ptr": "RW"}, V2),
    ("accepts", "SVM-PREF-020", {}),
    ("accepts", "SVM-PREF-020", {"dev_ptr": "SH"}, V2),
    ("accepts", "SVM-PREF-020", {"device": 1}, V3),
    # --------------------------------------------------------------- drvMemAddressTranslate
    ("rejects", "SVM-TRANS-001", {}),
    ("rejects", "SVM-TRANS-002", {"pptr": False}, {"refused": {"pptr": None}}),
    ("rejects", "SVM-TRANS-003", {"vptr": 0}),
    ("rejects", "SVM-TRANS-004", {"vptr": "HU"}),
    ("rejects", "SVM-TRANS-004", {"vptr": "U"}),
    ("rejects", "SVM-TRANS-005", {"vptr": "S"}),
    ("rejects", "SVM-TRANS-005", {"vptr": "SH"}),
    ("rejects", "SVM-TRANS-006", {"vptr": "RO"}),
    ("undefined", "SVM-TRANS-007", {"vptr": "D0+5001"}),
    ("undefined", "SVM-TRANS-007", {"vptr": "M"}),
    ("accepts", "SVM-TRANS-010", {}),
    ("accepts", "SVM-TRANS-010", {"vptr": "SD"}),
    ("accepts", "SVM-TRANS-011", {}),
    ("ensures", "SVM-TRANS-011", {}, {"pptr": poison(64)}),
    ("ensures", "SVM-TRANS-012", {"vptr": "S"}, {"pptr": 0}, {"refused": 8, "only": "v2"}),
    ("ensures", "SVM-TRANS-012", {}, {"pptr": 0}, {"refused": 0xFFFE, "only": "v3"}),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[1]}-{case[0]}")
def test_rule(check, case):
    check(case)


def test_a_translated_block_is_never_free_again(stage):
    place = stage("v2", ("drvMemAddressTranslate", {"vptr": "BIG"}))
    assert place.judge("halMemFree", {"pp": "BIG"}, 13).held == ("SVM-FREE-004",)
    assert stage("v2").judge("halMemFree", {"pp": "BIG"}, 0).violation is None


def test_a_descriptor_that_is_destroyed_lets_go_of_its_memory(stage):
    place = stage("v2", ("drvMemConvertAddr", {"p_dst": "BIG"}))
    assert place.judge("halMemFree", {"pp": "BIG"}, 13).violation is None
    place = place.after(("drvMemDestroyAddr", {"ptr": 9}))
    assert place.judge("halMemFree", {"pp": "BIG"}, 0).violation is None


def test_prefetched_pages_keep_their_bytes(stage):
    place = stage("v2", ("drvMemPrefetchToDevice", {"dev_ptr": "SH"}))
    block = place.world.views[0].blocks.at(place.places["SH"])
    assert (block.place, block.device) == (2, 0)
    place = place.after(("drvMemcpy", {"dst": "H", "src": "SH"}))
    judged = place.judge("host.load", {"address": "H", "size": 1}, 0, {"data": b"\2"})
    assert judged.violation.rule == "SVM-COPY-021"
