"""Counterexamples as C: one file that needs only the library under test."""

from halcert.reports.cprogram.program import c_program

__all__ = ["c_program"]
