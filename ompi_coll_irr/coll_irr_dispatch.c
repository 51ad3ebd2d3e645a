/*
 * coll_irr_dispatch.c - blocking calls, and the steps common to all calls; see coll_irr_team.h.  An engine communicator
 * serves a call, or the previous module does: the module that served the collective before coll/irr.  If a step fails
 * on this rank, the engine communicator fails on all ranks, because the others would wait in the exchange.
 */
#include "coll_irr_agreement.h"
#include "coll_irr_engine.h"
#include "coll_irr_statistics.h"
#include "coll_irr_team.h"

#include "core/clock.h"

/* ---- the first call ---- */

/* Returns OMPI_SUCCESS or the error of the agreement. */
static int agree(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service, mca_coll_irr_goal_t goal)
{
    const mca_coll_irr_agreement_params_t params = { .goal = goal, .tag = MCA_COLL_IRR_TAG_BLOCKING, .blocking = true };

    return mca_coll_irr_error(mca_coll_irr_agree(module, service, &params, NULL));
}

int mca_coll_irr_settle(mca_coll_irr_module_t *module, mca_coll_irr_service_t **service_p)
{
    const mca_coll_irr_which_t which = (*service_p)->which;
    int result = OMPI_SUCCESS;

    if (mca_coll_irr_team_must_join(module, *service_p) || mca_coll_irr_team_is_lost(module)) {
        result = mca_coll_irr_team_join(module, *service_p);
        *service_p = mca_coll_irr_service(module, which);   /* of another team, if this one cannot be joined */
    }
    if (result == OMPI_SUCCESS && (*service_p)->state == MCA_COLL_IRR_NEW) {
        mca_coll_irr_begin(module, *service_p);
    }
    if (result == OMPI_SUCCESS && (*service_p)->state == MCA_COLL_IRR_NEW) {
        return agree(module, *service_p, MCA_COLL_IRR_SERVE);
    }
    return (*service_p)->state == MCA_COLL_IRR_FAILED ? mca_coll_irr_error(IRR_ERR_PEER) : result;
}

void mca_coll_irr_set_ranks(const mca_coll_irr_module_t *module, mca_coll_irr_which_t which, mca_coll_irr_call_t *call)
{
    const mca_coll_irr_neighbors_t *neighbors = module->neighbors;

    if (call->send.buffer == MPI_IN_PLACE) {
        call->send = call->recv;
        call->send.buffer = MPI_IN_PLACE;
    }
    call->neighbors = NULL;
    if (!mca_coll_irr_has_neighbors(module, which)) {
        call->send.slots = call->recv.slots = module->ranks.size;
        call->send.entries = call->recv.entries = call->send.slots;
    } else if (neighbors != NULL) {   /* NULL: no memory, so Open MPI serves all ranks */
        call->send.entries = neighbors->send_entries;
        call->recv.entries = neighbors->recv_entries;
        call->send.slots = neighbors->sends;
        call->send.order = neighbors->order;
        call->recv.slots = neighbors->receives;
        call->recv.order = neighbors->recv_order;
        call->neighbors = &neighbors->ranks;
    }
}

/* ---- serving a call ---- */

/* Serves a call by an engine communicator: starts an operation and waits for it. */
static int exchange(mca_coll_irr_module_t *module, irr_comm_t *irr_comm, const mca_coll_irr_call_t *call)
{
    mca_coll_irr_operation_t *operation = &module->operation;
    irr_status_t status;

    operation->exchange = irr_comm_exchange(irr_comm);
    mca_coll_irr_operation_open(operation, call, &module->ranks);
    irr_comm_use(irr_comm, module->number);
    status = mca_coll_irr_operation_start(operation, irr_comm);
    if (status == IRR_OK) {
        status = mca_coll_irr_engine_wait(operation->exchange);
    }
    return mca_coll_irr_operation_finish(operation, status == IRR_OK ? OMPI_SUCCESS : mca_coll_irr_error(status));
}

/* Serves a call; irr_comm NULL: by the previous module. */
static int serve(mca_coll_irr_module_t *module, mca_coll_irr_which_t which, irr_comm_t *irr_comm,
                 const mca_coll_irr_call_t *call)
{
    return irr_comm != NULL ? exchange(module, irr_comm, call)
                            : mca_coll_irr_host(module, which, MCA_COLL_IRR_BLOCKING, call, NULL, NULL);
}

static inline bool measures_calls(const mca_coll_irr_service_t *service)
{
    return service->record != NULL || mca_coll_irr_component.measures;
}

/*
 * Serves a call that the record of the service counts, or, if `chooses` is true, that counts for the choice of the
 * strategy.  The choice may need the time of the call, and an agreement after it.
 */
__attribute__((noinline))
static int serve_counted(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service, irr_comm_t *strategy,
                         const mca_coll_irr_call_t *call, bool chooses)
{
    const irr_choice_timing_t timing =
        chooses ? mca_coll_irr_service_next(module, service) : (irr_choice_timing_t){ .timed = false };
    const bool measures = measures_calls(service);
    const uint64_t begin_ns = timing.timed || measures ? irr_clock_ns() : 0;
    const int result = serve(module, service->which, strategy, call);
    const uint64_t ns = begin_ns > 0 ? irr_clock_ns() - begin_ns : 0;
    const mca_coll_irr_took_t took = { .ns = ns, .cost_ns = ns };
    int agreed = OMPI_SUCCESS;

    if (measures) {
        mca_coll_irr_stats_reserve(service);
        mca_coll_irr_stats_took(service, strategy, &took);
        mca_coll_irr_stats_load(module, service, &call->send);
    }
    if (timing.timed) {
        const irr_choice_load_t load = mca_coll_irr_load(call, module->ranks.rank);

        irr_choice_end(&service->choice, &timing, ns, &load);
    }
    if (timing.due) {
        agreed = agree(module, service, MCA_COLL_IRR_CHOOSE);
    }
    if (measures && !irr_choice_tries(&service->choice)) {   /* an update would disturb a trial */
        mca_coll_irr_report_update();
    }
    return result != OMPI_SUCCESS ? result : agreed;
}

int mca_coll_irr_call(mca_coll_irr_module_t *module, mca_coll_irr_which_t which, mca_coll_irr_call_t *call)
{
    mca_coll_irr_service_t *service;
    const int result = mca_coll_irr_activate(module, which, &service);
    irr_comm_t *strategy;
    bool waits, chooses;

    if (result != OMPI_SUCCESS) {
        return result;
    }
    mca_coll_irr_set_ranks(module, which, call);
    waits = mca_coll_irr_team_must_join(module, service);   /* this communicator has not joined (yet) */
    strategy = waits ? NULL : mca_coll_irr_service_strategy(service);
    chooses = service->state == MCA_COLL_IRR_CHOOSING && !waits;
    return chooses || measures_calls(service) ? serve_counted(module, service, strategy, call, chooses)
                                              : serve(module, which, strategy, call);
}
