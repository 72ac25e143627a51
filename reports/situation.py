"""What is there before and after a call, row by row, with what has changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from halcert.reports import human
from halcert.reports.bytesview import contents
from halcert.reports.tracetext import Names
from halcert.results.story import BlockSeen, Snapshot, Story
from halcert.spec.abi.constants import VirtType
from halcert.spec.state import USER
from halcert.spec.svm.flags import GRANT, OPENED, POOL

MOST_FORMER = 6
"""Blocks that are no longer there of which the table tells: the last ones."""
UNFLAGGED = {
    USER: "the program's own",
    OPENED: "opened",
    POOL: "addresses of a pool",
    GRANT: "of a pool",
}
"""Kinds of memory that no flag of an allocation names, in words."""
NEW, GONE, BEFORE, AFTER, SAME = "+", "-", "~", ">", ""


@dataclass(frozen=True)
class Row:
    """A row of the table: what it is, and whether it has changed.

    Attributes:
        mark: how it has changed.
        what: the thing.
        values: its properties by name, as text.
    """

    mark: str
    what: str
    values: Mapping[str, str]

    def cells(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the row as cells."""
        return tuple(self.what if name == "what" else self.values.get(name, "") for name in columns)


def changes(story: Story) -> list[Row]:
    """Return what is there before and after the call in question."""
    names = Names(tuple(each.step for each in story.steps))
    before = _rows(story.before, names)
    after = _rows(story.after, names)
    rows: list[Row] = []
    for key in dict.fromkeys((*before, *after)):
        old, new = before.get(key), after.get(key)
        if old is None and new is not None:
            rows.append(Row(NEW, new.what, new.values))
        elif new is None and old is not None:
            rows.append(Row(GONE, old.what, old.values))
        elif old is not None and new is not None:
            if old.values == new.values:
                rows.append(new)
            else:
                rows += [Row(BEFORE, old.what, old.values), Row(AFTER, new.what, new.values)]
    return [*rows, *(_former(block, names) for block in story.before.former[-MOST_FORMER:])]


def _former(block: BlockSeen, names: Names) -> Row:
    values = {**_block(block), "bytes": "", "state": f"until call {block.ended}"}
    return Row(SAME, name_of(block, names), values)


def columns_of(story: Story) -> tuple[str, ...]:
    """Return the columns that some row fills."""
    rows = changes(story)
    several = len({each.values.get("process") for each in rows}) > 1
    names = ("what", "process", "range", "size", "kind", "device", "bytes", "state")
    return tuple(
        name
        for name in names
        if name == "what"
        or ((name != "process" or several) and any(r.values.get(name) for r in rows))
    )


def _rows(snapshot: Snapshot, names: Names) -> dict[tuple[Any, ...], Row]:
    found: dict[tuple[Any, ...], Row] = {}
    for table, process, columns in snapshot.rows:
        if table == "devices":
            if columns["ever"] or columns["open"]:
                state = "open" if columns["open"] else "closed"
                values = {"state": state, "process": str(process)}
                found[table, process, columns["id"]] = Row(SAME, f"device {columns['id']}", values)
        else:
            number, text = _operation(table, columns, snapshot, process, names)
            found[table, process, number] = Row(SAME, text, {"process": str(process)})
    for block in snapshot.blocks:
        key = ("block", block.process, block.base, block.origin)
        found[key] = Row(SAME, name_of(block, names), _block(block))
    return found


def name_of(block: BlockSeen, names: Names) -> str:
    """Return the name of a block, after the call that gave it."""
    if block.origin is None:
        return human.address(block.base)
    return names.of_output(block.origin.number, block.origin.field)


def _block(block: BlockSeen) -> dict[str, str]:
    size = human.size(block.size)
    if block.extent != block.size:
        size += f" in {human.size(block.extent)}"
    return {
        "process": str(block.process),
        "range": f"{block.base:#x}",
        "size": size,
        "kind": kind_of(block),
        "device": "host" if block.device is None else str(block.device),
        "bytes": contents(block.stretches, block.size),
    }


def kind_of(block: BlockSeen) -> str:
    """Return what kind of memory a block is."""
    if block.kind in UNFLAGGED:
        return UNFLAGGED[block.kind]
    try:
        return VirtType(block.kind).name.removesuffix("_VAL")
    except ValueError:
        return f"type {block.kind}"


def _operation(
    table: str, columns: Mapping[str, Any], snapshot: Snapshot, process: int, names: Names
) -> tuple[int, str]:
    """Return the key of a copy under way or of a descriptor, and what it does."""
    here = [block for block in snapshot.blocks if block.process == process]
    target = _place(columns["target"], here, names)
    source = _place(columns["source"], here, names)
    way = f"{human.size(columns['length'])} from {source} to {target}"
    if table == "copies":
        return columns["fd"], f"copy under way: {way}"
    state = ", submitted" if columns["submitted"] else ""
    return columns["id"], f"descriptor: {way}{state}"


def _place(address: int, blocks: Iterable[BlockSeen], names: Names) -> str:
    for block in blocks:
        if block.base <= address < block.base + block.extent:
            return name_of(block, names) + human.distance(address - block.base)
    return human.address(address)
