"""Everything that turns a certificate into something to read: page, JUnit, JSON, terminal.

Reports know the specification and the result types and nothing that runs. Whatever they show was
made fit to be shown first, because notes of crashed libraries hold whatever was in memory.
"""

from halcert.reports.annotations import github_annotations
from halcert.reports.gateterminal import gate_summary
from halcert.reports.junit import finding_text, junit_xml
from halcert.reports.machine import certificate_json, stable_json
from halcert.reports.markdown import gate_markdown
from halcert.reports.page import page
from halcert.reports.sarif import gate_sarif
from halcert.reports.terminal import summary
from halcert.reports.tracetext import StepText, described, text_of
from halcert.reports.write import write_reports

__all__ = [
    "StepText",
    "certificate_json",
    "described",
    "finding_text",
    "gate_markdown",
    "gate_sarif",
    "gate_summary",
    "github_annotations",
    "junit_xml",
    "page",
    "stable_json",
    "summary",
    "text_of",
    "write_reports",
]
