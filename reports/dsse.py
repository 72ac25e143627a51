"""Signatures: DSSE envelopes with ed25519 keys, as openssl and ssh-keygen write them.

The cryptography is that of the package ``cryptography``. What is signed is not the payload alone
but DSSE's pre-authentication encoding of its type and its bytes, so that a payload cannot be
taken for one of another type.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from halcert.results.attestation import Envelope, Signature
from halcert.results.files import contents

KEY_PASSWORD = "HALCERT_KEY_PASSWORD"  # noqa: S105 - the name of a variable
"""Variable with the password of an encrypted private key."""
HOW = "openssl genpkey -algorithm ed25519 -out key.pem"
HOW_PUBLIC = "openssl pkey -in key.pem -pubout -out key.pub"


class KeyUnusable(Exception):
    """A file holds no key that can be used; the message says why and what would do."""


def encoded(kind: str, payload: bytes) -> bytes:
    """Return what is signed: the pre-authentication encoding of a payload and its type."""
    name = kind.encode()
    return b"DSSEv1 %d %b %d %b" % (len(name), name, len(payload), payload)


def enveloped(payload: bytes, kind: str, key: Ed25519PrivateKey | None) -> Envelope:
    """Return an envelope with a payload, signed if there is a key."""
    signatures: tuple[Signature, ...] = ()
    if key is not None:
        signed = base64.b64encode(key.sign(encoded(kind, payload))).decode()
        signatures = (Signature(signed, key_id(key.public_key())),)
    return Envelope(base64.b64encode(payload).decode(), kind, signatures)


def payload_of(envelope: Envelope) -> bytes:
    """Return the payload.

    Raises:
        ValueError: it is no base64.
    """
    return _decoded(envelope.payload)


def is_signed_by(envelope: Envelope, key: Ed25519PublicKey) -> bool:
    """Tell whether one of the signatures is this key's. Key ids are hints and are not trusted.

    Raises:
        ValueError: the payload is no base64.
    """
    message = encoded(envelope.payload_type, payload_of(envelope))
    return any(_fits(each, message, key) for each in envelope.signatures)


def _fits(signature: Signature, message: bytes, key: Ed25519PublicKey) -> bool:
    try:
        key.verify(_decoded(signature.sig), message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _decoded(text: str) -> bytes:
    """Decode base64 in either alphabet, as DSSE asks."""
    try:
        return base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True)
    except binascii.Error as error:
        raise ValueError(f"no base64: {error}") from error


def key_id(key: Ed25519PublicKey) -> str:
    """Return the SHA-256 of a public key in DER form, in hexadecimal."""
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return hashlib.sha256(key.public_bytes(serialization.Encoding.DER, form)).hexdigest()


def private_key(path: Path, password: str = "") -> Ed25519PrivateKey:
    """Read a private key, PEM or OpenSSH.

    Args:
        path: the file.
        password: what it is encrypted with; empty if it is not.

    Raises:
        KeyUnusable: the file cannot be read or holds no such key.
    """
    data = _read(path)
    load: Any = serialization.load_pem_private_key
    if b"OPENSSH PRIVATE KEY" in data:
        load = serialization.load_ssh_private_key
    elif b"PRIVATE KEY" not in data:
        raise KeyUnusable(f"{path}: no private key; make one with: {HOW}")
    try:
        key = load(data, password.encode() or None)
    except TypeError as error:
        word = f"unset {KEY_PASSWORD}" if password else f"set {KEY_PASSWORD}"
        raise KeyUnusable(f"{path}: {str(error).rstrip('.')}; {word}") from error
    except (ValueError, UnsupportedAlgorithm) as error:
        raise KeyUnusable(f"{path}: not readable as a private key: {_first(error)}") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyUnusable(f"{path}: not an ed25519 key; make one with: {HOW}")
    return key


def public_key(path: Path) -> Ed25519PublicKey:
    """Read a public key, PEM or OpenSSH.

    Raises:
        KeyUnusable: the file cannot be read or holds no such key.
    """
    data = _read(path)
    if b"PRIVATE KEY" in data:
        raise KeyUnusable(f"{path}: a private key; verify with the public one, from: {HOW_PUBLIC}")
    ssh = data.startswith(b"ssh-")
    load: Any = serialization.load_ssh_public_key if ssh else serialization.load_pem_public_key
    try:
        key = load(data)
    except (ValueError, UnsupportedAlgorithm) as error:
        raise KeyUnusable(f"{path}: no public key; make one with: {HOW_PUBLIC}") from error
    if not isinstance(key, Ed25519PublicKey):
        raise KeyUnusable(f"{path}: not an ed25519 key; make one with: {HOW}")
    return key


def _first(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def _read(path: Path) -> bytes:
    try:
        return contents(path)
    except OSError as error:
        raise KeyUnusable(f"{path}: cannot be read: {error.strerror}") from error
