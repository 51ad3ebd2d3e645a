/*
 * auto.h - selects the transport of an engine if the configuration names none.
 */
#ifndef IRR_AUTO_H
#define IRR_AUTO_H

#include "transport/devices.h"

#include "irr.h"

/* The name of a transport, and the reason for the choice as a clause for a user message. */
typedef struct irr_transport_choice {
    const char *name;
    char        why[128];
} irr_transport_choice_t;

/*
 * Sets *choice to the transport that the configuration names, or to the transport that irr_transport_auto selects. The
 * name is borrowed. Loads no library. Makes some system calls per network device.
 */
void irr_transport_choose(const irr_engine_config_t *config, irr_transport_choice_t *choice);

/* Variables of the environment for UCX: UCX_TLS and UCX_NET_DEVICES, or NULL. A configuration takes precedence. */
typedef struct irr_ucx_environment {
    const char *tls, *devices;
} irr_ucx_environment_t;

/*
 * Selects a transport from the configuration, and the devices and the environment of this machine. Pure: on ranks with
 * equal arguments the result is the same.
 */
void irr_transport_auto(const irr_engine_config_t *config, const irr_devices_t *devices,
                        const irr_ucx_environment_t *environment, irr_transport_choice_t *choice);

#endif
