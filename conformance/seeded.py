"""What a trace tells of how its implementation was started: variables, and the seeded fault.

The fault is told by the variable that the fault build of the bundled library reads, so that
whoever runs an exported program knows what to set.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from halcert.adapters import softacl, softhal
from halcert.adapters.protocol import Options
from halcert.results import TraceHeader

VARIABLES = {"hal": softhal.FAULT_VARIABLE, "acl": softacl.FAULT_VARIABLE}
"""The variable, by adapter; others use that of the driver."""
PREFIXES = ("SOFTHAL_", "SOFTACL_", "KERNELSIM_")
"""How the variables start that the bundled libraries and the kernel stand-in read."""
OF_A_SESSION = frozenset(
    {
        "SOFTHAL_DOMAIN",
        "SOFTHAL_PROFILE",
        "KERNELSIM_DOMAIN",
        "KERNELSIM_PROFILE",
        "KERNELSIM_TRACE",
    }
)
"""Those that say nothing of the implementation: each session sets its own machine and product,
and where commands are written down is for whoever looks at them."""
OF_THE_BUNDLED = frozenset({*VARIABLES.values(), softacl.DRIVER_VARIABLE})
"""Those of the caller that a bundled library does not heed: halcert chooses what they tell."""


def trace_environment(
    adapter: str, options: Options, caller: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Return what a trace says of how the implementation was started.

    Args:
        adapter: name of the adapter.
        options: how the session was opened.
        caller: the environment of halcert, which the implementation inherits.
    """
    unheeded = OF_A_SESSION | (OF_THE_BUNDLED if options.library is None else frozenset())
    inherited = {name: value for name, value in _told(caller).items() if name not in unheeded}
    variable = VARIABLES.get(adapter, softhal.FAULT_VARIABLE)
    seeded = {} if options.fault is None else {variable: options.fault}
    return {**inherited, **options.environment, **seeded}


def seeded_fault(header: TraceHeader) -> str | None:
    """Return the seeded fault of the bundled library that a trace names; None if it names none."""
    if header.library:
        return None  # a fault of a library that was given is among its variables
    environment = header.environment
    return next((environment[each] for each in VARIABLES.values() if each in environment), None)


def without_the_fault(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the other variables that a trace names."""
    return {k: v for k, v in environment.items() if k not in VARIABLES.values()}


def repeated_environment(
    header: TraceHeader, *, same: bool, caller: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Return the variables of a trace that its repetition gets; those that are set now stay.

    Args:
        header: of the trace.
        same: it is repeated on the implementation that it names.
        caller: the environment of halcert, which the implementation inherits.
    """
    recorded = header.environment
    if not (same and header.library):
        recorded = without_the_fault(recorded)
    return {name: value for name, value in recorded.items() if name not in _told(caller)}


def _told(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that are for the bundled libraries or the stand-in."""
    return {name: value for name, value in environment.items() if name.startswith(PREFIXES)}
