/* value.c - a stream writes a value to memory, or waits until memory has one. */
#include <stdlib.h>
#include <time.h>

#include "internal.h"

#define POLL_NANOSECONDS 100000L

struct value_task {
    struct task task;
    uint64_t address, value;
    uint32_t flag;
};

static aclError run_write(struct task *task, struct stream *stream)
{
    const struct value_task *what = (struct value_task *)task;
    return acl_of(device_store(stream->device, what->address, &what->value, sizeof(what->value)));
}

static bool bit_in_both(uint64_t memory, uint64_t value)
{
    if (FAULT(wait_and_as_equal)) {
        return memory == value;
    }
    if (FAULT(wait_and_all_bits)) {
        return (memory & value) == value;
    }
    return (memory & value) != 0;
}

static bool holds(uint64_t memory, uint64_t value, uint32_t flag)
{
    switch (flag) {
        case ACL_STREAM_WAIT_VALUE_GEQ:
            return FAULT(value_unsigned) ? memory >= value : (int64_t)(memory - value) >= 0;
        case ACL_STREAM_WAIT_VALUE_EQ:
            return memory == value;
        case ACL_STREAM_WAIT_VALUE_AND:
            return bit_in_both(memory, value);
        default:
            return FAULT(wait_nor_as_nand) ? ~(memory & value) != 0 : ~(memory | value) != 0;
    }
}

static bool given_up(const struct stream *stream)
{
    lock();
    bool answer = stream->given_up;
    unlock();
    return answer;
}

static aclError run_wait(struct task *task, struct stream *stream)
{
    const struct value_task *what = (struct value_task *)task;
    const struct timespec pause = {0, POLL_NANOSECONDS};
    while (!given_up(stream)) {
        uint64_t memory = 0;
        drvError_t code = device_load(stream->device, what->address, &memory, sizeof(memory));
        if (code != DRV_ERROR_NONE) {
            return acl_of(code);
        }
        if (holds(memory, what->value, what->flag) || FAULT(value_wait_lost)) {
            break;
        }
        nanosleep(&pause, NULL);
    }
    return ACL_SUCCESS;
}

static aclError enqueue(void *address, uint64_t value, uint32_t flag, uint32_t flag_end, aclrtStream stream,
                        aclError (*run)(struct task *task, struct stream *stream))
{
    enum place place = AT_HOST;
    if (address == NULL) {
        return fail(ACL_ERROR_INVALID_PARAM, "devAddr is NULL");
    }
    if (flag >= flag_end) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "flag is unknown");
    }
    aclError code = locate(address, &place);
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (place != AT_DEVICE) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "devAddr is no device memory");
    }
    struct value_task *task = calloc(1, sizeof(*task));
    if (task == NULL) {
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    task->task.run = run;
    task->address = (uint64_t)(uintptr_t)address;
    task->value = value;
    task->flag = flag;
    return submit(stream, &task->task);
}

aclError aclrtValueWrite(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream)
{
    return enqueue(devAddr, value, flag, 1, stream, run_write);
}

aclError aclrtValueWait(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream)
{
    return enqueue(devAddr, value, flag, ACL_STREAM_WAIT_VALUE_NOR + 1, stream, run_wait);
}
