"""Results for machines: JSON in a stable form."""

from __future__ import annotations

import msgspec

from halcert.reports.escape import encodable
from halcert.results import Certificate


def certificate_json(certificate: Certificate) -> bytes:
    """Return a certificate as JSON."""
    return stable_json(certificate)


def stable_json(result: msgspec.Struct) -> bytes:
    """Return a result as JSON: fields as declared, mappings by key, two blanks of indent."""
    try:
        encoded = msgspec.json.encode(result, order="deterministic")
    except UnicodeEncodeError:
        encoded = msgspec.json.encode(encodable(result), order="deterministic")
    return msgspec.json.format(encoded, indent=2) + b"\n"
