/*
 * tree_step.h - a step of messages that share directed edges of a tree as far as their capacity goes, message by
 * message.
 *
 * An edge is full when as many messages use it as its capacity says, else it is free.  A message is looked for by
 * an edge that it must use: two walks over the edges that are free, from the edge's tail against the direction of
 * messages to those who may send, from its head to those who may receive.  An edge that has no load is not walked.
 * Of the pairs that still have something to send, the one is taken that uses most edges that are urgent; of equal
 * ones the longest.  O(vertices + senders * receivers) a message.
 *
 * If there is none, a repair takes messages out again that stand in the way of one, and looks for others over the
 * urgent edges that they leave, which may have to take out others in turn: what an augmenting path is for a
 * matching.
 */
#ifndef IRR_TREE_STEP_H
#define IRR_TREE_STEP_H

#include "order/tree/tree.h"

/* Messages that the repairs of a step put in by trial, at most. */
#define IRR_TREE_TRIES 512

/* A rank that the walk reached. */
typedef struct irr_tree_reach {
    int rank;
    int urgent;   /* edges of its way with a load of at least urgent_load */
} irr_tree_reach_t;

typedef struct irr_tree_chosen {
    int  from, to;
    bool kept;    /* a repair put it in, and must not take it out */
} irr_tree_chosen_t;

/* What a repair did, to be undone. */
typedef struct irr_tree_change {
    irr_tree_chosen_t message;
    bool              added;   /* or taken out */
} irr_tree_change_t;

typedef struct irr_tree_step {
    const irr_tree_t  *tree;
    uint64_t          *left;         /* bytes by sender and receiver that are still to be sent */
    uint64_t          *bytes;        /* of them, by directed edge */
    uint64_t          *loads;        /* by directed edge, their time: irr_tree_load */
    uint64_t           urgent_load;
    int                number;       /* of this step, from 1 */
    int                count;        /* messages chosen in it */
    irr_tree_chosen_t *chosen;
    int               *room;         /* by edge: messages that it can take in yet */
    size_t            *lanes;        /* by edge: where its part of user begins, with room for its capacity */
    int               *user;         /* places in chosen of the messages that use an edge */
    int               *goal;         /* by edge: users that a repair must leave it if it is urgent */
    bool               repairs;      /* walks take edges of messages that are not kept */
    int                tries;        /* that repairs in this step have left */
    irr_tree_change_t *changes;
    size_t             changed, max_changes;
    int               *first;        /* children of vertex v: from first[v] to first[v + 1] - 1 */
    int               *children;
    irr_tree_reach_t  *senders, *receivers;
    irr_tree_reach_t  *stack;        /* of vertices, for walks */
    int               *came_from;    /* by place in the stack */
    int               *path;
} irr_tree_step_t;

/* Before the first step.  IRR_ERR_NO_MEMORY; IRR_ERR_BAD_PARAM as irr_tree_loads. */
irr_status_t irr_tree_step_init(irr_tree_step_t *step, const irr_tree_t *tree, const irr_matrix_t *matrix);
void         irr_tree_step_fini(irr_tree_step_t *step);

/* The next step, empty. */
void irr_tree_step_begin(irr_tree_step_t *step, uint64_t urgent_load);

/* The messages that use an edge in this step: how many, and the place of one of them in chosen. */
static inline int irr_tree_step_users(const irr_tree_step_t *step, int edge)
{
    return step->tree->capacity[edge / 2] - step->room[edge];
}

static inline int irr_tree_step_user(const irr_tree_step_t *step, int edge, int lane)
{
    return step->user[step->lanes[edge] + (size_t)lane];
}

static inline bool irr_tree_step_is_full(const irr_tree_step_t *step, int edge)
{
    return step->room[edge] == 0;
}

/* Bytes of the message from one rank to another that are left. */
static inline uint64_t *irr_tree_step_left(const irr_tree_step_t *step, int from, int to)
{
    return &step->left[(size_t)from * (size_t)step->tree->ranks + (size_t)to];
}

/* Bytes that are left of a message that uses an edge. */
static inline uint64_t irr_tree_step_carries(const irr_tree_step_t *step, int edge, int lane)
{
    const irr_tree_chosen_t message = step->chosen[irr_tree_step_user(step, edge, lane)];

    return *irr_tree_step_left(step, message.from, message.to);
}

/* Chooses one more message that uses a free edge; false if there is none. */
bool irr_tree_step_cover(irr_tree_step_t *step, int edge);

/* The same for an urgent edge, with other choices changed if need be; see tree_repair.c.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_tree_step_repair(irr_tree_step_t *step, int edge, bool *covered);

/* Puts a message in whose edges are free, and takes one out. */
void irr_tree_step_choose(irr_tree_step_t *step, int from, int to);
void irr_tree_step_drop(irr_tree_step_t *step, int place);

/* Ranks that have a free way to a vertex (inward), or from it, other than by a neighbour; returns how many. */
int irr_tree_step_reach(irr_tree_step_t *step, int start, int not_by, bool inward, irr_tree_reach_t *ranks);

/* Takes so many bytes at most off each message that was chosen, and off the loads. */
void irr_tree_step_send(irr_tree_step_t *step, uint64_t bytes);

#endif
