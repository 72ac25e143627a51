"""Traces as text: what was called with what, and what came back, for pages, terminals and files.

What a call gives gets a name by what it is and by the number of the call: ``p3`` is the address
that call 3 gave, and ``p3+16`` is 16 bytes behind it.
"""

from __future__ import annotations

import signal
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from halcert.reports import human, values
from halcert.reports.escape import one_line, printable
from halcert.reports.references import PROCESS
from halcert.results import Answered, Crashed, Garbled, Hung, Missing, TraceStep
from halcert.spec.abi.codes import symbol_of
from halcert.spec.catalogue import interfaces
from halcert.spec.language.domain import annotations_of, domain_of

LETTERS = {"address": "p", "size": "n", "device": "d"}
"""First letter of a name, by what it names; handles and the like are added by their role."""


@dataclass(frozen=True)
class StepText:
    """One call as text.

    Attributes:
        number: number of the call.
        who: process and thread, such as ``process 1``; empty when the trace has only one.
        interface: name of the interface.
        arguments: names of the parameters with their values.
        result: what came, in one line: a code by its symbol, or how the process ended.
        outputs: names of what the call gave, with the values.
        failed: it did not return, or returned no success.
        last_words: what else is known of a call that did not return.
    """

    number: int
    who: str
    interface: str
    arguments: tuple[tuple[str, str], ...]
    result: str
    outputs: tuple[tuple[str, str], ...]
    failed: bool
    last_words: str = ""

    @property
    def call(self) -> str:
        """The call as one would write it: ``halMemFree(pp=p1)``."""
        inner = ", ".join(f"{name}={value}" for name, value in self.arguments)
        return f"{self.interface}({inner})"

    @property
    def came(self) -> str:
        """The result with the outputs: ``DRV_ERROR_NONE, p1 = 0x7f0000000000``."""
        return ", ".join((self.result, *(f"{name} = {value}" for name, value in self.outputs)))


@dataclass(frozen=True)
class _Types:
    """The annotations of an interface; empty where the specification does not know it."""

    arguments: Mapping[str, Any]
    outputs: Mapping[str, Any]


@cache
def types_of(interface: str) -> _Types:
    known = _interfaces().get(interface)
    if known is None:
        return _Types({}, {})
    outputs = annotations_of(known.result)
    return _Types(annotations_of(known.call), {n: t for n, t in outputs.items() if n != "code"})


@cache
def _interfaces() -> Mapping[str, Any]:
    return interfaces()


def described(steps: Iterable[TraceStep]) -> tuple[StepText, ...]:
    """Return every call of a trace as text."""
    steps = tuple(steps)
    names = Names(steps)
    crowd = len({step.actor for step in steps}) > 1
    threads = len({(step.actor, step.thread) for step in steps}) > 1
    return tuple(_described(step, names, _who(step, crowd, threads)) for step in steps)


def _who(step: TraceStep, crowd: bool, threads: bool) -> str:
    parts = [f"process {step.actor}"] if crowd else []
    if threads and (step.thread or not crowd):
        parts.append(f"thread {step.thread}")
    return ", ".join(parts)


class Names:
    """Names for what the calls of one trace gave."""

    def __init__(self, steps: Sequence[TraceStep]) -> None:
        self._interfaces = {step.number: step.interface for step in steps}

    def of_output(self, number: int, field: str) -> str:
        """Return the name of an output of a call."""
        if not number and field.startswith(PROCESS):
            return f"pid of process {field.removeprefix(PROCESS)}"
        outputs = types_of(self._interfaces.get(number, "")).outputs
        letter = _letter(outputs.get(field))
        alone = len(outputs) == 1 or (letter == "p" and _addresses(outputs) == 1)
        return f"{letter}{number}" if alone else f"{letter}{number}.{one_line(field)}"

    def of_reference(self, reference: Mapping[str, Any]) -> str:
        """Return the name of what a reference stands for."""
        number, plus = reference["$"], reference.get("plus", 0)
        if not isinstance(number, int) or not isinstance(plus, int):
            return one_line(str(dict(reference)))
        name = self.of_output(number, str(reference["field"])) + human.distance(plus)
        if "altered" in reference:
            name += f" with byte {one_line(str(reference['altered']))} altered"
        return name


def _letter(annotation: Any) -> str:
    domain = domain_of(annotation)
    if domain is None:
        return "v"
    return LETTERS.get(domain.role, "v" if domain.role == "number" else domain.role[0])


def _addresses(outputs: Mapping[str, Any]) -> int:
    return sum(_letter(annotation) == "p" for annotation in outputs.values())


def _declared(values: Mapping[str, Any], types: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    """Return names and values in the order in which the interface declares them."""
    place = {name: number for number, name in enumerate(types)}
    return sorted(values.items(), key=lambda item: place.get(item[0], len(place)))


def _described(step: TraceStep, names: Names, who: str) -> StepText:
    types = types_of(step.interface)
    arguments = tuple(
        (
            one_line(name),
            values.argument(name, value, types.arguments.get(name), names.of_reference),
        )
        for name, value in _declared(step.args, types.arguments)
    )
    outcome = step.outcome
    outputs: tuple[tuple[str, str], ...] = ()
    if isinstance(outcome, Answered):
        outputs = tuple(
            (
                names.of_output(step.number, name),
                values.output(name, value, types.outputs.get(name)),
            )
            for name, value in _declared(outcome.out, types.outputs)
            if value is not None
        )
    return StepText(
        number=step.number,
        who=who,
        interface=one_line(step.interface),
        arguments=arguments,
        result=result_of(step),
        outputs=outputs,
        failed=outcome is not None and not (isinstance(outcome, Answered) and outcome.code == 0),
        last_words=_last_words(step),
    )


def result_of(step: TraceStep) -> str:
    """Return what came of a call in one line, without its outputs."""
    outcome = step.outcome
    if outcome is None:
        return ""
    if isinstance(outcome, Answered):
        return _code(step.interface, outcome.code)
    if isinstance(outcome, Crashed):
        return f"crashed: {_signal(outcome.signal)}"
    if isinstance(outcome, Hung):
        return f"hung: no answer in {human.seconds(outcome.seconds)}"
    if isinstance(outcome, Missing):
        return f"missing: the library has no {one_line(outcome.symbol)}"
    return "garbled: the answer could not be understood"


def _code(interface: str, code: int) -> str:
    if interface.startswith("host."):
        return "done" if code == 0 else f"errno {code}"
    symbol = symbol_of(code, interface)
    return symbol if symbol != str(code) else f"code {code}"


def _signal(number: int) -> str:
    if number == 0:
        return "the process ended by itself"
    try:
        return f"{signal.Signals(number).name} (signal {number})"
    except ValueError:
        return f"signal {number}"


def _last_words(step: TraceStep) -> str:
    outcome = step.outcome
    if isinstance(outcome, Crashed | Garbled):
        return printable(outcome.note).strip()
    return ""


def text_of(steps: Iterable[TraceStep], *, indent: str = "") -> str:
    """Return a trace as aligned lines of text, one for each call."""
    described_steps = described(steps)
    if not described_steps:
        return ""
    width = len(str(described_steps[-1].number))
    lines = []
    for step in described_steps:
        who = f"[{step.who}] " if step.who else ""
        lines.append(f"{indent}{step.number:>{width}}  {who}{step.call}")
        if step.result:
            lines.append(f"{indent}{'':{width}}    -> {step.came}")
        lines += [f"{indent}{'':{width}}     | {line}" for line in step.last_words.splitlines()]
    return "\n".join(lines)
