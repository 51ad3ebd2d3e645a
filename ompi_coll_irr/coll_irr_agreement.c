/*
 * coll_irr_agreement.c - see coll_irr_agreement.h: the sequence of steps, and the resulting state of the service.  A
 * service is the state of a collective: whether Open MPI or the engine serves the calls, and with which strategy.
 *
 * The first step is the vote.  Unless all ranks want the engine, Open MPI serves the collective.  If all ranks choose
 * by trials, they agree on the constants of the machine (coll_irr_memory.c) and on the next trial
 * (coll_irr_strategies.c).  Otherwise they set up an engine communicator.  The setup includes the errors of each rank
 * (no memory, no transport), so that the engine serves either all ranks or none.
 *
 * An engine communicator has one algorithm.  Each collective has a primary: MPI_Alltoallv for collectives with blocks
 * for all ranks, MPI_Neighbor_alltoallv for the others.  If a collective and its primary have the same algorithm on all
 * ranks, they share an engine communicator.  A named algorithm may leave several strategies open.  The collective then
 * has an engine communicator for each strategy, the most promising one serves first, and the ranks choose while the
 * program runs.
 */
#include "coll_irr_agreement.h"
#include "coll_irr_engine.h"
#include "coll_irr_memory.h"
#include "coll_irr_statistics.h"
#include "coll_irr_team.h"

#include "core/clock.h"

/* ---- a collective that all ranks want served ---- */

static irr_status_t share(mca_coll_irr_agreement_t *agreement);

/* Ends the setup: the service that gets the communicator becomes SERVING, CHOOSING, DECLINED or FAILED. */
static irr_status_t served(mca_coll_irr_agreement_t *agreement)
{
    mca_coll_irr_module_t *module = agreement->module;
    mca_coll_irr_service_t *target = agreement->comm_service;

    agreement->next = NULL;
    if (agreement->setup_result == IRR_ERR_NOT_SUPPORTED) {
        mca_coll_irr_decline(module, target, mca_coll_irr_setup_why(agreement));
    } else if (agreement->setup_result != IRR_OK) {
        (void)mca_coll_irr_fail(target, agreement->setup_result);
        return agreement->setup_result;
    } else {
        target->strategies[0] = agreement->comm;
        agreement->comm = NULL;
        mca_coll_irr_teardown_add(agreement->group);
        agreement->group = NULL;
        if (agreement->tries) {
            mca_coll_irr_choose_from(target);
        }
        if (agreement->params.blocking) {
            mca_coll_irr_team_joined(module, target->which);
        }
        mca_coll_irr_serve(module, target, mca_coll_irr_reason_to_serve(module, target));
    }
    return target != agreement->service ? share(agreement) : IRR_OK;
}

static irr_status_t open_for(mca_coll_irr_agreement_t *agreement, mca_coll_irr_service_t *target, bool tries)
{
    irr_status_t trouble = mca_coll_irr_setup_prepare(agreement);
    irr_settings_t settings;

    if (tries && !mca_coll_irr_service_has_candidates(target) && trouble == IRR_OK) {
        trouble = IRR_ERR_NO_MEMORY;
    }
    mca_coll_irr_service_settings(agreement->module, target, &settings);
    agreement->comm_service = target;
    agreement->tries = tries;
    return mca_coll_irr_setup_begin(agreement, &settings, trouble, served);
}

static mca_coll_irr_service_t *primary_of(const mca_coll_irr_agreement_t *agreement)
{
    return mca_coll_irr_service(agreement->module, mca_coll_irr_collectives[agreement->service->which].primary);
}

/* Serves the collective by the engine communicator of its primary. */
static irr_status_t share(mca_coll_irr_agreement_t *agreement)
{
    mca_coll_irr_module_t *module = agreement->module;
    mca_coll_irr_service_t *service = agreement->service, *primary = primary_of(agreement);

    if (primary->state == MCA_COLL_IRR_NEW) {
        return open_for(agreement, primary, false);
    }
    if (mca_coll_irr_team_must_join(module, primary)) {    /* this communicator has not joined the primary's */
        return open_for(agreement, service, false);
    }
    if (primary->state == MCA_COLL_IRR_FAILED) {
        return IRR_ERR_PEER;
    }
    if (primary->state != MCA_COLL_IRR_SERVING) {
        mca_coll_irr_decline(module, service, primary->why);
        return IRR_OK;
    }
    service->strategies[0] = primary->strategies[0];
    service->shares = true;
    mca_coll_irr_team_joined(module, service->which);
    mca_coll_irr_serve(module, service, mca_coll_irr_reason_to_serve(module, service));
    return IRR_OK;
}

/* A primary does not share if the ranks choose, or may later choose, among its strategies. */
static bool may_share(const mca_coll_irr_agreement_t *agreement, bool tries)
{
    const mca_coll_irr_service_t *primary = agreement->params.blocking ? primary_of(agreement) : agreement->service;

    return agreement->service != primary && agreement->words[MCA_COLL_IRR_VOTE_APART] == 0 &&
           (primary->state == MCA_COLL_IRR_SERVING || !tries);
}

static irr_status_t serve(mca_coll_irr_agreement_t *agreement)
{
    const bool tries = agreement->params.blocking && agreement->words[MCA_COLL_IRR_VOTE_PINNED] == 0;

    agreement->next = NULL;
    return may_share(agreement, tries) ? share(agreement) : open_for(agreement, agreement->service, tries);
}

/* ---- a collective for which all ranks choose ---- */

static irr_status_t choose(mca_coll_irr_agreement_t *agreement)
{
    agreement->next = NULL;
    agreement->comm_service = agreement->service;
    return agreement->params.goal == MCA_COLL_IRR_CHOOSE ? mca_coll_irr_strategies_begin(agreement) : IRR_OK;
}

/* ---- begin and end ---- */

/* The step after the vote. */
static irr_status_t answered(mca_coll_irr_agreement_t *agreement)
{
    mca_coll_irr_service_t *service = agreement->service;
    mca_coll_irr_team_t *team = agreement->module->team;

    if (agreement->params.blocking) {
        team->everywhere = team->everywhere || agreement->everywhere;
    }
    service->voted = true;
    switch (service->state) {
    case MCA_COLL_IRR_NEW:
        return serve(agreement);
    case MCA_COLL_IRR_CHOOSING:
        return mca_coll_irr_machine_begin(agreement, agreement->words + MCA_COLL_IRR_VOTE_MACHINE, choose);
    default:
        agreement->next = NULL;
        return IRR_OK;
    }
}

static irr_status_t opened(mca_coll_irr_agreement_t *agreement)
{
    agreement->next = NULL;
    return agreement->setup_result;
}

/* With the goal OPEN there is no service. */
static void end(mca_coll_irr_agreement_t *agreement, irr_status_t status)
{
    mca_coll_irr_service_t *service = agreement->service;

    agreement->next = NULL;
    agreement->status = status;
    free(agreement->group);
    agreement->group = NULL;
    if (agreement->params.goal == MCA_COLL_IRR_OPEN) {
        return;
    }
    if (status != IRR_OK) {
        (void)mca_coll_irr_fail(service, status);
    }
    if (agreement->params.blocking &&
        (service->state == MCA_COLL_IRR_DECLINED || service->state == MCA_COLL_IRR_FAILED)) {
        agreement->module->team->shared = false;   /* the next communicator votes again */
        agreement->module->failed = agreement->module->failed || service->state == MCA_COLL_IRR_FAILED;
    }
    mca_coll_irr_stats_agreed(service, agreement->start_ns);
}

void mca_coll_irr_agreement_start(mca_coll_irr_agreement_t *agreement, mca_coll_irr_module_t *module,
                                  mca_coll_irr_service_t *service, const mca_coll_irr_agreement_params_t *params)
{
    memset(agreement, 0, sizeof(*agreement));
    agreement->module = module;
    agreement->service = service;
    agreement->params = *params;
    agreement->status = IRR_IN_PROGRESS;
    agreement->start_ns = irr_clock_ns();
    /* For a nonblocking call, team->everywhere may differ between ranks: a concurrent blocking call sets it. */
    agreement->everywhere = params->blocking && module->team->everywhere;
    mca_coll_irr_reduction_init(&agreement->reduction, &module->ranks, params->tag);
    if (params->goal == MCA_COLL_IRR_OPEN) {
        (void)mca_coll_irr_setup_begin(agreement, params->settings, params->trouble, opened);
    } else if (service->voted) {
        (void)choose(agreement);
    } else {
        (void)mca_coll_irr_vote_begin(agreement, answered);
    }
}

irr_status_t mca_coll_irr_agreement_test(mca_coll_irr_agreement_t *agreement)
{
    irr_status_t status = IRR_OK;

    while (agreement->status == IRR_IN_PROGRESS) {
        status = mca_coll_irr_reduction_test(&agreement->reduction);
        if (status == IRR_OK || (status != IRR_IN_PROGRESS && agreement->sets_up)) {
            status = agreement->next(agreement);
        }
        if (status == IRR_IN_PROGRESS) {
            return status;
        }
        if (status != IRR_OK || agreement->next == NULL) {
            end(agreement, status);
        }
    }
    return agreement->status;
}

void mca_coll_irr_agreement_abandon(mca_coll_irr_agreement_t *agreement)
{
    mca_coll_irr_setup_abandon(agreement);
    free(agreement->group);
    agreement->group = NULL;
    agreement->next = NULL;
    agreement->status = IRR_ERR_CANCELED;
}

/* ---- blocking agreements ---- */

/* Time in ns after which a waiting rank warns the user. */
#define LATE_NS UINT64_C(10000000000)

/*
 * Warns the user after LATE_NS, and returns true.  The likely cause is an info key that only some ranks have: ranks
 * without the key do not start the agreement.
 */
static bool warn_late(const mca_coll_irr_agreement_t *agreement)
{
    const mca_coll_irr_module_t *module = agreement->module;

    if (irr_clock_ns() - agreement->start_ns <= LATE_NS) {
        return false;
    }
    mca_coll_irr_warn("rank %d of communicator %.64s has an info key for coll/irr, such as %s, and "
                      "waits for the other ranks; all ranks must have the same key", module->ranks.rank,
                      module->comm->c_name, mca_coll_irr_parameter(agreement->service->which));
    return true;
}

static irr_status_t wait_for(mca_coll_irr_agreement_t *agreement)
{
    bool known = agreement->params.goal == MCA_COLL_IRR_OPEN ||
                !mca_coll_irr_mode_is_own(agreement->module, agreement->service);
    irr_status_t status = mca_coll_irr_agreement_test(agreement);

    while (status == IRR_IN_PROGRESS) {
        known = known || agreement->everywhere || warn_late(agreement);
        (void)mca_coll_irr_progress(0);
        status = mca_coll_irr_agreement_test(agreement);
    }
    return status;
}

irr_status_t mca_coll_irr_agree(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service,
                                const mca_coll_irr_agreement_params_t *params, irr_comm_t **comm_p)
{
    mca_coll_irr_agreement_t own, *agreement = mca_coll_irr_reduction_room(&module->ranks, &own, sizeof(own));
    irr_status_t status;

    mca_coll_irr_agreement_start(agreement, module, service, params);
    status = wait_for(agreement);
    if (status == IRR_OK && comm_p != NULL) {
        *comm_p = agreement->comm;
    }
    mca_coll_irr_reduction_leave(&module->ranks, &own, agreement);
    return status;
}
