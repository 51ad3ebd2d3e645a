/*
 * coll_irr_network.h - what moves the messages of this process: its transport, and by which interfaces.
 */
#ifndef MCA_COLL_IRR_NETWORK_H
#define MCA_COLL_IRR_NETWORK_H

#include "coll_irr.h"

/* From parameters and devices, when the component is opened. */
void mca_coll_irr_network_open(void);

/*
 * Of this process, for its record: MCA_COLL_IRR_NETWORK_BITS that are alike where the same transport is opened alike.
 */
#define MCA_COLL_IRR_NETWORK_BITS 30
uint64_t mca_coll_irr_network_word(void);

/* What the word of another rank of MPI_COMM_WORLD says that this process does not: a text for the user. */
void mca_coll_irr_network_unlike(uint64_t other, unsigned other_rank, unsigned my_rank, char *text, size_t size);

/* Sets a configuration to what parameters say of transports; its texts live as long as the component. */
void mca_coll_irr_network_config(irr_engine_config_t *config);

/* Once, and only if the engine has opened a transport: a line of verbose that tells which one, and why. */
void mca_coll_irr_network_say(void);

#endif
