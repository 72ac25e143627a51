/*
 * caprice.h - a driver that does what the rules leave free now one way, now another (SOFTHAL_CAPRICE).
 *
 * Everything here is still while the setting is absent: no whim comes, and the usual choice is made.  The seed
 * decides the habits, which stay for the life of a process (how often something happens, which of two readings
 * of the documents holds, what a device lacks), and begins the sequence of whims.  Whoever asks for a whim
 * names the freedom that permits both answers; nothing may be asked before all that must be refused was.
 */
#ifndef SOFTHAL_CAPRICE_H
#define SOFTHAL_CAPRICE_H

#include "internal.h"

/* Habits: numbers that depend on the seed alone. */
enum habit {
    HABIT_PLACE,      /* which gap, and where in it */
    HABIT_CACHE,      /* how often a freed block is not handed out again, and the cache emptied */
    HABIT_SHORT,      /* how often memory is short */
    HABIT_CODE,       /* how often another one of several allowed codes comes */
    HABIT_MOVE,       /* how often managed pages leave a device unasked */
    HABIT_LOW,        /* from when on they are swapped out slowly, and fast, and how often they are looked at */
    HABIT_HIGH,
    HABIT_SCAN
};
/* A number below `below` that the seed has settled; 0 without caprice. */
LOCAL unsigned caprice_habit(enum habit habit, unsigned below);

/* Readings, and things that a device may lack: true if the one that is not the driver's usual one holds. */
enum reading {
    READING_INSIDE_RETAINS,  /* v2: any address of a mapping leads to its handle, as the header has it */
    READING_THERE_ALREADY,   /* pages on the host may be sent there: to a node not, to the host */
    READING_WHOLE_PAGES,     /* managed memory is prefetched in whole pages only */
    READING_PREFERS_PRESENT, /* a place is not preferred while the only copy is elsewhere */
    LACKS_GIANT_PAGES,
    LACKS_READ_ONLY,
    LACKS_HOST_UVA,
    LACKS_ASYNC /* a virtual machine in a logical group */
};
LOCAL bool caprice_reads(enum reading reading);

/* True in so many of a hundred cases. */
LOCAL bool caprice_whim(unsigned percent);
/* Memory is short, in a call that may say so. */
LOCAL bool caprice_short(void);
/* So many bytes are never to be had: what was had once must be had again (SVM-ANY-005). */
LOCAL bool caprice_never(uint64_t bytes);
/* A code that is allowed as well, or the usual one. */
LOCAL drvError_t caprice_code(drvError_t usual, drvError_t other);
/* Where any refusal will do. */
LOCAL drvError_t caprice_refusal(drvError_t usual);
/* Freed blocks are not handed out again this time, or all given back. */
LOCAL bool caprice_forgets_cache(void);
/* A managed page leaves its device now. */
LOCAL bool caprice_moves(void);
/* Watermarks and period that no setting gives; config.c asks, so the configuration is not there yet. */
LOCAL void caprice_watermarks(struct config *config);
LOCAL void caprice_scan(struct config *config);
/* One of `count` things; `usual` without caprice. */
LOCAL size_t caprice_pick(size_t count, size_t usual);

/* ---------------------------------------------------------------- addresses (caprice_place.c) */
LOCAL bool caprice_places(void);
/* A gap for the plan in a heap, and where it goes in the list; false if it is full. */
LOCAL bool caprice_gap(const struct heap *heap, const struct plan *plan, uint64_t *address, size_t *index);
/* Room for a heap in [low, end), aligned to unit; 0 if there is none. */
LOCAL uint64_t caprice_room(uint64_t low, uint64_t end, uint64_t size, uint64_t unit);

#endif
