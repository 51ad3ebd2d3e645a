/*
 * segments.c - sorted lists of ranges; see segments.h.
 *
 * A search is binary.  irr_segments_put moves all segments behind the range, so it takes O(1) amortised time at the end
 * of a list.  The plan checker mostly puts ranges at the end.
 */
#include "study/segments.h"

#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>

/*
 * Maximum number of segments that irr_segments_put writes: the neighbour before, the remainder before the new segment,
 * the new segment, the remainder behind it, the neighbour behind.
 */
#define RANGES_MAX 5

void irr_segments_fini(irr_segments_t *segments)
{
    irr_free(segments->items);
    *segments = (irr_segments_t){ .items = NULL };
}

void irr_segments_clear(irr_segments_t *segments)
{
    segments->count = 0;
}

irr_status_t irr_segments_assign(irr_segments_t *segments, const irr_segments_t *from)
{
    irr_segment_t *items = irr_resize(segments->items, from->count, sizeof(*items));

    if (items == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    if (from->count > 0) {
        memcpy(items, from->items, from->count * sizeof(*items));
    }
    *segments = (irr_segments_t){ .items = items, .count = from->count, .max = from->count };
    return IRR_OK;
}

size_t irr_segments_find(const irr_segments_t *segments, ptrdiff_t offset)
{
    size_t low = 0, high = segments->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (irr_segment_end(&segments->items[middle]) > offset) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

const irr_segment_t *irr_segments_hit(const irr_segments_t *segments, ptrdiff_t offset, size_t length)
{
    size_t i = irr_segments_find(segments, offset);

    if (length == 0 || i == segments->count || segments->items[i].offset >= offset + (ptrdiff_t)length) {
        return NULL;
    }
    return &segments->items[i];
}

/* Returns the range of a segment between two offsets, with length 0 if they have no byte of the segment. */
static irr_segment_t clip(const irr_segment_t *segment, ptrdiff_t from, ptrdiff_t to)
{
    ptrdiff_t first = segment->offset > from ? segment->offset : from;
    ptrdiff_t last = irr_segment_end(segment) < to ? irr_segment_end(segment) : to;
    irr_segment_t range = *segment;

    range.offset = first;
    range.length = last > first ? (size_t)(last - first) : 0;
    range.at += range.length > 0 ? first - segment->offset : 0;
    return range;
}

/* Appends a segment to ranges, or extends the last range if the segment continues it. */
static void join(irr_segment_t *ranges, size_t *count, irr_segment_t range)
{
    irr_segment_t *last = *count > 0 ? &ranges[*count - 1] : NULL;

    if (range.length == 0) {
        return;
    }
    if (last != NULL && irr_segment_end(last) == range.offset && last->origin == range.origin &&
        last->at + (ptrdiff_t)last->length == range.at) {
        last->length += range.length;
    } else {
        ranges[(*count)++] = range;
    }
}

/* Replaces segments `first` to `last` - 1 by `count` ranges. */
static irr_status_t splice(irr_segments_t *segments, size_t first, size_t last, const irr_segment_t *ranges,
                           size_t count)
{
    size_t total = segments->count - (last - first) + count;
    irr_status_t status = IRR_GROW(segments->items, segments->max, total);

    if (status != IRR_OK) {
        return status;
    }
    if (first + count != last) {
        memmove(segments->items + first + count, segments->items + last,
                (segments->count - last) * sizeof(*segments->items));
    }
    memcpy(segments->items + first, ranges, count * sizeof(*ranges));
    segments->count = total;
    return IRR_OK;
}

irr_status_t irr_segments_put(irr_segments_t *segments, irr_segment_t segment)
{
    ptrdiff_t end = irr_segment_end(&segment);
    irr_segment_t ranges[RANGES_MAX];
    size_t first, last, count = 0;

    if (segment.length == 0) {
        return IRR_OK;
    }
    first = irr_segments_find(segments, segment.offset);
    first -= first > 0 ? 1 : 0;
    for (last = first; last < segments->count && segments->items[last].offset < end; last++) {
        join(ranges, &count, clip(&segments->items[last], PTRDIFF_MIN, segment.offset));
    }
    join(ranges, &count, segment);
    if (last > first) {
        join(ranges, &count, clip(&segments->items[last - 1], end, PTRDIFF_MAX));
    }
    if (last < segments->count) {
        join(ranges, &count, segments->items[last++]);
    }
    return splice(segments, first, last, ranges, count);
}

irr_status_t irr_segments_add(irr_segments_t *segments, irr_segment_t segment)
{
    const irr_status_t status = IRR_GROW(segments->items, segments->max, segments->count + 1);

    if (status == IRR_OK) {
        segments->items[segments->count++] = segment;
    }
    return status;
}

static int by_offset(const void *a, const void *b)
{
    const irr_segment_t *x = a, *y = b;

    return (x->offset > y->offset) - (x->offset < y->offset);
}

void irr_segments_sort(irr_segments_t *segments)
{
    if (segments->count > 1) {
        qsort(segments->items, segments->count, sizeof(*segments->items), by_offset);
    }
}

irr_status_t irr_segments_merge(irr_segments_t *segments, const irr_segments_t *more)
{
    const size_t first = more->count > 0 ? irr_segments_find(segments, more->items[0].offset) : 0;
    irr_segments_t tail = { .count = 0 };
    irr_status_t status = more->count == 0 || first == segments->count ? IRR_OK : irr_segments_assign(
        &tail, &(irr_segments_t){ .items = segments->items + first, .count = segments->count - first });

    if (status == IRR_OK) {
        status = IRR_GROW(segments->items, segments->max, segments->count + more->count);
    }
    if (status != IRR_OK) {
        irr_segments_fini(&tail);
        return status;
    }
    segments->count -= tail.count;
    for (size_t i = 0, j = 0; i < tail.count || j < more->count;) {
        const bool old = j == more->count || (i < tail.count && tail.items[i].offset < more->items[j].offset);

        join(segments->items, &segments->count, old ? tail.items[i++] : more->items[j++]);
    }
    irr_segments_fini(&tail);
    return IRR_OK;
}

bool irr_segments_cover(const irr_segments_t *segments, ptrdiff_t offset, size_t length)
{
    ptrdiff_t end = offset + (ptrdiff_t)length;

    for (size_t i = irr_segments_find(segments, offset); offset < end && i < segments->count; i++) {
        if (segments->items[i].offset > offset) {
            return false;
        }
        offset = irr_segment_end(&segments->items[i]);
    }
    return offset >= end;
}

irr_status_t irr_segments_copy(const irr_segments_t *from, ptrdiff_t offset, size_t length, irr_segments_t *to,
                               ptrdiff_t position)
{
    ptrdiff_t end = offset + (ptrdiff_t)length;
    irr_status_t status = IRR_OK;

    for (size_t i = irr_segments_find(from, offset);
         status == IRR_OK && i < from->count && from->items[i].offset < end; i++) {
        irr_segment_t range = clip(&from->items[i], offset, end);

        range.offset = position + (range.offset - offset);
        status = irr_segments_put(to, range);
    }
    return status;
}
