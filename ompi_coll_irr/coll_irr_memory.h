/*
 * coll_irr_memory.h - the knowledge of a process when it chooses a strategy: the constants of the machine, and the
 * lessons of earlier trials.
 */
#ifndef MCA_COLL_IRR_MEMORY_H
#define MCA_COLL_IRR_MEMORY_H

#include "coll_irr_agreement.h"

/* ---- constants of the machine ---- */

/*
 * Sets this rank's words.  The maxima of the words over all ranks show whether all ranks have the same constants of the
 * machine.  May block on the file system.
 */
void mca_coll_irr_machine_words(uint64_t words[2]);

/*
 * Begins the steps of an agreement that evaluate the maxima of these words.  If all ranks have the same constants, the
 * team uses them from then on.  Otherwise it uses the defaults, and one rank warns the user.
 */
irr_status_t mca_coll_irr_machine_begin(mca_coll_irr_agreement_t *agreement, const uint64_t words[2],
                                        mca_coll_irr_step_t then);

/* ---- lessons ---- */

/*
 * Returns true, alike on all ranks, if the user gives a memory file.  The first agreement is then due after the first
 * exchange.
 */
bool mca_coll_irr_memory_is_given(void);

/* Local: returns true if this process knows any lesson.  The first call reads the file. */
bool mca_coll_irr_memory_is_there(void);

/* Local: sets this rank's words of an agreement on lessons, for a list of strategies in the situation of a service. */
void mca_coll_irr_memory_words(const mca_coll_irr_service_t *service, const irr_candidate_t *list, int count,
                               uint64_t words[IRR_LESSONS_WORDS]);

/* Local: records the speedup of a strategy over Open MPI's implementation in a trial. */
void mca_coll_irr_memory_learn(const mca_coll_irr_service_t *service, const char *strategy,
                               const irr_speedup_t *speedup);

/* Local: records the end of a service of a team or an operation class; a second call does nothing. */
void mca_coll_irr_memory_lived(mca_coll_irr_service_t *service);

/* Merges the lessons of process 0 into the file.  Called in MPI_Finalize, after the end of all services. */
void mca_coll_irr_memory_end(void);

/* Called when the component closes. */
void mca_coll_irr_memory_close(void);

#endif
