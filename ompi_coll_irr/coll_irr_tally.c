/*
 * coll_irr_tally.c - what exchanges took, for coll_irr_report and MPI_T: a row for each collective of a communicator,
 * for its nonblocking calls, and for each persistent request.
 *
 * Nothing is measured, and there are no rows, unless somebody has asked.  An exchange that is measured costs two looks
 * at the clock and one at the counts.  What agreements take within a call is no time of its exchange.
 */
#include "coll_irr_choose.h"
#include "coll_irr_engine.h"
#include "coll_irr_memory.h"
#include "coll_irr_team.h"
#include "coll_irr_tell.h"

#include "core/clock.h"

#include <stdlib.h>

/* ---- calls ---- */

/* The row of a service, if it is measured. */
static mca_coll_irr_row_t *row_of(mca_coll_irr_service_t *service)
{
    if (service->row == NULL && mca_coll_irr_component.measures) {
        service->row = calloc(1, sizeof(*service->row));   /* without memory it is not told of */
    }
    return service->row;
}

/* Other ranks that this one may send to in a call. */
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

static void add_load(const mca_coll_irr_module_t *module, mca_coll_irr_service_t *service,
                     const mca_coll_irr_side_t *side)
{
    mca_coll_irr_row_t *row = service->row;
    uint64_t bytes;

    row->messages += mca_coll_irr_side_load(side, module->ranks.rank, &bytes, &row->longest);
    row->bytes += bytes;
    row->room += receivers(module, service->which);
}

void mca_coll_irr_tally_call(const mca_coll_irr_module_t *module, mca_coll_irr_service_t *service,
                             const mca_coll_irr_side_t *sent, uint64_t ns)
{
    mca_coll_irr_row_t *row = row_of(service);

    if (row != NULL) {
        row->ns += ns;
        row->exchanges++;
        add_load(module, service, sent);
    }
}

void mca_coll_irr_tally_agreed(mca_coll_irr_service_t *service, uint64_t begin_ns)
{
    service->setup_ns += irr_clock_ns() - begin_ns;
    service->agreements++;
}

void mca_coll_irr_tally_found(mca_coll_irr_service_t *service)
{
    const irr_choice_t *choice = &service->choice;
    const bool is_new = choice->exchanges > service->told_exchanges && service->host_way == 0;
    mca_coll_irr_row_t *row = row_of(service);

    for (int i = 0; i < choice->trial.count && is_new; i++) {
        mca_coll_irr_tried_t tried = { .trials = 1 };
        char way[IRR_CANDIDATE_TEXT];
        irr_speedup_t speedup;
        const int slot = irr_choice_measured(choice, i, &speedup);

        if (slot == 0) {
            continue;
        }
        mca_coll_irr_way_text(service, slot, way, sizeof(way));
        mca_coll_irr_memory_learn(service, way, &speedup);
        snprintf(tried.way, sizeof(tried.way), "%.*s", (int)sizeof(tried.way) - 1, way);
        tried.speedup = (mca_coll_irr_range_t){ speedup.is, speedup.is };
        if (row != NULL) {
            mca_coll_irr_row_tried(row, &tried);
        }
    }
    service->told_exchanges = choice->exchanges;
}

/* ---- the record ---- */

static int64_t whole_ns(double ns)
{
    const double most = (double)MCA_COLL_IRR_SAVED_MAX;

    return (int64_t)(ns > most ? most : ns < -most ? -most : ns);
}

static void record_choice(const mca_coll_irr_service_t *service, mca_coll_irr_row_t *row)
{
    const irr_choice_t *choice = &service->choice;
    const double other = choice->best > 0 ? choice->best : choice->lost;
    const irr_saved_t saved = irr_choice_saved(choice);

    row->setup_ns += (uint64_t)whole_ns(choice->trials_ns);
    row->tried = (uint64_t)choice->tried;
    row->trial_exchanges = choice->exchanges + (choice->tries ? (uint64_t)choice->trial.exchanges : 0);
    if (service->host_way != 0) {
        return;   /* nobody knows what Open MPI's own takes */
    }
    row->saves = (choice->tried > 0 || choice->way != 0) && choice->mean_ns > 0;
    row->saved_ns = whole_ns(saved.is);
    row->saved_low_ns = whole_ns(saved.low);
    row->saved_high_ns = whole_ns(saved.high);
    if (choice->way != 0) {
        row->speedup = (mca_coll_irr_range_t){ choice->speedup.is, choice->speedup.is };
    } else {
        row->other = (mca_coll_irr_range_t){ other, other };
    }
}

void mca_coll_irr_tally_record(const mca_coll_irr_service_t *service, mca_coll_irr_row_t *row)
{
    *row = service->row != NULL ? *service->row : (mca_coll_irr_row_t){ .ranks = 0 };
    row->agreements = service->agreements;
    row->setup_ns = service->setup_ns;
    if (service->state == MCA_COLL_IRR_CHOOSING) {
        record_choice(service, row);
    }
}

/* Rank 0 counts for all of a communicator. */
static void identify(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service,
                     mca_coll_irr_row_t *row)
{
    const size_t because = (size_t)snprintf(row->why, sizeof(row->why), "because ");

    if (row->name[0] == '\0' || module->number == service->first) {   /* it stands for all of the team */
        snprintf(row->name, sizeof(row->name), "%s", mca_coll_irr_name(module));
    }
    snprintf(row->call, sizeof(row->call), "%s", service->call);
    mca_coll_irr_served_by(service, row->way, sizeof(row->way));
    mca_coll_irr_cause(module, service, row->why + because, sizeof(row->why) - because);
    row->ranks = module->ranks.size;
    if (module->ranks.rank == 0) {
        row->communicators = service->communicators > 0 ? service->communicators : 1;
        row->nodes = mca_coll_irr_nodes(module);
    }
}

/* What rank 0 of the communicator counts, no other does. */
static void drop_counts(mca_coll_irr_row_t *row)
{
    row->exchanges = row->agreements = row->tried = row->trial_exchanges = 0;
    row->speedup = row->other = (mca_coll_irr_range_t){ 0, 0 };
    row->ways = 0;
}

void mca_coll_irr_tally_end(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    mca_coll_irr_say_end(module, service);
    if (service->row != NULL) {
        identify(module, service, service->row);
    }
}

void mca_coll_irr_tally_close(mca_coll_irr_service_t *service)
{
    mca_coll_irr_row_t row;

    mca_coll_irr_memory_lived(service);
    if (service->row == NULL) {
        return;
    }
    mca_coll_irr_tally_record(service, &row);
    free(service->row);
    service->row = NULL;
    if (row.exchanges > 0) {
        if (row.communicators == 0) {
            drop_counts(&row);
        }
        mca_coll_irr_report_add(&row);
    }
}

/* ---- operations of series ---- */

void mca_coll_irr_tally_ask(mca_coll_irr_service_t *service)
{
    (void)row_of(service);
}

void mca_coll_irr_tally_start(mca_coll_irr_series_t *series, const mca_coll_irr_call_t *call)
{
    if (series->service.row != NULL) {
        add_load(series->module, &series->service, &call->send);
    }
}

void mca_coll_irr_tally_request(mca_coll_irr_request_t *request, uint64_t begin_ns)
{
    mca_coll_irr_service_t *service = &request->series->service;
    if (row_of(service) != NULL) {
        mca_coll_irr_tally_start(request->series, &request->call);
    }
    if (begin_ns > 0) {
        mca_coll_irr_tally_agreed(service, begin_ns);
    }
}

/* Of the persistent requests of a collective that end without a trial, one speaks for all. */
static void say_series(mca_coll_irr_series_t *series)
{
    mca_coll_irr_service_t *service = &series->service;

    if (series->request != NULL) {
        mca_coll_irr_service_t *class = mca_coll_irr_team_service(series->module->team, service->which);

        service->said = service->said || class->requests_said;
        class->requests_said = true;
    } else if (service->state == MCA_COLL_IRR_NEW && !service->said) {
        mca_coll_irr_say(series->module, service);
    }
}

void mca_coll_irr_tally_series_end(mca_coll_irr_series_t *series)
{
    mca_coll_irr_row_t *row = series->service.row;

    say_series(series);
    if (row != NULL && series->request != NULL) {
        row->messages *= row->exchanges;   /* so far they are those of one start */
        row->bytes *= row->exchanges;
        row->room *= row->exchanges;
    }
    mca_coll_irr_tally_end(series->module, &series->service);
    mca_coll_irr_tally_close(&series->service);
}
