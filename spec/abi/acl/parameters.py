"""Parameters of the runtime that are passed by value."""

from __future__ import annotations

from halcert.spec.abi.parameters import SCALAR_OF, Parameter, Passing

HANDLES = (
    *("aclrtArgsHandle", "aclrtBinHandle", "aclrtContext", "aclrtDrvMemHandle", "aclrtEvent"),
    *("aclrtFuncHandle", "aclrtMemPool", "aclrtParamHandle", "aclrtStream"),
)
"""Types that the header declares as ``void *``."""
_POINTERS = (
    *HANDLES,
    *("const aclrtBinHandle", "const aclrtMemPool"),
    *("aclrtBinaryLoadOptions *", "aclrtLaunchKernelCfg *", "const void *", "const void *const"),
)
_ENUMERATIONS = (
    *("aclrtHacType", "aclrtHostRegisterType", "aclrtMemAttr", "aclrtMemGranularityOptions"),
    *("aclrtMemHandleType", "aclrtMemMallocPolicy", "aclrtMemManagedAdviseType"),
    *("aclrtMemManagedRangeAttribute", "aclrtMemPoolAttr", "aclrtMemSharedHandleType"),
    "aclrtMemcpyKind",
)
_SCALAR_OF = SCALAR_OF | dict.fromkeys(_POINTERS, "u64") | dict.fromkeys(_ENUMERATIONS, "u32")


def value(c_type: str, name: str) -> Parameter:
    """Return a parameter that is passed by value."""
    return Parameter(name, c_type, Passing.VALUE, _SCALAR_OF[c_type])
