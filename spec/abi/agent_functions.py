"""The device agent: entry points through which a device loads and stores what one likes.

No public interface has them. The software driver does, and any other library may.
"""

from __future__ import annotations

from halcert.spec.abi.parameters import Function, Parameter, Passing, value

AGENT = {
    "device.load": Function(
        "softhal_device_load",
        "drvError_t",
        (
            value("uint32_t", "device"),
            value("DVdeviceptr", "address"),
            value("void *", "buffer"),
            value("uint64_t", "size"),
        ),
    ),
    "device.store": Function(
        "softhal_device_store",
        "drvError_t",
        (
            value("uint32_t", "device"),
            value("DVdeviceptr", "address"),
            Parameter("buffer", "const void *", Passing.VALUE, "u64"),
            value("uint64_t", "size"),
        ),
    ),
}
"""The entry point for each access by a device. They answer as the functions of the library do."""
STORE_PART = 1 << 22
"""How many bytes a store passes on at a time."""
