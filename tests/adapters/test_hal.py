from __future__ import annotations

import errno
import gc
import hashlib
import os
import subprocess
from pathlib import Path

import pytest

from halcert.adapters import bundled, domain, softhal
from halcert.adapters.device import DEVICE_CALLS
from halcert.adapters.errors import (
    AddressSpaceLimited,
    FaultUnknown,
    LibraryNotFound,
    LibraryUnloadable,
    NoCompiler,
)
from halcert.adapters.hal import HalAdapter
from halcert.adapters.protocol import Adapter, Answered, Options, Request
from halcert.spec.abi.functions import FUNCTIONS

EMPTY = "int halMemNothing(void) { return 0; }\n"


def test_the_adapter_is_an_adapter():
    assert isinstance(HalAdapter(), Adapter)


def test_a_library_is_described(library):
    found = HalAdapter().describe(Options(library=str(library)))
    assert found.adapter == "hal"
    assert found.path == str(library.resolve())
    assert found.sha256 == hashlib.sha256(library.read_bytes()).hexdigest()
    assert found.devices == 3
    assert found.version == ""
    assert "halGetAPIVersion" in found.missing
    assert "halMemFree" not in found.missing


def test_a_library_without_any_symbol_is_described_all_the_same(tmp_path, compiled):
    path = compiled("empty", EMPTY)
    found = HalAdapter().describe(Options(library=str(path)))
    assert found.missing == (*FUNCTIONS, *DEVICE_CALLS)
    assert found.devices is None


@pytest.fixture
def compiled(tmp_path):
    from subprocess import run  # noqa: PLC0415

    def build(name: str, text: str, *flags: str) -> Path:
        source = tmp_path / f"{name}.c"
        source.write_text(text)
        target = tmp_path / f"lib{name}.so"
        run(["cc", "-shared", "-fPIC", "-o", str(target), str(source), *flags], check=True)
        return target

    return build


def test_a_path_that_leads_nowhere_is_told(tmp_path):
    with pytest.raises(LibraryNotFound, match="there is no library"):
        HalAdapter().open("any", Options(library=str(tmp_path / "libascend_hal.so")))
    with pytest.raises(LibraryNotFound, match="is a folder"):
        HalAdapter().open("any", Options(library=str(tmp_path)))


@pytest.mark.parametrize("content", [b"", b"GROUP ( libascend_hal.so.1 )", b"\x7fELF"])
def test_a_file_that_is_no_shared_library_is_told(tmp_path, content):
    path = tmp_path / "libascend_hal.so"
    path.write_bytes(content)
    with pytest.raises(LibraryNotFound, match="no shared library"):
        HalAdapter().open("any", Options(library=str(path)))


def test_a_dependency_that_is_missing_is_told_with_a_hint(tmp_path, compiled):
    compiled("needed", EMPTY)
    flags = (f"-L{tmp_path}", "-Wl,--no-as-needed", "-lneeded")
    path = compiled("needing", "int one(void) { return 1; }\n", *flags)
    options = Options(library=str(path))
    with HalAdapter().open("any", options) as session, pytest.raises(LibraryUnloadable) as caught:
        session.spawn()
    assert "libneeded.so" in caught.value.message
    assert "LD_LIBRARY_PATH" in caught.value.hint
    early = Options(library=str(path), environment={"LD_LIBRARY_PATH": str(tmp_path)})
    with HalAdapter().open("any", early) as session:
        assert session.spawn().alive


# -------------------------------------------------------------------------- the bundled driver


def test_a_session_of_the_bundled_driver_has_devices_of_its_own_and_leaves_nothing():
    adapter, before = HalAdapter(), _devices()
    with adapter.open("ascend910b") as one, adapter.open("ascend910b") as two:
        for session in (one, two):
            reply = session.spawn().call(Request("drvGetDevNum", {"num_dev": True}))
            assert isinstance(reply, Answered)
            assert reply.out["num_dev"] >= 1
        assert len(_devices() - before) >= 2
    assert _devices() <= before


def test_a_session_that_is_never_closed_leaves_nothing_either():
    before = _devices()
    HalAdapter().open("ascend910b").spawn()
    gc.collect()
    assert _devices() <= before


def _devices() -> set[Path]:
    """Devices of all sessions of this process; other tests may have some open."""
    return set(Path("/dev/shm").glob(f"softhal-{os.getuid()}-halcert-{os.getpid()}-*"))


def test_devices_of_sessions_that_died_are_removed_by_the_next_and_no_others():
    dead = subprocess.Popen(["true"])
    dead.wait()
    namespace = domain._namespace()
    own = os.getuid()
    remains = Path(f"/dev/shm/softhal-{own}-halcert-{dead.pid}-{namespace:x}-remains")
    elsewhere = Path(f"/dev/shm/softhal-{own}-halcert-{dead.pid}-{namespace + 1:x}-remains")
    for path in (remains, elsewhere):
        path.touch()
    with HalAdapter().open("ascend910b") as one:
        one.spawn().call(Request("drvGetDevNum", {"num_dev": True}))
        with HalAdapter().open("ascend910b"):
            assert not remains.exists()
            assert elsewhere.exists()
            assert _devices()
    elsewhere.unlink()


def test_devices_that_cannot_be_removed_hide_no_other_error(monkeypatch):
    def refuse(*_args: object, **_more: object) -> None:
        raise OSError(errno.EROFS, "read-only")

    session = HalAdapter().open("ascend910b")
    monkeypatch.setattr(Path, "unlink", refuse)
    session.close()


def test_a_small_limit_of_address_space_is_told_and_not_blamed_on_the_bundled_driver(
    monkeypatch, library
):
    monkeypatch.setattr(softhal.resource, "getrlimit", lambda _: (1 << 32, 1 << 32))
    with pytest.raises(AddressSpaceLimited, match="4096 MiB") as caught:
        HalAdapter().describe()
    assert "ulimit -v" in caught.value.hint
    HalAdapter().open("any", Options(library=str(library))).close()


def test_the_bundled_driver_says_what_it_is():
    found = HalAdapter().describe()
    assert found.implementation == "software driver"
    assert found.version
    assert found.devices


def test_seeded_faults_are_listed_and_can_be_chosen():
    adapter = HalAdapter()
    faults = adapter.faults()
    assert faults
    assert all(fault.name and fault.interface and fault.summary for fault in faults)
    with adapter.open("ascend910b", Options(fault=faults[0].name)) as session:
        assert session.spawn().alive
    with pytest.raises(FaultUnknown, match="no seeded fault 'none-such'"):
        adapter.open("ascend910b", Options(fault="none-such"))


def test_without_a_compiler_the_driver_cannot_be_built(monkeypatch, tmp_path):
    monkeypatch.setattr(bundled, "WORKING_COPY", True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("CC", "no-such-compiler -O3")
    with pytest.raises(NoCompiler, match="no-such-compiler"):
        softhal.library()
