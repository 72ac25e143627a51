"""Adapters by name, as installed packages announce them."""

from __future__ import annotations

from importlib.metadata import entry_points

from halcert.adapters.protocol import Adapter
from halcert.conformance.lists import near

GROUP = "halcert.adapters"


class UnknownAdapter(Exception):
    """No adapter of that name is installed."""


def adapter_names() -> list[str]:
    """Return the names of the installed adapters."""
    return sorted(
        {"acl", "exec", "hal", "model"} | {entry.name for entry in entry_points(group=GROUP)}
    )


def adapter_named(name: str) -> Adapter:
    """Return the adapter with a name.

    Raises:
        UnknownAdapter: there is none.
    """
    if name == "hal":
        from halcert.adapters.hal import HalAdapter

        return HalAdapter()
    if name == "acl":
        from halcert.adapters.acl import AclAdapter

        return AclAdapter()
    if name == "exec":
        from halcert.adapters.execute import ExecAdapter

        return ExecAdapter()
    if name == "model":
        from halcert.conformance.model_adapter import ModelAdapter

        return ModelAdapter()
    for entry in entry_points(group=GROUP):
        if entry.name == name:
            made: Adapter = entry.load()()
            return made
    raise UnknownAdapter(f"there is no adapter named {name!r}{near(name, adapter_names())}")
