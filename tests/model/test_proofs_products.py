"""An interface is proved for all products in one piece of work; what they share is proved once."""

from __future__ import annotations

import msgspec
import pytest

from halcert.model.proofs.run import tasks
from halcert.model.proofs.situation import Situation
from halcert.model.proofs.work import INTERFACE, carry_out

NAME = "halMemPoolDestroy"


@pytest.fixture
def asked(monkeypatch):
    """Count the questions to the solver, by product."""
    found = []
    answered = Situation._answered

    def counted(self, *args):
        found.append(self.profile.name)
        return answered(self, *args)

    monkeypatch.setattr(Situation, "_answered", counted)
    return found


def task():
    work = tasks(("soma",), rows=3)
    return next(each for each in work if each.kind == INTERFACE and each.subjects == (NAME,))


def settled(found):
    return [(each.id, each.status, each.note) for each in found.records]


def test_all_products_are_settled_as_each_by_itself(asked):
    both = task()
    assert (both.profile, both.also) == ("ascend910b", ("ascend950",))
    alone = [
        settled(carry_out(msgspec.structs.replace(both, profile=name, also=())))
        for name in (both.profile, *both.also)
    ]
    questions = len(asked)
    asked.clear()
    assert settled(carry_out(both)) == [*alone[0], *alone[1]]
    assert len(asked) < questions
    assert asked.count("ascend950") < asked.count("ascend910b")
