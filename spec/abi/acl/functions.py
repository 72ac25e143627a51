"""Every function of the runtime; ``halcert.spec.abi.functions`` explains the plain forms."""

from __future__ import annotations

from halcert.spec.abi.acl.execution import DEVICE_CALLS, KERNEL_CALLS, STREAM_CALLS
from halcert.spec.abi.acl.memory import HOST_CALLS, MANAGED_CALLS, MEMORY_CALLS, POOL_CALLS
from halcert.spec.abi.acl.sharing import ADDRESS_CALLS, SHARE_CALLS

ACL_FUNCTIONS = {
    function.symbol: function
    for function in (
        *DEVICE_CALLS,
        *STREAM_CALLS,
        *MEMORY_CALLS,
        *HOST_CALLS,
        *MANAGED_CALLS,
        *POOL_CALLS,
        *ADDRESS_CALLS,
        *SHARE_CALLS,
        *KERNEL_CALLS,
    )
}
"""Every function by its symbol."""
