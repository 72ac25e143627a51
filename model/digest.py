"""A digest of the specification, by which caches and certificates name it."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import halcert.spec


@cache
def spec_digest() -> str:
    """Return the SHA-256 of all source files of the spec."""
    root = Path(halcert.spec.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
