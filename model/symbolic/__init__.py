"""The symbolic reading: the same rules, run on terms instead of integers.

A term is a node of a small expression graph that simplifies while it is built; a comparison of
terms is a term again, and a rule that asks for its truth value forks (``paths``). Tables hold a
bounded number of rows of terms, contents are a log of writes that can be asked for one byte.
Only ``solver`` knows z3.
"""

from halcert.model.symbolic.reading import Reading
from halcert.model.symbolic.solver import Answer, Solver
from halcert.model.symbolic.term import Bool, Int, Term

__all__ = ["Answer", "Bool", "Int", "Reading", "Solver", "Term"]
