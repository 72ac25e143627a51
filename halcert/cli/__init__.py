"""The command line, ``halcert``.

Each command is a module of its own, loaded when it is called. Errors that are the user's or the
machine's end in a message and an exit code, never in a traceback.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback

import click

import halcert
from halcert.results import Exit

COMMANDS = {
    "certify": "run the suite against an implementation and write a certificate",
    "verify": "check who signed a certificate, and that it is whole and was not edited",
    "gate": "fail on what a change broke, against a baseline and waivers",
    "baseline": "write or compare what a build did, for the gate",
    "compare": "make the same calls on two implementations and list where they differ",
    "prove": "prove that the rules are consistent, complete and reachable",
    "faults": "see whether the suite finds every seeded fault",
    "mutants": "see whether the suite and the proofs notice a changed driver or rules",
    "replay": "repeat a trace and say whether it still fails",
    "explain": "tell the story of a trace in words",
    "export": "write a trace as a C program, a test, a time line or a diagram",
    "sample": "run a sample of the documents visibly on a runtime",
    "vectors": "write the generated tests as data or as C programs",
    "spec": "look up rules",
    "trace-matrix": "lead from statements of documents to rules, proofs, tests and verdicts",
    "doctor": "say what is here: implementations, devices, versions, and what is missing",
    "abi": "compare the declared binary interface with a header",
}

IN_FILES = ("certify", "gate", "compare")
"""Commands whose verdict is in files; what they print tells it once more."""


class Commands(click.Group):
    """The commands, loaded when they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names in the order of their use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Load a command by name."""
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        module = importlib.import_module(f"halcert.cli.{name}")
        command: click.Command = getattr(module, name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _tell_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(f"halcert {halcert.__version__}")
        context.exit()


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_tell_version,
    help="Show the version and exit.",
)
def cli() -> None:
    """Conformance of Ascend NPU memory interfaces, from rule to certificate.

    Start with `halcert certify`: it runs every test against the bundled software driver, or
    against your library with --library PATH, and writes a certificate to halcert-out/.

    \b
    Exit codes:
      0  certified, gate passed, everything settled, every fault found
      1  violations found, gate failed
      2  wrong usage or configuration
      3  incomplete: a MUST rule was not exercised, or the run was cut short
      4  the implementation could not be started
      5  the suite or the adapter failed
      6  a repeated trace shows another fault than it did
    """  # noqa: D301 - click reads the character as: keep these lines


def main() -> None:
    """Run the command line and exit with the code that it gives."""
    try:
        from halcert.cli.interrupts import listen
        from halcert.cli.output import forgive, is_lost

        listen()
        forgive()
        code = run(sys.argv[1:])
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        if is_lost() and sys.argv[1:2] not in ([name] for name in IN_FILES):
            code = code or int(Exit.USAGE)
    except KeyboardInterrupt:
        code = _interrupted()
    sys.exit(code)


def _interrupted() -> int:
    click.echo("interrupted", err=True)
    return int(Exit.INCOMPLETE)


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code."""
    try:
        code = cli.main(arguments, prog_name="halcert", standalone_mode=False)
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.exceptions.NoArgsIsHelpError as help_wanted:
        help_wanted.show()
        return int(Exit.USAGE)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.exceptions.Abort, KeyboardInterrupt):
        return _interrupted()
    except Exception as error:  # noqa: BLE001 - every error ends in a message and an exit code
        return _failed(error)
    return code if isinstance(code, int) else 0


def _failed(error: Exception) -> int:
    from halcert.cli.errors import explained

    if os.environ.get("HALCERT_DEBUG"):
        click.echo("".join(traceback.format_exception(error)), err=True, nl=False)
    told = explained(error)
    click.echo(told.text, err=True)
    return int(told.code)
