"""From a certificate to the statement that is handed on."""

from __future__ import annotations

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from halcert.reports.dsse import enveloped
from halcert.reports.escape import encodable
from halcert.results import Certificate, Verdict
from halcert.results.attestation import PAYLOAD, Resource, Statement, TestOutcome
from halcert.results.verdict import BROKEN
from halcert.results.weight import stands_against

PASSED, WARNED, FAILED = "PASSED", "WARNED", "FAILED"
TROUBLED = (*BROKEN, Verdict.FLAKY)


def statement_of(certificate: Certificate) -> Statement:
    """Return what a certificate says, as in-toto puts it."""
    rules = certificate.rules
    passed = tuple(rule.id for rule in rules if rule.verdict is Verdict.CONFORMS)
    failed = tuple(rule.id for rule in rules if stands_against(rule))
    warned = tuple(
        rule.id for rule in rules if rule.verdict in TROUBLED and not stands_against(rule)
    )
    return Statement(
        subject=(_subject(certificate),),
        predicate=TestOutcome(
            result=(WARNED if warned else PASSED) if certificate.certified else FAILED,
            configuration=_configuration(certificate),
            passed_tests=passed,
            warned_tests=warned,
            failed_tests=failed,
            halcert_certificate=certificate,
        ),
    )


def _subject(certificate: Certificate) -> Resource:
    tested = certificate.implementation
    # What has no file is the model itself, and that is the specification.
    digest = {"sha256": tested.sha256 or certificate.spec}
    notes = {"path": tested.path, "version": tested.version, "adapter": tested.adapter}
    return Resource(tested.name, digest, {name: text for name, text in notes.items() if text})


def _configuration(certificate: Certificate) -> tuple[Resource, ...]:
    run = {
        "profile": certificate.profile,
        "seed": str(certificate.seed),
        "budget": f"{certificate.budget:g}",
        "command": certificate.command,
    }
    return (
        Resource("halcert specification", {"sha256": certificate.spec}),
        Resource("halcert", annotations={"version": certificate.halcert}),
        Resource("run", annotations=run),
    )


def payload_of(statement: Statement) -> bytes:
    """Return a statement as the bytes that are signed: equal statements give equal bytes."""
    try:
        return msgspec.json.encode(statement, order="deterministic")
    except UnicodeEncodeError:
        return msgspec.json.encode(encodable(statement), order="deterministic")


def envelope_json(certificate: Certificate, key: Ed25519PrivateKey | None = None) -> bytes:
    """Return a certificate as a DSSE envelope, signed if there is a key."""
    envelope = enveloped(payload_of(statement_of(certificate)), PAYLOAD, key)
    return msgspec.json.format(msgspec.json.encode(envelope), indent=2) + b"\n"
