"""The whole concrete state: every process's view, with the tables of the host in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, get_args, get_type_hints

import msgspec

from halcert.model.concrete.contents import ConcreteContents, Pen
from halcert.model.concrete.table import ConcreteTable
from halcert.spec.language import Contents, Row, Scope
from halcert.spec.state import Caller, Device, Hardware, Process, State


def _row_types() -> dict[str, type[Row]]:
    return {
        name: get_args(hint)[0]
        for name, hint in get_type_hints(State).items()
        if hint is not Contents
    }


ROW_TYPES = _row_types()
"""Row type of every table of the state, by name."""
HOST_TABLES = tuple(n for n, kind in ROW_TYPES.items() if kind.scope is Scope.HOST)
"""Names of the tables that all processes share; the contents are shared, too."""


FIRST_PID = 1001
"""Number of a process of which no better one is known."""


def _but(view: Any, **changes: Any) -> Any:
    return msgspec.structs.replace(view, **changes)


View: Any = msgspec.defstruct(
    "View",
    [*((name, Any) for name in ROW_TYPES), ("contents", Any)],
    frozen=True,
    namespace={"but": _but},
)
"""The state as one process sees it: concrete form of :class:`halcert.spec.state.State`."""


class World:
    """What is known of an implementation: the views of its processes. Immutable."""

    __slots__ = ("views",)

    def __init__(self, views: dict[int, Any]) -> None:
        """Take the view of each process by its number."""
        self.views = views

    @classmethod
    def start(cls, devices: Iterable[int], pids: Iterable[int] = (FIRST_PID,)) -> World:
        """Return the world before any call: devices present, nothing open, nothing allocated.

        Args:
            devices: ids of the devices.
            pids: numbers of the processes that live, in the order in which they are counted.
        """
        world = cls({})
        for process, pid in enumerate(pids):
            world = world.joined(process, pid, devices)
        return world

    def joined(self, process: int, pid: int, devices: Iterable[int]) -> World:
        """Return the world with one more process, which finds what all processes share."""
        tables: dict[str, Any] = {n: ConcreteTable(kind) for n, kind in ROW_TYPES.items()}
        for each in sorted(devices):
            tables["hardware"] = tables["hardware"].put(Hardware(each))
            tables["devices"] = tables["devices"].put(Device(each, open=False, ever=False))
        tables["caller"] = tables["caller"].put(Caller(0, pid))
        view = View(**tables, contents=ConcreteContents(Pen()))
        for other in self.views.values():
            common = {name: getattr(other, name) for name in (*HOST_TABLES, "contents")}
            view = view.but(**common)
            break
        arrived = view.but(processes=view.processes.put(Process(pid)))
        return World({**self.views, process: view}).after(process, arrived)

    def after(self, process: int, view: Any) -> World:
        """Return the world in which one process's view has become ``view``."""
        old = self.views[process]
        if view is old:
            return self
        views = {**self.views, process: view}
        if len(views) > 1:
            shared = {
                name: getattr(view, name)
                for name in (*HOST_TABLES, "contents")
                if getattr(view, name) is not getattr(old, name)
            }
            if shared:
                views = {
                    p: each if p == process else each.but(**shared) for p, each in views.items()
                }
        return World(views)
