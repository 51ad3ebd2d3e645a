/*
 * schedule_check.c - checks the rules of a schedule, and whether it delivers a matrix.  See schedule.h.
 *
 * The first pass, in the order of the steps, finds ranks that send or receive twice in a step.  The second pass, in the
 * order of messages and offsets, finds bytes that are missing or sent twice.  O(n log n) time for n transmissions and
 * O(P + n) memory.  Checking against a matrix takes O(P * P) time more.
 */
#include "order/schedule.h"

#include "core/alloc.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

typedef struct check {
    const irr_schedule_t      *schedule;
    int                       *busy;     /* [r]: the last step in which rank r sends; [ranks + r]: the last step in
                                            which rank r receives */
    const irr_transmission_t **sorted;   /* by message, then by offset */
    irr_schedule_fault_t      *fault;
} check_t;

__attribute__((format(printf, 3, 4)))
static irr_status_t broken(const check_t *check, size_t index, const char *format, ...)
{
    va_list arguments;

    check->fault->index = index;
    va_start(arguments, format);
    vsnprintf(check->fault->reason, sizeof(check->fault->reason), format, arguments);
    va_end(arguments);
    return IRR_ERR_INVALID_PLAN;
}

/* ---- by step ---- */

/* Checks the fields of transmission i that do not depend on other transmissions.  bytes: its maximum length. */
static irr_status_t check_fields(const check_t *check, size_t i, uint64_t bytes)
{
    const irr_transmission_t *t = &check->schedule->list[i];
    const int ranks = check->schedule->ranks;

    if (t->from < 0 || t->from >= ranks || t->to < 0 || t->to >= ranks) {
        return broken(check, i, "a message from rank %d to rank %d, but ranks are 0 to %d", t->from, t->to, ranks - 1);
    }
    if (t->from == t->to) {
        return broken(check, i, "a message from rank %d to itself, which a schedule must not have", t->from);
    }
    if (t->step < 1 || t->step > check->schedule->steps) {
        return broken(check, i, "step %d is not one of the steps 1 to %d", t->step, check->schedule->steps);
    }
    if (t->more < 0 || t->more > check->schedule->steps - t->step) {
        return broken(check, i, "a transmission of step %d lasts %d further steps, but the last step is %d", t->step,
                      t->more, check->schedule->steps);
    }
    if (t->length == 0) {
        return broken(check, i, "a message of 0 bytes from rank %d to rank %d", t->from, t->to);
    }
    if (t->length > bytes) {
        return broken(check, i, "all messages up to here have more than %" PRId64 " bytes together", INT64_MAX);
    }
    return IRR_OK;
}

static irr_status_t check_step(const check_t *check, size_t i)
{
    const irr_transmission_t *t = &check->schedule->list[i];
    int *sends = &check->busy[t->from], *receives = &check->busy[check->schedule->ranks + t->to];

    if (i > 0 && (t->step < t[-1].step || (t->step == t[-1].step && t->from < t[-1].from))) {
        return broken(check, i, "step %d of rank %d is out of order: sort by step, then by sender", t->step, t->from);
    }
    if (*sends >= t->step) {
        return broken(check, i, "rank %d sends twice in step %d", t->from, t->step);
    }
    if (*receives >= t->step) {
        return broken(check, i, "rank %d receives twice in step %d", t->to, t->step);
    }
    *sends = *receives = irr_transmission_last(t);
    return IRR_OK;
}

static irr_status_t check_steps(const check_t *check)
{
    uint64_t bytes = INT64_MAX;
    irr_status_t status = IRR_OK;

    for (size_t i = 0; status == IRR_OK && i < check->schedule->count; i++) {
        status = check_fields(check, i, bytes);
        if (status == IRR_OK) {
            status = check_step(check, i);
            bytes -= check->schedule->list[i].length;
        }
    }
    return status;
}

/* ---- by message ---- */

static int by_message(const void *a, const void *b)
{
    const irr_transmission_t *x = *(const irr_transmission_t *const *)a;
    const irr_transmission_t *y = *(const irr_transmission_t *const *)b;

    if (x->from != y->from) {
        return x->from < y->from ? -1 : 1;
    }
    if (x->to != y->to) {
        return x->to < y->to ? -1 : 1;
    }
    if (x->offset != y->offset) {
        return x->offset < y->offset ? -1 : 1;
    }
    return (x->step > y->step) - (x->step < y->step);
}

static bool belongs_to(const irr_transmission_t *t, int from, int to)
{
    return t->from == from && t->to == to;
}

/*
 * Checks that the first transmission of a message begins at byte 0, and each later one at the end of the previous one.
 */
static irr_status_t check_offsets(const check_t *check)
{
    uint64_t end = 0;

    for (size_t k = 0; k < check->schedule->count; k++) {
        const irr_transmission_t *t = check->sorted[k];

        end = k > 0 && belongs_to(check->sorted[k - 1], t->from, t->to) ? end : 0;
        if (t->offset != end) {
            return broken(check, (size_t)(t - check->schedule->list),
                          "byte %" PRIu64 " of the message from rank %d to rank %d is %s",
                          t->offset < end ? t->offset : end, t->from, t->to,
                          t->offset < end ? "sent twice" : "not sent");
        }
        end += t->length;
    }
    return IRR_OK;
}

/* Checks that the last transmission of each message ends where the message ends according to the matrix. */
static irr_status_t check_lengths(const check_t *check, const irr_matrix_t *matrix)
{
    size_t next = 0;

    for (int i = 0; i < matrix->ranks; i++) {
        for (int j = 0; j < matrix->ranks; j++) {
            uint64_t wanted = i != j ? *irr_matrix_at(matrix, i, j) : 0, sent = 0;

            for (; next < check->schedule->count && belongs_to(check->sorted[next], i, j); next++) {
                sent = check->sorted[next]->offset + check->sorted[next]->length;
            }
            if (sent != wanted) {
                return broken(check, check->schedule->count,
                              "%" PRIu64 " bytes are sent from rank %d to rank %d, instead of %" PRIu64, sent, i, j,
                              wanted);
            }
        }
    }
    return IRR_OK;
}

/* ---- both passes ---- */

static irr_status_t check_with(const irr_schedule_t *schedule, const irr_matrix_t *matrix,
                               irr_schedule_fault_t *fault)
{
    check_t check = { .schedule = schedule, .fault = fault };
    irr_status_t status;

    if (matrix != NULL && matrix->ranks != schedule->ranks) {
        return broken(&check, schedule->count, "the schedule is for %d ranks, the matrix for %d", schedule->ranks,
                      matrix->ranks);
    }
    status = IRR_ALLOC_ARRAYS(((irr_array_t[]){
        IRR_ARRAY(check.busy, 2 * (size_t)schedule->ranks), IRR_ARRAY(check.sorted, schedule->count) }));
    status = status == IRR_OK ? check_steps(&check) : status;
    if (status == IRR_OK) {
        for (size_t i = 0; i < schedule->count; i++) {
            check.sorted[i] = &schedule->list[i];
        }
        qsort(check.sorted, schedule->count, sizeof(*check.sorted), by_message);
        status = check_offsets(&check);
    }
    if (status == IRR_OK && matrix != NULL) {
        status = check_lengths(&check, matrix);
    }
    irr_free(check.busy);   /* frees the other array too */
    return status;
}

irr_status_t irr_schedule_check_alone(const irr_schedule_t *schedule, irr_schedule_fault_t *fault)
{
    return check_with(schedule, NULL, fault);
}

irr_status_t irr_schedule_check(const irr_schedule_t *schedule, const irr_matrix_t *matrix, char *reason,
                                size_t size)
{
    irr_schedule_fault_t fault;
    irr_status_t status = check_with(schedule, matrix, &fault);

    if (status == IRR_ERR_INVALID_PLAN && reason != NULL) {
        snprintf(reason, size, "%s", fault.reason);
    }
    return status;
}
