"""The functions of SOMA: pools of device memory."""

from __future__ import annotations

from halcert.spec.abi.parameters import Function, Parameter, Passing, array, out, value

_POOL = Parameter("pool", "soma_mem_pool_t", Passing.RECORD_VALUE, "soma_mem_pool_t")
_RANGE = (value("uint64_t", "va"), value("uint64_t", "size"))
_POLICY = value("int32_t", "policy")
_ATTRIBUTE = value("enum soma_mem_pool_attr", "attr")
SOMA_FUNCTIONS = (
    Function(
        "halMemPoolCreate",
        "drvError_t",
        (
            _POOL,
            Parameter("prop", "soma_mem_pool_prop", Passing.RECORD_VALUE, "soma_mem_pool_prop"),
        ),
    ),
    Function("halMemPoolDestroy", "drvError_t", (_POOL,)),
    Function("halMemPoolMalloc", "drvError_t", (_POOL, *_RANGE, _POLICY)),
    Function("halMemPoolFree", "drvError_t", (_POOL, *_RANGE, _POLICY)),
    Function(
        "halMemPoolTrim",
        "drvError_t",
        (
            _POOL,
            Parameter("reservedSize", "uint64_t *", Passing.INOUT, "u64"),
            value("uint64_t", "usedSize"),
            value("uint64_t", "freeSize"),
        ),
    ),
    Function("halMemPoolAsyncConfig", "drvError_t", (_POOL, *_RANGE, value("uint32_t", "flag"))),
    Function("halMemPoolSetAttr", "drvError_t", (_POOL, _ATTRIBUTE, array("void *", "value"))),
    Function("halMemPoolGetAttr", "drvError_t", (_POOL, _ATTRIBUTE, out("void *", "value", "u64"))),
)
