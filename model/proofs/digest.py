"""What the proofs depend on, as a digest: the text of the spec and of the proofs themselves."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

import halcert
import halcert.model
import halcert.spec


@lru_cache(maxsize=1)
def digest() -> str:
    """Return a digest of the spec, the model and the version of halcert."""
    found = hashlib.sha256(halcert.__version__.encode())
    for package in (halcert.spec, halcert.model):
        root = Path(package.__path__[0])
        for path in sorted(root.rglob("*.py")):
            found.update(path.relative_to(root).as_posix().encode())
            found.update(path.read_bytes())
    return found.hexdigest()[:32]
