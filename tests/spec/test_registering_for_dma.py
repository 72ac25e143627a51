"""What is registered for DMA is registered by the byte, and for one device."""

from __future__ import annotations

import pytest

from halcert.model.concrete import Oracle, World
from halcert.spec.catalogue import interfaces
from halcert.spec.language import poison
from halcert.spec.profiles import PROFILES

INTERFACES = interfaces()
ORACLE = Oracle(INTERFACES.values(), PROFILES["ascend910b"])
PLACE = 0x7F00_0000_0000
DMA = 5
REFUSED = 8
UNTOUCHED = {"dst_ptr": poison(64)}


def after(world, name, out=None, **args):
    """Return the world after a call that is accepted."""
    interface = INTERFACES[name]
    call, result = interface.parse(args), interface.parse_result(0, out or {})
    judged = ORACLE.judge(world, call, result)
    assert judged.violation is None
    return judged.world


def registering(world, start, size, code, device=0):
    """Return the rule that an answer to a registration breaks, or None."""
    interface = INTERFACES["halHostRegister"]
    args = {"src_ptr": PLACE + start, "size": size, "flag": DMA, "devid": device}
    call = interface.parse({**args, "dst_ptr": False})
    assert ORACLE.undefined(interface.name, call, world) is None
    broken = ORACLE.judge(world, call, interface.parse_result(code, UNTOUCHED)).violation
    return None if broken is None else broken.rule


@pytest.fixture
def world():
    """One byte is registered for DMA."""
    found = World.start((0, 1))
    for device in (0, 1):
        found = after(found, "halMemAgentOpen", devid=device, flag=0)
    found = after(found, "host.map", {"address": PLACE}, size=3 * 4096)
    args = {"src_ptr": PLACE, "size": 1, "flag": DMA, "devid": 0, "dst_ptr": False}
    return after(found, "halHostRegister", UNTOUCHED, **args)


def test_the_bytes_behind_are_free(world):
    assert registering(world, 1, 99, 0) is None
    assert registering(world, 1, 99, REFUSED) == "SHARING-REGISTER-030"


def test_the_byte_itself_is_not(world):
    assert registering(world, 0, 100, 0) == "SHARING-REGISTER-014"
    assert registering(world, 0, 100, REFUSED) is None


def test_another_device_has_ranges_of_its_own(world):
    assert registering(world, 0, 100, 0, device=1) is None
