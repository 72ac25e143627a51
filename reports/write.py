"""Writing everything that a run leaves behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from halcert.reports.attest import envelope_json
from halcert.reports.junit import junit_xml
from halcert.reports.machine import certificate_json, stable_json
from halcert.reports.markdown import gate_markdown
from halcert.reports.page import page
from halcert.reports.picture import picture
from halcert.reports.sarif import gate_sarif
from halcert.reports.schemas import certificate_schema, text_of
from halcert.reports.view import Cause
from halcert.results import Certificate, Gate, ProofNote, ProofsError, read_proofs
from halcert.results.attestation import FILE_NAME as SEALED
from halcert.results.proof import FILE_NAME
from halcert.results.story import Story
from halcert.spec.statements import sentences_by_rule

CERTIFICATE = "certificate.json"
SCHEMA = "certificate.schema.json"
JUNIT = "junit.xml"
PAGE = "index.html"
GATE = "gate.json"
SARIF = "gate.sarif"
MARKDOWN = "gate.md"


def write_reports(
    certificate: Certificate,
    out: Path,
    *,
    proofs: Mapping[str, ProofNote] | None = None,
    statements: Mapping[str, Sequence[str]] | None = None,
    stories: Mapping[Cause, Story] | None = None,
    gate: Gate | None = None,
    key: Ed25519PrivateKey | None = None,
) -> list[Path]:
    """Write certificate, envelope, schema, JUnit XML and page, and return their paths.

    Args:
        certificate: the result of the run.
        out: the output folder; made if it does not exist.
        proofs: what was proved, by rule id; read from ``proofs.json`` in the folder if None.
        statements: what the documents say, by rule id; those of the spec if None.
        stories: the stories of findings, for pictures, by rule, interface and shape.
        gate: what a gate says of the run; its files are written, too, and JUnit XML follows it.
        key: signs the certificate; None leaves it unsigned.

    Raises:
        OSError: a file cannot be written.
    """
    notices: list[str] = []
    if statements is None:
        statements = sentences_by_rule()
    if proofs is None:
        proofs, notices = _proofs_beside(out)
    pictures = {cause: picture(story) for cause, story in (stories or {}).items()}
    html = page(
        certificate,
        out=out,
        proofs=proofs,
        statements=statements,
        notices=notices,
        pictures=pictures,
    )
    contents = {
        CERTIFICATE: certificate_json(certificate),
        SEALED: envelope_json(certificate, key),
        SCHEMA: text_of(certificate_schema()).encode(),
        JUNIT: junit_xml(certificate, gate),
        PAGE: html.encode(),
        **(_of_gate(gate, out) if gate is not None else {}),
    }
    out.mkdir(parents=True, exist_ok=True)
    return [written(out / name, content) for name, content in contents.items()]


def _of_gate(gate: Gate, out: Path) -> dict[str, bytes]:
    return {
        GATE: stable_json(gate),
        SARIF: gate_sarif(gate, out),
        MARKDOWN: gate_markdown(gate, out).encode("utf-8", "backslashreplace"),
    }


def written(path: Path, content: bytes) -> Path:
    """Write a file so that a reader sees the old one or the new one, never half of it."""
    half = path.with_name(path.name + ".part")
    half.write_bytes(content)
    half.replace(path)
    return path


def _proofs_beside(out: Path) -> tuple[Mapping[str, ProofNote], list[str]]:
    path = out / FILE_NAME
    if not path.exists():
        return {}, []
    try:
        return read_proofs(path), []
    except ProofsError as error:
        return {}, [f"The proofs are not shown: {error}"]
