"""What unknown functions of terms mean where the bytes of memory are known.

A byte is a token: the number that was set, one that stands for a byte of a pattern, or
:data:`UNKNOWN` where nobody wrote.
"""

from __future__ import annotations

from collections.abc import Callable

from halcert.model.concrete.contents import ConcreteContents
from halcert.model.symbolic.contents import PATTERN

UNKNOWN = -1
"""Token of bytes that nobody wrote."""
PATTERNED = 2**80
ERASURES = 32
"""How often bytes become undefined, at most, in what is looked at."""


def token(contents: ConcreteContents, memory: int, offset: int) -> int:
    """Return the token of a byte."""
    found = contents.byte(memory, offset)
    if found is None:
        return UNKNOWN
    pattern, value = found
    return value if pattern is None else pattern * PATTERNED + value + 256


def functions_of(contents: ConcreteContents, name: str) -> dict[str, Callable[..., int]]:
    """Return the meaning of all unknown functions.

    Args:
        contents: the bytes.
        name: what the symbolic state is named after whose bytes these are.
    """
    functions: dict[str, Callable[..., int]] = {
        f"undefined {number}": _nothing for number in range(ERASURES)
    }
    functions[PATTERN] = lambda pattern, place: pattern * PATTERNED + place + 256
    functions["remainder of nothing"] = functions["quotient of nothing"] = _nothing
    functions[f"{name} byte"] = lambda memory, offset: token(contents, memory, offset)
    return functions


def _nothing(*_: int) -> int:
    return UNKNOWN
