"""The documents that rules of the runtime cite besides those of the driver."""

from __future__ import annotations

from halcert.spec.language import Source

ACL_HEADER = Source("acl.h")
"""Public headers of the runtime: the contract in their comments."""
RUNTIME = Source("public runtime")
"""What the public source of the runtime does."""
SAMPLE = Source("public samples of the runtime")
"""Programs that the documents refer to."""
