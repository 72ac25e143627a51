"""What every program has around its calls: pieces of C, of which it gets those that it uses.

The pieces stand in the files of ``FILES``. A line ``//// name: others`` begins one and tells which
others it needs.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from importlib.resources import files

from halcert.spec.abi.agent_functions import STORE_PART
from halcert.spec.pattern import MIX, ODD, STRIDE

FILES = ("frame.c", "memory.c", "parties.c")
"""Calls and what is demanded of them, accesses to memory, and several threads or processes."""


@cache
def _sections() -> dict[str, tuple[tuple[str, ...], str]]:
    """Return the pieces of the frame: what each needs, and its text."""
    folder = files("halcert.reports.cprogram")
    text = "\n".join(folder.joinpath(each).read_text() for each in FILES)
    found = {}
    for part in text.split("//// ")[1:]:
        first, _, rest = part.partition("\n")
        name, _, needs = first.partition(":")
        found[name] = tuple(needs.split()), rest.strip()
    return found


def pieces(used: Collection[str]) -> list[str]:
    """Return the pieces of the frame that a program uses, in their order."""
    sections = _sections()
    wanted = {"base"}
    waiting = [*used]
    while waiting:
        name = waiting.pop()
        if name in sections and name not in wanted:
            wanted.add(name)
            waiting += sections[name][0]
    values = {"PATTERN_STRIDE": STRIDE, "PATTERN_ODD": ODD, "PATTERN_MIX": MIX}
    values["STORE_PART"] = STORE_PART
    found = [text for name, (_, text) in sections.items() if name in wanted]
    for name, value in values.items():
        found = [text.replace(name, f"{value:#x}ULL") for text in found]
    return found
