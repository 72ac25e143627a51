"""Mutants of C sources that nothing notices, judged one by one, and why that is no hole."""

from __future__ import annotations

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
BLOCK_FIRST = "equivalent: who asks looks at the block first"
TOLD_APART = "whether registered memory is told apart is left open"
REACH = "which parts of a device reach memory of the host is left open"
EITHER_WAY = "equivalent: it asks whether they are equal"
BROUGHT = "where pages are after a stream brought them somewhere is left open"
FREED = "what is found where memory was freed is up to free()"
SWAPPED = "which of its pages a device hands back to the host is left open"
NAMES = "names-never-come-back kills it, if there is time for more names than there are entries"
SOURCES: dict[str, str] = {
    "soft*/*.c:*: calloc: *": "equivalent: a product is the same either way",
    "soft*/*.c:*: without free(*": LEAK,
    "softhal/*.c:*: without close(*": LEAK,
    "softhal/*.c:*: without peer_close(*": LEAK,
    "softacl/*.c:*: without timeline_drop(*": LEAK,
    "softacl/*.c:*: without clock_free(*": LEAK,
    "softhal/open.c:match_opening:*: strcmp: *": EITHER_WAY,
    "softhal/token.c:share_named:*: strcmp: *": EITHER_WAY,
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
    "softhal/register_list.c:is_registered:*: covers: *": TOLD_APART,
    "softhal/register_list.c:module_reaches:*: != becomes ==": REACH,
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
    "softhal/open.c:open_new:*: admit: &fd, &copy": "equivalent: no name of an owner that is "
    "gone is opened, so nobody asks openers for the memory",
    "softhal/peering.c:*: begin: peer_dev, dev": "equivalent: the same is asked of both",
    "softhal/pool.c:destroy:*: if not (block->heap->kind == KIND_RESERVED)": "equivalent: both "
    "release the block, and where it lies nothing else is to be done",
    "softhal/query.c:v3_attribute:*: without answer->page_size = page_size_of(heap, HUGE_PAGE);": (
        open_by("SVM-ATTR-006")
    ),
    "softhal/register.c:v2_dma:*: without code = DRV_ERROR_INVALID_VALUE;": open_by(
        "SHARING-REGISTER-016"
    ),
    "softhal/register_list.c:halHostRegisterCapabilities:*:26: && becomes ||": REACH,
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
    "softacl/segments.c:merge:*: if not (*": allowed_by("RUNTIME-PMALLOC-009"),
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
    "softhal/shares.c:blank:*memset*": NAMES,
    "softhal/shares.c:holder_make:*:23: 0 + 1": "equivalent: the first entry stays empty",
    "softhal/token.c:name_parse:*:20: 0 + 1": LOCAL,
    "softhal/token.c:name_parse:*:23: 0 + 1": LOCAL,
    "softhal/token.c:name_parse:*:25: 0 + 1": LOCAL,
    "softhal/token.c:v3_parse:*: && becomes ||": CHOICE,
    "softhal/uvm_advise.c:refused:*": WHIM,
    "softhal/view.c:enter_view:*: 64 + 1": ROOM,
    "softhal/view.c:memory_locate:*:31: < becomes <=": "equivalent: pieces of any size are moved",
    "softhal/view.c:memory_locate:*lock(&view_lock);": RACED,
    "softhal/view.c:outside_hold:*:29: 0 + 1": LOCAL,
    "softhal/white.c:first_place:*": "equivalent: where an entry lies is nobody's affair",
    "softacl/clock.c:clock_free:*: 0 + 1": "equivalent: whoever comes here frees at once what the "
    "clock is part of",
    "softacl/context.c:context_end:*: if not (wait)": open_by("RUNTIME-RESET-003"),
    "softacl/context.c:enter:*: without lock();": RACED,
    "softacl/context.c:prepare:*: pthread_atfork: in_parent, *": FORKED,
    "softacl/copy.c:aclrtMemcpyAsync:174:36: || becomes &&": open_by("RUNTIME-ACOPY-009"),
    "softacl/device.c:device_open:*: without *REGISTER_QUERY_AND_GET_ATTR);": TOLD_APART,
    "softacl/errors.c:fail:*: without message_read = *": "no rule is about the last message",
    "softacl/event.c:aclrtRecordEvent:*: without code = ACL_ERROR_RT_NO_EVENT_*": SYSTEM,
    "softacl/event.c:find_both:*:14: == becomes !=": RACED,
    "softacl/ipc.c:aclrtIpcMemSetImportPid:*:18: || becomes &&": "equivalent: the driver refuses "
    "such a number as well unless it is beyond 2**32, and no array has as many elements",
    "softacl/malloc.c:by_policy:*:14: > becomes >=": "which pages memory has is left open",
    "softacl/malloc.c:device_memory:*:46: > becomes >=": "equivalent: the driver refuses as much "
    "as well",
    "softacl/managed.c:aclrtMemAllocManaged:*:20: 0 + 1": "equivalent: the driver refuses no bytes "
    "as well",
    "softacl/managed.c:aclrtMemAllocManaged:*:46: << becomes >>": "the module of "
    "memory is told by no rule of the runtime",
    "softacl/managed.c:aclrtMemManagedPrefetchAsync:*:45: 1 + 1": "equivalent: nobody looks at the "
    "second place",
    "softacl/managed.c:run_batch:*: HAL: what->sizes, what->addresses": BROUGHT,
    "softacl/managed.c:run_batch:*: HAL: what->indices, what->places": BROUGHT,
    "softacl/pool.c:decide_size:*:17: 0 + 1": "equivalent: no page has 0 bytes, nor 1",
    "softacl/pool.c:make:*: without memset(&prop, *": LOCAL,
    "softacl/pool.c:pool_trim:*: fail: *": "equivalent: the software driver never answers so",
    "softacl/pool.c:pools_forget_device:*:47: != becomes ==": FREED,
    "softacl/pool.c:pools_forget_device:*: without object_remove(*": FREED,
    "softacl/pool.c:pools_synchronised:*:101: 0 + 1": KEPT,
    "softacl/pool.c:window_base:*:49: 0 + 1": LOCAL,
    "softacl/pool_calls.c::*": "equivalent: the driver does not look at it",
    "softacl/pool_calls.c:enqueue_malloc:*: without (void)HAL(*": "equivalent: what the driver "
    "is told before it looks at in no other call",
    "softacl/query.c:device_load:*:26: && becomes ||": open_by("RUNTIME-VWAIT-006"),
    "softacl/query.c:device_load:*:66: || becomes &&": open_by("RUNTIME-VWAIT-006"),
    "softacl/query.c:device_store:*:24: != becomes ==": "equivalent: values are in memory of "
    "the stream's device, where the same is written once more",
    "softacl/query.c:locate_fully:*:21: 0 + 1": "on which device pools and managed memory are is "
    "left open",
    "softacl/segments.c:merge:*: alike: *": EITHER_WAY,
    "softacl/segments.c:permits:*:60: >= becomes >": allowed_by("RUNTIME-PMALLOC-009"),
    "softacl/segments.c:segment_clear:*": open_by("RUNTIME-FREE-005"),
    "softacl/segments.c:segment_take:*:46: 1 + 1": "equivalent: where memory was taken nobody asks",
    "softacl/segments.c:segments_end:*:21: 0 + 1": LEAK,
    "softacl/segments.c:segments_trim:*:38: 0 + 1": "equivalent: the second one is joined with the "
    "first one",
    "softacl/stream.c:give_up:*: without pthread_detach(*": LEAK,
    "softacl/stream.c:stream_wait:*: without (void)clock_raise(*": allowed_by(
        "RUNTIME-PMALLOC-009"
    ),
    "softacl/vmm.c:aclrtMemGetAllocationPropertiesFromHandle:*:22: 0 + 1": "equivalent: all "
    "members are set behind it",
    "softhal/open.c:halShmemCloseHandle:*:29: 0 + 1": "equivalent: nothing is opened at 0 or at 1, "
    "and both are refused alike",
    "softhal/open.c:halShmemMapRouteCheck:*:19: != becomes ==": allowed_by("SHARING-ROUTE-006"),
    "softhal/pages.c:pages_make:*:59: 1 + 1": ROOM,
    "softhal/place.c:block_place_at:*:23: < becomes <=": allowed_by("VMM-RESERVE-021"),
    "softhal/place.c:block_place_at:*: if not (*block != NULL)": BLOCK_FIRST,
    "softhal/place.c:block_place_at:*:16: != becomes ==": BLOCK_FIRST,
    "softhal/place.c:block_place_at:*: if not (heap->count == 0 *": SYSTEM,
    "softhal/place.c:block_place_at:*:21: == becomes !=": SYSTEM,
    "softhal/place.c:block_place_at:*:24: 0 + 1": SYSTEM,
    "softhal/place.c:block_place_at:*:26: && becomes ||": SYSTEM,
    "softhal/place.c:block_place_at:*: without heap_remove(heap);": SYSTEM,
    "softhal/place.c:block_place_outside:*:18: != becomes ==": SYSTEM,
    "softhal/pool.c:destroy:*:33: 0 + 1": RACED,
    "softhal/pool.c:pool_end:*:60: || becomes &&": POOLED,
    "softhal/pool.c:pool_holds:*:34: < becomes <=": "equivalent: behind the end is no room for "
    "any bytes",
    "softhal/pool_create.c:v2_create:*: without heap_remove(heap);": SYSTEM,
    "softhal/pool_create.c:v3_create:*:83: < becomes <=": CHOICE,
    "softhal/process.c:close_device:*: without pthread_cond_broadcast(&state.idle);": RACED,
    "softhal/process.c:enter_direct:*: without (void)config_get();": "equivalent: who is not ready "
    "asks for it behind that",
    "softhal/process.c:open_device:*: without state_lock();": RACED,
    "softhal/query.c:v3_attribute:*: without answer->device = reported_device(pool_device(*": (
        open_by("SVM-ATTR-006")
    ),
    "softhal/register.c:enter_wish:*:42: != becomes ==": PLACED,
    "softhal/register.c:enter_wish:*: registration_place: *": allowed_by("SHARING-REGISTER-021"),
    "softhal/register.c:v2_by_source:*: if not (heap->kind == KIND_RESERVED)": allowed_by(
        "SHARING-REGISTER-021"
    ),
    "softhal/register.c:v2_dma:*:66: > becomes >=": "it takes 8 TiB in one block to come here",
    "softhal/register.c:v2_dma:*: enter_wish: true, !managed": UNASKED,
    "softhal/register.c:v2_host_block:*:80: - becomes +": open_by("SHARING-REGISTER-017"),
    "softhal/register.c:v3_register:*:25: 0 + 1": open_by("SHARING-REGISTER-016"),
    "softhal/register_list.c:is_registered:*:27: && becomes ||": TOLD_APART,
    "softhal/register_list.c:module_reaches:*: >> becomes <<": REACH,
    "softhal/register_list.c:registered_alias:*: if not (device_view.size == 0 *": open_by(
        "SVM-COPY-009"
    ),
    "softhal/register_list.c:registration_place:*:31: && becomes ||": allowed_by(
        "SHARING-REGISTER-021"
    ),
    "softhal/register_list.c:registration_place:*:16: 0 + 1": SYSTEM,
    "softhal/reserve.c:reservation_release:*: if not (outside)": allowed_by("VMM-RESERVE-020"),
    "softhal/reserve.c:reservation_release:*: without outside_drop(start);": allowed_by(
        "VMM-RESERVE-020"
    ),
    "softhal/reserve.c:v2_check:*:20: 0 + 1": CHOICE,
    "softhal/reserve.c:v2_reserve:*:47: == becomes !=": open_by("SVM-ALLOC-032"),
    "softhal/reserve.c:v3_place:*: heaps_hold: *": "equivalent: what is held is touched, too",
    "softhal/reserve.c:v3_place:*:36: || becomes &&": "equivalent: what is touched without being "
    "held was refused before",
    "softhal/resolve.c:crosses:*:50: - becomes +": open_by("SVM-COPY-009"),
    "softhal/resolve.c:end_pin:*:54: 0 + 1": open_by("SVM-ASYNC-007"),
    "softhal/resolve.c:v2_resolve:*:40: - becomes +": open_by("SVM-COPY-009"),
    "softhal/resolve.c:v2_resolve:*: without end->shared = heap->kind == KIND_OPENED;": open_by(
        "SVM-BATCH-012"
    ),
    "softhal/resolve.c:v3_resolve:*:30: 0 + 1": "equivalent: a range of one byte, which starts in "
    "no heap, enters none",
    "softhal/resolve.c:v3_resolve:*:94: - becomes +": "it takes memory of the program that lies "
    "right in front of the driver's, which no flow can bring about at will",
    "softhal/shares.c:blank:*:17: 0 + 1": NAMES,
    "softhal/token.c:name_parse:*:16: 0 + 1": CHOICE,
    "softhal/token.c:v3_parse:*:16: 0 + 1": CHOICE,
    "softhal/token.c:v3_name:*:24: 1 + 1": "equivalent: what stands for a zero is not looked at",
    "softhal/unregister.c:remove_and_leave:*: without (void)halMemFree(*": open_by(
        "SHARING-REGISTER-018"
    ),
    "softhal/unregister.c:v3_unregister:*:21: == becomes !=": CHOICE,
    "softhal/uvm_advise.c:access_by:*:18: || becomes &&": "whether a page has one copy more than "
    "it needs is left open",
    "softhal/uvm_advise.c:halMemManagedAdvise:*: without code = enter_direct();": allowed_by(
        "UVM-ADVISE-028"
    ),
    "softhal/uvm_prefetch.c:halMemManagedPrefetchBatch:*:40: != becomes ==": FORKED,
    "softhal/uvm_advise.c:advise_page:*:57: 0 + 1": UNASKED,
    "softhal/uvm_move.c:uvm_swap_out:*:37: 0 + 1": UNASKED,
    "softhal/uvm_agent.c:access_own:*:35: || becomes &&": open_by("UVM-DLOAD-002"),
    "softhal/uvm_copy.c:advance:*:37: 0 + 1": "equivalent: of managed memory nobody looks at a "
    "pointer",
    "softhal/uvm_copy.c:set_copy:*: without uvm_unview(*": LEAK,
    "softhal/uvm_store.c:uvm_unview:*:14: != becomes ==": LEAK,
    "softhal/uvm_frames.c:oldest:*:50: > becomes >=": SWAPPED,
    "softhal/uvm_frames.c:oldest:*:88: == becomes !=": SWAPPED,
    "softhal/uvm_frames.c:oldest:*:91: 0 + 1": SWAPPED,
    "softhal/uvm_move.c:uvm_make_read_mostly:*: if not (page->state == UVM_DEVICE)": allowed_by(
        "UVM-ADVISE-023"
    ),
    "softhal/uvm_move.c:uvm_to_device:*:38: && becomes ||": "equivalent: of a page that nobody "
    "touched there are no bytes to bring",
    "softhal/uvm_prefetch.c:halMemManagedPrefetchBatch:*:36: || becomes &&": open_by(
        "UVM-BATCH-020"
    ),
    "softhal/uvm_prefetch.c:halMemManagedPrefetchBatch:*:104: || becomes &&": open_by(
        "UVM-BATCH-020"
    ),
    "softhal/uvm_prefetch.c:prefetch:*:47: != becomes ==": WHIM,
    "softhal/view.c:outside_hold:*:17: 1 + 1": "equivalent: anything but 0 is a failure",
    "softhal/view.c:view_add:*lock(&view_lock);": RACED,
    "softhal/white.c:find:*:35: && becomes ||": "two permissions have to meet in the table, and "
    "it takes tens of thousands of them for that",
    "softhal/white.c:white_add:*: without white->stamp = now_in_ticks();": "it takes a process "
    "that has the number of an earlier one, which no test can bring about at will",
    "softhal/window.c:window_hold:*:90: 1 + 1": "equivalent: memory without a file has no number "
    "of one",
    "softhal/window.c:window_map_at:*:16: - becomes +": SYSTEM,
    "softhal/window.c:windows_map:*: without release(*": SYSTEM,
    "softacl/copy2d.c:by_rows:*": "rectangles in managed memory are promised by no document",
    "softacl/copy.c:take_early:*": "equivalent: only a seeded fault copies before its time",
}
"""Why mutants of C sources survive, by patterns of ``FILE:FUNCTION:LINE:COLUMN: CHANGE``."""
