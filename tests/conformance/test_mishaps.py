"""What a failure that was asked for below the implementation leaves to be judged."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from flows import flows_of

from halcert.adapters.kernelsim import LOSS, TROUBLE
from halcert.adapters.protocol import Actor, Answered, Crashed, Reply, Request, Session
from halcert.conformance.concurrent import Planned, run_program
from halcert.conformance.lab import Broken, Lab
from halcert.conformance.scenarios import SCENARIOS
from halcert.conformance.tally import Tally

from .fake import DEVICE_MEMORY, lab_for

NO_DEVICE, INVALID, REFUSED = 1, 3, 17


class Failing:
    """A flaw that is switched on: what calls of an interface answer, with notes of the stand-in."""

    def __init__(self) -> None:
        """Start with none."""
        self.answers: dict[str, tuple[int, int]] = {}

    def __call__(self, name, _args, answer):
        """Return the answer that is given."""
        if name not in self.answers:
            return answer
        code, notes = self.answers[name]
        return Answered(code, answer.out, answer.began, answer.ended, notes)


@pytest.fixture
def failing():
    return Failing()


@pytest.fixture
def lab(failing):
    with lab_for(failing) as made:
        made.call("halMemAgentOpen", devid=0, flag=0)
        yield made


def allocated(lab):
    return lab.call("halMemAlloc", pp=True, size=4096, flag=DEVICE_MEMORY).pp


def fill(lab, block, value, start, size):
    return lab.call("drvMemsetD8", dst=block + start, destMax=size, value=value, num=size)


def known(lab, block):
    (found,) = (each for each in lab.blocks() if each.base == block)
    return [(each.start, each.end, each.value) for each in lab.rope(found).values()]


def test_bytes_that_a_failed_call_was_to_write_are_unknown_and_no_others(lab, failing):
    block = allocated(lab)
    fill(lab, block, 1, 0, 8)
    failing.answers["drvMemsetD8"] = (REFUSED, TROUBLE)
    assert fill(lab, block, 2, 2, 2).code == REFUSED
    assert known(lab, block) == [(0, 2, 1), (4, 8, 1)]


def test_a_failed_call_that_would_have_written_the_same_bytes_puts_none_in_doubt(lab, failing):
    block = allocated(lab)
    fill(lab, block, 1, 0, 8)
    failing.answers["drvMemsetD8"] = (REFUSED, TROUBLE)
    fill(lab, block, 1, 2, 2)
    assert known(lab, block) == [(0, 8, 1)]


def test_a_release_that_failed_has_released_nothing(lab, failing):
    block = allocated(lab)
    fill(lab, block, 1, 0, 8)
    failing.answers["halMemFree"] = (REFUSED, TROUBLE)
    lab.call("halMemFree", pp=block)
    assert known(lab, block) == [(0, 8, 1)]
    failing.answers["halMemFree"] = (INVALID, 0)
    with pytest.raises(Broken) as broken:
        lab.call("halMemFree", pp=block)
    assert broken.value.violation.rule == "SVM-FREE-010"


def test_once_a_device_is_gone_everything_may_be_refused(lab, failing):
    block = allocated(lab)
    failing.answers["drvMemsetD8"] = (NO_DEVICE, TROUBLE | LOSS)
    fill(lab, block, 1, 0, 8)
    for name in ("halMemFree", "halMemAlloc", "halMemAgentClose"):
        failing.answers[name] = (NO_DEVICE, 0)
    assert lab.call("halMemAlloc", pp=True, size=4096, flag=DEVICE_MEMORY).code == NO_DEVICE
    assert lab.call("halMemFree", pp=block).code == NO_DEVICE
    assert lab.call("halMemAgentClose", devid=0, flag=0).code == NO_DEVICE
    assert sum(lab.tally.excused.values()) == 4


def test_a_loss_that_a_call_does_not_tell_of_counts_as_well(lab, failing):
    block = allocated(lab)
    failing.answers["halMemFree"] = (0, TROUBLE | LOSS)
    lab.call("halMemFree", pp=block)
    failing.answers["halMemAlloc"] = (NO_DEVICE, 0)
    assert lab.call("halMemAlloc", pp=True, size=4096, flag=DEVICE_MEMORY).code == NO_DEVICE


def test_what_may_have_been_released_is_not_used_but_may_be_released_again(lab, failing):
    block, other = allocated(lab), allocated(lab)
    failing.answers["halMemFree"] = (NO_DEVICE, TROUBLE | LOSS)
    lab.call("halMemFree", pp=block)
    assert fill(lab, block, 1, 0, 8) is None
    assert fill(lab, other, 1, 0, 8) is not None
    assert lab.call("halMemFree", pp=block).code == NO_DEVICE
    failing.answers["halMemAgentClose"] = (NO_DEVICE, TROUBLE | LOSS)
    lab.call("halMemAgentClose", devid=0, flag=0)
    assert fill(lab, other, 1, 0, 8) is None


def test_what_is_had_after_the_loss_is_used(lab, failing):
    failing.answers["halMemAgentOpen"] = (NO_DEVICE, TROUBLE | LOSS)
    lab.call("halMemAgentOpen", devid=1, flag=0)
    block = allocated(lab)
    assert fill(lab, block, 1, 0, 8).code == 0
    assert lab.steps[-1].args["dst"] == {"$": lab.steps[-2].number, "field": "pp", "plus": 0}


def test_a_crash_after_the_loss_is_a_crash(lab, failing):
    block = allocated(lab)
    failing.answers["drvMemsetD8"] = (NO_DEVICE, TROUBLE | LOSS)
    fill(lab, block, 1, 0, 8)
    lab.setting.session.flaw = lambda *_: Crashed(11, "last words")
    with pytest.raises(Broken) as broken:
        lab.call("halMemFree", pp=block)
    assert broken.value.violation.shape == "crashed"


def test_threads_that_lose_a_device_end_their_process(lab):
    block = allocated(lab)
    program = [[Planned(10 + thread, "halMemFree", {"pp": block})] for thread in range(2)]
    lost = Answered(NO_DEVICE, {}, 10, 20, TROUBLE | LOSS)
    lab.actor().threads = lambda programs: [[lost] for _ in programs]
    assert not run_program(lab, program)
    assert lab.has_ended(0)
    assert lab.call("halMemFree", pp=block) is None


class Bereft:
    """A process whose devices are gone from a call on: what has no output fails at once."""

    def __init__(self, actor: Actor, number: int) -> None:
        """Take the process that makes all other calls."""
        self.actor, self.left = actor, number

    def __getattr__(self, name: str) -> Any:
        """Be that process for the rest."""
        return getattr(self.actor, name)

    def call(self, request: Request, timeout: float | None = None) -> Reply:
        """Make one call, or fail as was wished."""
        self.left -= 1
        if self.left <= 0 and request.interface in OUTLESS:
            return Answered(NO_DEVICE, {}, 0, 0, TROUBLE | LOSS)
        return self.actor.call(request, timeout)


EARLY = 6
"""The call of a process from which on its devices are gone."""
OUTLESS = (
    "halMemAgentOpen",
    "halMemAgentClose",
    "halMemFree",
    "halMemAddressFree",
    "halMemMap",
    "halMemUnmap",
    "halMemRelease",
    "drvMemsetD8",
    "drvMemcpy",
    "halShmemCloseHandle",
    "halShmemDestroyHandle",
    "halMemManagedPrefetch",
)


class BereftSession:
    """The software driver, in processes that lose their devices."""

    def __init__(self, session: Session, number: int) -> None:
        """Take the driver, and the call of each process from which on devices are gone."""
        self.session, self.number = session, number

    def __getattr__(self, name: str) -> Any:
        """Be that driver for the rest."""
        return getattr(self.session, name)

    def spawn(self) -> Bereft:
        """Start a process."""
        return Bereft(self.session.spawn(), self.number)


@pytest.mark.parametrize("name", flows_of("hal"))
def test_flows_go_on_where_devices_are_lost(name, driver):
    setting = replace(driver, session=BereftSession(driver.session, EARLY))
    with Lab(setting, name, Tally()) as lab:
        SCENARIOS[name].flow(lab)
