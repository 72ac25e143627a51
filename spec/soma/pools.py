"""halMemPoolCreate and halMemPoolDestroy: making a pool, and ending it with all that it has."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.abi.constants import HandleType, MemSide, MemType, PageType
from halcert.spec.language import (
    Call,
    Strength,
    accepts,
    interface,
    may_reject,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN2, GEN3
from halcert.spec.soma.memory import PAGE, PoolName, PoolProperties, larger, named, unknown
from halcert.spec.sources import HEADER, MODULE_DOC, SENSE, V2, V3
from halcert.spec.state import UNSET, Block, Pool, State
from halcert.spec.svm.flags import POOL
from halcert.spec.svm.memory import SOMA_SIZE, SOMA_WINDOW, vacant

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
PARA_ERROR = DrvError.PARA_ERROR
MAKING = MODULE_DOC.at("SOMA, pools")
LIMITS = MODULE_DOC.at("SOMA, limits of use")
ASCENDCL = 48
"""Id of the module that pools are accounted to."""


def _in_window(address: int, size: int) -> bool:
    return address >= SOMA_WINDOW and address + size <= SOMA_WINDOW + SOMA_SIZE


def pool_block(state: State, pool: Pool) -> Block:
    """Return the block of a new pool: its addresses, with a memory object for all its bytes.

    Where they were reserved all of the reservation is the pool's, also what is beyond its size.
    """
    found = state.reservations.at(pool.base)
    return Block(
        base=pool.base,
        size=pool.size,
        extent=larger(pool.size, found.extent) if found.exists else pool.size,
        kind=POOL,
        device=pool.device,
        granule=PAGE,
        readonly=False,
        host_writes=False,
        cp_only=False,
        contiguous=False,
        hbm=False,
        module=ASCENDCL,
        translated=False,
        place=UNSET,
        memory=state.contents.fresh(),
    )


def new_pool(number: int, device: int, base: int, size: int) -> Pool:
    """Return a pool without any memory."""
    return Pool(
        id=number,
        device=device,
        base=base,
        size=size,
        threshold=0,
        held_least=0,
        held_most=0,
        reserved_least=0,
        reserved_most=0,
        used_least=0,
        used_most=0,
    )


def ended(state: State, pool: Pool) -> State:
    """Return the state after a pool has gone, with its memory and its addresses."""
    block = state.blocks.at(pool.base)
    return state.but(
        pools=state.pools.delete(pool.id),
        blocks=state.blocks.delete(pool.base),
        stretches=state.stretches.delete_where(lambda part: part.pool == pool.id),
        announcements=state.announcements.delete_where(lambda part: part.pool == pool.id),
        contents=state.contents.drop(block.memory),
    )


@interface("halMemPoolCreate", area="soma", source=HEADER)
class MemPoolCreate(Call, frozen=True):
    """Make a pool of device memory at addresses that were set aside; it has no memory yet."""

    pool: PoolName
    prop: PoolProperties

    @rejects("SOMA-CREATE-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def unknown_handle_type(call) -> bool:
        """Memory of a pool is not shared, or by a handle of this system."""
        kind = call.prop.handle_type
        return kind != HandleType.MEM_HANDLE_TYPE_NONE and kind != HandleType.MEM_HANDLE_TYPE_POSIX

    @rejects("SOMA-CREATE-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def not_on_a_device(call) -> bool:
        """Memory of a pool is on a device."""
        return call.prop.side != MemSide.MEM_DEV_SIDE

    @rejects("SOMA-CREATE-003", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def of_another_module(call) -> bool:
        """Only the runtime has pools."""
        return call.prop.module_id != ASCENDCL

    @rejects("SOMA-CREATE-004", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def of_other_memory(call) -> bool:
        """A pool consists of huge pages of high-bandwidth memory."""
        return (
            call.prop.pg_type != PageType.MEM_HUGE_PAGE_TYPE
            or call.prop.mem_type != MemType.MEM_HBM_TYPE
        )

    @rejects("SOMA-CREATE-005", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_size(call) -> bool:
        """A pool has addresses."""
        return call.prop.maxSize == 0

    @rejects("SOMA-CREATE-006", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def not_on_pages(call) -> bool:
        """The addresses of a pool are whole pages of 2 MiB."""
        return call.prop.va % PAGE != 0 or call.prop.maxSize % PAGE != 0

    @rejects("SOMA-CREATE-007", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def outside_the_window(call) -> bool:
        """The addresses of a pool lie between 12 and 14 TiB."""
        return not _in_window(call.prop.va, call.prop.maxSize)

    @rejects("SOMA-CREATE-008", strength=MUST, source=(SENSE, V2, V3))
    def device_not_open(call, state: State) -> bool:
        """A pool is on a device that the process has open."""
        return not state.devices.at(call.pool.devId).open

    @rejects("SOMA-CREATE-009", strength=MUST, source=(SENSE, V2), profiles=GEN2)
    def addresses_are_taken(call, state: State) -> bool:
        """The addresses of a pool are nobody else's."""
        return call.prop.maxSize != 0 and not vacant(state, call.prop.va, call.prop.maxSize)

    @rejects(
        "SOMA-CREATE-010",
        INVALID_VALUE,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V3),
        profiles=GEN3,
    )
    def addresses_are_not_reserved(call, state: State) -> bool:
        """The addresses of a pool were reserved before."""
        return not state.reservations.covering(call.prop.va).exists and not _of_a_pool(call, state)

    @rejects("SOMA-CREATE-011", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def memory_of_another_device(call) -> bool:
        """The memory of a pool is on the device that the pool is on."""
        return call.pool.devId != call.prop.devid

    @undefined("SOMA-CREATE-012", source=V2, profiles=GEN2)
    def two_devices(call) -> bool:
        """Making a pool on one device with memory of another."""
        return call.pool.devId != call.prop.devid

    @undefined("SOMA-CREATE-013", source=V3, profiles=GEN3)
    def not_a_whole_reservation(call, state: State) -> bool:
        """Making a pool anywhere but at the start of a reservation, or where something is mapped.

        Nobody asks, either, whether it is larger than the reservation.
        """
        found = state.reservations.covering(call.prop.va)
        return found.exists and (
            found.base != call.prop.va
            or call.prop.maxSize > found.size
            or state.blocks.overlaps(found.base, found.extent)
        )

    @undefined("SOMA-CREATE-014", source=(V2, V3))
    def number_is_taken(call, state: State) -> bool:
        """Making a pool with the number of one that there is."""
        return named(state, call.pool).exists

    @undefined("SOMA-CREATE-015", source=HEADER)
    def reserved_member(call) -> bool:
        """Giving the reserved member a value."""
        return call.prop.reserve != 0

    @may_reject("SOMA-CREATE-016", DrvError.OUT_OF_MEMORY, source=(V2, V3))
    def memory_may_be_short(call) -> bool:
        """Making a pool needs memory for what is known of it."""
        return True

    @may_reject("SOMA-CREATE-017", DrvError.NOT_SUPPORT, source=LIMITS)
    def product_may_lack_pools(call) -> bool:
        """The documents name different products that have pools, so any may lack them."""
        return True

    @undefined("SOMA-CREATE-018", source=V3, profiles=GEN3)
    def where_a_pool_is(call, state: State) -> bool:
        """Making a pool at addresses of another one; they are reserved, and nobody asks more."""
        return _of_a_pool(call, state)

    @accepts(
        "SOMA-CREATE-020",
        strength=MUST,
        source=(MAKING, HEADER),
        changes=("pools", "blocks", "contents", "reservations"),
    )
    def makes_a_pool(call, state: State) -> State:
        """There is a pool without any memory; reserved addresses are the pool's from now on."""
        pool = new_pool(call.pool.poolId, call.pool.devId, call.prop.va, call.prop.maxSize)
        return state.but(
            pools=state.pools.insert(pool),
            blocks=state.blocks.insert(pool_block(state, pool)),
            contents=state.contents.create(),
            reservations=state.reservations.delete(call.prop.va),
        )


def _of_a_pool(call: MemPoolCreate, state: State) -> bool:
    """Tell whether a pool has the address; reserved ones are a pool's once it is made."""
    return state.blocks.covering(call.prop.va).kind == POOL


@interface("halMemPoolDestroy", area="soma", source=HEADER)
class MemPoolDestroy(Call, frozen=True):
    """End a pool."""

    pool: PoolName

    @rejects("SOMA-DESTROY-001", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def device_not_open(call, state: State) -> bool:
        """The device is open."""
        return not state.devices.at(call.pool.devId).open

    @rejects("SOMA-DESTROY-003", strength=MUST, source=(SENSE, V2), profiles=GEN2)
    def no_such_pool(call, state: State) -> bool:
        """A pool is ended once, by its number and on its device."""
        return state.devices.at(call.pool.devId).open and unknown(state, call.pool)

    @rejects(
        "SOMA-DESTROY-004",
        DrvError.NOT_EXIST,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, V3),
        profiles=GEN3,
    )
    def no_such_pool_v3(call, state: State) -> bool:
        """A pool is ended once, by its number and on its device."""
        return unknown(state, call.pool)

    @accepts(
        "SOMA-DESTROY-010",
        strength=MUST,
        source=(MAKING, HEADER),
        changes=("pools", "blocks", "contents", "stretches", "announcements"),
    )
    def ends_the_pool(call, state: State) -> State:
        """The pool is gone and its memory is given back, also what was in use.

        So are its addresses; those that were reserved are not given back once more.
        """
        return ended(state, named(state, call.pool))
