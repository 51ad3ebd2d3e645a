/*
 * phases.c - contention-free phases for an all-to-all exchange on a tree of switches.
 *
 *     Faraj, Yuan: Message scheduling for all-to-all personalized communication on Ethernet switched clusters,
 *     sections 4.2 and 4.3, figure 4
 *
 * A phase is a set of messages that share no link.  The root of the tree (tree_root.c) has the subtrees t0, t1 ..,
 * largest first.  Subtree ti has |Mi| of all |M| ranks, its members.  A message between two subtrees is global, and a
 * message within a subtree is local.  The messages from ti to tj are assigned to |Mi| * |Mj| consecutive phases (the
 * paper's extended ring scheduling).  In a phase each subtree sends at most one global message, and receives at most
 * one.  The six steps of the paper choose sender and receiver for each phase:
 *
 *     1  t0 -> tj: rotate pattern; the receivers are aligned with the last phase
 *     2  ti -> t0: broadcast pattern; round r maps sender n of t0 to receiver n + r + 1 (table 3)
 *     3  local messages of t0, from the receiver to the sender of a phase, in |M0| - 1 rounds of |M0| phases
 *     4  ti -> tj, i > j > 0: broadcast pattern, with receivers aligned as in step 1
 *     5  local messages of ti, as in step 3, in the phases of ti -> ti-1
 *     6  ti -> tj, 0 < i < j: broadcast pattern
 *
 * In the rotate pattern, the sender changes in each phase.  In the broadcast pattern, a sender sends to all receivers
 * in consecutive phases.  Aligned with the last phase means that the last member receives in the last phase, the member
 * before it in the phase before, and so on.
 *
 * The sender of a local message is the receiver of a global message of the same phase, and its receiver is the sender
 * of a global message of this phase.  Local messages therefore do not share a link with other messages (lemma 3), and a
 * rank sends and receives at most one message in a phase.  Messages between ranks of one host are ordered in the same
 * way, but use no link.
 *
 * There are |M0| * (|M| - |M0|) phases, as many as messages cross the busiest link.  On one switch there are |M| - 1
 * phases, and rank i sends to rank i + k mod |M| in phase k.  O(|M| * |M|) time and memory.
 */
#include "order/tree/phases.h"

#include "core/alloc.h"
#include "order/messages.h"

typedef struct builder {
    const irr_tree_root_t *root;
    int                    phases;
    int                   *sender0;    /* by phase: the member of t0 that sends a global message */
    uint64_t               bytes;
    irr_schedule_t        *schedule;
} builder_t;

/* Returns |Mi|. */
static int size_of(const builder_t *builder, int i)
{
    return builder->root->first[i + 1] - builder->root->first[i];
}

/* Appends a message.  Members are counted from 0 in their subtree, phases from 0. */
static irr_status_t assign(const builder_t *builder, int phase, int i, int sender, int j, int receiver)
{
    const irr_tree_root_t *root = builder->root;

    return irr_schedule_add(builder->schedule, (irr_transmission_t){
        .step = phase + 1, .from = root->ranks[root->first[i] + sender],
        .to = root->ranks[root->first[j] + receiver], .length = builder->bytes });
}

/* Returns the first phase of the messages from ti to tj (section 4.2).  Subtrees t0 to ti-1 have first[i] ranks. */
static int start_of(const builder_t *builder, int i, int j)
{
    const int *first = builder->root->first;

    if (i < j) {
        return size_of(builder, i) * (first[j] - first[i + 1]);
    }
    return builder->phases - size_of(builder, j) * (first[i + 1] - first[j + 1]);
}

/* Returns the member of ti that is aligned with a phase.  The last member is aligned with the last phase. */
static int aligned(const builder_t *builder, int i, int phase)
{
    return size_of(builder, i) - 1 - (builder->phases - 1 - phase) % size_of(builder, i);
}

static int gcd(int a, int b)
{
    return b == 0 ? a : gcd(b, a % b);
}

/* Step 1: rotate pattern.  If senders and receivers begin again in the same phase, the senders rotate by one. */
static irr_status_t rotate(const builder_t *builder, int j)
{
    const int senders = size_of(builder, 0), receivers = size_of(builder, j), start = start_of(builder, 0, j);
    const int period = senders / gcd(senders, receivers) * receivers;
    irr_status_t status = IRR_OK;

    for (int q = 0; status == IRR_OK && q < senders * receivers; q++) {
        const int sender = (q + q / period) % senders;

        builder->sender0[start + q] = sender;
        status = assign(builder, start + q, 0, sender, j, aligned(builder, j, start + q));
    }
    return status;
}

/* Returns the member of t0 that receives in a phase (table 3). */
static int receiver0(const builder_t *builder, int phase)
{
    const int members = size_of(builder, 0), round = phase / members % members;

    return (builder->sender0[phase] + round + 1) % members;
}

/* Steps 2, 4 and 6: broadcast pattern. */
static irr_status_t broadcast(const builder_t *builder, int i, int j)
{
    const int receivers = size_of(builder, j), start = start_of(builder, i, j);
    irr_status_t status = IRR_OK;

    for (int q = 0; status == IRR_OK && q < size_of(builder, i) * receivers; q++) {
        const int receiver = j == 0 ? receiver0(builder, start + q) : q % receivers;

        status = assign(builder, start + q, i, q / receivers, j, receiver);
    }
    return status;
}

/* Step 3: local messages of t0. */
static irr_status_t assign_local0(const builder_t *builder)
{
    irr_status_t status = IRR_OK;

    for (int phase = 0; status == IRR_OK && phase < size_of(builder, 0) * (size_of(builder, 0) - 1); phase++) {
        status = assign(builder, phase, 0, receiver0(builder, phase), 0, builder->sender0[phase]);
    }
    return status;
}

/*
 * Step 5: local messages of ti.  Each member sends to ti-1 in at least |Mi| consecutive phases.  In the first |Mi| of
 * them, each member of ti is aligned with one phase.
 */
static irr_status_t assign_local(const builder_t *builder, int i)
{
    const int members = size_of(builder, i), start = start_of(builder, i, i - 1);
    irr_status_t status = IRR_OK;

    for (int q = 0; status == IRR_OK && q < members * members; q++) {
        const int sender = q / members, phase = start + sender * size_of(builder, i - 1) + q % members;
        const int receiver = aligned(builder, i, phase);

        if (receiver != sender) {
            status = assign(builder, phase, i, receiver, i, sender);
        }
    }
    return status;
}

static irr_status_t assign_all(const builder_t *builder)
{
    const int subtrees = builder->root->subtrees;
    irr_status_t status = IRR_OK;

    for (int j = 1; status == IRR_OK && j < subtrees; j++) {
        status = rotate(builder, j);
    }
    if (status == IRR_OK && subtrees > 1) {
        status = assign_local0(builder);
    }
    for (int i = 1; status == IRR_OK && i < subtrees; i++) {
        for (int j = 0; status == IRR_OK && j < subtrees; j++) {
            status = j != i ? broadcast(builder, i, j) : assign_local(builder, i);
        }
    }
    return status;
}

static irr_status_t build(const irr_tree_root_t *root, uint64_t bytes, irr_schedule_t *schedule)
{
    const uint64_t ranks = (uint64_t)schedule->ranks;
    builder_t builder = { .root = root, .bytes = bytes, .schedule = schedule };
    irr_status_t status;

    if (bytes == 0 || bytes > (uint64_t)INT64_MAX / ranks / ranks) {
        return IRR_ERR_BAD_PARAM;
    }
    if (irr_tree_phases(root) > INT32_MAX) {
        return IRR_ERR_NOT_SUPPORTED;
    }
    builder.phases = (int)irr_tree_phases(root);
    builder.sender0 = irr_alloc((size_t)builder.phases, sizeof(*builder.sender0));
    status = builder.sender0 != NULL ? assign_all(&builder) : IRR_ERR_NO_MEMORY;
    irr_free(builder.sender0);
    return status;
}

irr_status_t irr_tree_all_to_all(const irr_tree_t *tree, uint64_t bytes, irr_schedule_t *schedule)
{
    irr_schedule_t made = { .ranks = tree->ranks };
    irr_tree_root_t root;
    irr_status_t status = irr_tree_root_find(tree, &root);

    if (status != IRR_OK) {
        return status;
    }
    status = build(&root, bytes, &made);
    irr_tree_root_fini(&root);
    if (status != IRR_OK) {
        irr_schedule_fini(&made);
        return status;
    }
    irr_schedule_sort(&made);
    *schedule = made;
    return IRR_OK;
}

irr_status_t irr_tree_phased(const irr_tree_t *tree, const irr_matrix_t *matrix, irr_schedule_t *schedule)
{
    irr_messages_sum_t sum;
    irr_schedule_t made;
    irr_status_t status;
    size_t count = 0;
    int step = 0, last = 0;

    if (matrix->ranks != tree->ranks || irr_messages_sum(matrix, &sum) != IRR_OK) {
        return IRR_ERR_BAD_PARAM;
    }
    status = irr_tree_all_to_all(tree, 1, &made);
    if (status != IRR_OK) {
        return status;
    }
    for (size_t i = 0; i < made.count; i++) {
        irr_transmission_t t = made.list[i];

        t.length = *irr_matrix_at(matrix, t.from, t.to);
        if (t.length > 0) {
            step += t.step != last;
            last = t.step;
            t.step = step;
            made.list[count++] = t;
        }
    }
    made.count = count;
    made.steps = step;
    *schedule = made;
    return IRR_OK;
}
