"""What serves interfaces: functions that they come to, by calls, tables, macros and pointers."""

from __future__ import annotations

import pytest

from halcert.adapters.bundled import Bundle
from halcert.adapters.mutation import BUNDLES
from halcert.adapters.reach import reached, served

SOURCES = {
    "one.c": """
#define TWICE(x) (doubled(x) + 0)
static int help(int x) { return x; }
int doubled(int x) { return 2 * x; }
int asked(int x) { /* unused() */ return help(x) + later(x); }
int unasked(int x) { return unused(x); }
__attribute__((constructor)) static void begin(void) { prepare(); }
""",
    "two.c": """
static int help(int x) { return unused(x); }
static int handler(int x) { return x; }
static int (*const table[])(int) = {handler};
int later(int x) { return table[0](x); }
int unused(int x) { return help(x); }
void prepare(void) { }
""",
}


@pytest.fixture
def bundle(tmp_path):
    (tmp_path / "src").mkdir()
    for name, text in SOURCES.items():
        (tmp_path / "src" / name).write_text(text)
    return Bundle(folder=tmp_path, what="library", variants={}, includes=())


def test_what_an_interface_comes_to_is_reached_and_nothing_else(bundle):
    found = reached(bundle, ["asked"])
    assert {("one.c", "asked"), ("one.c", "help"), ("two.c", "later")} <= found
    assert {("two.c", "table"), ("two.c", "handler")} <= found
    assert not {("one.c", "unasked"), ("two.c", "unused"), ("two.c", "help")} & found


def test_what_macros_and_the_loader_call_counts_as_reached(bundle):
    found = reached(bundle, [])
    assert {("one.c", "doubled"), ("one.c", "begin"), ("two.c", "prepare")} <= found
    assert ("one.c", "asked") not in found


def test_memory_is_reached_without_the_kernels():
    found = reached(BUNDLES["softacl"], ["aclrtMemcpy", "aclrtCreateStream"])
    assert ("copy.c", "aclrtMemcpy") in found
    assert ("launch.c", "aclrtLaunchKernelWithConfig") not in found


def test_a_function_is_served_by_each_interface_that_comes_to_it(bundle):
    found = served(bundle, ["asked", "unasked"])
    assert found["one.c", "help"] == {"asked"}
    assert found["two.c", "unused"] == {"unasked"}
    assert ("one.c", "doubled") not in found
