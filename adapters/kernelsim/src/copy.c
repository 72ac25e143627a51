/* copy.c - copies and sets. They are finished when the command returns, also those that need not. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "assumed.h"
#include "uvm.h"

enum { BATCH_MOST = 4096, TASKS_MOST = 4096 };

#define DONE 0x5a5a5a5aUL

/* Numbers of asynchronous copies that were not waited for. */
static bool tasks[TASKS_MOST];
static int next_task;

static bool on_device(const struct view *view)
{
    return view->place == PLACE_DEVICE;
}

static enum direction direction_of(const struct view *to, const struct view *from)
{
    if (on_device(from)) {
        return on_device(to) ? DEVICE_TO_DEVICE : DEVICE_TO_HOST;
    }
    return on_device(to) ? HOST_TO_DEVICE : HOST_TO_HOST;
}

static bool read_only(const struct view *view)
{
    const struct block *block = view->block;
    return block != NULL && block->read_only && block->heap->sub != SUB_DEVICE_READ_ONLY;
}

static bool device_read_only(const struct view *view)
{
    return view->block != NULL && view->block->heap->sub == SUB_DEVICE_READ_ONLY;
}

/* Whether a range ends in the heap in which it begins. */
static bool in_one_heap(uint64_t address, uint64_t size)
{
    struct heap *heap = heap_at(address);
    return heap == NULL || (size <= heap->span.size &&
                            address - heap->span.start <= heap->span.size - size);
}

/* Pages of the destination that are nowhere yet come to be on the host. */
static int fill_in(uint64_t address, uint64_t size)
{
    while (size > 0) {
        struct view view;
        int failed = view_at(address, &view);
        if (failed != 0 || view.user) {
            return failed;
        }
        uint64_t part = size < view.size ? size : view.size;
        if (view.place == PLACE_NONE) {
            if (view.block == NULL || view.block->places == NULL) {
                return EINVAL;
            }
            failed = pages_move(view.block, address, part, PLACE_HOST, NO_DEVICE);
            if (failed != 0) {
                return failed;
            }
        }
        address += part;
        size -= part;
    }
    return 0;
}

/* The checks of a copy, and its direction. */
static int examine(uint64_t to, uint64_t from, uint64_t size, enum direction *direction)
{
    struct view there;
    struct view here;
    if (size == 0 || view_at(from, &here) != 0 || here.place == PLACE_NONE ||
        view_at(to, &there) != 0 || read_only(&there) || read_only(&here) ||
        !in_one_heap(to, size) || !in_one_heap(from, size)) {
        return EINVAL;
    }
    if (there.place == PLACE_NONE) {
        int failed = fill_in(to, size);
        failed = failed != 0 ? failed : view_at(to, &there);
        if (failed != 0) {
            return failed;
        }
    }
    enum direction found = direction_of(&there, &here);
    if (*direction < TO_BE_FOUND && *direction != found) {
        return EINVAL;
    }
    *direction = found;
    return device_read_only(&there) && found != HOST_TO_DEVICE ? EINVAL : 0;
}

static int copy(uint64_t to, uint64_t from, uint64_t size, enum direction *direction)
{
    int failed = examine(to, from, size, direction);
    if (failed != 0 || *direction == HOST_TO_HOST) {
        return failed;
    }
    return bytes_copy(to, from, size);
}

int copy_plain(struct call *call)
{
    union payload *in = call->in;
    enum direction direction = in->copy.direction;
    if (in->copy.local != 0 && direction != DEVICE_TO_HOST && direction != TO_BE_FOUND) {
        return EOPNOTSUPP;
    }
    int failed = copy(in->copy.to, in->copy.from, in->copy.size, &direction);
    in->copy.direction = direction;
    return failed;
}

int copy_pitched(struct call *call)
{
    union payload *in = call->in;
    uint64_t width = in->copy_2d.width;
    uint64_t height = in->copy_2d.height;
    uint64_t rows = height - 1;
    uint64_t ends[2];
    if (width == 0 || height == 0 || width > in->copy_2d.to_pitch || width > in->copy_2d.from_pitch ||
        __builtin_mul_overflow(in->copy_2d.to_pitch, rows, &ends[0]) ||
        __builtin_mul_overflow(in->copy_2d.from_pitch, rows, &ends[1]) ||
        __builtin_add_overflow(ends[0], width, &ends[0]) ||
        __builtin_add_overflow(ends[1], width, &ends[1])) {
        return EINVAL;
    }
    enum direction direction = in->copy_2d.direction;
    int failed = examine(in->copy_2d.to, in->copy_2d.from, width, &direction);
    if (failed != 0) {
        return failed;
    }
    if (!in_one_heap(in->copy_2d.to, ends[0]) || !in_one_heap(in->copy_2d.from, ends[1])) {
        return EINVAL;
    }
    if (direction != HOST_TO_DEVICE && direction != DEVICE_TO_HOST) {
        return EOPNOTSUPP;
    }
    for (uint64_t row = 0; row < height && failed == 0; row++) {
        failed = bytes_copy(in->copy_2d.to + row * in->copy_2d.to_pitch,
                            in->copy_2d.from + row * in->copy_2d.from_pitch, width);
    }
    in->copy_2d.direction = direction;
    return failed;
}

int copy_async(struct call *call)
{
    union payload *in = call->in;
    enum direction direction = TO_BE_FOUND;
    int task = 0;
    while (task < TASKS_MOST && tasks[(next_task + task) % TASKS_MOST]) {
        task++;
    }
    if (task == TASKS_MOST) {
        return ENOMEM;
    }
    int failed = examine(in->async.to, in->async.from, in->async.size, &direction);
    if (failed == 0 && direction != HOST_TO_DEVICE && direction != DEVICE_TO_HOST) {
        failed = EINVAL;
    }
    failed = failed != 0 ? failed : bytes_copy(in->async.to, in->async.from, in->async.size);
    if (failed == 0) {
        task = (next_task + task) % TASKS_MOST;
        next_task = task + 1;
        tasks[task] = true;
        in->async.task = task;
        in->async.state = 0;
    }
    return failed;
}

int copy_result(struct call *call)
{
    union payload *in = call->in;
    int task = in->async.task;
    if (task < 0 || task >= TASKS_MOST || !tasks[task]) {
        return EINVAL;
    }
    tasks[task] = false;
    in->async.state = DONE;
    return 0;
}

struct piece {
    uint64_t to;
    uint64_t from;
    uint64_t size;
};

static bool read_piece(const union payload *in, uint32_t index, struct piece *piece)
{
    size_t at = index * sizeof(uint64_t);
    return user_read(&piece->to, (char *)(uintptr_t)in->batch.to + at, sizeof(uint64_t)) &&
           user_read(&piece->from, (char *)(uintptr_t)in->batch.from + at, sizeof(uint64_t)) &&
           user_read(&piece->size, (char *)(uintptr_t)in->batch.sizes + at, sizeof(uint64_t));
}

static bool foreign(const struct view *view)
{
    return (view->block != NULL && view->block->lent) ||
           (view->mapping != NULL && !view->mapping->own);
}

/* All pieces go one way and have to do with one device. */
static int check_pieces(const union payload *in)
{
    enum direction first = TO_BE_FOUND;
    uint32_t device = NO_DEVICE;
    for (uint32_t i = 0; i < in->batch.count; i++) {
        struct piece piece;
        struct view there;
        struct view here;
        enum direction direction = TO_BE_FOUND;
        if (!read_piece(in, i, &piece)) {
            return EFAULT;
        }
        int failed = examine(piece.to, piece.from, piece.size, &direction);
        if (failed != 0) {
            return failed;
        }
        view_at(piece.to, &there);
        view_at(piece.from, &here);
        if (foreign(&there) || foreign(&here)) {
            return EOPNOTSUPP;
        }
        uint32_t own = on_device(&there) ? there.device : here.device;
        if (i == 0) {
            first = direction;
            device = own;
        }
        if ((direction != HOST_TO_DEVICE && direction != DEVICE_TO_HOST) || direction != first ||
            own != device) {
            return EINVAL;
        }
    }
    return 0;
}

int copy_batch(struct call *call)
{
    union payload *in = call->in;
    if (in->batch.to == 0 || in->batch.from == 0 || in->batch.sizes == 0 || in->batch.count == 0) {
        return EINVAL;
    }
    if (in->batch.count > BATCH_MOST) {
        return EOPNOTSUPP;
    }
    int failed = check_pieces(in);
    for (uint32_t i = 0; i < in->batch.count && failed == 0; i++) {
        struct piece piece;
        failed = read_piece(in, i, &piece) ? bytes_copy(piece.to, piece.from, piece.size) : EFAULT;
    }
    return failed;
}

int copy_set(struct call *call)
{
    union payload *in = call->in;
    struct view view;
    if (in_uvm(in->set.to)) {
        in->set.host = 0;
        return uvm_fill(in->set.to, (uint8_t)in->set.value, in->set.count);
    }
    if (view_at(in->set.to, &view) != 0 || view.user || !in_one_heap(in->set.to, in->set.count) ||
        read_only(&view) || device_read_only(&view)) {
        return heap_at(in->set.to) == NULL ? EADDRNOTAVAIL : EINVAL;
    }
    bool locked = view.block != NULL && view.block->device != NO_DEVICE;
    if (view.place == PLACE_HOST || (view.place == PLACE_NONE && !locked)) {
        in->set.host = 1;
        return fill_in(in->set.to, in->set.count);
    }
    in->set.host = 0;
    return bytes_fill(in->set.to, (uint8_t)in->set.value, in->set.count);
}

int copy_translate(struct call *call)
{
    union payload *in = call->in;
    struct view view;
    if (view_at(in->translate.va, &view) != 0 || view.user || !on_device(&view) ||
        read_only(&view)) {
        return EINVAL;
    }
    /* Physical addresses are invented: places in the store, far from zero. */
    in->translate.physical = UINT64_C(0x8000000000) + (uint64_t)(view.at - (char *)alias_of(0));
    in->translate.on_device = 1;
    assume(ASSUMED_PHYSICAL_ADDRESS);
    if (view.mapping != NULL) {
        view.mapping->translated = true;
    } else if (view.block != NULL) {
        view.block->translated = true;
    }
    return 0;
}
