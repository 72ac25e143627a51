"""The page: one HTML file that holds everything and asks nothing of the network."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from halcert.reports import human, view
from halcert.reports.choices import choices
from halcert.reports.escape import one_line, printable
from halcert.reports.rulecode import highlighted
from halcert.reports.ruletext import STRENGTHS, RuleTexts
from halcert.results import Certificate, ProofNote
from halcert.spec.catalogue import rules as all_rules
from halcert.spec.language.interface import RULE_ID

TEMPLATE = "page.html.j2"
_NAME = re.compile(r"``([^`]+)``")


def page(
    certificate: Certificate,
    *,
    out: Path | None = None,
    proofs: Mapping[str, ProofNote] | None = None,
    statements: Mapping[str, Sequence[str]] | None = None,
    notices: Sequence[str] = (),
    pictures: Mapping[view.Cause, str] | None = None,
) -> str:
    """Return the page of a certificate.

    Args:
        certificate: the certificate.
        out: the output folder, as commands name it; None if it is not known.
        proofs: what was proved, by rule id.
        statements: what the documents say, in their words, by rule id.
        notices: what the reader should know of the page itself.
        pictures: pictures of findings as SVG, by rule, interface and shape.
    """
    texts = RuleTexts(all_rules())
    findings = view.findings(certificate, texts, out, pictures or {})
    rules = view.rules(certificate, findings, texts, proofs or {}, statements or {})
    environment, css, script = _environment(), _asset("page.css"), _asset("page.js")
    return environment.get_template(TEMPLATE).render(
        certificate=certificate,
        headline=view.headline(certificate),
        sentence=view.sentence(certificate),
        tone=view.tone(certificate),
        facts=facts(certificate),
        machine=sorted(certificate.machine.items()),
        areas=view.areas(certificate),
        findings=findings,
        rules=rules,
        ids={rule.result.id for rule in rules},
        choices=choices(certificate.choices, texts),
        proved=bool(proofs),
        verdicts=view.tally(
            (rule.result.verdict.value for rule in rules), [each.value for each in view.ORDER[::-1]]
        ),
        strengths=view.tally((rule.result.strength for rule in rules), view.STRENGTHS),
        interfaces=view.tally((rule.result.interface for rule in rules), ()),
        legend=[(each.value, view.TONES[each]) for each in view.ORDER],
        meanings={strength.value: text for strength, text in STRENGTHS.items()},
        tests=view.tests(certificate),
        outcomes=view.tally((test.outcome for test in certificate.tests), view.OUTCOMES),
        notices=notices,
        css=css,
        script=script,
        script_hash=_hash(script),
    )


def facts(certificate: Certificate) -> tuple[tuple[str, str], ...]:
    """Return what was run on what, as names and values; empty values are left out."""
    implementation = certificate.implementation
    devices = ", ".join(map(str, implementation.devices))
    spec = certificate.spec
    pairs = (
        ("implementation", implementation.name),
        ("version", implementation.version),
        ("library", implementation.path),
        ("sha256", implementation.sha256),
        ("adapter", implementation.adapter),
        ("devices", devices),
        ("lacks", ", ".join(implementation.missing)),
        ("profile", f"{certificate.profile} ({view.product(certificate)})"),
        ("seed", str(certificate.seed)),
        ("started", certificate.started),
        ("took", f"{human.seconds(certificate.seconds)} of {human.seconds(certificate.budget)}"),
        ("judged calls", f"{certificate.calls:,}"),
        ("not made, undefined", f"{certificate.skipped:,}" if certificate.skipped else ""),
        ("halcert", f"{certificate.halcert}, specification {spec[:16]}" if spec else ""),
    )
    return tuple((name, value) for name, value in pairs if value)


def _hash(script: str) -> str:
    """Return what the content security policy says of the one script that may run."""
    digest = hashlib.sha256(script.encode()).digest()
    return "sha256-" + base64.b64encode(digest).decode()


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("halcert.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalized,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["linked"] = linked
    environment.filters["prose"] = prose
    environment.filters["seconds"] = human.seconds
    environment.filters["line"] = one_line
    environment.filters["code"] = highlighted
    return environment


def prose(text: str) -> str:
    """Return a sentence of the specification as HTML, with ``names`` in the type of code."""
    return _NAME.sub(r"<code>\1</code>", escape(printable(text)))


def linked(text: str, ids: Collection[str]) -> str:
    """Return text as HTML in which the ids of rules lead to the rules."""

    def link(match: re.Match[str]) -> str:
        return f'<a href="#{match[0]}">{match[0]}</a>' if match[0] in ids else match[0]

    return RULE_ID.sub(link, escape(printable(text)))


def _finalized(value: Any) -> Any:
    """Make everything that a template prints fit to be shown; markup is our own."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return printable(value)
    return value


@cache
def _asset(name: str) -> str:
    source, _, _ = PackageLoader("halcert.reports").get_source(Environment(autoescape=True), name)
    return source.strip() + "\n"
