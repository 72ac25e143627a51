/* svm_abi.h - the arguments of the memory module's commands, second generation. */
#ifndef KERNELSIM_SVM_ABI_H
#define KERNELSIM_SVM_ABI_H

#include <stdint.h>

enum svm_command {
    QUERY_OWNER = 0, SET_ACCESS = 1, GET_ACCESS = 2, ALLOC = 3, FREE_PAGES = 4, MEMCPY = 5,
    MEMCPY_2D = 6, ASYNC_COPY = 7, COPY_RESULT = 8, SUBMIT_CONVERT = 9, WAIT_CONVERT = 10,
    CONVERT_ADDR = 11, DESTROY_ADDR = 12, ADVISE = 13, PREFETCH = 14, MEMSET = 15,
    DESTROY_ADDR_BATCH = 16, TRANSLATE = 17, IPC_OPEN = 21, IPC_CLOSE = 22, SETUP_DEVICE = 26,
    IPC_CREATE = 27, IPC_DESTROY = 28, IPC_QUERY = 29, IPC_SET_PID = 32, IPC_SET_PID_POD = 33,
    IPC_SET_ATTR = 34, IPC_GET_ATTR = 35, INIT_PROCESS = 36, UPDATE_HEAP = 37,
    GET_PROC_STATUS = 38, PROCESS_STATUS_QUERY = 39, DBG_VA_STATUS = 41, CLOSE_DEVICE = 42,
    REMOTE_MAP = 45, REMOTE_UNMAP = 46, QUERY_MEM_USED = 47, CHECK_MEMINFO = 48,
    MAP_DEV_RESERVE = 49, MEM_CREATE = 50, MEM_RELEASE = 51, MEM_MAP = 52, MEM_UNMAP = 53,
    EXPORT_HANDLE = 54, IMPORT_HANDLE = 55, SHARE_SET_PID = 56, SHARE_SET_ATTR = 57,
    SHARE_GET_ATTR = 58, SHARE_GET_INFO = 59, REGISTER_DMA = 60, UNREGISTER_DMA = 61,
    MEM_REPAIR = 62, RESERVED_INFO = 63, PREPARE_CLOSE = 64, MEMCPY_BATCH = 65, SOMA_CREATE = 66,
    SOMA_DESTROY = 67, UVM_ALLOC = 68, UVM_ADVISE = 69, UVM_GET_ATTR = 70, SOMA_MALLOC = 71,
    SOMA_FREE = 72, SOMA_TRIM = 73, UVM_MEMCPY = 74, UVM_PREFETCH = 75, UVM_PREFETCH_BATCH = 76,
    MAP_CAPABILITY = 77, HANDLE_SET_ATTR = 78, HANDLE_GET_ATTR = 79, ALLOC_PROC_STRUCT = 101,
    GET_MMAP_INFO = 104, COMMANDS = 105
};

enum { NAME_SIZE = 65, PIDS_MOST = 32, REPAIRS_MOST = 20, GRACE_OF_LOGICAL_IDS = 1124 };

struct segment { uint64_t va, size; };
struct dma_address { uint64_t source, destination; uint32_t length, flag; uint64_t private_data;
                     uint32_t fixed, virtual_id; };
_Static_assert(sizeof(struct dma_address) == 40, "dma address");

union payload {
    uint8_t bytes[328];
    struct { uint32_t count; uint8_t unmap, unused[3]; int32_t host_pid, device_pid;
             uint64_t segments; } mmap_info;
    struct { uint32_t svm_page, local_page, huge_page; uint8_t giant, unused[3];
             uint32_t uvm_page; } init;
    struct { uint64_t dvpp; uint32_t bar, read_only, map_host, bar_huge, pin, host_rw, pre_register,
             host_pool; uint64_t double_table, statistics; uint32_t giant, remote_map, exbus,
             host_uva; } setup;
    struct { uint32_t operation, type, sub_type, index; uint64_t size; } heap;
    struct { uint32_t type, status, result; } status;
    struct { uint32_t type, unused; uint64_t normal, normal_free, huge, huge_free, giant,
             giant_free; } used;
    struct { uint64_t va; uint32_t device, type; } va_status;
    struct { uint64_t addresses; uint32_t count, mask; } check;
    struct { uint32_t type, unused; uint64_t va, length; } reserve_map;
    struct { uint32_t module, capability; } capability;
    struct { uint32_t count, unused; struct segment ranges[REPAIRS_MOST]; } repair;
    struct { uint64_t va, start, end; uint32_t module, device; } reserved;
    struct { uint64_t va, size; } alloc;
    struct { uint64_t va; } free;
    struct { uint64_t va, size; uint32_t advice, type, id, unused; } advise;
    struct { uint64_t to, value, count; uint32_t host, unused; } set;
    struct { uint64_t to, from, size; uint8_t local, unused[3]; uint32_t direction; } copy;
    struct { uint64_t to, from, to_pitch, from_pitch, width, height; uint32_t direction, unused; } copy_2d;
    struct { uint64_t to, from, size, started, state; int32_t task; uint32_t unused; } async;
    struct { uint64_t to, from, sizes; uint32_t count, unused; } batch;
    struct { uint64_t va, physical; uint32_t on_device, unused; } translate;
    struct { uint64_t from, to, from_pitch, to_pitch, length, height, fixed; uint32_t direction,
             unused; struct dma_address dma; uint32_t nodes, virtual_id, device, destroy;
             uint64_t convert_id; uint8_t write, unused2[7]; uint64_t batch; } convert;
    struct { struct dma_address dma; uint32_t sync, unused; } submit;
    struct { uint64_t from, to, from_pitch, to_pitch, length, height, fixed; struct dma_address dma;
             int32_t pid; uint32_t unused; } destroy;
    struct { uint64_t addresses; uint32_t count, unused; } destroy_batch;
    struct { int32_t id; uint32_t numa; uint64_t size, flag; uint32_t side, module, page, type;
             uint64_t pages; } create;
    struct { int32_t id; uint32_t side; uint64_t pages; uint32_t type, unused; } release;
    struct { uint64_t va, size; int32_t id; uint32_t side, page, module; uint64_t pages; } map;
    struct { uint64_t va, size; uint32_t side, device; } unmap;
    struct { uint64_t va, size; uint32_t device, own; } owner;
    struct { uint64_t va, size; uint32_t device, type; } access;
    struct { int32_t side, id, share; } export;
    struct { int32_t share; uint32_t server, device, physical, type; int32_t id; uint32_t side,
             module, page, unused; uint64_t pages; uint32_t memory, unused2; } import;
    struct { int32_t share; uint32_t count; uint64_t pids; } share_pids;
    struct { int32_t share; uint32_t type, flag; uint8_t rest[32]; } share_attr;
    struct { int32_t share; uint32_t device, type, flag; uint8_t rest[32]; } share_get;
    struct { int32_t share; uint32_t device, physical; uint8_t rest[32]; } share_info;
    struct { int32_t id; uint32_t type, side; uint8_t value[36]; } handle_attr;
    struct { uint64_t va, length; char name[NAME_SIZE]; uint8_t unused[3]; uint32_t name_size; } ipc_create;
    struct { char name[NAME_SIZE]; uint8_t unused[3]; int32_t huge; uint32_t device;
             uint8_t unused2[4]; uint64_t length; } ipc_query;
    struct { uint64_t va; char name[NAME_SIZE]; } ipc_open;
    struct { char name[NAME_SIZE]; uint8_t unused[3]; int32_t pids[PIDS_MOST]; uint32_t count,
             server; } ipc_pids;
    struct { uint32_t type, unused; uint64_t value; char name[NAME_SIZE]; } ipc_attr;
    struct { uint64_t from, to, size; uint32_t type, process, access, unused; } remote;
    struct { uint64_t from; uint32_t type, process; uint64_t to; } remote_end;
    struct { uint64_t va, size; } dma;
    struct { uint64_t device, pool, va, size; } soma; /* who creates leaves the device out */
    struct { uint64_t pool; } soma_end;
    struct { uint64_t pool, reserved, used, free; } trim;
    struct { uint64_t attributes, count, va, size, data, sizes; } uvm_attr;
    struct { uint64_t va, size; uint32_t type, id, flags, unused; } uvm_prefetch;
    struct { uint64_t vas, sizes, count, locations, indices, kinds, flags; } uvm_batch;
};

struct argument {
    uint32_t logical;
    uint32_t device;
    uint32_t part;
    uint32_t unused;
    union payload in;
};
_Static_assert(sizeof(struct argument) == 344, "argument");

#define CHECK(member, size) \
    _Static_assert(sizeof(((union payload *)0)->member) == (size), #member)
CHECK(mmap_info, 24); CHECK(init, 20); CHECK(setup, 72); CHECK(heap, 24); CHECK(status, 12);
CHECK(used, 56); CHECK(va_status, 16); CHECK(check, 16); CHECK(reserve_map, 24);
CHECK(capability, 8); CHECK(repair, 328); CHECK(reserved, 32); CHECK(advise, 32); CHECK(set, 32);
CHECK(copy, 32); CHECK(copy_2d, 56); CHECK(async, 48); CHECK(batch, 32); CHECK(translate, 24);
CHECK(convert, 144); CHECK(submit, 48); CHECK(destroy, 104); CHECK(create, 48);
CHECK(release, 24); CHECK(map, 40); CHECK(unmap, 24); CHECK(owner, 24); CHECK(access, 24);
CHECK(import, 56); CHECK(share_attr, 44); CHECK(share_get, 48); CHECK(share_info, 44);
CHECK(handle_attr, 48); CHECK(ipc_create, 88); CHECK(ipc_query, 88); CHECK(ipc_open, 80);
CHECK(ipc_pids, 204); CHECK(ipc_attr, 88); CHECK(remote, 40); CHECK(remote_end, 24);
CHECK(trim, 32); CHECK(uvm_attr, 48); CHECK(uvm_prefetch, 32); CHECK(uvm_batch, 56);
#undef CHECK

enum { MAPPED_LATER = 0 };
enum heap_sub { SUB_SVM, SUB_DEVICE, SUB_HOST, SUB_DVPP, SUB_READ_ONLY, SUB_RESERVE,
                SUB_DEVICE_READ_ONLY, SUB_UVM, SUB_SOMA };
enum heap_type { HEAP_PINNED = (int)0xEFEF0001, HEAP_HUGE = (int)0xEFEF0002,
                 HEAP_CHUNK = (int)0xEFEF0003 };
enum direction { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, TO_BE_FOUND };
enum side { SIDE_HOST, SIDE_DEVICE, SIDE_NUMA };
enum page_kind { PAGE_NORMAL, PAGE_HUGE, PAGE_GIANT };

#define ADVISE_HUGE 0x4U
#define ADVISE_POPULATE 0x8U
#define ADVISE_LOCK_DEVICE 0x80U
#define ADVISE_HOST 0x200U
#define ADVISE_PERSISTENT 0x800U
#define ADVISE_READ_ONLY 0x1000U

#endif
