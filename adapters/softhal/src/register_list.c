/* register_list.c - what is registered with which device, and under which address the device knows it. */
#include <stdlib.h>
#include <sys/mman.h>

#include "register.h"
#include "window.h"

struct registration *registrations;
static struct registration *ended; /* by a seeded fault: still told of */
static struct window device_view; /* addresses for devices only, closed to the CPU */

#ifdef MOVED_WINDOWS
#define DEVICE_VIEW_BASE 0x330000000000ULL
#else
#define DEVICE_VIEW_BASE 0x40000000000ULL
#endif

/* 910_93 sits on a coherent link; the others on PCIe, and let devices through to host memory. */
bool coherent_link(void)
{
    return config_get()->profile == PROFILE_910_93;
}

bool pcie_through(void)
{
    return !coherent_link();
}

static bool covers(const struct registration *one, uint64_t address)
{
    return address >= one->src && address - one->src < one->size;
}

bool registration_overlaps(uint64_t src, uint64_t size, unsigned type, unsigned device)
{
    for (const struct registration *one = registrations; one != NULL; one = one->next) {
        if (one->type == type && one->device == device && one->src < src + size && src < one->src + one->size) {
            return !FAULT(register_overlap);
        }
    }
    return false;
}

static uint64_t first_gap(uint64_t size)
{
    uint64_t at = device_view.base;
    const struct registration *one = registrations;
    while (one != NULL) {
        if (one->placed && one->dst < at + size && at < one->dst + one->size) {
            at = one->dst + one->size;
            one = registrations;
        } else {
            one = one->next;
        }
    }
    return at - device_view.base + size <= device_view.size ? at : 0;
}

uint64_t registration_place(uint64_t src, uint64_t size)
{
    if (device_view.size == 0 && !window_hold(&device_view, DEVICE_VIEW_BASE, TIB)) {
        return 0;
    }
    /* v3: one buffer has one address, on however many devices it is registered. */
    for (const struct registration *one = registrations; one != NULL && generation() == GEN_V3; one = one->next) {
        if (one->placed && one->src == src && one->size == size) {
            return one->dst;
        }
    }
    return first_gap(size);
}

drvError_t registration_enter(const struct registration *wish)
{
    struct registration *made = malloc(sizeof(*made));
    if (made == NULL) {
        return DRV_ERROR_OUT_OF_MEMORY;
    }
    *made = *wish;
    made->recorded = state.registrations_recorded;
    /* The first that was recorded is found first. */
    struct registration **link = &registrations;
    while (*link != NULL) {
        link = &(*link)->next;
    }
    made->next = NULL;
    *link = made;
    if (made->block != NULL && !FAULT(register_unpinned)) {
        made->block->pins++;
        made->block->registered++;
    }
    return DRV_ERROR_NONE;
}

void registration_remove(struct registration *registration)
{
    struct registration **link = &registrations;
    while (*link != registration) {
        link = &(*link)->next;
    }
    *link = registration->next;
    if (registration->exposed) {
        memory_hide(registration->src, registration->size);
    }
    if (registration->block != NULL && !FAULT(register_unpinned) && !FAULT(unregister_keeps_pin)) {
        registration->block->registered--;
        block_unpin(registration->block);
    }
    if (FAULT(unregister_keeps_alias)) {
        registration->next = ended;
        ended = registration;
        return;
    }
    free(registration);
}

/* mincore knows which addresses are mapped, without touching them. */
bool pages_exist(uint64_t address, uint64_t size)
{
    unsigned char pages[256];
    while (size > 0) {
        uint64_t part = size < sizeof(pages) * SMALL_PAGE ? size : sizeof(pages) * SMALL_PAGE;
        if (mincore((void *)(uintptr_t)address, part, pages) != 0) {
            return false;
        }
        address += part;
        size -= part;
    }
    return true;
}

bool registered_alias(uint64_t *address, uint64_t size)
{
    if (device_view.size == 0 || !window_has(&device_view, *address)) {
        return false;
    }
    for (const struct registration *one = registrations; one != NULL; one = one->next) {
        if (one->placed && *address >= one->dst && *address - one->dst < one->size &&
            size <= one->size - (*address - one->dst)) {
            *address = one->src + (*address - one->dst);
            return true;
        }
    }
    return false;
}

bool is_registered(uint64_t address)
{
    for (const struct registration *one = registrations; one != NULL; one = one->next) {
        if (one->recorded && one->local && covers(one, address)) {
            return true;
        }
    }
    return false;
}

void registrations_close_device(unsigned device)
{
    struct registration *next = NULL;
    for (struct registration *one = registrations; one != NULL; one = next) {
        next = one->next;
        if (one->device == device) {
            registration_remove(one);
        }
    }
}

void registrations_forget(void)
{
    while (registrations != NULL) {
        struct registration *next = registrations->next;
        free(registrations);
        registrations = next;
    }
    device_view.size = 0;
}

/* v2 only: the device's address of host memory, from any address inside a registration. */
/* Where a device finds host memory that a list knows to be registered and recorded; 0 if nowhere. */
static uint64_t place_told(const struct registration *list, uint64_t address, unsigned device)
{
    for (const struct registration *one = list; one != NULL; one = one->next) {
        bool host_side = one->type != HOST_MEM_MAP_DMA && one->type != DEV_SVM_MAP_HOST && one->type != DEV_MEM_MAP_HOST;
        if (one->recorded && host_side && one->device == device && covers(one, address)) {
            return one->dst + (FAULT(register_offset_lost) ? 0 : address - one->src);
        }
    }
    return 0;
}

drvError_t halMemHostGetDevPointer(void *src_ptr, uint32_t devid, void **dst_ptr)
{
    uint64_t address = (uint64_t)(uintptr_t)src_ptr;
    if (generation() == GEN_V3) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (src_ptr == NULL || dst_ptr == NULL) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (devid >= V2_MAX_AGENT) {
        return DRV_ERROR_INVALID_DEVICE;
    }
    state_lock();
    bool recorded = state.registrations_recorded && !state.forked;
    uint64_t found = place_told(registrations, address, devid);
    if (found == 0 && FAULT(unregister_keeps_alias)) {
        found = place_told(ended, address, devid);
    }
    state_unlock();
    if (!recorded || found == 0) {
        return recorded ? DRV_ERROR_NOT_EXIST : DRV_ERROR_NOT_SUPPORT;
    }
    *dst_ptr = (void *)(uintptr_t)found;
    return DRV_ERROR_NONE;
}

static bool module_reaches(unsigned module)
{
    /* One bit for each enum drvAccModuleType: PCIe lets the scheduler and the vector cores through only. */
    unsigned pcie = (1U << STARS_ACCESS) | (1U << AIV_ACCESS);
    unsigned coherent = pcie | (1U << AIC_ACCESS) | (1U << PCIEDMA_ACCESS) | (1U << RDMA_ACCESS) | (1U << SDMA_ACCESS) |
                        (1U << DVPP_ACCESS);
    return (((coherent_link() ? coherent : pcie) >> module) & 1) != 0;
}

drvError_t halHostRegisterCapabilities(uint32_t devid, uint32_t acc_module_type, uint32_t *mem_map_cap)
{
    bool v2 = generation() == GEN_V2;
    if (devid >= 66 || (v2 && devid == HOST_AGENT_DEVID)) {
        return DRV_ERROR_INVALID_DEVICE;
    }
    if (mem_map_cap == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    if (acc_module_type >= MAX_ACCESS) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    drvError_t code = join();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    bool host = devid == HOST_DEVID;
    if (!host && devid >= config_get()->devices) {
        return v2 ? DRV_ERROR_PARA_ERROR : DRV_ERROR_INVALID_DEVICE;
    }
    *mem_map_cap = !host && module_reaches(acc_module_type) ? HOST_MEM_MAP_SUPPORTED : HOST_MEM_MAP_NOT_SUPPORTED;
    return DRV_ERROR_NONE;
}
