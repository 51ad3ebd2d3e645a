/*
 * topology_speed.c - links of different speeds; see topology.h.
 *
 * A rank sends one message at a time, so no message is faster than the link of its host.  Measured by the slowest
 * of those links that ranks use, a link that is c times as fast carries c messages at a time, and none is slowed
 * down.
 */
#include "problem/topology.h"

__extension__ typedef unsigned __int128 wide_t;

uint64_t irr_topology_base(const irr_topology_t *topology, const int *host_of, int ranks)
{
    uint64_t base = UINT64_MAX;

    for (int r = 0; r < ranks; r++) {
        const uint64_t speed = irr_topology_speed(topology, host_of != NULL ? host_of[r] : r);

        base = speed < base ? speed : base;
    }
    return base;
}

uint64_t irr_topology_capacity(uint64_t speed, uint64_t base)
{
    return speed > base ? speed / base : 1;
}

uint64_t irr_topology_load(uint64_t bytes, uint64_t speed, uint64_t base)
{
    const wide_t product = (wide_t)bytes * base, load = product / speed + (product % speed != 0);

    return load < UINT64_MAX ? (uint64_t)load : UINT64_MAX;
}
