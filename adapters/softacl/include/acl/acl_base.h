/* acl_base.h - for programs that include the parts by name. */
#ifndef SOFTACL_ACL_BASE_H
#define SOFTACL_ACL_BASE_H

#include "acl/acl.h"

#endif
