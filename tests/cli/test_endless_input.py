"""Files that have no end, or nearly none, are refused and not read."""

from __future__ import annotations

import os

import msgspec
import pytest

from halcert.results.files import MOST

USAGE = 2
LARGE = MOST + 1
"""More bytes than anything has that halcert reads; a file with a hole has them in no time."""
READING = [
    ("replay", "FILE"),
    ("explain", "FILE"),
    ("export", "FILE", "--as", "c"),
    ("baseline", "write", "FILE"),
    ("baseline", "diff", "FILE", "FILE"),
    ("gate", "--baseline", "FILE"),
    ("gate", "--baseline", "baseline.json", "--waivers", "FILE"),
    ("gate", "--baseline", "baseline.json", "--changes", "FILE"),
    ("certify", "--key", "FILE"),
    ("certify", "--library", "FILE"),
    ("doctor", "--library", "FILE"),
    ("verify", "FILE"),
    ("spec", "show", "SVM-FREE-002", "--proofs", "FILE"),
    ("trace-matrix", "--proofs", "FILE"),
    ("trace-matrix", "--certificate", "FILE"),
    ("abi", "--header", "FILE"),
]


@pytest.fixture
def endless(tmp_path):
    """Return files that have no end, or nearly none: a device, a pipe, a large file."""
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "large").open("wb") as file:
        file.truncate(LARGE)
    before = {
        "format": "halcert-baseline/1",
        "implementation": {"adapter": "hal", "name": "x"},
        "profile": "ascend910b",
        "areas": ["svm"],
        "rules": {},
    }
    (tmp_path / "baseline.json").write_bytes(msgspec.json.encode(before))
    return {"device": "/dev/zero", "pipe": tmp_path / "pipe", "large": tmp_path / "large"}


@pytest.mark.parametrize(
    "command, kind",
    [
        pytest.param(command, kind, id=f"{' '.join(command)}-{kind}")
        for command in READING
        for kind in ("device", "pipe", "large")
        if (command[0], kind) != ("abi", "large") and ("--changes" not in command or kind != "pipe")
    ],
)
def test_a_file_without_an_end_is_refused_at_once(halcert, endless, command, kind):
    """A large header is the compiler's to read, and git may write changes into a pipe."""
    file = endless[kind]
    done = halcert(*(file if each == "FILE" else each for each in command))
    assert done.code == USAGE, done.text
    assert str(file) in done.text or "--changes" in done.text
    assert len(done.text) < 4000


@pytest.mark.parametrize("kind, why", [("device", "no regular file"), ("large", "than 128 MiB")])
def test_what_no_baseline_can_be_is_not_read_to_be_replaced(
    halcert, tmp_path, endless, folder_of_a_run, kind, why
):
    done = halcert("baseline", "write", folder_of_a_run / "certificate.json", "-o", endless[kind])
    assert done.code == USAGE
    assert f"{endless[kind]}: cannot be read: it is" in done.err
    assert why in done.err


@pytest.fixture
def folder_of_a_run(halcert, tmp_path):
    options = ("--adapter", "model", "--areas", "ipc", "--budget", "0.1", "--jobs", "1", "-q")
    halcert("certify", *options, "--out", "run")
    return tmp_path / "run"
