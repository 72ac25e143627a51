"""Whose fault a wrong byte is: the writer's, or that of a call after it was seen to be right."""

from __future__ import annotations

import pytest

from halcert.adapters.protocol import Answered
from halcert.conformance.lab import Broken
from halcert.conformance.observe import check_all, fill_all
from halcert.conformance.reduce import reduced
from halcert.conformance.replay import repeat
from halcert.conformance.sightings import Act, Place, Sightings

from .fake import DEVICE_MEMORY, lab_for

SIZE = 4096


class Spoiler:
    """Spoils what is loaded, from the first call on that a condition names."""

    def __init__(self, name, condition):
        self.name, self.condition, self.spoiled = name, condition, False

    def __call__(self, interface, args, answer):
        if interface == self.name and self.condition(args, answer):
            self.spoiled = True
        data = answer.out.get("data")
        if interface == "host.load" and data and self.spoiled:
            return Answered(
                0, {"data": bytes([data[0] ^ 1]) + data[1:]}, answer.began, answer.ended
            )
        return answer


def refused_set():
    return Spoiler("drvMemsetD8", lambda _, answer: answer.code != 0)


def met(lab, flow):
    """Return the failure that a flow and a last look at the bytes meet."""
    with pytest.raises(Broken) as caught:  # noqa: PT012 - the flow is one thing
        flow(lab)
        check_all(lab)
    return caught.value


def prepared(lab):
    lab.call("halMemAgentOpen", devid=0, flag=0)
    block = lab.call("halMemAlloc", pp=True, size=SIZE, flag=DEVICE_MEMORY).pp
    other = lab.call("halMemAlloc", pp=True, size=SIZE, flag=DEVICE_MEMORY).pp
    fill_all(lab)
    check_all(lab)
    return block, other


def refuse(lab, block):
    result = lab.call("drvMemsetD8", dst=block, destMax=1, value=7, num=2)
    assert result.code != 0


def test_a_byte_that_a_refused_call_changed_is_the_fault_of_the_refusal():
    def flow(lab):
        block, _ = prepared(lab)
        refuse(lab, block)

    with lab_for(refused_set()) as lab:
        broken = met(lab, flow)
    violation = broken.violation
    assert (violation.rule, violation.shape) == ("SVM-ANY-001", "content")
    assert lab.steps[violation.culprit - 1].interface == "drvMemsetD8"
    assert lab.steps[violation.culprit - 1].args["num"] == 2


def test_the_refusal_is_blamed_again_when_the_calls_are_repeated_and_made_fewer():
    def flow(lab):
        block, _ = prepared(lab)
        lab.call("host.map", size=SIZE)
        refuse(lab, block)

    with lab_for(refused_set()) as lab:
        broken = met(lab, flow)

    def again(steps):
        with lab_for(refused_set()) as fresh:
            return repeat(fresh, steps)

    assert again(broken.steps).cause == broken.cause
    smaller = reduced(broken, again, seconds=5.0)
    assert smaller.cause == broken.cause
    assert len(smaller.steps) < len(broken.steps)


def test_a_refusal_is_shown_to_have_no_effect_when_the_bytes_are_seen_again():
    with lab_for() as lab:
        block, _ = prepared(lab)
        assert "SVM-ANY-001" not in lab.tally.shown
        refuse(lab, block)
        check_all(lab)
        assert "SVM-ANY-001" in lab.tally.shown


def test_a_call_that_changes_a_byte_it_should_not_is_blamed_and_not_the_writer():
    flaw = Spoiler("halMemFree", lambda _, answer: answer.code == 0)

    def flow(lab):
        _, other = prepared(lab)
        lab.call("halMemFree", pp=other)

    with lab_for(flaw) as lab:
        broken = met(lab, flow)
    assert broken.violation.rule.startswith("SVM-FREE")
    assert "it still was before call" in broken.violation.allowed


def test_the_writer_is_asked_where_several_calls_could_have_done_it():
    flaw = Spoiler("halMemFree", lambda _, answer: answer.code == 0)

    def flow(lab):
        _, other = prepared(lab)
        lab.call("halMemFree", pp=other)
        lab.call("halMemAlloc", pp=True, size=SIZE, flag=DEVICE_MEMORY)

    with lab_for(flaw) as lab:
        broken = met(lab, flow)
    assert broken.violation.rule.startswith("SVM-SET")


def test_the_writer_is_asked_where_the_byte_was_never_seen():
    def flow(lab):
        block, _ = prepared(lab)
        lab.call("drvMemsetD8", dst=block, destMax=SIZE, value=9, num=SIZE)
        refuse(lab, block)

    with lab_for(refused_set()) as lab:
        broken = met(lab, flow)
    assert broken.violation.rule.startswith("SVM-SET")


def test_what_was_copied_for_a_look_is_a_copy_only_until_something_else_is_called():
    seen = Sightings()
    seen.mirrored(2, 0, Place(1, 100, 164))
    assert seen.original(Place(2, 10, 11)) == Place(1, 110, 111)
    seen.acted(Act(7, "drvMemcpy", "SVM-COPY-021"))
    assert seen.original(Place(2, 10, 11)) == Place(2, 10, 11)
