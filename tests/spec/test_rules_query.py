"""Rules about what can be asked: attributes, ranges, memory of devices, features and modules."""

import pytest

from halcert.model.concrete import World
from halcert.spec.language import poison

LEFT32 = poison(32)
LEFT64 = poison(64)
GIB = 2**30
MIB = 2**20
V2 = {"only": "v2"}
V3 = {"only": "v3"}
DCACHE = 0xFF000000000


def attr(memType, devId=LEFT32, pageSize=4096, resv1=LEFT32, resv2=LEFT32):  # noqa: N803
    values = {"memType": memType, "devId": devId, "pageSize": pageSize}
    return {"attr": {**values, "resv1": resv1, "resv2": resv2}}


def at(place):
    return {"vptr": place}


def addresses(*places, mask=2, **more):
    info = {"addr": list(places), "cnt": len(places), "mem_type": mask, **more}
    return {"type": 5, "info": info}


def token(place, size=100):
    return {"type": 10, "info": {"va": place, "size": size}}


def flag(value):
    return {"info": {"flag": value}}


def sizes(total, free, huge=(0, 0), giant=(0, 0)):
    names = ("total", "free", "huge_total", "huge_free", "giant_total", "giant_free")
    return {"info": dict(zip(names, (total, free, *huge, *giant), strict=True))}


def ask(kind, value=None, **more):
    return {"type": kind, "param_value": value, **more}


def features(mask, size=LEFT64):
    return {"out_value": {"support_feature": mask, "devid": 0}, "out_size_ret": size}


def told(value, size):
    return {"out_value": {"value": value}, "out_size_ret": size}


NOTHING = {"out_value": False, "out_size_ret": False}
NO_OUTPUTS = {"refused": {"out_value": None, "out_size_ret": None}}
NO_SIZE = {"refused": {"out_value": {"value": LEFT64}, "out_size_ret": None}}
NO_VALUE = {"refused": {"out_value": None, "out_size_ret": LEFT64}}
REPAIR = {"devid": 0, "count": 1}
CP_MAP = {"devid": 0, "ptr": DCACHE, "size": 4096}
CP_UNMAP = {"devid": 0, "ptr": DCACHE}

CASES = [
    ("rejects", "SVM-ATTR-001", {"vptr": 0}),
    ("rejects", "SVM-ATTR-002", {"attr": False}, {"refused": {"attr": None}}),
    ("rejects", "SVM-ATTR-003", at("CP")),
    ("undefined", "SVM-ATTR-004", at("D0+5000")),
    ("undefined", "SVM-ATTR-004", at("NEW")),
    ("accepts", "SVM-ATTR-010", {}),
    ("accepts", "SVM-ATTR-011", {}),
    ("ensures", "SVM-ATTR-011", {}, attr(0x8, 0)),
    ("accepts", "SVM-ATTR-012", at("V0"), attr(0x20, 0, 2**21), V2),
    ("accepts", "SVM-ATTR-012", at("V0"), attr(0x20, 0), V3),
    ("accepts", "SVM-ATTR-012", at("V0"), attr(0x10, 0), V3),
    ("ensures", "SVM-ATTR-012", at("V0"), attr(0x10, 0, 2**21), V2),
    ("ensures", "SVM-ATTR-012", at("V0"), attr(0x8, 0)),
    ("accepts", "SVM-ATTR-013", at("H+8191"), attr(0x8), V2),
    ("accepts", "SVM-ATTR-013", at("HU"), attr(0x8, 65), V3),
    ("ensures", "SVM-ATTR-013", at("H"), attr(0x80)),
    ("accepts", "SVM-ATTR-014", at("U"), attr(0x80)),
    ("ensures", "SVM-ATTR-014", at("U"), attr(0x8)),
    ("accepts", "SVM-ATTR-015", at("U"), attr(0x8)),
    ("accepts", "SVM-ATTR-015", at("U"), attr(0x80)),
    ("ensures", "SVM-ATTR-015", at("U"), attr(0x10)),
    ("accepts", "SVM-ATTR-016", at("S"), attr(0x1, 0)),
    ("accepts", "SVM-ATTR-016", at("SH"), attr(0x2, 0)),
    ("accepts", "SVM-ATTR-016", at("SD"), attr(0x4, 0)),
    ("accepts", "SVM-ATTR-016", at("SX"), attr(0x2, 0)),
    ("ensures", "SVM-ATTR-016", at("SH"), attr(0x4, 0)),
    ("ensures", "SVM-ATTR-016", at("SX"), attr(0x8, 0)),
    ("accepts", "SVM-ATTR-017", at("M"), attr(0x200, pageSize=2**21)),
    ("ensures", "SVM-ATTR-017", at("M"), attr(0x200)),
    ("accepts", "SVM-ATTR-018", at("D1"), attr(0x10, 1)),
    ("ensures", "SVM-ATTR-018", at("D1"), attr(0x10, 0)),
    ("accepts", "SVM-ATTR-019", at("H"), attr(0x8)),
    ("ensures", "SVM-ATTR-019", at("H"), attr(0x8, 65)),
    ("accepts", "SVM-ATTR-020", at("SH"), attr(0x2, 0)),
    ("ensures", "SVM-ATTR-020", at("SH"), attr(0x2)),
    ("accepts", "SVM-ATTR-021", at("H"), attr(0x8, 65)),
    ("ensures", "SVM-ATTR-021", at("H"), attr(0x8)),
    ("accepts", "SVM-ATTR-022", at("U"), attr(0x80)),
    ("ensures", "SVM-ATTR-022", at("U"), attr(0x80, 65)),
    ("accepts", "SVM-ATTR-023", at("BIG"), attr(0x10, 0, 2**21)),
    ("accepts", "SVM-ATTR-023", at("RO"), attr(0x10, 0, 2**21)),
    ("accepts", "SVM-ATTR-023", at("RW"), attr(0x10, 0, 2**21)),
    ("ensures", "SVM-ATTR-023", at("BIG"), attr(0x10, 0)),
    ("ensures", "SVM-ATTR-023", at("H"), attr(0x8, pageSize=2**21)),
    ("accepts", "SVM-ATTR-024", at("G"), attr(0x10, 0, 2**21)),
    ("ensures", "SVM-ATTR-024", at("G"), attr(0x10, 0, GIB)),
    ("ensures", "SVM-ATTR-024", at("D0"), attr(0x10, 0, 2**21)),
    ("accepts", "SVM-ATTR-025", {}),
    ("ensures", "SVM-ATTR-025", {}, attr(0x10, 0, resv2=0)),
    ("ensures", "SVM-ATTR-026", {"vptr": 0}, attr(0), {"refused": 3}),
    # ---------------------------------------------------------------- halMemGetAddressRange
    (
        "rejects",
        "SVM-RANGE-001",
        {"pbase": False, "psize": False},
        {"refused": {"pbase": None, "psize": None}},
    ),
    ("rejects", "SVM-RANGE-002", {"ptr": "U"}),
    ("rejects", "SVM-RANGE-002", {"ptr": "D0"}, {"after": [("halMemFree", {})]}),
    ("rejects", "SVM-RANGE-002", {"ptr": "OWN+700000000"}, V3),
    ("rejects", "SVM-RANGE-002", {"ptr": "D0+8192"}, V2),  # a rest of more than a fifth
    ("rejects", "SVM-RANGE-002", {"ptr": "ODD+25165824"}),  # behind the huge page
    ("undefined", "SVM-RANGE-003", {"ptr": "OWN+700000000"}),
    ("undefined", "SVM-RANGE-003", {"ptr": "ODD+24117248"}),
    ("undefined", "SVM-RANGE-003", {"ptr": "NEAR+7864320"}),
    ("undefined", "SVM-RANGE-003", {"ptr": "V0+8192"}),
    ("undefined", "SVM-RANGE-004", {"ptr": "D0+5000"}),
    ("accepts", "SVM-RANGE-010", {}),
    ("accepts", "SVM-RANGE-011", {}),
    ("ensures", "SVM-RANGE-011", {}, {"pbase": "D0+5", "psize": 8192}),
    ("accepts", "SVM-RANGE-012", {"pbase": False}, {"pbase": None, "psize": 8192}),
    ("ensures", "SVM-RANGE-012", {}, {"pbase": "D0", "psize": 4096}),
    ("accepts", "SVM-RANGE-013", {"ptr": "OWN"}, {"pbase": "OWN", "psize": GIB}),
    ("accepts", "SVM-RANGE-013", {"ptr": "V0"}, {"pbase": "V0", "psize": 8192}),
    ("accepts", "SVM-RANGE-013", {"ptr": "V0"}, {"pbase": "V0", "psize": 2 * MIB}),
    ("accepts", "SVM-RANGE-013", {"ptr": "ODD"}, {"pbase": "ODD", "psize": 23 * MIB}),
    ("accepts", "SVM-RANGE-013", {"ptr": "ODD"}, {"pbase": "ODD", "psize": 24 * MIB}),
    ("accepts", "SVM-RANGE-013", {"ptr": "NEAR"}, {"pbase": "NEAR", "psize": 8 * MIB}),
    ("ensures", "SVM-RANGE-013", {"ptr": "ODD"}, {"pbase": "ODD", "psize": 26 * MIB}),
    ("ensures", "SVM-RANGE-013", {}, {"pbase": "D0", "psize": 2 * MIB}),
    ("ensures", "SVM-RANGE-013", {}, {"pbase": "D0", "psize": 5000}),
    ("accepts", "SVM-RANGE-014", {"psize": True}, {"pbase": "D0", "psize": 5000}),
    ("accepts", "SVM-RANGE-014", {}, {"pbase": "D0", "psize": 8192}),
    ("ensures", "SVM-RANGE-014", {}, {"pbase": "D0", "psize": 5001}),
    ("ensures", "SVM-RANGE-015", {"ptr": "U"}, {"pbase": 0, "psize": LEFT64}, {"refused": 3}),
    ("ensures", "SVM-RANGE-016", {"ptr": "U"}, {"pbase": LEFT64, "psize": 0}, {"refused": 3}),
    # ----------------------------------------------------------------------- halMemGetInfo
    ("rejects", "SVM-INFO-001", {"device": 66}),
    ("rejects", "SVM-INFO-002", {"info": False}, {"refused": {"info": None}}),
    ("rejects", "SVM-INFO-003", {"type": 0}),
    ("rejects", "SVM-INFO-003", {"type": 6}),
    ("rejects", "SVM-INFO-003", {"type": 12}),
    ("rejects", "SVM-INFO-003", token("D0"), V2),
    ("rejects", "SVM-INFO-004", {"type": 5, "info": {"cnt": 1}}),
    ("rejects", "SVM-INFO-005", addresses()),
    ("rejects", "SVM-INFO-005", addresses("D0", cnt=1025)),
    ("rejects", "SVM-INFO-006", addresses("D0", mask=3)),
    ("rejects", "SVM-INFO-006", addresses("D0", mask=2 + 4)),
    ("rejects", "SVM-INFO-006", addresses("D0", mask=2 + 16)),
    ("rejects", "SVM-INFO-007", addresses("D0", "H"), {"refused": flag(0)}),
    ("rejects", "SVM-INFO-007", addresses("D0", mask=8), {"refused": flag(0)}),
    ("rejects", "SVM-INFO-007", addresses("D1"), {"refused": flag(0)}),
    ("rejects", "SVM-INFO-008", addresses("D0", "NEW"), {"refused": flag(0)}),
    ("rejects", "SVM-INFO-008", addresses("CP"), {"refused": flag(0)}),
    ("rejects", "SVM-INFO-008", addresses("D0", mask=32), {"refused": flag(0)}),
    ("rejects", "SVM-INFO-009", token("D0", 0)),
    ("rejects", "SVM-INFO-010", token("D1")),
    ("rejects", "SVM-INFO-010", token("NEW")),
    ("undefined", "SVM-INFO-011", addresses("D0", cnt=2)),
    ("undefined", "SVM-INFO-012", {"device": 2}),
    ("undefined", "SVM-INFO-013", addresses("D0", "NEW"), V2),
    ("undefined", "SVM-INFO-013", addresses("RW")),
    ("undefined", "SVM-INFO-014", token("D0", 5001)),
    ("may", "SVM-INFO-015", token("D0")),
    ("may", "SVM-INFO-016", {}),
    ("accepts", "SVM-INFO-020", {}),
    ("accepts", "SVM-INFO-020", token("D0"), {"info": {"token_id": 1}}, V3),
    ("accepts", "SVM-INFO-021", {}),
    ("ensures", "SVM-INFO-021", {}, sizes(5, 6)),
    ("ensures", "SVM-INFO-021", {}, sizes(5, 0, (5, 6))),
    ("accepts", "SVM-INFO-022", {}, sizes(5 * GIB, 0, (5, 4), (4, 3))),
    ("ensures", "SVM-INFO-022", {"type": 1}, sizes(5, 0, (5, 4), (6, 3))),
    ("accepts", "SVM-INFO-023", {}, sizes(8192, 0)),
    ("accepts", "SVM-INFO-023", {}, sizes(0, 0)),
    ("ensures", "SVM-INFO-023", {}, sizes(2 * GIB, 2 * GIB - 8191)),
    ("accepts", "SVM-INFO-024", addresses("D0", "V0", mask=10), flag(1)),
    ("ensures", "SVM-INFO-024", addresses("D0"), flag(0)),
    ("ensures", "SVM-INFO-025", addresses("H"), flag(1), {"refused": 4, "only": "v2"}),
    ("ensures", "SVM-INFO-025", addresses("H"), flag(1), {"refused": 3, "only": "v3"}),
    ("ensures", "SVM-INFO-026", addresses(), flag(0), {"refused": 3}),
    # ---------------------------------------------------------------------------- halMemCtl
    ("rejects", "SVM-CTL-001", {"type": -1}),
    ("rejects", "SVM-CTL-001", {"type": 9}),
    ("rejects", "SVM-CTL-002", {"type": 8}),
    ("rejects", "SVM-CTL-002", {"type": 0}),
    ("rejects", "SVM-CTL-003", ask(2)),
    ("rejects", "SVM-CTL-003", ask(2, {}, out_value=False), NO_VALUE),
    ("rejects", "SVM-CTL-004", ask(3, {"value": 0}, out_size_ret=False), NO_SIZE),
    ("rejects", "SVM-CTL-005", ask(3, {"value": 0}, param_value_size=8)),
    ("rejects", "SVM-CTL-006", ask(3, {"value": 64})),
    ("rejects", "SVM-CTL-007", ask(4, None, **NOTHING), NO_OUTPUTS),
    ("rejects", "SVM-CTL-007", ask(4, REPAIR, param_value_size=8, **NOTHING), NO_OUTPUTS),
    ("rejects", "SVM-CTL-008", ask(4, REPAIR, out_value=False), NO_VALUE),
    ("rejects", "SVM-CTL-009", ask(4, {"devid": 66, "count": 1}, **NOTHING), NO_OUTPUTS),
    ("rejects", "SVM-CTL-010", ask(4, {"devid": 0, "count": 21}, **NOTHING), NO_OUTPUTS),
    ("rejects", "SVM-CTL-011", ask(5, {"value": "D0"}, out_value=False), NO_VALUE),
    ("rejects", "SVM-CTL-012", ask(5, {"value": "D0"}, param_value_size=4)),
    ("rejects", "SVM-CTL-012", {"type": 5, "param_value_size": 0}),
    ("rejects", "SVM-CTL-013", ask(0)),
    ("rejects", "SVM-CTL-014", ask(0, {"devid": 0}, out_value=False), NO_VALUE),
    ("rejects", "SVM-CTL-015", ask(0, {"devid": 64})),
    ("rejects", "SVM-CTL-016", ask(1, {"addr_type": 5})),
    ("rejects", "SVM-CTL-016", ask(0, {"addr_type": 5})),
    ("rejects", "SVM-CTL-017", ask(1, {"devid": 0}, param_value_size=8)),
    ("rejects", "SVM-CTL-018", ask(1, {"addr_type": 2})),
    ("rejects", "SVM-CTL-020", ask(6, CP_MAP, out_size_ret=False), NO_SIZE),
    ("rejects", "SVM-CTL-021", ask(7, CP_UNMAP)),
    ("rejects", "SVM-CTL-022", ask(6, CP_MAP, param_value_size=8)),
    ("rejects", "SVM-CTL-023", ask(6, {**CP_MAP, "flag": 1})),
    ("rejects", "SVM-CTL-023", ask(7, {**CP_UNMAP, "size": 1}, **NOTHING), NO_OUTPUTS),
    ("rejects", "SVM-CTL-024", ask(6, {**CP_MAP, "ptr": DCACHE - 1})),
    ("rejects", "SVM-CTL-025", ask(6, {**CP_MAP, "devid": 64})),
    ("rejects", "SVM-CTL-026", ask(6, {**CP_MAP, "devid": 2})),
    ("rejects", "SVM-CTL-027", ask(8, param_value_size=1)),
    ("rejects", "SVM-CTL-027", ask(8, out_value=False), NO_VALUE),
    ("undefined", "SVM-CTL-028", ask(5, bytes(8))),
    ("undefined", "SVM-CTL-029", ask(4, REPAIR, **NOTHING)),
    ("undefined", "SVM-CTL-029", ask(0, {"devid": 0}), V2),
    ("undefined", "SVM-CTL-029", ask(1, {"devid": 0}), V2),
    ("undefined", "SVM-CTL-029", ask(6, CP_MAP), V2),
    ("accepts", "SVM-CTL-030", {}),
    ("accepts", "SVM-CTL-031", ask(2, {"support_feature": 0x3F}), features(0x1B), V2),
    ("ensures", "SVM-CTL-031", ask(2, {"support_feature": 0x11}), features(0x13)),
    ("ensures", "SVM-CTL-031", ask(2, {"support_feature": 2**64 - 1}), features(0x40)),
    ("accepts", "SVM-CTL-032", ask(2, {"support_feature": 0x1}), features(0x1)),
    ("ensures", "SVM-CTL-032", ask(2, {"support_feature": 0x1}), features(0)),
    ("accepts", "SVM-CTL-033", ask(2, {"support_feature": 0x3F, "devid": 99}), features(0x1)),
    ("ensures", "SVM-CTL-033", ask(2, {"support_feature": 0x3F, "devid": 2}), features(0x11)),
    ("accepts", "SVM-CTL-034", ask(2, {"support_feature": 0x3F}), features(0x1A)),
    ("ensures", "SVM-CTL-034", ask(2, {"support_feature": 0x3F}), features(0xA)),
    ("ensures", "SVM-CTL-034", ask(2, {"support_feature": 0x3F}), features(0x11)),
    ("accepts", "SVM-CTL-035", ask(2, {"support_feature": 0}), features(0)),
    ("ensures", "SVM-CTL-035", ask(2, {"support_feature": 0}), features(0, size=16)),
    ("accepts", "SVM-CTL-036", ask(3, {"value": 0}), told(0, 8)),
    ("ensures", "SVM-CTL-036", ask(3, {"value": 0}), told(5, 8)),
    ("ensures", "SVM-CTL-036", ask(3, {"value": 0}), told(0, 4)),
    ("accepts", "SVM-CTL-037", {}),
    ("accepts", "SVM-CTL-037", ask(5, {"value": "U"}), told(0xFFFF, 4)),
    ("accepts", "SVM-CTL-037", ask(5, {"value": "D0+5000"}), told(3, 4)),
    ("ensures", "SVM-CTL-037", {}, told(0xFFFF, 4)),
    ("ensures", "SVM-CTL-037", ask(5, {"value": "U"}), told(0, 4)),
    ("accepts", "SVM-CTL-038", {}),
    ("ensures", "SVM-CTL-038", {}, told(7, 8)),
    ("accepts", "SVM-CTL-039", ask(8), told(DCACHE, 8)),
    ("ensures", "SVM-CTL-039", ask(8), told(DCACHE + 1, 8)),
    (
        "ensures",
        "SVM-CTL-040",
        ask(8, param_value_size=1),
        told(0, LEFT64),
        {"refused": 3, "only": "v2"},
    ),
    ("ensures", "SVM-CTL-040", ask(8), told(0, LEFT64), {"refused": 0xFFFE, "only": "v3"}),
    ("ensures", "SVM-CTL-041", {"type": 9}, told(LEFT64, 0), {"refused": 0xFFFE}),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[1]}-{case[0]}")
def test_rule(check, case):
    check(case)


def test_a_window_needs_a_device_that_was_opened(stage):
    place = stage("v2")
    place.world = World.start([0])
    args = {"param_value": {"devid": 0}, "param_value_size": None}
    args |= {"type": 0, "out_value": True, "out_size_ret": True}
    judged = place.judge("halMemCtl", args, 4, told(LEFT64, LEFT64))
    assert (judged.violation, judged.held) == (None, ("SVM-CTL-019",))
