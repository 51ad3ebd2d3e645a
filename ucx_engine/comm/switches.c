/*
 * switches.c - see switches.h.
 *
 * All ranks see the same paths, so what they make of them is alike on all.
 */
#include "comm/agree.h"
#include "comm/switches.h"

#include "core/alloc.h"
#include "core/log.h"

#include <ctype.h>
#include <string.h>

/* Only rows that name their order look: auto is another row by then. */
bool irr_switches_asked(const irr_comm_params_t *params, const irr_comm_files_t *files)
{
    return files->topology.hosts == 0 && irr_algorithm_way(params->settings.algorithm)->order->uses_tree;
}

/* Once an engine, as further communicators mostly have the same ranks. */
static void tell(irr_engine_t *engine, const char *why)
{
    bool told;

    irr_lock_acquire(&engine->lock);
    told = engine->switches_told;
    engine->switches_told = true;
    irr_lock_release(&engine->lock);
    if (!told) {
        irr_log(IRR_LOG_WARN, "the switches of SLURM_TOPOLOGY_ADDR are not used: %s", why);
    }
}

/* ---- of this rank ---- */

/* What comes from outside, as text of a line. */
static void show(const char *text, char *shown, size_t size)
{
    size_t i = 0;

    for (; text[i] != '\0' && i + 1 < size; i++) {
        shown[i] = isprint((unsigned char)text[i]) ? text[i] : '?';
    }
    shown[i] = '\0';
}

static void complain(const irr_comm_params_t *params, irr_comm_files_t *files, const char *why)
{
    char address[65], pattern[65];

    show(params->switch_address, address, sizeof(address));
    show(params->switch_pattern != NULL ? params->switch_pattern : "", pattern, sizeof(pattern));
    files->misread = true;
    snprintf(files->reason, sizeof(files->reason), "rank %d has '%s' and the pattern '%s': %s", params->rank, address,
             pattern, why);
}

void irr_switches_read(const irr_comm_params_t *params, irr_comm_files_t *files)
{
    char why[160];

    if (params->trouble != IRR_OK || !irr_switches_asked(params, files)) {
        return;
    }
    if (params->switch_address == NULL) {
        snprintf(files->reason, sizeof(files->reason), "it is not set on rank %d", params->rank);
    } else if (irr_switch_path(params->switch_address, params->switch_pattern != NULL ? params->switch_pattern : "",
                               files->path, why, sizeof(why)) != IRR_OK) {
        complain(params, files, why);
    } else if (files->path[0] == '\0') {
        snprintf(files->reason, sizeof(files->reason), "it names no switch on rank %d", params->rank);
    }
}

/* ---- of all ---- */

void irr_switches_words(const irr_comm_params_t *params, const irr_comm_files_t *files,
                        uint64_t words[IRR_SWITCHES_WORDS])
{
    const size_t length = strlen(files->path);

    words[IRR_SWITCHES_BYTES] = length > 0 ? length + 1 : files->misread;
    words[IRR_SWITCHES_LACKS] = length > 0 ? 0 : (uint64_t)(params->ranks - params->rank);
}

size_t irr_switches_agreed(irr_engine_t *engine, const irr_comm_params_t *params, const irr_comm_files_t *files,
                           const uint64_t words[IRR_SWITCHES_WORDS])
{
    if (words[IRR_SWITCHES_BYTES] == 0 || words[IRR_SWITCHES_LACKS] == 0) {
        return words[IRR_SWITCHES_BYTES] <= IRR_SWITCH_PATH_MAX ? (size_t)words[IRR_SWITCHES_BYTES] : 0;
    }
    if (words[IRR_SWITCHES_LACKS] == (uint64_t)(params->ranks - params->rank)) {
        tell(engine, files->reason);
    }
    return 0;
}

/* Each node of the ranks is one of the tree's, and the other way round. */
static bool fit(const irr_nodes_t *nodes, const irr_topology_t *topology, const int *host_of)
{
    bool good = topology->hosts == nodes->count;

    for (int r = 0; r < nodes->ranks && good; r++) {
        good = host_of[r] == host_of[nodes->members[nodes->first[nodes->node[r]]]];
    }
    return good;
}

/* From the paths of all.  IRR_ERR_FORMAT: rank 0 has said why not. */
static irr_status_t take_paths(irr_comm_t *comm, irr_comm_files_t *files, const irr_nodes_t *nodes, size_t path_bytes,
                               const char *paths, int *host_of)
{
    char why[256];
    irr_status_t status = irr_switch_paths_tree(paths, path_bytes, comm->ranks, &files->topology, host_of, why,
                                                sizeof(why));

    if (status == IRR_OK && !fit(nodes, &files->topology, host_of)) {
        irr_topology_fini(&files->topology);
        snprintf(why, sizeof(why), "its nodes are not those of the job");
        status = IRR_ERR_FORMAT;
    }
    if (status == IRR_ERR_FORMAT && comm->rank == 0) {
        tell(comm->engine, why);
    }
    return status;
}

static void no_memory(irr_comm_params_t *params)
{
    if (params->trouble == IRR_OK) {
        params->trouble = IRR_ERR_NO_MEMORY;
        params->reason = "a rank has no memory for a communicator";
    }
}

/* Collective: the paths of all, which the caller frees. */
static irr_status_t exchange_paths(const irr_comm_t *comm, irr_comm_params_t *params, const irr_comm_files_t *files,
                                   size_t path_bytes, char **paths_p)
{
    const irr_oob_t *oob = params->oob;
    char *paths = irr_alloc_zero((size_t)comm->ranks + 1, path_bytes), *own = NULL;
    irr_status_t status;

    if (paths == NULL) {
        no_memory(params);
    }
    status = irr_agree_no_trouble(params);
    if (status == IRR_OK) {
        own = paths + (size_t)comm->ranks * path_bytes;
        snprintf(own, path_bytes, "%s", files->path);
        status = oob->allgather(oob->context, own, paths, path_bytes) == IRR_OK ? IRR_OK : IRR_ERR_OOB;
    }
    if (status != IRR_OK) {
        irr_free(paths);
        return status;
    }
    *paths_p = paths;
    return IRR_OK;
}

/* By paths, if there are any and they are good, else one switch. */
static irr_status_t make(irr_comm_t *comm, irr_comm_files_t *files, size_t path_bytes, const char *paths)
{
    irr_nodes_t nodes;
    irr_status_t status = irr_nodes_init(&nodes, comm->ranks, comm->labels);
    bool named;

    if (status != IRR_OK) {
        return status;
    }
    status = paths != NULL ? take_paths(comm, files, &nodes, path_bytes, paths, comm->labels) : IRR_ERR_FORMAT;
    named = status == IRR_OK;
    if (status == IRR_ERR_FORMAT) {
        memcpy(comm->labels, nodes.node, (size_t)comm->ranks * sizeof(*comm->labels));
        status = irr_topology_star(nodes.count, &files->topology);
    }
    if (status == IRR_OK && comm->rank == 0) {
        irr_log(IRR_LOG_DEBUG, "%d ranks are on %d nodes at %d switches, as %s", comm->ranks, nodes.count,
                files->topology.vertices - files->topology.hosts,
                named ? "SLURM_TOPOLOGY_ADDR says" : "is assumed");
    }
    irr_nodes_fini(&nodes);
    return status;
}

irr_status_t irr_switches_find(irr_comm_t *comm, irr_comm_params_t *params, irr_comm_files_t *files,
                               size_t path_bytes)
{
    char *paths = NULL;
    irr_status_t status = path_bytes > 0 ? exchange_paths(comm, params, files, path_bytes, &paths) : IRR_OK;

    if (status != IRR_OK) {
        return status;
    }
    if (make(comm, files, path_bytes, paths) != IRR_OK) {
        no_memory(params);
    }
    irr_free(paths);
    return IRR_OK;
}
