"""A second opinion: cvc5 asked the question that z3 has answered."""

from __future__ import annotations

from importlib.util import find_spec

from halcert.model.symbolic.solver import Answer

MILLISECONDS = 3000
ANSWERS = {"sat": Answer.YES, "unsat": Answer.NO}


def available() -> bool:
    """Tell whether the second solver is installed."""
    return find_spec("cvc5") is not None


def opinion(text: str, milliseconds: int = MILLISECONDS) -> Answer:
    """Return what the second solver says of assertions in SMT-LIB."""
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
