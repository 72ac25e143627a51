"""Names for what calls gave, so that later calls can be written down with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from halcert.conformance.book import Book, named, roles_of
from halcert.conformance.given import START
from halcert.spec.language import Interface, Record, Returned
from halcert.spec.physical.addresses import ReserveMemAddress
from halcert.spec.sharing.names import SHARES
from halcert.spec.vmm.reserve import MemAddressReserve

RESERVED = (MemAddressReserve.Result, ReserveMemAddress.Result)
"""Results that give addresses which mappings lie in."""


@dataclass
class Naming:
    """What has a name in an experiment: for all its processes, and for each of them."""

    _common: Book = field(default_factory=Book)
    _books: dict[int, Book] = field(default_factory=dict)
    _learned: dict[tuple[int, int], int] = field(default_factory=dict)
    """By process and address or handle, the memory that it was named for."""

    def started(self, process: int, pid: int) -> None:
        """Name the number that the operating system gave a process."""
        self._common.learn_exact(pid, START, f"pid.{process}")

    def named(self, interface: Interface, args: Mapping[str, Any], process: int) -> dict[str, Any]:
        """Return arguments with references in place of what earlier calls gave."""
        return named(roles_of(interface.call), args, self._book(process))

    def learn(
        self,
        number: int,
        args: Mapping[str, Any],
        result: Returned,
        out: Mapping[str, Any],
        process: int,
        view: Any,
    ) -> None:
        """Name what a successful call gave, and take back the names of what it has given up.

        Args:
            number: number of the call.
            args: its arguments.
            result: what it gave.
            out: the same in JSON form.
            process: the process that made it.
            view: the state that it left, as this process sees it.
        """
        self._forget(args, process, view)
        for name in result.__struct_fields__[1:]:
            value: Any = getattr(result, name)
            while isinstance(value, Record):  # a descriptor, perhaps in a matrix copy
                name, value = f"{name}.dma", getattr(value, "dma", 0)  # noqa: PLW2901
            if not isinstance(value, int) or isinstance(value, bool) or not value:
                continue
            if name in SHARES:
                self._common.learn_exact(value, number, name)
            else:
                self._remember(result, value, number, name, process, view)
        for name, given in out.items():
            if isinstance(given, str):
                self._common.learn_exact(given, number, name)

    def _forget(self, args: Mapping[str, Any], process: int, view: Any) -> None:
        """Take back the names of what a call has given up: the same may be given once more.

        Whoever imports the same memory again may get the handle that it had before.
        """
        for value in args.values():
            known = isinstance(value, int) and (process, value) in self._learned
            if known and not view.blocks.at(value).exists and not view.handles.at(value).exists:
                del self._learned[process, value]

    def _book(self, process: int) -> Book:
        found = self._books.get(process)
        if found is None:
            found = self._books[process] = Book(self._common)
        return found

    def _remember(
        self, result: Returned, value: int, number: int, name: str, process: int, view: Any
    ) -> None:
        """Give what a call gave a name, unless it has one: a query gives nothing that is new.

        Mapped memory is named after the reservation that it lies in.
        """
        book = self._book(process)
        place, block, handle = (
            view.reservations.covering(value),
            view.blocks.at(value),
            view.handles.at(value),
        )
        if place.exists:
            if isinstance(result, RESERVED):
                book.learn_range(value, place.extent, number, name)
            return
        found = block if block.exists else handle
        if not found.exists:
            book.learn_exact(value, number, name)
        elif self._learned.get((process, value)) != found.memory:
            self._learned[process, value] = found.memory
            if block.exists:
                book.learn_range(value, block.extent, number, name)
            else:
                book.learn_exact(value, number, name)
