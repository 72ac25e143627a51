"""The software driver and runtime with one slip of the pen: mutants of their C sources.

Operators, numbers and conditions are changed, branches and arguments are exchanged, and calls and
assignments left out, one at a time. A mutant that compiles to the same code is none, and one that
does not compile is none either.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from halcert.adapters import softacl, softhal
from halcert.adapters.bundled import Bundle
from halcert.adapters.errors import DriverDoesNotBuild

BUNDLES: dict[str, Bundle] = {each.folder.name: each for each in (softhal.BUNDLE, softacl.BUNDLE)}
"""What can be changed, by the name of its folder."""
EQUIPMENT = frozenset({"faults.c", "caprice.c", "caprice_place.c"})
"""Sources that only serve tests: what they do is switched on by nobody else."""
NO_CALLS = frozenset({"if", "while", "for", "switch", "return", "sizeof", "defined", "FAULT"})
"""Words before a parenthesis that are no names of functions."""
FLAGS = ("-std=c11", "-O1", "-fPIC", "-fvisibility=hidden", "-D_GNU_SOURCE", "-w")
TOKEN = re.compile(
    r"""(?P<skip>//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|^[ \t]*\#(?:\\\n|[^\n])*)
    |(?P<number>\b(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*\b)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<operator><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^<>=!~?:;,.(){}\[\]])
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
SWAPS = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "&&": "||",
    "||": "&&",
    "+": "-",
    "-": "+",
    "<<": ">>",
    ">>": "<<",
    "+=": "-=",
    "-=": "+=",
}
SEEDED = re.compile(r"\bFAULT\(\w+\)\s*$"), re.compile(r"\s*!?FAULT\(")
"""A seeded fault left or right of an operator: a slip there only brings the fault to life."""
STATEMENT = re.compile(
    r"^[ ]{4,}(?P<text>(?:\(void\) ?)?[A-Za-z_][\w>.\[\]-]*(?: [-+|&]?= |\()[^;{}\n]*;)$",
    re.MULTILINE,
)
"""An assignment to something that there is already, or a call, on a line of its own."""


class Change(NamedTuple):
    """One slip of the pen in a source file.

    Attributes:
        file: folder and name of the file: ``softhal/copy.c``.
        within: name of the function or table that it is in; empty in a type.
        runs: whether it is in a function.
        line: number of the line.
        column: number of the character in it, from 1.
        words: what was changed, in words.
        start: first character that is replaced.
        end: the one behind the last.
        text: what stands there instead.
    """

    file: str
    within: str
    runs: bool
    line: int
    column: int
    words: str
    start: int
    end: int
    text: str

    @property
    def id(self) -> str:
        """Return its name: where it is, and what was changed."""
        return f"{self.file}:{self.within}:{self.line}:{self.column}: {self.words}"

    @property
    def bundle(self) -> str:
        """Return the name of the folder of the library."""
        return self.file.partition("/")[0]


def all_changes(bundle: str) -> Iterator[Change]:
    """Iterate over the slips that the sources of a library can have."""
    for path in sorted(BUNDLES[bundle].folder.glob("src/*.c")):
        if path.name not in EQUIPMENT:
            yield from changes(path, f"{bundle}/{path.name}")


def changes(path: Path, name: str) -> Iterator[Change]:
    """Iterate over the slips that a source file can have.

    Args:
        path: the file.
        name: what it is called in the ids.
    """
    source = path.read_text(encoding="utf-8")
    for body in bodies(source):
        place = source, body.start, body.end
        for slip in (*_in_tokens(*place), *_left_out(*place)):
            yield _change(name, body, source, slip)


class Body(NamedTuple):
    """What stands in braces on the outermost level of a file.

    Attributes:
        name: name of the function, or of the table; empty for a type.
        calls: whether it is a function.
        start: the opening brace.
        end: behind the closing one.
        head: the words in front of it.
    """

    name: str
    calls: bool
    start: int
    end: int
    head: frozenset[str]


def bodies(source: str) -> Iterator[Body]:
    """Iterate over the functions and tables of a file."""
    depth = parens = start = 0
    before = function = array = table = ""
    head: set[str] = set()
    for token in TOKEN.finditer(source):
        kind, text = token.lastgroup, token[0]
        if kind == "skip":
            continue
        if depth == 0:
            head.add(text)
            if text == "[":
                array = array or before
            elif text == "=":
                function, table = "", array or before
            elif (
                text == "(" and parens == 0 and before.isidentifier() and before != "__attribute__"
            ):
                function = function or before
            elif text == "{":
                start = token.start()
            parens += (text == "(") - (text == ")")
        depth += (text == "{") - (text == "}")
        if depth == 0 and text == "}":
            yield Body(function or table, bool(function), start, token.end(), frozenset(head))
        if depth == 0 and text in (";", "}"):
            function, array, table, head = "", "", "", set()
        before = text


Slip = tuple[str, int, int, str]
"""What is changed, in words; the first character, the one behind the last, what stands there."""


def _left_out(source: str, start: int, end: int) -> Iterator[Slip]:
    """Iterate over the statements that can be left out."""
    for found in STATEMENT.finditer(source, start, end):
        text = found["text"]
        if not text.startswith(("return", "goto", "else")):
            yield f"without {text}", *found.span("text"), ";"


def _in_tokens(source: str, start: int, end: int) -> Iterator[Slip]:
    """Iterate over the operators, numbers, conditions and arguments that can be exchanged."""
    before = ""
    for token in TOKEN.finditer(source, start, end):
        kind, text = token.lastgroup, token[0]
        if kind == "skip":
            continue
        place = token.span()
        if kind == "number":
            yield f"{text} + 1", *place, f"({text} + 1)"
        elif text in SWAPS and (before == ")" or before[-1:].isalnum() or before[-1:] == "]"):
            left, right = SEEDED
            if not left.search(source, max(start, place[0] - 60), place[0]) and not right.match(
                source, place[1]
            ):
                yield f"{text} becomes {SWAPS[text]}", *place, SWAPS[text]
        elif text == "if":
            opening = source.find("(", token.end())
            closing = _closing(source, opening)
            inside = source[opening:closing]
            yield f"if not {' '.join(inside.split())}", opening, closing, f"(!{inside})"
        elif text == "(" and before[-1:].isalnum() and before not in NO_CALLS:
            yield from _exchanged(source, before, token.start())
        before = text


def _exchanged(source: str, function: str, opening: int) -> Iterator[Slip]:
    """Iterate over the calls in which two neighbouring arguments have changed places."""
    arguments = list(_arguments(source, opening))
    for one, other in pairwise(arguments):
        first, second = source[slice(*one)].strip(), source[slice(*other)].strip()
        if first != second:
            words = f"{function}: {' '.join(f'{second}, {first}'.split())}"
            yield words, one[0], other[1], f"{second}, {first}"


def _arguments(source: str, opening: int) -> Iterator[tuple[int, int]]:
    """Iterate over the places of the arguments between a parenthesis and its end."""
    depth, start = 0, opening + 1
    for token in TOKEN.finditer(source, opening):
        depth += (token[0] in ("(", "[", "{")) - (token[0] in (")", "]", "}"))
        if depth == 0 or (depth == 1 and token[0] == ","):
            yield start, token.start()
            start = token.end()
        if depth == 0:
            return


def _closing(source: str, opening: int) -> int:
    """Return the place behind the parenthesis that closes one."""
    depth = 0
    for token in TOKEN.finditer(source, opening):
        depth += (token[0] == "(") - (token[0] == ")")
        if depth == 0:
            return token.end()
    raise ValueError(f"the parenthesis at {opening} is never closed")


def _change(name: str, body: Body, source: str, slip: Slip) -> Change:
    words, start, end, text = slip
    line = source.count("\n", 0, start) + 1
    column = start - source.rfind("\n", 0, start)
    return Change(name, body.name, body.calls, line, column, words, start, end, text)


class Workshop:
    """Builds a library with one change after the other.

    Several processes may use one folder: each change has files of its own.
    """

    def __init__(self, bundle: Bundle, folder: Path, compiler: str = "cc") -> None:
        """Take a folder for a library.

        Args:
            bundle: the library.
            folder: where objects and libraries go; made if need be.
            compiler: the C compiler.
        """
        folder.mkdir(exist_ok=True)
        self._bundle = bundle
        self._folder = folder
        self._compiler = shlex.split(compiler)
        self._objects = {
            path.name: folder / f"{path.stem}.o" for path in sorted(bundle.folder.glob("src/*.c"))
        }

    def prepare(self, jobs: int = 1) -> None:
        """Compile the files of the library as they are, if that was not done yet.

        Args:
            jobs: compilers that work side by side.

        Raises:
            DriverDoesNotBuild: the compiler refuses the sources as they are.
        """
        missing = [name for name, made in self._objects.items() if not made.exists()]
        with ThreadPoolExecutor(jobs) as pool:
            for name, compiled in zip(missing, pool.map(self._as_it_is, missing), strict=True):
                if not compiled:
                    raise DriverDoesNotBuild(
                        f"{name} of the {self._bundle.what} does not compile",
                        "Without the objects of the right library there are no mutants of it.",
                    )

    def built(self, change: Change) -> Path | None:
        """Return the library with a change; None if it does not compile, or is the same code."""
        name = Path(change.file).name
        source = self._text(name)
        text = source[: change.start] + change.text + source[change.end :]
        made = self._folder / f"{Path(name).stem}-{change.line}-{change.start}-{change.end}.o"
        if not self._compiled(text, name, made):
            return None
        try:
            if made.read_bytes() == self._objects[name].read_bytes():
                return None
            library = made.with_suffix(".so")
            others = [each for other, each in self._objects.items() if other != name]
            return library if self._linked([made, *others], library) else None
        finally:
            made.unlink()

    def _as_it_is(self, name: str) -> bool:
        return self._compiled(self._text(name), name, self._objects[name])

    def _text(self, name: str) -> str:
        return (self._bundle.folder / "src" / name).read_text(encoding="utf-8")

    def _compiled(self, text: str, name: str, target: Path) -> bool:
        """Compile a text as if it were a file of the library."""
        headers = [f"-I{each}" for each in (*self._bundle.includes, self._bundle.folder / "src")]
        with tempfile.TemporaryDirectory(dir=self._folder) as scratch:
            (Path(scratch) / name).write_text(text, encoding="utf-8")
            return self._run([*FLAGS, *headers, "-c", name], scratch, target)

    def _linked(self, objects: Sequence[Path], library: Path) -> bool:
        options = ["-shared", *map(str, objects), *self._bundle.links]
        return self._run(options, str(self._folder), library)

    def _run(self, arguments: Sequence[str], folder: str, target: Path) -> bool:
        command = [*self._compiler, *arguments, "-o", str(target)]
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        return done.returncode == 0
