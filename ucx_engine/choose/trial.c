/*
 * trial.c - see trial.h.
 */
#include "choose/trial.h"

#include <string.h>

/* Timed exchanges of the last stays at most, and those of the first ones where exchanges are long. */
#define LENGTH_SHORT 8
#define LENGTH_LONG  2

/* And of the very last ones of short exchanges, if the gain is small. */
#define LENGTH_SURE 32

/* With so many ways left, a round is the last one, unless it decides nothing. */
#define LAST_WAYS 2

/* Those of a look, and the one before. */
#define LOOK_WARM_UP 1
#define LOOK_SHORT 3
#define LOOK_LONG  1

/* An exchange of so many nanoseconds is a long one: what else the machine does is short beside it. */
#define LONG_NS 2.5e6

/* A way that takes so many times as long as the best one is dropped at once. */
#define HOPELESS 2

/*
 * What a way takes at most, by the base, to win: chance alone puts both stays of one of two equal ways before those of
 * the other one in one case of six, and a change for nothing may be one for the worse.
 */
#define WINS 0.97

/* Above this a gain is small: short exchanges differ by as much, so a few of them may show it where none is. */
#define SMALL 0.8

/* ---- the order of stays ---- */

static bool is_in(const irr_trial_t *trial, int way)
{
    return trial->left[way] && (trial->looks ? !trial->looked[way] : way > 0 || trial->last);
}

/* The next way of this half, after this one; -1: none. */
static int next_way(const irr_trial_t *trial, int way)
{
    const int step = trial->half == 0 ? 1 : -1;

    for (way += step; way >= 0 && way < trial->count; way += step) {
        if (is_in(trial, way)) {
            return way;
        }
    }
    return -1;
}

static void begin_round(irr_trial_t *trial)
{
    memset(trial->sums, 0, sizeof(trial->sums));
    trial->half = 0;
    trial->way = next_way(trial, -1);
    trial->done = 0;
}

bool irr_trial_is_long(double mean_ns)
{
    return mean_ns >= LONG_NS;
}

static int look_length(bool long_ones)
{
    return long_ones ? LOOK_LONG : LOOK_SHORT;
}

static void begin_look(irr_trial_t *trial)
{
    trial->looks = true;
    trial->last = false;
    trial->length = look_length(trial->long_ones);
    trial->warm_up = LOOK_WARM_UP;
    begin_round(trial);
}

void irr_trial_begin(irr_trial_t *trial, int count, double mean_ns)
{
    *trial = (irr_trial_t){ .count = count, .long_ones = irr_trial_is_long(mean_ns) };
    for (int i = 0; i < IRR_TRIAL_WAYS; i++) {
        trial->left[i] = i < count;
        trial->speedups[i] = IRR_SPEEDUP_NONE;
    }
    trial->each_ns[0] = mean_ns;
    trial->looked[0] = trial->long_ones;
    begin_look(trial);
}

void irr_trial_add(irr_trial_t *trial, int more)
{
    for (int i = 0; i < more; i++) {
        trial->left[trial->count++] = true;
    }
    begin_look(trial);
}

int irr_trial_look(double mean_ns)
{
    return LOOK_WARM_UP + look_length(irr_trial_is_long(mean_ns));
}

/* Of a look the shortest exchange counts, for all of them: what disturbs one of a few says nothing of its way. */
void irr_trial_took(irr_trial_t *trial, int sum, uint64_t ns)
{
    const uint64_t stay_ns = ns * (uint64_t)trial->length;
    uint64_t *total = &trial->sums[sum];

    if (!trial->looks) {
        *total += ns;
        return;
    }
    if (*total == 0 || stay_ns < *total) {
        *total = stay_ns;
    }
    if (stay_ns > total[IRR_TRIAL_WAYS]) {   /* a look has one half */
        total[IRR_TRIAL_WAYS] = stay_ns;
    }
}

bool irr_trial_begins(irr_trial_t *trial)
{
    int next;

    trial->exchanges++;
    if (++trial->done < trial->warm_up + trial->length) {
        return false;
    }
    trial->done = 0;
    next = next_way(trial, trial->way);
    if (next < 0 && trial->half == 0 && !trial->looks) {
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

/* The best of those that are left beside the base, or -1; and their number. */
static int best_of(const irr_trial_t *trial, int *left_p)
{
    int best = -1;

    *left_p = 0;
    for (int i = 1; i < trial->count; i++) {
        if (trial->left[i]) {
            (*left_p)++;
            best = best < 0 || trial->each_ns[i] < trial->each_ns[best] ? i : best;
        }
    }
    return best;
}

static int worst_of(const irr_trial_t *trial)
{
    int worst = -1;

    for (int i = 1; i < trial->count; i++) {
        if (trial->left[i] && (worst < 0 || trial->each_ns[i] >= trial->each_ns[worst])) {
            worst = i;
        }
    }
    return worst;
}

/* Drops ways from the slowest on, down to so many. */
static void drop_to(irr_trial_t *trial, int keep)
{
    int left;

    for (best_of(trial, &left); left > keep; left--) {
        trial->left[worst_of(trial)] = false;
    }
}

static void drop_hopeless(irr_trial_t *trial)
{
    const double base = trial->each_ns[0];
    int left;
    const int best = best_of(trial, &left);
    const double limit = best < 0 ? 0 : HOPELESS * (trial->each_ns[best] < base ? trial->each_ns[best] : base);

    for (int i = 1; i < trial->count; i++) {
        trial->left[i] = trial->left[i] && trial->each_ns[i] <= limit;
    }
}

/* Nanoseconds of an exchange: as it counts for the decision, and of the shortest and the longest sample. */
typedef struct span {
    double is, least, most;
} span_t;

/*
 * Of two stays the shorter one counts: the other may have been disturbed.  Long exchanges are disturbed by the network,
 * as by lost messages, and that is part of what they cost, so there the mean counts.  If the way had no part in this
 * round, its last time is all that is known.
 */
static span_t span_of(const irr_trial_t *trial, const uint64_t *sums, int way)
{
    const double least = (trial->looks ? (double)sums[way] : shorter(sums, way)) / trial->length;
    const double most = longer(sums, way) / trial->length;
    const bool averages = trial->long_ones && !trial->looks;

    if (!is_in(trial, way)) {
        return (span_t){ trial->each_ns[way], trial->each_ns[way], trial->each_ns[way] };
    }
    return (span_t){ averages ? trial->each_ns[way] : least, least, most };
}

static void take_speedups(irr_trial_t *trial, const uint64_t *sums)
{
    const span_t base = span_of(trial, sums, 0);

    for (int i = 1; i < trial->count; i++) {
        const span_t span = span_of(trial, sums, i);

        if (is_in(trial, i) && base.least > 0 && span.least > 0) {
            trial->speedups[i] = (irr_speedup_t){ base.is / span.is, base.least / span.most, base.most / span.least };
        }
    }
}

/* What the ways of this round took, of which the ranks have agreed. */
static void take(irr_trial_t *trial, const uint64_t *sums)
{
    const int stays = trial->looks ? 1 : 2;

    for (int i = 0; i < trial->count; i++) {
        if (is_in(trial, i)) {
            const double stay_ns = trial->looks ? (double)sums[i] : total(sums, i) / 2;
            double extra_ns;

            trial->each_ns[i] = stay_ns / trial->length;
            extra_ns = (trial->each_ns[i] - trial->each_ns[0]) * stays * (trial->warm_up + trial->length);
            trial->extra_ns += extra_ns;
            trial->cost_ns += extra_ns > 0 ? extra_ns : 0;
        }
    }
    take_speedups(trial, sums);
}

void irr_trial_looked(irr_trial_t *trial, const uint64_t *sums)
{
    take(trial, sums);
    for (int i = 0; i < trial->count; i++) {
        trial->looked[i] = true;
    }
    drop_hopeless(trial);
}

/* Has the last round decided?  Where exchanges are short, only long stays do if it is a matter of little. */
static bool decides(const irr_trial_t *trial, const uint64_t *sums, int best, bool wins)
{
    const bool at_once = trial->long_ones || trial->lenient || longer(sums, best) < SMALL * shorter(sums, 0);

    return (wins && at_once) || trial->length >= (trial->long_ones ? LENGTH_SHORT : LENGTH_SURE) ||
           total(sums, best) >= total(sums, 0);
}

bool irr_trial_agreed(irr_trial_t *trial, const uint64_t *sums)
{
    int left, best;
    bool wins;

    take(trial, sums);
    best = best_of(trial, &left);
    if (!trial->last) {
        drop_hopeless(trial);
        return false;
    }
    wins = longer(sums, best) < WINS * shorter(sums, 0) || (trial->lenient && trial->speedups[best].is >= 1);
    if (!decides(trial, sums, best, wins)) {
        return false;   /* once more */
    }
    trial->winner = wins ? best : 0;
    return true;
}

/* What the next round takes more than by the base; ways that are likely to be faster do not pay for others. */
static double extra_of(const irr_trial_t *trial)
{
    double extra = 0;

    for (int i = 1; i < trial->count; i++) {
        if (trial->left[i] && trial->each_ns[i] > trial->each_ns[0]) {
            extra += trial->each_ns[i] - trial->each_ns[0];
        }
    }
    return extra * 2 * (trial->warm_up + trial->length);
}

/* Timed exchanges of the stays of a round, by how many ways are left; one that decided nothing comes again, longer. */
static int length_of(const irr_trial_t *trial, int left, int undecided)
{
    if (undecided > 0) {
        return 2 * undecided;
    }
    return trial->long_ones ? LENGTH_LONG : left > LAST_WAYS ? LENGTH_SHORT / 2 : LENGTH_SHORT;
}

bool irr_trial_go_on(irr_trial_t *trial, double budget_ns)
{
    const int undecided = trial->last ? trial->length : 0;
    double extra_ns;
    int left;

    best_of(trial, &left);
    left = (left + 1) / 2;
    trial->looks = false;
    trial->warm_up = trial->long_ones ? 0 : 1;
    do {
        drop_to(trial, left);
        trial->length = length_of(trial, left, undecided);
        extra_ns = extra_of(trial);
    } while (extra_ns > 0 && extra_ns > budget_ns && left-- > 0);
    trial->last = left <= LAST_WAYS;
    begin_round(trial);
    return left > 0;
}
