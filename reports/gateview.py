"""What every report of a gate shows of it, computed once and without any markup."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from halcert.reports import human
from halcert.reports.escape import one_line
from halcert.results import Exit, Gate, GateItem, Standing, Waiver
from halcert.spec.profiles import PROFILES

HEADLINES = {
    Exit.OK: "Gate passed",
    Exit.VIOLATIONS: "Gate failed",
    Exit.INCOMPLETE: "Gate incomplete",
    Exit.HARNESS: "Gate not judged",
}


def headline(gate: Gate) -> str:
    """Return the verdict in two words."""
    return HEADLINES[Exit(gate.exit)]


def sentence(gate: Gate) -> str:
    """Return the verdict in one sentence."""
    reason = one_line(gate.reason)
    return reason[:1].upper() + reason[1:] + ("" if reason.endswith((".", "!", "?")) else ".")


def product(gate: Gate) -> str:
    """Return the name of the product as it is sold."""
    found = PROFILES.get(gate.profile)
    return found.title if found else one_line(gate.profile)


def build(gate: Gate) -> str:
    """Return what the build calls itself."""
    return one_line(f"{gate.implementation.name} {gate.implementation.version}")


def facts(gate: Gate) -> str:
    """Return what was run and against which baseline."""
    of = f" of {gate.written}" if gate.written else ""
    return ", ".join(
        (
            human.count(gate.calls, "judged call"),
            human.seconds(gate.seconds),
            f"baseline {one_line(gate.baseline)}{of}",
        )
    )


def counts(gate: Gate) -> str:
    """Return how many things there are of each standing: ``1 new failure, 3 known failures``."""
    found = []
    for standing in Standing:
        number = sum(item.standing is standing for item in gate.items)
        if number:
            found.append(f"{number} {standing.one if number == 1 else standing.many}")
    return ", ".join(found) or "no failures"


def title(item: GateItem) -> str:
    """Return what names an item: rule and interface."""
    return "  ".join(part for part in (item.rule, item.interface) if part)


def replay(item: GateItem, out: Path) -> str:
    """Return the command that repeats the trace of an item; empty if it has no file."""
    if not item.trace:
        return ""
    return f"halcert replay {shlex.quote(one_line(str(out / item.trace)))}"


def place_of_trace(item: GateItem, out: Path) -> str:
    """Return the path of a trace as seen from where the command was run."""
    return Path(os.path.relpath(out / item.trace)).as_posix() if item.trace else ""


def line_at_fault(item: GateItem) -> int:
    """Return the line of the trace file with the last call; the first line is the header."""
    return len(item.steps) + 1


def shares(gate: Gate) -> str:
    """Return the share of the time of each area: ``svm 20 %, vmm 60 %``."""
    return ", ".join(f"{area} {share} %" for area, share in gate.areas.items())


def waiver_text(waiver: Waiver) -> str:
    """Return what names a waiver."""
    parts = [waiver.rule, waiver.interface, waiver.shape]
    return f"{' '.join(filter(None, parts))} for {waiver.profile}, until {waiver.expires}"


def of(gate: Gate, *standings: Standing) -> Sequence[GateItem]:
    """Return the items of some standings."""
    return [item for item in gate.items if item.standing in standings]
