/*
 * coll_irr_memory.h - the data by which a process chooses a strategy: constants of the machine, and lessons.
 *
 * A strategy is an algorithm with its settings, or Open MPI's implementation.  The constants are measured values, such
 * as a latency, by which a model estimates the time of a strategy.  A lesson holds the results of earlier trials, which
 * compare strategies, for a collective, a number of ranks, and lengths of messages (choose/lessons.h).
 */
#ifndef MCA_COLL_IRR_MEMORY_H
#define MCA_COLL_IRR_MEMORY_H

#include "coll_irr_agreement.h"

/* ---- constants of the machine ---- */

/*
 * Sets two words of an agreement, whose maxima show whether all ranks have the same constants.  May block on the file
 * system.
 */
void mca_coll_irr_machine_words(uint64_t words[2]);

/*
 * Begins the steps of an agreement that evaluate the maxima of these words.  If ranks have different constants, the
 * team uses the default constants, and one rank warns the user.  `then` is the step that follows.
 */
irr_status_t mca_coll_irr_machine_begin(mca_coll_irr_agreement_t *agreement, const uint64_t words[2],
                                        mca_coll_irr_step_t then);

/* ---- lessons ---- */

/*
 * Returns true if the user gives a memory file, which holds the lessons of earlier jobs; equal on ranks with equal
 * signatures.  With a memory file the first agreement is due after the first exchange.
 */
bool mca_coll_irr_memory_is_given(void);

/* Returns true if this process has a lesson.  The first call reads the memory file. */
bool mca_coll_irr_memory_is_there(void);

/* Sets the words of this rank in an agreement on lessons: bounds of the speedups of the strategies in `list`. */
void mca_coll_irr_memory_words(const mca_coll_irr_service_t *service, const irr_candidate_t *list, int count,
                               uint64_t words[IRR_LESSONS_WORDS]);

/* Records the speedup of a strategy over Open MPI's implementation in a trial. */
void mca_coll_irr_memory_learn(const mca_coll_irr_service_t *service, const char *strategy,
                               const irr_speedup_t *speedup);

/* Adds the number of exchanges of a service, which ends, to the lessons.  A second call does nothing. */
void mca_coll_irr_memory_lived(mca_coll_irr_service_t *service);

/*
 * In MPI_Finalize, after the end of all services: process 0 merges the lessons of this job into the memory file.  Waits
 * for the lock of the file for a bounded time.
 */
void mca_coll_irr_memory_end(void);

/* Called when the component closes. */
void mca_coll_irr_memory_close(void);

#endif
