"""The proofs: what must hold of the rules themselves, and the tests that fall out of them.

Every obligation is named, timed and settled as proved, refuted with a counterexample, or not
settled with the reason. The shortest words of calls that make each rule decide are kept as
witnesses, which the suite runs against implementations.
"""

from halcert.model.proofs.kept import are_kept, witnesses
from halcert.model.proofs.records import Findings, Record
from halcert.model.proofs.run import carried_out, tasks
from halcert.model.proofs.witness import Expected, Step, Witness

__all__ = [
    "Expected",
    "Findings",
    "Record",
    "Step",
    "Witness",
    "are_kept",
    "carried_out",
    "tasks",
    "witnesses",
]
