"""Words after which calls show slips of the pen, searched for as those after which rules decide.

A search knows rules only. So for each slip there is an interface of its own beside the right one,
in which another rule stands in place of the one with the slip: it holds where the two say
different things, and decides alone where a call shows the slip at its plainest. It accepts
nothing, so no word is made of it.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from halcert.model.proofs.mutations import compiled
from halcert.model.proofs.search import Search
from halcert.model.proofs.slips import Slip
from halcert.model.proofs.wordbook import text_of
from halcert.spec.catalogue import interfaces
from halcert.spec.language import Interface, Kind, Rule

JUDGING = (Kind.REJECTS, Kind.MAY_REJECT, Kind.UNDEFINED, Kind.ENSURES)
"""Kinds of rules of which a question is made: those that say what a call may answer."""


@dataclass(frozen=True)
class Question:
    """What a slip looks like to a search.

    Attributes:
        number: which slip of several it is.
        slip: the slip.
    """

    number: int
    slip: Slip

    @cached_property
    def rule(self) -> Rule:
        """The rule that holds where the right one and the one with the slip differ."""
        slip = self.slip
        same = slip.rule.kind is Kind.ENSURES  # which decides where it does not hold
        return replace(
            slip.rule,
            id=f"{slip.rule.id}?{self.number}",
            interface=f"{slip.rule.interface}?{self.number}",
            function=_compared(slip.rule.function, slip.changed.function, same=same),
        )

    @cached_property
    def interface(self) -> Interface:
        """The interface that has this rule in place of the right one."""
        right = interfaces()[self.slip.rule.interface]
        others = (self.rule if each.id == self.slip.rule.id else each for each in right.rules)
        rules = tuple(each for each in others if each.kind in JUDGING)
        return replace(right, name=self.rule.interface, rules=rules)

    def answered(self, search: Search) -> Iterator[Slip]:
        """Iterate over the slip with the word that a search found for it, if it found one."""
        found = search.alone.get(self.rule.id) or search.reached.get(self.rule.id)
        if found is not None and not found.word.fails:
            yield self.slip._replace(word=text_of(found.area, found.word))


def _compared(
    right: Callable[..., Any], wrong: Callable[..., Any], *, same: bool
) -> Callable[..., bool]:
    """Return a condition that holds where two say the same, or where they do not."""
    names = ", ".join(inspect.signature(right).parameters)
    sign = "==" if same else "!="
    text = f"def made({names}):\n    return (not right({names})) {sign} (not wrong({names}))\n"
    return compiled(ast.parse(text), {"right": right, "wrong": wrong}, "made")
