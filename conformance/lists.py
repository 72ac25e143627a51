"""Lists of names: in one argument, separated by commas; and the one that was meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def names_in(value: str) -> tuple[str, ...]:
    """Return the names of a list.

    Raises:
        ValueError: it names nothing; taken for everything, a slip would be a long run.
    """
    names = tuple(part.strip() for part in value.split(",") if part.strip())
    if not names:
        raise ValueError(f"{value!r} names nothing; leave the option out for all")
    return names


def near(name: str, known: Iterable[str]) -> str:
    """Return what to add to the complaint that there is no such name: the nearest, and all."""
    names = list(known)
    found = difflib.get_close_matches(name, names, 1)
    hint = f"; did you mean {found[0]!r}?" if found else ""
    return f"{hint} Known are: {', '.join(names)}" if hint else f"; known are: {', '.join(names)}"
