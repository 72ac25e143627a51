"""Waivers: broken rules that a project lives with for a while, as people write them in TOML.

Every waiver says why, where that is written down, and until when. All that is wrong with a file
is told at once, with the line of the waiver.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

import msgspec

from halcert.results.baseline import Cause
from halcert.results.files import contents
from halcert.results.verdict import SHAPES
from halcert.spec.catalogue import interfaces, rules
from halcert.spec.language import Strength
from halcert.spec.profiles import PROFILES

FORMAT = "halcert-waivers/1"
ANY_PROFILE = "any"
"""In place of a product: the waiver is for all."""
_HEAD = re.compile(r"^\s*\[\[\s*waiver\s*\]\]", re.MULTILINE)
_LINK = re.compile(r"https?://[^\s/]+\S*")


class Waiver(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A broken rule that is put up with until a day.

    Attributes:
        rule: id of the rule.
        profile: name of the product, or `any`.
        reason: why it is put up with.
        link: where that is discussed; an http or https address.
        expires: the last day on which it counts.
        interface: only failures of this interface; empty for all.
        shape: only failures of this shape; empty for all.
    """

    rule: str
    profile: str
    reason: str
    link: str
    expires: date
    interface: str = ""
    shape: str = ""

    def covers(self, cause: Cause) -> bool:
        """Tell whether it speaks of a cause of failure."""
        rule, interface, shape = cause
        return self.rule == rule and self.interface in ("", interface) and self.shape in ("", shape)

    def is_for(self, profile: str) -> bool:
        """Tell whether it is for a product."""
        return self.profile in (ANY_PROFILE, profile)

    def has_expired(self, today: date) -> bool:
        """Tell whether its last day is over."""
        return today > self.expires


class Waivers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of waivers.

    Attributes:
        waiver: the waivers.
        format: name and version of the format.
    """

    format: str = FORMAT
    waiver: tuple[Waiver, ...] = ()


class WaiverError(Exception):
    """A file of waivers cannot be used; the message has a line for each thing that is wrong."""


def read_waivers(path: Path) -> tuple[Waiver, ...]:
    """Read a file of waivers and check every one.

    Raises:
        WaiverError: something is wrong with it.
    """
    try:
        text = contents(path).decode("utf-8")
    except OSError as error:
        raise WaiverError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise WaiverError(f"{path}: is no text: {error.reason} at byte {error.start}") from error
    try:
        document = msgspec.toml.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise WaiverError(f"{path}: is no TOML: {error}") from error
    wrong = [f"{path}: {each}" for each in _faults_of_file(document)]
    entries = document.get("waiver", [])
    if wrong or not isinstance(entries, list):
        raise WaiverError("\n".join(wrong or [f"{path}: write each waiver as [[waiver]]"]))
    lines = _lines(text, len(entries))
    for line, entry in zip(lines, entries, strict=True):
        wrong += [f"{path}: {line}: {each}" for each in _faults(entry)]
    if not wrong:
        wrong += [f"{path}: {each}" for each in _doubles(lines, entries)]
    if wrong:
        raise WaiverError("\n".join(wrong))
    return msgspec.convert(document, Waivers).waiver


def _lines(text: str, count: int) -> list[str]:
    """Return where each waiver begins, as far as the text shows it."""
    starts = [text.count("\n", 0, match.end()) + 1 for match in _HEAD.finditer(text)]
    if len(starts) != count:
        return [f"waiver {number}" for number in range(1, count + 1)]
    return [f"line {start}" for start in starts]


def _faults_of_file(document: Mapping[str, Any]) -> Iterable[str]:
    for name in document:
        if name not in ("format", "waiver"):
            yield f"{name!r} is unknown{_near(name, ('format', 'waiver'))}"
    form = document.get("format")
    if form is None:
        yield f'the line format = "{FORMAT}" is missing'
    elif form != FORMAT:
        yield f"format is {form!r}, this halcert reads {FORMAT!r}"


def _faults(entry: Any) -> list[str]:
    """Return what is wrong with one waiver."""
    if not isinstance(entry, Mapping):
        return ["a waiver is a table"]
    fields = Waiver.__struct_fields__
    needed = [name for name in fields if name not in ("interface", "shape")]
    wrong = [f"{name!r} is unknown{_near(name, fields)}" for name in entry if name not in fields]
    wrong += [f"{name!r} is missing" for name in needed if name not in entry]
    for name, value in entry.items():
        if name == "expires":
            wrong += _faults_of_day(value)
        elif name in fields:
            fault = _fault_of_text(name, value)
            wrong += [fault] if fault else []
    return wrong


def _faults_of_day(value: Any) -> list[str]:
    if isinstance(value, date) and not isinstance(value, datetime):
        return []
    try:
        date.fromisoformat(value)
    except (TypeError, ValueError):
        return [f"expires is {_shown(value)}; write a day, such as 2027-03-31"]
    return []


def _fault_of_text(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        return f"{name} is {_shown(value)}; it must be a text that is not empty"
    names = _names(name)
    if names and value not in names:
        return f"there is no {name} {value!r}{_near(value, names)}"
    if name == "rule" and value in _undefined():
        return f"{value} promises nothing, so nothing can break it and no waiver is needed"
    if name == "link" and not _LINK.fullmatch(value):
        return f"link is {_shown(value)}; it must be an address such as https://host/issue/7"
    return ""


def _names(field: str) -> tuple[str, ...]:
    """Return the names that a field may hold; empty where any text will do."""
    if field == "rule":
        return tuple(rule.id for rule in rules())
    if field == "interface":
        return tuple(interfaces())
    if field == "profile":
        return (*PROFILES, ANY_PROFILE)
    return SHAPES if field == "shape" else ()


def _undefined() -> set[str]:
    return {rule.id for rule in rules() if rule.strength is Strength.UNDEFINED}


def _near(name: str, names: Iterable[str]) -> str:
    found = difflib.get_close_matches(name, list(names), 1)
    return f"; did you mean {found[0]!r}?" if found else ""


def _shown(value: Any) -> str:
    return repr(value) if isinstance(value, str) else str(value)


def _doubles(lines: list[str], entries: list[Mapping[str, Any]]) -> Iterable[str]:
    seen: dict[tuple[Any, ...], str] = {}
    for line, entry in zip(lines, entries, strict=True):
        key = tuple(entry.get(name, "") for name in ("rule", "interface", "shape", "profile"))
        if key in seen:
            yield f"{line}: says the same as that of {seen[key]}; keep one"
        seen.setdefault(key, line)
