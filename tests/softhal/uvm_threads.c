/*
 * uvm_threads.c - threads that read and write pages while others prefetch, advise, copy and ask, under
 * pressure.  Each thread owns words of every page and must find in them what it wrote last.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "uvm.h"

enum { PAGES = 12, WRITERS = 4, ROUNDS = 60, STRIDE = 4096 };

static char *block;
static atomic_int failures, finished;

static void expect(int right)
{
    failures += right ? 0 : 1;
}

static uint64_t word_at(unsigned writer, unsigned page)
{
    return address_of(block) + page * PAGE + writer * STRIDE + page * 8;
}

static uint64_t load(unsigned how, uint64_t address)
{
    uint64_t word = 0;
    switch (how % 4) {
        case 0:
            return *(volatile uint64_t *)(uintptr_t)address;
        case 1:
            expect(softhal_device_load(0, address, &word, 8) == 0);
            return word;
        case 2:
            expect(softhal_device_load(1, address, &word, 8) == 0);
            return word;
        default:
            expect(drvMemcpy(address_of(&word), 8, address, 8) == 0);
            return word;
    }
}

static void store(unsigned how, uint64_t address, uint64_t word)
{
    switch (how % 4) {
        case 0:
            *(volatile uint64_t *)(uintptr_t)address = word;
            break;
        case 1:
            expect(softhal_device_store(0, address, &word, 8) == 0);
            break;
        case 2:
            expect(softhal_device_store(1, address, &word, 8) == 0);
            break;
        default:
            expect(drvMemcpy(address, 8, address_of(&word), 8) == 0);
            break;
    }
}

static void *write_and_read(void *argument)
{
    unsigned writer = (unsigned)(uintptr_t)argument;
    unsigned seed = writer + 1;
    static _Thread_local uint64_t last[PAGES];
    for (unsigned page = 0; page < PAGES; page++) {
        last[page] = page + 1;
        store(0, word_at(writer, page), last[page]);
    }
    for (unsigned step = 0; step < ROUNDS * PAGES; step++) {
        unsigned page = (unsigned)rand_r(&seed) % PAGES;
        expect(load((unsigned)rand_r(&seed), word_at(writer, page)) == last[page]);
        if (rand_r(&seed) % 2 == 0) {
            last[page] = ((uint64_t)writer << 32) + step;
            store((unsigned)rand_r(&seed), word_at(writer, page), last[page]);
        }
    }
    for (unsigned page = 0; page < PAGES; page++) {
        expect(load(page, word_at(writer, page)) == last[page]);
    }
    finished++;
    return NULL;
}

static void *move(void *argument)
{
    unsigned seed = (unsigned)(uintptr_t)argument;
    while (finished < WRITERS) {
        unsigned page = (unsigned)rand_r(&seed) % PAGES;
        unsigned pages = 1 + (unsigned)rand_r(&seed) % (PAGES - page);
        char *at = block + page * PAGE;
        switch (rand_r(&seed) % 6) {
            case 0:
                expect(prefetch(at, pages, ON_DEVICE(rand_r(&seed) % 2)) == 0);
                break;
            case 1:
                expect(prefetch(at, pages, ON_NODE(0)) == 0);
                break;
            case 2:
                expect(advise(at, pages, READ_MOSTLY, NOWHERE) == 0);
                break;
            case 3:
                expect(advise(at, pages, UNSET_READ_MOSTLY, ON_DEVICE(rand_r(&seed) % 2)) == 0);
                break;
            case 4:
                expect(attribute(at, pages * PAGE, MEM_RANGE_ATTR_READ_MOSTLY) <= 1);
                break;
            default: {
                char *other = NULL;
                expect(halMemAlloc((void **)&other, PAGE, UVM) == 0);
                *other = 1;
                expect(device_mark(1, other, 7) == 0 && host_shows(other, 7));
                expect(halMemFree(other) == 0);
            }
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[WRITERS + 2];
    if (is_v3()) {
        return finish();
    }
    setenv("SOFTHAL_DEVICE_MEMORY", "12M", 1);
    setenv("SOFTHAL_UVM_WATERMARKS", "50,75", 1);
    setenv("SOFTHAL_UVM_SCAN", "1", 1);
    CHECK_CODE(halMemAgentOpen(0, 0), 0);
    CHECK_CODE(halMemAgentOpen(1, 0), 0);
    block = managed(PAGES);
    for (unsigned i = 0; i < WRITERS + 2; i++) {
        void *(*run)(void *) = i < WRITERS ? write_and_read : move;
        CHECK(pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)i) == 0);
    }
    for (unsigned i = 0; i < WRITERS + 2; i++) {
        pthread_join(threads[i], NULL);
    }
    CHECK(failures == 0);
    CHECK_CODE(halMemFree(block), 0);
    CHECK(device_free(0) == device_total(0) && device_free(1) == device_total(1));
    return finish();
}
