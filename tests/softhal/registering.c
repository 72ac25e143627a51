/* registering.c - host registration: which type goes with which memory, both sides' view, and the codes. */
#include <sys/mman.h>

#include "vmm.h"

/* The product decides how devices reach host memory (v2: PCIe as it is, or a coherent link). */
static int is_linked(void)
{
    const char *profile = getenv("SOFTHAL_PROFILE");
    return profile != NULL && strcmp(profile, "ascend910_93") == 0;
}

static char *pages(size_t size)
{
    void *got = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(got != MAP_FAILED);
    return got;
}

static void ordinary_memory(void)
{
    char *h = pages(16 * 4096);
    void *dst = (void *)1;
    void *inner = NULL;
    struct DVattribute attribute;
    uint32_t type = is_linked() ? HOST_MEM_MAP_DEV : HOST_MEM_MAP_DEV_PCIE_TH;
    uint32_t wrong = is_linked() ? HOST_MEM_MAP_DEV_PCIE_TH : HOST_MEM_MAP_DEV;
    int v3 = is_v3();
    CHECK_CODE(halHostRegister(h, 8 * 4096, 7, 0, &dst), 0xfffe);
    CHECK_CODE(halHostRegister(h, 8 * 4096, wrong, 0, &dst), 0xfffe);
    CHECK_CODE(halHostRegister(h, 8 * 4096, type, 66, &dst), 2);
    CHECK_CODE(halHostRegister(h, 8 * 4096, type, 0, NULL), 3);
    CHECK_CODE(halHostRegister(h + 8, 4096, type, 0, &dst), 8);
    CHECK_CODE(halHostRegister(h, 0, type, 0, &dst), 8);
    CHECK_CODE(halHostRegister(h, 4096, type | (2U << 16), 0, &dst), 0xfffe);
    CHECK(dst == (void *)1);
    CHECK_CODE(halHostRegister(h, 8 * 4096 - 5, type, 0, &dst), 0);
    CHECK(dst != (void *)1 && dst != h && !readable(dst));
    CHECK_CODE(halHostRegister(h, 8 * 4096, type, 0, &inner), v3 ? 12 : 8);
    CHECK_CODE(halHostRegister(h + 7 * 4096, 4 * 4096, type, 0, &inner), v3 ? 12 : 8);
    CHECK_CODE(halHostRegister(h + 8 * 4096, 4096, type, 0, &inner), 0); /* touches only */
    CHECK_CODE(halHostUnregisterEx(h + 8 * 4096, 0, type), 0);
    /* One memory under two addresses. */
    strcpy(h + 5000, "written by the host");
    char text[32] = {0};
    char *device = NULL;
    CHECK_CODE(halMemAlloc((void **)&device, 4096, DEV), 0);
    CHECK_CODE(drvMemcpy(address_of(device), 32, address_of(dst) + 5000, 32), 0);
    CHECK_CODE(drvMemcpy(address_of(text), 32, address_of(device), 32), 0);
    CHECK(strcmp(text, "written by the host") == 0);
    CHECK_CODE(drvMemsetD8(address_of(device), 32, 'x', 32), 0);
    CHECK_CODE(drvMemcpy(address_of(dst), 32, address_of(device), 32), 0);
    CHECK(h[0] == 'x' && h[31] == 'x' && h[32] == 0);
    CHECK_CODE(halMemFree(device), 0);
    CHECK_CODE(halMemHostGetDevPointer(h, 0, &inner), 0xfffe); /* before records were asked for, and v3 */
    CHECK(halHostUnregister(h + 4096, 0) != DRV_ERROR_NONE);
    CHECK(halHostUnregister(dst, 0) != DRV_ERROR_NONE);
    CHECK_CODE(halHostUnregister(h, 0), 0);
    CHECK_CODE(halHostUnregister(h, 0), v3 ? 0xfffe : 38);
    CHECK_CODE(halHostUnregisterEx(h, 0, type), v3 ? 11 : 38);
    h[3] = 'y';
    if (!v3) {
        CHECK(halSupportFeature(0, FEATURE_SVM_MEM_REGISTER_QUERY_AND_GET_ATTR));
        CHECK_CODE(halHostRegister(h, 8 * 4096, type, 0, &dst), 0);
        CHECK_CODE(halMemHostGetDevPointer(h + 5 * 4096 + 7, 0, &inner), 0);
        CHECK(address_of(inner) - address_of(dst) == 5 * 4096 + 7);
        CHECK_CODE(halMemHostGetDevPointer(h + 8 * 4096, 0, &inner), 11);
        CHECK_CODE(halMemHostGetDevPointer(h - 1, 0, &inner), 11);
        CHECK_CODE(halMemHostGetDevPointer(h, 1, &inner), 11);
        CHECK_CODE(drvMemGetAttribute(address_of(h) + 8 * 4096 - 1, &attribute), 0);
        CHECK(attribute.memType == 0x100);
        CHECK_CODE(drvMemGetAttribute(address_of(h) + 8 * 4096, &attribute), 0);
        CHECK(attribute.memType != 0x100);
        CHECK_CODE(halHostUnregister(h + 4096, 0), 11);
        CHECK_CODE(halHostUnregister(h, 1), 11);
        CHECK_CODE(halHostUnregister(h, 0), 0);
        CHECK_CODE(halHostUnregister(h, 0), 11);
        CHECK_CODE(halMemHostGetDevPointer(h, 0, &inner), 11);
        CHECK_CODE(drvMemGetAttribute(address_of(h), &attribute), 0);
        CHECK(attribute.memType != 0x100);
    }
    for (int i = 0; i < 50; i++) {
        CHECK_CODE(halHostRegister(h, 5 * 4096, type, 0, &dst), 0);
        CHECK_CODE(halHostUnregister(h, 0), 0);
    }
    munmap(h, 16 * 4096);
    CHECK(halHostRegister(h, 4096, type, 0, &dst) != DRV_ERROR_NONE); /* nothing there to pin */
}

static void device_memory(void)
{
    char *block = NULL;
    void *dst = NULL;
    CHECK_CODE(halMemAlloc((void **)&block, 64 * MIB, DEV | MEM_PAGE_HUGE), 0);
    CHECK_CODE(halHostRegister(block, 2 * MIB, HOST_SVM_MAP_DEV, 0, &dst), is_v3() ? 0xfffe : 8);
    CHECK_CODE(halHostRegister(block + 4096, 2 * MIB, DEV_SVM_MAP_HOST, 0, &dst), 8);
    CHECK_CODE(halHostRegister(block, 66 * MIB, DEV_SVM_MAP_HOST, 0, &dst), 8);
    CHECK_CODE(halHostRegister(block + 2 * MIB, 2 * MIB + 1, DEV_SVM_MAP_HOST, 0, &dst), 0);
    CHECK(dst == block + 2 * MIB);
    CHECK(!readable(block) && readable(block + 2 * MIB) && readable(block + 6 * MIB - 1) && !readable(block + 6 * MIB));
    CHECK_CODE(drvMemsetD8(address_of(block), 64 * MIB, 0x31, 8 * MIB), 0);
    CHECK(block[2 * MIB + 17] == 0x31);
    block[2 * MIB + 17] = 0x32;
    char byte = 0;
    CHECK_CODE(drvMemcpy(address_of(&byte), 1, address_of(block) + 2 * MIB + 17, 1), 0);
    CHECK(byte == 0x32);
    CHECK_CODE(halHostRegister(block + 4 * MIB, 2 * MIB, DEV_SVM_MAP_HOST, 0, &dst), is_v3() ? 12 : 8);
    CHECK_CODE(halMemFree(block), 13);
    CHECK_CODE(halHostUnregister(block + 4 * MIB, 0), is_v3() ? 8 : 11);
    CHECK_CODE(halHostUnregister(block + 2 * MIB, 0), 0);
    CHECK(!readable(block + 2 * MIB));
    CHECK_CODE(halMemFree(block), 0);
}

static void host_blocks(void)
{
    char *block = NULL;
    void *dst = NULL;
    uint32_t type = is_v3() ? HOST_MEM_MAP_DEV_PCIE_TH : HOST_SVM_MAP_DEV;
    CHECK_CODE(halMemAlloc((void **)&block, 32 * MIB, HOST), 0);
    CHECK_CODE(halHostRegister(block, 32 * MIB, type, 0, &dst), 0);
    CHECK(dst == block);
    CHECK_CODE(halHostRegister(block, 32 * MIB, type, 1, &dst), 0); /* a second device */
    CHECK_CODE(halMemFree(block), 13);
    CHECK_CODE(halHostUnregister(block, 0), 0);
    CHECK_CODE(halMemFree(block), 13);
    CHECK_CODE(halHostUnregister(block, 1), 0);
    CHECK_CODE(halMemFree(block), 0);
}

static void direct_memory_access(void)
{
    char *h = pages(4 * 4096);
    if (is_v3()) {
        CHECK_CODE(halHostRegister(h, 4096, HOST_MEM_MAP_DMA, 0, (void **)&h), 0xfffe);
        return;
    }
    CHECK_CODE(halHostRegister(NULL, 4096, HOST_MEM_MAP_DMA, 0, NULL), 3);
    CHECK_CODE(halHostRegister(h, 0, HOST_MEM_MAP_DMA, 0, NULL), 3);
    CHECK_CODE(halHostRegister(h, 4096, HOST_MEM_MAP_DMA, 66, NULL), 2);
    CHECK_CODE(halHostRegister(h, 4096, HOST_MEM_MAP_DMA | (1U << 28), 0, NULL), 0xfffe);
    CHECK_CODE(halHostRegister(h + 3, 5000, HOST_MEM_MAP_DMA, 0, NULL), 0);
    CHECK_CODE(halHostRegister(h + 5002, 10, HOST_MEM_MAP_DMA, 0, NULL), 8);
    CHECK_CODE(halHostUnregisterEx(h + 4, 0, HOST_MEM_MAP_DMA), 4);
    CHECK_CODE(halHostUnregisterEx(h + 3, 0, HOST_MEM_MAP_DMA), 0);
    CHECK_CODE(halHostUnregisterEx(h + 3, 0, HOST_MEM_MAP_DMA), 4);
    void *dst = NULL;
    CHECK_CODE(halHostRegister(h, 0, DEV_MEM_MAP_HOST | (4U << 16), 0, &dst), 3);
    CHECK_CODE(halHostRegister(h, 4096, DEV_MEM_MAP_HOST, 0, &dst), 0xfffe);
    CHECK_CODE(halHostRegister(h, 4096, DEV_MEM_MAP_HOST | (4U << 16), 0, &dst), 0);
    CHECK(readable(dst));
    CHECK_CODE(halHostUnregisterEx(h, 0, DEV_MEM_MAP_HOST | (4U << 16)), 0);
    munmap(h, 4 * 4096);
}

static void capabilities(void)
{
    uint32_t can = 9;
    CHECK_CODE(halHostRegisterCapabilities(66, 0, &can), 2);
    CHECK_CODE(halHostRegisterCapabilities(0, 0, NULL), 3);
    CHECK_CODE(halHostRegisterCapabilities(0, 10, &can), 0xfffe);
    CHECK_CODE(halHostRegisterCapabilities(0, 0, &can), 0);
    CHECK(can == 1);
    CHECK_CODE(halHostRegisterCapabilities(0, 2, &can), 0);
    CHECK(can == (uint32_t)is_linked());
}

static void closing_ends_registrations(void)
{
    void *dst = NULL;
    char *h = pages(4096);
    uint32_t type = is_linked() ? HOST_MEM_MAP_DEV : HOST_MEM_MAP_DEV_PCIE_TH;
    CHECK_CODE(halHostRegister(h, 4096, type, 1, &dst), 0);
    CHECK_CODE(halMemAgentClose(1, 0), 0);
    CHECK(halHostUnregister(h, 1) != DRV_ERROR_NONE);
    CHECK_CODE(halMemAgentOpen(1, 0), 0);
    CHECK_CODE(halHostRegister(h, 4096, type, 1, &dst), 0);
    CHECK_CODE(halHostUnregister(h, 1), 0);
    munmap(h, 4096);
}

int main(void)
{
    void *dst = NULL;
    alarm(60);
    if (!is_v3()) {
        CHECK_CODE(halHostRegister(&dst, 8, HOST_MEM_MAP_DMA, 0, NULL), 17); /* the first call of a process */
    }
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    CHECK_CODE(halMemAgentOpen(1, 0), 0);
    capabilities();
    ordinary_memory();
    device_memory();
    host_blocks();
    direct_memory_access();
    closing_ends_registrations();
    CHECK(device_total(0) - device_free(0) <= 64 * KIB); /* small blocks may be cached */
    return finish();
}
