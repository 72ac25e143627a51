"""Which functions of a bundled library serve some of its interfaces.

A library has more interfaces than there are rules about: a program must load a kernel before it
can launch one. What serves nothing else says nothing about the rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from halcert.adapters.bundled import Bundle
from halcert.adapters.mutation import TOKEN, bodies

MACRO = re.compile(r"^[ \t]*#[ \t]*define\b((?:\\\n|[^\n])*)", re.MULTILINE)
AT_START = frozenset({"constructor", "destructor"})
"""What marks functions that the loader calls."""

Place = tuple[str, str]
"""A file, and the name of a function or table in it."""


def reached(bundle: Bundle, interfaces: Iterable[str]) -> frozenset[Place]:
    """Return the functions and tables that interfaces come to, and those that the loader calls.

    Whatever a function names it may call: also what it only stores for others.

    Args:
        bundle: the library.
        interfaces: names of functions that it exports.
    """
    names = _Names(_parts(bundle))
    begin = [each for name in interfaces for each in names.shared.get(name, ())]
    return names.followed(begin, loaded=True)


def served(bundle: Bundle, interfaces: Iterable[str]) -> dict[Place, frozenset[str]]:
    """Return which of some interfaces come to a function or table, for each that any comes to.

    What is only named in a macro is not found.

    Args:
        bundle: the library.
        interfaces: names of functions that it exports.
    """
    names = _Names(_parts(bundle))
    found: dict[Place, set[str]] = {}
    for interface in interfaces:
        for place in names.followed(names.shared.get(interface, ()), loaded=False):
            found.setdefault(place, set()).add(interface)
    return {place: frozenset(each) for place, each in found.items()}


class _Names:
    """What the parts of a library name.

    Attributes:
        shared: the places of each name that other files know, too.
    """

    def __init__(self, parts: Iterable[Part]) -> None:
        self.shared: dict[str, list[Place]] = {}
        self._uses: dict[Place, set[str]] = {}
        self._early: list[Place] = []
        for part in parts:
            self._uses.setdefault(part.place, set()).update(part.words)
            if not part.own:
                self.shared.setdefault(part.place[1], []).append(part.place)
            if part.early:
                self._early.append(part.place)

    def followed(self, places: Iterable[Place], *, loaded: bool) -> frozenset[Place]:
        """Return some places and all that they come to.

        Args:
            places: where to begin.
            loaded: whether to begin at what the loader calls and macros name as well.
        """
        left = [*places, *(self._early if loaded else ())]
        found = set(left)
        while left:
            file, name = left.pop()
            for word in self._uses[file, name]:
                # A name in this file hides those of others.
                own = (file, word) in self._uses
                meant = [(file, word)] if own else self.shared.get(word, ())
                left += [each for each in meant if each not in found]
                found.update(meant)
        return frozenset(found)


class Part(NamedTuple):
    """A function or table, or the macros of a file.

    Attributes:
        place: where it is.
        words: what it names.
        own: whether only its file knows it.
        early: whether it counts as reached in any case.
    """

    place: Place
    words: frozenset[str]
    own: bool
    early: bool


def _parts(bundle: Bundle) -> Iterator[Part]:
    for path in sorted(bundle.folder.glob("src/*.[ch]")):
        source = path.read_text(encoding="utf-8")
        for body in bodies(source):
            if body.name:
                words = _words(source[body.start : body.end])
                own = "static" in body.head and path.suffix == ".c"
                early = bool(body.head & AT_START)
                yield Part((path.name, body.name), words, own, early)
        # A macro may stand anywhere.
        macros = _words(" ".join(MACRO.findall(source)))
        yield Part((path.name, "macros"), macros, own=True, early=True)


def _words(source: str) -> frozenset[str]:
    """Return the names in a text, without those in comments and strings."""
    return frozenset(each["word"] for each in TOKEN.finditer(source) if each["word"])
