/*
 * coll_irr_choose.h - collectives for which the ranks choose the way as they go, and the machine that they choose for.
 */
#ifndef MCA_COLL_IRR_CHOOSE_H
#define MCA_COLL_IRR_CHOOSE_H

#include "coll_irr.h"

/* What a first call does, as far as this rank knows: ask the others, choose as calls go, or leave all to Open MPI. */
typedef enum mca_coll_irr_mode_t {
    MCA_COLL_IRR_ASKS, MCA_COLL_IRR_CHOOSES, MCA_COLL_IRR_LEAVES, MCA_COLL_IRR_MODES
} mca_coll_irr_mode_t;

mca_coll_irr_mode_t mca_coll_irr_mode(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service);

/* Is that so because of an info key of the communicator, of which no record tells the others? */
bool mca_coll_irr_mode_is_own(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service);

/* With the component: the modes of communicators without info keys. */
void mca_coll_irr_modes_open(void);

/* Do parameters give a schedule file, or ask for the matrices? */
bool mca_coll_irr_is_given_files(void);

/* The modes for all parameters that name an algorithm, are teams shared, and is there a memory file: for the record. */
#define MCA_COLL_IRR_MODES_BITS 7
uint64_t mca_coll_irr_process_modes(void);

/* ---- coll_irr_machine.c ---- */

/*
 * Of the constants of the machine that this process has, words whose maxima tell whether all ranks have the same.  May
 * block on the file system.
 */
void mca_coll_irr_machine_words(uint64_t words[2]);

/*
 * Takes the maxima of these words.  Returns true if all ranks have the same constants, which hold from then on; else
 * the defaults hold, and the ranks find out what to tell the user, by maxima of the next words.
 */
bool mca_coll_irr_machine_take(mca_coll_irr_module_t *module, const uint64_t words[2]);

/* Sets this rank's words: whether it can use its file, its constants, and their complements. */
#define MCA_COLL_IRR_MACHINE_WORDS (2 + 2 * sizeof(irr_machine_t) / sizeof(uint64_t))
void mca_coll_irr_machine_constants(const mca_coll_irr_module_t *module, uint64_t words[MCA_COLL_IRR_MACHINE_WORDS]);

/*
 * Takes their maxima.  A rank that cannot use its file tells the user, or no rank has to.  Returns true if constants
 * differ, and sets in holders whether this rank has the most or the least of the first that does.
 */
bool mca_coll_irr_machine_differs(const mca_coll_irr_module_t *module, const uint64_t *words, uint64_t holders[2]);

/* Takes the maxima of both: the lower rank of those two tells the user. */
void mca_coll_irr_machine_tell(const mca_coll_irr_module_t *module, const uint64_t *words, const uint64_t holders[2]);

#endif
