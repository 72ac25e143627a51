"""The area: its interfaces, invariants and theorems in one place."""

from __future__ import annotations

from halcert.spec.language import Area
from halcert.spec.soma.announce import MemPoolAsyncConfig
from halcert.spec.soma.attributes import MemPoolGetAttr, MemPoolSetAttr
from halcert.spec.soma.invariants import INVARIANTS
from halcert.spec.soma.pools import MemPoolCreate, MemPoolDestroy
from halcert.spec.soma.theorems import THEOREMS
from halcert.spec.soma.trim import MemPoolTrim
from halcert.spec.soma.use import MemPoolFree, MemPoolMalloc

INTERFACES = tuple(
    call.interface
    for call in (
        MemPoolCreate,
        MemPoolDestroy,
        MemPoolMalloc,
        MemPoolFree,
        MemPoolTrim,
        MemPoolAsyncConfig,
        MemPoolSetAttr,
        MemPoolGetAttr,
    )
)

SOMA_AREA = Area(
    name="soma",
    title="SOMA: pools of device memory",
    interfaces=INTERFACES,
    invariants=INVARIANTS,
    theorems=THEOREMS,
    uses=("svm", "vmm"),
)
