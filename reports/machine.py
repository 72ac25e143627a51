"""The certificate for machines: JSON in a stable form."""

from __future__ import annotations

import msgspec

from halcert.reports.escape import encodable
from halcert.results import Certificate


def certificate_json(certificate: Certificate) -> bytes:
    """Return a certificate as JSON: fields as declared, mappings by key, two blanks of indent."""
    try:
        encoded = msgspec.json.encode(certificate, order="deterministic")
    except UnicodeEncodeError:
        encoded = msgspec.json.encode(encodable(certificate), order="deterministic")
    return msgspec.json.format(encoded, indent=2) + b"\n"
