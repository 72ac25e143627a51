"""Words that take long to find, written down in ``words.json``, so that searches try them first.

What is written down proves nothing: the solver is asked whether a rule decides after the word as
it is after any other. Where rules have changed so that it does not, the search goes on as if
nothing were written. What was looked for in vain is written down only where no obligation rests
on it, and counts as long as the rules of the interface say what they said then. ``halcert prove
--record-words`` searches for all words and writes the file.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import msgspec

from halcert.model.proofs.words import Word, beginnings_of, empty_word, followed
from halcert.spec.catalogue import AREAS, interfaces
from halcert.spec.language import Area, Interface
from halcert.spec.profiles import Profile

PLACE = Path(__file__).with_name("words.json")


class Noted(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a search found out about a rule.

    Attributes:
        reach: the word after which the rule has a say, if it is not the other one; empty if it
            has no calls.
        alone: likewise, the word after which the rule alone decides.
        spared: no word was found after which it alone decides.
        shown: slips of the pen in its condition that calls show after other words than those by
            which the rules of its interface were reached, and these words.
        vain: slips that no call was found to show.
        content: what the rules of its interface said when slips were looked for in vain.
    """

    reach: str = ""
    alone: str = ""
    spared: bool = False
    shown: dict[str, str] = {}
    vain: tuple[str, ...] = ()
    content: str = ""


Book = dict[str, dict[str, Noted]]
"""For each product, and each rule that takes long, what was found out."""


Steps = tuple[tuple[int, str], ...]
"""The calls of a word: the process, and the id of the rule that accepts each."""


def text_of(area: str, word: Word) -> str:
    """Return a word of an area as text: the rules that accept its calls, in some process each.

    The word without calls is the empty text.
    """
    if not word.steps:
        return ""
    steps = (_step(each.operation.process, each.operation.rule.id) for each in word.steps)
    return f"{area}: {' '.join(steps)}"


def _step(process: int, rule_id: str) -> str:
    return f"{rule_id}@{process}" if process else rule_id


def area_of(text: str) -> str:
    """Return the area whose calls a written word is made of."""
    return text.partition(":")[0]


def steps_of(text: str) -> Steps:
    """Return the calls of a written word."""
    found = []
    for step in text.partition(":")[2].split():
        rule_id, _, process = step.partition("@")
        found.append((int(process or 0), rule_id))
    return tuple(found)


@cache
def written(profile: str) -> dict[str, Noted]:
    """Return what is written down for a product, by id of the rule."""
    return msgspec.json.decode(PLACE.read_bytes(), type=Book).get(profile, {})


def write(book: Book, place: Path) -> None:
    """Write what was found out, each rule in a line of its own, in the order of the ids.

    Raises:
        OSError: the file cannot be written.
    """
    products = {}
    for name, rules in sorted(book.items()):
        lines = [_entry(each, _json(noted)) for each, noted in sorted(rules.items())]
        products[name] = _object(lines)
    text = _object([_entry(name, rules) for name, rules in products.items()])
    place.write_text(text + "\n", encoding="utf-8")


def _object(lines: list[str]) -> str:
    inside = ",\n".join(lines)
    return f"{{\n{inside}\n}}"


def _entry(name: str, value: str) -> str:
    return f'"{name}": {value}'


def _json(noted: Noted) -> str:
    return msgspec.json.format(msgspec.json.encode(noted), indent=0).decode()


def spoken(area: Area) -> dict[str, Interface]:
    """Return the interfaces whose calls make up words of an area, by name.

    Areas of one process come in all words. What another library offers is never called with it.
    """
    return interfaces(
        each
        for each, other in AREAS.items()
        if other.library == area.library and (each == area.name or other.processes == 1)
    )


class Spelling:
    """Makes words of their calls; those that begin alike share their beginning."""

    def __init__(self, interfaces: Iterable[Interface], profile: Profile) -> None:
        """Take the interfaces whose calls the words are made of, and the product."""
        self._profile = profile
        self._operations = beginnings_of(interfaces, profile)
        self._made: dict[Steps, Word | None] = {(): empty_word()}

    def word(self, steps: Steps) -> Word | None:
        """Return the word of some calls, or None if the rules do not let it be."""
        if steps not in self._made:
            before = self.word(steps[:-1])
            self._made[steps] = before and followed(
                before, *steps[-1], self._operations, self._profile
            )
        return self._made[steps]
