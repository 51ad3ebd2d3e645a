/*
 * coll_irr_service.h - the state of a collective: who serves it, and by which engine communicators.  All functions are
 * local.
 */
#ifndef MCA_COLL_IRR_SERVICE_H
#define MCA_COLL_IRR_SERVICE_H

#include "coll_irr.h"

/* The collective is served from now on, by an engine communicator that is there. */
void mca_coll_irr_serve_from_now(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service, const char *because);

/* The collective is left to the previous module from now on. */
void mca_coll_irr_decline(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service, const char *why);

/*
 * The ranks could not agree, so others may go another way: calls of the collective end in errors from now on.  Returns
 * the error of this call.
 */
int mca_coll_irr_fail(mca_coll_irr_service_t *service, irr_status_t status);

/* Begins to choose as calls go. */
void mca_coll_irr_choose_begin(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/* Makes room for candidates; false without memory. */
bool mca_coll_irr_service_has_candidates(mca_coll_irr_service_t *service);

/*
 * Alike on all ranks: if the settings of the engine communicator leave several strategies open, it becomes strategy 0
 * of the service, which has room for candidates and chooses among them from now on.
 */
void mca_coll_irr_choose_from(mca_coll_irr_service_t *service);

/*
 * An agreement is due after a call.  Returns whether it is due now; before the first one it may be put off, as the
 * places of ranks say.
 */
bool mca_coll_irr_choose_is_due(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/*
 * What exchanges of the service go by; where the ranks choose, what they have found so far.  Returns false if that is
 * Open MPI's own.
 */
bool mca_coll_irr_service_settings(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service,
                                   irr_settings_t *settings);

/* Returns whether it has engine communicators; and whether all are there that its state needs, and none has failed. */
bool mca_coll_irr_service_is_open(const mca_coll_irr_service_t *service);
bool mca_coll_irr_service_is_sound(const mca_coll_irr_service_t *service);

/* Closes one strategy, and all engine communicators; and ends a service that is served. */
void mca_coll_irr_service_close_strategy(mca_coll_irr_service_t *service, int strategy);
void mca_coll_irr_service_close(mca_coll_irr_service_t *service);
void mca_coll_irr_service_end(mca_coll_irr_service_t *service);

/* Returns the engine communicator by which the next operation goes; NULL: by Open MPI's own. */
static inline irr_comm_t *mca_coll_irr_service_strategy(const mca_coll_irr_service_t *service)
{
    switch (service->state) {
    case MCA_COLL_IRR_CHOOSING: return service->strategies[irr_choice_strategy(&service->choice)];
    case MCA_COLL_IRR_SERVING:  return service->irr_comm;
    default:                    return NULL;
    }
}

/*
 * Begins the next operation: whether it is timed, and an agreement is due after it.  A collective of which the ranks
 * have not agreed whether it is served agrees after the first operation.
 */
static inline irr_choice_turn_t mca_coll_irr_service_turn(mca_coll_irr_module_t *module,
                                                          mca_coll_irr_service_t *service)
{
    irr_choice_turn_t turn = { .timed = false, .due = service->state == MCA_COLL_IRR_NEW };

    if (service->state == MCA_COLL_IRR_CHOOSING && !irr_choice_goes_on(&service->choice)) {
        turn = irr_choice_begin(&service->choice);
        turn.due = turn.due && mca_coll_irr_choose_is_due(module, service);
    }
    return turn;
}

/* Makes room for the blocks of a call, of all ranks or of the neighbours that are known.  IRR_ERR_NO_MEMORY. */
irr_status_t mca_coll_irr_rooms_reserve(mca_coll_irr_module_t *module);

#endif
