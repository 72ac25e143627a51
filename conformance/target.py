"""What is tested: an implementation as other processes understand it, and what it consists of."""

from __future__ import annotations

import msgspec

from halcert.adapters.errors import AdapterError
from halcert.adapters.protocol import Adapter, Description, Options, Request, Session
from halcert.conformance.lab import Setting
from halcert.model.concrete import Oracle
from halcert.results import Answered, Crashed, Garbled, Hung, Missing, Outcome
from halcert.spec.abi.codes import symbol_of
from halcert.spec.catalogue import interfaces, with_used
from halcert.spec.language import poison
from halcert.spec.profiles import PROFILES

MOST_DEVICES = 64
"""Devices that a machine can have; whoever tells of more does not know."""
PATIENCE = 3.0
"""Seconds after which a call of a bundled library counts as hung; none takes a tenth of it."""


class Target(msgspec.Struct, frozen=True):
    """What is tested, in a form that other processes understand.

    Attributes:
        adapter: name of the adapter.
        options: how sessions are opened.
        profile: name of the product.
        areas: names of the areas.
        devices: ids of the devices that are present.
    """

    adapter: str
    options: Options
    profile: str
    areas: tuple[str, ...]
    devices: tuple[int, ...]


def setting_of(target: Target, session: Session) -> Setting:
    """Return what labs need, for an open session.

    Of areas that are only used, what the implementation does not offer is not called.
    """
    asked = interfaces(target.areas)
    used = interfaces(with_used(target.areas))
    found = {name: each for name, each in used.items() if name in asked or session.offers(name)}
    oracle = Oracle(found.values(), PROFILES[target.profile])
    return Setting(session, oracle, found, target.devices)


def describe(adapter: Adapter, options: Options) -> tuple[Description, tuple[int, ...]]:
    """Return what the adapter talks to, and the ids of the devices.

    Raises:
        AdapterError: the implementation cannot be started, or offers no usable number of devices.
    """
    description = adapter.describe(options)
    return description, devices_of(description, adapter, options)


def devices_of(description: Description, adapter: Adapter, options: Options) -> tuple[int, ...]:
    """Return the ids of the devices that an adapter tells of.

    Raises:
        AdapterError: it tells no usable number of devices.
    """
    count = description.devices
    if count == 0:
        raise AdapterError(
            f"{description.implementation} offers no device",
            "Are the device nodes there and accessible? `halcert doctor` tells what it sees.",
        )
    if count is None or not 0 < count <= MOST_DEVICES:
        told = _no_count(adapter, options) if count is None else _strange_count(adapter, count)
        raise AdapterError(
            f"{description.implementation} gives no usable number of devices: {told}",
            f"Nothing can be tested without at least one and at most {MOST_DEVICES} devices.",
        )
    return tuple(range(count))


COUNTING = {"hal": ("drvGetDevNum", "num_dev"), "acl": ("aclrtGetDeviceCount", "count")}
"""What adapters of libraries ask for the number of devices, and the output that holds it."""


def _strange_count(adapter: Adapter, count: int) -> str:
    if count == poison(32):
        return f"{_counting(adapter)[0]} succeeded and left its output alone"
    return f"it reports {count}"


def _no_count(adapter: Adapter, options: Options) -> str:
    """Ask once more for the number of devices, to say what comes instead of one."""
    name, output = _counting(adapter)
    with adapter.open(next(iter(PROFILES)), options) as session:
        if not session.offers(name):
            return f"it has no {name}"
        return f"{name} {_in_words(session.spawn().call(Request(name, {output: True})))}"


def _counting(adapter: Adapter) -> tuple[str, str]:
    return COUNTING.get(adapter.name, COUNTING["hal"])


def _in_words(outcome: Outcome) -> str:
    match outcome:
        case Answered(code=code):
            return f"answers {symbol_of(code)}"
        case Crashed(signal=0):
            return "ends the process"
        case Crashed(signal=number):
            return f"crashes with signal {number}"
        case Hung(seconds=seconds):
            return f"gives no answer within {seconds:g} s"
        case Garbled(note=note):
            return f"answers what is no reply: {note}"
        case Missing():
            return "is missing"
