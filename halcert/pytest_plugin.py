"""The suite as a pytest plugin: ``pytest -p halcert.pytest_plugin --adapter hal ...``.

Each activity and each rule is a test item: ``-k SVM-ALLOC`` selects the witnesses and the rules
of that interface, ``--collect-only`` lists them, JUnit reports name them. Without test files on
the command line only the suite runs.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from halcert.adapters.errors import AdapterError
from halcert.conformance.activity import Activity, Done
from halcert.conformance.claim import CERTIFICATE, claimed
from halcert.conformance.lists import names_in
from halcert.conformance.run import BUDGET, Choice, UsageError, prepared, sensible_jobs
from halcert.conformance.seeded import without_the_fault
from halcert.conformance.story import stories_of
from halcert.conformance.suite import Suite, message_of, outcome_of
from halcert.conformance.trial import tried
from halcert.reports import text_of, write_reports
from halcert.reports.departures import departures_told
from halcert.reports.dsse import KEY_PASSWORD, KeyUnusable, private_key
from halcert.results import Certificate, RuleResult, TraceStep, Verdict
from halcert.results.weight import stands_against


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the suite."""
    group = parser.getgroup("halcert", "conformance of an Ascend memory implementation")
    group.addoption("--adapter", default=None, help="hal, acl, exec or model")
    group.addoption("--library", default=None, help="path of the library under test")
    group.addoption("--fault", default=None, help="seeded fault of the bundled library")
    group.addoption("--kernel", default=None, help="kernel below the library: sim or real")
    group.addoption("--kernel-fault", default=None, help="what that kernel does wrong, and when")
    group.addoption("--profile", default="ascend910b", help="product (default: ascend910b)")
    group.addoption("--areas", default=None, help="areas, by commas (default: all it calls)")
    group.addoption("--seed", type=int, default=0, help="seed of all choices (default: 0)")
    group.addoption("--budget", type=float, default=BUDGET, help=f"seconds (default: {BUDGET:g})")
    group.addoption("--jobs", type=int, default=1, help="processes that run tests (default: 1)")
    group.addoption("--key", default=None, help="ed25519 key that signs the certificate")
    group.addoption("--out", default="halcert-out", help="folder for the results")


def pytest_configure(config: pytest.Config) -> None:
    """Start the suite if an adapter is named."""
    if config.getoption("adapter", None) is None:
        return
    if config.getoption("numprocesses", None) or config.getoption("tx", None):
        raise pytest.UsageError("the suite cannot be divided by pytest-xdist; use --jobs, not -n")
    if not config.getoption("out"):
        raise pytest.UsageError("--out is empty; give the name of a folder")
    jobs = config.getoption("jobs")
    if sensible_jobs(jobs) < jobs:
        note = pytest.PytestConfigWarning(f"--jobs {sensible_jobs(jobs)} is taken, not {jobs}")
        config.issue_config_time_warning(note, stacklevel=2)
    choice = Choice(
        adapter=config.getoption("adapter"),
        library=config.getoption("library"),
        fault=config.getoption("fault"),
        profile=config.getoption("profile"),
        kernel=config.getoption("kernel"),
        kernel_fault=config.getoption("kernel_fault"),
        areas=_areas(config.getoption("areas")),
        seed=config.getoption("seed"),
        budget=config.getoption("budget"),
        jobs=sensible_jobs(jobs),
        out=Path(config.getoption("out")),
        command=shlex.join(["pytest", *sys.argv[1:]]),
    )
    key = config.getoption("key")
    claim = ExitStack()
    config.add_cleanup(claim.close)
    try:
        signer = None if key is None else private_key(Path(key), os.environ.get(KEY_PASSWORD, ""))
        if not config.option.collectonly:
            claim.enter_context(claimed(choice.out, CERTIFICATE, choice.command))
        suite = prepared(choice)
    except (UsageError, AdapterError, KeyUnusable) as error:
        raise pytest.UsageError(str(error)) from error
    config.pluginmanager.register(SuitePlugin(suite, signer), "halcert-suite")


def _areas(value: str | None) -> tuple[str, ...]:
    """Return the areas that are asked for; none for all.

    Raises:
        pytest.UsageError: the option is there and names nothing.
    """
    try:
        return () if value is None else names_in(value)
    except ValueError as error:
        raise pytest.UsageError(f"--areas: {error}") from error


@pytest.fixture
def halcert_repeat(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Repeat calls on a fresh implementation; the test fails if a rule is broken.

    It is skipped where calls were left out, so that it shows nothing.

    The implementation is the one that the options name, by default the one that is bundled: the
    software driver, or for ``adapter="acl"`` the software runtime.
    """

    def option(name: str) -> Any:
        return request.config.getoption(name, None)

    def check(
        steps: Sequence[TraceStep],
        profile: str = "ascend910b",
        environment: Mapping[str, str] | None = None,
        adapter: str = "hal",
    ) -> None:
        choice = Choice(
            adapter=option("adapter") or adapter,
            library=option("library"),
            fault=option("fault"),
            profile=profile,
            kernel=option("kernel"),
            environment=without_the_fault(environment or {}),
        )
        trial = tried(choice, steps)
        broken = trial.broken
        if trial.is_void:
            away = trial.departures
            told = departures_told(steps, away.refused, away.left_out)
            pytest.skip(f"could not be tried: {'; '.join(told)}")
        if broken is not None:
            violation = broken.violation
            words = f"allowed: {violation.allowed}\ncame:    {violation.came}"
            calls = text_of(broken.steps)
            pytest.fail(f"{violation.rule} is broken\n{words}\n{calls}", pytrace=False)

    return check


class AreaCollector(pytest.Collector):
    """The items of one area."""

    def collect(self) -> list[pytest.Item]:
        """Return nothing: the items are made by the plugin."""
        return []


class SuiteItem(pytest.Item):
    """A test item of the suite; its result comes from the campaign."""

    activity: Activity | None = None
    rule: str = ""

    def runtest(self) -> None:
        """Do nothing: the plugin's loop runs the campaign."""

    def reportinfo(self) -> tuple[str, None, str]:
        """Return where the item comes from."""
        return "halcert", None, self.name


class SuitePlugin:
    """Runs a suite in place of pytest's own loop and reports its items."""

    def __init__(self, suite: Suite, key: Ed25519PrivateKey | None = None) -> None:
        """Take the prepared suite, and the key that signs the certificate."""
        self.suite = suite
        self.key = key
        self.certificate: Certificate | None = None

    @pytest.hookimpl
    def pytest_ignore_collect(self, config: pytest.Config) -> bool | None:
        """Collect files only if some are named on the command line."""
        named = config.args_source is pytest.Config.ArgsSource.ARGS
        return None if named else True

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, items: list[pytest.Item]
    ) -> None:
        """Put the items of the suite in front."""
        items[:0] = list(self._items(session))

    def _items(self, session: pytest.Session) -> Iterator[pytest.Item]:
        collectors: dict[str, Any] = {}

        def area(name: str) -> Any:
            if name not in collectors:
                collectors[name] = AreaCollector.from_parent(session, name=name, nodeid=name)
            return collectors[name]

        for activity in self.suite.activities():
            item = SuiteItem.from_parent(area(activity.area), name=activity.name)
            item.activity = activity
            yield item
        machines = SuiteItem.from_parent(area(self.suite.target.areas[0]), name="machine")
        yield machines
        for rule in self.suite.rules():
            item = SuiteItem.from_parent(area(rule.id.split("-")[0].lower()), name=rule.id)
            item.rule = rule.id
            yield item

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Run the campaign, report its items, then let other items run as usual."""
        if session.config.option.collectonly:
            return None
        ours = [item for item in session.items if isinstance(item, SuiteItem)]
        others = [item for item in session.items if not isinstance(item, SuiteItem)]
        if ours:
            self._run(ours)
        for place, item in enumerate(others):
            following = others[place + 1] if place + 1 < len(others) else None
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        return True

    def _run(self, items: list[SuiteItem]) -> None:
        by_name = {item.name: item for item in items if not item.rule}
        if "machine" not in by_name:
            self.suite.campaign.without_machines()
        machines: list[Done] = []

        def end(activity: Activity, done: Done) -> None:
            if activity.kind == "machine":
                machines.append(done)
            else:
                report(by_name[activity.name], outcome_of(done), message_of(done), done.seconds)

        selected = [item.activity for item in items if item.activity is not None]
        self.certificate = self.suite.run(selected, end=end)
        if machines:
            outcomes = {outcome_of(done) for done in machines}
            worst = next(o for o in ("error", "failed", "deviates", "passed") if o in outcomes)
            text = "\n".join(filter(None, map(message_of, machines)))
            report(by_name["machine"], worst, text, sum(done.seconds for done in machines))
        results = {result.id: result for result in self.certificate.rules}
        for item in items:
            if item.rule:
                report(item, *of_rule(results[item.rule], self.certificate), 0.0)
        self._write(self.certificate, items[0].config)

    def _write(self, certificate: Certificate, config: pytest.Config) -> None:
        """Write the reports; what cannot be written is a warning, the verdicts stay."""
        notes = list(self.suite.notes)
        try:
            stories = stories_of(certificate)
            write_reports(certificate, self.suite.out, stories=stories, key=self.key)
        except OSError as error:
            place = error.filename or self.suite.out
            notes.append(f"{place}: reports not written: {error.strerror}")
        for note in notes:
            config.issue_config_time_warning(pytest.PytestWarning(note), stacklevel=2)


def of_rule(result: RuleResult, certificate: Certificate) -> tuple[str, str]:
    """Return outcome and message of a rule's item."""
    found = [f for f in certificate.findings if f.rule == result.id]
    text = "\n".join(f"allowed {f.allowed}; came {f.came}; trace {f.trace}" for f in found)
    if stands_against(result):
        return "failed", text or result.reason
    if result.verdict is Verdict.VIOLATES:
        return "deviates", text or result.reason
    if result.verdict is Verdict.CONFORMS:
        return "passed", ""
    return "skipped", f"{result.verdict.value}: {result.reason or text}"


def report(item: pytest.Item, outcome: str, message: str, seconds: float) -> None:
    """Report an item to pytest as if its own loop had run it."""
    hook = item.ihook
    hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for when in ("setup", "call", "teardown"):
        made = pytest.TestReport(
            nodeid=item.nodeid,
            location=item.location,
            keywords={item.name: 1},
            outcome="passed",
            longrepr=None,
            when=when,
            duration=seconds if when == "call" else 0.0,
        )
        if when == "call":
            _fill(made, outcome, message)
        hook.pytest_runtest_logreport(report=made)
    hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)


def _fill(made: pytest.TestReport, outcome: str, message: str) -> None:
    if outcome in ("failed", "error"):
        made.outcome, made.longrepr = "failed", message
    elif outcome == "skipped":
        made.outcome, made.longrepr = "skipped", ("halcert", 0, message)
    elif outcome == "deviates":
        made.outcome, made.wasxfail = "skipped", f"reason: {message}"
        made.longrepr = message
