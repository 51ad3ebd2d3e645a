/*
 * coarsen.c - finds a schedule with a limited number of steps; see coarsen.h.  Lengths of messages are rounded up to
 * multiples of a granule, whose length is found by bisection, from one byte to the longest message.  Only eight lengths
 * for each power of two are tried.
 */
#include "order/coarsen.h"

/*
 * Returns number i of the sequence 8, 9 .. 15, 16, 18 .. 30, 32, 36 .., which has eight numbers for each power of two.
 * i must be below 8 * 61.
 */
static uint64_t granule_of(int i)
{
    return (uint64_t)(8 + i % 8) << i / 8;
}

/* Keeps the schedule with the shorter makespan; if the makespans are equal, the schedule with fewer transmissions. */
static void keep(irr_schedule_t *schedule, irr_schedule_t *tried)
{
    const uint64_t now = irr_schedule_makespan(schedule), then = irr_schedule_makespan(tried);
    irr_schedule_t kept = *schedule;

    if (then < now || (then == now && tried->count < schedule->count)) {
        *schedule = *tried;
        *tried = kept;
    }
}

static irr_status_t bisect(const irr_coarsen_t *coarsen, int max_steps, irr_schedule_t *schedule)
{
    irr_schedule_t tried = { .ranks = schedule->ranks };
    irr_status_t status;
    int low = -1, high = 0;
    bool fits = false;

    while (granule_of(high) < coarsen->longest) {
        high++;
    }
    status = coarsen->attempt(coarsen->context, granule_of(high), INT32_MAX, schedule, &fits);
    while (status == IRR_OK && high - low > 1) {
        const int middle = low + (high - low) / 2;

        status = coarsen->attempt(coarsen->context, granule_of(middle), max_steps, &tried, &fits);
        if (status == IRR_ERR_TIMEOUT) {
            status = IRR_OK;   /* the deadline has passed: the best schedule so far is the result */
            break;
        }
        if (status == IRR_OK && fits) {
            keep(schedule, &tried);
        }
        *(fits ? &high : &low) = middle;
    }
    irr_schedule_fini(&tried);
    return status;
}

irr_status_t irr_coarsen(const irr_coarsen_t *coarsen, int max_steps, irr_schedule_t *schedule)
{
    const int most = max_steps > 0 ? max_steps : INT32_MAX;
    bool fits = true;
    irr_status_t status = coarsen->attempt(coarsen->context, 1, most, schedule, &fits);

    if (status == IRR_OK && !fits) {
        status = bisect(coarsen, most, schedule);
    }
    return status;
}
