"""Traces and values as text."""

import pytest

from halcert.reports import described, text_of
from halcert.reports.escape import one_line, printable
from halcert.reports.human import seconds, size
from halcert.reports.tracetext import Names
from halcert.reports.values import alloc_flags, data, output, word
from halcert.results import Answered, Crashed, Garbled, Hung, Missing, TraceStep
from halcert.spec.abi.constants import AllocFlag
from halcert.spec.language import Address, poison


def step(interface="halMemFree", args=None, outcome=None, **values):
    return TraceStep(values.pop("number", 1), interface, args or {}, outcome, **values)


TRACE = """\
1  halMemAgentOpen(devid=0, flag=0)
     -> DRV_ERROR_NONE
2  halMemAlloc(pp=&pp, size=2MiB, flag=MEM_DEV dev 0 HUGE)
     -> DRV_ERROR_NONE, p2 = 0x7f3a40000000
3  drvMemsetD8(dst=p2+16, destMax=4KiB, value=0xa5, num=4KiB+1)
     -> DRV_ERROR_INVALID_VALUE
4  halMemFree(pp=p2+16)
     -> DRV_ERROR_NONE"""


def test_a_trace_reads_as_calls_with_named_references(make):
    assert text_of(make.steps()) == TRACE


@pytest.mark.parametrize(
    "value, text",
    [
        (0, "0"),
        (1, "1"),
        (4095, "4KiB-1"),
        (4096, "4KiB"),
        (2**21, "2MiB"),
        (2**21 + 1, "2MiB+1"),
        (2**21 - 1, "2MiB-1"),
        (123456, "123456 (120.6KiB)"),
        (3 * 2**30, "3GiB"),
        (2**63, "2^63"),
        (2**64 - 1, "2^64-1"),
        (-3, "-3"),
    ],
)
def test_a_size_is_told_to_the_byte(value, text):
    assert size(value) == text


@pytest.mark.parametrize(
    "value, text",
    [(0.0, "0 ms"), (0.0123, "12 ms"), (3.21, "3.2 s"), (307, "5 min 07 s"), (7380, "2 h 03 min")],
)
def test_a_duration_is_told_in_its_unit(value, text):
    assert seconds(value) == text


@pytest.mark.parametrize(
    "word, text",
    [
        (0, "MEM_SVM dev 0"),
        (AllocFlag.MEM_HOST | AllocFlag.MEM_PAGE_HUGE, "MEM_HOST dev 0 HUGE"),
        (AllocFlag.MEM_DEV | 3 | AllocFlag.MEM_ADVISE_P2P, "MEM_DEV dev 3 P2P"),
        (AllocFlag.MEM_DEV | 33 << 56, "MEM_DEV dev 0 module 33"),
        (9 << 10, "type 9 dev 0"),
        (1 << 40, "MEM_SVM dev 0 bits 33-55=0x80"),
    ],
)
def test_the_flag_of_an_allocation_is_told_by_its_fields(word, text):
    assert alloc_flags(int(word)) == text


@pytest.mark.parametrize(
    "outcome, text",
    [
        (Answered(6), "DRV_ERROR_OUT_OF_MEMORY"),
        (Answered(4711), "code 4711"),
        (Crashed(11), "crashed: SIGSEGV (signal 11)"),
        (Crashed(0), "crashed: the process ended by itself"),
        (Crashed(200), "crashed: signal 200"),
        (Hung(10), "hung: no answer in 10.0 s"),
        (Missing("halMemCtl"), "missing: the library has no halMemCtl"),
        (Garbled("not JSON"), "garbled: the answer could not be understood"),
        (None, ""),
    ],
)
def test_what_came_is_told_in_one_line(outcome, text):
    assert described([step(outcome=outcome)])[0].result == text


def test_an_output_that_was_left_alone_is_untouched():
    assert output("pp", poison(64), Address) == "untouched"
    assert output("pp", 0, Address) == "NULL"


def test_bytes_are_told_by_number_and_beginning():
    assert data(b"") == "no bytes"
    assert data(b"\0" * 4096) == "4KiB of 0x00"
    assert data(bytes(range(4))) == "00 01 02 03"
    assert data(bytes(range(200))).endswith("0f ... (200 bytes)")


def test_bytes_are_the_same_from_memory_and_from_a_file():
    loaded = step("host.load", {"address": 1, "size": 2}, Answered(0, {"data": b"\1\2"}))
    read = step("host.load", {"address": 1, "size": 2}, Answered(0, {"data": "AQI="}))
    assert described([loaded])[0].outputs == described([read])[0].outputs


def test_processes_are_named_only_where_there_are_several():
    one = described([step(), step(number=2)])
    two = described([step(), step(number=2, actor=1)])
    assert {each.who for each in one} == {""}
    assert [each.who for each in two] == ["process 0", "process 1"]


@pytest.mark.parametrize(
    "args",
    [
        {"pp": {"$": 9, "field": "pp", "plus": 0}},
        {"pp": {"$": "x", "field": 3, "plus": None}},
        {"pp": {"$": 1}},
        {"pp": None, "x": [1, {"a": [b"\0"]}], "y": "\x1b[0m", "z": 1.5},
        {},
    ],
)
def test_odd_arguments_are_told_somehow(args):
    text = text_of([step("noSuchCall", args, Answered(0, {"o": {"deep": [1] * 99}, "n": None}))])
    assert text.startswith("1  noSuchCall(")
    assert "\x1b" not in text


def test_control_characters_are_made_visible():
    assert printable("a\x1b[31mb\r\nc\x00\u202e") == "a\\x1b[31mb\nc\\x00\\u202e"
    assert one_line(" a\n  b\tc ") == "a b c"
    assert printable("naïve 中文 🙂") == "naïve 中文 🙂"


def test_the_number_of_a_process_is_told_by_the_process():
    number = {"$": 0, "field": "pid.1", "plus": 0}
    assert Names(()).of_reference(number) == "pid of process 1"


def test_a_name_that_is_altered_is_told_by_the_byte():
    name = {"$": 3, "field": "name", "plus": 0, "altered": 7}
    assert Names(()).of_reference(name).endswith(" with byte 7 altered")


@pytest.mark.parametrize(
    "digits, text",
    [
        (b"key-1".hex(), '"key-1"'),
        ("a5" * 65, "untouched"),
        ("0102", "01 02"),
        ("no digits", "no digits"),
    ],
)
def test_a_name_is_told_as_text_if_it_can_be_read(digits, text):
    assert word(digits) == text
