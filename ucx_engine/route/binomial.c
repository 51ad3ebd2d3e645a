/* binomial.c - the plan of a gather to rank 0 or a scatter from it, along a binomial tree of ranks; see binomial.h. */
#include "route/binomial.h"

#include <limits.h>

int irr_binomial_family(int ranks, int rank)
{
    const int after = ranks - rank, most = rank & -rank;

    return most > 0 && most < after ? most : after;
}

static int children_of(int ranks, int rank)
{
    int children = 0;

    while (1 << children < irr_binomial_family(ranks, rank)) {
        children++;
    }
    return children;
}

irr_plan_room_t irr_binomial_bounds(int ranks, int rank)
{
    const size_t steps = (size_t)children_of(ranks, rank) + 1;

    return (irr_plan_room_t){ .steps = steps, .pieces = steps + 1, .deps = steps, .parts = 2 };
}

/* Returns the length in bytes of `count` entries of the family, from entry number `first` on. */
static size_t bytes_of(const uint64_t *lengths, int first, int count)
{
    size_t bytes = 0;

    for (int i = first; i < first + count; i++) {
        bytes += lengths != NULL ? lengths[i] : sizeof(*lengths);
    }
    return bytes;
}

/*
 * Appends the message to or from a child: the entries of the child's family.  Rank 0 has these entries in the buffer of
 * all entries, and any other rank in SCRATCH.
 */
static irr_status_t add_child(irr_plan_t *plan, const uint64_t *lengths, bool down, int distance, const size_t *deps,
                              size_t ndeps)
{
    const int child = plan->rank + distance, count = irr_binomial_family(plan->ranks, child);
    const irr_buffer_t all = down ? IRR_BUFFER_INPUT : IRR_BUFFER_OUTPUT;
    const irr_piece_t piece = {
        .buffer = plan->rank == 0 ? all : IRR_BUFFER_SCRATCH, .length = bytes_of(lengths, distance, count),
        .offset = (ptrdiff_t)bytes_of(lengths, plan->rank == 0 ? 0 : 1, plan->rank == 0 ? distance : distance - 1) };

    return irr_plan_add(plan, &(irr_step_params_t){
        .kind = down ? IRR_STEP_SEND : IRR_STEP_RECV, .peer = child, .stage = 1, .number = 1,
        .described = down ? piece.length : 0, .pieces = &piece, .npieces = 1, .deps = deps, .ndeps = ndeps });
}

/* Appends the message to or from the parent: the entry of this rank, followed by the other entries of its family. */
static irr_status_t add_parent(irr_plan_t *plan, const uint64_t *lengths, bool down, const size_t *deps, size_t ndeps)
{
    const size_t own = bytes_of(lengths, 0, 1);
    const size_t rest = bytes_of(lengths, 1, irr_binomial_family(plan->ranks, plan->rank) - 1);
    const irr_piece_t pieces[2] = {
        { .buffer = down ? IRR_BUFFER_OUTPUT : IRR_BUFFER_INPUT, .length = own },
        { .buffer = IRR_BUFFER_SCRATCH, .joined = true, .length = rest }
    };

    return irr_plan_add(plan, &(irr_step_params_t){
        .kind = down ? IRR_STEP_RECV : IRR_STEP_SEND, .peer = plan->rank & (plan->rank - 1), .stage = 1, .number = 1,
        .described = down ? 0 : own + rest, .pieces = pieces, .npieces = rest > 0 ? 2 : 1, .deps = deps,
        .ndeps = ndeps });
}

static irr_status_t add_own(irr_plan_t *plan, const uint64_t *lengths)
{
    const size_t own = bytes_of(lengths, 0, 1);
    const irr_piece_t pieces[2] = {
        { .buffer = IRR_BUFFER_INPUT, .length = own }, { .buffer = IRR_BUFFER_OUTPUT, .length = own }
    };

    return irr_plan_add(plan, &(irr_step_params_t){
        .kind = IRR_STEP_COPY, .peer = plan->rank, .stage = 1, .pieces = pieces, .npieces = 2 });
}

/* The farthest child is first, because it has the most ranks below it. */
irr_status_t irr_binomial_add(irr_plan_t *plan, const uint64_t *lengths, bool down)
{
    const int children = children_of(plan->ranks, plan->rank);
    irr_status_t status = IRR_OK;
    size_t deps[sizeof(int) * CHAR_BIT], ndeps = 0;

    if (down && plan->rank > 0) {
        deps[ndeps++] = plan->nsteps;
        status = add_parent(plan, lengths, down, NULL, 0);
    }
    for (int i = children - 1; i >= 0 && status == IRR_OK; i--) {
        if (!down) {
            deps[ndeps++] = plan->nsteps;
        }
        status = add_child(plan, lengths, down, 1 << i, deps, down ? ndeps : 0);
    }
    if (!down && plan->rank > 0 && status == IRR_OK) {
        status = add_parent(plan, lengths, down, deps, ndeps);
    }
    return status == IRR_OK && plan->rank == 0 ? add_own(plan, lengths) : status;
}
