/* table.c - a sorted array of pointers: few are added for each one that is looked up. */
#include "table.h"

#include <stdlib.h>
#include <string.h>

size_t table_from(const struct table *table, uint64_t address)
{
    size_t low = 0;
    size_t high = table->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct span *row = table->rows[middle];
        if (row->start + row->size <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void *table_overlap(const struct table *table, uint64_t start, uint64_t size)
{
    size_t at = table_from(table, start);
    bool found = at < table->count && table->rows[at]->start < start + size;
    return found ? table->rows[at] : NULL;
}

void *table_at(const struct table *table, uint64_t address)
{
    return table_overlap(table, address, 1);
}

bool table_add(struct table *table, void *row)
{
    if (table->count == table->room) {
        size_t room = table->room == 0 ? 64 : 2 * table->room;
        struct span **rows = realloc(table->rows, room * sizeof(*rows));
        if (rows == NULL) {
            return false;
        }
        table->rows = rows;
        table->room = room;
    }
    struct span *fresh = row;
    size_t at = table_from(table, fresh->start);
    memmove(&table->rows[at + 1], &table->rows[at], (table->count - at) * sizeof(*table->rows));
    table->rows[at] = fresh;
    table->count++;
    return true;
}

void table_remove(struct table *table, const void *row)
{
    const struct span *gone = row;
    size_t at = table_from(table, gone->start);
    if (at < table->count && table->rows[at] == gone) {
        table->count--;
        memmove(&table->rows[at], &table->rows[at + 1], (table->count - at) * sizeof(*table->rows));
    }
}
