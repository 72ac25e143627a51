/* store.h - the memory of a domain, for domain.c alone. */
#ifndef KERNELSIM_STORE_H
#define KERNELSIM_STORE_H

#include "domain.h"

/* Set up the lists of a fresh domain. */
void store_begin(struct domain *domain);
/* Map the store behind a descriptor, or a fresh one for -1; 0 or an errno. */
int store_map(int fd);
/* Forget it, in a child. */
void store_forget(void);
/* Let go of a hold; the lock is held. */
void hold_drop(struct domain *domain, uint32_t hold);
/* The number of this process in the table of members. */
unsigned own_member(void);

#endif
