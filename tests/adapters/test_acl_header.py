"""The declaration of the runtime says what the bundled header says."""

from __future__ import annotations

import shutil

import pytest
from click.testing import CliRunner

from halcert.adapters import softacl
from halcert.adapters.header import compare
from halcert.cli import cli
from halcert.spec.abi.acl.codes import AclError, acl_symbol_of
from halcert.spec.abi.declarations import ACL, ALL_LAYOUTS
from halcert.spec.abi.structs import SCALARS, width_of

HEADER = softacl.INCLUDE / "acl" / "acl.h"

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")


def test_the_bundled_header_has_no_differences():
    assert compare(HEADER, [softacl.INCLUDE], ACL) == []


@pytest.mark.parametrize(
    "old, new, said",
    [
        ("ACL_ERROR_RT_PARAM_INVALID = 107000", "ACL_ERROR_RT_PARAM_INVALID = 107001", "107000"),
        ("ACL_MEMCPY_DEFAULT = 4", "ACL_MEMCPY_DEFAULT = 9", "ACL_MEMCPY_DEFAULT: declared 4"),
        ("aclrtFree(void *devPtr)", "aclrtFree(uint64_t devPtr)", "aclrtFree: declared"),
        ("size_t maxSize;", "uint32_t maxSize;", "aclrtMemPoolProps.maxSize: declared 8"),
    ],
)
def test_differences_are_found(tmp_path, old, new, said):
    text = HEADER.read_text()
    assert text.count(old) == 1
    header = tmp_path / "acl.h"
    changed = text.replace(old, new).replace("ACL_STATIC_ASSERT(sizeof", "IGNORED(sizeof")
    changed = changed.replace("ACL_STATIC_ASSERT(offsetof", "IGNORED(offsetof")
    header.write_text("#define IGNORED(...) struct ignored\n" + changed)
    differences = [str(each) for each in compare(header, [], ACL)]
    assert any(said in each for each in differences), differences


def test_every_parameter_has_a_known_kind_and_a_name_of_its_own():
    for function in ACL.functions.values():
        names = [parameter.name for parameter in function.parameters]
        assert len(names) == len(set(names))
        assert all(each.kind in {"", *SCALARS, *ALL_LAYOUTS} for each in function.parameters)


def test_members_lie_within_their_structure():
    for layout in ACL.layouts.values():
        for member in layout.members:
            assert member.offset + member.count * width_of(member.kind) <= layout.size


def test_a_code_has_the_name_of_the_header():
    assert acl_symbol_of(AclError.RT_PARAM_INVALID) == "ACL_ERROR_RT_PARAM_INVALID"
    assert acl_symbol_of(0) == "ACL_SUCCESS"
    assert acl_symbol_of(5) == "5"


def test_the_command_compares_the_runtime_too():
    done = CliRunner().invoke(cli, ["abi", "--of", "acl", "--header", str(HEADER)])
    assert done.output == "no differences\n"
