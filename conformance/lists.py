"""Lists in one argument, separated by commas."""

from __future__ import annotations


def names_in(value: str) -> tuple[str, ...]:
    """Return the names of a list.

    Raises:
        ValueError: it names nothing; taken for everything, a slip would be a long run.
    """
    names = tuple(part.strip() for part in value.split(",") if part.strip())
    if not names:
        raise ValueError(f"{value!r} names nothing; leave the option out for all")
    return names
