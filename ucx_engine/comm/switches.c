/*
 * switches.c - finds the tree of switches from the paths of all ranks (the switches above a node, from
 * SLURM_TOPOLOGY_ADDR); see switches.h.
 *
 * All ranks evaluate the same paths, so their results are the same.
 */
#include "comm/agree.h"

#include "core/alloc.h"
#include "core/log.h"

#include <ctype.h>
#include <string.h>

/* Returns false for algorithm `auto`, which uses switches only with a topology file. */
bool irr_switches_asked(const irr_comm_params_t *params, const irr_comm_files_t *files)
{
    return files->topology.hosts == 0 && irr_algorithm_strategy(params->settings.algorithm)->order->uses_tree;
}

/* Warns the user, but only once per engine, because most communicators would repeat the warning. */
static void warn(irr_engine_t *engine, const char *why)
{
    bool warned;

    irr_lock_acquire(&engine->lock);
    warned = engine->switches_warned;
    engine->switches_warned = true;
    irr_lock_release(&engine->lock);
    if (!warned) {
        irr_log(IRR_LOG_WARN, "the switches of SLURM_TOPOLOGY_ADDR are not used, and the network counts as one switch: "
                "%s", why);
    }
}

/* ---- this rank ---- */

/* Copies a text from the environment, with `?` for each character that cannot be printed. */
static void show(const char *text, char *shown, size_t size)
{
    size_t i = 0;

    for (; text[i] != '\0' && i + 1 < size; i++) {
        shown[i] = isprint((unsigned char)text[i]) ? text[i] : '?';
    }
    shown[i] = '\0';
}

/* Stores an error in the environment of this rank. why: the cause. */
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
        snprintf(files->reason, sizeof(files->reason), "SLURM_TOPOLOGY_ADDR is not set on rank %d", params->rank);
    } else if (irr_switch_path(params->switch_address, params->switch_pattern != NULL ? params->switch_pattern : "",
                               files->path, why, sizeof(why)) != IRR_OK) {
        complain(params, files, why);
    } else if (files->path[0] == '\0') {
        snprintf(files->reason, sizeof(files->reason), "SLURM_TOPOLOGY_ADDR names no switch on rank %d", params->rank);
    }
}

/* ---- all ranks ---- */

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
        warn(engine, files->reason);
    }
    return 0;
}

/* Returns true if two ranks are on the same host of the topology exactly if they are on the same node. */
static bool fit(const irr_nodes_t *nodes, const irr_topology_t *topology, const int *host_of)
{
    bool good = topology->hosts == nodes->count;

    for (int r = 0; r < nodes->ranks && good; r++) {
        good = host_of[r] == host_of[irr_nodes_member(nodes, irr_nodes_of(nodes, r), 0)];
    }
    return good;
}

/*
 * Makes the topology from the paths of all ranks. Returns IRR_ERR_FORMAT if they form no tree or contradict the nodes;
 * rank 0 has then warned the user.
 */
static irr_status_t take_paths(irr_comm_t *comm, irr_comm_files_t *files, const irr_nodes_t *nodes, size_t path_bytes,
                               const char *paths, int *host_of)
{
    char why[256];
    irr_status_t status = irr_switch_paths_tree(paths, path_bytes, comm->ranks, &files->topology, host_of, why,
                                                sizeof(why));

    if (status == IRR_OK && !fit(nodes, &files->topology, host_of)) {
        irr_topology_fini(&files->topology);
        snprintf(why, sizeof(why), "the nodes in SLURM_TOPOLOGY_ADDR are not those of the job");
        status = IRR_ERR_FORMAT;
    }
    if (status == IRR_ERR_FORMAT && comm->rank == 0) {
        warn(comm->engine, why);
    }
    return status;
}

/* Makes the topology from the paths of all ranks, or with one switch if there are no valid paths. */
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
        for (int r = 0; r < comm->ranks; r++) {
            comm->labels[r] = irr_nodes_of(&nodes, r);
        }
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

static irr_status_t take(irr_setup_t *setup)
{
    if (make(setup->comm, &setup->files, setup->agreement.path_bytes, setup->gathered) != IRR_OK) {
        irr_setup_note(setup, IRR_ERR_NO_MEMORY, irr_setup_no_memory);
    }
    irr_free(setup->gathered);
    setup->gathered = NULL;
    setup->next = setup->then;
    return IRR_OK;
}

static irr_status_t give_path(irr_setup_t *setup)
{
    const size_t bytes = setup->agreement.path_bytes;
    char *own;

    if (setup->verdict != IRR_OK) {
        return setup->verdict;
    }
    own = setup->gathered + (size_t)setup->comm->ranks * bytes;
    snprintf(own, bytes, "%s", setup->files.path);
    return irr_setup_gather(setup, own, setup->gathered, bytes, take);
}

irr_status_t irr_switches_find(irr_setup_t *setup, irr_step_fn next)
{
    const size_t bytes = setup->agreement.path_bytes;

    setup->then = next;
    if (bytes == 0) {
        return take(setup);
    }
    setup->gathered = irr_alloc_zero((size_t)setup->comm->ranks + 1, bytes);
    if (setup->gathered == NULL) {
        irr_setup_note(setup, IRR_ERR_NO_MEMORY, irr_setup_no_memory);
    }
    return irr_agree_no_trouble(setup, give_path);
}
