/*
 * coll_irr_memory.h - the knowledge of a process when it chooses a strategy: the constants of the machine, and the
 * lessons of earlier trials.
 */
#ifndef MCA_COLL_IRR_MEMORY_H
#define MCA_COLL_IRR_MEMORY_H

#include "coll_irr.h"

/* ---- constants of the machine ---- */

/*
 * Sets this rank's words; their maxima show whether all ranks have the same constants of the machine.  May block on the
 * file system.
 */
void mca_coll_irr_machine_words(uint64_t words[2]);

/*
 * Evaluates the maxima of these words.  Returns true if all ranks have the same constants; they are used from then on.
 * Otherwise the defaults are used, and the maxima of the next words determine the message for the user.
 */
bool mca_coll_irr_machine_take(mca_coll_irr_module_t *module, const uint64_t words[2]);

/* Sets this rank's words: whether it can use its file, its constants, and their complements. */
#define MCA_COLL_IRR_MACHINE_WORDS (2 + 2 * sizeof(irr_machine_t) / sizeof(uint64_t))
void mca_coll_irr_machine_constants(const mca_coll_irr_module_t *module, uint64_t words[MCA_COLL_IRR_MACHINE_WORDS]);

/*
 * Evaluates the maxima of these words.  If a rank cannot use its file, it warns the user.  Returns true if constants
 * differ.  Then holders[0] and holders[1] mark whether this rank has the largest and the smallest value of the first
 * constant that differs.
 */
bool mca_coll_irr_machine_differs(const mca_coll_irr_module_t *module, const uint64_t *words, uint64_t holders[2]);

/* Evaluates the maxima of `words` and `holders`: the lower one of the two marked ranks warns the user. */
void mca_coll_irr_machine_warn(const mca_coll_irr_module_t *module, const uint64_t *words, const uint64_t holders[2]);

/* ---- lessons ---- */

/*
 * Returns true if a memory file is given, alike on all ranks.  If so, the ranks first agree after the first exchange.
 */
bool mca_coll_irr_memory_is_given(void);

/* Local: returns true if this process knows any lesson.  The first call reads the file. */
bool mca_coll_irr_memory_is_there(void);

/* Local: sets this rank's words for a list of strategies in the situation of a service. */
void mca_coll_irr_memory_words(const mca_coll_irr_service_t *service, const irr_candidate_t *list, int count,
                               uint64_t words[IRR_LESSONS_WORDS]);

/* Local: records the speedup of a strategy over Open MPI's own in a trial. */
void mca_coll_irr_memory_learn(const mca_coll_irr_service_t *service, const char *strategy,
                               const irr_speedup_t *speedup);

/* Local: records the end of a service of a team or an operation class; a second call does nothing. */
void mca_coll_irr_memory_lived(mca_coll_irr_service_t *service);

/* Merges the lessons of process 0 into the file.  Called in MPI_Finalize, after the end of all services. */
void mca_coll_irr_memory_end(void);

/* Called when the component closes. */
void mca_coll_irr_memory_close(void);

#endif
