"""Flows of managed memory: the one of the documents, and its accesses from all sides."""

from __future__ import annotations

from typing import Any

from halcert.conformance.lab import Lab
from halcert.conformance.managed import (
    ATTRIBUTES,
    HOST,
    PAGE,
    advise,
    allocate_managed,
    ask,
    at_device,
    fill,
    look,
    look_from,
    prefetch,
)
from halcert.conformance.observe import audit, check_all
from halcert.conformance.scenarios.registry import scenarios_of
from halcert.conformance.scenarios.svm import free, open_all
from halcert.spec.abi.constants import UvmAdvise


def prefetch_filled_first(lab: Lab) -> None:
    """The flow of the documents with bytes in place before the pages become read-mostly."""
    open_all(lab)
    base = allocate_managed(lab, 4 * PAGE)
    if base is None:
        return
    ask(lab, base, 4 * PAGE)
    fill(lab, base, 4 * PAGE, 1)
    advise(lab, base, 4 * PAGE, UvmAdvise.READ_MOSTLY)
    ask(lab, base, 4 * PAGE)
    for device in lab.setting.devices:
        prefetch(lab, base, 4 * PAGE, at_device(device))
        ask(lab, base, 4 * PAGE)
        audit(lab, device)
    look(lab, base, 4 * PAGE)
    ask(lab, base, 4 * PAGE)
    fill(lab, base + PAGE, PAGE, 2)
    ask(lab, base, 4 * PAGE)
    look(lab, base, 4 * PAGE)
    prefetch(lab, base, 4 * PAGE, HOST)
    look(lab, base, 4 * PAGE)
    free(lab, base)
    audit(lab, *lab.setting.devices)


def prefetch_advised_first(lab: Lab) -> None:
    """The flow in the order in which the documents list its calls: advice, bytes, prefetch."""
    open_all(lab)
    base = allocate_managed(lab, 3 * PAGE)
    if base is None:
        return
    advise(lab, base, 3 * PAGE, UvmAdvise.READ_MOSTLY)
    ask(lab, base, 3 * PAGE)
    fill(lab, base, 3 * PAGE, 7)
    ask(lab, base, 3 * PAGE)
    for device in lab.setting.devices:
        prefetch(lab, base, 3 * PAGE, at_device(device))
    ask(lab, base, 3 * PAGE)
    look(lab, base, 3 * PAGE)
    free(lab, base)


UVM_SCENARIOS = scenarios_of("uvm", prefetch_filled_first, prefetch_advised_first)
_: Any = (ATTRIBUTES, check_all, look_from)
