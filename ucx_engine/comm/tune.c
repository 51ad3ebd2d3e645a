/*
 * tune.c - see tune.h.
 */
#include "comm/tune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(IRR_PACED_WAYS_MAX <= 1 << IRR_TUNE_HALVINGS, "one way is left in the end");

/* If one way is left, that is it. */
static void choose(irr_tune_t *tune)
{
    tune->chosen = tune->left == 1 ? tune->in[0] : -1;
}

void irr_tune_init(irr_tune_t *tune, int ways, int first)
{
    memset(tune, 0, sizeof(*tune));
    tune->in[tune->left++] = first;
    for (int i = 0; i < ways; i++) {
        if (i != first) {
            tune->in[tune->left++] = i;
        }
    }
    memset(tune->times, 0xff, sizeof(tune->times));
    choose(tune);
}

void irr_tune_drop(irr_tune_t *tune, int way)
{
    int left = 0;

    for (int i = 0; i < tune->left; i++) {
        if (tune->in[i] != way) {
            tune->in[left++] = tune->in[i];
        }
    }
    tune->left = left;
    choose(tune);
}

void irr_tune_settle(irr_tune_t *tune)
{
    tune->left = 1;
    choose(tune);
}

int irr_tune_begin(irr_tune_t *tune, bool timed)
{
    tune->running = tune->in[timed ? tune->runs / IRR_TUNE_ROUNDS % (unsigned)tune->left : 0];
    tune->runs += timed;
    return tune->running;
}

void irr_tune_end(irr_tune_t *tune, uint64_t ns)
{
    const unsigned round = (tune->runs - 1) % IRR_TUNE_ROUNDS;

    if (tune->chosen < 0 && tune->runs <= IRR_TUNE_ROUNDS * (unsigned)tune->left) {
        tune->times[tune->running][(unsigned)tune->halvings * IRR_TUNE_ROUNDS + round] = ns;
    }
}

bool irr_tune_due(const irr_tune_t *tune)
{
    return tune->chosen < 0 && tune->runs >= IRR_TUNE_ROUNDS * (unsigned)tune->left;
}

size_t irr_tune_times(const irr_tune_t *tune, uint64_t words[IRR_TUNE_WORDS])
{
    size_t count = 0;

    for (int i = 0; i < tune->left; i++) {
        for (int round = 0; round < IRR_TUNE_ROUNDS; round++) {
            words[count++] = tune->times[tune->in[i]][tune->halvings * IRR_TUNE_ROUNDS + round];
        }
    }
    return count;
}

/* ---- halving ---- */

static void take(irr_tune_t *tune, const uint64_t *words)
{
    for (int i = 0; i < tune->left; i++) {
        memcpy(&tune->times[tune->in[i]][tune->halvings * IRR_TUNE_ROUNDS], &words[i * IRR_TUNE_ROUNDS],
               IRR_TUNE_ROUNDS * sizeof(*words));
    }
    tune->halvings++;
    tune->runs = 0;
}

static int by_time(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

uint64_t irr_tune_middle(const irr_tune_t *tune, int way)
{
    const size_t count = (size_t)tune->halvings * IRR_TUNE_ROUNDS;
    uint64_t sorted[IRR_TUNE_RUNS];

    memcpy(sorted, tune->times[way], sizeof(sorted));
    qsort(sorted, count, sizeof(*sorted), by_time);
    return sorted[(count - 1) / 2];
}

/* How many of these times are better than the kth of them? */
static int count_better(const uint64_t *times, int count, int k)
{
    int better = 0;

    for (int i = 0; i < count; i++) {
        better += times[i] < times[k] || (times[i] == times[k] && i < k);
    }
    return better;
}

void irr_tune_halve(irr_tune_t *tune, const uint64_t *words)
{
    const int count = tune->left, half = (count + 1) / 2;
    uint64_t middle[IRR_PACED_WAYS_MAX];

    take(tune, words);
    for (int i = 0; i < count; i++) {
        middle[i] = irr_tune_middle(tune, tune->in[i]);
    }
    tune->left = 0;
    for (int i = 0; i < count; i++) {
        if (count_better(middle, count, i) < half) {
            tune->in[tune->left++] = tune->in[i];
        }
    }
    choose(tune);
}

void irr_tune_describe(const irr_way_t *way, char *text, size_t size)
{
    char details[80] = "";

    if (!irr_way_is_scheduled(way)) {
        snprintf(details, sizeof(details), ", no schedule");
    } else if (way->pace->syncs) {
        snprintf(details, sizeof(details), ", lead of %zu bytes", way->lead);
    } else if (way->pace == &irr_pace_grant) {
        snprintf(details, sizeof(details), ", %zu grants", way->grants);
    }
    if (way->piece_max > 0) {
        snprintf(text, size, "route %s, pace %s, pieces of %zu bytes%s", way->route->name,
                 way->pace->name, way->piece_max, details);
    } else {
        snprintf(text, size, "route %s, pace %s, whole messages%s", way->route->name,
                 way->pace->name, details);
    }
}

bool irr_tune_has(const irr_tune_t *tune, int way)
{
    for (int i = 0; i < tune->left; i++) {
        if (tune->in[i] == way) {
            return true;
        }
    }
    return false;
}
