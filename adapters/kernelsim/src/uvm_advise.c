/* uvm_advise.c - what is set for pages of managed memory, and how it is told. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trouble.h"
#include "uvm.h"

enum advice {
    READ_MOSTLY,
    UNSET_READ_MOSTLY,
    PREFER,
    UNSET_PREFER,
    ACCESS_BY,
    UNSET_ACCESS_BY,
    ADVICES
};
enum { HOST_LOCATION = 64 };

/* The number by which the public kernel knows the host, which it takes for a device's. */
static bool is_marked(const struct wish *wish)
{
    return wish->type == LOCATION_DEVICE && wish->id == HOST_LOCATION;
}

static bool names_host(const struct wish *wish)
{
    return wish->type == LOCATION_HOST || wish->type == LOCATION_NUMA || is_marked(wish);
}

static bool is_device(const struct wish *wish)
{
    return wish->type == LOCATION_DEVICE && wish->id >= 0 && wish->id < HOST_LOCATION;
}

static int check_location(enum advice advice, const struct wish *to)
{
    bool numa = to->type == LOCATION_NUMA && to->id == 0;
    bool host = to->type == LOCATION_HOST || (is_marked(to) && kernel_errs());
    switch (advice) {
    case READ_MOSTLY:
    case UNSET_PREFER:
        return 0;
    case UNSET_READ_MOSTLY:
        return to->type == LOCATION_NONE || is_device(to) || host || numa ? 0 : EINVAL;
    case PREFER:
        return is_device(to) || host || numa ? 0 : EINVAL;
    default:
        return is_device(to) || host ? 0 : EINVAL;
    }
}

static bool accesses(const struct page_advice *page, const struct wish *who)
{
    return names_host(who) ? page->by_host : (page->by_devices >> who->id & 1) != 0;
}

/* A page is brought to where it is wanted only if that place is said to access it as well. */
static int follow_wish(struct block *block, uint64_t number)
{
    struct page_advice *page = &block->advised[number];
    const struct wish *to = &page->preferred;
    if (to->type == LOCATION_NONE || !accesses(page, to)) {
        return 0;
    }
    if (names_host(to)) {
        return block->places[number] == PLACE_NONE ? uvm_settle(block, number, PLACE_HOST) : 0;
    }
    if (!space.open[to->id]) {
        return EINVAL;
    }
    if (page->read_mostly) {
        return uvm_replicate(block, number, (uint32_t)to->id);
    }
    return block->places[number] == PLACE_NONE
               ? uvm_settle(block, number, (uint8_t)(PLACE_DEVICE + to->id))
               : 0;
}

static int unset_read_mostly(struct block *block, uint64_t number, const struct wish *argument)
{
    const struct page_advice *page = &block->advised[number];
    const struct wish *to = page->preferred.type != LOCATION_NONE ? &page->preferred : argument;
    if (!page->read_mostly) {
        return 0;
    }
    if (is_marked(to)) {
        return EINVAL;
    }
    if (!is_device(to)) {
        return uvm_settle(block, number, PLACE_HOST);
    }
    return space.open[to->id] ? uvm_settle(block, number, (uint8_t)(PLACE_DEVICE + to->id)) : EINVAL;
}

static bool same(const struct wish *one, const struct wish *other)
{
    return one->type == other->type && one->id == other->id;
}

static void set_access(struct page_advice *page, const struct wish *who, bool on)
{
    if (names_host(who)) {
        page->by_host = on;
    } else if (on) {
        page->by_devices |= UINT64_C(1) << who->id;
    } else {
        page->by_devices &= ~(UINT64_C(1) << who->id);
    }
}

static int advise(struct block *block, uint64_t number, enum advice advice, const struct wish *to)
{
    struct page_advice *page = &block->advised[number];
    switch (advice) {
    case READ_MOSTLY:
        return uvm_share_page(block, number);
    case UNSET_READ_MOSTLY:
        return unset_read_mostly(block, number, to);
    case PREFER:
        if (same(&page->preferred, to)) {
            return 0;
        }
        page->preferred = *to;
        return follow_wish(block, number);
    case UNSET_PREFER:
        page->preferred = (struct wish){0};
        return 0;
    case ACCESS_BY:
        if (accesses(page, to)) {
            return 0;
        }
        set_access(page, to, true);
        return follow_wish(block, number);
    default:
        set_access(page, to, false);
        return 0;
    }
}

/* Start and size are rounded on their own, the one down and the other up. */
static int round_range(uint64_t *address, uint64_t *size)
{
    if (*size > UVM_SIZE) {
        return EFAULT;
    }
    *address = *address / HUGE_PAGE * HUGE_PAGE;
    *size = (*size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    return *size > UVM_START + UVM_SIZE - *address ? EFAULT : 0;
}

int uvm_advise(struct call *call)
{
    const union payload *in = call->in;
    uint64_t address = in->advise.va;
    uint64_t size = in->advise.size;
    uint32_t type = in->advise.type;
    struct wish to = {type < LOCATIONS ? (uint8_t)type : LOCATIONS, (int32_t)in->advise.id};
    if (type >= LOCATIONS && in->advise.advice == UNSET_READ_MOSTLY && kernel_errs()) {
        to.type = LOCATION_DEVICE; /* the public kernel takes what it does not know for one */
    }
    if (!in_uvm(address)) {
        return EADDRNOTAVAIL;
    }
    int failed = round_range(&address, &size);
    if (failed != 0 || in->advise.advice >= ADVICES) {
        return failed != 0 ? failed : EINVAL;
    }
    failed = check_location(in->advise.advice, &to);
    for (uint64_t at = address; at < address + size && failed == 0; at += HUGE_PAGE) {
        uint64_t page;
        struct block *block = uvm_page(at, &page);
        failed = block == NULL ? EINVAL : advise(block, page, in->advise.advice, &to);
    }
    return failed;
}

enum attribute {
    ATTR_READ_MOSTLY = 1,
    ATTR_PREFERRED,
    ATTR_ACCESS_BY,
    ATTR_PREFERRED_TYPE,
    ATTR_PREFERRED_ID,
    ATTR_LAST,
    ATTR_LAST_TYPE,
    ATTR_LAST_ID,
    ATTRS
};
enum { ID_HOST = -1, ID_NONE = -2, ID_MARK = 127 };

/* What the pages of a range have in common. */
struct common {
    bool read_mostly;
    bool first;
    bool by_host;
    uint64_t by_devices;
    struct wish wishes[2]; /* preferred and last; the type of a mixed one is LOCATION_NONE */
    bool all_host[2];
    bool all_devices[2];
};

static void fold(struct common *common, const struct page_advice *page)
{
    const struct wish *wishes[2] = {&page->preferred, &page->last};
    common->read_mostly = common->read_mostly && page->read_mostly;
    common->by_host = common->by_host && page->by_host;
    common->by_devices &= page->by_devices;
    for (int i = 0; i < 2; i++) {
        struct wish *so_far = &common->wishes[i];
        common->all_host[i] = common->all_host[i] && wishes[i]->type != LOCATION_NONE &&
                              names_host(wishes[i]);
        common->all_devices[i] = common->all_devices[i] && is_device(wishes[i]);
        if (common->first) {
            *so_far = *wishes[i];
        } else if (!same(so_far, wishes[i])) {
            *so_far = (struct wish){0};
        }
    }
    common->first = false;
}

/* The public kernel tells its mark for no device where pages are wanted on different ones. */
static int32_t id_of(const struct common *common, int which)
{
    const struct wish *wish = &common->wishes[which];
    bool mixed = common->all_devices[which] && wish->type == LOCATION_NONE;
    int32_t none = mixed && kernel_errs() ? ID_MARK : ID_NONE;
    return common->all_host[which] ? ID_HOST : is_device(wish) ? wish->id : none;
}

static int32_t value_of(const struct common *common, enum attribute attribute)
{
    int which = attribute >= ATTR_LAST ? 1 : 0;
    const struct wish *wish = &common->wishes[which];
    switch (attribute) {
    case ATTR_READ_MOSTLY:
        return common->read_mostly;
    case ATTR_PREFERRED:
    case ATTR_LAST:
        return id_of(common, which);
    case ATTR_PREFERRED_TYPE:
    case ATTR_LAST_TYPE:
        return wish->type;
    default:
        return is_device(wish) || wish->type == LOCATION_NUMA ? wish->id : ID_NONE;
    }
}

static void list_accesses(const struct common *common, int32_t *list, uint64_t room)
{
    uint64_t count = 0;
    for (int32_t device = 0; device < DEVICES_MOST && count < room; device++) {
        if ((common->by_devices >> device & 1) != 0) {
            list[count++] = device;
        }
    }
    if (common->by_host && count < room) {
        list[count++] = ID_HOST;
    }
    while (count < room) {
        list[count++] = ID_NONE;
    }
}

static int tell(const struct common *common, uint32_t attribute, uint64_t to, uint64_t size)
{
    uint64_t room = size / sizeof(int32_t);
    int32_t *values = calloc(room, sizeof(*values));
    if (values == NULL) {
        return ENOMEM;
    }
    if (attribute == ATTR_ACCESS_BY) {
        list_accesses(common, values, room);
    } else {
        values[0] = value_of(common, attribute);
    }
    bool told = user_write((void *)(uintptr_t)to, values, room * sizeof(int32_t));
    free(values);
    return told || kernel_errs() ? 0 : EFAULT; /* the public kernel does not look */
}

static int gather(uint64_t address, uint64_t size, struct common *common)
{
    *common = (struct common){.read_mostly = true, .first = true, .by_host = true,
                              .by_devices = UINT64_MAX, .all_host = {true, true},
                              .all_devices = {true, true}};
    for (uint64_t at = address; at < address + size; at += HUGE_PAGE) {
        uint64_t page;
        const struct block *block = uvm_page(at, &page);
        if (block == NULL) {
            return EINVAL;
        }
        fold(common, &block->advised[page]);
    }
    return 0;
}

int uvm_get_attr(struct call *call)
{
    const union payload *in = call->in;
    uint64_t address = in->uvm_attr.va;
    uint64_t size = in->uvm_attr.size;
    struct common common;
    if (!in_uvm(address)) {
        return EADDRNOTAVAIL;
    }
    int failed = round_range(&address, &size);
    if (failed != 0 || in->uvm_attr.count == 0 || in->uvm_attr.count >= ATTRS) {
        return failed != 0 ? failed : EINVAL;
    }
    failed = gather(address, size, &common);
    for (uint64_t i = 0; i < in->uvm_attr.count && failed == 0; i++) {
        uint32_t attribute;
        uint64_t to;
        uint64_t room;
        if (!user_read(&attribute, (uint32_t *)(uintptr_t)in->uvm_attr.attributes + i, 4) ||
            !user_read(&to, (uint64_t *)(uintptr_t)in->uvm_attr.data + i, 8) ||
            !user_read(&room, (uint64_t *)(uintptr_t)in->uvm_attr.sizes + i, 8)) {
            return EFAULT;
        }
        bool known = attribute >= ATTR_READ_MOSTLY && attribute < ATTRS;
        failed = known && room >= sizeof(int32_t) ? tell(&common, attribute, to, room) : EINVAL;
    }
    return failed;
}
