/*
 * random_heap.c - random scheduling with heaps, algorithm random-heap: RS_NH of Ranka, Wang and Kumar, sections
 * 5.2, 6 and 7.
 *
 * Each rank has a heap of its remaining messages.  In each step the ranks take turns, beginning with a random rank;
 * each rank takes its longest message whose receiver is free.  lambda.h computes a threshold for the step.  Messages up
 * to the threshold are sent whole.  Of a longer message, only as many bytes as the threshold are sent, and the rest
 * returns to the heap.  No step therefore waits for a single long message.
 *
 * If each of P ranks sends and receives d messages, and each step sends a fraction lambda of its messages whole, the
 * paper counts about P * d / lambda * ln d heap operations of O(log d) time each.  Each step sorts P lengths.  There
 * are at most as many steps as messages.
 *
 * With the rule `search` (section 6.1) the file computes a schedule for each of several values of lambda, the
 * candidates, and keeps the schedule that takes the least time.
 */
#include "order/lambda.h"
#include "order/messages.h"
#include "order/order.h"

#include "core/alloc.h"
#include "core/deadline.h"
#include "core/random.h"

/*
 * ---- heaps ----
 *
 * The messages of a rank are stored in one array, its row.  The remaining messages form a heap at the start of the row,
 * with the longest message on top.  An extracted message is stored behind the heap, so a step needs no other memory for
 * messages that it tries without success.  An operation on n messages takes O(log n) time.
 */

static void swap(irr_message_t *a, irr_message_t *b)
{
    irr_message_t kept = *a;

    *a = *b;
    *b = kept;
}

static void sink(irr_message_t *heap, int n, int at)
{
    for (int child = 2 * at + 1; child < n; child = 2 * at + 1) {
        child += child + 1 < n && heap[child + 1].length > heap[child].length;
        if (heap[at].length >= heap[child].length) {
            return;
        }
        swap(&heap[at], &heap[child]);
        at = child;
    }
}

/* Makes a heap of n messages, O(n). */
static void build(irr_message_t *heap, int n)
{
    for (int at = n / 2 - 1; at >= 0; at--) {
        sink(heap, n, at);
    }
}

/* Moves the longest of n messages to heap[n - 1]; the others stay a heap. */
static void extract(irr_message_t *heap, int n)
{
    swap(&heap[0], &heap[n - 1]);
    sink(heap, n - 1, 0);
}

/* Adds heap[n] to the heap of n messages before it. */
static void insert(irr_message_t *heap, int n)
{
    for (int at = n; at > 0 && heap[(at - 1) / 2].length < heap[at].length; at = (at - 1) / 2) {
        swap(&heap[at], &heap[(at - 1) / 2]);
    }
}

/* ---- steps ---- */

typedef struct heaps {
    irr_messages_t messages;
    size_t         left;      /* number of messages in all heaps */
    uint64_t       random;
    int           *busy;      /* by rank: the last step in which it received */
    bool          *sends;     /* by rank: true if it sends in this step; its message is stored behind its heap */
    uint64_t      *lengths;   /* lengths of the messages of this step */
} heaps_t;

static void heaps_fini(heaps_t *heaps)
{
    irr_free(heaps->busy);   /* frees the other arrays too */
    irr_messages_fini(&heaps->messages);
}

static irr_status_t heaps_init(heaps_t *heaps, const irr_matrix_t *matrix, uint64_t seed)
{
    const size_t ranks = (size_t)matrix->ranks;
    irr_status_t status;

    *heaps = (heaps_t){ .random = seed };
    status = irr_messages_init(&heaps->messages, matrix);
    if (status == IRR_OK) {
        status = IRR_ALLOC_ARRAYS(((irr_array_t[]){
            IRR_ARRAY(heaps->busy, ranks), IRR_ARRAY(heaps->sends, ranks), IRR_ARRAY(heaps->lengths, ranks) }));
    }
    if (status != IRR_OK) {
        heaps_fini(heaps);
        return status;
    }
    heaps->left = heaps->messages.count;
    irr_messages_shuffle(&heaps->messages, &heaps->random);  /* equally long messages are taken in random order */
    for (int i = 0; i < matrix->ranks; i++) {
        build(irr_messages_row(&heaps->messages, i), heaps->messages.left[i]);
    }
    return IRR_OK;
}

/* Moves the longest message whose receiver is free behind the heap.  Returns false if no receiver is free. */
static bool take(heaps_t *heaps, int row, int step)
{
    irr_message_t *heap = irr_messages_row(&heaps->messages, row);
    const int all = heaps->messages.left[row];
    int rest = all;
    bool found = false;

    while (rest > 0 && !found) {
        extract(heap, rest--);
        found = heaps->busy[heap[rest].to] != step;
    }
    if (found) {
        irr_message_t taken = heap[rest];

        heap[rest] = heap[all - 1];
        heap[all - 1] = taken;
        heaps->busy[taken.to] = step;
        heaps->messages.left[row]--;
        heaps->left--;
    }
    for (; rest < heaps->messages.left[row]; rest++) {
        insert(heap, rest);
    }
    return found;
}

static irr_message_t *taken(heaps_t *heaps, int row)
{
    return irr_messages_row(&heaps->messages, row) + heaps->messages.left[row];
}

/* Takes a message for each rank, and returns the threshold of the step. */
static uint64_t choose(heaps_t *heaps, const irr_scheduled_params_t *params, int step)
{
    const size_t ranks = (size_t)heaps->messages.ranks, start = irr_random_below(&heaps->random, ranks);
    irr_lambda_step_t sizes = { .lengths = heaps->lengths, .ranks = ranks, .latency = params->latency,
                                .total = heaps->messages.count };

    for (size_t n = 0; n < ranks; n++) {
        int i = (int)((start + n) % ranks);

        heaps->sends[i] = take(heaps, i, step);
        if (heaps->sends[i]) {
            heaps->lengths[sizes.count++] = taken(heaps, i)->length;
        }
    }
    sizes.left = heaps->left;
    return irr_lambda_threshold(params->lambda, &sizes);
}

/* Appends the transmissions of the step, and returns the rests of split messages to the heaps. */
static irr_status_t send(heaps_t *heaps, int step, uint64_t most, irr_schedule_t *schedule)
{
    irr_status_t status = IRR_OK;

    for (int i = 0; status == IRR_OK && i < heaps->messages.ranks; i++) {
        irr_message_t *message = taken(heaps, i);
        uint64_t length;

        if (!heaps->sends[i]) {
            continue;
        }
        length = message->length < most ? message->length : most;
        status = irr_schedule_add(schedule, (irr_transmission_t){
            .step = step, .from = i, .to = message->to, .offset = message->offset, .length = length });
        message->offset += length;
        message->length -= length;
        if (message->length > 0) {
            insert(irr_messages_row(&heaps->messages, i), heaps->messages.left[i]++);
            heaps->left++;
        }
    }
    return status;
}

/* Computes a schedule by any rule except search. */
static irr_status_t schedule_once(const irr_matrix_t *matrix, const irr_scheduled_params_t *params,
                                  irr_schedule_t *schedule)
{
    heaps_t heaps;
    irr_status_t status = heaps_init(&heaps, matrix, params->seed);

    if (status != IRR_OK) {
        return status;
    }
    for (int step = 1; status == IRR_OK && heaps.left > 0; step++) {
        uint64_t most = choose(&heaps, params, step);

        status = send(&heaps, step, most, schedule);
        status = status == IRR_OK && irr_deadline_passed(params->deadline) ? IRR_ERR_TIMEOUT : status;
    }
    heaps_fini(&heaps);
    return status;
}

/* ---- the search for lambda ---- */

/*
 * The number of candidates of the rule `search`.  More candidates hardly improve the schedule.  For example, a step of
 * 32 messages sends 24 to 32 of them whole if lambda is from 3/4 to 1, so lambda has only 9 different effects.
 */
#define CANDIDATES 16

/* Returns the i-th candidate.  The candidates are evenly spaced from 1 down to 3/4. */
static irr_lambda_t candidate(int i, int candidates)
{
    const uint32_t below = candidates > 1 ? (uint32_t)(IRR_LAMBDA_ONE / 4 * i / (candidates - 1)) : 0;

    return (irr_lambda_t){ IRR_LAMBDA_FIXED, IRR_LAMBDA_ONE - below };
}

/* Returns the makespan plus the latency of each step.  The unit is the time of one byte; at most UINT64_MAX. */
static uint64_t time_of(const irr_schedule_t *schedule, uint64_t latency)
{
    uint64_t time;

    if (__builtin_mul_overflow(latency, (uint64_t)schedule->steps, &time) ||
        __builtin_add_overflow(time, irr_schedule_makespan(schedule), &time)) {
        return UINT64_MAX;
    }
    return time;
}

/* Computes the schedules of the candidates until the deadline, and returns the first of those with the least time. */
static irr_status_t search(const irr_matrix_t *matrix, const irr_scheduled_params_t *params, irr_schedule_t *best)
{
    const int candidates = matrix->ranks < CANDIDATES ? matrix->ranks : CANDIDATES;
    irr_scheduled_params_t with = *params;
    irr_status_t status = IRR_OK;

    for (int i = 0; i < candidates && status == IRR_OK; i++) {
        irr_schedule_t tried = { .ranks = matrix->ranks };

        with.lambda = candidate(i, candidates);
        status = schedule_once(matrix, &with, &tried);
        if (status == IRR_OK && (i == 0 || time_of(&tried, params->latency) < time_of(best, params->latency))) {
            const irr_schedule_t loser = *best;

            *best = tried;
            tried = loser;
        }
        irr_schedule_fini(&tried);
        if (status == IRR_ERR_TIMEOUT && i > 0) {
            return IRR_OK;   /* return the best schedule so far */
        }
    }
    return status;
}

static irr_status_t make_schedule(const irr_matrix_t *matrix, const irr_scheduled_params_t *params,
                                  irr_schedule_t *schedule)
{
    return params->lambda.rule == IRR_LAMBDA_SEARCH ? search(matrix, params, schedule)
                                                    : schedule_once(matrix, params, schedule);
}

const irr_order_t irr_order_random_heap = {
    .name = "random-heap", .contention_free = true, .schedule = make_schedule
};
