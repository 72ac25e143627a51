"""JSON Schemas of everything that is written as JSON, derived from the result types.

``python -m halcert.reports FOLDER`` writes them; the copies in ``docs/schemas`` are held
equal to the types by a test.
"""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

import msgspec

from halcert.results import (
    AreaSummary,
    Baseline,
    Certificate,
    Finding,
    Gate,
    GateItem,
    Implementation,
    KnownCause,
    Obligation,
    Observed,
    PastCause,
    ProofNote,
    Proofs,
    RuleResult,
    TestResult,
    TraceHeader,
    TraceStep,
    Waiver,
    Waivers,
    attestation,
    baseline,
    certificate,
    comparison,
    exchange,
    gate,
    matrix,
    proof,
    trace,
    vectors,
    waiver,
)
from halcert.results.story import Formula, Promise, Stretch

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ATTRIBUTE = re.compile(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)
_PARTS = (
    AreaSummary,
    Finding,
    Implementation,
    Observed,
    RuleResult,
    TestResult,
    Obligation,
    ProofNote,
    attestation.Resource,
    attestation.Signature,
    attestation.TestOutcome,
    exchange.Hello,
    exchange.Ask,
    exchange.Answer,
)
_COMPARISON = (
    comparison.Comparison,
    comparison.Contrast,
    comparison.Fault,
    comparison.Side,
)
_GATE = (Baseline, KnownCause, PastCause, Waiver, Waivers, Gate, GateItem)
_STEP_PARTS = (trace.Answered, trace.Crashed, trace.Hung, trace.Garbled, trace.Missing)
_ROWS = (matrix.Matrix, matrix.TracedStatement, matrix.TracedRule)
_VECTORS = (vectors.VectorFile, vectors.Vector, vectors.VectorCall, Promise, Formula, Stretch)
_WHOLE = (Certificate, Proofs, TraceHeader, TraceStep, attestation.Envelope, attestation.Statement)
_DESCRIBED = (*_WHOLE, *_PARTS, *_STEP_PARTS, *_GATE, *_COMPARISON, *_ROWS, *_VECTORS)


def certificate_schema() -> dict[str, Any]:
    """Return the schema of ``certificate.json``."""
    return _schema(Certificate, certificate.FORMAT, "A certificate of halcert")


def envelope_schema() -> dict[str, Any]:
    """Return the schema of ``certificate.dsse.json``."""
    return _schema(attestation.Envelope, "halcert-envelope/1", "A certificate in its envelope")


def statement_schema() -> dict[str, Any]:
    """Return the schema of the payload of ``certificate.dsse.json``."""
    return _schema(attestation.Statement, "halcert-statement/1", "What the envelope holds")


def matrix_schema() -> dict[str, Any]:
    """Return the schema of what ``halcert trace-matrix --as json`` writes."""
    return _schema(matrix.Matrix, matrix.FORMAT, "From statements to verdicts")


def proofs_schema() -> dict[str, Any]:
    """Return the schema of ``proofs.json``."""
    return _schema(Proofs, proof.FORMAT, "What the proofs of halcert found")


def exec_schema() -> dict[str, Any]:
    """Return the schema of one message of the ``exec`` adapter, of either side."""
    kinds = (exchange.Hello, exchange.Ask, exchange.Answer)
    _, parts = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    for each in kinds:
        _describe(parts[each.__name__], each)
    parts["Hello"]["properties"]["format"]["const"] = exchange.FORMAT
    return {
        "$schema": DIALECT,
        "$id": identifier(exchange.FORMAT),
        "title": "A message between halcert and a program under test",
        "anyOf": [{"$ref": f"#/$defs/{each.__name__}"} for each in kinds],
        "$defs": parts,
    }


def trace_schema() -> dict[str, Any]:
    """Return the schema of one line of a trace file: the header, or a call."""
    return _schema(TraceHeader | TraceStep, trace.FORMAT, "A line of a trace of halcert")


def baseline_schema() -> dict[str, Any]:
    """Return the schema of a baseline."""
    return _schema(Baseline, baseline.FORMAT, "A baseline of halcert")


def waivers_schema() -> dict[str, Any]:
    """Return the schema of a file of waivers, as editors of TOML use it."""
    schema = _schema(Waivers, waiver.FORMAT, "Waivers of halcert")
    return {**schema, "required": ["format"]}


def gate_schema() -> dict[str, Any]:
    """Return the schema of ``gate.json``."""
    return _schema(Gate, gate.FORMAT, "What a gate of halcert says of a run")


def comparison_schema() -> dict[str, Any]:
    """Return the schema of ``comparison.json``."""
    return _schema(comparison.Comparison, comparison.FORMAT, "Where two implementations differ")


def vectors_schema() -> dict[str, Any]:
    """Return the schema of a file that ``halcert vectors`` writes."""
    return _schema(vectors.VectorFile, vectors.FORMAT, "Vectors of halcert")


SCHEMAS = {
    "baseline": baseline_schema,
    "certificate": certificate_schema,
    "comparison": comparison_schema,
    "envelope": envelope_schema,
    "exec": exec_schema,
    "gate": gate_schema,
    "matrix": matrix_schema,
    "statement": statement_schema,
    "proofs": proofs_schema,
    "trace": trace_schema,
    "vectors": vectors_schema,
    "waivers": waivers_schema,
}
"""Every schema by name; the file is ``NAME.schema.json``."""


def identifier(form: str) -> str:
    """Return the ``$id`` of a format such as ``halcert-trace/1``: a name, not a place."""
    return f"urn:{form.replace('-', ':').replace('/', ':')}"


def _schema(kind: Any, form: str, title: str) -> dict[str, Any]:
    top, parts = _components(kind)
    name = top.get("$ref", "").rpartition("/")[2]
    if name:  # the type itself is the document
        top = parts.pop(name)
        if "format" in top["properties"]:
            top["properties"]["format"] = {**top["properties"]["format"], "const": form}
    top["title"] = title
    schema = {"$schema": DIALECT, "$id": identifier(form), **top}
    return {**schema, "$defs": dict(sorted(parts.items()))} if parts else schema


def _components(kind: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    if kind == TraceHeader | TraceStep:
        _, parts = msgspec.json.schema_components(
            (TraceHeader, TraceStep), ref_template="#/$defs/{name}"
        )
        header, step = ({"$ref": f"#/$defs/{t.__name__}"} for t in (TraceHeader, TraceStep))
        top: dict[str, Any] = {"anyOf": [header, step]}
        parts["TraceHeader"]["required"] = ["format"]
        parts["TraceHeader"]["properties"]["format"]["const"] = trace.FORMAT
    else:
        (top,), parts = msgspec.json.schema_components((kind,), ref_template="#/$defs/{name}")
    for each in _DESCRIBED:
        if each.__name__ in parts:
            _describe(parts[each.__name__], each)
    return top, parts


def _describe(schema: dict[str, Any], kind: type) -> None:
    """Move what the docstring says of each attribute to the property that it describes."""
    text = inspect.getdoc(kind) or ""
    summary, _, attributes = text.partition("\n\nAttributes:\n")
    schema["description"] = summary
    written = {each.name: each.encode_name for each in msgspec.structs.fields(kind)}
    for attribute, words in _ATTRIBUTE.findall(attributes):
        name = written.get(attribute, attribute)
        if name in schema["properties"]:
            described = " ".join(words.split())
            schema["properties"][name] = {"description": described, **schema["properties"][name]}


def text_of(schema: dict[str, Any]) -> str:
    """Return a schema as the text of a file."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def write_schemas(folder: Path) -> list[Path]:
    """Write every schema into a folder.

    Raises:
        OSError: a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, make in SCHEMAS.items():
        path = folder / f"{name}.schema.json"
        path.write_text(text_of(make()), encoding="utf-8")
        paths.append(path)
    return paths
