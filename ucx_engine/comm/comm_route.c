/*
 * comm_route.c - a direct route needs room for its plan and the executor's; a grid route a relay, and the nodes if it
 * follows them.  See comm_route.h.
 */
#include "comm/comm_route.h"

#include "core/alloc.h"
#include "plan/algorithms.h"

bool irr_comm_route_needs_nodes(const irr_settings_t *settings, int ranks)
{
    const irr_algorithm_t *row = irr_algorithm_resolve(settings->algorithm, ranks);

    return row != NULL && row->shape == IRR_SHAPE_NODES;
}

bool irr_comm_route_fits(const irr_settings_t *settings, int ranks)
{
    const irr_algorithm_t *row = irr_algorithm_resolve(settings->algorithm, ranks);
    irr_grid_t grid;

    return row->shape == IRR_SHAPE_NONE || row->shape == IRR_SHAPE_NODES ||
           irr_algorithm_grid(row, ranks, &settings->dims, NULL, &grid) == IRR_OK;
}

const irr_pace_t *irr_comm_pace(const irr_comm_t *comm)
{
    return irr_pace_of(irr_algorithm_pacing(&comm->settings, comm->ranks));
}

static irr_status_t init_direct(irr_comm_t *comm)
{
    irr_plan_bounds_t bounds = irr_plan_bounds(comm->settings.algorithm, comm->ranks);
    irr_status_t status = irr_plan_reserve(&comm->plan, bounds);

    comm->blocks = irr_alloc_zero(2 * (size_t)comm->ranks, sizeof(*comm->blocks));
    if (comm->blocks == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    return status == IRR_OK ? irr_exec_reserve(&comm->exec, bounds, irr_comm_pace(comm)) : status;
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

irr_status_t irr_comm_route_init(irr_comm_t *comm, const int *labels)
{
    const irr_algorithm_t *row = irr_algorithm_resolve(comm->settings.algorithm, comm->ranks);
    irr_status_t status;

    comm->direct = row->route != NULL;
    status = comm->direct ? init_direct(comm) : init_grid(comm, row, labels);
    if (status != IRR_OK) {
        irr_comm_route_fini(comm);
    }
    return status;
}

void irr_comm_route_fini(irr_comm_t *comm)
{
    irr_free(comm->scratch);
    comm->scratch = NULL;
    irr_grid_plan_fini(&comm->frozen);
    irr_relay_fini(&comm->relay);
    irr_nodes_fini(&comm->nodes);
    irr_exec_fini(&comm->exec);
    irr_free(comm->blocks);
    comm->blocks = NULL;
    irr_plan_fini(&comm->plan);
}
