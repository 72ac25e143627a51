/*
 * clock.c - what comes before what.
 *
 * Each stream has a timeline and a clock: for every other timeline the last task that is known to come before
 * the stream's next one.  A record copies the clock into the event, a wait joins the event's clock into that of
 * the waiting stream, so the order is transitive.  The host has a clock of its own, which grows when it waits.
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static uint64_t numbers;

struct timeline *timeline_new(void)
{
    struct timeline *line = calloc(1, sizeof(*line));
    if (line != NULL) {
        line->references = 1;
        line->number = ++numbers;
    }
    return line;
}

struct timeline *timeline_hold(struct timeline *line)
{
    line->references++;
    return line;
}

void timeline_drop(struct timeline *line)
{
    if (line != NULL && --line->references == 0) {
        free(line);
    }
}

/* Index of the first mark whose number is not smaller. */
static size_t mark_index(const struct clock *clock, uint64_t number)
{
    size_t low = 0;
    size_t high = clock->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (clock->marks[middle].number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint64_t clock_get(const struct clock *clock, uint64_t number)
{
    size_t index = mark_index(clock, number);
    return index < clock->count && clock->marks[index].number == number ? clock->marks[index].position : 0;
}

static bool insert(struct clock *clock, size_t index, uint64_t number, uint64_t position)
{
    if (clock->count == clock->room) {
        size_t room = clock->room == 0 ? 8 : clock->room * 2;
        struct mark *bigger = realloc(clock->marks, room * sizeof(*bigger));
        if (bigger == NULL) {
            return false;
        }
        clock->marks = bigger;
        clock->room = room;
    }
    memmove(&clock->marks[index + 1], &clock->marks[index], (clock->count - index) * sizeof(*clock->marks));
    clock->marks[index] = (struct mark){number, position};
    clock->count++;
    return true;
}

bool clock_raise(struct clock *clock, uint64_t number, uint64_t position)
{
    size_t index = mark_index(clock, number);
    if (index == clock->count || clock->marks[index].number != number) {
        return insert(clock, index, number, position);
    }
    if (clock->marks[index].position < position) {
        clock->marks[index].position = position;
    }
    return true;
}

bool clock_join(struct clock *clock, const struct clock *other)
{
    bool complete = true;
    for (size_t i = 0; i < other->count; i++) {
        complete = clock_raise(clock, other->marks[i].number, other->marks[i].position) && complete;
    }
    return complete;
}

void clock_free(struct clock *clock)
{
    free(clock->marks);
    memset(clock, 0, sizeof(*clock));
}
