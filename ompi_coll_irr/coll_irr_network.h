/*
 * coll_irr_network.h - what moves the messages of this process: its transport, and by which interfaces.
 */
#ifndef MCA_COLL_IRR_NETWORK_H
#define MCA_COLL_IRR_NETWORK_H

#include "coll_irr.h"
#include "transport/auto.h"

/* Chooses the transport from parameters and devices, when the component is opened. */
void mca_coll_irr_network_open(void);

/* Returns that transport, and the cause. */
const irr_transport_choice_t *mca_coll_irr_network_choice(void);

/* Sets a configuration to what parameters say of transports; its texts live as long as the component. */
void mca_coll_irr_network_config(irr_engine_config_t *config);

/* Logs once which transport the engine has opened, if it has, and why. */
void mca_coll_irr_network_log(void);

#endif
