"""What a call of one process gives and calls of another need, and how it gets there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from halcert.reports.cprogram.expressions import Variables
from halcert.reports.references import paths
from halcert.results import TraceStep
from halcert.results.story import Demand, Formula, StoryStep
from halcert.spec.abi.parameters import NAME_SIZE


@dataclass(frozen=True)
class Crossing:
    """What a call of one process gives and calls of another need.

    Attributes:
        text: the expression for it.
        c_type: its type, or that of its elements.
        maker: the call that gives it.
        array: it is an array of the size of a name.
        within: the member of what processes share that holds it, with the dot; empty for none.
    """

    text: str
    c_type: str
    maker: TraceStep
    array: bool = False
    within: str = ""

    @property
    def name(self) -> str:
        """Its name among the things that processes share."""
        return re.sub(r"\W+", "_", self.text)

    @property
    def shared(self) -> str:
        """The expression for the copy that processes share."""
        return f"shared->{self.within}{self.name}"

    @property
    def declared(self) -> str:
        """Its name as it is declared there."""
        return f"{self.name}[{NAME_SIZE}]" if self.array else self.name

    def copied(self, target: str, source: str) -> str:
        """Return the statement that copies it."""
        if self.array:
            return f"memcpy({target}, {source}, sizeof {target});"
        return f"{target} = {source};"

    @property
    def fetched(self) -> str:
        """The statement by which a process gets it."""
        return self.copied(self.text, self.shared)

    @property
    def told(self) -> str:
        """The statement by which its maker tells it."""
        return self.copied(self.shared, self.text)


def crossings(told: Sequence[StoryStep], variables: Variables, within: str = "") -> list[Crossing]:
    """Return what crosses from one process to another among the calls of a story.

    Args:
        told: the calls.
        variables: what they give.
        within: the member of what processes share that holds it, with the dot; empty for none.
    """
    steps = {each.step.number: each.step for each in told}
    found: dict[str, Crossing] = {}
    for each in told:
        for number, path in needed(each):
            maker = steps.get(number)
            if maker is None or maker.actor == each.step.actor:
                continue
            variable = variables.of(number, path)
            c_type = variable.bytes or ("void *" if variable.pointer else "uint64_t")
            if not variable.text.startswith("&"):  # a descriptor is of use to its own process
                array = variable.bytes == "char"
                found[variable.text] = Crossing(variable.text, c_type, maker, array, within)
    return list(found.values())


def needed(each: StoryStep) -> list[tuple[int, str]]:
    """Return what a call and its checks need: numbers of calls, and paths of their outputs."""
    demand = each.demand or Demand(True, True)
    conditions = [*(promise.condition for promise in demand.promises), *demand.alike]
    found = [found for condition in conditions for found in _outputs(condition)]
    return [*paths(each.step.args), *found]


def _outputs(formula: Formula) -> list[tuple[int, str]]:
    if formula.op == "output":
        number, path = formula.args
        return [(int(number), str(path))]
    inner = (each for each in formula.args if isinstance(each, Formula))
    return [found for each in inner for found in _outputs(each)]
