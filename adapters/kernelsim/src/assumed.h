/* assumed.h - answers that a device's firmware gives on real machines and that nobody documents.
 *
 * What is played instead is an assumption. Each one that a call rests on is noted, so that a verdict
 * can say so. The table is the only list: X(NAME, "id", "what is assumed"), at most 62 lines.
 */
#ifndef KERNELSIM_ASSUMED_H
#define KERNELSIM_ASSUMED_H

#include <stdbool.h>

#define ASSUMPTIONS(X) \
    X(MEMORY_SPLIT, "memory-split", \
      "a device's memory is one pool, an eighth of it shown as small pages and the rest as huge ones") \
    X(PEER_MEMORY, "peer-memory", "memory for peer access is told as the numbers of the device's memory") \
    X(DEVICE_FULL, "device-full", "a device without room answers ENOMEM") \
    X(DEVICE_CLOSED, "device-closed", "a device that this process did not open answers ESRCH") \
    X(DEVICE_PROCESS, "device-process", "a device's process lives as long as the device is open") \
    X(PHYSICAL_ADDRESS, "physical-address", "physical addresses are unique and above 512 GiB") \
    X(CAPABILITIES, "capabilities", "every accelerator reaches host memory as the connection allows") \
    X(REGISTERS, "registers", "a device shows no registers and no cache to the host: EOPNOTSUPP") \
    X(DEVICE_ADDRESS, "device-address", "devices see registered host memory from 0x1ff000000000 on") \
    X(COPY_PAST_END, "copy-past-end", "a copy that leaves the pages of its block answers EINVAL") \
    X(POOL_UNKNOWN, "pool-unknown", "a pool that is not there, or is there already, answers EINVAL") \
    X(POOL_TRIM, "pool-trim", "trimming keeps what is used and asked for, and gives back the rest") \
    X(REPAIR, "repair", "a device can replace any page of its own")

enum assumption {
#define X(name, id, text) ASSUMED_##name,
    ASSUMPTIONS(X)
#undef X
};

/* Note that the answer to the present command is assumed. */
void assume(enum assumption assumption);
/* Note that the present command failed because that was wished; for_good: the device is gone. */
void note_trouble(bool for_good);

#endif
