/*
 * auto.c - UCX, as it is what has been measured; but libfabric where UCX was not built, where a provider or domain of
 * libfabric is named, and for a job on several nodes that UCX does not reach, or only slowly: because the only fast
 * devices are of a kind that libfabric alone drives, or because UCX was told to use nothing that leaves a node.
 */
#include "transport/auto.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool given(const char *text)
{
    return text != NULL && text[0] != '\0';
}

static bool built(const char *name)
{
    for (int i = 0; irr_transport_name(i) != NULL; i++) {
        if (strcmp(irr_transport_name(i), name) == 0) {
            return true;
        }
    }
    return false;
}

/* Has a list as UCX_TLS has it only what stays on a node?  What is left out (^), or a pattern, is not looked into. */
static bool stays(const char *tls)
{
    static const char *const names[] = { "sm", "shm", "mm", "posix", "sysv", "xpmem", "cma", "knem", "self", NULL };

    if (!given(tls) || strpbrk(tls, "^*?[") != NULL) {
        return false;
    }
    while (*tls != '\0') {
        const size_t length = strcspn(tls, ",");
        int i = 0;

        while (names[i] != NULL && (strlen(names[i]) != length || strncasecmp(names[i], tls, length) != 0)) {
            i++;
        }
        if (names[i] == NULL) {
            return false;
        }
        tls += length + (tls[length] == ',');
    }
    return true;
}

static irr_transport_choice_t ofi_because(const char *what, const char *why)
{
    irr_transport_choice_t choice = { .name = "ofi" };

    snprintf(choice.why, sizeof(choice.why), "%s%s", what, why);
    return choice;
}

static irr_transport_choice_t choose(const irr_engine_config_t *config, const irr_devices_t *devices, const char *tls)
{
    irr_transport_choice_t choice = { .name = "ucx", .why = "UCX comes first" };

    if (!built("ofi") || !built("ucx")) {
        choice = (irr_transport_choice_t){ .name = irr_transport_name(0), .why = "no other was built" };
    } else if ((given(config->ofi_provider) || given(config->ofi_domain)) &&
               !given(config->ucx_tls) && !given(config->ucx_devices)) {
        choice = ofi_because("", "a provider or domain of libfabric is named");
    } else if (!config->one_node && devices->ofi[0] != '\0' && devices->ucx[0] == '\0') {
        choice = ofi_because(devices->ofi, " is a fast device that libfabric alone drives, and the only kind");
    } else if (!config->one_node && stays(tls)) {
        choice = ofi_because("", "UCX may use nothing that leaves a node");
    }
    return choice;
}

void irr_transport_auto(const irr_engine_config_t *config, const irr_devices_t *devices, const char *environment_tls,
                        irr_transport_choice_t *choice)
{
    *choice = choose(config, devices, given(config->ucx_tls) ? config->ucx_tls : environment_tls);
}

void irr_transport_choose(const irr_engine_config_t *config, irr_transport_choice_t *choice)
{
    irr_devices_t devices;
    const char *own;

    if (given(config->transport)) {
        *choice = (irr_transport_choice_t){ .name = config->transport, .why = "it is named" };
        return;
    }
    own = getenv("IRR_UCX_TLS");
    irr_devices_look("/sys", &devices);
    irr_transport_auto(config, &devices, own != NULL ? own : getenv("UCX_TLS"), choice);
}
