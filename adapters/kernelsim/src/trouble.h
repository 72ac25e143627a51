/* trouble.h - faults on the kernel's side, for trying how a library copes with them. */
#ifndef KERNELSIM_TROUBLE_H
#define KERNELSIM_TROUBLE_H

#include <stdbool.h>

/* The errno with which the present command is to fail before it does anything; 0: none. Every
 * command of a process must ask once.
 *
 * takes: whether the command takes memory; device: whether it is about a device. */
int trouble_now(bool takes, bool device);
/* The same for a message to a device, which is not interrupted on its way. */
int trouble_on_device(bool takes);
/* Whether the mistakes of the public kernel modules are wished for. Each is asked for where it is
 * made; elsewhere the kernel does what the documents say. */
bool kernel_errs(void);

#endif
