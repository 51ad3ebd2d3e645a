/*
 * binomial.c - see binomial.h.
 */
#include "exec/binomial.h"

#include <assert.h>
#include <string.h>

/* ---- the tree ---- */

/* Ranks at and below this one: itself and the next ones. */
static int family(const irr_binomial_t *binomial)
{
    const int after = binomial->ranks - binomial->rank, most = binomial->rank & -binomial->rank;

    return most > 0 && most < after ? most : after;
}

static int count(const irr_binomial_t *binomial, bool children)
{
    return children ? binomial->children : binomial->rank > 0;
}

/* The i-th child, or the parent. */
static int peer(const irr_binomial_t *binomial, bool children, int i)
{
    return children ? binomial->rank + (1 << i) : binomial->rank & (binomial->rank - 1);
}

/* ---- life ---- */

irr_status_t irr_binomial_init(irr_binomial_t *binomial, int ranks, int rank, size_t max_bytes)
{
    irr_plan_bounds_t bounds;

    memset(binomial, 0, sizeof(*binomial));
    binomial->ranks = ranks;
    binomial->rank = rank;
    binomial->max_bytes = max_bytes > 0 ? max_bytes : PTRDIFF_MAX;
    while (1 << binomial->children < family(binomial)) {
        binomial->children++;
    }
    bounds = (irr_plan_bounds_t){ .steps = 2 * (size_t)binomial->children + 2 };
    bounds.pieces = bounds.steps;
    return irr_own_plan_init(&binomial->moves, ranks, rank, bounds);
}

void irr_binomial_fini(irr_binomial_t *binomial)
{
    irr_own_plan_fini(&binomial->moves);
    irr_bytes_fini(&binomial->parts);
    memset(binomial, 0, sizeof(*binomial));
}

static void keep_mark(irr_binomial_t *binomial, unsigned mark)
{
    binomial->mark = mark > binomial->mark ? mark : binomial->mark;
}

static void keep(irr_binomial_t *binomial, irr_status_t status)
{
    irr_exec_keep(&binomial->status, status);
    if (status != IRR_OK) {
        keep_mark(binomial, status == IRR_ERR_NOT_SUPPORTED ? IRR_MARK_LARGE : IRR_MARK_FAILED);
    }
}

/* ---- messages ---- */

/* Adds one to or from the i-th that is told or heard; bytes NULL: it is thrown away. */
static void add(irr_binomial_t *binomial, irr_step_kind_t kind, int i, void *bytes, size_t length)
{
    const bool sends = kind == IRR_STEP_SEND;
    const irr_piece_t nowhere = { IRR_BUFFER_NOWHERE, false, 0, IRR_SINK_BYTES };
    const irr_piece_t piece = { IRR_BUFFER_SCRATCH, false, (ptrdiff_t)(uintptr_t)bytes, length };

    irr_own_plan_add(&binomial->moves, &(irr_step_params_t){
        .kind = kind, .peer = peer(binomial, sends == binomial->down, i), .stage = binomial->down ? 2 : 1,
        .content = IRR_CONTENT_HEADER, .described = sends ? length : 0, .pieces = bytes != NULL ? &piece : &nowhere,
        .npieces = 1
    });
}

static void hear_words(irr_binomial_t *binomial)
{
    for (int i = 0; i < count(binomial, !binomial->down); i++) {
        add(binomial, IRR_STEP_RECV, i, &binomial->words[i], sizeof(binomial->words[i]));
    }
}

/* Who did not say anything that makes sense has failed. */
static void end_words(irr_binomial_t *binomial)
{
    for (int i = 0; i < count(binomial, !binomial->down); i++) {
        if (irr_exec_transfer(&binomial->moves.exec, (size_t)i)->received != sizeof(binomial->words[i])) {
            binomial->words[i] = IRR_MARK_FAILED;
        }
        keep_mark(binomial, (unsigned)(binomial->words[i] % IRR_MARKS));
    }
}

/* Makes room for what is announced. */
static irr_status_t make_room(irr_binomial_t *binomial)
{
    const size_t most = binomial->down ? PTRDIFF_MAX : binomial->max_bytes;
    size_t total = binomial->parts.length;

    for (int i = 0; i < count(binomial, !binomial->down); i++) {
        const size_t length = binomial->words[i] / IRR_MARKS;

        if (length > most - total) {
            return IRR_ERR_NOT_SUPPORTED;
        }
        total += length;
    }
    return irr_bytes_reserve(&binomial->parts, total - binomial->parts.length);
}

/* Behind what is here, or nowhere. */
static void hear_parts(irr_binomial_t *binomial)
{
    irr_bytes_t *parts = &binomial->parts;

    keep(binomial, binomial->mark == 0 ? make_room(binomial) : IRR_OK);
    for (int i = 0; i < count(binomial, !binomial->down); i++) {
        const size_t length = binomial->words[i] / IRR_MARKS;

        if (length > 0) {
            add(binomial, IRR_STEP_RECV, i, binomial->mark == 0 ? parts->at + parts->length : NULL, length);
        }
        parts->length += binomial->mark == 0 ? length : 0;
    }
}

static void end_parts(irr_binomial_t *binomial)
{
    const irr_plan_t *plan = &binomial->moves.plan;

    for (size_t i = 0; i < plan->nsteps && binomial->mark == 0; i++) {
        const bool whole = irr_exec_transfer(&binomial->moves.exec, i)->received == plan->steps[i].bytes;

        keep(binomial, whole ? IRR_OK : IRR_ERR_PROTOCOL);
    }
}

/* There is a part for each rank at and below this one, and nothing else. */
static irr_status_t find_parts(irr_binomial_t *binomial)
{
    irr_reader_t reader = irr_bytes_read(&binomial->parts);

    for (int i = 0, child = 0; i < family(binomial); i++) {
        irr_reader_t part;

        if (i == 1 << child) {
            binomial->ends[child++] = reader.at;
        }
        part = irr_bytes_next(&reader);
        binomial->own = i == 0 ? part : binomial->own;
    }
    binomial->ends[binomial->children] = reader.at;
    return irr_reader_ends(&reader) ? IRR_OK : IRR_ERR_PROTOCOL;
}

/* The parent all that is here; or the children, the farthest first, what is theirs. */
static void tell(irr_binomial_t *binomial)
{
    const size_t *ends = binomial->ends;

    binomial->ends[0] = 0;
    binomial->ends[1] = binomial->parts.length;
    if (binomial->down && binomial->mark == 0) {
        keep(binomial, find_parts(binomial));
    }
    for (int i = count(binomial, binomial->down) - 1; i >= 0; i--) {
        const size_t length = binomial->mark == 0 ? ends[i + 1] - ends[i] : 0;

        binomial->words[i] = (uint64_t)length * IRR_MARKS + binomial->mark;
        add(binomial, IRR_STEP_SEND, i, &binomial->words[i], sizeof(binomial->words[i]));
        if (length > 0) {
            add(binomial, IRR_STEP_SEND, i, binomial->parts.at + ends[i], length);
        }
    }
}

/* ---- states ---- */

static void enter(irr_binomial_t *binomial, irr_binomial_state_t state)
{
    binomial->state = state;
    irr_own_plan_clear(&binomial->moves);
    switch (state) {
    case IRR_BINOMIAL_HEARS_WORDS: hear_words(binomial); break;
    case IRR_BINOMIAL_HEARS_PARTS: hear_parts(binomial); break;
    case IRR_BINOMIAL_TELLS:       tell(binomial);       break;
    case IRR_BINOMIAL_OVER:        return;
    }
    irr_own_plan_start(&binomial->moves, &binomial->env);
}

static void leave(irr_binomial_t *binomial, irr_status_t status)
{
    keep(binomial, status == IRR_ERR_TRUNCATE ? IRR_ERR_PROTOCOL : status);
    switch (binomial->state) {
    case IRR_BINOMIAL_HEARS_WORDS: end_words(binomial); break;
    case IRR_BINOMIAL_HEARS_PARTS: end_parts(binomial); break;
    default:                       break;
    }
    enter(binomial, binomial->state + 1);
}

size_t irr_binomial_begin(irr_binomial_t *binomial)
{
    binomial->parts.length = 0;
    binomial->parts.lacking = false;
    return irr_bytes_begin(&binomial->parts);
}

void irr_binomial_up(irr_binomial_t *binomial, const irr_exec_env_t *env)
{
    binomial->mark = 0;
    binomial->status = IRR_OK;
    keep(binomial, binomial->parts.lacking ? IRR_ERR_NO_MEMORY : IRR_OK);
    keep(binomial, binomial->parts.length <= binomial->max_bytes ? IRR_OK : IRR_ERR_NOT_SUPPORTED);
    binomial->env = (irr_exec_env_t){ .channel = env->channel, .tag_base = env->tag_base, .counters = env->counters };
    binomial->down = false;
    enter(binomial, IRR_BINOMIAL_HEARS_WORDS);
}

void irr_binomial_down(irr_binomial_t *binomial, unsigned mark)
{
    binomial->mark = binomial->rank == 0 ? mark : 0;
    binomial->status = IRR_OK;
    binomial->down = true;
    if (binomial->rank > 0) {
        binomial->parts.length = 0;
    }
    enter(binomial, IRR_BINOMIAL_HEARS_WORDS);
}

irr_status_t irr_binomial_progress(irr_binomial_t *binomial)
{
    while (binomial->state != IRR_BINOMIAL_OVER) {
        const irr_status_t status = irr_exec_progress(&binomial->moves.exec);

        if (status == IRR_IN_PROGRESS) {
            return status;
        }
        leave(binomial, status);
    }
    return binomial->status;
}
