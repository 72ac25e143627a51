"""Reading a certificate back."""

from __future__ import annotations

from pathlib import Path

import msgspec

from halcert.results.certificate import FORMAT, Certificate
from halcert.results.files import contents


class CertificateError(Exception):
    """A certificate cannot be used; the message names the file."""


def read_certificate(path: Path) -> Certificate:
    """Read ``certificate.json``.

    Raises:
        CertificateError: the file cannot be read, is malformed or of another version.
    """
    try:
        found = msgspec.json.decode(contents(path), type=Certificate)
    except OSError as error:
        raise CertificateError(f"{path}: cannot be read: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CertificateError(f"{path}: is no certificate: {error}") from error
    except RecursionError:
        raise CertificateError(f"{path}: is no certificate: nested too deeply") from None
    if found.format != FORMAT:
        raise CertificateError(f"{path}: format is {found.format!r}, this halcert reads {FORMAT!r}")
    return found
