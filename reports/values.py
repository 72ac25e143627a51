"""Values of a call as people read them: flags by name, addresses in hex, sizes in units."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from halcert.reports import human
from halcert.reports.escape import one_line
from halcert.spec.abi.constants import VirtType
from halcert.spec.language import BitWord, Domain, Record, poison
from halcert.spec.language import Sequence as ArrayOf
from halcert.spec.language.domain import annotations_of, domain_of
from halcert.spec.svm.flags import MODULE_UNKNOWN, AllocFlags

Refer = Callable[[Mapping[str, Any]], str]
"""Returns the name of what an earlier call gave."""
LONGEST_LIST = 6
SHOWN_BYTES = 16
BYTE = 0xFF

# The features of the flag of halMemAlloc, as the header abbreviates them.
FEATURES = {
    "huge": "HUGE",
    "giant": "GIANT",
    "contiguous": "CONTIGUOUS",
    "p2p": "P2P",
    "low4g": "4G",
    "ts": "TS",
    "bar": "BAR",
    "readonly": "READONLY",
    "host_writes": "HOST_RW_DEV_RO",
    "cp_only": "DEV_CP_ONLY",
}


def alloc_flags(word: int) -> str:
    """Return the flag of halMemAlloc by its fields: ``MEM_DEV dev 0 HUGE``."""
    flags = AllocFlags.from_plain(word)
    parts = [_virtual_type(flags.virt), f"dev {flags.devid}"]
    parts += [text for name, text in FEATURES.items() if getattr(flags, name)]
    for name in ("phys", "align", "page_rest"):
        if getattr(flags, name):
            parts.append(f"{name}={getattr(flags, name)}")
    if flags.rest:
        parts.append(f"bits 33-55={flags.rest:#x}")
    if flags.module != MODULE_UNKNOWN:
        parts.append(f"module {flags.module}")
    return " ".join(parts)


def _virtual_type(kind: int) -> str:
    try:
        return VirtType(kind).name.removesuffix("_VAL")
    except ValueError:
        return f"type {kind}"


def bit_word(kind: type[BitWord], word: int) -> str:
    """Return a word of bit fields by those that are set."""
    if kind is AllocFlags:
        return alloc_flags(word)
    decoded = kind.from_plain(word)
    parts = []
    for name in kind.layout:
        value = getattr(decoded, name)
        if value:
            parts.append(name if value is True else f"{name}={value:#x}")
    return " ".join(parts) or "0"


def is_reference(value: Any) -> bool:
    """Tell whether an argument stands for what an earlier call gave."""
    return isinstance(value, Mapping) and "$" in value and "field" in value


def argument(name: str, value: Any, annotation: Any, refer: Refer) -> str:
    """Return an argument as text.

    Args:
        name: name of the parameter.
        value: its value in JSON form.
        annotation: how the interface annotates it; None if nothing is known.
        refer: names what earlier calls gave.
    """
    if is_reference(value):
        return refer(value)
    domain = domain_of(annotation)
    if domain is not None and isinstance(value, bool | int):
        return _of_domain(name, value, domain)
    if domain is not None and domain.role == "name" and isinstance(value, str):
        return word(value)
    if isinstance(value, bool) and isinstance(annotation, type) and issubclass(annotation, Record):
        return f"&{name}" if value else "NULL"
    return _plain(value, annotation, refer)


def _of_domain(name: str, value: int, domain: Domain) -> str:
    if domain.role == "out":
        return f"&{name}" if value else "NULL"
    if domain.role == "given":
        return "given" if value else "NULL"
    if domain.role == "address":
        return human.address(value)
    if domain.role == "size":
        return human.size(value)
    if domain.high == BYTE:
        return f"{value:#04x}"
    return human.number(int(value))


def _plain(value: Any, annotation: Any, refer: Refer) -> str:
    if isinstance(value, Mapping):
        return _record(value, annotation, refer)
    if isinstance(value, bytes | bytearray | memoryview):
        return data(bytes(value))
    if isinstance(value, list | tuple):
        return _list(value, annotation, refer)
    return _scalar(value, annotation)


def _scalar(value: Any, annotation: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, int):
        return one_line(str(value))
    word = isinstance(annotation, type) and issubclass(annotation, BitWord)
    return bit_word(annotation, value) if word else human.number(value)


def _record(value: Mapping[str, Any], annotation: Any, refer: Refer) -> str:
    if is_reference(value):
        return refer(value)
    is_record = isinstance(annotation, type) and issubclass(annotation, Record)
    known = annotations_of(annotation) if is_record else {}
    parts = (f"{key}={argument(key, item, known.get(key), refer)}" for key, item in value.items())
    return "{" + ", ".join(parts) + "}"


def _list(value: Sequence[Any], annotation: Any, refer: Refer) -> str:
    inner = None
    if getattr(annotation, "__origin__", None) is ArrayOf:
        inner = annotation.__args__[0]
    parts = [argument("", item, inner, refer) for item in value[:LONGEST_LIST]]
    if len(value) > LONGEST_LIST:
        parts.append(f"and {len(value) - LONGEST_LIST} more")
    return "[" + ", ".join(parts) + "]"


def word(text: str) -> str:
    """Return a name or opaque bytes, of which the digits are given, as text."""
    try:
        content = bytes.fromhex(text)
    except ValueError:
        return one_line(text)
    if content and set(content) == {poison(8)}:
        return "untouched"
    if content and content.isascii() and content.decode().isprintable():
        return f'"{content.decode()}"'
    return data(content)


def data(content: bytes) -> str:
    """Return bytes as text: how many, and the first ones, or the one that they all are."""
    if not content:
        return "no bytes"
    if len(content) > 1 and content.count(content[0]) == len(content):
        return f"{human.size(len(content))} of {content[0]:#04x}"
    head = content[:SHOWN_BYTES].hex(" ")
    if len(content) <= SHOWN_BYTES:
        return head
    return f"{head} ... ({human.count(len(content), 'byte')})"


def output(name: str, value: Any, annotation: Any) -> str:
    """Return an output as text; one that still holds what it was filled with is ``untouched``."""
    domain = domain_of(annotation)
    if domain is not None and type(value) is int and _left_alone(value, domain):
        return "untouched"
    if annotation is bytes and isinstance(value, str):
        value = _decoded(value)
    return argument(name, value, annotation, lambda reference: one_line(str(dict(reference))))


def _left_alone(value: int, domain: Domain) -> bool:
    width = (domain.high - domain.low + 1).bit_length() - 1
    return width >= 32 and value % 2**width == poison(width)  # noqa: PLR2004 - narrower ones occur


def _decoded(text: str) -> bytes | str:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return text
