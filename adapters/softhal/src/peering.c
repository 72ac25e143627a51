/*
 * peering.c - devices that reach each other's memory (public driver: comm/pcie and comm/ub, the same in both).
 *
 * Each process counts what it enabled from a device to another; a pair is in effect when some process has one
 * direction enabled and some process the other.  What a process enabled ends with it.  None of this needs a
 * device that is open.
 */
#include "domain.h"

enum { DEVICE_IDS = 1124 };

static bool is_there(uint32_t device)
{
    return device < config_get()->devices;
}

static struct peering *find(int slot, uint32_t device, uint32_t peer)
{
    for (int i = 0; i < PEERINGS; i++) {
        struct peering *one = &domain->peerings[i];
        if (one->count != 0 && one->slot == slot && one->device == device && one->peer == peer) {
            return one;
        }
    }
    return NULL;
}

static struct peering *make(int slot, uint32_t device, uint32_t peer)
{
    for (int i = 0; i < PEERINGS; i++) {
        struct peering *one = &domain->peerings[i];
        if (one->count == 0) {
            one->slot = slot;
            one->device = (uint16_t)device;
            one->peer = (uint16_t)peer;
            return one;
        }
    }
    return NULL;
}

static bool enabled_by_anybody(uint32_t device, uint32_t peer)
{
    for (int i = 0; i < PEERINGS; i++) {
        const struct peering *one = &domain->peerings[i];
        if (one->count != 0 && one->device == device && one->peer == peer) {
            return true;
        }
    }
    return false;
}

void peerings_leave(int slot)
{
    for (int i = 0; i < PEERINGS && !FAULT(peer_outlives); i++) {
        if (domain->peerings[i].slot == slot) {
            domain->peerings[i].count = 0;
        }
    }
}

/* Joins, and locks the domain; the two must be devices that are there, and not one. */
static drvError_t begin(uint32_t dev, uint32_t peer_dev)
{
    if (dev >= DEVICE_IDS || peer_dev >= DEVICE_IDS) {
        return DRV_ERROR_INVALID_DEVICE;
    }
    drvError_t code = join();
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    bool same = dev == peer_dev && !FAULT(peer_of_itself);
    if (state.forked || same || !is_there(dev) || !is_there(peer_dev)) {
        return DRV_ERROR_PARA_ERROR;
    }
    domain_enter();
    return DRV_ERROR_NONE;
}

drvError_t halDeviceEnableP2P(uint32_t dev, uint32_t peer_dev, uint32_t flag)
{
    (void)flag; /* kept for later */
    drvError_t code = begin(dev, peer_dev);
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    struct peering *one = find(own_slot(), dev, peer_dev);
    bool again = one != NULL;
    one = again ? one : make(own_slot(), dev, peer_dev);
    if (one == NULL) {
        code = DRV_ERROR_NO_RESOURCES;
    } else if (!again || !FAULT(peer_uncounted)) {
        one->count++;
    }
    domain_unlock();
    return code;
}

drvError_t halDeviceDisableP2P(uint32_t dev, uint32_t peer_dev, uint32_t flag)
{
    (void)flag;
    drvError_t code = begin(dev, peer_dev);
    if (code != DRV_ERROR_NONE) {
        return code;
    }
    struct peering *one = find(own_slot(), dev, peer_dev);
    for (int i = 0; i < PEERINGS && one == NULL && FAULT(peer_of_others); i++) {
        struct peering *other = &domain->peerings[i];
        one = other->count != 0 && other->device == dev && other->peer == peer_dev ? other : NULL;
    }
    if (one == NULL) {
        code = generation() == GEN_V2 ? DRV_ERROR_PROCESS_EXIT : DRV_ERROR_IOCRL_FAIL; /* no such process */
    } else {
        one->count--;
    }
    domain_unlock();
    return code;
}

drvError_t drvGetP2PStatus(uint32_t dev, uint32_t peer_dev, uint32_t *status)
{
    if (status == NULL) {
        return DRV_ERROR_INVALID_HANDLE;
    }
    *status = DRV_P2P_STATUS_DISABLE; /* also where it cannot be asked */
    if (begin(dev, peer_dev) == DRV_ERROR_NONE) {
        bool there = enabled_by_anybody(dev, peer_dev);
        bool back = enabled_by_anybody(peer_dev, dev);
        *status = FAULT(peer_one_way) ? there || back : there && back;
        domain_unlock();
    }
    return DRV_ERROR_NONE;
}

/* All devices of a domain reach each other. */
drvError_t halDeviceCanAccessPeer(int *can_access_peer, uint32_t dev, uint32_t peer_dev)
{
    if (can_access_peer == NULL) {
        return DRV_ERROR_INVALID_HANDLE;
    }
    drvError_t code = begin(dev, peer_dev);
    if (code == DRV_ERROR_NONE) {
        domain_unlock();
        *can_access_peer = DRV_P2P_STATUS_ENABLE;
    }
    return code;
}
