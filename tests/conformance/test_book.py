"""Names for what calls gave, and the way back from names to numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halcert.conformance.book import Book, named, references, resolve, roles_of
from halcert.spec.catalogue import interfaces

from .fake import DEVICE_MEMORY


def ref(step, plus=0, field="pp"):
    return {"$": step, "field": field, "plus": plus}


@pytest.fixture
def book():
    found = Book()
    found.learn_range(1000, 100, 1, "pp")
    found.learn_range(2000, 100, 2, "pp")
    return found


@pytest.mark.parametrize(
    "value, expected",
    [
        (999, 999),
        (1000, ref(1)),
        (1050, ref(1, 50)),
        (1100, ref(1, 100)),
        (1101, 1101),
        (2000, ref(2)),
        (0, 0),
        (2**64 - 1, 2**64 - 1),
    ],
)
def test_an_address_in_a_block_or_at_its_end_is_named_by_the_call_that_gave_it(
    book, value, expected
):
    assert book.in_range(value) == expected


def test_a_start_goes_before_the_end_of_the_block_below(book):
    book.learn_range(1100, 10, 3, "pp")
    assert book.in_range(1100) == ref(3)
    assert book.in_range(1099) == ref(1, 99)


def test_an_address_that_was_freed_keeps_its_name_until_it_is_given_again(book):
    assert book.in_range(1010) == ref(1, 10)
    book.learn_range(1000, 100, 7, "pp")
    assert book.in_range(1010) == ref(7, 10)


@pytest.mark.parametrize(
    "base, length", [(1000, 10), (1000, 200), (900, 400), (1050, 10), (1099, 2), (500, 5000)]
)
def test_a_newer_range_hides_the_older_ones_that_start_in_it(book, base, length):
    book.learn_range(base, length, 9, "pp")
    assert book.in_range(base) == ref(9)
    assert book.in_range(base + length - 1) == ref(9, length - 1)


def test_handles_are_named_only_where_they_are_exactly_what_a_call_gave(book):
    book.learn_exact(77, 4, "copy_fd")
    assert book.exact(77) == ref(4, field="copy_fd")
    assert book.exact(78) == 78
    book.learn_exact(77, 6, "copy_fd")
    assert book.exact(77) == ref(6, field="copy_fd")


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 12)), max_size=12), st.integers(0, 60))
def test_the_name_of_an_address_leads_back_to_the_address(ranges, address):
    book = Book()
    outputs = {}
    for step, (base, length) in enumerate(ranges, start=1):
        book.learn_range(base, length, step, "pp")
        outputs[step] = {"pp": base}
    assert resolve(book.in_range(address), outputs) == address


def test_only_addresses_and_handles_get_names_never_sizes_or_flags(book):
    roles = roles_of(interfaces()["drvMemcpy"].call)
    args = {"dst": 1000, "dest_max": 1000, "src": 2004, "byte_count": 1000}
    assert named(roles, args, book) == {
        "dst": ref(1),
        "dest_max": 1000,
        "src": ref(2, 4),
        "byte_count": 1000,
    }


def test_truth_values_are_never_taken_for_numbers():
    book = Book()
    book.learn_exact(1, 3, "copy_fd")
    book.learn_range(0, 10, 4, "pp")
    assert named({"one": "handle", "two": "address"}, {"one": True, "two": False}, book) == {
        "one": True,
        "two": False,
    }


def test_names_reach_into_structures_and_arrays(book):
    roles = roles_of(interfaces()["halMemcpyBatch"].call)
    args = {"dst": [1000, 5], "src": [2001], "size": [1000], "count": 1}
    written = named(roles, args, book)
    assert written == {"dst": [ref(1), 5], "src": [ref(2, 1)], "size": [1000], "count": 1}
    assert references(written) == {1, 2}


def test_references_are_found_wherever_they_are():
    value = {"a": [ref(3), 4, {"b": ref(5)}], "c": ref(1), "d": None, "e": "$"}
    assert references(value) == {1, 3, 5}
    assert references(17) == set()


def test_resolving_puts_in_what_the_call_gave_this_time():
    outputs = {1: {"pp": 5000}, 2: {"dma": {"dma": 9}}}
    value = {"dst": ref(1, 16), "list": [ref(1), 3], "dma": ref(2, field="dma.dma"), "n": None}
    assert resolve(value, outputs) == {"dst": 5016, "list": [5000, 3], "dma": 9, "n": None}


@pytest.mark.parametrize(
    "value", [ref(9), ref(1, field="fd"), ref(1, field="pp.x"), ref(2, field="dma")]
)
def test_a_reference_that_leads_nowhere_is_a_key_error(value):
    with pytest.raises(KeyError):
        resolve({"x": [value]}, {1: {"pp": 1}, 2: {"dma": {"dma": 9}}})


GIVEN = b"0a9f".hex()


@pytest.mark.parametrize("place, text", [(0, b"1a9f"), (1, b"009f"), (2, b"0a0f"), (3, b"0a90")])
def test_a_name_that_is_altered_in_one_byte_is_named_by_the_call_that_gave_it(place, text):
    common = Book()
    common.learn_exact(GIVEN, 3, "name")
    written = named({"name": "name"}, {"name": text.hex()}, Book(common))
    assert written == {"name": {**ref(3, field="name"), "altered": place}}
    assert resolve(written, {3: {"name": GIVEN}}) == {"name": text.hex()}
    assert resolve(written, {3: {"name": b"zzzzz".hex()}})["name"] != b"zzzzz".hex()


@pytest.mark.parametrize("text", [b"0a9g", b"2a9f", b"1a9e", b"0a9", b"0a9f0", b""])
def test_a_name_that_differs_in_another_way_stands_for_itself(text):
    book = Book()
    book.learn_exact(GIVEN, 3, "name")
    assert named({"name": "name"}, {"name": text.hex()}, book) == {"name": text.hex()}


@pytest.mark.parametrize("name", [b"abc".hex(), "", "no digits"])
def test_a_name_without_the_byte_that_is_altered_leads_nowhere(name):
    with pytest.raises(KeyError):
        resolve({**ref(3, field="name"), "altered": 3}, {3: {"name": name}})


def test_references_to_calls_still_to_be_made_stay_as_they_are():
    value = {"a": ref(1), "b": [ref(5, 8)]}
    assert resolve(value, {1: {"pp": 64}}, frozenset({5})) == {"a": 64, "b": [ref(5, 8)]}


def test_a_trace_names_a_freed_and_reused_address_by_the_call_before_each_use(lab):
    lab.call("halMemAgentOpen", devid=0, flag=0)
    first = lab.call("halMemAlloc", pp=True, size=4096, flag=DEVICE_MEMORY)
    lab.call("halMemFree", pp=first.pp)
    lab.actor()._next = first.pp
    second = lab.call("halMemAlloc", pp=True, size=4096, flag=DEVICE_MEMORY)
    assert second.pp == first.pp
    lab.call("halMemFree", pp=second.pp)
    frees = [step for step in lab.steps if step.interface == "halMemFree"]
    assert [step.args["pp"]["$"] for step in frees] == [2, 4]
    assert [step.values["pp"] for step in frees] == [first.pp, first.pp]
