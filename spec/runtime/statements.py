"""What the description of the sample states about the runtime.

Each entry is the id, the place, the statement in our words, and the ids of the rules that carry
it.
"""

from __future__ import annotations

from halcert.spec.svm.statements import Stated

RUNTIME_STATEMENTS: tuple[Stated, ...] = (
    (
        "SEED-RUNTIME-01",
        "runtime, initialisation and streams",
        "aclInit without a file of settings initialises the runtime.",
        ("RUNTIME-INIT-010", "RUNTIME-INIT-001"),
    ),
    (
        "SEED-RUNTIME-02",
        "runtime, initialisation and streams",
        "aclrtSetDevice names the device that the program works with.",
        ("RUNTIME-SET-010", "RUNTIME-SET-001", "RUNTIME-WHICH-011"),
    ),
    (
        "SEED-RUNTIME-03",
        "runtime, initialisation and streams",
        "aclrtCreateStream makes a stream on that device.",
        ("RUNTIME-STREAM-002", "RUNTIME-STREAM-010", "RUNTIME-STREAM-011"),
    ),
    (
        "SEED-RUNTIME-04",
        "runtime, managed allocation",
        "aclrtMemAllocManaged allocates memory that host and devices reach by one pointer.",
        ("RUNTIME-MANAGED-002", "RUNTIME-MANAGED-010", "RUNTIME-MANAGED-011"),
    ),
    (
        "SEED-RUNTIME-05",
        "runtime, managed allocation",
        (
            "A product without managed memory answers ACL_ERROR_RT_FEATURE_NOT_SUPPORT, 207000, "
            "by which a program knows that it has to do without."
        ),
        ("RUNTIME-MANAGED-005",),
    ),
    (
        "SEED-RUNTIME-06",
        "runtime, managed allocation",
        "The program reads its data straight into the memory, without a copy by the runtime.",
        ("RUNTIME-MANAGED-010", "SVM-STORE-010"),
    ),
    (
        "SEED-RUNTIME-07",
        "runtime, waiting for the stream",
        "aclrtSynchronizeStream holds the host until the tasks of the stream are done.",
        ("RUNTIME-SYNC-001", "RUNTIME-SYNC-010"),
    ),
    (
        "SEED-RUNTIME-08",
        "runtime, waiting for the stream",
        "After that the program reads results from managed memory, without a copy.",
        ("RUNTIME-SYNC-010", "SVM-LOAD-011"),
    ),
    (
        "SEED-RUNTIME-09",
        "runtime, releasing in reverse order",
        "aclrtFree frees managed memory, too, each piece once.",
        ("RUNTIME-FREE-002", "RUNTIME-FREE-010"),
    ),
    (
        "SEED-RUNTIME-10",
        "runtime, releasing in reverse order",
        "aclrtDestroyStreamForce ends the stream.",
        ("RUNTIME-FSTREAM-002", "RUNTIME-FSTREAM-010"),
    ),
    (
        "SEED-RUNTIME-11",
        "runtime, releasing in reverse order",
        "aclrtResetDeviceForce gives the device up.",
        ("RUNTIME-FORCE-002", "RUNTIME-FORCE-010"),
    ),
    (
        "SEED-RUNTIME-12",
        "runtime, releasing in reverse order",
        "aclFinalize ends the use of the runtime.",
        ("RUNTIME-FINAL-001", "RUNTIME-FINAL-010"),
    ),
    (
        "SEED-RUNTIME-13",
        "runtime, releasing in reverse order",
        "Every release is checked, and one that succeeds says so.",
        ("RUNTIME-FREE-010", "RUNTIME-FSTREAM-010", "RUNTIME-FORCE-010", "RUNTIME-FINAL-010"),
    ),
)
