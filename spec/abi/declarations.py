"""The two libraries with a C ABI: what each declares, in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from halcert.spec.abi.acl.codes import AclError, acl_symbol_of
from halcert.spec.abi.acl.constants import ACL_ENUMERATIONS
from halcert.spec.abi.acl.functions import ACL_FUNCTIONS
from halcert.spec.abi.acl.structs import ACL_LAYOUTS
from halcert.spec.abi.codes import DrvError, symbol_of
from halcert.spec.abi.constants import ENUMERATIONS
from halcert.spec.abi.functions import FUNCTIONS
from halcert.spec.abi.parameters import Function
from halcert.spec.abi.structs import LAYOUTS, Layout


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a library's header declares of the memory interfaces.

    Attributes:
        library: name of the library's file.
        header: name of the header.
        codes: return codes by their C names.
        enumerations: enumerations and families of macros.
        layouts: structures by name.
        functions: functions by symbol.
    """

    library: str
    header: str
    codes: Mapping[str, int]
    enumerations: tuple[type[IntEnum], ...]
    layouts: Mapping[str, Layout]
    functions: Mapping[str, Function]

    @property
    def constants(self) -> dict[str, int]:
        """Every enumerator and macro."""
        return {
            name: int(member)
            for enumeration in self.enumerations
            for name, member in enumeration.__members__.items()
        }


HAL = Declaration(
    library="libascend_hal.so",
    header="ascend_hal_base.h",
    codes={symbol_of(code): int(code) for code in DrvError},
    enumerations=ENUMERATIONS,
    layouts=LAYOUTS,
    functions=FUNCTIONS,
)
ACL = Declaration(
    library="libascendcl.so",
    header="acl/acl.h",
    codes={acl_symbol_of(code): int(code) for code in AclError},
    enumerations=ACL_ENUMERATIONS,
    layouts=ACL_LAYOUTS,
    functions=ACL_FUNCTIONS,
)
ALL_FUNCTIONS = {**FUNCTIONS, **ACL_FUNCTIONS}
"""The functions of both libraries."""
ALL_LAYOUTS = {**LAYOUTS, **ACL_LAYOUTS}
"""The structures of both libraries."""
