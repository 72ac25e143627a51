/* managed.c - managed memory (UVM): what the runtime checks before the driver, and prefetches on a stream. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum { ATTRIBUTES_MAX = 8 };

aclError aclrtMemAllocManaged(void **ptr, uint64_t size, uint32_t flag)
{
    struct context *context = NULL;
    void *made = NULL;
    if (ptr == NULL || flag != ACL_RT_MEM_ATTACH_GLOBAL) {
        return fail(ACL_ERROR_INVALID_PARAM, "ptr is NULL, or flag is not 1");
    }
    uint64_t rounded = (size + (POOL_PAGE - 1)) / POOL_PAGE * POOL_PAGE; /* near 2^64 this is 0 */
    if (rounded == 0) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "size is 0");
    }
    aclError code = enter(&context);
    if (code != ACL_SUCCESS) {
        return code;
    }
    uint64_t device = (uint64_t)(uint32_t)context->device;
    unlock();
    uint64_t flags = (uint64_t)MEM_UVM_VAL << MEM_VIRT_BIT | MEM_PAGE_HUGE | device |
                     (uint64_t)APP_MODULE_ID << MEM_MODULE_ID_BIT;
    code = acl_of(HAL(halMemAlloc, &made, rounded, flags));
    if (FAULT(skip_code_wrong) && code == ACL_ERROR_RT_FEATURE_NOT_SUPPORT) {
        code = ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    if (code == ACL_SUCCESS) {
        *ptr = made;
    }
    return code;
}

static bool device_bad(aclrtMemManagedLocation location)
{
    return location.type == ACL_MEM_LOCATIONTYPE_DEVICE && !device_exists(location.id);
}

static struct managed_place place_of(aclrtMemManagedLocation location)
{
    struct managed_place place = {.type = (uint32_t)location.type, .id = location.id};
    return place;
}

aclError aclrtMemManagedAdvise(const void *const ptr, uint64_t size, aclrtMemManagedAdviseType advise,
                               aclrtMemManagedLocation location)
{
    struct context *context = NULL;
    if (ptr == NULL || size == 0) {
        return fail(ACL_ERROR_INVALID_PARAM, "ptr is NULL, or size is 0");
    }
    if ((unsigned)advise > ACL_MEM_ADVISE_UNSET_ACCESSED_BY || device_bad(location)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "advise is unknown, or there is no such device");
    }
    aclError code = enter(&context);
    if (code != ACL_SUCCESS) {
        return code;
    }
    unlock();
    struct managed_place place = place_of(location);
    if (FAULT(advise_place_swapped)) {
        place.type = (uint32_t)location.id;
        place.id = (int32_t)location.type;
    }
    if (FAULT(advise_unset_lost) && advise % 2 == 1) {
        return ACL_SUCCESS;
    }
    return acl_of(HAL(halMemManagedAdvise, (uint64_t)(uintptr_t)ptr, size, (uint32_t)advise, place));
}

struct prefetch {
    struct task task;
    size_t count, place_count;
    DVdeviceptr *addresses;
    size_t *sizes;
    struct managed_place *places;
    size_t *indices;
};

/* What the driver says now is told to nobody. */
static aclError run_prefetch(struct task *task, struct stream *stream)
{
    struct prefetch *what = (struct prefetch *)task;
    (void)stream;
    (void)HAL(halMemManagedPrefetch, what->addresses[0], what->sizes[0], what->places[0], 0);
    return ACL_SUCCESS;
}

static aclError run_batch(struct task *task, struct stream *stream)
{
    struct prefetch *what = (struct prefetch *)task;
    (void)stream;
    (void)HAL(halMemManagedPrefetchBatch, what->addresses, what->sizes, what->count, what->places, what->indices,
              what->place_count, 0);
    return ACL_SUCCESS;
}

static void drop_prefetch(struct task *task)
{
    struct prefetch *what = (struct prefetch *)task;
    free(what->addresses);
    free(what->sizes);
    free(what->places);
    free(what->indices);
}

static struct prefetch *prefetch_new(size_t count, size_t place_count)
{
    struct prefetch *made = calloc(1, sizeof(*made));
    if (made == NULL) {
        return NULL;
    }
    made->count = count;
    made->place_count = place_count;
    made->addresses = calloc(count, sizeof(*made->addresses));
    made->sizes = calloc(count, sizeof(*made->sizes));
    made->places = calloc(place_count, sizeof(*made->places));
    made->indices = calloc(place_count, sizeof(*made->indices));
    made->task.drop = drop_prefetch;
    if (made->addresses == NULL || made->sizes == NULL || made->places == NULL || made->indices == NULL) {
        drop_prefetch(&made->task);
        free(made);
        return NULL;
    }
    return made;
}

/* The place that is meant: "the node of this thread" is one of this host's, which has one. */
static bool resolve(aclrtMemManagedLocation location, struct managed_place *place)
{
    *place = place_of(location);
    if (location.type == ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT) {
        place->type = ACL_MEM_LOCATIONTYPE_HOST_NUMA;
        place->id = 0;
    }
    return ((unsigned)location.type > ACL_MEM_LOCATIONTYPE_INVALID || FAULT(prefetch_to_nowhere)) &&
           (unsigned)location.type <= ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT;
}

/* Without a context there is no default stream either. */
static aclError no_stream(aclrtStream stream)
{
    struct context *context = NULL;
    if (stream != NULL) {
        return ACL_SUCCESS;
    }
    if (enter(&context) != ACL_SUCCESS) {
        return ACL_ERROR_RT_INTERNAL_ERROR;
    }
    unlock();
    return ACL_SUCCESS;
}

aclError aclrtMemManagedPrefetchAsync(const void *ptr, size_t size, aclrtMemManagedLocation location, uint32_t flags,
                                      aclrtStream stream)
{
    struct managed_place place;
    if (ptr == NULL || size == 0 || flags != 0) {
        return fail(ACL_ERROR_INVALID_PARAM, "ptr is NULL, size is 0, or flags is not 0");
    }
    aclError code = no_stream(stream);
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (device_bad(location)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "there is no such device");
    }
    if (hal()->halMemManagedPrefetch == NULL || is_950()) {
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the driver has no managed memory");
    }
    if (!resolve(location, &place)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "this is no place");
    }
    struct prefetch *what = prefetch_new(1, 1);
    if (what == NULL) {
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    what->task.run = run_prefetch;
    what->addresses[0] = (uint64_t)(uintptr_t)ptr;
    what->sizes[0] = size;
    what->places[0] = place;
    return submit(stream, &what->task);
}

static aclError batch_check(const void **ptrs, size_t count, const aclrtMemManagedLocation *places,
                            const size_t *indices, size_t place_count)
{
    bool ok = indices[0] == 0;
    for (size_t i = 0; i < count && ok; i++) {
        ok = ptrs[i] != NULL;
    }
    for (size_t i = 0; i < place_count && ok; i++) {
        bool ascends = i == 0 || indices[i] > indices[i - 1] || FAULT(prefetch_any_order);
        ok = indices[i] < count && ascends && !device_bad(places[i]);
    }
    return ok ? ACL_SUCCESS : fail(ACL_ERROR_RT_PARAM_INVALID, "an address is NULL, or an index or a place is wrong");
}

aclError aclrtMemManagedPrefetchBatchAsync(const void **ptrs, size_t *sizes, size_t count,
                                           aclrtMemManagedLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                           size_t numPrefetchLocs, uint64_t flags, aclrtStream stream)
{
    if (ptrs == NULL || sizes == NULL || prefetchLocs == NULL || prefetchLocIdxs == NULL || count == 0 ||
        numPrefetchLocs == 0 || flags != 0 || count < numPrefetchLocs) {
        return fail(ACL_ERROR_INVALID_PARAM, "an array is NULL, a count is 0, or flags is not 0");
    }
    aclError code = batch_check(ptrs, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs);
    code = code == ACL_SUCCESS ? no_stream(stream) : code;
    if (code != ACL_SUCCESS) {
        return code;
    }
    struct prefetch *what = prefetch_new(count, numPrefetchLocs);
    if (what == NULL) {
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    bool places_ok = true;
    for (size_t i = 0; i < numPrefetchLocs; i++) {
        places_ok = resolve(prefetchLocs[i], &what->places[i]) && places_ok;
        what->indices[i] = prefetchLocIdxs[i];
    }
    if (!places_ok || hal()->halMemManagedPrefetchBatch == NULL || is_950()) {
        drop_prefetch(&what->task);
        free(what);
        return places_ok ? fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the driver has no managed memory")
                         : fail(ACL_ERROR_RT_PARAM_INVALID, "this is no place");
    }
    for (size_t i = 0; i < count; i++) {
        what->addresses[i] = (uint64_t)(uintptr_t)ptrs[i];
        what->sizes[i] = sizes[i];
    }
    what->task.run = run_batch;
    return submit(stream, &what->task);
}

static bool attributes_known(const aclrtMemManagedRangeAttribute *attributes, size_t count)
{
    for (size_t i = 0; i < count && i < ATTRIBUTES_MAX; i++) {
        if (attributes[i] < ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY ||
            attributes[i] > ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID) {
            return false;
        }
    }
    return true;
}

aclError aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute *attributes, size_t numAttributes, const void *ptr,
                                 size_t size, void **data, size_t *dataSizes)
{
    uint32_t wanted[ATTRIBUTES_MAX];
    if (attributes == NULL || ptr == NULL || size == 0 || data == NULL || dataSizes == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "an argument is NULL, or size is 0");
    }
    if (numAttributes == 0 || !attributes_known(attributes, numAttributes)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "an attribute is unknown");
    }
    if (numAttributes > ATTRIBUTES_MAX) {
        return fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "there are not so many attributes");
    }
    for (size_t i = 0; i < numAttributes; i++) {
        wanted[i] = (uint32_t)attributes[FAULT(attrs_first_only) ? 0 : i];
    }
    if (FAULT(attrs_first_page) && size > POOL_PAGE) {
        size = POOL_PAGE;
    }
    return acl_of(HAL(halMemManagedRangeGetAttributes, data, dataSizes, wanted, numAttributes,
                      (uint64_t)(uintptr_t)ptr, size));
}

aclError aclrtMemManagedGetAttr(aclrtMemManagedRangeAttribute attribute, const void *ptr, size_t size, void *data,
                                size_t dataSize)
{
    if (ptr == NULL || size == 0 || data == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "an argument is NULL, or size is 0");
    }
    return aclrtMemManagedGetAttrs(&attribute, 1, ptr, size, &data, &dataSize);
}
