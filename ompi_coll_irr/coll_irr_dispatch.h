/*
 * coll_irr_dispatch.h - dispatch of a call to Open MPI's own or to an engine communicator.
 */
#ifndef MCA_COLL_IRR_DISPATCH_H
#define MCA_COLL_IRR_DISPATCH_H

#include "coll_irr_team.h"

/*
 * Returns the previous module if a blocking call goes to it unchanged: the ranks, or the trials so far, leave the
 * collective to Open MPI, and nothing times or counts the call.  Most calls of most programs take this path, so this
 * test comes first and reads few members.  NULL: use mca_coll_irr_call.
 */
static inline const mca_coll_irr_previous_t *mca_coll_irr_left_to(mca_coll_base_module_t *base,
                                                                  mca_coll_irr_which_t which)
{
    mca_coll_irr_module_t *module = (mca_coll_irr_module_t *)base;
    mca_coll_irr_service_t *service;
    bool left;

    if (!module->called[which] || mca_coll_irr_component.measures) {
        return NULL;
    }
    service = mca_coll_irr_team_service(module->team, which);
    left = service->state == MCA_COLL_IRR_CHOOSING
               ? service->choice.strategy == service->host_strategy && irr_choice_goes_on(&service->choice)
               : service->state == MCA_COLL_IRR_DECLINED;
    return left ? &module->previous[which][MCA_COLL_IRR_BLOCKING] : NULL;
}

/*
 * Serves a blocking call whose sides hold the arguments of MPI.  Collective; blocks.  The first call of a collective on
 * a communicator, and the call in which the communicator joins its team, decide how it is served.  Returns OMPI_SUCCESS
 * or an error of Open MPI.
 */
int mca_coll_irr_call(mca_coll_irr_module_t *module, mca_coll_irr_which_t which, mca_coll_irr_call_t *call);

/* Starts a nonblocking call. */
int mca_coll_irr_icall(mca_coll_irr_module_t *module, mca_coll_irr_which_t which, mca_coll_irr_call_t *call,
                       ompi_request_t **request_p);

/* Serves the init call of a persistent request. */
int mca_coll_irr_init_call(mca_coll_irr_module_t *module, mca_coll_irr_which_t which, mca_coll_irr_call_t *call,
                           ompi_info_t *info, ompi_request_t **request_p);

/* ---- steps common to the three forms ---- */

/*
 * Makes sure that the state of a collective is decided.  It is collective and may block in the first call, and in the
 * call in which the communicator joins its team.  Returns OMPI_SUCCESS or an error, and sets the service.
 */
int mca_coll_irr_settle(mca_coll_irr_module_t *module, mca_coll_irr_service_t **service_p);

static inline int mca_coll_irr_activate(mca_coll_irr_module_t *module, mca_coll_irr_which_t which,
                                        mca_coll_irr_service_t **service_p)
{
    const mca_coll_irr_service_t *service = *service_p = mca_coll_irr_service(module, which);
    const bool decided = service->state != MCA_COLL_IRR_NEW && service->state != MCA_COLL_IRR_FAILED;

    return decided && !mca_coll_irr_team_waits(module, service) ? OMPI_SUCCESS
                                                                 : mca_coll_irr_settle(module, service_p);
}

/* Sets the ranks of the blocks of both sides: all ranks, or the neighbors. */
void mca_coll_irr_place(const mca_coll_irr_module_t *module, mca_coll_irr_which_t which, mca_coll_irr_call_t *call);

/* Local: starts to choose, or declines, or leaves the decision to the agreement of the first call. */
void mca_coll_irr_begin(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/* Calls the function of the previous module. */
static inline int mca_coll_irr_host(const mca_coll_irr_module_t *module, mca_coll_irr_which_t which,
                                    mca_coll_irr_form_t form, const mca_coll_irr_call_t *call, ompi_info_t *info,
                                    ompi_request_t **request_p)
{
    return mca_coll_irr_collectives[which].host(&module->previous[which][form], form, module->comm, call, info,
                                                request_p);
}

#endif
