"""The declared binary interface against a vendor's header: every difference, by the C compiler.

Nothing is parsed by hand. The compiler first judges a program with one statement for each fact
(a constant exists, a member exists, a prototype fits), then a second program made of those that
exist prints their values. Facts that fail to compile are differences, with the compiler's words.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from halcert.adapters.errors import AdapterError, NoCompiler
from halcert.spec.abi.declarations import ALL_LAYOUTS, HAL, Declaration
from halcert.spec.abi.parameters import Function
from halcert.spec.abi.structs import Layout, width_of

PROBE = "halcert-probe"
"""The name under which the compiler knows the statements; their line number tells which."""
COMPLAINT = re.compile(rf"^{PROBE}:(\d+):(?:\d+:)? error: (.*)$")


INCOMPATIBLE = re.compile(
    r"from incompatible pointer type '([^']*)'|with an expression of type '([^']*)'"
)
ABSENT = re.compile(r"undeclared|no member named")


class HeaderNotFound(AdapterError):
    """There is no such header."""


class HeaderUnusable(AdapterError):
    """The compiler refuses the header itself."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that a header says otherwise than the declaration.

    Attributes:
        what: the constant, structure, member or function.
        declared: what the declaration says.
        found: what the header says.
    """

    what: str
    declared: str
    found: str

    def __str__(self) -> str:
        """Return the difference in one line."""
        return f"{self.what}: declared {self.declared}; header: {self.found}"


@dataclass(frozen=True, slots=True)
class Fact:
    """One declared number: an expression that C can evaluate, and its value.

    Attributes:
        what: what it is, for people.
        expression: it in C.
        value: what it must be.
    """

    what: str
    expression: str
    value: int


def declared_facts(declaration: Declaration = HAL) -> list[Fact]:
    """Return every number of a declaration."""
    numbers = {**declaration.codes, **declaration.constants}
    values = [Fact(name, name, value) for name, value in numbers.items()]
    layouts = [fact for each in declaration.layouts.values() for fact in _layout_facts(each)]
    return values + layouts


def _layout_facts(layout: Layout) -> Iterator[Fact]:
    name = layout.c_name
    yield Fact(f"size of {name}", f"sizeof({name})", layout.size)
    for member in layout.members:
        path = member.c_path
        nested = ALL_LAYOUTS.get(member.kind)
        width = member.count * (nested.size if nested else width_of(member.kind))
        yield Fact(f"offset of {name}.{path}", f"offsetof({name}, {path})", member.offset)
        yield Fact(f"size of {name}.{path}", f"sizeof((({name} *)0)->{path})", width)


def compare(
    header: Path, include: Sequence[Path] = (), declaration: Declaration = HAL
) -> list[Difference]:
    """Return every difference between the declaration and a header.

    Args:
        header: the header; others that it includes are looked for beside it.
        include: further folders to look in.
        declaration: of which library.

    Raises:
        HeaderNotFound: there is no such file.
        NoCompiler: there is no C compiler.
        HeaderUnusable: the header does not compile, whatever it is compared with.
    """
    if not header.is_file():
        raise HeaderNotFound(
            f"there is no header {header}", f"Give the path of {declaration.header}."
        )
    compiler = _Compiler(header.resolve(), include)
    compiler.demand_usable()
    return [*_numbers(compiler, declaration), *_prototypes(compiler, declaration)]


def _numbers(compiler: _Compiler, declaration: Declaration) -> Iterator[Difference]:
    facts = declared_facts(declaration)
    complaints = compiler.complaints(
        [f"long long probe{i} = (long long)({fact.expression});" for i, fact in enumerate(facts)]
    )
    for index, complaint in complaints.items():
        # A member that is not there spoils both its offset and its size; once is enough.
        if complaints.get(index - 1) != complaint:
            yield Difference(facts[index].what, str(facts[index].value), complaint)
    known = [fact for index, fact in enumerate(facts) if index not in complaints]
    for fact, value in zip(known, compiler.values(known), strict=True):
        if value != fact.value:
            yield Difference(fact.what, str(fact.value), str(value))


def _prototypes(compiler: _Compiler, declaration: Declaration) -> Iterator[Difference]:
    functions = list(declaration.functions.values())
    complaints = compiler.complaints([_prototype_probe(i, f) for i, f in enumerate(functions)])
    for index, complaint in complaints.items():
        yield Difference(functions[index].symbol, functions[index].prototype, complaint)


def _prototype_probe(index: int, function: Function) -> str:
    types = ", ".join(parameter.c_type for parameter in function.parameters)
    return f"{function.returns} (*probe{index})({types}) = {function.symbol};"


class _Compiler:
    def __init__(self, header: Path, include: Sequence[Path]) -> None:
        self._command = shlex.split(os.environ.get("CC", "cc"))
        if not self._command or shutil.which(self._command[0]) is None:
            raise NoCompiler(
                f"a C compiler is needed to read a header, and "
                f"{shlex.join(self._command) or 'CC'} is not there",
                "Install a C compiler or set CC.",
            )
        self._header = header
        folders = [header.parent, *include]
        self._flags = [
            *(f"-I{folder}" for folder in folders),
            "-std=gnu11",
            "-fmax-errors=0" if self._is_gcc() else "-ferror-limit=0",
            "-Werror=incompatible-pointer-types",
        ]
        # Headers tend to rely on what a driver's own sources include before them.
        self._start = (
            "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n"
            f'#include "{header}"\n'
        )

    def _is_gcc(self) -> bool:
        said = subprocess.run(
            [*self._command, "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        return "clang" not in said.stdout.lower()

    def _run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        # Names of files and comments in a header may be in any encoding.
        done = subprocess.run(
            [*self._command, *self._flags, *arguments, "-x", "c", "-"],
            input=os.fsencode(program),
            capture_output=True,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
        said, complaints = (text.decode(errors="replace") for text in (done.stdout, done.stderr))
        return subprocess.CompletedProcess(done.args, done.returncode, said, complaints)

    def demand_usable(self) -> None:
        done = self._run(self._start, "-fsyntax-only")
        if done.returncode != 0:
            raise HeaderUnusable(
                f"{self._header} does not compile:\n{done.stderr.strip()[:3000]}",
                "If it needs headers from elsewhere, name their folders with --include.",
            )

    def complaints(self, statements: Sequence[str]) -> dict[int, str]:
        """Return what the compiler has against statements, by their index."""
        program = self._start + f'#line 1 "{PROBE}"\n' + "\n".join(statements) + "\n"
        done = self._run(program, "-fsyntax-only")
        found: dict[int, str] = {}
        for line in done.stderr.splitlines():
            match = COMPLAINT.match(line)
            if match:
                found.setdefault(int(match[1]) - 1, _in_short(match[2]))
        return found

    def values(self, facts: Sequence[Fact]) -> list[int]:
        """Return the values of expressions that compile."""
        prints = "\n".join(f'printf("%lld\\n", (long long)({fact.expression}));' for fact in facts)
        program = f"{self._start}int main(void)\n{{\n{prints}\nreturn 0;\n}}\n"
        with tempfile.TemporaryDirectory() as scratch:
            binary = Path(scratch) / "probe"
            done = self._run(program, "-o", str(binary))
            if done.returncode != 0:
                raise HeaderUnusable(f"a probe does not compile:\n{done.stderr.strip()[:3000]}")
            said = subprocess.run([str(binary)], capture_output=True, text=True, check=True)
        return [int(line) for line in said.stdout.split()]


def _in_short(complaint: str) -> str:
    if ABSENT.search(complaint):
        return "not declared"
    types = INCOMPATIBLE.search(complaint)
    return (types[1] or types[2]) if types else complaint
