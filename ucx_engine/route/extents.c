/* extents.c - allocates ranges of a buffer, with a list of its free ranges (holes); see extents.h. */
#include "route/extents.h"

#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>

void irr_extents_fini(irr_extents_t *extents)
{
    irr_free(extents->holes);
    *extents = (irr_extents_t){ .count = 0 };
}

void irr_extents_reset(irr_extents_t *extents)
{
    extents->first = 0;
    extents->count = 0;
    extents->end = 0;
}

/* Takes `length` bytes from the front of hole i and returns their offset. */
static size_t shrink(irr_extents_t *extents, size_t i, size_t length)
{
    irr_hole_t *hole = &extents->holes[i];
    size_t offset = hole->offset;

    hole->offset += length;
    hole->length -= length;
    if (hole->length == 0) {
        memmove(&extents->holes[extents->first + 1], &extents->holes[extents->first],
                (i - extents->first) * sizeof(*hole));
        extents->first++;
    }
    return offset;
}

static bool take_hole(irr_extents_t *extents, size_t length, size_t *offset)
{
    for (size_t i = extents->first; i < extents->count; i++) {
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
    irr_hole_t *last = extents->count > extents->first ? &extents->holes[extents->count - 1] : NULL;
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

void irr_extents_free(irr_extents_t *extents)
{
    extents->first = 0;
    extents->count = 0;
}

irr_status_t irr_extents_keep(irr_extents_t *extents, size_t offset, size_t length)
{
    irr_hole_t *last = extents->count > 0 ? &extents->holes[extents->count - 1] : NULL;
    irr_status_t status = IRR_OK;

    if (last != NULL && last->offset + last->length == offset) {
        last->length += length;
    } else {
        status = IRR_GROW(extents->holes, extents->max, extents->count + 1);
        if (status == IRR_OK) {
            extents->holes[extents->count++] = (irr_hole_t){ offset, length };
        }
    }
    return status;
}

static int by_offset(const void *a, const void *b)
{
    const irr_hole_t *x = a, *y = b;

    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Replaces the list of ranges in use by the list of holes between them; there is at most one hole more than ranges. */
irr_status_t irr_extents_settle(irr_extents_t *extents)
{
    const size_t kept = extents->count;
    irr_status_t status = IRR_GROW(extents->holes, extents->max, kept + 1);
    size_t position = 0;

    if (status != IRR_OK) {
        return status;
    }
    extents->count = 0;
    extents->holes[kept] = (irr_hole_t){ .offset = extents->end };
    qsort(extents->holes, kept, sizeof(*extents->holes), by_offset);
    for (size_t i = 0; i <= kept; i++) {
        const irr_hole_t used = extents->holes[i];

        if (used.offset > position) {
            extents->holes[extents->count++] = (irr_hole_t){ position, used.offset - position };
        }
        position = used.offset + used.length;
    }
    return IRR_OK;
}
