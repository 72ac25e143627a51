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
STATEMENT = re.compile(
    r"^[ ]{4,}(?P<text>(?:\(void\) ?)?[A-Za-z_][\w>.\[\]-]*(?: [-+|&]?= |\()[^;{}\n]*;)$",
    re.MULTILINE,
)
"""An assignment to something that there is already, or a call, on a line of its own."""


class Change(NamedTuple):
    """One slip of the pen in a source file.

    Attributes:
        file: folder and name of the file: ``softhal/copy.c``.
        line: number of the line.
        column: number of the character in it, from 1.
        words: what was changed, in words.
        start: first character that is replaced.
        end: the one behind the last.
        text: what stands there instead.
    """

    file: str
    line: int
    column: int
    words: str
    start: int
    end: int
    text: str

    @property
    def id(self) -> str:
        """Return its name: file, line, and what was changed."""
        return f"{self.file}:{self.line}:{self.column}: {self.words}"

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
    yield from _in_tokens(name, source)
    for found in STATEMENT.finditer(source):
        text = found["text"]
        if not text.startswith(("return", "goto", "else")):
            start, end = found.span("text")
            yield _change(name, source, f"without {text}", start, end, ";")


def _in_tokens(name: str, source: str) -> Iterator[Change]:
    depth = 0
    before = ""
    for token in TOKEN.finditer(source):
        kind, text = token.lastgroup, token[0]
        if kind == "skip":
            continue
        depth += (text == "{") - (text == "}")
        start, end = token.span()
        if depth > 0:
            if kind == "number":
                yield _change(name, source, f"{text} + 1", start, end, f"({text} + 1)")
            elif text in SWAPS and (before == ")" or before[-1:].isalnum() or before[-1:] == "]"):
                other = SWAPS[text]
                yield _change(name, source, f"{text} becomes {other}", start, end, other)
            elif text == "if":
                opening = source.find("(", end)
                closing = _closing(source, opening)
                inside = source[opening:closing]
                words = f"if not {' '.join(inside.split())}"
                yield _change(name, source, words, opening, closing, f"(!{inside})")
            elif text == "(" and before[-1:].isalnum() and before not in NO_CALLS:
                yield from _exchanged(name, source, before, start)
        before = text


def _exchanged(name: str, source: str, function: str, opening: int) -> Iterator[Change]:
    """Iterate over the calls in which two neighbouring arguments have changed places."""
    arguments = list(_arguments(source, opening))
    for one, other in pairwise(arguments):
        first, second = source[slice(*one)].strip(), source[slice(*other)].strip()
        if first != second:
            words = f"{function}: {' '.join(f'{second}, {first}'.split())}"
            yield _change(name, source, words, one[0], other[1], f"{second}, {first}")


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


def _change(name: str, source: str, words: str, start: int, end: int, text: str) -> Change:
    line = source.count("\n", 0, start) + 1
    column = start - source.rfind("\n", 0, start)
    return Change(name, line, column, words, start, end, text)


class Workshop:
    """Builds a library with one change after the other."""

    def __init__(self, bundle: Bundle, folder: Path, compiler: str = "cc") -> None:
        """Compile every file of the library once.

        Args:
            bundle: the library.
            folder: where objects and libraries go.
            compiler: the C compiler.

        Raises:
            DriverDoesNotBuild: the compiler refuses the sources as they are.
        """
        self._bundle = bundle
        self._folder = folder
        self._compiler = shlex.split(compiler)
        self._objects = {
            path.name: folder / f"{path.stem}.o" for path in sorted(bundle.folder.glob("src/*.c"))
        }
        for name, made in self._objects.items():
            text = (bundle.folder / "src" / name).read_text(encoding="utf-8")
            if not self._compiled(text, name, made):
                raise DriverDoesNotBuild(
                    f"{name} of the {bundle.what} does not compile",
                    "Without the objects of the right library there are no mutants of it.",
                )

    def built(self, change: Change) -> Path | None:
        """Return the library with a change; None if it does not compile, or is the same code."""
        name = Path(change.file).name
        source = (self._bundle.folder / "src" / name).read_text(encoding="utf-8")
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
