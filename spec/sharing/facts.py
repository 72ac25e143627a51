"""What the headers state about sharing and registering memory."""

from __future__ import annotations

from halcert.spec.fact import Fact
from halcert.spec.sources import DEFINES, HEADER

SHARING_FACTS: tuple[Fact, ...] = (
    Fact(
        "FACT-SHARING-01",
        HEADER.at("halShmemCreateHandle"),
        "Device memory of halMemAlloc gets a name by which others open it.",
        (
            "SHARING-NAME-004",
            "SHARING-NAME-011",
            "SHARING-NAME-012",
        ),
    ),
    Fact(
        "FACT-SHARING-02",
        HEADER.at("halShmemCreateHandle, name"),
        "The place for the name has more than 64 bytes.",
        ("SHARING-NAME-002",),
    ),
    Fact(
        "FACT-SHARING-03",
        HEADER.at("halShmemCreateHandle, size"),
        "Address and size are those of pages of a block.",
        (
            "SHARING-NAME-008",
            "SHARING-NAME-013",
        ),
    ),
    Fact(
        "FACT-SHARING-04",
        DEFINES.at("control CPU"),
        "Memory for the control CPU alone is for nobody else.",
        ("SHARING-NAME-006",),
    ),
    Fact(
        "FACT-SHARING-05",
        HEADER.at("halShmemDestroyHandle"),
        "The process that made a name destroys it, once.",
        (
            "SHARING-UNNAME-002",
            "SHARING-UNNAME-003",
        ),
    ),
    Fact(
        "FACT-SHARING-06",
        HEADER.at("halShmemSetPidHandle"),
        "The process that made a name says which processes may open it.",
        (
            "SHARING-PERMIT-005",
            "SHARING-PERMIT-006",
            "SHARING-PERMIT-008",
            "SHARING-PERMIT-020",
        ),
    ),
    Fact(
        "FACT-SHARING-07",
        HEADER.at("halShmemSetPodPid"),
        "Processes of other servers of a pod are named with their server.",
        (
            "SHARING-POD-005",
            "SHARING-POD-006",
            "SHARING-POD-009",
        ),
    ),
    Fact(
        "FACT-SHARING-08",
        HEADER.at("halShmemSetAttribute"),
        "A name may be opened by anyone once its maker says so, for good.",
        (
            "SHARING-SETATTR-005",
            "SHARING-SETATTR-006",
            "SHARING-SETATTR-007",
            "SHARING-SETATTR-008",
            "SHARING-SETATTR-012",
            "SHARING-SETATTR-020",
        ),
    ),
    Fact(
        "FACT-SHARING-09",
        HEADER.at("halShmemSetAttribute, route"),
        "The way to the memory may be chosen where there are several.",
        (
            "SHARING-SETATTR-010",
            "SHARING-SETATTR-021",
        ),
    ),
    Fact(
        "FACT-SHARING-10",
        HEADER.at("halShmemGetAttribute"),
        "Attributes of a name can be asked for.",
        (
            "SHARING-GETATTR-004",
            "SHARING-GETATTR-010",
            "SHARING-GETATTR-011",
            "SHARING-GETATTR-012",
        ),
    ),
    Fact(
        "FACT-SHARING-11",
        HEADER.at("halShmemInfoGet"),
        "A name leads to the device that its memory is on.",
        (
            "SHARING-NAMEINFO-003",
            "SHARING-NAMEINFO-010",
            "SHARING-NAMEINFO-011",
        ),
    ),
    Fact(
        "FACT-SHARING-12",
        HEADER.at("halShmemOpenHandleByDevId"),
        "Who may open a name gets an address, if the machine has a way and room.",
        (
            "SHARING-OPEN-004",
            "SHARING-OPEN-006",
            "SHARING-OPEN-012",
            "SHARING-OPEN-013",
        ),
    ),
    Fact(
        "FACT-SHARING-13",
        HEADER.at("halShmemOpenHandle"),
        "Without a device the last one that was opened counts.",
        (
            "SHARING-OPENLAST-004",
            "SHARING-OPENLAST-007",
            "SHARING-OPENLAST-008",
            "SHARING-OPENLAST-020",
        ),
    ),
    Fact(
        "FACT-SHARING-14",
        HEADER.at("halShmemOpenHandle, result"),
        "What is given is an address of the same memory.",
        (
            "SHARING-OPENLAST-021",
            "SHARING-OPENWAY-021",
        ),
    ),
    Fact(
        "FACT-SHARING-15",
        HEADER.at("halShmemOpenHandleV2"),
        "A way to the memory may be named where the machine has several.",
        (
            "SHARING-OPENWAY-006",
            "SHARING-OPENWAY-008",
            "SHARING-OPENWAY-009",
            "SHARING-OPENWAY-020",
        ),
    ),
    Fact(
        "FACT-SHARING-16",
        HEADER.at("halShmemCloseHandle"),
        "What was opened is closed by the address that was given.",
        ("SHARING-CLOSE-003",),
    ),
    Fact(
        "FACT-SHARING-17",
        HEADER.at("halShmemMapRouteCheck"),
        "The ways to the memory of a name can be asked for by those who may open it.",
        (
            "SHARING-ROUTE-005",
            "SHARING-ROUTE-006",
            "SHARING-ROUTE-010",
        ),
    ),
    Fact(
        "FACT-SHARING-18",
        HEADER.at("halMemExportToShareableHandle"),
        "Memory of VMM is exported once, within this machine, and gets a number.",
        (
            "SHARING-EXPORT-002",
            "SHARING-EXPORT-004",
            "SHARING-EXPORT-008",
            "SHARING-EXPORT-020",
            "SHARING-EXPORT-021",
        ),
    ),
    Fact(
        "FACT-SHARING-19",
        HEADER.at("halMemExportToShareableHandle, flags"),
        "The flags are kept for later and must be 0.",
        (
            "SHARING-EXPORT-006",
            "SHARING-EXPORT2-003",
        ),
    ),
    Fact(
        "FACT-SHARING-20",
        HEADER.at("halMemExportToShareableHandleV2"),
        "Memory of VMM is exported in one of several forms.",
        (
            "SHARING-EXPORT2-002",
            "SHARING-EXPORT2-005",
            "SHARING-EXPORT2-008",
            "SHARING-EXPORT2-020",
        ),
    ),
    Fact(
        "FACT-SHARING-21",
        HEADER.at("halMemTransShareableHandle"),
        "Opaque bytes and the number mean the same memory.",
        (
            "SHARING-TRANS-010",
            "SHARING-TRANS-011",
        ),
    ),
    Fact(
        "FACT-SHARING-22",
        HEADER.at("halMemSetPidToShareableHandle"),
        "The exporter says which processes may import, at most 65535.",
        (
            "SHARING-HPERMIT-003",
            "SHARING-HPERMIT-004",
            "SHARING-HPERMIT-005",
            "SHARING-HPERMIT-006",
            "SHARING-HPERMIT-020",
        ),
    ),
    Fact(
        "FACT-SHARING-23",
        HEADER.at("halMemShareHandleSetAttribute"),
        "Memory may be imported by anyone once the exporter says so, for good.",
        (
            "SHARING-HSETATTR-002",
            "SHARING-HSETATTR-004",
            "SHARING-HSETATTR-005",
            "SHARING-HSETATTR-006",
            "SHARING-HSETATTR-008",
            "SHARING-HSETATTR-010",
        ),
    ),
    Fact(
        "FACT-SHARING-24",
        HEADER.at("halMemShareHandleGetAttribute"),
        "Attributes of exported memory can be asked for.",
        (
            "SHARING-HGETATTR-003",
            "SHARING-HGETATTR-010",
            "SHARING-HGETATTR-011",
        ),
    ),
    Fact(
        "FACT-SHARING-25",
        HEADER.at("halMemShareHandleInfoGet"),
        "A number leads to the device that the memory is on.",
        (
            "SHARING-HINFO-002",
            "SHARING-HINFO-010",
            "SHARING-HINFO-011",
        ),
    ),
    Fact(
        "FACT-SHARING-26",
        HEADER.at("halMemImportFromShareableHandle"),
        "Who may import memory gets a handle of it on a device that is open.",
        (
            "SHARING-IMPORT-003",
            "SHARING-IMPORT-004",
            "SHARING-IMPORT-006",
            "SHARING-IMPORT-009",
            "SHARING-IMPORT-020",
            "SHARING-IMPORT-021",
        ),
    ),
    Fact(
        "FACT-SHARING-27",
        HEADER.at("halMemImportFromShareableHandle, exporter"),
        "Importing is for other processes, on the device that the memory is on.",
        (
            "SHARING-IMPORT-005",
            "SHARING-IMPORT-007",
            "SHARING-IMPORT-008",
        ),
    ),
    Fact(
        "FACT-SHARING-28",
        HEADER.at("halMemImportFromShareableHandleV2"),
        "The other forms are imported likewise.",
        (
            "SHARING-IMPORT2-005",
            "SHARING-IMPORT2-006",
            "SHARING-IMPORT2-007",
            "SHARING-IMPORT2-008",
            "SHARING-IMPORT2-009",
            "SHARING-IMPORT2-010",
            "SHARING-IMPORT2-012",
            "SHARING-IMPORT2-020",
            "SHARING-IMPORT2-021",
        ),
    ),
    Fact(
        "FACT-SHARING-29",
        HEADER.at("halHostRegister"),
        "Memory of one side is registered for the other, in a way that the machine has.",
        (
            "SHARING-REGISTER-007",
            "SHARING-REGISTER-016",
            "SHARING-REGISTER-021",
        ),
    ),
    Fact(
        "FACT-SHARING-30",
        DEFINES.at("map types"),
        "Map types are for host memory or for device memory.",
        ("SHARING-REGISTER-011",),
    ),
    Fact(
        "FACT-SHARING-31",
        HEADER.at("halHostUnregisterEx"),
        "A registration ends by its start, once; then the memory may be freed.",
        (
            "SHARING-UNREGEX-006",
            "SHARING-UNREGEX-010",
        ),
    ),
    Fact(
        "FACT-SHARING-32",
        HEADER.at("halMemHostGetDevPointer"),
        "An address in registered host memory leads to the one for the device.",
        (
            "SHARING-DEVPTR-004",
            "SHARING-DEVPTR-005",
            "SHARING-DEVPTR-006",
            "SHARING-DEVPTR-010",
        ),
    ),
    Fact(
        "FACT-SHARING-33",
        HEADER.at("halHostRegisterCapabilities"),
        "Whether a way of registering is there can be asked for.",
        (
            "SHARING-CAPS-010",
            "SHARING-CAPS-011",
        ),
    ),
    Fact(
        "FACT-SHARING-34",
        HEADER.at("halSupportFeature"),
        "Features can be asked for, and recording registrations be switched on.",
        (
            "SHARING-FEATURE-001",
            "SHARING-FEATURE-010",
            "SHARING-FEATURE-012",
        ),
    ),
    Fact(
        "FACT-SHARING-35",
        HEADER.at("halShmemCreateHandle, end of a process"),
        "What a process shared goes with it.",
        ("SHARING-EXIT-010",),
    ),
    Fact(
        "FACT-SHARING-36",
        HEADER.at("halMemHandleSetAttribute"),
        "The way to the memory of a handle may be chosen where there are several.",
        ("SHARING-SETWAY-009", "SHARING-SETWAY-010", "SHARING-SETWAY-011"),
    ),
    Fact(
        "FACT-SHARING-37",
        HEADER.at("halMemHandleGetAttribute"),
        "The way that was chosen can be asked for.",
        ("SHARING-GETWAY-006", "SHARING-GETWAY-010", "SHARING-GETWAY-011"),
    ),
    Fact(
        "FACT-SHARING-38",
        HEADER.at("halDeviceEnableP2P"),
        "A device reaches another one's memory once that is enabled, if there is a way.",
        (
            "SHARING-PEERON-002",
            "SHARING-PEERON-004",
            "SHARING-PEERON-005",
            "SHARING-PEERON-010",
        ),
    ),
    Fact(
        "FACT-SHARING-39",
        HEADER.at("halDeviceDisableP2P"),
        "What was enabled is disabled again.",
        ("SHARING-PEEROFF-002", "SHARING-PEEROFF-005", "SHARING-PEEROFF-010"),
    ),
    Fact(
        "FACT-SHARING-40",
        HEADER.at("drvGetP2PStatus"),
        "Two devices reach each other when both directions were enabled, and not otherwise.",
        ("SHARING-PEERASK-010", "SHARING-PEERASK-011"),
    ),
    Fact(
        "FACT-SHARING-41",
        HEADER.at("halDeviceCanAccessPeer"),
        "Whether there is a way between two devices can be asked for.",
        ("SHARING-PEERCAN-010", "SHARING-PEERCAN-011"),
    ),
)
