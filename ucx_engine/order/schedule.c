/*
 * schedule.c - see schedule.h.  Sorting is O(n log n) in the transmissions, the check too, with O(P) memory beside.
 */
#include "order/schedule.h"

#include "core/alloc.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void irr_schedule_fini(irr_schedule_t *schedule)
{
    irr_free(schedule->list);
    memset(schedule, 0, sizeof(*schedule));
}

irr_status_t irr_schedule_add(irr_schedule_t *schedule, irr_transmission_t transmission)
{
    void *list = schedule->list;
    irr_status_t status = irr_grow(&list, &schedule->max, schedule->count + 1, sizeof(*schedule->list));

    schedule->list = list;
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

static int by_message(const void *a, const void *b)
{
    const irr_transmission_t *x = a, *y = b;

    if (x->from != y->from) {
        return x->from < y->from ? -1 : 1;
    }
    if (x->to != y->to) {
        return x->to < y->to ? -1 : 1;
    }
    return (x->offset > y->offset) - (x->offset < y->offset);
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

    for (size_t i = 0; i < schedule->count; i++) {
        longest = schedule->list[i].length > longest ? schedule->list[i].length : longest;
        if (i + 1 == schedule->count || schedule->list[i + 1].step != schedule->list[i].step) {
            sum += longest;
            longest = 0;
        }
    }
    return sum;
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

/* ---- the check ---- */

static irr_status_t broken(char *reason, size_t size, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (reason != NULL) {
        vsnprintf(reason, size, format, arguments);
    }
    va_end(arguments);
    return IRR_ERR_INVALID_PLAN;
}

/* busy[r]: the last step in which rank r sent; busy[ranks + r]: in which it received. */
static irr_status_t check_steps(const irr_schedule_t *schedule, int *busy, char *reason, size_t size)
{
    for (size_t i = 0; i < schedule->count; i++) {
        const irr_transmission_t *t = &schedule->list[i];

        if (t->from < 0 || t->from >= schedule->ranks || t->to < 0 || t->to >= schedule->ranks || t->from == t->to ||
            t->step < 1 || t->length == 0) {
            return broken(reason, size, "transmission %zu is not from a rank to another one", i);
        }
        if (i > 0 && by_step(&schedule->list[i - 1], t) > 0) {
            return broken(reason, size, "transmission %zu is out of order", i);
        }
        if (busy[t->from] == t->step || busy[schedule->ranks + t->to] == t->step) {
            return broken(reason, size, "in step %d rank %d or %d is busy already", t->step, t->from, t->to);
        }
        busy[t->from] = t->step;
        busy[schedule->ranks + t->to] = t->step;
    }
    return IRR_OK;
}

/* All transmissions of a message, sorted by offset, make it up. */
static irr_status_t check_bytes(const irr_transmission_t *sorted, size_t count, const irr_matrix_t *matrix,
                                char *reason, size_t size)
{
    size_t next = 0;

    for (int i = 0; i < matrix->ranks; i++) {
        for (int j = 0; j < matrix->ranks; j++) {
            uint64_t wanted = i != j ? *irr_matrix_at(matrix, i, j) : 0, sent = 0;

            for (; next < count && sorted[next].from == i && sorted[next].to == j; next++) {
                if (sorted[next].offset != sent || sorted[next].length > wanted - sent) {
                    return broken(reason, size, "bytes from %d to %d overlap, or are missing", i, j);
                }
                sent += sorted[next].length;
            }
            if (sent != wanted) {
                return broken(reason, size, "bytes from %d to %d are missing", i, j);
            }
        }
    }
    return IRR_OK;
}

irr_status_t irr_schedule_check(const irr_schedule_t *schedule, const irr_matrix_t *matrix, char *reason, size_t size)
{
    int *busy = irr_alloc_zero(2 * (size_t)matrix->ranks, sizeof(*busy));
    irr_transmission_t *sorted = irr_alloc(schedule->count, sizeof(*sorted));
    irr_status_t status = busy != NULL && sorted != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;

    if (status == IRR_OK && schedule->ranks != matrix->ranks) {
        status = broken(reason, size, "a schedule for %d ranks, and a matrix of %d", schedule->ranks, matrix->ranks);
    }
    if (status == IRR_OK) {
        status = check_steps(schedule, busy, reason, size);
    }
    if (status == IRR_OK && schedule->count > 0) {
        memcpy(sorted, schedule->list, schedule->count * sizeof(*sorted));
        qsort(sorted, schedule->count, sizeof(*sorted), by_message);
    }
    if (status == IRR_OK) {
        status = check_bytes(sorted, schedule->count, matrix, reason, size);
    }
    irr_free(sorted);
    irr_free(busy);
    return status;
}
