/*
 * auto.h - which transport an engine opens where none is named.
 */
#ifndef IRR_AUTO_H
#define IRR_AUTO_H

#include "transport/devices.h"

#include "irr.h"

/* A transport by name, and why it is that one: half a sentence. */
typedef struct irr_transport_choice {
    const char *name;
    char        why[128];
} irr_transport_choice_t;

/*
 * The transport that a configuration names, or what is chosen where it names none.  The name is borrowed.  Opens no
 * library; some system calls a network device.
 */
void irr_transport_choose(const irr_engine_config_t *config, irr_transport_choice_t *choice);

/* What the environment says to UCX where a configuration does not: UCX_TLS and UCX_NET_DEVICES, or NULL. */
typedef struct irr_ucx_environment {
    const char *tls, *devices;
} irr_ucx_environment_t;

/*
 * What is chosen, by the configuration, the devices of this machine and its environment.  Pure: ranks for which these
 * are alike come to the same.
 */
void irr_transport_auto(const irr_engine_config_t *config, const irr_devices_t *devices,
                        const irr_ucx_environment_t *environment, irr_transport_choice_t *choice);

#endif
