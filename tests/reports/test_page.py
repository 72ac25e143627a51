"""The page: complete, self-contained, safe."""

import html
import re
import shutil
import subprocess
import time
from html.parser import HTMLParser

import msgspec
import pytest

from halcert.conformance.story import story_of
from halcert.reports import page, write_reports
from halcert.reports.picture import picture
from halcert.reports.rulecode import code_of, highlighted
from halcert.results import Observed, Topic, Trace, TraceHeader, Verdict, write_proofs
from halcert.spec import catalogue

EVIL = "<script>alert(1)</script>\x1b[31m\x00\u202e\"'&"


class Reader(HTMLParser):
    """Collects ids, links, what would be loaded, and whether every element is closed."""

    VOID = ("meta", "link", "br", "input", "wbr")

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads, self.open, self.wrong = [], [], [], [], []
        self.scripts = 0
        self.heard = []
        self.feed(text)
        self.words = "".join(self.heard)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if "id" in values:
            self.ids.append(values["id"])
        if tag == "a":
            self.links.append(values["href"])
        for name in ("src", "srcset", "action", "poster", "data"):
            if name in values:
                self.loads.append(values[name])
        if tag == "link":
            self.loads.append(values["href"])
        self.scripts += tag == "script"
        self.wrong += [name for name in values if name.startswith("on")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        self.heard.append(data)


@pytest.fixture(scope="module")
def mixed_page(mixed):
    return page(mixed)


@pytest.fixture(scope="module")
def good_page(good):
    return page(good)


def test_every_rule_has_an_anchor_and_every_link_leads_somewhere(mixed, mixed_page):
    read = Reader(mixed_page)
    assert {rule.id for rule in mixed.rules} <= set(read.ids)
    assert len(read.ids) == len(set(read.ids))
    inner = [link for link in read.links if link.startswith("#")]
    assert [link for link in inner if link[1:] not in read.ids] == []
    assert (read.open, read.wrong) == ([], [])


def test_the_page_loads_nothing(mixed_page):
    read = Reader(mixed_page)
    assert [address for address in read.loads if address != "data:,"] == []
    assert [link for link in read.links if "://" in link] == []
    assert "url(" not in mixed_page
    assert "@import" not in mixed_page


def test_the_page_tells_what_was_found(mixed, mixed_page):
    words = Reader(mixed_page).words
    assert "Not certified" in words
    assert "free(): invalid pointer" in words
    assert "MEM_DEV dev 0 HUGE" in words
    assert "p2+16" in words
    assert "SIGSEGV (signal 11)" in words
    assert mixed.command in words


def test_a_rule_shows_its_code_and_its_sources(good_page):
    words = Reader(good_page).words
    assert "def size_is_zero(call) -> bool:" in words
    assert "halcert.spec.svm.alloc, line" in words
    assert "drvError_t halMemAlloc(void **pp" in words


def test_proofs_and_statements_are_shown_where_they_are_known(good, make):
    said = {"SVM-FREE-002": ["Only what was allocated is freed."]}
    words = Reader(page(good, proofs=make.notes(), statements=said)).words
    assert "Only what was allocated is freed." in words
    assert "not shadowed" in words
    assert "the shortest calls that reach the rule" in words


def test_proofs_in_the_output_folder_are_found(good, make, tmp_path):
    write_proofs(make.notes().values(), tmp_path / "proofs.json")
    write_reports(good, tmp_path)
    assert "not shadowed" in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_a_broken_file_of_proofs_is_said_and_does_no_harm(good, tmp_path):
    (tmp_path / "proofs.json").write_text("{")
    write_reports(good, tmp_path)
    assert "The proofs are not shown" in (tmp_path / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("field", ["allowed", "came", "origin", "note", "trace", "rule"])
def test_nothing_that_came_from_outside_becomes_markup(make, field):
    finding = msgspec.structs.replace(make.crash("last words"), **{field: EVIL})
    text = page(make.certificate(make.results(make.drawn(), ("svm",)), [finding]))
    read = Reader(text)
    assert (read.scripts, read.wrong, read.open) == (1, [], [])
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_facts_and_rules_from_outside_do_not_become_markup(make):
    rules = list(make.results(make.drawn(), ("svm",)))
    rules[0] = msgspec.structs.replace(
        rules[0], summary=EVIL, reason=EVIL, sources=(EVIL,), evidence=(EVIL,)
    )
    chosen = (Observed(Topic.CODE, EVIL, {EVIL: 1}),)
    certificate = make.certificate(rules, command=EVIL, machine={EVIL: EVIL}, choices=chosen)
    read = Reader(page(certificate))
    assert (read.scripts, read.wrong, read.open) == (1, [], [])


@pytest.mark.parametrize(
    "path", ["javascript:alert(1)", "../../etc/passwd", "/etc/passwd", "a b/ü.jsonl", "//host/x"]
)
def test_a_trace_links_only_into_the_output_folder(make, path):
    finding = make.finding(trace=path)
    read = Reader(page(make.certificate(make.results(make.drawn(), ("svm",)), [finding])))
    outer = [link for link in read.links if not link.startswith("#")]
    assert all(link.startswith("./") and ".." not in link for link in outer)


def test_a_rule_that_the_specification_lacks_is_shown_all_the_same(make):
    rules = list(make.results(make.drawn(), ("svm",)))
    rules.append(msgspec.structs.replace(rules[0], id="OLD-RULE-001"))
    read = Reader(page(make.certificate(rules, [make.finding("OLD-RULE-001")])))
    assert "OLD-RULE-001" in read.ids
    assert "This halcert has no rule of that id." in read.words


def test_a_long_trace_is_cut_in_the_middle(make):
    opened = make.steps()[0]
    steps = [msgspec.structs.replace(opened, number=n) for n in range(1, 501)]
    finding = make.finding(steps=tuple(steps))
    words = Reader(page(make.certificate(make.results(make.drawn(), ("svm",)), [finding]))).words
    assert "440 calls are left out here" in words


def test_a_run_without_anything_has_a_page(make):
    words = Reader(page(make.certificate(certified=False, exit=4))).words
    assert "No rule was looked at." in words
    assert "No area was exercised." in words


def test_thousands_of_rules_make_a_page_in_seconds(make):
    some = list(make.results(make.drawn()))
    many = [
        msgspec.structs.replace(rule, id=f"{rule.id[:-3]}{copy:03d}-{number}")
        for number, rule in enumerate(some)
        for copy in range(10)
    ]
    certificate = make.certificate(many)
    began = time.process_time()
    text = page(certificate)
    assert time.process_time() - began < 10
    assert text.count("<details class=") >= len(many)


def test_the_verdict_of_each_rule_stands_in_its_row(make):
    rules = make.results(lambda _: Verdict.UNSUPPORTED)
    text = page(make.certificate(rules))
    assert text.count('data-verdict="unsupported"') == text.count('<details class="rule ')


def test_highlighting_changes_no_character_of_the_code():
    for rule in catalogue.rules():
        for piece in code_of(rule):
            marked = highlighted(piece.text)
            assert html.unescape(re.sub(r"</?span[^>]*>", "", marked)) == piece.text.rstrip()


def test_a_finding_has_its_picture_and_the_page_stays_whole(make, mixed):
    found = make.finding()
    cause = (found.rule, found.interface, found.shape)
    header = TraceHeader(profile="ascend910b", rule=found.rule, devices=(0, 1))
    drawn = picture(story_of(Trace(header, make.steps())))
    assert "<svg" in drawn
    certificate = msgspec.structs.replace(mixed, findings=(found,))
    text = page(certificate, pictures={cause: drawn})
    assert drawn in text
    read = Reader(text)
    assert read.wrong == []
    assert set(read.loads) == {"data:,"}
    assert "before call 4" in read.words


def test_choices_are_shown_by_topic_with_the_rule_in_words(good_page):
    words = Reader(good_page).words
    for title in (
        "Which code comes where several are allowed",
        "In which order addresses are given",
    ):
        assert title in words
    assert "below the one before 7 times" in words
    assert "A device may lack read-only memory." in words


BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)
AROUND = """<iframe id="page" src="page.html" style="border: 0; width: {width}px"></iframe>
<pre id="said"></pre>
<script>
document.getElementById("page").onload = event => {{
  const page = event.target.contentDocument, root = page.documentElement;
  page.querySelectorAll("details").forEach(each => each.open = true);
  document.getElementById("said").textContent = root.scrollWidth - root.clientWidth;
}};
</script>"""


def sideways(text, width, folder):
    """Return by how many pixels a page scrolls sideways in a window of a width."""
    (folder / "page.html").write_text(text)
    (folder / "around.html").write_text(AROUND.format(width=width))
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files")
    done = subprocess.run(
        [
            BROWSER,
            *options,
            f"--user-data-dir={folder / 'browser'}",
            "--virtual-time-budget=20000",
            "--dump-dom",
            (folder / "around.html").as_uri(),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(re.search(r'<pre id="said">(\d+)</pre>', done.stdout)[1])


@pytest.mark.skipif(not BROWSER, reason="needs Chromium")
@pytest.mark.parametrize("width", [400, 320])
def test_the_page_does_not_scroll_sideways_on_a_small_screen(make, mixed, tmp_path, width):
    long = "x" * 300
    found = make.finding(came=long, allowed=long, origin=f"scenario[{long}]")
    header = TraceHeader(profile="ascend910b", rule=found.rule, devices=(0, 1))
    drawn = picture(story_of(Trace(header, make.steps())))
    certificate = msgspec.structs.replace(
        mixed, findings=(found, make.crash(long)), reason=long, command=f"halcert certify {long}"
    )
    cause = (found.rule, found.interface, found.shape)
    text = page(certificate, pictures={cause: drawn}, proofs=make.notes())
    assert sideways(text, width, tmp_path) == 0
