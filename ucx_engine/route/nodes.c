/* nodes.c - numbers the labels in the order of their lowest ranks; see nodes.h. */
#include "route/nodes.h"

#include "core/alloc.h"

#include <string.h>

/* Divides one allocation among the arrays.  `first` is at the end, because its length is known only after number(). */
static void set_arrays(irr_nodes_t *nodes, int *memory)
{
    nodes->node = memory;
    nodes->index = nodes->node + nodes->ranks;
    nodes->members = nodes->index + nodes->ranks;
    nodes->first = nodes->members + nodes->ranks;
}

/* Returns the slot of a label in a hash table of node numbers, or a free slot if the label is new. */
static int *slot_of(const irr_nodes_t *nodes, int *table, size_t slots, const int *labels, int label)
{
    size_t i = (size_t)((uint64_t)(unsigned)label * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (slots - 1);

    while (table[i] >= 0 && labels[nodes->members[table[i]]] != label) {
        i = (i + 1) & (slots - 1);
    }
    return &table[i];
}

/*
 * Numbers the nodes in the order of their lowest ranks, and the ranks of each node.  Sets members[n] to the lowest rank
 * of node n, and first[n + 1] to the number of its ranks; list() replaces them.  The table must have a free slot.
 */
static void number(irr_nodes_t *nodes, int *table, size_t slots, const int *labels)
{
    for (int r = 0; r < nodes->ranks; r++) {
        int *node = slot_of(nodes, table, slots, labels, labels[r]);

        if (*node < 0) {
            *node = nodes->count++;
            nodes->members[*node] = r;
            nodes->first[*node + 1] = 0;
        }
        nodes->node[r] = *node;
        nodes->index[r] = nodes->first[*node + 1]++;
    }
}

/* Lists the ranks node by node in `members`. */
static void list(irr_nodes_t *nodes)
{
    nodes->smallest = nodes->ranks;
    nodes->first[0] = 0;
    for (int n = 0; n < nodes->count; n++) {
        const int size = nodes->first[n + 1];

        nodes->smallest = size < nodes->smallest ? size : nodes->smallest;
        nodes->largest = size > nodes->largest ? size : nodes->largest;
        nodes->first[n + 1] += nodes->first[n];
    }
    for (int r = 0; r < nodes->ranks; r++) {
        nodes->members[nodes->first[nodes->node[r]] + nodes->index[r]] = r;
    }
}

/* Returns `block` of regular nodes; 0: the nodes are not regular. */
static int find_block(const irr_nodes_t *nodes)
{
    irr_nodes_t regular = { .ranks = nodes->ranks, .count = nodes->count };

    while (regular.block < nodes->ranks && nodes->node[regular.block] == 0) {
        regular.block++;
    }
    for (int r = 0; r < nodes->ranks; r++) {
        if (irr_nodes_of(&regular, r) != nodes->node[r]) {
            return 0;
        }
    }
    return regular.block;
}

irr_status_t irr_nodes_init(irr_nodes_t *nodes, int ranks, const int *labels)
{
    const size_t count = (size_t)ranks;
    irr_nodes_t made = { .ranks = ranks };
    int *table, *memory = NULL;
    size_t slots = 2;

    while (slots <= count) {
        slots *= 2;
    }
    table = irr_alloc(slots, sizeof(*table));
    made.node = irr_alloc(4 * count + 1, sizeof(int));
    if (table != NULL && made.node != NULL) {
        memset(table, 0xff, slots * sizeof(*table));
        set_arrays(&made, made.node);
        number(&made, table, slots, labels);
        list(&made);
        made.block = find_block(&made);
        memory = irr_resize(made.node, 3 * count + (size_t)made.count + 1, sizeof(int));
    }
    irr_free(table);
    if (memory == NULL) {
        irr_free(made.node);
        return IRR_ERR_NO_MEMORY;
    }
    set_arrays(&made, memory);
    if (made.block > 0) {
        irr_free(made.node);
        made.node = made.index = made.members = made.first = NULL;
    }
    *nodes = made;
    return IRR_OK;
}

void irr_nodes_fini(irr_nodes_t *nodes)
{
    irr_free(nodes->node);
    *nodes = (irr_nodes_t){ .ranks = 0 };
}
