"""Which tables can have rows when a call is made: those that calls of the same library fill.

Areas of another library have tables of their own. A program that calls one library makes no rows
in the tables of the other one, so in the states that are looked at those tables are empty.
"""

from __future__ import annotations

from functools import cache

from halcert.model.proofs.cone import WHOLE, Cone
from halcert.model.proofs.words import empty_word, operations_of, sample
from halcert.model.symbolic.state import TABLES, any_state
from halcert.spec.catalogue import AREAS, areas_of, interfaces
from halcert.spec.language import Interface
from halcert.spec.profiles import Profile


@cache
def filled_by(calls: tuple[Interface, ...], profile: Profile) -> Cone:
    """Return the tables that can have rows after words of calls of these interfaces.

    Those are the tables that have some at first, and those into which a call puts rows where no
    others have any.
    """
    start = empty_word().views[0]
    filled: Cone = frozenset()
    grown: Cone = frozenset(name for name in TABLES if getattr(start, name).lines)
    operations = list(operations_of(calls, profile))
    while grown != filled:
        filled = grown
        view = any_state("shape", 1, filled)
        for operation in operations:
            if not filled.issuperset(operation.rule.changes):
                after = sample(operation, profile, view)
                grown |= {name for name in TABLES if getattr(after, name).lines}
    return filled


def filled_at(interface: Interface, profile: Profile) -> Cone:
    """Return the tables that can have rows when an interface is called.

    What areas of another library borrow is called beside the calls of either. An interface that
    no area knows is called in any state.
    """
    if interface.area not in AREAS:
        return WHOLE
    filled: Cone = frozenset()
    for library in libraries_of(interface):
        filled |= filled_by(tuple(interfaces(areas_of(library)).values()), profile)
    return filled


def libraries_of(interface: Interface) -> tuple[str, ...]:
    """Return the libraries beside whose calls an interface is called."""
    borrowers = [
        area for area in AREAS.values() if any(each.name == interface.name for each in area.borrows)
    ]
    found = (AREAS[interface.area], *borrowers)
    return tuple(dict.fromkeys(each.library for each in found))
