/*
 * faults.h - seeded faults of the runtime: the fault build can be told (SOFTACL_FAULT=name) to misbehave in one
 * known way.  In the normal build FAULT(x) is the constant 0 and nothing of this remains.  The list is data:
 * name, interface, class, description, as in the software driver's list.
 */
#ifndef SOFTACL_FAULTS_H
#define SOFTACL_FAULTS_H

/* clang-format off */
#define SOFTACL_FAULT_TABLE(X) \
    X(code_no_memory, "aclrtMalloc", "CODE", "lack of memory is answered with 507899 instead of 207001") \
    X(code_unlisted, "error codes", "CODE", "a driver code without a counterpart becomes 107000 instead of 507899") \
    X(finalize_forgotten, "aclFinalize", "LOST", "finalizing twice succeeds twice") \
    X(reset_keeps_device, "aclrtResetDevice", "LEAK", "the driver's device is not closed with the last reference") \
    X(reset_force_counts, "aclrtResetDeviceForce", "LOST", "one reference is dropped instead of all") \
    X(malloc_first_device, "aclrtMalloc", "IDENT", "memory always comes from device 0") \
    X(free_error_lost, "aclrtFree", "CODE", "the driver's refusal is answered with success") \
    X(free_host_any, "aclrtFreeHost", "VALID", "device memory is accepted and freed") \
    X(pointer_device_lost, "aclrtPointerGetAttributes", "IDENT", "the device is always 0") \
    X(copy_short, "aclrtMemcpy", "EDGE", "the last byte of more than 4096 is not copied") \
    X(copy_ignores_max, "aclrtMemcpy", "VALID", "count > destMax is accepted") \
    X(copy_reads_early, "aclrtMemcpyAsync", "ORDER", "the source is read at the call, before the tasks ahead have run") \
    X(pageable_no_wait, "aclrtMemcpyAsync", "ORDER", "a copy from ordinary memory overtakes the tasks ahead") \
    X(pageable_reads_late, "aclrtMemcpyAsync", "ORDER", "ordinary memory is read after the call is back") \
    X(kind_mismatch, "aclrtMemcpyAsync", "VALID", "a kind that does not suit the addresses is accepted") \
    X(memset_wide_value, "aclrtMemsetAsync", "EDGE", "a value above 255 is limited instead of cut to 8 bits") \
    X(copy2d_pitches_swapped, "aclrtMemcpy2d", "CODE", "the source is walked with the destination's pitch") \
    X(value_unsigned, "aclrtValueWait", "EDGE", "greater or equal is decided without a sign") \
    X(wait_and_as_equal, "aclrtValueWait", "CODE", "waiting for a bit in both is waiting for the value itself") \
    X(wait_and_all_bits, "aclrtValueWait", "EDGE", "waiting for a bit in both is waiting for all of the value's") \
    X(wait_nor_as_nand, "aclrtValueWait", "CODE", "waiting for a bit in neither ends with one that one of them lacks") \
    X(value_wait_lost, "aclrtValueWait", "ORDER", "the wait ends at once") \
    X(async_error_lost, "aclrtSynchronizeStream", "CODE", "an error of a task is not reported") \
    X(sync_early, "aclrtSynchronizeStream", "ORDER", "the wait ends before the last task") \
    X(destroy_loses_work, "aclrtDestroyStream", "ORDER", "tasks that are pending are given up") \
    X(event_first_record, "aclrtRecordEvent", "STALE", "a second record does not move the event") \
    X(event_record_early, "aclrtRecordEvent", "ORDER", "the event does not cover the last task before it") \
    X(event_wait_lost, "aclrtStreamWaitEvent", "ORDER", "the stream does not wait") \
    X(reuse_any_stream, "aclrtMemPoolMallocAsync", "ORDER", "freed memory goes to any stream without any order") \
    X(reuse_before_event, "aclrtMemPoolMallocAsync", "ORDER", "with event dependencies on, no event is asked for") \
    X(reuse_hopeful, "aclrtMemPoolMallocAsync", "ORDER", "opportunistic reuse does not look whether the free was executed") \
    X(reuse_no_wait, "aclrtMemPoolMallocAsync", "ORDER", "reuse by an internal dependency does not wait") \
    X(grants_overlap, "aclrtMemPoolMallocAsync", "OVER", "the rest of a split begins a page early") \
    X(exhaustion_success, "aclrtMemPoolMallocAsync", "PRESS", "an exhausted pool answers with success") \
    X(exhaustion_hidden, "aclrtSynchronizeStream", "CODE", "a device without memory for a pool is not reported") \
    X(free_by_owner, "aclrtMemPoolFreeAsync", "ORDER", "a free counts as one of the allocating stream") \
    X(free_unordered, "aclrtMemPoolFreeAsync", "ORDER", "memory is freed at the call, not when the stream gets there") \
    X(double_free, "aclrtMemPoolFreeAsync", "REF", "freeing twice succeeds twice") \
    X(used_drift, "aclrtMemPoolFreeAsync", "COUNT", "the used bytes do not fall with a free (v2)") \
    X(destroy_leaks, "aclrtMemPoolDestroy", "LEAK", "the driver keeps the pool") \
    X(trim_ignores_keep, "aclrtMemPoolTrimTo", "RANGE", "everything that is free goes, whatever is to be kept (v2)") \
    X(trim_pending, "aclrtMemPoolTrimTo", "ORDER", "memory whose free is still to come is given to others (v2)") \
    X(threshold_page_off, "aclrtMemPoolSetAttr", "EDGE", "a synchronisation leaves a page less than the threshold (v2)") \
    X(mark_stays, "aclrtMemPoolSetAttr", "LOST", "a high-water mark is not reset (v2)") \
    X(unload_forgotten, "aclrtBinaryUnLoad", "STALE", "an unloaded binary lives on") \
    X(placeholder_overlap, "aclrtKernelArgsGetPlaceHolderBuffer", "OVER", "place-holders share their bytes") \
    X(args_shifted, "aclrtLaunchKernelWithConfig", "OFFS", "a kernel gets its parameters from the second one on") \
    X(args_read_late, "aclrtLaunchKernelWithConfig", "ORDER", "parameters are read when the kernel runs") \
    X(last_block_lost, "aclrtLaunchKernelWithConfig", "EDGE", "the last block does not run") \
    X(advise_place_swapped, "aclrtMemManagedAdvise", "ARGS", "type and number of a place change places (v2)") \
    X(advise_unset_lost, "aclrtMemManagedAdvise", "LOST", "what was set is not taken back (v2)") \
    X(prefetch_to_nowhere, "aclrtMemManagedPrefetchAsync", "VALID", "pages are sent to no place at all (v2)") \
    X(prefetch_any_order, "aclrtMemManagedPrefetchBatchAsync", "VALID", "places may come in any order (v2)") \
    X(attrs_first_only, "aclrtMemManagedGetAttrs", "CODE", "every answer is that to the first question (v2)") \
    X(attrs_first_page, "aclrtMemManagedGetAttrs", "RANGE", "only the first page of a range is looked at (v2)") \
    X(release_address_lost, "aclrtReleaseMemAddress", "LEAK", "the driver keeps the addresses") \
    X(physical_first_device, "aclrtMallocPhysical", "IDENT", "physical memory always comes from device 0") \
    X(physical_ddr_on_device, "aclrtMallocPhysical", "VALID", "a kind that only the host has is given on a device") \
    X(free_physical_lost, "aclrtFreePhysical", "LEAK", "the driver keeps the memory") \
    X(map_offset_ignored, "aclrtMapMem", "VALID", "an offset is accepted, and nothing is made of it") \
    X(unmap_lost, "aclrtUnmapMem", "LOST", "the mapping stays") \
    X(access_not_given, "aclrtMemSetAccess", "LOST", "nobody is given access") \
    X(access_first_only, "aclrtMemSetAccess", "CODE", "of several places only the first is given access") \
    X(access_places_shifted, "aclrtMemSetAccess", "OFFS", "places are taken for ones of the driver, which are shorter") \
    X(retain_not_counted, "aclrtMemRetainAllocationHandle", "REF", "the handle comes without a reference") \
    X(granularity_halved, "aclrtMemGetAllocationGranularity", "CODE", "half of the granularity is told") \
    X(props_device_lost, "aclrtMemGetAllocationPropertiesFromHandle", "IDENT", "the device is always 0") \
    X(export_open_to_all, "aclrtMemExportToShareableHandle", "XPROC", "any process may import what has a list") \
    X(last_pid_lost, "aclrtMemSetPidToShareableHandle", "EDGE", "the last of several processes is not let in") \
    X(export_flag_lost, "aclrtMemExportToShareableHandle", "LOST", "an export without a list of processes has one") \
    X(close_destroys, "aclrtIpcMemClose", "CODE", "an importer's close destroys the name") \
    X(register_overlap, "aclrtHostRegisterV2", "OVER", "pinned memory can be registered twice") \
    X(device_pointer_base, "aclrtHostGetDevicePointer", "OFFS", "the offset inside the registration is dropped") \
    X(skip_code_wrong, "aclrtMemAllocManaged", "UNSUP", "a product without it is answered as one without memory (v3)")
/* clang-format on */

#ifdef SOFTACL_FAULTS
enum softacl_fault {
    FAULT_none,
#define X(name, interface, class, text) FAULT_##name,
    SOFTACL_FAULT_TABLE(X)
#undef X
};
extern enum softacl_fault softacl_fault;
#define FAULT(name) (softacl_fault == FAULT_##name)
#else
#define FAULT(name) 0
#endif

#endif
