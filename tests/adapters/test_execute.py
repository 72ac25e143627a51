"""The exec adapter: what a program may do, and what becomes of it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest

from halcert.adapters import program as program_module
from halcert.adapters import softhal
from halcert.adapters.errors import ProgramNotFound, ProgramUnusable, RequestRefused
from halcert.adapters.execute import ExecAdapter
from halcert.adapters.protocol import (
    Adapter,
    Answered,
    Crashed,
    Garbled,
    Hung,
    Missing,
    Options,
    Request,
    reference,
)
from halcert.conformance.run import Choice, prepared
from halcert.reports.schemas import exec_schema
from halcert.spec.pattern import pattern_bytes

ROOT = Path(__file__).parent.parent.parent
TALKING = Path(__file__).parent / "talking.py"
HARNESS = ROOT / "docs" / "examples" / "harness.c"


@pytest.fixture
def program(tmp_path):
    """Return a program that talks, as options of the adapter."""

    def made(how="plainly", **options):
        path = tmp_path / f"talk-{how}"
        path.write_text(f"#!/bin/sh\nexec {shlex.join([sys.executable, str(TALKING), how])}\n")
        path.chmod(0o755)
        return Options(library=str(path), **options)

    return made


@pytest.fixture
def actor(program):
    with ExecAdapter().open("ascend910b", program(call_timeout=20.0)) as session:
        yield session.spawn()


def test_it_is_an_adapter_and_tells_what_the_program_told(program):
    adapter = ExecAdapter()
    assert isinstance(adapter, Adapter)
    found = adapter.describe(program())
    assert (found.implementation, found.version, found.devices) == ("talking", "2.1", 2)
    assert found.path.endswith("talk-plainly")
    assert len(found.sha256) == 64
    assert "halMemRelease" in found.missing
    assert "halMemAlloc" not in found.missing


def test_references_are_resolved_before_the_program_sees_them(actor):
    first = Request("halMemAlloc", {"pp": True}, 1)
    second = Request("halMemAlloc", {"pp": [reference(1, "pp", 16)], "b": b"\x01"}, 2)
    replies = actor.batch([first, second])
    assert replies[1].out["args"] == {"pp": [4112], "b": "01"}
    with pytest.raises(RequestRefused, match="no output"):
        actor.call(Request("halMemAlloc", {"pp": reference(9, "pp")}, 3))


def test_bytes_come_as_bytes(actor):
    assert actor.call(Request("host.load", {"size": 2})).out["data"] == b"\x00\xff"


@pytest.mark.parametrize(
    "interface, kind, words",
    [
        ("halMemFree", Crashed, "SIGSEGV"),
        ("host.fill", Crashed, "exit(7)\ngoodbye"),
        ("drvMemsetD8", Garbled, "no answer"),
        ("host.map", Garbled, "was not asked"),
    ],
)
def test_what_is_no_answer_ends_the_process_and_is_told(actor, interface, kind, words):
    reply = actor.call(Request(interface, {}))
    assert isinstance(reply, kind)
    assert words in reply.note
    assert not actor.alive
    assert actor.call(Request("halMemAlloc", {})) == reply


def test_no_answer_in_time_is_a_hang(actor):
    began = time.monotonic()
    reply = actor.call(Request("drvMemcpy", {}), timeout=0.3)
    assert isinstance(reply, Hung)
    assert 0.3 <= reply.seconds < 10
    assert time.monotonic() - began < 10


def test_after_an_end_the_batch_stops(actor):
    replies = actor.batch([Request("halMemFree", {}), Request("halMemAlloc", {})])
    assert [type(each) for each in replies] == [Crashed]


def test_what_the_program_cannot_do_is_its_own_fault(actor):
    with pytest.raises(RequestRefused, match="type 12"):
        actor.call(Request("halMemCtl", {}))


def test_what_it_does_not_offer_is_missing(actor):
    assert actor.call(Request("halMemRelease", {})) == Missing("halMemRelease")


def test_threads_take_turns_unless_the_program_has_some(actor):
    replies = actor.threads([[Request("halMemAlloc", {}, 1)], [Request("halMemAlloc", {}, 2)] * 2])
    assert [len(each) for each in replies] == [1, 2]


def test_threads_run_at_the_same_time_if_the_program_says_so(program):
    with ExecAdapter().open("ascend910b", program("threads", call_timeout=20.0)) as session:
        replies = session.spawn().threads([[Request("halMemMap", {})], [Request("halMemMap", {})]])
    assert [[reply.code for reply in each] for each in replies] == [[1], [2]]


def test_killed_and_closed_programs_leave_nothing(program):
    with ExecAdapter().open("ascend910b", program()) as session:
        one, other = session.spawn(), session.spawn()
        pids = [each._process.pid for each in (one, other)]
        one.kill()
        assert not one.alive
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


@pytest.mark.parametrize(
    "how, words",
    [
        ("dying", "no licence"),
        ("noisy", "no hello"),
        ("later", "halcert-exec/9"),
        ("poor", "does not offer host.map"),
        ("inventive", "halMemDream"),
    ],
)
def test_a_program_that_does_not_speak_the_protocol_is_refused(program, how, words):
    with pytest.raises(ProgramUnusable, match=words):
        ExecAdapter().describe(program(how))


def test_a_program_that_says_nothing_is_given_up(program, monkeypatch):
    monkeypatch.setattr(program_module, "START_SECONDS", 0.3)
    with pytest.raises(ProgramUnusable, match="said nothing"):
        ExecAdapter().describe(program("silent"))


def test_what_is_no_program_is_refused(tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("not executable")
    for library, words in ((None, "--program"), (tmp_path / "no", "no program"), (plain, "chmod")):
        options = Options(library=None if library is None else str(library))
        with pytest.raises(ProgramNotFound, match=words):
            ExecAdapter().describe(options)
    plain.chmod(0o755)
    with pytest.raises(ProgramUnusable, match="cannot be started"):
        ExecAdapter().describe(Options(library=str(plain)))


def test_the_lines_that_the_document_shows_fit_the_schema():
    text = (ROOT / "docs" / "exec.md").read_text()
    shown = [each for each in text.split("```") if each.startswith("json\n")]
    lines = [json.loads(each.removeprefix("json\n")) for each in shown]
    for line in lines:
        jsonschema.validate(line, exec_schema())
    assert len(lines) == 4


# ------------------------------------------------------------------------ the example in C


@pytest.fixture(scope="module")
def harness(tmp_path_factory):
    folder = tmp_path_factory.mktemp("harness")
    library = softhal.library()
    flags = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'adapters/softhal'}"]
    link = [str(library), f"-Wl,-rpath,{library.parent}"]
    subprocess.run(["cc", *flags, "-o", folder / "harness", HARNESS, *link], check=True)
    return folder / "harness"


def test_the_example_is_short_enough_to_be_read():
    lines = HARNESS.read_text().splitlines()
    assert len(lines) < 200
    assert max(map(len, lines)) <= 120


def test_the_example_stores_patterns_and_loads_bytes(harness):
    with ExecAdapter().open("ascend910b", Options(library=str(harness))) as session:
        place = reference(1, "address")
        pattern = {"pattern": 9, "offset": 13}
        replies = session.spawn().batch(
            [
                Request("host.map", {"size": 8192}, 1),
                Request("host.store", {"address": place, "size": 77, **pattern}, 2),
                Request("host.load", {"address": place, "size": 77}, 3),
                Request("host.unmap", {"address": place}, 4),
                Request("host.load", {"address": place, "size": 1}, 5),
            ]
        )
    assert all(isinstance(each, Answered) and each.code == 0 for each in replies[:4])
    assert replies[2].out["data"] == pattern_bytes(9, 13, 77)
    assert isinstance(replies[4], Crashed)


@pytest.mark.slow
def test_the_example_is_certified(harness, tmp_path):
    before = _devices()
    library, out = str(harness), tmp_path / "out"
    choice = Choice(adapter="exec", library=library, areas=("vmm",), budget=200.0, jobs=2, out=out)
    suite = prepared(choice)
    suite.campaign.without_machines()
    certificate = suite.run(suite.activities())
    assert certificate.certified, certificate.reason
    assert certificate.findings == ()
    assert certificate.implementation.name == "C example"
    assert _devices() <= before


def _devices():
    """Devices of all sessions of this process; other tests may have some open."""
    return {each.name for each in Path("/dev/shm").glob(f"*halcert-{os.getpid()}-*")}
