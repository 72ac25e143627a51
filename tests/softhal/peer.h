/*
 * peer.h - a second process for the tests: forked before this one has used the driver, so it is a
 * stranger to it, and made to call by short orders over a socket.
 */
#ifndef SOFTHAL_TEST_PEER_H
#define SOFTHAL_TEST_PEER_H

#include <sys/socket.h>

#include "vmm.h"

enum order {
    PEER_OPEN_DEVICE,
    PEER_CLOSE_DEVICE,
    PEER_OPEN,     /* name -> address */
    PEER_CLOSE,    /* address */
    PEER_DESTROY,  /* name */
    PEER_SET_PID,  /* name, value = pid */
    PEER_CREATE,   /* size -> name, address; memory filled with `value` */
    PEER_LOAD,     /* address -> value */
    PEER_STORE,    /* address, value */
    PEER_FREE,     /* address */
    PEER_IMPORT,   /* value = token -> handle */
    PEER_MAP,      /* handle, size -> address */
    PEER_UNMAP,    /* address */
    PEER_RELEASE,  /* handle */
    PEER_EXPORT,   /* size, value != 0 for everybody -> value = token, handle; filled with 0x5a */
    PEER_INFO,     /* name -> value = device */
    PEER_EXIT
};

struct call {
    enum order order;
    uint32_t device;
    char name[65];
    uint64_t address, value, size, handle;
    int code;
};

struct peer {
    pid_t pid;
    int socket;
};

static inline int fill(uint64_t address, uint64_t value, uint64_t size)
{
    return (int)drvMemsetD8(address, size, (uint8_t)value, size);
}

static inline void peer_create(struct call *call)
{
    void *block = NULL;
    call->code = (int)halMemAlloc(&block, call->size, DEV | MEM_PAGE_HUGE | call->device);
    if (call->code == 0) {
        call->address = address_of(block);
        call->code = fill(call->address, call->value, call->size);
    }
    if (call->code == 0) {
        call->code = (int)halShmemCreateHandle(call->address, call->size, call->name, 65);
    }
}

static inline void peer_map(struct call *call)
{
    void *va = NULL;
    call->code = (int)halMemAddressReserve(&va, call->size, 0, NULL, 0);
    if (call->code == 0) {
        call->code = (int)halMemMap(va, call->size, 0, (drv_mem_handle_t *)(uintptr_t)call->handle, 0);
        call->address = address_of(va);
    }
}

static inline void peer_export(struct call *call)
{
    struct drv_mem_prop prop = property(MEM_DEV_SIDE, call->device, MEM_HUGE_PAGE_TYPE);
    struct ShareHandleAttr everybody = {1, {0}};
    drv_mem_handle_t *handle = NULL;
    uint64_t open_to_all = call->value;
    call->code = (int)halMemCreate(&handle, call->size, &prop, 0);
    call->handle = address_of(handle);
    if (call->code == 0) {
        peer_map(call);
    }
    if (call->code == 0) {
        call->code = fill(call->address, 0x5a, call->size);
    }
    if (call->code == 0) {
        call->code = (int)halMemExportToShareableHandle(handle, MEM_HANDLE_TYPE_NONE, 0, &call->value);
    }
    if (call->code == 0 && open_to_all != 0) {
        call->code = (int)halMemShareHandleSetAttribute(call->value, 0, everybody);
    }
}

static inline void peer_carry_out(struct call *call)
{
    struct ShmemGetInfo info = {0, {0}};
    int pid = (int)call->value;
    unsigned char byte = (unsigned char)call->value;
    drv_mem_handle_t *handle = (drv_mem_handle_t *)(uintptr_t)call->handle;
    switch (call->order) {
        case PEER_OPEN_DEVICE:
            call->code = (int)halMemAgentOpen(call->device, 0);
            break;
        case PEER_CLOSE_DEVICE:
            call->code = (int)halMemAgentClose(call->device, 0);
            break;
        case PEER_OPEN:
            call->code = (int)halShmemOpenHandleByDevId(call->device, call->name, &call->address);
            break;
        case PEER_CLOSE:
            call->code = (int)halShmemCloseHandle(call->address);
            break;
        case PEER_DESTROY:
            call->code = (int)halShmemDestroyHandle(call->name);
            break;
        case PEER_SET_PID:
            call->code = (int)halShmemSetPidHandle(call->name, &pid, 1);
            break;
        case PEER_CREATE:
            peer_create(call);
            break;
        case PEER_LOAD:
            call->code = (int)drvMemcpy(address_of(&byte), 1, call->address, 1);
            call->value = byte;
            break;
        case PEER_STORE:
            call->code = (int)drvMemcpy(call->address, 1, address_of(&byte), 1);
            break;
        case PEER_FREE:
            call->code = (int)halMemFree((void *)(uintptr_t)call->address);
            break;
        case PEER_IMPORT:
            call->code = (int)halMemImportFromShareableHandle(call->value, call->device, &handle);
            call->handle = address_of(handle);
            break;
        case PEER_MAP:
            peer_map(call);
            break;
        case PEER_UNMAP:
            call->code = (int)halMemUnmap((void *)(uintptr_t)call->address);
            break;
        case PEER_RELEASE:
            call->code = (int)halMemRelease(handle);
            break;
        case PEER_EXPORT:
            peer_export(call);
            break;
        case PEER_INFO:
            call->code = (int)halShmemInfoGet(call->name, &info);
            call->value = info.phyDevid;
            break;
        default:
            exit(0);
    }
}

static inline void peer_serve(int socket)
{
    struct call call;
    while (read(socket, &call, sizeof(call)) == (ssize_t)sizeof(call)) {
        peer_carry_out(&call);
        if (write(socket, &call, sizeof(call)) != (ssize_t)sizeof(call)) {
            break;
        }
    }
    exit(0);
}

/* Several may be started, but all before the first call into the driver. */
static inline struct peer peer_start(void)
{
    struct peer peer = {-1, -1};
    int ends[2];
    fflush(stdout);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return peer;
    }
    peer.pid = fork();
    if (peer.pid == 0) {
        alarm(60);
        close(ends[0]);
        peer_serve(ends[1]);
    }
    close(ends[1]);
    peer.socket = ends[0];
    return peer;
}

/* Sends an order that is not waited for. */
static inline void peer_tell(const struct peer *peer, const struct call *call)
{
    if (write(peer->socket, call, sizeof(*call)) != (ssize_t)sizeof(*call)) {
        CHECK(!"the peer takes orders");
    }
}

static inline int peer_do(const struct peer *peer, enum order order, struct call *call)
{
    call->order = order;
    call->code = -1;
    peer_tell(peer, call);
    if (read(peer->socket, call, sizeof(*call)) != (ssize_t)sizeof(*call)) {
        return -2;
    }
    return call->code;
}

static inline void peer_end(struct peer *peer, int sig)
{
    if (sig != 0) {
        kill(peer->pid, sig);
    }
    close(peer->socket);
    waitpid(peer->pid, NULL, 0);
    peer->pid = -1;
}

static inline int peer_load(const struct peer *peer, uint64_t address)
{
    struct call call = {.address = address};
    int code = peer_do(peer, PEER_LOAD, &call);
    return code == 0 ? (int)call.value : -code;
}

static inline int peer_store(const struct peer *peer, uint64_t address, int value)
{
    struct call call = {.address = address, .value = (uint64_t)value};
    return peer_do(peer, PEER_STORE, &call);
}

static inline int load(uint64_t address)
{
    unsigned char byte = 0;
    int code = (int)drvMemcpy(address_of(&byte), 1, address, 1);
    return code == 0 ? byte : -code;
}

#endif
