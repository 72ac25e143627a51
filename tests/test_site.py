"""The site of the documents: built without a warning, and no link in it is dead."""

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from once import once

from halcert.reports.reference import page_name, prose, reference_pages
from halcert.spec import catalogue

ROOT = Path(__file__).parent.parent


class Page(HTMLParser):
    """What a page links to, what it loads, and the places within it."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.ids = set(), set(), set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.ids |= {values[name] for name in ("id", "name") if values.get(name)}
        if tag == "a" and values.get("href"):
            self.links.add(values["href"])
        elif tag in ("link", "script", "img"):
            self.loads |= {values[name] for name in ("href", "src") if values.get(name)}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("furo")
    out = once(tmp_path_factory, "site", build)
    return {path.resolve(): Page(path) for path in out.rglob("*.html")}


def build(out):
    """Build the site as ``make docs`` does."""
    path = os.pathsep.join(os.path.abspath(each) for each in sys.path)  # noqa: PTH100 - "" counts
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "build.py", out],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def broken(pages, wanted):
    for path, page in pages.items():
        for target in wanted(page):
            if "://" in target or target.startswith(("mailto:", "data:", "javascript:")):
                continue
            place, anchor = urldefrag(unquote(target))
            found = (path.parent / place.partition("?")[0]).resolve() if place else path
            if not found.exists() or (anchor and found in pages and anchor not in pages[found].ids):
                yield f"{path.name}: {target}"


@pytest.mark.slow
def test_the_site_has_no_dead_link_needs_no_network_and_tells_every_rule(site):
    assert list(broken(site, lambda page: page.links | page.loads)) == []
    loads = {each for page in site.values() for each in page.loads}
    assert [each for each in loads if "://" in each or each.startswith("//")] == []
    ids = {each for page in site.values() for each in page.ids}
    assert [rule.id for rule in catalogue.rules() if rule.id.lower() not in ids] == []


def test_the_reference_tells_every_rule_once():
    pages = reference_pages()
    text = "\n".join(pages.values())
    for rule in catalogue.rules():
        assert text.count(f"({rule.id})=\n## {rule.id}\n") == 1
    assert page_name("svm", "host.load") in pages


def test_sentences_of_the_specification_are_not_taken_for_markup():
    assert prose("a ``b_c`` *d* <e> [f] g_h") == r"a `b_c` \*d\* \<e\> \[f\] g\_h"
