/* allreduce.c - an all-reduce of a few words (an agreement); see allreduce.h. */
#include "exec/allreduce.h"

#include "core/alloc.h"
#include "route/reduction.h"

#include <assert.h>
#include <string.h>

static irr_status_t build(irr_allreduce_t *allreduce, size_t count)
{
    const irr_reduction_t reduction = { .words = count, .nodes = allreduce->nodes, .stage = 1, .number = 1 };
    size_t done;

    irr_own_plan_clear(&allreduce->moves);
    allreduce->count = count;
    return irr_reduction_add(&allreduce->moves.plan, &reduction, &done);
}

/* Reserves memory for the largest number of words, which is enough for fewer words. */
irr_status_t irr_allreduce_init(irr_allreduce_t *allreduce, int ranks, int rank, const irr_nodes_t *nodes)
{
    irr_status_t status = irr_own_plan_init(&allreduce->moves, ranks, rank, (irr_plan_room_t){ .steps = 0 });
    const irr_plan_t *plan = &allreduce->moves.plan;

    allreduce->nodes = nodes;
    if (status == IRR_OK) {
        status = build(allreduce, IRR_ALLREDUCE_WORDS_MAX);
    }
    if (status == IRR_OK) {
        status = irr_exec_reserve(&allreduce->moves.exec, irr_plan_size(plan));
    }
    if (status == IRR_OK) {
        allreduce->words = irr_alloc(plan->scratch_bytes + IRR_ALLREDUCE_WORDS_MAX * sizeof(*allreduce->words), 1);
        status = allreduce->words != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;
    }
    if (status != IRR_OK) {
        irr_allreduce_fini(allreduce);
    }
    return status;
}

void irr_allreduce_fini(irr_allreduce_t *allreduce)
{
    irr_own_plan_fini(&allreduce->moves);
    irr_free(allreduce->words);
    *allreduce = (irr_allreduce_t){ .count = 0 };
}

void irr_allreduce_start(irr_allreduce_t *allreduce, const uint64_t *words, size_t count, const irr_exec_env_t *env)
{
    irr_status_t status = IRR_OK;

    assert(count > 0 && count <= IRR_ALLREDUCE_WORDS_MAX);
    if (count != allreduce->count) {
        status = build(allreduce, count);
    }
    assert(status == IRR_OK);
    (void)status;
    memcpy(allreduce->words, words, count * sizeof(*words));
    irr_own_plan_start(&allreduce->moves, &(irr_exec_env_t){
        .channel = env->channel, .tag_base = env->tag_base, .tag_kind = IRR_TAG_SYNC, .scratch = allreduce->words,
        .counters = env->counters, .failure = env->failure });
}

irr_status_t irr_allreduce_progress(irr_allreduce_t *allreduce)
{
    const irr_status_t status = irr_exec_progress(&allreduce->moves.exec);

    return status == IRR_IN_PROGRESS && allreduce->moves.exec.result != IRR_OK ? allreduce->moves.exec.result : status;
}
