/*
 * coll_irr_neighbors.c - the neighbours of a rank in its topology, in the order in which both ends of an edge list it;
 * or the ranks of the other group, of which an inter-communicator is a topology.
 *
 * The blocks that one rank has for another are one message, however many edges lead from the one to the other.  So both
 * must lay them out in one order.  MPI says what arrives where as if there were a message for each edge: those between
 * two ranks in the order in which both list their edges, as messages do not overtake; but on a grid a message that
 * leaves in one direction comes in from the other, as if each direction of each dimension had a tag of its own.
 *
 * Cost: O(n log n) for n neighbours, once a communicator; messages none.
 */
#include "coll_irr.h"

#include "ompi/mca/topo/topo.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const mca_coll_irr_slot_t *left = a, *right = b;

    if (left->rank != right->rank) {
        return left->rank < right->rank ? -1 : 1;
    }
    return (left->slot > right->slot) - (left->slot < right->slot);
}

/* Room for so many of each; from calloc, NULL without memory. */
static mca_coll_irr_neighbors_t *create(int out, int in)
{
    const size_t slots = (size_t)out + (size_t)in;
    mca_coll_irr_neighbors_t *made =
        calloc(1, sizeof(*made) + slots * (sizeof(made->order[0]) + sizeof(made->ranks.to[0])));

    if (made != NULL) {
        made->recv_order = made->order + out;
        made->send_places = out;
        made->recv_places = in;
    }
    return made;
}

/* Edges to ranks, or from them; MPI_PROC_NULL is left out.  Returns how many there are. */
static int add(const int *ranks, int count, mca_coll_irr_slot_t *order)
{
    int added = 0;

    for (int slot = 0; slot < count; slot++) {
        if (ranks[slot] >= 0) {
            order[added++] = (mca_coll_irr_slot_t){ .rank = ranks[slot], .slot = slot };
        }
    }
    qsort(order, (size_t)added, sizeof(*order), compare);
    return added;
}

static mca_coll_irr_neighbors_t *of_lists(const int *out_ranks, int out, const int *in_ranks, int in)
{
    mca_coll_irr_neighbors_t *made = create(out, in);

    if (made != NULL) {
        made->sends = add(out_ranks, out, made->order);
        made->receives = add(in_ranks, in, made->recv_order);
    }
    return made;
}

static mca_coll_irr_neighbors_t *of_graph(const mca_topo_base_comm_graph_t *graph, int rank)
{
    const int begin = rank > 0 ? graph->index[rank - 1] : 0, count = graph->index[rank] - begin;

    return of_lists(graph->edges + begin, count, graph->edges + begin, count);
}

/* The rank one step away in a dimension whose neighbours are `stride` ranks apart; or MPI_PROC_NULL. */
static int grid_neighbor(const mca_topo_base_comm_cart_t *cart, int dim, int stride, int rank, int step)
{
    const int size = cart->dims[dim], at = rank / stride % size;
    const int to = at + step;

    if (to >= 0 && to < size) {
        return rank + step * stride;
    }
    return cart->periods[dim] ? rank + ((to + size) % size - at) * stride : MPI_PROC_NULL;
}

/* Slot 2 d is the neighbour below in dimension d, slot 2 d + 1 the one above; what goes down comes from above. */
static mca_coll_irr_neighbors_t *of_grid(const mca_topo_base_comm_cart_t *cart, int rank)
{
    mca_coll_irr_neighbors_t *made = create(2 * cart->ndims, 2 * cart->ndims);
    int stride = 1;

    for (int dim = cart->ndims - 1; dim >= 0 && made != NULL; dim--) {
        for (int up = 0; up < 2; up++) {
            const int neighbor = grid_neighbor(cart, dim, stride, rank, up ? 1 : -1), slot = 2 * dim + up;

            if (neighbor >= 0) {
                made->order[made->sends++] = (mca_coll_irr_slot_t){ .rank = neighbor, .slot = slot };
                made->recv_order[made->receives++] = (mca_coll_irr_slot_t){ .rank = neighbor, .slot = slot ^ 1 };
            }
        }
        stride *= cart->dims[dim];
    }
    if (made == NULL) {
        return NULL;
    }
    qsort(made->order, (size_t)made->sends, sizeof(made->order[0]), compare);
    qsort(made->recv_order, (size_t)made->receives, sizeof(made->order[0]), compare);
    for (int i = 0; i < made->receives; i++) {
        made->recv_order[i].slot ^= 1;
    }
    return made;
}

/* The ranks of slots, each once; returns how many. */
static size_t list_ranks(const mca_coll_irr_slot_t *order, int slots, int *ranks)
{
    size_t count = 0;

    for (int i = 0; i < slots; i++) {
        if (count == 0 || ranks[count - 1] != order[i].rank) {
            ranks[count++] = order[i].rank;
        }
    }
    return count;
}

/* Each rank of it is a neighbour once, and lists this group as this one lists it. */
static mca_coll_irr_neighbors_t *of_other_group(const mca_coll_irr_ranks_t *ranks)
{
    const mca_coll_irr_part_t *other = &ranks->parts[ranks->rank < ranks->parts[1].first];
    const int count = ompi_group_size(other->group);
    mca_coll_irr_neighbors_t *made = create(count, count);

    for (int i = 0; i < count && made != NULL; i++) {
        const mca_coll_irr_slot_t slot = { .rank = other->first + i, .slot = i };

        made->order[made->sends++] = made->recv_order[made->receives++] = slot;
    }
    return made;
}

static mca_coll_irr_neighbors_t *of_topology(const mca_coll_irr_module_t *module)
{
    ompi_communicator_t *comm = module->comm;
    const mca_topo_base_comm_cgd_union_t *topology = &comm->c_topo->mtc;

    if (OMPI_COMM_IS_CART(comm)) {
        return of_grid(topology->cart, module->ranks.rank);
    }
    if (OMPI_COMM_IS_GRAPH(comm)) {
        return of_graph(topology->graph, module->ranks.rank);
    }
    return of_lists(topology->dist_graph->out, topology->dist_graph->outdegree, topology->dist_graph->in,
                    topology->dist_graph->indegree);
}

static mca_coll_irr_neighbors_t *create_neighbors(const mca_coll_irr_module_t *module)
{
    mca_coll_irr_neighbors_t *made =
        OMPI_COMM_IS_INTER(module->comm) ? of_other_group(&module->ranks) : of_topology(module);

    if (made != NULL) {
        int *to = (int *)(made->recv_order + made->recv_places), *from = to + made->send_places;

        made->ranks = (irr_neighbors_t){
            .to = to, .nto = list_ranks(made->order, made->sends, to),
            .from = from, .nfrom = list_ranks(made->recv_order, made->receives, from) };
    }
    return made;
}

void mca_coll_irr_meet_neighbors(mca_coll_irr_module_t *module, mca_coll_irr_which_t which)
{
    if (!mca_coll_irr_has_neighbors(module, which)) {
        return;
    }
    if (module->neighbors == NULL) {
        module->neighbors = create_neighbors(module);
    }
    if (module->neighbors == NULL && module->trouble == IRR_OK) {
        module->trouble = IRR_ERR_NO_MEMORY;
    }
}
