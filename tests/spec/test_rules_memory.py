"""Rules about opening, allocating and freeing, and about the program's own accesses."""

import pytest

from halcert.model.concrete import World
from halcert.spec.language import poison
from halcert.spec.svm.flags import (
    DEV,
    DVPP,
    HOST,
    HOST_AGENT,
    HOST_UVA,
    RESERVE,
    SVM,
    UVM,
    AllocFlags,
)

GIB = 2**30
TIB = 2**40
NEW = 0x7F000000000


def alloc(size=100, **fields):
    return {"size": size, "flag": AllocFlags.compose(**{"virt": DEV, **fields})}


V2 = {"only": "v2"}
V3 = {"only": "v3"}
ASYNC_TO_BIG = {
    "after": [("halMemCpyAsync", {"dst": "BIG", "src": "U2"}, {"copy_fd": 78})],
}
ASYNC_TO_OWN = {
    "after": [("halMemCpyAsync", {"dst": "OWN", "src": "U2"}, {"copy_fd": 78})],
}
DESCRIPTOR = {"after": [("drvMemConvertAddr", {"p_dst": "BIG"})]}
DESCRIPTOR_TO_OWN = {"after": [("drvMemConvertAddr", {"p_dst": "OWN"})]}

CASES = [
    ("rejects", "SVM-OPEN-001", {"flag": 1}),
    ("rejects", "SVM-OPEN-002", {"devid": 66}),
    ("rejects", "SVM-OPEN-003", {"devid": 5}),
    ("accepts", "SVM-OPEN-010", {"devid": 2}),
    ("rejects", "SVM-CLOSE-001", {"flag": 1}),
    ("rejects", "SVM-CLOSE-002", {"devid": 66}),
    ("undefined", "SVM-CLOSE-003", {"devid": 1}, V2),
    ("undefined", "SVM-CLOSE-003", {"devid": 0}, {"only": "v3", **DESCRIPTOR}),
    ("undefined", "SVM-CLOSE-004", {"devid": 7}),
    ("undefined", "SVM-CLOSE-005", {"devid": 0}),
    ("accepts", "SVM-CLOSE-010", {}),
    ("rejects", "SVM-DOPEN-001", {"devid": 66}),
    ("rejects", "SVM-DOPEN-002", {"devid": 5}),
    ("accepts", "SVM-DOPEN-010", {"devid": 2, "devfd": -3}),
    ("rejects", "SVM-DCLOSE-001", {"devid": 66}),
    ("undefined", "SVM-DCLOSE-002", {"devid": 1}, V2),
    ("undefined", "SVM-DCLOSE-003", {"devid": 7}),
    ("undefined", "SVM-DCLOSE-004", {"devid": 0}),
    ("accepts", "SVM-DCLOSE-010", {}),
    # -------------------------------------------------------------------------- allocation
    ("rejects", "SVM-ALLOC-001", {"pp": False}, {"refused": {"pp": None}}),
    ("rejects", "SVM-ALLOC-002", alloc(0)),
    ("rejects", "SVM-ALLOC-003", alloc(virt=DVPP, devid=64)),
    ("together", "SVM-ALLOC-004", alloc(readonly=True, host_writes=True, giant=True)),
    ("rejects", "SVM-ALLOC-004", alloc(readonly=True, host_writes=True)),
    ("rejects", "SVM-ALLOC-005", alloc(virt=HOST_UVA, contiguous=True)),
    ("rejects", "SVM-ALLOC-006", alloc(virt=RESERVE)),
    ("rejects", "SVM-ALLOC-006", alloc(virt=8)),
    ("rejects", "SVM-ALLOC-007", alloc(virt=HOST, readonly=True)),
    ("rejects", "SVM-ALLOC-008", alloc(virt=HOST, giant=True)),
    ("rejects", "SVM-ALLOC-009", alloc(virt=DVPP, host_writes=True)),
    ("rejects", "SVM-ALLOC-010", alloc(2**23, contiguous=True)),
    ("rejects", "SVM-ALLOC-010", alloc(contiguous=True, huge=True)),
    ("rejects", "SVM-ALLOC-011", alloc(giant=True, ts=True)),
    ("rejects", "SVM-ALLOC-012", alloc(huge=True, giant=True)),
    ("rejects", "SVM-ALLOC-013", alloc(virt=HOST, devid=66)),
    ("rejects", "SVM-ALLOC-014", alloc(209 * TIB)),
    ("rejects", "SVM-ALLOC-015", alloc(virt=SVM)),
    ("rejects", "SVM-ALLOC-016", alloc(virt=UVM)),
    ("rejects", "SVM-ALLOC-017", alloc(devid=65)),
    ("rejects", "SVM-ALLOC-018", alloc(low4g=True)),
    ("rejects", "SVM-ALLOC-019", alloc(readonly=True)),
    ("rejects", "SVM-ALLOC-020", alloc(virt=HOST, huge=True)),
    ("rejects", "SVM-ALLOC-021", alloc(virt=HOST_UVA, p2p=True)),
    ("rejects", "SVM-ALLOC-022", alloc(huge=True, contiguous=True)),
    ("rejects", "SVM-ALLOC-023", alloc(virt=HOST, cp_only=True)),
    ("rejects", "SVM-ALLOC-024", alloc(huge=True, cp_only=True)),
    ("rejects", "SVM-ALLOC-025", alloc(virt=HOST, host_writes=True)),
    ("rejects", "SVM-ALLOC-026", alloc(virt=DVPP, huge=True, giant=True)),
    ("rejects", "SVM-ALLOC-027", alloc(128 * GIB + 1, virt=SVM)),
    ("rejects", "SVM-ALLOC-030", alloc(devid=2)),
    ("rejects", "SVM-ALLOC-031", alloc(virt=HOST_AGENT)),
    ("may", "SVM-ALLOC-033", alloc()),
    ("may", "SVM-ALLOC-034", alloc(readonly=True)),
    ("may", "SVM-ALLOC-035", alloc(giant=True)),
    ("may", "SVM-ALLOC-036", alloc(virt=HOST_UVA)),
    ("may", "SVM-ALLOC-037", alloc(virt=SVM)),
    ("accepts", "SVM-ALLOC-040", {}),
    ("accepts", "SVM-ALLOC-041", {}),
    ("accepts", "SVM-ALLOC-042", {}),
    ("accepts", "SVM-ALLOC-043", {}),
    ("accepts", "SVM-ALLOC-044", {}),
    ("ensures", "SVM-ALLOC-041", {}, {"pp": 0}),
    ("ensures", "SVM-ALLOC-041", {}, {"pp": poison(64)}),
    ("ensures", "SVM-ALLOC-042", {}, {"pp": "D0+4096"}),
    ("ensures", "SVM-ALLOC-043", alloc(huge=True), {"pp": NEW + 4096}),
    ("ensures", "SVM-ALLOC-044", alloc(5000), {"pp": 2**64 - 4096}),
    ("ensures", "SVM-ALLOC-045", alloc(0), {"pp": NEW}, {"refused": 3}),
    ("ensures", "SVM-ALLOC-046", alloc(0), {"pp": 0}, {"refused": 3}),
    ("ensures", "SVM-ALLOC-047", alloc(1, giant=1, huge=1), {"pp": 0}, {"refused": 3}),
    # -------------------------------------------------------------------------------- free
    ("rejects", "SVM-FREE-001", {"pp": 0}),
    ("rejects", "SVM-FREE-002", {"pp": "D0+1"}),
    ("rejects", "SVM-FREE-002", {"pp": "U"}),
    ("rejects", "SVM-FREE-002", {"pp": "D0"}, {"after": [("halMemFree", {})]}),
    ("rejects", "SVM-FREE-002", {"pp": 0xC0000000001}, V3),
    ("undefined", "SVM-FREE-006", {"pp": "BIG"}, {"only": "v2", **ASYNC_TO_BIG}),
    ("undefined", "SVM-FREE-006", {"pp": "OWN"}, {"only": "v2", **ASYNC_TO_OWN}),
    ("rejects", "SVM-FREE-004", {"pp": "BIG"}, {"only": "v2", **DESCRIPTOR}),
    ("rejects", "SVM-FREE-005", {"pp": "OWN"}, {"only": "v2", **DESCRIPTOR_TO_OWN}),
    ("undefined", "SVM-FREE-006", {"pp": "D0B"}),
    (
        "undefined",
        "SVM-FREE-006",
        {"pp": "HBIG"},
        {"after": [("drvMemConvertAddr", {"p_src": "HBIG"})], "only": "v2"},
    ),
    ("undefined", "SVM-FREE-007", {"pp": "BIG"}, {"only": "v3", **DESCRIPTOR}),
    ("undefined", "SVM-FREE-008", {"pp": 0xC0000000001}),
    ("accepts", "SVM-FREE-010", {}),
    # ------------------------------------------------------------------------- the program
    ("undefined", "SVM-HMAP-001", {"size": 0}),
    ("accepts", "SVM-HMAP-010", {}),
    ("accepts", "SVM-HMAP-011", {}),
    ("ensures", "SVM-HMAP-011", {}, {"address": "U"}),
    ("undefined", "SVM-HUNMAP-001", {"address": "H"}),
    ("undefined", "SVM-HUNMAP-001", {"address": "U2"}, V2),
    ("accepts", "SVM-HUNMAP-010", {}),
    ("undefined", "SVM-STORE-001", {"address": "D0"}),
    ("undefined", "SVM-STORE-002", {"address": "U2+5000"}, V2),
    ("accepts", "SVM-STORE-010", {}),
    ("undefined", "SVM-FILL-001", {"address": "D0"}),
    ("undefined", "SVM-FILL-002", {"address": "U2+5099"}, V2),
    ("accepts", "SVM-FILL-010", {}),
    ("undefined", "SVM-LOAD-001", {"address": "U+19999"}),
    ("accepts", "SVM-LOAD-010", {}),
    ("accepts", "SVM-LOAD-011", {}),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[1]}-{case[0]}")
def test_rule(check, case):
    check(case)


def test_a_wrong_byte_is_blamed_on_the_call_that_wrote_it(stage):
    written = stage("v2", ("host.fill", {"value": 0}))
    judged = written.judge("host.load", {"address": "U", "size": 100}, 0, {"data": b"x" * 100})
    assert judged.violation.rule == "SVM-FILL-010"


def test_memory_of_device_zero_before_it_is_opened_is_a_matter_of_the_past(stage):
    place = stage("v2")
    place.world = World.start([0])
    assert place.undefined("halMemAlloc", {"pp": True, **alloc()}) == "SVM-ALLOC-032"
