/*
 * zero_copy.c - host memory that the device works on in place.
 *
 *     zero_copy KERNEL_BINARY
 */
#include "client.h"

enum { LENGTH = 8 * 2048 };
static const size_t bytes = (size_t)LENGTH * sizeof(uint16_t);

static int run(const char *path, struct session *session)
{
    uint16_t *host[3];
    uint64_t device[3];
    aclrtBinHandle binary = NULL;
    for (int i = 0; i < 3; i++) {
        void *memory = NULL;
        void *mapped = NULL;
        CHECK_ERROR(aclrtMallocHost(&memory, bytes));
        CHECK_ERROR(aclrtHostRegisterV2(memory, bytes, ACL_HOST_REG_MAPPED));
        CHECK_ERROR(aclrtHostGetDevicePointer(memory, &mapped, 0));
        if (mapped == NULL) {
            return -1;
        }
        host[i] = memory;
        device[i] = address(mapped);
    }
    for (int i = 0; i < LENGTH; i++) {
        host[0][i] = 0x3c00; /* 1.0 */
        host[1][i] = 0x4000; /* 2.0 */
        host[2][i] = 0;
    }
    CHECK_ERROR(aclrtBinaryLoadFromFile(path, NULL, &binary));
    if (launch(binary, "add_custom", 8, session->stream, device, 3) != 0) {
        return -1;
    }
    CHECK_ERROR(aclrtSynchronizeStream(session->stream));
    int wrong = 0;
    for (int i = 0; i < LENGTH; i++) {
        wrong += host[2][i] == 0x4200 ? 0 : 1; /* 3.0 */
    }
    printf("wrong: %d of %d\n", wrong, LENGTH);
    CHECK_ERROR(aclrtBinaryUnLoad(binary));
    for (int i = 2; i >= 0; i--) {
        CHECK_ERROR(aclrtHostUnregister(host[i]));
        CHECK_ERROR(aclrtFreeHost(host[i]));
    }
    return wrong == 0 ? 0 : -1;
}

int main(int count, char **arguments)
{
    struct session session;
    if (count != 2) {
        return 2;
    }
    int result = session_begin(&session);
    result = result == 0 ? run(arguments[1], &session) : result;
    result = session_end(&session) != 0 ? -1 : result;
    return result == 0 ? 0 : 1;
}
