/*
 * grid_plans.c - carries the slices of all ranks through the stages of a grid and writes the plans down.
 *
 * In each stage every rank sorts what it holds by destination; what is one destination's is a stream, which is
 * cut over the columns (spreading) or goes to the destination's column (collecting).  What stays in the own
 * column stays where it is.  A slice that reaches its destination is received straight into OUTPUT, others into
 * SCRATCH, and the next send of it depends on that receive.
 *
 * Cost: messages of rank r in stage s are at most the columns of its group, so 2 sum of columns in all; time
 * O(n log n) in the slices n that exist at once; scratch is what a rank receives for others.  JPDC 3.1.2, 3.1.3,
 * 3.2 and 5.
 */
#include "route/grid_plans.h"

#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>

#define NO_STEP SIZE_MAX

/* A range of the message that source has for destination, and where the rank that holds it has it. */
typedef struct item {
    int          source, destination;
    size_t       offset, length;
    irr_buffer_t buffer;
    ptrdiff_t    position;
    size_t       step;      /* the receive that brought it; NO_STEP in INPUT */
    irr_buffer_t next_buffer;    /* where the receiver of the stage gets it */
    ptrdiff_t    next_position;
} item_t;

typedef struct items {
    item_t *array;
    size_t  count, max;
} items_t;

/* The message of one rank to another in the current stage. */
typedef struct message {
    int     from, to, number;
    size_t  receive;        /* step of the receiver's plan */
    items_t items;
} message_t;

typedef struct job {
    const irr_grid_t    *grid;
    size_t               slice_min;
    const irr_problem_t *problems;
    int                  ranks;
    irr_plan_t          *plans;
    items_t             *held;      /* by rank */
    message_t           *messages;  /* of one rank, by column, while a stage is cut */
    message_t           *all;       /* of the stage */
    size_t               count, max;
    size_t              *cuts;
    irr_piece_t         *pieces;    /* room for one step */
    size_t              *deps;
    size_t               room;
} job_t;

static irr_status_t push(items_t *items, item_t item)
{
    void *array = items->array;
    irr_status_t status = irr_grow(&array, &items->max, items->count + 1, sizeof(item));

    items->array = array;
    if (status == IRR_OK) {
        items->array[items->count++] = item;
    }
    return status;
}

static int compare_items(const void *a, const void *b)
{
    const item_t *x = a, *y = b;

    if (x->destination != y->destination) {
        return x->destination < y->destination ? -1 : 1;
    }
    if (x->source != y->source) {
        return x->source < y->source ? -1 : 1;
    }
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static int compare_messages(const void *a, const void *b)
{
    const message_t *x = a, *y = b;

    return x->number != y->number ? (x->number > y->number) - (x->number < y->number) : (x->from > y->from) - (x->from < y->from);
}

/* ---- one stage of one rank ---- */

/* The first bytes of an item, which then begins behind them. */
static item_t take(item_t *item, size_t length)
{
    item_t taken = *item;

    taken.length = length;
    item->offset += length;
    item->position += (ptrdiff_t)length;
    item->length -= length;
    return taken;
}

/* Cuts the stream of one destination over the columns. */
static irr_status_t spread(job_t *job, const irr_grid_level_t *level, item_t *stream, size_t count)
{
    int destination = stream[0].destination, part = 0;
    size_t total = 0, done = 0;
    irr_status_t status = IRR_OK;

    for (size_t i = 0; i < count; i++) {
        total += stream[i].length;
    }
    irr_grid_cut(level, destination, total, job->slice_min, job->cuts);
    for (size_t i = 0; i < count && status == IRR_OK; i++) {
        while (stream[i].length > 0 && status == IRR_OK) {
            size_t left, bytes;

            while (job->cuts[part + 1] == done) {
                part++;
            }
            left = job->cuts[part + 1] - done;
            bytes = stream[i].length < left ? stream[i].length : left;
            done += bytes;
            status = push(&job->messages[irr_grid_cut_column(level, destination, part)].items,
                          take(&stream[i], bytes));
        }
    }
    return status;
}

/* Sends the stream of one destination to the column that leads there. */
static irr_status_t collect(job_t *job, const irr_grid_level_t *level, const item_t *stream, size_t count)
{
    int column = irr_grid_member(level, stream[0].destination) % level->rows.columns;
    irr_status_t status = IRR_OK;

    for (size_t i = 0; i < count && status == IRR_OK; i++) {
        status = push(&job->messages[column].items, stream[i]);
    }
    return status;
}

/* Takes what was dealt to the other columns over as messages of the stage. */
static irr_status_t keep_messages(job_t *job, const irr_grid_level_t *level, int rank)
{
    int member = irr_grid_member(level, rank), own = member % level->rows.columns;
    void *all = job->all;
    irr_status_t status = irr_grow(&all, &job->max, job->count + (size_t)level->rows.columns, sizeof(*job->all));

    job->all = all;
    for (int column = 0; column < level->rows.columns; column++) {
        message_t message = job->messages[column];

        if (column == own) {
            continue;
        }
        if (status != IRR_OK || message.items.count == 0) {
            irr_free(message.items.array);
            continue;
        }
        message.from = rank;
        message.to = irr_grid_rank(level, irr_grid_hop(level, member, column));
        message.number = irr_priority_step(level->rows, member, column);
        job->all[job->count++] = message;
    }
    return status;
}

/* Deals out what a rank holds to the columns; it goes on holding what is for its own column. */
static irr_status_t cut_rank(job_t *job, int number, bool spreading, int rank)
{
    irr_grid_level_t level = irr_grid_level(job->grid, job->ranks, number, rank);
    items_t held = job->held[rank];
    irr_status_t status = IRR_OK, kept;

    memset(job->messages, 0, (size_t)level.rows.columns * sizeof(*job->messages));
    if (held.count > 0) {
        qsort(held.array, held.count, sizeof(*held.array), compare_items);
    }
    for (size_t i = 0, end; i < held.count && status == IRR_OK; i = end) {
        for (end = i; end < held.count && held.array[end].destination == held.array[i].destination; end++) {
            continue;
        }
        status = spreading ? spread(job, &level, held.array + i, end - i)
                           : collect(job, &level, held.array + i, end - i);
    }
    irr_free(held.array);
    job->held[rank] = job->messages[irr_grid_member(&level, rank) % level.rows.columns].items;
    kept = keep_messages(job, &level, rank);
    return status == IRR_OK ? kept : status;
}

/* ---- messages to steps ---- */

static irr_status_t make_room(job_t *job, size_t count)
{
    void *pieces = job->pieces, *deps = job->deps;
    size_t room = job->room;
    irr_status_t status = irr_grow(&pieces, &room, count, sizeof(*job->pieces));

    job->pieces = pieces;
    if (status == IRR_OK) {
        status = irr_grow(&deps, &job->room, count, sizeof(*job->deps));
        job->deps = deps;
    }
    return status;
}

static int compare_steps(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

/* The receives that brought what is sent, each once. */
static size_t gather_deps(const items_t *items, size_t *deps)
{
    size_t count = 0, unique = 0;

    for (size_t i = 0; i < items->count; i++) {
        if (items->array[i].step != NO_STEP) {
            deps[count++] = items->array[i].step;
        }
    }
    if (count > 0) {
        qsort(deps, count, sizeof(*deps), compare_steps);
    }
    for (size_t i = 0; i < count; i++) {
        if (unique == 0 || deps[unique - 1] != deps[i]) {
            deps[unique++] = deps[i];
        }
    }
    return unique;
}

static irr_status_t add_send(job_t *job, int stage, const message_t *message)
{
    irr_step_params_t params = {
        .kind = IRR_STEP_SEND, .peer = message->to, .stage = stage, .number = message->number,
        .npieces = message->items.count
    };
    irr_status_t status = make_room(job, message->items.count);

    if (status != IRR_OK) {
        return status;
    }
    for (size_t i = 0; i < message->items.count; i++) {
        const item_t *item = &message->items.array[i];

        job->pieces[i] = (irr_piece_t){ item->buffer, item->position, item->length };
    }
    params.pieces = job->pieces;
    params.deps = job->deps;
    params.ndeps = gather_deps(&message->items, job->deps);
    return irr_plan_add(&job->plans[message->from], &params);
}

static irr_status_t add_receive(job_t *job, int stage, message_t *message)
{
    irr_plan_t *plan = &job->plans[message->to];
    irr_step_params_t params = {
        .kind = IRR_STEP_RECV, .peer = message->from, .stage = stage, .number = message->number,
        .npieces = message->items.count
    };
    size_t scratch = plan->scratch_bytes;
    irr_status_t status = make_room(job, message->items.count);

    if (status != IRR_OK) {
        return status;
    }
    for (size_t i = 0; i < message->items.count; i++) {
        item_t *item = &message->items.array[i];

        if (item->destination == message->to) {
            item->next_buffer = IRR_BUFFER_OUTPUT;
            item->next_position = job->problems[message->to].recv[item->source].offset + (ptrdiff_t)item->offset;
        } else {
            item->next_buffer = IRR_BUFFER_SCRATCH;
            item->next_position = (ptrdiff_t)scratch;
            scratch += item->length;
        }
        job->pieces[i] = (irr_piece_t){ item->next_buffer, item->next_position, item->length };
    }
    message->receive = plan->nsteps;
    params.pieces = job->pieces;
    return irr_plan_add(plan, &params);
}

/* What arrived and is not at its destination is held by the receiver from now on. */
static irr_status_t hold(job_t *job, const message_t *message)
{
    irr_status_t status = IRR_OK;

    for (size_t i = 0; i < message->items.count && status == IRR_OK; i++) {
        item_t item = message->items.array[i];

        item.buffer = item.next_buffer;
        item.position = item.next_position;
        item.step = message->receive;
        if (item.destination != message->to) {
            status = push(&job->held[message->to], item);
        }
    }
    return status;
}

/* In every plan the receives of a stage come before its sends, both by step. */
static irr_status_t write_stage(job_t *job, int stage)
{
    irr_status_t status = IRR_OK;

    if (job->count > 0) {
        qsort(job->all, job->count, sizeof(*job->all), compare_messages);
    }
    for (size_t i = 0; i < job->count && status == IRR_OK; i++) {
        status = add_receive(job, stage, &job->all[i]);
    }
    for (size_t i = 0; i < job->count && status == IRR_OK; i++) {
        status = add_send(job, stage, &job->all[i]);
    }
    for (size_t i = 0; i < job->count && status == IRR_OK; i++) {
        status = hold(job, &job->all[i]);
    }
    return status;
}

static irr_status_t run_stage(job_t *job, int stage)
{
    const irr_grid_t *grid = job->grid;
    bool spreading = grid->balanced && stage <= grid->levels;
    int level = (stage - 1) % grid->levels;
    irr_status_t status = IRR_OK;

    job->count = 0;
    for (int r = 0; r < job->ranks && status == IRR_OK; r++) {
        status = cut_rank(job, level, spreading, r);
    }
    if (status == IRR_OK) {
        status = write_stage(job, stage);
    }
    for (size_t i = 0; i < job->count; i++) {
        irr_free(job->all[i].items.array);
    }
    return status;
}

/* ---- the whole job ---- */

/* What a rank has for others; its message to itself is copied at the end. */
static irr_status_t start_rank(job_t *job, int rank)
{
    const irr_problem_t *problem = &job->problems[rank];
    irr_status_t status = IRR_OK;

    irr_plan_reset(&job->plans[rank], problem);
    for (int j = 0; j < job->ranks && status == IRR_OK; j++) {
        if (j != rank && problem->send[j].length > 0) {
            status = push(&job->held[rank], (item_t){
                .source = rank, .destination = j, .length = problem->send[j].length,
                .buffer = IRR_BUFFER_INPUT, .position = problem->send[j].offset, .step = NO_STEP });
        }
    }
    return status;
}

irr_status_t irr_grid_plans_build(const irr_grid_t *grid, size_t slice_min, const irr_problem_t *problems, int ranks,
                                  irr_plan_t *plans)
{
    int stages = grid->balanced ? 2 * grid->levels : grid->levels;
    job_t job = { .grid = grid, .slice_min = slice_min, .problems = problems, .ranks = ranks, .plans = plans };
    irr_status_t status = IRR_OK;

    job.held = irr_alloc_zero((size_t)ranks, sizeof(*job.held));
    job.messages = irr_alloc((size_t)ranks, sizeof(*job.messages));
    job.cuts = irr_alloc((size_t)ranks + 1, sizeof(*job.cuts));
    if (job.held == NULL || job.messages == NULL || job.cuts == NULL) {
        status = IRR_ERR_NO_MEMORY;
    }
    for (int r = 0; r < ranks && status == IRR_OK; r++) {
        status = start_rank(&job, r);
    }
    for (int stage = 1; stage <= stages && status == IRR_OK; stage++) {
        status = run_stage(&job, stage);
    }
    for (int r = 0; r < ranks && status == IRR_OK; r++) {
        status = irr_plan_add_self(&problems[r], &plans[r]);
    }
    for (int r = 0; r < ranks && job.held != NULL; r++) {
        irr_free(job.held[r].array);
    }
    irr_free(job.deps);
    irr_free(job.pieces);
    irr_free(job.all);
    irr_free(job.cuts);
    irr_free(job.messages);
    irr_free(job.held);
    return status;
}
