"""A picture of memory around a call: which ranges of addresses are whose, before and after.

Addresses are far apart and blocks differ by orders of magnitude, so the axis is not to scale:
every range between two ends gets a width that grows slowly with its length, and stretches of
nothing are narrow. Colours come from the page, so that they fit its light and its dark form.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from math import log2

from halcert.reports import human
from halcert.reports.references import paths
from halcert.reports.situation import kind_of, name_of
from halcert.reports.tracetext import Names, types_of
from halcert.results.story import BlockSeen, Story
from halcert.spec.language.domain import domain_of
from halcert.spec.state import USER

WIDTH = 1000
LEFT = 92
"""Where the axis begins; the names of processes stand in front of it."""
LANE = 46
BOX = 34
HEAD = 24
FOOT = 28
MARKS = 20
GAP = 26
"""Width of a stretch of nothing."""
MOST = 12
"""Blocks that a picture shows."""
MOST_STRETCHED = 4.0
"""How much wider than need be a picture of few blocks becomes."""
LETTER = 6.6
"""Width of a letter, roughly."""


@dataclass(frozen=True)
class _Axis:
    """Where addresses stand in the picture."""

    places: tuple[int, ...]
    edges: tuple[float, ...]

    def at(self, address: int) -> float:
        for place, start in enumerate(self.places[:-1]):
            end = self.places[place + 1]
            if start <= address <= end:
                share = (address - start) / (end - start)
                return self.edges[place] + share * (self.edges[place + 1] - self.edges[place])
        return self.edges[-1]


def picture(story: Story | None) -> str:
    """Return the picture as inline SVG; empty if there is nothing to show."""
    if story is None:
        return ""
    painter = _Painter(story)
    return painter.svg() if painter.blocks else ""


class _Painter:
    def __init__(self, story: Story) -> None:
        self._story = story
        self._names = Names(tuple(each.step for each in story.steps))
        self._step = next((e.step for e in story.steps if e.step.number == story.focus), None)
        self._meant = self._pointers()
        before, after = set(map(_key, story.before.blocks)), set(map(_key, story.after.blocks))
        self._new, self._gone = after - before, before - after
        every = {
            _key(block): block
            for part in (story.before, story.after)
            for block in (*part.blocks, *part.former)
        }
        self.blocks = self._chosen(list(every.values()))
        shown = {_key(block) for block in self.blocks}
        self._before = [b for b in story.before.blocks if _key(b) in shown]
        self._after = [b for b in story.after.blocks if _key(b) in shown]
        self._ghosts_before = [b for b in story.before.former if _key(b) in shown]
        self._ghosts_after = [b for b in story.after.former if _key(b) in shown]
        self._left_out = len(every) - len(shown)
        self._processes = sorted({block.process for block in self.blocks})
        if self.blocks:
            self._left = LEFT if len(self._processes) > 1 else 1
            self._axis = _axis(self.blocks, self._left)

    def _chosen(self, blocks: Sequence[BlockSeen]) -> list[BlockSeen]:
        """Return the blocks to show: those that the call is about first, then their neighbours."""

        def weight(block: BlockSeen) -> tuple[bool, bool]:
            changed = _key(block) in self._new | self._gone
            wrong = self._story.broken is not None and block.origin == self._story.broken.block
            meant = block.origin is not None and block.origin.number in self._meant.values()
            clashes = any(_clash(block, other) for other in blocks if other is not block)
            return (not (changed or wrong or meant or clashes), block.kind == USER)

        return sorted(sorted(blocks, key=weight)[:MOST], key=lambda block: block.base)

    def _pointers(self) -> dict[str, int]:
        """Return the parameters of the call that refer to what earlier calls gave."""
        if self._step is None:
            return {}
        return {name: n for name, each in self._step.args.items() for n, _ in paths(each)}

    # ----------------------------------------------------------------------------------- drawing

    def svg(self) -> str:
        lanes = len(self._processes)
        extra = {True: self._stack(self._before), False: self._stack(self._after)}
        heights = [HEAD + LANE * (lanes + extra[which]) for which in (True, False)]
        marks = self._marks()
        total = sum(heights) + (MARKS if marks else 0) + FOOT + 6
        top = 0.0
        parts: list[str] = []
        if self._left_out:
            more = human.count(self._left_out, "more block")
            parts.append(
                f'<text class="scale" x="{WIDTH}" y="16" text-anchor="end">and {more}</text>'
            )
        for which, title in ((True, "before"), (False, "after")):
            blocks = self._before if which else self._after
            parts += self._panel(f"{title} call {self._story.focus}", blocks, top, before=which)
            top += heights[0 if which else 1]
            if which and marks:
                parts += self._pointed(marks, top)
                top += MARKS
        parts += self._scale(top)
        label = escape(f"memory before and after call {self._story.focus}")
        return (
            f'<svg class="memory" viewBox="0 0 {WIDTH} {total:.0f}" role="img" '
            f'aria-label="{label}">{"".join(parts)}</svg>'
        )

    def _stack(self, blocks: Sequence[BlockSeen]) -> int:
        """Return how many lanes more than one for each process are needed for blocks that clash."""
        return sum(max(self._levels(blocks, p).values(), default=0) for p in self._processes)

    @staticmethod
    def _levels(blocks: Iterable[BlockSeen], process: int) -> dict[int, int]:
        """Return the lane of each block of a process; blocks that share bytes lie in several."""
        levels: dict[int, int] = {}
        ends: list[int] = []
        for block in sorted((b for b in blocks if b.process == process), key=lambda b: b.base):
            level = next((i for i, end in enumerate(ends) if end <= block.base), len(ends))
            ends[level : level + 1] = [block.base + block.extent]
            levels[id(block)] = level
        return levels

    def _panel(
        self, title: str, blocks: Sequence[BlockSeen], top: float, *, before: bool
    ) -> list[str]:
        parts = [f'<text class="head" x="0" y="{top + 16:.0f}">{escape(title)}</text>']
        y = top + HEAD
        for process in self._processes:
            levels = self._levels(blocks, process)
            deep = max(levels.values(), default=0) + 1
            if len(self._processes) > 1:
                parts.append(f'<text class="who" x="0" y="{y + 21:.0f}">process {process}</text>')
            for level in range(deep):
                line = y + level * LANE + BOX
                parts.append(
                    f'<line class="axis" x1="{self._left}" x2="{WIDTH}" y1="{line}" y2="{line}"/>'
                )
            for block in blocks:
                if block.process == process:
                    clash = any(_clash(block, other) for other in blocks if other is not block)
                    parts.append(self._box(block, y + levels[id(block)] * LANE, before, clash))
            ghosts = self._ghosts_before if before else self._ghosts_after
            parts += [self._ghost(block, y) for block in ghosts if block.process == process]
            y += deep * LANE
        return parts

    def _box(self, block: BlockSeen, y: float, before: bool, clash: bool) -> str:
        left = self._axis.at(block.base)
        width = max(self._axis.at(block.base + block.extent) - left, 3)
        inner = max(self._axis.at(block.base + block.size) - left, 2)
        name = name_of(block, self._names)
        kind = kind_of(block)
        place = "host" if block.device is None else f"device {block.device}"
        state = " clash" if clash else " new" if not before and _key(block) in self._new else ""
        told = (
            f"{name}: {human.size(block.size)} at {block.base:#x}, {kind}, {place}, "
            f"process {block.process}"
        )
        parts = [
            f"<title>{escape(told)}</title>",
            f'<rect class="rest" x="{left:.1f}" y="{y:.0f}" width="{width:.1f}" height="{BOX}"/>',
            f'<rect class="block" x="{left:.1f}" y="{y:.0f}" width="{inner:.1f}" height="{BOX}"/>',
            *self._words(
                left, width, y, (name, f"{human.size(block.size)}, {_short(kind, place)}")
            ),
            *(() if before else self._wrong(block, left, inner, y)),
        ]
        return f'<g class="{_owner(block)}{state}">{"".join(parts)}</g>'

    @staticmethod
    def _words(left: float, width: float, y: float, lines: tuple[str, str]) -> list[str]:
        parts = []
        for place, text in enumerate(lines):
            room = int((width - 6) / LETTER)
            if len(text) > room:
                text = text.split(",")[0]  # noqa: PLW2901 - the kind is in the title as well
            if len(text) <= room:
                parts.append(
                    f'<text x="{left + 4:.1f}" y="{y + 14 + 14 * place:.0f}"'
                    f"{' class=' + chr(34) + 'name' + chr(34) if not place else ''}>"
                    f"{escape(text)}</text>"
                )
        return parts

    def _wrong(self, block: BlockSeen, left: float, width: float, y: float) -> list[str]:
        verdict = self._story.broken
        if verdict is None or verdict.block is None or block.origin != verdict.block:
            return []
        x = left + width * min(verdict.byte / max(block.size, 1), 1.0)
        text = f"byte {verdict.byte} is wrong"
        late = x + len(text) * LETTER > WIDTH - 4
        place = f'x="{x - 4 if late else x + 4:.1f}" y="{y + BOX + 10:.0f}"{_anchor(late)}'
        line = f'x1="{x:.1f}" x2="{x:.1f}" y1="{y - 4:.0f}" y2="{y + BOX + 4:.0f}"'
        return [f'<line class="wrong" {line}/>', f'<text class="wrong" {place}>{text}</text>']

    def _ghost(self, block: BlockSeen, y: float) -> str:
        left = self._axis.at(block.base)
        width = max(self._axis.at(block.base + block.extent) - left, 3)
        name = name_of(block, self._names)
        text = self._words(left, width, y, (name, f"until call {block.ended}"))
        return (
            f'<g class="gone"><rect x="{left:.1f}" y="{y:.0f}" width="{width:.1f}" '
            f'height="{BOX}"/>{"".join(text)}</g>'
        )

    # ------------------------------------------------------------------------- marks and the axis

    def _marks(self) -> list[tuple[str, int]]:
        """Return the addresses that the call was given, by parameter."""
        if self._step is None:
            return []
        low, high = self._axis.places[0], self._axis.places[-1]
        kinds = types_of(self._step.interface).arguments
        found: dict[int, list[str]] = {}
        for name, value in self._step.values.items():
            domain = domain_of(kinds.get(name))
            address = domain is not None and domain.role == "address"
            if address and isinstance(value, int) and low <= value <= high:
                found.setdefault(value, []).append(name)
        return [(", ".join(names), value) for value, names in sorted(found.items())]

    def _pointed(self, marks: Sequence[tuple[str, int]], top: float) -> list[str]:
        parts = []
        for name, address in marks:
            x = self._axis.at(address)
            late = x + len(name) * LETTER > WIDTH - LETTER
            place = f'x="{x - 6 if late else x + 6:.1f}" y="{top + 1:.0f}"{_anchor(late)}'
            parts += [
                f'<path class="mark" d="M{x:.1f} {top - 10:.0f}l-4 8h8z"/>',
                f'<text class="mark" {place}>{escape(name)}</text>',
            ]
        return parts

    def _scale(self, top: float) -> list[str]:
        """Write the addresses where blocks begin, as far as there is room."""
        parts = []
        free = 0.0
        for block in self.blocks:
            x = self._axis.at(block.base)
            text = f"{block.base:#x}"
            width = len(text) * LETTER
            if x >= free and x + width <= WIDTH:
                parts.append(f'<text class="scale" x="{x:.1f}" y="{top + 18:.0f}">{text}</text>')
                free = x + width + 8
        return parts


def _anchor(late: bool) -> str:
    """Return where a text ends that would not fit behind its place."""
    return ' text-anchor="end"' if late else ""


def _key(block: BlockSeen) -> tuple[int, int, object]:
    return block.process, block.base, block.origin


def _clash(one: BlockSeen, other: BlockSeen) -> bool:
    """Tell whether two blocks of one process share bytes."""
    return (
        one.process == other.process
        and one.base < other.base + other.extent
        and other.base < one.base + one.extent
    )


def _owner(block: BlockSeen) -> str:
    if block.kind == USER:
        return "user"
    return "host" if block.device is None else "device"


def _size(value: int) -> str:
    return human.count(value, "byte") if value < 1024 else human.size(value)  # noqa: PLR2004 - small


def _short(kind: str, place: str) -> str:
    return kind if place == "host" else f"{kind} {place}"


def _axis(blocks: Sequence[BlockSeen], left: float) -> _Axis:
    ends = {end for b in blocks for end in (b.base, b.base + b.size, b.base + b.extent)}
    places = sorted(ends)
    widths = []
    for start, end in pairwise(places):
        covered = any(b.base <= start < b.base + b.extent for b in blocks)
        tail = any(b.base + b.size <= start < b.base + b.extent for b in blocks)
        widths.append(GAP if not covered else GAP * 2 if tail else 60 + 6 * log2(end - start))
    share = min((WIDTH - left - 1) / max(sum(widths), 1), MOST_STRETCHED)
    edges = [left]
    for width in widths:
        edges.append(edges[-1] + width * share)
    return _Axis(tuple(places), tuple(edges))
