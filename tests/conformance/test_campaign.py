"""Whole campaigns: alone and side by side, and with implementations that do not behave."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from halcert.adapters.device import DEVICE_CALLS
from halcert.adapters.protocol import Options
from halcert.conformance.activity import Activity, Effort
from halcert.conformance.campaign import Campaign, Plan, directed
from halcert.conformance.registry import adapter_named
from halcert.conformance.target import Target, describe
from halcert.conformance.verdicts import findings
from halcert.results import CutShort, Verdict

from .hostile import MODES, compiled

LONG = 120.0
QUICK = Effort(shrink=0.0, reduce=0.3, repetitions=1)
MODEL = Target("model", Options(), "ascend910b", ("svm",), (0, 1))


def scenarios(target):
    return [each for each in directed(target, 0, []) if each.kind == "scenario"]


SOON_FOUND = "double_free_accepted"
"""A seeded fault that the first flows meet."""


def campaign(target=MODEL, activities=None, **plan):
    plan = {"budget": LONG, "machines": False, "effort": QUICK, **plan}
    made = Campaign(target, Plan(**plan))
    made.run(scenarios(target) if activities is None else activities)
    return made


def test_directed_activities_show_the_same_rules_alone_and_side_by_side():
    alone, together = campaign(jobs=1), campaign(jobs=2)
    assert alone.tally.shown == together.tally.shown
    assert alone.tally.calls == together.tally.calls
    assert {done.activity for done in alone.done} == {done.activity for done in together.done}
    assert not [done.trouble for done in (*alone.done, *together.done) if done.trouble]


def test_the_model_itself_breaks_no_rule():
    made = campaign(budget=4.0, machines=True)
    assert [failure for done in made.done for failure in done.failures] == []
    assert [done.trouble for done in made.done if done.trouble] == []


def test_activities_are_begun_in_order_and_each_is_ended():
    begun, ended = [], []
    made = Campaign(MODEL, Plan(budget=LONG, machines=False))
    made.run(scenarios(MODEL), begun.append, lambda activity, _: ended.append(activity))
    assert begun == ended == scenarios(MODEL)


def test_what_does_not_fit_in_the_budget_is_left_out_and_said():
    made = campaign(budget=1e-9)
    assert made.done == []
    assert made.stopped is CutShort.BUDGET


def test_machines_use_what_is_left_of_the_budget_and_no_more():
    began = time.monotonic()
    made = campaign(budget=2.0, machines=True, activities=[])
    kinds = {done.activity.partition("[")[0] for done in made.done}
    assert kinds == {"machine"}
    assert time.monotonic() - began < 20
    assert made.stopped is None


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_first_finding_can_be_the_end(jobs):
    target = Target("hal", Options(fault=SOON_FOUND), "ascend910b", ("svm",), (0, 1))
    made = campaign(target, jobs=jobs, stop_at_first=True, machines=True, budget=20)
    found = [failure for done in made.done for failure in done.failures]
    assert [done.trouble for done in made.done if done.trouble] == []
    assert found, [(done.activity, done.seconds) for done in made.done]
    assert len(made.done) < len(scenarios(target)) + 60


def test_a_package_of_that_name_where_a_run_is_started_is_not_taken_for_halcert(tmp_path):
    place, script = tmp_path / "here", tmp_path / "elsewhere" / "run.py"
    (place / "halcert").mkdir(parents=True)
    (place / "halcert" / "__init__.py").write_text("open('taken', 'w').close()\n")
    script.parent.mkdir()
    script.write_text(
        "import os\n"
        "from halcert.conformance.campaign import pool_of\n"
        "if __name__ == '__main__':\n"
        "    with pool_of(1) as pool:\n"
        "        print(pool.submit(os.getcwd).result())\n"
    )
    path = os.pathsep.join(os.path.abspath(each) for each in sys.path)  # noqa: PTH100 - "" counts
    done = subprocess.run(
        [sys.executable, script],
        cwd=place,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(done.stdout.strip()).resolve() == place.resolve()
    assert not (place / "taken").exists()


class Killing(Campaign):
    """Kills the processes of its pool while activities are under way."""

    def __init__(self, target, plan, times):
        super().__init__(target, plan)
        self.times = times
        self.pools = []

    def _pool(self):
        self.pools.append(super()._pool())
        return self.pools[-1]

    def _submitted(self, pool, activity):
        future = super()._submitted(pool, activity)
        if self.times > 0 and len(self.done) >= 2:
            self.times -= 1
            for process in list(pool._processes.values()):
                with suppress(ProcessLookupError):
                    os.kill(process.pid, signal.SIGKILL)
        return future


def test_a_killed_process_is_said_once_and_the_rest_is_done_all_the_same():
    made = Killing(MODEL, Plan(budget=LONG, jobs=2, machines=False), times=1)
    made.run(scenarios(MODEL))
    troubles = [done.trouble for done in made.done if done.trouble]
    assert len(troubles) == 1
    assert "a process of the suite was killed during scenario[" in troubles[0]
    assert len(made.pools) == 2
    assert {done.activity for done in made.done} == {each.name for each in scenarios(MODEL)}
    assert made.stopped is None


def test_processes_that_are_killed_again_and_again_end_the_campaign():
    made = Killing(MODEL, Plan(budget=LONG, jobs=2, machines=True), times=1000)
    made.run(scenarios(MODEL))
    assert len([done for done in made.done if done.trouble]) == len(made.pools) == 3
    assert made.stopped is CutShort.KILLED


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_session_that_cannot_be_opened_is_trouble_not_a_traceback(jobs):
    target = msgspec.structs.replace(
        MODEL, adapter="hal", options=Options(library="/nowhere/libascend_hal.so")
    )
    made = campaign(target, scenarios(target)[:2], jobs=jobs)
    assert len(made.done) == 2
    assert all("no library" in done.trouble for done in made.done)


@pytest.fixture(scope="session")
def hostile(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("hostile"))


EXPECTED = {
    "crash": "crashed",
    "abort": "crashed",
    "hang": "hung",
    "exit": "crashed",
    "garble": "garbled",
}


@pytest.mark.parametrize("mode", MODES)
def test_an_implementation_that_misbehaves_in_every_call_does_not_end_the_run(hostile, mode):
    timeout = 0.2 if mode == "hang" else 10.0
    environment = {"HOSTILE": mode}
    options = Options(library=str(hostile), environment=environment, call_timeout=timeout)
    _, devices = describe(adapter_named("hal"), Options(library=str(hostile)))
    assert devices == (0,)
    target = Target("hal", options, "ascend910b", ("svm",), devices)
    threads = Activity("concurrent[threads]", "concurrent", "svm", seconds=0.5)
    made = campaign(target, [*scenarios(target)[:4], threads], machines=True, budget=2.0)
    assert [done.trouble for done in made.done if done.trouble] == []
    found = findings(made, {})
    assert found
    if mode in EXPECTED:
        assert all(len(finding.steps) <= 4 for finding in found)
        assert {finding.shape for finding in found} == {EXPECTED[mode]}
        assert {finding.verdict for finding in found} == {
            Verdict.HUNG if mode == "hang" else Verdict.CRASHED
        }


def test_a_library_that_behaves_until_it_is_asked_is_described(hostile):
    description = adapter_named("hal").describe(Options(library=str(hostile)))
    assert description.devices == 1
    assert description.missing == tuple(DEVICE_CALLS)
