"""Counterexamples in C: they compile without a warning, whatever stands in them."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import nullcontext
from random import Random

import pytest

from halcert.conformance.story import story_of
from halcert.reports.cprogram import c_program
from halcert.reports.cprogram.checks import CheckWriter
from halcert.reports.cprogram.expressions import Uses, Variables, flag_word, literal, size
from halcert.reports.cprogram.frame import pieces
from halcert.reports.cprogram.layouts import declaration, needed
from halcert.reports.cprogram.rows import rows_of
from halcert.results import Answered, Crashed, Hung, Missing, Trace, TraceHeader, TraceStep
from halcert.results.story import Stretch
from halcert.spec.abi.structs import LAYOUTS
from halcert.spec.pattern import MIX, ODD, STRIDE, pattern_bytes

STRICT = ("-std=c11", "-Wall", "-Wextra", "-Werror")
ADDRESS = 0x12C000000000

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")


def compiled(folder, text, *flags):
    source = folder / "program.c"
    source.write_text(text)
    command = ["cc", *STRICT, *flags, "-o", folder / "program", source, "-ldl", "-pthread"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "program"


def told(*steps, **header):
    return story_of(Trace(TraceHeader(profile="ascend910b", devices=(0, 1), **header), steps))


def call(number, interface, outcome=None, **args):
    return TraceStep(number, interface, args, outcome)


def freed_twice(outcome=None, **header):
    block = {"$": 2, "field": "pp", "plus": 0}
    return told(
        call(1, "halMemAgentOpen", Answered(0), devid=0, flag=0),
        call(2, "halMemAlloc", Answered(0, {"pp": ADDRESS}), pp=True, size=4096, flag=0x400),
        call(3, "halMemFree", Answered(0), pp=block),
        call(4, "halMemFree", outcome or Answered(0), pp=block),
        **header,
    )


def test_structures_lie_in_memory_as_the_specification_says(tmp_path):
    text = ["#include <stddef.h>", "#include <stdint.h>", "int main(void) { return 0; }"]
    for name in dict.fromkeys(each for layout in LAYOUTS for each in needed(layout)):
        text.append(declaration(name))
        text += [
            f'_Static_assert(offsetof(struct {name}, {m.c_path}) == {m.offset}, "{m.name}");'
            for m in LAYOUTS[name].members
        ]
    compiled(tmp_path, "\n".join(text) + "\n")


@pytest.mark.parametrize("pattern, offset", [(0, 0), (1, 0), (21, 8189), (2**64 - 1, 3)])
def test_a_pattern_is_the_same_in_c(tmp_path, pattern, offset):
    (piece,) = [each for each in pieces({"pattern_byte"}) if "pattern_byte" in each]
    text = "#include <stdint.h>\n#include <stdio.h>\n" + piece
    text += f"""
    int main(void)
    {{
        for (int i = 0; i < 64; i++)
            putchar(pattern_byte({pattern}ULL, {offset}ULL + (uint64_t)i));
        return 0;
    }}
    """
    done = subprocess.run([compiled(tmp_path, text)], capture_output=True, check=True)
    assert done.stdout == pattern_bytes(pattern, offset, 64)
    assert all(f"{number:#x}ULL" in piece for number in (STRIDE, ODD, MIX))


@pytest.mark.parametrize(
    "outcome",
    [
        Answered(0),
        Answered(77),
        Crashed(11, "last words"),
        Hung(10.0),
        Missing("halMemFree"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_however_a_trace_ends_it_compiles(tmp_path, outcome):
    program = c_program(freed_twice(outcome))
    compiled(tmp_path, program)
    assert "SVM-FREE-002" in program


def test_nothing_of_a_trace_can_end_a_comment_or_a_string(tmp_path):
    hostile = '*/ int x = "??/\n\\" /* %s'
    story = freed_twice(origin=hostile, came=hostile, library=hostile, environment={"A": hostile})
    compiled(tmp_path, c_program(story), "-trigraphs")


def test_the_first_comment_says_how_to_build_and_run():
    head = c_program(freed_twice(), "fault").partition("*/")[0]
    assert "cc -std=c11 -o fault fault.c -ldl" in head
    assert "./fault [LIBRARY]" in head
    assert "0 the fault does not show, 1 it shows, 2 it could not be tried" in head
    assert "Only the start of a live block can be freed, and only once." in head


def test_references_are_variables_and_flags_have_names():
    program = c_program(freed_twice())
    assert "code = halMemAlloc(&p2, 4096, MEM_DEV);" in program
    assert program.count("code = halMemFree(p2);") == 2
    assert 'must_fail(code, CODES(DRV_ERROR_INVALID_VALUE), "SVM-FREE-002");' in program
    assert hex(ADDRESS) not in program


def test_mapped_memory_is_shown_where_it_is_mapped_and_given_back_whole(tmp_path):
    program = c_program(
        told(
            call(1, "host.map", Answered(0, {"address": ADDRESS}), size=8192),
            call(2, "host.unmap", Answered(0), address={"$": 1, "field": "address", "plus": 0}),
        )
    )
    compiled(tmp_path, program)
    assert program.index('gave("p1"') < program.index("unmap_memory(p1, 8192)")


MANAGED = 0x90000000000


def managed_ranges(told_last):
    page = {"$": 1, "field": "pp", "plus": 2**21}
    asked = {"data_sizes": [4, 4, 8], "attributes": [1, 2, 3]}
    return told(
        call(1, "halMemAlloc", Answered(0, {"pp": MANAGED}), pp=True, size=2**22, flag=0x1C00),
        call(
            2,
            "halMemManagedRangeGetAttributes",
            told_last,
            data=[True, True, True],
            **asked,
            attribute_num=3,
            ptr=page,
            size=2**21,
        ),
    )


def test_attributes_of_a_range_are_checked_one_by_one(tmp_path):
    program = c_program(managed_ranges(Answered(0, {"data": [[0], [-2], [-2, -2]]})))
    compiled(tmp_path, program)
    assert "void *data2[] = {data2_0, data2_1, data2_2};" in program
    assert 'must_hold(data2_0[0] == 0, "UVM-RANGE-031");' in program
    assert 'must_hold(data2_1[0] == -2, "UVM-RANGE-032");' in program
    assert "int32_t data2_2[2];" in program


def test_a_place_that_is_null_is_null_in_c(tmp_path):
    story = told(
        call(
            1,
            "halMemManagedRangeGetAttributes",
            Answered(3, {"data": [None, [0]]}),
            data=[False, True],
            data_sizes=[4, 6],
            attributes=[1, 2],
            attribute_num=2,
            ptr=MANAGED,
            size=2**21,
        ),
    )
    program = c_program(story)
    compiled(tmp_path, program)
    assert "void *data1[] = {NULL, data1_1};" in program


def test_accesses_by_a_device_go_through_the_agent(tmp_path):
    place = {"$": 2, "field": "pp", "plus": 64}
    program = c_program(
        told(
            call(1, "halMemAgentOpen", Answered(0), devid=0, flag=0),
            call(2, "halMemAlloc", Answered(0, {"pp": MANAGED}), pp=True, size=2**21, flag=0x1C00),
            call(
                3, "device.store", Answered(0), device=0, address=place, size=8, pattern=1, offset=0
            ),
            call(
                4, "device.load", Answered(0, {"data": b"x" * 8}), device=0, address=place, size=8
            ),
        )
    )
    compiled(tmp_path, program)
    assert "code = softhal_device_load(0, (DVdeviceptr)p2 + 64, loaded4, 8);" in program
    assert "must_be_pattern(loaded4, 8, 1, 0" in program


def test_only_what_is_used_is_declared():
    program = c_program(freed_twice())
    for word in ("pthread", "mmap(", "pattern", "memcpy_info", "atomic"):
        assert word not in program


def test_what_no_call_can_be_made_of_is_refused():
    with pytest.raises(ValueError, match="no call"):
        c_program(told(call(1, "halMemFree", Answered(3), pp={"$": 9, "field": "pp"})))


@pytest.mark.parametrize(
    "value, text",
    [
        (0, "0"),
        (4096, "4096"),
        (100000, "100000"),
        (2**20, "MIB"),
        (3 * 2**20 + 1, "3 * MIB + 1"),
        (2**30 - 1, "GIB - 1"),
        (2**64 - 1, "0xffffffffffffffffULL"),
    ],
)
def test_sizes_are_written_in_units_that_lose_no_byte(value, text):
    assert size(value)[0] == text


@pytest.mark.parametrize(
    "value, text",
    [(65536, "65536"), (65537, "0x10001"), (2**31, "0x80000000U"), (2**32, "0x100000000ULL")],
)
def test_numbers_have_the_suffix_that_c_needs(value, text):
    assert literal(value) == text


@pytest.mark.parametrize(
    "word, text",
    [
        (0, "MEM_SVM"),
        (0x400, "MEM_DEV"),
        (0x20401, "MEM_DEV | MEM_PAGE_HUGE | 1"),
        (0x400 | 7 << 56, "MEM_DEV | 7ULL << MEM_MODULE_ID_BIT"),
        (0xF << 10, "15360"),
        (0x400 | 1 << 40, "MEM_DEV | 0x10000000000ULL"),
    ],
)
def test_flags_are_written_by_their_parts(word, text):
    assert flag_word(word, Uses()) == text


@pytest.mark.parametrize("actor, found", [(0, True), (1, False)])
def test_what_a_check_compares_with_was_given_in_the_same_process(actor, found):
    """Another process has it in a variable of its own."""
    given = Answered(0, {"shareable_handle": 5})
    export = "halMemExportToShareableHandle"
    steps = [TraceStep(1, export, {}, given, 0), TraceStep(2, export, {}, given, actor)]
    variables = Variables(steps, (0, 1))
    with nullcontext() if found else pytest.raises(KeyError):
        assert variables.maker("shareable_handle", 5, 2) == 1


def _stretch(start, length, pattern, value):
    return Stretch(start, length, pattern, value, author=1)


def test_bytes_that_come_in_rows_are_checked_by_a_loop():
    rows = [
        each
        for row in range(50)
        for each in (_stretch(row * 64, 40, 7, row * 40), _stretch(row * 64 + 40, 24, None, 9))
    ]
    last = _stretch(50 * 64, 5, None, 1)
    first, rest = rows_of([*rows, last])
    assert (first.count, first.apart, first.steps) == (50, 64, (40, 0))
    assert rest.first == (last,)
    lines = CheckWriter(Variables([], ()), Uses()).stretches("p1", [*rows, last], "SVM-LOAD-010")
    assert lines == [
        "for (size_t row = 0; row < 50; row++) {",
        '    must_be_pattern((char *)p1 + row * 64, 40, 7, row * 40, "SVM-LOAD-010");',
        '    must_be_filled((char *)p1 + 40 + row * 64, 24, 9, "SVM-LOAD-010");',
        "}",
        'must_be_filled((char *)p1 + 3200, 5, 1, "SVM-LOAD-010");',
    ]


def test_rows_say_every_stretch_exactly_once():
    drawn = Random(5)
    for _ in range(300):
        made, place = [], 0
        for _ in range(drawn.randrange(1, 30)):
            length = drawn.choice((4, 4, 4, 8))
            made.append(_stretch(place, length, drawn.choice((None, 1)), drawn.choice((0, place))))
            place += drawn.choice((8, 8, 16))
        said = [
            _stretch(
                part.start + row * rows.apart, part.length, part.pattern, part.value + row * step
            )
            for rows in rows_of(made)
            for row in range(rows.count)
            for part, step in zip(rows.first, rows.steps, strict=True)
        ]
        assert said == made


CHOICES = """
#define _GNU_SOURCE
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
{pieces}
int main(void)
{{
    watch();
    number = 3;
    compare_choice({alike});
    must_hold_if_alike(1 + 1 == 3, "RULE");
    puts("went on");
    must_hold_if_alike_at_last(1 + 1 == 3, "RULE");
    return 0;
}}
"""


@pytest.mark.parametrize("alike, code, words", [("true", 1, "FAULT"), ("false", 2, "went on")])
def test_what_depends_on_a_choice_need_not_hold_after_another_one(tmp_path, alike, code, words):
    used = pieces({"must_hold_if_alike_at_last", "compare_choice"})
    text = CHOICES.format(pieces="\n".join(used), alike=alike)
    program = compiled(tmp_path, text, "-Wno-unused-variable")
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert words in done.stdout
    assert ("call 3 chose otherwise" in done.stdout) == (alike == "false")
