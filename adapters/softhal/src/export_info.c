/* export_info.c - attributes of shareable numbers and of physical handles. */
#include "export.h"

static bool is_v2(void)
{
    return generation() == GEN_V2;
}

/* v2: a number whose device field cannot be one is no handle. */
static drvError_t check_token(uint64_t token)
{
    return is_v2() && export_device(token) >= V2_MAX_AGENT ? DRV_ERROR_INVALID_HANDLE : DRV_ERROR_NONE;
}

static drvError_t unknown(const struct share *share)
{
    if (share != NULL && (is_v2() || share->valid != 0)) {
        return DRV_ERROR_NONE;
    }
    return is_v2() ? DRV_ERROR_INVALID_HANDLE : DRV_ERROR_PARA_ERROR;
}

static drvError_t set_no_white_list(struct share *share, unsigned flag)
{
    drvError_t code = unknown(share);
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    if (flag > 1) {
        return DRV_ERROR_PARA_ERROR;
    }
    if (share->owner != own_slot()) {
        return DRV_ERROR_OPER_NOT_PERMITTED;
    }
    if (flag == 0) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (share->white_count != 0 && !FAULT(white_modes_mix)) {
        return DRV_ERROR_OPER_NOT_PERMITTED;
    }
    share->no_white_list = FAULT(attribute_lost) ? 0 : 1;
    return DRV_ERROR_NONE;
}

drvError_t halMemShareHandleSetAttribute(uint64_t handle, enum ShareHandleAttrType type, struct ShareHandleAttr attr)
{
    if ((unsigned)type >= SHR_HANDLE_ATTR_TYPE_MAX) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (!is_v2() && attr.enableFlag != 1) {
        return attr.enableFlag == 0 ? DRV_ERROR_NOT_SUPPORT : DRV_ERROR_PARA_ERROR;
    }
    drvError_t code = check_token(handle);
    if (code == DRV_ERROR_NONE) {
        code = export_enter();
    }
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    code = set_no_white_list(export_share(handle), attr.enableFlag);
    export_leave();
    return code;
}

drvError_t halMemShareHandleGetAttribute(uint64_t handle, enum ShareHandleAttrType type, struct ShareHandleAttr *attr)
{
    bool listed = (unsigned)type < SHR_HANDLE_ATTR_TYPE_MAX;
    if ((is_v2() || attr != NULL) && !listed) {
        return DRV_ERROR_NOT_SUPPORT;
    }
    if (attr == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = check_token(handle);
    if (code == DRV_ERROR_NONE) {
        code = export_enter();
    }
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    const struct share *share = export_share(handle);
    code = unknown(share);
    unsigned flag = code == DRV_ERROR_NONE ? share->no_white_list : 0;
    export_leave();
    if (code == DRV_ERROR_NONE) {
        attr->enableFlag = flag;
    }
    return code;
}

drvError_t halMemShareHandleInfoGet(uint64_t handle, struct ShareHandleGetInfo *info)
{
    if (info == NULL) {
        return DRV_ERROR_INVALID_VALUE;
    }
    drvError_t code = check_token(handle);
    if (code == DRV_ERROR_NONE) {
        code = export_enter();
    }
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    const struct share *share = export_share(handle);
    code = unknown(share);
    if (code == DRV_ERROR_NONE && !is_v2() && !share_permits(share)) {
        code = DRV_ERROR_PARA_ERROR;
    }
    uint32_t device = code != DRV_ERROR_NONE ? 0 : share->node == HOST_NODE ? HOST_DEVID : share->node;
    export_leave();
    if (code == DRV_ERROR_NONE) {
        info->phyDevid = FAULT(info_wrong_device) ? device ^ 1U : device;
    }
    return code;
}

/* Routes: v2 for device memory; v3 only for imports over the unified bus, which is not there (PCIe). */
drvError_t halMemHandleSetAttribute(drv_mem_handle_t *handle, enum HandleAttrType type, struct HandleAttr attr)
{
    uint32_t route = attr.mem_map_route;
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    bool known = handle_known(handle);
    bool listed = (unsigned)type < HANDLE_ATTR_TYPE_MAX;
    if (is_v2()) {
        if (!listed) {
            code = DRV_ERROR_NOT_SUPPORT;
        } else if (!known) {
            code = DRV_ERROR_INVALID_VALUE;
        } else if (route > MEM_MAP_EXBUS && !FAULT(route_unchecked)) {
            code = DRV_ERROR_PARA_ERROR;
        } else if (handle->node == HOST_NODE) {
            code = DRV_ERROR_NOT_SUPPORT;
        } else {
            handle->route = FAULT(route_lost) ? MEM_MAP_INBUS : route;
        }
    } else if (!known) {
        code = DRV_ERROR_INVALID_VALUE;
    } else if (!listed || handle->kind != HANDLE_IMPORTED) {
        code = DRV_ERROR_NOT_SUPPORT;
    } else {
        domain_enter();
        const struct share *share = export_share(handle->share);
        bool gone = share == NULL || share->valid == 0;
        domain_unlock();
        code = gone && route != MEM_MAP_EXBUS && route <= MEM_MAP_UB_MULTI_PORT_PATH ? DRV_ERROR_PARA_ERROR
                                                                                      : DRV_ERROR_NOT_EXIST;
    }
    leave();
    return code;
}

drvError_t halMemHandleGetAttribute(drv_mem_handle_t *handle, enum HandleAttrType type, struct HandleAttr *attr)
{
    bool listed = (unsigned)type < HANDLE_ATTR_TYPE_MAX;
    if (is_v2() && (!listed || attr == NULL)) {
        return listed ? DRV_ERROR_PARA_ERROR : DRV_ERROR_NOT_SUPPORT;
    }
    drvError_t code = enter();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    if (!handle_known(handle) || attr == NULL) {
        code = DRV_ERROR_INVALID_VALUE;
    } else if (!listed) {
        code = DRV_ERROR_NOT_SUPPORT;
    } else {
        attr->mem_map_route = is_v2() ? handle->route : 0;
    }
    leave();
    return code;
}
