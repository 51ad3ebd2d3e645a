/* local_schedule.c - the transmissions and synchronisations of each rank, by counting sort; see local_schedule.h. */
#include "route/local_schedule.h"

#include "core/alloc.h"

#include <string.h>

void irr_local_schedule_fini(irr_local_schedule_t *local)
{
    irr_syncs_fini(&local->syncs);
    irr_schedule_fini(&local->schedule);
}

/* ---- the lists of all ranks ---- */

/* Replaces the number of entries of each rank, in first[rank + 1], by the index of its first entry, in first[rank]. */
static void sum_up(size_t *first, int ranks)
{
    for (int r = 0; r < ranks; r++) {
        first[r + 1] += first[r];
    }
}

/* Restores in first[rank] the index of the first entry of each rank.  Storing the entries has advanced the indices. */
static void step_back(size_t *first, int ranks)
{
    memmove(first + 1, first, (size_t)ranks * sizeof(*first));
    first[0] = 0;
}

static void sort_transmissions(irr_local_schedules_t *locals)
{
    const irr_schedule_t *schedule = locals->schedule;
    size_t *first = locals->first;

    for (size_t i = 0; i < schedule->count; i++) {
        const irr_transmission_t *t = &schedule->list[i];

        locals->sent[i] = first[t->from + 1]++;
        locals->received[i] = first[t->to + 1]++;
    }
    sum_up(first, schedule->ranks);
    for (size_t i = 0; i < schedule->count; i++) {
        const irr_transmission_t *t = &schedule->list[i];

        locals->list[first[t->from] + locals->sent[i]] = i;
        locals->list[first[t->to] + locals->received[i]] = i;
    }
}

/* If one rank both signals and waits for a synchronisation, the list of this rank has the synchronisation twice. */
static void sort_syncs(irr_local_schedules_t *locals)
{
    const irr_syncs_t *syncs = locals->syncs;
    const int ranks = locals->schedule->ranks;
    size_t *first = locals->first_sync;

    for (size_t i = 0; syncs != NULL && i < syncs->count; i++) {
        first[syncs->list[i].from + 1]++;
        first[syncs->list[i].to + 1]++;
    }
    sum_up(first, ranks);
    for (size_t i = 0; syncs != NULL && i < syncs->count; i++) {
        locals->sync[first[syncs->list[i].from]++] = i;
        locals->sync[first[syncs->list[i].to]++] = i;
    }
    step_back(first, ranks);
}

irr_status_t irr_local_schedules_init(irr_local_schedules_t *locals, const irr_schedule_t *schedule,
                                      const irr_syncs_t *syncs)
{
    const size_t ranks = (size_t)schedule->ranks, count = schedule->count;
    irr_local_schedules_t made = { .schedule = schedule, .syncs = syncs };
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
    *locals = made;
    return IRR_OK;
}

void irr_local_schedules_fini(irr_local_schedules_t *locals)
{
    irr_free(locals->first);     /* frees the other arrays too */
    memset(locals, 0, sizeof(*locals));
}

/* ---- the local schedule of one rank ---- */

static void copy_syncs(const irr_local_schedules_t *locals, int rank, irr_syncs_t *syncs)
{
    for (size_t i = locals->first_sync[rank]; i < locals->first_sync[rank + 1]; i++) {
        irr_sync_t sync = locals->syncs->list[locals->sync[i]];

        if (sync.from != sync.to) {
            sync.after = sync.from == rank ? locals->received[sync.after] : 0;
            sync.before = sync.to == rank ? locals->sent[sync.before] : 0;
            syncs->list[syncs->count++] = sync;
        }
    }
}

irr_status_t irr_local_schedules_take(const irr_local_schedules_t *locals, int rank, irr_local_schedule_t *local)
{
    const irr_schedule_t *schedule = locals->schedule;
    const size_t first = locals->first[rank], count = locals->first[rank + 1] - first;
    irr_local_schedule_t made = { .schedule = { .ranks = schedule->ranks, .steps = schedule->steps } };

    made.syncs.max = locals->first_sync[rank + 1] - locals->first_sync[rank];
    made.syncs.list = irr_alloc(made.syncs.max, sizeof(*made.syncs.list));
    made.schedule.max = count;
    made.schedule.list = irr_alloc(count, sizeof(*made.schedule.list));
    if (made.schedule.list == NULL || made.syncs.list == NULL) {
        irr_local_schedule_fini(&made);
        return IRR_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        made.schedule.list[i] = schedule->list[locals->list[first + i]];
    }
    made.schedule.count = count;
    copy_syncs(locals, rank, &made.syncs);
    *local = made;
    return IRR_OK;
}

static bool sync_is_good(const irr_local_schedule_t *local, const irr_sync_t *sync, int rank)
{
    const bool signals = sync->from == rank;
    const size_t index = signals ? sync->after : sync->before;
    const int peer = signals ? sync->to : sync->from;

    return (signals || sync->to == rank) && index < local->schedule.count && peer >= 0 && peer != rank &&
           peer < local->schedule.ranks &&
           (signals ? local->schedule.list[index].to : local->schedule.list[index].from) == rank;
}

irr_status_t irr_local_schedule_check(const irr_local_schedule_t *local, int rank)
{
    const irr_schedule_t *schedule = &local->schedule;
    irr_schedule_fault_t fault;
    irr_status_t status = irr_schedule_check_alone(schedule, &fault);

    for (size_t i = 0; i < schedule->count && status == IRR_OK; i++) {
        const bool own = schedule->list[i].from == rank || schedule->list[i].to == rank;

        status = own ? IRR_OK : IRR_ERR_PROTOCOL;
    }
    for (size_t i = 0; i < local->syncs.count && status == IRR_OK; i++) {
        status = sync_is_good(local, &local->syncs.list[i], rank) ? IRR_OK : IRR_ERR_PROTOCOL;
    }
    return status == IRR_ERR_INVALID_PLAN ? IRR_ERR_PROTOCOL : status;
}
