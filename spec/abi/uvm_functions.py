"""The functions of UVM."""

from __future__ import annotations

from halcert.spec.abi.parameters import Function, Parameter, Passing, array, value

_LOCATION = Parameter(
    "location", "struct drv_uvm_location", Passing.RECORD_VALUE, "drv_uvm_location"
)
UVM_FUNCTIONS = (
    Function(
        "halMemManagedAdvise",
        "drvError_t",
        (
            value("DVdeviceptr", "ptr"),
            value("size_t", "size"),
            value("uint32_t", "advise"),
            _LOCATION,
        ),
    ),
    Function(
        "halMemManagedPrefetch",
        "DVresult",
        (
            value("DVdeviceptr", "ptr"),
            value("size_t", "size"),
            _LOCATION,
            value("unsigned int", "flags"),
        ),
    ),
    Function(
        "halMemManagedPrefetchBatch",
        "DVresult",
        (
            array("DVdeviceptr *", "ptrs"),
            array("size_t *", "sizes"),
            value("size_t", "count"),
            Parameter(
                "prefetchLocs",
                "struct drv_uvm_location *",
                Passing.IN_RECORDS,
                "drv_uvm_location",
            ),
            array("size_t *", "prefetchLocIdxs"),
            value("size_t", "numPrefetchLocs"),
            value("unsigned long long", "flags"),
        ),
    ),
    Function(
        "halMemManagedRangeGetAttributes",
        "drvError_t",
        (
            Parameter("data", "void **", Passing.OUT_PLACES, "i32"),
            array("size_t *", "data_sizes"),
            array("uint32_t *", "attributes", "u32"),
            value("size_t", "attribute_num"),
            value("DVdeviceptr", "ptr"),
            value("size_t", "size"),
        ),
    ),
)
