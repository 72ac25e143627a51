/* objects.c - which handles are alive: a table by address, so that a stale handle is never followed. */
#include "internal.h"

enum { BUCKETS = 4096 };

static struct object *buckets[BUCKETS];
static uint64_t serials;

static struct object **bucket_of(const void *handle)
{
    uintptr_t address = (uintptr_t)handle;
    return &buckets[(address >> 4 ^ address >> 16) % BUCKETS];
}

void object_add(struct object *object, enum object_kind kind)
{
    struct object **bucket = bucket_of(object);
    object->kind = kind;
    object->serial = ++serials;
    object->next = *bucket;
    *bucket = object;
}

void object_remove(struct object *object)
{
    struct object **link = bucket_of(object);
    while (*link != object) {
        link = &(*link)->next;
    }
    *link = object->next;
}

void *object_find(const void *handle, enum object_kind kind)
{
    struct object *one = *bucket_of(handle);
    while (one != NULL && one != handle) {
        one = one->next;
    }
    return one != NULL && one->kind == kind ? one : NULL;
}

void objects_forget(void)
{
    for (int i = 0; i < BUCKETS; i++) {
        buckets[i] = NULL;
    }
}
