"""The functions of a program that make its calls: one for each process and each thread."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from halcert.reports.cprogram.accesses import AccessWriter, is_access, loaded
from halcert.reports.cprogram.arguments import CallText
from halcert.reports.cprogram.calls import CallWriter
from halcert.reports.cprogram.checks import CheckWriter, quoted
from halcert.reports.cprogram.crossings import crossings, needed
from halcert.reports.cprogram.expressions import ANSWER, Uses, Variables, as_pointer
from halcert.reports.references import PROCESS, paths
from halcert.reports.tracetext import described
from halcert.reports.values import is_reference
from halcert.results import Crashed, TraceStep
from halcert.results.story import Demand, Story, StoryStep
from halcert.spec.abi.agent_functions import AGENT
from halcert.spec.abi.declarations import ALL_FUNCTIONS

CODE_SHAPES = ("accepted", "refused", "code", "account")
"""Ways in which a rule is broken by a return code."""
EXIT = "host.exit"
"""The end of a process."""


@dataclass
class Body:
    """A function of the program: a process, or a thread of one.

    Attributes:
        name: name of the function.
        title: what it is.
        lines: its statements.
        variables: type and name of what its calls give, if it is kept outside of the function.
    """

    name: str
    title: str
    lines: list[str] = field(default_factory=list)
    variables: list[tuple[str, str]] = field(default_factory=list)


class FunctionWriter:
    """Writes the functions of one program.

    Attributes:
        uses: what they use.
        threaded: some calls are made by threads.
        streaming: some calls give tasks to streams, which are done in their own time.
        actors: numbers of the processes.
    """

    def __init__(self, story: Story, uses: Uses | None = None, *, name: str = "") -> None:
        """Take the story that the program tells.

        Args:
            story: the story.
            uses: what other functions of the program use already.
            name: what the names of the functions begin with where a program has several stories,
                and the member of what processes share that holds what this one's share.
        """
        self._story = story
        self._name = name
        self._steps = [each for each in story.steps if each.made]
        plain = [each.step for each in self._steps]
        self._texts = {each.number: each for each in described(plain)}
        self.actors = sorted({*(step.actor for step in plain), *_mentioned(plain)}) or [0]
        self._ends = any(step.interface == EXIT for step in plain)
        self._variables = Variables(plain, self.actors)
        self.uses = Uses() if uses is None else uses
        self._calls = CallWriter(self._variables, self.uses)
        self._accesses = AccessWriter(self._variables, self.uses)
        self._checks = CheckWriter(self._variables, self.uses)
        self.threaded = any(step.thread for step in plain)
        self.streaming = any(map(_gives_a_task, plain))
        within = f"{name}." if name else ""
        self.crossings = crossings(self._steps, self._variables, within) if self.forked else []

    @property
    def forked(self) -> bool:
        """The calls are made by several processes, or by one that ends."""
        return len(self.actors) > 1 or self._ends

    def bodies(self) -> list[Body]:
        """Return the functions: threads first, then the processes in the order of their numbers."""
        prefix = f"{self._name}_" if self._name else ""
        mains = {
            actor: Body(f"{prefix}process_{actor}", f"process {actor}") for actor in self.actors
        }
        if not self.forked:
            mains[self.actors[0]] = Body(f"{prefix}calls", "the calls")
        threads: list[Body] = []
        turn = 0
        for together, run in groupby(self._steps, key=lambda each: each.step.thread > 0):
            steps = list(run)
            if together:
                turn += 1
                threads += self._section(steps, mains, turn)
                continue
            for each in steps:
                turn += 1
                self._alone(each, mains[each.step.actor], turn)
        if self.forked:
            gone = {each.step.actor for each in self._steps if each.step.interface == EXIT}
            for actor in {*self.actors} - gone:
                # What a process has goes with it, so nobody ends before all calls are made.
                mains[actor].lines += ["", f"turn({turn + 1});"]
        bodies = [*threads, *mains.values()]
        for body in bodies:
            if any(line.startswith("code = ") for line in body.lines):
                body.lines.insert(0, "int code;")
        return bodies

    def _alone(self, each: StoryStep, body: Body, turn: int) -> None:
        """Write a call that is made when no other is."""
        if each.step.interface == EXIT:
            body.lines += ["", f"turn({turn});", *self._end(each.step)]
            return
        call = self._call(each, body)
        if self.forked:
            wanted = {number for number, _ in needed(each)}
            call = [
                f"turn({turn});",
                *(
                    c.fetched
                    for c in self.crossings
                    if c.maker.actor != each.step.actor and c.maker.number in wanted
                ),
                *call,
                *(c.told for c in self.crossings if c.maker is each.step),
                "done(1);",
            ]
        body.lines += ["", *call]

    def _section(self, steps: Sequence[StoryStep], mains: dict[int, Body], turn: int) -> list[Body]:
        """Write calls that are made at the same time, a function for each thread."""
        crews: dict[int, dict[int, Body]] = {}
        for each in steps:
            actor, thread = each.step.actor, each.step.thread
            place = f"_{actor}" if self.forked else ""
            title = f"thread {thread}" + (f" of process {actor}" if self.forked else "")
            body = crews.setdefault(actor, {}).setdefault(
                thread, Body(f"thread{place}_{turn}_{thread}", title)
            )
            body.lines += ["", *self._call(each, body)]
        self.uses.helpers.add("together")
        for actor, crew in crews.items():
            names = ", ".join(body.name for body in crew.values())
            lines = [f"together({len(crew)}, (thread_function[]){{{names}}});"]
            lines += self._counted(steps, actor)
            if self.forked:
                lines = [f"turn({turn});", *lines, f"done({len(crews)});"]
            mains[actor].lines += ["", *lines]
        return [body for crew in crews.values() for body in crew.values()]

    def _counted(self, steps: Sequence[StoryStep], actor: int) -> list[str]:
        """Check how many of the calls that are equal succeeded."""
        here = {each.step.number for each in steps if each.step.actor == actor}
        lines = []
        for numbers, most in self._story.promised:
            if set(numbers) <= here:
                self.uses.helpers.add("must_add_up")
                codes = ", ".join(f"code{number}" for number in numbers)
                call, rule = quoted(self._texts[numbers[0]].call), self._rule_of(None)
                lines += [
                    f"must_add_up({numbers[0]}, {call},",
                    f'            {len(numbers)}, (const int[]){{{codes}}}, {most}, "{rule}");',
                ]
        return lines

    # --------------------------------------------------------------------------------- one call

    def _call(self, each: StoryStep, body: Body) -> list[str]:
        step = each.step
        self.uses.helpers.add("calling")
        writer = self._accesses if is_access(step.interface) else self._calls
        text = writer.write(step)
        if _tells_truth(step.interface):
            answer = self._variables.of(step.number, ANSWER)
            text.variables.append(("int", answer.text))
            text.shown.append((ANSWER, answer))
        declared = self._declared(text, body)
        guarded = self._guarded(step, text)
        inputs = [name for name in text.unchanged if guarded]
        return [
            f"/* {self._heading(step)} */",
            *declared,
            *text.before,
            *guarded,
            *self._forgotten(step, text),
            f"calling({step.number}, {quoted(self._texts[step.number].call)});",
            *self._made(step, text),
            *(
                f"memcpy(&{n}, guarded_{n}, sizeof {n});"
                for _, n in text.variables
                if guarded and "[" not in n
            ),
            *self._kept_code(step, body),
            *self._shown(text),
            *(self._checks.unchanged(name, self._rule_of(each)) for name in inputs),
            *self._demanded(each),
            *self._watched(step),
        ]

    def _end(self, step: TraceStep) -> list[str]:
        """Return the end of a process; its parent gives the turn on once it is gone."""
        self.uses.helpers |= {"calling", "leave"}
        return [
            f"/* {self._heading(step)} */",
            f"calling({step.number}, {quoted(self._texts[step.number].call)});",
            f"leave({step.args['how']});",
        ]

    def _heading(self, step: TraceStep) -> str:
        verdict = self._story.broken
        if verdict is not None and step.number == verdict.culprit:
            return f"call {step.number}: the one at fault"
        place = ": where it shows" if self._is_last(step) else ""
        return f"call {step.number}{place}"

    def _declared(self, text: CallText, body: Body) -> list[str]:
        """Declare what the call gives: here, or outside of the function if others need it."""
        lines = []
        for c_type, name in text.variables:
            outside = self.threaded or self.forked or name.startswith("forged")
            if outside:
                if (c_type, name) not in body.variables:
                    body.variables.append((c_type, name))
                continue
            declared = f"{c_type}{'' if c_type.endswith('*') else ' '}"
            if text.before and text.before[0].startswith(f"{name} = "):
                text.before[0] = declared + text.before[0]
            else:
                lines.append(f"{declared}{name};")
        return lines

    def _guarded(self, step: TraceStep, text: CallText) -> list[str]:
        """Give a call that crashed copies in front of an inaccessible page, as it had them."""
        if not isinstance(step.outcome, Crashed) or step.interface not in ALL_FUNCTIONS:
            return []
        lines = []
        plain = (name for _, name in text.variables if "[" not in name)
        for name in (*plain, *text.unchanged):
            self.uses.helpers.add("guarded")
            lines.append(f"void *guarded_{name} = guarded(&{name}, sizeof {name});")
            text.call = re.sub(rf"&?\b{name}\b", f"guarded_{name}", text.call)
        return lines

    def _made(self, step: TraceStep, text: CallText) -> list[str]:
        if _tells_truth(step.interface):
            return [f"{self._variables.of(step.number, ANSWER).text} = {text.call};", "code = 0;"]
        if _answers(step.interface):
            self.uses.helpers.add("returned")
            return [f"code = {text.call};", "returned(code);"]
        self.uses.helpers.add("accessed")
        return [f"accessed({text.call});"]

    def _kept_code(self, step: TraceStep, body: Body) -> list[str]:
        """Keep the code of a call of which it counts how many succeed."""
        if all(step.number not in numbers for numbers, _ in self._story.promised):
            return []
        body.variables.append(("int", f"code{step.number}"))
        return [f"code{step.number} = code;"]

    def _shown(self, text: CallText) -> list[str]:
        lines = []
        for label, variable in text.shown:
            self.uses.helpers.add("gave")
            value = f"(uint64_t){variable.text}" if variable.pointer else variable.text
            lines.append(f'gave("{label}", {value});')
        return lines + [f'gave_name("{label}", {name});' for label, name in text.named]

    # ----------------------------------------------------------------------- what is demanded

    def _demanded(self, each: StoryStep) -> list[str]:
        step, demand = each.step, each.demand
        if demand is None:
            return []
        about_code = self._story.broken is not None and self._story.broken.shape in CODE_SHAPES
        check = ""
        if _answers(step.interface):
            rule = self._rule_of(each) if about_code else _first(demand)
            check = self._code_check(step, demand, rule)
        lines = [check] if check else []
        for promise in demand.promises:
            written = self._checks.promise(promise, last=self._is_end(step))
            settled = not _answers(step.interface) or (
                check.startswith("must") and demand.success == promise.on_success
            )
            if written and not settled:
                condition = f"if (code {'==' if promise.on_success else '!='} 0) {{"
                written = [condition, *("    " + line for line in written), "}"]
            lines += written
        if not self._is_end(step):
            lines += [self._checks.alike(each) for each in demand.alike]
        if demand.stretches:
            rule = self._rule_of(each)
            written = self._checks.stretches(self._address(step), demand.stretches, rule)
            sure = not _answers(step.interface) or check.startswith("must_succeed")
            lines += written if sure else _if_it_succeeded(written)
        return lines

    def _code_check(self, step: TraceStep, demand: Demand, rule: str) -> str:
        free = demand.success and demand.failure
        refused = getattr(step.outcome, "code", 0) != 0
        # No fault shows in a last call that is refused as it may be.
        if free and (refused or self._is_end(step)):
            return self._checks.either(demand, rule)
        return self._checks.code(demand, rule)

    def _address(self, step: TraceStep) -> str:
        """Return where the bytes are that a load gives."""
        if step.interface in AGENT:
            return loaded(step)
        value = step.args["address"]
        if is_reference(value):
            text = as_pointer(*self._variables.reference(value), self.uses)
            return f"({text})" if "+" in text else text
        return f"(void *){value:#x}"

    # ------------------------------------------------------------- what lives, while threads run

    def _forgotten(self, step: TraceStep, text: CallText) -> list[str]:
        if not self.threaded or step.interface != "halMemFree":
            return []
        self.uses.helpers.add("no_longer_live")
        address = text.call.removeprefix("halMemFree(").removesuffix(")")
        return [f"no_longer_live({address});"]

    def _watched(self, step: TraceStep) -> list[str]:
        if not self.threaded or step.interface != "halMemAlloc" or not step.args["pp"]:
            return []
        self.uses.helpers.add("now_live")
        name, size = self._variables.plain(step, "pp"), self.uses.size(step.args["size"])
        return ["if (code == 0)", f'    now_live({name}, {size}, "{self._rule_of(None)}");']

    # -------------------------------------------------------------------------------- in general

    def _is_end(self, step: TraceStep) -> bool:
        return step.number == self._steps[-1].step.number

    def _is_last(self, step: TraceStep) -> bool:
        """Tell whether the fault shows in a call."""
        return self._story.broken is not None and self._is_end(step)

    def _rule_of(self, each: StoryStep | None) -> str:
        """Return the rule that a check speaks for: the broken one where the fault shows."""
        verdict = self._story.broken
        if verdict is not None and (each is None or self._is_last(each.step)):
            return verdict.rule
        return _first(each.demand) if each is not None and each.demand is not None else ""


def _mentioned(steps: Sequence[TraceStep]) -> set[int]:
    """Return the processes whose numbers are arguments."""
    found = {path for step in steps for number, path in paths(step.args) if not number}
    return {int(path.removeprefix(PROCESS)) for path in found if path.startswith(PROCESS)}


def _answers(interface: str) -> bool:
    """Tell whether a call is one of the library, and so answers with a code."""
    return interface in ALL_FUNCTIONS or interface in AGENT


def _gives_a_task(step: TraceStep) -> bool:
    """Tell whether a call gives a task to a stream."""
    return step.interface in ALL_FUNCTIONS and step.interface.endswith("Async")


def _tells_truth(interface: str) -> bool:
    """Tell whether a call gives a truth value in place of a code."""
    return interface in ALL_FUNCTIONS and ALL_FUNCTIONS[interface].returns == "bool"


def _if_it_succeeded(lines: Sequence[str]) -> list[str]:
    return ["if (code == 0) {", *("    " + line for line in lines), "}"]


def _first(demand: Demand) -> str:
    """Return the rule that a demand names first."""
    return demand.rules[0] if demand.rules else ""
