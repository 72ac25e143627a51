"""Rules about reserving addresses, creating physical memory, mapping and access."""

import pytest

from halcert.model.concrete import World
from halcert.spec.language import poison

KIB = 2**10
MIB = 2**20
GIB = 2**30
TIB = 2**40
LEFT32 = poison(32)
LEFT64 = poison(64)
V2 = {"only": "v2"}
V3 = {"only": "v3"}
SHARE = 0x100
REMOTE = 0x200
WINDOW = 0x12C000000000
FAR = 0x140000000000
TOP = 24 * TIB
HOST, DEVICE, NUMA = 0, 1, 2
LARGE, GIANT = 1, 2
RUNTIME = 7


def reserve(size=2 * MIB, addr=0, flag=0, **more):
    return {"size": size, "addr": addr, "flag": flag, **more}


def at(addr, *after):
    return {"ptr": addr}, *after


def create(size=2 * MIB, **prop):
    return {"size": size, "prop": prop}


def mapped(place, handle, size=2 * MIB, **more):
    return {"ptr": place, "handle": handle, "size": size, **more}


def access(*locations, **more):
    descs = [{"type": kind, "id": number, "side": side} for kind, number, side in locations]
    return {"desc": descs, "count": len(descs), **more}


def asked(option=0, **prop):
    return {"option": option, "prop": prop}


def told(**prop):
    return {"prop": {"side": 1, "devid": 0, "module_id": 48, "mem_type": 1, **prop}}


def after(*steps, **more):
    return {"after": list(steps), **more}


NO_PLACE = {"refused": {"ptr": None}}
NO_HANDLE = {"refused": {"handle": None}}
TRANSLATED = ("drvMemAddressTranslate", {"vptr": "R"})
GRANT = ("halMemSetAccess", {})

CASES = [
    # ---------------------------------------------------------------- halMemAddressReserve
    ("rejects", "VMM-RESERVE-001", {"ptr": False}, NO_PLACE),
    ("rejects", "VMM-RESERVE-002", reserve(0)),
    ("rejects", "VMM-RESERVE-003", {"alignment": 2 * MIB}),
    ("rejects", "VMM-RESERVE-004", reserve(2 * MIB, FAR + MIB), V2),
    ("rejects", "VMM-RESERVE-004", reserve(3 * MIB, FAR + 2 * MIB), V2),
    ("rejects", "VMM-RESERVE-004", reserve(512 * MIB, FAR + 256 * MIB), V2),
    ("rejects", "VMM-RESERVE-004", reserve(513 * MIB, FAR + 512 * MIB), V2),
    ("rejects", "VMM-RESERVE-004", reserve(2 * GIB, FAR + 512 * MIB), V3),
    ("rejects", "VMM-RESERVE-005", {"flag": 3}),
    ("rejects", "VMM-RESERVE-006", {"flag": SHARE}),
    ("rejects", "VMM-RESERVE-006", {"flag": REMOTE}),
    ("rejects", "VMM-RESERVE-007", reserve(2 * MIB, TOP, REMOTE)),
    ("rejects", "VMM-RESERVE-009", reserve(GIB, TOP - GIB, REMOTE)),
    ("rejects", "VMM-RESERVE-009", reserve(2 * GIB, 256 * TIB - GIB, REMOTE)),
    ("rejects", "VMM-RESERVE-010", reserve(128 * GIB + 1)),
    ("rejects", "VMM-RESERVE-011", reserve(128 * TIB + GIB, TOP, REMOTE)),
    ("rejects", "VMM-RESERVE-012", reserve(2 * MIB, WINDOW - 2 * MIB)),
    ("rejects", "VMM-RESERVE-012", reserve(GIB, TOP)),
    ("rejects", "VMM-RESERVE-013", reserve(208 * TIB + 1)),
    ("rejects", "VMM-RESERVE-014", reserve(GIB - 1, FAR)),
    ("rejects", "VMM-RESERVE-015", reserve(2 * MIB, FAR + 2 * MIB, SHARE)),
    ("rejects", "VMM-RESERVE-016", reserve(136 * TIB + 1, FAR)),
    ("rejects", "VMM-RESERVE-017", reserve(2 * MIB, "RE")),
    ("rejects", "VMM-RESERVE-017", reserve(2 * MIB, "RE+2097152")),
    ("rejects", "VMM-RESERVE-017", reserve(2 * MIB, "BIG")),
    ("rejects", "VMM-RESERVE-018", reserve(GIB, "RE")),
    ("may", "VMM-RESERVE-020", {}),
    ("may", "VMM-RESERVE-021", reserve(2 * MIB, FAR)),
    ("may", "VMM-RESERVE-022", reserve(GIB, FAR)),
    ("may", "VMM-RESERVE-023", reserve(GIB, TOP, REMOTE)),
    ("accepts", "VMM-RESERVE-030", {}),
    ("accepts", "VMM-RESERVE-030", reserve(128 * GIB)),
    ("accepts", "VMM-RESERVE-030", reserve(GIB, TOP, REMOTE), {"ptr": TOP}, V2),
    ("accepts", "VMM-RESERVE-031", {}),
    ("ensures", "VMM-RESERVE-031", {}, {"ptr": 0}),
    ("ensures", "VMM-RESERVE-031", {}, {"ptr": LEFT64}),
    ("accepts", "VMM-RESERVE-032", {}),
    ("ensures", "VMM-RESERVE-032", {}, {"ptr": "RE+2097152"}),
    ("ensures", "VMM-RESERVE-032", {}, {"ptr": "D0"}),
    ("accepts", "VMM-RESERVE-033", reserve(), {"ptr": FAR + 2 * MIB}),
    ("ensures", "VMM-RESERVE-033", reserve(), {"ptr": FAR + MIB}),
    ("ensures", "VMM-RESERVE-033", reserve(GIB), {"ptr": FAR + 2 * MIB}),
    ("ensures", "VMM-RESERVE-033", reserve(513 * MIB), {"ptr": FAR + 2 * MIB}, V2),
    ("accepts", "VMM-RESERVE-034", {}),
    ("ensures", "VMM-RESERVE-034", reserve(4 * MIB), {"ptr": 2**64 - 2 * MIB}),
    ("accepts", "VMM-RESERVE-035", reserve(GIB, FAR), {"ptr": FAR}),
    ("ensures", "VMM-RESERVE-035", reserve(GIB, FAR), {"ptr": FAR + GIB}),
    ("ensures", "VMM-RESERVE-036", reserve(0), {"ptr": 5}, {"refused": 3}),
    ("ensures", "VMM-RESERVE-037", reserve(0), {"ptr": 0}, {"refused": 3}),
    # ------------------------------------------------------------------- halMemAddressFree
    ("rejects", "VMM-AFREE-001", {"ptr": 0}),
    ("rejects", "VMM-AFREE-002", {"ptr": "RE+4096"}),
    ("rejects", "VMM-AFREE-002", {"ptr": "D0"}),
    ("rejects", "VMM-AFREE-002", {"ptr": "RE"}, after(("halMemAddressFree", {}))),
    ("rejects", "VMM-AFREE-003", {"ptr": "R"}),
    ("rejects", "VMM-AFREE-003", {"ptr": "RG"}),
    ("rejects", "VMM-AFREE-004", {"ptr": "RG"}),
    ("rejects", "VMM-AFREE-005", {"ptr": "R"}),
    ("accepts", "VMM-AFREE-010", {}),
    ("accepts", "VMM-AFREE-010", {"ptr": "R"}, after(("halMemUnmap", {}))),
    # -------------------------------------------------------- halMemGetAddressReserveRange
    ("rejects", "VMM-RANGE-001", {"ptr": False}, {"refused": {"ptr": None, "size": LEFT64}}),
    ("rejects", "VMM-RANGE-002", {"size": False}, {"refused": {"ptr": LEFT64, "size": None}}),
    ("rejects", "VMM-RANGE-003", {"flag": 1}),
    ("rejects", "VMM-RANGE-004", {"type": 1}),
    ("rejects", "VMM-RANGE-005", {}),
    (
        "undefined",
        "VMM-RANGE-006",
        {},
        after(("halMemAgentClose", {"devid": 0}), ("halMemAgentClose", {"devid": 1})),
    ),
    ("accepts", "VMM-RANGE-010", {}),
    ("accepts", "VMM-RANGE-011", {}),
    ("ensures", "VMM-RANGE-011", {}, {"ptr": 0, "size": 5}),
    ("accepts", "VMM-RANGE-012", {}),
    ("ensures", "VMM-RANGE-012", {}, {"ptr": "NEW", "size": 0}),
    # ------------------------------------------------------------------------ halMemCreate
    ("rejects", "VMM-CREATE-001", {"handle": False}, NO_HANDLE),
    ("rejects", "VMM-CREATE-002", create(0)),
    ("rejects", "VMM-CREATE-003", {"flag": 1}),
    ("rejects", "VMM-CREATE-004", {"prop": None}),
    ("rejects", "VMM-CREATE-005", create(side=3)),
    ("rejects", "VMM-CREATE-006", create(devid=65)),
    ("together", "VMM-CREATE-006", create(side=HOST, devid=64), V2),
    ("rejects", "VMM-CREATE-007", create(pg_type=3)),
    ("rejects", "VMM-CREATE-008", create(mem_type=5)),
    ("rejects", "VMM-CREATE-009", create(GIB, side=HOST, pg_type=GIANT)),
    ("rejects", "VMM-CREATE-009", create(GIB, side=NUMA, pg_type=GIANT, mem_type=3), V3),
    ("rejects", "VMM-CREATE-010", create(GIB, pg_type=GIANT, mem_type=4)),
    ("rejects", "VMM-CREATE-011", create(reserve=1)),
    ("rejects", "VMM-CREATE-012", create(side=HOST, devid=1)),
    ("rejects", "VMM-CREATE-013", create(2 * MIB + 4096)),
    ("rejects", "VMM-CREATE-013", create(4096)),
    ("rejects", "VMM-CREATE-013", create(4097, module_id=RUNTIME)),
    ("rejects", "VMM-CREATE-014", create(MIB)),
    ("rejects", "VMM-CREATE-014", create(2 * MIB, pg_type=GIANT)),
    ("rejects", "VMM-CREATE-014", create(4096, module_id=RUNTIME, pg_type=LARGE)),
    ("rejects", "VMM-CREATE-015", create(devid=2)),
    ("undefined", "VMM-CREATE-017", create(2 * MIB, pg_type=GIANT)),
    ("may", "VMM-CREATE-020", {}),
    ("may", "VMM-CREATE-021", create(GIB, pg_type=GIANT)),
    ("may", "VMM-CREATE-022", create(side=NUMA, devid=9)),
    ("may", "VMM-CREATE-023", create(mem_type=3)),
    ("accepts", "VMM-CREATE-030", {}),
    ("accepts", "VMM-CREATE-030", create(4096, module_id=RUNTIME)),
    ("accepts", "VMM-CREATE-031", {}),
    ("ensures", "VMM-CREATE-031", {}, {"handle": 0}),
    ("accepts", "VMM-CREATE-032", {}),
    ("ensures", "VMM-CREATE-032", {}, {"handle": 501}),
    ("ensures", "VMM-CREATE-033", create(0), {"handle": 0}, {"refused": 3}),
    # ----------------------------------------------------------------------- halMemRelease
    ("rejects", "VMM-RELEASE-001", {"handle": 0}),
    ("rejects", "VMM-RELEASE-002", {"handle": 505}),
    ("undefined", "VMM-RELEASE-003", {"handle": 777}),
    ("undefined", "VMM-RELEASE-003", {"handle": 510}),
    ("undefined", "VMM-RELEASE-003", {"handle": 502}, after(("halMemRelease", {"handle": 502}))),
    ("undefined", "VMM-RELEASE-004", {"handle": 505}),
    ("accepts", "VMM-RELEASE-010", {}),
    ("accepts", "VMM-RELEASE-010", {"handle": 502}),
    # --------------------------------------------------------------------------- halMemMap
    ("rejects", "VMM-MAP-001", {"ptr": 0}),
    ("rejects", "VMM-MAP-002", {"size": 0}),
    ("undefined", "VMM-MAP-016", {"handle": 777}),
    ("undefined", "VMM-MAP-016", {"handle": 505}),
    ("undefined", "VMM-MAP-016", {"handle": 510}),
    ("rejects", "VMM-MAP-003", {"offset": 4096}),
    ("rejects", "VMM-MAP-004", {"flag": 1}),
    ("rejects", "VMM-MAP-005", {"handle": 0}),
    ("rejects", "VMM-MAP-006", mapped("NOWHERE", 501)),
    ("rejects", "VMM-MAP-006", mapped("BIG", 501)),
    ("rejects", "VMM-MAP-006", mapped(2**64 - 1, 501)),
    ("rejects", "VMM-MAP-007", mapped("NOWHERE", 501)),
    ("rejects", "VMM-MAP-008", mapped("BIG", 501)),
    ("rejects", "VMM-MAP-009", mapped("R+6295552", 501)),
    ("rejects", "VMM-MAP-009", mapped("RE", 506, 4096), V2),
    ("together", "VMM-MAP-009", mapped("NOWHERE+4096", 501), V3),
    ("together", "VMM-MAP-009", mapped("RS", 506, 3 * MIB), V3),
    ("rejects", "VMM-MAP-010", mapped("R+65011712", 502, 4 * MIB)),
    ("rejects", "VMM-MAP-011", mapped("R", 501)),
    ("rejects", "VMM-MAP-012", mapped("R", 501)),
    ("rejects", "VMM-MAP-013", mapped("R+4194304", 504)),
    (
        "rejects",
        "VMM-MAP-013",
        mapped("R", 504),
        after(("halMemUnmap", {"ptr": "R"})),
    ),
    ("rejects", "VMM-MAP-013", mapped("R+4194304", 507)),
    ("rejects", "VMM-MAP-014", mapped("R+4194304", 501, 4 * MIB)),
    ("rejects", "VMM-MAP-015", mapped("R+4194304", 501, 4 * MIB)),
    ("undefined", "VMM-MAP-017", mapped("R+4194304", 502, 2 * MIB)),
    ("undefined", "VMM-MAP-018", mapped("RE", 502, 4 * MIB)),
    ("undefined", "VMM-MAP-018", mapped("RE+2097152", 501)),
    ("undefined", "VMM-MAP-018", mapped("RE+3145728", 501, 4 * MIB)),
    ("undefined", "VMM-MAP-019", mapped("R+4194304", 504)),
    ("may", "VMM-MAP-020", {}),
    ("accepts", "VMM-MAP-030", {}),
    ("accepts", "VMM-MAP-030", mapped("RE", 501)),
    ("accepts", "VMM-MAP-030", mapped("RS+4096", 506, 4096)),
    ("accepts", "VMM-MAP-030", mapped("R", 504), after(("halMemUnmap", {}), only="v3")),
    # ------------------------------------------------------------------------- halMemUnmap
    ("rejects", "VMM-UNMAP-001", {"ptr": 0}),
    ("together", "VMM-UNMAP-002", {"ptr": "R+4096"}),
    (
        "rejects",
        "VMM-UNMAP-002",
        {"ptr": "RS+4096"},
        after(("halMemMap", mapped("RS+4096", 506, 4096))),
    ),
    ("rejects", "VMM-UNMAP-003", {"ptr": 0}),
    ("rejects", "VMM-UNMAP-003", {"ptr": "R+4096"}),
    ("rejects", "VMM-UNMAP-003", {"ptr": "RE"}),
    ("rejects", "VMM-UNMAP-003", {"ptr": "BIG"}),
    ("rejects", "VMM-UNMAP-003", {"ptr": "R"}, after(("halMemUnmap", {}))),
    ("rejects", "VMM-UNMAP-004", {"ptr": "NOWHERE"}),
    ("rejects", "VMM-UNMAP-005", {"ptr": "RE"}),
    ("rejects", "VMM-UNMAP-005", {"ptr": "BIG"}),
    ("rejects", "VMM-UNMAP-005", {"ptr": "RH+2097152"}),
    ("rejects", "VMM-UNMAP-006", {}, after(TRANSLATED)),
    ("accepts", "VMM-UNMAP-010", {}),
    ("accepts", "VMM-UNMAP-010", {"ptr": "RX"}),
    # --------------------------------------------------------------------- halMemSetAccess
    ("rejects", "VMM-SETACC-001", {"ptr": 0}),
    ("rejects", "VMM-SETACC-002", {"desc": None}),
    ("rejects", "VMM-SETACC-003", {"count": 0}),
    ("rejects", "VMM-SETACC-004", {"count": 67}),
    ("rejects", "VMM-SETACC-005", access((0, 1, DEVICE))),
    ("rejects", "VMM-SETACC-005", access((1, 1, DEVICE))),
    ("rejects", "VMM-SETACC-006", access((2, 1, DEVICE))),
    ("rejects", "VMM-SETACC-007", access((3, 1, HOST))),
    ("rejects", "VMM-SETACC-008", access((3, 65, DEVICE))),
    ("rejects", "VMM-SETACC-009", access((3, 0, NUMA))),
    ("rejects", "VMM-SETACC-010", access((3, 1, DEVICE), (3, 1, DEVICE))),
    ("rejects", "VMM-SETACC-011", {"ptr": "RE"}),
    ("rejects", "VMM-SETACC-011", {"size": 4 * MIB}),
    ("rejects", "VMM-SETACC-011", {"ptr": "NOWHERE"}),
    ("rejects", "VMM-SETACC-012", {"ptr": "NOWHERE"}),
    ("rejects", "VMM-SETACC-013", {"ptr": "RE"}),
    ("rejects", "VMM-SETACC-013", {"size": MIB}),
    ("rejects", "VMM-SETACC-014", access((3, 0, DEVICE), size=MIB)),
    ("rejects", "VMM-SETACC-014", access((3, 0, DEVICE), ptr="R+4096", size=0)),
    ("rejects", "VMM-SETACC-014", {"size": MIB}, after(GRANT)),
    ("undefined", "VMM-SETACC-015", {"count": 2}),
    ("undefined", "VMM-SETACC-016", {"size": MIB}),
    ("undefined", "VMM-SETACC-017", access((3, 2, DEVICE))),
    ("undefined", "VMM-SETACC-018", access((3, 1, DEVICE), (3, 0, HOST))),
    ("may", "VMM-SETACC-019", {}),
    ("accepts", "VMM-SETACC-030", {}),
    ("accepts", "VMM-SETACC-030", access((3, 0, DEVICE))),
    ("accepts", "VMM-SETACC-030", access((3, 0, DEVICE), (3, 1, DEVICE))),
    ("accepts", "VMM-SETACC-030", access((3, 0, HOST), ptr="RH")),
    # --------------------------------------------------------------------- halMemGetAccess
    ("rejects", "VMM-GETACC-001", {"ptr": 0}),
    ("rejects", "VMM-GETACC-002", {"location": None}),
    ("rejects", "VMM-GETACC-003", {"flags": False}, {"refused": {"flags": None}}),
    ("rejects", "VMM-GETACC-004", {"location": {"id": 1, "side": HOST}}),
    ("rejects", "VMM-GETACC-005", {"location": {"id": 65}}),
    ("rejects", "VMM-GETACC-006", {"location": {"side": NUMA}}),
    ("rejects", "VMM-GETACC-007", {"ptr": "RE"}),
    ("rejects", "VMM-GETACC-008", {"ptr": "RE"}),
    ("rejects", "VMM-GETACC-008", {"ptr": "NOWHERE"}),
    ("undefined", "VMM-GETACC-009", {"location": {"id": 2}}),
    ("accepts", "VMM-GETACC-010", {}),
    ("accepts", "VMM-GETACC-011", {"ptr": "R+5000"}),
    ("accepts", "VMM-GETACC-011", {"location": {"id": 1}}, {"flags": 3}, after(GRANT)),
    ("accepts", "VMM-GETACC-011", {"ptr": "RH", "location": {"side": HOST}}),
    ("ensures", "VMM-GETACC-011", {}, {"flags": 0}),
    ("ensures", "VMM-GETACC-011", {"location": {"id": 1}}, {"flags": 0}, after(GRANT)),
    ("accepts", "VMM-GETACC-012", {"location": {"id": 1}}, {"flags": 0}),
    ("accepts", "VMM-GETACC-012", {"location": {"id": 1}}, {"flags": 0x7FFFFFFF}),
    ("ensures", "VMM-GETACC-012", {"location": {"id": 1}}, {"flags": 3}),
    (
        "ensures",
        "VMM-GETACC-012",
        {"location": {"id": 1}},
        {"flags": 3},
        after(GRANT, ("halMemUnmap", {}), ("halMemMap", mapped("R", 501))),
    ),
    ("ensures", "VMM-GETACC-013", {"ptr": 0}, {"flags": 0}, {"refused": 3}),
    # -------------------------------------------------------- halMemRetainAllocationHandle
    ("rejects", "VMM-RETAIN-001", {"handle": False}, NO_HANDLE),
    ("rejects", "VMM-RETAIN-002", {"ptr": 0}),
    ("rejects", "VMM-RETAIN-003", {"ptr": "RE"}),
    ("rejects", "VMM-RETAIN-003", {"ptr": "D0"}),
    ("rejects", "VMM-RETAIN-003", {"ptr": "U"}),
    ("rejects", "VMM-RETAIN-004", {"ptr": "NOWHERE"}),
    ("rejects", "VMM-RETAIN-005", {"ptr": "U"}),
    ("rejects", "VMM-RETAIN-005", {"ptr": "NOWHERE"}),
    ("rejects", "VMM-RETAIN-006", {"ptr": "RE"}),
    ("rejects", "VMM-RETAIN-006", {"ptr": "D0"}),
    ("may", "VMM-RETAIN-007", {"ptr": "R+4096"}),
    ("accepts", "VMM-RETAIN-010", {}),
    ("accepts", "VMM-RETAIN-010", {"ptr": "RX"}, {"handle": 505}),
    ("accepts", "VMM-RETAIN-011", {"ptr": "RA+4096"}),
    ("ensures", "VMM-RETAIN-011", {}, {"handle": 502}),
    ("ensures", "VMM-RETAIN-012", {"ptr": 0}, {"handle": 0}, {"refused": 3}),
    # ------------------------------------------------------ halMemGetAllocationGranularity
    ("rejects", "VMM-GRAN-001", {"option": 2}),
    ("rejects", "VMM-GRAN-002", {"granularity": False}, {"refused": {"granularity": None}}),
    ("rejects", "VMM-GRAN-003", {"prop": None}),
    ("rejects", "VMM-GRAN-004", asked(side=3)),
    ("rejects", "VMM-GRAN-005", asked(devid=66)),
    ("rejects", "VMM-GRAN-005", asked(devid=64), V2),
    ("rejects", "VMM-GRAN-005", asked(devid=65), V3),
    ("rejects", "VMM-GRAN-005", asked(devid=66, side=HOST)),
    ("rejects", "VMM-GRAN-006", asked(pg_type=3)),
    ("rejects", "VMM-GRAN-007", asked(mem_type=5)),
    ("rejects", "VMM-GRAN-008", asked(side=HOST, pg_type=GIANT)),
    ("rejects", "VMM-GRAN-009", asked(pg_type=GIANT, mem_type=4)),
    ("rejects", "VMM-GRAN-010", asked(reserve=1)),
    ("may", "VMM-GRAN-011", asked(pg_type=GIANT)),
    ("may", "VMM-GRAN-012", asked(side=NUMA)),
    ("accepts", "VMM-GRAN-020", {}),
    ("accepts", "VMM-GRAN-021", {}),
    ("ensures", "VMM-GRAN-021", {}, {"granularity": 0}),
    ("accepts", "VMM-GRAN-022", asked(pg_type=GIANT), {"granularity": GIB}),
    (
        "accepts",
        "VMM-GRAN-022",
        asked(side=HOST, devid=65, module_id=RUNTIME),
        {"granularity": 4096},
    ),
    ("ensures", "VMM-GRAN-022", {}, {"granularity": 4096}),
    (
        "ensures",
        "VMM-GRAN-022",
        asked(option=1, side=HOST, devid=65, module_id=RUNTIME),
        {"granularity": 4096},
    ),
    ("ensures", "VMM-GRAN-023", {"option": 2}, {"granularity": 0}, {"refused": 0xFFFE}),
    # --------------------------------------------- halMemGetAllocationPropertiesFromHandle
    ("rejects", "VMM-PROPS-001", {"prop": False}),
    ("rejects", "VMM-PROPS-002", {"handle": 0}),
    ("undefined", "VMM-PROPS-003", {"handle": 777}),
    ("undefined", "VMM-PROPS-003", {"handle": 510}),
    ("accepts", "VMM-PROPS-010", {}),
    ("accepts", "VMM-PROPS-011", {}),
    ("ensures", "VMM-PROPS-011", {}, told(devid=1)),
    ("ensures", "VMM-PROPS-011", {}, told(side=0)),
    ("accepts", "VMM-PROPS-012", {}),
    ("ensures", "VMM-PROPS-012", {}, told(pg_type=1)),
    ("ensures", "VMM-PROPS-012", {}, told(mem_type=0)),
    ("accepts", "VMM-PROPS-013", {"handle": 507}, told(side=0, module_id=200, mem_type=0)),
    ("ensures", "VMM-PROPS-013", {}, told(module_id=0)),
    # ------------------------------------------------- what others say of reserved addresses
    ("rejects", "SVM-FREE-002", {"pp": "RE"}),
    ("rejects", "SVM-FREE-002", {"pp": "R"}),
    ("rejects", "SVM-FREE-002", {"pp": "R"}, after(TRANSLATED, only="v2")),
    ("ensures", "SVM-ALLOC-042", {}, {"pp": "RE"}),
    ("rejects", "SVM-SET-008", {"dst": "RE"}),
    ("accepts", "SVM-SET-010", {"dst": "R+5000"}),
    ("undefined", "SVM-SET-005", {"dst": "R", "destMax": 4 * MIB, "num": 4 * MIB}),
    ("rejects", "SVM-COPY-015", {"src": "RE"}),
    ("rejects", "SVM-COPY-015", {"dst": "RE"}, V3),
    ("rejects", "SVM-COPY-015", {"dst": "RE", "src": "RE+4096"}, V3),
    ("undefined", "SVM-COPY-009", {"dst": "RE"}, V2),
    ("undefined", "SVM-COPY-009", {"dst": "R", "src": "RA+50"}),
    ("undefined", "SVM-COPY-009", {"dst": "RH"}),
    ("accepts", "SVM-COPY-021", {"dst": "R", "src": "RA+4096"}),
    ("accepts", "SVM-COPY-021", {"dst": "R", "src": "RH"}),
    ("rejects", "SVM-HCOPY-021", {"src": "RE"}),
    ("rejects", "SVM-HCOPY-021", {"dst": "RE"}, V3),
    ("undefined", "SVM-BATCH-015", {"dst": ["R", "RA"]}),
    ("undefined", "SVM-ASYNC-007", {"dst": "R"}),
    ("undefined", "SVM-CONV-012", {"p_dst": "R"}),
    ("undefined", "SVM-C2D-022", {"p_copy": {"type": 1, "dst": "R", "dma": True}}),
    ("accepts", "SVM-C2D-030", {"p_copy": {"dst": "R"}}),
    ("accepts", "SVM-BATCH-020", {"dst": ["R", "R+64"]}),
    ("undefined", "SVM-ADVISE-017", {"ptr": "R"}),
    ("undefined", "SVM-ADVISE-017", {"ptr": "RE"}),
    ("rejects", "SVM-PREF-016", {"dev_ptr": "R"}),
    ("undefined", "SVM-TRANS-007", {"vptr": "RH"}),
    ("accepts", "SVM-TRANS-010", {"vptr": "R"}),
    ("undefined", "SVM-ATTR-004", {"vptr": "RE"}, V2),
    ("rejects", "SVM-ATTR-005", {"vptr": "RE"}),
    ("rejects", "SVM-RANGE-002", {"ptr": "RE"}),
    ("accepts", "SVM-RANGE-011", {"ptr": "R+5000"}, {"pbase": "R", "psize": 2 * MIB}),
    ("ensures", "SVM-RANGE-011", {"ptr": "RG+4194309"}, {"pbase": "RG", "psize": 2 * MIB}),
    ("undefined", "SVM-CLOSE-006", {"devid": 1}, after(GRANT)),
    ("undefined", "SVM-DCLOSE-005", {"devid": 1}, after(GRANT)),
]


def attribute(kind, device, page):
    values = {"memType": kind, "devId": device, "pageSize": page}
    return {"attr": {**values, "resv1": LEFT32, "resv2": LEFT32}}


CASES += [
    ("accepts", "SVM-ATTR-011", {"vptr": "R"}, attribute(0x10, 0, 2 * MIB)),
    ("ensures", "SVM-ATTR-011", {"vptr": "R"}, attribute(0x8, 0, 2 * MIB)),
    ("accepts", "SVM-ATTR-013", {"vptr": "RH"}, attribute(0x8, 65, 2 * MIB)),
    ("ensures", "SVM-ATTR-013", {"vptr": "RH"}, attribute(0x10, 65, 2 * MIB)),
    ("accepts", "SVM-ATTR-027", {"vptr": "RH"}, attribute(0x8, 65, 4096)),
    ("ensures", "SVM-ATTR-027", {"vptr": "RH"}, attribute(0x8, LEFT32, 4096)),
    ("ensures", "SVM-ATTR-021", {"vptr": "RH"}, attribute(0x8, 0, 2 * MIB)),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[1]}-{case[0]}")
def test_rule(check, case):
    check(case)


def test_remote_addresses_need_an_open_device(stage):
    place = stage("v2")
    place.world = World.start([0])
    args = {"ptr": True, "size": GIB, "alignment": 0, "addr": TOP, "flag": REMOTE}
    judged = place.judge("halMemAddressReserve", args, 3, {"ptr": LEFT64})
    assert (judged.violation, judged.held) == (None, ("VMM-RESERVE-008",))


def test_memory_of_device_zero_before_it_is_opened_is_left_open(stage):
    place = stage("v2")
    place.world = World.start([0, 1])
    args = {"handle": True, "size": 2 * MIB, "flag": 0}
    of = {device: {**args, "prop": {"side": DEVICE, "devid": device}} for device in (0, 1)}
    assert place.undefined("halMemCreate", of[0]) == "VMM-CREATE-016"
    assert place.judge("halMemCreate", of[1], 42, {"handle": LEFT64}).held == ("VMM-CREATE-015",)
