/*
 * auto.c - selects UCX or libfabric. libfabric is selected in four cases:
 *
 *   - This build has no UCX.
 *   - The configuration names a provider or domain of libfabric, and neither transports nor devices of UCX.
 *   - The job has several nodes, and only libfabric supports the fast devices of this machine (devices.h).
 *   - The job has several nodes, and the settings of UCX exclude all networks.
 *
 * In all other cases UCX is selected, because most measurements were made with UCX. If it then cannot be loaded, the
 * transport is libfabric after all. This is known only when the transport is opened, because to load UCX takes time.
 */
#include "transport/auto.h"

#include "core/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool built(const char *name)
{
    for (int i = 0; irr_transport_name(i) != NULL; i++) {
        if (strcmp(irr_transport_name(i), name) == 0) {
            return true;
        }
    }
    return false;
}

/* Values of UCX_TLS and UCX_NET_DEVICES that name transports and devices inside a node. */
static const char local_tls[] = "sm,shm,mm,posix,sysv,xpmem,cma,knem,self";
static const char local_devices[] = "lo";

/* Returns true if all words of a list are in `names`; false if the list is empty, or has exclusions or patterns. */
static bool has_only(const char *list, const char *names)
{
    if (!irr_given(list) || strpbrk(list, "^*?[") != NULL) {
        return false;
    }
    while (*list != '\0') {
        const size_t length = strcspn(list, ",");

        if (irr_text_find(names, list, length, strncasecmp) < 0) {
            return false;
        }
        list += length + (list[length] == ',');
    }
    return true;
}

static bool excludes_networks(const irr_engine_config_t *config, const irr_ucx_environment_t *environment)
{
    return has_only(irr_given(config->ucx_tls) ? config->ucx_tls : environment->tls, local_tls) ||
           has_only(irr_given(config->ucx_devices) ? config->ucx_devices : environment->devices, local_devices);
}

static irr_transport_choice_t ofi_because(const char *what, const char *why)
{
    irr_transport_choice_t choice = { .name = "ofi" };

    snprintf(choice.why, sizeof(choice.why), "%s%s", what, why);
    return choice;
}

void irr_transport_auto(const irr_engine_config_t *config, const irr_devices_t *devices,
                        const irr_ucx_environment_t *environment, irr_transport_choice_t *choice)
{
    *choice = (irr_transport_choice_t){ .name = "ucx", .why = "UCX is the default" };
    if (!built("ofi") || !built("ucx")) {
        *choice = (irr_transport_choice_t){ .name = irr_transport_name(0), .why = "no other transport was built" };
    } else if ((irr_given(config->ofi_provider) || irr_given(config->ofi_domain)) &&
               !irr_given(config->ucx_tls) && !irr_given(config->ucx_devices)) {
        *choice = ofi_because("", "a provider or domain of libfabric is named");
    } else if (!config->one_node && devices->ofi[0] != '\0' && devices->ucx[0] == '\0') {
        *choice = ofi_because(devices->ofi,
                              " is a fast device that only libfabric supports, and UCX supports no fast device here");
    } else if (!config->one_node && excludes_networks(config, environment)) {
        *choice = ofi_because("", "the settings of UCX exclude all networks");
    }
}

void irr_transport_fall_back(const irr_engine_config_t *config, const char *ucx_why_not,
                             irr_transport_choice_t *choice)
{
    if (ucx_why_not != NULL && strcmp(choice->name, "ucx") == 0 && built("ofi") && !irr_given(config->transport) &&
        !irr_given(config->ucx_tls) && !irr_given(config->ucx_devices)) {
        *choice = ofi_because("UCX cannot be loaded: ", ucx_why_not);
    }
}

/* Returns a variable of UCX. `own` takes precedence: the transport opens UCX with the prefix IRR. */
static const char *ucx_variable(const char *own, const char *name)
{
    const char *value = getenv(own);

    return value != NULL ? value : getenv(name);
}

void irr_transport_choose(const irr_engine_config_t *config, irr_transport_choice_t *choice)
{
    const irr_ucx_environment_t environment = {
        .tls = ucx_variable("IRR_UCX_TLS", "UCX_TLS"),
        .devices = ucx_variable("IRR_UCX_NET_DEVICES", "UCX_NET_DEVICES")
    };
    irr_devices_t devices;

    if (irr_given(config->transport)) {
        *choice = (irr_transport_choice_t){ .name = config->transport, .why = "it is named" };
        return;
    }
    irr_devices_look("/sys", &devices);
    irr_transport_auto(config, &devices, &environment, choice);
}
