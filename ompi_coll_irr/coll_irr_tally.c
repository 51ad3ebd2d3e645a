/*
 * coll_irr_tally.c - what exchanges took, for coll_irr_report and MPI_T: a row for each collective of a communicator,
 * for its nonblocking calls, and for each persistent request.
 *
 * Nothing is measured, and there are no rows, unless somebody has asked.  An exchange that is measured costs two looks
 * at the clock and one at the counts.  What agreements take within a call is no time of its exchange.
 */
#include "coll_irr_choose.h"
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

static int dispatch(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service, mca_coll_irr_call_t *call,
                    bool in_place)
{
    switch (service->state) {
    case MCA_COLL_IRR_CHOOSING: return mca_coll_irr_choose(module, service, call, in_place);
    case MCA_COLL_IRR_SERVING:  return mca_coll_irr_exchange(module, service->irr_comm, call, in_place);
    default:                    return mca_coll_irr_host(module, service->which, call, in_place);
    }
}

static void add_load(mca_coll_irr_row_t *row, const mca_coll_irr_side_t *side, int me)
{
    irr_choice_load_t load = { .messages = 0 };

    row->bytes += mca_coll_irr_add_side(side, me, &load);
    row->messages += load.messages;
    row->longest = load.longest > row->longest ? load.longest : row->longest;
}

int mca_coll_irr_serve(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service, mca_coll_irr_call_t *call,
                       bool in_place)
{
    mca_coll_irr_row_t *row = row_of(service);
    uint64_t begin_ns, setup_ns;
    int result;

    if (row == NULL) {
        return dispatch(module, service, call, in_place);
    }
    setup_ns = row->setup_ns;
    begin_ns = irr_clock_ns();
    result = dispatch(module, service, call, in_place);
    row->ns += irr_clock_ns() - begin_ns - (row->setup_ns - setup_ns);
    row->exchanges++;
    add_load(row, &call->send, module->ranks.rank);
    return result;
}

uint64_t mca_coll_irr_tally_begin(mca_coll_irr_service_t *service)
{
    return row_of(service) != NULL ? irr_clock_ns() : 0;
}

void mca_coll_irr_tally_agreed(mca_coll_irr_service_t *service, uint64_t begin_ns)
{
    if (service->row != NULL && begin_ns > 0) {
        service->row->setup_ns += irr_clock_ns() - begin_ns;
        service->row->agreements++;
    }
}

/* The strategies of a trial that is over. */
static void tally_trial(mca_coll_irr_service_t *service)
{
    const irr_choice_t *choice = &service->choice;
    char way[IRR_CANDIDATE_TEXT];

    for (int i = 0; i < choice->trial.count && service->row != NULL; i++) {
        irr_speedup_t speedup;
        const int slot = irr_choice_measured(choice, i, &speedup);

        if (slot != 0) {
            mca_coll_irr_way_text(service, slot, way, sizeof(way));
            mca_coll_irr_row_tried(service->row, way, 1 / speedup.is);
        }
    }
}

void mca_coll_irr_tally_found(mca_coll_irr_service_t *service)
{
    if (service->choice.exchanges != service->told_exchanges) {
        tally_trial(service);
    }
}

/* ---- what is known in the end ---- */

uint64_t mca_coll_irr_tally_saved_ns(const mca_coll_irr_service_t *service)
{
    const double saved_ns = irr_choice_saved(&service->choice).is;

    return service->state == MCA_COLL_IRR_CHOOSING && saved_ns > 0 ? (uint64_t)saved_ns : 0;
}

uint64_t mca_coll_irr_tally_setup_ns(const mca_coll_irr_service_t *service)
{
    const irr_choice_t *choice = &service->choice;
    const double ns = choice->spent_ns + (double)(choice->own_spent_ns + choice->own_agreement_ns);

    if (service->state != MCA_COLL_IRR_CHOOSING) {
        return service->row != NULL ? service->row->setup_ns : 0;
    }
    return ns > 0 ? (uint64_t)ns : 0;
}

uint64_t mca_coll_irr_tally_trial_exchanges(const mca_coll_irr_service_t *service)
{
    const irr_choice_t *choice = &service->choice;

    return choice->exchanges + (choice->tries ? (uint64_t)choice->trial.exchanges : 0);
}

static void end_choice(mca_coll_irr_service_t *service, mca_coll_irr_row_t *row)
{
    const irr_choice_t *choice = &service->choice;

    row->setup_ns = mca_coll_irr_tally_setup_ns(service);
    row->saved_ns = mca_coll_irr_tally_saved_ns(service);
    row->tried = (uint64_t)choice->tried;
    row->trial_exchanges = mca_coll_irr_tally_trial_exchanges(service);
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

/* Rank 0 counts for all of a communicator. */
static void identify(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service,
                     mca_coll_irr_row_t *row)
{
    const size_t because = (size_t)snprintf(row->why, sizeof(row->why), "because ");

    snprintf(row->name, sizeof(row->name), "%s", mca_coll_irr_name(module));
    snprintf(row->call, sizeof(row->call), "%s", service->call);
    mca_coll_irr_served_by(service, row->way, sizeof(row->way));
    mca_coll_irr_cause(module, service, row->why + because, sizeof(row->why) - because);
    row->ranks = module->ranks.size;
    if (module->ranks.rank == 0) {
        row->communicators = 1;
        row->nodes = mca_coll_irr_nodes(module);
    }
}

static void end(mca_coll_irr_row_t *row)
{
    if (row->exchanges > 0) {
        row->exchanges = row->communicators > 0 ? row->exchanges : 0;
        mca_coll_irr_report_add(row);
    }
    free(row);
}

void mca_coll_irr_tally_end(const mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    mca_coll_irr_row_t *row = service->row;

    mca_coll_irr_say_end(module, service);
    if (row == NULL) {
        return;
    }
    identify(module, service, row);
    service->row = NULL;
    row->room = row->exchanges * receivers(module, service->which);
    if (service->state == MCA_COLL_IRR_CHOOSING) {
        end_choice(service, row);
    }
    end(row);
}

/* ---- operations of series ---- */

void mca_coll_irr_tally_ask(mca_coll_irr_service_t *service)
{
    (void)row_of(service);
}

void mca_coll_irr_tally_start(mca_coll_irr_series_t *series, const mca_coll_irr_call_t *call)
{
    if (series->service.row != NULL) {
        add_load(series->service.row, &call->send, series->module->ranks.rank);
    }
}

void mca_coll_irr_tally_request(mca_coll_irr_request_t *request, uint64_t begin_ns)
{
    mca_coll_irr_service_t *service = &request->series->service;
    mca_coll_irr_row_t *row = row_of(service);

    if (row == NULL) {
        return;
    }
    mca_coll_irr_tally_start(request->series, &request->call);
    if (service->state == MCA_COLL_IRR_SERVING) {
        mca_coll_irr_tally_agreed(service, begin_ns);
    }
}

/* Of the persistent requests of a collective that end without a trial, one speaks for all. */
static void say_series(mca_coll_irr_series_t *series)
{
    mca_coll_irr_service_t *service = &series->service, *class = &series->module->services[service->which];

    if (series->request != NULL) {
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
    }
    mca_coll_irr_tally_end(series->module, &series->service);
}
