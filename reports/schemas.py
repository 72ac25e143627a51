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
    Certificate,
    Finding,
    Implementation,
    Obligation,
    ProofNote,
    Proofs,
    RuleResult,
    TestResult,
    TraceHeader,
    TraceStep,
    certificate,
    matrix,
    proof,
    trace,
    vectors,
)
from halcert.results.story import Formula, Promise, Stretch

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ATTRIBUTE = re.compile(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)
_PARTS = (AreaSummary, Finding, Implementation, RuleResult, TestResult, Obligation, ProofNote)
_STEP_PARTS = (trace.Answered, trace.Crashed, trace.Hung, trace.Garbled, trace.Missing)
_ROWS = (matrix.Matrix, matrix.TracedStatement, matrix.TracedRule)
_VECTORS = (vectors.VectorFile, vectors.Vector, vectors.VectorCall, Promise, Formula, Stretch)
_DESCRIBED = (
    Certificate,
    Proofs,
    TraceHeader,
    TraceStep,
    *_PARTS,
    *_STEP_PARTS,
    *_ROWS,
    *_VECTORS,
)


def certificate_schema() -> dict[str, Any]:
    """Return the schema of ``certificate.json``."""
    return _schema(Certificate, certificate.FORMAT, "A certificate of halcert")


def matrix_schema() -> dict[str, Any]:
    """Return the schema of what ``halcert trace-matrix --as json`` writes."""
    return _schema(matrix.Matrix, matrix.FORMAT, "From statements to verdicts")


def proofs_schema() -> dict[str, Any]:
    """Return the schema of ``proofs.json``."""
    return _schema(Proofs, proof.FORMAT, "What the proofs of halcert found")


def trace_schema() -> dict[str, Any]:
    """Return the schema of one line of a trace file: the header, or a call."""
    return _schema(TraceHeader | TraceStep, trace.FORMAT, "A line of a trace of halcert")


def vectors_schema() -> dict[str, Any]:
    """Return the schema of a file that ``halcert vectors`` writes."""
    return _schema(vectors.VectorFile, vectors.FORMAT, "Vectors of halcert")


SCHEMAS = {
    "certificate": certificate_schema,
    "matrix": matrix_schema,
    "proofs": proofs_schema,
    "trace": trace_schema,
    "vectors": vectors_schema,
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
    for name, words in _ATTRIBUTE.findall(attributes):
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
