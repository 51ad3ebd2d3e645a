/* transport.c - the table of the transports in this build, and the functions that open them. */
#include <config.h>

#include "transport/transport.h"

#include "core/log.h"
#include "transport/auto.h"
#include "transport/lanes.h"
#include "transport/trace.h"

#include <stdio.h>
#include <string.h>

/* The transports of this build: networks, and shared memory in the last row. */
static const struct row {
    const char   *name;
    irr_status_t (*open)(const irr_engine_config_t *config, irr_transport_t **transport_p);
} rows[] = {
#ifdef HAVE_UCX
    { "ucx", irr_ucx_open },
#endif
#ifdef HAVE_LIBFABRIC
    { "ofi", irr_ofi_open },
#endif
    { "shm", irr_shm_open }
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]), NETWORKS = ROWS - 1 };

const char *irr_transport_name(int i)
{
    return i >= 0 && i < NETWORKS ? rows[i].name : NULL;
}

static irr_status_t refuse(const char *name)
{
    char names[256];
    size_t used = 0;

    for (int i = 0; i < NETWORKS && used < sizeof(names); i++) {
        used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i > 0 ? ", " : "", rows[i].name);
    }
    irr_log(IRR_LOG_ERROR, "%stransport is '%s'; allowed are %s", irr_log_prefix(), name, names);
    return IRR_ERR_BAD_PARAM;
}

void irr_transport_settle(const irr_engine_config_t *config, irr_transport_choice_t *choice)
{
#ifdef HAVE_UCX
    if (strcmp(choice->name, "ucx") == 0) {
        irr_transport_fall_back(config, irr_ucx_missing(), choice);
    }
#else
    (void)config;
    (void)choice;
#endif
}

irr_status_t irr_transport_open(const irr_engine_config_t *config, irr_transport_t **transport_p)
{
    irr_transport_choice_t choice;

    irr_transport_choose(config, &choice);
    irr_transport_settle(config, &choice);
    for (int i = 0; i < ROWS; i++) {
        if (strcmp(choice.name, rows[i].name) == 0) {
            return rows[i].open(config, transport_p);
        }
    }
    return refuse(choice.name);
}

/* ---- lanes ---- */

/* Wraps a transport to record its messages (trace.h). If the other one of `lanes` is wrapped, both share a file. */
static irr_status_t add_trace(const irr_lanes_t *lanes, const char *file, irr_transport_t *inner,
                              irr_transport_t **transport_p)
{
    irr_transport_t *traced = lanes->inner[IRR_LANE_NEAR] != NULL ? lanes->inner[IRR_LANE_NEAR]
                                                                  : lanes->inner[IRR_LANE_FAR];

    return traced != NULL ? irr_trace_join(inner, traced, transport_p) : irr_trace_open(inner, file, transport_p);
}

irr_status_t irr_lanes_open(irr_lanes_t *lanes, irr_lane_kind_t kind, const irr_engine_config_t *config)
{
    const bool traces = config->trace != NULL && config->trace[0] != '\0';
    irr_transport_t *transport, *opened;
    irr_status_t status = kind == IRR_LANE_NEAR ? irr_shm_open(config, &opened) : irr_transport_open(config, &opened);

    if (status != IRR_OK) {
        return status;
    }
    transport = opened;
    if (traces) {
        status = add_trace(lanes, config->trace, opened, &transport);
    }
    if (status != IRR_OK) {
        opened->ops->free(opened);
        return status;
    }
    lanes->shm = kind == IRR_LANE_NEAR ? opened : lanes->shm;
    irr_lanes_put(lanes, kind, transport);
    return IRR_OK;
}
