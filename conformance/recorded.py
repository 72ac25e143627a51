"""Recorded outcomes in place of an implementation: what a trace holds is answered once more.

A lab on such a session judges a trace without calling anything, by the same code that judged it
while it was recorded.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from itertools import count
from types import TracebackType

import msgspec
from typing_extensions import Self

from halcert.adapters.protocol import Garbled, Reply, Request
from halcert.model.concrete.world import FIRST_PID
from halcert.results import Answered, Outcome, TraceStep
from halcert.spec.language import Interface
from halcert.spec.language.domain import annotations_of

LOST = Garbled("the trace does not say what came")


def restored(step: TraceStep, interface: Interface) -> TraceStep:
    """Return a call with the bytes that it gave as bytes; a trace file holds them as base64.

    Raises:
        ValueError: they are no base64.
    """
    outcome = step.outcome
    if not isinstance(outcome, Answered):
        return step
    kinds = annotations_of(interface.result)
    encoded = {n: v for n, v in outcome.out.items() if kinds.get(n) is bytes and isinstance(v, str)}
    if not encoded:
        return step
    out = {n: base64.b64decode(v, validate=True) for n, v in encoded.items()}
    outcome = msgspec.structs.replace(outcome, out={**outcome.out, **out})
    return msgspec.structs.replace(step, outcome=outcome)


class RecordedSession:
    """Answers what a trace holds; whoever makes the calls says which one comes next.

    Attributes:
        next: the call that is about to be made.
    """

    def __init__(self, steps: Sequence[TraceStep]) -> None:
        """Take the calls with their outcomes."""
        self.outcomes: Mapping[int, Outcome] = {
            step.number: step.outcome for step in steps if step.outcome is not None
        }
        self.next = 0
        self._pids = count(FIRST_PID)

    def offers(self, interface: str) -> bool:  # noqa: ARG002 - of the contract
        """Tell whether an interface can be called: what was recorded was."""
        return True

    def spawn(self) -> RecordedActor:
        """Return a process."""
        return RecordedActor(self, next(self._pids))

    def close(self) -> None:
        """Nothing was started."""

    def __enter__(self) -> Self:
        """Return the session."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Nothing was started."""


class RecordedActor:
    """A process of a recording."""

    alive = True

    def __init__(self, session: RecordedSession, pid: int) -> None:
        """Take the recording; a trace does not tell the number that the process had."""
        self._session = session
        self.pid = pid

    def call(self, request: Request, timeout: float | None = None) -> Reply:  # noqa: ARG002
        """Answer the call that the session was told to come next."""
        return self._session.outcomes.get(self._session.next, LOST)

    def batch(self, requests: Sequence[Request], timeout: float | None = None) -> list[Reply]:  # noqa: ARG002
        """Answer calls by their numbers."""
        return [self._session.outcomes.get(request.number, LOST) for request in requests]

    def threads(
        self, programs: Sequence[Sequence[Request]], timeout: float | None = None
    ) -> list[list[Reply]]:
        """Answer the calls of several threads by their numbers."""
        return [self.batch(program, timeout) for program in programs]

    def kill(self) -> None:
        """Nothing was started."""

    def close(self) -> None:
        """Nothing was started."""
