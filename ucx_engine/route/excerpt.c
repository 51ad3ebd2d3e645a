/*
 * excerpt.c - see excerpt.h: counting sorts by rank.
 */
#include "route/excerpt.h"

#include "core/alloc.h"

#include <string.h>

void irr_excerpt_fini(irr_excerpt_t *excerpt)
{
    irr_syncs_fini(&excerpt->syncs);
    irr_schedule_fini(&excerpt->schedule);
}

/* ---- the lists of all ranks ---- */

/* Turns numbers of entries, in first[rank + 1], into the index of each rank's first entry, in first[rank]. */
static void sum_up(size_t *first, int ranks)
{
    for (int r = 0; r < ranks; r++) {
        first[r + 1] += first[r];
    }
}

/* Restores first[rank] after it has advanced to the end of each rank's entries. */
static void step_back(size_t *first, int ranks)
{
    memmove(first + 1, first, (size_t)ranks * sizeof(*first));
    first[0] = 0;
}

static void sort_transmissions(irr_excerpts_t *excerpts)
{
    const irr_schedule_t *schedule = excerpts->schedule;
    size_t *first = excerpts->first;

    for (size_t i = 0; i < schedule->count; i++) {
        const irr_transmission_t *t = &schedule->list[i];

        excerpts->sent[i] = first[t->from + 1]++;
        excerpts->received[i] = first[t->to + 1]++;
    }
    sum_up(first, schedule->ranks);
    for (size_t i = 0; i < schedule->count; i++) {
        const irr_transmission_t *t = &schedule->list[i];

        excerpts->list[first[t->from] + excerpts->sent[i]] = i;
        excerpts->list[first[t->to] + excerpts->received[i]] = i;
    }
}

/* A synchronisation of a rank with itself is in its list twice, once for either end. */
static void sort_syncs(irr_excerpts_t *excerpts)
{
    const irr_syncs_t *syncs = excerpts->syncs;
    const int ranks = excerpts->schedule->ranks;
    size_t *first = excerpts->first_sync;

    for (size_t i = 0; syncs != NULL && i < syncs->count; i++) {
        first[syncs->list[i].from + 1]++;
        first[syncs->list[i].to + 1]++;
    }
    sum_up(first, ranks);
    for (size_t i = 0; syncs != NULL && i < syncs->count; i++) {
        excerpts->sync[first[syncs->list[i].from]++] = i;
        excerpts->sync[first[syncs->list[i].to]++] = i;
    }
    step_back(first, ranks);
}

irr_status_t irr_excerpts_init(irr_excerpts_t *excerpts, const irr_schedule_t *schedule, const irr_syncs_t *syncs)
{
    const size_t ranks = (size_t)schedule->ranks, count = schedule->count;
    irr_excerpts_t made = { .schedule = schedule, .syncs = syncs };
    const irr_array_t arrays[] = {
        IRR_ARRAY(made.first, ranks + 1), IRR_ARRAY(made.list, 2 * count), IRR_ARRAY(made.sent, count),
        IRR_ARRAY(made.received, count), IRR_ARRAY(made.first_sync, ranks + 1),
        IRR_ARRAY(made.sync, syncs != NULL ? 2 * syncs->count : 0)
    };

    if (IRR_ALLOC_ARRAYS(arrays) != IRR_OK) {
        return IRR_ERR_NO_MEMORY;
    }
    sort_transmissions(&made);
    sort_syncs(&made);
    *excerpts = made;
    return IRR_OK;
}

void irr_excerpts_fini(irr_excerpts_t *excerpts)
{
    irr_free(excerpts->first);   /* frees the other arrays too */
    memset(excerpts, 0, sizeof(*excerpts));
}

/* ---- the local schedule of one rank ---- */

static void copy_syncs(const irr_excerpts_t *excerpts, int rank, irr_syncs_t *syncs)
{
    for (size_t i = excerpts->first_sync[rank]; i < excerpts->first_sync[rank + 1]; i++) {
        irr_sync_t sync = excerpts->syncs->list[excerpts->sync[i]];

        if (sync.from != sync.to) {
            sync.after = sync.from == rank ? excerpts->received[sync.after] : 0;
            sync.before = sync.to == rank ? excerpts->sent[sync.before] : 0;
            syncs->list[syncs->count++] = sync;
        }
    }
}

irr_status_t irr_excerpts_take(const irr_excerpts_t *excerpts, int rank, irr_excerpt_t *excerpt)
{
    const irr_schedule_t *schedule = excerpts->schedule;
    const size_t first = excerpts->first[rank], count = excerpts->first[rank + 1] - first;
    irr_excerpt_t made = { .schedule = { .ranks = schedule->ranks, .steps = schedule->steps } };

    made.syncs.max = excerpts->first_sync[rank + 1] - excerpts->first_sync[rank];
    made.syncs.list = irr_alloc(made.syncs.max, sizeof(*made.syncs.list));
    made.schedule.max = count;
    made.schedule.list = irr_alloc(count, sizeof(*made.schedule.list));
    if (made.schedule.list == NULL || made.syncs.list == NULL) {
        irr_excerpt_fini(&made);
        return IRR_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        made.schedule.list[i] = schedule->list[excerpts->list[first + i]];
    }
    made.schedule.count = count;
    copy_syncs(excerpts, rank, &made.syncs);
    *excerpt = made;
    return IRR_OK;
}

static bool sync_is_good(const irr_excerpt_t *excerpt, const irr_sync_t *sync, int rank)
{
    const bool tells = sync->from == rank;
    const size_t place = tells ? sync->after : sync->before;
    const int peer = tells ? sync->to : sync->from;

    return (tells || sync->to == rank) && place < excerpt->schedule.count && peer >= 0 && peer != rank &&
           peer < excerpt->schedule.ranks &&
           (tells ? excerpt->schedule.list[place].to : excerpt->schedule.list[place].from) == rank;
}

irr_status_t irr_excerpt_check(const irr_excerpt_t *excerpt, int rank)
{
    const irr_schedule_t *schedule = &excerpt->schedule;
    irr_schedule_fault_t fault;
    irr_status_t status = irr_schedule_check_alone(schedule, &fault);

    for (size_t i = 0; i < schedule->count && status == IRR_OK; i++) {
        const bool own = schedule->list[i].from == rank || schedule->list[i].to == rank;

        status = own ? IRR_OK : IRR_ERR_PROTOCOL;
    }
    for (size_t i = 0; i < excerpt->syncs.count && status == IRR_OK; i++) {
        status = sync_is_good(excerpt, &excerpt->syncs.list[i], rank) ? IRR_OK : IRR_ERR_PROTOCOL;
    }
    return status == IRR_ERR_INVALID_PLAN ? IRR_ERR_PROTOCOL : status;
}
