"""Choosing answers: results that are not computed, but tried until every promise holds.

Each output is tried with values that the state and the call suggest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from types import CodeType
from typing import Any

import msgspec

from halcert.conformance.managed_answers import attributes_told
from halcert.conformance.values import constants_of
from halcert.model.concrete.compiled import Compiled
from halcert.model.concrete.rope import parts
from halcert.spec.language import BitWord, Call, Record, Returned, Rule, align_up, poison
from halcert.spec.language import Sequence as ArraySequence
from halcert.spec.language.domain import Domain, annotations_of, domain_of
from halcert.spec.profiles import GIB, Profile
from halcert.spec.runtime.order import session
from halcert.spec.runtime.range_attributes import ManagedGetAttrs, asked_of_the_driver
from halcert.spec.runtime.releases import bytes_in_use
from halcert.spec.sharing.create import UNTOUCHED
from halcert.spec.soma.memory import used_bytes
from halcert.spec.uvm.attributes import MemManagedRangeGetAttributes

CAPACITY = 4 * GIB
"""Bytes that each device of the model says it has."""
NARROW = poison(64) - poison(32)
"""What a place of 8 bytes holds once its first 4 bytes were set to 0."""


class Unanswerable(Exception):
    """No result that was tried keeps every promise."""


@dataclass
class Choice:
    """The choice of a result: outputs by path, and what to try for each.

    Attributes:
        rules: the rules of the interface.
        call: the call.
        view: the state before it.
        profile: the product.
        code: return code of the result.
        address: an address that nothing uses.
        handle: a number that nothing uses.
        held: bytes of a device that processes hold.
        answer: what is said where the question is whether something can be done: 1, or 0.
    """

    rules: Compiled
    call: Call
    view: Any
    profile: Profile
    code: int
    address: int
    handle: int
    held: Callable[[int], int]
    answer: int = 1
    chosen: dict[str, Any] = field(default_factory=dict)

    def solved(self, promises: Sequence[tuple[Rule, Any, Callable[..., bool]]]) -> Returned:
        """Return a result that keeps the promises.

        Raises:
            Unanswerable: nothing that was tried does.
        """
        paths = dict(_paths(self.rules.interface.result))
        for path, kind in paths.items():
            self.chosen[path] = self._first(path, kind)
        due = [each for each in promises if self._kept(each) is not None]
        for _ in range(3):
            broken = [each for each in due if not self._kept(each)]
            if not broken:
                return self._made()
            for promise in broken:
                self._repair(promise, paths, due)
        raise Unanswerable(f"{due[0][0].id} and others cannot be kept together")

    def _kept(self, promise: tuple[Rule, Any, Callable[..., bool]]) -> bool | None:
        """Return whether a promise is kept; None if it does not apply."""
        _, when, check = promise
        made = self._made()
        if when is not None and not when(self.call, self.view, made):
            return None
        return bool(check(self.call, self.view, made))

    def _repair(self, promise: Any, paths: dict[str, Any], due: Sequence[Any]) -> None:
        read = _names_in(promise[0].function.__code__)
        touched = [path for path in paths if path.rsplit(".", 1)[-1] in read] or list(paths)
        for together in (1, 2):
            for some in combinations(touched, together):
                before = {path: self.chosen[path] for path in some}
                for values in product(*(self._candidates(paths[path]) for path in some)):
                    self.chosen.update(zip(some, values, strict=True))
                    if self._kept(promise) and _no_worse(self, due, promise):
                        return
                self.chosen.update(before)

    def _candidates(self, kind: Any) -> Iterator[Any]:
        domain = domain_of(kind) or Domain(0, 2**64 - 1)
        seen: set[int] = set()
        bits = [part.place(1) for part in kind.layout.values()] if _is_word(kind) else []
        for value in (*bits, *self._suggested()):
            if domain.low <= value <= domain.high and value not in seen:
                seen.add(value)
                yield value

    def _suggested(self) -> Iterator[int]:
        yield from (0, 1, self.address, self.handle)
        me = self.view.caller.at(0).pid
        yield from (each.base for each in self.view.holdings if each.pid == me)
        yield from (each.number for each in self.view.numbers)
        for one in self.view.registrations:
            yield from (one.dst + value - one.src for value in _numbers(self.call))
        yield from _numbers(self.call)
        for value in _numbers(self.call):
            block = self.view.blocks.covering(value)
            if block.exists:
                yield from _numbers(block)
                yield align_up(block.size, GIB)
                yield value - block.base
            yield from _numbers(self.view.handles.at(value))
            if self.view.stream_pools.at(value).exists:
                yield from _numbers(self.view.stream_pools.at(value))
                yield bytes_in_use(self.view, value)
            if self.view.pools.at(value).exists:
                yield from _numbers(self.view.pools.at(value))
                yield used_bytes(self.view, value)
        yield from constants_of(self.rules.interface, self.profile)
        yield from (poison(32), poison(64), self.profile.host_id)
        yield len(self.view.hardware)
        yield session(self.view).current - 1
        yield from (NARROW, NARROW + 1)

    def _first(self, path: str, kind: Any) -> Any:  # noqa: PLR0911 - one line for each output
        """Return what is tried first for an output."""
        name = path.rsplit(".", 1)[-1]
        if kind is bytes:
            return self._bytes()
        if isinstance(self.call, MemManagedRangeGetAttributes):
            return attributes_told(self.call, self.view) if self.code == 0 else ArraySequence(None)
        if isinstance(self.call, ManagedGetAttrs):
            asked = asked_of_the_driver(self.call)
            return attributes_told(asked, self.view) if self.code == 0 else ArraySequence(None)
        if self.code == 0 and name in ("total", "huge_total"):
            return CAPACITY if name == "total" else 0
        if self.code == 0 and name == "free":
            device = getattr(self.call, "device", session(self.view).current - 1)
            return CAPACITY - self.held(device)
        if name == "answer":
            return self.answer
        if name.endswith(("_free", "_total")):
            return 0
        domain = domain_of(kind)
        if self.code == 0 and domain is not None and domain.role in ("address", "handle"):
            return self.address if domain.role == "address" else self.handle
        if domain is not None and domain.role == "name":
            return UNTOUCHED if self.code else self._token()
        width = 64 if domain is None or domain.high > 2**32 else 32
        return kind.from_plain(0) if _is_word(kind) else poison(width)

    def _token(self) -> int:
        """Return the token of a name that nothing has."""
        return int.from_bytes(f"model {self.address:x} {self.handle}".encode(), "little")

    def _bytes(self) -> bytes:
        """Return the bytes that an observing rule asks for; undefined ones are zero."""
        for _, extent_of in self.rules.observes:
            memory, offset, length = extent_of(self.call, self.view, None)
            data = bytearray(length)
            for part in parts(self.view.contents.rope(memory), offset, offset + length):
                data[part.start - offset : part.end - offset] = part.render()
            return bytes(data)
        return b""

    def _made(self) -> Returned:
        made: Returned = _build(self.rules.interface.result, "", self.chosen, self.code)
        return made


def _is_word(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BitWord)


def _no_worse(choice: Choice, due: Sequence[Any], promise: Any) -> bool:
    """Tell whether the promises before this one are still kept."""
    for each in due:
        if each is promise:
            return True
        if not choice._kept(each):  # noqa: SLF001 - part of the same search
            return False
    return True


def _names_in(code: CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names_in(constant)
    return names


def _paths(cls: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Iterate over the outputs of a result, members of records by their path."""
    hints = annotations_of(cls)
    for name in cls.__struct_fields__:
        if name in ("code", "given"):
            continue
        kind = hints[name]
        if isinstance(kind, type) and issubclass(kind, Record):
            yield from _paths(kind, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", kind


def _build(cls: Any, prefix: str, chosen: dict[str, Any], code: int) -> Any:
    hints = annotations_of(cls)
    values: dict[str, Any] = {}
    for name in cls.__struct_fields__:
        kind = hints[name]
        if name in ("code", "given"):
            values[name] = code if name == "code" else True
        elif isinstance(kind, type) and issubclass(kind, Record):
            values[name] = _build(kind, f"{prefix}{name}.", chosen, code)
        else:
            value = chosen[f"{prefix}{name}"]
            values[name] = (
                kind.from_plain(value) if _is_word(kind) and isinstance(value, int) else value
            )
    return cls(**values)


def _numbers(value: Any) -> Iterator[int]:
    """Iterate over the integers in a call or a row."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int):
        yield int(value)
    elif isinstance(value, BitWord):
        yield value.word
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from _numbers(getattr(value, name))
