/*
 * plans_messages.c - the messages of a job with what they carry, in the order of the schedule; see plans.h.
 *
 * The checker finds out, message by message, which bytes of the ranks' INPUT travel in it, however often they
 * were forwarded.  Here these ranges are cut where the blocks of the source meet, which gives the slices.
 *
 * Cost: that of irr_plan_check, a sort of the messages, and a binary search over P blocks for each slice.
 */
#include "study/plans.h"

#include "core/alloc.h"
#include "study/check.h"

#include <stdlib.h>

/* The slices of one message; the room is used again for the next. */
typedef struct slices {
    irr_slice_t *items;
    size_t       count, max;
} slices_t;

/* By stage, step and sender; messages that agree in all three in the order of the sender's plan. */
static int by_schedule(const void *a, const void *b)
{
    const irr_check_step_t *x = *(const irr_check_step_t *const *)a, *y = *(const irr_check_step_t *const *)b;

    if (x->step->stage != y->step->stage) {
        return x->step->stage < y->step->stage ? -1 : 1;
    }
    if (x->step->number != y->step->number) {
        return x->step->number < y->step->number ? -1 : 1;
    }
    return (x > y) - (x < y);  /* steps are numbered through rank by rank */
}

/* Lists the sends that leave their rank, sorted; returns how many. */
static size_t list_messages(const irr_check_t *check, const irr_check_step_t **messages)
{
    size_t count = 0;

    for (size_t id = 0; id < check->base[check->ranks]; id++) {
        const irr_check_step_t *at = &check->steps[id];

        if (at->step->kind == IRR_STEP_SEND && at->step->peer != at->rank) {
            messages[count++] = at;
        }
    }
    qsort(messages, count, sizeof(*messages), by_schedule);
    return count;
}

static ptrdiff_t end_of(const irr_block_t *block)
{
    return block->offset + (ptrdiff_t)block->length;
}

/* The send block with the byte at an offset of INPUT.  The blocks lie by rank, so their ends are sorted. */
static const irr_block_t *block_at(const irr_problem_t *problem, ptrdiff_t offset)
{
    size_t low = 0, high = problem->send.count - 1;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (end_of(&problem->send.list[middle]) > offset) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return &problem->send.list[low];
}

static irr_status_t add_slice(slices_t *slices, irr_slice_t slice)
{
    irr_status_t status = IRR_GROW(slices->items, slices->max, slices->count + 1);

    if (status == IRR_OK) {
        slices->items[slices->count++] = slice;
    }
    return status;
}

/* A range of the INPUT of one rank may hold bytes for several. */
static irr_status_t cut_segment(const irr_segment_t *segment, const irr_problem_t *problem, slices_t *slices)
{
    ptrdiff_t at = segment->at, end = at + (ptrdiff_t)segment->length;
    irr_status_t status = IRR_OK;

    while (status == IRR_OK && at < end) {
        const irr_block_t *block = block_at(problem, at);
        ptrdiff_t last = end_of(block) < end ? end_of(block) : end;

        status = add_slice(slices, (irr_slice_t){
            .source = problem->rank, .destination = block->rank,
            .offset = (size_t)(at - block->offset), .length = (size_t)(last - at)
        });
        at = last;
    }
    return status;
}

static irr_status_t cut_message(const irr_check_t *check, const irr_check_step_t *at, slices_t *slices)
{
    const irr_segments_t *content = &check->recipes[at - check->steps];
    irr_status_t status = IRR_OK;

    slices->count = 0;
    for (size_t s = 0; status == IRR_OK && s < content->count; s++) {
        const irr_segment_t *segment = &content->items[s];

        status = cut_segment(segment, &check->problems[segment->origin], slices);
    }
    return status;
}

irr_status_t irr_plans_each_message(const irr_plans_t *plans,
                                    bool (*fn)(void *context, const irr_plans_message_t *message), void *context)
{
    irr_check_t check = { .plans = plans->plans, .problems = plans->problems, .ranks = plans->ranks };
    irr_status_t status = irr_check_prove(&check);
    const irr_check_step_t **messages = NULL;
    slices_t slices = { .items = NULL };
    size_t count = 0;
    bool more = true;

    if (status == IRR_OK) {
        messages = irr_alloc(check.base[check.ranks], sizeof(*messages));
        status = messages != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;
    }
    if (status == IRR_OK) {
        count = list_messages(&check, messages);
    }
    for (size_t i = 0; status == IRR_OK && more && i < count; i++) {
        const irr_step_t *step = messages[i]->step;

        status = cut_message(&check, messages[i], &slices);
        more = status == IRR_OK && fn(context, &(irr_plans_message_t){
            .stage = step->stage, .step = step->number, .from = messages[i]->rank, .to = step->peer,
            .index = irr_check_index(&check, (size_t)(messages[i] - check.steps)), .bytes = step->bytes,
            .boarded = step->boarded,
            .slices = slices.items, .nslices = slices.count
        });
    }
    irr_free(slices.items);
    irr_free(messages);
    irr_check_fini(&check);
    return status;
}
