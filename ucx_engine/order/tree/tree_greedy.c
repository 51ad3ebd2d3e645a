/*
 * tree_greedy.c - contention-free steps on a tree of switches, for messages of different lengths, busiest edge first.
 *
 * An edge is one direction of a link.  Its load is the number of its bytes divided by its capacity, the number of
 * messages that it carries at a time.  No schedule takes less time than the edge with the largest load, the busiest
 * edge.  To come close to this bound, a step first chooses messages over the busiest edge, as many as its capacity.
 * Then it chooses messages over the next busiest edge that is still free, and so on (tree_step.h).  An edge without a
 * message delays the schedule only if its load is close to that of the busiest edge.  Such an edge is urgent: to give
 * it a message, earlier choices may be changed (tree_repair.c).
 *
 * A step ends before the remaining load of any edge exceeds the remaining load of the busiest edge.  It may be longer
 * by a hundredth, so that messages of almost equal length need not be split.  Messages longer than the step are split.
 * A step has at least a 64th of the mean message of the busiest edge; this limits the number of steps, and thus of
 * message starts.  The choice is greedy, so the schedule does not always reach the bound.  For some matrices no
 * schedule on a tree reaches it.
 *
 * A limit on the number of steps raises the minimum length of a step (coarsen.h), at most until steps send whole
 * messages.
 *
 * A step and its repairs take O(edges + chosen * (vertices + senders * receivers)) time.  Here `chosen` is the number
 * of messages, and senders and receivers are the free ranks on the two sides of an edge.  Failed searches would take
 * most of the time: after such a search for an edge whose load is far below that of the busiest edge, the next search
 * for this edge is up to 63 steps later.  A dense matrix of 256 ranks takes 0.4 s on one switch, and 3 s on a chain of
 * four switches with 16400 steps.  A limit on the number of steps takes up to ten times as long.  Memory O(P * P).
 */
#include "order/tree/tree_weighted.h"

#include "core/alloc.h"
#include "core/deadline.h"
#include "order/coarsen.h"
#include "order/messages.h"
#include "order/tree/tree_step.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide_t;

#define SPARE      100   /* a step may be longer than the loads allow by 1 / SPARE */
#define SHORTEST   64    /* a step has at least 1 / SHORTEST of the mean message */
#define LOST       8     /* if an urgent edge is not full, a step has at most 1 / LOST of the mean message */
#define FAR        8     /* an edge is far from urgent if its load is below the largest load minus 1 / FAR of it */
#define WAIT_LIMIT 63    /* largest number of steps until the next search for an edge */

typedef struct job {
    const irr_tree_t   *tree;
    const irr_matrix_t *matrix;
    const irr_deadline_t *deadline;
} job_t;

typedef struct work {
    irr_tree_step_t step;
    const irr_deadline_t *deadline;
    int             edges;     /* number of edges with a load */
    int            *order;     /* these edges, the busiest first */
    int            *waits;     /* by edge: number of steps from its last failed search to the next one */
    int            *next;      /* by edge: the step of its next search, if it is far from urgent */
    uint64_t        mean;      /* mean length of the messages over the busiest edge, in bytes */
    uint64_t        shortest;  /* bytes of the shortest step */
    uint64_t       *lengths;   /* lengths of the messages on an edge */
    uint64_t        lost;      /* bytes of the longest step in which an urgent edge may have an unused lane */
} work_t;

static void work_fini(work_t *work)
{
    irr_free(work->order);   /* frees the other arrays too */
    irr_tree_step_fini(&work->step);
}

/* Sorts edges by falling load, by insertion, because a step changes the order little.  Drops edges without load. */
static void sort_edges(work_t *work)
{
    const uint64_t *loads = work->step.loads;
    int left = 0;

    for (int i = 0; i < work->edges; i++) {
        const int edge = work->order[i];
        int at = left;

        if (loads[edge] == 0) {
            continue;
        }
        for (; at > 0 && loads[work->order[at - 1]] < loads[edge]; at--) {
            work->order[at] = work->order[at - 1];
        }
        work->order[at] = edge;
        left++;
    }
    work->edges = left;
}

static uint64_t most_left(const work_t *work)
{
    return work->step.loads[work->order[0]];
}

/* Returns whether the message from one rank to the other uses the busiest edge. */
static bool crosses(work_t *work, int from, int to)
{
    const int edges = irr_tree_path(work->step.tree, from, to, work->step.path);
    bool found = false;

    for (int k = 0; k < edges; k++) {
        found = found || work->step.path[k] == work->order[0];
    }
    return found;
}

static uint64_t mean_message(work_t *work)
{
    const int ranks = work->step.tree->ranks;
    uint64_t count = 0;

    for (int i = 0; i < ranks; i++) {
        for (int j = 0; j < ranks; j++) {
            count += *irr_tree_step_left(&work->step, i, j) > 0 && crosses(work, i, j);
        }
    }
    return work->step.bytes[work->order[0]] / count;
}

static bool has_lanes(const irr_tree_t *tree)
{
    bool several = false;

    for (int v = 0; v < tree->links; v++) {
        several = several || tree->capacity[v] > 1;
    }
    return several;
}

static irr_status_t work_init(work_t *work, const job_t *job, uint64_t granule)
{
    const int edges = 2 * job->tree->vertices;
    const irr_array_t arrays[] = {
        IRR_ARRAY(work->order, (size_t)edges), IRR_ARRAY(work->waits, (size_t)edges),
        IRR_ARRAY(work->next, (size_t)edges), IRR_ARRAY(work->lengths, (size_t)job->tree->ranks)
    };
    irr_status_t status;

    memset(work, 0, sizeof(*work));
    work->deadline = job->deadline;
    status = irr_tree_step_init(&work->step, job->tree, job->matrix);
    if (status == IRR_OK) {
        status = IRR_ALLOC_ARRAYS(arrays);
    }
    if (status != IRR_OK) {
        work_fini(work);
        return status;
    }
    for (work->edges = 0; work->edges < edges; work->edges++) {
        work->order[work->edges] = work->edges;
    }
    sort_edges(work);
    work->mean = work->edges > 0 ? mean_message(work) : 0;
    work->lost = has_lanes(job->tree) ? work->mean / LOST : UINT64_MAX;
    work->shortest = work->mean / SHORTEST > granule ? work->mean / SHORTEST : granule;
    return IRR_OK;
}

/* ---- a step ---- */

/* Chooses messages over an edge until it is full or there are no more. */
static irr_status_t fill(work_t *work, int edge, bool is_far)
{
    const bool is_urgent = work->step.loads[edge] >= work->step.urgent_load;
    int *waits = &work->waits[edge];
    irr_status_t status = IRR_OK;
    bool covered = true;

    if (is_far && work->next[edge] > work->step.number) {
        return IRR_OK;
    }
    while (status == IRR_OK && covered && !irr_tree_step_is_full(&work->step, edge)) {
        if (irr_deadline_passed(work->deadline)) {
            status = IRR_ERR_TIMEOUT;
        } else if (is_urgent) {
            status = irr_tree_step_repair(&work->step, edge, &covered);
        } else {
            covered = irr_tree_step_cover(&work->step, edge);
        }
    }
    if (irr_tree_step_users(&work->step, edge) > 0) {
        *waits = 0;
    } else {
        *waits = *waits < WAIT_LIMIT ? 2 * *waits + 1 : WAIT_LIMIT;
        work->next[edge] = work->step.number + *waits;
    }
    return status;
}

static irr_status_t choose(work_t *work)
{
    const uint64_t most = most_left(work), far = most - most / FAR;
    const uint64_t urgent = work->mean < most / FAR ? most - work->mean : far;

    irr_status_t status = IRR_OK;

    irr_tree_step_begin(&work->step, urgent);
    for (int i = 0; status == IRR_OK && i < work->edges; i++) {
        const int edge = work->order[i];

        if (!irr_tree_step_is_full(&work->step, edge)) {
            status = fill(work, edge, work->step.loads[edge] < far);
        }
    }
    return status;
}

static uint64_t longest_chosen(const work_t *work)
{
    uint64_t longest = 0;

    for (int i = 0; i < work->step.count; i++) {
        const irr_tree_chosen_t message = work->step.chosen[i];
        const uint64_t left = *irr_tree_step_left(&work->step, message.from, message.to);

        longest = left > longest ? left : longest;
    }
    return longest;
}

/* Sorts the lengths of the chosen messages on an edge; if the edge is slow, their times.  Returns their number. */
static int sort_lengths(work_t *work, int edge)
{
    const irr_tree_t *tree = work->step.tree;
    const int users = irr_tree_step_users(&work->step, edge);
    const bool slow = tree->speed[edge / 2] < tree->base;

    for (int lane = 0; lane < users; lane++) {
        const uint64_t left = irr_tree_step_carries(&work->step, edge, lane);
        const uint64_t length = slow ? irr_tree_load(tree, edge, left) : left;
        int at = lane;

        for (; at > 0 && work->lengths[at - 1] > length; at--) {
            work->lengths[at] = work->lengths[at - 1];
        }
        work->lengths[at] = length;
    }
    return users;
}

/*
 * Returns the length of the longest step after which the load of an edge is at most that of the busiest edge;
 * UINT64_MAX: any length.  slack: difference of the two loads before the step.  In a step of length d the edge carries
 * up to d bytes on each of its `lanes` lanes, and its slack shrinks by d minus the mean of these bytes.  The more of
 * its messages have ended, the faster it shrinks.  For each number of ended messages, the function computes the step
 * after which the slack is used up.  It returns the first such step that ends before the next message does.
 */
static uint64_t fits(const work_t *work, int users, int lanes, uint64_t slack)
{
    wide_t ended = 0, length = 0;

    if (lanes < 2) {   /* at most one lane, the usual case */
        const uint64_t carried = users > 0 ? work->lengths[0] : 0;

        return lanes > 0 && carried < UINT64_MAX - slack ? slack + carried : UINT64_MAX;
    }
    for (int i = 0; i <= users; i++) {
        const int idle = lanes - (users - i);

        length = idle > 0 ? ((wide_t)lanes * slack + ended) / (wide_t)idle : UINT64_MAX;
        if (i == users || (idle > 0 && length <= work->lengths[i])) {
            break;
        }
        ended += work->lengths[i];
    }
    return length < UINT64_MAX ? (uint64_t)length : UINT64_MAX;
}

/*
 * Returns the length of the step.  An edge may carry as many messages at a time as it has lanes.  A lane of an urgent
 * edge for which no message was found does not limit the length.  If links have several lanes, the step is then short,
 * because the next step may find a message for the lane.
 */
static uint64_t duration(work_t *work)
{
    const uint64_t most = most_left(work), longest = longest_chosen(work);
    uint64_t lasts = longest;

    for (int i = 0; i < work->edges; i++) {
        const int edge = work->order[i], users = sort_lengths(work, edge);
        const uint64_t slack = most - work->step.loads[edge];
        const int lanes = slack > work->shortest ? work->step.tree->capacity[edge / 2] : users;
        const uint64_t limit = fits(work, users, lanes, slack);

        if (slack <= work->shortest && !irr_tree_step_is_full(&work->step, edge) && work->lost < lasts) {
            lasts = work->lost;
        }
        if (limit < lasts && limit + limit / SPARE < lasts) {
            lasts = limit + limit / SPARE;
        }
    }
    lasts = lasts > work->shortest ? lasts : work->shortest;
    return lasts < longest ? lasts : longest;
}

static irr_status_t add(const work_t *work, const job_t *job, uint64_t bytes, irr_schedule_t *schedule)
{
    irr_status_t status = IRR_OK;

    for (int i = 0; status == IRR_OK && i < work->step.count; i++) {
        const irr_tree_chosen_t message = work->step.chosen[i];
        const uint64_t left = *irr_tree_step_left(&work->step, message.from, message.to);

        status = irr_schedule_add(schedule, (irr_transmission_t){
            .step = work->step.number, .from = message.from, .to = message.to,
            .offset = *irr_matrix_at(job->matrix, message.from, message.to) - left,
            .length = left < bytes ? left : bytes });
    }
    return status;
}

static irr_status_t make_step(work_t *work, const job_t *job, irr_schedule_t *schedule)
{
    irr_status_t status = choose(work);
    uint64_t bytes;

    if (status != IRR_OK) {
        return status;
    }
    bytes = duration(work);
    status = add(work, job, bytes, schedule);
    irr_tree_step_send(&work->step, bytes);
    sort_edges(work);
    return status;
}

/* Computes the schedule whose steps have at least `granule` bytes; see irr_coarsen_t. */
static irr_status_t attempt(const void *context, uint64_t granule, int max_steps, irr_schedule_t *schedule,
                            bool *fits)
{
    const job_t *job = context;
    work_t work;
    irr_status_t status = work_init(&work, job, granule);

    if (status != IRR_OK) {
        return status;
    }
    schedule->count = 0;
    schedule->steps = 0;
    while (status == IRR_OK && work.edges > 0 && work.step.number < max_steps) {
        status = make_step(&work, job, schedule);
    }
    *fits = work.edges == 0;
    work_fini(&work);
    irr_schedule_sort(schedule);
    return status;
}

irr_status_t irr_tree_greedy(const irr_tree_t *tree, const irr_matrix_t *matrix, int max_steps,
                             const irr_deadline_t *deadline, irr_schedule_t *schedule)
{
    const job_t job = { tree, matrix, deadline };
    irr_schedule_t made = { .ranks = tree->ranks };
    irr_messages_sum_t sum;
    irr_status_t status = irr_messages_sum(matrix, &sum);

    if (status == IRR_OK) {
        status = irr_coarsen(&(irr_coarsen_t){ attempt, &job, sum.longest }, max_steps, &made);
    }
    if (status != IRR_OK) {
        irr_schedule_fini(&made);
        return status;
    }
    *schedule = made;
    return IRR_OK;
}
