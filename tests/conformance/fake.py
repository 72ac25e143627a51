"""An implementation in this process: the model, with a flaw if a test wants one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from halcert.adapters.protocol import Answered, Reply, Request
from halcert.conformance.lab import Lab, Setting
from halcert.conformance.model_adapter import DEVICES, ModelActor, ModelSession
from halcert.conformance.tally import Tally
from halcert.model.concrete import Oracle
from halcert.spec.catalogue import interfaces
from halcert.spec.profiles import PROFILES
from halcert.spec.svm.flags import DEV, AllocFlags

NAMES = (
    "halMemAgentOpen",
    "halMemAgentClose",
    "halMemAlloc",
    "halMemFree",
    "drvMemsetD8",
    "drvMemcpy",
    "host.map",
    "host.unmap",
    "host.store",
    "host.fill",
    "host.load",
)
PROFILE = PROFILES["ascend910b"]
INTERFACES = {name: interfaces()[name] for name in NAMES}
DEVICE_MEMORY = AllocFlags.compose(virt=DEV)

Flaw = Callable[[str, Mapping[str, Any], Answered], Reply]
"""Takes a call and the right answer, and returns the answer that is given."""


class FakeActor(ModelActor):
    """A process of the model that may answer wrongly."""

    def call(self, request: Request, timeout: float | None = None) -> Reply:
        """Make one call."""
        assert self.alive
        reply = super().call(request, timeout)
        assert isinstance(reply, Answered), reply
        self._session.made[request.interface] += 1
        return self._session.flaw(request.interface, request.args, reply)


class FakeSession(ModelSession):
    """The model, with a flaw."""

    def __init__(self, flaw: Flaw | None = None) -> None:
        """Take the flaw; None for none."""
        super().__init__(PROFILE)
        self.flaw = flaw or (lambda _name, _args, answer: answer)
        self.made: Counter[str] = Counter()
        self.spawned = self.ended_ones = 0

    def spawn(self) -> FakeActor:
        """Start a process."""
        actor = super().spawn()
        self.spawned += 1
        return FakeActor(self, actor._process)

    def ended(self, process: int) -> None:
        """Forget a process."""
        self.ended_ones += 1
        super().ended(process)


def setting_for(session: FakeSession) -> Setting:
    """Return what labs need, with the few interfaces of ``NAMES``."""
    return Setting(session, Oracle(INTERFACES.values(), PROFILE), INTERFACES, DEVICES)


def lab_for(flaw: Flaw | None = None, session: FakeSession | None = None) -> Lab:
    """Return a fresh lab on a fake."""
    return Lab(setting_for(session or FakeSession(flaw)), "test", Tally())


def answers(name: str, condition: Callable[[Mapping[str, Any], Answered], bool], code: int) -> Flaw:
    """Return the flaw of one interface: where the condition holds, this code comes."""

    def flaw(interface: str, args: Mapping[str, Any], answer: Answered) -> Reply:
        if interface == name and condition(args, answer):
            return Answered(code, answer.out, answer.began, answer.ended)
        return answer

    return flaw
