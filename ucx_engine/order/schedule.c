/*
 * schedule.c - a schedule: sender, receiver and step of each message; see schedule.h.  Sorting takes O(n log n) for n
 * transmissions.
 */
#include "order/schedule.h"

#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>

void irr_schedule_fini(irr_schedule_t *schedule)
{
    irr_free(schedule->list);
    memset(schedule, 0, sizeof(*schedule));
}

irr_status_t irr_schedule_add(irr_schedule_t *schedule, irr_transmission_t transmission)
{
    irr_status_t status = IRR_GROW(schedule->list, schedule->max, schedule->count + 1);

    if (status == IRR_OK) {
        schedule->list[schedule->count++] = transmission;
        schedule->steps = transmission.step > schedule->steps ? transmission.step : schedule->steps;
    }
    return status;
}

static int by_step(const void *a, const void *b)
{
    const irr_transmission_t *x = a, *y = b;

    if (x->step != y->step) {
        return x->step < y->step ? -1 : 1;
    }
    if (x->from != y->from) {
        return x->from < y->from ? -1 : 1;
    }
    return (x->to > y->to) - (x->to < y->to);
}

void irr_schedule_sort(irr_schedule_t *schedule)
{
    if (schedule->count > 0) {
        qsort(schedule->list, schedule->count, sizeof(*schedule->list), by_step);
    }
}

uint64_t irr_schedule_makespan(const irr_schedule_t *schedule)
{
    uint64_t sum = 0, longest = 0;

    for (size_t i = 0; schedule->merged == 0 && i < schedule->count; i++) {
        longest = schedule->list[i].length > longest ? schedule->list[i].length : longest;
        if (i + 1 == schedule->count || schedule->list[i + 1].step != schedule->list[i].step) {
            sum += longest;
            longest = 0;
        }
    }
    return schedule->merged > 0 ? schedule->merged : sum;
}

static int by_last(const void *a, const void *b)
{
    const int x = irr_transmission_last(*(const irr_transmission_t *const *)a);
    const int y = irr_transmission_last(*(const irr_transmission_t *const *)b);

    return (x > y) - (x < y);
}

/*
 * A position in a schedule.  over: all transmissions, sorted by their last step; done: number of transmissions at the
 * start of `over` that have ended; now: the time at which all of these have ended.
 */
typedef struct progress {
    const irr_transmission_t **over;
    size_t                     done;
    uint64_t                   now;
} progress_t;

/* Advances to the end of a step.  The start times of all transmissions that end by then must be set. */
static void advance(const irr_schedule_t *schedule, const irr_step_time_t *times, int step, progress_t *progress)
{
    while (progress->done < schedule->count && irr_transmission_last(progress->over[progress->done]) <= step) {
        const irr_transmission_t *t = progress->over[progress->done++];
        const uint64_t end = times[t - schedule->list].begin + t->length;

        progress->now = end > progress->now ? end : progress->now;
    }
}

/*
 * Computes the times and returns the makespan.  A transmission begins with its first step.  Step k begins when all
 * transmissions whose last step is below k have ended.  It ends when all whose last step is k have ended, too.
 */
static uint64_t sum_up(const irr_schedule_t *schedule, const irr_transmission_t **over, irr_step_time_t *times)
{
    progress_t before = { .over = over }, after = { .over = over };

    for (size_t i = 0; i < schedule->count; i++) {
        advance(schedule, times, schedule->list[i].step - 1, &before);
        times[i].begin = before.now;
    }
    for (size_t i = 0; i < schedule->count; i++) {
        advance(schedule, times, schedule->list[i].step, &after);
        times[i].end = after.now;
    }
    advance(schedule, times, schedule->steps, &after);
    return after.now;
}

irr_status_t irr_schedule_times(const irr_schedule_t *schedule, irr_step_time_t *times, uint64_t *makespan)
{
    const irr_transmission_t **over = irr_alloc(schedule->count, sizeof(*over));

    if (over == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < schedule->count; i++) {
        over[i] = &schedule->list[i];
    }
    if (schedule->count > 0) {
        qsort(over, schedule->count, sizeof(*over), by_last);
    }
    *makespan = sum_up(schedule, over, times);
    irr_free(over);
    return IRR_OK;
}

/*
 * Merges consecutive transmissions of a message.  latest[from]: number, from 1, of the last transmission of sender
 * `from` that was kept; 0: none.
 */
static void merge(irr_schedule_t *schedule, size_t *latest)
{
    size_t kept = 0;

    for (size_t i = 0; i < schedule->count; i++) {
        const irr_transmission_t t = schedule->list[i];
        irr_transmission_t *before = latest[t.from] > 0 ? &schedule->list[latest[t.from] - 1] : NULL;

        if (before != NULL && before->to == t.to && irr_transmission_last(before) == t.step - 1 &&
            before->offset + before->length == t.offset) {
            before->length += t.length;
            before->more++;
        } else {
            schedule->list[kept++] = t;
            latest[t.from] = kept;
        }
    }
    schedule->count = kept;
}

irr_status_t irr_schedule_merge(irr_schedule_t *schedule)
{
    size_t *latest = irr_alloc_zero((size_t)schedule->ranks, sizeof(*latest));

    if (latest == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    schedule->merged = irr_schedule_makespan(schedule);
    merge(schedule, latest);
    irr_free(latest);
    return IRR_OK;
}

uint64_t irr_schedule_bound(const irr_matrix_t *matrix)
{
    uint64_t bound = 0;

    for (int i = 0; i < matrix->ranks; i++) {
        uint64_t sent = 0, received = 0;

        for (int j = 0; j < matrix->ranks; j++) {
            sent += i != j ? *irr_matrix_at(matrix, i, j) : 0;
            received += i != j ? *irr_matrix_at(matrix, j, i) : 0;
        }
        bound = sent > bound ? sent : bound;
        bound = received > bound ? received : bound;
    }
    return bound;
}

size_t irr_schedule_splits(const irr_schedule_t *schedule, const irr_matrix_t *matrix)
{
    size_t messages = 0;

    for (int i = 0; i < matrix->ranks; i++) {
        for (int j = 0; j < matrix->ranks; j++) {
            messages += i != j && *irr_matrix_at(matrix, i, j) > 0;
        }
    }
    return schedule->count - messages;
}

irr_status_t irr_schedule_matrix(const irr_schedule_t *schedule, irr_matrix_t *matrix)
{
    irr_status_t status = irr_matrix_init(matrix, schedule->ranks);

    for (size_t i = 0; status == IRR_OK && i < schedule->count; i++) {
        const irr_transmission_t *t = &schedule->list[i];

        *irr_matrix_at(matrix, t->from, t->to) += t->length;
    }
    return status;
}

/* ---- the schedule of one rank ---- */

/* Returns the number of pieces of at most piece_max bytes of a transmission; piece_max 0: one piece. */
static uint64_t pieces_of(const irr_transmission_t *t, uint64_t piece_max)
{
    return piece_max > 0 ? (t->length - 1) / piece_max + 1 : 1;
}

/* Appends pieces of about equal length, because a short piece could overtake longer ones in queues of the network. */
static void append_pieces(const irr_transmission_t *t, uint64_t piece_max, irr_schedule_t *own)
{
    uint64_t left = t->length;

    for (uint64_t pieces = pieces_of(t, piece_max); pieces > 0; pieces--) {
        irr_transmission_t piece = *t;

        piece.offset = t->offset + (t->length - left);
        piece.length = (left - 1) / pieces + 1;
        own->list[own->count++] = piece;
        left -= piece.length;
    }
}

irr_status_t irr_schedule_own(const irr_schedule_t *schedule, int rank, uint64_t piece_max, irr_schedule_t *own)
{
    irr_schedule_t made = { .ranks = schedule->ranks, .steps = schedule->steps };
    size_t count = 0;

    for (size_t i = 0; i < schedule->count; i++) {
        const irr_transmission_t *t = &schedule->list[i];

        count += t->from == rank || t->to == rank ? pieces_of(t, piece_max) : 0;
    }
    made.list = irr_alloc(count, sizeof(*made.list));
    if (made.list == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    made.max = count;
    for (size_t i = 0; i < schedule->count; i++) {
        const irr_transmission_t *t = &schedule->list[i];

        if (t->from == rank || t->to == rank) {
            append_pieces(t, piece_max, &made);
        }
    }
    *own = made;
    return IRR_OK;
}
