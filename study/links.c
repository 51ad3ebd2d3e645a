/*
 * links.c - see links.h.
 *
 * An edge is one direction of a link.  Messages come in the order of stage and step, so for each edge the messages of
 * the latest step that uses it are counted.  A step with more messages on an edge than the edge carries at a time is
 * one case of contention, regardless of the number of messages.
 */
#include "study/links.h"

#include "core/alloc.h"

/* The latest step that uses an edge. */
typedef struct last {
    int      stage, step;
    uint64_t messages;     /* number of messages of the step on the edge */
} last_t;

typedef struct count {
    const irr_tree_t *tree;
    last_t           *last;      /* by edge */
    int              *path;
    irr_links_t       links;
} count_t;

static void cross(count_t *count, int edge, const irr_plans_message_t *message)
{
    uint64_t *sum = &count->links.bytes[edge];
    last_t *last = &count->last[edge];

    *sum = message->bytes < UINT64_MAX - *sum ? *sum + message->bytes : UINT64_MAX;
    if (last->stage != message->stage || last->step != message->step) {
        *last = (last_t){ .stage = message->stage, .step = message->step };
    }
    last->messages++;
    count->links.contention += last->messages == irr_tree_width(count->tree, edge) + 1;
}

/* Counts a message on all links of its path.  A receiver that does not exist has no path. */
static bool cross_all(void *context, const irr_plans_message_t *message)
{
    count_t *count = context;
    const bool exists = message->to >= 0 && message->to < count->tree->ranks;
    const int links = exists ? irr_tree_link_path(count->tree, message->from, message->to, count->path) : 0;

    for (int k = 0; k < links; k++) {
        cross(count, count->path[k], message);
    }
    return true;
}

irr_status_t irr_links_count(const irr_plans_t *plans, const irr_tree_t *tree, irr_links_t *links)
{
    const size_t edges = 2 * (size_t)tree->links;
    count_t count = { .tree = tree };
    irr_links_t *made = &count.links;
    irr_status_t status = IRR_ALLOC_ARRAYS(((irr_array_t[]){
        IRR_ARRAY(count.last, edges), IRR_ARRAY(count.path, (size_t)tree->longest) }));

    status = status == IRR_OK ? IRR_ALLOC_ARRAYS(((irr_array_t[]){ IRR_ARRAY(made->bytes, edges) })) : status;
    status = status == IRR_OK ? irr_plans_each_send(plans, cross_all, &count) : status;
    irr_free(count.last);   /* also frees the path */
    if (status != IRR_OK) {
        irr_free(made->bytes);
        return status;
    }
    made->busiest = irr_tree_busiest(tree, made->bytes, (int)edges);
    made->load = irr_tree_at_base(tree, made->busiest, made->bytes[made->busiest]);
    made->busiest = made->load > 0 ? made->busiest : -1;
    *links = *made;
    return IRR_OK;
}

void irr_links_fini(irr_links_t *links)
{
    irr_free(links->bytes);
    *links = (irr_links_t){ .contention = 0 };
}
