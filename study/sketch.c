/*
 * sketch.c - see sketch.h.
 */
#include "study/sketch.h"

#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>

void irr_sketch_fini(irr_sketch_t *sketch)
{
    irr_free(sketch->shares ? NULL : sketch->sends);
    irr_free(sketch->steps);
    irr_free(sketch->deps);
    irr_free(sketch->sorted);
    *sketch = (irr_sketch_t){ .is_line = false };
}

/* ---- steps from a plan ---- */

static uint32_t count_pieces(const irr_plan_t *plan, const irr_step_t *step)
{
    uint32_t filled = 0;

    for (size_t i = 0; i < step->pieces; i++) {
        filled += plan->pieces[step->first_piece + i].length > 0;
    }
    return filled;
}

/* Returns the length of a message, or the number of bytes that a copy copies. */
static size_t bytes_of(const irr_plan_t *plan, const irr_step_t *step)
{
    const irr_piece_t *pieces = &plan->pieces[step->first_piece];

    return step->kind == IRR_STEP_COPY && pieces[1].length < pieces[0].length ? pieces[1].length : step->bytes;
}

/*
 * Appends the dependencies of a step as ranges of steps, because a step of a grid depends on many consecutive steps.
 * If the previous step has the same ranges, both steps share them.
 */
static irr_status_t add_deps(irr_sketch_t *sketch, const size_t *deps, size_t count, irr_sketch_step_t *step)
{
    const irr_sketch_step_t *before = sketch->nsteps > 0 ? &sketch->steps[sketch->nsteps - 1] : NULL;
    const size_t first = sketch->ndeps;
    irr_status_t status = IRR_OK;

    step->first_dep = (uint32_t)first;
    for (size_t i = 0; i < count && status == IRR_OK; i++) {
        if (sketch->ndeps > first && sketch->deps[sketch->ndeps - 1].end == deps[i]) {
            sketch->deps[sketch->ndeps - 1].end++;
            continue;
        }
        status = IRR_GROW(sketch->deps, sketch->deps_max, sketch->ndeps + 1);
        if (status == IRR_OK) {
            sketch->deps[sketch->ndeps++] = (irr_sketch_range_t){ (uint32_t)deps[i], (uint32_t)deps[i] + 1 };
        }
    }
    step->deps = (uint32_t)(sketch->ndeps - first);
    if (before != NULL && step->deps > 0 && before->deps == step->deps &&
        memcmp(sketch->deps + before->first_dep, sketch->deps + first, step->deps * sizeof(*sketch->deps)) == 0) {
        step->first_dep = before->first_dep;
        sketch->ndeps = first;
    }
    return status;
}

static irr_status_t add_step(irr_sketch_t *sketch, const irr_plan_t *plan, const irr_step_t *step)
{
    irr_sketch_step_t added = {
        .bytes = bytes_of(plan, step), .pieces = count_pieces(plan, step), .peer = step->peer,
        .stage = (uint16_t)step->stage, .kind = (uint8_t)step->kind
    };
    const irr_status_t status = add_deps(sketch, plan->deps + step->first_dep, step->deps, &added);

    if (status == IRR_OK) {
        sketch->steps[sketch->nsteps++] = added;
    }
    return status;
}

/* Returns whether a plan is a line.  A line may have copies, because no step waits for them. */
static bool is_line(const irr_plan_t *plan)
{
    bool line = plan->ndeps == 0 && plan->stages <= 1;

    for (size_t i = 0; i < plan->nsteps && line; i++) {
        const irr_step_t *step = &plan->steps[i];

        line = step->kind == IRR_STEP_COPY || ((step->kind == IRR_STEP_SEND || step->kind == IRR_STEP_RECV) &&
                                               step->bytes <= UINT32_MAX && step->pieces == 1);
    }
    return line;
}

static irr_status_t take_line(irr_sketch_t *sketch, const irr_sketch_t *model, const irr_plan_t *plan)
{
    sketch->sends = irr_alloc(plan->nsends, sizeof(*sketch->sends));
    if (sketch->sends == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    sketch->is_line = true;
    sketch->nrecvs = plan->nrecvs;
    sketch->stage = (uint16_t)plan->stages;
    for (size_t i = 0; i < plan->nsteps; i++) {
        if (plan->steps[i].kind == IRR_STEP_COPY) {
            sketch->copied += bytes_of(plan, &plan->steps[i]);
        } else if (plan->steps[i].kind == IRR_STEP_SEND) {
            sketch->sends[sketch->nsends++] = (irr_sketch_send_t){
                (plan->steps[i].peer - plan->rank + plan->ranks) % plan->ranks, (uint32_t)plan->steps[i].bytes };
        }
    }
    if (model != sketch && model->is_line && model->nsends == sketch->nsends &&
        memcmp(model->sends, sketch->sends, sketch->nsends * sizeof(*sketch->sends)) == 0) {
        irr_free(sketch->sends);
        sketch->sends = model->sends;
        sketch->shares = true;
    }
    return IRR_OK;
}

/* Makes room for exactly this number of steps, because the steps of a rank come in few calls of irr_sketch_take. */
static irr_status_t make_room(irr_sketch_t *sketch, size_t steps)
{
    irr_sketch_step_t *room;

    if (steps > UINT32_MAX - 1) {
        return IRR_ERR_NO_MEMORY;
    }
    room = irr_resize(sketch->steps, steps, sizeof(*room));
    if (room == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    sketch->steps = room;
    return IRR_OK;
}

irr_status_t irr_sketch_take(irr_sketch_t *sketch, const irr_sketch_t *model, const irr_plan_t *plan, size_t first,
                             bool last)
{
    irr_status_t status;

    if (first == 0 && last && is_line(plan)) {
        return take_line(sketch, model, plan);
    }
    status = make_room(sketch, plan->nsteps);
    for (size_t i = first; i < plan->nsteps && status == IRR_OK; i++) {
        status = add_step(sketch, plan, &plan->steps[i]);
    }
    return status;
}

/* ---- matching ---- */

/* Compares by kind, stage and peer. */
static int compare(const irr_sketch_step_t *step, bool waits, int stage, int peer)
{
    if ((step->kind == IRR_STEP_WAIT) != waits) {
        return waits ? -1 : 1;
    }
    return step->stage != stage ? (step->stage > stage) - (step->stage < stage)
                                : (step->peer > peer) - (step->peer < peer);
}

static int by_peer(const void *a, const void *b)
{
    const irr_sketch_step_t *x = *(irr_sketch_step_t *const *)a, *y = *(irr_sketch_step_t *const *)b;
    const int order = compare(x, y->kind == IRR_STEP_WAIT, y->stage, y->peer);

    return order != 0 ? order : (x > y) - (x < y);
}

irr_status_t irr_sketch_sort(irr_sketch_t *sketch)
{
    irr_sketch_step_t **found;
    size_t count = 0;

    if (sketch->is_line || sketch->sorted != NULL) {
        return IRR_OK;
    }
    found = irr_alloc(sketch->nsteps, sizeof(*found));
    if (found == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < sketch->nsteps; i++) {
        if (irr_sketch_takes_message(sketch->steps[i].kind)) {
            found[count++] = &sketch->steps[i];
        }
    }
    qsort(found, count, sizeof(*found), by_peer);
    sketch->sorted = irr_alloc(count, sizeof(*sketch->sorted));
    for (size_t i = 0; i < count && sketch->sorted != NULL; i++) {
        sketch->sorted[i] = (uint32_t)(found[i] - sketch->steps);
    }
    sketch->nsorted = count;
    irr_free(found);
    return sketch->sorted != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;
}

void irr_sketch_reset(irr_sketch_t *sketch)
{
    for (size_t i = 0; i < sketch->nsteps; i++) {
        sketch->steps[i].state = IRR_SKETCH_WAITING;
        sketch->steps[i].early = NULL;
    }
}

irr_sketch_step_t *irr_sketch_receive(const irr_sketch_t *sketch, int peer, int stage, bool waits)
{
    size_t low = 0, high = sketch->nsorted;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (compare(&sketch->steps[sketch->sorted[middle]], waits, stage, peer) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < sketch->nsorted; low++) {
        irr_sketch_step_t *step = &sketch->steps[sketch->sorted[low]];

        if (compare(step, waits, stage, peer) != 0) {
            break;
        }
        if (step->state == IRR_SKETCH_STARTED || (step->state == IRR_SKETCH_WAITING && step->early == NULL)) {
            return step;
        }
    }
    return NULL;
}
