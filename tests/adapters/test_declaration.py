from __future__ import annotations

import pytest

from halcert.spec.abi.constants import ENUMERATIONS, constants
from halcert.spec.abi.functions import CONTROL_VIEWS, FUNCTIONS, INFO_INPUTS, INFO_VIEWS
from halcert.spec.abi.structs import LAYOUTS, SCALARS, width_of


def _width(kind: str) -> int:
    return LAYOUTS[kind].size if kind in LAYOUTS else width_of(kind)


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=lambda each: each.name)
def test_members_lie_within_their_structure_and_are_aligned(layout):
    for member in layout.members:
        width = _width(member.kind)
        assert member.offset + member.count * width <= layout.size
        if member.kind in SCALARS:
            assert member.offset % width == 0


def test_names_of_members_do_not_repeat():
    for layout in LAYOUTS.values():
        names = [member.name for member in layout.members]
        assert len(names) == len(set(names))


def test_no_constant_is_declared_with_two_values():
    members = [item for each in ENUMERATIONS for item in each.__members__.items()]
    assert len(constants()) == len({name for name, _ in members}) == len(members)


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=lambda each: each.symbol)
def test_every_parameter_has_a_known_kind_and_a_name_of_its_own(function):
    names = [parameter.name for parameter in function.parameters]
    assert len(names) == len(set(names))
    for parameter in function.parameters:
        assert parameter.kind in {"", *SCALARS, *LAYOUTS}


def test_views_name_layouts_and_their_members():
    assert set(INFO_VIEWS.values()) <= set(LAYOUTS)
    for view, names in INFO_INPUTS.items():
        assert all(LAYOUTS[view].member(name) for name in names)
    for pair in CONTROL_VIEWS.values():
        assert set(pair) <= {"", *SCALARS, *LAYOUTS}


def test_a_layout_without_that_member_says_so():
    with pytest.raises(KeyError):
        LAYOUTS["DVattribute"].member("memtype")


def test_a_prototype_reads_as_in_c():
    assert FUNCTIONS["halMemFree"].prototype == "drvError_t halMemFree(void *pp)"
