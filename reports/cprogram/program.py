"""A trace as one C program that shows the fault to whoever has the library and a compiler."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import groupby

from jinja2 import Environment, PackageLoader, StrictUndefined

from halcert.reports.cprogram.calls import CallText, CallWriter
from halcert.reports.cprogram.checks import CheckWriter, quoted
from halcert.reports.cprogram.expressions import Uses, Variables, as_pointer
from halcert.reports.cprogram.layouts import declaration, needed
from halcert.reports.escape import one_line
from halcert.reports.tracetext import described
from halcert.reports.values import is_reference
from halcert.results import Crashed, Missing, TraceStep
from halcert.results.story import Demand, Story, StoryStep
from halcert.spec.abi.codes import DrvError, symbol_of
from halcert.spec.abi.constants import FlagBit
from halcert.spec.abi.functions import FUNCTIONS, SCALAR_OF
from halcert.spec.catalogue import rule as rule_named
from halcert.spec.pattern import MIX, ODD, STRIDE

TEMPLATE = "program.c.j2"
WIDTH = 92
CODE_SHAPES = ("accepted", "refused", "code", "account")
"""Ways in which a rule is broken by a return code."""
BESIDE = " *            "
WIDE_MACROS = ("MEM_DEV", "MEM_SVM", "MEM_HOST", "MEM_DVPP", "MEM_RESERVE", "MEM_UVM", "MEM_TYPE",
    "MEM_PAGE", "MEM_CONT", "MEM_ADVISE", "MEM_READONLY")
"""Parts of the flag of halMemAlloc, which has 64 bits."""
SECONDS = 10
"""How long a call may take before it counts as hung."""
ROUNDS = 300
"""How often a program with threads is run, since what it shows may depend on luck."""
USUAL_CODES = (
    DrvError.NONE,
    DrvError.NO_DEVICE,
    DrvError.INVALID_DEVICE,
    DrvError.INVALID_VALUE,
    DrvError.INVALID_HANDLE,
    DrvError.OUT_OF_MEMORY,
    DrvError.PARA_ERROR,
    DrvError.BUSY,
    DrvError.NOT_SUPPORT,
)
"""Codes that a program can name whatever it is about."""


@dataclass
class Body:
    """A function of the program: a process, or a thread of one.

    Attributes:
        name: name of the function.
        title: what it is.
        lines: its statements.
        variables: what its calls give, if it is kept outside of the function.
    """

    name: str
    title: str
    lines: list[str] = field(default_factory=list)
    variables: list[tuple[str, str]] = field(default_factory=list)


def c_program(story: Story, name: str = "counterexample") -> str:
    """Return the C program for the story of a trace.

    Args:
        story: the story.
        name: name of the program, for the line that compiles it.
    """
    return _Program(story, name).text()


class _Program:
    def __init__(self, story: Story, name: str) -> None:
        self._story = story
        self._name = name
        self._steps = [each for each in story.steps if each.made]
        plain = [each.step for each in self._steps]
        self._texts = {each.number: each for each in described(plain)}
        self._uses = Uses()
        self._variables = Variables(plain)
        self._calls = CallWriter(self._variables, self._uses)
        self._checks = CheckWriter(self._variables, self._uses)
        self._threaded = any(step.thread for step in plain)
        self._actors = sorted({step.actor for step in plain}) or [0]
        self._needed = _needed_later(plain, story)

    def text(self) -> str:
        """Return the program."""
        bodies = self._bodies()
        codes = sorted({*map(int, USUAL_CODES), *self._uses.codes})
        header = self._story.header
        verdict = self._story.broken
        broken = rule_named(verdict.rule) if verdict else None
        constants = sorted(self._uses.constants.items(), key=lambda item: (item[1], item[0]))
        return _template().render(
            name=self._name,
            header=header,
            verdict=verdict,
            title=_comment(_title(self._story), " * "),
            allowed=_comment(verdict.allowed, BESIDE) if verdict else "",
            came=_comment(verdict.came, BESIDE) if verdict else "",
            sources=_comment("; ".join(map(str, broken.sources)), BESIDE) if broken else "",
            settings=_comment(" ".join(f"{k}={v}" for k, v in sorted(header.environment.items())), " * "),
            bodies=bodies,
            mains=[body for body in bodies if body.name.startswith("process")],
            threaded=self._threaded,
            forked=len(self._actors) > 1,
            repeated=self._threaded,
            shared=self._shared(),
            rounds=ROUNDS,
            seconds=SECONDS,
            typedefs=self._typedefs(),
            structs=self._structs(),
            codes=[(symbol_of(code), code) for code in codes],
            functions=[FUNCTIONS[name] for name in self._uses.functions],
            constants=[(name, _macro(name, value)) for name, value in constants],
            pieces=pieces(self._helpers()),
            missing_is_fault=any(isinstance(each.step.outcome, Missing) for each in self._steps),
        )

    def _helpers(self) -> set[str]:
        used = set(self._uses.helpers)
        if len(self._actors) > 1:
            used.add("turns")
        if any(isinstance(each.step.outcome, Missing) for each in self._steps):
            used.add("fault")
        return used

    # --------------------------------------------------------------------------------- functions

    def _bodies(self) -> list[Body]:
        mains = {actor: Body(f"process_{actor}", f"process {actor}") for actor in self._actors}
        if len(self._actors) == 1:
            mains[self._actors[0]] = Body("calls", "the calls")
        threads: list[Body] = []
        turn = 0
        for threaded, run in groupby(self._steps, key=lambda each: each.step.thread > 0):
            steps = list(run)
            if threaded:
                turn += 1
                threads += self._section(steps, mains, turn)
                continue
            for each in steps:
                turn += 1
                self._alone(each, mains[each.step.actor], turn)
        bodies = [*threads, *mains.values()]
        for body in bodies:
            if any(line.startswith("code = ") for line in body.lines):
                body.lines.insert(0, "int code;")
        return bodies

    def _alone(self, each: StoryStep, body: Body, turn: int) -> None:
        body.lines.append("")
        if len(self._actors) > 1:
            body.lines.append(f"turn({turn});")
            body.lines += self._fetched(each.step)
        body.lines += self._call(each, body)
        if len(self._actors) > 1:
            body.lines += self._handed_over(each.step)
            body.lines.append("done(1);")

    def _section(self, steps: Sequence[StoryStep], mains: dict[int, Body], turn: int) -> list[Body]:
        """Write calls that are made at the same time, a function for each thread."""
        crews: dict[int, dict[int, Body]] = {}
        for each in steps:
            actor, thread = each.step.actor, each.step.thread
            place = f"_{actor}" if len(self._actors) > 1 else ""
            crew = crews.setdefault(actor, {})
            body = crew.setdefault(
                thread, Body(f"thread{place}_{turn}_{thread}", f"thread {thread} of process {actor}")
            )
            body.lines.append("")
            body.lines += self._call(each, body)
        for actor, crew in crews.items():
            main = mains[actor]
            names = ", ".join(body.name for body in crew.values())
            main.lines.append("")
            if len(self._actors) > 1:
                main.lines.append(f"turn({turn});")
            main.lines.append(f"together({len(crew)}, (thread_function[]){{{names}}});")
            self._uses.helpers.add("together")
            main.lines += self._counted(steps, actor)
            if len(self._actors) > 1:
                main.lines.append(f"done({len(crews)});")
        return [body for crew in crews.values() for body in crew.values()]

    def _counted(self, steps: Sequence[StoryStep], actor: int) -> list[str]:
        """Check how many of the calls that are equal succeeded."""
        here = {each.step.number for each in steps if each.step.actor == actor}
        lines = []
        for numbers, most in self._story.promised:
            if set(numbers) <= here:
                self._uses.helpers.add("must_add_up")
                given = ", ".join(f"code{number}" for number in numbers)
                what = quoted(self._texts[numbers[0]].call)
                lines.append(
                    f"must_add_up({len(numbers)}, (const int[]){{{given}}}, {most}, {what},\n"
                    f'            "{self._rule_of(None)}");'
                )
        return lines

    def _call(self, each: StoryStep, body: Body) -> list[str]:
        step, demand = each.step, each.demand
        text = self._calls.write(step)
        kept_code = self._kept_code(step, body)
        inside = self._in_function(step)
        lines = [f"/* {self._heading(step)} */"]
        for c_type, name in text.variables:
            if inside and not name.startswith("forged"):
                declared = f"{c_type}{'' if c_type.endswith('*') else ' '}{name}"
                first = text.before[0] if text.before else ""
                if first.startswith(f"{name} = "):
                    text.before[0] = declared.removesuffix(name) + first
                else:
                    lines.append(declared + ";")
            elif (c_type, name) not in body.variables:
                body.variables.append((c_type, name))
        lines += text.before
        unchanged = [self._checks.unchanged(n, self._rule_of(each)) for n in self._sent(step, text)]
        lines += [line for before, _ in unchanged for line in before.split("\n")]
        if self._threaded and step.interface == "halMemFree":
            lines.append(f"no_longer_live({text.call.removeprefix('halMemFree(').removesuffix(')')});")
        lines.append(f"calling({step.number}, {quoted(self._texts[step.number].call)});")
        if step.interface in FUNCTIONS:
            self._uses.helpers.add("returned")
            lines += [f"code = {text.call};", "returned(code);"]
        else:
            self._uses.helpers.add("accessed")
            lines.append(f"accessed({text.call});")
        if kept_code:
            lines.append(f"{kept_code} = code;")
        for label, variable in text.shown:
            self._uses.helpers.add("gave")
            value = f"(uint64_t){variable.text}" if variable.pointer else variable.text
            lines.append(f'gave("{label}", {value});')
        lines += [after for _, after in unchanged]
        lines += self._demands(each)
        lines += self._watched(each)
        return lines

    def _heading(self, step: TraceStep) -> str:
        verdict = self._story.broken
        if verdict is not None and step.number == verdict.culprit:
            return f"call {step.number}: the one at fault"
        return f"call {step.number}: where it shows" if self._is_last(step) else f"call {step.number}"

    def _sent(self, step: TraceStep, text: CallText) -> list[str]:
        """Return the inputs that are to be looked at after the call."""
        return text.unchanged if isinstance(step.outcome, Crashed) else []

    def _demands(self, each: StoryStep) -> list[str]:
        step, demand = each.step, each.demand
        if demand is None:
            return []
        rule = self._rule_of(each) if self._is_about_the_code() else _first(demand)
        check = self._code_check(each, demand, rule) if step.interface in FUNCTIONS else ""
        lines = [check] if check else []
        for promise in demand.promises:
            written = self._checks.promise(promise)
            if written and not (check.startswith("must") and demand.success == promise.on_success):
                lines.append(f"if (code {'==' if promise.on_success else '!='} 0) {{")
                written = ["    " + line for line in written] + ["}"]
            lines += written
        if demand.stretches:
            address, rule = self._address(step), self._rule_of(each)
            lines += [self._checks.stretch(address, s, rule) for s in _merged(demand)]
        return lines

    def _address(self, step: TraceStep) -> str:
        value = step.args["address"]
        if is_reference(value):
            text = as_pointer(*self._variables.reference(value), self._uses)
            return f"({text})" if "+" in text else text
        return f"(void *){value:#x}"

    def _code_check(self, each: StoryStep, demand: Demand, rule: str) -> str:
        outcome = each.step.outcome
        refused = getattr(outcome, "code", 0) != 0
        if demand.success and demand.failure and refused and not self._is_last(each.step):
            return self._checks.either(demand, rule)
        return self._checks.code(demand, rule)

    def _watched(self, each: StoryStep) -> list[str]:
        """Watch what is live while threads allocate and free at the same time."""
        step = each.step
        if not self._threaded or step.interface != "halMemAlloc" or not step.args["pp"]:
            return []
        self._uses.helpers.add("live")
        name, size = self._variables.plain(step, "pp"), self._uses.size(step.args["size"])
        return ["if (code == 0)", f'    now_live({name}, {size}, "{self._rule_of(None)}");']

    def _is_last(self, step: TraceStep) -> bool:
        return bool(self._story.broken) and step.number == self._steps[-1].step.number

    def _is_about_the_code(self) -> bool:
        return self._story.broken is not None and self._story.broken.shape in CODE_SHAPES

    def _rule_of(self, each: StoryStep | None) -> str:
        verdict = self._story.broken
        if verdict is not None and (each is None or self._is_last(each.step)):
            return verdict.rule
        return _first(each.demand) if each and each.demand else ""

    # ------------------------------------------------------------------------ where things are

    def _in_function(self, step: TraceStep) -> bool:
        """Tell whether what a call gives can be a variable of the function that makes it."""
        return not self._threaded and len(self._actors) == 1

    def _kept_code(self, step: TraceStep, body: Body) -> str:
        if any(step.number in numbers for numbers, _ in self._story.promised):
            name = f"code{step.number}"
            body.variables.append(("int", name))
            return name
        return ""

    def _fetched(self, step: TraceStep) -> list[str]:
        return [
            f"{name} = shared->{name};"
            for name, _, maker in self._crossing()
            if maker.actor != step.actor and maker.number in _references(step.args)
        ]

    def _handed_over(self, step: TraceStep) -> list[str]:
        return [
            f"shared->{name} = {name};" for name, _, maker in self._crossing() if maker is step
        ]

    def _crossing(self) -> list[tuple[str, str, TraceStep]]:
        """Return what calls of one process gave and calls of another need."""
        makers = {each.step.number: each.step for each in self._steps}
        found: dict[str, tuple[str, str, TraceStep]] = {}
        for each in self._steps:
            for number, path in _paths(each.step.args):
                maker = makers.get(number)
                if maker is None or maker.actor == each.step.actor:
                    continue
                variable = self._variables.of(number, path)
                name = re.split(r"[.&]", variable.text.removeprefix("&"))[0]
                found[name] = (name, "void *" if variable.pointer else "uint64_t", maker)
        return list(found.values())

    def _shared(self) -> list[tuple[str, str]]:
        return [(c_type, name) for name, c_type, _ in self._crossing()]

    def _typedefs(self) -> list[tuple[str, str]]:
        """Return the header's names for numbers that the functions use."""
        words = " ".join(FUNCTIONS[name].prototype for name in self._uses.functions)
        c_types = {"u8": "uint8_t", "u32": "uint32_t", "u64": "uint64_t", "i32": "int32_t"}
        known = {**SCALAR_OF, "UINT64": "u64"}
        return [
            (c_types[kind], name)
            for name, kind in known.items()
            if name not in STANDARD and re.search(rf"\b{name}\b", words)
        ]

    def _structs(self) -> list[str]:
        words = " ".join(FUNCTIONS[name].prototype for name in self._uses.functions)
        mentioned = set(re.findall(r"struct (\w+)", words)) | self._uses.structs
        order = [each for name in sorted(mentioned) for each in needed(name)]
        return [declaration(name) for name in dict.fromkeys(order)]


STANDARD = frozenset(
    {
        "int",
        "size_t",
        "uint32_t",
        "uint64_t",
        "unsigned int",
        "unsigned long long",
        "void *",
    }
)


def _first(demand: Demand) -> str:
    """Return the rule that a demand names first."""
    return demand.rules[0] if demand.rules else ""


def _needed_later(steps: Sequence[TraceStep], story: Story) -> set[int]:
    return {number for step in steps for number in _references(step.args)}


def _references(value: object) -> set[int]:
    return {number for number, _ in _paths(value)}


def _paths(value: object) -> list[tuple[int, str]]:
    if is_reference(value):
        return [(int(value["$"]), str(value["field"]))]  # type: ignore[index]
    inner = value.values() if isinstance(value, dict) else value
    if isinstance(value, dict | list | tuple):
        return [found for each in inner for found in _paths(each)]  # type: ignore[attr-defined]
    return []


def _merged(demand: Demand) -> list:
    """Return the stretches, those that continue each other as one."""
    found: list = []
    for each in demand.stretches:
        last = found[-1] if found else None
        if last is not None and last.pattern == each.pattern and last.start + last.length == each.start:
            follows = last.value + (0 if last.pattern is None else last.length) == each.value
            if follows:
                found[-1] = type(last)(
                    last.start, last.length + each.length, last.pattern, last.value, last.author
                )
                continue
        found.append(each)
    return found


def _title(story: Story) -> str:
    verdict = story.broken
    if verdict is None:
        return f"{one_line(story.header.origin) or 'A trace'}: no rule is broken in it."
    rule = rule_named(verdict.rule)
    return f"{verdict.rule} ({verdict.strength}): {rule.summary if rule else ''}"


def _comment(text: str, prefix: str) -> str:
    """Return a text fit for a comment, its further lines behind a prefix."""
    safe = one_line(text).replace("*/", "* /").replace("/*", "/ *").replace("\\", "/")
    return f"\n{prefix}".join(textwrap.wrap(safe, WIDTH - len(prefix)) or [""])


def _macro(name: str, value: int) -> str:
    if name.startswith(WIDE_MACROS) and name != FlagBit.MEM_MODULE_ID_BIT.name:
        return f"{value:#x}ULL"
    return str(value)


@cache
def _sections() -> dict[str, tuple[tuple[str, ...], str]]:
    """Return the pieces of the frame: what each needs, and its text."""
    text = files("halcert.reports.cprogram").joinpath("frame.c").read_text()
    found = {}
    for part in text.split("//// ")[1:]:
        first, _, rest = part.partition("\n")
        name, _, needs = first.partition(":")
        found[name] = tuple(needs.split()), rest.strip()
    return found


def pieces(used: Collection[str]) -> list[str]:
    """Return the pieces of the frame that a program uses, in their order."""
    sections = _sections()
    wanted = {"base"}
    waiting = [*used]
    while waiting:
        name = waiting.pop()
        if name in sections and name not in wanted:
            wanted.add(name)
            waiting += sections[name][0]
    values = {"PATTERN_STRIDE": STRIDE, "PATTERN_ODD": ODD, "PATTERN_MIX": MIX}
    found = [text for name, (_, text) in sections.items() if name in wanted]
    for name, value in values.items():
        found = [text.replace(name, f"{value:#x}ULL") for text in found]
    return found


@cache
def _template():
    environment = Environment(
        loader=PackageLoader("halcert.reports", "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - C, not HTML
    )
    return environment.get_template(TEMPLATE)
