"""A second opinion: cvc5 asked the question that z3 has answered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from halcert.model.symbolic.solver import Answer

MILLISECONDS = 3000
DISAGREEMENT = "z3 proves it, cvc5 finds a counterexample"
"""What is noted where the two solvers contradict each other."""
ANSWERS = {"sat": Answer.YES, "unsat": Answer.NO}


def available() -> bool:
    """Tell whether the second solver is installed."""
    return find_spec("cvc5") is not None


class _Shelf:
    """Where questions are kept while something keeps them."""

    folder = ""
    stem = ""
    count = 0


_shelf = _Shelf()


@contextmanager
def keeping(folder: str, stem: str) -> Iterator[None]:
    """Write each question into a folder while the block runs; do nothing if there is none.

    Args:
        folder: the folder.
        stem: how the names of the files begin; a number follows.
    """
    _shelf.folder, _shelf.stem, _shelf.count = folder, re.sub(r"[^\w.-]", "-", stem), 0
    try:
        yield
    finally:
        _shelf.folder = ""


def _kept(text: str) -> None:
    if not _shelf.folder:
        return
    _shelf.count += 1
    folder = Path(_shelf.folder)
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"{_shelf.stem}-{_shelf.count:04}.smt2"
    place.write_text(f"(set-logic ALL)\n(set-info :status unsat)\n{text}\n(check-sat)\n")


def opinion(text: str, milliseconds: int = MILLISECONDS) -> Answer:
    """Return what the second solver says of assertions in SMT-LIB."""
    _kept(text)
    import cvc5  # noqa: PLC0415 - an optional dependency

    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(milliseconds))
    parser = cvc5.InputParser(solver)
    language = cvc5.InputLanguage.SMT_LIB_2_6
    parser.setStringInput(language, f"(set-logic ALL)\n{text}", "question")
    symbols = parser.getSymbolManager()
    while not (command := parser.nextCommand()).isNull():
        command.invoke(solver, symbols)
    return ANSWERS.get(str(solver.checkSat()), Answer.UNKNOWN)
