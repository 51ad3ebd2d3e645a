/*
 * test_trial.c - trials of strategies whose exchanges take given times, and the reported speedups and saved time of a
 * job, compared with real times. A stay is several consecutive exchanges by one strategy. A look is the first stay.
 */
#include "choose/trial.h"
#include "irr_choosers.h"

#include <math.h>

/* Agrees on the times of a round, which has the stays of all strategies. Returns true if the trial is complete. */
static bool agree_round(irr_trial_t *trial)
{
    uint64_t agreed[IRR_TRIAL_SUMS];

    irr_trial_words(trial, agreed);
    if (trial->stage == IRR_TRIAL_LOOKS) {
        irr_trial_looked(trial, agreed);
    } else if (irr_trial_agreed(trial, agreed)) {
        return true;
    }
    return irr_trial_go_on(trial, HUGE_VAL) == IRR_TRIAL_ENDS;
}

/* Records the time of the next exchange. Returns true if the exchange was the last exchange of the round. */
static bool took(irr_trial_t *trial, uint64_t ns)
{
    if (irr_trial_times(trial)) {
        irr_trial_took(trial, irr_trial_sum(trial), ns);
    }
    return irr_trial_begins(trial);
}

/*
 * Maximum number of exchanges of a trial with all strategies: looks, a repeated look, a round of the better half, a
 * round of the better quarter, and four more rounds of this quarter.
 */
enum { MOST = 9 * 8 + 2 * 16 + 4 * 5 * 5 + 4 * 3 * (5 + 9 + 9 + 17 + 17) };

/* Runs a trial: exchanges by strategy i take ns[i], and `drift` times as long in the second halves of rounds. */
static irr_trial_t try(const double *ns, int count, double drift)
{
    irr_trial_t trial;

    irr_trial_begin(&trial, count, ns[0]);
    for (;;) {
        const double each = ns[trial.strategy] * (trial.turn < IRR_TRIAL_STAYS / 2 ? 1 : drift);

        CU_ASSERT_TRUE_FATAL(trial.exchanges <= MOST);
        if (took(&trial, (uint64_t)each) && agree_round(&trial)) {
            return trial;
        }
    }
}

IRR_TEST(test_best_wins, "a trial finds the best strategy at any position of the list")
{
    for (int best = 0; best < IRR_TRIAL_STRATEGIES; best++) {
        for (int count = 2; count <= IRR_TRIAL_STRATEGIES; count++) {
            double ns[IRR_TRIAL_STRATEGIES];

            for (int i = 0; i < IRR_TRIAL_STRATEGIES; i++) {
                ns[i] = i == best ? 1000 : 1200 + 100 * i;
            }
            CU_ASSERT_EQUAL(try(ns, count, 1).winner, best < count ? best : 0);
        }
    }
}

/*
 * A trial compares neighboring stays, so a machine that becomes slower neither hides nor feigns a gain. A strategy must
 * win by at least 3 %. Hopeless strategies are dropped after one look at each, and another look at the fastest. If
 * exchanges are long, a trial needs fewer exchanges.
 */
IRR_TEST(test_known, "trials with known times")
{
    static const struct {
        double ns[IRR_TRIAL_STRATEGIES];
        int    count;
        double drift;
        int    winner, exchanges;   /* exchanges 0: any number */
        double extra_ns;
    } rows[] = {
        { { 1000, 900 }, 2, 1, 1, 0, 0 }, { { 1000, 900 }, 2, 1.2, 1, 0, 0 }, { { 1000, 1000 }, 2, 1.2, 0, 0, 0 },
        { { 1000, 980 }, 2, 1, 0, 0, 0 }, { { 1e7, 9.8e6 }, 2, 1, 0, 0, 0 }, { { 1000, 960 }, 2, 1, 1, 0, 0 },
        { { 1000, 100000, 100000, 100000, 100000 }, 5, 1, 0, 5 * 8 + 2 * 16, (4 * 8 + 16) * 99000 },
        { { 1e7, 9e6, 8e6, 7e6, 6e6 }, 5, 1, 4, 8 + 12, 0 }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        const irr_trial_t trial = try(rows[i].ns, rows[i].count, rows[i].drift);

        CU_ASSERT_EQUAL(trial.winner, rows[i].winner);
        CU_ASSERT(rows[i].exchanges == 0 || trial.exchanges == rows[i].exchanges);
        CU_ASSERT(rows[i].extra_ns == 0 || fabs(trial.extra_ns - rows[i].extra_ns) <= 1);
    }
}

/*
 * The time of an exchange is evenly distributed from `least` to `least + spread` ns. One of `one_in` exchanges is
 * delayed by up to `delay` ns; 0: no delays.
 */
typedef struct noise {
    double   mean_ns;
    uint64_t least, spread, one_in, delay;
} noise_t;

/*
 * Returns the number of trials, of 1,000 trials, that strategy 1 wins. Its exchanges take `fraction` of the time of
 * strategy 0, without delays.
 */
static int wins_of(const noise_t *noise, double fraction, uint64_t *state)
{
    int wins = 0;

    for (int i = 0; i < 1000; i++) {
        irr_trial_t trial;
        bool over = false;

        irr_trial_begin(&trial, 2, noise->mean_ns);
        while (!over) {
            const bool is_delayed = noise->one_in > 0 && irr_test_below(state, noise->one_in) == 0;
            const uint64_t delay = is_delayed ? irr_test_below(state, noise->delay) : 0;
            const double ns = (double)(noise->least + irr_test_below(state, noise->spread));

            over = took(&trial, delay + (uint64_t)(trial.strategy == 1 ? fraction * ns : ns)) && agree_round(&trial);
        }
        wins += trial.winner;
    }
    return wins;
}

/* If strategies are equal, strategy 0 wins. Delays of some exchanges neither hide nor feign a gain. */
IRR_TEST_SEEDED(test_noise, "trials with random times and delays")
{
    const noise_t even = { .mean_ns = 20000, .least = 10000, .spread = 20001 };
    const noise_t delays = { .mean_ns = 1e5, .least = 85000, .spread = 30001, .one_in = 10, .delay = 2000001 };
    const struct { const noise_t *noise; double fraction; int least, most; } rows[] = {
        { &even, 1, 0, 59 }, { &even, 1 - 0.15, 701, 1000 }, { &delays, 1 / 0.95, 0, 19 }, { &delays, 1, 0, 39 },
        { &delays, 1 / 1.25, 901, 1000 }, { &delays, 1 / 2.0, 901, 1000 }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        const int wins = wins_of(rows[i].noise, rows[i].fraction, state);

        CU_ASSERT(wins >= rows[i].least && wins <= rows[i].most);
    }
}

IRR_TEST(test_first_are_not_timed, "the first four exchanges of a look are not timed")
{
    irr_trial_t trial;

    irr_trial_begin(&trial, 2, 1000);
    for (int i = 0; i < 4; i++) {
        CU_ASSERT_FALSE(irr_trial_times(&trial));
        CU_ASSERT_FALSE(took(&trial, 1000000));
    }
    CU_ASSERT_TRUE(irr_trial_times(&trial));
    CU_ASSERT_EQUAL(trial.sums[0], 0);
}

/* Takes the looks of a trial of strategy 1, whose exchanges take `ns` instead of 1000 ns. Returns what follows. */
static irr_trial_next_t look(irr_trial_t *trial, uint64_t ns, double budget_ns)
{
    uint64_t words[IRR_TRIAL_SUMS];

    while (!took(trial, trial->strategy == 1 ? ns : 1000)) {
    }
    irr_trial_words(trial, words);
    irr_trial_looked(trial, words);
    return irr_trial_go_on(trial, budget_ns);
}

/* Other work of the machine may delay all exchanges of a look. */
IRR_TEST(test_doubted, "a strategy that seems hopeless has a second, longer look")
{
    irr_trial_t trial;

    irr_trial_begin(&trial, 2, 1000);
    CU_ASSERT_EQUAL(look(&trial, 5000, 1e9), IRR_TRIAL_GOES_ON);
    CU_ASSERT_TRUE(trial.left[1]);
    CU_ASSERT_EQUAL(trial.stage, IRR_TRIAL_LOOKS);
    CU_ASSERT_EQUAL(trial.length, 12);
    CU_ASSERT_EQUAL(look(&trial, 700, 1e9), IRR_TRIAL_GOES_ON);
    CU_ASSERT_EQUAL(trial.stage, IRR_TRIAL_ROUNDS);
    CU_ASSERT_DOUBLE_EQUAL(trial.speedups[1].is, 1 / 0.7, 1e-6);
    irr_trial_begin(&trial, 2, 1000);
    CU_ASSERT_EQUAL(look(&trial, 5000, 1e9), IRR_TRIAL_GOES_ON);
    CU_ASSERT_EQUAL(look(&trial, 5000, 1e9), IRR_TRIAL_ENDS);
    CU_ASSERT_EQUAL(trial.winner, 0);
}

/* One round of a strategy that needs 1500 instead of 1000 ns takes 4 * 5 * 500 ns longer. */
IRR_TEST(test_pause, "a trial pauses until the budget covers the next round")
{
    irr_trial_t trial;

    irr_trial_begin(&trial, 2, 1000);
    CU_ASSERT_EQUAL(look(&trial, 1500, 9999), IRR_TRIAL_WAITS);
    CU_ASSERT_EQUAL(trial.stage, IRR_TRIAL_PAUSES);
    CU_ASSERT_DOUBLE_EQUAL(trial.pause_ns, 10000, 1e-6);
    CU_ASSERT_EQUAL(irr_trial_go_on(&trial, -1), IRR_TRIAL_WAITS);
    CU_ASSERT_EQUAL(irr_trial_go_on(&trial, 10001), IRR_TRIAL_GOES_ON);
    CU_ASSERT_EQUAL(trial.stage, IRR_TRIAL_ROUNDS);
}

IRR_TEST(test_disturbed_look, "one slow exchange does not drop a strategy")
{
    uint64_t words[IRR_TRIAL_SUMS];
    irr_trial_t trial;
    int n = 0;

    irr_trial_begin(&trial, 2, 1000);
    while (!took(&trial, trial.strategy == 1 && ++n == 6 ? 4000000 : 1000)) {
    }
    irr_trial_words(&trial, words);
    irr_trial_looked(&trial, words);
    CU_ASSERT_TRUE(trial.left[1]);
    CU_ASSERT_DOUBLE_EQUAL(trial.speedups[1].is, 1, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(trial.speedups[1].low, 1e-3 / 4, 1e-9);   /* the samples show the disturbance */
}

/* A single delay, like the delays of test_noise, has no effect: the longest exchange of a stay does not count. */
IRR_TEST(test_disturbed_stay, "the longest of several consecutive exchanges is ignored")
{
    const uint64_t look[IRR_TRIAL_SUMS] = { 100000, 70000 };
    irr_trial_t trial;
    int n = 0;

    irr_trial_begin(&trial, 2, 1e5);
    irr_trial_looked(&trial, look);
    CU_ASSERT_EQUAL(irr_trial_go_on(&trial, 1e9), IRR_TRIAL_GOES_ON);
    while (!took(&trial, n++ % 5 == 2 ? 4000000 : trial.strategy == 1 ? 70000 : 100000)) {
    }
    CU_ASSERT_TRUE(agree_round(&trial));
    CU_ASSERT_EQUAL(trial.winner, 1);
    CU_ASSERT_DOUBLE_EQUAL(trial.speedups[1].low, 1 / 0.7, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(trial.speedups[1].high, 1 / 0.7, 1e-6);
}

/* One of four long exchanges by strategy 0 is delayed. Three rounds show that the delay is no accident. */
IRR_TEST(test_undecided, "a trial goes on until the result of its rounds is clear")
{
    const uint64_t look[IRR_TRIAL_SUMS] = { 0, 8000000 };
    irr_trial_t trial;
    uint64_t sums[IRR_TRIAL_SUMS] = { 25000000, 8000000 };

    for (int turn = 1; turn < IRR_TRIAL_STAYS; turn++) {
        sums[turn * IRR_TRIAL_STRATEGIES] = sums[turn * IRR_TRIAL_STRATEGIES + 1] = 8000000;
    }
    irr_trial_begin(&trial, 2, 2e7);
    irr_trial_looked(&trial, look);
    for (int round = 1; round <= 3; round++) {
        CU_ASSERT_EQUAL(irr_trial_go_on(&trial, 1e9), IRR_TRIAL_GOES_ON);
        CU_ASSERT_EQUAL(trial.length, 1);
        CU_ASSERT_EQUAL(irr_trial_agreed(&trial, sums), round == 3);
        CU_ASSERT_DOUBLE_EQUAL(trial.speedups[1].is, 49 / 32.0, 1e-6);
    }
    CU_ASSERT_EQUAL(trial.winner, 1);
}

IRR_TEST(test_added, "strategies may be added after the first round")
{
    uint64_t words[IRR_TRIAL_SUMS];
    irr_trial_t trial;

    irr_trial_begin(&trial, 2, 1000);
    while (!took(&trial, 1000)) {
    }
    irr_trial_words(&trial, words);
    irr_trial_looked(&trial, words);
    irr_trial_add(&trial, 2);
    CU_ASSERT_EQUAL(trial.strategy, 2);   /* strategies 0 and 1 have had their looks */
    while (!took(&trial, trial.strategy == 3 ? 700 : 1500)) {
    }
    CU_ASSERT_FALSE(agree_round(&trial));
    CU_ASSERT_TRUE(trial.left[3] && !trial.left[2]);
}

IRR_TEST(test_budget, "the slowest strategies are dropped until a round is within the budget")
{
    const uint64_t sums[IRR_TRIAL_SUMS] = { 1000, 900, 1200, 1500 };
    irr_trial_t trial;

    irr_trial_begin(&trial, 4, 1000);
    irr_trial_looked(&trial, sums);
    CU_ASSERT_EQUAL(irr_trial_go_on(&trial, 1e3), IRR_TRIAL_GOES_ON);
    CU_ASSERT_TRUE(trial.left[1] && !trial.left[2] && !trial.left[3]);
    CU_ASSERT_EQUAL(irr_trial_go_on(&trial, -1e9), IRR_TRIAL_GOES_ON);   /* a faster strategy has no cost */
    trial.left[1] = false;
    CU_ASSERT_EQUAL(irr_trial_go_on(&trial, 1e3), IRR_TRIAL_ENDS);
}

/* ---- statistics ---- */

/* Runs a job of exchanges that differ, and repeatedly checks its statistics after a few exchanges. */
static void check_log(irr_choosers_t *job)
{
    for (int i = 0; i < 60; i++) {
        const irr_choice_t *choice = &job->choice[0];
        irr_saved_t saved;

        irr_choosers_run(job, 40);
        saved = irr_choice_saved(choice);
        CU_ASSERT_TRUE(choice->strategy == 0 ? choice->speedup.is == 1 : choice->speedup.is > 1);
        CU_ASSERT_TRUE(choice->speedup.low <= choice->speedup.is && choice->speedup.is <= choice->speedup.high);
        CU_ASSERT_TRUE(saved.low <= saved.is + 1 && saved.is <= saved.high + 1);
        CU_ASSERT_TRUE(choice->trials_ns >= 0);
    }
}

IRR_TEST_SEEDED(test_log_of_a_winner, "the reported speedup of a strategy agrees with its real speedup")
{
    int intervals = 0, jobs = 0;

    for (int i = 0; i < 300; i++) {
        double ns[1 + IRR_CHOOSERS_LIST];
        irr_saved_t saved;
        irr_choosers_t job;

        for (int k = 0; k <= IRR_CHOOSERS_LIST; k++) {
            ns[k] = (double)(20000 + irr_test_below(state, 40000));
        }
        job = irr_choosers_of(100, ns, IRR_CHOOSERS_LIST, 1e5);
        job.noise = state;
        check_log(&job);
        saved = irr_choice_saved(&job.choice[0]);
        jobs += irr_choosers_found(&job) != 0;
        intervals += irr_choosers_found(&job) != 0 && saved.low <= job.saved && job.saved <= saved.high;
    }
    printf("# what was saved is in the interval in %d of %d jobs\n", intervals, jobs);
    CU_ASSERT_TRUE(jobs > 50 && 10 * intervals >= 8 * jobs);
}

/* The exchanges before the change, and those of other strategies in trials, save nothing. */
IRR_TEST(test_saved_fits, "the saved time is the time in exchanges by the strategy in use, times its speedup minus 1")
{
    irr_choosers_t job = irr_choosers_of(5, irr_choosers_faster, IRR_CHOOSERS_LIST, 1e6);
    irr_saved_t saved;

    job.disturbed = 19000;   /* the timed exchanges before an agreement are far shorter than most exchanges */
    job.disturbed_to = 29000;
    irr_choosers_run(&job, 30000);
    saved = irr_choice_saved(&job.choice[0]);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 2);
    CU_ASSERT_DOUBLE_EQUAL(saved.is, job.used * (job.choice[0].speedup.is - 1), 0.01 * job.used);
    CU_ASSERT_TRUE(saved.high - saved.low <= 0.05 * job.used);
}

/* A look has no samples, so a long exchange in it says nothing about the interval. */
IRR_TEST(test_saved_by_looks, "a check of a few exchanges can lower the speedup, but not raise it or widen its bounds")
{
    static const struct { irr_speedup_t look, verdict; } rows[] = {
        { { 0.25, 0.01, 50 }, { 3, 2, 4 } },   /* speedups of strategy 0 over the strategy in use */
        { { 0.4, 0.01, 50 }, { 2.5, 2, 4 } },
        { { 0.8, 0.01, 50 }, { 1.25, 1.25, 4 } }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        irr_choice_t choice = { .strategy = 1, .speedup = { 3, 2, 4 }, .slots = { 1, 0 }, .calls = 100,
                                .trial = { .count = 2, .speedups = { IRR_SPEEDUP_NONE, rows[i].look } } };

        (void)irr_choice_judge(&choice);
        CU_ASSERT_EQUAL(choice.strategy, 1);
        CU_ASSERT_DOUBLE_EQUAL(choice.speedup.is, rows[i].verdict.is, 1e-9);
        CU_ASSERT_DOUBLE_EQUAL(choice.speedup.low, rows[i].verdict.low, 1e-9);
        CU_ASSERT_DOUBLE_EQUAL(choice.speedup.high, rows[i].verdict.high, 1e-9);
    }
}

IRR_TEST(test_certain, "the budget counts the lower bound of a gain, the estimate of a loss, and otherwise nothing")
{
    static const struct { irr_speedup_t speedup; double gain; } rows[] = {
        { { 2, 1.5, 3 }, 0.5 }, { { 2, 0.1, 90 }, 0 }, { { 0.8, 0.1, 90 }, -0.2 }, { { 1, 1, 1 }, 0 }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        irr_choice_t choice = { .speedup = rows[i].speedup, .mean_ns = 1000, .calls = 8, .agreed = 2,
                                .account = { .since_ns = 4000, .saved = { 0, 0, 0 } } };

        CU_ASSERT_DOUBLE_EQUAL(irr_choice_gain(&choice), rows[i].gain, 1e-9);
        CU_ASSERT_DOUBLE_EQUAL(irr_choice_certain(&choice), 10000 * rows[i].gain, 1e-6);
    }
}

/* A check detects a strategy that becomes slower than strategy 0; the interval of saved time includes losses. */
IRR_TEST(test_log_of_a_loser, "statistics of a strategy that becomes slow")
{
    irr_choosers_t job = irr_choosers_of(5, irr_choosers_faster, IRR_CHOOSERS_LIST, 1e6);
    irr_saved_t saved;

    irr_choosers_run(&job, 20000);
    saved = irr_choice_saved(&job.choice[0]);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 2);
    CU_ASSERT_TRUE(saved.low > 0 && saved.low < 1.01 * job.saved && job.saved < 1.01 * saved.high);   /* no noise */
    memcpy(job.ns, irr_choosers_slower, sizeof(job.ns));
    while (irr_choosers_found(&job) == 2) {
        irr_choosers_run(&job, 1);
    }
    saved = irr_choice_saved(&job.choice[0]);
    CU_ASSERT_TRUE(saved.low < 0 && saved.low <= job.saved && job.saved <= saved.high);
}

IRR_TEST_MAIN("trial", 60)
