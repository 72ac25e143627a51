"""What an adapter is: requests, replies, and the classes that carry them.

An adapter opens sessions, a session spawns actors (processes of the implementation under test),
an actor makes calls. A call always ends in a reply, and the kind of reply says whose fault it is:

=========  =====================================================================================
reply      meaning
=========  =====================================================================================
Answered   the call returned; whether the answer is right is for the oracle to say
Crashed    the process ended during the call: the implementation's fault (a crash is a result),
           unless the request was an access by the program itself to memory it must not touch
Hung       no answer in time, the process was killed: the implementation's fault, or a time
           limit that is too short for this machine
Garbled    the process answered something that is no reply: the implementation overwrote memory
           of the worker, or the worker is broken; the actor is of no further use
Missing    the library has no such symbol: the implementation's choice; ask ``offers`` before
=========  =====================================================================================

Everything else that can go wrong is ours or the user's and is raised as an ``AdapterError`` with
a hint what to do about it (``halcert.adapters.errors``).

Arguments and outputs are plain values (numbers, truth values, lists, mappings, null); how each
parameter of the C interfaces is written is told in ``halcert.spec.abi.functions``.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Protocol, runtime_checkable

import msgspec
from typing_extensions import Self

from halcert.results import Answered, Crashed, Garbled, Hung, Missing

REST = "host.rest"
"""The interface by which a program waits."""
HOST_INTERFACES = ("host.map", "host.unmap", "host.store", "host.fill", "host.load", REST)
"""Accesses by the program itself, which every adapter offers beside the library's symbols.

``host.map(size)`` maps fresh zeroed memory and gives its ``address``; ``host.unmap(address)``
undoes that. ``host.store(address, size, pattern, offset)`` writes bytes of a pattern,
``host.fill(address, size, value)`` writes one byte value, ``host.load(address, size)`` gives
the bytes as ``data``. ``host.rest(milliseconds)`` waits. A load or store where the process may
not go ends it, as it would end any program. The code is 0, or the errno of the system for map and
unmap.
"""

DEVICE_INTERFACES = ("device.load", "device.store")
"""Accesses by the program that runs on a device, for libraries with a device agent.

``device.load(device, address, size)`` gives ``data``, ``device.store(device, address, size,
pattern, offset)`` writes bytes of a pattern. The code is 0, or what the agent says of an access
that the device could not make. Only a simulated device has such an agent; ask ``offers`` before.
"""

LOADS = frozenset({"host.load", "device.load"})
"""The interfaces that give bytes."""


class Request(msgspec.Struct, frozen=True, gc=False):
    """One call to make.

    An argument, or a field or element inside one, may be a reference to an output of an earlier
    call of the same actor: ``{"$": number, "field": "pp", "plus": 0}``. It is resolved where the
    calls are made, so that calls that depend on each other fit in one batch. One to a name may
    have a member ``altered``, the number of the byte in which it differs from what came.

    Attributes:
        interface: symbol in the library, or one of ``HOST_INTERFACES`` or ``DEVICE_INTERFACES``.
        args: plain value of each parameter, by name.
        number: name of the call for later references; numbers do not repeat within an actor.
    """

    interface: str
    args: dict[str, Any]
    number: int = 0


def reference(number: int, field: str, plus: int = 0) -> dict[str, Any]:
    """Return an argument that stands for an output of an earlier call.

    Args:
        number: the number of the earlier request.
        field: name of the output; ``attr.devId`` names a field within a structure.
        plus: a distance to add.
    """
    return {"$": number, "field": field, "plus": plus}


Reply = Answered | Crashed | Hung | Garbled | Missing
"""How a call can end; the kinds are those that traces hold."""

__all__ = [
    "DEFAULT_OPTIONS",
    "DEVICE_INTERFACES",
    "HOST_INTERFACES",
    "LOADS",
    "Actor",
    "Adapter",
    "Answered",
    "Crashed",
    "Description",
    "Garbled",
    "Hung",
    "Missing",
    "Options",
    "Reply",
    "Request",
    "Session",
    "reference",
]


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How a session is to be opened.

    Attributes:
        library: path of the library under test; None for the bundled software driver.
        fault: name of a seeded fault of the bundled software driver; None for the correct one.
        environment: variables to set for the processes, on top of the present environment.
        call_timeout: seconds after which a call counts as hung, where the caller names none.
        memory_limit: bytes of private memory that each process may map; None for no limit. (What
            is mapped counts, touched or not, and tests map much more than they touch.)
    """

    library: str | None = None
    fault: str | None = None
    environment: dict[str, str] = msgspec.field(default_factory=dict)
    call_timeout: float = 10.0
    memory_limit: int | None = None


DEFAULT_OPTIONS = Options()
"""The bundled software driver, as it comes."""


class Description(msgspec.Struct, frozen=True, kw_only=True):
    """What an adapter talks to.

    Attributes:
        adapter: name of the adapter.
        implementation: what is under test, in a few words.
        path: file of the library; empty if there is none.
        sha256: digest of that file; empty if there is none.
        version: version as the implementation reports it; empty if it does not.
        devices: number of devices as the implementation reports it; None if it does not.
        missing: declared symbols that the library lacks.
    """

    adapter: str
    implementation: str
    path: str = ""
    sha256: str = ""
    version: str = ""
    devices: int | None = None
    missing: tuple[str, ...] = ()


class Actor(Protocol):
    """One process of the implementation under test. Used by one thread at a time."""

    @property
    def alive(self) -> bool:
        """Whether the process still takes calls."""

    @property
    def pid(self) -> int:
        """Number by which other processes can name it to the implementation."""

    def call(self, request: Request, timeout: float | None = None) -> Reply:
        """Make one call.

        Args:
            request: the call.
            timeout: seconds until it counts as hung; None for the session's.
        """

    def batch(self, requests: Sequence[Request], timeout: float | None = None) -> list[Reply]:
        """Make calls in order, without coming back between them.

        Args:
            requests: the calls.
            timeout: seconds until any one of them counts as hung; None for the session's.

        Returns:
            One reply per request. After a crash or a hang there are no further replies.
        """

    def threads(
        self, programs: Sequence[Sequence[Request]], timeout: float | None = None
    ) -> list[list[Reply]]:
        """Make calls from several threads of the process, which start together.

        Args:
            programs: for each thread its calls, in order.
            timeout: seconds without any call returning until the process counts as hung.

        Returns:
            For each thread its replies, as ``batch`` gives them. When the process crashes or
            hangs, the threads that were within a call end with that reply; a thread that was
            between two calls just stops.
        """

    def kill(self) -> None:
        """End the process at once, as by ``kill -9``."""

    def close(self) -> None:
        """Let the process exit in an orderly way."""


class Session(Protocol):
    """An implementation under test, set up for one product. Processes share its devices."""

    def offers(self, interface: str) -> bool:
        """Tell whether an interface can be called."""

    def spawn(self) -> Actor:
        """Start a process."""

    def close(self) -> None:
        """End all processes and remove what the session left behind."""

    def __enter__(self) -> Self:
        """Return the session."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the session."""


@runtime_checkable
class Adapter(Protocol):
    """A way to talk to implementations of one kind."""

    @property
    def name(self) -> str:
        """Name on the command line."""

    def describe(self, options: Options = DEFAULT_OPTIONS) -> Description:
        """Tell what a session with these options would talk to."""

    def open(self, profile: str, options: Options = DEFAULT_OPTIONS) -> Session:
        """Open a session for a product."""
