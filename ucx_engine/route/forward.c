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

static size_t places_of(const irr_forward_t *forward)
{
    const int place = forward->nodes->place[forward->rank];

    return (size_t)mates_of(forward) * (size_t)(forward->first[place + 1] - forward->first[place]) + 1;
}

/* Zeroed, but for who serves whom. */
static irr_status_t open_forward(irr_forward_t *forward, const irr_nodes_t *nodes, int rank)
{
    const size_t ranks = (size_t)nodes->ranks;
    irr_forward_t made = { .nodes = nodes, .rank = rank };

    made.served = irr_alloc(ranks, sizeof(*made.served));
    made.first = irr_alloc(ranks + 1, sizeof(*made.first));
    made.expected = irr_alloc_zero(ranks, sizeof(*made.expected));
    made.parts = irr_alloc(ranks + 1, sizeof(*made.parts));
    made.deps = irr_alloc(ranks, sizeof(*made.deps));
    if (made.served != NULL && made.first != NULL && made.expected != NULL && made.parts != NULL &&
        made.deps != NULL) {
        list_served(&made);
        made.at = irr_alloc_zero(places_of(&made), sizeof(*made.at));
    }
    if (made.at == NULL) {
        irr_forward_fini(&made);
        return IRR_ERR_NO_MEMORY;
    }
    *forward = made;
    return IRR_OK;
}

/* Does this rank of the node send to that one of another? */
static bool serves(const irr_nodes_t *nodes, int rank, int to)
{
    const int node = nodes->node[rank];

    return nodes->node[to] != node && irr_forward_server(nodes, node, to) == rank;
}

size_t irr_forward_count(const irr_nodes_t *nodes, int rank)
{
    size_t served = 0;

    for (int to = 0; to < nodes->ranks; to++) {
        served += serves(nodes, rank, to);
    }
    return (size_t)nodes->ranks + served * (size_t)irr_nodes_size(nodes, nodes->node[rank]);
}

/* What a rank has for those whom it serves itself stays in INPUT, and counts as nothing. */
void irr_forward_lengths(const irr_nodes_t *nodes, const irr_matrix_t *matrix, int rank, uint64_t *lengths)
{
    const int node = nodes->node[rank];

    for (int from = 0; from < matrix->ranks; from++) {
        *lengths++ = from != rank ? *irr_matrix_at(matrix, from, rank) : 0;
    }
    for (int i = nodes->first[node]; i < nodes->first[node + 1]; i++) {
        const int mate = nodes->members[i];

        for (int to = 0; to < matrix->ranks; to++) {
            if (serves(nodes, rank, to)) {
                *lengths++ = mate != rank ? *irr_matrix_at(matrix, mate, to) : 0;
            }
        }
    }
}

static void lay_out(irr_forward_t *forward, const uint64_t *lengths)
{
    const size_t ranks = (size_t)forward->nodes->ranks, places = places_of(forward);

    for (size_t from = 0; from < ranks; from++) {
        forward->expected[from] = (size_t)lengths[from];
        forward->spill = lengths[from] > forward->spill ? (size_t)lengths[from] : forward->spill;
    }
    for (size_t i = 0; i + 1 < places; i++) {
        forward->at[i + 1] = forward->at[i] + (size_t)lengths[ranks + i];
    }
}

irr_status_t irr_forward_init_with(irr_forward_t *forward, const irr_nodes_t *nodes, const uint64_t *lengths, int rank)
{
    irr_status_t status = open_forward(forward, nodes, rank);

    if (status == IRR_OK) {
        lay_out(forward, lengths);
    }
    return status;
}

irr_status_t irr_forward_init(irr_forward_t *forward, const irr_nodes_t *nodes, const irr_matrix_t *matrix, int rank)
{
    uint64_t *lengths = irr_alloc(irr_forward_count(nodes, rank), sizeof(*lengths));
    irr_status_t status = IRR_ERR_NO_MEMORY;

    if (lengths != NULL) {
        irr_forward_lengths(nodes, matrix, rank, lengths);
        status = irr_forward_init_with(forward, nodes, lengths, rank);
    }
    irr_free(lengths);
    return status;
}

bool irr_forward_fits(const irr_forward_t *forward, const irr_schedule_t *own)
{
    const irr_nodes_t *nodes = forward->nodes;
    bool good = true;

    for (size_t i = 0; i < own->count && good; i++) {
        const irr_transmission_t *t = &own->list[i];

        good = t->from == forward->rank ? serves(nodes, t->from, t->to) : nodes->node[t->from] != nodes->node[t->to];
    }
    return good;
}

void irr_forward_fini(irr_forward_t *forward)
{
    irr_free(forward->at);
    irr_free(forward->deps);
    irr_free(forward->parts);
    irr_free(forward->expected);
    irr_free(forward->first);
    irr_free(forward->served);
    memset(forward, 0, sizeof(*forward));
}

size_t irr_forward_bytes(const irr_forward_t *forward)
{
    const size_t each = sizeof(*forward->served) + sizeof(*forward->first) + sizeof(*forward->expected) +
                        sizeof(*forward->parts) + sizeof(*forward->deps);

    return forward->nodes != NULL
               ? (size_t)forward->nodes->ranks * each + places_of(forward) * sizeof(*forward->at) : 0;
}

size_t irr_forward_scratch(const irr_forward_t *forward)
{
    return forward->nodes != NULL ? forward->at[places_of(forward) - 1] + forward->spill : 0;
}
