/*
 * links.c - see links.h.
 *
 * Messages are sorted by stage and step.  An edge is one direction of a link.  For each edge, the messages of the
 * latest step that uses it are counted.  A step with more messages on an edge than the edge carries at a time is one
 * case of contention, regardless of the number of messages.
 */
#include "study/links.h"

#include "core/alloc.h"

#include <stdlib.h>

typedef struct message {
    int    stage, step, from, to;
    size_t bytes;
} message_t;

/* The last use of an edge. */
typedef struct last {
    size_t   group;     /* number of its stage and step, from 1 */
    uint64_t messages;  /* number of messages of that step on the edge */
} last_t;

typedef struct count {
    const irr_tree_t *tree;
    message_t        *messages;
    size_t            nmessages;
    last_t           *last;      /* by edge */
    int              *path;
    irr_links_t       links;
} count_t;

static int by_step(const void *a, const void *b)
{
    const message_t *x = a, *y = b;

    return x->stage != y->stage ? (x->stage > y->stage) - (x->stage < y->stage)
                                : (x->step > y->step) - (x->step < y->step);
}

static size_t count_steps(const irr_plans_t *plans)
{
    size_t steps = 0;

    for (int r = 0; r < plans->ranks; r++) {
        steps += plans->plans[r].nsteps;
    }
    return steps;
}

static void list_messages(const irr_plans_t *plans, count_t *count)
{
    for (int r = 0; r < plans->ranks; r++) {
        for (size_t i = 0; i < plans->plans[r].nsteps; i++) {
            const irr_step_t *step = &plans->plans[r].steps[i];

            if (step->kind == IRR_STEP_SEND && step->peer >= 0 && step->peer < plans->ranks) {
                count->messages[count->nmessages++] = (message_t){
                    step->stage, step->number, r, step->peer, step->bytes
                };
            }
        }
    }
    qsort(count->messages, count->nmessages, sizeof(*count->messages), by_step);
}

static void cross(count_t *count, int edge, size_t bytes, size_t group)
{
    uint64_t *sum = &count->links.bytes[edge];
    last_t *last = &count->last[edge];

    *sum = bytes < UINT64_MAX - *sum ? *sum + bytes : UINT64_MAX;
    if (last->group != group) {
        *last = (last_t){ .group = group };
    }
    last->messages++;
    count->links.contention += last->messages == irr_tree_width(count->tree, edge) + 1;
}

static void cross_all(count_t *count)
{
    size_t group = 0;

    for (size_t i = 0; i < count->nmessages; i++) {
        const message_t *message = &count->messages[i];
        const int links = irr_tree_link_path(count->tree, message->from, message->to, count->path);

        group += i == 0 || by_step(message - 1, message) != 0;
        for (int k = 0; k < links; k++) {
            cross(count, count->path[k], message->bytes, group);
        }
    }
}

irr_status_t irr_links_count(const irr_plans_t *plans, const irr_tree_t *tree, irr_links_t *links)
{
    const size_t edges = 2 * (size_t)tree->links;
    count_t count = { .tree = tree };
    irr_links_t *made = &count.links;
    const irr_array_t kept[] = { IRR_ARRAY(made->bytes, edges) }, used[] = {
        IRR_ARRAY(count.messages, count_steps(plans)), IRR_ARRAY(count.last, edges),
        IRR_ARRAY(count.path, (size_t)tree->longest)
    };

    if (IRR_ALLOC_ARRAYS(used) != IRR_OK || IRR_ALLOC_ARRAYS(kept) != IRR_OK) {
        irr_free(count.messages);
        return IRR_ERR_NO_MEMORY;
    }
    list_messages(plans, &count);
    cross_all(&count);
    irr_free(count.messages);   /* also frees the other arrays */
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
