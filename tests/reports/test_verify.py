"""Certificates that can be checked: signed, edited, cut off, unsigned, of other versions."""

from __future__ import annotations

import base64
import json
import subprocess

import msgspec
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from halcert.reports import write_reports
from halcert.reports.attest import envelope_json, payload_of, statement_of
from halcert.reports.completeness import gaps, nonsense
from halcert.reports.dsse import (
    KeyUnusable,
    encoded,
    enveloped,
    is_signed_by,
    key_id,
    private_key,
    public_key,
)
from halcert.reports.verify import EnvelopeError, State, checks, read_sealed
from halcert.results import TestResult, Verdict
from halcert.results.attestation import PAYLOAD, Envelope, Signature
from halcert.spec import catalogue

SPEC = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
KEY = Ed25519PrivateKey.generate()
OTHER = Ed25519PrivateKey.generate()


@pytest.fixture
def good(make):
    """A certificate with everything that a run for one product leaves in it."""
    told = {rule.id: rule for rule in catalogue.rules() if rule.applies_to("ascend910b")}
    rules = tuple(rule for rule in make.results(make.drawn(good=1.0)) if rule.id in told)
    machines = {test for rule in rules for test in rule.evidence if test.startswith("machine")}
    certificate = make.certificate(rules, calls=10**6)
    tests = (*certificate.tests, *(TestResult(name, "svm", "passed") for name in machines))
    return replaced(certificate, tests=tests)


def replaced(certificate, **values):
    return msgspec.structs.replace(certificate, **values)


def written(folder, certificate, key=KEY):
    path = folder / "certificate.dsse.json"
    path.write_bytes(envelope_json(certificate, key))
    return path


def states(path, key=KEY, spec=SPEC, library=None):
    public = None if key is None else key.public_key()
    found = checks(read_sealed(path), path.parent, key=public, spec=spec, library=library)
    return {check.name: check.state for check in found}


def test_a_certificate_as_it_was_signed_passes_every_check(good, tmp_path):
    assert set(states(written(tmp_path, good)).values()) == {State.HOLDS}


def test_what_is_signed_is_the_encoding_that_dsse_documents():
    kind = "http://example.com/HelloWorld"
    assert (
        encoded(kind, b"hello world") == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )


def test_a_statement_has_the_form_of_in_toto(mixed):
    plain = msgspec.json.decode(payload_of(statement_of(mixed)))
    assert plain["_type"] == "https://in-toto.io/Statement/v1"
    assert plain["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"
    assert plain["subject"][0]["digest"]["sha256"] == mixed.implementation.sha256
    outcome = plain["predicate"]
    assert outcome["result"] == "FAILED"
    assert outcome["failedTests"]
    told = [*outcome["passedTests"], *outcome["warnedTests"], *outcome["failedTests"]]
    assert len(told) == len(set(told))
    run = outcome["configuration"][-1]["annotations"]
    assert run == {
        "profile": mixed.profile,
        "seed": "7",
        "budget": "60",
        "command": mixed.command,
    }


def test_one_changed_character_breaks_the_signature(good, tmp_path):
    path = written(tmp_path, good)
    envelope = json.loads(path.read_text())
    payload = base64.b64decode(envelope["payload"])
    assert payload.count(b'"seed":7') == 1
    edited = payload.replace(b'"seed":7', b'"seed":8')
    envelope["payload"] = base64.b64encode(edited).decode()
    path.write_text(json.dumps(envelope))
    assert states(path)["signature"] is State.BROKEN


def test_a_signature_by_somebody_else_does_not_hold(good, tmp_path):
    assert states(written(tmp_path, good, OTHER))["signature"] is State.BROKEN


def test_a_key_id_that_lies_proves_nothing(good, tmp_path):
    path = written(tmp_path, good, OTHER)
    envelope = msgspec.json.decode(path.read_bytes(), type=Envelope)
    lie = Signature(envelope.signatures[0].sig, key_id(KEY.public_key()))
    path.write_bytes(msgspec.json.encode(replaced(envelope, signatures=(lie,))))
    assert states(path)["signature"] is State.BROKEN


def test_one_of_several_signatures_is_enough(good):
    one = enveloped(payload_of(statement_of(good)), PAYLOAD, KEY)
    two = enveloped(payload_of(statement_of(good)), PAYLOAD, OTHER)
    both = replaced(one, signatures=two.signatures + one.signatures)
    assert is_signed_by(both, KEY.public_key())


def test_a_signature_is_of_the_type_too(good):
    envelope = enveloped(payload_of(statement_of(good)), PAYLOAD, KEY)
    assert not is_signed_by(replaced(envelope, payload_type="text/plain"), KEY.public_key())


def test_an_unsigned_certificate_is_open_and_broken_where_a_key_is_named(good, tmp_path):
    path = written(tmp_path, good, None)
    assert states(path, key=None)["signature"] is State.OPEN
    assert states(path)["signature"] is State.BROKEN


def test_a_signature_that_nobody_checked_is_open(good, tmp_path):
    assert states(written(tmp_path, good), key=None)["signature"] is State.OPEN


@pytest.mark.parametrize("part", [0.0, 0.3, 0.9, 0.999])
def test_a_certificate_that_was_cut_off_is_refused(good, tmp_path, part):
    path = written(tmp_path, good)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * part)])
    with pytest.raises(EnvelopeError, match="cut off"):
        read_sealed(path)


def test_a_payload_that_was_cut_off_is_refused(good, tmp_path):
    path = written(tmp_path, good)
    envelope = json.loads(path.read_text())
    envelope["payload"] = envelope["payload"][: 4 * (len(envelope["payload"]) // 8)]
    path.write_text(json.dumps(envelope))
    with pytest.raises(EnvelopeError, match="cut off"):
        read_sealed(path)


def envelope_of(folder, plain):
    path = folder / "certificate.dsse.json"
    payload = base64.b64encode(json.dumps(plain).encode()).decode()
    path.write_text(json.dumps({"payload": payload, "payloadType": PAYLOAD, "signatures": []}))
    return path


@pytest.mark.parametrize(
    "change, word",
    [
        (lambda s: s.update(_type="https://in-toto.io/Statement/v0.1"), "_type"),
        (lambda s: s.update(predicateType="https://slsa.dev/provenance/v1"), "predicateType"),
        (lambda s: s["predicate"].pop("halcertCertificate"), "not one of halcert"),
        (
            lambda s: s["predicate"]["halcertCertificate"].update(format="halcert-certificate/1"),
            "halcert-certificate/1",
        ),
        (lambda s: s["predicate"]["halcertCertificate"].pop("rules"), "does not fit its schema"),
        (lambda s: s["predicate"].update(passedTests="all"), "does not fit its schema"),
    ],
)
def test_a_foreign_statement_is_refused_with_what_is_foreign(good, tmp_path, change, word):
    plain = msgspec.json.decode(payload_of(statement_of(good)))
    change(plain)
    with pytest.raises(EnvelopeError, match=word):
        read_sealed(envelope_of(tmp_path, plain))


@pytest.mark.parametrize("text", ["", "[]", "null", "{}", '{"payload": 1}', "[" * 10000, "\udcff"])
def test_what_is_no_certificate_is_refused(tmp_path, text):
    path = tmp_path / "x.json"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(EnvelopeError):
        read_sealed(path)


def test_the_bare_certificate_is_told_from_its_envelope(good, tmp_path):
    write_reports(good, tmp_path, key=KEY)
    with pytest.raises(EnvelopeError, match="no envelope"):
        read_sealed(tmp_path / "certificate.json")


def test_a_statement_that_says_something_else_than_its_certificate_does_not_hold(mixed, tmp_path):
    plain = msgspec.json.decode(payload_of(statement_of(mixed)))
    plain["predicate"]["result"] = "PASSED"
    plain["predicate"]["failedTests"] = []
    assert states(envelope_of(tmp_path, plain), key=None)["statement"] is State.BROKEN


def test_another_specification_leaves_completeness_open(good, tmp_path):
    found = states(written(tmp_path, good), spec="0" * 64)
    assert found["specification"] is State.OPEN
    assert "complete" not in found


def test_the_file_that_was_certified_is_compared(good, tmp_path):
    path = written(tmp_path, good)
    assert states(path, library=good.implementation.sha256)["library"] is State.HOLDS
    assert states(path, library="0" * 64)["library"] is State.BROKEN


def test_files_beside_the_certificate_are_compared(good, tmp_path):
    write_reports(good, tmp_path, key=KEY)
    path = tmp_path / "certificate.dsse.json"
    assert states(path)["certificate.json"] is State.HOLDS
    whole = tmp_path / "certificate.json"
    whole.write_text(whole.read_text().replace('"seed": 7', '"seed": 8'))
    assert states(path)["certificate.json"] is State.BROKEN


def test_a_rule_that_is_left_out_is_missed(good):
    assert gaps(good) == []
    assert "lacks" in gaps(replaced(good, rules=good.rules[1:]))[0]
    assert "no area" in gaps(replaced(good, areas=(), rules=()))[0]


def test_a_rule_that_is_told_more_kindly_is_found(good):
    first = next(rule for rule in good.rules if rule.strength == "MUST")
    kind = replaced(first, strength="SHOULD")
    rules = tuple(kind if rule is first else rule for rule in good.rules)
    assert gaps(replaced(good, rules=rules)) == [f"{first.id} is told differently"]


def test_a_verdict_that_does_not_follow_from_the_rules_is_found(good):
    assert nonsense(good) == []
    first = next(rule for rule in good.rules if rule.strength == "MUST")
    bad = replaced(first, verdict=Verdict.VIOLATES, broken="MUST")
    rules = tuple(bad if rule is first else rule for rule in good.rules)
    said = "; ".join(nonsense(replaced(good, rules=rules)))
    for words in ("says certified", "numbers of area", "nothing tells how"):
        assert words in said


@pytest.mark.parametrize(
    "values, words",
    [
        ({"certified": False}, "do not agree"),
        ({"exit": 3}, "do not agree"),
        ({"calls": 0}, "more calls"),
        ({"tests": ()}, "shown by a test"),
    ],
)
def test_what_does_not_agree_is_named(good, values, words):
    assert words in "; ".join(nonsense(replaced(good, **values)))


# ------------------------------------------------------------------------------------------- keys


def test_keys_of_openssl_and_of_ssh_are_read(tmp_path):
    def run(*command):
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)

    run("openssl", "genpkey", "-algorithm", "ed25519", "-out", "key.pem")
    run("openssl", "pkey", "-in", "key.pem", "-pubout", "-out", "key.pub")
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "ssh")
    for private, public in (("key.pem", "key.pub"), ("ssh", "ssh.pub")):
        key = private_key(tmp_path / private)
        assert key_id(key.public_key()) == key_id(public_key(tmp_path / public))


def pem(key, password=b""):
    form = serialization.PrivateFormat.PKCS8
    encryption = (
        serialization.BestAvailableEncryption(password)
        if password
        else serialization.NoEncryption()
    )
    return key.private_bytes(serialization.Encoding.PEM, form, encryption)


def test_an_encrypted_key_needs_its_password(tmp_path):
    path = tmp_path / "key.pem"
    path.write_bytes(pem(KEY, b"secret"))
    assert private_key(path, "secret")
    with pytest.raises(KeyUnusable, match="HALCERT_KEY_PASSWORD"):
        private_key(path)
    with pytest.raises(KeyUnusable, match="not readable"):
        private_key(path, "wrong")


def test_what_is_no_key_is_refused_with_what_would_do(tmp_path):
    path = tmp_path / "key"
    for content in (b"", b"noise", pem(generate_private_key(SECP256R1())), b"\xff" * 99):
        path.write_bytes(content)
        with pytest.raises(KeyUnusable, match="openssl"):
            private_key(path)
        with pytest.raises(KeyUnusable, match="openssl"):
            public_key(path)
    for read in (private_key, public_key):
        with pytest.raises(KeyUnusable, match="cannot be read"):
            read(tmp_path / "nowhere")


def test_a_private_key_does_not_pass_for_a_public_one(tmp_path):
    path = tmp_path / "key.pem"
    path.write_bytes(pem(KEY))
    with pytest.raises(KeyUnusable, match="a private key"):
        public_key(path)
