/*
 * transport.c - the table of transports that were built.
 */
#include <config.h>

#include "transport/transport.h"

#include "core/log.h"
#include "transport/auto.h"
#include "transport/trace.h"

#include <stdio.h>
#include <string.h>

/* A transport that the engine can open. */
static const struct row {
    const char   *name, *text;
    irr_status_t (*open)(const irr_engine_config_t *config, irr_transport_t **transport_p);
} rows[] = {
#ifdef HAVE_UCX
    { "ucx", "UCX: shared memory, and what network there is", irr_ucx_open },
#endif
#ifdef HAVE_LIBFABRIC
    { "ofi", "libfabric: what network its providers reach", irr_ofi_open },
#endif
    { "shm", "shared memory, for jobs on one node", irr_shm_open },
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

const char *irr_transport_name(int i)
{
    return i >= 0 && i < ROWS ? rows[i].name : NULL;
}

const char *irr_transport_text(int i)
{
    return i >= 0 && i < ROWS ? rows[i].text : NULL;
}

static irr_status_t refuse(const char *name)
{
    char names[256];
    size_t used = 0;

    for (int i = 0; i < ROWS && used < sizeof(names); i++) {
        used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i > 0 ? ", " : "", rows[i].name);
    }
    irr_log(IRR_LOG_ERROR, "there is no transport %s, but only: %s", name, names);
    return IRR_ERR_BAD_PARAM;
}

static irr_status_t open_row(const struct row *row, const irr_engine_config_t *config, irr_transport_t **transport_p)
{
    irr_transport_t *transport, *inner;
    irr_status_t status = row->open(config, &transport);

    if (status == IRR_OK && config->trace != NULL && config->trace[0] != '\0') {
        inner = transport;
        status = irr_trace_open(inner, config->trace, &transport);
        if (status != IRR_OK) {
            inner->ops->free(inner);
        }
    }
    if (status == IRR_OK) {
        *transport_p = transport;
    }
    return status;
}

irr_status_t irr_transport_open(const irr_engine_config_t *config, irr_transport_t **transport_p)
{
    irr_transport_choice_t choice;

    irr_transport_choose(config, &choice);
    for (int i = 0; i < ROWS; i++) {
        if (strcmp(choice.name, rows[i].name) == 0) {
            return open_row(&rows[i], config, transport_p);
        }
    }
    return refuse(choice.name);
}
