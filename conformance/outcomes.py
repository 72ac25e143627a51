"""What came of a call: the result that an answer stands for, or how there was none."""

from __future__ import annotations

from halcert.results import Answered, Garbled, Hung, Missing, Outcome
from halcert.spec.language import Call, Returned
from halcert.spec.svm.host import HostLoad
from halcert.spec.uvm.device import DeviceLoad


class HarnessError(Exception):
    """The suite or the adapter failed; said once, never as a violation."""


def result_of(call: Call, outcome: Answered) -> Returned:
    """Return the result of a call that answered.

    Raises:
        HarnessError: what the adapter gave is not what the interface gives.
    """
    name = call.interface.name
    try:
        result = call.interface.parse_result(outcome.code, outcome.out)
    except TypeError as error:
        raise HarnessError(f"{name}: the adapter's outputs do not fit: {error}") from error
    if isinstance(result, HostLoad.Result | DeviceLoad.Result) and outcome.code == 0:
        asked = call.size  # type: ignore[attr-defined]
        if len(result.data) != asked:
            raise HarnessError(f"{name}: the adapter gave {len(result.data)} of {asked} bytes")
    return result


def shape_of(outcome: Outcome) -> tuple[str, str]:
    if isinstance(outcome, Hung):
        return "hung", f"no answer within {outcome.seconds:g} s"
    if isinstance(outcome, Missing):
        return "missing", f"the library has no symbol {outcome.symbol}"
    if isinstance(outcome, Garbled):
        return "garbled", f"the process answered what is no reply: {outcome.note}"
    signal = getattr(outcome, "signal", 0)
    how = f"the process died of signal {signal}" if signal else "the process ended"
    note = getattr(outcome, "note", "")
    return "crashed", f"{how}: {note}" if note else how
