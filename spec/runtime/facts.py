"""What the headers and the API reference of the runtime state."""

from __future__ import annotations

from halcert.spec.fact import ABI, Fact
from halcert.spec.runtime.managed_facts import MANAGED_FACTS
from halcert.spec.runtime.sources import ACL_HEADER
from halcert.spec.sources import API

RUNTIME_FACTS: tuple[Fact, ...] = (
    Fact(
        "FACT-RUNTIME-01",
        API.at("initialisation"),
        (
            "aclInit initialises the runtime; without a file or with an empty one all settings "
            "are the usual ones."
        ),
        ("RUNTIME-INIT-010", "RUNTIME-INIT-002"),
    ),
    Fact(
        "FACT-RUNTIME-02",
        API.at("initialisation"),
        "A repeated initialisation is told, which a program may ignore.",
        ("RUNTIME-INIT-001",),
    ),
    Fact(
        "FACT-RUNTIME-03",
        API.at("initialisation"),
        "One aclFinalize ends the use of the runtime, however often it was initialised.",
        ("RUNTIME-FINAL-001", "RUNTIME-FINAL-010"),
    ),
    Fact(
        "FACT-RUNTIME-04",
        API.at("devices"),
        "The number of devices can be asked for.",
        ("RUNTIME-COUNT-010", "RUNTIME-COUNT-011"),
    ),
    Fact(
        "FACT-RUNTIME-05",
        API.at("devices"),
        "Devices are numbered from 0 up to their number.",
        ("RUNTIME-SET-001", "RUNTIME-RESET-001", "RUNTIME-FORCE-001"),
    ),
    Fact(
        "FACT-RUNTIME-06",
        API.at("devices"),
        "Setting a device gives it one more reference and a default stream.",
        ("RUNTIME-SET-010",),
    ),
    Fact(
        "FACT-RUNTIME-07",
        API.at("devices"),
        "The device that a thread works with can be asked for, once it was set.",
        ("RUNTIME-WHICH-002", "RUNTIME-WHICH-010", "RUNTIME-WHICH-011"),
    ),
    Fact(
        "FACT-RUNTIME-08",
        API.at("devices"),
        "Resetting a device takes one reference; with the last one its resources are released.",
        ("RUNTIME-RESET-010",),
    ),
    Fact(
        "FACT-RUNTIME-09",
        API.at("devices"),
        "Resetting by force takes all references at once.",
        ("RUNTIME-FORCE-002", "RUNTIME-FORCE-010"),
    ),
    Fact(
        "FACT-RUNTIME-10",
        API.at("devices"),
        "A program waits for its work before it gives a device up.",
        ("RUNTIME-RESET-003", "RUNTIME-FORCE-003"),
    ),
    Fact(
        "FACT-RUNTIME-11",
        API.at("streams"),
        (
            "A stream is a queue of tasks, which the device does in the order in which they "
            "were given."
        ),
        ("RUNTIME-STREAM-010", "RUNTIME-SYNC-010"),
    ),
    Fact(
        "FACT-RUNTIME-12",
        API.at("streams"),
        "The number of streams is limited.",
        ("RUNTIME-STREAM-003",),
    ),
    Fact(
        "FACT-RUNTIME-13",
        API.at("streams"),
        "A handle stands for each stream.",
        ("RUNTIME-STREAM-011",),
    ),
    Fact(
        "FACT-RUNTIME-14",
        API.at("streams"),
        "Destroying a stream waits for its tasks; the default stream is not destroyed.",
        ("RUNTIME-DSTREAM-001", "RUNTIME-DSTREAM-010"),
    ),
    Fact(
        "FACT-RUNTIME-15",
        API.at("streams"),
        "Destroying by force does not wait.",
        ("RUNTIME-FSTREAM-001", "RUNTIME-FSTREAM-010"),
    ),
    Fact(
        "FACT-RUNTIME-16",
        API.at("results of unfinished tasks"),
        "What tasks that were not done by then leave behind is undefined.",
        ("RUNTIME-FSTREAM-005",),
    ),
    Fact(
        "FACT-RUNTIME-17",
        API.at("streams"),
        "Waiting for a stream, or for all of a device, returns once the tasks are done.",
        ("RUNTIME-SYNC-010", "RUNTIME-SYNCDEV-010"),
    ),
    Fact(
        "FACT-RUNTIME-18",
        API.at("streams"),
        "It tells of tasks that failed.",
        (
            "RUNTIME-SYNC-003",
            "RUNTIME-SYNC-005",
            "RUNTIME-SYNC-020",
            "RUNTIME-SYNCDEV-002",
            "RUNTIME-SYNCDEV-004",
            "RUNTIME-SYNCDEV-020",
            "RUNTIME-DSTREAM-007",
            "RUNTIME-SYNCEV-005",
        ),
    ),
    Fact(
        "FACT-RUNTIME-19",
        API.at("streams"),
        "Whether a stream has done its tasks can be asked for.",
        ("RUNTIME-QUERY-010", "RUNTIME-QUERY-011"),
    ),
    Fact(
        "FACT-RUNTIME-20",
        API.at("events"),
        (
            "An event takes resources of the device when it is recorded, and of those there are "
            "so many."
        ),
        ("RUNTIME-EVENT-003", "RUNTIME-EVENT-010", "RUNTIME-RECORD-006", "RUNTIME-WAIT-006"),
    ),
    Fact(
        "FACT-RUNTIME-21",
        API.at("events"),
        "A handle stands for each event.",
        ("RUNTIME-EVENT-011",),
    ),
    Fact(
        "FACT-RUNTIME-22",
        API.at("events"),
        "Recording an event captures the tasks that the stream has by then.",
        ("RUNTIME-RECORD-010",),
    ),
    Fact(
        "FACT-RUNTIME-23",
        API.at("events"),
        "Tasks that a stream gets after a wait are done after the point that was captured.",
        ("RUNTIME-WAIT-010",),
    ),
    Fact(
        "FACT-RUNTIME-24",
        API.at("events"),
        "The host can wait for the point, too.",
        ("RUNTIME-SYNCEV-010",),
    ),
    Fact(
        "FACT-RUNTIME-25",
        API.at("events"),
        "An event can be destroyed before its point is reached.",
        ("RUNTIME-DEVENT-010",),
    ),
    Fact(
        "FACT-RUNTIME-26",
        API.at("memory"),
        (
            "aclrtMalloc allocates memory of the device that the thread works with; there may "
            "be none left."
        ),
        ("RUNTIME-MALLOC-001", "RUNTIME-MALLOC-006", "RUNTIME-MALLOC-010"),
    ),
    Fact(
        "FACT-RUNTIME-27",
        API.at("memory"),
        "Sizes are above 0.",
        ("RUNTIME-MALLOC-002", "RUNTIME-HMALLOC-002", "RUNTIME-MANAGED-003"),
    ),
    Fact(
        "FACT-RUNTIME-28",
        API.at("memory"),
        "Addresses are multiples of 64.",
        ("RUNTIME-MALLOC-011", "RUNTIME-HMALLOC-011"),
    ),
    Fact(
        "FACT-RUNTIME-29",
        API.at("memory"),
        "Policies choose the size of the pages and who reaches the memory.",
        ("RUNTIME-MALLOC-005",),
    ),
    Fact(
        "FACT-RUNTIME-30",
        API.at("memory"),
        "What was just allocated holds no values that one could rely on.",
        ("RUNTIME-MALLOC-010", "RUNTIME-HMALLOC-010"),
    ),
    Fact(
        "FACT-RUNTIME-31",
        API.at("memory"),
        (
            "aclrtFree frees device memory and managed memory; each allocation has a call that "
            "frees it."
        ),
        ("RUNTIME-FREE-001", "RUNTIME-FREE-002", "RUNTIME-FREE-003", "RUNTIME-FREE-010"),
    ),
    Fact(
        "FACT-RUNTIME-32",
        API.at("memory"),
        "Freeing does not wait for tasks; the caller has waited for whatever uses the memory.",
        ("RUNTIME-FREE-004", "RUNTIME-HFREE-004"),
    ),
    Fact(
        "FACT-RUNTIME-33",
        API.at("memory"),
        "aclrtMallocHost allocates host memory that the program and devices reach.",
        ("RUNTIME-HMALLOC-001", "RUNTIME-HMALLOC-005", "RUNTIME-HMALLOC-010"),
    ),
    Fact(
        "FACT-RUNTIME-34",
        API.at("memory"),
        "aclrtFreeHost frees host memory alone.",
        (
            "RUNTIME-HFREE-001",
            "RUNTIME-HFREE-002",
            "RUNTIME-HFREE-003",
            "RUNTIME-HFREE-006",
            "RUNTIME-HFREE-010",
        ),
    ),
    Fact(
        "FACT-RUNTIME-35",
        API.at("managed memory"),
        "The only flag is that for all devices.",
        ("RUNTIME-MANAGED-002",),
    ),
    Fact(
        "FACT-RUNTIME-36",
        API.at("managed memory"),
        "Products that lack managed memory answer that the feature is not supported.",
        ("RUNTIME-MANAGED-005",),
    ),
    Fact(
        "FACT-RUNTIME-37",
        API.at("managed memory"),
        (
            "A process has 3 TiB of it, at addresses that are kept for it; sizes are rounded up "
            "to 2 MiB."
        ),
        (
            "RUNTIME-MANAGED-006",
            "RUNTIME-MANAGED-010",
            "RUNTIME-MANAGED-011",
            "RUNTIME-MANAGED-012",
        ),
    ),
    Fact(
        "FACT-RUNTIME-38",
        API.at("managed memory"),
        "There may be no memory left.",
        ("RUNTIME-MANAGED-007",),
    ),
    Fact(
        "FACT-RUNTIME-39",
        API.at("memory, queries"),
        "How much memory there is and is free can be asked for; it changes at any time.",
        ("RUNTIME-INFO-010",),
    ),
    Fact(
        "FACT-RUNTIME-40",
        API.at("memory, queries"),
        "For an address can be asked where its memory is, on the host or on which device.",
        (
            "RUNTIME-POINTER-002",
            "RUNTIME-POINTER-010",
            "RUNTIME-POINTER-011",
            "RUNTIME-POINTER-012",
            "RUNTIME-POINTER-015",
        ),
    ),
    Fact(
        "FACT-RUNTIME-41",
        API.at("memory, setting"),
        "The bytes of a range are set to the lowest byte of a value, on the host or on a device.",
        ("RUNTIME-MEMSET-011", "RUNTIME-ASET-011"),
    ),
    Fact(
        "FACT-RUNTIME-42",
        API.at("memory, setting"),
        "No more is set than the destination holds.",
        ("RUNTIME-MEMSET-002", "RUNTIME-ASET-003", "RUNTIME-MEMSET-004", "RUNTIME-ASET-006"),
    ),
    Fact(
        "FACT-RUNTIME-43",
        API.at("memory, setting"),
        "A call that does not take a stream is not ordered after tasks of streams.",
        ("RUNTIME-MEMSET-005", "RUNTIME-ASET-007"),
    ),
    Fact(
        "FACT-RUNTIME-44",
        API.at("memory, copying"),
        "Bytes of a source go to a destination; the kind of a synchronous copy does not matter.",
        ("RUNTIME-COPY-011",),
    ),
    Fact(
        "FACT-RUNTIME-45",
        API.at("memory, copying"),
        "A copy in a stream is done once the stream was waited for.",
        ("RUNTIME-ACOPY-021",),
    ),
    Fact(
        "FACT-RUNTIME-46",
        API.at("memory, copying"),
        "With memory of the program that is not pinned the copy is done when the call returns.",
        ("RUNTIME-ACOPY-011", "RUNTIME-ACOPY-014", "RUNTIME-ACOPY-022", "RUNTIME-ACOPY-030"),
    ),
    Fact(
        "FACT-RUNTIME-47",
        API.at("memory, copying"),
        "No more is copied than the destination holds.",
        ("RUNTIME-COPY-003", "RUNTIME-ACOPY-004"),
    ),
    Fact(
        "FACT-RUNTIME-48",
        API.at("memory, copying"),
        "Ranges of a copy do not overlap, and lie in memory that was allocated.",
        ("RUNTIME-COPY-005", "RUNTIME-ACOPY-009"),
    ),
    Fact(
        "FACT-RUNTIME-49",
        API.at("memory, copying"),
        "A synchronous copy is not ordered after tasks of streams; the caller has waited for them.",
        ("RUNTIME-COPY-006", "RUNTIME-ACOPY-010"),
    ),
    Fact(
        "FACT-RUNTIME-50",
        API.at("memory, copying"),
        "Copies between devices want access of one to the other.",
        ("RUNTIME-COPY-007",),
    ),
    Fact(
        "FACT-RUNTIME-51",
        API.at("memory pools"),
        (
            "A pool consists of pinned memory of one device, up to a size; 0 stands for the "
            "largest one."
        ),
        (
            "RUNTIME-POOL-003",
            "RUNTIME-POOL-004",
            "RUNTIME-POOL-006",
            "RUNTIME-POOL-007",
            "RUNTIME-POOL-020",
        ),
    ),
    Fact(
        "FACT-RUNTIME-52",
        API.at("memory pools"),
        "Pools are there on some products only.",
        ("RUNTIME-POOL-008", "RUNTIME-POOL-009"),
    ),
    Fact(
        "FACT-RUNTIME-53",
        API.at("memory pools"),
        "A handle stands for each pool.",
        ("RUNTIME-POOL-021",),
    ),
    Fact(
        "FACT-RUNTIME-54",
        API.at("memory pools"),
        "Destroying a pool releases its memory.",
        ("RUNTIME-DPOOL-010",),
    ),
    Fact(
        "FACT-RUNTIME-55",
        API.at("memory pools, attributes"),
        "Three switches allow more reuse of what was freed.",
        ("RUNTIME-SETATTR-020", "RUNTIME-SETATTR-021", "RUNTIME-SETATTR-022"),
    ),
    Fact(
        "FACT-RUNTIME-56",
        API.at("memory pools, attributes"),
        "The release threshold can be set and is 0 at first; what was set last counts.",
        ("RUNTIME-SETATTR-023", "RUNTIME-GETATTR-014"),
    ),
    Fact(
        "FACT-RUNTIME-57",
        API.at("memory pools, attributes"),
        "How much there is and how much is in use can only be asked for.",
        (
            "RUNTIME-SETATTR-004",
            "RUNTIME-GETATTR-005",
            "RUNTIME-GETATTR-010",
            "RUNTIME-GETATTR-015",
            "RUNTIME-GETATTR-017",
        ),
    ),
    Fact(
        "FACT-RUNTIME-58",
        API.at("memory pools, attributes"),
        "The high-water marks can be set to 0 alone.",
        (
            "RUNTIME-SETATTR-005",
            "RUNTIME-SETATTR-009",
            "RUNTIME-SETATTR-024",
            "RUNTIME-SETATTR-025",
            "RUNTIME-GETATTR-016",
            "RUNTIME-GETATTR-018",
        ),
    ),
    Fact(
        "FACT-RUNTIME-59",
        API.at("memory pools, malloc and free"),
        "The address is known at once; the stream uses the memory from its next task on.",
        ("RUNTIME-PMALLOC-021", "RUNTIME-PMALLOC-022", "RUNTIME-PMALLOC-023"),
    ),
    Fact(
        "FACT-RUNTIME-60",
        API.at("memory pools, malloc and free"),
        "A pool from which more is in use than it may have gives no more; trimming may help.",
        ("RUNTIME-PMALLOC-007", "RUNTIME-PMALLOC-009"),
    ),
    Fact(
        "FACT-RUNTIME-61",
        API.at("memory pools, malloc and free"),
        "Memory is freed in the order of a stream, and stays in the pool.",
        ("RUNTIME-PFREE-006", "RUNTIME-PFREE-010"),
    ),
    Fact(
        "FACT-RUNTIME-62",
        API.at("memory pools, malloc and free"),
        "Whoever frees memory has ordered its free after all uses.",
        ("RUNTIME-PFREE-008",),
    ),
    Fact(
        "FACT-RUNTIME-63",
        API.at("memory pools, reuse"),
        "What was freed goes to the same stream, or to another one as the switches allow.",
        ("RUNTIME-PMALLOC-024",),
    ),
    Fact(
        "FACT-RUNTIME-64",
        API.at("memory pools"),
        (
            "Trimming gives free memory back until no more is left than was to be kept; what is "
            "in use stays."
        ),
        ("RUNTIME-TRIM-006", "RUNTIME-TRIM-010", "RUNTIME-TRIM-011"),
    ),
    Fact(
        "FACT-RUNTIME-65",
        ACL_HEADER.at("aclrtMemPoolMallocAsync, size"),
        "The size is above 0.",
        ("RUNTIME-PMALLOC-010",),
    ),
    Fact(
        "FACT-RUNTIME-66",
        API.at("constants and structures"),
        "Values of kinds, policies, attributes and codes, and layouts of structures.",
        reason=ABI,
    ),
    Fact(
        "FACT-RUNTIME-67",
        API.at("kernels"),
        "Programs for devices are loaded, given arguments and started in a stream.",
        reason="speaks of kernels and their arguments, which are no interface of memory",
    ),
    Fact(
        "FACT-RUNTIME-68",
        API.at("memory, copying"),
        "Rectangles are copied row by row, between host and device.",
        (
            "RUNTIME-RECT-008",
            "RUNTIME-RECT-009",
            "RUNTIME-RECT-021",
            "RUNTIME-ARECT-008",
            "RUNTIME-ARECT-009",
            "RUNTIME-ARECT-010",
            "RUNTIME-ARECT-021",
        ),
    ),
    Fact(
        "FACT-RUNTIME-69",
        API.at("memory, copying"),
        "A row is no longer than the bytes from one row to the next.",
        ("RUNTIME-RECT-002", "RUNTIME-ARECT-002"),
    ),
    Fact(
        "FACT-RUNTIME-70",
        API.at("memory, copying"),
        "With memory of the program that is not pinned a rectangle is copied at once.",
        ("RUNTIME-ARECT-011", "RUNTIME-ARECT-014", "RUNTIME-ARECT-022", "RUNTIME-ARECT-030"),
    ),
    Fact(
        "FACT-RUNTIME-71",
        API.at("host memory for devices"),
        "Host memory is registered once, from a page on; two of the flags are kept for later.",
        (
            "RUNTIME-REGISTER-004",
            "RUNTIME-REGISTER-005",
            "RUNTIME-REGISTER-006",
            "RUNTIME-OLDREG-004",
            "RUNTIME-OLDREG-005",
            "RUNTIME-OLDREG-006",
        ),
    ),
    Fact(
        "FACT-RUNTIME-72",
        API.at("host memory for devices"),
        "A device reaches registered memory by an address that can be asked for.",
        (
            "RUNTIME-REGISTER-020",
            "RUNTIME-OLDREG-020",
            "RUNTIME-OLDREG-021",
            "RUNTIME-DEVPTR-003",
            "RUNTIME-DEVPTR-010",
            "RUNTIME-DEVPTR-011",
            "RUNTIME-DEVPTR-012",
        ),
    ),
    Fact(
        "FACT-RUNTIME-73",
        API.at("host memory for devices"),
        "A registration is ended by its first address, once, before the memory is freed.",
        ("RUNTIME-UNREG-003", "RUNTIME-UNREG-010", "RUNTIME-HFREE-005"),
    ),
    Fact(
        "FACT-RUNTIME-74",
        API.at("streams, values in memory"),
        "A stream writes a value to memory of its device.",
        ("RUNTIME-VWRITE-006", "RUNTIME-VWRITE-007", "RUNTIME-VWRITE-010"),
    ),
    Fact(
        "FACT-RUNTIME-75",
        API.at("streams, values in memory"),
        "Another one waits until the value is at least, or just, the one that it was given, or has"
        " a bit set or clear that is so in both.",
        (
            "RUNTIME-VWAIT-006",
            "RUNTIME-VWAIT-007",
            "RUNTIME-VWAIT-010",
            "RUNTIME-VWAIT-011",
        ),
    ),
    *MANAGED_FACTS,
    Fact(
        "FACT-RUNTIME-80",
        API.at("streams, values in memory"),
        "Memory of such values is set, to begin with or again, like any other.",
        ("RUNTIME-MEMSET-007", "RUNTIME-MEMSET-012"),
    ),
)
