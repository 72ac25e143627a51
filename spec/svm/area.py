"""The area: its interfaces, invariants and theorems in one place."""

from __future__ import annotations

from halcert.spec.language import Area
from halcert.spec.svm.advise import MemAdvise
from halcert.spec.svm.alloc import MemAlloc
from halcert.spec.svm.async_copy import MemCpyAsync, MemCpyAsyncWaitFinish
from halcert.spec.svm.batch import MemcpyBatch
from halcert.spec.svm.control import MemCtl
from halcert.spec.svm.copy import MemsetD8
from halcert.spec.svm.copy_2d import Memcpy2D
from halcert.spec.svm.copy_ex import HalMemcpy
from halcert.spec.svm.device import MemAgentClose, MemAgentOpen, MemDeviceClose, MemDeviceOpen
from halcert.spec.svm.dma import ConvertAddr, DestroyAddr, DestroyAddrBatch
from halcert.spec.svm.free import MemFree
from halcert.spec.svm.host import HostFill, HostLoad, HostMap, HostStore, HostUnmap
from halcert.spec.svm.info import MemGetInfo
from halcert.spec.svm.invariants import INVARIANTS
from halcert.spec.svm.memcpy import Memcpy
from halcert.spec.svm.prefetch import MemAddressTranslate, MemPrefetchToDevice
from halcert.spec.svm.query import MemGetAddressRange, MemGetAttribute
from halcert.spec.svm.submit import MemcpySumbit, MemcpyWait
from halcert.spec.svm.theorems import theorems_of
from halcert.spec.universal import UNIVERSAL

INTERFACES = tuple(
    call.interface
    for call in (
        MemAgentOpen,
        MemAgentClose,
        MemDeviceOpen,
        MemDeviceClose,
        MemAlloc,
        MemFree,
        MemsetD8,
        Memcpy,
        HalMemcpy,
        Memcpy2D,
        MemcpyBatch,
        MemCpyAsync,
        MemCpyAsyncWaitFinish,
        ConvertAddr,
        DestroyAddr,
        DestroyAddrBatch,
        MemcpySumbit,
        MemcpyWait,
        MemAdvise,
        MemPrefetchToDevice,
        MemAddressTranslate,
        MemGetAttribute,
        MemGetInfo,
        MemGetAddressRange,
        MemCtl,
        HostMap,
        HostUnmap,
        HostStore,
        HostFill,
        HostLoad,
    )
)

SVM_AREA = Area(
    name="svm",
    title="SVM core: allocation, set, copy, query and control",
    interfaces=INTERFACES,
    invariants=INVARIANTS,
    theorems=theorems_of(INTERFACES),
    universal=UNIVERSAL,
)
