"""Arguments worth trying: plausible ones that fit the state, and the edges of the rules.

The edges are not listed here; they are read off the rules' own constants, so that a rule that
changes moves its tests with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from functools import cache
from types import CodeType, FunctionType
from typing import Any, get_args, get_origin

import msgspec

from halcert.conformance import pool_values, sharing_values, stream_values
from halcert.conformance.draw import Draw
from halcert.conformance.keys import fitting_key
from halcert.conformance.lab import Lab
from halcert.conformance.managed import MANAGED
from halcert.conformance.managed_values import fitting_managed, has_managed_memory
from halcert.conformance.mapping_values import fitting
from halcert.conformance.physical import fitting_physical
from halcert.spec.language import BitWord, Flag, InNumber, InOut, Interface, Record
from halcert.spec.language import Sequence as ArraySequence
from halcert.spec.language.domain import Domain, annotations_of, domain_of
from halcert.spec.profiles import Profile
from halcert.spec.state import Block
from halcert.spec.svm.async_copy import MemCpyAsyncWaitFinish
from halcert.spec.svm.flags import DEV, DVPP, HOST, HOST_UVA, SVM, AllocFlags
from halcert.spec.uvm.pages import PAGE

TOP = 2**64
BYTE = 0xFF
MANY_DEVICES = 2000
"""Constants below this may be meant as device ids."""
MODEST = 1 << 20
"""Sizes up to this are tried most often (bytes)."""


@cache
def constants_of(interface: Interface, profile: Profile) -> tuple[int, ...]:
    """Return the integers that the rules of an interface compare with for a product."""
    found: set[int] = set()
    for rule in interface.rules:
        if rule.applies_to(profile.name):
            found.update(_constants(rule.function, profile, 3))
    return tuple(sorted(found))


def _constants(function: Any, profile: Profile, depth: int) -> Iterator[int]:
    if not isinstance(function, FunctionType) or depth == 0:
        return
    for code in _codes(function.__code__):
        for value in code.co_consts:
            if isinstance(value, int) and not isinstance(value, bool):
                yield int(value)
        for name in code.co_names:
            if hasattr(profile, name) and isinstance(getattr(profile, name), int):
                yield int(getattr(profile, name))
            value = function.__globals__.get(name)
            if isinstance(value, type) and issubclass(value, IntEnum):
                yield from (int(value[each]) for each in code.co_names if each in value.__members__)
            elif isinstance(value, int) and not isinstance(value, bool):
                yield int(value)
            elif isinstance(value, FunctionType) and value.__module__.startswith("halcert.spec."):
                yield from _constants(value, profile, depth - 1)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _codes(value)


class Plan(msgspec.Struct):
    """A transfer that fits the state: what most interfaces are about.

    Attributes:
        target: block that is written, or None if there is none.
        source: block that is read, or None.
        target_offset: bytes into the target.
        source_offset: bytes into the source.
        length: bytes.
        device: a device that goes with it.
    """

    target: Block | None
    source: Block | None
    target_offset: int
    source_offset: int
    length: int
    device: int


def plan(draw: Draw, lab: Lab) -> Plan:
    """Choose a transfer between live blocks."""
    blocks = lab.blocks()
    devices = lab.setting.devices
    if not blocks:
        return Plan(None, None, 0, 0, length_up_to(draw, MODEST), draw.pick(devices))
    target, source = draw.pick(blocks), draw.pick(blocks)
    room = min(target.size, source.size)
    length = length_up_to(draw, room)
    device = next((b.device for b in (target, source) if b.device in devices), None)
    return Plan(
        target,
        source,
        offset_up_to(draw, target.size - length),
        offset_up_to(draw, source.size - length),
        length,
        draw.pick(devices) if device is None or draw.chance(15) else device,
    )


def length_up_to(draw: Draw, limit: int) -> int:
    """Choose a length of at least one byte, near page ends more often than not."""
    limit = max(min(limit, 8 * MODEST), 1)
    near = [1, limit, limit - 1, 4095, 4096, 4097, 3, 64, 65537]
    fitting = [n for n in near if 1 <= n <= limit]
    return draw.pick(fitting) if draw.chance(70) else draw.integer(1, limit)


def offset_up_to(draw: Draw, limit: int) -> int:
    """Choose an offset, mostly none, the last possible or near a page end."""
    near = [n for n in (0, limit, 1, 4095, 4096, 4097) if 0 <= n <= limit]
    return draw.pick(near) if draw.chance(85) else draw.integer(0, max(limit, 0))


SOURCE_NAMES = frozenset({"src", "p_src"})
CAPACITY_NAMES = frozenset({"dest_max", "destMax", "dst_size"})


def plausible(
    draw: Draw, lab: Lab, chosen: Plan, interface: Interface, name: str, domain: Domain
) -> int:
    """Choose a value for a parameter that goes with the planned transfer."""
    if domain.role == "address":
        source = name in SOURCE_NAMES
        block = chosen.source if source else chosen.target
        if block is None:
            return draw.pick((0, 4096, 0x12C000000000))
        return block.base + (chosen.source_offset if source else chosen.target_offset)
    if domain.role == "size":
        slack = draw.pick((0, 0, 0, 1, 4096)) if name in CAPACITY_NAMES else 0
        return chosen.length + slack
    if domain.role == "device":
        return chosen.device
    if domain.role == "handle":
        return _handle(draw, lab, interface)
    if domain.high <= BYTE:
        return draw.integer(domain.low, domain.high)
    return draw.integer(0, 3)


def _handle(draw: Draw, lab: Lab, interface: Interface) -> int:
    """Choose a number of the sort that an interface takes; other sorts need not fit its type."""
    view: Any = lab.view()
    if interface.area == "runtime":
        known = stream_values.handles(lab)
    elif interface.area == "vmm" or _takes_physical_memory(interface):
        known = [row.id for row in view.handles]
    elif interface.area == "physical":
        known = [row.number for row in view.numbers]
    elif interface.name == MemCpyAsyncWaitFinish.interface.name:
        known = [row.fd for row in view.copies]
    else:
        known = [row.id for row in view.descriptors]
    return draw.pick(known) if known else 0


def _takes_physical_memory(interface: Interface) -> bool:
    """Tell whether a call of the runtime takes a handle of physical memory."""
    domain = domain_of(annotations_of(interface.call).get("handle"))
    return interface.area == "physical" and domain is not None and domain.role == "handle"


def edge(draw: Draw, lab: Lab, interface: Interface, domain: Domain) -> int:
    """Choose a value at an edge: of the domain, of a rule, or of what is live."""
    options = [domain.low, domain.high, domain.low + 1, domain.high - 1]
    constants = constants_of(interface, lab.setting.profile)
    if domain.role == "address":
        for block in lab.blocks():
            end = block.base + block.size
            options += [block.base, block.base + 1, end - 1, end, block.base + block.extent]
        return draw.pick(options)
    if domain.role == "handle":
        return draw.pick((0, _handle(draw, lab, interface)))
    if domain.role == "device":
        options += [*lab.setting.devices, *(c for c in constants if 0 < c < MANY_DEVICES)]
    elif domain.role == "size":
        options += [TOP - block.base for block in lab.blocks()]
    options += [c + d for c in constants for d in (-1, 0, 1)]
    return draw.pick([n for n in options if domain.low <= n <= domain.high])


def arguments(draw: Draw, lab: Lab, interface: Interface) -> dict[str, Any]:
    """Choose arguments for a call: a plausible set, with an edge put in now and then."""
    chosen = plan(draw, lab)
    kinds = {
        n: k
        for n, k in annotations_of(interface.call).items()
        if n in interface.call.__struct_fields__
    }
    args = {
        name: _fitting(draw, lab, chosen, interface, name, kind) for name, kind in kinds.items()
    }
    if interface.name == "halMemAlloc" and draw.chance(80):
        args["flag"], args["size"] = flag_word(draw, lab), alloc_size(draw)
        if has_managed_memory(lab) and draw.chance(30):
            args["flag"], args["size"] = MANAGED, draw.pick((PAGE, 2 * PAGE, 4 * PAGE, 6000))
    if draw.chance(85):
        chosen_here = sharing_values.fitting(draw, lab, interface.name)
        args |= fitting(draw, lab, interface.name)
        args |= fitting_managed(draw, lab, interface.name)
        args |= pool_values.fitting(draw, lab, interface.name)
        of_streams = stream_values.fitting(draw, lab, interface.name)
        args |= {name: value for name, value in of_streams.items() if name in kinds}
        args |= fitting_key(draw, lab, interface.name)
        of_physical = fitting_physical(draw, lab, interface.name)
        args |= {name: value for name, value in of_physical.items() if name in kinds}
        args |= {name: value for name, value in chosen_here.items() if name in kinds}
    for _ in range(draw.pick((0, 0, 0, 1, 1, 2)) if kinds else 0):
        name = draw.pick(tuple(kinds))
        args[name] = _at_an_edge(draw, lab, interface, args[name], kinds[name])
    return args


def _fitting(draw: Draw, lab: Lab, chosen: Plan, interface: Interface, name: str, kind: Any) -> Any:
    domain = domain_of(kind)
    if domain is not None:
        if domain.role in ("out", "given"):
            return not draw.chance(3)
        return plausible(draw, lab, chosen, interface, name, domain)
    if isinstance(kind, type) and issubclass(kind, BitWord):
        if issubclass(kind, AllocFlags) and not draw.chance(5):
            return flag_word(draw, lab)
        return draw.integer(0, (1 << kind.width()) - 1)
    if isinstance(kind, type) and issubclass(kind, Record):
        if draw.chance(8):
            return None
        members = {
            member: _fitting(draw, lab, chosen, interface, member, inner)
            for member, inner in annotations_of(kind).items()
            if member in kind.__struct_fields__[1:]
        }
        return kind.to_plain(members) if kind in (InOut, InNumber) else members
    if get_origin(kind) is ArraySequence:
        if draw.chance(4):
            return None
        item = get_args(kind)[0]
        return [
            _fitting(draw, lab, chosen, interface, name, item)
            for _ in range(draw.pick((1, 1, 2, 3)))
        ]
    raise TypeError(f"{interface.name}: parameter {name} of kind {kind} cannot be chosen")


def _at_an_edge(draw: Draw, lab: Lab, interface: Interface, value: Any, kind: Any) -> Any:
    domain = domain_of(kind)
    if domain is not None:
        if domain.role in ("out", "given"):
            return not value
        return edge(draw, lab, interface, domain)
    if isinstance(kind, type) and issubclass(kind, BitWord):
        part = draw.pick(tuple(kind.layout.values()))
        flipped = 1 if isinstance(part, Flag) else draw.integer(1, (1 << part.width) - 1)
        return value ^ part.place(flipped)
    if kind in (InOut, InNumber):
        number = _at_an_edge(draw, lab, interface, 0, annotations_of(kind)["value"])
        return None if value is None else kind.to_plain({"value": number})
    if isinstance(value, dict) and value:
        member = draw.pick(tuple(value))
        inner = annotations_of(kind)[member]
        return {**value, member: _at_an_edge(draw, lab, interface, value[member], inner)}
    if isinstance(value, list) and value:
        place = draw.integer(0, len(value) - 1)
        inner = get_args(kind)[0]
        changed = _at_an_edge(draw, lab, interface, value[place], inner)
        return [*value[:place], changed, *value[place + 1 :]]
    return value


COMMON_KINDS = (DEV, DEV, DEV, DEV, HOST, HOST, HOST_UVA, DVPP, SVM)


def flag_word(draw: Draw, lab: Lab) -> int:
    """Choose a flag for halMemAlloc: a common kind with few further bits."""
    fields: dict[str, int] = {
        "virt": draw.pick(COMMON_KINDS) if not draw.chance(6) else draw.integer(0, 15),
        "devid": draw.pick(lab.setting.devices),
        "module": draw.pick((0, 0, 7, 33, 48, 76, 77, 255)),
    }
    if draw.chance(25):
        fields["huge"] = 1
    if draw.chance(15):
        singles = [name for name, part in AllocFlags.layout.items() if isinstance(part, Flag)]
        for _ in range(draw.pick((1, 1, 2))):
            fields[draw.pick(singles)] = 1
    return AllocFlags.compose(**fields)


def alloc_size(draw: Draw) -> int:
    """Choose a size that an allocation can have: small ones, page ends, a few MiB."""
    edges = (1, 4095, 4096, 4097, 65536, 2**21 - 1, 2**21, 2**21 + 1, 2**22, 2**22 + 1)
    return draw.pick(edges) if draw.chance(75) else draw.integer(1, 4 * MODEST)
