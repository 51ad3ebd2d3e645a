/*
 * coll_irr_ranks.c - see coll_irr_ranks.h.  Also finds the neighbors of a rank in its topology, in an order that is the
 * same at both ends of an edge.  On an inter-communicator, the neighbors of a rank are the ranks of the other group.
 *
 * Messages on an inter-communicator reach the other group only.  For messages within a group this file uses and retains
 * the group's communicator, which Open MPI has for its collectives, and releases in MPI_Comm_free.
 *
 * All blocks from one rank to another form one message, even if several edges connect the two ranks.  MPI defines the
 * order of the blocks as if each edge had a message: edges between two ranks are ordered as both ranks list them,
 * because messages do not overtake.  On a grid, a message sent in one direction arrives from the opposite direction.
 *
 * Cost: O(n log n) for n neighbors, once per communicator; no messages.
 */
#include "coll_irr.h"

#include "ompi/mca/topo/topo.h"

/*
 * Open MPI assigns tags to the group's communicator independently of the inter-communicator, so our tags are 2^21
 * nonblocking collectives away.
 */
#define OWN_TAGS (-(1 << 21))

void mca_coll_irr_ranks_of_groups(mca_coll_irr_ranks_t *ranks, ompi_communicator_t *comm)
{
    const mca_coll_irr_ranks_group_t own = {
        .members = comm->c_local_group, .comm = comm->c_local_comm, .tags = OWN_TAGS
    };
    const mca_coll_irr_ranks_group_t other = { .members = comm->c_remote_group, .comm = comm };
    const int mine =
        ompi_group_get_proc_name(own.members, 0).vpid > ompi_group_get_proc_name(other.members, 0).vpid;

    ranks->groups[mine] = own;
    ranks->groups[1 - mine] = other;
    ranks->groups[1].first = ompi_group_size(ranks->groups[0].members);
    ranks->size = ranks->groups[1].first + ompi_group_size(ranks->groups[1].members);
    ranks->rank = ranks->groups[mine].first + ompi_comm_rank(comm);
    ranks->kept = own.comm;
    OBJ_RETAIN(ranks->kept);
}

/* Open MPI creates the process objects of this node in MPI_Init; a process without an object is on another node. */
bool mca_coll_irr_is_on_my_node(const mca_coll_irr_ranks_t *ranks, int rank)
{
    const mca_coll_irr_ranks_group_t *group = mca_coll_irr_ranks_group(ranks, rank);
    ompi_proc_t *proc = ompi_group_get_proc_ptr_raw(group->members, rank - group->first);

    return !ompi_proc_is_sentinel(proc) && OPAL_PROC_ON_LOCAL_NODE(proc->super.proc_flags);
}

int mca_coll_irr_ranks_on_my_node(const mca_coll_irr_ranks_t *ranks)
{
    int count = 1;

    for (int i = 0; i < ranks->size; i++) {
        count += i != ranks->rank && mca_coll_irr_is_on_my_node(ranks, i);
    }
    return count;
}

/* ---- values that other processes have published ---- */

/*
 * A word for each process of the job.  UNKNOWN: not looked up; ABSENT: the process has published no value; otherwise
 * the value plus 1.  Guarded by the component's lock.
 */
static uint64_t *lookups[MCA_COLL_IRR_VALUES];

#define UNKNOWN UINT64_C(0)
#define ABSENT  UINT64_MAX

void mca_coll_irr_lookups_close(void)
{
    for (int i = 0; i < MCA_COLL_IRR_VALUES; i++) {
        free(lookups[i]);
        lookups[i] = NULL;
    }
}

int mca_coll_irr_lookup(const mca_coll_irr_ranks_t *ranks, int rank, mca_coll_irr_value_t which, uint64_t *value)
{
    const opal_process_name_t name = mca_coll_irr_process(ranks, rank);
    const size_t processes = (size_t)mca_coll_irr_process_info.num_procs;
    uint64_t own = UNKNOWN, *kept = &own;
    int result;

    opal_mutex_lock(&mca_coll_irr_component.lock);
    if (lookups[which] == NULL) {
        lookups[which] = calloc(processes, sizeof(own));
    }
    if (lookups[which] != NULL && name.vpid < processes) {
        kept = &lookups[which][name.vpid];
    }
    *value = *kept - 1;
    result = *kept == ABSENT ? OMPI_ERR_NOT_FOUND : OMPI_SUCCESS;
    if (*kept == UNKNOWN) {
        result = which == MCA_COLL_IRR_NODE ? mca_coll_irr_modex_node(&name, value)
                                            : mca_coll_irr_modex_get(MCA_COLL_IRR_SIGNATURE_KEY, &name, value);
        if (result == OMPI_SUCCESS && *value + 1 != ABSENT) {
            *kept = *value + 1;
        } else if (result == OMPI_ERR_NOT_FOUND) {
            *kept = ABSENT;
        }
    }
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    return result;
}

/* ---- nodes ---- */

static int compare_nodes(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

/* 0: the node of some rank is unknown, or memory is lacking. */
static int count_nodes(const mca_coll_irr_ranks_t *ranks)
{
    uint64_t *nodes = malloc((size_t)ranks->size * sizeof(*nodes));
    bool known = nodes != NULL;
    int count = 0;

    for (int i = 0; i < ranks->size && known; i++) {
        known = mca_coll_irr_lookup(ranks, i, MCA_COLL_IRR_NODE, &nodes[i]) == OMPI_SUCCESS;
    }
    if (known) {
        qsort(nodes, (size_t)ranks->size, sizeof(*nodes), compare_nodes);
    }
    for (int i = 0; i < ranks->size && known; i++) {
        count += i == 0 || nodes[i] != nodes[i - 1];
    }
    free(nodes);
    return count;
}

int mca_coll_irr_nodes(const mca_coll_irr_module_t *module)
{
    const size_t ranks = (size_t)module->ranks.size, given = module->settings->ranks_per_node;
    const int counted = given > 0 ? 0 : count_nodes(&module->ranks);
    const size_t node_ranks = given > 0 ? given : (size_t)mca_coll_irr_ranks_on_my_node(&module->ranks);

    return counted > 0 ? counted : (int)((ranks - 1) / node_ranks + 1);
}

/* ---- neighbors ---- */

static int compare_edges(const void *a, const void *b)
{
    const mca_coll_irr_slot_t *left = a, *right = b;

    if (left->rank != right->rank) {
        return left->rank < right->rank ? -1 : 1;
    }
    return (left->slot > right->slot) - (left->slot < right->slot);
}

/*
 * Lists the edges to `ranks`, sorted by rank, without MPI_PROC_NULL.  Edges to the same rank are sorted by slot, or by
 * the slot of the opposite direction if flip is 1.  Returns their number.
 */
static int list_edges(const int *ranks, int count, int flip, mca_coll_irr_slot_t *order)
{
    int listed = 0;

    for (int slot = 0; slot < count; slot++) {
        if (ranks[slot] >= 0) {
            order[listed++] = (mca_coll_irr_slot_t){ .rank = ranks[slot], .slot = slot ^ flip };
        }
    }
    qsort(order, (size_t)listed, sizeof(*order), compare_edges);
    for (int i = 0; i < listed; i++) {
        order[i].slot ^= flip;
    }
    return listed;
}

/* Lists each rank once.  Returns the number of ranks. */
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

/* NULL without memory. */
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
    made->send_entries = out;
    made->recv_entries = in;
    made->sends = list_edges(out_ranks, out, 0, made->order);
    made->receives = list_edges(in_ranks, in, flip, made->recv_order);
    to = (int *)(made->recv_order + in);
    from = to + out;
    made->ranks = (irr_neighbors_t){
        .to = to, .nto = list_ranks(made->order, made->sends, to),
        .from = from, .nfrom = list_ranks(made->recv_order, made->receives, from) };
    return made;
}

/* For edges that lead in both directions.  Frees `ranks`, which is from malloc. */
static mca_coll_irr_neighbors_t *create_both_ways(int *ranks, int count, int flip)
{
    mca_coll_irr_neighbors_t *made = ranks != NULL ? create(ranks, count, ranks, count, flip) : NULL;

    free(ranks);
    return made;
}

/* On a grid, slot 2 d is the lower neighbor in dimension d, slot 2 d + 1 the upper neighbor. */
static mca_coll_irr_neighbors_t *of_grid(ompi_communicator_t *comm)
{
    const int dimensions = comm->c_topo->mtc.cart->ndims;
    int *ranks = malloc((2 * (size_t)dimensions + 1) * sizeof(*ranks));   /* a grid may have no dimensions */

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

/* The ranks of the other group list the ranks of this group in the same order. */
static mca_coll_irr_neighbors_t *of_other_group(const mca_coll_irr_ranks_t *own)
{
    const mca_coll_irr_ranks_group_t *other = &own->groups[own->rank < own->groups[1].first];
    const int count = ompi_group_size(other->members);
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

void mca_coll_irr_find_neighbors(mca_coll_irr_module_t *module, mca_coll_irr_which_t which)
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
