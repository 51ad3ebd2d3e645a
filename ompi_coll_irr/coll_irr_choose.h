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

/* Local: begins to. */
void mca_coll_irr_choose_begin(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/* Local: room to choose.  False: no memory. */
bool mca_coll_irr_choose_prepare(mca_coll_irr_service_t *service);

/*
 * Local, and alike on all ranks: if the settings of the engine communicator leave several strategies open, it becomes
 * way 0 of the service, which has room, and which chooses among them from now on.
 */
void mca_coll_irr_choose_from(mca_coll_irr_service_t *service);

/* A call on it: by the way that is its turn.  May block, to agree and to open ways, in some of the calls. */
int mca_coll_irr_choose(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service,
                        const mca_coll_irr_call_t *call);

/* An agreement is due after a call: now, or, before the first, at some later call, as places of ranks say. */
bool mca_coll_irr_choose_is_due(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/* Collective, blocking, once: the ranks ask each other whether they all choose; if not, the service is declined. */
int mca_coll_irr_choose_ask(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/* As a user would name it. */
void mca_coll_irr_way_text(const mca_coll_irr_service_t *service, int way, char *text, size_t size);

/* Local: closes all ways. */
void mca_coll_irr_choose_end(mca_coll_irr_service_t *service);

/* ---- coll_irr_machine.c ---- */

/*
 * Of the constants of the machine that this process has, words whose maxima tell whether all ranks have the same.  May
 * block on the file system.
 */
void mca_coll_irr_machine_words(uint64_t words[2]);

/*
 * Collective, blocking where they have not: from the maxima, the constants of a communicator.  What is wrong with a
 * file is told, and then these are the defaults.  IRR_ERR_OOB.
 */
irr_status_t mca_coll_irr_machine_agreed(mca_coll_irr_module_t *module, const uint64_t words[2]);

/* The same, local; but what is told says less of what is wrong. */
void mca_coll_irr_machine_take(mca_coll_irr_module_t *module, const uint64_t words[2]);

#endif
