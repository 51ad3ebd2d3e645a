/*
 * routes_twin.c - the contiguous twin of a plan: what the route would cost if nothing of it were in pieces.
 *
 * What arrives in a stage lands in a region of its own, message after message; what is sent in the next stage
 * is read from there in the same way, and in the first stage from INPUT.  A region has room for both, so that
 * no byte is read twice in a stage: a second look would come out of the cache.  The bytes mean nothing.
 */
#include "routes.h"

#include "core/alloc.h"
#include "exec/tag.h"

#include <string.h>

/* Where the messages of a stage are read from, or land. */
typedef struct region {
    size_t base, length;
    size_t sent, received;   /* so far */
} region_t;

/* By stage; 0 is INPUT. */
typedef struct regions {
    region_t region[IRR_TAG_STAGES_MAX + 1];
} regions_t;

static void measure_regions(const irr_plan_t *plan, size_t input_bytes, regions_t *regions)
{
    size_t base = 0;

    memset(regions, 0, sizeof(*regions));
    for (size_t i = 0; i < plan->nsteps; i++) {
        const irr_step_t *step = &plan->steps[i];

        regions->region[step->stage].received += step->kind == IRR_STEP_RECV ? step->bytes : 0;
        regions->region[step->stage - 1].sent += step->kind == IRR_STEP_SEND ? step->bytes : 0;
    }
    for (int stage = 0; stage <= plan->stages; stage++) {
        region_t *region = &regions->region[stage];
        size_t length = region->sent > region->received ? region->sent : region->received;

        *region = (region_t){ .base = stage > 0 ? base : 0, .length = stage > 0 ? length : input_bytes };
        base += stage > 0 ? length : 0;
    }
}

/* The next bytes of a region; from its start again where they are not enough. */
static size_t next_place(const region_t *region, size_t *used, size_t bytes)
{
    size_t offset = *used + bytes <= region->length ? *used : 0;

    *used = offset + bytes;
    return region->base + offset;
}

static irr_piece_t piece_of(const irr_step_t *step, regions_t *regions)
{
    bool sends = step->kind == IRR_STEP_SEND;
    region_t *region = &regions->region[sends ? step->stage - 1 : step->stage];

    return (irr_piece_t){
        .buffer = sends && step->stage == 1 ? IRR_BUFFER_INPUT : IRR_BUFFER_SCRATCH,
        .offset = (ptrdiff_t)next_place(region, sends ? &region->sent : &region->received, step->bytes),
        .length = step->bytes
    };
}

static irr_status_t add_twin(const irr_plan_t *plan, const irr_step_t *step, regions_t *regions,
                             irr_plan_t *twin)
{
    bool copies = step->kind == IRR_STEP_COPY;
    irr_piece_t piece = copies ? (irr_piece_t){ .length = 0 } : piece_of(step, regions);
    irr_step_params_t params = {
        .kind = step->kind, .peer = step->peer, .stage = step->stage, .number = step->number,
        .pieces = copies ? plan->pieces + step->first_piece : &piece, .npieces = copies ? step->pieces : 1,
        .deps = plan->deps + step->first_dep, .ndeps = step->deps
    };

    return irr_plan_add(twin, &params);
}

irr_status_t irr_routes_twin(const irr_plan_t *plan, size_t input_bytes, irr_comm_t *comm)
{
    irr_problem_t owner = { .ranks = plan->ranks, .rank = plan->rank };
    irr_status_t status = IRR_OK;
    regions_t regions;

    measure_regions(plan, input_bytes, &regions);
    irr_plan_reset(&comm->plan, &owner);
    for (size_t i = 0; i < plan->nsteps && status == IRR_OK; i++) {
        status = add_twin(plan, &plan->steps[i], &regions, &comm->plan);
    }
    if (status == IRR_OK) {
        status = irr_exec_reserve(&comm->exec, (irr_plan_bounds_t){
            .steps = comm->plan.nsteps, .pieces = comm->plan.npieces });
    }
    comm->scratch = irr_alloc(comm->plan.scratch_bytes, 1);
    if (status != IRR_OK || comm->scratch == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    /* Memory that was never written to is one page of zeros, which is read much faster than others. */
    memset(comm->scratch, comm->rank, comm->plan.scratch_bytes);
    comm->fixed = true;
    return IRR_OK;
}
