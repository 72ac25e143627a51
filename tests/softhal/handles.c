/* handles.c - physical handles shared between two and three processes. */
#include "peer.h"

static struct peer b, c, d;

static struct call import_at(const struct peer *peer, uint64_t token, int expected)
{
    struct call call = {.value = token, .size = 4 * MIB};
    CHECK_CODE(peer_do(peer, PEER_IMPORT, &call), expected);
    return call;
}

static void sample(int with_list)
{
    struct drv_mem_prop prop = property(MEM_DEV_SIDE, 0, MEM_HUGE_PAGE_TYPE);
    struct ShareHandleAttr attribute = {1, {0}};
    struct ShareHandleGetInfo info = {77, {0}};
    drv_mem_handle_t *handle = NULL;
    drv_mem_handle_t *own = NULL;
    uint64_t token = 0;
    uint64_t again = 0;
    int v3 = is_v3();
    int pid = b.pid;
    uint64_t before = device_free(0);
    char *va = reserve(4 * MIB);
    CHECK_CODE(halMemCreate(&handle, 4 * MIB, &prop, 0), 0);
    CHECK_CODE(halMemMap(va, 4 * MIB, 0, handle, 0), 0);
    CHECK_CODE(fill(address_of(va), 123, 4 * MIB), 0);
    CHECK_CODE(halMemExportToShareableHandle(handle, MEM_HANDLE_TYPE_NONE, 0, NULL), 3);
    CHECK_CODE(halMemExportToShareableHandle(handle, MEM_HANDLE_TYPE_FABRIC, 0, &token), 0xfffe);
    CHECK_CODE(halMemExportToShareableHandle(NULL, MEM_HANDLE_TYPE_NONE, 0, &token), 3);
    CHECK_CODE(halMemExportToShareableHandle(handle, MEM_HANDLE_TYPE_NONE, 0, &token), 0);
    CHECK(halMemExportToShareableHandle(handle, MEM_HANDLE_TYPE_NONE, 0, &again) != DRV_ERROR_NONE);
    CHECK(before - device_free(0) == 4 * MIB);
    CHECK_CODE(halMemShareHandleInfoGet(token, &info), 0);
    CHECK(info.phyDevid == 0);
    import_at(&b, token, v3 ? 8 : 17);
    import_at(&b, token + 8192, v3 ? 8 : 4);
    if (with_list) {
        CHECK_CODE(halMemSetPidToShareableHandle(token, &pid, 0), 3);
        CHECK_CODE(halMemSetPidToShareableHandle(token, NULL, 1), 3);
        CHECK_CODE(halMemSetPidToShareableHandle(token, &pid, 1), 0);
        CHECK_CODE(halMemShareHandleSetAttribute(token, 0, attribute), 46);
        import_at(&c, token, v3 ? 8 : 17);
    } else {
        CHECK_CODE(halMemShareHandleSetAttribute(token, 1, attribute), 0xfffe);
        CHECK_CODE(halMemShareHandleSetAttribute(token, 0, attribute), 0);
        CHECK_CODE(halMemSetPidToShareableHandle(token, &pid, 1), 46);
        attribute.enableFlag = 9;
        CHECK_CODE(halMemShareHandleGetAttribute(token, 0, &attribute), 0);
        CHECK(attribute.enableFlag == 1);
    }
    CHECK_CODE(halMemImportFromShareableHandle(token, 0, &own), v3 ? 0 : 17);
    if (v3) {
        CHECK_CODE(halMemRelease(own), 0);
    }
    struct call one = import_at(&b, token, 0);
    struct call two = import_at(&b, token, 0);
    CHECK((one.handle == two.handle) == !v3);
    CHECK_CODE(peer_do(&b, PEER_MAP, &one), 0);
    CHECK_CODE(peer_do(&b, PEER_MAP, &two), 0);
    CHECK(peer_load(&b, one.address) == 123 && peer_load(&b, two.address + 4 * MIB - 1) == 123);
    CHECK_CODE(peer_store(&b, one.address + 2 * MIB, 45), 0);
    CHECK(load(address_of(va) + 2 * MIB) == 45 && peer_load(&b, two.address + 2 * MIB) == 45);
    CHECK(before - device_free(0) == 4 * MIB);
    CHECK_CODE(peer_do(&b, PEER_UNMAP, &one), 0);
    CHECK(peer_load(&b, two.address + 2 * MIB) == 45);
    CHECK_CODE(peer_do(&b, PEER_RELEASE, &one), 0);
    CHECK_CODE(peer_do(&b, PEER_RELEASE, &two), 0); /* still mapped once */
    CHECK(peer_load(&b, two.address + 2 * MIB) == 45);
    CHECK_CODE(halMemUnmap(va), 0);
    CHECK_CODE(halMemRelease(handle), 0);
    /* Whoever has it mapped keeps it, and it stays accounted. */
    CHECK(peer_load(&b, two.address + 2 * MIB) == 45);
    CHECK(before - device_free(0) == 4 * MIB);
    CHECK_CODE(peer_do(&b, PEER_UNMAP, &two), 0);
    CHECK(device_free(0) == before);
    import_at(&b, token, v3 ? 8 : 4);
    CHECK_CODE(halMemAddressFree(va), 0);
}

/* The exporter dies; who has the memory mapped keeps it, in both generations. */
static void exporter_dies(int sig)
{
    int v3 = is_v3();
    int pid = b.pid;
    uint64_t before = device_free(0);
    struct call made = {.size = 4 * MIB, .value = 1};
    CHECK_CODE(peer_do(&d, PEER_EXPORT, &made), 0);
    uint64_t token = made.value;
    CHECK_CODE(halMemSetPidToShareableHandle(token, &pid, 1), v3 ? 46 : 17); /* not ours */
    struct call mapped = import_at(&b, token, 0);
    CHECK_CODE(peer_do(&b, PEER_MAP, &mapped), 0);
    struct call idle = import_at(&c, token, 0);
    CHECK(before - device_free(0) == 4 * MIB);
    peer_end(&d, sig);
    CHECK(peer_load(&b, mapped.address + 4 * MIB - 1) == 0x5a);
    CHECK(before - device_free(0) == 4 * MIB);
    CHECK_CODE(peer_do(&c, PEER_MAP, &idle), v3 ? 17 : 0); /* v3: the free is pending */
    if (!v3) {
        CHECK(peer_load(&c, idle.address) == 0x5a);
        CHECK_CODE(peer_do(&c, PEER_UNMAP, &idle), 0);
    }
    CHECK_CODE(peer_do(&c, PEER_RELEASE, &idle), 0);
    CHECK_CODE(peer_do(&b, PEER_UNMAP, &mapped), 0);
    CHECK_CODE(peer_do(&b, PEER_RELEASE, &mapped), 0);
    CHECK(device_free(0) == before);
    import_at(&b, token, v3 ? 8 : 4);
}

static void importer_dies(int sig)
{
    struct drv_mem_prop prop = property(MEM_DEV_SIDE, 0, MEM_HUGE_PAGE_TYPE);
    struct ShareHandleAttr attribute = {1, {0}};
    drv_mem_handle_t *handle = NULL;
    uint64_t token = 0;
    uint64_t before = device_free(0);
    CHECK_CODE(halMemCreate(&handle, 4 * MIB, &prop, 0), 0);
    CHECK_CODE(halMemExportToShareableHandle(handle, MEM_HANDLE_TYPE_NONE, 0, &token), 0);
    CHECK_CODE(halMemShareHandleSetAttribute(token, 0, attribute), 0);
    struct call at_c = import_at(&c, token, 0);
    CHECK_CODE(peer_do(&c, PEER_MAP, &at_c), 0);
    CHECK_CODE(halMemRelease(handle), 0);
    CHECK(before - device_free(0) == 4 * MIB);
    struct call at_b = import_at(&b, token, is_v3() ? 8 : 0); /* v2: as long as anybody has it */
    peer_end(&c, sig);
    if (!is_v3()) {
        CHECK(before - device_free(0) == 4 * MIB);
        CHECK_CODE(peer_do(&b, PEER_MAP, &at_b), 0);
        CHECK(peer_load(&b, at_b.address) == 0);
        CHECK_CODE(peer_do(&b, PEER_UNMAP, &at_b), 0);
        CHECK_CODE(peer_do(&b, PEER_RELEASE, &at_b), 0);
    }
    CHECK(device_free(0) == before);
}

static void second_form(void)
{
    struct drv_mem_prop prop = property(MEM_DEV_SIDE, 0, MEM_HUGE_PAGE_TYPE);
    struct drv_mem_prop got;
    struct MemShareHandle share;
    struct HandleAttr route = {1, {0}};
    drv_mem_handle_t *handle = NULL;
    drv_mem_handle_t *other = NULL;
    uint64_t token = 0;
    uint32_t server = 9;
    CHECK_CODE(halMemCreate(&handle, 2 * MIB, &prop, 0), 0);
    CHECK_CODE(halMemExportToShareableHandleV2(handle, 3, 0, &share), 0xfffe);
    CHECK_CODE(halMemExportToShareableHandleV2(handle, 0, 1, &share), 0xfffe);
    CHECK_CODE(halMemExportToShareableHandleV2(handle, 1, 0, &share), 0);
    CHECK_CODE(halMemTransShareableHandle(0, &share, &server, &token), 3);
    CHECK_CODE(halMemTransShareableHandle(1, &share, &server, &token), 0);
    CHECK(server == 0);
    CHECK_CODE(halMemImportFromShareableHandleV2(0, &share, 0, &other), 3);
    CHECK_CODE(halMemImportFromShareableHandleV2(1, &share, 66, &other), 2);
    CHECK_CODE(halMemImportFromShareableHandleV2(1, &share, 0, &other), is_v3() ? 0 : 17);
    if (is_v3()) {
        CHECK_CODE(halMemGetAllocationPropertiesFromHandle(&got, other), 0);
        CHECK(memcmp(&got, &prop, sizeof(got)) == 0);
        CHECK_CODE(halMemRelease(other), 0);
    }
    CHECK_CODE(halMemHandleSetAttribute(handle, 0, route), is_v3() ? 0xfffe : 0);
    CHECK_CODE(halMemHandleGetAttribute(handle, 0, &route), 0);
    CHECK(route.mem_map_route == (is_v3() ? 0U : 1U));
    route.mem_map_route = 2;
    CHECK_CODE(halMemHandleSetAttribute(handle, 0, route), is_v3() ? 0xfffe : 8);
    CHECK_CODE(halMemRelease(handle), 0);
}

int main(void)
{
    struct call call = {0};
    struct peer *peers[3] = {&b, &c, &d};
    alarm(60);
    for (int i = 0; i < 3; i++) {
        *peers[i] = peer_start();
    }
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    for (int i = 0; i < 3; i++) {
        CHECK_CODE(peer_do(peers[i], PEER_OPEN_DEVICE, &call), 0);
    }
    sample(1);
    sample(0);
    second_form();
    exporter_dies(SIGKILL);
    importer_dies(SIGKILL);
    peer_end(&b, 0);
    CHECK(device_free(0) == device_total(0));
    return finish();
}
