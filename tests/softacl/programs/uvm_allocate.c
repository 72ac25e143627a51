/*
 * uvm_allocate.c - adds two matrices of half precision numbers in managed memory, without any copy.
 *
 *     uvm_allocate KERNEL_BINARY INPUT_X INPUT_Y OUTPUT_Z
 *
 * On a product without managed memory it says [SKIP] and ends with 0.
 */
#include "client.h"

enum { ROWS = 8, COLUMNS = 2048, SKIPPED = 1 };
static const size_t bytes = (size_t)ROWS * COLUMNS * sizeof(uint16_t);
static const uint32_t blocks = 8;

/* What exists, so that cleaning up touches nothing else. */
struct resources {
    int initialized, device_set, stream_made, binary_loaded;
    aclrtStream stream;
    aclrtBinHandle binary;
    void *x, *y, *z;
};

static int initialize(struct resources *own)
{
    CHECK_ERROR(aclInit(NULL));
    own->initialized = 1;
    CHECK_ERROR(aclrtSetDevice(0));
    own->device_set = 1;
    CHECK_ERROR(aclrtCreateStream(&own->stream));
    own->stream_made = 1;
    return 0;
}

static int allocate(struct resources *own)
{
    aclError code = aclrtMemAllocManaged(&own->x, bytes, ACL_RT_MEM_ATTACH_GLOBAL);
    if (code == ACL_ERROR_RT_FEATURE_NOT_SUPPORT) {
        const char *soc = aclrtGetSocName();
        printf("[SKIP] managed memory is not there on %s, aclrtMemAllocManaged answers %d\n",
               soc != NULL ? soc : "an unknown product", (int)code);
        return SKIPPED;
    }
    CHECK_ERROR(code);
    CHECK_ERROR(aclrtMemAllocManaged(&own->y, bytes, ACL_RT_MEM_ATTACH_GLOBAL));
    CHECK_ERROR(aclrtMemAllocManaged(&own->z, bytes, ACL_RT_MEM_ATTACH_GLOBAL));
    return 0;
}

/* Between a file and managed memory, which the CPU loads and stores; how many bytes. */
static size_t transfer(FILE *file, char *memory, int into_memory)
{
    char piece[4096];
    size_t done = 0;
    while (file != NULL && done < bytes) {
        size_t size = bytes - done < sizeof(piece) ? bytes - done : sizeof(piece);
        if (into_memory) {
            size = fread(piece, 1, size, file);
            memcpy(memory + done, piece, size);
        } else {
            memcpy(piece, memory + done, size);
            size = fwrite(piece, 1, size, file);
        }
        if (size == 0) {
            break;
        }
        done += size;
    }
    return done;
}

static int read_file(const char *path, void *into)
{
    FILE *file = fopen(path, "rb");
    size_t done = transfer(file, into, 1);
    if (file != NULL) {
        fclose(file);
    }
    return done == bytes ? 0 : -1;
}

static int write_file(const char *path, void *from)
{
    FILE *file = fopen(path, "wb");
    size_t done = transfer(file, from, 0);
    return (file != NULL && fclose(file) == 0 && done == bytes) ? 0 : -1;
}

static int compute(struct resources *own, char **arguments)
{
    int result = allocate(own);
    if (result != 0) {
        return result;
    }
    /* The CPU writes where the device will read. */
    if (read_file(arguments[2], own->x) != 0 || read_file(arguments[3], own->y) != 0) {
        fprintf(stderr, "[ERROR] the input cannot be read\n");
        return -1;
    }
    CHECK_ERROR(aclrtBinaryLoadFromFile(arguments[1], NULL, &own->binary));
    own->binary_loaded = 1;
    const uint64_t parameters[] = {address(own->x), address(own->y), address(own->z)};
    if (launch(own->binary, "add_custom", blocks, own->stream, parameters, 3) != 0) {
        return -1;
    }
    CHECK_ERROR(aclrtSynchronizeStream(own->stream));
    return write_file(arguments[4], own->z);
}

static int clean_up(struct resources *own, int result)
{
    int failed = 0;
    if (own->binary_loaded) {
        CLEAN_UP(aclrtBinaryUnLoad(own->binary), &failed);
    }
    void *const buffers[] = {own->z, own->y, own->x};
    for (int i = 0; i < 3; i++) {
        if (buffers[i] != NULL) {
            CLEAN_UP(aclrtFree(buffers[i]), &failed);
        }
    }
    if (own->stream_made) {
        CLEAN_UP(aclrtDestroyStreamForce(own->stream), &failed);
    }
    if (own->device_set) {
        CLEAN_UP(aclrtResetDeviceForce(0), &failed);
    }
    if (own->initialized) {
        CLEAN_UP(aclFinalize(), &failed);
    }
    return failed != 0 ? -1 : result;
}

int main(int count, char **arguments)
{
    struct resources own;
    memset(&own, 0, sizeof(own));
    if (count != 5) {
        fprintf(stderr, "usage: %s KERNEL_BINARY INPUT_X INPUT_Y OUTPUT_Z\n", arguments[0]);
        return 2;
    }
    int result = initialize(&own);
    result = clean_up(&own, result == 0 ? compute(&own, arguments) : result);
    if (result == 0) {
        printf("[INFO] the sum is in %s\n", arguments[4]);
    }
    return result == 0 || result == SKIPPED ? 0 : 1;
}
