"""What there is to say of a rule, for the page and for ``halcert spec``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from halcert.reports.escape import one_line
from halcert.reports.rulecode import Code, code_of
from halcert.spec.abi.codes import symbol_of
from halcert.spec.abi.declarations import ALL_FUNCTIONS
from halcert.spec.catalogue import AREAS, interfaces
from halcert.spec.language import FAILURE, BitWord, Interface, Kind, Rule, Strength
from halcert.spec.language.domain import annotations_of, domain_of

REFUSALS = (Kind.REJECTS, Kind.MAY_REJECT)
MEANINGS = {
    Kind.REJECTS: "when the condition holds, the call fails",
    Kind.MAY_REJECT: "when the condition holds, the call may fail",
    Kind.ACCEPTS: "when nothing rejects the call, it succeeds with this effect",
    Kind.LEAVES: "when the call fails, this is what it leaves",
    Kind.ENSURES: "holds of the result of a call that succeeds",
    Kind.OBSERVES: "the call gives back exactly these bytes",
    Kind.UNDEFINED: "when the condition holds, nothing is promised and nothing is tried",
    Kind.UNIVERSAL: "speaks of every call; judged from several observations together",
}
"""What a kind of rule says about a call."""
STRENGTHS = {
    Strength.MUST: "documented; a certificate needs it",
    Strength.SHOULD: "observed in the public driver, or recommended",
    Strength.MAY: "a freedom that the implementation has",
    Strength.UNDEFINED: "the documents give no promise; never executed while certifying",
}
"""What a strength means."""


@dataclass(frozen=True)
class RuleText:
    """A rule as text.

    Attributes:
        id: its id.
        area: name of its area.
        interface: name of its interface; ``any`` if it speaks of all.
        purpose: what the interface is for.
        signature: the interface as C declares it; empty if the rule speaks of all.
        kind: what it says about a call, in one word.
        meaning: the same in a sentence.
        strength: MUST, SHOULD, MAY or UNDEFINED.
        summary: the rule in plain English.
        detail: the rest of its description.
        codes: the allowed return codes, in words; empty if it is not about a code.
        profiles: the products that it applies to, in words.
        changes: the tables that the effect may change.
        sources: where it comes from.
        code: its function and what the function uses.
    """

    id: str
    area: str
    interface: str
    purpose: str
    signature: str
    kind: str
    meaning: str
    strength: str
    summary: str
    detail: str
    codes: str
    profiles: str
    changes: tuple[str, ...]
    sources: tuple[str, ...]
    code: tuple[Code, ...]


def rule_text(rule: Rule) -> RuleText:
    """Return what there is to say of a rule."""
    interface = interfaces().get(rule.interface)
    return RuleText(
        id=rule.id,
        area=_areas().get(rule.id, ""),
        interface=rule.interface,
        purpose=interface.doc if interface else "",
        signature=signature(interface) if interface else "",
        kind=rule.kind.value,
        meaning=meaning(rule),
        strength=rule.strength.value,
        summary=rule.summary,
        detail=rule.detail,
        codes=codes(rule),
        profiles=", ".join(sorted(rule.profiles)) or "all",
        changes=rule.changes,
        sources=tuple(str(source) for source in rule.sources),
        code=code_of(rule),
    )


@cache
def _areas() -> dict[str, str]:
    """Return the name of the area that each rule belongs to, by its id."""
    return {rule.id: name for name, area in AREAS.items() for rule in area.rules()}


class RuleTexts(Mapping[str, RuleText]):
    """What there is to say of rules, by id.

    Each is made when it is asked for: a report speaks of the rules of its areas, and reading the
    code of all of them takes a second.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        """Remember of which rules texts can be had."""
        self._rules = {rule.id: rule for rule in rules}
        self._made: dict[str, RuleText] = {}

    def __getitem__(self, rule_id: str) -> RuleText:
        """Return what there is to say of one rule."""
        if rule_id not in self._made:
            self._made[rule_id] = rule_text(self._rules[rule_id])
        return self._made[rule_id]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids."""
        return iter(self._rules)

    def __len__(self) -> int:
        """Return the number of rules."""
        return len(self._rules)


def meaning(rule: Rule) -> str:
    """Return in a sentence what a rule says about a call."""
    if rule.kind is Kind.ENSURES and rule.on == FAILURE:
        return "holds of the result of a call that fails"
    if rule.kind is Kind.ACCEPTS and rule.choice:
        return "one of several outcomes that are allowed when nothing rejects the call"
    return MEANINGS[rule.kind]


def codes(rule: Rule) -> str:
    """Return the allowed return codes of a rule in words."""
    if rule.kind not in REFUSALS:
        return ""
    if not rule.codes:
        return "any code but success"
    names = " or ".join(f"{symbol_of(code)} ({int(code)})" for code in rule.codes)
    if rule.kind is Kind.REJECTS and rule.code_strength is not rule.strength:
        return f"{names}; the choice of the code is {rule.code_strength.value}"
    return names


def signature(interface: Interface) -> str:
    """Return an interface as C declares it, or as a program's own access is written."""
    function = ALL_FUNCTIONS.get(interface.name)
    if function is not None:
        return one_line(function.prototype)
    takes = _parameters(interface.call)
    gives = [text for text in _parameters(interface.result) if not text.startswith("code")]
    return f"{interface.name}({', '.join(takes)})" + (f" -> {', '.join(gives)}" if gives else "")


def _parameters(kind: type) -> list[str]:
    return [f"{name}: {_type_name(annotation)}" for name, annotation in _fields(kind).items()]


def _fields(kind: type) -> dict[str, Any]:
    return {n: t for n, t in annotations_of(kind).items() if n in kind.__struct_fields__}  # type: ignore[attr-defined]


def _type_name(annotation: Any) -> str:
    domain = domain_of(annotation)
    if domain is not None:
        return domain.role
    if isinstance(annotation, type) and issubclass(annotation, BitWord):
        return "flags"
    return getattr(annotation, "__name__", str(annotation))
