"""Where the proofs keep what they found: the folder of the user's cache that is ours.

Working copies with different rules share it, so what one of them does not need stays for a while.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

DAYS = 30
"""How long is kept what nobody asks for."""
SECONDS_OF_A_DAY = 86_400


def cache_folder() -> Path:
    """Return the folder of the user's cache that is ours."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "halcert"


def asked_for(place: Path) -> bytes:
    """Return what is kept at a place, which somebody asks for now.

    Raises:
        OSError: there is nothing.
    """
    content = place.read_bytes()
    os.utime(place)
    return content


def forget_old(folder: Path, pattern: str = "*") -> None:
    """Remove what nobody has asked for in a long time."""
    limit = time.time() - DAYS * SECONDS_OF_A_DAY
    try:
        for path in folder.glob(pattern):
            if path.stat().st_mtime < limit:
                path.unlink(missing_ok=True)
    except OSError:
        return
