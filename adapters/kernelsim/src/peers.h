/* peers.h - which devices reach each other's memory. */
#ifndef KERNELSIM_PEERS_H
#define KERNELSIM_PEERS_H

#include "node.h"

/* Answer URD's query; 0 or an errno below zero. */
long peers_query(const void *from, size_t size, void *to, size_t room);

#endif
