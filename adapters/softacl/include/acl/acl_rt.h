/* acl_rt.h - for programs that include the parts by name. */
#ifndef SOFTACL_ACL_RT_H
#define SOFTACL_ACL_RT_H

#include "acl/acl.h"

#endif
