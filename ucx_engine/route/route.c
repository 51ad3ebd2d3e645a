/*
 * route.c - the table of routes.
 */
#include "route/route.h"

static const irr_route_t *const routes[] = {
    &irr_route_direct,
};

const irr_route_t *irr_route_at(int i)
{
    return i >= 0 && i < (int)(sizeof(routes) / sizeof(routes[0])) ? routes[i] : NULL;
}
