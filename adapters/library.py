"""A library under test: is it there, is it one of those that are meant, what is its digest."""

from __future__ import annotations

import hashlib
from pathlib import Path

from halcert.adapters.errors import LibraryForeign, LibraryNotFound
from halcert.results.files import opened
from halcert.spec.abi.acl.functions import ACL_FUNCTIONS
from halcert.spec.abi.functions import FUNCTIONS

ELF_MAGIC = b"\x7fELF"
ELF_TYPE = slice(16, 18)
ELF_SHARED = 3
ELF_LITTLE = 1
FAMILIES = {"hal": ("hal*", FUNCTIONS), "acl": ("aclrt*", ACL_FUNCTIONS)}
"""What each adapter calls, as people name it, and function by function."""


def checked_path(path: str) -> Path:
    """Return the absolute path of a shared library.

    Raises:
        LibraryNotFound: there is no shared library.
    """
    found = Path(path)
    if found.is_dir():
        raise LibraryNotFound(
            f"{path} is a folder, not a library",
            "The library is usually lib64/driver/libascend_hal.so within the driver's folder.",
        )
    try:
        with opened(found) as file:
            head = file.read(20)
    except FileNotFoundError:
        raise LibraryNotFound(
            f"there is no library {path}", "Give the path of libascend_hal.so."
        ) from None
    except OSError as error:
        raise LibraryNotFound(f"{path} cannot be read: {error.strerror}") from error
    if not head.startswith(ELF_MAGIC) or _elf_type(head) != ELF_SHARED:
        raise LibraryNotFound(
            f"{path} is no shared library (ELF)",
            "A linker script or an archive will not do; give the .so file itself.",
        )
    return found.resolve()


def _elf_type(head: bytes) -> int:
    order = "little" if head[5:6] == bytes([ELF_LITTLE]) else "big"
    return int.from_bytes(head[ELF_TYPE], "little" if order == "little" else "big")


def demand_own_functions(path: Path, adapter: str, symbols: frozenset[str]) -> None:
    """See that a library is not one that another adapter calls.

    What offers nothing at all is described as such.

    Args:
        path: the library.
        adapter: name of the adapter.
        symbols: the declared functions of all adapters that the library has.

    Raises:
        LibraryForeign: it offers only what another adapter calls.
    """
    offered = [name for name, (_, functions) in FAMILIES.items() if symbols & functions.keys()]
    if offered and adapter not in offered:
        found, wanted = FAMILIES[offered[0]][0], FAMILIES[adapter][0]
        raise LibraryForeign(
            f"{path} offers {found} and no {wanted}", f"Use --adapter {offered[0]} for it."
        )


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with opened(path) as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
