/* threads.c - eight threads allocate, write, copy, check and free; nothing overlaps, nothing is lost. */
#include <pthread.h>

#include "harness.h"

enum { THREADS = 8, ROUNDS = 120, HELD = 6 };
static int failures[THREADS];

static void *run(void *argument)
{
    unsigned id = (unsigned)(uintptr_t)argument;
    unsigned seed = id + 1;
    unsigned char tag = (unsigned char)(id + 1);
    void *held[HELD] = {0};
    static _Thread_local unsigned char bytes[65536];
    size_t size[HELD] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        int slot = round % HELD;
        if (held[slot] != NULL) {
            memset(bytes, 0, sizeof(bytes));
            int ok = drvMemcpy(address_of(bytes), sizeof(bytes), address_of(held[slot]), size[slot]) == 0;
            for (size_t i = 0; ok && i < size[slot]; i++) {
                ok = bytes[i] == tag;
            }
            failures[id] += ok && halMemFree(held[slot]) == 0 ? 0 : 1;
        }
        size[slot] = (size_t)(rand_r(&seed) % 65536) + 1;
        uint64_t flag = (round & 3) == 0 ? HOST : DEV | (uint64_t)(id & 1U);
        if (halMemAlloc(&held[slot], size[slot], flag) != 0 ||
            drvMemsetD8(address_of(held[slot]), size[slot], tag, size[slot]) != 0) {
            failures[id]++;
        }
    }
    for (int slot = 0; slot < HELD; slot++) {
        failures[id] += halMemFree(held[slot]) == 0 ? 0 : 1;
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    CHECK_CODE(halMemAgentOpen(1, 0), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&thread[i], NULL, run, (void *)(uintptr_t)i) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        CHECK(failures[i] == 0);
    }
    CHECK_CODE(halMemAgentClose(0, 0), 0);
    CHECK_CODE(halMemAgentClose(1, 0), 0);
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    CHECK(device_free(0) == device_total(0));
    return finish();
}
