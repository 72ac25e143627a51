"""Interfaces: a call, its parameters, its results and its rules; and areas, which group them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar, get_args

import msgspec

from halcert.spec.language.bits import BitWord
from halcert.spec.language.domain import (
    Record,
    Sequence,
    annotations_of,
    converter_of,
    domain_of,
)
from halcert.spec.language.rule import Kind, Rule
from halcert.spec.language.source import Source

RULE_ID = re.compile(r"[A-Z0-9]+-[A-Z0-9]+-\d{3}")


class Call(msgspec.Struct, frozen=True):
    """Base of the calls. A subclass annotates the parameters and holds the rules.

    Attributes:
        interface: the interface that this call belongs to.
        Result: the class of its results.
    """

    interface: ClassVar[Interface]
    Result: ClassVar[type[Returned]]


class Returned(msgspec.Struct, frozen=True):
    """Base of the results: the return code, and the outputs that a subclass annotates.

    Outputs are given as they stand after the call; before it they hold ``POISON`` bytes, so
    that a rule can tell what was left alone.
    """

    code: int


POISON = 0xA5
"""The byte with which every output is filled before a call."""


def poison(width: int) -> int:
    """Return what an unsigned output of ``width`` bits holds when the call left it alone."""
    return int.from_bytes(bytes([POISON]) * (width // 8), "little")


@dataclass(frozen=True, eq=False)
class Interface:
    """One interface: its name, what it takes and gives, and its rules in declared order.

    Attributes:
        name: symbol in the library, or ``host.NAME`` for an access by the program itself.
        area: name of the area that it belongs to.
        call: the class of its calls.
        result: the class of its results.
        rules: its rules; rejecting ones in the order in which the public driver checks.
        source: where the interface is declared.
        optional: names of profiles on which the library may lack the symbol.
        doc: what the interface is for.
    """

    name: str
    area: str
    call: type[Call]
    result: type[Returned]
    rules: tuple[Rule, ...]
    source: Source
    optional: frozenset[str]
    doc: str
    argument_converters: dict[str, Callable[[Any], Any]]
    output_converters: dict[str, Callable[[Any], Any]]

    def parse(self, arguments: Mapping[str, Any]) -> Call:
        """Build a call from its JSON form.

        Raises:
            TypeError: a parameter is missing or unknown.
        """
        converters = self.argument_converters
        if not converters:
            return self.call(**arguments)
        return self.call(
            **{
                name: converters[name](value) if name in converters else value
                for name, value in arguments.items()
            }
        )

    def parse_result(self, code: int, out: Mapping[str, Any]) -> Returned:
        """Build a result from a return code and the outputs in JSON form."""
        converters = self.output_converters
        if not converters:
            return self.result(code, **out)
        return self.result(
            code,
            **{
                name: converters[name](value) if name in converters else value
                for name, value in out.items()
            },
        )

    def rules_of(self, kind: Kind, profile: str) -> tuple[Rule, ...]:
        """Return the rules of a kind that apply to a product, in declared order."""
        return tuple(r for r in self.rules if r.kind is kind and r.applies_to(profile))


def _converter(annotation: Any) -> Callable[[Any], Any] | None:
    if isinstance(annotation, type) and issubclass(annotation, BitWord | Record):
        return annotation.from_plain
    if getattr(annotation, "__origin__", None) is Sequence:
        plain = domain_of(get_args(annotation)[0]) is not None
        return Sequence if plain else converter_of(annotation)
    return None


def _converters(cls: type) -> dict[str, Callable[[Any], Any]]:
    found = {name: _converter(kind) for name, kind in annotations_of(cls).items()}
    return {name: converter for name, converter in found.items() if converter is not None}


C = TypeVar("C", bound=Call)


def interface(
    name: str, *, area: str, source: Source, optional: frozenset[str] = frozenset()
) -> Callable[[type[C]], type[C]]:
    """Declare an interface from a class of calls.

    The class annotates the parameters in the order of the C declaration, may hold a class
    ``Result`` that annotates the outputs, and holds the rules as methods.
    """

    def declare(cls: type[C]) -> type[C]:
        if "Result" not in vars(cls):
            cls.Result = Returned
        cls.interface = Interface(
            name=name,
            area=area,
            call=cls,
            result=cls.Result,
            rules=tuple(
                replace(value.__halcert_rule__, interface=name)
                for value in vars(cls).values()
                if hasattr(value, "__halcert_rule__")
            ),
            source=source,
            optional=optional,
            doc=(cls.__doc__ or "").strip(),
            argument_converters=_converters(cls),
            output_converters=_converters(cls.Result),
        )
        return cls

    return declare


@dataclass(frozen=True)
class Invariant:
    """Something that holds in every state that calls can reach.

    Attributes:
        id: stable id.
        summary: the invariant in plain English.
        holds: predicate over the state.
        reads: the tables that it looks at.
    """

    id: str
    summary: str
    holds: Callable[[Any], bool]
    reads: tuple[str, ...]


@dataclass(frozen=True)
class Theorem:
    """A named safety property of calls, proved for all states.

    Attributes:
        id: stable id.
        summary: the property in plain English.
        source: where it is promised.
        prove: how it is stated; read by the proof engine.
        interfaces: names of the interfaces it speaks of; empty for all of the area and of those
            that it uses.
    """

    id: str
    summary: str
    source: Source
    interfaces: tuple[str, ...]
    prove: Callable[..., Any]


@dataclass(frozen=True)
class Area:
    """A group of interfaces that are specified, proved and exercised together.

    Attributes:
        name: name on the command line.
        title: what the area is, for people.
        interfaces: its interfaces.
        invariants: what its tables always satisfy.
        theorems: its safety properties.
        universal: rules that speak of all calls of the area.
        uses: names of the areas whose interfaces its calls cannot do without.
        processes: how many processes its rules speak of, so that witnesses have as many.
        beginnings: calls from which the search for witnesses starts, beside no calls at all; each
            is a process and the id of the rule by which its call is accepted, or leaves something
            when it fails.
        borrows: interfaces of other areas that its calls cannot do without, where it does not
            use those areas.
        library: name of the adapter by which its interfaces are called.
    """

    name: str
    title: str
    interfaces: tuple[Interface, ...]
    invariants: tuple[Invariant, ...] = ()
    theorems: tuple[Theorem, ...] = ()
    universal: tuple[Rule, ...] = ()
    uses: tuple[str, ...] = ()
    processes: int = 1
    beginnings: tuple[tuple[tuple[int, str], ...], ...] = ()
    borrows: tuple[Interface, ...] = ()
    library: str = "hal"

    def rules(self) -> Iterator[Rule]:
        """Iterate over all rules of the area."""
        for each in self.interfaces:
            yield from each.rules
        yield from self.universal
