/* auto.h - selects the transport of an engine if the configuration names none. */
#ifndef IRR_AUTO_H
#define IRR_AUTO_H

#include "transport/devices.h"

#include "irr.h"

/* The name of a transport, and the reason for the choice as a clause after "because" in a user message. */
typedef struct irr_transport_choice {
    const char *name;
    char        why[128];
} irr_transport_choice_t;

/*
 * Sets *choice to the transport that the configuration names. If it names none, calls irr_transport_auto, and makes
 * some system calls per network device. Loads no library. choice->name is borrowed from the configuration or static.
 */
void irr_transport_choose(const irr_engine_config_t *config, irr_transport_choice_t *choice);

/*
 * Completes the choice when the transport is opened: if the configuration names neither a transport nor transports or
 * devices of UCX, and UCX cannot be loaded, sets *choice to libfabric. Loads UCX if *choice is UCX.
 */
void irr_transport_settle(const irr_engine_config_t *config, irr_transport_choice_t *choice);

/* The pure part of irr_transport_settle. ucx_why_not: the reason for which UCX cannot be loaded; NULL: it is loaded. */
void irr_transport_fall_back(const irr_engine_config_t *config, const char *ucx_why_not,
                             irr_transport_choice_t *choice);

/* UCX_TLS and UCX_NET_DEVICES of the environment, or NULL. The lists of the configuration take precedence. */
typedef struct irr_ucx_environment {
    const char *tls, *devices;
} irr_ucx_environment_t;

/* Selects a transport. Pure: the result depends only on the arguments. */
void irr_transport_auto(const irr_engine_config_t *config, const irr_devices_t *devices,
                        const irr_ucx_environment_t *environment, irr_transport_choice_t *choice);

#endif
