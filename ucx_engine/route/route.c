/*
 * route.c - the table of routes.
 */
#include "route/route.h"

const irr_route_t irr_route_grid = { .name = "grid" };
const irr_route_t irr_route_node = { .name = "node" };

static const irr_route_t *const routes[] = {
    &irr_route_direct,
    &irr_route_grid,
    &irr_route_node,
};

const irr_route_t *irr_route_at(int i)
{
    return i >= 0 && i < (int)(sizeof(routes) / sizeof(routes[0])) ? routes[i] : NULL;
}
