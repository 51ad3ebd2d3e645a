/*
 * extents.c - a sorted list of holes; see extents.h.
 */
#include "route/extents.h"

#include "core/alloc.h"

#include <string.h>

void irr_extents_fini(irr_extents_t *extents)
{
    irr_free(extents->holes);
    *extents = (irr_extents_t){ .count = 0 };
}

void irr_extents_reset(irr_extents_t *extents)
{
    extents->count = 0;
    extents->end = 0;
}

static void remove_hole(irr_extents_t *extents, size_t i)
{
    extents->count--;
    memmove(&extents->holes[i], &extents->holes[i + 1], (extents->count - i) * sizeof(*extents->holes));
}

/* Takes `length` bytes from the front of hole i and returns their offset. */
static size_t shrink(irr_extents_t *extents, size_t i, size_t length)
{
    irr_hole_t *hole = &extents->holes[i];
    size_t offset = hole->offset;

    hole->offset += length;
    hole->length -= length;
    if (hole->length == 0) {
        remove_hole(extents, i);
    }
    return offset;
}

static bool take_hole(irr_extents_t *extents, size_t length, size_t *offset)
{
    for (size_t i = 0; i < extents->count; i++) {
        if (extents->holes[i].length >= length) {
            *offset = shrink(extents, i, length);
            return true;
        }
    }
    return false;
}

/* Takes bytes at the end of the buffer.  If a hole is at the end, the bytes begin with this hole. */
static size_t take_end(irr_extents_t *extents, size_t length, bool *used)
{
    irr_hole_t *last = extents->count > 0 ? &extents->holes[extents->count - 1] : NULL;
    size_t offset = extents->end;

    *used = last != NULL && last->offset + last->length == extents->end;
    if (*used) {
        offset = last->offset;
        extents->count--;
    }
    extents->end = offset + length;
    return offset;
}

size_t irr_extents_take(irr_extents_t *extents, size_t length, bool *used)
{
    size_t offset;

    *used = true;
    return take_hole(extents, length, &offset) ? offset : take_end(extents, length, used);
}

irr_status_t irr_extents_give(irr_extents_t *extents, size_t offset, size_t length)
{
    irr_status_t status = IRR_GROW(extents->holes, extents->max, extents->count + 1);
    size_t low = 0, high = extents->count;

    if (status != IRR_OK || length == 0) {
        return status;
    }
    while (low < high) {
        size_t middle = (low + high) / 2;

        if (extents->holes[middle].offset < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    memmove(&extents->holes[low + 1], &extents->holes[low], (extents->count - low) * sizeof(*extents->holes));
    extents->holes[low] = (irr_hole_t){ offset, length };
    extents->count++;
    if (low + 1 < extents->count && offset + length == extents->holes[low + 1].offset) {
        extents->holes[low].length += extents->holes[low + 1].length;
        remove_hole(extents, low + 1);
    }
    if (low > 0 && extents->holes[low - 1].offset + extents->holes[low - 1].length == offset) {
        extents->holes[low - 1].length += extents->holes[low].length;
        remove_hole(extents, low);
    }
    return IRR_OK;
}
