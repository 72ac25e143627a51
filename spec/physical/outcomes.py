"""What calls of the area answer, and where the documents speak of them."""

from __future__ import annotations

from halcert.spec.abi.acl.codes import AclError
from halcert.spec.sources import API
from halcert.spec.state import State

ADDRESSES = API.at("virtual memory, addresses")
PHYSICAL = API.at("virtual memory, physical memory")
MAPPING = API.at("virtual memory, mapping")
ACCESS = API.at("virtual memory, access")
ASKING = API.at("virtual memory, queries")
EXPORTING = API.at("sharing between processes, physical memory")

INVALID_PARAM = AclError.INVALID_PARAM
PARAM_INVALID = AclError.RT_PARAM_INVALID
NO_SUCH_DEVICE = AclError.RT_INVALID_DEVICEID
CONTEXT_NULL = AclError.RT_CONTEXT_NULL
NOT_SUPPORT = AclError.RT_FEATURE_NOT_SUPPORT
REFUSED = (PARAM_INVALID, AclError.RT_DRV_INTERNAL_ERROR)
"""How the driver's refusals reach the program: the code for bad arguments, or the one for all."""
NO_SUCH_SHARE = (AclError.RT_INVALID_HANDLE, *REFUSED)
"""What calls answer to a number that stands for nothing."""
NOT_YOURS = (AclError.RT_NO_PERMISSION, AclError.RT_DRV_INTERNAL_ERROR)
"""What calls answer to a process that did not export the memory."""


def may_be_a_pools(state: State, address: int) -> bool:
    """Tell whether an address may be one that a pool keeps for later.

    A pool of the runtime reserves its addresses from the driver, and tells only those that it
    gave out.
    """
    found = state.blocks.covering(address)
    told = state.reservations.covering(address).exists or (
        found.exists and not state.portions.covering(address).exists
    )
    return not told and state.stream_pools.any(lambda pool: pool.id > 0)
