/*
 * comm_route.c - allocates the objects that an algorithm needs; see comm_route.h. If all messages are sent directly, an
 * exchange needs a plan (the list of its steps) and the executor, which runs it. If ranks forward messages along a
 * grid, the communicator needs a relay, which builds the plan during the exchange. If rank 0 computes a schedule from
 * the counts of all ranks, the communicator needs irr_schedules_t.
 */
#include "comm/comm_route.h"

#include "comm/exchange.h"

#include "choose/candidates.h"
#include "core/alloc.h"
#include "problem/placement.h"

#include <string.h>

bool irr_comm_route_needs_labels(const irr_comm_params_t *params, const irr_comm_files_t *files)
{
    const irr_strategy_t strategy = irr_strategy_of(&params->settings, 1);

    return files->topology.hosts > 0 || strategy.route == &irr_route_node || strategy.order->uses_tree;
}

bool irr_comm_route_lacks(const irr_settings_t *settings)
{
    return irr_strategy_of(settings, 1).order == &irr_order_redistribution && settings->scheduled.redistribution.p == 0;
}

bool irr_comm_route_fits(const irr_settings_t *settings, int ranks)
{
    const irr_strategy_t strategy = irr_strategy_of(settings, 1);
    irr_grid_t grid;

    return strategy.route != &irr_route_grid || irr_strategy_grid(&strategy, ranks, NULL, &grid) == IRR_OK;
}

const char *irr_comm_algorithm(const irr_comm_t *comm)
{
    return irr_algorithm_name(comm->settings.algorithm);
}

int irr_comm_strategies(const irr_comm_t *comm, irr_candidate_t *list)
{
    const irr_schedules_t *schedules = &comm->schedules;

    return irr_candidates_paced(&comm->settings, &schedules->strategy, comm->settings.algorithm,
                                irr_schedules_routes(schedules, &comm->settings), comm->ranks, list);
}

static irr_status_t init_grid(irr_comm_t *comm, const int *labels)
{
    const irr_strategy_t *strategy = &comm->unscheduled;
    irr_grid_t grid;
    irr_status_t status = irr_strategy_grid(strategy, comm->ranks, labels != NULL ? &comm->nodes : NULL, &grid);

    if (status == IRR_OK) {
        status = irr_relay_init(&comm->relay, &grid, comm->ranks, comm->rank, strategy->slice_min, strategy->overlap);
    }
    return status;
}

/* Returns 1 if all ranks are on one host, and 2 if they are on two or more. */
static int count_hosts(const int *labels, int ranks)
{
    for (int i = 1; i < ranks; i++) {
        if (labels[i] != labels[0]) {
            return 2;
        }
    }
    return 1;
}

/* Makes the tree of switches from the part of the topology that has the hosts of this communicator. */
static irr_status_t init_tree(irr_comm_t *comm, const int *labels, const irr_topology_t *topology)
{
    int *host_of = irr_alloc((size_t)comm->ranks, sizeof(*host_of));
    irr_topology_t subtree;
    irr_status_t status = IRR_ERR_NO_MEMORY;

    if (host_of != NULL) {
        memcpy(host_of, labels, (size_t)comm->ranks * sizeof(*host_of));
        status = irr_topology_cut(topology, comm->ranks, host_of, &subtree);
    }
    if (status == IRR_OK) {
        status = irr_tree_init(&comm->tree, &subtree, host_of, comm->ranks);
        irr_topology_fini(&subtree);
    }
    if (status == IRR_OK) {
        comm->settings.scheduled.tree = &comm->tree;
    }
    irr_free(host_of);
    return status;
}

/* Prepares to find and run schedules. file: the schedule from a file, in which ranks do not forward messages. */
static irr_status_t init_schedules(irr_comm_t *comm, const irr_strategy_t *strategy, const irr_schedule_t *file)
{
    const bool given = file->ranks == comm->ranks;
    irr_settings_t *settings = &comm->settings;
    irr_status_t status;

    if (given && settings->host_route == IRR_HOST_ROUTE_AUTO) {
        settings->host_route = IRR_HOST_ROUTE_DIRECT;
    }
    status = irr_schedules_init(&comm->schedules, strategy, settings, comm->ranks, comm->rank, &comm->agreement);
    if (status == IRR_OK && given) {
        status = irr_schedules_pin(&comm->schedules, file);
    }
    return status;
}

/*
 * Initializes the all-reduce by which ranks agree during exchanges. If there are several nodes and a node has several
 * ranks, one rank of each node exchanges messages with the other nodes.
 */
static irr_status_t init_agreement(irr_comm_t *comm)
{
    const bool leads = comm->nodes.count > 1 && comm->nodes.largest > 1;

    return irr_allreduce_init(&comm->agreement, comm->ranks, comm->rank, leads ? &comm->nodes : NULL);
}

irr_status_t irr_comm_route_init(irr_comm_t *comm, const int *labels, const irr_comm_files_t *files)
{
    const bool placed = files->topology.hosts > 0;
    const int hosts = placed ? count_hosts(labels, comm->ranks) : 1;
    const irr_strategy_t strategy = irr_strategy_of(&comm->settings, hosts);
    irr_status_t status;

    comm->settings.algorithm = irr_algorithm_resolve(comm->settings.algorithm, hosts);
    comm->unscheduled = irr_strategy_unscheduled(&strategy);
    status = comm->nodes.ranks == 0 ? irr_nodes_init(&comm->nodes, comm->ranks, comm->labels) : IRR_OK;
    if (status == IRR_OK) {
        status = init_agreement(comm);
    }
    if (status == IRR_OK && !irr_strategy_is_local(&comm->unscheduled)) {
        status = init_grid(comm, labels);
    }
    if (status == IRR_OK && placed) {
        status = init_tree(comm, labels, &files->topology);
    }
    if (status == IRR_OK) {
        status = init_schedules(comm, &strategy, &files->schedule);
    }
    comm->serial = !irr_strategy_is_local(&comm->unscheduled) || irr_schedules_looks_up(&comm->schedules);
    if (status == IRR_OK) {
        status = irr_exchange_create(comm, &comm->exchange);
    }
    if (status != IRR_OK) {
        irr_comm_route_fini(comm);
    }
    return status;
}

void irr_comm_route_fini(irr_comm_t *comm)
{
    irr_exchange_free_spare(comm);
    irr_exchange_free(comm->exchange);
    comm->exchange = NULL;
    irr_run_fini(&comm->run);
    irr_schedules_fini(&comm->schedules);
    irr_allreduce_fini(&comm->agreement);
    irr_tree_fini(&comm->tree);
    irr_relay_fini(&comm->relay);
    irr_nodes_fini(&comm->nodes);
}
