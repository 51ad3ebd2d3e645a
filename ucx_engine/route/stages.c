/*
 * stages.c - computes, for each stage of a grid route, to which ranks a rank sends and from which it receives; see
 * stages.h.
 *
 * Without nodes, a rank has a slot for each column of its group (grid.h), and order/priority.c determines the step.
 *
 * With nodes and two dimensions, each node has a leader for each rank r of another node (irr_nodes_rank_leader).  The
 * leader forwards the messages of its node to r.  With n ranks on its node, a rank leads for every n-th rank of another
 * node.  In the first stage all messages stay inside the nodes.  In the second stage a rank sends messages to each
 * other node: several if that node is larger than its own node, otherwise at most one.  Let w =
 * ceil(largest / smallest) for the sizes of nodes.  The message to the rank with index j of a node that is d nodes
 * ahead is sent in step (d - 1) * w + j / n + 1.  No two senders to a rank have the same d, so they send to it in
 * different steps.
 *
 * With nodes and three dimensions, leaders (irr_nodes_leader) exchange one message for each pair of nodes:
 *
 *     first   each rank sends to each other rank of its node the block for that rank; to a leader it also sends the
 *             blocks for the nodes for which the leader leads
 *     second  each leader sends to the leaders of these nodes; the step is the distance between the nodes
 *     third   each leader sends to each other rank of its node; ranks that are no leaders only receive
 *
 * Messages between ranks of one node travel directly, and so do messages between two nodes that have one rank each.
 */
#include "route/stages.h"

#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- tables of a stage ---- */

static irr_status_t make_room(irr_stage_t *stage, int slots, int senders, int nodes)
{
    stage->slots = slots;
    return IRR_ALLOC_ARRAYS(((irr_array_t[]){
        IRR_ARRAY(stage->peer, (size_t)slots), IRR_ARRAY(stage->number, (size_t)slots),
        IRR_ARRAY(stage->sender, (size_t)senders), IRR_ARRAY(stage->sender_number, (size_t)senders),
        IRR_ARRAY(stage->node_slot, (size_t)nodes) }));
}

/* Inserts a sender into the list sorted by step.  Senders are inserted in nearly sorted order. */
static void add_sender(irr_stage_t *stage, int rank, int number)
{
    int i = stage->senders++;

    for (; i > 0 && stage->sender_number[i - 1] > number; i--) {
        stage->sender[i] = stage->sender[i - 1];
        stage->sender_number[i] = stage->sender_number[i - 1];
    }
    stage->sender[i] = rank;
    stage->sender_number[i] = number;
}

static irr_status_t tabulate_level(irr_stage_t *stage, int ranks)
{
    const irr_grid_level_t *level = &stage->level;
    int member, columns;
    irr_status_t status;

    stage->level = irr_grid_level(stage->grid, ranks, stage->dimension, stage->rank);
    columns = level->rows.columns;
    member = irr_grid_member(level, stage->rank);
    /* the senders are members of this rank's row or of the incomplete row */
    status = make_room(stage, columns, columns + level->rows.rest, 0);
    if (status != IRR_OK) {
        return status;
    }
    stage->own = member % columns;
    for (int column = 0; column < columns; column++) {
        bool own = column == stage->own;

        stage->peer[column] = own ? stage->rank : irr_grid_rank(level, irr_grid_hop(level, member, column));
        stage->number[column] = own ? 0 : irr_priority_step(level->rows, member, column);
    }
    for (int k = 1; k < level->size; k++) {
        int from = (member - k + level->size) % level->size;

        if (from % columns != stage->own && irr_grid_hop(level, from, stage->own) == member) {
            add_sender(stage, irr_grid_rank(level, from), irr_priority_step(level->rows, from, stage->own));
        }
    }
    return IRR_OK;
}

/* ---- nodes ---- */

/* Fills a stage within nodes, in which the first `sending` ranks of the node send to all ranks of the node. */
static irr_status_t tabulate_inside(irr_stage_t *stage, int sending)
{
    const irr_nodes_t *nodes = stage->grid->nodes;
    const int node = irr_nodes_of(nodes, stage->rank), index = irr_nodes_index(nodes, stage->rank);
    const int size = irr_nodes_size(nodes, node);
    const bool sends = index < sending;
    irr_status_t status = make_room(stage, sends ? size : 1, size, 0);

    if (status != IRR_OK) {
        return status;
    }
    stage->own = sends ? index : 0;
    stage->peer[stage->own] = stage->rank;
    for (int k = 1; k < size; k++) {
        const int to = (index + k) % size, from = (index - k + size) % size;

        if (sends) {
            stage->peer[to] = irr_nodes_member(nodes, node, to);
            stage->number[to] = k;
        }
        if (from < sending) {
            add_sender(stage, irr_nodes_member(nodes, node, from), k);
        }
    }
    return IRR_OK;
}

/* Fills a stage between leaders: a slot and a sender for each node for which this rank leads. */
static irr_status_t tabulate_between(irr_stage_t *stage)
{
    const irr_nodes_t *nodes = stage->grid->nodes;
    const int node = irr_nodes_of(nodes, stage->rank), others = nodes->count - 1;
    irr_status_t status = make_room(stage, others + 1, others, 0);

    if (status != IRR_OK) {
        return status;
    }
    stage->slots = 1;
    stage->peer[0] = stage->rank;
    for (int i = irr_nodes_index(nodes, stage->rank); i < others; i += irr_nodes_size(nodes, node)) {
        const int other = irr_nodes_after(nodes, node, i);
        const int leader = irr_nodes_member(nodes, other, irr_nodes_leader(nodes, other, node));

        stage->peer[stage->slots] = leader;
        stage->number[stage->slots++] = i + 1;
        add_sender(stage, leader, irr_nodes_which(nodes, other, node) + 1);
    }
    return IRR_OK;
}

/*
 * Returns the step of a message from a node of `size` ranks to the rank with index j of the node that is `distance`
 * nodes ahead.
 */
static int outside_step(const irr_nodes_t *nodes, int distance, int j, int size)
{
    int width = (nodes->largest + nodes->smallest - 1) / nodes->smallest;

    return (distance - 1) * width + j / size + 1;
}

/* Returns the lowest index in another node for which a rank leads.  The node may be too small to have this index. */
static int first_served(const irr_nodes_t *nodes, int rank, int node)
{
    int size = irr_nodes_size(nodes, irr_nodes_of(nodes, rank));

    return (irr_nodes_index(nodes, rank) + size - irr_nodes_first(nodes, node) % size) % size;
}

static void add_outside_slots(irr_stage_t *stage, int node)
{
    const irr_nodes_t *nodes = stage->grid->nodes;
    int mine = irr_nodes_of(nodes, stage->rank), size = irr_nodes_size(nodes, mine);
    int distance = (node - mine + nodes->count) % nodes->count;

    stage->node_slot[node] = stage->slots;
    if (node == mine) {
        stage->own = stage->slots;
        stage->peer[stage->slots++] = stage->rank;
        return;
    }
    for (int j = first_served(nodes, stage->rank, node); j < irr_nodes_size(nodes, node); j += size) {
        stage->peer[stage->slots] = irr_nodes_member(nodes, node, j);
        stage->number[stage->slots++] = outside_step(nodes, distance, j, size);
    }
}

static irr_status_t tabulate_outside(irr_stage_t *stage)
{
    const irr_nodes_t *nodes = stage->grid->nodes;
    const int mine = irr_nodes_of(nodes, stage->rank), index = irr_nodes_index(nodes, stage->rank);
    const int own_size = irr_nodes_size(nodes, mine), served = (nodes->largest + own_size - 1) / own_size;
    irr_status_t status = make_room(stage, nodes->count * served, nodes->count, nodes->count);

    stage->slots = 0;
    if (status != IRR_OK) {
        return status;
    }
    for (int node = 0; node < nodes->count; node++) {
        add_outside_slots(stage, node);
    }
    for (int distance = 1; distance < nodes->count; distance++) {
        int node = (mine - distance + nodes->count) % nodes->count, size = irr_nodes_size(nodes, node);

        add_sender(stage, irr_nodes_member(nodes, node, irr_nodes_rank_leader(nodes, node, stage->rank)),
                   outside_step(nodes, distance, index, size));
    }
    return IRR_OK;
}

/* Returns the slot for a destination with three dimensions; -1: this rank cannot forward data to it. */
static int leader_slot(const irr_stage_t *stage, int destination)
{
    const irr_nodes_t *nodes = stage->grid->nodes;
    const int mine = irr_nodes_of(nodes, stage->rank), size = irr_nodes_size(nodes, mine);
    const int node = irr_nodes_of(nodes, destination), index = irr_nodes_index(nodes, destination);
    const bool inside = node == mine;

    if (stage->dimension == 0) {
        return inside ? index : irr_nodes_leader(nodes, mine, node);
    }
    if (stage->dimension == 2) {
        return destination == stage->rank ? stage->own : inside && stage->slots > 1 ? index : -1;
    }
    if (inside) {
        return stage->own;
    }
    return irr_nodes_leader(nodes, mine, node) == irr_nodes_index(nodes, stage->rank)
               ? 1 + irr_nodes_which(nodes, mine, node) / size : -1;
}

/* Returns the slot for a destination with two dimensions; -1: this rank cannot forward data to it. */
static int node_slot(const irr_stage_t *stage, int destination)
{
    const irr_nodes_t *nodes = stage->grid->nodes;
    int mine = irr_nodes_of(nodes, stage->rank), node = irr_nodes_of(nodes, destination);
    int index = irr_nodes_index(nodes, destination);
    int leader = node == mine ? index : irr_nodes_rank_leader(nodes, mine, destination);

    if (stage->dimension == 0) {
        return leader;
    }
    if (leader != irr_nodes_index(nodes, stage->rank)) {
        return -1;
    }
    return node == mine ? stage->own : stage->node_slot[node] + index / irr_nodes_size(nodes, mine);
}

/* ---- stages ---- */

int irr_stage_slot(const irr_stage_t *stage, int destination)
{
    const irr_grid_level_t *level = &stage->level;
    int from_base = destination - level->base;

    if (stage->grid->nodes != NULL) {
        return irr_grid_has_leaders(stage->grid) ? leader_slot(stage, destination) : node_slot(stage, destination);
    }
    if (from_base < 0 || from_base % level->stride != 0 || from_base / level->stride >= level->size) {
        return -1;
    }
    return from_base / level->stride % level->rows.columns;
}

bool irr_stage_accepts(const irr_stage_t *stage, int destination)
{
    return stage->spreading || irr_stage_slot(stage, destination) == stage->own;
}

static irr_status_t tabulate(irr_stage_t *stage, int ranks)
{
    const irr_nodes_t *nodes = stage->grid->nodes;

    if (nodes == NULL) {
        return tabulate_level(stage, ranks);
    }
    switch (stage->dimension) {
    case 0:  return tabulate_inside(stage, ranks);
    case 1:  return irr_grid_has_leaders(stage->grid) ? tabulate_between(stage) : tabulate_outside(stage);
    default: return tabulate_inside(stage, irr_nodes_leaders(nodes, irr_nodes_of(nodes, stage->rank)));
    }
}

irr_status_t irr_stages_init(irr_stages_t *stages, const irr_grid_t *grid, int ranks, int rank)
{
    irr_status_t status = IRR_OK;

    *stages = (irr_stages_t){ .grid = *grid, .ranks = ranks, .rank = rank, .count = irr_grid_stages(grid) };
    stages->stage = irr_alloc_zero((size_t)stages->count, sizeof(*stages->stage));
    if (stages->stage == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    for (int s = 0; s < stages->count && status == IRR_OK; s++) {
        irr_stage_t *stage = &stages->stage[s];

        stage->grid = &stages->grid;
        stage->rank = rank;
        stage->spreading = grid->balanced && s < grid->levels;
        stage->dimension = s % grid->levels;
        status = tabulate(stage, ranks);
        stages->slots += stage->slots;
        stages->senders += stage->senders;
    }
    if (status != IRR_OK) {
        irr_stages_fini(stages);
    }
    return status;
}

void irr_stages_fini(irr_stages_t *stages)
{
    for (int s = 0; stages->stage != NULL && s < stages->count; s++) {
        irr_free(stages->stage[s].peer);   /* frees the other arrays too */
    }
    irr_free(stages->stage);
    memset(stages, 0, sizeof(*stages));
}
