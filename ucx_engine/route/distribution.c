/*
 * distribution.c - assigns slices (ranges of blocks) to the slots of a stage: the ranks to which this rank may send,
 * and this rank itself; see distribution.h.
 *
 * The slices that a rank holds for one destination, in the order of sources and offsets, are called a stream.  A stage
 * that spreads divides the stream among all slots, in proportion to the number of ranks that a slot leads to.  The
 * destination determines the slot of the first share (grid.c), so the remainders of many short messages are divided
 * evenly among the slots.  A stage that collects sends the whole stream to the slot that leads to the destination.
 *
 * If a cut would leave a range of a slice that is shorter than slice_min bytes, the cut moves to an end of the slice.
 *
 * Cost: O(n log n) for n slices, with at most slots * destinations cuts; no user data is touched.  Liu, Wang, Prasanna
 * 3.2.2.
 */
#include "route/distribution.h"

#include "core/alloc.h"

#include <string.h>

void irr_items_fini(irr_items_t *items)
{
    irr_free(items->array);
    *items = (irr_items_t){ .count = 0 };
}

irr_status_t irr_items_add(irr_items_t *items, irr_item_t item)
{
    irr_status_t status = IRR_OK;

    if (items->count == items->max) {
        status = IRR_GROW(items->array, items->max, items->count + 1);
    }
    if (status == IRR_OK) {
        items->array[items->count++] = item;
    }
    return status;
}

void irr_distribution_fini(irr_distribution_t *distribution)
{
    for (size_t i = 0; i < distribution->max; i++) {
        irr_items_fini(&distribution->slots[i]);
    }
    irr_free(distribution->cuts);
    irr_free(distribution->slots);
    *distribution = (irr_distribution_t){ .count = 0 };
}

static irr_status_t make_room(irr_distribution_t *distribution, size_t slots)
{
    size_t had = distribution->max;
    irr_status_t status = IRR_GROW(distribution->slots, distribution->max, slots);

    if (distribution->max > had) {
        memset(distribution->slots + had, 0, (distribution->max - had) * sizeof(*distribution->slots));
    }
    if (status == IRR_OK) {
        status = IRR_GROW(distribution->cuts, distribution->cuts_max, slots + 1);
    }
    for (size_t i = 0; i < distribution->max; i++) {
        distribution->slots[i].count = 0;
    }
    distribution->count = slots;
    return status;
}

static int compare(const irr_item_t *a, const irr_item_t *b)
{
    const irr_slice_t *x = &a->slice, *y = &b->slice;

    if (x->destination != y->destination) {
        return x->destination < y->destination ? -1 : 1;
    }
    if (x->source != y->source) {
        return x->source < y->source ? -1 : 1;
    }
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Returns the end of the sorted run of items that begins at index `begin`. */
static size_t run_end(const irr_items_t *items, size_t begin)
{
    size_t end = begin + 1;

    while (end < items->count && compare(&items->array[end - 1], &items->array[end]) <= 0) {
        end++;
    }
    return end < items->count ? end : items->count;
}

/* Merges the runs begin to middle - 1 and middle to end - 1. */
static void merge(const irr_item_t *from, size_t begin, size_t middle, size_t end, irr_item_t *to)
{
    for (size_t i = begin, j = middle; i < middle || j < end;) {
        const bool first = j == end || (i < middle && compare(&from[i], &from[j]) <= 0);

        *to++ = first ? from[i++] : from[j++];
    }
}

/* Merges pairs of sorted runs until there is one run.  The items of a message are sorted, so there are few runs. */
static irr_status_t sort(irr_items_t *held)
{
    irr_status_t status = IRR_OK;
    irr_items_t spare = { .count = 0 };

    while (status == IRR_OK && held->count > 1 && run_end(held, 0) < held->count) {
        status = IRR_GROW(spare.array, spare.max, held->count);
        for (size_t begin = 0, end; begin < held->count && status == IRR_OK; begin = end) {
            const size_t middle = run_end(held, begin);

            end = middle < held->count ? run_end(held, middle) : middle;
            merge(held->array, begin, middle, end, spare.array + begin);
        }
        if (status == IRR_OK) {
            const irr_items_t sorted = { .array = spare.array, .count = held->count, .max = spare.max };

            spare = (irr_items_t){ .array = held->array, .max = held->max };
            *held = sorted;
        }
    }
    irr_items_fini(&spare);
    return status;
}

/* Splits off the first `length` bytes of an item, and returns them as an item. */
static irr_item_t take(irr_item_t *item, size_t length)
{
    irr_item_t taken = *item;

    taken.slice.length = length;
    item->slice.offset += length;
    item->slice.length -= length;
    item->at += length;
    return taken;
}

/*
 * Returns the byte at which an item of `length` bytes is cut: byte `left`, or an end of the item if a cut at `left`
 * would leave a part shorter than slice_min.
 */
static size_t snap(size_t length, size_t left, size_t slice_min)
{
    if (left >= length || length - left < slice_min) {
        return length;
    }
    return left < slice_min ? 0 : left;
}

/* Divides the stream of one destination into a share for each slot.  The slots are the columns of the grid. */
static irr_status_t spread(irr_distribution_t *distribution, const irr_stage_t *stage, size_t slice_min,
                           irr_item_t *stream, size_t count)
{
    int destination = stream[0].slice.destination, share = 0, last = stage->slots - 1;
    size_t total = 0, done = 0;
    irr_status_t status = IRR_OK;

    for (size_t i = 0; i < count; i++) {
        total += stream[i].slice.length;
    }
    irr_grid_cut(&stage->level, destination, total, slice_min, distribution->cuts);
    for (size_t i = 0; i < count && status == IRR_OK;) {
        size_t left = distribution->cuts[share + 1] > done ? distribution->cuts[share + 1] - done : 0;
        size_t bytes = share == last ? stream[i].slice.length : snap(stream[i].slice.length, left, slice_min);

        if (left == 0 || bytes == 0) {
            share++;
            continue;
        }
        done += bytes;
        status = irr_items_add(&distribution->slots[irr_grid_cut_column(&stage->level, destination, share)],
                               take(&stream[i], bytes));
        i += stream[i].slice.length == 0;
    }
    return status;
}

static irr_status_t collect(irr_distribution_t *distribution, const irr_stage_t *stage, const irr_item_t *stream,
                            size_t count)
{
    int slot = irr_stage_slot(stage, stream[0].slice.destination);
    irr_status_t status = IRR_OK;

    for (size_t i = 0; i < count && status == IRR_OK; i++) {
        status = irr_items_add(&distribution->slots[slot], stream[i]);
    }
    return status;
}

irr_status_t irr_distribute(irr_distribution_t *distribution, const irr_stage_t *stage, size_t slice_min,
                            irr_items_t *held)
{
    irr_status_t status = make_room(distribution, (size_t)stage->slots);
    irr_item_t *items;

    status = status == IRR_OK ? sort(held) : status;
    items = held->array;
    for (size_t i = 0, end; i < held->count && status == IRR_OK; i = end) {
        for (end = i; end < held->count && items[end].slice.destination == items[i].slice.destination; end++) {
            continue;
        }
        status = stage->spreading ? spread(distribution, stage, slice_min, items + i, end - i)
                                  : collect(distribution, stage, items + i, end - i);
    }
    held->count = 0;
    return status;
}
