"""The tables of state of the runtime, which the areas below it do not know."""

from __future__ import annotations

from halcert.spec.language import Row, row


@row(key="place")
class Session(Row, frozen=True):
    """What a process made of the runtime; there is a row once it did anything with it."""

    place: int
    """Always 0."""
    inits: int
    """Initialisations that count."""
    finalized: bool
    """Finalised, and not initialised since."""
    current: int
    """The device that the thread works with, plus 1; 0 for none."""
    lines: int
    """Number of the stream that was made last."""


@row(key="id")
class Use(Row, frozen=True):
    """A device as the runtime holds it."""

    id: int
    """Device id."""
    references: int
    """How often it was set and not reset."""


@row(key="id")
class Queue(Row, frozen=True):
    """A stream: tasks that the device does one after the other."""

    id: int
    """The handle; for the default stream of a device a negative number of its own."""
    device: int
    """Device that does the tasks."""
    line: int
    """A number of its own, which no later stream gets."""
    issued: int
    """Tasks so far."""
    fallible: bool
    """Some task may have failed, and nobody has waited since."""


@row(key="id")
class Event(Row, frozen=True):
    """A point in a stream that others can wait for."""

    id: int
    """The handle."""
    recorded: bool
    """It stands for a point."""
    line: int
    """Number of the stream."""
    position: int
    """Tasks of the stream that come before the point."""


@row(key="place")
class Knowledge(Row, frozen=True):
    """Tasks of a stream come before whatever an observer does next.

    All that is known says its key, so knowledge is passed on by copying rows.
    """

    place: int
    """A number of its own for each observer, stream and position."""
    observer: int
    """Who knows: twice the number of a stream, or twice the handle of an event, and one."""
    line: int
    """Number of the stream."""
    position: int
    """Up to which task."""


@row(key="place")
class Work(Row, frozen=True):
    """A task that was given to a stream and that the host has not seen the end of."""

    place: int
    """A number of its own."""
    line: int
    """Number of the stream."""
    position: int
    """Which task of the stream."""
    base: int
    """First address that it reads or writes."""
    size: int
    """Bytes."""
    writes: bool
    """It writes them."""


@row(key="address")
class Word(Row, frozen=True):
    """Eight bytes of memory by which streams wait for each other."""

    address: int
    """Where they are."""
    memory: int
    """Name of the memory object that they are in."""
    value: int
    """What a stream wrote there last."""
    waiter: int
    """Number of the stream that waits for another value; 0 if none does."""
    position: int
    """Which task of it the wait is."""
    wanted: int
    """What the value is compared with."""
    how: int
    """How it is compared."""


@row(key="id")
class StreamPool(Row, frozen=True):
    """A pool of device memory from which streams take memory in their order."""

    id: int
    """The handle."""
    device: int
    """Device that the memory is on."""
    size: int
    """The most bytes that it gives out at a time."""
    follow: bool
    """Freed memory may be used again after an event."""
    opportunistic: bool
    """Freed memory may be used again when the free happens to be done."""
    internal: bool
    """Freed memory may be used again after a wait that is put in for that."""
    threshold: int
    """Bytes of memory that it may keep for later."""
    granted: int
    """Bytes that it gave out in all."""
    held_least: int
    """Bytes of memory that it has, at least."""
    held_most: int
    """Bytes of memory that it has, at most."""
    reserved_least: int
    """High-water mark of the memory that it had, at least."""
    reserved_most: int
    """The same, at most."""
    used_least: int
    """High-water mark of the memory in use, at least."""
    used_most: int
    """The same, at most."""
    doubtful: bool
    """A task on it may have failed, so nobody can tell what became of it."""


@row(key="base", extent="extent")
class Portion(Row, frozen=True):
    """Addresses that a pool gave to a stream: in use, or freed and not given to anybody since."""

    base: int
    """First address."""
    extent: int
    """Bytes."""
    pool: int
    """Handle of the pool."""
    used: bool
    """In use."""
    line: int
    """Number of the stream that got it, or that freed it."""
    position: int
    """Which task of that stream."""
    loose: bool
    """Freed, and the pool may have given it back once the free was done."""
