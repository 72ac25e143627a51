/*
 * builtin.c - the kernels of the public samples: add_custom on half precision numbers, with a fixed length or with
 * its length as two more parameters, and the two that write and read one number.
 */
#include <string.h>

#include "kernel.h"

enum { FIXED_LENGTH = 8 * 2048, FIXED_BLOCKS = 8, CHUNK = 256 };

static uint64_t parameter(const struct softacl_block *block, size_t index)
{
    uint64_t value = 0;
    memcpy(&value, (const unsigned char *)block->args + 8 * index, sizeof(value));
    return value;
}

static int add_chunk(const struct softacl_block *block, uint64_t start, size_t count)
{
    uint16_t x[CHUNK];
    uint16_t y[CHUNK];
    size_t bytes = count * sizeof(*x);
    uint64_t offset = start * sizeof(*x);
    if (block->load(block->device, parameter(block, 0) + offset, x, bytes) != 0 ||
        block->load(block->device, parameter(block, 1) + offset, y, bytes) != 0) {
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        x[i] = float_to_half(half_to_float(x[i]) + half_to_float(y[i]));
    }
    return block->store(block->device, parameter(block, 2) + offset, x, bytes);
}

static int add_range(const struct softacl_block *block, uint64_t start, uint64_t end)
{
    int result = 0;
    for (uint64_t at = start; at < end && result == 0; at += CHUNK) {
        result = add_chunk(block, at, (size_t)(end - at < CHUNK ? end - at : CHUNK));
    }
    return result;
}

/* Two more parameters are pointers to the number of elements and of tiles. */
static int add_custom(const struct softacl_block *block)
{
    int32_t length = FIXED_LENGTH / FIXED_BLOCKS;
    if (block->args_size >= 5 * 8) {
        int32_t tiles = 0;
        if (block->load(block->device, parameter(block, 3), &length, sizeof(length)) != 0 ||
            block->load(block->device, parameter(block, 4), &tiles, sizeof(tiles)) != 0 || length < 0 || tiles <= 0) {
            return -1;
        }
        length /= (int32_t)block->count;
    }
    uint64_t start = (uint64_t)(uint32_t)length * block->index;
    return add_range(block, start, start + (uint64_t)(uint32_t)length);
}

static int device_write(const struct softacl_block *block)
{
    int32_t value = (int32_t)parameter(block, 1);
    return block->store(block->device, parameter(block, 0) + 4 * (uint64_t)block->index, &value, sizeof(value));
}

/* Copies the number that it reads to where the second parameter points, if that is not 0. */
static int device_read(const struct softacl_block *block)
{
    int32_t value = 0;
    uint64_t offset = 4 * (uint64_t)block->index;
    if (block->load(block->device, parameter(block, 0) + offset, &value, sizeof(value)) != 0) {
        return -1;
    }
    bool told = block->args_size >= 16 && parameter(block, 1) != 0;
    return told ? block->store(block->device, parameter(block, 1) + offset, &value, sizeof(value)) : 0;
}

const struct softacl_kernel *builtin_kernels(void)
{
    static const struct softacl_kernel kernels[] = {
        {"add_custom", 3 * 8, add_custom},
        {"DeviceWrite", 2 * 8, device_write},
        {"DeviceRead", 8, device_read},
        {NULL, 0, NULL},
    };
    return kernels;
}
