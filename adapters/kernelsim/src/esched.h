/* esched.h - messages between a program and the processes on its devices. */
#ifndef KERNELSIM_ESCHED_H
#define KERNELSIM_ESCHED_H

#include <stddef.h>
#include <stdint.h>

/* What a device's process does with a message: works on a copy of what was sent behind the head, and
 * returns the code that is sent back. The copy goes back with it. */
int agent_serve(uint32_t device, uint32_t subject, void *content, size_t size);
/* The program left a device: its process there ends, and pools with it. */
void agent_closes(uint32_t device);
void agent_forget(void);

/* Subjects of messages are numbered from here on. */
enum { FIRST_SUBJECT = 128 };

void esched_forget(void);

#endif
