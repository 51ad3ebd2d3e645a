/*
 * check_carry.c - ends a batch (some consecutive steps of some ranks) of the plan checker, and keeps what the later
 * steps of these ranks need.  The origin of a byte is the rank whose INPUT had it, or the step that wrote it.
 *
 * A rank keeps, for each byte of SCRATCH, the step that has written it last.  It keeps the origins of the bytes that no
 * step has read, packed (study/pack.h), because a plan seldom sends received bytes twice.  Bytes that have arrived in
 * OUTPUT are compared with the bytes that the problem requires, so that their origins need not be kept.
 *
 * Cost: O(n log n) for n pieces and segments of the batch.
 */
#include "study/check.h"

#include "core/alloc.h"

enum { HELD_NUMBERS = 4 };

/* ---- OUTPUT ---- */

/* Returns true if OUTPUT has the required bytes in a segment, which is inside the wanted segments. */
static bool is_right(const irr_segments_t *wanted, const irr_segment_t *have)
{
    bool right = true;

    for (size_t i = irr_segments_find(wanted, have->offset);
         i < wanted->count && wanted->items[i].offset < irr_segment_end(have) && right; i++) {
        const irr_segment_t *want = &wanted->items[i];

        right = want->origin == have->origin && want->at - want->offset == have->at - have->offset;
    }
    return right;
}

/* Checks a segment of OUTPUT that a step of the batch has written, by the content of its message. */
static irr_status_t check_arrival(irr_check_t *check, int r, const irr_segment_t *segment, irr_segments_t *work)
{
    irr_status_t status;

    irr_segments_clear(work);
    status = irr_segments_copy(irr_check_content(check, r, segment->origin), segment->at, segment->length, work,
                               segment->offset);
    for (size_t i = 0; i < work->count && status == IRR_OK; i++) {
        const irr_segment_t *have = &work->items[i];

        status = is_right(&check->rank[r].wanted, have) ? IRR_OK : irr_check_fail(
            check, "rank %d: wrong bytes arrive in OUTPUT[%td,%td)", r, have->offset, irr_segment_end(have));
    }
    return status;
}

static irr_status_t carry_output(irr_check_t *check, int r, irr_segments_t *work)
{
    irr_segments_t *output = &check->rank[r].output, right = { .count = 0 };
    irr_status_t status = IRR_OK;

    for (size_t s = 0; s < output->count && status == IRR_OK; s++) {
        irr_segment_t segment = output->items[s];

        status = segment.origin == IRR_CHECK_RIGHT ? IRR_OK : check_arrival(check, r, &segment, work);
        segment.origin = IRR_CHECK_RIGHT;
        segment.at = segment.offset;
        status = status == IRR_OK ? irr_segments_put(&right, segment) : status;
    }
    irr_segments_fini(output);
    *output = right;
    return status;
}

/* ---- SCRATCH ---- */

/* Lists the ranges of SCRATCH that steps of the batch have read, sorted. */
static irr_status_t list_reads(const irr_check_t *check, int r, irr_segments_t *reads)
{
    const irr_plan_t *plan = &check->plans[r];
    irr_status_t status = IRR_OK;

    for (size_t i = check->rank[r].first; i < plan->nsteps; i++) {
        const irr_step_t *step = &plan->steps[i];
        const size_t count = step->kind == IRR_STEP_SEND ? step->pieces : step->kind == IRR_STEP_COPY;

        for (size_t p = 0; p < count && status == IRR_OK; p++) {
            const irr_piece_t *piece = &plan->pieces[step->first_piece + p];

            if (piece->buffer == IRR_BUFFER_SCRATCH) {
                status = irr_segments_add(reads, (irr_segment_t){ .offset = piece->offset, .length = piece->length });
            }
        }
    }
    irr_segments_sort(reads);
    return status;
}

/* Appends the origins of a range of a segment of SCRATCH to the contents that are kept. */
static irr_status_t keep_range(const irr_check_t *check, int r, const irr_segment_t *segment, ptrdiff_t from,
                               ptrdiff_t to, irr_segments_t *kept)
{
    const irr_check_rank_t *rank = &check->rank[r];
    const irr_segments_t *content = segment->origin < rank->first ? &rank->held
                                                                  : irr_check_content(check, r, segment->origin);

    return to <= from ? IRR_OK : irr_segments_copy(content, segment->at + (from - segment->offset), (size_t)(to - from),
                                                   kept, from);
}

/* Lists the origins of the bytes of SCRATCH that no step has read. */
static irr_status_t list_kept(const irr_check_t *check, int r, const irr_segments_t *reads, irr_segments_t *kept)
{
    const irr_segments_t *scratch = &check->rank[r].scratch;
    irr_status_t status = IRR_OK;
    size_t next = 0;

    for (size_t s = 0; s < scratch->count && status == IRR_OK; s++) {
        const irr_segment_t *segment = &scratch->items[s];
        ptrdiff_t from = segment->offset;

        while (next < reads->count && reads->items[next].offset < irr_segment_end(segment) && status == IRR_OK) {
            const irr_segment_t *read = &reads->items[next];

            status = keep_range(check, r, segment, from, read->offset, kept);
            from = irr_segment_end(read) > from ? irr_segment_end(read) : from;
            if (irr_segment_end(read) > irr_segment_end(segment)) {
                break;
            }
            next++;
        }
        status = status == IRR_OK ? keep_range(check, r, segment, from, irr_segment_end(segment), kept) : status;
    }
    return status;
}

/* Packs the segments.  They are mostly contiguous, so the differences of their offsets take few bytes. */
static irr_status_t pack(const irr_segments_t *kept, irr_pack_t *packed)
{
    irr_status_t status = IRR_OK;
    uint64_t position = 0;

    for (size_t i = 0; i < kept->count && status == IRR_OK; i++) {
        const irr_segment_t *segment = &kept->items[i];

        status = irr_pack_put(packed, (uint64_t[HELD_NUMBERS]){
            (uint64_t)segment->offset - position, segment->length, segment->origin, (uint64_t)segment->at },
            HELD_NUMBERS);
        position += segment->length;
    }
    return status == IRR_OK ? irr_pack_end(packed) : status;
}

irr_status_t irr_check_unpack(irr_check_rank_t *rank)
{
    uint64_t row[HELD_NUMBERS], position = 0;
    irr_status_t status = IRR_GROW(rank->held.items, rank->held.max, rank->packed.rows);

    while (status == IRR_OK && irr_pack_get(&rank->packed, row, HELD_NUMBERS)) {
        status = irr_segments_add(&rank->held, (irr_segment_t){
            .offset = (ptrdiff_t)(row[0] + position), .length = row[1], .origin = row[2], .at = (ptrdiff_t)row[3] });
        position += row[1];
    }
    irr_pack_fini(&rank->packed);
    return status;
}

static irr_status_t carry_scratch(irr_check_t *check, int r, irr_segments_t *kept)
{
    irr_check_rank_t *rank = &check->rank[r];
    irr_segments_t reads = { .count = 0 }, old = { .count = 0 };
    irr_status_t status = list_reads(check, r, &reads);

    irr_segments_clear(kept);
    status = status == IRR_OK ? list_kept(check, r, &reads, kept) : status;
    irr_segments_fini(&reads);
    irr_segments_fini(&rank->held);
    status = status == IRR_OK ? pack(kept, &rank->packed) : status;
    for (size_t s = 0; s < rank->scratch.count && status == IRR_OK; s++) {
        irr_segment_t segment = rank->scratch.items[s];

        segment.at = segment.offset;
        status = irr_segments_put(&old, segment);
    }
    irr_segments_fini(&rank->scratch);
    rank->scratch = old;
    return status;
}

/* ---- a rank ---- */

irr_status_t irr_check_carry(irr_check_t *check)
{
    irr_segments_t work = { .count = 0 };
    irr_status_t status = IRR_OK;

    for (int r = 0; r < check->ranks && status == IRR_OK; r++) {
        irr_check_rank_t *rank = &check->rank[r];

        if (!rank->fresh) {
            continue;
        }
        if (rank->last) {
            irr_check_rank_fini(rank);
        } else {
            status = check->problems[r].in_place ? irr_check_fail(check, "rank %d is in place", r)
                                                 : carry_output(check, r, &work);
            status = status == IRR_OK ? carry_scratch(check, r, &work) : status;
        }
        rank->fresh = false;
        rank->first = check->plans[r].nsteps;
    }
    irr_segments_fini(&work);
    irr_check_free_batch(check);
    return status;
}
