/*
 * softacl_kernel.h - functions for the device: what a kernel is to this runtime, and how a plug-in brings its own.
 *
 * A plug-in is a shared library that defines `softacl_kernels`.  Its kernels are found in it when it is what
 * aclrtBinaryLoadFromFile loads, and everywhere when SOFTACL_KERNELS names it.  For any other binary the names
 * of the built-in kernels are known.  Kernels see memory through load and store, which is what the device sees.
 */
#ifndef SOFTACL_KERNEL_H
#define SOFTACL_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct softacl_block {
    uint32_t index, count; /* which block of how many */
    const void *args;      /* the parameters in their order, each at a multiple of 8 bytes */
    size_t args_size;
    void *device;
    /* 0, or -1 if the device cannot reach the memory: return that, it ends the kernel with an exception. */
    int (*load)(void *device, uint64_t address, void *to, size_t size);
    int (*store)(void *device, uint64_t address, const void *from, size_t size);
};
struct softacl_kernel {
    const char *name;
    size_t args_size; /* a launch with fewer bytes of parameters is an exception */
    int (*run)(const struct softacl_block *block); /* 0, or -1 for an exception */
};

/* Ends with an entry without a name. */
#define SOFTACL_KERNELS __attribute__((visibility("default"))) const struct softacl_kernel softacl_kernels[]
extern SOFTACL_KERNELS;

#ifdef __cplusplus
}
#endif

#endif
