/*
 * coll_irr_choose.h - collectives for which the ranks choose the strategy as they go; the lessons of earlier trials,
 * and the machine that they choose for.
 */
#ifndef MCA_COLL_IRR_CHOOSE_H
#define MCA_COLL_IRR_CHOOSE_H

#include "coll_irr.h"

/* What the first call of a collective does: ask the other ranks, choose as calls go, or leave all to Open MPI. */
typedef enum mca_coll_irr_mode_t {
    MCA_COLL_IRR_ASKS, MCA_COLL_IRR_CHOOSES, MCA_COLL_IRR_LEAVES, MCA_COLL_IRR_MODES
} mca_coll_irr_mode_t;

mca_coll_irr_mode_t mca_coll_irr_mode(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service);

/* Returns whether an info key of the communicator makes it so, which no signature has. */
bool mca_coll_irr_mode_is_own(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service);

/* With the component: the modes of communicators without info keys. */
void mca_coll_irr_modes_open(void);

/* Returns whether parameters give a schedule file, or ask for the matrices. */
bool mca_coll_irr_is_given_files(void);

/* Returns, for the signature, all modes, whether teams are shared, and whether there is a memory file. */
#define MCA_COLL_IRR_MODES_BITS 7
uint64_t mca_coll_irr_process_modes(void);

/* ---- coll_irr_machine.c ---- */

/*
 * Sets words whose maxima show whether all ranks have the same constants of the machine.  May block on the file system.
 */
void mca_coll_irr_machine_words(uint64_t words[2]);

/*
 * Takes the maxima of these words.  Returns true if all ranks have the same constants, which hold from then on.
 * Otherwise the defaults hold, and maxima of the next words show what to tell the user.
 */
bool mca_coll_irr_machine_take(mca_coll_irr_module_t *module, const uint64_t words[2]);

/* Sets this rank's words: whether it can use its file, its constants, and their complements. */
#define MCA_COLL_IRR_MACHINE_WORDS (2 + 2 * sizeof(irr_machine_t) / sizeof(uint64_t))
void mca_coll_irr_machine_constants(const mca_coll_irr_module_t *module, uint64_t words[MCA_COLL_IRR_MACHINE_WORDS]);

/*
 * Takes their maxima.  If a rank cannot use its file, it tells the user.  Returns true if constants differ, and sets
 * in holders whether this rank has the largest or the smallest value of the first that does.
 */
bool mca_coll_irr_machine_differs(const mca_coll_irr_module_t *module, const uint64_t *words, uint64_t holders[2]);

/* Takes the maxima of both: the lower one of those two ranks tells the user. */
void mca_coll_irr_machine_warn(const mca_coll_irr_module_t *module, const uint64_t *words, const uint64_t holders[2]);

/* ---- coll_irr_memory.c ---- */

/* Returns whether a file is given, alike on all ranks.  If so, the ranks first agree after the first exchange. */
bool mca_coll_irr_memory_is_given(void);

/* Returns whether this process knows any lesson.  The first call reads the file.  Local. */
bool mca_coll_irr_memory_is_there(void);

/* Fills this rank's words for a list of strategies in the situation of a service.  Local. */
void mca_coll_irr_memory_words(const mca_coll_irr_service_t *service, const irr_candidate_t *list, int count,
                               uint64_t words[IRR_LESSONS_WORDS]);

/* Records the speedup of a strategy over Open MPI's own in a trial.  Local. */
void mca_coll_irr_memory_learn(const mca_coll_irr_service_t *service, const char *strategy,
                               const irr_speedup_t *speedup);

/* Records the end of a service of a team or a class; a second call does nothing.  Local. */
void mca_coll_irr_memory_lived(mca_coll_irr_service_t *service);

/* Merges the lessons of process 0 into the file.  In MPI_Finalize, after the end of all services. */
void mca_coll_irr_memory_end(void);

/* With the component. */
void mca_coll_irr_memory_close(void);

#endif
