/*
 * coll_irr_choose.h - the choice of a strategy at run time: its mode, the lessons of earlier trials, and the constants
 * of the machine.
 */
#ifndef MCA_COLL_IRR_CHOOSE_H
#define MCA_COLL_IRR_CHOOSE_H

#include "coll_irr.h"

/*
 * The action of the first call of a collective: ask the other ranks, choose while the program runs, or leave it to Open
 * MPI.
 */
typedef enum mca_coll_irr_mode_t {
    MCA_COLL_IRR_ASKS, MCA_COLL_IRR_CHOOSES, MCA_COLL_IRR_LEAVES, MCA_COLL_IRR_MODES
} mca_coll_irr_mode_t;

mca_coll_irr_mode_t mca_coll_irr_mode(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service);

/* Returns true if an info key of the communicator determines the mode.  Signatures do not contain such modes. */
bool mca_coll_irr_mode_is_own(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service);

/* Called when the component opens: computes the modes of communicators without info keys. */
void mca_coll_irr_modes_open(void);

/* Returns true if parameters name a schedule file, or ask for a dump of the matrices. */
bool mca_coll_irr_is_given_files(void);

/* Returns, for the signature, all modes, whether teams are shared, and whether there is a memory file. */
#define MCA_COLL_IRR_MODES_BITS 7
uint64_t mca_coll_irr_process_modes(void);

/* ---- coll_irr_machine.c ---- */

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

/* ---- coll_irr_memory.c ---- */

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
