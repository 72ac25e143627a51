/*
 * access.c - halMemSetAccess and halMemGetAccess: who else may use a mapping besides its owner.
 *
 * Rights are kept for whole mappings, one for each device and one for the host (v2 svm_master_mem_map.c).
 * A device's right is a note here, since no device runs code; the host's is real: the CPU faults without.
 */
#include "vmm.h"

static bool is_v2(void)
{
    return generation() == GEN_V2;
}

static drvError_t check_location(const struct drv_mem_location *location)
{
    unsigned limit = is_v2() ? V2_MAX_PHYSICAL : V3_MAX_AGENT;
    if (location->side == MEM_HOST_SIDE) {
        return location->id == 0 ? DRV_ERROR_NONE : DRV_ERROR_INVALID_VALUE;
    }
    return location->side == MEM_DEV_SIDE && location->id < limit ? DRV_ERROR_NONE : DRV_ERROR_INVALID_VALUE;
}

/* All entries are looked at before any is applied; the first bad one decides. */
static drvError_t check_desc(const struct drv_mem_access_desc *desc, size_t count)
{
    uint64_t seen[2] = {0, 0};
    if (desc == NULL || count == 0 || (!is_v2() && count > 66)) {
        return DRV_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < count; i++) {
        if (desc[i].type == MEM_ACCESS_TYPE_NONE || desc[i].type == MEM_ACCESS_TYPE_READ) {
            return DRV_ERROR_NOT_SUPPORT;
        }
        if (desc[i].type != MEM_ACCESS_TYPE_READWRITE || check_location(&desc[i].location) != DRV_ERROR_NONE) {
            return DRV_ERROR_INVALID_VALUE;
        }
        if (!is_v2()) {
            bool device = desc[i].location.side == MEM_DEV_SIDE;
            uint64_t bit = 1ULL << (desc[i].location.id % 64);
            if ((seen[device ? 1 : 0] & bit) != 0) {
                return DRV_ERROR_INVALID_VALUE;
            }
            seen[device ? 1 : 0] |= bit;
        }
    }
    return DRV_ERROR_NONE;
}

static bool is_owner(const struct mapping *mapping, const struct drv_mem_location *location)
{
    unsigned node = location->side == MEM_HOST_SIDE ? HOST_NODE : location->id;
    return mapping->handle->node == node;
}

static bool is_granted(const struct mapping *mapping, const struct drv_mem_location *location)
{
    if (location->side == MEM_HOST_SIDE) {
        return mapping->granted_host;
    }
    return location->id < MAX_DEVICES && ((mapping->granted >> location->id) & 1) != 0;
}

/* What the hardware between owner and target can do; also whether the target is there at all. */
static drvError_t judge(const struct mapping *mapping, const struct drv_mem_location *location)
{
    if (location->side == MEM_HOST_SIDE) {
        return DRV_ERROR_NONE;
    }
    if (mapping->handle->node == HOST_NODE && !coherent_link()) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (!device_is_open(location->id)) {
        return is_v2() ? DRV_ERROR_PARA_ERROR : DRV_ERROR_NOT_EXIST;
    }
    return DRV_ERROR_NONE;
}

static drvError_t grant(struct mapping *mapping, uint64_t address, uint64_t size, const struct drv_mem_location *location)
{
    drvError_t code = judge(mapping, location);
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    if (FAULT(access_replaces)) {
        mapping->granted = 0;
    }
    if (location->side == MEM_DEV_SIDE) {
        mapping->granted |= 1ULL << location->id;
        return DRV_ERROR_NONE;
    }
    if (address % SMALL_PAGE != 0 || size % SMALL_PAGE != 0) {
        return DRV_ERROR_PARA_ERROR;
    }
    size -= FAULT(access_short) && size > 0 ? SMALL_PAGE : 0;
    if (view_expose(address, size) != 0) {
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    mapping->granted_host = true;
    return DRV_ERROR_NONE;
}

/* v2: entry by entry, nothing is taken back when a later one fails. */
static drvError_t v2_set(uint64_t address, uint64_t size, const struct drv_mem_access_desc *desc, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct drv_mem_location *location = &desc[i].location;
        if (location->side == MEM_DEV_SIDE && location->id >= config_get()->devices) {
            return DRV_ERROR_PARA_ERROR;
        }
        struct mapping *mapping = mapping_at(address);
        if (FAULT(access_first_mapping) && mapping != NULL) {
            mapping = live_block_at(address)->maps;
        }
        if (mapping == NULL || size > mapping->start + mapping->size - address) {
            return DRV_ERROR_PARA_ERROR;
        }
        if (is_owner(mapping, location) || is_granted(mapping, location)) {
            if (size != mapping->size) {
                return DRV_ERROR_BUSY;
            }
            continue;
        }
        drvError_t code = grant(mapping, address, size, location);
        if (code != DRV_ERROR_NONE) {
            return code;
        }
    }
    return DRV_ERROR_NONE;
}

static drvError_t v3_set(uint64_t address, uint64_t size, const struct drv_mem_access_desc *desc, size_t count)
{
    if (live_block_at(address) == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    struct mapping *mapping = mapping_at(address);
    if (FAULT(access_first_mapping) && mapping != NULL) {
        mapping = live_block_at(address)->maps;
    }
    if (mapping == NULL || mapping->start != address || mapping->size != size) {
        return DRV_ERROR_PARA_ERROR;
    }
    for (size_t i = 0; i < count; i++) {
        drvError_t code = is_owner(mapping, &desc[i].location) ? DRV_ERROR_NONE : judge(mapping, &desc[i].location);
        if (code != DRV_ERROR_NONE) {
            return code;
        }
    }
    drvError_t code = DRV_ERROR_NONE;
    for (size_t i = 0; i < count && code == DRV_ERROR_NONE; i++) {
        if (!is_owner(mapping, &desc[i].location) && !is_granted(mapping, &desc[i].location)) {
            code = grant(mapping, address, size, &desc[i].location);
        }
    }
    return code;
}

drvError_t halMemSetAccess(void *ptr, size_t size, struct drv_mem_access_desc *desc, size_t count)
{
    uint64_t address = (uint64_t)(uintptr_t)ptr;
    if (ptr == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = check_desc(desc, count);
    if (code == DRV_ERROR_NONE) {
        code = is_v2() ? enter_direct() : enter();
    }
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = is_v2() ? v2_set(address, size, desc, count) : v3_set(address, size, desc, count);
    leave();
    if (FAULT(access_changes_input) && code == DRV_ERROR_NONE) {
        desc[0].location.side = MEM_HOST_NUMA_SIDE;
    }
    return code;
}

drvError_t halMemGetAccess(void *ptr, struct drv_mem_location *location, uint64_t *flags)
{
    uint64_t address = (uint64_t)(uintptr_t)ptr;
    if (ptr == NULL || location == NULL || flags == NULL || check_location(location) != DRV_ERROR_NONE) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = is_v2() ? enter_direct() : enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    uint64_t found = MEM_ACCESS_TYPE_NONE;
    const struct mapping *mapping = mapping_at(address);
    if (mapping == NULL && FAULT(access_end_inclusive)) {
        mapping = mapping_at(address - 1);
    }
    if (is_v2() && location->side == MEM_DEV_SIDE && location->id >= config_get()->devices) {
        code = DRV_ERROR_PARA_ERROR;
    } else if (mapping == NULL) {
        code = !is_v2() && live_block_at(address) == NULL ? DRV_ERROR_INVALID_VALUE : DRV_ERROR_PARA_ERROR;
    } else if (is_owner(mapping, location) || is_granted(mapping, location)) {
        found = MEM_ACCESS_TYPE_READWRITE;
    }
    leave();
    if (code == DRV_ERROR_NONE) {
        *flags = found;
    }
    return code;
}
