"""The tables of state, for all areas.

Every table is declared here, or next door for the runtime, so that a rule of one area can speak
of what another area made. Addresses, sizes and offsets are in bytes.
"""

from __future__ import annotations

from halcert.spec.language import Contents, Row, Scope, StateBase, Table, row
from halcert.spec.runtime_state import (
    Event,
    Knowledge,
    Portion,
    Queue,
    Session,
    StreamPool,
    Use,
    Word,
    Work,
)

UNSET = 0
"""A MEM_SVM block that nobody touched: no pages."""
ON_HOST = 1
"""All pages of a MEM_SVM block are on the host."""
ON_DEVICE = 2
"""All pages of a MEM_SVM block are on its device."""
ANYWHERE = 3
"""Pages of a MEM_SVM block are in places that no call has told."""

USER = 255
"""Kind of ordinary process memory, which no call of the HAL allocated."""


@row(key="id", scope=Scope.HOST)
class Hardware(Row, frozen=True):
    """A device that is present in the machine."""

    id: int
    """Device id."""


@row(key="id")
class Device(Row, frozen=True):
    """A device as a process sees it; there is a row for each present device."""

    id: int
    """Device id."""
    open: bool
    """Opened by this process, and not closed since."""
    ever: bool
    """Opened by this process at least once."""


@row(key="place", most=1)
class Caller(Row, frozen=True):
    """The process itself; there is one row."""

    place: int
    """Always 0."""
    pid: int
    """Its number."""
    records: bool = False
    """It has registrations recorded (SVM v2)."""


@row(key="pid", scope=Scope.HOST)
class Process(Row, frozen=True):
    """A process that lives."""

    pid: int
    """Its number."""


@row(key="base", extent="extent")
class Block(Row, frozen=True):
    """A live stretch of memory: of halMemAlloc, of the program itself, mapped, or opened.

    Mapped memory is a block like any other, so that whatever takes addresses takes its addresses.
    So is memory of a name that was opened.
    """

    base: int
    """First address."""
    size: int
    """Requested bytes; only these may be accessed."""
    extent: int
    """Bytes that belong to the block: the size rounded up to its granule."""
    kind: int
    """Virtual type of the flag (MEM_SVM, MEM_DEV, ...), MAPPED, OPENED, POOL, GRANT or USER."""
    device: int
    """Device that holds the pages; the host id for host memory."""
    granule: int
    """Page size in bytes."""
    readonly: bool
    """Allocated with READONLY."""
    host_writes: bool
    """Allocated with HOST_RW_DEV_RO."""
    cp_only: bool
    """Allocated with DEV_CP_ONLY."""
    contiguous: bool
    """Allocated with CONTIGUOUS."""
    hbm: bool
    """Asked for as plain HBM, so that it is accounted as such."""
    module: int
    """Module id that the memory is accounted to."""
    translated: bool
    """Its device address was asked for, which SVM v2 counts as a use for ever."""
    place: int
    """Where the pages of a MEM_SVM block are: UNSET, ON_HOST, ON_DEVICE or ANYWHERE.

    Mapped memory is ON_HOST or ON_DEVICE for good; other kinds say it themselves and are UNSET.
    """
    memory: int
    """Name of the memory object that holds the bytes; mappings of one handle name the same."""
    handle: int = 0
    """Handle of mapped memory; id of the share of opened memory."""


@row(key="fd")
class AsyncCopy(Row, frozen=True):
    """A copy that halMemCpyAsync started and nobody has waited for."""

    fd: int
    """The number that the call gave."""
    target: int
    """First address of the destination."""
    source: int
    """First address of the source."""
    length: int
    """Bytes."""


@row(key="id")
class Descriptor(Row, frozen=True):
    """A DMA descriptor: a copy that drvMemConvertAddr or halMemcpy2D prepared.

    It stands for the bytes ``[first, first + length)`` of a matrix in row order; a copy of plain
    bytes is a matrix of one row.
    """

    id: int
    """The number by which later calls mean the descriptor."""
    target: int
    """First address of the destination."""
    source: int
    """First address of the source."""
    dpitch: int
    """Bytes from one row of the destination to the next."""
    spitch: int
    """Bytes from one row of the source to the next."""
    width: int
    """Bytes of a row."""
    height: int
    """Number of rows."""
    target_span: int
    """Bytes of the destination from its first to behind its last row."""
    source_span: int
    """Bytes of the source from its first to behind its last row."""
    first: int
    """Bytes of the matrix that come before those that the descriptor copies."""
    length: int
    """Bytes that the descriptor copies."""
    device: int
    """Device that makes the copy."""
    submitted: bool
    """Submitted asynchronously and not waited for."""


@row(key="base", extent="extent")
class Reservation(Row, frozen=True):
    """Addresses that halMemAddressReserve set aside; there is memory where handles are mapped."""

    base: int
    """First address."""
    size: int
    """Requested bytes; only these may be mapped."""
    extent: int
    """Bytes that are set aside: the size rounded up."""
    owned: bool
    """Something was mapped here before."""
    owner: int
    """Device of what was mapped last, or the host id; SVM v2 lets no other one follow."""


@row(key="id")
class Handle(Row, frozen=True):
    """Physical memory as a process holds it, by the handle that halMemCreate gave.

    Handles are pointers, so each process has its own. What processes have in common about the
    same memory is the name of the memory object.
    """

    id: int
    """The handle."""
    held: int
    """References that the program has: one for creating, one for each retaining, less releases.

    Each mapping holds one more. The memory lasts as long as there are references of any sort.
    """
    size: int
    """Bytes."""
    granule: int
    """Page size in bytes."""
    device: int
    """Device that the memory is on; the host id for memory of the host."""
    side: int
    """Side that was asked for (``enum drv_mem_side``)."""
    devid: int
    """Device id or NUMA node that was asked for."""
    module: int
    """Module id that was asked for."""
    pages: int
    """Page type that was asked for (``enum drv_mem_pg_type``)."""
    kind: int
    """Kind of memory that was asked for (``enum drv_mem_type``)."""
    lost: bool
    """Its device was closed, and the memory went with it."""
    memory: int
    """Name of the memory object that holds the bytes."""
    share: int = 0
    """Id of the share that it was exported as or imported from; 0 if neither."""
    imported: bool = False
    """It came from another process, or from a share of the process itself."""
    route: int = 0
    """The way that later mappings take to the memory."""


@row(key="place")
class Grant(Row, frozen=True):
    """Access to a mapping that halMemSetAccess gave to somebody besides its owner."""

    place: int
    """Start of the mapping plus the id of who has access: a number of its own for each pair."""
    base: int
    """Start of the mapping."""
    id: int
    """Device that has access, or the host id."""


NO = 0
"""Managed pages are not read-mostly."""
YES = 1
"""Managed pages are read-mostly."""
OPEN = 9
"""Nobody can tell an attribute of managed pages: no document says what the last call made of it."""

NOWHERE = 127
"""No device holds a copy of managed pages."""
SEVERAL = 128
"""Any device, or several of them, may hold a copy of managed pages."""


@row(key="base", extent="extent")
class Pages(Row, frozen=True):
    """A run of managed pages of one allocation of which the same is known.

    Where pages are cannot be observed, so a run says where each of its pages may be, and pages
    that may be on a device may be on the host as well: they can be swapped out at any time.
    Runs are cut where calls need it, so an allocation costs what its pages differ in.
    """

    base: int
    """First address."""
    extent: int
    """Bytes."""
    mostly: int
    """Whether the pages are read-mostly: NO, YES or OPEN."""
    unset: bool
    """They may have no copy anywhere, as if nobody had touched them."""
    host: bool
    """The host may have a copy; of read-mostly pages it has one."""
    device: int
    """The device that may have a copy: its id, NOWHERE or SEVERAL."""
    prefer_type: int
    """Type of the preferred location (``drv_uvm_location_type``), 0 for none, or OPEN."""
    prefer_id: int
    """Device or NUMA node of the preferred location."""
    access_open: bool
    """Nobody can tell by whom the pages are accessed."""
    latest_type: int
    """Type of the location that was prefetched to last, 0 for none."""
    latest_id: int
    """Device or NUMA node that was prefetched to last."""


@row(key="place", extent="extent")
class Accessor(Row, frozen=True):
    """A run of managed pages of one allocation that a device, or the host, is said to access."""

    place: int
    """First address, in an address space of its own for each id."""
    extent: int
    """Bytes."""
    base: int
    """First address of the allocation."""
    id: int
    """Device id, or that of the host in the UVM module."""


INTACT = 0
"""The memory of a share is its owner's as it was when it was shared."""
TAKEN = 1
"""The owner took the memory away from all who share it."""
DEFERRED = 2
"""The owner gave the memory back; it stays for those who have it open."""
UNCERTAIN = 3
"""What has become of the memory of a share is nobody's promise."""


@row(key="id", scope=Scope.HOST)
class Share(Row, frozen=True):
    """Memory that a process made known to others, under a token that it can hand on."""

    id: int
    """Twice the token of a name; for physical memory twice the name of its object, and one."""
    owner: int
    """Process that made it."""
    base: int
    """The owner's address of named memory."""
    size: int
    """Bytes."""
    extent: int
    """Bytes with the rest of the last page."""
    granule: int
    """Page size in bytes."""
    device: int
    """Device that the memory is on; the host id for memory of the host."""
    memory: int
    """Name of the memory object that holds the bytes."""
    valid: bool
    """It can be opened by those who may, and lasts though nobody has it open.

    False once it was destroyed. False for physical memory in SVM v2: that can be imported as long
    as somebody holds it.
    """
    anyone: bool
    """Everybody may open it; there is no white list."""
    route: int
    """How later openings reach the memory (SVM v2)."""
    fate: int
    """What became of the memory: INTACT, TAKEN, DEFERRED or UNCERTAIN."""


BARRED = 0
"""The process that has a number now is not on the white list."""
DOUBTFUL = 1
"""It may be: a call that named it failed, and what was entered before that stays."""
ADMITTED = 2
"""It is on the white list."""


@row(key="place", scope=Scope.HOST)
class Permit(Row, frozen=True):
    """The number of a process that is on the white list of a share, or may be."""

    place: int
    """A number of its own for each pair of a share and a process."""
    share: int
    """Id of the share."""
    pid: int
    """Number of the process."""
    listed: bool
    """The number is known to be on the list, whatever process it means."""
    standing: int
    """What that means for the process that has the number now: BARRED, DOUBTFUL or ADMITTED.

    It is BARRED if the process that was meant is not there any more, or never was.
    """


@row(key="number", scope=Scope.HOST)
class ShareNumber(Row, frozen=True):
    """A number by which physical memory can be imported."""

    number: int
    """The number."""
    share: int
    """Id of the share that it stands for."""


@row(key="content", scope=Scope.HOST)
class Envelope(Row, frozen=True):
    """Opaque bytes by which physical memory can be imported."""

    content: int
    """The bytes as a number, least significant first."""
    share: int
    """Id of the share that they stand for."""
    kind: int
    """How far they reach (``drv_mem_handle_type``)."""


@row(key="place", scope=Scope.HOST)
class Holding(Row, frozen=True):
    """A share that a process has open, at an address or by a handle."""

    place: int
    """A number of its own for each process and address, negative for handles."""
    pid: int
    """Number of the process."""
    base: int
    """First address in that process, or the handle."""
    share: int
    """Id of the share."""
    device: int
    """Device on which it was opened."""
    count: int
    """Opens without a close."""


@row(key="name")
class Registration(Row, frozen=True):
    """Memory of one side that halHostRegister made reachable for the other."""

    name: int
    """A number of its own; no memory object has it."""
    src: int
    """First address."""
    size: int
    """Requested bytes."""
    extent: int
    """Bytes that are registered: the size in whole pages."""
    kind: int
    """Map type (``enum drvRegisterTpye``)."""
    device: int
    """Device that reaches the memory, or that it is on."""
    dst: int
    """First address on the other side; 0 if none was told."""
    recorded: bool
    """Registered while registrations were recorded."""


@row(key="place", scope=Scope.HOST)
class Peering(Row, frozen=True):
    """What a process did so that a device reaches the memory of another one."""

    place: int
    """A number of its own for each process and pair of devices."""
    pid: int
    """Number of the process."""
    device: int
    """The device that reaches."""
    peer: int
    """The device whose memory is reached."""
    count: int
    """Times that it was enabled and not disabled."""
    ended: bool
    """The process has ended, and that may not have been noticed yet."""


@row(key="id")
class Pool(Row, frozen=True):
    """A pool of device memory, by the number that its maker gave it.

    What a pool reserves, and the marks of the most that it did, cannot always be told: a range
    says so, and both of its ends are the same where they can.
    """

    id: int
    """The number."""
    device: int
    """Device that the memory is on."""
    base: int
    """First address."""
    size: int
    """Bytes of address space; no more memory than this."""
    threshold: int
    """Bytes of memory that the pool may keep for later."""
    held_least: int
    """Bytes of memory that the pool has, at least."""
    held_most: int
    """Bytes of memory that the pool has, at most."""
    reserved_least: int
    """High-water mark of the memory that the pool had, at least."""
    reserved_most: int
    """The same, at most."""
    used_least: int
    """High-water mark of the memory in use, at least."""
    used_most: int
    """The same, at most."""


@row(key="base", extent="extent")
class Stretch(Row, frozen=True):
    """A part of a pool's addresses that has memory, or may have.

    What is in use is one stretch for each malloc. What was freed stays until it is used again or
    given back; stretches of it are cut where calls need it.
    """

    base: int
    """First address."""
    extent: int
    """Bytes."""
    pool: int
    """Number of the pool."""
    used: bool
    """In use; otherwise it is free inside the pool."""
    sure: bool
    """It has memory for sure; what a pool gives back it chooses itself."""


@row(key="base", extent="extent")
class Announcement(Row, frozen=True):
    """A part of a pool's addresses that the host told the driver about before the device does."""

    base: int
    """First address."""
    extent: int
    """Bytes."""
    pool: int
    """Number of the pool."""


class State(StateBase):
    """Everything that calls can observe or depend on."""

    hardware: Table[Hardware]
    caller: Table[Caller]
    processes: Table[Process]
    devices: Table[Device]
    blocks: Table[Block]
    copies: Table[AsyncCopy]
    descriptors: Table[Descriptor]
    reservations: Table[Reservation]
    handles: Table[Handle]
    grants: Table[Grant]
    pages: Table[Pages]
    accessors: Table[Accessor]
    shares: Table[Share]
    permits: Table[Permit]
    numbers: Table[ShareNumber]
    envelopes: Table[Envelope]
    holdings: Table[Holding]
    registrations: Table[Registration]
    peerings: Table[Peering]
    pools: Table[Pool]
    stretches: Table[Stretch]
    announcements: Table[Announcement]
    sessions: Table[Session]
    uses: Table[Use]
    queues: Table[Queue]
    events: Table[Event]
    knowledge: Table[Knowledge]
    works: Table[Work]
    words: Table[Word]
    stream_pools: Table[StreamPool]
    portions: Table[Portion]
    contents: Contents
