"""Building terms: arithmetic, comparisons and truth values, simplified on the way.

What is known stays an ordinary ``int`` or ``bool`` and never reaches the solver. Comparisons
are kept in one form (``<``, ``==`` and their negations), which lets a rule that asks the same
question twice get the same term.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from halcert.model.symbolic.term import Bool, BoolLike, Int, IntLike, intern, unknown

# ------------------------------------------------------------------------------------- arithmetic


def add(left: IntLike, right: IntLike) -> IntLike:
    """Return the sum, with constants gathered on the right and opposites cancelled."""
    if not isinstance(left, Int):
        left, right = right, left
    if not isinstance(left, Int):
        return left + right
    if not isinstance(right, Int):
        if right == 0:
            return left
        if left.op == "add" and not isinstance(left.args[1], Int):
            return add(left.args[0], left.args[1] + right)
        return _int("add", left, int(right))
    if right.op == "add" and not isinstance(right.args[1], Int):
        return add(add(left, right.args[0]), right.args[1])
    if left.op == "add" and not isinstance(left.args[1], Int):
        return add(add(left.args[0], right), left.args[1])
    return _sum_of_terms(left, right)


def _sum_of_terms(left: Int, right: Int) -> IntLike:
    opposite = times(right, -1)
    if opposite is left:
        return 0
    if left.op == "add":
        if opposite is left.args[0]:
            return _as_int(left.args[1])
        if opposite is left.args[1]:
            return _as_int(left.args[0])
    if left.uid > right.uid and right.op != "add":
        left, right = right, left
    return _int("add", left, right)


def times(left: IntLike, right: IntLike) -> IntLike:
    """Return the product; a constant factor is spread over a sum."""
    if not isinstance(left, Int):
        left, right = right, left
    if not isinstance(left, Int):
        return left * right
    if isinstance(right, Int):
        return _product_of_terms(left, right)
    if right in (0, 1):
        return left if right == 1 else 0
    if left.op == "times" and not isinstance(left.args[1], Int):
        return times(left.args[0], left.args[1] * right)
    if left.op == "add":
        return add(times(left.args[0], right), times(left.args[1], right))
    return _int("times", left, int(right))


def _product_of_terms(left: Int, right: Int) -> IntLike:
    if right.op == "ite" and _all_constant(right):
        left, right = right, left
    if left.op == "ite" and _all_constant(left):
        return _choice(left.args[0], times(left.args[1], right), times(left.args[2], right))
    if left.uid > right.uid:
        left, right = right, left
    return _int("times", left, right)


def modulo(left: IntLike, right: IntLike) -> IntLike:
    """Return the remainder; the divisor must be a positive constant, or a choice of some."""
    if isinstance(right, Int):
        if right.op == "ite":
            yes, no = modulo(left, right.args[1]), modulo(left, right.args[2])
            return _choice(right.args[0], yes, no)
        return _int("mod", left, right)
    if right <= 0:
        return unknown("remainder of nothing", left, right)
    if not isinstance(left, Int):
        return left % right
    if right == 1:
        return 0
    return _int("mod", left, int(right))


def quotient(left: IntLike, right: IntLike) -> IntLike:
    """Return the quotient rounded down; the divisor as for the remainder."""
    if isinstance(right, Int):
        if right.op == "ite":
            yes, no = quotient(left, right.args[1]), quotient(left, right.args[2])
            return _choice(right.args[0], yes, no)
        return _int("div", left, right)
    if right <= 0:
        return unknown("quotient of nothing", left, right)
    if not isinstance(left, Int):
        return left // right
    return left if right == 1 else _int("div", left, int(right))


def bits_of_both(left: IntLike, right: IntLike) -> IntLike:
    """Return the number with the bits that both have; a mask of low bits gives a remainder."""
    if not isinstance(left, Int):
        left, right = right, left
    if not isinstance(left, Int):
        return left & right
    if left is right:
        return left
    if isinstance(right, Int):
        if left.uid > right.uid:
            left, right = right, left
        return _int("bits", left, right)
    if right >= 0 and not right & (right + 1):
        return modulo(left, right + 1)
    return _int("bits", left, int(right))


def bits_of_either(left: IntLike, right: IntLike) -> IntLike:
    """Return the number with the bits that one of two has: those of both counted once."""
    if left is right:
        return left
    return add(add(left, right), times(bits_of_both(left, right), -1))


def _int(op: str, *args: Any) -> Int:
    found: Int = intern(Int, op, *args)
    return found


def _choice(condition: BoolLike, yes: IntLike, no: IntLike) -> IntLike:
    found: IntLike = choose(condition, yes, no)
    return found


def _as_int(value: Any) -> IntLike:
    found: IntLike = value
    return found


# ------------------------------------------------------------------------------------ comparisons


def less(left: IntLike, right: IntLike) -> BoolLike:
    """Return whether ``left < right``; constants are gathered on one side."""
    if not isinstance(left, Int) and not isinstance(right, Int):
        return bool(left < right)
    if left is right:
        return False
    left, right = _balanced(left, right)
    if left is right:
        return False
    split = _split(less, left, right)
    if split is not None:
        return split
    if not isinstance(left, Int) and not isinstance(right, Int):
        return bool(left < right)
    if not isinstance(left, Int):
        # c < x is the negation of x < c + 1, so that each bound has one form.
        return negation(less(right, left + 1))
    return _bool("lt", left, right)


def equal(left: Any, right: Any) -> BoolLike:
    """Return whether two integers are equal."""
    if isinstance(left, Bool) or isinstance(right, Bool):
        return same_truth(_as_truth(left), _as_truth(right))
    if left is right:
        return True
    if not isinstance(left, Int) and not isinstance(right, Int):
        return bool(left == right)
    left, right = _balanced(left, right)
    if left is right:
        return True
    if not isinstance(left, Int):
        left, right = right, left
    if not isinstance(left, Int):
        return bool(left == right)
    split = _split(equal, left, right)
    if split is not None:
        return split
    if isinstance(right, Int) and left.uid > right.uid:
        left, right = right, left
    return _bool("eq", left, right if isinstance(right, Int) else int(right))


def _balanced(left: IntLike, right: IntLike) -> tuple[IntLike, IntLike]:
    """Move the constant of a sum to the other side, and drop what both sides have in common."""
    if isinstance(left, Int) and left.op == "add" and not isinstance(left.args[1], Int):
        inner, constant = left.args
        left, right = inner, add(right, -constant)
    if (
        isinstance(right, Int)
        and right.op == "add"
        and not isinstance(right.args[1], Int)
        and not isinstance(left, Int)
    ):
        left, right = left - right.args[1], right.args[0]
    if isinstance(left, Int) and isinstance(right, Int) and "add" in (left.op, right.op):
        return _without_common(left, right)
    return left, right


def _without_common(left: Int, right: Int) -> tuple[IntLike, IntLike]:
    ours, theirs = _summands(left), _summands(right)
    for each in list(ours):
        place = next((i for i, other in enumerate(theirs) if other is each), None)
        if place is not None:
            ours.pop(next(i for i, other in enumerate(ours) if other is each))
            theirs.pop(place)
    if len(ours) == len(_summands(left)):
        return left, right
    return _total(ours), _total(theirs)


def _summands(term: IntLike) -> list[IntLike]:
    if isinstance(term, Int) and term.op == "add":
        return [*_summands(term.args[0]), *_summands(term.args[1])]
    return [term]


def _total(summands: list[IntLike]) -> IntLike:
    total: IntLike = 0
    for each in summands:
        total = add(total, each)
    return total


def _split(compare: Any, left: IntLike, right: IntLike) -> BoolLike | None:
    """Compare a choice between constants branch by branch."""
    if isinstance(left, Int) and left.op == "ite" and not isinstance(right, Int):
        condition, yes, no = left.args
        if not isinstance(yes, Int) or not isinstance(no, Int):
            return _as_truth(choose(condition, compare(yes, right), compare(no, right)))
    if isinstance(right, Int) and right.op == "ite" and not isinstance(left, Int):
        condition, yes, no = right.args
        if not isinstance(yes, Int) or not isinstance(no, Int):
            return _as_truth(choose(condition, compare(left, yes), compare(left, no)))
    return None


def _all_constant(term: IntLike) -> bool:
    if not isinstance(term, Int):
        return True
    return term.op == "ite" and _all_constant(term.args[1]) and _all_constant(term.args[2])


# ----------------------------------------------------------------------------------- truth values


def negation(value: BoolLike) -> BoolLike:
    """Return whether the value is false."""
    if not isinstance(value, Bool):
        return not value
    return value.args[0] if value.op == "not" else _bool("not", value)


def both(*values: BoolLike) -> BoolLike:
    """Return whether all values are true."""
    return _joined("and", False, values)


def either(*values: BoolLike) -> BoolLike:
    """Return whether some value is true."""
    return _joined("or", True, values)


def parts_of(condition: BoolLike) -> tuple[BoolLike, ...]:
    """Return the conditions that a condition says together."""
    if isinstance(condition, Bool) and condition.op == "and":
        return condition.args
    return (condition,)


def all_parts_of(condition: BoolLike) -> Iterator[BoolLike]:
    """Iterate over the least conditions that a condition says together."""
    for part in parts_of(condition):
        if isinstance(part, Bool) and part.op == "not" and part.args[0].op == "or":
            for each in part.args[0].args:
                yield from all_parts_of(negation(each))
        else:
            yield part


def implies(condition: BoolLike, value: BoolLike) -> BoolLike:
    """Return whether the value is true or the condition false."""
    return either(negation(condition), value)


def same_truth(left: Any, right: Any) -> BoolLike:
    """Return whether both values are true or both are false."""
    left, right = _as_truth(left), _as_truth(right)
    if left is right:
        return True
    if not isinstance(left, Bool):
        left, right = right, left
    if not isinstance(left, Bool):
        return bool(left == right)
    if not isinstance(right, Bool):
        return left if right else negation(left)
    if negation(left) is right:
        return False
    if left.uid > right.uid:
        left, right = right, left
    return _bool("iff", left, right)


def _joined(op: str, absorbing: bool, values: tuple[BoolLike, ...]) -> BoolLike:
    parts: dict[Bool, None] = {}
    denied: set[Bool] = set()
    for value in values:
        if not isinstance(value, Bool):
            if bool(value) is absorbing:
                return absorbing
            continue
        for part in value.args if value.op == op else (value,):
            if part in denied or (part.op == "not" and part.args[0] in parts):
                return absorbing
            if part.op == "not":
                denied.add(part.args[0])
            parts[part] = None
    if not parts:
        return not absorbing
    if len(parts) == 1:
        return next(iter(parts))
    return _bool(op, *parts)


def choose(condition: BoolLike, yes: Any, no: Any) -> Any:
    """Return ``yes`` if the condition is true, else ``no``."""
    if not isinstance(condition, Bool):
        return yes if condition else no
    if yes is no:
        return yes
    if condition.op == "not":
        return choose(condition.args[0], no, yes)
    if isinstance(yes, (Bool, bool)) and isinstance(no, (Bool, bool)):
        return _choose_truth(condition, yes, no)
    yes, no = _number(yes), _number(no)
    if isinstance(yes, Int) and yes.op == "ite" and yes.args[0] is condition:
        yes = yes.args[1]
    if isinstance(no, Int) and no.op == "ite" and no.args[0] is condition:
        no = no.args[2]
    if yes is no or (not isinstance(yes, Int) and not isinstance(no, Int) and yes == no):
        return yes
    return _int("ite", condition, yes, no)


def _choose_truth(condition: Bool, yes: BoolLike, no: BoolLike) -> BoolLike:
    if not isinstance(yes, Bool):
        return either(condition, no) if yes else both(negation(condition), no)
    if not isinstance(no, Bool):
        return either(negation(condition), yes) if no else both(condition, yes)
    if yes is condition:
        return either(condition, no)
    if no is condition:
        return both(condition, yes)
    return either(both(condition, yes), both(negation(condition), no))


def _bool(op: str, *args: Any) -> Bool:
    found: Bool = intern(Bool, op, *args)
    return found


def _as_truth(value: Any) -> BoolLike:
    if isinstance(value, Int):
        return negation(equal(value, 0))
    return value if isinstance(value, Bool) else bool(value)


def _number(value: Any) -> IntLike:
    if isinstance(value, Bool):
        return _int("ite", value, 1, 0)
    return value if isinstance(value, Int) else int(value)
