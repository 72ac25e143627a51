"""Traces as time lines, diagrams, tests, pictures and stories."""

from __future__ import annotations

import ast
import re
import xml.etree.ElementTree as ET

import msgspec
import pytest

from halcert.conformance.story import story_of
from halcert.reports.explain import explained
from halcert.reports.mermaid import mermaid
from halcert.reports.perfetto import perfetto
from halcert.reports.picture import picture
from halcert.reports.pytestfile import pytest_file
from halcert.reports.situation import kind_of
from halcert.results import Answered, Trace, TraceHeader, TraceStep
from halcert.results.story import BlockSeen
from halcert.spec.abi.constants import VirtType
from halcert.spec.state import USER
from halcert.spec.svm.flags import GRANT, OPENED, POOL

ADDRESS = 0x12C000000000
HOSTILE = 'a<b>&"\'; end #1\n\x1b[31m"""\\'


def step(number, interface, outcome=None, actor=0, thread=0, **args):
    return TraceStep(number, interface, args, outcome, actor, thread, values=dict(args))


def block(number, plus=0):
    return {"$": number, "field": "pp", "plus": plus}


def told(*steps, **header):
    return story_of(Trace(TraceHeader(profile="ascend910b", devices=(0, 1), **header), steps))


def answered(code=0, out=None, began=0):
    return Answered(code, out or {}, began, began + 1500)


OPEN = step(1, "halMemAgentOpen", answered(began=1000), devid=0, flag=0)
ALLOC = step(
    2, "halMemAlloc", answered(out={"pp": ADDRESS}, began=4000), pp=True, size=4097, flag=0x400
)
TWICE = (
    OPEN,
    ALLOC,
    step(3, "halMemFree", answered(began=7000), pp=block(2)),
    step(4, "halMemFree", answered(began=9000), pp=block(2)),
)
TWO = (
    OPEN,
    ALLOC,
    step(3, "halMemAgentOpen", answered(began=7000), actor=1, devid=0, flag=0),
    step(4, "halMemFree", answered(3, began=9000), actor=1, pp=block(2, 16)),
)
THREADS = (
    OPEN,
    ALLOC,
    step(10, "halMemFree", answered(began=5600), thread=1, pp=block(2)),
    step(20, "halMemFree", answered(3, began=5700), thread=2, pp=block(2)),
)
WRONG = (
    step(1, "host.map", answered(out={"address": ADDRESS}), size=4096),
    step(
        2,
        "host.store",
        answered(),
        address={"$": 1, "field": "address", "plus": 0},
        size=4096,
        pattern=5,
        offset=0,
    ),
    step(
        3,
        "host.load",
        answered(out={"data": bytes(4096)}),
        address={"$": 1, "field": "address", "plus": 0},
        size=4096,
    ),
)

# ---------------------------------------------------------------------------------- time line


def events(story, phase):
    return [e for e in msgspec.json.decode(perfetto(story))["traceEvents"] if e["ph"] == phase]


def test_a_time_line_has_a_track_for_each_process_and_thread():
    meta = [e for e in events(told(*THREADS), "M") if e["name"] == "thread_name"]
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in meta}
    assert names[0, 1] == "thread 1"
    assert names[0, 2] == "thread 2"
    processes = {e["pid"] for e in events(told(*TWO), "M") if e["name"] == "process_name"}
    assert processes == {0, 1}


def test_a_time_line_has_every_call_at_its_time():
    found = events(told(*TWICE), "X")
    assert [(e["name"], e["ts"], e["dur"]) for e in found] == [
        ("halMemAgentOpen", 0.0, 1.5),
        ("halMemAlloc", 3.0, 1.5),
        ("halMemFree", 6.0, 1.5),
        ("halMemFree", 8.0, 1.5),
    ]
    assert found[-1]["args"]["broken rule"] == "SVM-FREE-002"


def test_a_time_line_connects_processes_by_what_they_pass_on():
    found = events(told(*TWO), "s") + events(told(*TWO), "f")
    assert [(e["pid"], e["id"]) for e in found] == [(0, 1), (1, 1)]


def test_a_plan_has_a_time_line_as_well():
    plan = [TraceStep(s.number, s.interface, s.args) for s in TWICE]
    assert len(events(told(*plan), "X")) == 4


# ------------------------------------------------------------------------------------ diagram


def test_a_diagram_has_a_participant_for_each_process_and_thread():
    assert "participant P1 as process 1" in mermaid(told(*TWO))
    text = mermaid(told(*THREADS))
    assert "par process 0, thread 1" in text
    assert "and process 0, thread 2" in text
    assert text.count("    end") == 1


def test_a_diagram_shows_calls_answers_and_the_verdict():
    text = mermaid(told(*TWICE))
    assert "P0->>L: 4. halMemFree(pp=p2)" in text
    assert "Note over P0,L: SVM-FREE-002 (MUST) is broken by call 4" in text


def test_nothing_in_a_diagram_has_a_meaning_of_its_own():
    for line in mermaid(told(*TWICE, library=HOSTILE)).splitlines():
        plain = re.sub(r"#\d+;|<br/>|->>|-->>|--x", "", line)
        assert not re.search(r'[<>;"#]', plain), line


# --------------------------------------------------------------------------------------- test


@pytest.mark.parametrize("steps", [TWICE, TWO, THREADS, WRONG])
def test_a_test_file_is_python_and_holds_the_same_calls(steps):
    text = pytest_file(told(*steps, came=HOSTILE, environment={"A": HOSTILE}), "test_x.py")
    space = {}
    exec(compile(ast.parse(text), "test_x.py", "exec"), space)  # noqa: S102 - our own text
    given = [(s.number, s.interface, s.args, s.actor, s.thread) for s in space["STEPS"]]
    assert given == [(s.number, s.interface, s.args, s.actor, s.thread) for s in steps]
    assert all(len(line) <= 100 for line in text.splitlines())


# ------------------------------------------------------------------------------------ picture


def drawn(story):
    return ET.fromstring(picture(story))  # noqa: S314 - our own text


def words(element):
    return [each.text for each in element.iter("text")]


def test_a_picture_shows_blocks_before_and_after():
    found = words(drawn(told(OPEN, ALLOC)))
    assert "before call 2" in found
    assert "after call 2" in found
    assert found.count("p2") == 1


def test_a_picture_shows_where_a_block_was():
    found = words(drawn(told(*TWICE)))
    assert found.count("until call 3") == 2
    assert "pp" not in found  # values of a reference are not numbers here


def test_a_picture_shows_the_wrong_byte():
    assert "byte 0 is wrong" in words(drawn(told(*WRONG)))


def test_a_picture_marks_blocks_that_share_bytes():
    again = step(3, "halMemAlloc", answered(out={"pp": ADDRESS + 4096}), pp=True, size=1, flag=1024)
    found = drawn(told(OPEN, ALLOC, again, rule="SVM-ALLOC-042"))
    assert len([g for g in found.iter("g") if "clash" in g.get("class")]) == 2


def test_a_picture_has_a_lane_for_each_process():
    both = (*TWO[:3], step(4, "host.map", answered(out={"address": 4096}), actor=1, size=4096))
    assert {"process 0", "process 1"} <= set(words(drawn(told(*both))))


def test_where_nothing_ever_was_there_is_no_picture():
    assert picture(told(OPEN)) == ""
    assert picture(None) == ""


def test_a_picture_asks_nothing_of_the_network_and_takes_its_colours_from_the_page():
    text = picture(told(*WRONG))
    assert not re.search(r"https?:|url\(|style=|fill=|<script|<image", text)


# -------------------------------------------------------------------------------------- story


def test_a_story_says_what_came_what_was_allowed_and_why():
    text = explained(told(*TWICE))
    for words_of_it in (
        "SVM-FREE-002 (MUST) is broken by call 4, halMemFree.",
        "What was set up",
        "Reserve a stretch of the process's address space",
        "success: code DRV_ERROR_NONE",
        "failure with DRV_ERROR_INVALID_VALUE",
        "from: SVM module description, SVM, free",
    ):
        assert words_of_it in text


def test_a_story_shows_contents_as_ranges():
    text = explained(told(*WRONG))
    assert "[0, 4096)  should hold pattern 5" in text
    assert "wrong in [" in text


def test_a_story_shows_the_state_before_and_after():
    text = explained(told(OPEN, ALLOC))
    assert re.search(r"\+\s+p2 .* 4KiB\+1 in 8KiB\s+MEM_DEV\s+0", text)


def test_a_story_remembers_what_was_there_before():
    assert re.search(r"p2 .* until call 3", explained(told(*TWICE)))


def test_several_processes_and_threads_have_a_time_line():
    assert "Time line" not in explained(told(*TWICE))
    assert "process 1" in explained(told(*TWO)).partition("Time line")[2]
    assert "thread 2" in explained(told(*THREADS)).partition("Time line")[2]


def test_no_control_character_reaches_the_terminal():
    text = explained(told(*TWICE, origin=HOSTILE, environment={"A": HOSTILE}))
    assert "\x1b" not in text


@pytest.mark.parametrize("kind", [USER, OPENED, POOL, GRANT, *VirtType])
def test_every_kind_of_memory_has_a_word(kind):
    assert not kind_of(BlockSeen(0, ADDRESS, 4096, 4096, kind, 0, None)).startswith("type")


def test_a_story_of_the_runtime_speaks_of_the_runtime():
    first = step(1, "aclrtSetDevice", answered(), deviceId=0)
    story = told(first, adapter="acl")
    assert "the bundled software runtime" in explained(story)
    assert "participant L as software runtime" in mermaid(story)
    assert 'ADAPTER = "acl"' in pytest_file(story, "test_it.py")
    assert "ACL_SUCCESS" in mermaid(story)


def test_a_story_of_the_driver_speaks_of_the_driver():
    story = told(OPEN, adapter="hal")
    assert "participant L as software driver" in mermaid(story)
    assert 'ADAPTER = "hal"' in pytest_file(story, "test_it.py")
