"""A stage on which single calls are judged: a process with one block of every sort.

A case is ``(what, rule, arguments)`` and perhaps more, see ``Stage.check``. Arguments are those
of the interface's usual call (``usual``) with some replaced; a string such as ``"D0+16"`` means
an address in a block of the stage.
"""

from __future__ import annotations

from functools import cache

import pytest

from halcert.model.concrete import Oracle, World
from halcert.spec.catalogue import AREAS, interfaces, rule
from halcert.spec.language import Kind, poison
from halcert.spec.pattern import pattern_bytes
from halcert.spec.profiles import ASCEND910B, ASCEND950
from halcert.spec.svm.flags import DEV, DVPP, HOST, HOST_UVA, SVM, UVM, AllocFlags

GENERATIONS = {"v2": ASCEND910B, "v3": ASCEND950}
INTERFACES = interfaces()
MIB = 2**20
GIB = 2**30
INNER_ERROR = 7
LEFT32 = poison(32)
LEFT64 = poison(64)

# Blocks that both generations have, then those of one.
BLOCKS = {
    "D0": (5000, {"virt": DEV, "phys": 1, "module": 7}),
    "D0B": (8192, {"virt": DEV}),
    "D1": (8192, {"virt": DEV, "devid": 1}),
    "BIG": (64 * MIB, {"virt": DEV, "huge": True}),
    "ODD": (23 * MIB, {"virt": DEV}),
    "NEAR": (7 * MIB, {"virt": DEV}),
    "OWN": (600 * MIB, {"virt": DEV}),
    "G": (GIB, {"virt": DEV, "giant": True}),
    "V0": (8192, {"virt": DVPP}),
    "H": (8192, {"virt": HOST}),
    "HBIG": (64 * MIB, {"virt": HOST}),
    "HU": (8192, {"virt": HOST_UVA}),
    "RW": (8192, {"virt": DEV, "host_writes": True}),
}
ONLY = {
    "v2": {
        "S": (8192, {"virt": SVM}),
        "SH": (8192, {"virt": SVM}),
        "SD": (8192, {"virt": SVM}),
        "SX": (8192, {"virt": SVM}),
        "RO": (8192, {"virt": DEV, "readonly": True}),
    },
    "v3": {
        "CP": (8192, {"virt": DEV, "cp_only": True}),
        "CONT": (12288, {"virt": DEV, "contiguous": True}),
    },
}
MANAGED = {
    "M": (0, 8192),  # untouched
    "MM": (1, 8 * MIB),  # pages: written by the host, read-mostly, written by device 0, untouched
    "MN": (5, 4 * MIB),  # right behind that; untouched
    "MH": (9, 4 * MIB),  # preferred by a device and by another, prefetched to one; nothing behind
}
"""Managed memory: in which 2 MiB of its addresses it starts, and its size."""
# Reservations: their sizes. What is mapped there stands in MAPPINGS.
RESERVATIONS = {
    "R": 64 * MIB,  # a device's memory at the start, nothing behind 2 MiB
    "RA": 8 * MIB,  # the same memory again
    "RH": 4 * MIB,  # memory of the host
    "RX": 4 * MIB,  # memory whose handle was released
    "RE": 3 * MIB,  # nothing
    "RG": 600 * MIB,  # a device's memory behind the start
    "RS": 64 * 1024,  # nothing; less than a huge page
}
HANDLES = {
    501: (2 * MIB, {"side": 1, "devid": 0, "module_id": 48, "mem_type": 1}),
    502: (4 * MIB, {"side": 1, "devid": 0, "mem_type": 1}),
    503: (2 * MIB, {"side": 0}),
    504: (2 * MIB, {"side": 1, "devid": 1, "pg_type": 1}),
    505: (2 * MIB, {"side": 1, "devid": 0, "mem_type": 1}),
    506: (4096, {"side": 0, "module_id": 7}),
    507: (2 * MIB, {"side": 0, "module_id": 200}),
    508: (2 * MIB, {"side": 1, "devid": 0, "mem_type": 1}),
    510: (2 * MIB, {"side": 1, "devid": 3}),
}
"""Sizes and properties of physical memory; 505 is released and 510 lost."""
MAPPINGS = (("R", 501), ("RA", 501), ("RH", 503), ("RX", 505), ("RG+4194304", 508))
FIRST = 0x12C000000000
APART = 4 * GIB
SOMA_WINDOW = 0xC0000000000


def usual(name, generation):
    """The arguments of a call that succeeds on the stage."""
    matrix = {"type": 0, "dst": "D0", "dpitch": 64, "src": "U", "spitch": 128, "width": 48}
    matrix |= {"height": 3, "direction": 1, "fixed_size": 0, "dma": None}
    copy = {"dst": "D0", "src": "U"}
    return {
        "halMemAgentOpen": {"devid": 0, "flag": 0},
        "halMemAgentClose": {"devid": 2, "flag": 0},
        "drvMemDeviceOpen": {"devid": 0, "devfd": 0},
        "drvMemDeviceClose": {"devid": 2},
        "halMemAlloc": {"pp": True, "size": 100, "flag": flag(virt=DEV)},
        "halMemFree": {"pp": "D0"},
        "drvMemsetD8": {"dst": "D0", "destMax": 100, "value": 7, "num": 100},
        "drvMemcpy": {**copy, "dest_max": 100, "byte_count": 100},
        "halMemcpy": {**copy, "dst_size": 100, "count": 100, "info": None},
        "halMemcpy2D": {"p_copy": matrix},
        "halMemcpyBatch": {
            "dst": ["D0", "D0+64"],
            "src": ["U", "U+64"],
            "size": [64, 8],
            "count": 2,
        },
        "halMemCpyAsync": {**copy, "dest_max": 100, "byte_count": 100, "copy_fd": True},
        "halMemCpyAsyncWaitFinish": {"copy_fd": 77},
        "drvMemConvertAddr": {"p_src": "U", "p_dst": "D0", "len": 100, "dma_addr": True},
        "drvMemDestroyAddr": {"ptr": 5},
        "halMemDestroyAddrBatch": {"ptr": [5, 6], "num": 2},
        "halMemcpySumbit": {"dma_addr": 5, "flag": 0},
        "halMemcpyWait": {"dma_addr": 8},
        "halMemAdvise": (
            {"ptr": "S", "count": 8192, "type": 1, "device": 0}
            if generation == "v2"
            else {"ptr": "RW", "count": 8192, "type": 3, "device": 0}
        ),
        "drvMemPrefetchToDevice": {"dev_ptr": "V0", "len": 8192, "device": 0},
        "drvMemAddressTranslate": {"vptr": "D0+5", "pptr": True},
        "drvMemGetAttribute": {"vptr": "D0+5", "attr": True},
        "halMemGetInfo": {"device": 0, "type": 2, "info": True},
        "halMemGetAddressRange": {"ptr": "D0+5", "pbase": True, "psize": True},
        "halMemCtl": {
            "type": 5,
            "param_value": {"value": "D0"},
            "param_value_size": None,
            "out_value": True,
            "out_size_ret": True,
        },
        **usual_of_vmm(),
        **usual_of_uvm(),
        **usual_of_soma(),
        "host.map": {"size": 100},
        "host.unmap": {"address": "U"},
        "host.store": {"address": "U", "size": 100, "pattern": 1, "offset": 0},
        "host.fill": {"address": "U", "size": 100, "value": 3},
        "host.load": {"address": "H", "size": 100},
    }[name]


def usual_of_vmm():
    prop = {"side": 1, "devid": 0, "module_id": 0, "pg_type": 0, "mem_type": 0, "reserve": 0}
    return {
        "halMemAddressReserve": {
            "ptr": True,
            "size": 2 * MIB,
            "alignment": 0,
            "addr": 0,
            "flag": 0,
        },
        "halMemAddressFree": {"ptr": "RE"},
        "halMemGetAddressReserveRange": {"ptr": True, "size": True, "type": 0, "flag": 0},
        "halMemCreate": {"handle": True, "size": 2 * MIB, "prop": prop, "flag": 0},
        "halMemRelease": {"handle": 501},
        "halMemMap": {
            "ptr": f"R+{4 * MIB}",
            "size": 4 * MIB,
            "offset": 0,
            "handle": 502,
            "flag": 0,
        },
        "halMemUnmap": {"ptr": "R"},
        "halMemSetAccess": {
            "ptr": "R",
            "size": 2 * MIB,
            "desc": [{"type": 3, "id": 1, "side": 1}],
            "count": 1,
        },
        "halMemGetAccess": {"ptr": "R", "location": {"id": 0, "side": 1}, "flags": True},
        "halMemRetainAllocationHandle": {"handle": True, "ptr": "R"},
        "halMemGetAllocationGranularity": {"prop": prop, "option": 0, "granularity": True},
        "halMemGetAllocationPropertiesFromHandle": {"prop": True, "handle": 501},
    }


def usual_of_uvm():
    device = {"type": 1, "id": 0}
    return {
        "halMemManagedAdvise": {"ptr": "MM", "size": 2 * MIB, "advise": 0, "location": device},
        "halMemManagedPrefetch": {"ptr": "MM", "size": 2 * MIB, "location": device, "flags": 0},
        "halMemManagedPrefetchBatch": {
            "ptrs": ["MM", "MM+4194304"],
            "sizes": [2 * MIB, 2 * MIB],
            "count": 2,
            "prefetchLocs": [device, {"type": 1, "id": 1}],
            "prefetchLocIdxs": [0, 1],
            "numPrefetchLocs": 2,
            "flags": 0,
        },
        "halMemManagedRangeGetAttributes": {
            "data": [True],
            "data_sizes": [4],
            "attributes": [1],
            "attribute_num": 1,
            "ptr": "MM",
            "size": 2 * MIB,
        },
        "device.store": {"device": 0, "address": "MM", "size": 100, "pattern": 1, "offset": 0},
        "device.load": {"device": 0, "address": "MM", "size": 100},
    }


def usual_of_soma():
    pool = {"poolId": 7, "devId": 0}
    prop = {"handle_type": 2, "side": 1, "devid": 0, "module_id": 48, "pg_type": 1, "mem_type": 0}
    return {
        "halMemPoolCreate": {
            "pool": {"poolId": 8, "devId": 0},
            "prop": {**prop, "va": "PE", "maxSize": 4 * MIB},
        },
        "halMemPoolDestroy": {"pool": pool},
        "halMemPoolMalloc": {"pool": pool, "va": "P+8388608", "size": 2 * MIB, "policy": 0},
        "halMemPoolFree": {"pool": pool, "va": "P", "size": 4 * MIB, "policy": 4},
        "halMemPoolTrim": {
            "pool": pool,
            "reservedSize": 4 * MIB,
            "usedSize": 4 * MIB,
            "freeSize": 2 * MIB,
        },
        "halMemPoolAsyncConfig": {
            "pool": pool,
            "va": "P+12582912",
            "size": 2 * MIB,
            "flag": 0,
        },
        "halMemPoolSetAttr": {"pool": pool, "attr": 1, "value": [2 * MIB]},
        "halMemPoolGetAttr": {"pool": pool, "attr": 1, "value": True},
    }


ANSWERS = {
    "halMemPoolTrim": {"reservedSize": 4 * MIB},
    "halMemPoolGetAttr": {"value": 0},
    "halMemManagedRangeGetAttributes": {"data": [[0]]},
    "device.load": {"data": pattern_bytes(1, 0, 100)},
    "halMemAddressReserve": {"ptr": "FREE"},
    "halMemGetAddressReserveRange": {"ptr": "NEW", "size": 5 * GIB},
    "halMemCreate": {"handle": 599},
    "halMemGetAccess": {"flags": 3},
    "halMemRetainAllocationHandle": {"handle": 501},
    "halMemGetAllocationGranularity": {"granularity": 2 * MIB},
    "halMemGetAllocationPropertiesFromHandle": {
        "prop": {"side": 1, "devid": 0, "module_id": 48, "pg_type": 0, "mem_type": 1}
    },
    "halMemAlloc": {"pp": "NEW"},
    "host.map": {"address": "NEW"},
    "host.load": {"data": bytes(100)},
    "halMemcpy2D": {"p_copy": {"dma": None}},
    "halMemCpyAsync": {"copy_fd": 99},
    "drvMemConvertAddr": {"dma_addr": {"dma": 9, "fixed_size": 100, "virt_id": 0}},
    "drvMemAddressTranslate": {"pptr": 4096},
    "drvMemGetAttribute": {
        "attr": {
            "memType": 0x10,
            "resv1": LEFT32,
            "resv2": LEFT32,
            "devId": 0,
            "pageSize": 4096,
        }
    },
    "halMemGetInfo": {"info": {"total": 100 * GIB, "free": 50 * GIB}},
    "halMemGetAddressRange": {"pbase": "D0", "psize": 8192},
    "halMemCtl": {"out_value": {"value": 7}, "out_size_ret": 4},
}
"""What the usual calls give where they succeed."""

REFUSED = {
    "halMemPoolTrim": {"reservedSize": 4 * MIB},
    "halMemPoolGetAttr": {"value": LEFT64},
    "halMemManagedRangeGetAttributes": {"data": None},
    "device.load": {"data": b""},
    "halMemAddressReserve": {"ptr": LEFT64},
    "halMemGetAddressReserveRange": {"ptr": LEFT64, "size": LEFT64},
    "halMemCreate": {"handle": LEFT64},
    "halMemGetAccess": {"flags": LEFT64},
    "halMemRetainAllocationHandle": {"handle": LEFT64},
    "halMemGetAllocationGranularity": {"granularity": LEFT64},
    "halMemGetAllocationPropertiesFromHandle": {"prop": None},
    "host.map": {"address": 0},
    "host.load": {"data": b""},
    "halMemAlloc": {"pp": LEFT64},
    "halMemcpy2D": {"p_copy": {"dma": None}},
    "halMemCpyAsync": {"copy_fd": LEFT64},
    "drvMemConvertAddr": {"dma_addr": None},
    "drvMemAddressTranslate": {"pptr": LEFT64},
    "drvMemGetAttribute": {
        "attr": dict.fromkeys(("memType", "resv1", "resv2", "devId", "pageSize"), LEFT32)
    },
    "halMemGetInfo": {"info": {"flag": LEFT32}},
    "halMemGetAddressRange": {"pbase": LEFT64, "psize": LEFT64},
    "halMemCtl": {"out_value": {"value": LEFT64}, "out_size_ret": LEFT64},
}
"""What calls give where they are refused."""


def flag(**fields):
    return AllocFlags.compose(**fields)


class Stage:
    """A world of one generation, and the oracle that judges calls in it."""

    def __init__(self, generation):
        self.generation = generation
        self.oracle = Oracle(INTERFACES.values(), GENERATIONS[generation])
        self.world = World.start([0, 1, 2, 3])
        self.places = {"NEW": 0x7F000000000, "FREE": 0x17F000000000, "NOWHERE": 0x178000000000}
        for device in (0, 1, 3):
            self.do("halMemAgentOpen", {"devid": device, "flag": 0})
        for name, (size, fields) in {**BLOCKS, **ONLY[generation]}.items():
            self.places[name] = FIRST + len(self.places) * APART
            args = {"pp": True, "size": size, "flag": flag(**fields)}
            self.do("halMemAlloc", args, {"pp": name})
        for name in ("U", "U2"):
            self.places[name] = 0x10000000 * len(self.places)
            self.do("host.map", {"size": 20000}, {"address": name})
        if generation == "v2":
            self._in_use()
        self._mapped()
        for name, (page, _size) in MANAGED.items():
            self.places[name] = 0x90000000000 + page * 2 * MIB
        if generation == "v2":
            self._managed()
        self._pooled()

    def _pooled(self):
        """A pool: 4 MiB in use, 2 MiB free behind them; in SVM v3 2 MiB are announced."""
        usual_args = usual_of_soma()
        self.places |= {"P": SOMA_WINDOW + GIB, "PE": SOMA_WINDOW + 2 * GIB}
        if self.generation == "v3":
            for name in ("P", "PE"):
                self.places[name] = FIRST + (50 + len(name)) * APART
                args = {"ptr": True, "size": 64 * MIB, "alignment": 0, "addr": 0, "flag": 1}
                self.do("halMemAddressReserve", args, {"ptr": name})
        made = usual_args["halMemPoolCreate"]
        prop = {**made["prop"], "va": "P", "maxSize": 16 * MIB}
        self.do("halMemPoolCreate", {"pool": {"poolId": 7, "devId": 0}, "prop": prop})
        for place, size in (("P", 4 * MIB), ("P+4194304", 2 * MIB)):
            args = {**usual_args["halMemPoolMalloc"], "va": place, "size": size}
            self.do("halMemPoolMalloc", args)
        args = {**usual_args["halMemPoolFree"], "va": "P+4194304", "size": 2 * MIB}
        self.do("halMemPoolFree", args)
        if self.generation == "v3":
            args = {**usual_args["halMemPoolAsyncConfig"], "va": "P+8388608"}
            self.do("halMemPoolAsyncConfig", args)

    def _managed(self):
        for name, (_page, size) in MANAGED.items():
            args = {"pp": True, "size": size, "flag": flag(virt=UVM)}
            self.do("halMemAlloc", args, {"pp": name})
        store = {"size": 100, "pattern": 1, "offset": 0}
        for place in ("MM", "MM+2097152"):
            self.do("host.store", {"address": place, **store})
        usual_args = usual_of_uvm()
        self.do("halMemManagedAdvise", {**usual_args["halMemManagedAdvise"], "ptr": "MM+2097152"})
        self.do("device.store", {"device": 0, "address": "MM+4194304", **store})
        for page, device in (("MH", 0), ("MH+2097152", 1)):
            at = {"ptr": page, "location": {"type": 1, "id": device}}
            self.do(
                "halMemManagedAdvise",
                {**usual_args["halMemManagedAdvise"], **at, "advise": 2},
            )
            self.do("halMemManagedAdvise", {**usual_args["halMemManagedAdvise"], **at, "advise": 4})
        prefetch = {**usual_args["halMemManagedPrefetch"], "ptr": "MH", "size": 2 * MIB}
        self.do("halMemManagedPrefetch", prefetch)

    def _mapped(self):
        usual_args = usual_of_vmm()
        for name, size in RESERVATIONS.items():
            self.places[name] = FIRST + len(self.places) * APART
            args = {**usual_args["halMemAddressReserve"], "size": size}
            self.do("halMemAddressReserve", args, {"ptr": name})
        for handle, (size, prop) in HANDLES.items():
            args = {**usual_args["halMemCreate"], "size": size, "prop": prop}
            self.do("halMemCreate", args, {"handle": handle})
        for place, handle in MAPPINGS:
            args = {"ptr": place, "size": 2 * MIB, "handle": handle}
            self.do("halMemMap", {**usual_args["halMemMap"], **args})
        self.do("halMemRelease", {"handle": 505})
        self.do("halMemAgentClose", {"devid": 3, "flag": 0})

    def _in_use(self):
        self.do("drvMemsetD8", {"dst": "SH", "destMax": 8192, "value": 1, "num": 8192})
        self.do("drvMemsetD8", {"dst": "SX", "destMax": 8192, "value": 1, "num": 100})
        self.do("halMemAdvise", {"ptr": "SD", "count": 8192, "type": 1, "device": 0})
        for number, place in ((5, "D1"), (6, "D1+100"), (8, "D1+4096")):
            args = {"p_src": "U2", "p_dst": place, "len": 100, "dma_addr": {"devid": 1}}
            made = {"dma": number, "fixed_size": 100, "virt_id": 1}
            self.do("drvMemConvertAddr", args, {"dma_addr": made})
        self.do("halMemcpySumbit", {"dma_addr": 8, "flag": 1})
        args = {"dst": "D0B", "dest_max": 100, "src": "U2+5000", "byte_count": 100}
        self.do("halMemCpyAsync", {**args, "copy_fd": True}, {"copy_fd": 77})

    def resolve(self, value):
        if isinstance(value, str):
            name, _, plus = value.partition("+")
            return self.places[name] + int(plus or 0)
        if isinstance(value, dict):
            return {key: self.resolve(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self.resolve(each) for each in value]
        return value

    def call(self, name, args):
        return INTERFACES[name].parse(self.resolve(args))

    def judge(self, name, args, code=0, out=None):
        result = INTERFACES[name].parse_result(code, self.resolve(out or {}))
        return self.oracle.judge(self.world, self.call(name, args), result)

    def undefined(self, name, args):
        found = self.oracle.undefined(name, self.call(name, args), self.world)
        return found.id if found else None

    def do(self, name, args, out=None):
        assert self.undefined(name, args) is None, (name, args)
        judged = self.judge(name, args, 0, out)
        assert judged.violation is None, (name, args, judged.violation)
        self.world = judged.world
        return self

    def after(self, *steps):
        """A stage on which more calls were made: the usual ones with arguments replaced."""
        stage = object.__new__(Stage)
        stage.__dict__.update(self.__dict__)
        for name, args, *out in steps:
            given = merged(usual(name, self.generation), args)
            stage.do(name, given, out[0] if out else ANSWERS.get(name))
        return stage


def merged(usual_args, args):
    """The usual arguments with some replaced; members of mappings one by one."""
    found = dict(usual_args)
    for key, value in args.items():
        inner = found.get(key)
        both = isinstance(inner, dict) and isinstance(value, dict)
        found[key] = {**inner, **value} if both else value
    return found


@cache
def stage_of(generation):
    return Stage(generation)


def check(case):
    """Check one case on every generation that its rule is for.

    ``("rejects", rule, args)``: only this rule refuses the call; with its codes all is well, with
    success or another code it is broken. ``("together", rule, args)``: this rule and others refuse
    the call, and its codes will do. ``("may", rule, args)``: the call may be refused.
    ``("undefined", rule, args)``: nothing is promised. ``("accepts", rule, args, out)``: success
    is right and shows the rule, failure is wrong. ``("ensures", rule, args, out)``: these outputs
    break the rule. ``("leaves", rule, args)``: a failure with ``code`` leaves something by the
    rule. A last mapping may hold ``after`` (calls to be made before), ``only`` (one
    generation), ``refused`` (outputs of a failing call) and ``code`` (what it answers).
    """
    what, rule_id, args, *rest = case
    options = rest.pop() if rest and what_is_options(rest[-1]) else {}
    out = rest[0] if rest else None
    spoken = rule(rule_id)
    for generation, profile in GENERATIONS.items():
        if spoken.applies_to(profile.name) and options.get("only", generation) == generation:
            stage = stage_of(generation).after(*options.get("after", ()))
            name = spoken.interface
            given = merged(usual(name, generation), args)
            CHECKS[what](stage, spoken, name, given, out, options)


def what_is_options(value):
    return bool(value.keys() & {"after", "only", "refused", "code"})


def _rejects(stage, spoken, name, args, out, options):
    assert stage.undefined(name, args) is None
    refused = options.get("refused", REFUSED.get(name))
    for code in spoken.codes or (INNER_ERROR,):
        judged = stage.judge(name, args, code, refused)
        assert judged.violation is None, judged.violation
        assert judged.held == (spoken.id,)
        left = [r.id for r, _when, _effect in stage.oracle.rules(name).leaves]
        assert judged.world is stage.world or set(left) & set(judged.shown)
    accepted = stage.judge(name, args, 0, ANSWERS.get(name))
    assert accepted.violation.rule == spoken.id
    assert accepted.violation.shape == "accepted"
    if spoken.codes:
        other = stage.judge(name, args, 98, refused)
        anything = any(not r.codes for r in may_rules(stage, name, args))
        assert anything or other.violation.rule == spoken.id


def _together(stage, spoken, name, args, out, options):
    for code in spoken.codes or (INNER_ERROR,):
        judged = stage.judge(name, args, code, options.get("refused", REFUSED.get(name)))
        assert judged.violation is None, judged.violation
        assert spoken.id in judged.held
        assert len(judged.held) > 1


def may_rules(stage, name, args):
    call, view = stage.call(name, args), stage.world.views[0]
    return stage.oracle.rules(name).permitting(call, view)


def _may(stage, spoken, name, args, out, options):
    assert stage.undefined(name, args) is None
    for code in spoken.codes or (INNER_ERROR,):
        judged = stage.judge(name, args, code, options.get("refused", REFUSED.get(name)))
        assert judged.violation is None, judged.violation
        assert spoken.id in judged.shown


def _undefined(stage, spoken, name, args, out, options):
    view, call = stage.world.views[0], stage.call(name, args)
    assert stage.undefined(name, args) is not None
    found = {"profile": stage.oracle.profile, "state": view}
    assert spoken.function(call, **{need: found[need] for need in spoken.needs})


def _accepts(stage, spoken, name, args, out, options):
    assert stage.undefined(name, args) is None
    answer = ANSWERS.get(name) if out is None else out
    judged = stage.judge(name, args, 0, answer)
    assert judged.violation is None, judged.violation
    assert spoken.id in judged.shown
    if spoken.kind is Kind.ACCEPTS and all(r.codes for r in may_rules(stage, name, args)):
        refused = stage.judge(name, args, INNER_ERROR, REFUSED.get(name))
        assert refused.violation is not None


def _ensures(stage, spoken, name, args, out, options):
    assert stage.undefined(name, args) is None
    code = options.get("refused", 0)
    judged = stage.judge(name, args, code, out)
    assert judged.violation is not None
    assert judged.violation.rule == spoken.id


def _leaves(stage, spoken, name, args, out, options):
    assert stage.undefined(name, args) is None
    judged = stage.judge(name, args, options["code"], REFUSED.get(name))
    assert judged.violation is None, judged.violation
    assert spoken.id in judged.shown
    assert judged.world is not stage.world
    nothing_wrong = stage.judge(name, args, 98, REFUSED.get(name))
    assert nothing_wrong.violation is None or nothing_wrong.world is stage.world


CHECKS = {
    "rejects": _rejects,
    "together": _together,
    "may": _may,
    "undefined": _undefined,
    "accepts": _accepts,
    "ensures": _ensures,
    "leaves": _leaves,
}


@pytest.fixture(name="check", scope="session")
def _check():
    return check


@pytest.fixture(name="stage")
def _stage():
    return lambda generation, *steps: stage_of(generation).after(*steps)


@pytest.fixture(name="svm_rules", scope="session")
def _svm_rules():
    return list(AREAS["svm"].rules())
