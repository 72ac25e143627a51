/* faults.c - which seeded fault is on, and the list of all of them (fault build only). */
#include "internal.h"

#ifdef SOFTACL_FAULTS
#include <stdlib.h>
#include <string.h>

enum softacl_fault softacl_fault = FAULT_none;

static const char *const fault_names[] = {
#define X(name, interface, class, text) #name,
    SOFTACL_FAULT_TABLE(X)
#undef X
};

const char *softacl_fault_list(void)
{
    return
#define X(name, interface, class, text) #name "\t" interface "\t" class "\t" text "\n"
        SOFTACL_FAULT_TABLE(X)
#undef X
        ;
}

__attribute__((constructor)) static void select_at_load(void)
{
    const char *name = getenv("SOFTACL_FAULT");
    for (size_t i = 0; name != NULL && i < sizeof(fault_names) / sizeof(fault_names[0]); i++) {
        if (strcmp(fault_names[i], name) == 0) {
            softacl_fault = (enum softacl_fault)(i + 1);
        }
    }
}
#else
/* ISO C wants a translation unit to declare something. */
typedef int softacl_faults_are_off;
#endif
