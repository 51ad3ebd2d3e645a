/*
 * trial.c - see trial.h.
 */
#include "choose/trial.h"

#include <string.h>

/* Timed exchanges of a stay in the first round, where there are several ways, and in the last one. */
#define LENGTH_MIN 2
#define LENGTH_MAX 8

/* A way that takes so many times as long as the best one is dropped at once. */
#define HOPELESS 2

/* ---- the order of stays ---- */

/* The next way that is left in this half, after this one; -1: none. */
static int next_way(const irr_trial_t *trial, int way)
{
    const int step = trial->half == 0 ? 1 : -1;

    for (way += step; way >= 0 && way < trial->count; way += step) {
        if (trial->left[way]) {
            return way;
        }
    }
    return -1;
}

static void begin_round(irr_trial_t *trial)
{
    memset(trial->sums, 0, sizeof(trial->sums));
    trial->half = 0;
    trial->way = 0;
    trial->done = 0;
}

void irr_trial_begin(irr_trial_t *trial, int count)
{
    *trial = (irr_trial_t){ .count = count, .length = count > 2 ? LENGTH_MIN : LENGTH_MAX };
    for (int i = 0; i < count; i++) {
        trial->left[i] = true;
    }
    begin_round(trial);
}

int irr_trial_most(int count)
{
    int exchanges = 0, length = count > 2 ? LENGTH_MIN : LENGTH_MAX;

    for (int others = count - 1; ; others = (others + 1) / 2, length *= 2) {
        length = length < LENGTH_MAX ? length : LENGTH_MAX;
        exchanges += others * 2 * (1 + length);
        if (others == 1 && length == LENGTH_MAX) {
            return exchanges;
        }
    }
}

bool irr_trial_took(irr_trial_t *trial, uint64_t ns)
{
    int next;

    trial->exchanges++;
    if (trial->done > 0) {
        trial->sums[trial->half * IRR_TRIAL_WAYS + trial->way] += ns;
    }
    if (trial->done++ < trial->length) {
        return false;
    }
    trial->done = 0;
    next = next_way(trial, trial->way);
    if (next < 0 && trial->half == 0) {
        trial->half = 1;
        next = next_way(trial, trial->count);
    }
    trial->way = next < 0 ? 0 : next;
    return next < 0;
}

/* ---- what the ranks agreed on ---- */

static double total(const uint64_t *sums, int way)
{
    return (double)sums[way] + (double)sums[IRR_TRIAL_WAYS + way];
}

static double longer(const uint64_t *sums, int way)
{
    const uint64_t a = sums[way], b = sums[IRR_TRIAL_WAYS + way];

    return (double)(a > b ? a : b);
}

static double shorter(const uint64_t *sums, int way)
{
    return total(sums, way) - longer(sums, way);
}

/* The best of those that are left beside way 0, or -1; and their number. */
static int best_of(const irr_trial_t *trial, const uint64_t *sums, int *left_p)
{
    int best = -1;

    *left_p = 0;
    for (int i = 1; i < trial->count; i++) {
        if (trial->left[i]) {
            (*left_p)++;
            best = best < 0 || total(sums, i) < total(sums, best) ? i : best;
        }
    }
    return best;
}

static int worst_of(const irr_trial_t *trial, const uint64_t *sums)
{
    int worst = -1;

    for (int i = 1; i < trial->count; i++) {
        if (trial->left[i] && (worst < 0 || total(sums, i) >= total(sums, worst))) {
            worst = i;
        }
    }
    return worst;
}

/* Drops what is hopeless, and of the others the worse half. */
static int drop(irr_trial_t *trial, const uint64_t *sums)
{
    int left;
    const int best = best_of(trial, sums, &left), keep = (left + 1) / 2;
    const double limit = HOPELESS * (total(sums, best) < total(sums, 0) ? total(sums, best) : total(sums, 0));

    while (left > 0) {
        const int worst = worst_of(trial, sums);

        if (left <= keep && total(sums, worst) <= limit) {
            break;
        }
        trial->left[worst] = false;
        left--;
    }
    return left;
}

bool irr_trial_agreed(irr_trial_t *trial, const uint64_t *sums)
{
    int left, best = best_of(trial, sums, &left);
    bool last = left <= 1 && trial->length >= LENGTH_MAX;

    for (int i = 1; i < trial->count; i++) {
        if (trial->left[i]) {
            trial->extra_ns += (total(sums, i) - total(sums, 0)) * (1 + trial->length) / trial->length;
        }
    }
    trial->ratio = total(sums, 0) > 0 ? total(sums, best) / total(sums, 0) : 1;
    if (!last) {
        last = drop(trial, sums) == 0;
        trial->length = 2 * trial->length < LENGTH_MAX ? 2 * trial->length : LENGTH_MAX;
        trial->winner = 0;
    } else {
        trial->winner = longer(sums, best) < shorter(sums, 0) ? best : 0;
    }
    begin_round(trial);
    return last;
}
