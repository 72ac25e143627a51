/* soma.h - pools of device memory. */
#ifndef KERNELSIM_SOMA_H
#define KERNELSIM_SOMA_H

#include "svm.h"

handler soma_create, soma_destroy, soma_trim;

/* The memory of a pool at an address; false if no pool is there. */
bool soma_at(uint64_t address, struct view *view);
void soma_of_device(uint32_t device);
void soma_forget(void);

#endif
