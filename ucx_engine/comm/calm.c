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
        *calm = (irr_calm_t){ .serial = serial };
    }
    if (calm->looks < IRR_CALM_LOOKS) {
        calm->looks++;
    }
    calm->skips = calm->looks == IRR_CALM_LOOKS ? IRR_CALM_SKIPS : 0;
}

void irr_calm_miss(irr_calm_t *calm)
{
    irr_calm_init(calm);
}

void irr_calm_fail(irr_calm_t *calm)
{
    if (calm->serial != 0) {
        irr_calm_hit(calm, calm->serial);
    }
}

bool irr_calm_skip(irr_calm_t *calm)
{
    if (calm->skips == 0) {
        return false;
    }
    calm->skips--;
    return true;
}
