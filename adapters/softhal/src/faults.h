/*
 * faults.h - seeded faults.  A suite is only as good as the faults it finds, so the fault build can
 * be told (SOFTHAL_FAULT=name) to misbehave in one known way.  In the normal build FAULT(x) is the
 * constant 0 and nothing of this remains.
 *
 * The list is data: name, interface, class, description.  Classes are those of faults that public
 * drivers, runtimes and allocators really had (validation, stale identity, reference counting, edge,
 * range, race, code, order, error path, leak, lost setting, identity, counter, process exit, wrap,
 * overlap, unsupported feature, caller's arguments, memory pressure).  A description that ends in a
 * generation, such as (v2), is of a fault that products of that generation alone can have.
 */
#ifndef SOFTHAL_FAULTS_H
#define SOFTHAL_FAULTS_H

/* clang-format off */
#define SOFTHAL_FAULT_TABLE(X) \
    X(alloc_null_code, "halMemAlloc", "VALID", "a NULL output pointer is answered with 8 instead of 3") \
    X(alloc_zero_accepted, "halMemAlloc", "VALID", "size 0 is served with one granule") \
    X(memset_zero_accepted, "drvMemsetD8", "VALID", "num 0 is answered with success") \
    X(memcpy_null_code, "drvMemcpy", "VALID", "a zero address is answered with 4 instead of 3") \
    X(info_null_code, "halMemGetInfo", "VALID", "a NULL info pointer is answered with 8 instead of 3") \
    X(range_null_code, "halMemGetAddressRange", "VALID", "two NULL outputs are answered with success") \
    X(batch_limit, "halMemcpyBatch", "EDGE", "4097 elements are accepted") \
    X(host_giant_accepted, "halMemAlloc", "UNSUP", "host memory with the giant-page bit is not refused") \
    X(range_end_inclusive, "halMemGetAddressRange", "EDGE", "the address one past a block is taken as inside") \
    X(size_overflow_accepted, "halMemAlloc", "WRAP", "a size near 2^64 wraps to one granule and is served") \
    X(pitch_overflow_accepted, "halMemcpy2D", "WRAP", "pitch * height beyond 2^64 passes the check") \
    X(double_free_accepted, "halMemFree", "REF", "freeing the same block twice succeeds twice") \
    X(interior_free_accepted, "halMemFree", "REF", "an interior address frees its block") \
    X(freed_still_live, "halMemGetAddressRange", "STALE", "a freed block is still reported as live") \
    X(stale_lookup, "drvMemsetD8", "STALE", "a set is judged by a shorter block that was freed at its address") \
    X(memset_short, "drvMemsetD8", "EDGE", "the last byte is not set") \
    X(memset_long, "drvMemsetD8", "EDGE", "one byte behind the range is set too") \
    X(memset_rejected_writes, "drvMemsetD8", "ERRPATH", "a call refused for destMax < num has written first") \
    X(memset_error_swallowed, "drvMemsetD8", "CODE", "a set of more than fits is refused inside and answered with success") \
    X(memcpy_ignores_dest_max, "drvMemcpy", "VALID", "dest_max < byte_count is accepted and everything is copied") \
    X(copy_loses_tail, "drvMemcpy", "EDGE", "the part behind the last full 4 KiB page is not copied") \
    X(copy_reversed, "drvMemcpy", "CODE", "a host to device copy moves the bytes the other way") \
    X(copy2d_ignores_pitch, "halMemcpy2D", "LOST", "the source pitch is taken to be the width") \
    X(batch_first_only, "halMemcpyBatch", "RANGE", "only the first element is copied") \
    X(batch_changes_input, "halMemcpyBatch", "ARGS", "the caller's size array is cleared") \
    X(async_wait_early, "halMemCpyAsyncWaitFinish", "ORDER", "the wait returns before the copy is done") \
    X(leak_on_error, "halMemAlloc", "ERRPATH", "each refusal for lack of memory keeps 2 MiB accounted") \
    X(leak_on_free, "halMemFree", "LEAK", "freed memory is never given back to the device") \
    X(leak_dead_process, "device memory", "XPROC", "memory of a killed process stays accounted") \
    X(out_of_memory_sticks, "halMemAlloc", "PRESS", "a device that once ran out of memory gives this process no more") \
    X(attr_wrong_device, "drvMemGetAttribute", "IDENT", "the attribute names the neighbouring device") \
    X(attr_page_size, "drvMemGetAttribute", "COUNT", "huge pages are reported as 4 KiB") \
    X(charge_wrong_device, "halMemAlloc", "IDENT", "every allocation is accounted to device 0") \
    X(info_drift, "halMemGetInfo", "COUNT", "each allocation charges one granule more than it gives back") \
    X(info_free_is_total, "halMemGetInfo", "COUNT", "the free counters show the totals") \
    X(range_size_requested, "halMemGetAddressRange", "EDGE", "the size is short by one byte") \
    X(overlapping_blocks, "halMemAlloc", "OVER", "every eighth allocation is placed on a live block") \
    X(huge_granule_ignored, "halMemAlloc", "EDGE", "huge-page blocks are placed and sized by 4 KiB") \
    X(inuse_large_freed, "halMemFree", "REF", "a large block is freed while it is converted for DMA") \
    X(close_keeps_blocks, "halMemAgentClose", "LEAK", "blocks of the closed device stay live") \
    X(alloc_writes_on_failure, "halMemAlloc", "ERRPATH", "a refused allocation leaves a non-NULL pointer behind") \
    X(module_lost, "halMemCtl", "LOST", "the module id given at allocation is forgotten") \
    X(crash_on_copy, "drvMemcpy", "CODE", "a copy of exactly 12288 bytes crashes") \
    X(hang_on_memset, "drvMemsetD8", "CODE", "a set of exactly 65537 bytes never returns") \
    X(race_double_free, "halMemFree", "RACE", "two threads that free one block at once both succeed") \
    X(race_same_address, "halMemAlloc", "RACE", "two threads that allocate at once can get one address") \
    X(release_twice, "halMemRelease", "REF", "a release drops two references while there are several") \
    X(release_frees_mapped, "halMemRelease", "REF", "releasing a mapped handle frees the pages under the mapping") \
    X(release_eats_mapping, "halMemRelease", "REF", "a release too many is accepted and takes the mapping's reference (v2)") \
    X(release_once, "halMemRelease", "REF", "of the references to exported memory only one can be given back (v3)") \
    X(retain_uncounted, "halMemRetainAllocationHandle", "REF", "a retained handle is not counted") \
    X(unmap_keeps_ref, "halMemUnmap", "LEAK", "unmapping never drops the handle's reference") \
    X(unmap_first, "halMemUnmap", "RANGE", "the first mapping of the reservation is removed instead of the named one") \
    X(unmap_interior, "halMemUnmap", "VALID", "an address inside a mapping unmaps it") \
    X(unmap_keeps_view, "halMemUnmap", "STALE", "the CPU still reaches the memory after the unmap") \
    X(map_private, "halMemMap", "STALE", "a mapping shows bytes of its own instead of the handle's") \
    X(map_shifted, "halMemMap", "OFFS", "mappings of several pages show the handle one page further on") \
    X(offset_ignored, "halMemMap", "VALID", "an offset other than 0 is accepted and ignored") \
    X(overlap_by_start, "halMemMap", "OVER", "only mappings that start at the same address are found to overlap") \
    X(remap_any_device, "halMemMap", "VALID", "a reservation accepts another device after an unmap (v2)") \
    X(failed_map_counts, "halMemMap", "ERRPATH", "a refused map keeps a reference of the handle") \
    X(reserve_freed_mapped, "halMemAddressFree", "VALID", "a reservation with a mapping is freed") \
    X(reserve_leaks, "halMemAddressFree", "LEAK", "freed address space is never given out again") \
    X(busy_address_taken, "halMemAddressReserve", "VALID", "a wished address is given though it is taken") \
    X(granularity_ignored, "halMemCreate", "EDGE", "a size that is no multiple of the granularity is accepted") \
    X(create_uncounted, "halMemCreate", "COUNT", "physical handles do not count as used memory") \
    X(create_charges_first, "halMemCreate", "IDENT", "physical handles are accounted to device 0") \
    X(prop_effective, "halMemGetAllocationPropertiesFromHandle", "LOST", "page type and module are those in force, not those given") \
    X(access_short, "halMemSetAccess", "EDGE", "the right is not applied to the last page") \
    X(access_replaces, "halMemSetAccess", "RANGE", "a new right takes away those of the devices not named") \
    X(access_first_mapping, "halMemSetAccess", "RANGE", "the range is judged by the first mapping of the reservation") \
    X(access_end_inclusive, "halMemGetAccess", "EDGE", "the address one past a mapping is taken as inside") \
    X(access_changes_input, "halMemSetAccess", "ARGS", "the caller's descriptor is rewritten") \
    X(export_twice, "halMemExportToShareableHandle", "VALID", "a handle can be exported twice") \
    X(import_uncounted, "halMemImportFromShareableHandle", "REF", "a second import of a share is not counted (v2)") \
    X(share_stale, "halShmemOpenHandleByDevId", "STALE", "a name is looked up by its index alone") \
    X(name_collision, "halShmemCreateHandle", "IDENT", "two names stand for one share") \
    X(white_ignored, "halShmemSetPidHandle", "VALID", "the white list is not asked") \
    X(white_prefix, "halShmemSetPidHandle", "VALID", "a pid is let in if a listed one is a prefix of its digits") \
    X(white_first_only, "halShmemSetPidHandle", "RANGE", "only the first pid of a call is entered") \
    X(white_modes_mix, "halShmemSetAttribute", "VALID", "a white list and its absence do not exclude each other") \
    X(attribute_lost, "halShmemSetAttribute", "LOST", "switching the white list off has no effect") \
    X(peer_one_way, "drvGetP2PStatus", "IDENT", "one direction that is enabled counts for both") \
    X(peer_uncounted, "halDeviceEnableP2P", "REF", "enabling twice is undone by disabling once") \
    X(peer_of_itself, "halDeviceEnableP2P", "VALID", "a device becomes its own peer") \
    X(peer_of_others, "halDeviceDisableP2P", "IDENT", "a process disables what another one has enabled") \
    X(peer_outlives, "halDeviceEnableP2P", "EXIT", "what a process enabled stays when it ends") \
    X(route_lost, "halMemHandleSetAttribute", "LOST", "the way to the memory of a handle is not stored (v2)") \
    X(route_unchecked, "halMemHandleSetAttribute", "VALID", "a way that there cannot be is accepted (v2)") \
    X(info_wrong_device, "halShmemInfoGet", "IDENT", "the neighbouring device is named") \
    X(destroy_by_anyone, "halShmemDestroyHandle", "VALID", "a process that did not create a name can destroy it") \
    X(destroy_does_nothing, "halShmemDestroyHandle", "STALE", "a destroyed name can still be opened") \
    X(opener_keeps_freed, "halShmemOpenHandleByDevId", "STALE", "an opener goes on seeing memory that its owner freed (v2)") \
    X(open_uncounted, "halShmemOpenHandleByDevId", "REF", "a repeated open is not counted (v2)") \
    X(close_interior, "halShmemCloseHandle", "VALID", "an address inside an opening closes it") \
    X(close_keeps_hold, "halShmemCloseHandle", "LEAK", "closing does not let go of the share") \
    X(exit_leaks_shares, "process", "XPROC", "what a process held of shared memory outlives it") \
    X(register_overlap, "halHostRegister", "OVER", "a range can be registered twice on one device") \
    X(register_unpinned, "halHostRegister", "REF", "registered memory can be freed") \
    X(register_offset_lost, "halMemHostGetDevPointer", "OFFS", "the offset inside the registration is dropped") \
    X(unregister_interior, "halHostUnregister", "VALID", "an address inside a registration ends it") \
    X(unregister_keeps_pin, "halHostUnregister", "REF", "memory stays in use after it was unregistered") \
    X(unregister_keeps_alias, "halHostUnregister", "STALE", "the device address of memory that was unregistered is still told (v2)") \
    X(pool_any_module, "halMemPoolCreate", "VALID", "a module id other than 48 is accepted") \
    X(pool_odd_size, "halMemPoolCreate", "EDGE", "a size that is no multiple of 2 MiB is accepted") \
    X(pool_any_id, "halMemPoolDestroy", "IDENT", "a pool number is not looked at: any pool is the first one") \
    X(pool_destroy_nothing, "halMemPoolDestroy", "STALE", "a destroyed pool lives on") \
    X(pool_leaks, "halMemPoolDestroy", "LEAK", "memory of a pool is never given back to the device") \
    X(pool_uncounted, "halMemPoolMalloc", "COUNT", "memory of pools does not count as used") \
    X(pool_overlap, "halMemPoolMalloc", "OVER", "a range that is in use is given out again") \
    X(pool_exhausted_ok, "halMemPoolMalloc", "PRESS", "success is answered though the device has no memory left") \
    X(pool_double_free, "halMemPoolFree", "REF", "freeing a range twice, or in part, succeeds") \
    X(pool_free_returns, "halMemPoolFree", "LOST", "memory leaves the pool when it is freed") \
    X(pool_used_drift, "halMemPoolFree", "COUNT", "each free is counted one page short (v3)") \
    X(pool_trim_live, "halMemPoolTrim", "RANGE", "trimming takes memory that is in use") \
    X(pool_trim_page_off, "halMemPoolTrim", "EDGE", "one page less than asked for is kept (v2)") \
    X(pool_trim_size_lost, "halMemPoolTrim", "LOST", "the size that is left is not told (v2)") \
    X(pool_segments_overlap, "halMemPoolAsyncConfig", "OVER", "overlapping ranges are accepted (v3)") \
    X(pool_threshold_lost, "halMemPoolSetAttr", "LOST", "the release threshold stays 0 (v3)") \
    X(pool_threshold_odd, "halMemPoolSetAttr", "VALID", "a threshold of any number of bytes is accepted (v3)") \
    X(pool_mark_stays, "halMemPoolSetAttr", "LOST", "a high-water mark is not reset (v3)") \
    X(pool_reserved_is_used, "halMemPoolGetAttr", "COUNT", "what is reserved is told as what is used (v3)") \
    X(uvm_replica_kept, "managed memory", "STALE", "a write leaves the copies of a read-mostly page on the devices") \
    X(uvm_mostly_survives, "managed memory", "LOST", "a write of the host leaves a page read mostly") \
    X(uvm_mostly_blank, "halMemManagedAdvise", "LOST", "a page on a device loses its bytes when it becomes read mostly") \
    X(uvm_write_lost, "managed memory", "STALE", "a page that returns to a device shows the bytes of its last stay there") \
    X(uvm_swap_in_stale, "managed memory", "STALE", "a page that was swapped out returns with the bytes of the time before") \
    X(uvm_swap_loses_bytes, "managed memory", "PRESS", "a page that is swapped out loses its bytes") \
    X(uvm_swap_drops_write, "managed memory", "RACE", "a page is swapped out while the device writes it, without what is being written") \
    X(uvm_swap_resets_prefetch, "managed memory", "COUNT", "swapping a page out forgets where it was prefetched to") \
    X(uvm_no_swap, "managed memory", "PRESS", "a device that is full refuses an access instead of swapping a page out") \
    X(uvm_capacity_overrun, "managed memory", "PRESS", "a full device takes further pages") \
    X(uvm_peer_blank, "managed memory", "LOST", "a page that moves from device to device loses its bytes") \
    X(uvm_fault_clears_prefer, "managed memory", "LOST", "an access of the host takes the preferred location away") \
    X(uvm_zero_page_shared, "managed memory", "OVER", "untouched pages of several allocations become one and the same page") \
    X(uvm_free_leaves_page, "managed memory", "LEAK", "freeing leaves the copies of pages on the devices") \
    X(uvm_prefer_leaks, "managed memory", "STALE", "the preferred location of freed pages holds for the next allocation") \
    X(uvm_access_replaces, "halMemManagedAdvise", "RANGE", "a further device in accessed-by takes the place of the others") \
    X(uvm_unset_access_all, "halMemManagedAdvise", "RANGE", "taking one device out of accessed-by takes out all") \
    X(uvm_range_short, "halMemManagedAdvise", "EDGE", "a size is rounded down to whole pages") \
    X(uvm_hole_ignored, "halMemManagedAdvise", "VALID", "pages that are not allocated are passed over") \
    X(uvm_advise_behind_hole, "halMemManagedAdvise", "ERRPATH", "pages behind one that failed are advised") \
    X(uvm_location_unchecked, "halMemManagedAdvise", "VALID", "a device number that there cannot be is accepted") \
    X(uvm_prefetch_loses, "halMemManagedPrefetch", "CODE", "a prefetch to a device that is not open succeeds and loses the bytes") \
    X(uvm_prefetch_shifted, "halMemManagedPrefetch", "OFFS", "pages of a prefetch arrive one page further on") \
    X(uvm_prefetch_wraps, "halMemManagedPrefetch", "WRAP", "a size near 2^64 that ends in the window again is accepted") \
    X(uvm_noted_on_failure, "halMemManagedPrefetch", "ERRPATH", "a prefetch that failed is noted as the last one") \
    X(uvm_flags_ignored, "halMemManagedPrefetch", "VALID", "flags that are reserved are accepted") \
    X(uvm_batch_first_location, "halMemManagedPrefetchBatch", "RANGE", "every entry goes to the first location") \
    X(uvm_batch_changes_input, "halMemManagedPrefetchBatch", "ARGS", "the caller's locations are changed") \
    X(uvm_attribute_of_first, "halMemManagedRangeGetAttributes", "RANGE", "the attribute of a range is that of its first page") \
    X(uvm_query_populates, "halMemManagedRangeGetAttributes", "CODE", "asking for attributes gives untouched pages memory") \
    X(uvm_copy_device_device, "managed memory", "CODE", "a copy between two pages on devices succeeds and copies nothing") \
    X(uvm_copy_untouched, "managed memory", "VALID", "an untouched page can be copied from") \
    X(uvm_copy_keeps_replicas, "managed memory", "STALE", "a copy into a read-mostly page leaves its copies on the devices") \
    X(uvm_set_first_copy, "managed memory", "STALE", "setting a read-mostly page leaves its copies on the devices") \
    X(uvm_set_untouched_lost, "managed memory", "LOST", "setting an untouched page succeeds and does nothing") \
    X(uvm_set_first_page, "managed memory", "RANGE", "only the first page of a range is set") \
    X(uvm_read_only_accepted, "managed memory", "UNSUP", "managed memory with the read-only bit is not refused")
/* clang-format on */

#ifdef SOFTHAL_FAULTS
enum softhal_fault {
    FAULT_none,
#define X(name, interface, class, text) FAULT_##name,
    SOFTHAL_FAULT_TABLE(X)
#undef X
};
extern enum softhal_fault softhal_fault;
/* Reads SOFTHAL_FAULT; false if it names no known fault. */
int softhal_fault_select(const char *name);
#define FAULT(name) (softhal_fault == FAULT_##name)
#else
#define FAULT(name) 0
#endif

#endif
