/*
 * links.c - see links.h.
 *
 * Messages are sorted by stage and step.  Both ends of a message climb to where their ways meet, the deeper one
 * first.  A directed link counts the messages of the step that last used it, so that a step is one case however
 * many come.
 */
#include "study/links.h"

#include "core/alloc.h"

#include <stdlib.h>

__extension__ typedef unsigned __int128 wide_t;

typedef struct message {
    int    stage, step, from, to;   /* from and to are hosts */
    size_t bytes;
} message_t;

/* What used a directed link last. */
typedef struct last {
    size_t   group;     /* messages of a stage and a step, from 1 */
    uint64_t messages;  /* of them, that it carries */
} last_t;

typedef struct count {
    const irr_topology_t *topology;
    int                  *depth;
    uint64_t             *capacity;   /* by vertex: messages that its link carries at a time */
    last_t               *last[IRR_DIRECTIONS];
    message_t            *messages;
    size_t                nmessages;
    irr_links_t           links;
} count_t;

static int by_step(const void *a, const void *b)
{
    const message_t *x = a, *y = b;

    return x->stage != y->stage ? (x->stage > y->stage) - (x->stage < y->stage)
                                : (x->step > y->step) - (x->step < y->step);
}

/* Walks up from each vertex as far as the depth is not known, and down again. */
static void find_depths(count_t *count)
{
    const int *parent = count->topology->parent;

    for (int v = 0; v < count->topology->vertices; v++) {
        count->depth[v] = -1;
    }
    for (int v = 0; v < count->topology->vertices; v++) {
        int above = 0, up = v;

        for (; up >= 0 && count->depth[up] < 0; up = parent[up]) {
            above++;
        }
        above += up >= 0 ? count->depth[up] : -1;
        for (up = v; up >= 0 && count->depth[up] < 0; up = parent[up]) {
            count->depth[up] = above--;
        }
    }
}

static size_t count_steps(const irr_plans_t *plans)
{
    size_t steps = 0;

    for (int r = 0; r < plans->ranks; r++) {
        steps += plans->plans[r].nsteps;
    }
    return steps;
}

static void list_messages(const irr_plans_t *plans, const int *host_of, count_t *count)
{
    for (int r = 0; r < plans->ranks; r++) {
        for (size_t i = 0; i < plans->plans[r].nsteps; i++) {
            const irr_step_t *step = &plans->plans[r].steps[i];

            if (step->kind == IRR_STEP_SEND && step->peer >= 0 && step->peer < plans->ranks &&
                host_of[step->peer] != host_of[r]) {
                count->messages[count->nmessages++] = (message_t){
                    step->stage, step->number, host_of[r], host_of[step->peer], step->bytes
                };
            }
        }
    }
    qsort(count->messages, count->nmessages, sizeof(*count->messages), by_step);
}

static void cross(count_t *count, irr_link_t link, size_t bytes, size_t group)
{
    uint64_t *sum = &count->links.bytes[link.direction][link.vertex];
    last_t *last = &count->last[link.direction][link.vertex];

    *sum = bytes < UINT64_MAX - *sum ? *sum + bytes : UINT64_MAX;
    if (last->group != group) {
        *last = (last_t){ .group = group };
    }
    last->messages++;
    count->links.contention += last->messages == count->capacity[link.vertex] + 1;
}

static void walk(count_t *count, const message_t *message, size_t group)
{
    const int *parent = count->topology->parent;
    int up = message->from, down = message->to;

    while (up != down) {
        if (count->depth[up] >= count->depth[down]) {
            cross(count, (irr_link_t){ up, IRR_UP }, message->bytes, group);
            up = parent[up];
        } else {
            cross(count, (irr_link_t){ down, IRR_DOWN }, message->bytes, group);
            down = parent[down];
        }
    }
}

/* Is the first link busier, to the last byte?  Rounded loads could be equal where the links are not. */
static bool is_busier(const count_t *count, irr_link_t one, irr_link_t other)
{
    const irr_topology_t *topology = count->topology;
    const wide_t bytes = count->links.bytes[one.direction][one.vertex];

    if (other.vertex < 0) {
        return bytes > 0;
    }
    return bytes * irr_topology_speed(topology, other.vertex) >
           (wide_t)count->links.bytes[other.direction][other.vertex] * irr_topology_speed(topology, one.vertex);
}

static void find_busiest(count_t *count)
{
    irr_links_t *links = &count->links;

    links->busiest = (irr_link_t){ -1, IRR_UP };
    for (int v = 0; v < count->topology->vertices; v++) {
        for (irr_direction_t d = IRR_UP; d < IRR_DIRECTIONS; d++) {
            const irr_link_t link = { v, d };

            links->busiest = is_busier(count, link, links->busiest) ? link : links->busiest;
        }
    }
    links->load = links->busiest.vertex < 0 ? 0 : irr_link_load(links, count->topology, links->busiest);
}

static void find_capacities(count_t *count)
{
    for (int v = 0; v < count->topology->vertices; v++) {
        count->capacity[v] = irr_topology_capacity(irr_topology_speed(count->topology, v), count->links.base);
    }
}

static irr_status_t reserve(const irr_plans_t *plans, count_t *count)
{
    const size_t vertices = (size_t)count->topology->vertices;
    bool good = true;

    count->depth = irr_alloc(vertices, sizeof(*count->depth));
    count->capacity = irr_alloc(vertices, sizeof(*count->capacity));
    count->messages = irr_alloc(count_steps(plans), sizeof(*count->messages));
    for (irr_direction_t d = IRR_UP; d < IRR_DIRECTIONS; d++) {
        count->last[d] = irr_alloc_zero(vertices, sizeof(*count->last[d]));
        count->links.bytes[d] = irr_alloc_zero(vertices, sizeof(*count->links.bytes[d]));
        good = good && count->last[d] != NULL && count->links.bytes[d] != NULL;
    }
    good = good && count->depth != NULL && count->capacity != NULL && count->messages != NULL;
    return good ? IRR_OK : IRR_ERR_NO_MEMORY;
}

irr_status_t irr_links_count(const irr_plans_t *plans, const irr_topology_t *topology, const int *host_of,
                             irr_links_t *links)
{
    count_t count = { .topology = topology };
    irr_status_t status;
    size_t group = 0;

    for (int r = 0; r < plans->ranks; r++) {
        if (host_of[r] < 0 || host_of[r] >= topology->hosts) {
            return IRR_ERR_BAD_PARAM;
        }
    }
    count.links.base = irr_topology_base(topology, host_of, plans->ranks);
    status = reserve(plans, &count);
    if (status == IRR_OK) {
        find_capacities(&count);
        find_depths(&count);
        list_messages(plans, host_of, &count);
        for (size_t i = 0; i < count.nmessages; i++) {
            group += i == 0 || by_step(&count.messages[i - 1], &count.messages[i]) != 0;
            walk(&count, &count.messages[i], group);
        }
        find_busiest(&count);
    }
    irr_free(count.last[IRR_DOWN]);
    irr_free(count.last[IRR_UP]);
    irr_free(count.messages);
    irr_free(count.capacity);
    irr_free(count.depth);
    if (status != IRR_OK) {
        irr_links_fini(&count.links);
        return status;
    }
    *links = count.links;
    return IRR_OK;
}

void irr_links_fini(irr_links_t *links)
{
    irr_free(links->bytes[IRR_DOWN]);
    irr_free(links->bytes[IRR_UP]);
    *links = (irr_links_t){ .contention = 0 };
}

uint64_t irr_link_load(const irr_links_t *links, const irr_topology_t *topology, irr_link_t link)
{
    return irr_topology_load(links->bytes[link.direction][link.vertex], irr_topology_speed(topology, link.vertex),
                             links->base);
}
