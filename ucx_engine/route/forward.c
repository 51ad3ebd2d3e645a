/*
 * forward.c - who serves whom, what is forwarded, and where it lies meanwhile; see forward.h.
 */
#include "route/forward.h"

#include "core/alloc.h"
#include "order/messages.h"

#include <string.h>

const char *irr_host_route_name(int i)
{
#define HOST_ROUTE_TEXT(name, text, meaning) text,
    static const char *const names[] = { IRR_HOST_ROUTE_MAP(HOST_ROUTE_TEXT) };
#undef HOST_ROUTE_TEXT

    return i >= 0 && i < IRR_HOST_ROUTE_COUNT ? names[i] : NULL;
}

irr_status_t irr_forward_matrix(const irr_nodes_t *nodes, const irr_matrix_t *matrix, irr_matrix_t *forwarded)
{
    irr_matrix_t made;
    irr_status_t status;
    uint64_t bytes;

    if (matrix->ranks != nodes->ranks || irr_messages_bytes(matrix, &bytes) != IRR_OK) {
        return IRR_ERR_BAD_PARAM;
    }
    status = irr_matrix_init(&made, matrix->ranks);
    if (status != IRR_OK) {
        return status;
    }
    for (int from = 0; from < matrix->ranks; from++) {
        for (int to = 0; to < matrix->ranks; to++) {
            if (nodes->node[from] != nodes->node[to]) {
                const int server = irr_forward_server(nodes, nodes->node[from], to);

                *irr_matrix_at(&made, server, to) += *irr_matrix_at(matrix, from, to);
            }
        }
    }
    *forwarded = made;
    return IRR_OK;
}

/* ---- the part of a rank ---- */

static int mates_of(const irr_forward_t *forward)
{
    return irr_nodes_size(forward->nodes, forward->nodes->node[forward->rank]);
}

/* Each rank of another node has one server here. */
static void list_served(irr_forward_t *forward)
{
    const irr_nodes_t *nodes = forward->nodes;
    const int node = nodes->node[forward->rank], mates = mates_of(forward);
    int count = 0;

    for (int place = 0; place < mates; place++) {
        forward->first[place] = count;
        for (int to = 0; to < nodes->ranks; to++) {
            if (nodes->node[to] != node && nodes->place[irr_forward_server(nodes, node, to)] == place) {
                forward->served[count++] = to;
            }
        }
    }
    forward->first[mates] = count;
}

/* What a rank has for those whom it serves itself stays in INPUT. */
static void lay_out(irr_forward_t *forward, const irr_matrix_t *matrix)
{
    const irr_nodes_t *nodes = forward->nodes;
    const int place = nodes->place[forward->rank], mates = mates_of(forward);
    const int *members = &nodes->members[nodes->first[nodes->node[forward->rank]]];
    size_t *at = forward->at, next = 0;

    for (int mate = 0; mate < mates; mate++) {
        for (int i = forward->first[place]; i < forward->first[place + 1]; i++) {
            *at++ = next;
            next += mate != place ? (size_t)*irr_matrix_at(matrix, members[mate], forward->served[i]) : 0;
        }
    }
    *at = next;
}

static void expect(irr_forward_t *forward, const irr_matrix_t *matrix)
{
    for (int from = 0; from < matrix->ranks; from++) {
        const size_t bytes = from != forward->rank ? (size_t)*irr_matrix_at(matrix, from, forward->rank) : 0;

        forward->expected[from] = bytes;
        forward->spill = bytes > forward->spill ? bytes : forward->spill;
    }
}

static size_t places_of(const irr_forward_t *forward)
{
    const int place = forward->nodes->place[forward->rank];

    return (size_t)mates_of(forward) * (size_t)(forward->first[place + 1] - forward->first[place]) + 1;
}

irr_status_t irr_forward_init(irr_forward_t *forward, const irr_nodes_t *nodes, const irr_matrix_t *matrix, int rank)
{
    const size_t ranks = (size_t)nodes->ranks;
    irr_forward_t made = { .nodes = nodes, .rank = rank };

    made.served = irr_alloc(ranks, sizeof(*made.served));
    made.first = irr_alloc(ranks + 1, sizeof(*made.first));
    made.expected = irr_alloc(ranks, sizeof(*made.expected));
    made.pieces = irr_alloc(ranks + 1, sizeof(*made.pieces));
    made.deps = irr_alloc(ranks, sizeof(*made.deps));
    if (made.served != NULL && made.first != NULL && made.expected != NULL && made.pieces != NULL &&
        made.deps != NULL) {
        list_served(&made);
        made.at = irr_alloc(places_of(&made), sizeof(*made.at));
    }
    if (made.at == NULL) {
        irr_forward_fini(&made);
        return IRR_ERR_NO_MEMORY;
    }
    lay_out(&made, matrix);
    expect(&made, matrix);
    *forward = made;
    return IRR_OK;
}

void irr_forward_fini(irr_forward_t *forward)
{
    irr_free(forward->at);
    irr_free(forward->deps);
    irr_free(forward->pieces);
    irr_free(forward->expected);
    irr_free(forward->first);
    irr_free(forward->served);
    memset(forward, 0, sizeof(*forward));
}

size_t irr_forward_bytes(const irr_forward_t *forward)
{
    const size_t each = sizeof(*forward->served) + sizeof(*forward->first) + sizeof(*forward->expected) +
                        sizeof(*forward->pieces) + sizeof(*forward->deps);

    return forward->nodes != NULL
               ? (size_t)forward->nodes->ranks * each + places_of(forward) * sizeof(*forward->at) : 0;
}

size_t irr_forward_scratch(const irr_forward_t *forward)
{
    return forward->nodes != NULL ? forward->at[places_of(forward) - 1] + forward->spill : 0;
}
