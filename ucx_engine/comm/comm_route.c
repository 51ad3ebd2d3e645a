/*
 * comm_route.c - a direct route needs room for its plan and the executor's; a grid route a relay, and the nodes if it
 * follows them; an order that needs the count matrix what finds schedules.  See comm_route.h.
 */
#include "comm/comm_route.h"

#include "core/alloc.h"
#include "plan/algorithms.h"
#include "problem/placement.h"

#include <string.h>

/* What exchanges without a schedule go by. */
static const irr_algorithm_t *row_of(const irr_settings_t *settings, int ranks)
{
    return irr_algorithm_resolve(irr_algorithm_alone(settings->algorithm), ranks);
}

bool irr_comm_route_needs_labels(const irr_comm_params_t *params, const irr_comm_files_t *files)
{
    return files->topology.hosts > 0 || row_of(&params->settings, params->ranks)->shape == IRR_SHAPE_NODES;
}

bool irr_comm_route_lacks(const irr_settings_t *settings)
{
    return irr_algorithm_scheduled(settings->algorithm) == irr_scheduled_find("redist") &&
           settings->scheduled.redistribution.p == 0;
}

bool irr_comm_route_fits(const irr_settings_t *settings, int ranks)
{
    const irr_algorithm_t *row = row_of(settings, ranks);
    irr_grid_t grid;

    return row->shape == IRR_SHAPE_NONE || row->shape == IRR_SHAPE_NODES ||
           irr_algorithm_grid(row, ranks, &settings->dims, NULL, &grid) == IRR_OK;
}

/* Of a schedule: one from a file runs under an algorithm that has none. */
static irr_pacing_t scheduled_pacing(const irr_settings_t *settings, int ranks)
{
    irr_pacing_t pacing = irr_algorithm_pacing(settings, ranks);

    return settings->pace == IRR_PACE_AUTO && pacing == IRR_PACE_FREE ? IRR_PACE_LOOSE : pacing;
}

const char *irr_comm_algorithm(const irr_comm_t *comm)
{
    const irr_scheduled_t *scheduled = irr_algorithm_scheduled(comm->settings.algorithm);

    return scheduled != NULL ? scheduled->name : row_of(&comm->settings, comm->ranks)->name;
}

const irr_pace_t *irr_comm_pace(const irr_comm_t *comm)
{
    irr_pacing_t pacing = irr_algorithm_pacing(&comm->settings, comm->ranks);

    return irr_pace_of(pacing == IRR_PACE_SYNC ? IRR_PACE_LOOSE : pacing);
}

/* Room for the pace of exchanges without a schedule, and for loose, by which a trial may find that they go best. */
static irr_status_t init_direct(irr_comm_t *comm)
{
    const irr_plan_bounds_t plain = irr_plan_bounds(comm->algorithm, comm->ranks);
    const irr_pace_t *const paces[] = { irr_comm_pace(comm), &irr_pace_loose };
    const irr_pace_params_t params = { .grants = comm->settings.grants };
    irr_status_t status = IRR_OK;

    for (size_t i = 0; i < sizeof(paces) / sizeof(paces[0]) && status == IRR_OK; i++) {
        irr_plan_bounds_t bounds = irr_pace_bounds(paces[i], &params, plain);

        status = irr_plan_reserve(&comm->plan, bounds);
        if (status == IRR_OK) {
            status = irr_exec_reserve(&comm->exec, bounds);
        }
    }
    return status;
}

static irr_status_t init_grid(irr_comm_t *comm, const irr_algorithm_t *row, const int *labels)
{
    const irr_settings_t *settings = &comm->settings;
    irr_grid_t grid;
    irr_status_t status = IRR_OK;

    if (labels != NULL) {
        status = irr_nodes_init(&comm->nodes, comm->ranks, labels);
    }
    if (status == IRR_OK) {
        status = irr_algorithm_grid(row, comm->ranks, &settings->dims, labels != NULL ? &comm->nodes : NULL, &grid);
    }
    if (status == IRR_OK) {
        status = irr_relay_init(&comm->relay, &grid, comm->ranks, comm->rank, settings->slice_min,
                                settings->overlap);
    }
    return status;
}

/* So many hosts as matter: 1, or 2 for several. */
static int count_hosts(const int *labels, int ranks)
{
    for (int i = 1; i < ranks; i++) {
        if (labels[i] != labels[0]) {
            return 2;
        }
    }
    return 1;
}

/* The tree of the hosts and switches that this communicator's ranks use. */
static irr_status_t init_tree(irr_comm_t *comm, const int *labels, const irr_topology_t *topology)
{
    int *host_of = irr_alloc((size_t)comm->ranks, sizeof(*host_of));
    irr_topology_t part;
    irr_status_t status = IRR_ERR_NO_MEMORY;

    if (host_of != NULL) {
        memcpy(host_of, labels, (size_t)comm->ranks * sizeof(*host_of));
        status = irr_topology_cut(topology, comm->ranks, host_of, &part);
    }
    if (status == IRR_OK) {
        status = irr_tree_init(&comm->tree, &part, host_of, comm->ranks);
        irr_topology_fini(&part);
    }
    if (status == IRR_OK) {
        comm->settings.scheduled.tree = &comm->tree;
    }
    irr_free(host_of);
    return status;
}

/* What finds schedules, and remembers for which blocks the plan was made. */
static irr_status_t init_schedules(irr_comm_t *comm, const irr_schedule_t *file)
{
    const irr_scheduled_t *scheduled = irr_algorithm_scheduled(comm->settings.algorithm);
    irr_status_t status = irr_schedules_init(&comm->schedules, scheduled, &comm->settings, comm->ranks, comm->rank,
                                             scheduled_pacing(&comm->settings, comm->ranks), &comm->plan,
                                             &comm->exec);

    if (status == IRR_OK && file->ranks == comm->ranks) {
        status = irr_schedules_pin(&comm->schedules, file);
    }
    return status == IRR_OK ? irr_blocks_memory_reserve(&comm->blocks, 2 * (size_t)comm->ranks) : status;
}

irr_status_t irr_comm_route_init(irr_comm_t *comm, const int *labels, const irr_comm_files_t *files)
{
    const bool placed = files->topology.hosts > 0;
    const irr_algorithm_t *row;
    irr_status_t status;

    if (placed) {
        comm->settings.algorithm = irr_algorithm_on_hosts(comm->settings.algorithm, count_hosts(labels, comm->ranks));
    }
    row = row_of(&comm->settings, comm->ranks);
    comm->algorithm = irr_algorithm_alone(comm->settings.algorithm);
    comm->direct = row->route != NULL;
    comm->agrees = irr_consensus_init(&comm->consensus, comm->ranks, comm->rank) == IRR_OK;
    status = comm->direct ? init_direct(comm) : init_grid(comm, row, labels);
    if (status == IRR_OK && placed) {
        status = init_tree(comm, labels, &files->topology);
    }
    if (status == IRR_OK) {
        status = init_schedules(comm, &files->schedule);
    }
    if (status != IRR_OK) {
        irr_comm_route_fini(comm);
    }
    return status;
}

void irr_comm_route_fini(irr_comm_t *comm)
{
    irr_schedules_fini(&comm->schedules);
    irr_tree_fini(&comm->tree);
    irr_free(comm->scratch);
    comm->scratch = NULL;
    irr_grid_plan_fini(&comm->frozen);
    irr_relay_fini(&comm->relay);
    irr_nodes_fini(&comm->nodes);
    irr_exec_fini(&comm->exec);
    irr_blocks_memory_fini(&comm->blocks);
    irr_plan_fini(&comm->plan);
}
