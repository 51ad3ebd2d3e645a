/*
 * tree_repair.c - finds a message for an edge that has none, at the expense of others; see tree_step.h.
 *
 * A message over the edge is put in by trial, and those that share an edge with it are taken out.  The urgent
 * edges that this leaves free are covered again, by a message that is in nobody's way or by a repair in turn,
 * down to some depth.  If that fails, all is undone, and another message is tried.  A step has a limited number
 * of trials, each of O(longest * vertices) at most, so repairs cost little where they cannot help.
 */
#include "order/tree_step.h"

#include "core/alloc.h"

#define DEPTH      4    /* repairs that one repair may need */
#define CANDIDATES 48   /* messages tried for an edge, at most */

typedef struct repair {
    irr_tree_step_t *step;
    irr_status_t     status;
} repair_t;

static void note(repair_t *repair, irr_tree_chosen_t message, bool added)
{
    irr_tree_step_t *step = repair->step;
    void *changes = step->changes;
    irr_status_t status = irr_grow(&changes, &step->max_changes, step->changed + 1, sizeof(*step->changes));

    step->changes = changes;
    if (status == IRR_OK) {
        step->changes[step->changed++] = (irr_tree_change_t){ message, added };
    }
    repair->status = repair->status == IRR_OK ? status : repair->status;
}

/* The message that was put in last is kept for as long as the repair runs. */
static void keep_last(repair_t *repair)
{
    irr_tree_chosen_t *last = &repair->step->chosen[repair->step->count - 1];

    last->kept = true;
    note(repair, *last, true);
}

/* The place of a message among those that are chosen. */
static int place_of(irr_tree_step_t *step, irr_tree_chosen_t message)
{
    return step->user[2 * irr_tree_leaf(step->tree, message.from)];
}

static void undo(repair_t *repair, size_t to)
{
    irr_tree_step_t *step = repair->step;

    while (step->changed > to) {
        const irr_tree_change_t change = step->changes[--step->changed];

        if (change.added) {
            irr_tree_step_drop(step, place_of(step, change.message));
        } else {
            irr_tree_step_choose(step, change.message.from, change.message.to);
        }
    }
}

/* Messages over an edge that need no edge of one that is kept; returns how many. */
static int list_candidates(irr_tree_step_t *step, int edge, irr_tree_chosen_t *list)
{
    const int below = edge / 2, above = step->tree->parent[below];
    const int tail = edge % 2 == 0 ? below : above, head = edge % 2 == 0 ? above : below;
    int senders, receivers, count = 0;

    step->repairs = true;
    senders = irr_tree_step_reach(step, tail, head, true, step->senders);
    receivers = irr_tree_step_reach(step, head, tail, false, step->receivers);
    step->repairs = false;
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

/* Takes out what uses an edge of a message. */
static void clear(repair_t *repair, irr_tree_chosen_t message)
{
    irr_tree_step_t *step = repair->step;
    const int edges = irr_tree_path(step->tree, message.from, message.to, step->path);

    for (int k = 0; k < edges; k++) {
        const int edge = step->path[k];

        if (irr_tree_step_uses(step, edge)) {   /* to take it out needs the room of the path */
            note(repair, step->chosen[step->user[edge]], false);
            irr_tree_step_drop(step, step->user[edge]);
            irr_tree_path(step->tree, message.from, message.to, step->path);
        }
    }
}

static bool cover(repair_t *repair, int edge, int depth);

/* Covers what messages that were taken out have left free, as far as it is urgent. */
static bool cover_left(repair_t *repair, size_t first, size_t last, int depth)
{
    irr_tree_step_t *step = repair->step;
    bool covered = true;

    for (size_t i = first; covered && i < last; i++) {
        const irr_tree_chosen_t message = step->changes[i].message;
        const int edges = irr_tree_path(step->tree, message.from, message.to, step->path);

        for (int k = 0; covered && k < edges; k++) {
            const int edge = step->path[k];

            if (step->loads[edge] >= step->urgent_load && !irr_tree_step_uses(step, edge)) {
                covered = cover(repair, edge, depth);   /* needs the room of the path */
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
    clear(repair, message);
    last = step->changed;
    irr_tree_step_choose(step, message.from, message.to);
    keep_last(repair);
    if (repair->status == IRR_OK && cover_left(repair, first, last, depth - 1)) {
        return true;
    }
    undo(repair, first);
    return false;
}

static bool cover(repair_t *repair, int edge, int depth)
{
    irr_tree_chosen_t list[CANDIDATES];
    bool covered = false;
    int count;

    if (irr_tree_step_cover(repair->step, edge)) {
        keep_last(repair);
        return repair->status == IRR_OK;
    }
    count = depth > 0 && repair->step->tries > 0 ? list_candidates(repair->step, edge, list) : 0;
    for (int i = 0; !covered && i < count && repair->step->tries > 0 && repair->status == IRR_OK; i++) {
        covered = try_message(repair, list[i], depth);
    }
    return covered;
}

irr_status_t irr_tree_step_repair(irr_tree_step_t *step, int edge, bool *covered)
{
    repair_t repair = { .step = step, .status = IRR_OK };

    step->changed = 0;
    *covered = cover(&repair, edge, DEPTH);
    for (int i = 0; i < step->count; i++) {
        step->chosen[i].kept = false;
    }
    return repair.status;
}
