"""Build the site: ``python docs/build.py [FOLDER]``, by default ``build/site``.

The documents link to each other as they lie in the repository, so that they can be read there,
too; the site is built from a copy that is laid out in the same way. The rule reference is
written into the copy from the specification: it is never kept.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from sphinx.cmd.build import main as sphinx

from halcert.reports.reference import write_pages

ROOT = Path(__file__).resolve().parent.parent
OTHERS = (
    *("CONTRIBUTING.md", "CHANGELOG.md", "README.md"),
    *("adapters/softhal/README.md", "adapters/kernelsim/README.md"),
)
ENTRY = """<!DOCTYPE html>
<title>halcert</title>
<meta http-equiv="refresh" content="0; url=docs/index.html">
<a href="docs/index.html">halcert</a>
"""


def build(out: Path) -> int:
    """Build the site into a folder; return Sphinx's exit code: 0 if there was no warning."""
    with tempfile.TemporaryDirectory(prefix="halcert-site-") as scratch:
        source = Path(scratch)
        shutil.copytree(ROOT / "docs", source / "docs")
        for name in OTHERS:
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
        write_pages(source / "docs" / "rules")
        options = ["-q", "-W", "--keep-going", "-b", "html", "-d", str(source / "doctrees")]
        code = sphinx([*options, "-c", str(ROOT / "docs"), str(source), str(out)])
    (out / "index.html").write_text(ENTRY)
    return code


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1] if len(sys.argv) > 1 else "build/site")))
