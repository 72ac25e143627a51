/* plugin.c - a plug-in with one kernel: every block adds 1 to the same number. */
#include "softacl_kernel.h"

static int increment(const struct softacl_block *block)
{
    const uint64_t address = *(const uint64_t *)block->args;
    uint32_t number = 0;
    if (block->load(block->device, address, &number, sizeof(number)) != 0) {
        return -1;
    }
    number++;
    return block->store(block->device, address, &number, sizeof(number));
}

SOFTACL_KERNELS = {
    {"increment", 8, increment},
    {NULL, 0, NULL},
};
