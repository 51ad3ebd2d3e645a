/* trial.c - compares strategies by timing exchanges; see trial.h for the terms stay, turn, round, look and base. */
#include "choose/trial.h"

#include <math.h>
#include <string.h>

/* Short exchanges are timed in groups of this number.  The longest time of each group is left out. */
#define GROUP 4

/* Least and largest number of timed short exchanges of a stay; multiples of GROUP. */
#define LENGTH_MIN 4
#define LENGTH_MAX 16

/*
 * Untimed and timed exchanges of a look.  After a change of the strategy, short exchanges take up to ten times as long
 * until each rank has touched its FIFOs, and the ranks that share a processor have found a common rhythm.
 */
#define WARM_UP_SHORT 4
#define WARM_UP_LONG  1
#define LOOK_SHORT    4
#define LOOK_LONG     1

/* A repeated look times this number of times as many exchanges. */
#define LOOK_AGAIN 3

/* Least time of a long exchange, in ns.  Disturbances by other programs of the machine are short in comparison. */
#define LONG_NS 2.5e6

/* A strategy that takes more than this number of times as long as the fastest one is dropped after the looks. */
#define HOPELESS 2

/*
 * With fewer than ENOUGH samples of short exchanges, a strategy wins only if the lower bound of its speedup is at least
 * SURE.
 */
#define ENOUGH 8
#define SURE   1.2

/* ---- the order of stays ---- */

static bool is_in(const irr_trial_t *trial, int strategy)
{
    return trial->left[strategy] && !(trial->stage == IRR_TRIAL_LOOKS && trial->looked[strategy]);
}

/*
 * Returns the strategy whose stay follows the stay of `strategy`, or -1 if every strategy has had its stay of this
 * turn.
 */
static int next_strategy(const irr_trial_t *trial, int strategy)
{
    const int step = trial->turn % 2 == 0 ? 1 : -1;

    for (strategy += step; strategy >= 0 && strategy < trial->count; strategy += step) {
        if (is_in(trial, strategy)) {
            return strategy;
        }
    }
    return -1;
}

static void begin_round(irr_trial_t *trial)
{
    memset(trial->sums, 0, sizeof(trial->sums));
    memset(trial->most, 0, sizeof(trial->most));
    memset(trial->taken, 0, sizeof(trial->taken));
    trial->turn = 0;
    trial->strategy = next_strategy(trial, -1);
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

static int look_warm_up(bool long_ones)
{
    return long_ones ? WARM_UP_LONG : WARM_UP_SHORT;
}

/* Sets the lengths of a stay in the looks that follow.  repeats: they are repeated looks. */
static void prepare_look(irr_trial_t *trial, bool repeats)
{
    trial->stage = IRR_TRIAL_LOOKS;
    trial->length = look_length(trial->long_ones) * (repeats ? LOOK_AGAIN : 1);
    trial->warm_up = look_warm_up(trial->long_ones);
}

static void begin_look(irr_trial_t *trial)
{
    prepare_look(trial, false);
    begin_round(trial);
}

void irr_trial_begin(irr_trial_t *trial, int count, double mean_ns)
{
    *trial = (irr_trial_t){ .count = count, .long_ones = irr_trial_is_long(mean_ns) };
    for (int i = 0; i < IRR_TRIAL_STRATEGIES; i++) {
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
    return look_warm_up(irr_trial_is_long(mean_ns)) + look_length(irr_trial_is_long(mean_ns));
}

/* Adds the time of an exchange.  When a group is complete, its longest exchange is subtracted. */
static void take_pair(irr_trial_t *trial, int sum, uint64_t ns)
{
    trial->sums[sum] += ns;
    if (++trial->taken[sum] == GROUP && !trial->long_ones) {
        trial->sums[sum] -= trial->most[sum];
        trial->most[sum] = 0;
        trial->taken[sum] = 0;
    }
}

void irr_trial_took(irr_trial_t *trial, int sum, uint64_t ns)
{
    uint64_t *least = &trial->sums[sum];

    trial->most[sum] = ns > trial->most[sum] ? ns : trial->most[sum];
    if (trial->stage != IRR_TRIAL_LOOKS) {
        take_pair(trial, sum, ns);
    } else if (*least == 0 || ns < *least) {
        *least = ns;
    }
}

/* Returns the number of exchanges whose times the sum of a stay contains. */
static int counted(const irr_trial_t *trial)
{
    return trial->stage == IRR_TRIAL_LOOKS || trial->long_ones ? 1 : trial->length / GROUP * (GROUP - 1);
}

/*
 * A look has only one stay of each strategy, so the words for the second stays have the times of the longest exchanges
 * of the looks.
 */
void irr_trial_words(const irr_trial_t *trial, uint64_t words[IRR_TRIAL_SUMS])
{
    memcpy(words, trial->sums, sizeof(trial->sums));
    if (trial->stage == IRR_TRIAL_LOOKS) {
        memcpy(words + IRR_TRIAL_STRATEGIES, trial->most, IRR_TRIAL_STRATEGIES * sizeof(*words));
    }
}

bool irr_trial_begins(irr_trial_t *trial)
{
    const int turns = trial->stage == IRR_TRIAL_LOOKS ? 1 : IRR_TRIAL_STAYS;
    int next;

    trial->exchanges++;
    if (++trial->done < trial->warm_up + trial->length) {
        return false;
    }
    trial->done = 0;
    next = next_strategy(trial, trial->strategy);
    if (next < 0 && ++trial->turn < turns) {
        next = next_strategy(trial, trial->turn % 2 == 0 ? -1 : trial->count);
    }
    trial->strategy = next < 0 ? 0 : next;
    return next < 0;
}

/* ---- what the ranks agreed on ---- */

/* Returns the slowest or the fastest strategy that is left, without the base; -1: only the base is left. */
static int extreme(const irr_trial_t *trial, bool slowest)
{
    int found = -1;

    for (int i = 1; i < trial->count; i++) {
        if (trial->left[i] &&
            (found < 0 || (trial->speedups[i].is <= trial->speedups[found].is) == slowest)) {
            found = i;
        }
    }
    return found;
}

static int count_left(const irr_trial_t *trial)
{
    int left = 0;

    for (int i = 1; i < trial->count; i++) {
        left += trial->left[i];
    }
    return left;
}

static void drop_to(irr_trial_t *trial, int keep)
{
    for (int left = count_left(trial); left > keep; left--) {
        trial->left[extreme(trial, true)] = false;
    }
}

/*
 * Drops the hopeless strategies (trial.h).  If all are hopeless, the fastest is not dropped in its first look: its
 * look, and that of the base, are repeated.
 */
static void drop_hopeless(irr_trial_t *trial)
{
    const int best = extreme(trial, false);
    const double most = best < 0 || trial->speedups[best].is < 1 ? 1 : trial->speedups[best].is;

    for (int i = 1; i < trial->count; i++) {
        const bool hopeless = trial->left[i] && trial->speedups[i].is * HOPELESS < most;

        if (hopeless && i == best && !trial->doubted[i] && !trial->lenient) {
            trial->doubted[i] = true;
            trial->looked[i] = false;
            trial->looked[0] = trial->long_ones;
        } else if (hopeless) {
            trial->left[i] = false;
        }
    }
}

/*
 * Sets the time of an exchange by a strategy; stay_ns is the sum of one of its stays.  Adds the time by which `stays`
 * such stays are longer than with the base to extra_ns and, if it is positive, to cost_ns.
 */
static void book(irr_trial_t *trial, int strategy, double stay_ns, int stays)
{
    double extra_ns;

    trial->each_ns[strategy] = stay_ns / counted(trial);
    extra_ns = (trial->each_ns[strategy] - trial->each_ns[0]) * stays * (trial->warm_up + trial->length);
    trial->extra_ns += extra_ns;
    trial->cost_ns += extra_ns > 0 ? extra_ns : 0;
}

/*
 * Evaluates the shortest and the longest exchange with each strategy.  For long exchanges the mean of the base is
 * known, so the base has no look.
 */
static void take_look(irr_trial_t *trial, const uint64_t *sums)
{
    const uint64_t *most = sums + IRR_TRIAL_STRATEGIES;
    double base_most = 0;

    if (is_in(trial, 0)) {
        book(trial, 0, (double)sums[0], 1);
        base_most = (double)most[0];
    }
    for (int i = 1; i < trial->count; i++) {
        const double base = trial->each_ns[0], own = (double)sums[i];

        if (is_in(trial, i) && own > 0) {
            book(trial, i, own, 1);
            trial->speedups[i] = (irr_speedup_t){
                base / own, base / fmax(own, (double)most[i]), fmax(base, base_most) / own };
        }
    }
}

void irr_trial_looked(irr_trial_t *trial, const uint64_t *sums)
{
    take_look(trial, sums);
    for (int i = 0; i < trial->count; i++) {
        trial->looked[i] = true;
    }
    drop_hopeless(trial);
}

static void take_pairs(irr_trial_t *trial, const uint64_t *sums)
{
    for (int i = 0; i < trial->count; i++) {
        irr_samples_t *samples = &trial->samples[i];
        double stays_ns = 0;

        if (!trial->left[i]) {
            continue;
        }
        for (int turn = 0; turn < IRR_TRIAL_STAYS; turn++) {
            const uint64_t *stays = &sums[turn * IRR_TRIAL_STRATEGIES];

            stays_ns += (double)stays[i];
            irr_samples_add(samples, (double)stays[0], (double)stays[i]);
        }
        book(trial, i, stays_ns / IRR_TRIAL_STAYS, IRR_TRIAL_STAYS);
        if (samples->count > 0) {
            trial->speedups[i] = irr_samples_speedup(samples, trial->long_ones);
        }
    }
}

/* Drops each strategy if the upper bound of its speedup is below the limit or below the best speedup (trial.h). */
static void drop_losers(irr_trial_t *trial)
{
    const double gain = trial->lenient ? 1 : IRR_SPEEDUP_GAIN;
    const int best = extreme(trial, false);
    const double least = fmax(gain, best < 0 || trial->lenient ? 0 : trial->speedups[best].is);

    for (int i = 1; i < trial->count; i++) {
        trial->left[i] = trial->left[i] && (i == best ? trial->speedups[i].high >= gain
                                                      : trial->speedups[i].high >= least);
    }
}

/* Returns whether the samples so far satisfy the conditions of trial.h under which the best strategy wins. */
static bool wins(const irr_trial_t *trial, int best)
{
    const irr_speedup_t *speedup = &trial->speedups[best];
    const bool enough = trial->long_ones || trial->samples[best].count >= ENOUGH;

    if (trial->lenient) {
        return speedup->low >= 1 || (enough && speedup->is >= 1);
    }
    return speedup->is >= IRR_SPEEDUP_GAIN && speedup->low >= (enough ? IRR_SPEEDUP_GAIN : SURE);
}

bool irr_trial_agreed(irr_trial_t *trial, const uint64_t *sums)
{
    int best;
    bool ends;

    take_pairs(trial, sums);
    drop_losers(trial);
    best = extreme(trial, false);
    if (best < 0) {
        return true;
    }
    ends = trial->samples[best].count >= (trial->lenient ? ENOUGH : IRR_SAMPLES_MAX);
    if (wins(trial, best) && (ends || trial->long_ones || count_left(trial) == 1)) {
        trial->winner = best;
        return true;
    }
    return ends;
}

/*
 * Returns the number of timed exchanges of a stay.  If many samples show no winner, the difference is small, and longer
 * stays measure it at a low cost.
 */
static int length_of(const irr_trial_t *trial)
{
    const int rounds = trial->samples[0].count / IRR_TRIAL_STAYS, length = LENGTH_MIN << rounds / 2;

    return trial->long_ones ? 1 : length < LENGTH_MAX ? length : LENGTH_MAX;
}

/* Returns whether the look of some strategy must be repeated. */
static bool must_look(const irr_trial_t *trial)
{
    bool must = false;

    for (int i = 1; i < trial->count; i++) {
        must = must || (trial->left[i] && !trial->looked[i]);
    }
    return must;
}

/* Sets the stage, and the lengths of the stays, of the round that follows.  Drops the slower half of the strategies. */
static void prepare_round(irr_trial_t *trial)
{
    const int left = count_left(trial);

    if (trial->stage != IRR_TRIAL_PAUSES) {   /* otherwise the half was dropped before the pause */
        drop_to(trial, left > 2 ? (left + 1) / 2 : left);
    }
    trial->stage = IRR_TRIAL_ROUNDS;
    trial->warm_up = trial->long_ones ? 0 : 1;
    trial->length = length_of(trial);
}

/* Returns the additional time of the next round.  The time that strategies are likely to save is not subtracted. */
static double extra_of(const irr_trial_t *trial)
{
    double extra = 0;

    for (int i = 1; i < trial->count; i++) {
        if (is_in(trial, i) && trial->speedups[i].is < 1) {
            extra += trial->each_ns[0] * (1 / trial->speedups[i].is - 1);
        }
    }
    return extra * (trial->stage == IRR_TRIAL_LOOKS ? 1 : IRR_TRIAL_STAYS) * (trial->warm_up + trial->length);
}

irr_trial_next_t irr_trial_go_on(irr_trial_t *trial, double budget_ns)
{
    int left;

    if (must_look(trial)) {
        prepare_look(trial, true);
    } else {
        prepare_round(trial);
    }
    left = count_left(trial);
    for (; left > 1 && extra_of(trial) > fmax(0, budget_ns); left--) {
        drop_to(trial, left - 1);
    }
    if (left == 0) {
        return IRR_TRIAL_ENDS;
    }
    if (extra_of(trial) > fmax(0, budget_ns)) {
        trial->pause_ns = extra_of(trial);
        trial->stage = IRR_TRIAL_PAUSES;
        return IRR_TRIAL_WAITS;
    }
    begin_round(trial);
    return IRR_TRIAL_GOES_ON;
}
