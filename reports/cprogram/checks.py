"""What the rules demand of a call as C: of its code, of its outputs, and of bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import structs

from halcert.reports.cprogram.expressions import Uses, Variables, literal
from halcert.reports.cprogram.rows import rows_of
from halcert.results.story import Demand, Formula, Promise, Stretch
from halcert.spec.abi.codes import symbol_of
from halcert.spec.language import poison
from halcert.spec.sharing.create import UNTOUCHED
from halcert.spec.sharing.names import SHARES, TOO_LONG, string_of

COMPARISONS = {"lt": "<", "le": "<=", "eq": "==", "ne": "!="}
JOINTS = {"and": " && ", "or": " || ", "add": " + "}
OPERATORS = {"times": "*", "mod": "%", "div": "/"}
LOOSE = {**COMPARISONS, **JOINTS, "if": "?", "bits": "&"}
WIDE, NARROW = 64, 32


class CheckWriter:
    """Writes checks; keeps count of what the program uses."""

    def __init__(self, variables: Variables, uses: Uses) -> None:
        """Take the variables of the program and what it uses."""
        self._variables = variables
        self._uses = uses

    # ------------------------------------------------------------------------------------ codes

    def code(self, demand: Demand, rule: str) -> str:
        """Return the check of a return code; empty if any will do."""
        if demand.success and not demand.failure:
            self._uses.helpers.add("must_succeed")
            return f'must_succeed(code, NO_CODE, "{rule}");'
        codes = self._codes(demand.codes)
        if demand.success:
            self._uses.helpers.add("must_succeed")
            return f'must_succeed(code, {codes}, "{rule}");'
        self._uses.helpers.add("must_fail")
        return f'must_fail(code, {codes}, "{rule}");'

    def either(self, demand: Demand, rule: str) -> str:
        """Return the check of a code where a refusal is as good as a success."""
        if not demand.failure:
            return self.code(demand, rule)
        if not demand.codes:
            return ""
        self._uses.helpers.add("may_fail")
        return f'may_fail(code, {self._codes(demand.codes)}, "{rule}");'

    def _codes(self, codes: Sequence[int]) -> str:
        if not codes:
            return "ANY_CODE"
        self._uses.codes.update(codes)
        return f"CODES({', '.join(symbol_of(code) for code in codes)})"

    # ---------------------------------------------------------------------------------- outputs

    def promise(self, promise: Promise, *, last: bool = False) -> list[str]:
        """Return the check of a promise, or nothing where an output that it needs is not there.

        Args:
            promise: the promise.
            last: it is about the last call, after which nothing else can show the fault.
        """
        parts = promise.condition.args if promise.condition.op == "and" else (promise.condition,)
        try:
            conditions = [self._condition(each) for each in parts]
        except KeyError:
            return []
        depending = "must_hold_if_alike_at_last" if last else "must_hold_if_alike"
        check = depending if promise.depends else "must_hold"
        self._uses.helpers.add(check)
        return [
            f"/* {promise.rule}: {promise.summary} */",
            *(f'{check}({each}, "{promise.rule}");' for each in conditions),
        ]

    def alike(self, condition: Formula) -> str:
        """Return the check that the implementation chose as it did in the trace.

        Raises:
            KeyError: an output that it needs is not there.
        """
        self._uses.helpers.add("compare_choice")
        return f"compare_choice({self._condition(condition)});"

    def _condition(self, formula: Formula) -> str:
        op, args = formula.op, formula.args
        if op == "truth":
            return "true" if args[0] else "false"
        if op == "not":
            return f"!({self._condition(args[0])})"
        if op in ("and", "or"):
            return JOINTS[op].join(
                f"({text})" if each.op in ("and", "or") else text
                for each, text in ((each, self._condition(each)) for each in args)
            )
        if op in COMPARISONS:
            about = next((each for each in map(self._bytes_of, args) if each), None)
            if about is not None:
                return self._of_bytes(op, args, about)
            if op in ("eq", "ne"):
                args = tuple(self._with_shares(args))
            wide = any(_is_wide(each) for each in args)
            left, right = (self._number(each, wide=wide) for each in args)
            return f"{left} {COMPARISONS[op]} {right}"
        return f"{self._number(formula)} != 0"

    def _with_shares(self, args: Sequence[Formula]) -> Sequence[Formula]:
        """Return what is compared, the number of a share as what gave it: it is new in each run.

        Raises:
            KeyError: no call gave it.
        """
        place = next((i for i, each in enumerate(args) if each.op == "number"), None)
        other = None if place is None else args[1 - place]
        if place is None or other is None or other.op != "output" or other.args[1] not in SHARES:
            return args
        value = args[place].args[0]
        if value in (0, poison(WIDE)):
            return args
        call = int(other.args[0])
        number = self._variables.maker(str(other.args[1]), value, call)
        same = Formula("output", (number, other.args[1]))
        return [same, other] if place == 0 else [other, same]

    def _bytes_of(self, formula: Formula) -> Formula | None:
        """Return the bytes in a number, a multiple or a rest of theirs; None if there are none."""
        inner = formula.args[0] if formula.op == "times" else formula
        if inner.op == "mod":
            inner = inner.args[0]
        if inner.op != "output" or not self._variables.of(*inner.args).bytes:
            return None
        return inner

    def _of_bytes(self, op: str, args: Sequence[Formula], about: Formula) -> str:
        """Return what is said of a name.

        Raises:
            KeyError: it is compared with one that no call gave.
        """
        rest = next((each for each in args if each.op == "mod"), None)
        if rest is not None:
            return self._of_first_bytes(op, args, rest)
        factor = next((each.args[1] for each in args if each.op == "times"), 1)
        numbers = tuple(each.args[0] // factor if each.op == "number" else None for each in args)
        place = self._variables.of(*about.args).text
        if op == "le":
            low, high = numbers
            op, numbers = (
                "lt",
                (low if low is None else low - 1, high if high is None else high + 1),
            )
        if op == "lt" and numbers in ((0, None), (None, 1)):
            return f"{place}[0] {'!=' if numbers[1] is None else '=='} 0"
        if op == "lt" and numbers == (None, TOO_LONG):
            return f"memchr({place}, 0, sizeof {place}) != NULL"
        if op == "eq" and UNTOUCHED in numbers:
            self._uses.helpers.add("is_untouched")
            return f"is_untouched({place}, sizeof {place})"
        token = next((each for each in numbers if each), None)
        if op not in ("eq", "ne") or token is None:
            raise KeyError(op)
        other = self._variables.given("name", string_of(token).hex(), int(about.args[0])).text
        return f"strncmp({place}, {other}, sizeof {place}) {COMPARISONS[op]} 0"

    def _of_first_bytes(self, op: str, args: Sequence[Formula], rest: Formula) -> str:
        """Return what is said of the first bytes: whether they hold what they held before.

        Raises:
            KeyError: something else is said of them.
        """
        width = int(rest.args[1]).bit_length() - 1
        other = next(each for each in args if each is not rest)
        if op not in ("eq", "ne") or other != Formula("number", (poison(width),)):
            raise KeyError(op)
        self._uses.helpers.add("is_untouched")
        place = self._variables.of(*rest.args[0].args).text
        told = f"is_untouched(&{place}, {width // 8})"
        return told if op == "eq" else f"!{told}"

    @staticmethod
    def _inner(formula: Formula, write: Any) -> str:
        return f"({write(formula)})" if formula.op in LOOSE else str(write(formula))

    def _number(self, formula: Formula, *, wide: bool = False) -> str:
        op, args = formula.op, formula.args
        if op == "number":
            return self._literal(args[0])
        if op == "output":
            variable = self._variables.of(*args)
            cast = variable.pointer or (variable.narrow and wide)
            text = f"({variable.text})" if variable.text.startswith("&") else variable.text
            return f"(uint64_t){text}" if cast else text
        if op == "bits":
            inner, low, width = args
            text = self._inner(inner, lambda each: self._number(each, wide=True))
            shifted = f"{text} >> {low}" if low else text
            return f"({shifted} & {literal((1 << width) - 1)})"
        if op == "both":
            sides = (self._inner(each, lambda f: self._number(f, wide=True)) for each in args)
            return f"({' & '.join(sides)})"
        if op == "add":
            return " + ".join(self._number(each, wide=True) for each in args)
        if op in OPERATORS:
            inner = self._inner(args[0], lambda each: self._number(each, wide=True))
            return f"{inner} {OPERATORS[op]} {literal(args[1])}"
        if op == "if":
            condition, yes, no = args
            return (
                f"({self._inner(condition, self._condition)} ? {self._number(yes)} "
                f": {self._number(no)})"
            )
        return f"({self._condition(formula)})"

    def _literal(self, value: int) -> str:
        for width, text in ((WIDE, "UNTOUCHED"), (NARROW, "(uint32_t)UNTOUCHED")):
            if value == poison(width):
                self._uses.helpers.add("untouched")
                return text
        return self._uses.size(value)

    # ------------------------------------------------------------------------------------ bytes

    def stretches(self, address: str, stretches: Sequence[Stretch], rule: str) -> list[str]:
        """Return the checks of bytes behind an address."""
        lines = []
        for rows in rows_of(merged(stretches)):
            parts = zip(rows.first, rows.steps, strict=True)
            if rows.count == 1:
                lines += [self._stretch(address, part, rule) for part, _ in parts]
                continue
            lines += [
                f"for (size_t row = 0; row < {rows.count}; row++) {{",
                *(
                    "    " + self._stretch(address, part, rule, rows.apart, step)
                    for part, step in parts
                ),
                "}",
            ]
        return lines

    def _stretch(
        self, address: str, stretch: Stretch, rule: str, apart: int = 0, step: int = 0
    ) -> str:
        """Return the check of a stretch, in a loop over rows if they are some bytes apart."""
        distance = _in_row(str(stretch.start), apart)
        where = address if distance == "0" else f"(char *){address} + {distance}"
        length = self._uses.size(stretch.length)
        if stretch.pattern is None:
            self._uses.helpers.add("must_be_filled")
            return f'must_be_filled({where}, {length}, {literal(stretch.value)}, "{rule}");'
        self._uses.helpers.add("must_be_pattern")
        place = _in_row(literal(stretch.value), step)
        return f'must_be_pattern({where}, {length}, {literal(stretch.pattern)}, {place}, "{rule}");'

    def unchanged(self, name: str, rule: str) -> str:
        """Return the check that a call left the guarded copy of an input alone."""
        self._uses.helpers.add("must_be_unchanged")
        return f'must_be_unchanged(guarded_{name}, &{name}, sizeof {name}, "{name}", "{rule}");'


def _in_row(first: str, step: int) -> str:
    """Return a number that grows by a step from row to row."""
    if not step:
        return first
    grown = "row" if step == 1 else f"row * {step}"
    return grown if first == "0" else f"{first} + {grown}"


def merged(stretches: Sequence[Stretch]) -> list[Stretch]:
    """Return the stretches, those that continue each other as one."""
    found: list[Stretch] = []
    for each in stretches:
        last = found[-1] if found else None
        if last is not None and _continues(last, each):
            found[-1] = structs.replace(last, length=last.length + each.length)
        else:
            found.append(each)
    return found


def _continues(one: Stretch, other: Stretch) -> bool:
    if one.pattern != other.pattern or one.start + one.length != other.start:
        return False
    return other.value == one.value + (0 if one.pattern is None else one.length)


def _is_wide(formula: Formula) -> bool:
    """Tell whether a number may need 64 bits."""
    if formula.op == "number":
        return bool(formula.args[0] > poison(NARROW))
    return formula.op in ("add", "times")


def quoted(text: str) -> str:
    """Return a text as a string of C."""
    plain = text.encode("ascii", "backslashreplace").decode()
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"').replace("??", "?\\?") + '"'
