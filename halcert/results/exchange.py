"""The messages of the ``exec`` adapter: one JSON object a line, on standard input and output.

A program starts, says ``Hello``, and then answers each ``Ask`` with an ``Answer``. It ends when
its standard input does. What it prints on standard error is kept as its last words.
"""

from __future__ import annotations

from typing import Any

import msgspec

FORMAT = "halcert-exec/1"


class Hello(msgspec.Struct, frozen=True):
    """The first line that the program writes.

    Attributes:
        format: name and version of the protocol.
        name: what the implementation is called.
        devices: number of devices that there are; their ids are 0, 1, ...
        interfaces: what can be called: symbols of the library, and host.map, host.unmap,
            host.store, host.fill and host.load, which every program offers.
        version: version of the implementation; empty if it has none.
        threads: whether calls of several threads are made at the same time; if not, they are
            made one after the other, and nothing is learnt about threads.
        pid: number by which other processes name this one to the implementation; 0 for the
            process id that the system gave it.
    """

    format: str
    name: str
    devices: int
    interfaces: tuple[str, ...]
    version: str = ""
    threads: bool = False
    pid: int = 0


class Ask(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call to be made.

    Attributes:
        number: number of the message, which the answer repeats.
        interface: what to call.
        args: its arguments in plain form, by name; bytes are hexadecimal.
        thread: thread to make it in, from 1; 0 for the main one. Asked only of programs that say
            that they have threads, and never while the thread is still busy.
    """

    number: int
    interface: str
    args: dict[str, Any]
    thread: int = 0


class Answer(msgspec.Struct, frozen=True):
    """What a call gave.

    Attributes:
        number: number of the message that is answered.
        code: return code; for accesses by the host 0, or the errno of the system.
        out: outputs by name in plain form, as they stand after the call; bytes are hexadecimal.
            Before the call every byte of an output holds 0xA5.
        error: why the call could not be made, which is a fault of the program and not of the
            implementation; empty if it was made.
    """

    number: int
    code: int = 0
    out: dict[str, Any] = {}
    error: str = ""
