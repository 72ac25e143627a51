"""The language in which the rules are written.

A rule is a plain Python function over a call, the tables of state and the result. It is
written once and read twice: natively on concrete values by the oracle, and on z3 terms by the
proofs. What a rule may use is what this package exports, plus ordinary Python expressions and
``if`` statements; loops over tables go through the table algebra.
"""

from halcert.spec.language.bits import BitWord, Field, Flag
from halcert.spec.language.domain import (
    I32,
    U8,
    U32,
    U64,
    Address,
    Bytes128,
    DeviceId,
    Domain,
    Elements,
    Given,
    Handle,
    OutPointer,
    ProcessId,
    Record,
    Rounds,
    Sequence,
    Size,
    Token,
    repeat,
)
from halcert.spec.language.interface import (
    Area,
    Call,
    Interface,
    Invariant,
    Returned,
    Theorem,
    interface,
    poison,
)
from halcert.spec.language.memory import Contents
from halcert.spec.language.number import align_down, align_up, is_multiple
from halcert.spec.language.rule import (
    FAILURE,
    SUCCESS,
    Extent,
    Kind,
    Rule,
    Strength,
    accepts,
    ensures,
    may_reject,
    observes,
    rejects,
    undefined,
)
from halcert.spec.language.source import Source
from halcert.spec.language.table import Row, Scope, StateBase, Table, row

__all__ = [
    "FAILURE",
    "I32",
    "SUCCESS",
    "U8",
    "U32",
    "U64",
    "Address",
    "Area",
    "BitWord",
    "Bytes128",
    "Call",
    "Contents",
    "DeviceId",
    "Domain",
    "Elements",
    "Extent",
    "Field",
    "Flag",
    "Given",
    "Handle",
    "Interface",
    "Invariant",
    "Kind",
    "OutPointer",
    "ProcessId",
    "Record",
    "Returned",
    "Rounds",
    "Row",
    "Rule",
    "Scope",
    "Sequence",
    "Size",
    "Source",
    "StateBase",
    "Strength",
    "Table",
    "Theorem",
    "Token",
    "accepts",
    "align_down",
    "align_up",
    "ensures",
    "interface",
    "is_multiple",
    "may_reject",
    "observes",
    "poison",
    "rejects",
    "repeat",
    "row",
    "undefined",
]
