/*
 * plan_topology.c - the tree of switches of irr_plan, and the host of each rank.
 *
 * --hosts names the host of each rank.  Without it rank r is on host r of the file.  If there are more ranks than
 * hosts, the hosts get consecutive ranks, with sizes that differ by at most one, as mpirun fills hosts.
 */
#include "plan.h"

#include "problem/hostlist.h"
#include "problem/placement.h"

#include <stdlib.h>

/* Warns about links of other speeds.  The plans are made nevertheless: they suit a cluster with such links. */
static irr_cli_exit_t doubt_speeds(const char *path, const irr_topology_t *topology)
{
    char text[256];
    irr_status_t status = irr_topology_doubt(topology, text, sizeof(text));

    if (status == IRR_OK && text[0] != '\0') {
        irr_cli_complain("%.256s: %s", path, text);
    }
    return irr_cli_status(status, "%.256s", path);
}

irr_cli_exit_t irr_tool_topology_load(const irr_tool_options_t *options, irr_tool_input_t *input)
{
    irr_file_error_t error = { 0 };
    irr_status_t status = irr_topology_read(options->topology, &input->topology, &error);
    irr_cli_exit_t code = irr_cli_file_read(options->topology, status, &error);
    char reason[160];

    if (code == IRR_CLI_GOOD && options->hosts != NULL &&
        irr_hostlist_expand(options->hosts, &input->hosts, reason, sizeof(reason)) != IRR_OK) {
        return irr_cli_complain("--hosts: %s", reason);
    }
    if (code == IRR_CLI_GOOD && options->ranks == 0 && options->load == NULL &&
        irr_tool_source(options) == options->pattern && irr_tool_topology_ranks(input) > IRR_TOOL_RANKS_MAX) {
        return irr_cli_complain("%.256s: %d hosts, irr_plan plans for at most %d ranks; --ranks or --hosts takes some",
                                options->topology, irr_tool_topology_ranks(input), IRR_TOOL_RANKS_MAX);
    }
    return code == IRR_CLI_GOOD ? doubt_speeds(options->topology, &input->topology) : code;
}

int irr_tool_topology_ranks(const irr_tool_input_t *input)
{
    return input->hosts.count > 0 ? (int)input->hosts.count : input->topology.hosts;
}

/* Places the ranks on the hosts in the order of the file. */
static void fill_hosts(const irr_topology_t *topology, int ranks, int *host_of)
{
    for (int r = 0; r < ranks; r++) {
        host_of[r] = ranks <= topology->hosts ? r : (int)((int64_t)r * topology->hosts / ranks);
    }
}

static irr_cli_exit_t take_list(const irr_tool_options_t *options, const irr_tool_input_t *input, int *host_of)
{
    const char *const *names = (const char *const *)input->hosts.list;
    const int ranks = input->matrix.ranks;
    char reason[256];

    if (input->hosts.count != (size_t)ranks) {
        return irr_cli_complain("--hosts has %zu names for %d ranks: there must be one each", input->hosts.count,
                                ranks);
    }
    if (irr_placement(&input->topology, names, ranks, host_of, reason, sizeof(reason)) != IRR_OK) {
        return irr_cli_complain("%.256s: %s", options->topology, reason);
    }
    return IRR_CLI_GOOD;
}

irr_cli_exit_t irr_tool_topology_place(const irr_tool_options_t *options, irr_tool_input_t *input)
{
    const int ranks = input->matrix.ranks;
    irr_cli_exit_t code = IRR_CLI_GOOD;
    irr_topology_t part;
    irr_status_t status;

    input->host_of = malloc((size_t)ranks * sizeof(*input->host_of));
    if (input->host_of == NULL) {
        return irr_cli_complain("%s", irr_status_text(IRR_ERR_NO_MEMORY));
    }
    if (input->hosts.count > 0) {
        code = take_list(options, input, input->host_of);
    } else {
        fill_hosts(&input->topology, ranks, input->host_of);
    }
    if (code != IRR_CLI_GOOD) {
        return code;
    }
    status = irr_topology_cut(&input->topology, ranks, input->host_of, &part);
    if (status == IRR_OK) {
        irr_topology_fini(&input->topology);
        input->topology = part;
        status = irr_tree_init(&input->tree, &part, input->host_of, ranks);
    }
    return irr_cli_status(status, "%.256s", options->topology);
}
