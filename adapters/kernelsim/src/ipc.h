/* ipc.h - device memory that other processes open by name. */
#ifndef KERNELSIM_IPC_H
#define KERNELSIM_IPC_H

#include "svm.h"

handler ipc_create, ipc_destroy, ipc_query, ipc_open, ipc_close, ipc_set_pid, ipc_set_pid_pod,
    ipc_set_attr, ipc_get_attr;

/* Names of memory in a range become invalid. */
void ipc_forget(uint64_t address, uint64_t size);

#endif
