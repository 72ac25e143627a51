/* acl_rt_memory_soma.h - for programs that include the parts by name. */
#ifndef SOFTACL_ACL_RT_MEMORY_SOMA_H
#define SOFTACL_ACL_RT_MEMORY_SOMA_H

#include "acl/acl.h"

#endif
