/*
 * coll_irr_statistics.c - fills the records of collectives (coll_irr_record.h).
 *
 * Each collective of a team (all communicators of the same processes) has a record for blocking calls.  The nonblocking
 * calls of a collective on a communicator have a record, and so has each persistent request.  The component measures
 * calls only if a report, MPI_T or coll_irr_verbose needs the numbers.  A measured call costs two clock readings and
 * one pass over its counts.  The time of a call excludes agreements.
 */
#include "coll_irr_engine.h"
#include "coll_irr_memory.h"
#include "coll_irr_settings.h"
#include "coll_irr_statistics.h"
#include "coll_irr_team.h"

#include "core/clock.h"

/* ---- measurement ---- */

/* The number of other ranks that this rank may send to in a call. */
static uint64_t receivers(const mca_coll_irr_module_t *module, mca_coll_irr_which_t which)
{
    const mca_coll_irr_neighbors_t *neighbors = module->neighbors;
    uint64_t count = 0;

    if (neighbors == NULL || !mca_coll_irr_has_neighbors(module, which)) {
        return (uint64_t)module->ranks.size - 1;
    }
    for (size_t i = 0; i < neighbors->ranks.nto; i++) {
        count += neighbors->ranks.to[i] != module->ranks.rank;
    }
    return count;
}

void mca_coll_irr_stats_load(const mca_coll_irr_module_t *module, mca_coll_irr_service_t *service,
                             const mca_coll_irr_side_t *side)
{
    mca_coll_irr_record_t *record = service->record;
    uint64_t bytes;

    if (record != NULL) {
        record->messages += mca_coll_irr_side_load(side, module->ranks.rank, &bytes, &record->longest);
        record->bytes += bytes;
        record->all_messages += receivers(module, service->which);
    }
}

void mca_coll_irr_stats_reserve(mca_coll_irr_service_t *service)
{
    if (service->record == NULL && mca_coll_irr_component.measures) {
        service->record = calloc(1, sizeof(*service->record));   /* NULL: the report lacks this service */
    }
}

/* Returns true if this engine communicator has replaced Open MPI as the result of trials. */
static bool is_chosen(const mca_coll_irr_service_t *service, const irr_comm_t *strategy)
{
    return strategy != NULL && service->state == MCA_COLL_IRR_CHOOSING && service->host_strategy == 0 &&
           strategy == service->strategies[service->choice.strategy];
}

void mca_coll_irr_stats_took(mca_coll_irr_service_t *service, const irr_comm_t *strategy,
                             const mca_coll_irr_took_t *took)
{
    mca_coll_irr_record_t *record = service->record;

    if (record == NULL) {
        return;
    }
    record->ns += took->ns;
    record->exchanges++;
    record->served += strategy != NULL;
    if (is_chosen(service, strategy)) {
        record->strategy_ns += took->cost_ns;
        irr_choice_used(&service->choice, took->cost_ns);
    }
}

void mca_coll_irr_stats_request(mca_coll_irr_request_t *request, uint64_t begin_ns)
{
    mca_coll_irr_service_t *service = &request->class->service;

    mca_coll_irr_stats_reserve(service);
    mca_coll_irr_stats_load(request->class->module, service, &request->call.send);
    if (begin_ns > 0) {
        mca_coll_irr_stats_agreed(service, begin_ns);
    }
}

void mca_coll_irr_stats_agreed(mca_coll_irr_service_t *service, uint64_t begin_ns)
{
    service->setup_ns += irr_clock_ns() - begin_ns;
    service->agreements++;
}

void mca_coll_irr_stats_found(mca_coll_irr_service_t *service)
{
    const irr_choice_t *choice = &service->choice;
    const bool is_new = choice->exchanges > service->logged_exchanges && service->host_strategy == 0;

    mca_coll_irr_stats_reserve(service);
    service->logged_exchanges = choice->exchanges;
    for (int i = 0; i < choice->trial.count && is_new; i++) {
        mca_coll_irr_tried_t tried = { .trials = 1 };
        irr_speedup_t speedup;
        const int slot = irr_choice_measured(choice, i, &speedup);

        if (slot == 0) {
            continue;
        }
        mca_coll_irr_strategy_text(service, slot, tried.strategy, sizeof(tried.strategy));
        mca_coll_irr_memory_learn(service, tried.strategy, &speedup);
        tried.speedup = (mca_coll_irr_range_t){ speedup.is, speedup.is };
        if (service->record != NULL) {
            mca_coll_irr_record_tried(service->record, &tried);
        }
    }
}

/* ---- the record ---- */

static int64_t whole_ns(double ns)
{
    const double most = MCA_COLL_IRR_NS_MAX;

    return (int64_t)(ns > most ? most : ns < -most ? -most : ns);
}

static void record_choice(const mca_coll_irr_service_t *service, mca_coll_irr_record_t *record)
{
    const irr_choice_t *choice = &service->choice;
    const double other = choice->best > 0 ? choice->best : choice->lost;
    const irr_saved_t saved = irr_choice_saved(choice);
    const double cost = (double)record->setup_ns + choice->trials_ns;

    record->setup_ns = (uint64_t)whole_ns(cost);
    record->tried = (uint64_t)choice->tried;
    record->trial_exchanges = choice->exchanges;
    record->trial_exchanges += irr_choice_has_trial(choice) ? (uint64_t)choice->trial.exchanges : 0;
    if (service->host_strategy != 0) {
        return;   /* Open MPI's implementation is no strategy, so its time is unknown */
    }
    record->saves = choice->tried > 0 || choice->strategy != 0;
    record->saved_ns = (double)whole_ns(saved.is - cost);
    record->saved_low_ns = (double)whole_ns(saved.low - cost);
    record->saved_high_ns = (double)whole_ns(saved.high - cost);
    if (choice->strategy != 0) {
        record->speedup = (mca_coll_irr_range_t){ choice->speedup.is, choice->speedup.is };
    } else {
        record->other = (mca_coll_irr_range_t){ other, other };
    }
}

static int algorithm_of(const mca_coll_irr_service_t *service)
{
    if (service->state == MCA_COLL_IRR_SERVING) {
        return irr_algorithm_find(mca_coll_irr_serving(service));
    }
    return service->state == MCA_COLL_IRR_CHOOSING && service->choice.strategy != service->host_strategy
               ? service->candidates->open[service->choice.strategy].row
               : irr_setting_index(mca_coll_irr_setting("alltoall_algorithm")->row, "host");
}

void mca_coll_irr_stats_record(const mca_coll_irr_service_t *service, mca_coll_irr_record_t *record)
{
    *record = service->record != NULL ? *service->record : (mca_coll_irr_record_t){ .ranks = 0 };
    record->algorithm = algorithm_of(service);
    record->agreements = service->agreements;
    record->setup_ns = service->setup_ns;
    if (service->state == MCA_COLL_IRR_CHOOSING) {
        record_choice(service, record);
    }
}

/* ---- the end of a service ---- */

void mca_coll_irr_stats_complete(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    mca_coll_irr_record_t *record = service->record;

    if (record == NULL) {
        return;
    }
    mca_coll_irr_stats_texts(module, service, record);
    if (module->ranks.rank == 0) {   /* rank 0 counts for the whole communicator */
        record->communicators = service->communicators > 0 ? service->communicators : 1;
        record->nodes = record->nodes > 0 ? record->nodes : mca_coll_irr_nodes(module);
    }
}

void mca_coll_irr_stats_end(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    mca_coll_irr_log_end(module, service);
    mca_coll_irr_stats_complete(module, service);
}

mca_coll_irr_ended_t mca_coll_irr_ended;

static void keep_ended(const mca_coll_irr_record_t *record)
{
    if (mca_coll_irr_ended.wanted) {
        opal_mutex_lock(&mca_coll_irr_component.lock);
        mca_coll_irr_table_add(&mca_coll_irr_ended.table, record, true);
        opal_mutex_unlock(&mca_coll_irr_component.lock);
    }
}

void mca_coll_irr_stats_close(mca_coll_irr_service_t *service)
{
    mca_coll_irr_record_t record;

    mca_coll_irr_memory_lived(service);
    mca_coll_irr_stats_record(service, &record);
    free(service->record);
    service->record = NULL;
    if (record.exchanges > 0) {
        keep_ended(&record);
    }
}

/*
 * Logs an operation class at its end; of several persistent requests of a collective without a trial, only the first.
 */
static void log_class(mca_coll_irr_class_t *class)
{
    mca_coll_irr_service_t *service = &class->service;

    if (class->request != NULL) {
        mca_coll_irr_service_t *calls = mca_coll_irr_team_service(class->module->team, service->which);

        service->logged = service->logged || calls->requests_logged;
        calls->requests_logged = true;
    } else if (service->state == MCA_COLL_IRR_NEW && !service->logged) {
        mca_coll_irr_log(class->module, service);
    }
}

void mca_coll_irr_stats_starts(mca_coll_irr_record_t *record)
{
    record->messages *= record->exchanges;
    record->bytes *= record->exchanges;
    record->all_messages *= record->exchanges;
}

void mca_coll_irr_stats_class_end(mca_coll_irr_class_t *class)
{
    mca_coll_irr_record_t *record = class->service.record;

    log_class(class);
    if (record != NULL && class->request != NULL) {
        mca_coll_irr_stats_starts(record);
    }
    mca_coll_irr_stats_end(class->module, &class->service);
    mca_coll_irr_stats_close(&class->service);
}
