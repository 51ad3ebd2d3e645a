/*
 * plan_run.c - see plan_run.h.
 *
 * Again and again each rank tries to post its next receive, to start its next send or copy, and to take what
 * it may, and each try is left out at random.  When a round in which nothing is left out does nothing, the
 * exchange is over or stuck.  Quadratic in everything; for small plans.
 */
#include "plan_run.h"

#include "irr_test.h"

#include <stdlib.h>
#include <string.h>

typedef enum state { WAITING, STARTED, COMPLETE } state_t;

typedef struct rank {
    const irr_plan_t *plan;
    unsigned char    *buffers[3];  /* by irr_buffer_t */
    state_t          *state;       /* by step */
    unsigned char   **held;        /* by step: the bytes of an eager send */
    size_t            next_recv, next_send, in_flight, window;
} rank_t;

typedef struct run {
    rank_t   *ranks;
    int       count;
    uint64_t *random;
} run_t;

/* Between the pieces of a step and one block of bytes; up to `bytes` of them. */
static void transfer(const rank_t *rank, const irr_piece_t *pieces, size_t count, unsigned char *block,
                     size_t bytes, bool gather)
{
    for (size_t p = 0; p < count; p++) {
        unsigned char *at = rank->buffers[pieces[p].buffer] + pieces[p].offset;
        size_t length = pieces[p].length < bytes ? pieces[p].length : bytes;

        memcpy(gather ? block : at, gather ? at : block, length);
        block += length;
        bytes -= length;
    }
}

static unsigned char *gather(const rank_t *rank, size_t i)
{
    const irr_step_t *step = &rank->plan->steps[i];
    unsigned char *block = malloc(step->bytes + 1);

    transfer(rank, &rank->plan->pieces[step->first_piece], step->kind == IRR_STEP_COPY ? 1 : step->pieces, block,
             step->bytes, true);
    return block;
}

static void scatter(const rank_t *rank, size_t i, unsigned char *block)
{
    const irr_step_t *step = &rank->plan->steps[i];
    size_t first = step->kind == IRR_STEP_COPY ? 1 : 0;

    transfer(rank, &rank->plan->pieces[step->first_piece + first], step->pieces - first, block, step->bytes,
             false);
}

static bool ready(const rank_t *rank, size_t i)
{
    const irr_step_t *step = &rank->plan->steps[i];

    for (size_t d = 0; d < step->deps; d++) {
        if (rank->state[rank->plan->deps[step->first_dep + d]] != COMPLETE) {
            return false;
        }
    }
    return true;
}

static bool post(rank_t *rank)
{
    const irr_plan_t *plan = rank->plan;

    while (rank->next_recv < plan->nsteps && plan->steps[rank->next_recv].kind != IRR_STEP_RECV) {
        rank->next_recv++;
    }
    if (rank->next_recv == plan->nsteps || !ready(rank, rank->next_recv)) {
        return false;
    }
    rank->state[rank->next_recv++] = STARTED;
    return true;
}

static bool start(run_t *run, rank_t *rank)
{
    const irr_plan_t *plan = rank->plan;
    size_t i;

    while (rank->next_send < plan->nsteps && plan->steps[rank->next_send].kind == IRR_STEP_RECV) {
        rank->next_send++;
    }
    i = rank->next_send;
    if (i == plan->nsteps || rank->in_flight == rank->window || !ready(rank, i)) {
        return false;
    }
    rank->next_send++;
    if (plan->steps[i].kind == IRR_STEP_COPY) {
        rank->held[i] = gather(rank, i);
        scatter(rank, i, rank->held[i]);
        rank->state[i] = COMPLETE;
    } else if (irr_test_below(run->random, 2) == 0) {
        rank->held[i] = gather(rank, i);
        rank->state[i] = COMPLETE;
    } else {
        rank->state[i] = STARTED;
        rank->in_flight++;
    }
    return true;
}

/* How many receives from the same rank in the same stage come before receive i. */
static size_t place_of(const irr_plan_t *plan, size_t i)
{
    const irr_step_t *recv = &plan->steps[i];
    size_t place = 0;

    for (size_t j = 0; j < i; j++) {
        const irr_step_t *step = &plan->steps[j];

        place += step->kind == IRR_STEP_RECV && step->stage == recv->stage && step->peer == recv->peer ? 1 : 0;
    }
    return place;
}

/* The step of the sender that receive i is for; nsteps of the sender if there is none. */
static size_t other_end(const run_t *run, int to, size_t i)
{
    const irr_step_t *recv = &run->ranks[to].plan->steps[i];
    const irr_plan_t *from = run->ranks[recv->peer].plan;
    size_t place = place_of(run->ranks[to].plan, i), j = 0;

    while (j < from->nsteps && (from->steps[j].kind != IRR_STEP_SEND || from->steps[j].stage != recv->stage ||
                                from->steps[j].peer != to || place-- > 0)) {
        j++;
    }
    return j;
}

/* Completes receive i of a rank if its message is there. */
static bool take(run_t *run, int to, size_t i)
{
    rank_t *rank = &run->ranks[to], *sender = &run->ranks[rank->plan->steps[i].peer];
    size_t j;

    if (rank->plan->steps[i].kind != IRR_STEP_RECV || rank->state[i] != STARTED) {
        return false;
    }
    j = other_end(run, to, i);
    if (j == sender->plan->nsteps || sender->state[j] == WAITING) {
        return false;
    }
    if (sender->state[j] == STARTED) {
        sender->held[j] = gather(sender, j);
        sender->state[j] = COMPLETE;
        sender->in_flight--;
    }
    scatter(rank, i, sender->held[j]);
    rank->state[i] = COMPLETE;
    return true;
}

/* Every try once, each left out with a chance of one in two unless all is set.  Returns whether any succeeded. */
static bool round_of_tries(run_t *run, bool all)
{
    bool moved = false;

    for (int n = 0, first = (int)irr_test_below(run->random, (uint64_t)run->count); n < run->count; n++) {
        int r = (first + n) % run->count;

        if (all || irr_test_below(run->random, 2) == 0) {
            moved |= post(&run->ranks[r]);
        }
        if (all || irr_test_below(run->random, 2) == 0) {
            moved |= start(run, &run->ranks[r]);
        }
        for (size_t i = 0; i < run->ranks[r].plan->nsteps; i++) {
            if (all || irr_test_below(run->random, 2) == 0) {
                moved |= take(run, r, i);
            }
        }
    }
    return moved;
}

bool irr_plan_run(const irr_plan_t *plans, int ranks, unsigned char *const *input, unsigned char *const *output,
                  uint64_t *random)
{
    run_t run = { .ranks = calloc((size_t)ranks, sizeof(*run.ranks)), .count = ranks, .random = random };
    bool complete = true;

    for (int r = 0; r < ranks; r++) {
        rank_t *rank = &run.ranks[r];

        rank->plan = &plans[r];
        rank->buffers[IRR_BUFFER_INPUT] = input[r];
        rank->buffers[IRR_BUFFER_OUTPUT] = output[r];
        rank->buffers[IRR_BUFFER_SCRATCH] = calloc(plans[r].scratch_bytes + 1, 1);
        rank->state = calloc(plans[r].nsteps + 1, sizeof(*rank->state));
        rank->held = calloc(plans[r].nsteps + 1, sizeof(*rank->held));
        rank->window = 1 + irr_test_below(random, 4);
    }
    while (round_of_tries(&run, false) || round_of_tries(&run, true)) {
    }
    for (int r = 0; r < ranks; r++) {
        for (size_t i = 0; i < plans[r].nsteps; i++) {
            complete = complete && run.ranks[r].state[i] == COMPLETE;
            free(run.ranks[r].held[i]);
        }
        free(run.ranks[r].held);
        free(run.ranks[r].state);
        free(run.ranks[r].buffers[IRR_BUFFER_SCRATCH]);
    }
    free(run.ranks);
    return complete;
}
