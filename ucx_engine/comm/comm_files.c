/*
 * comm_files.c - reads the files that the settings of a communicator name; see comm_files.h.
 *
 * Each rank reads the files, from a shared file system or from its node. The ranks later compare the contents
 * (comm/agree.c).
 */
#include "comm/comm_files.h"

#include "core/log.h"
#include "core/text.h"
#include "order/schedule_file.h"
#include "plan/strategy.h"

enum { PATH_SHOWN = 256 };   /* largest length of a path in an error message, with its terminating 0 */

/* Sets params->reason to the error in a file. what: the name of the setting that names the file. */
static void refuse(irr_comm_params_t *params, irr_comm_files_t *files, const char *what, const char *path,
                   const irr_file_error_t *error)
{
    char where[32] = "", shown[PATH_SHOWN];

    if (error->line > 0) {
        snprintf(where, sizeof(where), ", line %zu", error->line);
    }
    irr_log_fit(shown, sizeof(shown), path);
    snprintf(files->reason, sizeof(files->reason), "%s%s %s%s: %s", irr_log_prefix(), what, shown, where,
             error->reason);
    params->reason = files->reason;
}

static void read_schedule(irr_comm_params_t *params, irr_comm_files_t *files)
{
    const char *path = params->settings.schedule_file;
    irr_file_error_t error;

    params->trouble = irr_schedule_read(path, &files->schedule, &error);
    if (params->trouble != IRR_OK) {
        refuse(params, files, "schedule_file", path, &error);
    }
}

static irr_status_t find_host(irr_comm_params_t *params, irr_comm_files_t *files)
{
    const char *name = params->host != NULL ? params->host : "";
    char shown[PATH_SHOWN];
    irr_hosts_t hosts;
    irr_status_t status = irr_hosts_init(&files->topology, &hosts);

    params->reason = "a rank has no memory for a communicator";
    if (status != IRR_OK) {
        return status;
    }
    files->host = irr_topology_find(&hosts, name);
    irr_hosts_fini(&hosts);
    if (files->host >= 0) {
        return IRR_OK;
    }
    irr_log_fit(shown, sizeof(shown), params->settings.topology_file);
    snprintf(files->reason, sizeof(files->reason), "%stopology_file %s: host '%.256s' is %s", irr_log_prefix(), shown,
             name, files->host == IRR_HOST_SEVERAL ? "several of its hosts" : "none of its hosts");
    params->reason = files->reason;
    return IRR_ERR_NOT_SUPPORTED;
}

static void read_topology(irr_comm_params_t *params, irr_comm_files_t *files)
{
    const char *path = params->settings.topology_file;
    irr_file_error_t error;

    params->trouble = irr_topology_read(path, &files->topology, &error);
    if (params->trouble != IRR_OK) {
        refuse(params, files, "topology_file", path, &error);
    } else {
        params->trouble = find_host(params, files);
    }
}

void irr_comm_files_read(irr_comm_params_t *params, irr_comm_files_t *files)
{
    const irr_settings_t *settings = &params->settings;

    if (params->trouble == IRR_OK && irr_given(settings->schedule_file)) {
        read_schedule(params, files);
    }
    if (params->trouble == IRR_OK && irr_given(settings->topology_file) &&
        irr_algorithm_asks_topology(settings->algorithm)) {
        read_topology(params, files);
    }
}

void irr_comm_files_doubt(irr_comm_t *comm, const irr_comm_params_t *params, const irr_comm_files_t *files)
{
    irr_engine_t *engine = comm->engine;
    const bool uses = irr_strategy_is_scheduled(irr_algorithm_strategy(comm->settings.algorithm));
    char text[256] = "", shown[PATH_SHOWN];
    bool warned;

    if (params->rank != 0 || files->topology.hosts == 0 || !uses ||
        irr_topology_doubt(&files->topology, text, sizeof(text)) != IRR_OK || text[0] == '\0') {
        return;
    }
    irr_lock_acquire(&engine->lock);
    warned = engine->doubted;
    engine->doubted = true;
    irr_lock_release(&engine->lock);
    if (!warned) {
        irr_log_fit(shown, sizeof(shown), params->settings.topology_file);
        irr_log(IRR_LOG_WARN, "%stopology_file %s: %s", irr_log_prefix(), shown, text);
    }
}

void irr_comm_files_fini(irr_comm_files_t *files)
{
    irr_topology_fini(&files->topology);
    irr_schedule_fini(&files->schedule);
}
