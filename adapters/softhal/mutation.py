"""The software driver with one slip of the pen: mutants of its C sources.

Operators, numbers and conditions are changed, and calls and assignments left out, one at a time.
A mutant that compiles to the same code as the driver is none, and one that does not compile is
none either.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from halcert.adapters.softhal import FOLDER

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
        file: name of the file.
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


def changes(path: Path) -> Iterator[Change]:
    """Iterate over the slips that a source file can have."""
    source = path.read_text(encoding="utf-8")
    yield from _in_tokens(path.name, source)
    for found in STATEMENT.finditer(source):
        text = found["text"]
        if not text.startswith(("return", "goto", "else")):
            start, end = found.span("text")
            yield _change(path.name, source, f"without {text}", start, end, ";")


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
        before = text


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
    """Builds the driver with one change after the other."""

    def __init__(self, folder: Path, compiler: str = "cc") -> None:
        """Compile every file of the driver once.

        Args:
            folder: where objects and libraries go.
            compiler: the C compiler.
        """
        self._folder = folder
        self._compiler = shlex.split(compiler)
        self.sources = sorted(FOLDER.glob("src/*.c"))
        self._objects = {path.name: folder / f"{path.stem}.o" for path in self.sources}
        for path in self.sources:
            self._compiled(path.read_text(encoding="utf-8"), path.name, self._objects[path.name])

    def built(self, change: Change) -> Path | None:
        """Return the library with a change; None if it does not compile, or is the same code."""
        source = (FOLDER / "src" / change.file).read_text(encoding="utf-8")
        text = source[: change.start] + change.text + source[change.end :]
        made = (
            self._folder / f"{Path(change.file).stem}-{change.line}-{change.start}-{change.end}.o"
        )
        if not self._compiled(text, change.file, made):
            return None
        original = self._objects[change.file]
        try:
            if made.read_bytes() == original.read_bytes():
                return None
            library = made.with_suffix(".so")
            others = [each for name, each in self._objects.items() if name != change.file]
            return library if self._linked([made, *others], library) else None
        finally:
            made.unlink()

    def _compiled(self, text: str, name: str, target: Path) -> bool:
        """Compile a text as if it were a file of the driver."""
        with tempfile.TemporaryDirectory(dir=self._folder) as scratch:
            source = Path(scratch) / name
            source.write_text(text, encoding="utf-8")
            return self._run(
                [*FLAGS, f"-I{FOLDER}", f"-I{FOLDER / 'src'}", "-c", name], scratch, target
            )

    def _linked(self, objects: Sequence[Path], library: Path) -> bool:
        return self._run(["-shared", *map(str, objects), "-pthread"], str(self._folder), library)

    def _run(self, arguments: Sequence[str], folder: str, target: Path) -> bool:
        command = [*self._compiler, *arguments, "-o", str(target)]
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        return done.returncode == 0
