"""Facts that the documents beside the module description state: headers and API references."""

from __future__ import annotations

from dataclasses import dataclass

from halcert.spec.language import Source

ABI = "a matter of the binary interface, which halcert abi compares with a header"
"""Why no rule carries a fact about types, layouts and values."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that a document promises or asks for.

    Attributes:
        id: ``FACT-AREA-NN``, never reused.
        source: the document and the place in it.
        text: what it says, in our words.
        rules: ids of the rules that carry it.
        reason: why no rule does; empty where one does.
    """

    id: str
    source: Source
    text: str
    rules: tuple[str, ...] = ()
    reason: str = ""
