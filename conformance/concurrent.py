"""Concurrent runs: threads of one process that allocate, copy, set and free at once.

A program gives each thread its calls; the threads start together. Results are judged by
linearizability, bytes by reading everything back once all threads are done. Calls are chosen so
that whatever the order, nothing undefined is done: threads touch their own blocks, and a block
that two of them free is touched by nobody else while no thread allocates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from halcert.adapters.protocol import Request
from halcert.conformance.book import references, resolve
from halcert.conformance.draw import Draw
from halcert.conformance.lab import Broken, Lab
from halcert.conformance.linearize import Timed, Undecided, code_alone, linearized
from halcert.conformance.mishaps import met_a_loss
from halcert.conformance.observe import check_all
from halcert.conformance.outcomes import HarnessError, result_of
from halcert.model.concrete import Violation
from halcert.results import Answered, TraceStep
from halcert.spec.language import Strength
from halcert.spec.svm.flags import DEV, HOST, AllocFlags
from halcert.spec.universal import CALLS_ARE_ATOMIC

THREADS = 3


class Planned(msgspec.Struct, frozen=True):
    """A call of a thread; arguments refer to calls of the same thread by number."""

    number: int
    interface: str
    args: dict[str, Any]


Program = list[list[Planned]]


def private_work(draw: Draw, lab: Lab, first: int, rounds: int = 3) -> Program:
    """Make a program in which each thread allocates, sets, copies and frees blocks of its own."""
    number = first
    program: Program = []
    for thread in range(THREADS):
        calls: list[Planned] = []
        device = draw.pick(lab.setting.devices)
        for _ in range(rounds):
            size = draw.pick((4096, 8192, 5000, 65536, 2**21))
            made = []
            for kind in (DEV, HOST):
                flag = AllocFlags.compose(virt=kind, devid=device)
                calls.append(
                    Planned(number, "halMemAlloc", {"pp": True, "size": size, "flag": flag})
                )
                made.append({"$": number, "field": "pp", "plus": 0})
                number += 1
            pattern = 1 + thread * 16 + draw.integer(0, 15)
            block, host = made
            calls += [
                Planned(
                    number,
                    "host.store",
                    {"address": host, "size": size, "pattern": pattern, "offset": 0},
                ),
                Planned(
                    number + 1,
                    "drvMemcpy",
                    {"dst": block, "dest_max": size, "src": host, "byte_count": size},
                ),
                Planned(
                    number + 2,
                    "drvMemsetD8",
                    {"dst": block, "destMax": size, "value": thread + 1, "num": 64},
                ),
                Planned(
                    number + 3,
                    "drvMemcpy",
                    {"dst": host, "dest_max": size, "src": block, "byte_count": size},
                ),
                Planned(number + 4, "host.load", {"address": host, "size": size}),
            ]
            number += 5
            if draw.chance(70):
                calls.append(Planned(number, "halMemFree", {"pp": block}))
                number += 1
        program.append(calls)
    return program


def private_copies(
    draw: Draw, ends: Sequence[tuple[int, int, int]], size: int, first: int, rounds: int = 12
) -> Program:
    """Make a program of copies only, so that many of them are under way at once.

    Args:
        draw: chooses lengths.
        ends: for each thread addresses of blocks: two of the host and one of a device between.
        size: bytes of each block.
        first: number of the first call.
        rounds: how often each thread copies to the device, back, and looks.
    """
    number = first
    program: Program = []
    for source, block, target in ends:
        calls = []
        for _ in range(rounds):
            length = draw.pick((64, 4096, size // 3, size))
            for dst, src in ((block, source), (target, block)):
                args = {"dst": dst, "dest_max": size, "src": src, "byte_count": length}
                calls.append(Planned(number, "drvMemcpy", args))
                number += 1
            calls.append(Planned(number, "host.load", {"address": target, "size": length}))
            number += 1
        program.append(calls)
    return program


def contended_frees(lab: Lab, first: int) -> Program:
    """Make a program in which several threads free the same blocks; each goes to one of them."""
    blocks = [b.base for b in lab.blocks() if b.kind == DEV]
    program: Program = []
    number = first
    for _ in range(THREADS):
        calls = []
        for base in blocks:
            calls.append(Planned(number, "halMemFree", {"pp": base}))
            number += 1
        program.append(calls)
    return program


def run_program(lab: Lab, program: Program) -> bool:
    """Run a program's threads together, have the results judged, then look at all bytes.

    Returns:
        Whether the process can go on. It cannot after a thread used an address that it did not
        get, because memory ran out: that proves nothing. Nor can it once a device is gone, nor
        is a program run of which some calls are not offered.

    Raises:
        Broken: no order of the calls explains what came, or a byte is wrong.
    """
    if any(call.interface not in lab.setting.interfaces for calls in program for call in calls):
        return False
    replies = lab.actor().threads(
        [[Request(c.interface, c.args, c.number) for c in calls] for calls in program]
    )
    if not take_program(lab, program, replies):
        return False
    check_all(lab)
    return True


def take_program(lab: Lab, program: Program, replies: Sequence[Sequence[Any]]) -> bool:
    """Have what the threads of a program got judged and write it down.

    Returns:
        Whether the process can go on.

    Raises:
        Broken: no order of the calls explains what came.
    """
    steps = _written_down(lab, program, replies)
    ends = list(_unanswered(program, replies))
    if any(used_nothing for _, used_nothing in ends):
        return False
    if ends:
        came = repr(ends[0][0])
        lab.steps.extend(steps)
        violation = Violation(
            CALLS_ARE_ATOMIC.id, Strength.MUST, "crashed", "every call returns", came
        )
        raise Broken(violation, steps[-1].interface, lab.steps)
    threads = _timed(lab, program, replies)
    if any(met_a_loss(each.answer) for timed in threads for each in timed):
        lab.end(lab.process, killed=True)  # nobody can tell what is left
        return False
    try:
        found = linearized(lab.setting.oracle, lab.world, threads)
    except Undecided:
        return True
    lab.steps.extend(steps)
    if isinstance(found, Violation):
        came = (
            "no order of the calls explains the answers; "
            f"the best one breaks {found.rule}: {found.came}"
        )
        strength = found.strength if code_alone(found) else Strength.MUST
        violation = Violation(
            CALLS_ARE_ATOMIC.id, strength, "order", CALLS_ARE_ATOMIC.summary, came
        )
        raise Broken(violation, program[0][0].interface, lab.steps)
    lab.tally.show((CALLS_ARE_ATOMIC.id,), lab.test)
    lab.world = found
    lab.sightings.forget()
    _remember(lab, program, threads)
    return True


def _unanswered(program: Program, replies: Sequence[Sequence[Any]]) -> Iterator[tuple[Any, bool]]:
    """Iterate over replies that are none, and whether their call named what was refused."""
    for calls, answers in zip(program, replies, strict=True):
        refused: set[int] = set()
        for call, answer in zip(calls, answers, strict=False):
            if not isinstance(answer, Answered):
                yield answer, bool(references(call.args) & refused)
            elif answer.code != 0:
                refused.add(call.number)


def _remember(lab: Lab, program: Program, threads: Sequence[Sequence[Timed]]) -> None:
    for calls, timed in zip(program, threads, strict=True):
        for call, each in zip(calls, timed, strict=True):
            if each.answer.code == 0:
                lab.learn(call.number, call.args, each.result, each.answer.out)


def _written_down(lab: Lab, program: Program, replies: Sequence[Sequence[Any]]) -> list[TraceStep]:
    """Write the calls down thread after thread; threads count from 1, 0 is the main one."""
    return [
        TraceStep(
            call.number, call.interface, lab.named(call.interface, call.args), reply, 0, thread
        )
        for thread, (calls, answers) in enumerate(zip(program, replies, strict=True), start=1)
        for call, reply in zip(calls, answers, strict=False)
    ]


def _timed(lab: Lab, program: Program, replies: Sequence[Sequence[Any]]) -> list[list[Timed]]:
    threads = []
    for calls, answers in zip(program, replies, strict=True):
        outputs: dict[int, Any] = {}
        timed = []
        for call, answer in zip(calls, answers, strict=False):
            interface = lab.setting.interfaces[call.interface]
            try:
                made = interface.parse(resolve(call.args, outputs))
            except (KeyError, TypeError) as error:
                raise HarnessError(f"{call.interface}: {error}") from error
            outputs[call.number] = answer.out
            timed.append(Timed(made, result_of(made, answer), answer))
        threads.append(timed)
    return threads
