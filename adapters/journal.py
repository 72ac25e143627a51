"""The journal: memory that a worker and its session share, where replies are written.

A reply is in the journal as soon as its call has returned, so a crash in the middle of a run
loses nothing, and no system call is needed between two calls. Each thread of the worker has a
lane of its own:

=====  ====================================================================================
word   meaning
=====  ====================================================================================
0      bytes of replies in the lane
1      index in the run of the first reply in the lane (earlier ones were sent as parts)
2      number of calls that were finished
3      number of calls that were begun
=====  ====================================================================================

followed by the replies, one MessagePack value after the other.
"""

from __future__ import annotations

import mmap
import os
import struct

USED, FIRST, FINISHED, BEGUN = range(4)
HEAD = 32
SIZE = 1 << 22
"""Bytes of a journal; only those that are used cost memory."""
MOST_LANES = 256


class JournalBroken(Exception):
    """The journal holds something that nobody wrote on purpose."""


def create() -> int:
    """Return a descriptor of an empty journal."""
    descriptor = os.memfd_create("halcert-journal", os.MFD_CLOEXEC)
    os.ftruncate(descriptor, SIZE)
    return descriptor


class Lane:
    """The part of a journal that belongs to one thread."""

    def __init__(self, journal: Journal, index: int, lanes: int) -> None:
        width = SIZE // lanes // 64 * 64
        view = memoryview(journal.map)[index * width : (index + 1) * width]
        self.words = view[:HEAD].cast("Q")
        self.room = view[HEAD:]
        self._size = len(self.room)
        self._used = 0

    def reset(self) -> None:
        """Empty the lane; the worker writes from its beginning in every run."""
        for word in (USED, FIRST, FINISHED, BEGUN):
            self.words[word] = 0

    def append(self, reply: bytes, count: int) -> bool:
        """Write the reply that makes ``count`` in this run; tell whether there was room."""
        start = self._used
        end = start + len(reply)
        if end > self._size:
            return False
        self.room[start:end] = reply
        self._used = end
        self.words[USED] = end
        self.words[FINISHED] = count
        return True

    def drained(self) -> None:
        """Start over: what the lane held, and one reply more, has been sent."""
        self.words[FIRST] = self.words[BEGUN]
        self.words[FINISHED] = self.words[BEGUN]
        self.words[USED] = self._used = 0

    def replies(self) -> tuple[int, bytes]:
        """Return the index of the first reply here, and all replies as a MessagePack array.

        Raises:
            JournalBroken: the words contradict each other.
        """
        used, first, finished, begun = self.words
        if used > len(self.room) or not first <= finished <= begun or finished > 1 << 31:
            raise JournalBroken("the journal of the worker is overwritten")
        return first, array_head(finished - first) + bytes(self.room[:used])


def array_head(count: int) -> bytes:
    """Return what stands before the elements of a MessagePack array."""
    return struct.pack(">BI", 0xDD, count)


class Journal:
    """A journal, mapped. Lanes are laid out anew for each run."""

    def __init__(self, descriptor: int) -> None:
        self.map = mmap.mmap(descriptor, SIZE)

    def lanes(self, count: int) -> list[Lane]:
        """Return that many lanes; everybody must ask for the same number in a run."""
        return [Lane(self, index, count) for index in range(count)]
