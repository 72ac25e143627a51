"""The order in which the tests are begun."""

from __future__ import annotations

LONG = ("test_commands.py", "test_site.py")
"""Tests that follow a whole document, or build all of them, and cannot be divided."""


def pytest_collection_modifyitems(items):
    """Begin with the long ones, lest one worker ends with them while the others have nothing."""
    items.sort(key=lambda item: item.path.name not in LONG)
