"""What every rule must have, whoever wrote it."""

import re
from itertools import pairwise, product
from operator import attrgetter

from every import for_every

from halcert.spec.abi.acl.codes import AclError
from halcert.spec.abi.declarations import ALL_FUNCTIONS
from halcert.spec.catalogue import AREAS, interfaces, rules
from halcert.spec.language import Kind, Record, Strength
from halcert.spec.language.domain import annotations_of
from halcert.spec.language.interface import RULE_ID
from halcert.spec.profiles import PROFILES

ALL = list(rules())
LIBRARY = [each for each in interfaces().values() if "." not in each.name]
LONGEST_SUMMARY = 100
NAMES = {"state", "result", "profile"}
LACKING = (AclError.RT_FEATURE_NOT_SUPPORT,)
"""How the runtime says that a product lacks something, once the arguments are right."""


def test_ids_are_well_formed_and_unique():
    assert [each.id for each in ALL if not RULE_ID.fullmatch(each.id)] == []
    assert len({each.id for each in ALL}) == len(ALL)


def test_ids_name_their_area_and_one_word_per_interface():
    words = {}
    for name, area in AREAS.items():
        for each in area.rules():
            prefix, word, _number = each.id.split("-")
            assert prefix == name.upper()
            assert words.setdefault(each.interface, (prefix, word)) == (prefix, word)
    assert len(set(words.values())) == len(words)


@for_every(list(interfaces().values()), name=attrgetter("name"))
def test_ids_ascend(interface):
    numbers = [int(each.id.rsplit("-", 1)[1]) for each in interface.rules]
    assert all(one < other for one, other in pairwise(numbers)), numbers


@for_every(ALL)
def test_a_rule_says_what_it_is_and_where_it_comes_from(rule):
    assert rule.summary.endswith(".")
    assert len(rule.summary) <= LONGEST_SUMMARY
    assert rule.sources
    assert all(source.document for source in rule.sources)


@for_every(ALL)
def test_a_rule_is_for_products_that_exist_and_takes_what_is_given(rule):
    assert rule.profiles <= PROFILES.keys()
    assert rule.profiles != PROFILES.keys()
    if rule.kind is not Kind.UNIVERSAL:
        assert set(rule.needs) <= NAMES


@for_every(ALL)
def test_a_rule_whose_codes_are_documented_is_documented_itself(rule):
    if rule.kind is Kind.REJECTS and rule.code_strength is Strength.MUST:
        assert rule.strength is Strength.MUST


@for_every(list(product(interfaces().values(), PROFILES)), name=str)
def test_on_every_product_a_call_succeeds_or_is_refused_always(pair):
    interface, profile = pair
    accepting = interface.rules_of(Kind.ACCEPTS, profile)
    rejecting = interface.rules_of(Kind.REJECTS, profile)
    gone = [each for each in rejecting if _always(each)]
    assert not accepting or not gone
    assert accepting or gone or any(each.codes == LACKING for each in rejecting)


def _always(rule):
    return not rule.needs and rule.function.__code__.co_names == () and rule.function(None) is True


@for_every(LIBRARY, name=attrgetter("name"))
def test_parameters_are_those_of_the_library(interface):
    function = ALL_FUNCTIONS[interface.name]
    names = [parameter.name for parameter in function.parameters]
    assert list(interface.call.__struct_fields__) == names
    gives = [p.name for p in function.parameters if p.direction.value in {"out", "inout"}]
    gives += ["answer"] if function.returns == "bool" else []
    outputs = set(interface.result.__struct_fields__) - {"code"}
    assert outputs <= set(gives)


@for_every(list(interfaces().values()), name=attrgetter("name"))
def test_every_member_of_a_structure_says_what_it_is(interface):
    for cls in (interface.call, interface.result):
        for kind in annotations_of(cls).values():
            if isinstance(kind, type) and issubclass(kind, Record):
                assert kind.__doc__


def test_invariants_have_ids_of_their_own():
    for area in AREAS.values():
        ids = [each.id for each in area.invariants]
        assert len(set(ids)) == len(ids)
        assert all(re.fullmatch(r"[A-Z]+-INV-\d{3}", each) for each in ids)
