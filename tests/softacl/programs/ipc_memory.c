/*
 * ipc_memory.c - one allocation, two processes: a makes it and writes 123, b opens it by its key and reads.
 *
 *     ipc_memory KERNEL_BINARY a|b FOLDER withpid|withoutpid
 */
#include "messages.h"

enum { KEY_LENGTH = 65 };
static const int32_t wanted = 123;

static int owner(const char *binary_path, const char *folder, int with_pid, struct session *session)
{
    aclrtBinHandle binary = NULL;
    void *memory = NULL;
    char key[KEY_LENGTH] = "";
    int32_t peer = 0;
    char word = 0;
    CHECK_ERROR(aclrtMalloc(&memory, MEBIBYTE, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_ERROR(aclrtBinaryLoadFromFile(binary_path, NULL, &binary));
    const uint64_t parameters[] = {address(memory), (uint64_t)wanted};
    if (launch(binary, "DeviceWrite", 1, session->stream, parameters, 2) != 0) {
        return -1;
    }
    CHECK_ERROR(aclrtSynchronizeStream(session->stream));
    CHECK_ERROR(aclrtIpcMemGetExportKey(memory, MEBIBYTE, key, sizeof(key),
                                        with_pid ? ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT
                                                 : ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION));
    if (with_pid) {
        if (hear(folder, "pid", &peer, sizeof(peer)) != 0) {
            return -1;
        }
        CHECK_ERROR(aclrtIpcMemSetImportPid(key, &peer, 1));
    }
    if (tell(folder, "key", key, sizeof(key)) != 0 || hear(folder, "done", &word, 1) != 0) {
        return -1;
    }
    CHECK_ERROR(aclrtIpcMemClose(key));
    CHECK_ERROR(aclrtFree(memory));
    CHECK_ERROR(aclrtBinaryUnLoad(binary));
    return 0;
}

static int user(const char *folder, struct session *session)
{
    void *memory = NULL;
    char key[KEY_LENGTH] = "";
    int32_t pid = 0;
    int32_t value = 0;
    (void)session;
    CHECK_ERROR(aclrtDeviceGetBareTgid(&pid));
    if (tell(folder, "pid", &pid, sizeof(pid)) != 0 || hear(folder, "key", key, sizeof(key)) != 0) {
        return -1;
    }
    CHECK_ERROR(aclrtIpcMemImportByKey(&memory, key, ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT));
    CHECK_ERROR(aclrtMemcpy(&value, sizeof(value), memory, sizeof(value), ACL_MEMCPY_DEVICE_TO_HOST));
    printf("b sees %d\n", value);
    CHECK_ERROR(aclrtIpcMemClose(key));
    if (tell(folder, "done", "x", 1) != 0) {
        return -1;
    }
    if (aclrtFree(memory) == ACL_SUCCESS) {
        fprintf(stderr, "[ERROR] the closed memory can be freed\n");
        return -1;
    }
    return value == wanted ? 0 : -1;
}

int main(int count, char **arguments)
{
    struct session session;
    if (count != 5) {
        return 2;
    }
    int result = session_begin(&session);
    if (result == 0) {
        int with_pid = strcmp(arguments[4], "withpid") == 0;
        result = arguments[2][0] == 'a' ? owner(arguments[1], arguments[3], with_pid, &session)
                                        : user(arguments[3], &session);
    }
    result = session_end(&session) != 0 ? -1 : result;
    return result == 0 ? 0 : 1;
}
