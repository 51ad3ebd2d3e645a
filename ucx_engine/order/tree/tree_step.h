/*
 * tree_step.h - chooses the messages of a step, one after the other, so that no directed edge of a tree (tree.h)
 * carries more messages than its capacity.
 *
 * A directed edge leads from its tail to its head.  It is full if as many chosen messages use it as its capacity;
 * otherwise it is free.  Its load is the time that it needs for its remaining bytes.  It is urgent if its load is at
 * least urgent_load.
 *
 * The search for a message begins with an edge that the message must use.  Two walks over free edges with a load find
 * the ends of possible messages: the walk from the tail, against the direction of messages, finds senders, and the walk
 * from the head finds receivers.  Among the pairs of a sender and a receiver with bytes left, the search chooses the
 * pair whose path has the largest number of urgent edges; among several such pairs, the pair with the most bytes left.
 * O(vertices + senders * receivers) for a message.
 *
 * If there is no pair, a repair chooses a message over full edges, and removes the chosen messages that block it.  It
 * then searches for other messages over the urgent edges of the removed messages, and may remove further messages.
 * This corresponds to an augmenting path of a matching.
 */
#ifndef IRR_TREE_STEP_H
#define IRR_TREE_STEP_H

#include "order/tree/tree.h"

/* Largest number of messages that all repairs of a step try. */
#define IRR_TREE_TRIES 512

/* A rank, or another vertex, that a walk has reached. */
typedef struct irr_tree_reach {
    int rank;
    int urgent;   /* number of urgent edges on the way to it */
} irr_tree_reach_t;

typedef struct irr_tree_chosen {
    int  from, to;
    bool kept;    /* chosen by the current repair, which therefore must not remove it */
} irr_tree_chosen_t;

/* A change that a repair has made, and may have to undo. */
typedef struct irr_tree_change {
    irr_tree_chosen_t message;
    bool              added;   /* true: chosen; false: removed */
} irr_tree_change_t;

typedef struct irr_tree_step {
    const irr_tree_t  *tree;
    uint64_t          *left;         /* remaining bytes by sender and receiver */
    uint64_t          *bytes;        /* remaining bytes by directed edge */
    uint64_t          *loads;        /* load by directed edge, from irr_tree_load */
    uint64_t           urgent_load;
    int                number;       /* number of this step, from 1 */
    int                count;        /* number of messages chosen in this step */
    irr_tree_chosen_t *chosen;
    int               *room;         /* by edge: its capacity minus the number of chosen messages that use it */
    size_t            *lanes;        /* by edge: index in `user` of the first of its lanes, as many as its capacity */
    int               *user;         /* by lane: index in `chosen` of the message that uses the lane */
    int               *goal;         /* by edge: number of messages on it after a repair, if it is urgent */
    bool               repairs;      /* walks may also use full edges, if the repair may remove one of their messages */
    int                tries;        /* number of messages that the repairs of this step may still try */
    irr_tree_change_t *changes;
    size_t             changed, max_changes;
    int               *first;        /* the children of vertex v are first[v] to first[v + 1] - 1 */
    int               *children;
    irr_tree_reach_t  *senders, *receivers;
    irr_tree_reach_t  *stack;        /* stack of vertices for walks */
    int               *came_from;    /* by index in the stack: the vertex from which the walk came */
    int               *path;
} irr_tree_step_t;

/* Initialises the state before the first step.  Returns the errors of irr_tree_loads. */
irr_status_t irr_tree_step_init(irr_tree_step_t *step, const irr_tree_t *tree, const irr_matrix_t *matrix);
void         irr_tree_step_fini(irr_tree_step_t *step);

/* Begins the next step, without messages. */
void irr_tree_step_begin(irr_tree_step_t *step, uint64_t urgent_load);

/* Return the number of chosen messages that use an edge, and the index in `chosen` of the message on a lane. */
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

/* Returns a pointer to the remaining bytes of the message from one rank to another. */
static inline uint64_t *irr_tree_step_left(const irr_tree_step_t *step, int from, int to)
{
    return &step->left[(size_t)from * (size_t)step->tree->ranks + (size_t)to];
}

/* Returns the remaining bytes of the message on a lane of an edge. */
static inline uint64_t irr_tree_step_carries(const irr_tree_step_t *step, int edge, int lane)
{
    const irr_tree_chosen_t message = step->chosen[irr_tree_step_user(step, edge, lane)];

    return *irr_tree_step_left(step, message.from, message.to);
}

/* Chooses a message that uses this edge, which must be free, and only free edges.  Returns false if there is none. */
bool irr_tree_step_cover(irr_tree_step_t *step, int edge);

/*
 * Chooses a message that uses this urgent edge, and removes other messages if necessary; see tree_repair.c.  *covered:
 * a message was found.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_tree_step_repair(irr_tree_step_t *step, int edge, bool *covered);

/* Adds a message whose edges are free to the chosen messages.  irr_tree_step_drop removes chosen[index]. */
void irr_tree_step_choose(irr_tree_step_t *step, int from, int to);
void irr_tree_step_drop(irr_tree_step_t *step, int index);

/*
 * Walks from the vertex `start` over edges that may be used, but not to its neighbour not_by.  Fills ranks[] with the
 * ranks that it reaches, and returns their number.  inward: the walk finds ranks that can send to `start`; otherwise
 * ranks that can receive from it.
 */
int irr_tree_step_reach(irr_tree_step_t *step, int start, int not_by, bool inward, irr_tree_reach_t *ranks);

/* Ends the step: subtracts at most `bytes` bytes from each chosen message, and updates the loads. */
void irr_tree_step_send(irr_tree_step_t *step, uint64_t bytes);

#endif
