from __future__ import annotations

import contextlib
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from halcert.adapters import nursery, process
from halcert.adapters.errors import (
    LibraryUnloadable,
    RequestRefused,
    SessionClosed,
    WorkerUnavailable,
)
from halcert.adapters.hal import HalAdapter
from halcert.adapters.host import LOAD_LIMIT
from halcert.adapters.protocol import (
    Answered,
    Crashed,
    Garbled,
    Hung,
    Missing,
    Options,
    Request,
    reference,
)

FREE = Request("halMemFree", {"pp": 5})


def test_a_segmentation_fault_is_a_crash(actor, do):
    reply = actor.call(do("SEGV"))
    assert isinstance(reply, Crashed)
    assert reply.signal == signal.SIGSEGV
    assert "SIGSEGV" in reply.note
    assert not actor.alive


def test_an_abort_is_a_crash_with_the_last_words_of_the_library(actor, do):
    reply = actor.call(do("ABORT"))
    assert isinstance(reply, Crashed)
    assert reply.signal == signal.SIGABRT
    assert "naughty: invariant broken" in reply.note


@pytest.mark.parametrize("status", [0, 3, 113, 114])
def test_leaving_by_exit_is_a_crash_without_a_signal(actor, do, status):
    reply = actor.call(do("LEAVE", status))
    assert isinstance(reply, Crashed)
    assert reply.signal == 0
    assert f"exit({status})" in reply.note


def test_a_real_time_signal_has_no_name_but_a_number(actor, do):
    reply = actor.call(do("DIE", signal.SIGRTMIN + 3))
    assert isinstance(reply, Crashed)
    assert reply.signal == signal.SIGRTMIN + 3


def test_a_call_that_does_not_return_hangs(actor, do):
    reply = actor.call(do("HANG"), timeout=0.3)
    assert isinstance(reply, Hung)
    assert 0.3 <= reply.seconds < 5
    assert not actor.alive


def test_slow_calls_hang_only_if_one_of_them_is_too_slow(actor, do):
    replies = actor.batch([do("NAP", 100_000)] * 10, timeout=0.5)
    assert [type(reply) for reply in replies] == [Answered] * 10


def test_writing_past_an_output_ends_the_process(actor, do):
    reply = actor.call(do("OVERRUN"))
    assert isinstance(reply, Crashed)
    assert reply.signal == signal.SIGSEGV


def test_writing_before_an_output_is_a_crash_that_names_the_output(actor, do):
    replies = actor.batch([do("ECHO", 9), do("UNDERRUN"), FREE])
    assert [type(reply) for reply in replies] == [Answered, Crashed]
    assert replies[-1] == Crashed(0, "the library wrote in front of output pp")
    assert not actor.alive


MEDDLE = 0xBAD1DEA
"""The destination for which the library changes inputs."""
COPY = {"dst_size": 1, "src": 1, "count": 1, "info": {"dir": 2, "devid": 0}}


@pytest.mark.parametrize(
    "interface, args, name",
    [
        ("halMemcpyBatch", {"dst": [MEDDLE, 1], "src": [2, 2], "size": [3, 3], "count": 2}, "size"),
        ("halMemcpy", {"dst": MEDDLE, **COPY}, "info"),
        ("halMemSetAccess", {"ptr": MEDDLE, "size": 1, "desc": [{}, {}], "count": 2}, "desc"),
    ],
)
def test_a_changed_input_is_a_crash_that_names_the_argument(actor, interface, args, name):
    replies = actor.batch([Request(interface, args), FREE])
    assert replies == [Crashed(0, f"the library wrote to argument {name}, an input")]
    assert not actor.alive


@pytest.mark.parametrize("deeds", [["SCRIBBLE"], ["CHATTER", "HANG"]], ids="-".join)
def test_spoiling_what_belongs_to_the_worker_garbles_the_reply(actor, do, deeds):
    replies = actor.batch([do(deed) for deed in deeds], timeout=2)
    assert isinstance(replies[-1], Garbled)
    assert not actor.alive


def test_closing_every_descriptor_loses_the_process_but_not_the_reply(actor, do):
    first = actor.batch([FREE, do("CLOSE")])
    assert [reply.code for reply in first if isinstance(reply, Answered)] == [5, 0]
    then = actor.call(FREE)
    assert isinstance(then, Crashed)
    assert "closed descriptors" in then.note


def test_closing_every_descriptor_and_hanging_is_told_from_both(actor, do, monkeypatch):
    monkeypatch.setattr(process, "EXIT_SECONDS", 0.3)
    reply = actor.call(do("SEVER"))
    assert isinstance(reply, Crashed)
    assert "did not return" in reply.note


def test_a_symbol_that_the_library_lacks_is_missing_and_nothing_else_happens(session, actor):
    assert not session.offers("halMemAdvise")
    assert session.offers("halMemFree")
    assert session.offers("host.load")
    args = {"ptr": 1, "count": 1, "type": 0, "device": 0}
    assert actor.batch([Request("halMemAdvise", args), FREE])[0] == Missing("halMemAdvise")
    assert actor.alive


def test_what_the_library_prints_does_not_reach_the_terminal(actor, do, capfd):
    replies = actor.batch([do("PRINT", 200_000), do("PRINT", 3), do("ABORT")])
    assert isinstance(replies[-1], Crashed)
    assert "to stdout" in replies[-1].note
    assert len(replies[-1].note) < 3000
    assert capfd.readouterr() == ("", "")


def test_a_batch_stops_where_the_process_ends(actor, do):
    replies = actor.batch([FREE, do("ECHO", 9), do("SEGV"), FREE, FREE])
    assert [type(reply) for reply in replies] == [Answered, Answered, Crashed]
    assert actor.batch([FREE, FREE]) == [replies[-1]]


def test_an_empty_batch_has_no_replies(actor):
    assert actor.batch([]) == []


def test_a_batch_may_be_longer_than_the_journal(actor, do):
    attribute = Request("drvMemGetAttribute", {"vptr": 3, "attr": True})
    replies = actor.batch([attribute] * 40_000 + [do("SEGV")])
    assert len(replies) == 40_001
    assert all(isinstance(reply, Answered) for reply in replies[:-1])
    assert isinstance(replies[-1], Crashed)


def test_calls_are_timed_in_order(actor):
    replies = actor.batch([FREE] * 100)
    times = [time for reply in replies for time in (reply.began, reply.ended)]
    assert times == sorted(times)
    assert abs(times[0] - time.monotonic_ns()) < 60e9


# ------------------------------------------------------------------------------ the program itself


def test_the_program_maps_stores_and_loads(actor):
    replies = actor.batch(
        [
            Request("host.map", {"size": 8192}, 1),
            Request("host.store", _at(1, 10, size=4, pattern=3, offset=1000)),
            Request("host.fill", _at(1, 14, size=2, value=7)),
            Request("host.load", _at(1, 0, size=20)),
            Request("host.unmap", {"address": reference(1, "address")}),
        ]
    )
    assert [reply.code for reply in replies] == [0] * 5
    data = replies[3].out["data"]
    assert data[:10] == bytes(10)
    assert data[10:14] == _pattern(3, 1000, 4)
    assert data[14:] == b"\7\7" + bytes(4)


def _at(number: int, plus: int, **others: int) -> dict[str, object]:
    return {"address": reference(number, "address", plus), **others}


def _pattern(pattern: int, offset: int, length: int) -> bytes:
    from halcert.spec.pattern import pattern_bytes  # noqa: PLC0415 - the only user

    return pattern_bytes(pattern, offset, length)


def test_a_load_of_any_size_comes_in_one_piece(actor):
    size = LOAD_LIMIT + 5000
    mapped, _, loaded, freed = actor.batch(
        [
            Request("host.map", {"size": size}, 1),
            Request("host.store", _at(1, LOAD_LIMIT - 2, size=6, pattern=1, offset=0)),
            Request("host.load", _at(1, 0, size=size)),
            FREE,
        ]
    )
    assert len(loaded.out["data"]) == size
    assert loaded.out["data"][LOAD_LIMIT - 2 : LOAD_LIMIT + 4] == _pattern(1, 0, 6)
    assert freed.code == 5
    address = mapped.out["address"]
    direct = actor.call(Request("host.load", {"address": address, "size": size}))
    assert direct.out == loaded.out


@pytest.mark.parametrize("interface", ["host.load", "host.store", "host.fill"])
def test_touching_memory_that_is_not_there_ends_the_process(actor, interface):
    args = {"address": 4096, "size": 1}
    more = {"host.store": {"pattern": 0, "offset": 0}, "host.fill": {"value": 0}}
    reply = actor.call(Request(interface, args | more.get(interface, {})))
    assert isinstance(reply, Crashed)
    assert reply.signal == signal.SIGSEGV


def test_mapping_more_than_there_is_gives_an_errno(actor):
    reply = actor.call(Request("host.map", {"size": 1 << 62}))
    assert reply.code > 0
    assert reply.out == {"address": 0}


# ---------------------------------------------------------------------------- threads, and many


def test_threads_run_together_and_each_keeps_its_order(actor, do):
    nap = do("NAP", 200_000)
    began = time.monotonic()
    replies = actor.threads([[nap, do("ECHO", index)] for index in range(4)])
    assert time.monotonic() - began < 0.75
    assert [lane[1].out["pp"] for lane in replies] == [0, 1, 2, 3]
    assert max(lane[0].began for lane in replies) < min(lane[0].ended for lane in replies)


def test_threads_see_what_earlier_calls_gave(actor, do):
    actor.call(do("ECHO", 77, number=1))
    lanes = actor.threads([[Request("halMemFree", {"pp": reference(1, "pp")})]] * 3)
    assert [lane[0].code for lane in lanes] == [77] * 3


def test_a_crash_ends_the_threads_that_were_within_a_call(actor, do):
    crash = [do("NAP", 200_000), do("SEGV")]
    replies = actor.threads([[FREE], [FREE, do("HANG")], crash])
    assert [type(reply) for reply in replies[0]] == [Answered]
    assert [type(reply) for reply in replies[1]] == [Answered, Crashed]
    assert [type(reply) for reply in replies[2]] == [Answered, Crashed]


def test_a_thread_that_hangs_is_told_from_those_that_are_done(actor, do):
    replies = actor.threads([[FREE] * 3, [do("HANG")]], timeout=0.3)
    assert [len(lane) for lane in replies] == [3, 1]
    assert isinstance(replies[1][0], Hung)


def test_a_refused_request_in_a_thread_is_our_own_fault(actor):
    with pytest.raises(RequestRefused):
        actor.threads([[FREE], [Request("halMemFree", {})]])
    with pytest.raises(RequestRefused, match="threads"):
        actor.threads([])


def test_many_processes_live_side_by_side(session, do):
    actors = [session.spawn() for _ in range(12)]
    assert len({actor.pid for actor in actors}) == 12
    assert isinstance(actors[3].call(do("SEGV")), Crashed)
    assert [actor.call(FREE).code for i, actor in enumerate(actors) if i != 3] == [5] * 11


def test_processes_can_be_used_from_threads_of_the_suite(session):
    codes: list[int] = []

    def use() -> None:
        codes.extend(reply.code for reply in session.spawn().batch([FREE] * 50))

    threads = [threading.Thread(target=use) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert codes == [5] * 200


# ------------------------------------------------------------------------------- violent endings


def test_a_process_that_was_killed_between_calls_has_crashed(actor):
    os.kill(actor.pid, signal.SIGKILL)
    time.sleep(0.05)
    reply = actor.call(FREE)
    assert isinstance(reply, Crashed)
    assert reply.signal == signal.SIGKILL


def test_a_process_that_was_killed_on_request_takes_no_more_calls(actor):
    actor.kill()
    actor.kill()
    assert not actor.alive
    assert isinstance(actor.call(FREE), Crashed)


def test_killing_at_any_point_keeps_the_replies_so_far(session):
    chance = random.Random(1)
    for _ in range(15):
        actor = session.spawn()
        delay = chance.uniform(0, 0.03)
        killer = threading.Timer(delay, os.kill, (actor.pid, signal.SIGKILL))
        killer.start()
        replies = actor.batch([FREE] * 15_000)
        killer.join()
        whole = len(replies) == 15_000 and isinstance(replies[-1], Answered)
        assert whole or replies[-1].signal == signal.SIGKILL
        assert all(reply.code == 5 for reply in replies[:-1])


def test_another_zygote_takes_over_when_the_first_was_killed(library):
    options = Options(library=str(library), environment={"LD_NAUGHTY": "a zygote of its own"})
    with HalAdapter().open("any", options) as session:
        session.spawn()
        zygote = nursery.nursery_for(options.environment)._process
        zygote.kill()
        zygote.wait()
        assert session.spawn().call(FREE).code == 5


def test_what_lies_in_the_folder_of_the_user_is_not_taken_for_ours(library, tmp_path, monkeypatch):
    (tmp_path / "msgspec.py").write_text("raise SystemExit")
    (tmp_path / "halcert").mkdir()
    (tmp_path / "halcert" / "__init__.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    with HalAdapter().open("any", _zygote_of_its_own(library)) as session:
        assert session.spawn().call(FREE).code == 5


def test_workers_die_with_their_zygote(library):
    options = Options(library=str(library), environment={"LD_NAUGHTY": "another zygote"})
    with HalAdapter().open("any", options) as session:
        actor, lost = session.spawn(), session.spawn()
        nursery.nursery_for(options.environment).close()
        deadline = time.monotonic() + 5
        while os.path.exists(f"/proc/{actor.pid}") and time.monotonic() < deadline:  # noqa: PTH110
            time.sleep(0.02)
        assert time.monotonic() < deadline
        with pytest.raises(WorkerUnavailable, match="gone"):
            lost.call(FREE)
        assert isinstance(lost.call(FREE), Garbled)


def _zygote_of_its_own(library, **more: str) -> Options:
    name = f"{time.monotonic_ns()}"
    return Options(library=str(library), environment={"LD_NAUGHTY": name, **more}, call_timeout=20)


def _within(seconds: float, condition) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def _descendants(of: int) -> list[int]:
    parents = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208
        with contextlib.suppress(OSError):
            stat = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
            parents[int(entry)] = int(stat[1])
    found = [pid for pid, parent in parents.items() if parent == of]
    return found + [each for pid in found for each in _descendants(pid)]


def test_a_crash_shows_at_once_though_a_child_of_the_library_lives_on(library, do):
    options = _zygote_of_its_own(library)
    with HalAdapter().open("any", options) as session:
        began = time.monotonic()
        reply = session.spawn().call(do("ORPHAN"))
        assert isinstance(reply, Crashed)
        assert reply.signal == signal.SIGSEGV
        assert time.monotonic() - began < 5
        owner = nursery.nursery_for(options.environment)
        # Its group is killed with it, and who left the group with the zygote.
        assert _within(5, lambda: len(_descendants(owner._process.pid)) <= 1)
        left = _descendants(owner._process.pid)
        owner.close()
        assert not [pid for pid in left if Path(f"/proc/{pid}").exists()]


def test_a_child_that_returns_from_the_library_does_not_speak_for_the_worker(library, do):
    options = _zygote_of_its_own(library, NAUGHTY_AT_LOAD="twin")
    with HalAdapter().open("any", options) as session:
        actor = session.spawn()
        replies = actor.batch([FREE, do("TWIN"), *[do("ECHO", i) for i in range(500)]])
        assert [reply.out["pp"] for reply in replies[2:]] == list(range(500))
        assert actor.call(FREE).code == 5


def test_a_library_that_kills_the_zygote_has_crashed_and_the_session_goes_on(library, do):
    with HalAdapter().open("any", _zygote_of_its_own(library)) as session:
        reply = session.spawn().call(do("PATRICIDE"))
        assert isinstance(reply, Crashed)
        assert "may have killed its parent" in reply.note
        assert session.spawn().call(FREE).code == 5


def test_a_failure_of_the_worker_itself_is_told_with_its_reason(library):
    options = Options(library=str(library), environment={"NO=NAME": ""})
    with (
        HalAdapter().open("any", options) as session,
        pytest.raises(WorkerUnavailable, match=r"failed by itself(.|\n)*ValueError"),
    ):
        session.spawn()


@pytest.mark.parametrize(
    "limit, value, hint",
    [("RLIMIT_NOFILE", 3, "ulimit -n"), ("RLIMIT_FSIZE", 4096, "ulimit -f")],
)
def test_a_system_that_refuses_descriptors_or_files_is_told_with_a_hint(
    library, limit, value, hint
):
    with HalAdapter().open("any", Options(library=str(library))) as session:
        session.spawn()  # the zygote runs already
        number = getattr(resource, limit)
        before = resource.getrlimit(number)
        resource.setrlimit(number, (value, before[1]))
        try:
            with pytest.raises(WorkerUnavailable) as caught:
                session.spawn()
        finally:
            resource.setrlimit(number, before)
        assert hint in caught.value.hint
        assert session.spawn().call(FREE).code == 5


def test_a_session_starts_where_the_standard_descriptors_are_closed(library):
    program = (
        "import os, sys\n"
        "os.closerange(0, 3)\n"
        "from halcert.adapters.hal import HalAdapter\n"
        "from halcert.adapters.protocol import Options, Request\n"
        "with HalAdapter().open('any', Options(library=sys.argv[1])) as session:\n"
        "    reply = session.spawn().call(Request('halMemFree', {'pp': 5}))\n"
        "os._exit(40 + reply.code)\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", program, str(library)], env=environment, check=False, timeout=60
    )
    assert done.returncode == 45


def test_dead_processes_hold_no_descriptors(session, do):
    session.spawn().call(do("ABORT"))
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    for _ in range(20):
        session.spawn().call(do("ABORT"))
    assert len(os.listdir("/proc/self/fd")) <= before + 1  # noqa: PTH208


def test_exit_handlers_run_when_a_process_is_closed(library, tmp_path):
    farewell = tmp_path / "farewell"
    options = Options(library=str(library), environment={"NAUGHTY_FAREWELL": str(farewell)})
    with HalAdapter().open("any", options) as session:
        session.spawn()
        assert not farewell.exists()
    assert farewell.exists()


def test_nothing_can_be_done_after_closing(session):
    actor = session.spawn()
    actor.close()
    actor.close()
    with pytest.raises(SessionClosed):
        actor.call(FREE)
    session.close()
    with pytest.raises(SessionClosed):
        session.spawn()


def test_a_memory_limit_holds_for_each_process(library):
    options = Options(library=str(library), memory_limit=1 << 28)
    with HalAdapter().open("any", options) as session:
        actor = session.spawn()
        assert actor.call(Request("host.map", {"size": 1 << 20})).code == 0
        assert actor.call(Request("host.map", {"size": 1 << 30})).code > 0


def test_a_library_that_dies_while_loading_cannot_be_loaded(library):
    options = Options(library=str(library), environment={"NAUGHTY_AT_LOAD": "abort"})
    with (
        HalAdapter().open("any", options) as session,
        pytest.raises(LibraryUnloadable, match="not today"),
    ):
        session.spawn()
