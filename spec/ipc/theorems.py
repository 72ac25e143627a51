"""What follows from the rules of the area for every state and call: the safety it promises.

How a theorem is stated is told in ``spec/svm/theorems.py``.
"""

from __future__ import annotations

from typing import Any

from halcert.spec.ipc.keys import IpcMemClose, IpcMemGetExportKey, IpcMemImportByKey
from halcert.spec.language import Address, Call, Size, Source, Theorem
from halcert.spec.runtime.memory import KEYS
from halcert.spec.sharing.memory import me
from halcert.spec.sharing.permit import find
from halcert.spec.sharing.theorems import is_let_in
from halcert.spec.sources import SENSE
from halcert.spec.state import State
from halcert.spec.svm.flags import OPENED


def _only_who_may_opens(call: IpcMemImportByKey, before: State, after: State) -> bool:
    share = find(before, call.key)
    return share.valid and is_let_in(before, after, share)


def _opened_memory_is_the_makers(call: IpcMemImportByKey, before: State, after: State) -> bool:
    share = find(before, call.key)
    return after.blocks.any(
        lambda block: (
            block.kind == OPENED and block.handle == share.id and block.memory == share.memory
        )
    )


def _closed_leads_nowhere(call: IpcMemClose, before: State, after: State, address: Address) -> bool:
    block = before.blocks.covering(address)
    closed = block.kind == OPENED and block.handle == find(before, call.key).id
    return not closed or not after.blocks.covering(address).exists


def _own_memory_stays(before: State, after: State, address: Address) -> bool:
    was, now = before.blocks.covering(address), after.blocks.covering(address)
    kept = now.exists and now.base == was.base and now.memory == was.memory
    return not was.exists or was.kind == OPENED or kept


def _no_byte_changes(before: State, after: State, memory: Size, offset: Size) -> bool:
    same: bool = before.contents.byte(memory, offset) == after.contents.byte(memory, offset)
    return same


def _others_keep_what_they_hold(before: State, after: State) -> bool:
    return before.holdings.all(
        lambda each: each.pid == me(before) or after.holdings.at(each.place).exists
    )


def _closed_keys_open_nothing(call: IpcMemClose, before: State, after: State) -> bool:
    was = find(before, call.key)
    return was.owner != me(before) or not find(after, call.key).valid


def _theorem(number: str, summary: str, source: Source, prove: Any, *calls: type[Call]) -> Theorem:
    names = tuple(call.interface.name for call in calls)
    return Theorem(f"IPC-THM-{number}", summary, source, names, prove)


ALL = (IpcMemGetExportKey, IpcMemImportByKey, IpcMemClose)

THEOREMS = (
    _theorem("001", "Only who may opens a key.", KEYS, _only_who_may_opens, IpcMemImportByKey),
    _theorem(
        "002",
        "What was opened by a key is the memory that the key was made for.",
        KEYS,
        _opened_memory_is_the_makers,
        IpcMemImportByKey,
    ),
    _theorem(
        "003",
        "Addresses that were closed lead nowhere.",
        KEYS,
        _closed_leads_nowhere,
        IpcMemClose,
    ),
    _theorem(
        "004", "Keys come and go; a process keeps its memory.", SENSE, _own_memory_stays, *ALL
    ),
    _theorem("005", "Keys change no byte.", SENSE, _no_byte_changes, *ALL),
    _theorem(
        "006",
        "What a process does with keys takes nothing from another that has them open.",
        KEYS,
        _others_keep_what_they_hold,
        *ALL,
    ),
    _theorem(
        "007",
        "A key that its maker closed opens nothing any more.",
        KEYS,
        _closed_keys_open_nothing,
        IpcMemClose,
    ),
)
