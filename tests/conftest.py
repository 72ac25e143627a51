"""The order in which the files of tests are begun."""

from __future__ import annotations

LONG = (
    "test_commands.py",
    "test_softhal.py",
    "test_export.py",
    "test_softacl.py",
    "test_vectors.py",
    "test_replay.py",
    "test_export_runtime.py",
    "test_campaign.py",
    "test_site.py",
    "test_interrupted.py",
)
"""Files that take longest, each on one worker as all are."""


def pytest_collection_modifyitems(items):
    """Begin with the long files, lest one worker ends with them while the others have nothing."""
    place = {name: number for number, name in enumerate(LONG)}
    items.sort(key=lambda item: place.get(item.path.name, len(LONG)))
