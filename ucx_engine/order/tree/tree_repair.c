/*
 * tree_repair.c - chooses a message over a directed edge for which no message can be found without changing the step.
 * A message is covered by a repair, which removes other messages from the step; see tree_step.h.
 *
 * A repair chooses a message over the edge, and removes one message from each full edge of its path.  The removed
 * messages leave gaps on the urgent edges that they used.  For each of these edges the repair finds another message,
 * either over free edges or by a further repair, down to a limited depth.  If there is none, the repair is undone, and
 * another message over the first edge is tried.  A step has a limited number of trials, each of at most O(longest *
 * vertices) time for paths of `longest` edges, so repairs without success cost little.
 */
#include "order/tree/tree_step.h"

#include "core/alloc.h"

#define DEPTH      4    /* largest depth of repairs inside repairs, counting the first one */
#define CANDIDATES 48   /* largest number of messages that are tried for an edge */

typedef struct repair {
    irr_tree_step_t *step;
    irr_status_t     status;
} repair_t;

static void note(repair_t *repair, irr_tree_chosen_t message, bool added)
{
    irr_tree_step_t *step = repair->step;
    irr_status_t status = IRR_GROW(step->changes, step->max_changes, step->changed + 1);

    if (status == IRR_OK) {
        step->changes[step->changed++] = (irr_tree_change_t){ message, added };
    }
    repair->status = repair->status == IRR_OK ? status : repair->status;
}

/* Protects the message that was chosen last from removal until the repair ends. */
static void keep_last(repair_t *repair)
{
    irr_tree_chosen_t *last = &repair->step->chosen[repair->step->count - 1];

    last->kept = true;
    note(repair, *last, true);
}

/* Returns the index of a chosen message.  The edge above its sender has only this message. */
static int index_of(irr_tree_step_t *step, irr_tree_chosen_t message)
{
    return irr_tree_step_user(step, 2 * irr_tree_leaf(step->tree, message.from), 0);
}

static void undo(repair_t *repair, size_t to)
{
    irr_tree_step_t *step = repair->step;

    while (step->changed > to) {
        const irr_tree_change_t change = step->changes[--step->changed];

        if (change.added) {
            irr_tree_step_drop(step, index_of(step, change.message));
        } else {
            irr_tree_step_choose(step, change.message.from, change.message.to);
        }
    }
}

/* Returns whether the message that a rank sends or receives uses an edge.  rank_edge: its edge up or down. */
static bool is_user(irr_tree_step_t *step, int rank_edge, int edge)
{
    irr_tree_chosen_t message;
    bool found = false;
    int edges;

    if (irr_tree_step_users(step, rank_edge) == 0) {
        return false;
    }
    message = step->chosen[irr_tree_step_user(step, rank_edge, 0)];
    edges = irr_tree_path(step->tree, message.from, message.to, step->path);
    for (int k = 0; k < edges; k++) {
        found = found || step->path[k] == edge;
    }
    return found;
}

/* Omits ranks whose chosen message uses the edge; to remove that message would gain nothing for the edge. */
static int leave_out(irr_tree_step_t *step, int edge, bool receive, irr_tree_reach_t *ranks, int count)
{
    int left = 0;

    for (int i = 0; i < count; i++) {
        if (!is_user(step, 2 * irr_tree_leaf(step->tree, ranks[i].rank) + receive, edge)) {
            ranks[left++] = ranks[i];
        }
    }
    return left;
}

/* Lists messages over an edge that need not replace a protected (kept) message, and returns their number. */
static int list_candidates(irr_tree_step_t *step, int edge, irr_tree_chosen_t *list)
{
    const int below = edge / 2, above = step->tree->parent[below];
    const int tail = edge % 2 == 0 ? below : above, head = edge % 2 == 0 ? above : below;
    int senders, receivers, count = 0;

    step->repairs = true;
    senders = irr_tree_step_reach(step, tail, head, true, step->senders);
    receivers = irr_tree_step_reach(step, head, tail, false, step->receivers);
    step->repairs = false;
    if (irr_tree_step_users(step, edge) > 0) {
        senders = leave_out(step, edge, false, step->senders, senders);
        receivers = leave_out(step, edge, true, step->receivers, receivers);
    }
    for (int i = 0; i < senders; i++) {
        for (int j = 0; j < receivers && count < CANDIDATES; j++) {
            const int from = step->senders[i].rank, to = step->receivers[j].rank;

            if (*irr_tree_step_left(step, from, to) > 0) {
                list[count++] = (irr_tree_chosen_t){ from, to, false };
            }
        }
    }
    return count;
}

/* Returns the index of a message on a full edge that is not kept.  list_candidates ensured that there is one. */
static int find_other(const irr_tree_step_t *step, int edge)
{
    int lane = 0;

    while (step->chosen[irr_tree_step_user(step, edge, lane)].kept) {
        lane++;
    }
    return irr_tree_step_user(step, edge, lane);
}

/*
 * Removes one message from each full edge on the path of `message`. several: only from edges of capacity 2 and more;
 * otherwise only from edges of capacity 1.
 */
static void clear(repair_t *repair, irr_tree_chosen_t message, bool several)
{
    irr_tree_step_t *step = repair->step;
    const int edges = irr_tree_path(step->tree, message.from, message.to, step->path);

    for (int k = 0; k < edges; k++) {
        const int edge = step->path[k];

        if ((step->tree->capacity[edge / 2] > 1) == several && irr_tree_step_is_full(step, edge)) {
            const int index = find_other(step, edge);

            note(repair, step->chosen[index], false);
            irr_tree_step_drop(step, index);   /* overwrites the path */
            irr_tree_path(step->tree, message.from, message.to, step->path);
        }
    }
}

static bool cover(repair_t *repair, int edge, int depth);

/* Finds messages for the urgent edges of the removed messages changes[first] to changes[last - 1]. */
static bool cover_left(repair_t *repair, size_t first, size_t last, int depth)
{
    irr_tree_step_t *step = repair->step;
    bool covered = true;

    for (size_t i = first; covered && i < last; i++) {
        const irr_tree_chosen_t message = step->changes[i].message;
        const int edges = irr_tree_path(step->tree, message.from, message.to, step->path);

        for (int k = 0; covered && k < edges; k++) {
            const int edge = step->path[k];

            if (step->loads[edge] >= step->urgent_load && irr_tree_step_users(step, edge) < step->goal[edge]) {
                covered = cover(repair, edge, depth);   /* overwrites the path */
                irr_tree_path(step->tree, message.from, message.to, step->path);
            }
        }
    }
    return covered;
}

static bool try_message(repair_t *repair, irr_tree_chosen_t message, int depth)
{
    irr_tree_step_t *step = repair->step;
    const size_t first = step->changed;
    size_t last;

    step->tries--;
    clear(repair, message, false);   /* the removed messages may also free edges of larger capacity */
    clear(repair, message, true);
    last = step->changed;
    irr_tree_step_choose(step, message.from, message.to);
    keep_last(repair);
    if (repair->status == IRR_OK && cover_left(repair, first, last, depth - 1)) {
        return true;
    }
    if (repair->status == IRR_OK) {   /* otherwise the list of changes is incomplete, and the step is given up */
        undo(repair, first);
    }
    return false;
}

static bool replace(repair_t *repair, int edge, int depth)
{
    irr_tree_chosen_t list[CANDIDATES];
    bool covered = false;
    int count = 0;

    if (depth > 0 && repair->step->tries > 0) {
        count = list_candidates(repair->step, edge, list);
    }
    for (int i = 0; !covered && i < count && repair->step->tries > 0 && repair->status == IRR_OK; i++) {
        covered = try_message(repair, list[i], depth);
    }
    return covered;
}

static bool cover(repair_t *repair, int edge, int depth)
{
    if (irr_tree_step_cover(repair->step, edge)) {
        keep_last(repair);
        return repair->status == IRR_OK;
    }
    return replace(repair, edge, depth);
}

/* Sets the goals of a repair: `edge` gets one more message, and all other edges keep their number of messages. */
static void set_goals(irr_tree_step_t *step, int edge)
{
    for (int e = 0; e < 2 * step->tree->vertices; e++) {
        step->goal[e] = irr_tree_step_users(step, e);
    }
    step->goal[edge]++;
}

irr_status_t irr_tree_step_repair(irr_tree_step_t *step, int edge, bool *covered)
{
    repair_t repair = { .step = step, .status = IRR_OK };

    step->changed = 0;
    *covered = irr_tree_step_cover(step, edge);
    if (*covered || step->tries == 0) {
        return IRR_OK;
    }
    set_goals(step, edge);
    *covered = replace(&repair, edge, DEPTH);
    for (int i = 0; i < step->count; i++) {
        step->chosen[i].kept = false;
    }
    return repair.status;
}
