/*
 * shmem.c - sharing an allocation by name: make a name, say who may open it, and take it back.
 *
 * What belongs to whom is judged under the domain lock (v2 svm_shmem_node.c, svm_shmem_interprocess.c;
 * v3 svm_ipc.c, casm_key.c).  Opening is in open.c.
 */
#include <string.h>

#include "caprice.h"
#include "vmm.h"

enum { PIDS_AT_ONCE = 31, V2_PIDS = 32768, V3_PIDS = 65535 };

static bool is_v2(void)
{
    return generation() == GEN_V2;
}

/* v2 calls that go straight to the driver node do not initialise the process. */
static drvError_t enter_share(void)
{
    drvError_t code = is_v2() ? enter_direct() : enter();
    if (code == DRV_ERROR_NONE) {
        domain_enter();
    }
    return code;
}

static void leave_share(void)
{
    domain_unlock();
    leave();
}

/* Where the bytes of a range are, and whose they are; v2 also takes ranges over neighbouring blocks. */
struct source {
    unsigned node;
    uint64_t granule, offset, size;
};

static bool all_shareable(const struct block *block, uint64_t address, uint64_t size)
{
    const struct heap *heap = block->heap;
    uint64_t end = address + size;
    if (size > heap->base + heap->size - address) {
        return false;
    }
    while (address < end) {
        block = live_block_at(address);
        if (block == NULL) {
            return false;
        }
        address = block->start + block->size;
    }
    return true;
}

static drvError_t v2_source(uint64_t address, uint64_t size, struct source *source)
{
    const struct block *block = live_block_at(address);
    const struct mapping *mapping = mapping_at(address);
    if (block == NULL || size == 0) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (mapping != NULL) {
        const struct drv_mem_handle *handle = mapping->handle;
        uint64_t into = address - mapping->start;
        if (handle->kind != HANDLE_LOCAL || handle->node == HOST_NODE || address % handle->granule != 0 ||
            size > mapping->size - into || handle->gone) {
            return DRV_ERROR_PARA_ERROR;
        }
        *source = (struct source){handle->node, handle->granule, handle->offset + into, size};
        return DRV_ERROR_NONE;
    }
    enum kind kind = block->heap->kind;
    if ((kind != KIND_DEV && kind != KIND_DVPP) || address % block->granule != 0 ||
        !all_shareable(block, address, size)) {
        return DRV_ERROR_PARA_ERROR;
    }
    *source = (struct source){block->heap->node, block->granule, address, size};
    return DRV_ERROR_NONE;
}

static drvError_t v3_source(uint64_t address, uint64_t size, struct source *source)
{
    const struct block *block = live_block_at(address);
    if (block == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    enum kind kind = block->heap->kind;
    uint64_t align = block->granule == SMALL_PAGE ? SMALL_PAGE : HUGE_PAGE;
    if ((kind != KIND_DEV && kind != KIND_DVPP) || address % align != 0 ||
        size > block->start + block->requested - address) {
        return DRV_ERROR_PARA_ERROR;
    }
    *source = (struct source){block->heap->node, block->granule, address, round_up(size, align)};
    return device_is_open(block->heap->node) ? DRV_ERROR_NONE : DRV_ERROR_NOT_EXIST;
}

DVresult halShmemCreateHandle(DVdeviceptr vptr, size_t byte_count, char *name, uint32_t name_len)
{
    struct source source;
    char text[NAME_SIZE];
    (void)config_get();
    if (name == NULL || name_len < NAME_SIZE || (!is_v2() && (byte_count == 0 || vptr == 0))) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = enter_share();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = is_v2() ? v2_source(vptr, byte_count, &source) : v3_source(vptr, byte_count, &source);
    struct share *share = code == DRV_ERROR_NONE ? share_make(SHARE_NAME) : NULL;
    if (share != NULL) {
        share->node = source.node;
        share->granule = source.granule;
        share->offset = source.offset;
        share->size = source.size;
        share->source = vptr;
        share->inode = backing_inode();
        share->owner_fd = backing_fd();
        name_of(share, text);
    } else if (code == DRV_ERROR_NONE) {
        code = DRV_ERROR_OUT_OF_MEMORY;
    }
    leave_share();
    if (code == DRV_ERROR_NONE) {
        memcpy(name, text, is_v2() ? NAME_SIZE : strlen(text) + 1);
    }
    return code;
}

/* The share of a name; v3 tells a name that cannot be one from one that is unknown. */
static drvError_t find(const char *name, struct share **share)
{
    if (!is_v2() && name_parse(name) == 0) {
        return caprice_code(DRV_ERROR_INVALID_VALUE, DRV_ERROR_PARA_ERROR);
    }
    *share = share_named(name);
    if (*share == NULL) {
        return caprice_code(DRV_ERROR_PARA_ERROR, DRV_ERROR_INVALID_VALUE);
    }
    if (!is_v2() && (*share)->valid == 0) {
        return DRV_ERROR_PARA_ERROR;
    }
    return DRV_ERROR_NONE;
}

static bool is_owner(const struct share *share)
{
    return share->owner == own_slot();
}

static drvError_t destroy(struct share *share)
{
    if (!is_owner(share) && !FAULT(destroy_by_anyone)) {
        return caprice_code(is_v2() ? DRV_ERROR_IOCRL_FAIL : DRV_ERROR_OPER_NOT_PERMITTED, DRV_ERROR_PARA_ERROR);
    }
    if (share->valid == 0) {
        /* v2: destroyed already, still open somewhere */
        return caprice_code(DRV_ERROR_INVALID_HANDLE, DRV_ERROR_PARA_ERROR);
    }
    share->valid = 0;
    share->pages_gone = is_v2() ? 1 : 0; /* v2 takes the pages from all openers at once */
    share_settle(share);
    return DRV_ERROR_NONE;
}

DVresult halShmemDestroyHandle(const char *name)
{
    struct share *share = NULL;
    if (!name_is_string(name)) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = enter_share();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = find(name, &share);
    if (code == DRV_ERROR_NONE && !FAULT(destroy_does_nothing)) {
        code = destroy(share);
    }
    leave_share();
    return code;
}

static drvError_t v2_may_add(const struct share *share, int num)
{
    if (share->no_white_list != 0 && !FAULT(white_modes_mix)) {
        return DRV_ERROR_OPER_NOT_PERMITTED;
    }
    if (share->valid == 0) {
        return caprice_code(DRV_ERROR_INVALID_HANDLE, DRV_ERROR_PARA_ERROR);
    }
    if (!is_owner(share)) {
        return caprice_code(DRV_ERROR_PARA_ERROR, DRV_ERROR_OPER_NOT_PERMITTED);
    }
    return share->white_count + (uint32_t)num > V2_PIDS ? DRV_ERROR_PARA_ERROR : DRV_ERROR_NONE;
}

static drvError_t add_pids(struct share *share, const int *pid, int num)
{
    drvError_t code = is_v2() ? v2_may_add(share, num) : DRV_ERROR_NONE;
    int added = 0;
    for (int i = 0; i < num && code == DRV_ERROR_NONE; i++) {
        if (pid[i] == 0 || (is_v2() && pid[i] == slot_pid(own_slot()))) {
            continue;
        }
        if (!is_v2() && (!is_owner(share) || (share->no_white_list != 0 && !FAULT(white_modes_mix)))) {
            return DRV_ERROR_OPER_NOT_PERMITTED;
        }
        if (!is_v2() && share->white_count >= V3_PIDS) {
            continue;
        }
        if (FAULT(white_first_only) && added > 0) {
            continue;
        }
        /* By caprice only while none is entered: which ones a refusal leaves is not stated as a rule. */
        bool refused = is_v2() && added == 0 && caprice_short();
        if (!refused && white_add(share, pid[i]) == 0) {
            added++;
        } else if (is_v2()) {
            code = DRV_ERROR_OUT_OF_MEMORY;
        }
    }
    return code == DRV_ERROR_NONE && added == 0 ? DRV_ERROR_PARA_ERROR : code;
}

DVresult halShmemSetPidHandle(const char *name, int pid[], int num)
{
    struct share *share = NULL;
    if (pid == NULL || num <= 0 || num > PIDS_AT_ONCE || !name_is_string(name)) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = enter_share();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = find(name, &share);
    /* v3 asks for each pid by itself: an unknown key only means that none could be added. */
    if (code == DRV_ERROR_NONE) {
        code = add_pids(share, pid, num);
    }
    leave_share();
    return code;
}

/* There is one server here, so every sdid that is not this server's leads nowhere. */
DVresult halShmemSetPodPid(const char *name, uint32_t sdid, int pid[], int num)
{
    if (pid == NULL || num <= 0 || num > PIDS_AT_ONCE || !name_is_string(name)) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (name_parse(name) == 0) {
        return is_v2() ? DRV_ERROR_PARA_ERROR : DRV_ERROR_INVALID_VALUE;
    }
    if (sdid != 0) {
        return is_v2() ? DRV_ERROR_INVALID_HANDLE : DRV_ERROR_PARA_ERROR;
    }
    return halShmemSetPidHandle(name, pid, num);
}

static drvError_t set_no_white_list(struct share *share)
{
    if (!is_owner(share)) {
        return DRV_ERROR_OPER_NOT_PERMITTED;
    }
    if (share->white_count != 0 && !FAULT(white_modes_mix)) {
        return DRV_ERROR_OPER_NOT_PERMITTED;
    }
    share->no_white_list = FAULT(attribute_lost) ? 0 : 1;
    return DRV_ERROR_NONE;
}

static drvError_t v2_set_attribute(struct share *share, uint32_t type, uint64_t attr)
{
    if (!is_owner(share)) {
        return DRV_ERROR_OPER_NOT_PERMITTED;
    }
    if (type == SHMEM_ATTR_TYPE_MEM_MAP) {
        share->route = (uint32_t)attr;
        return DRV_ERROR_NONE;
    }
    return attr == 0 ? DRV_ERROR_NOT_SUPPORT : set_no_white_list(share);
}

/* What is refused before the name is looked up; the order differs (v2 devmm_svm.c, v3 svm_ipc.c). */
static drvError_t check_attribute(const char *name, uint32_t type, uint64_t attr)
{
    bool string = name_is_string(name);
    if (is_v2()) {
        if (!string || type >= SHMEM_ATTR_TYPE_MAX) {
            return string ? DRV_ERROR_NOT_SUPPORT : DRV_ERROR_INVALID_VALUE;
        }
        return DRV_ERROR_NONE;
    }
    if (type != SHMEM_ATTR_TYPE_NO_WLIST_IN_SERVER) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (!string || name_parse(name) == 0) {
        return DRV_ERROR_INVALID_VALUE;
    }
    return attr == 0 ? DRV_ERROR_NOT_SUPPORT : attr == 1 ? DRV_ERROR_NONE : DRV_ERROR_PARA_ERROR;
}

DVresult halShmemSetAttribute(const char *name, uint32_t type, uint64_t attr)
{
    struct share *share = NULL;
    drvError_t code = check_attribute(name, type, attr);
    if (code == DRV_ERROR_NONE) {
        code = enter_share();
    }
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = is_v2() && attr > 1 ? DRV_ERROR_PARA_ERROR : find(name, &share);
    if (code == DRV_ERROR_NONE) {
        code = is_v2() ? v2_set_attribute(share, type, attr) : set_no_white_list(share);
    }
    leave_share();
    return code;
}

DVresult halShmemGetAttribute(const char *name, enum ShmemAttrType type, uint64_t *attr)
{
    struct share *share = NULL;
    uint64_t value = 0;
    bool known = is_v2() ? (unsigned)type < SHMEM_ATTR_TYPE_MAX : type == SHMEM_ATTR_TYPE_NO_WLIST_IN_SERVER;
    if (attr == NULL || (is_v2() && !name_is_string(name))) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (!known) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (!name_is_string(name)) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = enter_share();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = find(name, &share);
    if (code == DRV_ERROR_NONE) {
        value = type == SHMEM_ATTR_TYPE_MEM_MAP ? share->route : share->no_white_list;
    }
    leave_share();
    if (code == DRV_ERROR_NONE) {
        *attr = value;
    }
    return code;
}

DVresult halShmemInfoGet(const char *name, struct ShmemGetInfo *info)
{
    struct share *share = NULL;
    uint32_t device = 0;
    if (!name_is_string(name) || info == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = enter_share();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = find(name, &share);
    if (code == DRV_ERROR_NONE && !is_v2() && !share_permits(share)) {
        code = DRV_ERROR_PARA_ERROR; /* only v3 asks who wants to know */
    }
    if (code == DRV_ERROR_NONE) {
        device = share->node;
    }
    leave_share();
    if (code == DRV_ERROR_NONE) {
        info->phyDevid = FAULT(info_wrong_device) ? device ^ 1U : device;
    }
    return code;
}
