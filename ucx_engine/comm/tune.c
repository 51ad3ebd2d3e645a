/*
 * tune.c - see tune.h.
 *
 * The ways: first, where hosts have several ranks, messages that are forwarded inside of hosts, which are few and
 * long; then those that are not.  Signals between those that would meet, with pieces short enough to be counted as
 * they come; the same with longer ones, that are just below what UCX sends at once over tcp, and more bytes under way,
 * where processes answer late; the same with no bytes ahead, where they would queue in several switches, and the
 * signals behind them; and grants.  At last what needs no schedule, and wins where all of that costs more than it
 * brings, as with short messages, or where one link holds up all in any order: one step after the other, as the
 * pairwise exchange of other libraries, and all at once.
 */
#include "comm/tune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIB ((size_t)1024)

static const irr_way_t tried[] = {
    { .route = &irr_route_node, .pace = &irr_pace_sync, .grants = IRR_GRANTS_DEFAULT, .piece_max = 32 * KIB,
      .lead = IRR_LEAD_DEFAULT },
    { .route = &irr_route_direct, .pace = &irr_pace_sync, .grants = IRR_GRANTS_DEFAULT, .piece_max = 32 * KIB,
      .lead = IRR_LEAD_DEFAULT },
    { .route = &irr_route_direct, .pace = &irr_pace_sync, .grants = IRR_GRANTS_DEFAULT, .piece_max = 60 * KIB,
      .lead = 96 * KIB },
    { .route = &irr_route_direct, .pace = &irr_pace_sync, .grants = IRR_GRANTS_DEFAULT, .piece_max = 32 * KIB },
    { .route = &irr_route_direct, .pace = &irr_pace_grant, .grants = 6, .piece_max = 16 * KIB,
      .lead = IRR_LEAD_DEFAULT },
    { .route = &irr_route_direct, .pace = &irr_pace_loose, .grants = IRR_GRANTS_DEFAULT },
    { .route = &irr_route_direct, .pace = &irr_pace_free, .grants = IRR_GRANTS_DEFAULT },
    { .route = &irr_route_node, .pace = &irr_pace_free, .grants = IRR_GRANTS_DEFAULT }
};

enum { TRIED = sizeof(tried) / sizeof(tried[0]) };

_Static_assert(TRIED <= IRR_TUNE_WAYS_MAX, "there is room for all ways");
_Static_assert(IRR_TUNE_WAYS_MAX <= 1 << IRR_TUNE_HALVINGS, "one way is left in the end");

static bool known(const irr_way_t *ways, int count, const irr_way_t *way)
{
    for (int i = 0; i < count; i++) {
        if (ways[i].route == way->route && ways[i].order == way->order && ways[i].pace == way->pace &&
            ways[i].piece_max == way->piece_max && ways[i].lead == way->lead && ways[i].grants == way->grants) {
            return true;
        }
    }
    return false;
}

/* Has the user left this pace open, or asked for it? */
static bool allows(const irr_settings_t *settings, const irr_pace_t *pace, int ranks)
{
    return settings->pace == IRR_PACE_AUTO ? pace != &irr_pace_sync || ranks <= IRR_TUNE_SYNC_RANKS
                                           : pace == irr_pace_of(settings->pace);
}

/* Who asks for a pace, or for pieces, wants the order that they go with; else whole messages need no schedule. */
static const irr_order_t *order_of(const irr_settings_t *settings, const irr_way_t *base, const irr_way_t *row)
{
    const bool open = settings->pace == IRR_PACE_AUTO && settings->piece_bytes == IRR_BYTES_AUTO;

    return open && row->route == &irr_route_direct && row->piece_max == 0 ? &irr_order_rotate : base->order;
}

int irr_tune_ways(const irr_settings_t *settings, const irr_way_t *base, unsigned routes, int ranks,
                  irr_way_t ways[IRR_TUNE_WAYS_MAX])
{
    int count = 0;

    for (int i = 0; i < TRIED; i++) {
        const irr_way_t *row = &tried[i];
        const unsigned route = row->route == &irr_route_node ? IRR_TUNE_NODE : IRR_TUNE_DIRECT;
        irr_way_t way = *base;

        way.route = row->route;
        way.order = order_of(settings, base, row);
        way.pace = row->pace;
        if (settings->piece_bytes == IRR_BYTES_AUTO) {
            way.piece_max = row->piece_max;
            way.grants = settings->grants > 0 ? settings->grants : row->grants;
        }
        way.lead = settings->lead_bytes == IRR_BYTES_AUTO ? row->lead : base->lead;
        if ((routes & route) != 0 && allows(settings, way.pace, ranks) && !known(ways, count, &way)) {
            ways[count++] = way;
        }
    }
    if (count == 0) {
        ways[count] = *base;
        ways[count++].pace = allows(settings, base->pace, ranks) ? base->pace : &irr_pace_grant;
    }
    return count;
}

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
    uint64_t middle[IRR_TUNE_WAYS_MAX];

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
