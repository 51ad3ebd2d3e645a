/*
 * coll_irr_neighbors.c - the neighbours of a rank in its topology, in the order in which both ends of an edge list it.
 * The ranks of the other group of an inter-communicator are neighbours, too.
 *
 * The blocks that one rank has for another are one message, however many edges lead from the one to the other.  So both
 * lay them out in one order.  MPI defines the order as if there were a message for each edge: edges between two ranks
 * follow each other as both list them, because messages do not overtake.  On a grid a message that leaves in one
 * direction arrives from the opposite one, as if each direction of each dimension had a tag of its own.
 *
 * Cost: O(n log n) for n neighbours, once a communicator; no messages.
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

/*
 * Lists the edges to ranks, or from them, by rank, without MPI_PROC_NULL.  Edges of one rank follow each other by slot,
 * if flip is 1 by that of the opposite direction.  Returns how many there are.
 */
static int list_edges(const int *ranks, int count, int flip, mca_coll_irr_slot_t *order)
{
    int listed = 0;

    for (int slot = 0; slot < count; slot++) {
        if (ranks[slot] >= 0) {
            order[listed++] = (mca_coll_irr_slot_t){ .rank = ranks[slot], .slot = slot ^ flip };
        }
    }
    qsort(order, (size_t)listed, sizeof(*order), compare);
    for (int i = 0; i < listed; i++) {
        order[i].slot ^= flip;
    }
    return listed;
}

/* Lists the ranks of edges, each once; returns how many. */
static size_t list_ranks(const mca_coll_irr_slot_t *order, int edges, int *ranks)
{
    size_t count = 0;

    for (int i = 0; i < edges; i++) {
        if (count == 0 || ranks[count - 1] != order[i].rank) {
            ranks[count++] = order[i].rank;
        }
    }
    return count;
}

/* Returns the neighbours of edges to ranks and from ranks; NULL without memory. */
static mca_coll_irr_neighbors_t *create(const int *out_ranks, int out, const int *in_ranks, int in, int flip)
{
    const size_t edges = (size_t)out + (size_t)in;
    mca_coll_irr_neighbors_t *made =
        calloc(1, sizeof(*made) + edges * (sizeof(made->order[0]) + sizeof(made->ranks.to[0])));
    int *to, *from;

    if (made == NULL) {
        return NULL;
    }
    made->recv_order = made->order + out;
    made->send_places = out;
    made->recv_places = in;
    made->sends = list_edges(out_ranks, out, 0, made->order);
    made->receives = list_edges(in_ranks, in, flip, made->recv_order);
    to = (int *)(made->recv_order + in);
    from = to + out;
    made->ranks = (irr_neighbors_t){
        .to = to, .nto = list_ranks(made->order, made->sends, to),
        .from = from, .nfrom = list_ranks(made->recv_order, made->receives, from) };
    return made;
}

/* The same where each edge leads both ways.  The ranks are from malloc, and freed here. */
static mca_coll_irr_neighbors_t *create_both_ways(int *ranks, int count, int flip)
{
    mca_coll_irr_neighbors_t *made = ranks != NULL ? create(ranks, count, ranks, count, flip) : NULL;

    free(ranks);
    return made;
}

/* Slot 2 d is the neighbour below in dimension d, slot 2 d + 1 the one above. */
static mca_coll_irr_neighbors_t *of_grid(ompi_communicator_t *comm)
{
    const int dimensions = comm->c_topo->mtc.cart->ndims;
    int *ranks = malloc((2 * (size_t)dimensions + 1) * sizeof(*ranks));   /* a grid may have no dimension */

    for (int i = 0; i < dimensions && ranks != NULL; i++) {
        comm->c_topo->topo.cart.cart_shift(comm, i, 1, &ranks[2 * i], &ranks[2 * i + 1]);
    }
    return create_both_ways(ranks, 2 * dimensions, 1);
}

static mca_coll_irr_neighbors_t *of_graph(const mca_topo_base_comm_graph_t *graph, int rank)
{
    const int begin = rank > 0 ? graph->index[rank - 1] : 0, count = graph->index[rank] - begin;

    return create(graph->edges + begin, count, graph->edges + begin, count, 0);
}

/* Each rank of the other group is a neighbour once, and lists this group in the same way. */
static mca_coll_irr_neighbors_t *of_other_group(const mca_coll_irr_ranks_t *own)
{
    const mca_coll_irr_part_t *other = &own->parts[own->rank < own->parts[1].first];
    const int count = ompi_group_size(other->group);
    int *ranks = malloc((size_t)count * sizeof(*ranks));

    for (int i = 0; i < count && ranks != NULL; i++) {
        ranks[i] = other->first + i;
    }
    return create_both_ways(ranks, count, 0);
}

static mca_coll_irr_neighbors_t *neighbors_of(const mca_coll_irr_module_t *module)
{
    ompi_communicator_t *comm = module->comm;
    const mca_topo_base_comm_dist_graph_2_2_0_t *edges;

    if (OMPI_COMM_IS_INTER(comm)) {
        return of_other_group(&module->ranks);
    }
    if (OMPI_COMM_IS_CART(comm)) {
        return of_grid(comm);
    }
    if (OMPI_COMM_IS_GRAPH(comm)) {
        return of_graph(comm->c_topo->mtc.graph, module->ranks.rank);
    }
    edges = comm->c_topo->mtc.dist_graph;
    return create(edges->out, edges->outdegree, edges->in, edges->indegree, 0);
}

void mca_coll_irr_meet_neighbors(mca_coll_irr_module_t *module, mca_coll_irr_which_t which)
{
    if (!mca_coll_irr_has_neighbors(module, which)) {
        return;
    }
    if (module->neighbors == NULL) {
        module->neighbors = neighbors_of(module);
    }
    if (module->neighbors == NULL && module->trouble == IRR_OK) {
        module->trouble = IRR_ERR_NO_MEMORY;
    }
}
