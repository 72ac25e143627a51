"""Witnesses written down in ``witnesses.json`` by the values of their calls.

What is written down proves nothing: the calls are carried out once more by the concrete reading,
and the last one is looked at as one that a search has found (``told.py``). It counts for an
interface as long as the rules of the interface say what they said then; otherwise, or where a
witness does not show any more what it did, all witnesses of the interface are searched for.
``halcert prove --record-witnesses`` searches for all and writes the file.

A call is text: the interface, ``@`` and the process unless it is the first, and what its
arguments and results are, without those that are zero: ``halMemAlloc size=4096 =pptr=0x12c0``.
Results begin with ``=``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from halcert.model.symbolic.evaluate import Evaluator
from halcert.model.symbolic.reading import Reading
from halcert.model.symbolic.term import Bool, Term
from halcert.model.symbolic.values import Variable

PLACE = Path(__file__).with_name("witnesses.json")
LARGE = 9999
"""Numbers above are written to base 16."""
DIGITS = 10
"""Digits that tell the beginnings of witnesses apart."""
ALONE = "alone"
"""Note of calls that no test makes: with their results a rule decides alone."""


class Specimen(msgspec.Struct, frozen=True, array_like=True):
    """A witness as it is written down.

    Attributes:
        rule: id of the rule.
        note: what the witness shows beside it, as in the witness, or :data:`ALONE`.
        calls: the calls.
    """

    rule: str
    note: str
    calls: tuple[str, ...]


class Page(msgspec.Struct, frozen=True):
    """What is written down about an interface.

    Attributes:
        content: what its rules said then.
        specimens: the witnesses.
    """

    content: str
    specimens: tuple[Specimen, ...]


Book = dict[str, dict[str, Page]]
"""For each product, and each interface, its page."""


# ------------------------------------------------------------------------------------------ calls


class Spoken(NamedTuple):
    """A call that was read: the interface, the process, and values by the names of variables."""

    interface: str
    process: int
    values: dict[str, int]


def text_of(reading: Reading, value: Evaluator) -> str:
    """Return a call as text, with the values that its variables have."""
    name = reading.interface.name
    caller = f"{name}@{reading.process}" if reading.process else name
    given = [_pair(_name(each), value(each.term)) for each in reading.call.leaves]
    given += [_pair(f"={_name(each)}", value(each.term)) for each in reading.result.leaves]
    return " ".join([caller, *filter(None, given)])


def _pair(name: str, number: int | bool) -> str:
    if not number:
        return ""
    plain = int(number)
    return f"{name}={plain:#x}" if plain > LARGE else f"{name}={plain}"


def spoken(text: str) -> Spoken:
    """Return the call that a text tells of."""
    caller, *pairs = text.split(" ")
    interface, _, process = caller.partition("@")
    values: dict[str, int] = {}
    for pair in pairs:
        name, _, number = pair.rpartition("=")
        values[name] = int(number, 0)
    return Spoken(interface, int(process or 0), values)


def assignment_of(call: Spoken, reading: Reading) -> dict[Term, int | bool]:
    """Return the values of all variables of a call."""
    found: dict[Term, int | bool] = {
        each.term: _value(each, call.values, "") for each in reading.call.leaves
    }
    found.update({each.term: _value(each, call.values, "=") for each in reading.result.leaves})
    return found


def _value(leaf: Variable, values: Mapping[str, int], mark: str) -> int | bool:
    number = values.get(mark + _name(leaf), 0)
    return bool(number) if isinstance(leaf.term, Bool) else number


def _name(leaf: Variable) -> str:
    return ".".join(map(str, leaf.path))


# ------------------------------------------------------------------------------------------- file


@cache
def written(profile: str) -> dict[str, Page]:
    """Return the pages of a product by the name of the interface."""
    product = json.loads(PLACE.read_text(encoding="utf-8")).get(profile)
    if product is None:
        return {}
    before = _beginnings(product["beginnings"])
    return {
        name: Page(
            page["content"],
            tuple(
                Specimen(rule, note, (*before[start], last))
                for rule, note, start, last in page["specimens"]
            ),
        )
        for name, page in product["interfaces"].items()
    }


def _beginnings(table: dict[str, list[str]]) -> dict[str, tuple[str, ...]]:
    """Return the calls that witnesses begin with, by their names."""
    found: dict[str, tuple[str, ...]] = {"": ()}

    def calls(name: str) -> tuple[str, ...]:
        if name not in found:
            before, last = table[name]
            found[name] = (*calls(before), last)
        return found[name]

    for name in table:
        calls(name)
    return found


def write(book: Book, place: Path) -> None:
    """Write pages, each witness in a line; what several begin with stands there once.

    Raises:
        OSError: the file cannot be written.
    """
    products = {name: _product(pages) for name, pages in sorted(book.items())}
    place.write_text(_object(products) + "\n", encoding="utf-8")


def _product(pages: Mapping[str, Page]) -> dict[str, Any]:
    """Return the pages of a product as they stand in the file."""
    found: dict[str, list[str]] = {}
    interfaces: dict[str, Any] = {}
    for name, page in sorted(pages.items()):
        lines = []
        for each in page.specimens:
            found.update(_parts(each.calls[:-1]))
            lines.append([each.rule, each.note, _key(each.calls[:-1]), each.calls[-1]])
        interfaces[name] = {"content": page.content, "specimens": lines}
    return {"beginnings": dict(sorted(found.items())), "interfaces": interfaces}


def _parts(calls: tuple[str, ...]) -> Iterator[tuple[str, list[str]]]:
    for length in range(1, len(calls) + 1):
        yield _key(calls[:length]), [_key(calls[: length - 1]), calls[length - 1]]


def _key(calls: Iterable[str]) -> str:
    text = "\n".join(calls)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS] if text else ""


def _object(value: Any) -> str:
    """Return JSON in which every list without lists, and every text, has a line of its own."""
    if isinstance(value, dict):
        inside = (f"{json.dumps(name)}: {_object(each)}" for name, each in value.items())
        return "{\n" + ",\n".join(inside) + "\n}"
    if isinstance(value, list) and value and isinstance(value[0], list):
        return "[\n" + ",\n".join(_object(each) for each in value) + "\n]"
    return json.dumps(value)
