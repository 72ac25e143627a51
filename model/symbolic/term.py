"""Terms: integers and truth values that are not known yet.

Terms are interned, so equal terms are the same object. Their operators are those of ordinary
integers and truth values, and give terms again; ``algebra`` builds and simplifies them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Union

IntLike = Union[int, "Int"]
BoolLike = Union[bool, "Bool"]

SALT = 0x5EED5EED5EED
_INTERNED: dict[tuple[Any, ...], Any] = {}


class Term:
    """A node: an operation on terms and constants.

    Attributes:
        op: name of the operation.
        args: its operands; terms, integers, truth values or names.
        uid: number of the node; smaller for nodes made earlier.
    """

    __slots__ = ("args", "hashed", "op", "uid")
    _count: ClassVar[int] = 0

    op: str
    args: tuple[Any, ...]
    uid: int
    hashed: int

    def __hash__(self) -> int:
        """Hash by identity, far from the hashes of integers: those are never to be compared."""
        return self.hashed

    def __repr__(self) -> str:
        """Return the term in prefix form."""
        if self.op in ("int", "bool"):
            return str(self.args[0])
        return f"({self.op} {' '.join(map(repr, self.args))})"


def intern(cls: type[Any], op: str, *args: Any) -> Any:
    """Return the node of a class with this operation and operands."""
    key = (op, *args)
    found = _INTERNED.get(key)
    if found is None:
        found = object.__new__(cls)
        Term._count += 1  # noqa: SLF001 - the class's own maker
        found.op, found.args, found.uid = op, args, Term._count  # noqa: SLF001 - likewise
        found.hashed = hash((SALT, found.uid))
        _INTERNED[key] = found
    return found


Forgetter = Callable[[], None]
_FORGETTERS: list[Forgetter] = []


def when_forgetting(function: Forgetter) -> Forgetter:
    """Have a function called that drops what was kept of terms, when all terms are dropped."""
    _FORGETTERS.append(function)
    return function


def forget_terms() -> None:
    """Drop all terms, and whatever was made of them.

    What a solver answers depends on the order in which it came to know its terms. A piece of
    work that starts with this gives the same answers whatever was done before it.
    """
    _INTERNED.clear()
    for function in _FORGETTERS:
        function()


class Int(Term):
    """An integer that is not known yet."""

    __slots__ = ()

    def __add__(self, other: IntLike) -> IntLike:
        return algebra.add(self, other)

    def __radd__(self, other: IntLike) -> IntLike:
        return algebra.add(self, other)

    def __sub__(self, other: IntLike) -> IntLike:
        return algebra.add(self, algebra.times(other, -1))

    def __rsub__(self, other: IntLike) -> IntLike:
        return algebra.add(algebra.times(self, -1), other)

    def __neg__(self) -> IntLike:
        return algebra.times(self, -1)

    def __mul__(self, other: IntLike) -> IntLike:
        return algebra.times(self, other)

    def __rmul__(self, other: IntLike) -> IntLike:
        return algebra.times(self, other)

    def __mod__(self, other: IntLike) -> IntLike:
        return algebra.modulo(self, other)

    def __rmod__(self, other: IntLike) -> IntLike:
        return algebra.modulo(other, self)

    def __floordiv__(self, other: IntLike) -> IntLike:
        return algebra.quotient(self, other)

    def __rfloordiv__(self, other: IntLike) -> IntLike:
        return algebra.quotient(other, self)

    def __rshift__(self, other: int) -> IntLike:
        return algebra.quotient(self, 1 << other)

    def __lshift__(self, other: int) -> IntLike:
        return algebra.times(self, 1 << other)

    def __and__(self, other: IntLike) -> IntLike:
        return algebra.bits_of_both(self, other)

    def __rand__(self, other: IntLike) -> IntLike:
        return algebra.bits_of_both(self, other)

    def __or__(self, other: IntLike) -> IntLike:
        return algebra.bits_of_either(self, other)

    def __ror__(self, other: IntLike) -> IntLike:
        return algebra.bits_of_either(self, other)

    def __lt__(self, other: IntLike) -> BoolLike:
        return algebra.less(self, other)

    def __gt__(self, other: IntLike) -> BoolLike:
        return algebra.less(other, self)

    def __le__(self, other: IntLike) -> BoolLike:
        return algebra.negation(algebra.less(other, self))

    def __ge__(self, other: IntLike) -> BoolLike:
        return algebra.negation(algebra.less(self, other))

    def __eq__(self, other: object) -> Any:
        return algebra.equal(self, other)

    def __ne__(self, other: object) -> Any:
        return algebra.negation(algebra.equal(self, other))

    __hash__ = Term.__hash__

    def __bool__(self) -> bool:
        return bool(algebra.negation(algebra.equal(self, 0)))

    def unroll(self, step: Any, start: Any) -> Any:
        """Return what a rule gets by repeating a step this often."""
        from halcert.model.symbolic.join import unrolled  # noqa: PLC0415 - join builds on terms

        return unrolled(self, step, start)

    def __index__(self) -> int:
        raise TypeError(f"the value of {self!r} is not known")


class Bool(Term):
    """A truth value that is not known yet; asking for it forks the rule that asks."""

    __slots__ = ()

    def __eq__(self, other: object) -> Any:
        return algebra.same_truth(self, other)

    def __ne__(self, other: object) -> Any:
        return algebra.negation(algebra.same_truth(self, other))

    __hash__ = Term.__hash__

    def __bool__(self) -> bool:
        from halcert.model.symbolic.paths import decide  # noqa: PLC0415 - paths builds on terms

        return decide(self)


def terms_in(value: object) -> Iterator[Term]:
    """Iterate over the terms that a value is built of, each once."""
    stack, seen = [value], set[Term]()
    while stack:
        term = stack.pop()
        if isinstance(term, Term) and term not in seen:
            seen.add(term)
            yield term
            stack += term.args


def integer(name: str) -> Int:
    """Return the integer variable with a name."""
    found: Int = intern(Int, "int", name)
    return found


def truth(name: str) -> Bool:
    """Return the truth variable with a name."""
    found: Bool = intern(Bool, "bool", name)
    return found


def unknown(function: str, *args: IntLike) -> Int:
    """Return what an uninterpreted function gives for the arguments."""
    found: Int = intern(Int, "apply", function, *args)
    return found


# The operators of terms need the algebra, and the algebra needs terms.
from halcert.model.symbolic import algebra  # noqa: E402
