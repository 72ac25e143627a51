"""The kernel below a library: which one it gets, what it needs, what its answers rest on."""

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from halcert.adapters import kernelsim
from halcert.adapters.errors import AdapterError
from halcert.adapters.hal import HalAdapter
from halcert.adapters.kernelsim import KERNEL, SIM, LibraryLacks
from halcert.adapters.protocol import Answered, Options, Request
from halcert.cli import cli
from halcert.conformance.run import Choice, UsageError, kernel_for, target_of

HERE = Path(__file__).resolve().parent
CLIENTS = HERE.parent / "clients"
COMPILER = os.environ.get("CC", "cc")

pytestmark = pytest.mark.skipif(
    shutil.which(COMPILER) is None, reason=f"no C compiler ({COMPILER})"
)


def shared(out, *sources, flags=()):
    """Compile a shared library."""
    command = [COMPILER, "-std=c11", "-O1", "-D_GNU_SOURCE", "-fPIC", "-shared", "-o", str(out)]
    subprocess.run([*command, *map(str, sources), *flags], check=True, timeout=120)
    return out


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    return shared(tmp_path_factory.mktemp("driver") / "libtiny.so", CLIENTS / "tiny_driver.c")


def over_the_stand_in(library, **variables):
    return Options(library=str(library), environment={KERNEL: SIM, **variables})


def test_a_driver_finds_devices_over_the_stand_in(driver):
    assert HalAdapter().describe(over_the_stand_in(driver)).devices == 2
    assert HalAdapter().describe(over_the_stand_in(driver, KERNELSIM_DEVICES="5")).devices == 5


def test_without_the_stand_in_it_finds_none(driver):
    if kernelsim.NODE.exists():
        pytest.skip("this machine has a device node")
    assert HalAdapter().describe(Options(library=str(driver))).devices is None


def test_a_call_says_what_its_answer_rests_on(driver):
    with HalAdapter().open("ascend910b", over_the_stand_in(driver)) as session:
        actor = session.spawn()
        opened = actor.call(Request("halMemAgentOpen", {"devid": 0, "flag": 0}))
        assert opened == Answered(0, {}, opened.began, opened.ended)
        asked = {"vptr": 0x12C000000000, "pptr": True}
        told = actor.call(Request("drvMemAddressTranslate", asked))
    names = list(kernelsim.assumptions())
    assert told.code == 0
    assert told.stand_in == 1 << names.index("physical-address")


def test_nothing_is_left_in_shared_memory(driver):
    pattern = f"kernelsim-*-{os.getpid()}-*"  # other processes run tests, too
    before = set(Path("/dev/shm").glob(pattern))
    with HalAdapter().open("ascend910b", over_the_stand_in(driver)) as session:
        session.spawn().call(Request("halMemAgentOpen", {"devid": 0, "flag": 0}))
        assert set(Path("/dev/shm").glob(pattern)) > before
    assert set(Path("/dev/shm").glob(pattern)) <= before


def test_the_kernel_is_chosen_by_the_library(driver, tmp_path):
    plain = shared(tmp_path / "libplain.so", "-xc", "/dev/null")
    expected = kernelsim.REAL if kernelsim.NODE.exists() else SIM
    assert kernelsim.default_kernel(str(driver)) == expected
    assert kernelsim.default_kernel(str(plain)) == kernelsim.REAL
    assert kernelsim.default_kernel(None) == kernelsim.REAL
    assert kernelsim.default_kernel(str(tmp_path / "nowhere.so")) == kernelsim.REAL


def test_a_real_kernel_can_be_asked_for(driver):
    assert kernel_for(Choice(library=str(driver), kernel="real")) == {}
    assert kernel_for(Choice(library=str(driver), kernel=SIM)) == {KERNEL: SIM}


def test_a_kernel_that_fails_or_errs_can_be_asked_for(driver):
    for fault in ("lost:4", "mistakes"):
        given = kernel_for(Choice(library=str(driver), kernel=SIM, kernel_fault=fault))
        assert given == {KERNEL: SIM, kernelsim.FAULT: fault}


def test_what_was_found_over_the_stand_in_can_be_tried_over_the_real_kernel(driver):
    found = Choice(library=str(driver), environment={KERNEL: SIM})
    assert target_of(found)[0].options.environment == {KERNEL: SIM}
    if kernelsim.NODE.exists():
        pytest.skip("this machine has a device node")
    with pytest.raises(AdapterError):
        target_of(replace(found, kernel="real"))


def test_what_cannot_be_is_said():
    with pytest.raises(UsageError, match="needs --library"):
        kernel_for(Choice(kernel=SIM))
    with pytest.raises(UsageError, match="needs --kernel sim"):
        kernel_for(Choice(library="x.so", kernel="real", kernel_fault="lost:4"))
    for wrong in ("lost", "lost:0", "lost:x", "found:3", "mistakes:3"):
        with pytest.raises(UsageError, match="expected KIND:NUMBER"):
            kernel_for(Choice(library="x.so", kernel=SIM, kernel_fault=wrong))


def test_a_needed_library_is_looked_for_in_the_tree(tmp_path):
    tree = tmp_path / "far" / "from" / "others"  # whose libraries would be found, too
    lib = tree / "lib"
    build = tree / "src" / "build"
    for folder in (lib, build):
        folder.mkdir(parents=True)
    shared(lib / "libneeded.so", "-xc", "/dev/null", flags=["-Wl,-soname,libneeded.so"])
    needs = ["-Wl,--no-as-needed", f"-L{lib}", "-lneeded"]
    library = shared(build / "libneeds.so", "-xc", "/dev/null", "-xnone", flags=needs)
    assert kernelsim.companions(library, []) == [str(lib)]
    assert kernelsim.companions(library, [str(lib)]) == []
    shutil.rmtree(lib)
    with pytest.raises(LibraryLacks, match=r"needs libneeded\.so"):
        kernelsim.companions(library, [])


def test_a_broken_setting_is_an_adapter_error(tmp_path):
    text = tmp_path / "not-a-library.so"
    text.write_text("davinci_manager")
    with pytest.raises(AdapterError):
        HalAdapter().describe(over_the_stand_in(text))


def test_the_doctor_lists_what_is_assumed(driver):
    done = CliRunner().invoke(cli, ["doctor", "--library", str(driver), "--kernel", "sim"])
    assert done.exit_code == 0, done.output
    assert "the stand-in" in done.output
    for name in kernelsim.assumptions():
        assert name in done.output
