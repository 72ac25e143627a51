"""One test over many subjects: an item for each of ten thousand costs minutes and says no more."""

from __future__ import annotations

from operator import attrgetter


def for_every(subjects, name=attrgetter("id")):
    """Turn a test of one subject into a test of all, which lists those that fail."""

    def decorated(test):
        def over_all():
            assert subjects
            failed = []
            for each in subjects:
                try:
                    test(each)
                except AssertionError as error:
                    failed.append(f"{name(each)}: {error}")
            assert not failed, "\n".join(failed)

        over_all.__name__ = test.__name__
        return over_all

    return decorated
