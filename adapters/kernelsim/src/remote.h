/* remote.h - host memory that devices reach, device memory that the host reaches, pinned ranges. */
#ifndef KERNELSIM_REMOTE_H
#define KERNELSIM_REMOTE_H

#include "svm.h"

handler remote_map, remote_unmap, dma_register, dma_unregister;

/* Everything that was mapped for a device goes. */
void remote_of_device(uint32_t device);
void remote_forget(void);

#endif
