/* handle.h - physical memory that a process holds by number, its own or another process's. */
#ifndef KERNELSIM_HANDLE_H
#define KERNELSIM_HANDLE_H

#include "svm.h"

enum handle_kind { HANDLE_NORMAL, HANDLE_EXPORTED, HANDLE_IMPORTED };
enum { NEVER_SHARED = -1 };

struct handle {
    bool used;
    enum handle_kind kind;
    uint32_t hold;
    uint64_t offset;
    uint64_t size;
    uint32_t side;   /* SIDE_HOST or SIDE_DEVICE */
    uint32_t device; /* HOST_ID for host memory */
    uint32_t page;
    uint32_t type;
    uint32_t module;
    uint64_t pages;
    uint32_t mappings;
    uint32_t route;
};

/* The handle of a number at a place; NULL if there is none. */
struct handle *handle_at(uint32_t device, int32_t id);
/* The handle of a number, used or not; NULL behind the last one. */
struct handle *handle_number(int32_t id);
/* A fresh handle; NULL if there is no memory. *id is its number. */
struct handle *handle_new(int32_t *id);
/* Its memory is let go, and its number is free. */
void handle_remove(struct handle *handle);
/* Everything of a device goes: its mappings and handles. */
void handles_of_device(uint32_t device);
/* Forget all handles, in a child. */
void handles_forget(void);
/* Page size of a kind in bytes. */
uint64_t page_bytes(uint32_t kind);

handler block_create, block_release, block_map, block_unmap, block_owner, block_set_access,
    block_get_access, block_set_attr, block_get_attr;
handler share_export, share_import, share_set_pid, share_set_attr, share_get_attr, share_get_info;


#endif
