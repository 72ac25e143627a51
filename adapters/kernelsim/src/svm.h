/* svm.h - the memory module's state of one process, and what its parts offer each other.
 *
 * Commands are answered with 0 or an errno. All of it is guarded by one lock (space_lock), which is
 * held while a command runs; the tables of the domain have a lock of their own, taken inside.
 */
#ifndef KERNELSIM_SVM_H
#define KERNELSIM_SVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "domain.h"
#include "node.h"
#include "svm_abi.h"
#include "table.h"

#define SVM_START UINT64_C(0x100000000000)
#define SVM_SIZE (8 * TIB)
#define SVM_END (SVM_START + SVM_SIZE)
#define SOMA_START UINT64_C(0xC0000000000)
#define SOMA_SIZE (2 * TIB)
#define UVM_START UINT64_C(0x90000000000)
#define UVM_SIZE (3 * TIB)
#define HOST_UVA_SIZE TIB
#define HOST_UVA_PCIE UINT64_C(0x70000000000)
#define HOST_UVA_HCCS UINT64_C(0x80000000000)
#define HEAP_UNIT GIB
#define PAGE (4 * KIB)
#define HUGE_PAGE (2 * MIB)

enum { NO_DEVICE = 0xffff };

/* A range of addresses that the library enabled, of one kind of memory. */
struct heap {
    struct span span;
    uint32_t type;
    uint32_t sub;
    uint32_t device;
    uint64_t page;
};

/* Where a page of an allocation is. */
enum place { PLACE_NONE, PLACE_HOST, PLACE_DEVICE };

/* An allocation, or a range of reserved addresses. */
struct block {
    struct span span;
    struct heap *heap;
    uint32_t hold;      /* of its memory; NOTHING while it has none */
    uint64_t offset;    /* of its memory in the store */
    uint32_t device;    /* where its pages are, or are locked to */
    uint32_t advice;
    uint32_t references; /* beyond its own: registered, exported, opened */
    bool populated;
    bool read_only;
    bool translated;    /* somebody knows its physical address */
    bool lent;          /* its memory is another process's (opened by name) */
    uint8_t *places;    /* by page, for memory that moves; NULL: all pages alike */
    struct page_advice *advised; /* by page, for managed memory */
};

/* Physical memory bound to reserved addresses. */
struct mapping {
    struct span span;
    uint32_t hold;
    uint64_t offset;
    int32_t handle;
    uint32_t side;
    uint32_t device; /* logical; HOST_ID for host memory */
    bool own;        /* not imported */
    uint32_t module;
    uint64_t page;
    uint8_t access[HOST_ID + 1]; /* by location */
    uint32_t references;
    bool translated;
};

struct space {
    struct file *file;
    bool begun;  /* has its structure: command 101 */
    bool inited; /* command 36 */
    struct segment windows[4];
    unsigned mapped; /* how many of them */
    bool open[DEVICES_MOST];
    struct table heaps;
    struct table blocks;
    struct table mappings;
};

extern struct space space;

/* A command in work. */
struct call {
    struct argument *argument;
    union payload *in;
    uint32_t device; /* logical id, where the command has one */
};

typedef int handler(struct call *call);

handler svm_init_process, svm_setup_device, svm_prepare_close, svm_close_device, svm_used,
    svm_process_status, svm_check_addresses, svm_va_status, svm_reserve_map, svm_capability,
    svm_repair, svm_reserved_info;
handler heap_update, page_alloc, page_free, page_advise, page_prefetch;
handler copy_plain, copy_pitched, copy_async, copy_result, copy_batch, copy_set, copy_translate;
handler convert_make, convert_submit, convert_wait, convert_destroy, convert_destroy_batch;

void space_lock(void);
void space_unlock(void);

/* Whether a range lies in a window of the process, and in which. */
bool in_svm(uint64_t address);
bool in_uvm(uint64_t address);
bool in_soma(uint64_t address);
bool in_host_uva(uint64_t address);
bool in_windows(uint64_t address);

struct heap *heap_at(uint64_t address);
struct block *block_at(uint64_t address);
/* Take a block out of the tables, and its memory with it. */
void block_remove(struct block *block);
/* Remove all blocks of a heap, and the heap. */
void heap_remove(struct heap *heap);
/* An object charged to a node, for which managed pages make room if need be; NOTHING if there is
 * none. */
uint32_t memory_make(unsigned node, uint64_t size, uint64_t charged);
/* 0, or the errno of a device that this process did not open. */
int device_closed(uint32_t device);
/* Put memory behind a block, at a node's cost; errno. */
int block_populate(struct block *block, unsigned node, uint64_t charged);

/* What the CPU sees at addresses: bytes of the store, or nothing. */
int show(uint64_t address, uint64_t size, uint64_t offset, int access);
void hide(uint64_t address, uint64_t size);

/* A stretch of memory as a copy sees it. */
struct view {
    char *at;       /* of the alias, or of the program */
    uint64_t size;  /* how far it goes */
    bool user;      /* the program's own memory */
    enum place place;
    uint32_t device;
    struct block *block;
    struct mapping *mapping;
};

/* Find what is at an address of the program; an errno where nothing can be. */
int view_at(uint64_t address, struct view *view);
/* Copy bytes between any two addresses; errno. */
int bytes_copy(uint64_t to, uint64_t from, uint64_t size);
int bytes_fill(uint64_t to, uint8_t value, uint64_t size);
/* Pages of a block that moves: bring them to a place. errno */
int pages_move(struct block *block, uint64_t address, uint64_t size, enum place place,
               uint32_t device);
/* Forget what the third generation knew, in a child. */
void svm3_forget(void);
/* Forget prepared copies, in a child. */
void convert_forget(void);
/* Serve the CPU's accesses to pages that are elsewhere. */
void faults_serve(void);

#endif
