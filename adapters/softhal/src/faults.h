/*
 * faults.h - seeded faults.  A suite is only as good as the faults it finds, so the fault build can
 * be told (SOFTHAL_FAULT=name) to misbehave in one known way.  In the normal build FAULT(x) is the
 * constant 0 and nothing of this remains.
 *
 * The list is data: name, interface, class, description.  Classes are those of faults that public
 * drivers, runtimes and allocators really had (validation, stale identity, reference counting, edge,
 * range, race, code, order, error path, leak, lost setting, identity, counter, process exit, wrap,
 * overlap, unsupported feature, caller's arguments, memory pressure).
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
    X(race_same_address, "halMemAlloc", "RACE", "two threads that allocate at once can get one address")
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
