"""The area: its interfaces, invariants and theorems in one place."""

from __future__ import annotations

from halcert.spec.language import Area
from halcert.spec.runtime.advice import ManagedAdvise
from halcert.spec.runtime.ask import GetMemInfo, PointerGetAttributes
from halcert.spec.runtime.copies import Memcpy, MemcpyAsync
from halcert.spec.runtime.events import (
    CreateEvent,
    DestroyEvent,
    RecordEvent,
    StreamWaitEvent,
    SynchronizeEvent,
)
from halcert.spec.runtime.invariants import INVARIANTS
from halcert.spec.runtime.managed import MemAllocManaged
from halcert.spec.runtime.memory import Free, FreeHost, Malloc, MallocHost
from halcert.spec.runtime.pool_attributes import PoolGetAttr, PoolSetAttr
from halcert.spec.runtime.pool_use import PoolFreeAsync, PoolMallocAsync
from halcert.spec.runtime.pools import PoolCreate, PoolDestroy, PoolTrimTo
from halcert.spec.runtime.prefetching import ManagedPrefetchAsync, ManagedPrefetchBatchAsync
from halcert.spec.runtime.process import (
    Finalize,
    GetDevice,
    GetDeviceCount,
    Init,
    ResetDevice,
    ResetDeviceForce,
    SetDevice,
)
from halcert.spec.runtime.range_attributes import ManagedGetAttr, ManagedGetAttrs
from halcert.spec.runtime.rectangles import Memcpy2d, Memcpy2dAsync
from halcert.spec.runtime.registering import (
    HostGetDevicePointer,
    HostRegister,
    HostRegisterV2,
    HostUnregister,
)
from halcert.spec.runtime.sets import Memset, MemsetAsync
from halcert.spec.runtime.streams import (
    CreateStream,
    DestroyStream,
    DestroyStreamForce,
    StreamQuery,
    SynchronizeDevice,
    SynchronizeStream,
)
from halcert.spec.runtime.theorems import THEOREMS
from halcert.spec.runtime.values import ValueWait, ValueWrite
from halcert.spec.svm.host import HostFill, HostLoad, HostMap, HostStore, HostUnmap

INTERFACES = tuple(
    call.interface
    for call in (
        Init,
        Finalize,
        GetDeviceCount,
        SetDevice,
        GetDevice,
        ResetDevice,
        ResetDeviceForce,
        CreateStream,
        DestroyStream,
        DestroyStreamForce,
        SynchronizeStream,
        SynchronizeDevice,
        StreamQuery,
        CreateEvent,
        DestroyEvent,
        RecordEvent,
        StreamWaitEvent,
        SynchronizeEvent,
        ValueWrite,
        ValueWait,
        Malloc,
        Free,
        MallocHost,
        FreeHost,
        MemAllocManaged,
        ManagedAdvise,
        ManagedPrefetchAsync,
        ManagedPrefetchBatchAsync,
        ManagedGetAttr,
        ManagedGetAttrs,
        GetMemInfo,
        PointerGetAttributes,
        Memset,
        MemsetAsync,
        Memcpy,
        MemcpyAsync,
        Memcpy2d,
        Memcpy2dAsync,
        HostRegisterV2,
        HostRegister,
        HostGetDevicePointer,
        HostUnregister,
        PoolCreate,
        PoolDestroy,
        PoolSetAttr,
        PoolGetAttr,
        PoolMallocAsync,
        PoolFreeAsync,
        PoolTrimTo,
    )
)

SET = ((0, "RUNTIME-SET-010"),)
"""The call after which a thread works with a device."""
REGISTERED = (*SET, (0, "RUNTIME-HMALLOC-010"), (0, "RUNTIME-REGISTER-020"))
"""The calls after which host memory is registered."""
ELSEWHERE = (*SET, (0, "RUNTIME-MALLOC-010"), (0, "RUNTIME-SET-010"))
"""The calls after which there is memory on a device, and another device may be worked with."""
STREAM = (*SET, (0, "RUNTIME-STREAM-010"))
"""The calls after which there is a stream."""
EVENT = (*STREAM, (0, "RUNTIME-EVENT-010"))
"""The calls after which there is an event, too."""
MEMORY = (*STREAM, (0, "RUNTIME-MALLOC-010"))
"""The calls after which there is device memory."""
WORK = (*MEMORY, (0, "RUNTIME-ASET-011"))
"""The calls after which a task is under way."""
VALUE = ((0, "RUNTIME-MALLOC-010"), (0, "RUNTIME-VWRITE-010"), (0, "RUNTIME-VWAIT-011"))
"""The calls by which a stream comes to wait for a value."""
WAITING = (*STREAM, *VALUE)
"""The calls after which a stream waits for a value."""
AWAITED = (
    *MEMORY,
    (0, "RUNTIME-VWRITE-010"),
    (0, "RUNTIME-SYNC-010"),
    (0, "RUNTIME-VWAIT-011"),
)
"""The calls after which a stream waits for a value, and nothing else is under way."""
BEHIND = (*WAITING, (0, "SVM-HMAP-010"), (0, "RUNTIME-MALLOC-010"))
"""The calls after which there is memory, too, that it could be given a copy of."""
PAGES = (*STREAM, (0, "RUNTIME-MANAGED-010"))
"""The calls after which there is managed memory."""
POOL = (*STREAM, (0, "RUNTIME-POOL-020"))
"""The calls after which there is a pool."""
TAKEN = (*POOL, (0, "RUNTIME-PMALLOC-021"))
"""The calls after which a stream has memory of it."""
FREED = (*TAKEN, (0, "RUNTIME-PFREE-010"))
"""The calls after which it gave that back."""
UNDONE = (*FREED, *VALUE)
"""The calls after which a stream, which may be the one that gave memory back, waits."""
DOUBTED = (*TAKEN, (0, "RUNTIME-SYNC-020"))
"""The calls after which a task on a pool may have failed."""
NOTED = (*TAKEN, (0, "RUNTIME-EVENT-010"), (0, "RUNTIME-RECORD-010"))
"""The calls after which an event stands for a task that may have failed."""
FOLLOWED = (*NOTED, (0, "RUNTIME-STREAM-010"), (0, "RUNTIME-WAIT-010"))
"""The calls after which another stream comes after it."""
ABROAD = (*NOTED, (0, "RUNTIME-SET-010"), (0, "RUNTIME-WAIT-010"))
"""The calls after which a stream of another device may."""

RUNTIME_AREA = Area(
    name="runtime",
    title="The runtime: devices, streams, events, memory and pools",
    interfaces=INTERFACES,
    invariants=INVARIANTS,
    theorems=THEOREMS,
    borrows=tuple(call.interface for call in (HostMap, HostUnmap, HostStore, HostFill, HostLoad)),
    library="acl",
    beginnings=(
        SET,
        STREAM,
        EVENT,
        MEMORY,
        WORK,
        PAGES,
        POOL,
        TAKEN,
        FREED,
        DOUBTED,
        NOTED,
        FOLLOWED,
        ABROAD,
        ELSEWHERE,
        REGISTERED,
        WAITING,
        AWAITED,
        BEHIND,
        UNDONE,
    ),
)
