"""What two answers to the same call have that differs, gathered over many calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from halcert.results import Answered, TraceStep
from halcert.results.comparison import Aspect, Contrast
from halcert.spec.abi.codes import symbol_of
from halcert.spec.language import Interface, Record, poison
from halcert.spec.language.domain import annotations_of, domain_of
from halcert.spec.svm.alloc import MemAlloc
from halcert.spec.svm.flags import AllocFlags

MOST_ALIGNED = 1 << 30
"""The largest page; what lies beyond is of no use to anybody."""
FEWEST = 8
"""Addresses from which an alignment can be read: of n that come by chance, all are a multiple of
twice what they should be with a probability of one in two to the power of n."""
LEFT_ALONE = "left alone"
"""What is said of an output that holds what it held before the call."""
_WIDTHS = (8, 16, 32, 64)
_POISONS = {poison(width) for width in _WIDTHS} | {poison(w) - (1 << w) for w in _WIDTHS}
_SHOWN_BYTES = 8
_NAMES = ("handle", "name")
"""Roles of what only means something to who gave it."""

Key = tuple[Aspect, str, str, str, tuple[str, ...], str, str]


@dataclass
class _Met:
    count: int = 0
    origin: str = ""
    example: tuple[TraceStep, ...] = ()


@dataclass
class _Aligned:
    """The addresses that a call gave, each side's as the bits that are set in any of them."""

    left: int = 0
    right: int = 0
    count: int = 0
    origin: str = ""
    example: tuple[TraceStep, ...] = ()


@dataclass
class Contrasts:
    """The differences of many pairs of answers."""

    _met: dict[Key, _Met] = field(default_factory=dict)
    _of: dict[tuple[Aspect, str, str, str], int] = field(default_factory=dict)
    _aligned: dict[tuple[str, str, str], _Aligned] = field(default_factory=dict)

    def take(
        self,
        interface: Interface,
        left: Answered,
        right: Answered,
        rules: Sequence[str],
        steps: Sequence[TraceStep],
        origin: str,
    ) -> None:
        """Compare two answers to one call.

        Args:
            interface: what was called.
            left: the one answer.
            right: the other.
            rules: the rules that refuse the call or may do so.
            steps: the calls up to this one, as the left made them.
            origin: the test that made them.
        """
        name = interface.name
        codes = symbol_of(left.code, name), symbol_of(right.code, name)
        found = [(Aspect.CODE, "", "", *codes)]
        if (left.code == 0) == (right.code == 0):
            when = "" if left.code == 0 else "the call fails"
            for path, kind, one, other in _leaves(interface, left.out, right.out):
                role = getattr(domain_of(kind), "role", "")
                if isinstance(one, bytes) and isinstance(other, bytes):
                    found.append((Aspect.CONTENT, path, when, *_bytes(one, other)))
                elif role == "address" and _is_given(one) and _is_given(other):
                    if left.code == 0:
                        self._align(name, path, one, other, steps, origin)
                elif role not in _NAMES:
                    found.append((Aspect.REPORT, path, when, _shown(one), _shown(other)))
        for aspect, path, when, one, other in found:
            place = (aspect, name, path, when)
            self._of[place] = self._of.get(place, 0) + 1
            if one != other:
                held = tuple(rules) if aspect is Aspect.CODE else ()
                self._note((aspect, name, path, when, held, one, other), steps, origin)

    def lacks(self, interface: str, *, left: bool, right: bool) -> None:
        """Note which side has a symbol."""
        words = {True: "is there", False: "is missing"}
        key = (Aspect.SYMBOL, interface, "", "", (), words[left], words[right])
        self._of[Aspect.SYMBOL, interface, "", ""] = 1
        self._met[key] = _Met(count=1)

    def found(self) -> tuple[Contrast, ...]:
        """Return the differences, by aspect, most frequent first.

        What a call reports is often a number that is different each time: such pairs are one.
        """
        merged: dict[tuple[Any, ...], list[tuple[Key, _Met]]] = {}
        for key, met in self._met.items():
            same = key if key[0] in (Aspect.CODE, Aspect.SYMBOL) else key[:4]
            merged.setdefault(same, []).append((key, met))
        contrasts = [self._contrast(pairs) for pairs in merged.values()]
        contrasts += list(self._alignments())
        order = list(Aspect)
        return tuple(
            sorted(contrasts, key=lambda c: (order.index(c.aspect), -c.count, c.interface, c.what))
        )

    def _contrast(self, pairs: Sequence[tuple[Key, _Met]]) -> Contrast:
        key, shown = min(pairs, key=lambda pair: (len(pair[1].example), pair[0][5:]))
        aspect, interface, what, when, rules, left, right = key
        return Contrast(
            aspect=aspect,
            interface=interface,
            what=what,
            when=when,
            rules=rules,
            left=left,
            right=right,
            count=sum(met.count for _, met in pairs),
            of=self._of[aspect, interface, what, when],
            origin=shown.origin,
            example=shown.example,
        )

    def _alignments(self) -> Iterator[Contrast]:
        for (interface, path, when), met in self._aligned.items():
            left, right = _lowest(met.left), _lowest(met.right)
            if left != right and met.count >= FEWEST:
                yield Contrast(
                    Aspect.ALIGNMENT,
                    interface,
                    path,
                    when,
                    (),
                    str(left),
                    str(right),
                    met.count,
                    met.count,
                    met.origin,
                    met.example,
                )

    def _align(
        self,
        name: str,
        path: str,
        left: int,
        right: int,
        steps: Sequence[TraceStep],
        origin: str,
    ) -> None:
        when = _kind_of_memory(steps[-1])
        met = self._aligned.setdefault((name, path, when), _Aligned())
        before = _lowest(met.left), _lowest(met.right)
        met.left |= left
        met.right |= right
        met.count += 1
        if (_lowest(met.left), _lowest(met.right)) != before:
            met.origin, met.example = origin, tuple(steps)

    def _note(self, key: Key, steps: Sequence[TraceStep], origin: str) -> None:
        met = self._met.setdefault(key, _Met())
        met.count += 1
        if not met.example or len(steps) < len(met.example):
            met.origin, met.example = origin, tuple(steps)


def _leaves(
    interface: Interface, left: Mapping[str, Any], right: Mapping[str, Any]
) -> Iterator[tuple[str, Any, Any, Any]]:
    """Iterate over the outputs of two answers: path, annotation and both values."""
    kinds = annotations_of(interface.result)
    yield from _members(kinds, left, right, "")


def _members(
    kinds: Mapping[str, Any], left: Mapping[str, Any], right: Mapping[str, Any], path: str
) -> Iterator[tuple[str, Any, Any, Any]]:
    for name in left:
        one, other, kind = left[name], right.get(name), kinds.get(name)
        if one is None or other is None:
            continue  # the caller gave no place for it
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            record = isinstance(kind, type) and issubclass(kind, Record)
            inner = annotations_of(kind) if record else {}
            yield from _members(inner, one, other, f"{path}{name}.")
        else:
            yield f"{path}{name}", kind, one, other


def _is_given(value: Any) -> bool:
    """Tell whether an output holds a number that the call put there."""
    return isinstance(value, int) and value != 0 and value not in _POISONS


def _lowest(bits: int) -> int:
    """Return what all numbers are a multiple of, as a power of two; 0 for no numbers."""
    return min(bits & -bits, MOST_ALIGNED)


def _kind_of_memory(step: TraceStep) -> str:
    """Return the flag of a call, whatever device and module it names."""
    flag = step.args.get("flag")
    if not isinstance(flag, int):
        return ""
    if step.interface == MemAlloc.interface.name:
        fields = AllocFlags.from_plain(flag)
        flag = AllocFlags.compose(
            **{
                name: getattr(fields, name)
                for name in AllocFlags.layout
                if name not in ("devid", "module")
            }
        )
    return f"flag={flag:#x}"


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, int) and not isinstance(value, bool) and value in _POISONS:
        return LEFT_ALONE
    return str(value)


def _bytes(one: bytes, other: bytes) -> tuple[str, str]:
    """Return both from the first byte that differs."""
    start = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    ends = (data[start : start + _SHOWN_BYTES].hex(" ") for data in (one, other))
    left, right = (f"from byte {start}: {end}" for end in ends)
    return left, right
