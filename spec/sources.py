"""The documents that rules cite, by the short names that certificates print."""

from __future__ import annotations

from halcert.spec.language import Source

HEADER = Source("ascend_hal_base.h")
"""Public header of the HAL: the contract in its comments."""
DEFINES = Source("ascend_hal_define.h")
"""Public header with the flag layouts and enumerations."""
MODULE_DOC = Source("SVM module description")
"""The driver's own description of the SVM, UVM and SOMA modules."""
API = Source("runtime API reference")
"""Public reference of the runtime, whose calls pass on to these interfaces."""
V2 = Source("public driver, SVM v2")
"""What the public source of the v2 generation (910B class) does."""
V3 = Source("public driver, SVM v3")
"""What the public source of the v3 generation (950 class) does."""
SENSE = Source("common sense")
"""What any user of a memory interface relies on; no document says it."""
