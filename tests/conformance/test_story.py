"""Telling a trace again: the verdict is the one that was met, and demands are what rules say."""

from __future__ import annotations

import pytest

from halcert.conformance.activity import Activity, Effort, perform
from halcert.conformance.lab import Lab
from halcert.conformance.scenarios import SCENARIOS
from halcert.conformance.story import story_of
from halcert.conformance.tally import Tally
from halcert.model.concrete import Oracle
from halcert.results import Answered, Trace, TraceHeader, TraceStep, read_trace, write_trace
from halcert.results.story import Formula, Origin
from halcert.spec.abi.codes import DrvError
from halcert.spec.catalogue import interfaces
from halcert.spec.profiles import PROFILES

DEV = 0x400
HOST = 0x1800
"""Flag of memory that frees do not keep in caches."""
INVALID = int(DrvError.INVALID_VALUE)
SHORT = int(DrvError.OUT_OF_MEMORY)
NOTHING_TO_REDUCE = Effort(shrink=0.0, reduce=0.0, repetitions=0)


def call(number, interface, outcome=None, actor=0, **args):
    return TraceStep(number, interface, args, outcome, actor)


def block(number, field="pp", plus=0):
    return {"$": number, "field": field, "plus": plus}


def told(*steps, **header):
    return story_of(Trace(TraceHeader(profile="ascend910b", devices=(0, 1), **header), steps))


OPEN = call(1, "halMemAgentOpen", Answered(0), devid=0, flag=0)
ALLOC = call(2, "halMemAlloc", Answered(0, {"pp": 0x12C000000000}), pp=True, size=4096, flag=DEV)


def demands(story):
    return [each.demand for each in story.steps]


def test_a_call_that_must_be_refused_is_told_with_its_codes():
    story = told(OPEN, ALLOC, call(3, "halMemFree", Answered(INVALID), pp=block(2, plus=1)))
    last = demands(story)[-1]
    assert (last.success, last.failure) == (False, True)
    assert last.codes == (INVALID,)
    assert last.rules == ("SVM-FREE-002",)
    assert story.broken is None


def test_a_call_that_may_run_short_may_fail_with_that_code_only():
    last = demands(told(OPEN, ALLOC))[-1]
    assert (last.success, last.failure, last.codes) == (True, True, (SHORT,))


def test_an_allocation_that_could_be_had_must_be_had_again():
    freed = call(3, "halMemFree", Answered(0), pp=block(2))
    again = call(4, "halMemAlloc", Answered(SHORT, {"pp": 0}), pp=True, size=4096, flag=HOST)
    first = call(2, "halMemAlloc", Answered(0, {"pp": 0x12C000000000}), **again.args)
    story = told(OPEN, first, freed, again)
    assert story.broken.rule == "SVM-ANY-005"
    assert SHORT not in demands(story)[-1].codes


def test_the_verdict_is_the_one_that_was_met():
    again = call(4, "halMemFree", Answered(0), pp=block(2))
    story = told(OPEN, ALLOC, call(3, "halMemFree", Answered(0), pp=block(2)), again)
    assert story.broken.rule == "SVM-FREE-002"
    assert story.broken.shape == "accepted"
    assert story.broken.culprit == story.focus == 4
    assert [each.ended for each in story.before.former] == [3]


def test_a_wrong_byte_is_told_with_its_block_and_the_call_at_fault():
    address = 0x7F0000000000
    steps = (
        call(1, "host.map", Answered(0, {"address": address}), size=64),
        call(2, "host.fill", Answered(0), address=block(1, "address"), size=64, value=7),
        call(
            3,
            "host.load",
            Answered(0, {"data": b"\x07" * 60 + b"\x08" * 4}),
            address=block(1, "address"),
            size=64,
        ),
    )
    story = told(*steps)
    assert story.broken.shape == "content"
    assert story.broken.culprit == 2
    assert story.broken.block == Origin(1, "address")
    assert story.broken.byte == 60
    (stretch,) = demands(story)[-1].stretches
    assert (stretch.start, stretch.length, stretch.pattern, stretch.value) == (0, 64, None, 7)


def test_before_and_after_show_what_the_call_changed():
    story = told(OPEN, ALLOC)
    assert story.before.blocks == ()
    (made,) = story.after.blocks
    assert (made.base, made.size, made.device, made.origin) == (
        0x12C000000000,
        4096,
        0,
        Origin(2, "pp"),
    )


def test_a_block_in_the_place_of_a_live_one_hides_none_of_them():
    again = call(3, "halMemAlloc", Answered(0, {"pp": 0x12C000000000}), pp=True, size=1, flag=DEV)
    story = told(OPEN, ALLOC, again, rule="SVM-ALLOC-042")
    assert story.broken.rule == "SVM-ALLOC-042"
    assert {each.origin.number for each in story.after.blocks} == {2, 3}


def test_a_plan_is_played_by_the_model():
    steps = [TraceStep(s.number, s.interface, s.args) for s in (OPEN, ALLOC)]
    story = told(*steps)
    assert all(each.step.outcome is not None for each in story.steps)
    assert story.broken is None


def test_a_call_that_refers_to_nothing_is_left_out():
    story = told(OPEN, call(2, "halMemFree", Answered(0), pp=block(9)))
    assert [each.made for each in story.steps] == [True, False]


def test_processes_have_blocks_of_their_own():
    foreign = call(4, "halMemFree", Answered(INVALID), actor=1, pp=block(2))
    other = call(3, "halMemAgentOpen", Answered(0), actor=1, devid=0, flag=0)
    story = told(OPEN, ALLOC, other, foreign)
    assert story.broken is None
    assert not demands(story)[-1].success
    assert {each.process for each in story.after.blocks} == {0}


# ------------------------------------------------------------------------------ calls in threads


def free(number, thread, code, began):
    outcome = Answered(code, {}, began, began + 10)
    return TraceStep(number, "halMemFree", {"pp": block(2)}, outcome, 0, thread)


def test_of_equal_calls_at_the_same_time_it_is_told_how_many_succeed():
    story = told(OPEN, ALLOC, free(10, 1, 0, 100), free(20, 2, INVALID, 105))
    assert story.broken is None
    assert story.promised == (((10, 20), 1),)
    assert demands(story)[2:] == [None, None]


def test_two_of_them_that_succeed_break_the_order():
    story = told(OPEN, ALLOC, free(10, 1, 0, 100), free(20, 2, 0, 105))
    assert (story.broken.rule, story.broken.shape) == ("SVM-ANY-004", "order")


# ------------------------------------------------------------------------------- real recordings


def recorded(setting, name):
    with Lab(setting, name, Tally()) as lab:
        SCENARIOS[name].flow(lab)
    header = TraceHeader(profile=setting.profile.name, devices=setting.devices)
    return Trace(header, tuple(lab.steps))


@pytest.mark.parametrize("name", ["every-kind", "queries", "rows-by-descriptor", "batches"])
def test_a_sound_recording_is_sound_when_it_is_told_again(driver, tmp_path, name):
    write_trace(recorded(driver, name), tmp_path / "trace.jsonl")
    story = story_of(read_trace(tmp_path / "trace.jsonl"))
    assert story.broken is None
    assert all(each.made and each.demand is not None for each in story.steps)


def test_what_the_suite_finds_is_found_again_in_the_recording(driver_with, tmp_path):
    setting = driver_with("attr_wrong_device")
    activity = Activity("scenario[every-kind]", "scenario", "svm")
    (failure,) = perform(setting, activity, set(), NOTHING_TO_REDUCE).failures
    header = TraceHeader(profile="ascend910b", rule=failure.rule, devices=setting.devices)
    write_trace(Trace(header, failure.steps), tmp_path / "trace.jsonl")
    broken = story_of(read_trace(tmp_path / "trace.jsonl")).broken
    assert (broken.rule, broken.shape, broken.came) == (failure.rule, failure.shape, failure.came)


# ------------------------------------------------------------------------------------- promises


def value_of(formula, outputs):
    """Return what a formula is worth, by its definition alone."""
    op, args = formula.op, formula.args
    if op in ("number", "truth"):
        return args[0]
    if op == "output":
        found = outputs[args[0]]
        for part in args[1].split("."):
            found = found[int(part)] if isinstance(found, list) else found[part]
        return found
    if op == "bits":
        return value_of(args[0], outputs) >> args[1] & ((1 << args[2]) - 1)
    if op in ("times", "mod", "div"):
        one, other = value_of(args[0], outputs), args[1]
        return {"times": one * other, "mod": one % other, "div": one // other}[op]
    inner = [value_of(each, outputs) for each in args]
    if op == "if":
        return inner[1] if inner[0] else inner[2]
    meaning = {
        "add": lambda: sum(inner),
        "and": lambda: all(inner),
        "or": lambda: any(inner),
        "not": lambda: not inner[0],
        "lt": lambda: inner[0] < inner[1],
        "le": lambda: inner[0] <= inner[1],
        "eq": lambda: inner[0] == inner[1],
        "ne": lambda: inner[0] != inner[1],
    }
    return meaning[op]()


def numbers_in(out, path=()):
    for name, value in out.items() if isinstance(out, dict) else enumerate(out):
        if isinstance(value, dict | list):
            yield from numbers_in(value, (*path, name))
        elif isinstance(value, int) and not isinstance(value, bool):
            yield (*path, name)


def changed(out, path, value):
    name, *rest = path
    new = changed(out[name], rest, value) if rest else value
    return {**out, name: new} if isinstance(out, dict) else [*out[:name], new, *out[name + 1 :]]


VALUES = (0, 1, 3, 4096, 0x12C000000000, 2**63)
IN_ARRAYS = (-3, -2, -1, 0, 1, 2, 64, 127)


@pytest.mark.parametrize(
    "name", ["every-kind", "queries", "features", "rows-by-descriptor", "mixed-ranges"]
)
def test_formulas_agree_with_the_judge_about_right_and_wrong_outputs(driver, name):
    """A formula is true of an output exactly if the judge accepts the output."""
    trace = recorded(driver, name)
    story = story_of(trace, thorough=True)
    oracle = Oracle(interfaces().values(), PROFILES["ascend910b"])
    outputs = {s.number: s.outcome.out for s in trace.steps}
    checked = 0
    worlds = Worlds(driver, trace)
    for each in story.steps:
        step = each.step
        if not each.demand.promises:
            continue
        for path in numbers_in(step.outcome.out):
            for value in IN_ARRAYS if "data" in path else VALUES:
                out = changed(step.outcome.out, path, value)
                judged = worlds.promise(oracle, step, out)
                promises = {p.rule: p.condition for p in each.demand.promises}
                formulas = all(
                    value_of(c, {**outputs, step.number: out})
                    for rule, c in promises.items()
                    if not rule.startswith("SVM-ANY")
                )
                assert formulas == (judged is None), (step, path, value, judged)
                checked += 1
    assert checked > 10


class Worlds:
    """The state before each call of a trace."""

    def __init__(self, setting, trace):
        self.before = {}
        self.setting = setting
        with Lab(setting, "worlds", Tally()) as lab:
            lab.actor()
            for step in trace.steps:
                self.before[step.number] = lab.world
                interface = setting.interfaces[step.interface]
                made = interface.parse(step.values)
                with lab.observing() if step.observing else Nothing():
                    lab.take(made, step.values, step.outcome)

    def promise(self, oracle, step, out):
        """Return the promise that other outputs break."""
        interface = self.setting.interfaces[step.interface]
        made = interface.parse(step.values)
        result = interface.parse_result(step.outcome.code, out)
        rules = oracle.rules(step.interface)
        view = self.before[step.number].views[0]
        ask = rules.broken_on_failure if step.outcome.code else rules.broken_on_success
        return ask(made, view, result)[0]


class Nothing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


def test_a_formula_can_be_compared():
    assert Formula("number", (1,)) == Formula("number", (1,))
