"""Mutants that nothing notices, judged one by one, and why that is no hole.

A pattern may stand for several; it is matched against the id of the mutant. What is not listed
here is not judged yet, or a hole.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

MIDWAY = "it is about a call that stops in the middle, which no test can make it do"
TASK = "it is about a task that fails, which no test can bring about; then less is known, not more"
GRANULE = "of such memory nobody asks more than whether its pages are huge or giant"
ONCE = "one call ends the use of the runtime, however often it was initialised, so nobody can count"
NAMES = "what is no string is never the name of a share, so it is not found either"
ZEROS = "no export gives bytes that are all zero, as which null is read"
UNTOLD_NAME = "nothing is promised about naming such memory (SHARING-NAME-011)"
NOT_DEVICE_MEMORY = "what is no device memory is refused otherwise with the same code, or is open"
NO_SUCH_STRING = "no string is that number: it would begin with the null byte that ends it"
NO_HANDLE = "nothing is promised about a handle that lost its device"
NUMBERED = "streams and tasks are numbered from 1 on, so no task is meant either way"
WHOLE_VALUES = "memory that holds values is reached by whole values only, and read by nothing else"
REUSE = "only a pool that gives freed memory out again makes a difference, which none has to"
WITHIN = "no pool has given out more than it has, so taking nothing does not exhaust it"
OTHER_CODE = "the model that plays the scenarios answers with the other code that there is"
NEIGHBOURS = "no test can make allocations lie side by side, which happens by chance"
MEMBERS = "arguments of the other types have no such member"
EXTENT = "what a block takes is its size in whole pages, so what is asked anew is so already"
OFF_DEVICES = "memory of the program is on no device, so it is refused as that of another one"
LATE = "a flow tells them apart, but behind more calls of the interface than are looked at"
FRESH = "no test writes to the place for a descriptor more than the device"
SAME_CODE = "the call is refused with the same code anyway"
RULES: dict[str, str] = {
    "SVM-HMAP-*": "what the operating system gives a program is no promise of the library",
    "SVM-HUNMAP-*": "what a program does with its own memory is no promise of the library",
    "*-DSTORE-020:*": "bytes of a store that failed are open, whichever they are",
    "*-DLOAD-020:*": "pages that a load moved before it failed are open, wherever they are",
    "SVM-SET-012:*": "bytes of a fill that failed are open; no test can make one fail there",
    "SVM-COPY-026:*": "bytes of a copy that failed are open; no test can make one fail there",
    "SVM-HCOPY-036:*": "bytes of a copy that failed are open; no test can make one fail there",
    "SHARING-PERMIT-030:*": MIDWAY,
    "SHARING-POD-030:*": MIDWAY,
    "SHARING-HPERMIT-030:*": MIDWAY,
    "PHYSICAL-PERMIT-030:*": MIDWAY,
    "PHYSICAL-PERMIT2-030:*": MIDWAY,
    "IPC-PERMIT-030:*": MIDWAY,
    "SHARING-OPENLAST-010:code moved": MIDWAY,
    "SHARING-IMPORT2-015:code moved": MIDWAY,
    "PHYSICAL-IMPORT2-011:dropped": MIDWAY,
    "RUNTIME-SYNCDEV-020:*": TASK,
    "RUNTIME-ARECT-030:*": TASK,
    "RUNTIME-MANAGED-010:PAGE ?1 (2)": GRANULE,
    "RUNTIME-PMALLOC-021:PAGE ?1": GRANULE,
    "RUNTIME-INIT-010:1 +1": ONCE,
    "RUNTIME-INIT-020:*": ONCE,
    "RUNTIME-RECORD-010:1 -1": "the one task between both places is the record itself",
    "RUNTIME-PMALLOC-023:guard dropped": "null is given for no bytes, and nothing lives there",
    "SVM-FREE-010:without 1: each.memory == block.memory": "nobody reads memory that is gone",
    "SHARING-PEERON-010:without 2: not found.ended": "a process that calls has not ended",
    "IPC-PERMIT-003:without 1: is_string(call.key)": NAMES,
    "PHYSICAL-PERMIT2-004:without 1: call.shareableHandle.given": ZEROS,
    "SHARING-EXIT-010:0 +1 (4)": "nobody asks what addresses a process that ended had reserved",
    "SHARING-EXPORT-004:without 1: usable(state, call.handle)": NO_HANDLE,
    "SHARING-EXPORT2-005:without 1: usable(state, call.handle)": NO_HANDLE,
    "SHARING-SETWAY-003:without 2: not found.lost": NO_HANDLE,
    "SHARING-HSETATTR-008:dropped": MIDWAY,
    "SHARING-IMPORT2-015:dropped": MIDWAY,
    "SHARING-OPEN-015:code moved": MIDWAY,
    "SHARING-OPEN-015:dropped": MIDWAY,
    "SHARING-OPENLAST-010:dropped": MIDWAY,
    "SHARING-NAME-003:0 +1 (2)": "nothing lives at 1, and SHARING-NAME-004 has the same code",
    "SHARING-NAME-007:without 1: shareable(block)": NOT_DEVICE_MEMORY,
    "SHARING-NAME-009:without 1: shareable(block)": NOT_DEVICE_MEMORY,
    "SHARING-NAME-007:without 3: not block.host_writes": UNTOLD_NAME,
    "SHARING-NAME-007:without 4: not block.cp_only": UNTOLD_NAME,
    "SHARING-NAME-021:Lt of result.name.token < TOO_LONG": NO_SUCH_STRING,
    "SHARING-NAME-021:TOO_LONG +1": NO_SUCH_STRING,
    "SHARING-NAME-021:TOO_LONG -1": "no test can make a driver give 64 bytes of 255 for a name",
    "SHARING-OPEN-006:without 2: not again": "who has a name open was permitted, and stays so",
    "SHARING-OPEN-007:without 3: not again": "nobody has a name open on two devices, by this rule",
    "SHARING-OPEN-009:without 3: not again": "nothing is promised about it (SHARING-OPEN-011)",
    "SHARING-OPEN-011:without 1: not share.valid": "in SVM v2 what ends a name takes its memory",
    "SHARING-PEEROFF-004:without 2: found.ended": "a process that calls has not ended",
    "SHARING-REGISTER-005:FIRST_UNKNOWN_PROCESS -1": "for the process of number 5 other rules "
    "have the same code, or it is open",
    "SHARING-REGISTER-030:0 ?1": "no address is told of what is registered for DMA",
    "UVM-ADVISE-021:dropped": NEIGHBOURS,
    "UVM-BATCH-023:dropped": NEIGHBOURS,
    "UVM-FETCH-021:dropped": NEIGHBOURS,
    "UVM-ADVISE-033:0 ?1": "nobody asks for the number of a place of no type",
    "RUNTIME-FINAL-002:without 2: _has_work(state)": "no device is given up while a task is under "
    "way (RUNTIME-RESET-003)",
    "RUNTIME-FSTREAM-005:without 1: found.fallible": REUSE,
    "RUNTIME-QUERY-011:without 2: found.fallible": REUSE,
    "RUNTIME-EVENT-010:0 ?1": NUMBERED,
    "RUNTIME-EVENT-010:0 ?1 (2)": NUMBERED,
    "RUNTIME-SYNCEV-005:NO_LINE +1": "the first stream is a default one, on which no task may fail",
    "RUNTIME-VWRITE-010:SIZE -1": WHOLE_VALUES,
    "RUNTIME-VWRITE-010:SIZE ?1 (2)": WHOLE_VALUES,
    "RUNTIME-VWAIT-007:SIZE -1": WHOLE_VALUES,
    "RUNTIME-VWAIT-01?:SIZE -1": WHOLE_VALUES,
    "RUNTIME-ADVISE-011:dropped": NEIGHBOURS,
    "RUNTIME-RANGE-009:dropped": NEIGHBOURS,
    "RUNTIME-ADVISE-030:dropped": OTHER_CODE,
    "RUNTIME-ADVISE-030:effect dropped": OTHER_CODE,
    "RUNTIME-MEMSET-005:without 1: work.writes": "a task that waits for a value writes nothing",
    "RUNTIME-ACOPY-030:dropped": TASK,
    "RUNTIME-ACOPY-030:effect dropped": TASK,
    "RUNTIME-SETATTR-009:without 2: _pool(call, state).doubtful": TASK,
    "RUNTIME-GETATTR-005:without 2: _pool(call, state).doubtful": TASK,
    "RUNTIME-PMALLOC-008:without 1: found.doubtful": TASK,
    "RUNTIME-PMALLOC-007:without 2: call.size != 0": WITHIN,
    "RUNTIME-PMALLOC-007:0 -1": WITHIN,
    "PHYSICAL-PERMIT2-005:without 1: call.shareableHandle.given": ZEROS,
    "PHYSICAL-PERMIT2-006:without 1: call.shareableHandle.given": ZEROS,
    "PHYSICAL-IMPORT2-005:without 1: call.shareableHandle.given": ZEROS,
    "PHYSICAL-IMPORT2-011:without 1: call.shareableHandle.given": ZEROS,
    "PHYSICAL-IMPORT2-011:code moved": MIDWAY,
    "PHYSICAL-IMPORT-010:dropped": MIDWAY,
    "PHYSICAL-IMPORT-010:code moved": MIDWAY,
    "IPC-IMPORT-010:dropped": MIDWAY,
    "IPC-IMPORT-010:code moved": MIDWAY,
    "IPC-IMPORT-010:without 1: share.exists": "what is not there has no list that one may be on",
    "IPC-IMPORT-004:without 1: is_string(call.key)": NAMES,
    "IPC-CLOSE-003:without 1: is_string(call.key)": NAMES,
    "IPC-CLOSE-005:without 1: has_gone(share)": "what its maker gave up is there only as long as "
    "others have it open",
    "IPC-KEY-020:0 ?1": "the way to the memory is told of names of the driver alone",
    "PHYSICAL-EXPORT-004:without 1: usable(state, call.handle)": "what is no usable handle is "
    "undefined anyway (PHYSICAL-EXPORT-005)",
    "PHYSICAL-EXPORT2-003:without 1: usable(state, call.handle)": "what is no usable handle is "
    "undefined anyway (PHYSICAL-EXPORT2-004)",
    "PHYSICAL-EXPORT-022:without 2: not known_otherwise(state, number)": "the wrong results that "
    "are tried are no numbers in bytes that were given",
    "PHYSICAL-PERMIT-003:without 2: not known_otherwise(*": "such a number is undefined anyway "
    "(PHYSICAL-PERMIT-008)",
    "PHYSICAL-IMPORT-004:without 2: not known_otherwise(*": "such a number is undefined anyway "
    "(PHYSICAL-IMPORT-008)",
    "SVM-C2D-014:without 2: _converts(call)": "a copy at once takes no descriptor, and one that is "
    "destroyed is of the device that it was made for",
    "SVM-C2D-015:without 2: _destroys(call)": "a copy at once takes no descriptor, and to make one "
    "of what was changed is undefined (SVM-C2D-024)",
    "SVM-C2D-024:without 2: call.p_copy.dma.altered": FRESH,
    "SVM-CONV-014:without 2: call.dma_addr.altered": FRESH,
    "SVM-INFO-014:USER ?1": OFF_DEVICES,
    "SVM-INFO-014:without 3: block.kind != USER": OFF_DEVICES,
    "SVM-SET-005:without 3: not reaches_shared(*": LATE,
    "SVM-LOAD-002:dropped": LATE,
    "SVM-ADVISE-010:without 4: not block.contiguous": "of a contiguous block, the whole passes and "
    "a part is undefined (SVM-ADVISE-014)",
    "SVM-ADVISE-011:without 1: block.contiguous": EXTENT,
    "SVM-ALLOC-013:without 1: call.flag.virt != HOST_AGENT": "for the host agent any code may come "
    "(SVM-ALLOC-031)",
    "SVM-ATTR-023:without 1: block.kind == HOST": "memory of the host has normal pages, whatever "
    "was asked for (SVM-ALLOC-007, SVM-ALLOC-008)",
    "SVM-C2D-019:without 5: not _barred(call, state)": f"{SAME_CODE} (SVM-C2D-021)",
    "SVM-CONV-007:without 2: not _barred(call, state)": f"{SAME_CODE} (SVM-CONV-010)",
    "SVM-CTL-016:without 1: of_a_window(call)": MEMBERS,
    "SVM-CTL-023:without 1: is_type(call, CP_MAP)": MEMBERS,
    "SVM-INFO-006:without 1: _checks(call)": MEMBERS,
    "SVM-INFO-007:without 1: _checks(call)": MEMBERS,
    "SVM-INFO-008:without 1: _checks(call)": MEMBERS,
    "SVM-INFO-011:without 1: _checks(call)": MEMBERS,
    "SVM-INFO-013:without 1: _checks(call)": MEMBERS,
    "SVM-INFO-014:without 1: _asks_token(call)": MEMBERS,
    "SVM-INFO-010:USER ?1": OFF_DEVICES,
    "SVM-INFO-010:without 2: block.kind == USER": OFF_DEVICES,
    "SVM-FREE-008:without 2: not allocated(block)": "no test can have halMemAlloc give addresses "
    "of pools",
    "SVM-FREE-010:without 2: is_held(after, each.id)": "nobody reads memory that is gone",
    "SVM-PREF-020:without 2: block.place == ON_HOST": "from elsewhere it is undefined or refused, "
    "and what is on the device stays there (SVM-PREF-007, SVM-PREF-009)",
    "SVM-RANGE-013:without 2: may_be_whole(*": "the model never gives a block the rest of its last "
    "huge page, though it may",
    "VMM-MAP-023:without 1: usable(state, call.handle)": "what is no usable handle is undefined "
    "anyway (VMM-MAP-016)",
}
"""Why mutations of rules survive, by patterns of ``RULE:CHANGE``."""
FORKED = "what a child may do after fork() is told by no document"
SETTINGS = "how the software driver is told its own settings is no part of the ABI"
SYSTEM = "it is about an operating system that refuses, which no test can make it do"
DIED = "it mends what a process that died at this very place had begun"
SYSCALLS = "no document tells what the operating system makes of addresses of managed memory"


def open_by(rule: str) -> str:
    """Return that nothing is promised about what comes here, as a rule says."""
    return f"nothing is promised about it ({rule})"


def allowed_by(rule: str) -> str:
    """Return that a refusal, which is all that comes of it, is a freedom that a rule gives."""
    return f"whoever refuses there may do so ({rule})"


CHOICE = "any of the codes may come"
KEPT = "how much of what was freed a cache keeps is left open"
SCANNED = "when pages that nobody uses are swapped out is left open"
ADVICE = "equivalent: it is advice to the operating system"
LEAK = "equivalent: what the library keeps in the process beside the memory is its own affair"
PLACED = "which addresses are given is left open"
RACED = "it is about two calls at the very same moment, which no test can bring about at will"
UNASKED = "equivalent: the argument is not looked at there"
ENDING = "nobody sees what a process does while it ends"
WHIM = "it is about whims, which the library has for tests only"
INSIDE = "equivalent: who comes here has looked already whether it is inside the pool"
POOLED = "freeing memory of a pool otherwise is told by no document"
GIANTS = "whether what was never open has giant pages is left open"
ROOM = "equivalent: how much room is kept for more is the library's own affair"
LOCAL = "equivalent: the value is replaced before anybody looks at it"
SOURCES: dict[str, str] = {
    "soft*/*.c:*: calloc: *": "equivalent: a product is the same either way",
    "soft*/*.c:*: without free(*": LEAK,
    "softhal/*.c:*: without close(*": LEAK,
    "softhal/*.c:*: without peer_close(*": LEAK,
    "softacl/*.c:*: without timeline_drop(*": LEAK,
    "softacl/*.c:*: without clock_free(*": LEAK,
    "softacl/context.c:make_condition:*_init(&attributes);": "equivalent: here it sets nothing "
    "but zeros, which nobody tells from what is there",
    "softacl/context.c:context_end:*: 1 + 1": "equivalent: any negative time is without end",
    "softacl/device.c:reset:*: without lock();": RACED,
    "softacl/errors.c::*": "equivalent: the software driver never answers with these codes",
    "softacl/event.c:find_both:*: without code = ACL_ERROR_RT_INVALID_HANDLE;": RACED,
    "softacl/malloc.c:by_policy:*: allocate: device, size": open_by("RUNTIME-MALLOC-005"),
    "softacl/pool.c:decide_size:*:19: || becomes &&": "equivalent: what is larger than the device "
    "is refused behind it as well",
    "softacl/query.c::*": "only all memory of a device together is promised to add up",
    "softacl/query.c:locate_fully:*:24: 0 + 1": "what reserved members hold is told by no document",
    "softacl/query.c:device_load:*: softhal_device_load: *": "equivalent: a copy, which is made "
    "where that fails, gives the same bytes",
    "softacl/segments.c:segments_trim:*:23: - becomes +": allowed_by("RUNTIME-PMALLOC-009"),
    "softacl/share.c:aclrtMemExportToShareableHandleV2:*: export_fabric: *": allowed_by(
        "PHYSICAL-EXPORT2-006"
    ),
    "softacl/stream.c:deadline_in:*": "equivalent: no rule is about waiting with an end",
    "softacl/value.c:run_wait:*nanosleep*": "how often a stream looks is its own affair",
    "softacl/worker.c:something_runs:*": ENDING,
    "softacl/worker.c:workers_end:*": ENDING,
    "softhal/advise.c:v2_lock_on_device:*:44: - becomes +": open_by("SVM-ADVISE-012"),
    "softhal/advise.c:v2_prefetch:*:111: || becomes &&": open_by("SVM-PREF-008"),
    "softhal/advise.c:v2_prefetch:*:89: + becomes -": open_by("SVM-PREF-008"),
    "softhal/advise.c:v2_prefetch:*:45: || becomes &&": open_by("SVM-PREF-008"),
    "softhal/convert.c:submit_async:*:14: == becomes !=": RACED,
    "softhal/advise.c:v2_lock_on_device:*:32: < becomes <=": "equivalent: behind the last page "
    "nothing is locked",
    "softhal/batch.c:halMemcpyBatch:*: walk: src, dst": "equivalent: the look ahead treats both "
    "sides alike",
    "softhal/copy.c:v2_copy_with_info:*: without state_lock();": RACED,
    "softhal/map.c:v3_pin_share:*: without code = handle->fd < 0 *": SYSTEM,
    "softhal/open.c:halShmemOpenHandle:*: without state_lock();": RACED,
    "softhal/pages.c:last_index:*:49: 1 + 1": "equivalent: both bytes are in the last page",
    "softhal/view.c:outside_hold:*:12: 0 + 1": allowed_by("VMM-RESERVE-020"),
    "softhal/pages.c:pages_to_device:*: last_index: *": open_by("SVM-PREF-009"),
    "softhal/alloc_v2.c:make_plan:*:23: 0 + 1": "equivalent: only by a seeded fault nothing is "
    "allocated here",
    "softhal/convert.c:convert:*: v2_resolve: true, from_size": open_by("SVM-CONV-012"),
    "softhal/pool.c:pool_end:*:31: || becomes &&": INSIDE,
    "softhal/pool.c:pool_end:*:40: >= becomes >": INSIDE,
    "softhal/alloc_v2.c:check_other:*:41: || becomes &&": allowed_by("SVM-ALLOC-034"),
    "softhal/heap_device.c:heaps_open_device:*: without heap_add(windows.dvpp *": allowed_by(
        "SVM-ALLOC-033"
    ),
    "softhal/pool.c:pool_is_live:*:23: || becomes &&": RACED,
    "softhal/register.c:v2_dma:*:25: >= becomes >": CHOICE,
    "softhal/advise.c:drvMemAddressTranslate:*:60: 1 + 1": "which physical address is told is left "
    "open",
    "softhal/advise.c:v3_prefetch:*:16: >= becomes >": allowed_by("SVM-PREF-015"),
    "softhal/alloc.c:allocate:*: without blocks_unpark();": "equivalent: until another call does "
    "it, memory that nobody uses any more keeps its addresses",
    "softhal/create.c:check_giant:*:8: if not (!is_v2())": GIANTS,
    "softhal/create.c:check_giant:*:97: && becomes ||": GIANTS,
    "softhal/domain.c:reclaim:*: if not (any)": "equivalent: the next call sums up, and what an "
    "ended process held may take a while",
    "softhal/heap_device.c:heaps_open_device:*:48: 4 + 1": PLACED,
    "softhal/open.c:halShmemMapRouteCheck:*:77: && becomes ||": allowed_by("SHARING-ROUTE-006"),
    "softhal/open.c:v2_admit:*:28: < becomes <=": "equivalent: no device has such an id",
    "softhal/place.c:block_place_at:*:58: >= becomes >": "equivalent: no block is without bytes",
    "softhal/register_list.c:registered_alias:*:29: 0 + 1": "equivalent: no address is in a window "
    "without bytes",
    "softhal/resolve.c:v2_resolve_pair:*: direction_of: from, to": "equivalent: within devices it "
    "is the same either way round",
    "softhal/shmem.c:check_attribute:*:40: 0 + 1": "equivalent: what is no name is not found "
    "behind that",
    "softhal/window.c:hold_v2:*: window_hold: HOST_UVA_BASE, *": PLACED,
    "softhal/create.c:check_giant:*: if not (!device && prop->mem_type != *": allowed_by(
        "VMM-CREATE-021"
    ),
    "softhal/export_info.c:halMemHandleSetAttribute:*:40: != becomes ==": allowed_by(
        "SHARING-SETWAY-009"
    ),
    "softhal/handle.c:v2_leave_share:*: without domain_enter();": RACED,
    "softhal/pages.c:last_index:*:44: 0 + 1": "equivalent: nobody asks about no bytes",
    "softhal/register_list.c:is_registered:*: covers: *": "whether registered memory is told "
    "apart is left open",
    "softhal/register_list.c:module_reaches:*: != becomes ==": "which parts of a device reach "
    "memory of the host is left open",
    "softhal/resolve.c:end_release:*: without end->block = NULL;": "equivalent: nobody lets go of "
    "it twice",
    "softhal/resolve.c:end_pin:*: mappings_use: *": open_by("SVM-ASYNC-007"),
    "softhal/resolve.c:end_unpin:*: mappings_use: *": open_by("SVM-ASYNC-007"),
    "softhal/resolve.c:end_unpin:*:63: 1 + 1": open_by("SVM-ASYNC-007"),
    "softhal/unregister.c:remove_and_leave:*:63: 0 + 1": "equivalent: nothing is freed at 1",
    "softhal/unregister.c:remove_and_leave:*: if not (dst != 0)": open_by("SHARING-REGISTER-018"),
    "softacl/device.c:pending:*:52: || becomes &&": open_by("RUNTIME-SYNCDEV-003"),
    "softhal/convert.c:remainder_of:*:23: 0 + 1": "equivalent: nobody looks at it behind that",
    "softhal/shares.c:pass_charge_on:*": "whether memory that only openers still have is told as "
    "free is left open",
    "softacl/segments.c:segments_start:*: 16 + 1": ROOM,
    "softhal/alloc.c:free_block:*:34: 0 + 1": RACED,
    "softhal/batch.c:element:*: without code = DRV_ERROR_NOT_SUPPORT;": open_by("SVM-BATCH-012"),
    "softhal/convert.c:submit_async:*: without code = DRV_ERROR_PARA_ERROR;": RACED,
    "softhal/domain.c:domain_create:*memset*": SYSTEM,
    "softhal/domain.c:claim_slot:*memset*": DIED,
    "softhal/domain.c:open_locked:*: && becomes ||": RACED,
    "softhal/domain.c:fits:*:17: <= becomes <": "equivalent: what is full has room for nothing",
    "softhal/domain.c:fits:*:52: <= becomes <": allowed_by("SVM-ALLOC-033"),
    "softhal/handle.c:handle_imported:*: without handle->module = *": "the module of mapped memory "
    "is told by no document",
    "softhal/info.c:query_size:*: without code = DRV_ERROR_PARA_ERROR;": open_by("SVM-INFO-012"),
    "softhal/map.c:attach:*view_remove*": SYSTEM,
    "softhal/map.c:attach:*:44: < becomes <=": "equivalent: no two mappings start at one address",
    "softhal/memset.c:v2_set_check:*:19: || becomes &&": open_by("SVM-SET-005"),
    "softhal/memset.c:v2_set_check:*:36: || becomes &&": open_by("SVM-SET-005"),
    "softhal/migrate.c:is_write:*: 2 + 1": "equivalent: pages without access are absent for the "
    "processor, so the bit beside is never set",
    "softhal/open.c:open_new:*:78: admit: &fd, &copy": "equivalent: no name of an owner that is "
    "gone is opened, so nobody asks openers for the memory",
    "softhal/peering.c:*: begin: peer_dev, dev": "equivalent: the same is asked of both",
    "softhal/place.c:block_place_at:*:24: && becomes ||": "equivalent: a heap with a block is not "
    "empty",
    "softhal/pool.c:destroy:*: if not (block->heap->kind == KIND_RESERVED)": "equivalent: both "
    "release the block, and where it lies nothing else is to be done",
    "softhal/query.c:v3_attribute:*: without answer->page_size = page_size_of(heap, HUGE_PAGE);": (
        open_by("SVM-ATTR-006")
    ),
    "softhal/register.c:v2_dma:*: without code = DRV_ERROR_INVALID_VALUE;": open_by(
        "SHARING-REGISTER-016"
    ),
    "softhal/register_list.c:halHostRegisterCapabilities:*:26: && becomes ||": "which parts of a "
    "device reach memory of the host is left open",
    "softhal/register_list.c:registration_place:*: window_hold: *": PLACED,
    "softhal/register.c:enter_wish:*: without wish.placed = *": PLACED,
    "softhal/register.c:v2_dma:*:25: 0 + 1": open_by("SHARING-REGISTER-016"),
    "softhal/register.c:v3_through:*: if not (heap->kind == KIND_RESERVED *": allowed_by(
        "SHARING-REGISTER-021"
    ),
    "softhal/resolve.c:resolve_pair:*:16: 0 + 1": "equivalent: those who find the ends clear them",
    "softhal/resolve.c:v3_resolve:*:28: > becomes >=": open_by("SVM-COPY-009"),
    "softhal/resolve.c:v3_resolve:*:43: + becomes -": open_by("SVM-COPY-009"),
    "softhal/unregister.c:v3_type:*:26: < becomes <=": "equivalent: what lies behind the table is "
    "no type that anything is registered by",
    "softhal/uvm_agent.c:misplaced:*": "equivalent: nothing is misplaced but by a seeded fault",
    "softhal/uvm_agent.c:access_page:*: misplaced: *": UNASKED,
    "softhal/uvm_copy.c:uvm_copy:*: without memset(&to, *": open_by("SVM-COPY-009"),
    "softhal/uvm_copy.c:set_page:*:38: < becomes <=": "equivalent: one copy is set twice",
    "softhal/uvm_copy.c:set_page:*:36: && becomes ||": "equivalent: what no page holds is written "
    "over before it is read",
    "softhal/uvm_copy.c:set_page:*:55: 0 + 1": UNASKED,
    "softhal/uvm_fault.c:uvm_cpu_fault:*: || becomes &&": "equivalent: outside the window nothing "
    "is allocated",
    "softhal/uvm_frames.c:look:*": SCANNED,
    "softhal/uvm_frames.c:uvm_frame_touch:*": SCANNED,
    "softhal/uvm_frames.c:uvm_make_room:*:25: - becomes +": allowed_by("SVM-ALLOC-033"),
    "softhal/uvm_move.c:uvm_to_device:*:45: || becomes &&": "equivalent: only a seeded fault loses "
    "what was there",
    "softhal/uvm_prefetch.c:halMemManagedPrefetchBatch:*:33: || becomes &&": open_by(
        "UVM-BATCH-020"
    ),
    "softhal/uvm_query.c:look:*lock();": RACED,
    "softhal/uvm_store.c:uvm_transfer:*:19: < becomes <=": "equivalent: no bytes are written then",
    "softhal/uvm_table.c:uvm_page:*: 1 + 1": "equivalent: no file is asked for there",
    "softhal/uvm_frames.c:uvm_make_room:*:76: 0 + 1": allowed_by("SVM-ALLOC-033"),
    "softhal/uvm_prefetch.c:prefetch_page:*: to_host: *, number": allowed_by("UVM-FETCH-027"),
    "softhal/uvm_table.c:uvm_place_of:*:62: 0 + 1": "equivalent: of a place without a number none "
    "is ever told",
    "softhal/view.c:enter_view:*:20: - becomes +": SYSTEM,
    "softhal/view.c:view_add:*:16: - becomes +": SYSTEM,
    "softhal/white.c:white_add:*:48: 4 + 1": "it takes 200,000 permissions to come here",
    "softhal/window.c:hold_v2:*HOST_UVA_SECOND*": SYSTEM,
    "softhal/heap.c:heap_new:*": PLACED,
    "softhal/heap.c:heap_gap:*: >= becomes >": PLACED,
    "softhal/heap.c:general_gap:*": PLACED,
    "softhal/window.c:hold_v2:*: + becomes -": PLACED,
    "softhal/reserve.c:v3_place:*: heaps_touch: *": PLACED,
    "softhal/shares.c:*:28: < becomes <=": "equivalent: entries behind the highest are empty",
    "softhal/uvm_frames.c:swap_one:*": SCANNED,
    "softhal/uvm_frames.c:uvm_make_room:*: without look(*": SCANNED,
    "softhal/ctl.c:*: cp_mmap: *": open_by("SVM-CTL-029"),
    "softhal/convert.c:convert:*: without dma_addr->phyAddr.*": "what a descriptor holds is the "
    "driver's own affair",
    "softhal/*.c:*: caprice_code: *": CHOICE,
    "softhal/reserve.c:place:*: == becomes !=": CHOICE,
    "softhal/cache.c:trim:*": KEPT,
    "softhal/alloc_v2.c:cache_limit_of:*": KEPT,
    "softhal/uvm_scan.c:*": SCANNED,
    "softhal/uvm_frames.c:uvm_stir:*": SCANNED,
    "softhal/window.c:*: set_advice: *": ADVICE,
    "softhal/window.c:*: without set_advice(*": ADVICE,
    "softhal/window.c:hold_v2:*: without (void)window_hold(*": SYSTEM,
    "softhal/place.c:block_place_outside:*: without *_drop(*": SYSTEM,
    "softhal/place.c:heap_for:*: && becomes ||": "whether free addresses beside others of another "
    "use are given is left open",
    "softhal/view.c:view_remove:*window_map_at*": "what freed addresses lead to is left open",
    "softhal/domain.c:domain_detach:*": "equivalent: who comes next finds out that a process ended",
    "softhal/process.c:enter_direct:*: without code = DRV_ERROR_PARA_ERROR;": FORKED,
    "softhal/config.c:*": SETTINGS,
    "softhal/domain.c:sweep*": SETTINGS,
    "softacl/hal.c:*": SETTINGS,
    "softacl/init.c:read_config:*": open_by("RUNTIME-INIT-002"),
    "softacl/init.c:looks_like_json:*": open_by("RUNTIME-INIT-002"),
    "softacl/init.c:digest:*": open_by("RUNTIME-INIT-002"),
    "softacl/init.c:read_settings:*": open_by("RUNTIME-INIT-002"),
    "softhal/process.c:before_fork:*": FORKED,
    "softhal/process.c:in_parent:*": FORKED,
    "softhal/process.c:in_child:*": FORKED,
    "softhal/process.c:start_over:*": FORKED,
    "softhal/*.c:*_unlock_child:*": FORKED,
    "softhal/*.c:*_after_fork:*": FORKED,
    "softhal/*.c:*s_forget:*": FORKED,
    "softhal/*.c:uvm_forget:*": FORKED,
    "softhal/*.c:domain_forget:*": FORKED,
    "softhal/window.c:windows_drop:*": FORKED,
    "softhal/heap_device.c:blocks_forget_parked:*": FORKED,
    "softacl/context.c:before_fork:*": FORKED,
    "softacl/context.c:in_parent:*": FORKED,
    "softacl/context.c:in_child:*": FORKED,
    "softacl/*.c:*s_forget:*": FORKED,
    "softhal/migrate.c:bring_home:*": open_by("SVM-LOAD-001"),
    "softhal/migrate.c:on_fault:*": open_by("SVM-LOAD-001"),
    "softhal/pages.c:page_to_host:*": open_by("SVM-LOAD-001"),
    "softhal/pages.c:notice_touch:*": open_by("SVM-STORE-001"),
    "softhal/migrate.c:signal_pass_on:*": "handlers that the program has for signals are its own",
    "softhal/uvm_syscalls.c:*": SYSCALLS,
    "softhal/uvm_query.c:give:*": SYSCALLS,
    "softhal/map.c:mappings_cover:*": open_by("SVM-SET-005"),
    "softhal/memset.c:fully_allocated:*": open_by("SVM-SET-005"),
    "softhal/resolve.c:v3_range:*": open_by("SVM-SET-005"),
    "softhal/register.c:device_block:*: - becomes +": open_by("SHARING-REGISTER-017"),
    "softhal/register.c:device_block:*: + becomes -": open_by("SHARING-REGISTER-017"),
    "softhal/register.c:v2_device_local:*": open_by("SHARING-REGISTER-018"),
    "softhal/shmem.c:v2_source:*": open_by("SHARING-NAME-011"),
    "softhal/shmem.c:all_shareable:*": open_by("SHARING-NAME-011"),
    "softhal/uvm_agent.c:access_page:*:33: || becomes &&": open_by("UVM-DLOAD-002"),
    "softhal/pool.c:pool_free_block:*": POOLED,
    "softhal/pool.c:pool_end:*:17: 0 + 1": POOLED,
    "softhal/pool_create.c:v2_create:*: without block->requested = size;": "equivalent: SVM v2 "
    "does not look at it",
    "softhal/ctl.c:map_registers:*": open_by("SVM-CTL-029"),
    "softhal/ctl.c:unmap_registers:*": open_by("SVM-CTL-029"),
    "softhal/ctl.c:register_window:*": open_by("SVM-CTL-029"),
    "softhal/ctl.c:repair:*": open_by("SVM-CTL-029"),
    "softhal/async.c:concerns:*": open_by("SVM-CLOSE-003"),
    "softhal/async.c:jobs_settle:*": open_by("SVM-CLOSE-003"),
    "softhal/convert.c:conversions_detach_device:*": open_by("SVM-CLOSE-003"),
    "softhal/pages.c:pages_leave_device:*": open_by("SVM-CLOSE-005"),
    "softhal/uvm_table.c:uvm_is_open:*:33: && becomes ||": "whether a device has to be open is "
    "left open",
    "softhal/uvm_table.c:leave_device:*": open_by("SVM-CLOSE-007"),
    "softhal/uvm_table.c:uvm_close_device:*": open_by("SVM-CLOSE-007"),
    "softhal/domain.c:domain_adopt:*": DIED,
    "softhal/shares.c:shares_mend:*": DIED,
    "softhal/window.c:release:*": SYSTEM,
    "softhal/window.c:memory_read:*": SYSTEM,
    "softhal/window.c:memory_write:*": SYSTEM,
    "softhal/uvm_store.c:uvm_read:*": SYSTEM,
    "softhal/uvm_store.c:uvm_write:*": SYSTEM,
    "softhal/*.c:*: without *code = DRV_ERROR_OUT_OF_MEMORY;": SYSTEM,
    "softacl/*.c:*: without *code = ACL_ERROR_RT_MEMORY_ALLOCATION;": SYSTEM,
    "softhal/*.c:*: without complain(*": SYSTEM,
    "softacl/segments.c:segment_untake:*": SYSTEM,
    "softhal/white.c:rebuild:*": "it takes 200,000 permissions to come here",
    "softhal/access.c:check_desc:*: 64 + 1": "equivalent: ids of devices are below 64",
    "softhal/uvm_frames.c:uvm_scan:*: > becomes >=": SCANNED,
    "softacl/pool_calls.c:run_ordinary_free:*": open_by("RUNTIME-PFREE-007"),
    "softacl/device.c:collect:*: if not *": allowed_by("RUNTIME-PMALLOC-009"),
    "softacl/event.c:drop_wait:*lock();": RACED,
    "softacl/event.c:find_both:*: without unlock();": RACED,
    "softacl/init.c::*": open_by("RUNTIME-INIT-002"),
    "softacl/managed.c:prefetch_new:*: without made->task.drop = drop_prefetch;": LEAK,
    "softacl/managed.c:prefetch_new:*: || becomes &&": SYSTEM,
    "softacl/pool.c:window_gap:*:62: < becomes <=": PLACED,
    "softacl/pool.c:make:*: without segments_end(pool);": LEAK,
    "softacl/pool.c:make:*: without pool->device_side = *": "equivalent: the runtime counts "
    "the same by itself",
    "softacl/segments.c:alike:*:53: != becomes ==": allowed_by("RUNTIME-PMALLOC-009"),
    "softacl/segments.c:segment_release:*: without merge(*": allowed_by("RUNTIME-PMALLOC-009"),
    "softacl/event.c:aclrtStreamWaitEvent:*: without code = pushed ? *": SYSTEM,
    "softacl/init.c:aclFinalize:*: without lock();": RACED,
    "softacl/ipc.c:aclrtIpcMemGetExportKey:*:29: 0 + 1": "equivalent: the driver refuses a place "
    "without room as well",
    "softacl/ipc.c:aclrtIpcMemImportByKey:*:78: >= becomes >": "equivalent: the driver refuses "
    "such a key as well",
    "softacl/malloc.c:by_policy:*: allocate: peer, device": "equivalent: both become parts of one "
    "word",
    "softacl/pool.c:pool_takes_free:*: segment_busy: *": open_by("RUNTIME-FREE-005"),
    "softacl/pool.c:pool_trim:*:101: - becomes +": UNASKED,
    "softacl/pool.c:pools_synchronised:*:48: > becomes >=": "equivalent: where nothing is left "
    "over nothing is given back",
    "softacl/query.c:aclrtGetMemInfo:*: without memset(&info*": "equivalent: the driver fills it "
    "in whole",
    "softacl/query.c:device_load:*:52: != becomes ==": open_by("RUNTIME-VWAIT-006"),
    "softacl/query.c:device_store:*: HAL: (uint64_t)(uintptr_t)from, size": open_by(
        "RUNTIME-VWRITE-006"
    ),
    "softacl/register.c:map_some_way:*:45: && becomes ||": allowed_by("RUNTIME-REGISTER-008"),
    "softacl/register.c:mapped_for_device:*:40: != becomes ==": open_by("RUNTIME-VWAIT-006"),
    "softacl/register.c:mapped_for_device:*:88: || becomes &&": "equivalent: the distance from an "
    "address that lies higher is larger than any size",
    "softacl/stream.c:stream_end:*:73: 0 + 1": RACED,
    "softhal/export_info.c:halMemHandleSetAttribute:*: without domain_enter();": RACED,
    "softacl/share.c:open_to_all:*memset*": "equivalent: the driver below looks at nothing else",
    "softhal/alloc_v2.c:make_plan:*:47: && becomes ||": allowed_by("SVM-ALLOC-035"),
    "softhal/create.c:check_giant:*:40: < becomes <=": "equivalent: such a device is never open",
    "softhal/heap.c:grow:*: 16 + 1": ROOM,
    "softhal/pages.c:pages_make:*:36: 1 + 1": "equivalent: anything but 0 is a failure",
    "softhal/shares.c:share_find:*:18: 0 + 1": "equivalent: what is empty is of no kind",
    "softhal/shares.c:holder_make:*:23: 0 + 1": "equivalent: the first entry stays empty",
    "softhal/token.c:name_parse:*:20: 0 + 1": LOCAL,
    "softhal/token.c:name_parse:*:23: 0 + 1": LOCAL,
    "softhal/token.c:name_parse:*:25: 0 + 1": LOCAL,
    "softhal/uvm_advise.c:refused:*": WHIM,
    "softhal/view.c:enter_view:*: 64 + 1": ROOM,
    "softhal/view.c:memory_locate:*:31: < becomes <=": "equivalent: pieces of any size are moved",
    "softhal/view.c:memory_locate:*lock(&view_lock);": RACED,
    "softhal/view.c:outside_hold:*:29: 0 + 1": LOCAL,
    "softhal/white.c:first_place:*": "equivalent: where an entry lies is nobody's affair",
    "softacl/copy2d.c:by_rows:*": "rectangles in managed memory are promised by no document",
    "softacl/copy.c:take_early:*": "equivalent: only a seeded fault copies before its time",
}
"""Why mutants of C sources survive, by patterns of ``FILE:FUNCTION:LINE:COLUMN: CHANGE``."""


def reason_for(mutant: str) -> str:
    """Return why it is no hole that nothing notices a mutant; empty if nobody judged it."""
    for pattern, reason in (*RULES.items(), *SOURCES.items()):
        if fnmatchcase(mutant, pattern.replace("[", "[[]")):
            return reason
    return ""
