"""What a run found: verdicts, traces and the certificate, as plain data.

Everything here can be written as JSON and read back, and has a JSON Schema derived from its
types. The suite produces these; ``halcert.reports`` turns them into pages and files. This
package imports nothing of halcert but the spec.
"""

from halcert.results.baseline import (
    Baseline,
    BaselineError,
    KnownCause,
    PastCause,
    baseline_of,
    findings_of,
    read_baseline,
)
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
from halcert.results.difference import Difference, RuleChange, difference
from halcert.results.gate import Gate, GateItem, Standing
from halcert.results.proof import (
    Obligation,
    ProofNote,
    Proofs,
    ProofsError,
    read_proofs,
    write_proofs,
)
from halcert.results.reading import CertificateError, read_certificate
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
from halcert.results.verdict import SHAPES, CutShort, Exit, Verdict
from halcert.results.waiver import Waiver, WaiverError, Waivers, read_waivers

__all__ = [
    "SHAPES",
    "Answered",
    "AreaSummary",
    "Baseline",
    "BaselineError",
    "Certificate",
    "CertificateError",
    "Crashed",
    "CutShort",
    "Difference",
    "Exit",
    "Finding",
    "Garbled",
    "Gate",
    "GateItem",
    "Hung",
    "Implementation",
    "KnownCause",
    "Missing",
    "Obligation",
    "Observed",
    "Outcome",
    "PastCause",
    "ProofNote",
    "Proofs",
    "ProofsError",
    "RuleChange",
    "RuleResult",
    "Standing",
    "TestResult",
    "Topic",
    "Trace",
    "TraceError",
    "TraceHeader",
    "TraceStep",
    "Verdict",
    "Waiver",
    "WaiverError",
    "Waivers",
    "baseline_of",
    "difference",
    "findings_of",
    "read_baseline",
    "read_certificate",
    "read_proofs",
    "read_trace",
    "read_waivers",
    "write_proofs",
    "write_trace",
]
