/* info.c - halMemGetInfo: counters of a device, and the check of a list of addresses. */
#include <string.h>

#include "vmm.h"

static uint64_t round_down(uint64_t value, uint64_t unit)
{
    return value / unit * unit;
}

/*
 * The counters come in two disjoint parts, 4 KiB pages on one side and 2 MiB and 1 GiB pages on the
 * other, so that their sum is the device.  The memory is one pool here, so the border is elastic: an
 * eighth is shown as small pages, and use beyond one side's share is shown on the other.
 */
static void split(const struct usage *usage, struct MemPhyInfo *info)
{
    uint64_t small_total = round_down(usage->capacity / 8, HUGE_PAGE);
    uint64_t huge_total = usage->capacity - small_total;
    uint64_t small_used = usage->used[CLASS_SMALL];
    uint64_t huge_used = usage->used[CLASS_HUGE] + usage->used[CLASS_GIANT];
    if (small_used > small_total) {
        huge_used += small_used - small_total;
        small_used = small_total;
    }
    if (huge_used > huge_total) {
        small_used += huge_used - huge_total;
        huge_used = huge_total;
    }
    if (FAULT(info_free_is_total)) {
        small_used = 0;
        huge_used = 0;
    }
    info->total = small_total;
    info->free = small_total - small_used;
    info->huge_total = huge_total;
    info->huge_free = huge_total - huge_used;
    info->giant_total = round_down(huge_total, GIANT_PAGE);
    info->giant_free = round_down(info->huge_free, GIANT_PAGE);
}

/* These products have HBM only; its peer-to-peer part is the same memory. */
static drvError_t query_size(unsigned device, unsigned type, struct MemPhyInfo *out)
{
    struct MemPhyInfo info = {0};
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    bool present = device < config_get()->devices;
    if (generation() == GEN_V3 && !device_is_open(device)) {
        code = DRV_ERROR_NOT_EXIST;
    } else if (!present) {
        code = DRV_ERROR_PARA_ERROR;
    } else if (type == MEM_INFO_TYPE_HBM_SIZE || type == MEM_INFO_TYPE_HBM_P2P_SIZE) {
        struct usage usage;
        blocks_unpark();
        domain_usage(device, &usage);
        split(&usage, &info);
    }
    leave();
    if (code == DRV_ERROR_NONE) {
        *out = info;
    }
    return code;
}

static uint32_t type_bits(const struct block *block)
{
    switch (block->heap->kind) {
        case KIND_DVPP:
            return MEM_DVPP_TYPE;
        case KIND_DEV:
        case KIND_READ_ONLY:
        case KIND_DEV_READ_ONLY:
        case KIND_CP_ONLY:
            return MEM_DEV_TYPE;
        default:
            return 0;
    }
}

static bool address_is(uint64_t address, unsigned device, uint32_t mask)
{
    const struct block *block = live_block_at(address);
    const struct mapping *mapping = mapping_at(address);
    if (mapping != NULL) {
        return mapping->handle->node == device && (mask & MEM_RESERVE_TYPE) != 0;
    }
    if (block == NULL || block->heap->node != device) {
        return false;
    }
    /* v3 does not tell DVPP from DEV. */
    uint32_t bits = generation() == GEN_V3 && type_bits(block) != 0 ? MEM_DEV_TYPE | MEM_DVPP_TYPE : type_bits(block);
    return (bits & mask) != 0;
}

static drvError_t check_addresses(unsigned device, struct MemAddrInfo *info)
{
    uint64_t copy[SVM_ADDR_CHECK_MAX_NUM];
    bool v2 = generation() == GEN_V2;
    if (info->addr == NULL || info->cnt == 0 || info->cnt > SVM_ADDR_CHECK_MAX_NUM) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if ((info->mem_type & (MEM_SVM_TYPE | MEM_HOST_TYPE | MEM_HOST_AGENT_TYPE)) != 0) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    uint32_t count = info->cnt;
    uint32_t mask = info->mem_type;
    memcpy(copy, info->addr, count * sizeof(copy[0]));
    drvError_t code = v2 ? enter_direct() : enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    bool ok = true;
    for (uint32_t i = 0; i < count && ok; i++) {
        ok = address_is(copy[i], device, mask);
    }
    leave();
    info->flag = ok ? 1 : 0;
    if (ok) {
        return DRV_ERROR_NONE;
    }
    return v2 ? DRV_ERROR_INVALID_HANDLE : DRV_ERROR_INVALID_VALUE;
}

/* v3 only: this device speaks PCIe, so no segment has a token. */
static drvError_t query_token(const struct MemUbTokenInfo *info)
{
    (void)info;
    return DRV_ERROR_INVALID_VALUE;
}

DVresult halMemGetInfo(DVdevice device, unsigned int type, struct MemInfo *info)
{
    bool v2 = generation() == GEN_V2;
    if (device >= (unsigned)(v2 ? V2_MAX_PHYSICAL : V3_MAX_AGENT)) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (info == NULL) {
        return FAULT(info_null_code) ? DRV_ERROR_PARA_ERROR : DRV_ERROR_INVALID_VALUE;
    }
    switch (type) {
        case MEM_INFO_TYPE_DDR_SIZE:
        case MEM_INFO_TYPE_HBM_SIZE:
        case MEM_INFO_TYPE_DDR_P2P_SIZE:
        case MEM_INFO_TYPE_HBM_P2P_SIZE:
            return query_size(device, type, &info->phy_info);
        case MEM_INFO_TYPE_ADDR_CHECK:
            return check_addresses(device, &info->addr_info);
        case MEM_INFO_TYPE_UB_TOKEN_INFO:
            return v2 ? DRV_ERROR_NOT_SUPPORT : query_token(&info->ub_token_info);
        default:
            return DRV_ERROR_NOT_SUPPORT;
    }
}
