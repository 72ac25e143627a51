"""How a trace tells with which seeded fault it was recorded.

It names the variable by which the fault build of the bundled library is told its fault, so that
whoever runs an exported program knows what to set.
"""

from __future__ import annotations

from collections.abc import Mapping

from halcert.adapters import softacl, softhal
from halcert.adapters.protocol import Options

VARIABLES = {"hal": softhal.FAULT_VARIABLE, "acl": softacl.FAULT_VARIABLE}
"""The variable, by adapter; others use that of the driver."""


def trace_environment(adapter: str, options: Options) -> dict[str, str]:
    """Return what a trace says of how the implementation was started."""
    variable = VARIABLES.get(adapter, softhal.FAULT_VARIABLE)
    seeded = {} if options.fault is None else {variable: options.fault}
    return {**options.environment, **seeded}


def seeded_fault(environment: Mapping[str, str]) -> str | None:
    """Return the seeded fault that a trace names; None if it names none."""
    return next((environment[each] for each in VARIABLES.values() if each in environment), None)


def without_the_fault(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the other variables that a trace names."""
    return {k: v for k, v in environment.items() if k not in VARIABLES.values()}
