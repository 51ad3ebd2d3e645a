/*
 * check_uses.c - an index over the ranges of a buffer that steps use, for check_trace.c.
 *
 * A use is a range that a step reads or writes.  Uses are sorted by offset, and may overlap.  Each use stores the
 * largest end of all uses up to it, its reach.  To find out if a range is used, take the last use that begins before
 * the end of the range: the range is used if and only if the reach of this use lies beyond the start of the range.
 *
 * Cost: a step that writes to a used place takes O(n) for its n pieces, and O(n log n) for the n pieces that are new
 * since the last such step.  Few pieces are new, because the receives of a stage are consecutive: each receive collects
 * the uses that the previous receive collected, and the uses of the previous receive.  A query takes O(log n).
 */
#include "study/check.h"

#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>

void irr_check_uses_fini(irr_check_uses_t *uses)
{
    irr_free(uses->taken);
    irr_free(uses->items);
    *uses = (irr_check_uses_t){ .buffers = uses->buffers };
}

static int by_offset(const void *a, const void *b)
{
    const irr_check_use_t *x = a, *y = b;

    return (x->offset > y->offset) - (x->offset < y->offset);
}

static irr_status_t add_step(irr_check_uses_t *uses, const irr_piece_t *pieces, size_t count)
{
    irr_status_t status = IRR_GROW(uses->items, uses->max, uses->count + count);

    for (size_t p = 0; p < count && status == IRR_OK; p++) {
        if ((uses->buffers >> pieces[p].buffer & 1) != 0 && pieces[p].length > 0) {
            uses->items[uses->count++] = (irr_check_use_t){
                pieces[p].offset, pieces[p].offset + (ptrdiff_t)pieces[p].length, 0
            };
        }
    }
    return status;
}

/* Starts a new, empty collection if step i depends on a collected step, as it does on steps of an earlier stage. */
static irr_status_t begin(irr_check_uses_t *uses, size_t i, const size_t *ancestor)
{
    size_t had = uses->taken_max;
    irr_status_t status = IRR_GROW(uses->taken, uses->taken_max, i);
    bool anew = uses->owner == 0;

    for (size_t j = had; j < uses->taken_max; j++) {
        uses->taken[j] = 0;
    }
    for (size_t j = uses->first; j < i && status == IRR_OK && !anew; j++) {
        anew = uses->taken[j] == uses->round && ancestor[j] == i + 1;
    }
    if (anew) {
        uses->round++;
        uses->count = 0;
    }
    return status;
}

/* Sorts the uses from index `sorted` on, merges them with the sorted uses before, and sets the reach of all uses. */
static irr_status_t merge(irr_check_uses_t *uses, size_t sorted)
{
    size_t more = uses->count - sorted, left = sorted;
    irr_status_t status = IRR_GROW(uses->items, uses->max, uses->count + more);
    irr_check_use_t *items = uses->items, *added;
    ptrdiff_t reach = PTRDIFF_MIN;

    if (status != IRR_OK || more == 0) {
        return status;
    }
    added = items + uses->count;
    memcpy(added, items + sorted, more * sizeof(*items));
    qsort(added, more, sizeof(*items), by_offset);
    while (more > 0) {
        bool old = left > 0 && items[left - 1].offset > added[more - 1].offset;

        items[left + more - 1] = old ? items[left - 1] : added[more - 1];
        left -= old;
        more -= !old;
    }
    for (size_t u = 0; u < uses->count; u++) {
        reach = items[u].end > reach ? items[u].end : reach;
        items[u].reach = reach;
    }
    return IRR_OK;
}

irr_status_t irr_check_uses_collect(irr_check_uses_t *uses, const irr_plan_t *plan, size_t i,
                                    const size_t *ancestor)
{
    irr_status_t status = uses->owner == i + 1 ? IRR_OK : begin(uses, i, ancestor);
    size_t sorted = uses->count;

    for (size_t j = uses->first; j < i && status == IRR_OK && uses->owner != i + 1; j++) {
        if (ancestor[j] != i + 1 && uses->taken[j] != uses->round) {
            status = add_step(uses, &plan->pieces[plan->steps[j].first_piece], plan->steps[j].pieces);
            uses->taken[j] = uses->round;
        }
    }
    if (status == IRR_OK && uses->owner != i + 1) {
        status = merge(uses, sorted);
    }
    uses->owner = i + 1;
    return status;
}

bool irr_check_uses_hit(const irr_check_uses_t *uses, ptrdiff_t offset, ptrdiff_t end)
{
    size_t low = 0, high = uses->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (uses->items[middle].offset < end) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 && uses->items[low - 1].reach > offset;
}
