"""What is shown of the choices of an implementation: groups by topic, without any markup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from halcert.reports.ruletext import RuleText
from halcert.results import Observed, Topic

TITLES = {
    Topic.CODE: "Which code comes where several are allowed",
    Topic.FREEDOM: "Whether it refuses what the documents leave open",
    Topic.ADDRESS: "In which order addresses are given",
    Topic.REUSE: "Whether addresses of freed memory come again",
    Topic.CACHE: "Whether freed memory is kept in a cache",
}
"""What is said above the choices of each topic."""


@dataclass(frozen=True)
class ChoiceView:
    """One choice as it is shown.

    Attributes:
        about: where it was seen.
        summary: the rule in words, if it is about a single one.
        answers: what was done, and how often; the most frequent first.
    """

    about: str
    summary: str
    answers: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class ChoiceGroup:
    """The choices of one topic."""

    title: str
    observed: tuple[ChoiceView, ...]


def choices(observed: Sequence[Observed], texts: Mapping[str, RuleText]) -> tuple[ChoiceGroup, ...]:
    """Return the choices by topic."""
    groups = ((topic, [each for each in observed if each.topic is topic]) for topic in Topic)
    return tuple(
        ChoiceGroup(TITLES[topic], tuple(_shown(each, texts) for each in found))
        for topic, found in groups
        if found
    )


def _shown(observed: Observed, texts: Mapping[str, RuleText]) -> ChoiceView:
    text = texts.get(observed.about)
    answers = sorted(observed.seen.items(), key=lambda each: (-each[1], each[0]))
    return ChoiceView(observed.about, text.summary if text else "", tuple(answers))
