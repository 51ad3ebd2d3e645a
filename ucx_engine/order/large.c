/*
 * large.c - a schedule whose steps are divided into groups, the large steps; see large.h.  Appending takes amortised
 * O(1) time; the makespan takes O(P) time for a large step and O(1) for a message.
 *
 * Guo, Pan: Improving communication scheduling for array redistribution, section 4.2, defines large steps.
 */
#include "order/large.h"

#include "core/alloc.h"

#include <string.h>

void irr_large_fini(irr_large_t *large)
{
    irr_schedule_fini(&large->schedule);
    irr_free(large->last);
    memset(large, 0, sizeof(*large));
}

static irr_status_t open_large_step(irr_large_t *large)
{
    irr_status_t status = IRR_GROW(large->last, large->max, large->count + 1);

    if (status == IRR_OK) {
        large->last[large->count++] = large->schedule.steps;
    }
    return status;
}

irr_status_t irr_large_add(irr_large_t *large, int number, int small, int from, int to, uint64_t length)
{
    const bool new_step = number != large->number || small != large->small;
    const irr_transmission_t whole = {
        .step = large->schedule.steps + new_step, .from = from, .to = to, .length = length
    };
    irr_status_t status = IRR_OK;

    if (from == to || length == 0) {
        return IRR_OK;
    }
    if (number != large->number) {
        status = open_large_step(large);
    }
    if (status == IRR_OK) {
        status = irr_schedule_add(&large->schedule, whole);
    }
    if (status == IRR_OK) {
        large->number = number;
        large->small = small;
        large->last[large->count - 1] = whole.step;
    }
    return status;
}

irr_status_t irr_large_makespan(const irr_large_t *large, uint64_t *begins, uint64_t *makespan_p)
{
    const irr_schedule_t *schedule = &large->schedule;
    const size_t ports = 2 * (size_t)schedule->ranks;
    uint64_t *busy = irr_alloc(ports, sizeof(*busy)), now = 0;   /* by sender, then by receiver: end of its last
                                                                    message */
    size_t next = 0;

    if (busy == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    for (size_t n = 0; n < large->count; n++) {
        uint64_t end = now;

        for (size_t port = 0; port < ports; port++) {
            busy[port] = now;
        }
        for (; next < schedule->count && schedule->list[next].step <= large->last[n]; next++) {
            const irr_transmission_t *t = &schedule->list[next];
            uint64_t *sender = &busy[t->from], *receiver = &busy[schedule->ranks + t->to];

            const uint64_t begin = *sender > *receiver ? *sender : *receiver;

            if (begins != NULL) {
                begins[next] = begin;
            }
            *sender = *receiver = begin + t->length;
            end = *sender > end ? *sender : end;
        }
        now = end;
    }
    irr_free(busy);
    *makespan_p = now;
    return IRR_OK;
}

irr_status_t irr_large_makespan_async(const irr_schedule_t *schedule, uint64_t *begins, uint64_t *makespan_p)
{
    int last = schedule->steps;
    const irr_large_t large = { .schedule = *schedule, .last = &last, .count = 1 };

    return irr_large_makespan(&large, begins, makespan_p);
}
