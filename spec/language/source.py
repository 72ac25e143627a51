"""Where a rule comes from: a document and the place in it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """A place in a document.

    Attributes:
        document: short name of the document, as the certificate prints it.
        place: section, page or function within it; empty for the whole document.
    """

    document: str
    place: str = ""

    def at(self, place: str) -> Source:
        """Return the same document at a named place."""
        return Source(self.document, place)

    def __str__(self) -> str:
        """Return ``document, place``."""
        return f"{self.document}, {self.place}" if self.place else self.document
