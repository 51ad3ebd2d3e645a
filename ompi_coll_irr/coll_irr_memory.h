/*
 * coll_irr_memory.h - the data by which a process chooses a strategy: constants of the machine, and lessons.
 *
 * A strategy is an algorithm with its settings, or Open MPI's implementation.  A trial compares times of strategies.
 * The constants are measured values, such as a latency, by which a model estimates the time of a strategy.  A lesson
 * holds the results of earlier trials in one situation, which is a collective, a number of ranks, and the lengths of
 * messages (choose/lessons.h).  The service of a collective is its state on the communicators of a team.
 */
#ifndef MCA_COLL_IRR_MEMORY_H
#define MCA_COLL_IRR_MEMORY_H

#include "coll_irr_agreement.h"

/* ---- constants of the machine ---- */

/*
 * Sets two words that this rank contributes to an agreement.  The maxima of the words over all ranks show whether all
 * ranks have the same constants of the machine.  May block on the file system.
 */
void mca_coll_irr_machine_words(uint64_t words[2]);

/*
 * Begins the steps of an agreement that evaluate `words`: the maxima of the words of mca_coll_irr_machine_words.  If
 * all ranks have the same constants, the team uses these constants.  Otherwise the team uses the default constants, and
 * one rank warns the user.  `then` is the step that follows.  Returns the status of the agreement.
 */
irr_status_t mca_coll_irr_machine_begin(mca_coll_irr_agreement_t *agreement, const uint64_t words[2],
                                        mca_coll_irr_step_t then);

/* ---- lessons ---- */

/*
 * Returns true if the user gives a memory file, which holds the lessons of earlier jobs.  Ranks with equal signatures
 * return the same value.  With a memory file the first agreement is due after the first exchange.
 */
bool mca_coll_irr_memory_is_given(void);

/* Local: returns true if this process has at least one lesson.  The first call reads the memory file. */
bool mca_coll_irr_memory_is_there(void);

/*
 * Local: sets the words that this rank contributes to an agreement on lessons.  The words are bounds of the speedups of
 * the strategies in `list`, in the situation of a service.
 */
void mca_coll_irr_memory_words(const mca_coll_irr_service_t *service, const irr_candidate_t *list, int count,
                               uint64_t words[IRR_LESSONS_WORDS]);

/* Local: records the speedup of a strategy over Open MPI's implementation in a trial. */
void mca_coll_irr_memory_learn(const mca_coll_irr_service_t *service, const char *strategy,
                               const irr_speedup_t *speedup);

/* Local: adds the number of exchanges of a service, which ends, to the lessons.  A second call does nothing. */
void mca_coll_irr_memory_lived(mca_coll_irr_service_t *service);

/*
 * On process 0, merges the lessons of this job into the memory file.  Called in MPI_Finalize, after the end of all
 * services.  Waits for the lock of the file for a bounded time.
 */
void mca_coll_irr_memory_end(void);

/* Called when the component closes. */
void mca_coll_irr_memory_close(void);

#endif
