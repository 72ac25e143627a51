"""Findings are kept by what they were made from; a change proves only what depends on it."""

from __future__ import annotations

import time

import pytest

from halcert.model.proofs import (
    Findings,
    Record,
    Witness,
    depends,
    settled,
    specimens,
    wordbook,
)
from halcert.model.proofs.run import carried_out, tasks
from halcert.model.proofs.work import INTERFACE, SEARCH, THEOREMS
from halcert.spec.catalogue import AREAS

FINE = Record("total", "halMemFree", "svm", "v2", "proved", 0.5)
BROKEN = Record("total", "halMemFree", "svm", "v2", "refuted", 0.5)
WORK = tasks(tuple(AREAS), rows=3)


@pytest.fixture
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


def changed(monkeypatch, module):
    """Return the pieces of work that have another key when a module of the spec is another."""
    before = {task: depends.key_of(task) for task in WORK}
    content = depends._content

    def other(name):
        return "another text" if name == module else content(name)

    monkeypatch.setattr(depends, "_content", other)
    return [task for task in WORK if depends.key_of(task) != before[task]]


def test_every_piece_of_work_has_a_key_of_its_own():
    assert len({depends.key_of(task) for task in WORK}) == len(WORK)


def test_a_change_of_one_interface_leaves_the_proofs_of_the_others_alone(monkeypatch):
    found = changed(monkeypatch, "svm.free")
    assert {each.subjects for each in found if each.kind == INTERFACE} == {("halMemFree",)}
    assert [each for each in found if each.kind == SEARCH] == [
        each for each in WORK if each.kind == SEARCH
    ]


def test_a_change_of_an_area_leaves_theorems_of_areas_that_do_not_use_it_alone(monkeypatch):
    found = changed(monkeypatch, "vmm.map")
    assert ("svm",) not in {each.areas for each in found if each.kind == THEOREMS}
    assert ("vmm",) in {each.areas for each in found if each.kind == THEOREMS}


def test_a_change_of_an_invariant_proves_everything_again(monkeypatch):
    assert changed(monkeypatch, "svm.invariants") == list(WORK)


@pytest.mark.parametrize("module", ["svm.statements", "svm.facts", "chapters"])
def test_what_documents_say_changes_no_proof(monkeypatch, module):
    assert changed(monkeypatch, module) == []


def test_a_change_of_a_theorem_searches_for_nothing(monkeypatch):
    found = changed(monkeypatch, "uvm.theorems")
    assert {(each.kind, each.areas) for each in found} == {(THEOREMS, ("uvm",))}


@pytest.mark.parametrize("book", [wordbook, specimens])
def test_what_is_written_down_has_every_search_done_again_and_nothing_else(
    monkeypatch, tmp_path, book
):
    before = {task: depends.key_of(task) for task in WORK}
    monkeypatch.setattr(book, "PLACE", tmp_path / "book.json")
    (tmp_path / "book.json").write_text("{}")
    found = [task for task in WORK if depends.key_of(task) != before[task]]
    assert found == [task for task in WORK if task.kind == SEARCH]


def test_no_module_of_the_spec_imports_behind_what_is_read_of_it(monkeypatch):
    modules = sorted(depends._all_modules())
    read = {module: depends._imports.__wrapped__(module) for module in modules}
    monkeypatch.setattr(depends, "_head", lambda text: text)
    assert {module: depends._imports.__wrapped__(module) for module in modules} == read
    assert sum(map(len, read.values())) > len(modules)


def test_findings_are_given_back_as_they_were(cache):
    found = Findings((FINE,), (Witness("SVM-FREE-001", "ascend910b", "rule", ()),))
    assert settled.known(WORK[0]) is None
    settled.remember(WORK[0], found)
    assert settled.known(WORK[0]) == found
    assert settled.known(WORK[1]) is None


def test_what_is_not_proved_is_not_kept(cache):
    settled.remember(WORK[0], Findings((FINE, BROKEN)))
    assert settled.known(WORK[0]) is None


def test_what_is_known_is_not_done_again_unless_it_is_asked_for(cache, monkeypatch):
    done = []

    def do(task):
        done.append(task)
        return Findings((FINE,))

    monkeypatch.setattr(settled.work, "carry_out", do)
    work = [each for each in WORK if each.kind == INTERFACE][:3]
    assert len(list(carried_out(work, 1))) == 3
    assert len(list(carried_out(work, 1))) == 3
    assert done == work
    list(carried_out(work, 1, fresh=True))
    assert done == [*work, *work]


def test_a_run_over_an_unchanged_spec_takes_a_moment(cache):
    for task in WORK:
        settled.remember(task, Findings((FINE,)))
    start = time.process_time()
    assert {task for task, _ in carried_out(WORK, 1)} == set(WORK)
    assert time.process_time() - start < 2
