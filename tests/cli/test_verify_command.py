"""``halcert certify --key`` and ``halcert verify``, from the key to the exit code."""

from __future__ import annotations

import base64
import json
import subprocess
from pathlib import Path

import pytest

from halcert.cli import run as run_command

OK, BROKEN, USAGE, OPEN = 0, 1, 2, 3


def keys(folder):
    for command in (
        "genpkey -algorithm ed25519 -out key.pem",
        "pkey -in key.pem -pubout -out key.pub",
        "genpkey -algorithm ed25519 -out other.pem",
        "pkey -in other.pem -pubout -out other.pub",
    ):
        subprocess.run(["openssl", *command.split()], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def signed(tmp_path_factory):
    """The results of a short run of the model, signed."""
    folder = tmp_path_factory.mktemp("signed")
    keys(folder)
    command = ["certify", "--adapter", "model", "--areas", "svm", "--budget", "0.5", "--jobs", "1"]
    options = ["--out", folder / "out", "--key", folder / "key.pem", "--quiet"]
    assert run_command([str(each) for each in (*command, *options)]) in (0, 3)
    return folder


@pytest.fixture
def envelope(signed):
    return json.loads((signed / "out" / "certificate.dsse.json").read_text())


def edited(tmp_path, envelope, change):
    plain = json.loads(base64.b64decode(envelope["payload"]))
    change(plain["predicate"]["halcertCertificate"])
    payload = base64.b64encode(json.dumps(plain).encode()).decode()
    path = tmp_path / "edited.json"
    path.write_text(json.dumps({**envelope, "payload": payload}))
    return path


def test_a_signed_run_is_verified_with_the_public_key(halcert, signed):
    done = halcert("verify", signed / "out", "--key", signed / "key.pub")
    assert done.code == OK, done.text
    assert "whole and was not edited" in done.out
    assert "does not hold" not in done.out


def test_the_certificate_names_what_was_run_and_how_to_run_it_again(envelope):
    plain = json.loads(base64.b64decode(envelope["payload"]))
    certificate = plain["predicate"]["halcertCertificate"]
    assert certificate["implementation"]["adapter"] == "model"
    for name in ("profile", "halcert", "spec", "machine", "budget", "command"):
        assert certificate[name]
    assert certificate["choices"]
    assert certificate["seed"] == 0


def test_the_wrong_key_is_told(halcert, signed):
    done = halcert("verify", signed / "out", "--key", signed / "other.pub")
    assert done.code == BROKEN
    assert "cannot be trusted" in done.out


def test_without_a_key_the_signature_is_not_checked(halcert, signed):
    done = halcert("verify", signed / "out")
    assert done.code == OPEN
    assert "--key" in done.out


def test_an_edited_certificate_is_found_even_without_a_key(halcert, tmp_path, envelope):
    path = edited(tmp_path, envelope, lambda each: each.update(certified=True, reason="", exit=1))
    done = halcert("verify", path, "--unsigned")
    assert done.code == BROKEN
    assert "agree" in done.out


def test_a_certificate_that_leaves_a_rule_out_is_found(halcert, tmp_path, envelope):
    path = edited(tmp_path, envelope, lambda each: each["rules"].pop())
    done = halcert("verify", path, "--unsigned")
    assert done.code == BROKEN
    assert "lacks" in done.out


def test_an_unsigned_certificate_is_said_to_be_unsigned(halcert, tmp_path, envelope):
    path = tmp_path / "unsigned.json"
    path.write_text(json.dumps({**envelope, "signatures": []}))
    done = halcert("verify", path)
    assert done.code == OPEN
    assert "unsigned" in done.out
    assert halcert("verify", path, "--unsigned").code == OK


def test_a_verdict_can_be_demanded(halcert, tmp_path, signed, envelope):
    certificate = json.loads(base64.b64decode(envelope["payload"]))["predicate"]
    certified = certificate["halcertCertificate"]["certified"]
    done = halcert("verify", signed / "out", "--key", signed / "key.pub", "--certified")
    assert done.code == (OK if certified else BROKEN)


@pytest.fixture
def uncertified(halcert, signed, tmp_path):
    """A signed certificate of a run that a budget cut short."""
    out = tmp_path / "uncertified"
    run = ("certify", "--adapter", "model", "--areas", "svm", "--budget", "1e-9", "--jobs", "1")
    assert halcert(*run, "--out", out, "--key", signed / "key.pem").code == OPEN
    return out


def test_a_whole_certificate_that_is_not_the_one_demanded_is_told_in_the_last_line(
    halcert, signed, uncertified
):
    done = halcert("verify", uncertified, "--key", signed / "key.pub", "--certified")
    assert done.code == BROKEN
    last = done.out.splitlines()[-1]
    assert last == "the certificate is whole, but it does not say certified"
    done = halcert("verify", uncertified, "--certified")
    assert done.code == BROKEN
    last = done.out.splitlines()[-1]
    assert last == "nothing speaks against the certificate, but it does not say certified"


def test_the_library_is_compared(halcert, signed, tmp_path):
    other = tmp_path / "other.so"
    other.write_bytes(b"something else")
    done = halcert("verify", signed / "out", "--key", signed / "key.pub", "--library", other)
    assert done.code == BROKEN
    assert "library" in done.out


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("nowhere.json",), ("nowhere.json", "No such file")),
        (("empty",), ("certificate.dsse.json", "No such file")),
        (("text.json",), ("cut off, or no JSON",)),
        (("bare.json",), ("no envelope", "certificate.dsse.json")),
        (("cut.json",), ("cut off",)),
        (("old.json",), ("halcert-certificate/1", "halcert-certificate/2")),
        (("text.json", "--key", "nowhere.pub"), ("nowhere.pub", "cannot be read")),
        (("text.json", "--key", "text.json"), ("no public key", "openssl")),
        (("text.json", "--key", "text.json", "--unsigned"), ("--key", "--unsigned")),
        (("text.json", "--library", "nowhere.so"), ("nowhere.so",)),
        ((), ("CERT",)),
    ],
    ids=str,
)
def test_what_cannot_be_verified_is_said_clearly(halcert, envelope, signed, arguments, words):
    Path("empty").mkdir()
    Path("text.json").write_text("certified, honestly\n")
    Path("bare.json").write_text('{"format": "halcert-certificate/2"}')
    Path("cut.json").write_bytes((signed / "out" / "certificate.dsse.json").read_bytes()[:-400])
    old = edited(Path(), envelope, lambda each: each.update(format="halcert-certificate/1"))
    old.rename("old.json")
    done = halcert("verify", *arguments)
    assert done.code == USAGE
    for word in words:
        assert word in done.err
    assert len(done.err.splitlines()) < 8


@pytest.mark.parametrize(
    "name, words", [("nowhere.pem", "cannot be read"), ("key.pub", "no private key")]
)
def test_a_key_that_does_not_sign_is_refused_before_the_run(halcert, name, words):
    keys(Path())
    done = halcert("certify", "--adapter", "model", "--key", name)
    assert done.code == USAGE
    assert words in done.err
    assert not Path("halcert-out").exists()
