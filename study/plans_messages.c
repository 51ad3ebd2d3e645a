/*
 * plans_messages.c - the messages of a job in the order of the schedule, with or without their contents; see plans.h.
 *
 * For each message, the checker finds the ranges of the ranks' INPUT whose bytes the message carries, also if they were
 * forwarded before.  This file cuts the ranges at the boundaries of the blocks of these ranks.  The results are
 * slices; a slice is a range of one block.
 *
 * Cost: a sort of the messages.  With contents also irr_plan_check, and a binary search over P blocks for each slice.
 */
#include "study/plans.h"

#include "core/alloc.h"
#include "study/check.h"

#include <stdlib.h>

/* A step that sends to another rank. */
typedef struct outgoing {
    const irr_step_t *step;
    int               rank;
} outgoing_t;

/* Compares by stage, step and sender, then by the order in the sender's plan. */
static int by_schedule(const void *a, const void *b)
{
    const outgoing_t *x = a, *y = b;

    if (x->step->stage != y->step->stage) {
        return x->step->stage < y->step->stage ? -1 : 1;
    }
    if (x->step->number != y->step->number) {
        return x->step->number < y->step->number ? -1 : 1;
    }
    if (x->rank != y->rank) {
        return x->rank < y->rank ? -1 : 1;
    }
    return (x->step > y->step) - (x->step < y->step);
}

/* Lists the sends to other ranks, sorted; the caller frees the list. */
static irr_status_t list_messages(const irr_plans_t *plans, outgoing_t **messages, size_t *count)
{
    outgoing_t *list;
    size_t steps = 0, n = 0;

    for (int r = 0; r < plans->ranks; r++) {
        steps += plans->plans[r].nsteps;
    }
    list = irr_alloc(steps, sizeof(*list));
    if (list == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    for (int r = 0; r < plans->ranks; r++) {
        for (size_t i = 0; i < plans->plans[r].nsteps; i++) {
            const irr_step_t *step = &plans->plans[r].steps[i];

            if (step->kind == IRR_STEP_SEND && step->peer != r) {
                list[n++] = (outgoing_t){ step, r };
            }
        }
    }
    qsort(list, n, sizeof(*list), by_schedule);
    *messages = list;
    *count = n;
    return IRR_OK;
}

static irr_plans_message_t message_of(const irr_plan_t *plans, int rank, size_t i)
{
    const irr_step_t *step = &plans[rank].steps[i];

    return (irr_plans_message_t){
        .stage = step->stage, .step = step->number, .from = rank, .to = step->peer, .index = i,
        .bytes = step->bytes
    };
}

/* Returns the index of a message in the plan of its sender. */
static size_t index_of(const irr_plans_t *plans, const outgoing_t *at)
{
    return (size_t)(at->step - plans->plans[at->rank].steps);
}

irr_status_t irr_plans_each_send(const irr_plans_t *plans,
                                 bool (*fn)(void *context, const irr_plans_message_t *message), void *context)
{
    outgoing_t *messages;
    size_t count;
    irr_status_t status = list_messages(plans, &messages, &count);

    if (status != IRR_OK) {
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        const irr_plans_message_t message = message_of(plans->plans, messages[i].rank,
                                                       index_of(plans, &messages[i]));

        if (!fn(context, &message)) {
            break;
        }
    }
    irr_free(messages);
    return IRR_OK;
}

/* ---- contents ---- */

static ptrdiff_t end_of(const irr_block_t *block)
{
    return block->offset + (ptrdiff_t)block->length;
}

/* Returns the send block with the byte at an offset of INPUT.  Blocks are in rank order, so their ends are sorted. */
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

static irr_status_t add_slice(irr_check_slices_t *slices, irr_slice_t slice)
{
    irr_status_t status = IRR_GROW(slices->items, slices->max, slices->count + 1);

    if (status == IRR_OK) {
        slices->items[slices->count++] = slice;
    }
    return status;
}

/* Cuts a range of the INPUT of one rank at the boundaries of blocks. */
static irr_status_t cut_segment(const irr_segment_t *segment, const irr_problem_t *problem,
                                irr_check_slices_t *slices)
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

irr_status_t irr_check_message(const irr_check_t *check, int rank, size_t i, irr_check_slices_t *slices,
                               irr_plans_message_t *message)
{
    const irr_segments_t *content = &check->recipes[irr_check_id(check, rank, i)];
    irr_status_t status = IRR_OK;

    slices->count = 0;
    for (size_t s = 0; status == IRR_OK && s < content->count; s++) {
        const irr_segment_t *segment = &content->items[s];

        status = cut_segment(segment, &check->problems[segment->origin], slices);
    }
    *message = message_of(check->plans, rank, i);
    message->slices = slices->items;
    message->nslices = slices->count;
    return status;
}

irr_status_t irr_plans_each_message(const irr_plans_t *plans,
                                    bool (*fn)(void *context, const irr_plans_message_t *message), void *context)
{
    irr_check_t check = { .plans = plans->plans, .problems = plans->problems, .ranks = plans->ranks };
    irr_status_t status = irr_check_prove(&check);
    outgoing_t *messages = NULL;
    irr_check_slices_t slices = { .items = NULL };
    size_t count = 0;
    bool more = true;

    if (status == IRR_OK) {
        status = list_messages(plans, &messages, &count);
    }
    for (size_t i = 0; status == IRR_OK && more && i < count; i++) {
        irr_plans_message_t message;

        status = irr_check_message(&check, messages[i].rank, index_of(plans, &messages[i]), &slices, &message);
        more = status == IRR_OK && fn(context, &message);
    }
    irr_free(slices.items);
    irr_free(messages);
    irr_check_fini(&check);
    return status;
}
