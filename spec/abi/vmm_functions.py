"""The functions of VMM."""

from __future__ import annotations

from halcert.spec.abi.parameters import Function, Parameter, Passing, out, value

_PROPERTIES = Parameter("prop", "const struct drv_mem_prop *", Passing.IN_RECORD, "drv_mem_prop")
VMM_FUNCTIONS = (
    Function(
        "halMemAddressReserve",
        "drvError_t",
        (
            out("void **", "ptr", "u64"),
            value("size_t", "size"),
            value("size_t", "alignment"),
            value("void *", "addr"),
            value("uint64_t", "flag"),
        ),
    ),
    Function("halMemAddressFree", "drvError_t", (value("void *", "ptr"),)),
    Function(
        "halMemGetAddressReserveRange",
        "drvError_t",
        (
            out("void **", "ptr", "u64"),
            out("size_t *", "size", "u64"),
            value("drv_mem_addr_reserve_type", "type"),
            value("uint64_t", "flag"),
        ),
    ),
    Function(
        "halMemCreate",
        "drvError_t",
        (
            out("drv_mem_handle_t **", "handle", "u64"),
            value("size_t", "size"),
            _PROPERTIES,
            value("uint64_t", "flag"),
        ),
    ),
    Function("halMemRelease", "drvError_t", (value("drv_mem_handle_t *", "handle"),)),
    Function(
        "halMemMap",
        "drvError_t",
        (
            value("void *", "ptr"),
            value("size_t", "size"),
            value("size_t", "offset"),
            value("drv_mem_handle_t *", "handle"),
            value("uint64_t", "flag"),
        ),
    ),
    Function("halMemUnmap", "drvError_t", (value("void *", "ptr"),)),
    Function(
        "halMemSetAccess",
        "drvError_t",
        (
            value("void *", "ptr"),
            value("size_t", "size"),
            Parameter(
                "desc", "struct drv_mem_access_desc *", Passing.IN_RECORDS, "drv_mem_access_desc"
            ),
            value("size_t", "count"),
        ),
    ),
    Function(
        "halMemGetAccess",
        "drvError_t",
        (
            value("void *", "ptr"),
            Parameter(
                "location", "struct drv_mem_location *", Passing.IN_RECORD, "drv_mem_location"
            ),
            out("uint64_t *", "flags", "u64"),
        ),
    ),
    Function(
        "halMemRetainAllocationHandle",
        "drvError_t",
        (out("drv_mem_handle_t **", "handle", "u64"), value("void *", "ptr")),
    ),
    Function(
        "halMemGetAllocationGranularity",
        "drvError_t",
        (
            _PROPERTIES,
            value("drv_mem_granularity_options", "option"),
            out("size_t *", "granularity", "u64"),
        ),
    ),
    Function(
        "halMemGetAllocationPropertiesFromHandle",
        "drvError_t",
        (
            Parameter("prop", "struct drv_mem_prop *", Passing.OUT_RECORD, "drv_mem_prop"),
            value("drv_mem_handle_t *", "handle"),
        ),
    ),
)
