/*
 * check_delivery.c - last phase of the plan checker: the place where every byte arrives (rule 4).
 *
 * A message that a rank forwards consists of bytes of messages that the rank has received.  A recipe lists these bytes;
 * a content lists the same bytes as ranges of the INPUT of the ranks that own them.  Each recipe is converted to a
 * content, in an order in which the messages can start, so that the contents of earlier messages are known.  Finally
 * OUTPUT must have the contents that the problem requires.
 *
 * Cost: a binary search for each segment of the contents, whose number is bounded; see limit_of.
 */
#include "study/check.h"

/* Maximum number of times that a plan may carry a byte in a stage: in a message, and in copies before and after it. */
#define CARRIES_MAX 4

typedef struct delivery {
    irr_check_t   *check;
    irr_segments_t work;
    size_t         limit;     /* maximum of check->segments */
} delivery_t;

/*
 * Returns the maximum number of segments of contents if no byte is carried more than CARRIES_MAX times in a stage.  A
 * segment ends where a piece of some step ends, and each message that carries the byte there has this end, too.  In an
 * exchange in place, OUTPUT has segments before any message arrives.  Without the limit, a hostile plan could double
 * its segments with every message.
 */
static size_t limit_of(const irr_check_t *check)
{
    size_t stages = 0, limit;

    for (int r = 0; r < check->ranks; r++) {
        stages = (size_t)check->plans[r].stages > stages ? (size_t)check->plans[r].stages : stages;
    }
    stages = stages < check->nsteps ? stages : check->nsteps;
    if (__builtin_mul_overflow(check->npieces, CARRIES_MAX * (stages + 1), &limit)) {
        limit = SIZE_MAX;
    }
    return limit;
}

const irr_segments_t *irr_check_content(const irr_check_t *check, int rank, size_t i)
{
    const size_t id = irr_check_id(check, rank, i), partner = check->steps[id].partner;

    return &check->recipes[partner == IRR_CHECK_NONE ? id : partner];
}

/* Appends the content of a segment to the list `work`.  A step of the rank has written the segment. */
static irr_status_t resolve_segment(delivery_t *delivery, int r, irr_segment_t segment)
{
    irr_check_t *check = delivery->check;
    const irr_check_rank_t *rank = &check->rank[r];
    const irr_segments_t *content = &rank->held;

    if (segment.origin == IRR_CHECK_OWN) {
        segment.origin = (size_t)r;
        return irr_segments_put(&delivery->work, segment);
    }
    if (segment.origin == IRR_CHECK_RIGHT) {
        content = &rank->wanted;
    } else if (segment.origin >= rank->first) {
        content = irr_check_content(check, r, segment.origin);
    } else if (!irr_segments_cover(content, segment.at, segment.length)) {
        return irr_check_fail(check, "rank %d sends bytes of SCRATCH twice", r);
    }
    return irr_segments_copy(content, segment.at, segment.length, &delivery->work, segment.offset);
}

/* Replaces the steps of a rank in a list by the contents of their messages. */
static irr_status_t resolve(delivery_t *delivery, int rank, irr_segments_t *list)
{
    irr_check_t *check = delivery->check;
    irr_status_t status = IRR_OK;

    irr_segments_clear(&delivery->work);
    for (size_t s = 0; status == IRR_OK && s < list->count; s++) {
        status = resolve_segment(delivery, rank, list->items[s]);
        if (delivery->work.count > delivery->limit - check->segments) {
            return irr_check_fail(check, "rank %d handles some bytes more than %d times in a stage", rank,
                                  CARRIES_MAX);
        }
    }
    status = status == IRR_OK ? irr_segments_assign(list, &delivery->work) : status;
    check->segments += delivery->work.count;
    return status;
}

/* Reports a wrong or missing byte of OUTPUT at this offset. */
static irr_status_t report_byte(delivery_t *delivery, int rank, ptrdiff_t offset)
{
    const irr_segment_t *want = irr_segments_hit(&delivery->check->rank[rank].wanted, offset, 1);
    const irr_segment_t *have = irr_segments_hit(&delivery->check->rank[rank].output, offset, 1);
    irr_check_t *check = delivery->check;

    if (have == NULL) {
        return irr_check_fail(check, "rank %d: byte %td of the block from rank %zu never arrives", rank,
                              offset - want->offset, want->origin);
    }
    return irr_check_fail(check, "rank %d: byte %td of the block from rank %zu should be INPUT[%td] of that "
                          "rank, but is INPUT[%td] of rank %zu", rank, offset - want->offset, want->origin,
                          want->at + (offset - want->offset), have->at + (offset - have->offset), have->origin);
}

/* Checks OUTPUT.  It was written only inside the blocks, so it is correct if it has each wanted segment. */
static irr_status_t check_output(delivery_t *delivery, int rank)
{
    const irr_segments_t *wanted = &delivery->check->rank[rank].wanted;
    irr_segments_t *output = &delivery->check->rank[rank].output;
    irr_status_t status = resolve(delivery, rank, output);

    for (size_t i = 0; status == IRR_OK && i < wanted->count; i++) {
        const irr_segment_t *want = &wanted->items[i], *have = irr_segments_hit(output, want->offset, 1);

        if (have == NULL || have->origin != want->origin ||
            have->at + (want->offset - have->offset) != want->at) {
            status = report_byte(delivery, rank, want->offset);
        } else if (have->offset + (ptrdiff_t)have->length < want->offset + (ptrdiff_t)want->length) {
            status = report_byte(delivery, rank, have->offset + (ptrdiff_t)have->length);
        }
    }
    return status;
}

irr_status_t irr_check_delivery(irr_check_t *check)
{
    delivery_t delivery = { .check = check, .limit = limit_of(check) };
    irr_status_t status = IRR_OK;

    for (size_t i = 0; status == IRR_OK && i < check->nstarted; i++) {
        size_t id = check->started[i];

        status = resolve(&delivery, check->steps[id].rank, &check->recipes[id]);
    }
    for (int r = 0; status == IRR_OK && r < check->ranks; r++) {
        status = check->rank[r].fresh && check->rank[r].last ? check_output(&delivery, r) : IRR_OK;
    }
    irr_segments_fini(&delivery.work);
    return status;
}
