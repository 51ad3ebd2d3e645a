/*
 * routes_twin.c - the contiguous twin of a plan: what the route would cost if nothing of it were in pieces.
 *
 * What arrives in a stage lands in a region of its own, message after message; what is sent in the next stage
 * is read from there in the same way, and in the first stage from INPUT.  The caches see what they see of the
 * route: the sends of a stage read as many bytes of what has arrived as the route forwards then, the last ones,
 * and go on behind them where nothing arrives, as the route goes on in INPUT.  The bytes mean nothing.
 */
#include "routes.h"

#include "core/alloc.h"
#include "exec/tag.h"

#include <string.h>

/* Where the messages of a stage are read from, or land. */
typedef struct region {
    size_t base, length;
    size_t sent, received;   /* so far; of the next stage, and of its own */
} region_t;

/* By stage; 0 is INPUT. */
typedef struct regions {
    region_t region[IRR_TAG_STAGES_MAX + 1];
} regions_t;

/* What a send forwards: the rest is read from INPUT. */
static size_t forwarded(const irr_plan_t *plan, const irr_step_t *step)
{
    size_t bytes = 0;

    for (size_t i = step->first_piece; i < step->first_piece + step->pieces; i++) {
        bytes += plan->pieces[i].buffer == IRR_BUFFER_SCRATCH ? plan->pieces[i].length : 0;
    }
    return bytes;
}

static void measure_regions(const irr_plan_t *plan, size_t input_bytes, regions_t *regions)
{
    size_t forwards[IRR_TAG_STAGES_MAX + 1] = { 0 }, base = 0;

    memset(regions, 0, sizeof(*regions));
    for (size_t i = 0; i < plan->nsteps; i++) {
        const irr_step_t *step = &plan->steps[i];

        regions->region[step->stage].received += step->kind == IRR_STEP_RECV ? step->bytes : 0;
        regions->region[step->stage - 1].sent += step->kind == IRR_STEP_SEND ? step->bytes : 0;
        forwards[step->stage - 1] += step->kind == IRR_STEP_SEND ? forwarded(plan, step) : 0;
    }
    for (int stage = 0; stage <= plan->stages; stage++) {
        region_t *region = &regions->region[stage];
        size_t skip = region->received > forwards[stage] ? region->received - forwards[stage] : 0;
        size_t length = skip + region->sent > region->received ? skip + region->sent : region->received;

        *region = (region_t){ .base = base, .length = length, .sent = skip };
        base += stage > 0 ? length : 0;
    }
    regions->region[0].length = input_bytes;
}

/* The next bytes of a region; from its start again where INPUT is not enough. */
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
    irr_exchange_t *exchange = comm->exchange;
    irr_plan_t *twin = &exchange->frozen.plan;
    irr_problem_t owner = { .ranks = plan->ranks, .rank = plan->rank };
    irr_status_t status = IRR_OK;
    regions_t regions;

    measure_regions(plan, input_bytes, &regions);
    irr_plan_reset(twin, &owner);
    for (size_t i = 0; i < plan->nsteps && status == IRR_OK; i++) {
        status = add_twin(plan, &plan->steps[i], &regions, twin);
    }
    if (status == IRR_OK) {
        status = irr_exec_reserve(&exchange->own.exec, (irr_plan_bounds_t){
            .steps = twin->nsteps, .pieces = twin->npieces });
    }
    exchange->scratch = irr_alloc(twin->scratch_bytes, 1);
    if (status != IRR_OK || exchange->scratch == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    /* Memory that was never written to is one page of zeros, which is read much faster than others. */
    memset(exchange->scratch, comm->rank, twin->scratch_bytes);
    exchange->purpose = IRR_PURPOSE_PLAN;
    exchange->view = IRR_VIEW_LEARNED;
    return IRR_OK;
}
