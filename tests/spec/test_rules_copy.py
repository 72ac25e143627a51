"""Rules about setting and copying, at once and asynchronously."""

import pytest

from halcert.spec.language import poison
from halcert.spec.svm import async_copy

V2 = {"only": "v2"}
V3 = {"only": "v3"}
INFO = {"info": {"dir": 2, "devid": 0}, "dst": "U", "src": "D0"}
MANY = 4097


def info(**members):
    return {**INFO, "info": {"dir": 2, "devid": 0, **members}}


def matrix(**members):
    return {"p_copy": members}


def convert(**members):
    return matrix(type=1, dma={"devid": 0}, **members)


def destroy(dma):
    return matrix(type=2, dma=dma)


def back(**members):
    """From the device to the host."""
    return {"dst": "U", "src": "D0", "direction": 2, **members}


CONVERTED = {"p_copy": {"dma": {"dma": 9, "fixed_size": 144, "virt_id": 0}}}
COPIES = {"dst": ["D0", "D0+64"], "src": ["U", "U+64"], "size": [64, 8], "count": 2}


def batch(**arrays):
    return {**COPIES, **arrays}


CASES = [
    ("rejects", "SVM-SET-001", {"dst": 0}),
    ("rejects", "SVM-SET-002", {"num": 101}),
    ("rejects", "SVM-SET-003", {"num": 0}),
    ("rejects", "SVM-SET-004", {"dst": "CP"}),
    ("undefined", "SVM-SET-005", {"dst": "D0+4950"}),
    ("undefined", "SVM-SET-006", {"dst": "RW"}),
    ("undefined", "SVM-SET-007", {"dst": "D0B+99", "num": 1}, V2),
    ("accepts", "SVM-SET-010", {}),
    ("accepts", "SVM-SET-010", {"dst": "S"}, V2),
    # --------------------------------------------------------------------------- drvMemcpy
    ("rejects", "SVM-COPY-001", {"dst": 0}, {"only": "v2"}),
    ("rejects", "SVM-COPY-001", {"dst": 0}, V3),
    ("rejects", "SVM-COPY-002", {"src": 0}),
    ("rejects", "SVM-COPY-003", {"dest_max": 0, "byte_count": 0}),
    ("rejects", "SVM-COPY-004", {"byte_count": 101}),
    ("rejects", "SVM-COPY-005", {"src": "S"}),
    ("rejects", "SVM-COPY-005", {"src": "S", "dst": "H"}),
    ("rejects", "SVM-COPY-007", {"src": "D0+99", "dst": "D0"}),
    ("rejects", "SVM-COPY-007", {"src": "H", "dst": "H"}),
    ("rejects", "SVM-COPY-008", {"src": "CP"}),
    ("undefined", "SVM-COPY-009", {"src": "U+19950"}),
    ("undefined", "SVM-COPY-009", {"dst": "M+8190"}, V2),
    ("undefined", "SVM-COPY-010", {"src": "D0+99"}),
    ("may", "SVM-COPY-012", {"src": "D0", "dst": "RW"}),
    ("may", "SVM-COPY-013", {"src": "D0", "dst": "D1"}),
    ("undefined", "SVM-COPY-014", {"src": "D0B"}, V2),
    ("undefined", "SVM-COPY-014", {"dst": "U2+5050"}, V2),
    ("accepts", "SVM-COPY-020", {"src": 1, "dst": 1, "byte_count": 0}),
    ("accepts", "SVM-COPY-021", {}),
    ("accepts", "SVM-COPY-021", {"src": "RW"}),
    # --------------------------------------------------------------------------- halMemcpy
    ("rejects", "SVM-HCOPY-001", {"dst": 0}),
    ("rejects", "SVM-HCOPY-001", {"dst": 0, "count": 0}, V2),
    ("accepts", "SVM-HCOPY-030", {"dst": 0, "src": 0, "count": 0}, V3),
    ("rejects", "SVM-HCOPY-002", {"src": 0}),
    ("rejects", "SVM-HCOPY-003", {"dst_size": 0, "count": 0}),
    ("rejects", "SVM-HCOPY-004", {"count": 101}),
    ("rejects", "SVM-HCOPY-005", info(dir=1), V2),
    ("together", "SVM-HCOPY-005", {"info": {"dir": 1, "devid": 0}}, V3),
    ("rejects", "SVM-HCOPY-005", info(dir=3), V3),
    ("rejects", "SVM-HCOPY-006", info(devid=65)),
    ("rejects", "SVM-HCOPY-006", info(devid=66), V3),
    ("rejects", "SVM-HCOPY-007", info(devid=2)),
    ("rejects", "SVM-HCOPY-008", {"info": {"dir": 2}}),
    ("rejects", "SVM-HCOPY-009", {"info": {"dir": 2}, "src": "H", "dst": "D0"}),
    ("rejects", "SVM-HCOPY-010", {"src": "CP"}),
    ("rejects", "SVM-HCOPY-011", {"src": "D0"}),
    ("rejects", "SVM-HCOPY-012", {"src": "S"}),
    ("undefined", "SVM-HCOPY-013", {"src": "U+19950"}),
    ("undefined", "SVM-HCOPY-014", {"src": "RW", "dst": "U"}),
    ("undefined", "SVM-HCOPY-015", {"src": "D0+99"}),
    ("undefined", "SVM-HCOPY-016", {"src": "D0B"}, V2),
    ("undefined", "SVM-HCOPY-016", {"dst": "D0B+50"}, V2),
    ("undefined", "SVM-HCOPY-017", {"info": {"dir": 2, "devid": 0}}),
    ("undefined", "SVM-HCOPY-018", info(devid=1)),
    ("undefined", "SVM-HCOPY-019", info(devid=2)),
    ("may", "SVM-HCOPY-020", {"src": "D0", "dst": "D1"}),
    ("accepts", "SVM-HCOPY-030", {"count": 0}),
    ("accepts", "SVM-HCOPY-031", {}),
    ("accepts", "SVM-HCOPY-031", INFO),
    # ------------------------------------------------------------------------- halMemcpy2D
    ("rejects", "SVM-C2D-001", {"p_copy": None}, {"refused": {"p_copy": None}}),
    ("rejects", "SVM-C2D-002", matrix(dst=0)),
    ("rejects", "SVM-C2D-003", matrix(src=0)),
    ("rejects", "SVM-C2D-004", matrix(width=0)),
    ("rejects", "SVM-C2D-005", matrix(height=0)),
    ("rejects", "SVM-C2D-006", matrix(dpitch=47)),
    ("rejects", "SVM-C2D-007", matrix(spitch=47)),
    ("rejects", "SVM-C2D-008", matrix(direction=0)),
    ("rejects", "SVM-C2D-008", matrix(direction=3)),
    ("rejects", "SVM-C2D-009", matrix(spitch=2**64 - 1)),
    ("rejects", "SVM-C2D-010", convert(height=5 * 2**20 + 1)),
    ("rejects", "SVM-C2D-010", matrix(height=5 * 2**20 + 1), V3),
    ("undefined", "SVM-C2D-022", matrix(height=5 * 2**20 + 1), V2),
    ("rejects", "SVM-C2D-011", matrix(type=3)),
    ("rejects", "SVM-C2D-012", convert(fixed_size=144)),
    ("rejects", "SVM-C2D-013", matrix(type=1)),
    ("rejects", "SVM-C2D-013", matrix(type=2)),
    ("rejects", "SVM-C2D-014", matrix(type=1, dma={"devid": 66})),
    ("rejects", "SVM-C2D-015", destroy({"dma": 5, "virt_id": 66})),
    ("rejects", "SVM-C2D-016", matrix(dst="H")),
    ("rejects", "SVM-C2D-017", matrix(src="D1")),
    ("rejects", "SVM-C2D-018", matrix(src="D0B")),
    ("rejects", "SVM-C2D-019", matrix(direction=2)),
    ("rejects", "SVM-C2D-020", matrix(type=1, dma={"devid": 1})),
    ("rejects", "SVM-C2D-021", matrix(dst="CP")),
    ("undefined", "SVM-C2D-022", matrix(dst="D0+4900")),
    ("undefined", "SVM-C2D-022", matrix(dst="S"), V2),
    ("undefined", "SVM-C2D-023", matrix(dst="D0B+90", height=1), V2),
    ("undefined", "SVM-C2D-024", matrix(type=1, dma=5)),
    ("undefined", "SVM-C2D-025", matrix(type=1, dma={"devid": 1})),
    ("undefined", "SVM-C2D-026", destroy(4)),
    ("undefined", "SVM-C2D-026", destroy(8), V2),
    ("may", "SVM-C2D-027", convert()),
    ("undefined", "SVM-C2D-028", matrix(height=1, dpitch=2**60)),
    ("undefined", "SVM-C2D-028", matrix(height=1, spitch=2**64 - 1)),
    ("accepts", "SVM-C2D-030", {}),
    ("accepts", "SVM-C2D-030", matrix(**back())),
    ("accepts", "SVM-C2D-031", convert(), CONVERTED),
    ("accepts", "SVM-C2D-032", destroy(5), {"p_copy": {"dma": None}}, V2),
    ("accepts", "SVM-C2D-033", convert(), CONVERTED),
    ("accepts", "SVM-C2D-034", convert(), CONVERTED),
    (
        "ensures",
        "SVM-C2D-033",
        convert(fixed_size=1),
        CONVERTED,
    ),
    (
        "ensures",
        "SVM-C2D-034",
        convert(),
        {"p_copy": {"dma": {"dma": 9, "fixed_size": 144, "virt_id": 3}}},
    ),
    # ---------------------------------------------------------------------- halMemcpyBatch
    ("rejects", "SVM-BATCH-001", batch(dst=None)),
    ("rejects", "SVM-BATCH-002", batch(src=None)),
    ("rejects", "SVM-BATCH-003", batch(size=None)),
    ("rejects", "SVM-BATCH-004", batch(count=0)),
    ("rejects", "SVM-BATCH-005", batch(count=MANY)),
    ("rejects", "SVM-BATCH-006", batch(size=[64, 0])),
    ("accepts", "SVM-BATCH-020", batch(size=[64, 0], count=1)),
    ("rejects", "SVM-BATCH-007", batch(dst=["D0", "H"])),
    ("rejects", "SVM-BATCH-018", batch(dst=["D0", "H"])),
    ("rejects", "SVM-BATCH-018", batch(dst=["H"], src=["U"], count=1)),
    ("rejects", "SVM-BATCH-019", batch(src=["D1", "D1"])),
    ("rejects", "SVM-BATCH-008", batch(src=["D1", "U"])),
    ("rejects", "SVM-BATCH-009", batch(dst=["D0", "D1"])),
    ("rejects", "SVM-BATCH-010", batch(dst=["D0", "CP"])),
    ("undefined", "SVM-BATCH-011", batch(count=3)),
    ("undefined", "SVM-BATCH-012", batch(src=["U", "U+19999"])),
    ("undefined", "SVM-BATCH-013", batch(dst=["D0", "U2"], src=["U", "D0"])),
    ("undefined", "SVM-BATCH-015", batch(dst=["D0", "D0+63"])),
    ("undefined", "SVM-BATCH-016", batch(dst=["D0", "D0B+99"]), V2),
    ("may", "SVM-BATCH-017", {}),
    ("accepts", "SVM-BATCH-020", {}),
    # ---------------------------------------------------------------------- halMemCpyAsync
    ("rejects", "SVM-ASYNC-001", {}),
    ("rejects", "SVM-ASYNC-002", {"dest_max": 99}),
    ("rejects", "SVM-ASYNC-003", {"copy_fd": False}, {"refused": {"copy_fd": None}}),
    ("rejects", "SVM-ASYNC-004", {"byte_count": 0}),
    ("rejects", "SVM-ASYNC-005", {"dst": "H"}),
    ("rejects", "SVM-ASYNC-005", {"src": "D1"}),
    ("rejects", "SVM-ASYNC-006", {"src": "S"}),
    ("undefined", "SVM-ASYNC-007", {"dst": "D0+4950"}),
    ("undefined", "SVM-ASYNC-008", {"src": "D0B", "dst": "U"}),
    ("undefined", "SVM-ASYNC-008", {"dst": "D0B+99"}),
    ("may", "SVM-ASYNC-009", {}),
    ("may", "SVM-ASYNC-010", {}),
    ("accepts", "SVM-ASYNC-020", {}),
    ("accepts", "SVM-ASYNC-021", {}),
    ("accepts", "SVM-ASYNC-022", {}),
    ("ensures", "SVM-ASYNC-021", {}, {"copy_fd": 0}),
    ("ensures", "SVM-ASYNC-021", {}, {"copy_fd": poison(64)}),
    ("ensures", "SVM-ASYNC-022", {}, {"copy_fd": 77}),
    ("rejects", "SVM-AWAIT-001", {}),
    ("rejects", "SVM-AWAIT-002", {"copy_fd": 0}),
    ("undefined", "SVM-AWAIT-003", {"copy_fd": 78}),
    ("undefined", "SVM-AWAIT-003", {}, {"after": [("halMemCpyAsyncWaitFinish", {})], "only": "v2"}),
    ("accepts", "SVM-AWAIT-010", {}),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[1]}-{case[0]}")
def test_rule(check, case):
    check(case)


def loads(place, address, data):
    judged = place.judge("host.load", {"address": address, "size": len(data)}, 0, {"data": data})
    return judged.violation


def test_a_copy_under_way_leaves_its_destination_open_until_it_is_waited_for(stage):
    place = stage(
        "v2",
        ("host.fill", {"address": "U+1000", "value": 1}),
        ("host.fill", {"address": "H", "value": 2}),
        ("drvMemcpy", {"src": "U+1000"}),
        ("halMemCpyAsync", {"src": "D0", "dst": "H"}),
    )
    assert loads(place, "H", bytes([2]) * 100) is None
    assert loads(place, "H", bytes([1]) * 100) is None
    place = place.after(("halMemCpyAsyncWaitFinish", {"copy_fd": 99}))
    assert loads(place, "H", bytes([1]) * 100) is None
    assert loads(place, "H", bytes([2]) * 100).rule == "SVM-AWAIT-010"


def test_a_matrix_is_copied_row_by_row_and_nothing_between(stage):
    place = stage(
        "v2",
        ("host.fill", {"size": 1000, "value": 1}),
        ("host.fill", {"address": "H", "size": 200, "value": 2}),
        ("drvMemcpy", {"byte_count": 100}),
        ("drvMemsetD8", {"dst": "D0+100", "destMax": 900, "num": 900, "value": 1}),
        ("halMemcpy2D", matrix(**back(dst="H", dpitch=50, spitch=60, width=10, height=2))),
    )
    rows = b"\1" * 10 + b"\2" * 40 + b"\1" * 10 + b"\2" * 140
    assert loads(place, "H", rows) is None
    assert loads(place, "H", b"\1" * 60 + b"\2" * 140).rule == "SVM-FILL-010"
    assert loads(place, "H", b"\2" * 200).rule == "SVM-C2D-030"


def test_a_part_of_a_matrix_is_copied_by_its_descriptor(stage):
    made = {"p_copy": {"dma": {"dma": 9, "fixed_size": 13, "virt_id": 0}}}
    turn = back(dst="H", dpitch=50, spitch=60, width=10, height=3, fixed_size=5)
    place = stage(
        "v2",
        ("host.fill", {"address": "H", "size": 200, "value": 2}),
        ("drvMemsetD8", {"destMax": 900, "num": 900, "value": 1}),
        ("halMemcpy2D", convert(**turn), made),
        ("halMemcpySumbit", {"dma_addr": 9, "flag": 1}),
    )
    expected = bytearray(b"\2" * 200)
    expected[5:10] = b"\1" * 5
    expected[50:58] = b"\1" * 8
    assert loads(place, "H", bytes(expected)) is None
    assert loads(place, "H", b"\2" * 200) is None
    place = place.after(("halMemcpyWait", {"dma_addr": 9}))
    assert loads(place, "H", bytes(expected)) is None
    assert loads(place, "H", b"\2" * 200).rule == "SVM-WAIT-010"
    expected[58] = 1
    assert loads(place, "H", bytes(expected)).rule == "SVM-FILL-010"


@pytest.mark.parametrize("generation", ["v2", "v3"])
def test_a_batch_copies_every_element(stage, generation):
    place = stage(
        generation,
        ("host.fill", {"size": 200, "value": 1}),
        ("drvMemcpy", {}),
        ("halMemcpyBatch", {"dst": ["H", "H+100"], "src": ["D0", "D0+50"], "size": [10, 20]}),
    )
    assert loads(place, "H+100", b"\1" * 20) is None
    assert loads(place, "H+100", b"\1" * 19 + b"\0").rule == "SVM-BATCH-020"


def test_there_is_a_limit_to_copies_under_way(stage, monkeypatch):
    monkeypatch.setattr(async_copy, "MOST", 1)
    judged = stage("v2").judge(
        "halMemCpyAsync",
        {"dst": "D0", "dest_max": 9, "src": "U", "byte_count": 9, "copy_fd": True},
        47,
        {"copy_fd": 0},
    )
    assert judged.shown == ("SVM-ASYNC-011",)
