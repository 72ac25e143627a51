"""``halcert sample``: the sample of managed memory on the bundled runtime."""

from __future__ import annotations


def test_the_sample_adds_two_matrices_without_a_copy(halcert):
    done = halcert("sample", "uvm-allocate")
    assert done.code == 0, done.text
    assert "[SUCCESS] 0 of 16384 numbers differ" in done.out
    assert "aclrtMemcpy" not in done.out
    freed = [line for line in done.out.splitlines() if line.startswith("aclrtFree")]
    allocated = [line for line in done.out.splitlines() if line.startswith("aclrtMemAllocManaged")]
    assert [line.split("0x")[1].split(")")[0] for line in freed] == [
        line.rsplit("0x", 1)[1] for line in reversed(allocated)
    ]


def test_the_sample_is_skipped_on_a_product_without_managed_memory(halcert):
    done = halcert("sample", "uvm-allocate", "--profile", "ascend950")
    assert done.code == 0, done.text
    assert "[SKIP] there is no managed memory on" in done.out
    assert "207000" in done.out
    assert done.out.index("aclFinalize") > done.out.index("aclrtResetDeviceForce")


def test_a_runtime_of_ones_own_needs_the_file_with_the_kernel(halcert):
    done = halcert("sample", "uvm-allocate", "--library", "libascendcl.so")
    assert done.code == 2
    assert "--kernels" in done.text
