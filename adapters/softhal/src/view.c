/*
 * view.c - addresses that show other bytes than those at their own offset: mappings of physical handles
 * and memory opened from other processes.
 *
 * The driver's alias of such a range is mapped to where the bytes really are, so that everything that
 * goes through memory_alias sees them; the CPU sees them through the address itself only once the range
 * is exposed.  Several views of one place are real aliases of each other.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vmm.h"
#include "window.h"

struct view {
    uint64_t start, size;
    int fd;
    uint64_t offset;
};
/* Address space outside the windows has an alias of its own. */
struct outside {
    struct outside *next;
    uint64_t start, size;
    char *alias;
};

static pthread_mutex_t view_lock = PTHREAD_MUTEX_INITIALIZER;
static struct view *views;
static size_t view_count, view_room;
static struct outside *outsides;

static void *pointer(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

/* Index of the first view that ends behind address. */
static size_t view_index(uint64_t address)
{
    size_t low = 0;
    size_t high = view_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (views[middle].start + views[middle].size <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static char *outside_alias(uint64_t address)
{
    for (const struct outside *one = outsides; one != NULL; one = one->next) {
        if (address >= one->start && address - one->start < one->size) {
            return one->alias + (address - one->start);
        }
    }
    return NULL;
}

char *memory_alias(uint64_t address)
{
    char *inside = window_alias(address);
    if (inside != NULL) {
        return inside;
    }
    pthread_mutex_lock(&view_lock);
    char *alias = outside_alias(address);
    pthread_mutex_unlock(&view_lock);
    return alias;
}

void memory_locate(uint64_t address, struct location *location)
{
    pthread_mutex_lock(&view_lock);
    size_t index = view_index(address);
    if (index < view_count && views[index].start <= address) {
        uint64_t into = address - views[index].start;
        location->fd = views[index].fd;
        location->offset = views[index].offset + into;
        location->run = views[index].size - into;
    } else {
        location->fd = backing_fd();
        location->offset = address;
        location->run = index < view_count ? views[index].start - address : UINT64_MAX;
    }
    pthread_mutex_unlock(&view_lock);
}

static int enter_view(uint64_t address, uint64_t size, int fd, uint64_t offset)
{
    if (view_count == view_room) {
        size_t room = view_room == 0 ? 64 : view_room * 2;
        struct view *bigger = realloc(views, room * sizeof(*views));
        if (bigger == NULL) {
            return -1;
        }
        views = bigger;
        view_room = room;
    }
    size_t index = view_index(address);
    memmove(&views[index + 1], &views[index], (view_count - index) * sizeof(*views));
    views[index] = (struct view){address, size, fd, offset};
    view_count++;
    return 0;
}

int view_add(uint64_t address, uint64_t size, int fd, uint64_t offset)
{
    char *alias = memory_alias(address);
    if (window_map_at(alias, size, fd, offset) != 0) {
        (void)window_map_at(alias, size, backing_fd(), address);
        return -1;
    }
    pthread_mutex_lock(&view_lock);
    int result = enter_view(address, size, fd, offset);
    pthread_mutex_unlock(&view_lock);
    if (result != 0) {
        (void)window_map_at(alias, size, backing_fd(), address);
    }
    return result;
}

void view_remove(uint64_t address, uint64_t size)
{
    pthread_mutex_lock(&view_lock);
    size_t index = view_index(address);
    if (index < view_count && views[index].start == address) {
        view_count--;
        memmove(&views[index], &views[index + 1], (view_count - index) * sizeof(*views));
    }
    pthread_mutex_unlock(&view_lock);
    (void)window_map_at(memory_alias(address), size, backing_fd(), address);
    memory_hide(address, size);
}

int view_expose(uint64_t address, uint64_t size)
{
    while (size > 0) {
        struct location location;
        memory_locate(address, &location);
        uint64_t run = location.run < size ? location.run : size;
        if (window_map_at((char *)pointer(address), run, location.fd, location.offset) != 0) {
            return -1;
        }
        address += run;
        size -= run;
    }
    return 0;
}

int outside_hold(uint64_t address, uint64_t size)
{
    struct outside *one = calloc(1, sizeof(*one));
    struct window window = {0, 0};
    if (one == NULL || !window_hold(&window, address, size)) {
        free(one);
        return -1;
    }
    one->start = address;
    one->size = size;
    one->alias = window_map_new(size, address);
    if (one->alias == NULL) {
        munmap(pointer(address), size);
        free(one);
        return -1;
    }
    pthread_mutex_lock(&view_lock);
    one->next = outsides;
    outsides = one;
    pthread_mutex_unlock(&view_lock);
    return 0;
}

void outside_drop(uint64_t address)
{
    pthread_mutex_lock(&view_lock);
    struct outside **link = &outsides;
    while (*link != NULL && (*link)->start != address) {
        link = &(*link)->next;
    }
    struct outside *gone = *link;
    if (gone != NULL) {
        *link = gone->next;
    }
    pthread_mutex_unlock(&view_lock);
    if (gone != NULL) {
        munmap(gone->alias, gone->size);
        munmap(pointer(gone->start), gone->size);
        free(gone);
    }
}

/* After a fork nothing of this is mapped (window.c keeps it from being inherited). */
void views_unlock_child(void)
{
    pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    view_lock = fresh;
}

void views_forget(void)
{
    view_count = 0;
    while (outsides != NULL) {
        struct outside *next = outsides->next;
        free(outsides);
        outsides = next;
    }
}
