/* assumed.c - keeps what the present thread's calls rested on, until somebody asks. */
#include "assumed.h"

#include <stdint.h>

static _Thread_local uint64_t noted;

void assume(enum assumption assumption)
{
    noted |= UINT64_C(1) << assumption;
}

#define TROUBLE (UINT64_C(1) << 63)
#define LOSS (UINT64_C(1) << 62)

void note_trouble(bool for_good)
{
    noted |= for_good ? TROUBLE | LOSS : TROUBLE;
}

/* What the calls of this thread rested on since it asked last: a bit for each line of the table,
 * the highest one for a failure that was wished, and the one below it if it lasts. */
__attribute__((visibility("default"))) uint64_t kernelsim_notes(void)
{
    uint64_t told = noted;
    noted = 0;
    return told;
}
