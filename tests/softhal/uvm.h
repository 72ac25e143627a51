/* uvm.h - managed memory in tests: places, patterns, accesses of devices, attributes. */
#ifndef SOFTHAL_TEST_UVM_H
#define SOFTHAL_TEST_UVM_H

#include "harness.h"

#define PAGE (2 * MIB)
#define NOWHERE ((struct drv_uvm_location){DRV_UVM_LOCATION_TYPE_INVALID, 0})
#define ON_HOST ((struct drv_uvm_location){DRV_UVM_LOCATION_TYPE_HOST, 0})
#define ON_DEVICE(number) ((struct drv_uvm_location){DRV_UVM_LOCATION_TYPE_DEVICE, (number)})
#define ON_NODE(number) ((struct drv_uvm_location){DRV_UVM_LOCATION_TYPE_HOST_NUMA, (number)})

static inline char *managed(size_t pages)
{
    void *block = NULL;
    CHECK_CODE(halMemAlloc(&block, pages * PAGE, UVM | MEM_PAGE_HUGE), 0);
    return block;
}

static inline unsigned char byte_of(unsigned seed, size_t index)
{
    return (unsigned char)(seed * 41 + index * 31 + index / 251 + index / 65536 * 7 + 1);
}

/* Places in a page that a test looks at: both ends, and around small pages in between. */
static const size_t spots[] = {0, 4095, 65536, 1048576, 2097151};
enum { SPOTS = sizeof(spots) / sizeof(spots[0]) };

static inline void host_mark(volatile char *page, unsigned seed)
{
    for (int i = 0; i < SPOTS; i++) {
        page[spots[i]] = (char)byte_of(seed, spots[i]);
    }
}

static inline int host_shows(const volatile char *page, unsigned seed)
{
    for (int i = 0; i < SPOTS; i++) {
        if ((unsigned char)page[spots[i]] != byte_of(seed, spots[i])) {
            return 0;
        }
    }
    return 1;
}

static inline int device_mark(unsigned device, const char *page, unsigned seed)
{
    int code = 0;
    for (int i = 0; i < SPOTS && code == 0; i++) {
        unsigned char byte = byte_of(seed, spots[i]);
        code = (int)softhal_device_store(device, address_of(page) + spots[i], &byte, 1);
    }
    return code;
}

static inline int device_shows(unsigned device, const char *page, unsigned seed)
{
    for (int i = 0; i < SPOTS; i++) {
        unsigned char byte = 0;
        if (softhal_device_load(device, address_of(page) + spots[i], &byte, 1) != 0 ||
            byte != byte_of(seed, spots[i])) {
            return 0;
        }
    }
    return 1;
}

/* Copied out by the driver: moves nothing. */
static inline int copy_shows(const char *page, unsigned seed)
{
    for (int i = 0; i < SPOTS; i++) {
        unsigned char byte = 0;
        if (drvMemcpy(address_of(&byte), 1, address_of(page) + spots[i], 1) != 0 || byte != byte_of(seed, spots[i])) {
            return 0;
        }
    }
    return 1;
}

/* An untouched page is the only one that cannot be copied from. */
static inline int untouched(const char *page)
{
    char byte;
    return drvMemcpy(address_of(&byte), 1, address_of(page), 1) == DRV_ERROR_INVALID_HANDLE;
}

static inline int32_t attribute(const char *block, size_t size, uint32_t which)
{
    int32_t value = 12345;
    void *data = &value;
    size_t width = sizeof(value);
    drvError_t code = halMemManagedRangeGetAttributes(&data, &width, &which, 1, address_of(block), size);
    return code == 0 ? value : 1000 + (int32_t)code;
}

static inline int read_mostly(const char *page)
{
    return attribute(page, PAGE, MEM_RANGE_ATTR_READ_MOSTLY);
}

static inline drvError_t advise(const char *block, size_t pages, uint32_t advice, struct drv_uvm_location location)
{
    return halMemManagedAdvise(address_of(block), pages * PAGE, advice, location);
}

static inline drvError_t prefetch(const char *block, size_t pages, struct drv_uvm_location location)
{
    return halMemManagedPrefetch(address_of(block), pages * PAGE, location, 0);
}

#endif
