"""The area: its interfaces, invariants and theorems in one place."""

from __future__ import annotations

from halcert.spec.language import Area
from halcert.spec.svm.alloc import MemAlloc, MemFree
from halcert.spec.svm.copy import Memcpy, MemsetD8
from halcert.spec.svm.device import MemAgentClose, MemAgentOpen, MemDeviceClose, MemDeviceOpen
from halcert.spec.svm.host import HostFill, HostLoad, HostMap, HostStore, HostUnmap
from halcert.spec.svm.invariants import INVARIANTS
from halcert.spec.universal import UNIVERSAL

SVM_AREA = Area(
    name="svm",
    title="SVM core: allocation, set, copy, query and control",
    interfaces=tuple(
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
            HostMap,
            HostUnmap,
            HostStore,
            HostFill,
            HostLoad,
        )
    ),
    invariants=INVARIANTS,
    universal=UNIVERSAL,
)
