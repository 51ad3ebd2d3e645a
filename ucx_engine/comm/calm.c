/*
 * calm.c - see calm.h.
 */
#include "comm/calm.h"

void irr_calm_init(irr_calm_t *calm)
{
    *calm = (irr_calm_t){ .serial = 0 };
}

void irr_calm_hit(irr_calm_t *calm, uint64_t serial)
{
    if (calm->serial != serial) {
        *calm = (irr_calm_t){ .serial = serial, .next = IRR_CALM_SKIPS };
    }
    if (calm->looks < IRR_CALM_LOOKS) {
        calm->looks++;
    }
    if (calm->looks < IRR_CALM_LOOKS) {
        return;
    }
    calm->skips = calm->next;
    if (serial == IRR_CALM_NEW && calm->next < IRR_CALM_SKIPS_MAX) {
        calm->next = 2 * calm->next + 1;
    }
}

void irr_calm_miss(irr_calm_t *calm)
{
    irr_calm_init(calm);
}

bool irr_calm_skip(irr_calm_t *calm)
{
    if (calm->skips == 0) {
        return false;
    }
    calm->skips--;
    return true;
}
