/*
 * coll_irr_network.c - the transport of this process, and its network interfaces.
 *
 * A provider of libfabric that works over sockets accepts connections from anywhere.  If no domain is named, it uses
 * the interfaces that the parameters of the btl tcp name, on each process those of its node.  If they name none,
 * libfabric chooses.
 */
#include "coll_irr_engine.h"
#include "coll_irr_interfaces.h"
#include "coll_irr_settings.h"

#include "transport/auto.h"

#include <stdlib.h>

static struct {
    irr_transport_choice_t choice;   /* made when the component opens */
    int                    logged;   /* the last text of mca_coll_irr_network_log; guarded by the component's lock */
} network;

/* Returns the part of the configuration that is alike on all ranks with the same parameters. */
static irr_engine_config_t alike(void)
{
    const mca_coll_irr_params_t *params = &mca_coll_irr_component.params;

    return (irr_engine_config_t){
        .transport = params->transport > 0 ? mca_coll_irr_setting("transport")->row->value(params->transport) : NULL,
        .ucx_tls = params->ucx_tls,
        .ucx_devices = params->ucx_devices,
        .ofi_provider = params->ofi_provider,
        .ofi_domain = params->ofi_domain,
        .one_node = (size_t)mca_coll_irr_process_info.num_local_peers + 1 ==
                    (size_t)mca_coll_irr_process_info.num_procs
    };
}

void mca_coll_irr_network_open(void)
{
    const irr_engine_config_t config = alike();

    irr_transport_choose(&config, &network.choice);
    network.logged = 0;
}

const irr_transport_choice_t *mca_coll_irr_network_choice(void)
{
    return &network.choice;
}

/* ---- interfaces ---- */

/* Returns a list of the btl tcp: Open MPI's value, or the environment variable if that btl was not loaded. */
static const char *btl_list(const char *name, const char *variable)
{
    const int index = mca_base_var_find("ompi", "btl", "tcp", name);
    char *const *value = NULL;

    if (index >= 0 && mca_base_var_get_value(index, &value, NULL, NULL) == OPAL_SUCCESS && value != NULL) {
        return *value;
    }
    return getenv(variable);
}

/* Returns the interfaces of this node that the btl parameters name; NULL: they name none. */
static const char *named_interfaces(void)
{
    static const char standard[] = "127.0.0.1/8,sppp";   /* Open MPI's default of btl_tcp_if_exclude */
    static char names[1024];
    const char *include = btl_list("if_include", "OMPI_MCA_btl_tcp_if_include");
    const char *exclude = btl_list("if_exclude", "OMPI_MCA_btl_tcp_if_exclude");
    const bool named = (include != NULL && include[0] != '\0') || (exclude != NULL && strcmp(exclude, standard) != 0);
    struct ifaddrs *all;
    bool found;

    if (!named || getifaddrs(&all) != 0) {
        return NULL;
    }
    found = mca_coll_irr_interfaces(all, include, exclude != NULL ? exclude : standard, names, sizeof(names));
    freeifaddrs(all);
    return found ? names : NULL;
}

void mca_coll_irr_network_config(irr_engine_config_t *config)
{
    *config = alike();
    config->interfaces = named_interfaces();
}

void mca_coll_irr_network_log(void)
{
    enum { NOTHING, MEMORY, NETWORK } stands;
    irr_counters_t counters;
    bool logs;

    mca_coll_irr_counters(&counters);
    stands = mca_coll_irr_engine_has_network() ? NETWORK : counters.endpoints_open > 0 ? MEMORY : NOTHING;
    opal_mutex_lock(&mca_coll_irr_component.lock);
    logs = (int)stands > network.logged;
    network.logged = logs ? (int)stands : network.logged;
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    if (logs && stands == MEMORY) {
        opal_output(mca_coll_irr_component.output, "coll:irr: messages stay in shared memory of the node");
    } else if (logs) {
        opal_output(mca_coll_irr_component.output, "coll:irr: messages go over %s, because %s", network.choice.name,
                    network.choice.why);
    }
}
