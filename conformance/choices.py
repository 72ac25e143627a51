"""What an implementation chose where the rules leave it free; nothing of it is right or wrong.

A user of an interface comes to depend on such choices, so the certificate names them: which
code comes where several would do, whether something that may be refused is refused, in which
order addresses are given and whether those of freed memory come again, what is kept in a cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from halcert.conformance.accounts import HBM_SIZE, Accounts
from halcert.model.concrete import Judgement
from halcert.model.concrete.compiled import Compiled
from halcert.results import Topic
from halcert.spec.abi.codes import DrvError, symbol_of
from halcert.spec.abi.constants import AllocFlag, FlagBit, VirtType
from halcert.spec.language import Call, Returned, Rule
from halcert.spec.state import State
from halcert.spec.svm.alloc import MemAlloc
from halcert.spec.svm.free import MemFree
from halcert.spec.svm.info import MemGetInfo
from halcert.spec.vmm.addresses import MemAddressFree
from halcert.spec.vmm.reserve import MemAddressReserve

KINDS = {
    kind.value: AllocFlag(kind << FlagBit.MEM_VIRT_BIT).name
    for kind in VirtType
    if kind is not VirtType.MEM_MAX_VAL
}
"""The kinds of memory, as the header names them."""


class Choice(NamedTuple):
    """One choice, seen once.

    Attributes:
        topic: what it is about.
        about: where: rules, or an interface and a kind of memory.
        answer: what the implementation did.
    """

    topic: Topic
    about: str
    answer: str


class Given(NamedTuple):
    """Addresses that calls of one kind gave: the last fresh one, and the freed ones by size."""

    last: dict[tuple[int, str], int]
    freed: dict[tuple[int, str, int], set[int]]


class Choices:
    """Follows the calls of one experiment."""

    def __init__(self) -> None:
        """Start with nothing seen."""
        self._given = Given({}, {})

    def after(
        self, call: Call, result: Returned, before: State, process: int = 0
    ) -> Iterator[Choice]:
        """Follow a successful call that gives addresses or takes them back."""
        what, base = _given(call, result)
        if what:
            yield from self._placed(what, base, int(getattr(call, "size", 0)), process)
        elif isinstance(call, MemFree):
            block: Any = before.blocks.at(call.pp)
            kind = KINDS.get(block.kind, "") if block.exists else ""
            self._back(f"halMemAlloc of {kind}", block.size, call.pp, process)
        elif isinstance(call, MemAddressFree):
            found: Any = before.reservations.at(call.ptr)
            if found.exists:
                self._back("halMemAddressReserve", found.extent, call.ptr, process)

    def _placed(self, what: str, base: int, size: int, process: int) -> Iterator[Choice]:
        freed = self._given.freed.get((process, what, size), set())
        if freed:
            again = base in freed
            freed.discard(base)
            answer = "the address of freed memory comes again" if again else "a fresh address comes"
            yield Choice(Topic.REUSE, what, answer)
            if again:
                return
        last = self._given.last.get((process, what))
        self._given.last[process, what] = base
        if last is not None:
            answer = "above the one before" if base > last else "below the one before"
            yield Choice(Topic.ADDRESS, what, answer)

    def _back(self, what: str, size: int, base: int, process: int) -> None:
        self._given.freed.setdefault((process, what, size), set()).add(base)


def _given(call: Call, result: Returned) -> tuple[str, int]:
    """Return what kind of address a call gave, and the address; nothing if it gave none."""
    outputs: Any = result
    if result.code != 0:
        return "", 0
    if isinstance(call, MemAlloc):
        return f"halMemAlloc of {KINDS.get(call.flag.virt, '')}", int(outputs.pp)
    if isinstance(call, MemAddressReserve) and call.addr == 0:
        return "halMemAddressReserve", int(outputs.ptr)
    return "", 0


def of_codes(held: Sequence[Rule], code: int) -> Iterator[Choice]:
    """Say which code came where the rules that held allow several."""
    allowed = {each for rule in held for each in rule.codes}
    if held and (len(allowed) != 1 or not all(rule.codes for rule in held)):
        yield Choice(Topic.CODE, " ".join(rule.id for rule in held), symbol_of(code))


def of_freedoms(
    rules: Compiled, call: Call, result: Returned, before: State, judgement: Judgement
) -> Iterator[Choice]:
    """Say whether what may be refused was refused; running out of memory is no choice."""
    if judgement.violation is not None or judgement.held:
        return
    refused = f"refused with {symbol_of(result.code)}"
    for rule in rules.permitting(call, before):
        if rule.codes == (DrvError.OUT_OF_MEMORY,):
            continue
        if result.code == 0:
            yield Choice(Topic.FREEDOM, rule.id, "accepted")
        elif rule.id in judgement.shown:
            yield Choice(Topic.FREEDOM, rule.id, refused)


def of_caches(
    call: Call, result: Returned, accounts: Accounts, views: Sequence[State]
) -> Iterator[Choice]:
    """Say whether the memory of freed blocks is free again, when a device tells what is free."""
    if not isinstance(call, MemGetInfo) or call.type != HBM_SIZE or result.code != 0:
        return
    info: Any = result
    kept = accounts.kept_back(call.device, int(info.info.free + info.info.huge_free), views)
    if kept is not None:
        answer = "some of it is kept" if kept else "all of it is free again"
        yield Choice(Topic.CACHE, "device memory of freed blocks", answer)
