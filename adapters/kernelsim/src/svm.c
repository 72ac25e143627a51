/* svm.c - the memory module: which command is whose, and the checks that all have in common. */
#include "handle.h"
#include "ipc.h"
#include "remote.h"
#include "soma.h"
#include "trouble.h"
#include "uvm.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "real.h"

struct space space;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

enum {
    CONV = 1,    /* has a device id */
    HOST = 2,    /* which may be the host's */
    NO_AGENT = 4, /* which may not be the host agent's */
    REPLY = 8,   /* tells something */
};

struct command {
    handler *handle;
    unsigned flags;
};

static const struct command commands[COMMANDS] = {
    [ALLOC] = {page_alloc, 0},
    [FREE_PAGES] = {page_free, 0},
    [MEMCPY] = {copy_plain, REPLY},
    [MEMCPY_2D] = {copy_pitched, REPLY},
    [ASYNC_COPY] = {copy_async, REPLY},
    [COPY_RESULT] = {copy_result, REPLY},
    [SUBMIT_CONVERT] = {convert_submit, 0},
    [WAIT_CONVERT] = {convert_wait, 0},
    [CONVERT_ADDR] = {convert_make, CONV | NO_AGENT | REPLY},
    [DESTROY_ADDR] = {convert_destroy, CONV | NO_AGENT},
    [ADVISE] = {page_advise, CONV},
    [PREFETCH] = {page_prefetch, CONV},
    [MEMSET] = {copy_set, REPLY},
    [DESTROY_ADDR_BATCH] = {convert_destroy_batch, NO_AGENT},
    [TRANSLATE] = {copy_translate, NO_AGENT | REPLY},
    [SETUP_DEVICE] = {svm_setup_device, CONV | REPLY},
    [INIT_PROCESS] = {svm_init_process, REPLY},
    [UPDATE_HEAP] = {heap_update, 0},
    [PROCESS_STATUS_QUERY] = {svm_process_status, CONV | NO_AGENT | REPLY},
    [DBG_VA_STATUS] = {svm_va_status, REPLY},
    [CLOSE_DEVICE] = {svm_close_device, CONV},
    [QUERY_MEM_USED] = {svm_used, CONV | NO_AGENT | REPLY},
    [CHECK_MEMINFO] = {svm_check_addresses, CONV | NO_AGENT},
    [MAP_DEV_RESERVE] = {svm_reserve_map, CONV | NO_AGENT | REPLY},
    [MEM_REPAIR] = {svm_repair, CONV | NO_AGENT},
    [RESERVED_INFO] = {svm_reserved_info, REPLY},
    [PREPARE_CLOSE] = {svm_prepare_close, CONV},
    [MEMCPY_BATCH] = {copy_batch, NO_AGENT},
    [QUERY_OWNER] = {block_owner, CONV | HOST | REPLY},
    [SET_ACCESS] = {block_set_access, CONV | HOST},
    [GET_ACCESS] = {block_get_access, CONV | HOST | REPLY},
    [MEM_CREATE] = {block_create, CONV | HOST | REPLY},
    [MEM_RELEASE] = {block_release, CONV | HOST | REPLY},
    [MEM_MAP] = {block_map, CONV | HOST},
    [MEM_UNMAP] = {block_unmap, CONV | HOST | REPLY},
    [EXPORT_HANDLE] = {share_export, CONV | HOST | NO_AGENT | REPLY},
    [IMPORT_HANDLE] = {share_import, CONV | HOST | NO_AGENT | REPLY},
    [SHARE_SET_PID] = {share_set_pid, CONV | HOST | NO_AGENT},
    [SHARE_SET_ATTR] = {share_set_attr, CONV | HOST | NO_AGENT},
    [SHARE_GET_ATTR] = {share_get_attr, NO_AGENT | REPLY},
    [SHARE_GET_INFO] = {share_get_info, NO_AGENT | REPLY},
    [HANDLE_SET_ATTR] = {block_set_attr, CONV | HOST | NO_AGENT},
    [HANDLE_GET_ATTR] = {block_get_attr, CONV | HOST | NO_AGENT | REPLY},
    [UVM_ALLOC] = {uvm_alloc, 0},
    [UVM_ADVISE] = {uvm_advise, 0},
    [UVM_GET_ATTR] = {uvm_get_attr, 0},
    [UVM_MEMCPY] = {uvm_copy, REPLY},
    [UVM_PREFETCH] = {uvm_prefetch, 0},
    [UVM_PREFETCH_BATCH] = {uvm_prefetch_batch, 0},
    [IPC_CREATE] = {ipc_create, NO_AGENT | REPLY},
    [IPC_DESTROY] = {ipc_destroy, NO_AGENT},
    [IPC_QUERY] = {ipc_query, NO_AGENT | REPLY},
    [IPC_OPEN] = {ipc_open, CONV | NO_AGENT},
    [IPC_CLOSE] = {ipc_close, NO_AGENT},
    [IPC_SET_PID] = {ipc_set_pid, NO_AGENT},
    [IPC_SET_PID_POD] = {ipc_set_pid_pod, 0},
    [IPC_SET_ATTR] = {ipc_set_attr, NO_AGENT},
    [IPC_GET_ATTR] = {ipc_get_attr, NO_AGENT | REPLY},
    [REMOTE_MAP] = {remote_map, CONV | NO_AGENT | REPLY},
    [REMOTE_UNMAP] = {remote_unmap, CONV | NO_AGENT | REPLY},
    [REGISTER_DMA] = {dma_register, CONV | NO_AGENT},
    [UNREGISTER_DMA] = {dma_unregister, CONV | NO_AGENT},
    [SOMA_CREATE] = {soma_create, CONV | NO_AGENT},
    [SOMA_DESTROY] = {soma_destroy, CONV | NO_AGENT},
    [SOMA_TRIM] = {soma_trim, CONV | NO_AGENT | REPLY},
    [MAP_CAPABILITY] = {svm_capability, CONV | NO_AGENT | REPLY},
};

#define WRITES 0x41584d00UL
#define READS_AND_WRITES 0xc1584d00UL

void space_lock(void)
{
    pthread_mutex_lock(&lock);
}

void space_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

/* What was known of the process; its memory is not touched. */
static void forget_all(void)
{
    memset(&space, 0, sizeof(space));
    handles_forget();
    convert_forget();
    remote_forget();
    soma_forget();
    svm3_forget();
}

/* Segments that the library is to map, in the order in which it must map them. */
static unsigned windows(struct segment *list)
{
    list[0] = (struct segment){SVM_START, SVM_SIZE};
    list[1] = (struct segment){SOMA_START, SOMA_SIZE};
    list[2] = (struct segment){UVM_START, UVM_SIZE};
    list[3] = (struct segment){!settings()->product->coherent ? HOST_UVA_PCIE : HOST_UVA_HCCS,
                               HOST_UVA_SIZE};
    return settings()->product->host_uva ? 4 : 3;
}

static bool within(const struct segment *window, uint64_t address)
{
    return address - window->va < window->size;
}

bool in_svm(uint64_t address)
{
    return within(&(struct segment){SVM_START, SVM_SIZE}, address);
}

bool in_uvm(uint64_t address)
{
    return within(&(struct segment){UVM_START, UVM_SIZE}, address);
}

bool in_soma(uint64_t address)
{
    return within(&(struct segment){SOMA_START, SOMA_SIZE}, address);
}

bool in_host_uva(uint64_t address)
{
    struct segment list[4];
    return windows(list) == 4 && within(&list[3], address);
}

bool in_windows(uint64_t address)
{
    return in_svm(address) || in_uvm(address) || in_soma(address) || in_host_uva(address) ||
           heap_at(address) != NULL;
}

static int begin(struct file *file)
{
    if (space.begun && space.file == file) {
        return EALREADY;
    }
    if (space.begun || domain_join() != 0) {
        return EBUSY;
    }
    space.begun = true;
    space.file = file;
    return 0;
}

static int tell_windows(union payload *in)
{
    struct segment list[4];
    unsigned count = windows(list);
    if (in->mmap_info.segments == 0 || in->mmap_info.count < count) {
        return EINVAL;
    }
    if (!user_write((void *)(uintptr_t)in->mmap_info.segments, list, count * sizeof(*list))) {
        return EINVAL;
    }
    in->mmap_info.count = count;
    in->mmap_info.unmap = 0;
    return 0;
}

/* The library maps a window: addresses only, until pages are put behind them. */
static void *map(struct file *file, void *at, size_t size, int access, int flags)
{
    (void)access;
    (void)flags;
    struct segment list[4];
    unsigned count = windows(list);
    uint64_t address = (uintptr_t)at;
    space_lock();
    bool listed = false;
    for (unsigned i = 0; i < count; i++) {
        listed = listed || (list[i].va == address && list[i].size == size);
    }
    bool dynamic = address >= SVM_END && size % HEAP_UNIT == 0;
    void *got = MAP_FAILED;
    errno = EINVAL;
    if (space.file == file && file->pid == getpid() && (listed || dynamic)) {
        got = real_mmap(at, size, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (got != MAP_FAILED) {
            real_madvise(got, size, MADV_DONTFORK);
            if (listed) {
                space.windows[space.mapped % 4] = (struct segment){address, size};
                space.mapped++;
            }
        }
    }
    space_unlock();
    return got;
}

static int check_device(struct call *call, unsigned flags)
{
    uint32_t id = call->argument->device; /* the program's number; the kernel fills in others */
    if (id >= GRACE_OF_LOGICAL_IDS) {
        return ENODEV;
    }
    if (id == HOST_ID && (flags & HOST) != 0) {
        call->device = id;
        return 0;
    }
    if (id >= settings()->devices) {
        return EINVAL;
    }
    call->device = id;
    return 0;
}

static bool takes_memory(unsigned number, const union payload *in)
{
    bool enables = number == UPDATE_HEAP && in->heap.operation == 0;
    return enables || number == ALLOC || number == ADVISE || number == PREFETCH ||
           number == MEM_CREATE || number == MEM_MAP || number == IMPORT_HANDLE ||
           number == IPC_OPEN || number == CONVERT_ADDR || number == ASYNC_COPY ||
           number == UVM_ALLOC || number == UVM_ADVISE || number == SOMA_CREATE ||
           number == REMOTE_MAP;
}

static int answer(struct file *file, unsigned number, struct call *call)
{
    if (number == ALLOC_PROC_STRUCT) {
        return begin(file);
    }
    if (number == GET_MMAP_INFO) {
        return tell_windows(call->in);
    }
    if (number < 100 && (!space.begun || space.file != file || file->pid != getpid() ||
                         (!space.inited && number != INIT_PROCESS))) {
        return EINVAL;
    }
    const struct command *command = &commands[number];
    if (command->handle == NULL) {
        return EOPNOTSUPP;
    }
    int failed = trouble_now(takes_memory(number, call->in), (command->flags & CONV) != 0);
    if (failed != 0) {
        return failed;
    }
    failed = (command->flags & CONV) != 0 ? check_device(call, command->flags) : 0;
    return failed != 0 ? failed : command->handle(call);
}

static long command(struct file *file, unsigned long request, void *argument)
{
    struct argument copy;
    unsigned number = request & 0xff;
    unsigned long kind = request & ~0xffUL;
    if (argument == NULL || (kind != WRITES && kind != READS_AND_WRITES) || number >= COMMANDS ||
        !user_read(&copy, argument, sizeof(copy))) {
        return -EINVAL;
    }
    struct call call = {&copy, &copy.in, 0};
    space_lock();
    int failed = answer(file, number, &call);
    space_unlock();
    const uint64_t *in = (const uint64_t *)(const void *)copy.in.bytes;
    trace("SVM %u id %u (%#lx %#lx %#lx %#lx) -> %s\n", number, copy.device,
          (unsigned long)in[0], (unsigned long)in[1], (unsigned long)in[2], (unsigned long)in[3],
          failed == 0 ? "0" : strerror(failed));
    if (failed != 0) {
        return -failed;
    }
    if (kind == READS_AND_WRITES && !user_write(argument, &copy, sizeof(copy))) {
        return -EINVAL;
    }
    return 0;
}

static void released(struct file *file)
{
    space_lock();
    if (space.file == file) {
        domain_leave();
        forget_all();
    }
    space_unlock();
}

const struct module module_svm = {
    .name = "SVM", .command = command, .map = map, .close = released};

static void in_child(void)
{
    pthread_mutex_init(&lock, NULL);
    forget_all();
    domain_forget();
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(space_lock, space_unlock, in_child);
}
