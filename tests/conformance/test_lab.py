"""One call in a lab: made, judged, counted and written down."""

from __future__ import annotations

from dataclasses import replace

import pytest

from halcert.adapters.kernelsim import TROUBLE
from halcert.adapters.protocol import Answered, Crashed, Garbled, Hung, Missing
from halcert.conformance.lab import Broken, Lab
from halcert.conformance.outcomes import HarnessError
from halcert.conformance.tally import Tally
from halcert.model.concrete import Oracle
from halcert.spec.catalogue import interfaces

from .fake import (
    DEVICE_MEMORY,
    INTERFACES,
    PROFILE,
    FakeSession,
    answers,
    lab_for,
    setting_for,
)


def opened(lab):
    lab.call("halMemAgentOpen", devid=0, flag=0)
    return lab


def allocated(lab, size=4096):
    return opened(lab).call("halMemAlloc", pp=True, size=size, flag=DEVICE_MEMORY).pp


def test_every_call_is_written_down_with_what_came(lab):
    block = allocated(lab)
    lab.call("drvMemsetD8", dst=block, destMax=8, value=1, num=8)
    assert [step.number for step in lab.steps] == [1, 2, 3]
    assert [step.interface for step in lab.steps][-1] == "drvMemsetD8"
    assert lab.steps[1].outcome.out == {"pp": block}
    assert lab.steps[2].args["dst"] == {"$": 2, "field": "pp", "plus": 0}
    assert lab.steps[2].values["dst"] == block


def test_a_call_about_which_nothing_is_promised_is_not_made_but_counted(lab):
    assert opened(lab).call("drvMemsetD8", dst=64, destMax=8, value=1, num=8) is None
    assert len(lab.steps) == 1
    assert sum(lab.tally.skipped.values()) == 1
    assert lab.setting.session.made["drvMemsetD8"] == 0


def test_a_call_of_an_interface_that_is_not_part_of_the_run_is_not_made(lab):
    assert lab.call("halMemGetInfo", device=0, type=2, info={}) is None
    assert lab.steps == []


def test_what_a_product_may_lack_is_not_called_where_it_is_not_there():
    session = FakeSession()
    whole = setting_for(session)
    named = {"device.load": interfaces()["device.load"]} | INTERFACES
    setting = replace(whole, interfaces=named, oracle=Oracle(named.values(), PROFILE))
    session.offers = lambda name: name != "device.load"
    with Lab(setting, "test", Tally()) as lab:
        block = allocated(lab)
        assert lab.call("device.load", device=0, address=block, size=1) is None
        assert lab.tally.skipped == {"device.load": 1}


def test_a_failure_that_was_wished_excuses_its_call_and_changes_nothing():
    wished = TROUBLE | 1

    def flaw(name, _args, answer):
        failed = Answered(17, {"pp": 0}, answer.began, answer.ended, wished)
        return failed if name == "halMemAlloc" else answer

    with lab_for(flaw) as lab:
        before = opened(lab).world
        assert lab.call("halMemAlloc", pp=True, size=4096, flag=DEVICE_MEMORY).code == 17
        assert lab.world is before
        assert lab.tally.excused == {"halMemAlloc": 1}


def test_rules_are_noted_that_an_assumed_answer_showed():
    def flaw(name, _args, answer):
        assumed = 0b101 if name == "drvMemsetD8" else 0
        return Answered(answer.code, answer.out, answer.began, answer.ended, assumed)

    with lab_for(flaw) as lab:
        block = allocated(lab)
        lab.call("drvMemsetD8", dst=block, destMax=8, value=1, num=8)
    assert {name.split()[1] for name in lab.tally.assumed} == {"0", "2"}
    assert all(name.startswith("SVM-SET-") for name in lab.tally.assumed)


def test_the_processes_of_a_lab_are_its_own_and_end_with_it():
    session = FakeSession()
    with lab_for(session=session) as lab:
        lab.call("host.map", size=4096)
        lab.call("host.map", 1, size=4096) if 1 in lab.world.views else None
    assert session.spawned == session.ended_ones
    assert session.world.views == {}


@pytest.mark.parametrize(
    "outcome, shape, words",
    [
        (Crashed(11, "last words"), "crashed", "signal 11: last words"),
        (Crashed(0, "exit(3)"), "crashed", "the process ended: exit(3)"),
        (Hung(2.5), "hung", "2.5 s"),
        (Garbled("noise"), "garbled", "noise"),
        (Missing("halMemFree"), "missing", "no symbol halMemFree"),
    ],
)
def test_no_answer_is_a_finding_about_the_call_that_gave_none(outcome, shape, words):
    def flaw(name, _args, answer):
        return outcome if name == "halMemFree" else answer

    with lab_for(flaw) as lab:
        block = allocated(lab)
        with pytest.raises(Broken) as caught:
            lab.call("halMemFree", pp=block)
    assert caught.value.cause[1:] == ("halMemFree", shape)
    assert words in caught.value.violation.came
    assert caught.value.violation.rule.startswith("SVM-FREE")
    assert caught.value.steps[-1].outcome == outcome


def test_a_crash_where_a_refusal_was_due_is_blamed_on_the_rule_that_refuses():
    flaw = {"halMemAlloc": Crashed(11)}
    made = lab_for(lambda name, _args, answer: flaw.get(name, answer))
    with made as lab, pytest.raises(Broken) as caught:
        opened(lab).call("halMemAlloc", pp=True, size=0, flag=DEVICE_MEMORY)
    assert caught.value.violation.rule == "SVM-ALLOC-002"
    assert caught.value.violation.allowed == "the call is refused"


@pytest.mark.parametrize(
    "out", [{}, {"pp": 1, "more": 2}, {"address": 1}], ids=("none", "too many", "another")
)
def test_outputs_that_do_not_fit_are_the_adapters_fault(out):
    def flaw(name, _args, answer):
        return Answered(0, out) if name == "halMemAlloc" else answer

    with lab_for(flaw) as lab, pytest.raises(HarnessError, match="halMemAlloc"):
        allocated(lab)


@pytest.mark.parametrize("kept", [0, 1, 4095])
def test_a_load_that_gives_too_few_bytes_is_the_adapters_fault(kept):
    def flaw(name, _args, answer):
        if name == "host.load":
            return Answered(0, {"data": answer.out["data"][:kept]})
        return answer

    with lab_for(flaw) as lab:
        place = lab.call("host.map", size=4096).address
        lab.call("host.store", address=place, size=4096, pattern=1, offset=0)
        with pytest.raises(HarnessError, match=r"host\.load"):
            lab.call("host.load", address=place, size=4096)


def test_a_broken_rule_comes_with_all_the_calls_that_led_there():
    flaw = answers("halMemFree", lambda _args, answer: answer.code == 0, 3)
    with lab_for(flaw) as lab:
        block = allocated(lab)
        with pytest.raises(Broken) as caught:
            lab.call("halMemFree", pp=block)
    assert [step.interface for step in caught.value.steps] == [
        "halMemAgentOpen",
        "halMemAlloc",
        "halMemFree",
    ]
    assert "SVM-FREE" in str(caught.value)


def test_looking_at_memory_is_marked_and_leaves_the_blame_with_the_writer():
    def flaw(name, _args, answer):
        if name == "host.load" and answer.out["data"]:
            return Answered(0, {"data": b"\x00" + answer.out["data"][1:]})
        return answer

    with lab_for(flaw) as lab:
        block = allocated(lab)
        lab.call("drvMemsetD8", dst=block, destMax=64, value=9, num=64)
        host = lab.call("host.map", size=4096).address
        with lab.observing():
            lab.call("drvMemcpy", dst=host, dest_max=64, src=block, byte_count=64)
        assert [step.observing for step in lab.steps] == [False, False, False, False, True]
        with pytest.raises(Broken) as caught:
            lab.call("host.load", address=host, size=64)
    assert caught.value.violation.rule.startswith("SVM-SET")
    assert caught.value.violation.shape == "content"
