"""Tables on a console: side by side where there is room, else one cell below the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

UNLIMITED = 100_000
"""Columns where nothing limits the width."""


def print_table(console: Console, table: Table, indent: int = 0) -> None:
    """Print a table of texts; where no terminal limits the width, no line is broken or padded.

    On a terminal that is too narrow for it, each row becomes a few lines: its first cell, and
    the others below with the names of their columns. A table without names is never so wide.
    """
    whole = not table.show_header or fits(console, table, indent)
    shown = Padding(table if whole else _stacked(table), (0, 0, 0, indent), expand=False)
    if console.is_terminal:
        console.print(shown)
        return
    with console.capture() as captured:
        console.print(shown, width=UNLIMITED, crop=False)
    lines = (line.rstrip() for line in captured.get().splitlines())
    console.print(Text("\n".join(lines)), soft_wrap=True, highlight=False)


def fits(console: Console, table: Table, indent: int = 0) -> bool:
    """Tell whether a table can be read with its cells side by side."""
    return not console.is_terminal or indent + _width(table) <= console.width


def _width(table: Table) -> int:
    """Return how many columns of a terminal a table needs to be read."""
    gaps = max(len(table.columns) - 1, 0) * (table.padding[1] + table.padding[3])
    return gaps + sum(map(_width_of_column, table.columns))


def _width_of_column(column: Column) -> int:
    texts = [_text(column.header), *map(_text, column.cells)]
    if column.no_wrap:
        parts = [line for text in texts for line in text.plain.splitlines()]
    else:
        parts = [word for text in texts for word in text.plain.split()]
    return max([column.min_width or 0, *map(cell_len, parts)])


def _text(cell: object) -> Text:
    return cell if isinstance(cell, Text) else Text(str(cell))


def _stacked(table: Table) -> Group:
    """Return the rows of a table, with a line for each cell."""
    names = [_text(column.header).plain for column in table.columns[1:]]
    rows = zip(*(map(_text, column.cells) for column in table.columns), strict=True)
    return Group(*(part for row in rows for part in _lines(names, row)))


def _lines(names: Sequence[str], row: Sequence[Text]) -> Iterator[Text | Table]:
    yield row[0]
    lines = Table.grid(padding=(0, 1, 0, 0))
    lines.add_column(style="bright_black", no_wrap=True, width=2 + max(map(len, names)))
    lines.add_column(overflow="fold")
    for name, cell in zip(names, row[1:], strict=True):
        if cell.plain:
            lines.add_row(f"  {name}", cell)
    yield lines
