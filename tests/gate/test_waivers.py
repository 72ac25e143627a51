"""Files of waivers: what is taken, and what is said of everything else."""

import json

import jsonschema
import msgspec
import pytest

from halcert.reports.schemas import SCHEMAS
from halcert.results import SHAPES, WaiverError, read_waivers

GOOD = """
format = "halcert-waivers/1"

[[waiver]]
rule = "SVM-FREE-002"
profile = "ascend910b"
reason = "the fix waits for the next firmware"
link = "https://tracker.example/7"
expires = 2026-12-31

[[waiver]]
rule = "SVM-ANY-001"
interface = "halMemFree"
shape = "content"
profile = "any"
reason = "as above"
link = "http://tracker.example/8"
expires = "2027-01-31"
"""


@pytest.fixture
def read(tmp_path):
    def read(text):
        path = tmp_path / "waivers.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_waivers(path)

    return read


def test_waivers_are_read(read):
    first, second = read(GOOD)
    assert (first.rule, first.profile, str(first.expires)) == (
        "SVM-FREE-002",
        "ascend910b",
        "2026-12-31",
    )
    assert (second.interface, second.shape, str(second.expires)) == (
        "halMemFree",
        "content",
        "2027-01-31",
    )


def test_a_file_without_waivers_is_read(read):
    assert read('format = "halcert-waivers/1"\n') == ()


@pytest.mark.parametrize(
    "old, new, word",
    [
        ("SVM-FREE-002", "SVM-FREE-999", "line 4: there is no rule 'SVM-FREE-999'; did you mean"),
        ("SVM-FREE-002", "SVM-STORE-001", "line 4: SVM-STORE-001 promises nothing"),
        ('"ascend910b"', '"ascend910"', "line 4: there is no profile 'ascend910'; did you mean"),
        ('"content"', '"contents"', "line 11: there is no shape 'contents'; did you mean"),
        ('"halMemFree"', '"halMemfree"', "line 11: there is no interface 'halMemfree'"),
        ("reason = ", "reasons = ", "line 4: 'reasons' is unknown; did you mean 'reason'?"),
        ('link = "https://tracker.example/7"\n', "", "line 4: 'link' is missing"),
        ("https://tracker", "tracker", "line 4: link is 'tracker.example/7'"),
        ("expires = 2026-12-31", "expires = 2026", "line 4: expires is 2026; write a day"),
        ("2027-01-31", "2027-02-31", "line 11: expires is '2027-02-31'"),
        ("= 2026-12-31", "= 2026-12-31T08:00:00", "line 4: expires is"),
        ('"the fix waits for the next firmware"', '" "', "line 4: reason is ' '"),
        ('"the fix waits for the next firmware"', "7", "line 4: reason is 7"),
        ('format = "halcert-waivers/1"', "", "format = "),
        ("halcert-waivers/1", "halcert-waivers/2", "this halcert reads 'halcert-waivers/1'"),
        ("[[waiver]]", "[[waver]]", "'waver' is unknown; did you mean 'waiver'?"),
        ("profile = ", "profile ", "is no TOML"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(read, old, new, word):
    assert old in GOOD
    with pytest.raises(WaiverError) as told:
        read(GOOD.replace(old, new, 1) if old != "[[waiver]]" else GOOD.replace(old, new))
    assert word in str(told.value)


def test_everything_that_is_wrong_is_told_at_once(read):
    text = GOOD.replace("SVM-FREE-002", "SVM-FREE-999").replace('"any"', '"all"')
    with pytest.raises(WaiverError) as told:
        read(text)
    assert len(str(told.value).splitlines()) == 2


def test_two_waivers_that_say_the_same_are_told(read):
    entry = GOOD.partition("[[waiver]]")[2].partition("[[waiver]]")[0]
    with pytest.raises(WaiverError, match="line 19: says the same as that of line 4"):
        read(f"{GOOD}[[waiver]]{entry}")


@pytest.mark.parametrize("text", [b"\xff\xfe", b"waiver = 7\n", b"", b"waiver = [1]\n"])
def test_what_is_no_file_of_waivers_is_refused(read, text):
    with pytest.raises(WaiverError):
        read(text)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(WaiverError, match=r"none\.toml"):
        read_waivers(tmp_path / "none.toml")


def test_waivers_fit_their_schema():
    document = json.loads(msgspec.json.encode(msgspec.toml.decode(GOOD)))
    checker = jsonschema.Draft202012Validator(SCHEMAS["waivers"]())
    assert [error.message for error in checker.iter_errors(document)] == []
    document["waiver"][0]["reasons"] = "x"
    assert list(checker.iter_errors(document))


def test_every_shape_is_explained(request):
    formats = (request.config.rootpath / "docs" / "formats.md").read_text()
    assert [shape for shape in SHAPES if f"`{shape}`" not in formats] == []
