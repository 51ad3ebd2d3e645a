/*
 * tree_step.h - chooses the messages of a step, one after the other, so that no directed edge of a tree carries more
 * messages than its capacity.
 *
 * An edge is full if the number of messages that use it is its capacity, and free otherwise.  An edge is urgent if its
 * load is at least urgent_load.  The search for a message begins with an edge that the message must use.  Two walks
 * over free edges with a load find the candidates.  The walk from the edge's tail, against the direction of messages,
 * finds the possible senders; the walk from its head finds the possible receivers.  Of the pairs that have bytes left,
 * the search chooses the pair whose path has the largest number of urgent edges; of several such pairs, the pair with
 * the longest message.  O(vertices + senders * receivers) for a message.
 *
 * If there is no pair, a repair chooses a message over full edges, and removes the chosen messages that block it.  It
 * then searches for other messages over the urgent edges of the removed messages, and may remove further messages.  A
 * repair corresponds to an augmenting path of a matching.
 */
#ifndef IRR_TREE_STEP_H
#define IRR_TREE_STEP_H

#include "order/tree/tree.h"

/* Largest number of messages that the repairs of a step try. */
#define IRR_TREE_TRIES 512

/* A rank that a walk has reached. */
typedef struct irr_tree_reach {
    int rank;
    int urgent;   /* number of edges of its path that are urgent */
} irr_tree_reach_t;

typedef struct irr_tree_chosen {
    int  from, to;
    bool kept;    /* chosen by the current repair, which therefore must not remove it */
} irr_tree_chosen_t;

/* A change by a repair, for undoing it. */
typedef struct irr_tree_change {
    irr_tree_chosen_t message;
    bool              added;   /* false: removed */
} irr_tree_change_t;

typedef struct irr_tree_step {
    const irr_tree_t  *tree;
    uint64_t          *left;         /* remaining bytes by sender and receiver */
    uint64_t          *bytes;        /* remaining bytes by directed edge */
    uint64_t          *loads;        /* time of these bytes by directed edge: irr_tree_load */
    uint64_t           urgent_load;
    int                number;       /* number of this step, from 1 */
    int                count;        /* messages chosen in this step */
    irr_tree_chosen_t *chosen;
    int               *room;         /* by edge: number of messages that it can still take */
    size_t            *lanes;        /* by edge: index in user of its first lane; as many follow as its capacity */
    int               *user;         /* indices in chosen of the messages that use each edge */
    int               *goal;         /* by edge: number of users that it must have after a repair, if it is urgent */
    bool               repairs;      /* walks also use edges of messages that are not kept */
    int                tries;        /* number of messages that repairs of this step may still try */
    irr_tree_change_t *changes;
    size_t             changed, max_changes;
    int               *first;        /* the children of vertex v are first[v] to first[v + 1] - 1 */
    int               *children;
    irr_tree_reach_t  *senders, *receivers;
    irr_tree_reach_t  *stack;        /* stack of vertices for walks */
    int               *came_from;    /* by index in the stack */
    int               *path;
} irr_tree_step_t;

/* Initialises the state before the first step.  Returns the errors of irr_tree_loads. */
irr_status_t irr_tree_step_init(irr_tree_step_t *step, const irr_tree_t *tree, const irr_matrix_t *matrix);
void         irr_tree_step_fini(irr_tree_step_t *step);

/* Begins the next step, without messages. */
void irr_tree_step_begin(irr_tree_step_t *step, uint64_t urgent_load);

/* Return the number of messages that use an edge in this step, and the index in chosen of one of them. */
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

/* Returns the remaining bytes of a message that uses an edge. */
static inline uint64_t irr_tree_step_carries(const irr_tree_step_t *step, int edge, int lane)
{
    const irr_tree_chosen_t message = step->chosen[irr_tree_step_user(step, edge, lane)];

    return *irr_tree_step_left(step, message.from, message.to);
}

/* Chooses one more message that uses a free edge.  Returns false if there is no such message. */
bool irr_tree_step_cover(irr_tree_step_t *step, int edge);

/*
 * Chooses a message for an urgent edge, and changes other choices if need be; see tree_repair.c.  May return
 * IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_tree_step_repair(irr_tree_step_t *step, int edge, bool *covered);

/* Choose a message whose edges are free, and remove one. */
void irr_tree_step_choose(irr_tree_step_t *step, int from, int to);
void irr_tree_step_drop(irr_tree_step_t *step, int index);

/*
 * Fills ranks[] with the ranks that have a free path to a vertex (inward), or from it, and returns their number.  Paths
 * over the neighbour not_by are excluded.
 */
int irr_tree_step_reach(irr_tree_step_t *step, int start, int not_by, bool inward, irr_tree_reach_t *ranks);

/* Subtracts at most this many bytes from each chosen message, and from the loads. */
void irr_tree_step_send(irr_tree_step_t *step, uint64_t bytes);

#endif
