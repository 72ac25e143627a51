"""All areas, interfaces and rules, and how to find them by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from halcert.spec.ipc.area import IPC_AREA
from halcert.spec.language import Interface, Rule
from halcert.spec.physical.area import PHYSICAL_AREA
from halcert.spec.runtime.area import RUNTIME_AREA
from halcert.spec.sharing.area import SHARING_AREA
from halcert.spec.soma.area import SOMA_AREA
from halcert.spec.svm.area import SVM_AREA
from halcert.spec.uvm.area import UVM_AREA
from halcert.spec.vmm.area import VMM_AREA

AREAS = {
    each.name: each
    for each in (
        SVM_AREA,
        VMM_AREA,
        SHARING_AREA,
        UVM_AREA,
        SOMA_AREA,
        RUNTIME_AREA,
        IPC_AREA,
        PHYSICAL_AREA,
    )
}
"""Every area that is specified, by name, in the order in which they build on each other."""

AREA_NAMES = tuple(AREAS)
"""Their names."""


def areas_of(library: str) -> tuple[str, ...]:
    """Return the names of the areas whose interfaces an adapter calls."""
    return tuple(name for name, area in AREAS.items() if area.library == library)


def interfaces(areas: Iterable[str] = AREAS) -> dict[str, Interface]:
    """Return the interfaces of the named areas, and those that they borrow, by name."""
    return {
        each.name: each
        for area in areas
        for each in (*AREAS[area].interfaces, *AREAS[area].borrows)
    }


def with_used(areas: Iterable[str]) -> tuple[str, ...]:
    """Return the named areas and those that they use, in the order of ``AREAS``."""
    wanted = list(areas)
    for name in wanted:
        wanted += [used for used in AREAS[name].uses if used not in wanted]
    return tuple(name for name in AREAS if name in wanted)


def with_lent(areas: Iterable[str]) -> tuple[str, ...]:
    """Return the named areas, and all whose interfaces may be called with theirs."""
    wanted = set(with_used(areas))
    wanted |= {each.area for area in wanted for each in AREAS[area].borrows}
    return tuple(name for name in AREAS if name in wanted)


def rules(areas: Iterable[str] = AREAS) -> Iterator[Rule]:
    """Iterate over the rules of the named areas in declared order."""
    for area in areas:
        yield from AREAS[area].rules()


def rule(rule_id: str) -> Rule | None:
    """Return the rule with an id, or None."""
    return next((each for each in rules() if each.id == rule_id), None)
