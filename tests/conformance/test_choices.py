"""What is told of the choices that an implementation makes where the rules leave it free."""

from __future__ import annotations

import pytest

from halcert.adapters.protocol import Answered
from halcert.conformance.choices import Choice, of_codes
from halcert.results import Topic
from halcert.spec.catalogue import rule
from halcert.spec.svm.flags import DEV, AllocFlags

from .fake import lab_for

MIB = 1 << 20
NOT_SUPPORT = 0xFFFE


def seen(lab, topic):
    return {each.about: each.seen for each in lab.tally.observed() if each.topic is topic}


def test_a_code_is_a_choice_only_where_several_are_allowed():
    one, other = rule("SVM-FREE-002"), rule("SVM-FREE-001")
    assert list(of_codes([one], 3)) == []
    assert one.codes != other.codes or list(of_codes([one, other], 3)) == []
    open_rule = rule("UVM-ADVISE-026")
    assert open_rule.codes == ()
    (choice,) = of_codes([one, open_rule], 3)
    assert choice == Choice(Topic.CODE, "SVM-FREE-002 UVM-ADVISE-026", "DRV_ERROR_INVALID_VALUE")


def test_the_order_of_addresses_is_told_for_each_kind_of_memory(lab):
    lab.call("halMemAgentOpen", devid=0, flag=0)
    for _ in range(3):
        lab.call("halMemAlloc", pp=True, size=4096, flag=AllocFlags.compose(virt=DEV))
    assert seen(lab, Topic.ADDRESS) == {"halMemAlloc of MEM_DEV": {"above the one before": 2}}


def test_it_is_told_whether_the_address_of_freed_memory_comes_again(lab):
    lab.call("halMemAgentOpen", devid=0, flag=0)
    flag = AllocFlags.compose(virt=DEV)
    block = lab.call("halMemAlloc", pp=True, size=4096, flag=flag).pp
    lab.call("halMemFree", pp=block)
    lab.call("halMemAlloc", pp=True, size=4096, flag=flag)
    assert seen(lab, Topic.REUSE) == {"halMemAlloc of MEM_DEV": {"a fresh address comes": 1}}


@pytest.mark.parametrize("count", [1, 8])
def test_it_is_told_whether_freed_memory_is_kept(driver_lab, count):
    lab = driver_lab
    lab.call("halMemAgentOpen", devid=0, flag=0)
    lab.call("halMemGetInfo", device=0, type=2, info={})
    flag = AllocFlags.compose(virt=DEV, phys=1, huge=True)
    blocks = [lab.call("halMemAlloc", pp=True, size=2 * MIB, flag=flag).pp for _ in range(count)]
    for block in blocks:
        lab.call("halMemFree", pp=block)
    lab.call("halMemGetInfo", device=0, type=2, info={})
    (answers,) = seen(lab, Topic.CACHE).values()
    assert sum(answers.values()) == 1


def not_supported(interface, _args, answer):
    """Refuse each allocation; the flaw of an implementation that lacks what is asked for."""
    return Answered(NOT_SUPPORT, {"pp": 0}) if interface == "halMemAlloc" else answer


@pytest.mark.parametrize(
    "flaw, answer",
    [(None, "accepted"), (not_supported, "refused with DRV_ERROR_NOT_SUPPORT")],
)
def test_it_is_told_whether_what_may_be_refused_is_refused(flaw, answer):
    readonly = AllocFlags.compose(virt=DEV, readonly=True)
    with lab_for(flaw) as lab:
        lab.call("halMemAgentOpen", devid=0, flag=0)
        lab.call("halMemAlloc", pp=True, size=4096, flag=readonly)
        assert seen(lab, Topic.FREEDOM)["SVM-ALLOC-034"] == {answer: 1}


def test_running_out_of_memory_is_no_choice(lab):
    lab.call("halMemAgentOpen", devid=0, flag=0)
    lab.call("halMemAlloc", pp=True, size=4096, flag=AllocFlags.compose(virt=DEV))
    assert "SVM-ALLOC-033" not in seen(lab, Topic.FREEDOM)
