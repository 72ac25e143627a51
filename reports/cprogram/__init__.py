"""Counterexamples and vectors as C: files that need only the library under test."""

from halcert.reports.cprogram.program import c_program
from halcert.reports.cprogram.tap import c_vectors

__all__ = ["c_program", "c_vectors"]
