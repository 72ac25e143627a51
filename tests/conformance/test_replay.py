"""Repeating traces: the same calls, other addresses, the same verdict."""

from __future__ import annotations

from functools import cache

import pytest
from flows import BY_LUCK, beginning

from halcert.adapters.protocol import Answered, Crashed
from halcert.conformance import concurrent
from halcert.conformance.activity import Activity, Effort, perform
from halcert.conformance.book import references
from halcert.conformance.draw import RandomDraw
from halcert.conformance.given import START
from halcert.conformance.lab import Broken, Lab
from halcert.conformance.observe import check_all, fill_all
from halcert.conformance.replay import Departures, Fate, fate_of, repeat
from halcert.conformance.scenarios import SCENARIOS
from halcert.conformance.tally import Tally
from halcert.conformance.verdicts import verdict_of_failure
from halcert.model.concrete import Violation
from halcert.results import Verdict
from halcert.spec.catalogue import AREAS
from halcert.spec.language import Strength
from halcert.spec.svm.flags import HOST, AllocFlags

from .fake import DEVICE_MEMORY, FakeSession, answers, lab_for, setting_for

MOST = 200
"""Calls of a scenario that are repeated; the longest make the same ones thousands of times."""
HOST_MEMORY = AllocFlags.compose(virt=HOST)


def moved():
    """Return a session that gives other addresses than a usual one."""

    class Moved(FakeSession):
        def spawn(self):
            actor = super().spawn()
            actor._next += 7 * 2**40
            return actor

    return Moved()


def some_work(lab):
    lab.call("halMemAgentOpen", devid=0, flag=0)
    lab.call("halMemAgentOpen", devid=1, flag=0)
    block = lab.call("halMemAlloc", pp=True, size=5000, flag=DEVICE_MEMORY).pp
    host = lab.call("halMemAlloc", pp=True, size=5000, flag=HOST_MEMORY).pp
    lab.call("host.store", address=host, size=5000, pattern=3, offset=0)
    lab.call("drvMemcpy", dst=block + 16, dest_max=100, src=host + 4, byte_count=100)
    check_all(lab)
    lab.call("halMemFree", pp=host)
    lab.call("halMemFree", pp=host)


def shown(steps):
    return [(each.interface, each.args, each.observing, each.outcome.code) for each in steps]


def test_the_same_calls_come_again_where_addresses_differ(lab):
    some_work(lab)
    with lab_for(session=moved()) as again:
        assert repeat(again, lab.steps) is None
    assert shown(again.steps) == shown(lab.steps)
    assert [step.values for step in again.steps] != [step.values for step in lab.steps]


def test_looks_at_memory_stay_looks_at_memory(lab):
    some_work(lab)
    assert any(step.observing for step in lab.steps)
    with lab_for() as again:
        repeat(again, lab.steps)
    looks = [[each.observing for each in steps] for steps in (again.steps, lab.steps)]
    assert looks[0] == looks[1]


def wrong_byte(name, _args, answer):
    data = answer.out.get("data")
    if name == "host.load" and data and any(data):
        return Answered(0, {"data": bytes(len(data))})
    return answer


def test_a_failure_that_was_found_by_looking_is_blamed_in_the_same_way_again():
    with lab_for(wrong_byte) as lab, pytest.raises(Broken) as caught:
        some_work(lab)
    with lab_for(wrong_byte) as again:
        met = repeat(again, caught.value.steps)
    assert met.cause == caught.value.cause
    with lab_for() as healthy:
        assert repeat(healthy, caught.value.steps) is None


def test_a_trace_of_a_repetition_is_the_trace_again():
    flaw = answers("halMemFree", lambda _, answer: answer.code != 0, 0)
    with lab_for(flaw) as lab, pytest.raises(Broken) as caught:
        some_work(lab)
    with lab_for(flaw) as again:
        met = repeat(again, caught.value.steps)
    assert met.cause == caught.value.cause
    assert [step.args for step in met.steps] == [step.args for step in caught.value.steps]


def test_calls_that_name_what_was_not_given_this_time_are_left_out(lab):
    some_work(lab)

    def no_host(name, args, answer):
        refused = name == "halMemAlloc" and args["flag"] == HOST_MEMORY
        return Answered(6, {"pp": 0}) if refused else answer

    departures = Departures()
    with lab_for(no_host) as again:
        assert repeat(again, lab.steps, departures) is None
    assert [each.interface for each in departures.refused] == ["halMemAlloc"]
    assert [each.outcome.code for each in departures.refused] == [6]
    left_out = [each.interface for each in departures.left_out]
    assert left_out.count("halMemFree") == 2
    assert len(again.steps) + len(left_out) == len(lab.steps)
    left = [step.interface for step in again.steps]
    assert "host.store" not in left
    assert "halMemFree" not in left
    assert left.count("halMemAlloc") == 2


def test_a_repetition_that_goes_the_way_of_its_trace_departs_nowhere(lab):
    some_work(lab)
    departures = Departures()
    with lab_for(session=moved()) as again:
        assert repeat(again, lab.steps, departures) is None
    assert any(each.outcome.code for each in lab.steps)
    assert not departures


def test_a_last_call_that_is_refused_as_it_may_be_was_tried_all_the_same(lab):
    lab.call("halMemAgentOpen", devid=0, flag=0)
    lab.call("halMemAlloc", pp=True, size=5000, flag=DEVICE_MEMORY)
    departures = Departures()
    with lab_for(lambda n, _, a: Answered(6, {"pp": 0}) if n == "halMemAlloc" else a) as again:
        assert repeat(again, lab.steps, departures) is None
    assert again.steps[-1].outcome.code == 6
    assert not departures


def test_a_failure_that_no_repetition_came_to_is_not_called_flaky(lab):
    lab.call("halMemAgentOpen", devid=0, flag=0)
    block = lab.call("halMemAlloc", pp=True, size=5000, flag=DEVICE_MEMORY).pp
    lab.call("halMemFree", pp=block)
    lab.call("halMemFree", pp=block)

    def once(name, _args, answer):
        if name == "halMemAlloc" and session.made[name] > 1:
            return Answered(6, {"pp": 0})
        return Answered(0, {}) if name == "halMemFree" else answer

    session = FakeSession(once)
    done = perform(
        setting_for(session),
        Activity("witness[twice]", "witness", "svm", steps=tuple(lab.steps)),
        set(),
        Effort(reduce=0.0),
    )
    (met,) = done.failures
    assert met.rule == "SVM-FREE-002"
    assert session.made["halMemAlloc"] == 4
    assert (met.repeated, met.repetitions) == (0, 0)
    assert verdict_of_failure(met) is Verdict.VIOLATES


def in_threads(lab, seed=1):
    lab.call("halMemAgentOpen", devid=0, flag=0)
    lab.call("halMemAgentOpen", devid=1, flag=0)
    assert concurrent.run_program(lab, concurrent.private_work(RandomDraw(seed), lab, 1000))
    fill_all(lab)
    concurrent.run_program(lab, concurrent.contended_frees(lab, 2000))


@pytest.mark.parametrize("seed", range(4))
def test_calls_of_threads_are_repeated_by_threads(lab, seed):
    in_threads(lab, seed)
    with lab_for(session=moved()) as again:
        assert repeat(again, lab.steps) is None
    for number in range(4):
        one, two = (
            [(s.number, s.interface) for s in steps if s.thread == number and number]
            for steps in (lab.steps, again.steps)
        )
        assert one == two
    assert len({step.thread for step in lab.steps}) == 4


def test_blocks_that_threads_got_are_named_by_the_calls_of_the_threads(lab):
    in_threads(lab)
    numbers = {step.number for step in lab.steps}
    for step in lab.steps:
        if step.interface == "halMemFree":
            assert step.args["pp"]["$"] in numbers


def test_a_failure_among_threads_comes_again():
    flaw = answers("halMemFree", lambda _, answer: answer.code != 0, 0)
    with lab_for(flaw) as lab, pytest.raises(Broken) as caught:
        in_threads(lab)
    assert caught.value.violation.rule == "SVM-ANY-004"
    assert caught.value.violation.shape == "order"
    with lab_for(flaw) as again:
        assert repeat(again, caught.value.steps).cause == caught.value.cause


def test_memory_that_runs_out_among_threads_is_nobodys_fault():
    """A store to what a refused allocation did not give ends the process, as in any program."""

    def short(name, args, answer):
        if name == "halMemAlloc" and AllocFlags(args["flag"]).virt == HOST:
            return Answered(6, {"pp": 0})
        return Crashed(11) if name == "host.store" else answer

    with lab_for(short) as lab:
        assert not concurrent.run_program(lab, concurrent.private_work(RandomDraw(1), lab, 1000))
    done = perform(
        setting_for(FakeSession(short)),
        Activity("concurrent[threads]", "concurrent", "svm", seconds=0.3),
        set(),
        Effort(),
    )
    assert done.failures == ()
    assert done.trouble == ""


def test_a_crash_among_threads_is_a_finding():
    def crashing(name, _args, answer):
        return Crashed(11, "boom") if name == "drvMemcpy" else answer

    with lab_for(crashing) as lab, pytest.raises(Broken) as caught:
        in_threads(lab)
    assert caught.value.violation.shape == "crashed"
    assert "boom" in caught.value.violation.came


@pytest.fixture(scope="module")
def recorded(bundled):
    """What the driver or the runtime did in a scenario; each is carried out once."""

    @cache
    def steps_of(name):
        setting = bundled[AREAS[SCENARIOS[name].area].library]
        return beginning(setting, name, SCENARIOS[name].flow, MOST)

    return steps_of


@pytest.fixture(scope="module", params=sorted(SCENARIOS))
def name(request):
    """The name of a scenario; tests of the same one follow each other, in one worker."""
    return request.param


def test_a_scenario_can_be_repeated_from_its_trace_alone(bundled, recorded, name):
    steps = recorded(name)
    other = Departures()
    with Lab(bundled[AREAS[SCENARIOS[name].area].library], "test", Tally()) as again:
        assert repeat(again, steps, other) is None
    assert other.refused or not other.left_out
    assert name in BY_LUCK or not other
    made = [each for each in steps if each not in other.left_out]
    assert [each.interface for each in again.steps] == [each.interface for each in made]
    given = {START, *(step.number for step in steps if step.outcome.code == 0)}
    for step in steps:
        assert references(step.args) <= given


def naked(value, least):
    """Return the numbers in arguments that look like addresses or handles of the library."""
    if isinstance(value, dict):
        return [] if "$" in value else [n for each in value.values() for n in naked(each, least)]
    if isinstance(value, list):
        return [n for each in value for n in naked(each, least)]
    return [value] if type(value) is int and least <= value < 2**48 else []


def test_no_address_stands_naked_in_an_accepted_call_of_a_scenario(recorded, name):
    """A refused one may name what nobody gave, on purpose."""
    steps = recorded(name)
    lowest = min((block for step in steps for block in gave(step)), default=2**48)
    for step in steps:
        assert step.outcome.code != 0 or naked(step.args, lowest) == []


def gave(step):
    if step.outcome.code != 0:
        return []
    return [v for k, v in step.outcome.out.items() if k in GIVEN]


GIVEN = ("pp", "address", "devPtr", "hostPtr")
"""Outputs that are addresses."""


def test_descriptors_are_named_by_the_calls_that_made_them(recorded):
    for name in ("descriptors", "rows-by-descriptor"):
        named = [n for step in recorded(name) for n in fields(step.args) if n.endswith("dma")]
        assert named


def fields(value):
    if isinstance(value, dict):
        if "$" in value:
            return [value["field"]]
        return [name for each in value.values() for name in fields(each)]
    return [name for each in value for name in fields(each)] if isinstance(value, list) else []


# ------------------------------------------------------------------------ what became of a fault


def met(rule, shape="accepted"):
    violation = Violation(rule, Strength.MUST, shape, "", "")
    return Broken(violation, "halMemFree", ())


SAME, OTHER, OTHERWISE = met("A-B-001"), met("A-B-002"), met("A-B-001", "crashed")


@pytest.mark.parametrize(
    "failures, fate",
    [
        ([None], Fate.GONE),
        ([None, None], Fate.GONE),
        ([SAME], Fate.STILL_THERE),
        ([SAME, SAME], Fate.STILL_THERE),
        ([SAME, None], Fate.FLAKY),
        ([None, SAME, OTHER], Fate.FLAKY),
        ([OTHER], Fate.CHANGED),
        ([OTHERWISE], Fate.CHANGED),
        ([None, OTHER], Fate.CHANGED),
    ],
)
def test_repetitions_tell_what_became_of_a_fault(failures, fate):
    assert fate_of(failures, "A-B-001", "accepted") is fate


def test_a_trace_that_names_no_rule_or_shape_is_still_there_if_anything_fails():
    assert fate_of([OTHER], "") is Fate.STILL_THERE
    assert fate_of([OTHERWISE], "A-B-001") is Fate.STILL_THERE


def test_a_fault_is_not_gone_where_the_way_to_it_was_another():
    assert fate_of([None], "A-B-001", departed=True) is Fate.NOT_TRIED
    assert fate_of([None], "A-B-001") is Fate.GONE
    assert fate_of([OTHER], "A-B-001", departed=True) is Fate.CHANGED


def test_a_handle_that_is_given_once_more_is_named_after_the_call_that_gave_it_last(recorded):
    """Memory that a process imports, frees and imports again may get the handle that it had."""
    imported: dict[int, int] = {}
    for step in recorded("physical-memory-by-opaque-bytes"):
        accepted = isinstance(step.outcome, Answered) and step.outcome.code == 0
        if step.interface == "aclrtMemImportFromShareableHandleV2" and accepted:
            imported[step.actor] = step.number
        if step.interface == "aclrtFreePhysical" and step.actor in imported:
            assert references(step.args) == {imported[step.actor]}
