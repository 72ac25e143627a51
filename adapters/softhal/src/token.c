/*
 * token.c - the text of a shared memory name.  Callers must not look inside; the sizes and the alphabet
 * are the public ones: v2 64 hexadecimal digits, v3 50 bytes that are anything but zero.
 */
#include <stdio.h>
#include <string.h>

#include "share.h"

enum { V3_RECORD = 40, V3_GROUPS = 10, V3_LENGTH = V3_RECORD + V3_GROUPS };
#define V3_MARK 0x6c6168746f7366aaULL

struct v3_record {
    uint64_t mark, id, inverse;
    uint32_t owner, device;
    uint64_t unused;
};
_Static_assert(sizeof(struct v3_record) == V3_RECORD, "v3_record");

bool name_is_string(const char *name)
{
    size_t length = name == NULL ? 0 : strnlen(name, NAME_SIZE);
    return length != 0 && length < NAME_SIZE;
}

/* Zero bytes become ones, and each group of four bytes has a byte that tells which of them were zero. */
static void v3_name(const struct share *share, char *name)
{
    struct v3_record record = {V3_MARK, share->id, ~share->id, (uint32_t)share->owner_pid, share->node, 0};
    unsigned char bytes[V3_LENGTH];
    memcpy(bytes, &record, sizeof(record));
    memset(bytes + V3_RECORD, 0x80, V3_GROUPS);
    for (int i = 0; i < V3_RECORD; i++) {
        if (bytes[i] == 0) {
            bytes[i] = 1;
            bytes[V3_RECORD + i / 4] |= (unsigned char)(1U << (i % 4));
        }
    }
    memcpy(name, bytes, V3_LENGTH);
    name[V3_LENGTH] = '\0';
}

static uint64_t v3_parse(const char *name)
{
    struct v3_record record;
    unsigned char bytes[V3_LENGTH];
    if (strlen(name) < V3_LENGTH) {
        return 0;
    }
    memcpy(bytes, name, V3_LENGTH);
    for (int i = 0; i < V3_RECORD; i++) {
        if ((bytes[V3_RECORD + i / 4] & (1U << (i % 4))) != 0) {
            bytes[i] = 0;
        }
    }
    memcpy(&record, bytes, sizeof(record));
    return record.mark == V3_MARK && record.inverse == ~record.id ? record.id : 0;
}

void name_of(const struct share *share, char *name)
{
    if (generation() == GEN_V3) {
        v3_name(share, name);
        return;
    }
    char text[NAME_SIZE + 8];
    snprintf(text, sizeof(text), "%08x%016llx%02x00%08x%028d", (unsigned)share->owner_pid,
             (unsigned long long)share->id, share->node & 0xffU, 0U, 0);
    memcpy(name, text, NAME_SIZE);
}

uint64_t name_parse(const char *name)
{
    unsigned pid = 0;
    unsigned device = 0;
    unsigned function = 0;
    unsigned server = 0;
    unsigned long long id = 0;
    if (generation() == GEN_V3) {
        return v3_parse(name);
    }
    if (sscanf(name, "%8x%16llx%2x%2x%8x", &pid, &id, &device, &function, &server) != 5) {
        return 0;
    }
    return id == 0 ? UINT64_MAX : id; /* well formed, but of nothing */
}

struct share *share_named(const char *name)
{
    char text[NAME_SIZE];
    struct share *share = share_find(name_parse(name), SHARE_NAME);
    if (share == NULL || FAULT(share_stale)) {
        return share;
    }
    name_of(share, text);
    return strcmp(name, text) == 0 ? share : NULL;
}
