"""What a user can get wrong: a clear word, the right exit code, never a traceback."""

from __future__ import annotations

import shutil
import subprocess

import msgspec
import pytest

from halcert.results import Trace, read_trace, write_trace

USAGE, NOT_STARTED = 2, 4


COMMANDS_OF_TRACES = [["replay"], ["explain"], ["export", "--as", "c"]]


@pytest.mark.parametrize(
    "command",
    [
        "certify",
        "gate",
        "baseline",
        "compare",
        "verify",
        "faults",
        "replay",
        "explain",
        "export",
        "doctor",
        "abi",
        "spec",
        "",
    ],
)
def test_an_option_that_does_not_exist_is_named(halcert, command):
    done = halcert(*filter(None, [command]), "--nonsense")
    assert done.code == USAGE
    assert "--nonsense" in done.err


def test_a_command_that_does_not_exist_is_named(halcert):
    done = halcert("certifi")
    assert done.code == USAGE
    assert "certifi" in done.err


def test_no_command_shows_what_there_is(halcert):
    done = halcert()
    assert done.code == USAGE
    assert "certify" in done.text


@pytest.mark.parametrize(
    "options, words",
    [
        (("--adapter", "halo"), ("halo", "hal")),
        (("--profile", "ascend910"), ("ascend910", "did you mean 'ascend910b'")),
        (("--profile", ""), ("''", "ascend950")),
        (("--areas", "svn"), ("svn", "did you mean 'svm'")),
        (("--areas", "svm,nonsense"), ("nonsense",)),
        (("--fault", "double_fre"), ("double_fre", "double_free_accepted")),
        (("--budget", "0"), ("--budget", "0")),
        (("--budget", "-1"), ("--budget", "-1")),
        (("--budget", "soon"), ("--budget", "soon")),
        (("--budget", "nan"), ("budget",)),
        (("--jobs", "0"), ("--jobs", "0")),
        (("--jobs", "many"), ("--jobs", "many")),
        (("--seed", "x"), ("--seed", "x")),
        (("--seed", "-1"), ("--seed", "-1")),
        (("--seed", str(2**63)), ("--seed", str(2**63))),
        (("--library", ""), ("--library is empty",)),
        (("--out", ""), ("--out", "empty")),
        (("--adapter", "model", "--library", "x.so"), ("model", "takes no --library")),
        (("--adapter", "model", "--fault", "x"), ("model", "takes no --fault")),
        (("--fault", "copy_loses_tail", "--library", "x.so"), ("--fault and --library",)),
        (("--adapter", "exec"), ("needs a program", "--program")),
        (("--adapter", "exec", "--program", "nowhere"), ("no program nowhere",)),
        (("--adapter", "exec", "--program", "/etc"), ("no program /etc",)),
        (("--key", "nowhere.pem"), ("nowhere.pem", "cannot be read")),
        (("--key", ""), ("cannot be read",)),
        (("superfluous",), ("superfluous",)),
    ],
    ids=str,
)
def test_certify_says_which_option_is_wrong(halcert, options, words):
    done = halcert("certify", *options)
    assert done.code == USAGE
    for word in words:
        assert word in done.err
    assert len(done.err.splitlines()) < 12


@pytest.mark.parametrize("value", ["", ",", " , ,"])
@pytest.mark.parametrize(
    "command",
    [
        ("certify",),
        ("gate", "--baseline", "baseline.json"),
        ("compare", "--left", "model", "--right", "model"),
        ("faults",),
        ("mutants",),
        ("prove",),
        ("vectors",),
        ("spec", "list"),
    ],
    ids=" ".join,
)
def test_a_list_of_areas_that_names_none_does_not_stand_for_all(halcert, command, value):
    done = halcert(*command, "--areas", value)
    assert done.code == USAGE
    assert f"{value!r} names nothing" in done.err


@pytest.mark.parametrize(
    "options, word",
    [
        (("--fault", "nonsense"), "nonsense"),
        (("--profile", "nonsense"), "nonsense"),
        (("--areas", "nonsense"), "nonsense"),
        (("--budget", "0"), "--budget"),
        (("--jobs", "0"), "--jobs"),
    ],
    ids=str,
)
def test_faults_says_which_option_is_wrong(halcert, options, word):
    done = halcert("faults", *options)
    assert done.code == USAGE
    assert word in done.err


# ---------------------------------------------------------------------------------- libraries


@pytest.fixture
def libraries(tmp_path):
    """Return what a user may take for a library, by what is wrong with it."""
    folder = tmp_path / "folder.so"
    folder.mkdir()
    text = tmp_path / "text.so"
    text.write_text("INPUT(libascend_hal.so.1)\n")
    empty = tmp_path / "empty.so"
    empty.touch()
    return {"nowhere": tmp_path / "no.so", "folder": folder, "text": text, "empty": empty}


def compiled(path, text, *flags):
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler")
    source = path.with_suffix(".c")
    source.write_text(text)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", path, source, *flags], check=True)
    return path


@pytest.mark.parametrize(
    "kind, word",
    [
        ("nowhere", "there is no library"),
        ("folder", "is a folder"),
        ("text", "is no shared library"),
        ("empty", "is no shared library"),
    ],
)
@pytest.mark.parametrize("command", ["certify", "replay", "doctor"])
def test_what_is_no_library_is_told_apart(
    halcert, tmp_path, libraries, header, steps, command, kind, word
):
    trace = tmp_path / "trace.jsonl"
    write_trace(Trace(header, steps), trace)
    named = [command, trace] if command == "replay" else [command]
    done = halcert(*named, "--library", libraries[kind])
    assert done.code == USAGE
    assert word in " ".join(done.text.split())
    assert str(libraries[kind].name) in done.text


def test_a_library_that_lacks_what_it_needs_is_told_with_the_name(halcert, tmp_path):
    needed = compiled(tmp_path / "libmissing.so", "int f(void) { return 1; }\n")
    text = "int f(void); int halMemAlloc(void) { return f(); }\n"
    needing = compiled(tmp_path / "needing.so", text, f"-L{tmp_path}", "-lmissing")
    needed.unlink()
    done = halcert("certify", "--library", needing)
    assert done.code == NOT_STARTED
    assert "libmissing.so" in done.err
    assert "LD_LIBRARY_PATH" in done.err


def test_a_library_with_an_undefined_symbol_is_told_with_the_symbol(halcert, tmp_path):
    text = "int gone(void); int halMemAlloc(void) { return gone(); }\n"
    done = halcert("certify", "--library", compiled(tmp_path / "undefined.so", text))
    assert done.code == NOT_STARTED
    assert "gone" in done.err


def test_a_library_without_devices_is_told_before_anything_runs(halcert, tmp_path):
    text = "int drvGetDevNum(unsigned *n) { *n = 0; return 0; }\n"
    done = halcert("certify", "--library", compiled(tmp_path / "bare.so", text))
    assert done.code == NOT_STARTED
    assert "device" in done.err


@pytest.mark.parametrize(
    "body, word",
    [
        ("return 3;", "DRV_ERROR_INVALID_VALUE"),
        ("return 0;", "left its output alone"),
        ("*n = 0xffffffff; return 0;", "4294967295"),
        ("*n = 65; return 0;", "65"),
        ("__builtin_trap();", "crashes with signal"),
    ],
)
def test_a_library_that_gives_no_usable_number_of_devices_is_told(halcert, tmp_path, body, word):
    text = f"int drvGetDevNum(unsigned *n) {{ {body} }}\n"
    done = halcert("certify", "--library", compiled(tmp_path / "odd.so", text))
    assert done.code == NOT_STARTED
    assert "no usable number of devices" in done.err
    assert word in done.err


OF_A_DRIVER = "int halMemAlloc(void) { return 0; }\n"
OF_A_RUNTIME = "int aclrtMalloc(void) { return 0; }\n"


@pytest.mark.parametrize(
    "adapter, text, lacking",
    [("hal", OF_A_DRIVER, "drvGetDevNum"), ("acl", OF_A_RUNTIME, "aclrtGetDeviceCount")],
)
@pytest.mark.parametrize("command", ["certify", "doctor"])
def test_a_library_that_cannot_count_devices_is_told(
    halcert, tmp_path, command, adapter, text, lacking
):
    library = compiled(tmp_path / "bare.so", text)
    done = halcert(command, "--adapter", adapter, "--library", library)
    assert done.code == NOT_STARTED
    assert f"it has no {lacking}" in done.text


@pytest.mark.parametrize(
    "adapter, text, words",
    [
        ("acl", OF_A_DRIVER, ("offers hal* and no aclrt*", "Use --adapter hal for it.")),
        ("hal", OF_A_RUNTIME, ("offers aclrt* and no hal*", "Use --adapter acl for it.")),
    ],
)
@pytest.mark.parametrize("command", ["certify", "replay", "doctor"])
def test_a_library_of_another_interface_is_told_with_the_adapter_for_it(
    halcert, tmp_path, header, steps, command, adapter, text, words
):
    library = compiled(tmp_path / "other.so", text)
    trace = tmp_path / "trace.jsonl"
    write_trace(Trace(header, steps), trace)
    named = [command, trace] if command == "replay" else [command]
    done = halcert(*named, "--adapter", adapter, "--library", library)
    assert done.code == USAGE
    assert str(library) in done.text
    for word in words:
        assert word in done.text
    assert "devices" not in done.err


@pytest.mark.parametrize("count", [0, 65])
def test_doctor_and_certify_agree_on_what_can_be_certified(halcert, tmp_path, count):
    text = f"int drvGetDevNum(unsigned *n) {{ *n = {count}; return 0; }}\n"
    library = compiled(tmp_path / "odd.so", text)
    looked, tried = (halcert(each, "--library", library) for each in ("doctor", "certify"))
    assert (looked.code, tried.code) == (NOT_STARTED, NOT_STARTED)
    assert "cannot be used: " in looked.out


def test_doctor_says_that_the_model_loads_no_library(halcert, tmp_path):
    done = halcert("doctor", "--adapter", "model", "--library", tmp_path / "x.so")
    assert done.code == USAGE
    assert "adapter 'model' takes no --library" in done.out


def test_doctor_knows_which_adapters_there_are(halcert):
    done = halcert("doctor", "--adapter", "halo")
    assert done.code == USAGE
    assert "halo" in done.err


def test_more_jobs_than_make_sense_are_fewer_with_a_note(halcert):
    done = halcert("faults", "--list", "--jobs", "1000000")
    assert done.code == 0
    assert "note: --jobs" in done.err


def test_a_library_that_lacks_symbols_breaks_the_rules_of_those(halcert, tmp_path):
    text = "int drvGetDevNum(unsigned *n) { *n = 1; return 0; }\n"
    library = compiled(tmp_path / "few.so", text)
    done = halcert("certify", "--library", library, "--budget", "1", "--jobs", "1")
    assert done.code == 1
    found = msgspec.json.decode((tmp_path / "halcert-out" / "certificate.json").read_bytes())
    assert "halMemAlloc" in found["implementation"]["missing"]
    reasons = {rule["reason"] for rule in found["rules"] if rule["interface"] == "halMemAlloc"}
    assert "the library has no such symbol" in reasons


# ------------------------------------------------------------------------------------- traces


@pytest.fixture
def damaged(tmp_path, header, steps):
    """Write a trace with one line replaced, or cut off behind a number of bytes."""

    def write(line=None, text="", cut=None):
        path = tmp_path / "trace.jsonl"
        write_trace(Trace(header, steps), path)
        raw = path.read_bytes()
        if line is not None:
            lines = raw.splitlines(keepends=True)
            lines[line - 1] = text.encode() + b"\n"
            raw = b"".join(lines)
        path.write_bytes(raw if cut is None else raw[:cut])
        return path

    return write


def call(interface, **args):
    return msgspec.json.encode({"number": 2, "interface": interface, "args": args}).decode()


@pytest.mark.parametrize(
    "line, text, words",
    [
        (1, "", ()),
        (1, "nonsense", ()),
        (1, "[]", ()),
        (1, '{"format": "halcert-trace/99"}', ("halcert-trace/99", "halcert-trace/1")),
        (1, '{"format": "halcert-certificate/1"}', ("halcert-certificate/1",)),
        (1, '{"format": 3}', ("int", "str")),
        (2, "{", ()),
        (2, '{"number": 1}', ("interface",)),
        (2, '{"number": "one", "interface": "host.map", "args": {}}', ("number",)),
        (2, call("halMemAlloc"), ("halMemAlloc takes pp, size, flag", "not nothing")),
        (2, call("host.map", length=1), ("host.map takes size, not length",)),
        (3, call("halMemTeleport", pp=1), ("halMemTeleport",)),
        (3, call("host.map", size="big"), ("size",)),
        (3, call("host.map", size=None), ("size",)),
        (3, call("host.map", size=[]), ("size",)),
        (3, call("host.map", size=-1), ("size",)),
        (3, call("host.map", size=2**64), ("size",)),
        (3, call("host.map", size={"$": "first", "field": "pp"}), ("reference", "first")),
        (3, call("host.map", size={"$": 1}), ("reference",)),
        (3, call("halMemcpyBatch", dst=1, src=[], size=[], count=1), ("halMemcpyBatch",)),
        (3, call("halMemAlloc", pp=True, size=1, flag="DEV"), ("halMemAlloc",)),
    ],
)
@pytest.mark.parametrize("command", COMMANDS_OF_TRACES, ids=lambda each: each[0])
def test_a_damaged_line_of_a_trace_is_named_with_its_file(
    halcert, damaged, command, line, text, words
):
    path = damaged(line, text)
    done = halcert(*command, path)
    assert done.code == USAGE, done.text
    assert f"{path}: line {line}: " in done.err
    for word in words:
        assert word in done.err


HEADER = '{"format": "halcert-trace/1", '
UNMAP = '{"number": 2, "interface": "host.unmap", "args": {"address": %s}%s}'


@pytest.mark.parametrize(
    "line, text, word",
    [
        (1, HEADER + r'"library": "a\u0000b"}', "library"),
        (1, HEADER + '"environment": {"": "x"}}', "environment"),
        (1, HEADER + '"environment": {"A=B": "x"}}', "A=B"),
        (1, HEADER + r'"environment": {"A": "\u0000"}}', "NUL"),
        (3, UNMAP % (0, ', "actor": 64'), "actor 64"),
        (3, UNMAP % (0, ', "actor": -1'), "actor -1"),
        (3, UNMAP % (0, ', "thread": -1'), "thread -1"),
        (3, UNMAP % ('{"$": 1, "field": "p", "plus": "x"}', ""), "reference"),
        (3, UNMAP % ('{"$": 1, "field": "p", "plus": 1.5}', ""), "reference"),
        (3, UNMAP % ('{"$": 1, "field": "name", "altered": "x"}', ""), "reference"),
        (3, UNMAP % ('{"$": true, "field": "p"}', ""), "reference"),
        (3, UNMAP % ("[" * 900 + "]" * 900, ""), "nested too deeply"),
        (3, UNMAP % ("[" * 90_000 + "]" * 90_000, ""), "nested too deeply"),
    ],
    ids=lambda each: str(each)[:60],
)
def test_what_no_process_could_repeat_is_told_with_file_and_line(
    halcert, damaged, line, text, word
):
    path = damaged(line, text)
    done = halcert("replay", path)
    assert done.code == USAGE, done.text
    assert f"{path}: line {line}: " in done.err
    assert word in done.err


@pytest.mark.parametrize("value", [7, {"width": "wide"}, {"depth": 1}], ids=str)
def test_a_structure_that_nobody_could_pass_is_told_with_file_and_interface(
    halcert, damaged, value
):
    path = damaged(3, call("halMemcpy2D", p_copy=value))
    done = halcert("replay", path)
    assert done.code == USAGE
    assert str(path) in done.err
    assert "halMemcpy2D" in done.err


@pytest.mark.parametrize("command", COMMANDS_OF_TRACES, ids=lambda each: each[0])
def test_a_trace_that_is_cut_off_is_told_with_the_line(halcert, damaged, command):
    path = damaged(cut=-10)
    done = halcert(*command, path)
    assert done.code == USAGE
    assert f"{path}: line 3: cut off" in done.err


@pytest.mark.parametrize("command", COMMANDS_OF_TRACES, ids=lambda each: each[0])
@pytest.mark.parametrize("kept, line", [(1, 2), (2, 3)])
def test_a_trace_that_is_cut_off_at_a_line_break_is_told_with_the_line(
    halcert, damaged, command, kept, line
):
    path = damaged()
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:kept]))
    done = halcert(*command, path)
    assert done.code == USAGE
    told = f"cut off; calls by the header: 2, in the file: {kept - 1}"
    assert f"{path}: line {line}: {told}" in done.err


def test_a_trace_with_a_call_too_many_is_told_with_the_line(halcert, damaged):
    path = damaged()
    path.write_bytes(path.read_bytes() + call("host.map", size=4096).encode() + b"\n")
    done = halcert("replay", path)
    assert done.code == USAGE
    assert f"{path}: line 4: a call too many" in done.err


def test_a_trace_that_does_not_tell_how_many_calls_follow_is_read(damaged, steps):
    path = damaged(1, '{"format": "halcert-trace/1"}')
    trace = read_trace(path)
    assert (trace.header.calls, trace.steps) == (None, steps)


@pytest.mark.parametrize("command", COMMANDS_OF_TRACES, ids=lambda each: each[0])
def test_a_trace_without_calls_is_told(halcert, tmp_path, command):
    path = tmp_path / "trace.jsonl"
    path.write_text('{"format": "halcert-trace/1"}\n')
    done = halcert(*command, path)
    assert done.code == USAGE
    assert f"{path}: line 2: there is no call in it" in done.err


@pytest.mark.parametrize("command", COMMANDS_OF_TRACES, ids=lambda each: each[0])
def test_a_rule_that_there_is_not_is_told(halcert, damaged, command):
    path = damaged(1, '{"format": "halcert-trace/1", "rule": "SVM-FREE-999"}')
    done = halcert(*command, path)
    assert done.code == USAGE
    assert f"{path}: line 1: there is no rule 'SVM-FREE-999'" in done.err


def test_an_empty_trace_is_told(halcert, tmp_path):
    path = tmp_path / "empty.jsonl"
    path.touch()
    done = halcert("replay", path)
    assert done.code == USAGE
    assert "line 1: empty" in done.err


@pytest.mark.parametrize("command", COMMANDS_OF_TRACES, ids=lambda each: each[0])
def test_bytes_that_are_no_text_are_told(halcert, damaged, command):
    path = damaged()
    path.write_bytes(b"\xff\xfe\x00\n\xff\n")
    done = halcert(*command, path)
    assert done.code == USAGE
    assert f"{path}: line 1" in done.err


@pytest.mark.parametrize("command", COMMANDS_OF_TRACES, ids=lambda each: each[0])
@pytest.mark.parametrize("name", ["nowhere.jsonl", "."])
def test_a_trace_that_is_no_file_is_told(halcert, tmp_path, command, name):
    done = halcert(*command, tmp_path / name)
    assert done.code == USAGE
    assert str(tmp_path) in done.err


def test_a_trace_of_an_unknown_profile_or_adapter_is_told(halcert, damaged):
    for field in ("profile", "adapter"):
        path = damaged(1, f'{{"format": "halcert-trace/1", "{field}": "nonsense"}}')
        done = halcert("replay", path)
        assert done.code == USAGE
        assert "nonsense" in done.err


@pytest.mark.parametrize("command", [["explain"], ["export", "--as", "mermaid"]], ids=str)
def test_a_story_of_an_unknown_product_is_told(halcert, damaged, command):
    path = damaged(1, '{"format": "halcert-trace/1", "profile": "ascend910"}')
    done = halcert(*command, path)
    assert done.code == USAGE
    assert "did you mean 'ascend910b'" in done.err


@pytest.mark.parametrize("options", [(), ("--as",), ("--as", "rust"), ("--as", "")], ids=str)
def test_export_says_which_forms_there_are(halcert, damaged, options):
    done = halcert("export", damaged(), *options)
    assert done.code == USAGE
    assert "--as" in done.err


@pytest.mark.parametrize("place", [".", "taken/inside.c"])
def test_a_place_that_export_cannot_write_is_told(halcert, damaged, tmp_path, place):
    (tmp_path / "taken").touch()
    done = halcert("export", damaged(), "--as", "c", "--output", place)
    assert done.code == USAGE
    assert place in done.err


FREE = '{"number": 1, "interface": "halMemFree", "args": {"pp": %s}, "outcome": %s}'
LOAD = '{"number": 1, "interface": "host.load", "args": {"address": 1, "size": 4}, "outcome": %s}'
ANSWERED = '{"kind": "answered", "code": %s, "out": %s}'


@pytest.mark.parametrize("form", ["c", "pytest", "perfetto", "mermaid"])
@pytest.mark.parametrize(
    "line",
    [
        FREE % ('{"$": 7, "field": "pp"}', ANSWERED % (0, "{}")),
        FREE % ("0", ANSWERED % (0, '{"pp": 1}')),
        FREE % ("0", ANSWERED % (-(2**40), "{}")),
        FREE % ("0", '{"kind": "missing", "symbol": "\\u0000*/"}'),
        FREE % ("0", '{"kind": "hung", "seconds": -1}'),
        LOAD % (ANSWERED % (0, '{"data": "no base64!"}')),
        LOAD % (ANSWERED % (0, '{"data": "AA=="}')),
        LOAD % (ANSWERED % (0, "{}")),
        '{"number": 1, "interface": "halMemcpy2D", "args": {"p_copy": {"depth": 1}}}',
        '{"number": 1, "interface": "halMemcpy2D", "args": {"p_copy": {"type": 1, "dma": 7}}}',
        '{"number": 1, "interface": "drvMemDestroyAddr", "args": {"ptr": {"dma": 3, "x": 1}}}',
    ],
)
def test_what_no_run_could_have_recorded_is_told_or_exported(halcert, damaged, form, line):
    path = damaged(2, line)
    for command in (["explain"], ["export", "--as", form]):
        done = halcert(*command, path)
        assert done.code in (0, USAGE), done.text
        assert done.code == 0 or str(path) in done.err


# ------------------------------------------------------------------------------ the out folder


@pytest.mark.parametrize("command", ["certify", "faults"])
def test_a_file_in_place_of_the_out_folder_is_told(halcert, tmp_path, command):
    (tmp_path / "taken").write_text("mine")
    done = halcert(command, "--out", "taken")
    assert done.code == USAGE
    assert "taken" in done.err
    assert (tmp_path / "taken").read_text() == "mine"


def test_a_file_on_the_way_to_the_out_folder_is_told(halcert, tmp_path):
    (tmp_path / "taken").touch()
    done = halcert("certify", "--out", "taken/inside", "--budget", "1")
    assert done.code == USAGE
    assert "taken" in done.err
    assert "cannot be written" in done.err


# ---------------------------------------------------------------------------------------- abi


@pytest.mark.parametrize(
    "options, word",
    [
        ((), "--header"),
        (("--header", "nowhere.h"), "nowhere.h"),
        (("--header", "x.h", "--include", "nowhere"), "nowhere"),
    ],
)
def test_abi_says_what_is_missing(halcert, options, word):
    done = halcert("abi", *options)
    assert done.code == USAGE
    assert word in done.err


@pytest.mark.parametrize(
    "script, word",
    [("exit 3", "ended before it said hello"), ("echo hello", "no hello")],
)
def test_a_program_that_does_not_speak_the_protocol_is_not_started(halcert, tmp_path, script, word):
    path = tmp_path / "program"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    done = halcert("certify", "--adapter", "exec", "--program", path)
    assert done.code == NOT_STARTED
    assert word in done.err
