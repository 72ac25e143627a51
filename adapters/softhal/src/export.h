/* export.h - how a shareable number leads to its share; for export.c and export_info.c. */
#ifndef SOFTHAL_EXPORT_INTERNAL_H
#define SOFTHAL_EXPORT_INTERNAL_H

#include "vmm.h"

/* Needs the domain lock. */
LOCAL struct share *export_share(uint64_t token);
LOCAL uint32_t export_device(uint64_t token);
/* State and domain lock, for calls that go straight to the driver node (v2). */
LOCAL drvError_t export_enter(void);
LOCAL void export_leave(void);

#endif
