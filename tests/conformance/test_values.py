"""Arguments that are worth trying."""

from __future__ import annotations

import ast
import inspect
import textwrap
from enum import Enum

import pytest

from halcert.conformance.draw import RandomDraw
from halcert.conformance.forms import plain
from halcert.conformance.observe import fill_all
from halcert.conformance.values import arguments, constants_of, edge
from halcert.spec.catalogue import interfaces
from halcert.spec.language.domain import annotations_of, domain_of
from halcert.spec.profiles import GIB, MIB, PROFILES

from .fake import DEVICE_MEMORY

ALL = interfaces()


class Literals(ast.NodeVisitor):
    """Collects the integers that stand in a function, and the constants it names."""

    def __init__(self, names):
        self.names = names
        self.found = set()

    def visit_BinOp(self, node):
        if all(isinstance(each, ast.Constant) for each in (node.left, node.right)):
            self.found.add(eval(ast.unparse(node)))  # noqa: S307 - two literals
        else:
            self.generic_visit(node)

    def visit_Constant(self, node):
        if type(node.value) is int:
            self.found.add(node.value)

    def visit_Name(self, node):
        value = self.names.get(node.id)
        if isinstance(value, int) and not isinstance(value, bool):
            self.found.add(int(value))

    def visit_Attribute(self, node):
        owner = self.names.get(node.value.id) if isinstance(node.value, ast.Name) else None
        if isinstance(owner, type) and issubclass(owner, Enum):
            self.found.add(int(getattr(owner, node.attr)))
        else:
            self.generic_visit(node)


def literals(function):
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    collector = Literals(function.__globals__)
    for line in tree.body[0].body:
        collector.visit(line)
    return collector.found


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda each: each.name)
@pytest.mark.parametrize("interface", ALL.values(), ids=lambda each: each.name)
def test_every_constant_that_a_rule_names_is_known(interface, profile):
    known = set(constants_of(interface, profile))
    for rule in interface.rules:
        if rule.applies_to(profile.name):
            assert literals(rule.function) <= known, rule.id


def test_limits_of_the_product_count_as_constants_of_its_rules():
    profile = PROFILES["ascend910b"]
    known = set(constants_of(ALL["halMemAlloc"], profile))
    assert {profile.contiguous_limit, profile.single_limit, profile.alloc_limit} <= known
    assert 128 * GIB in known


def test_products_with_other_rules_have_other_constants():
    v2 = constants_of(ALL["halMemAlloc"], PROFILES["ascend910b"])
    v3 = constants_of(ALL["halMemAlloc"], PROFILES["ascend950"])
    assert 128 * GIB in v2
    assert 128 * GIB not in v3


class Recorder:
    """Takes the first option and remembers what there was to choose from."""

    def __init__(self):
        self.options = []

    def pick(self, options):
        self.options = list(options)
        return options[0]


def options_for(lab, interface, parameter):
    recorder = Recorder()
    edge(recorder, lab, interface, domain_of(annotations_of(interface.call)[parameter]))
    return set(recorder.options)


def test_every_constant_of_the_rules_of_allocation_is_tried_with_its_neighbours(lab):
    interface = ALL["halMemAlloc"]
    tried = options_for(lab, interface, "size")
    for rule in interface.rules:
        if rule.applies_to(lab.setting.profile.name):
            for constant in literals(rule.function):
                near = {n for n in (constant - 1, constant, constant + 1) if 0 <= n < 2**64}
                assert near <= tried, rule.id


def test_the_ends_of_the_domain_are_tried(lab):
    assert {0, 1, 2**64 - 2, 2**64 - 1} <= options_for(lab, ALL["halMemAlloc"], "size")


def test_addresses_are_tried_at_the_edges_of_what_is_live(lab):
    lab.call("halMemAgentOpen", devid=0, flag=0)
    made = lab.call("halMemAlloc", pp=True, size=5000, flag=DEVICE_MEMORY)
    tried = options_for(lab, ALL["halMemFree"], "pp")
    edges = {made.pp, made.pp + 1, made.pp + 4999, made.pp + 5000, made.pp + 8192}
    assert edges <= tried


@pytest.mark.parametrize("name", sorted(ALL))
def test_arguments_can_be_chosen_for_every_interface_and_are_what_it_takes(lab, name):
    interface = ALL[name]
    lab.call("halMemAgentOpen", devid=0, flag=0)
    for turn in range(120):
        if turn == 60:
            lab.call("halMemAlloc", pp=True, size=3 * MIB, flag=DEVICE_MEMORY)
            lab.call("host.map", size=4096)
            fill_all(lab)
        args = arguments(RandomDraw(turn), lab, interface)
        assert set(args) == set(interface.call.__struct_fields__)
        interface.parse(plain(name, args))


def test_the_same_seed_chooses_the_same_arguments(lab):
    for name in sorted(ALL):
        one = [arguments(RandomDraw(seed), lab, ALL[name]) for seed in range(10)]
        two = [arguments(RandomDraw(seed), lab, ALL[name]) for seed in range(10)]
        assert one == two


def flat(value):
    """Return the numbers in arguments."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return {number for each in value for number in flat(each)}
    return {value} if type(value) is int else set()


@pytest.mark.parametrize("name", sorted(ALL))
def test_handles_of_physical_memory_are_passed_where_such_are_taken_only(driver_lab, name):
    driver_lab.call("halMemAgentOpen", devid=0, flag=0)
    prop = {"side": 1, "devid": 0, "module_id": 48}
    made = driver_lab.call("halMemCreate", handle=True, size=2 * MIB, prop=prop, flag=0)
    chosen = set()
    for turn in range(150):
        chosen |= flat(arguments(RandomDraw(turn), driver_lab, ALL[name]))
    shared = name.startswith(("halMemExportToShareableHandle", "halMemHandle"))
    domain = domain_of(annotations_of(ALL[name].call).get("handle"))
    named = domain is not None and domain.role == "handle"
    takes = shared or (ALL[name].area in ("vmm", "physical") and named)
    assert (made.handle in chosen) == takes
