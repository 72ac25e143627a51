/* table.h - ranges of addresses that do not overlap, found by address. */
#ifndef KERNELSIM_TABLE_H
#define KERNELSIM_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What every row begins with. */
struct span {
    uint64_t start;
    uint64_t size;
};

/* Rows in the order of their addresses; the table does not own them. */
struct table {
    struct span **rows;
    size_t count;
    size_t room;
};

/* The row that holds an address; NULL if none does. */
void *table_at(const struct table *table, uint64_t address);
/* The first row that overlaps a range; NULL if none does. */
void *table_overlap(const struct table *table, uint64_t start, uint64_t size);
/* The position of the first row that ends behind an address. */
size_t table_from(const struct table *table, uint64_t address);
/* Add a row that overlaps none; false if there is no memory. */
bool table_add(struct table *table, void *row);
void table_remove(struct table *table, const void *row);

#endif
