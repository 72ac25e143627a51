"""What a run found: verdicts, traces and the certificate, as plain data.

Everything here can be written as JSON and read back, and has a JSON Schema derived from its
types. The suite produces these; ``halcert.reports`` turns them into pages and files. This
package imports nothing of halcert but the spec.
"""

from halcert.results.certificate import (
    AreaSummary,
    Certificate,
    Finding,
    Implementation,
    Observed,
    RuleResult,
    TestResult,
    Topic,
)
from halcert.results.proof import (
    Obligation,
    ProofNote,
    Proofs,
    ProofsError,
    read_proofs,
    write_proofs,
)
from halcert.results.trace import (
    Answered,
    Crashed,
    Garbled,
    Hung,
    Missing,
    Outcome,
    Trace,
    TraceError,
    TraceHeader,
    TraceStep,
    read_trace,
    write_trace,
)
from halcert.results.verdict import Exit, Verdict

__all__ = [
    "Answered",
    "AreaSummary",
    "Certificate",
    "Crashed",
    "Exit",
    "Finding",
    "Garbled",
    "Hung",
    "Implementation",
    "Missing",
    "Obligation",
    "Observed",
    "Outcome",
    "ProofNote",
    "Proofs",
    "ProofsError",
    "RuleResult",
    "TestResult",
    "Topic",
    "Trace",
    "TraceError",
    "TraceHeader",
    "TraceStep",
    "Verdict",
    "read_proofs",
    "read_trace",
    "write_proofs",
    "write_trace",
]
