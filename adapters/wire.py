"""Frames between a session and its workers: a length, a kind and a content, over a socket.

The replies of a run of calls do not travel in frames but through the journal
(``halcert.adapters.journal``); a frame only says that the run is over.
"""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import time
from collections.abc import Callable

FRAME_LIMIT = (1 << 26) + (1 << 20)
"""The most bytes of content: the longest load, and some room around it."""

# To the worker.
RUN = b"B"
"""Requests to be made in order."""
THREADS = b"T"
"""Lists of requests, each for a thread of its own."""
EXIT = b"X"
"""Leave in an orderly way."""

# From the worker.
READY = b"H"
"""The library is loaded; the content lists the symbols that it has."""
UNLOADABLE = b"E"
"""The library is not; the content is the loader's reason."""
PART = b"P"
"""Replies that had to leave the journal because it was full."""
REFUSED = b"R"
"""A request cannot be turned into a call; the content says why. The run is over."""
DONE = b"D"
"""The run is over, the journal holds the replies."""
SPOILED = b"S"
"""A call wrote where it must not; the content says where. The worker takes no more calls."""
FAILED = b"F"
"""The worker failed by itself; the content says how. (Its exit status could be the library's.)"""

_HEAD = struct.Struct("<Ic")


class BrokenFrame(Exception):
    """What came is no frame."""


class Closed(Exception):
    """The other side has gone."""


class Late(Exception):
    """Nothing came in time."""


def send(channel: socket.socket, kind: bytes, content: bytes = b"") -> None:
    """Send a frame.

    Raises:
        OSError: the other side has gone.
    """
    head = _HEAD.pack(len(content), kind)
    if len(content) < 1 << 16:
        channel.sendall(head + content)
    else:
        channel.sendall(head)
        channel.sendall(content)


def receive(
    channel: socket.socket, wait: Callable[[socket.socket], None] | None = None
) -> tuple[bytes, bytes]:
    """Return the kind and the content of the next frame.

    Args:
        channel: the socket.
        wait: called before each read; raises ``Late`` when it has waited long enough.

    Raises:
        Closed: the other side has gone, also in the middle of a frame.
        BrokenFrame: the frame is too long to be one.
    """
    length, kind = _HEAD.unpack(_exactly(channel, _HEAD.size, wait))
    if length > FRAME_LIMIT:
        raise BrokenFrame(f"a frame of {length} bytes")
    return kind, bytes(_exactly(channel, length, wait))


def _exactly(
    channel: socket.socket, size: int, wait: Callable[[socket.socket], None] | None
) -> bytearray:
    content = bytearray(size)
    view = memoryview(content)
    while view:
        if wait is not None:
            wait(channel)
        try:
            count = channel.recv_into(view)
        except OSError as error:
            raise Closed from error
        if count == 0:
            raise Closed
        view = view[count:]
    return content


class Patience:
    """Waits for a socket as long as there is progress.

    Args:
        seconds: how long to wait without progress.
        progress: returns a number that changes whenever there has been some.
        end: descriptor that can be read once the other side has ended. Its children may still
            hold the socket open then, so that the socket alone would not tell.
    """

    LOOKS = 8
    """How often to look for progress within the time."""

    def __init__(
        self,
        seconds: float,
        progress: Callable[[], int] = lambda: 0,
        end: int | None = None,
    ) -> None:
        self._seconds = seconds
        self._progress = progress
        self._end = end
        self._seen = progress()
        self._deadline = time.monotonic() + seconds

    def __call__(self, channel: socket.socket) -> None:
        """Return when the socket can be read.

        Raises:
            Late: it cannot, and nothing has progressed either.
            Closed: it cannot, and the other side has ended.
        """
        poll = select.poll()
        poll.register(channel, select.POLLIN)
        if self._end is not None:
            poll.register(self._end, select.POLLIN)
        while True:
            ready = poll.poll(max(1.0, 1000 * self._seconds / self.LOOKS))
            if ready:
                # What it sent before its end may have come between two looks.
                if ready[0][0] == channel.fileno() or _readable(channel):
                    return
                raise Closed
            seen = self._progress()
            if seen != self._seen:
                self._seen = seen
                self._deadline = time.monotonic() + self._seconds
            elif time.monotonic() >= self._deadline:
                raise Late


def _readable(channel: socket.socket) -> bool:
    poll = select.poll()
    poll.register(channel, select.POLLIN)
    return bool(poll.poll(0))


def close_quietly(channel: socket.socket) -> None:
    """Close a socket whatever state it is in."""
    with contextlib.suppress(OSError):
        channel.close()
