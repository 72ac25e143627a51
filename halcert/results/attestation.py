"""A certificate as something to hand on: an in-toto statement in a DSSE envelope.

The statement follows https://in-toto.io/Statement/v1 with the predicate
https://in-toto.io/attestation/test-result/v0.1, so that tools that know neither halcert nor its
rules see what was tested and how it went. The certificate itself is one more member of the
predicate. The envelope follows https://github.com/secure-systems-lab/dsse and holds the statement
as the bytes that were signed, so nothing depends on how JSON is written.
"""

from __future__ import annotations

import msgspec

from halcert.results.certificate import Certificate

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://in-toto.io/attestation/test-result/v0.1"
PAYLOAD = "application/vnd.in-toto+json"
FILE_NAME = "certificate.dsse.json"
"""The certificate in its envelope, in the output folder."""


class Resource(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that is named together with its digest (a ResourceDescriptor of in-toto).

    Attributes:
        name: what it is called.
        digest: digests by algorithm, in hexadecimal.
        annotations: what else is told of it.
    """

    name: str
    digest: dict[str, str] = {}
    annotations: dict[str, str] = {}


class TestOutcome(msgspec.Struct, frozen=True, rename="camel"):
    """The predicate: how the tests went.

    Attributes:
        result: PASSED if it is certified and no rule is broken, WARNED if it is certified all
            the same, FAILED otherwise.
        configuration: what the run depends on: specification, profile, seed and budget, command.
        passed_tests: rules that conform.
        warned_tests: rules that do not, but do not stand against a certificate.
        failed_tests: rules that stand against it.
        halcert_certificate: the certificate.
    """

    __test__ = False

    result: str
    configuration: tuple[Resource, ...]
    passed_tests: tuple[str, ...]
    warned_tests: tuple[str, ...]
    failed_tests: tuple[str, ...]
    halcert_certificate: Certificate


class Statement(msgspec.Struct, frozen=True, rename="camel"):
    """What is said of what.

    Attributes:
        kind: the kind of statement.
        subject: what was tested.
        predicate_type: the kind of predicate.
        predicate: what is said of it.
    """

    subject: tuple[Resource, ...]
    predicate: TestOutcome
    kind: str = msgspec.field(default=STATEMENT, name="_type")
    predicate_type: str = PREDICATE


class Signature(msgspec.Struct, frozen=True):
    """One signature.

    Attributes:
        sig: the signature, in base64.
        keyid: SHA-256 of the public key in DER form, in hexadecimal; a hint which key it is, and
            no proof of anything.
    """

    sig: str
    keyid: str = ""


class Envelope(msgspec.Struct, frozen=True, rename="camel"):
    """A signed statement.

    Attributes:
        payload: the statement, in base64.
        payload_type: what the payload is.
        signatures: the signatures; none for an unsigned certificate.
    """

    payload: str
    payload_type: str
    signatures: tuple[Signature, ...] = ()
