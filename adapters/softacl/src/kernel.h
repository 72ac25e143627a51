/* kernel.h - what the files about kernels share: half.c, builtin.c, binary.c, args.c, launch.c. */
#ifndef SOFTACL_KERNEL_INTERNAL_H
#define SOFTACL_KERNEL_INTERNAL_H

#include "internal.h"
#include "softacl_kernel.h"

LOCAL const struct softacl_kernel *builtin_kernels(void);
/* IEEE 754 half precision, rounded to nearest, ties to even. */
LOCAL float half_to_float(uint16_t half);
LOCAL uint16_t float_to_half(float value);

struct binary {
    struct object object;
    struct function *functions;
    void *library; /* a plug-in */
};
struct function {
    struct object object;
    struct function *next;
    struct binary *binary;
    const struct softacl_kernel *kernel;
};

enum { ARGS_PARAMETERS = 128, ARGS_BYTES = 64 * 1024 };
struct parameter {
    bool placeholder;
    size_t offset, size;               /* of the value, or of the pointer that takes its place */
    size_t buffer_offset, buffer_size; /* placeholder: the bytes it will point to */
};
/* One per thread. */
struct args {
    struct object object;
    bool listed, finalized, buffers_begun;
    size_t used;
    unsigned count;
    struct parameter parameters[ARGS_PARAMETERS];
    _Alignas(8) unsigned char bytes[ARGS_BYTES];
};

#endif
