/*
 * optimal.c - the shortest schedule, by Birkhoff's decomposition of a matrix with equal sums.  In the theory of
 * scheduling this problem is called a preemptive open shop (Gonzalez and Sahni, J. ACM 23, 1976).
 *
 * The matrix has the bytes of each message.  A port is the send side or the receive side of a rank, and the bound is
 * the number of bytes of the busiest port (irr_schedule_bound).  First, dummy bytes are added to the matrix until each
 * port has as many bytes as the bound.  Then there is a perfect matching, which pairs each sender with a receiver for
 * which it has bytes (Birkhoff).  The matching becomes a step of the schedule.  The step is as long as the shortest
 * entry of the matching.  This length is subtracted from each entry of the matching, so all ports again have the same
 * number of bytes.  The lengths of all steps therefore add up to the bound.  Messages are split.
 *
 * Each step empties an entry, so there are at most as many steps as entries.  To have fewer steps, the matching uses
 * only entries that are at least as long as a threshold.  The threshold is a power of two, and is halved when there is
 * no such matching.  A step takes O(P) time, and one augmenting path (matching.h) for each entry that it empties.
 *
 * If the number of steps is limited, lengths are rounded up to multiples of a granule (coarsen.h).  The schedule then
 * takes at most the bound plus one granule for each message of the busiest port.  If a granule is as long as the
 * longest message, there are as many steps as the busiest port has messages.  No schedule has fewer steps, so a limit
 * below this number gives the same schedule.
 *
 * irr_whole (whole.h) computes a schedule that splits no message.  If that schedule takes no longer and has fewer
 * transmissions, it is the result.
 *
 * A dense matrix of 256 ranks takes about 0.1 s, and 1.5 s with a limit on the steps.  Memory O(P * P).
 */
#include "order/coarsen.h"
#include "order/matching.h"
#include "order/messages.h"
#include "order/order.h"
#include "order/whole.h"

#include "core/alloc.h"
#include "core/deadline.h"

/* The input of attempt(), which irr_coarsen calls. */
typedef struct job {
    irr_messages_t        messages;
    const irr_deadline_t *deadline;
} job_t;

typedef struct shop {
    size_t         ranks;
    uint64_t       granule;    /* bytes of a granule */
    uint64_t       bound;      /* granules that each port has left, including dummies */
    uint64_t       threshold;  /* shortest entry that may be matched, in granules */
    uint64_t      *left;       /* by sender and receiver: number of granules to send, including dummies */
    uint64_t      *slack;      /* dummy granules still to add; [i]: at sender i; [ranks + j]: at receiver j */
    irr_message_t *messages;   /* by sender and receiver; length 0: no message */
    irr_matching_t matching;
} shop_t;

static void shop_fini(shop_t *shop)
{
    irr_matching_fini(&shop->matching);
    irr_free(shop->left);   /* frees the other arrays too */
}

static void find_slack(shop_t *shop)
{
    const size_t n = shop->ranks;
    uint64_t *slack = shop->slack;

    for (size_t i = 0; i < n * n; i++) {
        slack[i / n] += shop->left[i];
        slack[n + i % n] += shop->left[i];
    }
    for (size_t i = 0; i < 2 * n; i++) {
        shop->bound = slack[i] > shop->bound ? slack[i] : shop->bound;
    }
    for (size_t i = 0; i < 2 * n; i++) {
        slack[i] = shop->bound - slack[i];
    }
}

/*
 * Adds dummy granules to the matrix until all ports have as many granules as the bound.  Senders and receivers lack the
 * same number of granules in total, so one pass along both lists is enough.
 */
static void fill_up(shop_t *shop)
{
    const size_t n = shop->ranks;
    uint64_t *slack = shop->slack;

    find_slack(shop);
    for (size_t i = 0, j = 0; i < n && j < n;) {
        uint64_t most = slack[i] < slack[n + j] ? slack[i] : slack[n + j];

        shop->left[i * n + j] += most;
        slack[i] -= most;
        slack[n + j] -= most;
        i += slack[i] == 0;
        j += slack[n + j] == 0;
    }
}

static void enter(shop_t *shop, const irr_messages_t *messages)
{
    for (int i = 0; i < messages->ranks; i++) {
        const irr_message_t *row = irr_messages_row(messages, i);

        for (int n = 0; n < messages->left[i]; n++) {
            size_t at = (size_t)i * shop->ranks + (size_t)row[n].to;

            shop->messages[at] = row[n];
            shop->left[at] = (row[n].length - 1) / shop->granule + 1;
        }
    }
}

static irr_status_t shop_init(shop_t *shop, const irr_messages_t *messages, uint64_t granule)
{
    const size_t n = (size_t)messages->ranks;
    const irr_array_t arrays[] = {
        IRR_ARRAY(shop->left, n * n), IRR_ARRAY(shop->messages, n * n), IRR_ARRAY(shop->slack, 2 * n)
    };

    *shop = (shop_t){ .ranks = n, .granule = granule, .threshold = UINT64_C(1) << 63 };
    if (irr_matching_init(&shop->matching, messages->ranks) != IRR_OK || IRR_ALLOC_ARRAYS(arrays) != IRR_OK) {
        shop_fini(shop);
        return IRR_ERR_NO_MEMORY;
    }
    enter(shop, messages);
    fill_up(shop);
    return IRR_OK;
}

static void lower_threshold(shop_t *shop)
{
    const size_t n = shop->ranks;

    shop->threshold /= 2;
    for (size_t i = 0; i < n * n; i++) {
        if (shop->left[i] >= shop->threshold) {
            irr_matching_allow(&shop->matching, (int)(i / n), (int)(i % n));
        }
    }
}

/* Finds a perfect matching; with threshold 1 there is one, because all ports have the same number of granules. */
static irr_status_t match_all(shop_t *shop)
{
    for (int i = 0; i < (int)shop->ranks; i++) {
        while (shop->matching.to[i] < 0 && !irr_matching_augment(&shop->matching, i)) {
            if (shop->threshold == 1) {
                return IRR_ERR_INVALID_PLAN;
            }
            lower_threshold(shop);
        }
    }
    return IRR_OK;
}

static uint64_t shortest(const shop_t *shop)
{
    uint64_t least = UINT64_MAX;

    for (size_t i = 0; i < shop->ranks; i++) {
        uint64_t left = shop->left[i * shop->ranks + (size_t)shop->matching.to[i]];

        least = left < least ? left : least;
    }
    return least;
}

/* Adds a step in which each pair of the matching sends `granules` granules: first its data, then its dummies. */
static irr_status_t send(shop_t *shop, int step, uint64_t granules, irr_schedule_t *schedule)
{
    irr_status_t status = IRR_OK;

    for (size_t i = 0; status == IRR_OK && i < shop->ranks; i++) {
        int to = shop->matching.to[i];
        size_t at = i * shop->ranks + (size_t)to;
        irr_message_t *message = &shop->messages[at];
        uint64_t length = message->length;

        length = length / shop->granule < granules ? length : granules * shop->granule;
        if (length > 0) {
            status = irr_schedule_add(schedule, (irr_transmission_t){
                .step = step, .from = (int)i, .to = to, .offset = message->offset, .length = length });
            message->offset += length;
            message->length -= length;
        }
        shop->left[at] -= granules;
        if (shop->left[at] < shop->threshold) {
            irr_matching_forbid(&shop->matching, (int)i, to);
        }
    }
    shop->bound -= granules;
    return status;
}

/* Computes the schedule with granules of `granule` bytes; see irr_coarsen_t.  context: a job_t. */
static irr_status_t attempt(const void *context, uint64_t granule, int max_steps, irr_schedule_t *schedule,
                            bool *fits)
{
    const job_t *job = context;
    shop_t shop;
    irr_status_t status = shop_init(&shop, &job->messages, granule);

    if (status != IRR_OK) {
        return status;
    }
    schedule->count = 0;
    schedule->steps = 0;
    schedule->merged = 0;
    for (int step = 1; status == IRR_OK && shop.bound > 0 && step <= max_steps; step++) {
        status = irr_deadline_passed(job->deadline) ? IRR_ERR_TIMEOUT : match_all(&shop);
        if (status == IRR_OK) {
            status = send(&shop, step, shortest(&shop), schedule);
        }
    }
    *fits = shop.bound == 0;
    shop_fini(&shop);
    return status == IRR_OK && *fits ? irr_schedule_merge(schedule) : status;
}

/*
 * Replaces the schedule by a schedule that splits no message, if that schedule takes no longer and has fewer
 * transmissions, and if the deadline has not passed.
 */
static irr_status_t prefer_whole(const job_t *job, int max_steps, irr_schedule_t *schedule)
{
    irr_schedule_t whole = { .ranks = schedule->ranks };
    bool fits = false;
    irr_status_t status = irr_whole(&job->messages, irr_schedule_makespan(schedule),
                                    max_steps > 0 ? max_steps : INT32_MAX, job->deadline, &whole, &fits);

    if (status == IRR_OK && fits && whole.count < schedule->count) {
        const irr_schedule_t split = *schedule;

        *schedule = whole;
        whole = split;
    }
    irr_schedule_fini(&whole);
    return status == IRR_ERR_TIMEOUT ? IRR_OK : status;
}

static irr_status_t make_schedule(const irr_matrix_t *matrix, const irr_scheduled_params_t *params,
                                  irr_schedule_t *schedule)
{
    job_t job = { .deadline = params->deadline };
    irr_messages_sum_t sum;
    irr_status_t status = irr_messages_sum(matrix, &sum);

    if (status == IRR_OK) {
        status = irr_messages_init(&job.messages, matrix);
    }
    if (status == IRR_OK) {
        status = irr_coarsen(&(irr_coarsen_t){ attempt, &job, sum.longest }, params->max_steps, schedule);
        if (status == IRR_OK) {
            status = prefer_whole(&job, params->max_steps, schedule);
        }
        irr_messages_fini(&job.messages);
    }
    return status;
}

const irr_order_t irr_order_optimal = {
    .name = "optimal", .contention_free = true, .schedule = make_schedule
};
