"""How Sphinx makes the site; `make docs` calls it through `build.py`."""

project = "halcert"
author = "The halcert developers"
project_copyright = "the halcert developers, Apache 2.0"
root_doc = "docs/index"
extensions = ["myst_parser"]
myst_heading_anchors = 3
myst_enable_extensions = ["deflist"]
# Every reference must lead somewhere, and every warning ends the build.
nitpicky = True
exclude_patterns = ["README.md", "docs/ci"]
html_theme = "furo"
html_title = "halcert"
html_show_sourcelink = False
html_copy_source = False
pygments_style = "friendly"
pygments_dark_style = "github-dark"
