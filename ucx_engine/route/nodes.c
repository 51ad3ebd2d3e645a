/*
 * nodes.c - sorts ranks by label, then numbers the groups; see nodes.h.
 */
#include "route/nodes.h"

#include "core/alloc.h"

#include <stdlib.h>

typedef struct labelled {
    int label, rank;
    int lowest;   /* lowest rank of the node */
} labelled_t;

static int by_label(const void *a, const void *b)
{
    const labelled_t *x = a, *y = b;

    if (x->label != y->label) {
        return x->label < y->label ? -1 : 1;
    }
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static int by_lowest(const void *a, const void *b)
{
    const labelled_t *x = a, *y = b;

    if (x->lowest != y->lowest) {
        return x->lowest < y->lowest ? -1 : 1;
    }
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static void sort(labelled_t *list, int ranks, const int *labels)
{
    for (int r = 0; r < ranks; r++) {
        list[r] = (labelled_t){ .label = labels[r], .rank = r };
    }
    qsort(list, (size_t)ranks, sizeof(*list), by_label);
    for (int i = 0; i < ranks; i++) {
        bool first = i == 0 || list[i - 1].label != list[i].label;

        list[i].lowest = first ? list[i].rank : list[i - 1].lowest;
    }
    qsort(list, (size_t)ranks, sizeof(*list), by_lowest);
}

static void number(irr_nodes_t *nodes, const labelled_t *list)
{
    for (int i = 0; i < nodes->ranks; i++) {
        int rank = list[i].rank;

        if (i == 0 || list[i - 1].lowest != list[i].lowest) {
            nodes->first[nodes->count++] = i;
        }
        nodes->members[i] = rank;
        nodes->node[rank] = nodes->count - 1;
        nodes->place[rank] = i - nodes->first[nodes->count - 1];
    }
    nodes->first[nodes->count] = nodes->ranks;
    nodes->smallest = nodes->ranks;
    for (int n = 0; n < nodes->count; n++) {
        int size = irr_nodes_size(nodes, n);

        nodes->smallest = size < nodes->smallest ? size : nodes->smallest;
        nodes->largest = size > nodes->largest ? size : nodes->largest;
    }
}

irr_status_t irr_nodes_init(irr_nodes_t *nodes, int ranks, const int *labels)
{
    size_t count = (size_t)ranks;
    irr_nodes_t made = { .ranks = ranks };
    labelled_t *list = irr_alloc(count, sizeof(*list));

    made.node = irr_alloc(4 * count + 1, sizeof(int));
    if (list == NULL || made.node == NULL) {
        irr_free(made.node);
        irr_free(list);
        return IRR_ERR_NO_MEMORY;
    }
    made.place = made.node + count;
    made.members = made.place + count;
    made.first = made.members + count;
    sort(list, ranks, labels);
    number(&made, list);
    irr_free(list);
    *nodes = made;
    return IRR_OK;
}

void irr_nodes_fini(irr_nodes_t *nodes)
{
    irr_free(nodes->node);
    *nodes = (irr_nodes_t){ .ranks = 0 };
}
