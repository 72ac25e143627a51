"""The words of a verdict and the exit codes of the commands."""

from __future__ import annotations

from enum import Enum, IntEnum


class Verdict(Enum):
    """What a run says of a rule."""

    CONFORMS = "conforms"
    """Exercised, and every result was allowed."""
    VIOLATES = "violates"
    """Some result was not allowed."""
    CRASHED = "crashed"
    """The implementation died in a call that the rule speaks of."""
    HUNG = "hung"
    """The implementation did not answer in time."""
    FLAKY = "flaky"
    """A violation that did not come again when its trace was repeated."""
    UNSUPPORTED = "unsupported"
    """The profile makes it optional, and the implementation says so consistently."""
    NOT_EXERCISED = "not exercised"
    """Nothing that the run did shows the rule."""
    HARNESS_ERROR = "harness error"
    """The suite or the adapter failed, not the implementation."""


BROKEN = (Verdict.VIOLATES, Verdict.CRASHED, Verdict.HUNG)
"""Verdicts that are the implementation's fault."""
UNSHOWN = (Verdict.NOT_EXERCISED, Verdict.UNSUPPORTED)
"""Verdicts of rules that a run does not show."""
SHAPES = (
    "accepted",
    "refused",
    "code",
    "promise",
    "content",
    "account",
    "order",
    "crashed",
    "hung",
    "garbled",
    "missing",
)
"""Ways in which a rule can be broken; docs/formats.md tells what each means."""


class CutShort(Enum):
    """Why a run ended before every test was made."""

    INTERRUPTED = "interrupted"
    """The user ended it."""
    BUDGET = "budget used up"
    """Its time was over."""
    KILLED = "processes killed"
    """Processes of the suite were killed again and again."""

    def sentence(self, budget: float) -> str:
        """Return it as a sentence.

        Args:
            budget: seconds that the run was given.
        """
        return {
            CutShort.INTERRUPTED: "the run was interrupted",
            CutShort.BUDGET: f"the budget of {budget:g} s was used up",
            CutShort.KILLED: "processes of the suite were killed again and again",
        }[self]


class Exit(IntEnum):
    """Exit codes of the commands."""

    OK = 0
    """Certified, gate passed, every obligation settled."""
    VIOLATIONS = 1
    """Violations were found, or the gate failed."""
    USAGE = 2
    """Wrong usage or configuration."""
    INCOMPLETE = 3
    """Some MUST rule was not exercised, the budget ran out, or a trace could not be tried."""
    NOT_STARTED = 4
    """The implementation could not be started."""
    HARNESS = 5
    """The suite or the adapter failed."""
    CHANGED = 6
    """A trace was repeated and shows another fault than it did."""
