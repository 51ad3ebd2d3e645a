/*
 * coll_irr_service.h - the state of a collective: whether Open MPI or engine communicators serve it.  All functions are
 * local.
 */
#ifndef MCA_COLL_IRR_SERVICE_H
#define MCA_COLL_IRR_SERVICE_H

#include "coll_irr.h"

/* From now on engine communicators serve the collective; its engine communicator or strategy 0 is already set. */
void mca_coll_irr_serve_from_now(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service, const char *because);

/* From now on the previous module serves the collective. */
void mca_coll_irr_decline(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service, const char *why);

/*
 * Sets the state FAILED because the ranks could not agree, so their strategies may differ.  Later calls of the
 * collective return errors.  Returns the error of this call.
 */
int mca_coll_irr_fail(mca_coll_irr_service_t *service, irr_status_t status);

/* Starts to choose while the program runs. */
void mca_coll_irr_choose_begin(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/* Allocates memory for candidates if there is none.  Returns false without memory. */
bool mca_coll_irr_service_has_candidates(mca_coll_irr_service_t *service);

/*
 * Call alike on all ranks, after mca_coll_irr_service_has_candidates returned true.  If the settings of the engine
 * communicator leave several strategies open, it becomes strategy 0 of the service, and the service chooses among them
 * from now on.
 */
void mca_coll_irr_choose_from(mca_coll_irr_service_t *service);

/*
 * Call when an agreement is due after a call.  Returns true if it is due now; the first agreement may be postponed,
 * depending on the nodes of the ranks.
 */
bool mca_coll_irr_choose_is_due(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/*
 * Sets the settings of exchanges of the service; while the ranks choose, those of the current strategy.  Returns false
 * if that is Open MPI's own.
 */
bool mca_coll_irr_service_settings(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service,
                                   irr_settings_t *settings);

/*
 * The first function returns true if the service has engine communicators.  The second returns true if all engine
 * communicators that its state needs exist, and none of them has failed.
 */
bool mca_coll_irr_service_is_open(const mca_coll_irr_service_t *service);
bool mca_coll_irr_service_is_sound(const mca_coll_irr_service_t *service);

/*
 * Destroy the engine communicator of one strategy; destroy all of them; destroy all and set the state DECLINED unless
 * it is NEW.
 */
void mca_coll_irr_service_close_strategy(mca_coll_irr_service_t *service, int strategy);
void mca_coll_irr_service_close(mca_coll_irr_service_t *service);
void mca_coll_irr_service_end(mca_coll_irr_service_t *service);

/* Returns the engine communicator of the next operation; NULL: Open MPI's own serves it. */
static inline irr_comm_t *mca_coll_irr_service_strategy(const mca_coll_irr_service_t *service)
{
    switch (service->state) {
    case MCA_COLL_IRR_CHOOSING: return service->strategies[irr_choice_strategy(&service->choice)];
    case MCA_COLL_IRR_SERVING:  return service->irr_comm;
    default:                    return NULL;
    }
}

/*
 * Begins the next operation.  Returns whether it is timed, and whether an agreement is due after it.  If the ranks have
 * not agreed yet whether the collective is served, the agreement is due after the first operation.
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

/* Reserves room for the blocks of a call, of all ranks or of known neighbors.  Returns IRR_OK or IRR_ERR_NO_MEMORY. */
irr_status_t mca_coll_irr_rooms_reserve(mca_coll_irr_module_t *module);

#endif
