"""Memory whose end is guarded: what a C call gets pointers to.

A buffer ends where an inaccessible page begins, so a library that reads or writes past the end
of what it was given ends its process there and then, instead of spoiling something unseen. In
front of a buffer lie marked bytes, which ``intact`` looks at: a write there is found afterwards.
"""

from __future__ import annotations

import ctypes
import mmap

PAGE = mmap.PAGESIZE
PROT_NONE = 0
MARK = bytes(range(0xC0, 0x100))
"""What lies in front of a buffer."""

libc = ctypes.CDLL(None, use_errno=True)
libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
libc.mmap.argtypes = (
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_long,
)
libc.mmap.restype = ctypes.c_size_t
libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)


class Guarded:
    """A buffer of a given size in front of an inaccessible page; lives as long as the process.

    Attributes:
        address: where the buffer begins.
        view: its bytes.
    """

    __slots__ = ("_before", "_room", "address", "view")

    def __init__(self, size: int) -> None:
        self._take(size)
        self.fit(size)

    def _take(self, size: int) -> None:
        pages = -(-(len(MARK) + size) // PAGE) * PAGE
        start = libc.mmap(
            None,
            pages + PAGE,
            mmap.PROT_READ | mmap.PROT_WRITE,
            mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS,
            -1,
            0,
        )
        if start == ctypes.c_size_t(-1).value or libc.mprotect(start + pages, PAGE, PROT_NONE):
            raise MemoryError(f"no memory for a buffer of {size} bytes")
        self._room = (ctypes.c_ubyte * pages).from_address(start)

    def fit(self, size: int) -> None:
        """Make the buffer ``size`` bytes long; what it held is lost."""
        room = len(self._room)
        if size + len(MARK) > room:
            libc.munmap(ctypes.addressof(self._room), room + PAGE)
            self._take(max(size, 2 * room))
            room = len(self._room)
        self.address = ctypes.addressof(self._room) + room - size
        whole = memoryview(self._room).cast("B")
        self.view = whole[room - size :]
        self._before = whole[room - size - len(MARK) : room - size]
        self._before[:] = MARK

    def intact(self) -> bool:
        """Return whether nobody wrote in front of the buffer."""
        return self._before.tobytes() == MARK
