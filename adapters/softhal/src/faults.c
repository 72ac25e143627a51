/* faults.c - which seeded fault is on, and the list of all of them (fault build only). */
#include <stdlib.h>
#include "internal.h"

#ifdef SOFTHAL_FAULTS
#include <string.h>

enum softhal_fault softhal_fault = FAULT_none;

static const char *const fault_names[] = {
#define X(name, interface, class, text) #name,
    SOFTHAL_FAULT_TABLE(X)
#undef X
};

int softhal_fault_select(const char *name)
{
    if (name == NULL || name[0] == '\0') {
        return 1;
    }
    for (size_t i = 0; i < sizeof(fault_names) / sizeof(fault_names[0]); i++) {
        if (strcmp(fault_names[i], name) == 0) {
            softhal_fault = (enum softhal_fault)(i + 1);
            return 1;
        }
    }
    return 0;
}

const char *softhal_fault_list(void)
{
    return
#define X(name, interface, class, text) #name "\t" interface "\t" class "\t" text "\n"
        SOFTHAL_FAULT_TABLE(X)
#undef X
        ;
}

/* A fault counts from the first call on, also in calls that are refused before anything is set up. */
__attribute__((constructor)) static void select_at_load(void)
{
    const char *name = getenv("SOFTHAL_FAULT");
    if (name != NULL) {
        (void)softhal_fault_select(name);
    }
}
#else
/* ISO C wants a translation unit to declare something. */
typedef int softhal_faults_are_off;
#endif
