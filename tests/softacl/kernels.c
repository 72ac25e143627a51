/* kernels.c - binaries, parameters, launches, host memory for devices, and managed memory. */
#include "harness.h"

static void test_binaries(aclrtStream stream)
{
    int local = 0;
    aclrtBinHandle binary = NULL;
    aclrtFuncHandle function = NULL;
    aclrtFuncHandle same = NULL;
    aclrtArgsHandle args = NULL;
    CHECK_CODE(aclrtBinaryLoadFromFile(NULL, NULL, &binary), 100000);
    CHECK_CODE(aclrtBinaryLoadFromFile(plain_binary(), NULL, NULL), 100000);
    CHECK(aclrtBinaryLoadFromFile("/nonexistent/kernels.o", NULL, &binary) != 0);
    NEED(aclrtBinaryLoadFromFile(plain_binary(), NULL, &binary));
    CHECK_CODE(aclrtBinaryGetFunction(NULL, "add_custom", &function), 100000);
    CHECK_CODE(aclrtBinaryGetFunction(&local, "add_custom", &function), 107017);
    CHECK_CODE(aclrtBinaryGetFunction(binary, "no_such_kernel", &function), 107000);
    CHECK_CODE(aclrtBinaryGetFunction(binary, "add_custom", &function), 0);
    CHECK_CODE(aclrtBinaryGetFunction(binary, "add_custom", &same), 0);
    CHECK(function == same);
    CHECK_CODE(aclrtBinaryUnLoad(NULL), 100000);
    CHECK_CODE(aclrtBinaryUnLoad(binary), 0);
    CHECK_CODE(aclrtBinaryUnLoad(binary), 107017);
    CHECK_CODE(aclrtKernelArgsInit(function, &args), 107017);
    (void)stream;
}

static void test_parameters(aclrtStream stream, aclrtFuncHandle function)
{
    int local = 0;
    uint64_t value = 1;
    void *buffer = NULL;
    void *second = NULL;
    aclrtArgsHandle args = NULL;
    aclrtParamHandle handle = NULL;
    aclrtParamHandle place = NULL;
    aclrtParamHandle other = NULL;
    CHECK_CODE(aclrtKernelArgsInit(NULL, &args), 100000);
    NEED(aclrtKernelArgsInit(function, &args));
    CHECK_CODE(aclrtKernelArgsAppend(NULL, &value, 8, &handle), 100000);
    CHECK_CODE(aclrtKernelArgsAppend(args, &value, 0, &handle), 100000);
    CHECK_CODE(aclrtKernelArgsAppend(&local, &value, 8, &handle), 107017);
    CHECK_CODE(aclrtKernelArgsAppend(args, &value, 8, &handle), 0);
    CHECK_CODE(aclrtKernelArgsAppendPlaceHolder(args, &place), 0);
    CHECK_CODE(aclrtKernelArgsAppendPlaceHolder(args, &other), 0);
    CHECK_CODE(aclrtLaunchKernelWithConfig(function, 1, stream, NULL, args, NULL), 107000); /* not finalized */
    CHECK_CODE(aclrtKernelArgsGetPlaceHolderBuffer(args, handle, 8, &buffer), 107000);
    CHECK_CODE(aclrtKernelArgsGetPlaceHolderBuffer(args, place, 8, &buffer), 0);
    CHECK_CODE(aclrtKernelArgsGetPlaceHolderBuffer(args, other, 8, &second), 0);
    CHECK(buffer != second && (char *)second - (char *)buffer >= 8);
    CHECK_CODE(aclrtKernelArgsAppend(args, &value, 8, &handle), 207000);
    CHECK_CODE(aclrtKernelArgsFinalize(NULL), 100000);
    CHECK_CODE(aclrtKernelArgsFinalize(args), 0);
    CHECK_CODE(aclrtKernelArgsAppendPlaceHolder(args, &place), 207000);
    CHECK_CODE(aclrtKernelArgsParaUpdate(args, handle, &value, 4), 107000);
    CHECK_CODE(aclrtKernelArgsParaUpdate(args, handle, &value, 8), 0);
    CHECK_CODE(aclrtLaunchKernelWithConfig(function, 1, stream, NULL, args, NULL), 107000); /* once more, please */
    NEED(aclrtKernelArgsInit(function, &args)); /* begins anew */
    for (int i = 0; i < 128; i++) {
        value = aclrtKernelArgsAppend(args, &value, 8, &handle) == 0 ? 0 : 1;
        if (value != 0) {
            break;
        }
    }
    CHECK(value == 0);
    CHECK_CODE(aclrtKernelArgsAppend(args, &value, 8, &handle), 107000);
    CHECK_CODE(aclrtLaunchKernelWithConfig(NULL, 1, stream, NULL, args, NULL), 100000);
    CHECK_CODE(aclrtLaunchKernelWithConfig(function, 0, stream, NULL, args, NULL), 100000);
    CHECK_CODE(aclrtLaunchKernelWithConfig(function, 1, stream, NULL, NULL, NULL), 100000);
    CHECK_CODE(aclrtLaunchKernelWithConfig(function, 1, stream, NULL, args, &local), 100000);
    CHECK_CODE(aclrtLaunchKernelWithConfig(function, 1, &local, NULL, args, NULL), 107017);
}

/* The parameters are taken at the call: the next launch on the same list does not change them. */
static void test_launches(aclrtStream stream, aclrtFuncHandle write)
{
    void *gate = new_gate();
    void *memory = device_memory(64);
    NEED(aclrtMemset(memory, 64, 0, 64));
    shut(gate, stream);
    const uint64_t first[] = {address_of(memory), 11};
    const uint64_t second[] = {address_of(memory) + 16, 22};
    CHECK_CODE(launch(write, 3, stream, first, 2), 0);
    CHECK_CODE(launch(write, 1, stream, second, 2), 0);
    open_gate(gate);
    CHECK_CODE(aclrtSynchronizeStream(stream), 0);
    CHECK(first_word(memory) == 11 && first_word((char *)memory + 4) == 11 && first_word((char *)memory + 8) == 11);
    CHECK(first_word((char *)memory + 12) == 0 && first_word((char *)memory + 16) == 22);
    CHECK_CODE(launch(write, 1, NULL, second, 2), 0); /* the default stream */
    CHECK_CODE(aclrtSynchronizeStream(NULL), 0);
    /* A fault of a kernel comes out at the next synchronisation. */
    const uint64_t nowhere[] = {8, 1};
    CHECK_CODE(launch(write, 1, stream, nowhere, 2), 0);
    CHECK_CODE(aclrtSynchronizeStream(stream), 507015);
    CHECK_CODE(launch(write, 1, stream, first, 1), 0);
    CHECK_CODE(aclrtSynchronizeStream(stream), 507015); /* a parameter is missing */
    NEED(aclrtFree(gate));
    NEED(aclrtFree(memory));
}

static void test_addition(aclrtStream stream, aclrtFuncHandle add)
{
    /* Half precision: 1 + 1, 2048 + 1 (a tie to even), the largest plus itself, infinity, subnormals, -1 + 1. */
    static const uint16_t x[] = {0x3c00, 0x6800, 0x7bff, 0x7c00, 0x0001, 0xbc00, 0x6801, 0x8001};
    static const uint16_t y[] = {0x3c00, 0x3c00, 0x7bff, 0x3c00, 0x0001, 0x3c00, 0x3c00, 0x0000};
    static const uint16_t z[] = {0x4000, 0x6800, 0x7c00, 0x7c00, 0x0002, 0x0000, 0x6802, 0x8001};
    const size_t bytes = 2048 * 2 * sizeof(uint16_t);
    uint16_t *host = host_memory(bytes);
    void *memory[3];
    for (int i = 0; i < 3; i++) {
        memory[i] = device_memory(bytes);
        NEED(aclrtMemset(memory[i], bytes, 0, bytes));
    }
    for (int half = 0; half < 2; half++) {
        NEED(aclrtMemcpy((char *)memory[0] + half * 4096, 4096, x, sizeof(x), ACL_MEMCPY_HOST_TO_DEVICE));
        NEED(aclrtMemcpy((char *)memory[1] + half * 4096, 4096, y, sizeof(y), ACL_MEMCPY_HOST_TO_DEVICE));
    }
    const uint64_t values[] = {address_of(memory[0]), address_of(memory[1]), address_of(memory[2])};
    CHECK_CODE(launch(add, 2, stream, values, 3), 0);
    CHECK_CODE(aclrtSynchronizeStream(stream), 0);
    NEED(aclrtMemcpy(host, bytes, memory[2], bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    CHECK(memcmp(host, z, sizeof(z)) == 0);
    CHECK(memcmp(host + 2048, z, sizeof(z)) == 0);
    for (int i = 0; i < 3; i++) {
        NEED(aclrtFree(memory[i]));
    }
    NEED(aclrtFreeHost(host));
}

static void test_plugin(aclrtStream stream)
{
    const char *path = getenv("SOFTACL_TEST_PLUGIN");
    aclrtBinHandle binary = NULL;
    aclrtFuncHandle function = NULL;
    if (path == NULL) {
        return;
    }
    void *memory = device_memory(64);
    NEED(aclrtMemset(memory, 64, 0, 64));
    NEED(aclrtBinaryLoadFromFile(path, NULL, &binary));
    CHECK_CODE(aclrtBinaryGetFunction(binary, "add_custom", &function), 107000);
    CHECK_CODE(aclrtBinaryGetFunction(binary, "increment", &function), 0);
    const uint64_t values[] = {address_of(memory)};
    CHECK_CODE(launch(function, 5, stream, values, 1), 0);
    CHECK_CODE(aclrtSynchronizeStream(stream), 0);
    CHECK(first_word(memory) == 5);
    NEED(aclrtBinaryUnLoad(binary));
    NEED(aclrtFree(memory));
}

static void test_host_registration(aclrtStream stream, aclrtFuncHandle write)
{
    void *memory = NULL;
    void *device = NULL;
    void *inside = NULL;
    NEED(posix_memalign(&memory, 4096, 8192));
    memset(memory, 0, 8192);
    CHECK_CODE(aclrtHostRegister(NULL, 4096, ACL_HOST_REGISTER_MAPPED, &device), 100000);
    CHECK_CODE(aclrtHostRegister(memory, 0, ACL_HOST_REGISTER_MAPPED, &device), 100000);
    CHECK_CODE(aclrtHostRegister(memory, 4096, (aclrtHostRegisterType)1, &device), 207000);
    CHECK_CODE(aclrtHostRegisterV2(memory, 4096, 0), 107000);
    CHECK_CODE(aclrtHostRegisterV2(memory, 4096, 1), 107000);
    CHECK_CODE(aclrtHostUnregister(memory), 507911);
    CHECK_CODE(aclrtHostRegister(memory, 8192, ACL_HOST_REGISTER_MAPPED, &device), 0);
    CHECK_CODE(aclrtHostGetDevicePointer(memory, &inside, 1), 100000);
    CHECK_CODE(aclrtHostGetDevicePointer((char *)memory + 100, &inside, 0), 0);
    CHECK((char *)inside == (char *)device + 100);
    const uint64_t values[] = {address_of(inside), 0x55667788};
    CHECK_CODE(launch(write, 1, stream, values, 2), 0);
    CHECK_CODE(aclrtSynchronizeStream(stream), 0);
    uint32_t word = 0;
    memcpy(&word, (char *)memory + 100, sizeof(word));
    CHECK(word == 0x55667788);
    CHECK_CODE(aclrtHostUnregister((char *)memory + 4096), 507911);
    CHECK_CODE(aclrtHostUnregister(memory), 0);
    CHECK_CODE(aclrtHostUnregister(memory), 507911);
    CHECK_CODE(aclrtHostGetDevicePointer(memory, &inside, 0), 107000);
    CHECK_CODE(aclrtHostRegisterV2(memory, 8192, ACL_HOST_REG_PINNED), 0); /* not for the device */
    CHECK_CODE(aclrtHostRegisterV2((char *)memory + 4096, 4096, ACL_HOST_REG_PINNED), 507910);
    CHECK_CODE(aclrtHostGetDevicePointer(memory, &inside, 0), 107000);
    CHECK_CODE(aclrtHostUnregister(memory), 0);
    free(memory);
}

static int32_t told(aclrtMemManagedRangeAttribute attribute, const void *memory, size_t size)
{
    int32_t answer = 77;
    CHECK_CODE(aclrtMemManagedGetAttr(attribute, memory, size, &answer, sizeof(answer)), 0);
    return answer;
}

/* What was set for pages, and batches of them. */
static void test_pages(aclrtStream stream)
{
    void *memory = NULL;
    const aclrtMemManagedLocation place = {.type = ACL_MEM_LOCATIONTYPE_DEVICE, .id = 1};
    aclrtMemManagedLocation places[] = {place, {.type = ACL_MEM_LOCATIONTYPE_HOST, .id = 0}};
    const aclrtMemManagedLocation nowhere = {.type = ACL_MEM_LOCATIONTYPE_INVALID, .id = 0};
    NEED(aclrtMemAllocManaged(&memory, 2 * PAGE, 1));
    NEED(aclrtSetDevice(1));
    NEED(aclrtSetDevice(0));
    CHECK_CODE(aclrtMemManagedAdvise(memory, PAGE, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, place), 0);
    CHECK(told(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, memory, PAGE) == 1);
    CHECK(told(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, memory, 2 * PAGE) == -2);
    int32_t answers[2] = {77, 77};
    void *data[] = {&answers[0], &answers[1]};
    size_t sizes[] = {sizeof(answers[0]), sizeof(answers[1])};
    aclrtMemManagedRangeAttribute attributes[] = {ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
                                                  ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION};
    CHECK_CODE(aclrtMemManagedGetAttrs(attributes, 2, memory, PAGE, data, sizes), 0);
    CHECK(answers[0] == 0 && answers[1] == 1);
    CHECK_CODE(aclrtMemManagedAdvise((char *)memory + PAGE, PAGE, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, places[1]), 0);
    CHECK(told(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, (char *)memory + PAGE, PAGE) == -1);
    CHECK_CODE(aclrtMemManagedAdvise(memory, PAGE, ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION, place), 0);
    CHECK(told(ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, memory, PAGE) == -2);
    CHECK_CODE(aclrtMemManagedPrefetchAsync(memory, PAGE, nowhere, 0, stream), 107000);
    const void *ranges[] = {memory, (char *)memory + PAGE};
    size_t lengths[] = {PAGE, PAGE};
    size_t ascending[] = {0, 1};
    size_t equal[] = {0, 0};
    memset(memory, 6, 2 * PAGE);
    CHECK_CODE(aclrtMemManagedPrefetchBatchAsync(ranges, lengths, 2, places, equal, 2, 0, stream), 107000);
    CHECK_CODE(aclrtMemManagedPrefetchBatchAsync(ranges, lengths, 2, places, ascending, 2, 0, stream), 0);
    CHECK_CODE(aclrtSynchronizeStream(stream), 0);
    CHECK(((char *)memory)[0] == 6 && ((char *)memory)[2 * PAGE - 1] == 6);
    CHECK_CODE(aclrtFree(memory), 0);
    NEED(aclrtResetDevice(1));
}

static void test_managed(aclrtStream stream, aclrtFuncHandle write)
{
    void *memory = NULL;
    aclrtPtrAttributes attributes;
    CHECK_CODE(aclrtMemAllocManaged(NULL, 64, 1), 100000);
    CHECK_CODE(aclrtMemAllocManaged(&memory, 64, 0), 100000);
    CHECK_CODE(aclrtMemAllocManaged(&memory, 0, 1), 107000);
    CHECK_CODE(aclrtMemAllocManaged(&memory, UINT64_MAX, 1), 107000);
    if (is_950()) {
        CHECK_CODE(aclrtMemAllocManaged(&memory, 64, 1), 207000);
        return;
    }
    CHECK_CODE(aclrtMemAllocManaged(&memory, 64, 1), 0);
    CHECK(address_of(memory) % PAGE == 0);
    CHECK_CODE(aclrtPointerGetAttributes(memory, &attributes), 0);
    CHECK(attributes.location.type == ACL_MEM_LOCATION_TYPE_MANAGED && attributes.pageSize == PAGE);
    *(uint32_t *)memory = 5; /* the CPU */
    const uint64_t values[] = {address_of(memory) + 4, 6};
    CHECK_CODE(launch(write, 1, stream, values, 2), 0); /* and the device */
    CHECK_CODE(aclrtSynchronizeStream(stream), 0);
    CHECK(((uint32_t *)memory)[0] == 5 && ((uint32_t *)memory)[1] == 6);
    aclrtMemManagedLocation place = {.type = ACL_MEM_LOCATIONTYPE_DEVICE, .id = 9};
    CHECK_CODE(aclrtMemManagedAdvise(NULL, PAGE, ACL_MEM_ADVISE_SET_READ_MOSTLY, place), 100000);
    CHECK_CODE(aclrtMemManagedAdvise(memory, PAGE, ACL_MEM_ADVISE_SET_READ_MOSTLY, place), 107000);
    place.id = 0;
    CHECK_CODE(aclrtMemManagedAdvise(memory, PAGE, (aclrtMemManagedAdviseType)6, place), 107000);
    CHECK_CODE(aclrtMemManagedPrefetchAsync(memory, 0, place, 0, stream), 100000);
    CHECK_CODE(aclrtMemManagedPrefetchAsync(memory, PAGE, place, 1, stream), 100000);
    aclError code = aclrtMemManagedPrefetchAsync(memory, PAGE, place, 0, stream);
    CHECK(code == 0 || code == 207000); /* a driver without these calls */
    if (code == 0) {
        int32_t answer = 77;
        CHECK_CODE(aclrtSynchronizeStream(stream), 0);
        CHECK_CODE(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, memory, PAGE, &answer, 4), 0);
        CHECK(answer == 0);
        CHECK_CODE(aclrtMemManagedAdvise(memory, PAGE, ACL_MEM_ADVISE_SET_READ_MOSTLY, place), 0);
        CHECK_CODE(aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, memory, PAGE, &answer, 4), 0);
        CHECK(answer == 1);
        CHECK_CODE(aclrtMemManagedGetAttr((aclrtMemManagedRangeAttribute)9, memory, PAGE, &answer, 4), 107000);
        CHECK(((uint32_t *)memory)[0] == 5);
        test_pages(stream);
    }
    CHECK_CODE(aclrtFree(memory), 0);
}

int main(void)
{
    aclrtBinHandle binary = NULL;
    aclrtFuncHandle add = NULL;
    aclrtFuncHandle write = NULL;
    setenv("SOFTHAL_DEVICE_MEMORY", "256M", 0);
    NEED(aclInit(NULL));
    NEED(aclrtSetDevice(0));
    aclrtStream stream = new_stream();
    test_binaries(stream);
    NEED(aclrtBinaryLoadFromFile(plain_binary(), NULL, &binary));
    NEED(aclrtBinaryGetFunction(binary, "add_custom", &add));
    NEED(aclrtBinaryGetFunction(binary, "DeviceWrite", &write));
    test_parameters(stream, add);
    test_launches(stream, write);
    test_addition(stream, add);
    test_plugin(stream);
    test_host_registration(stream, write);
    test_managed(stream, write);
    NEED(aclrtBinaryUnLoad(binary));
    NEED(aclrtDestroyStream(stream));
    NEED(aclrtResetDevice(0));
    NEED(aclFinalize());
    unlink(plain_binary());
    return finish();
}
