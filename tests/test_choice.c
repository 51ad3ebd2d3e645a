/*
 * test_choice.c - trials, and the choice of a way, on jobs whose exchanges take what a function says.
 *
 * A job here is a few ranks that agree by maxima, and a cost for each way.  What is spent is held against what was
 * promised, and what is found against what is best.
 */
#include "choose/choice.h"
#include "irr_test.h"

#include <math.h>
#include <string.h>

enum { RANKS = 3 };

/* ---- trials ---- */

/* Runs a trial whose exchanges by way i take ns[i], and in the second halves of rounds `drift` times as long. */
static irr_trial_t try(const double *ns, int count, double drift)
{
    irr_trial_t trial;
    int exchanges = 0;

    irr_trial_begin(&trial, count);
    for (;;) {
        const double took = ns[trial.way] * (trial.half == 0 ? 1 : drift);

        exchanges += trial.way != 0;
        CU_ASSERT_TRUE_FATAL(exchanges <= irr_trial_most(count));
        if (irr_trial_took(&trial, (uint64_t)took)) {
            const uint64_t *sums = trial.sums;
            uint64_t agreed[IRR_TRIAL_SUMS];

            memcpy(agreed, sums, sizeof(agreed));
            if (irr_trial_agreed(&trial, agreed)) {
                return trial;
            }
        }
    }
}

static void test_best_wins(void)
{
    for (int best = 0; best < IRR_TRIAL_WAYS; best++) {
        for (int count = 2; count <= IRR_TRIAL_WAYS; count++) {
            double ns[IRR_TRIAL_WAYS];

            for (int i = 0; i < IRR_TRIAL_WAYS; i++) {
                ns[i] = i == best ? 1000 : 1200 + 100 * i;
            }
            CU_ASSERT_EQUAL(try(ns, count, 1).winner, best < count ? best : 0);
        }
    }
}

static void test_spread_decides(void)
{
    const double ns[] = { 1000, 900 };

    CU_ASSERT_EQUAL(try(ns, 2, 1).winner, 1);
    CU_ASSERT_EQUAL(try(ns, 2, 1.2).winner, 0);   /* runs differ by more than the ways do */
}

static void test_hopeless(void)
{
    const double ns[] = { 1000, 100000, 100000, 100000, 100000 };
    const irr_trial_t trial = try(ns, IRR_TRIAL_WAYS, 1);

    CU_ASSERT_EQUAL(trial.winner, 0);
    CU_ASSERT_EQUAL(trial.exchanges, 5 * 2 * 3);   /* one round */
    CU_ASSERT_DOUBLE_EQUAL(trial.extra_ns, 4 * 2 * 3 * 99000.0, 1);
}

static void test_first_is_not_timed(void)
{
    irr_trial_t trial;

    irr_trial_begin(&trial, 2);
    CU_ASSERT_FALSE(irr_trial_times(&trial));
    CU_ASSERT_FALSE(irr_trial_took(&trial, 1000000));
    CU_ASSERT_TRUE(irr_trial_times(&trial));
    CU_ASSERT_EQUAL(trial.sums[0], 0);
}

/* ---- jobs ---- */

typedef struct job {
    irr_choice_t choice[RANKS];
    double       ns[IRR_TRIAL_WAYS];   /* of an exchange by a way */
    double       opening;              /* what ranks think that it costs, and what it does */
    int          ways;                 /* that can be opened */
    uint64_t     bytes;
    double       own, took;            /* what way 0 would have taken so far, and what was taken */
    int          opened, settled, agreements;
} job_t;

static job_t job_of(int percent, const double *ns, int ways, double opening)
{
    job_t job = { .opening = opening, .ways = ways, .bytes = 1000 };

    memcpy(job.ns, ns, sizeof(job.ns));
    for (int r = 0; r < RANKS; r++) {
        irr_choice_init(&job.choice[r], percent, 1 + r);
    }
    return job;
}

static void act(job_t *job, int rank, irr_choice_act_t what)
{
    if (what == IRR_CHOICE_OPENS) {
        irr_choice_opened(&job->choice[rank], job->ways, (uint64_t)job->opening);
        job->opened += rank == 0;
        job->took += rank == 0 ? job->opening : 0;
    }
    job->settled += rank == 0 && what == IRR_CHOICE_SETTLES;
}

static void agree(job_t *job)
{
    uint64_t words[IRR_CHOICE_WORDS] = { 0 }, own[IRR_CHOICE_WORDS];

    for (int r = 0; r < RANKS; r++) {
        irr_choice_words(&job->choice[r], (uint64_t)job->opening, own);
        for (int i = 0; i < IRR_CHOICE_WORDS; i++) {
            words[i] = own[i] > words[i] ? own[i] : words[i];
        }
    }
    for (int r = 0; r < RANKS; r++) {
        act(job, r, irr_choice_agreed(&job->choice[r], words));
    }
    job->agreements++;
}

static void run(job_t *job, int calls)
{
    for (int n = 0; n < calls; n++) {
        const irr_choice_load_t load = { .messages = 2, .sent = job->bytes, .received = job->bytes, .longest = job->bytes };
        const int way = irr_choice_way(&job->choice[0]);
        int agrees = 0;

        for (int r = 0; r < RANKS; r++) {
            CU_ASSERT_EQUAL_FATAL(irr_choice_way(&job->choice[r]), way);
            agrees += irr_choice_took(&job->choice[r], (uint64_t)job->ns[way] * (r == 1 ? 1 : 0) + 1, &load);
        }
        job->own += job->ns[0];
        job->took += job->ns[way];
        CU_ASSERT_TRUE_FATAL(agrees == 0 || agrees == RANKS);
        if (agrees > 0) {
            agree(job);
        }
    }
}

static const double faster[IRR_TRIAL_WAYS] = { 100000, 130000, 50000, 90000, 300000 };
static const double slower[IRR_TRIAL_WAYS] = { 100000, 130000, 150000, 120000, 900000 };

static void test_cheap_jobs_open_nothing(void)
{
    job_t job = job_of(5, faster, 4, 1e7);

    run(&job, 31);
    CU_ASSERT_EQUAL(job.agreements, 0);
    run(&job, 1000);
    CU_ASSERT_EQUAL(job.opened, 0);   /* a tenth of a second pays for 5 milliseconds */
    CU_ASSERT_EQUAL(job.agreements, 6);
}

static void test_finds_the_best(void)
{
    job_t job = job_of(5, faster, 4, 1e7);

    run(&job, 10000);
    CU_ASSERT_EQUAL(job.opened, 1);
    CU_ASSERT_TRUE(job.settled >= 1);
    CU_ASSERT_EQUAL(irr_choice_way(&job.choice[0]), 2);
    CU_ASSERT_TRUE(job.took < 0.8 * job.own);
}

/* Whatever ways cost, a job takes its share longer at most, and what one way may surprise with. */
static void test_does_no_harm(void)
{
    for (double opening = 1e5; opening < 1e9; opening *= 10) {
        for (int calls = 10; calls < 100000; calls *= 3) {
            job_t job = job_of(5, slower, 4, opening);

            run(&job, calls);
            CU_ASSERT_TRUE(job.took <= 1.06 * job.own);
            CU_ASSERT_EQUAL(job.choice[0].way, 0);
        }
    }
}

static void test_nothing_can_be_opened(void)
{
    job_t job = job_of(5, faster, 0, 1e6);

    run(&job, 100000);
    CU_ASSERT_TRUE(job.opened >= 1 && job.opened <= 5);
    CU_ASSERT_EQUAL(irr_choice_way(&job.choice[0]), 0);
    CU_ASSERT_TRUE(job.took <= 1.05 * job.own);
}

static void test_other_traffic(void)
{
    job_t job = job_of(5, faster, 4, 1e6);

    run(&job, 20000);
    CU_ASSERT_EQUAL(irr_choice_way(&job.choice[0]), 2);
    memcpy(job.ns, slower, sizeof(job.ns));
    job.ns[3] = 40000;
    job.bytes *= 8;
    run(&job, 60000);
    CU_ASSERT_EQUAL(job.opened, 2);
    CU_ASSERT_EQUAL(irr_choice_way(&job.choice[0]), 3);
}

/* The same traffic, but the network has become another one: the winner does not stay. */
static void test_tried_again(void)
{
    job_t job = job_of(5, faster, 4, 1e6);

    run(&job, 20000);
    CU_ASSERT_EQUAL(irr_choice_way(&job.choice[0]), 2);
    memcpy(job.ns, slower, sizeof(job.ns));
    run(&job, 200000);
    CU_ASSERT_EQUAL(irr_choice_way(&job.choice[0]), 0);
}

static void test_share_of_nothing(void)
{
    job_t job = job_of(5, faster, 4, 1e6);

    irr_choice_init(&job.choice[2], 0, 1);   /* the least of all counts */
    run(&job, 100000);
    CU_ASSERT_EQUAL(job.opened, 0);
}

static const irr_test_case_t cases[] = {
    { "a trial finds the best way, whichever it is", test_best_wins },
    { "a way wins by more than runs differ", test_spread_decides },
    { "hopeless ways are dropped after a round", test_hopeless },
    { "the first exchange of a stay is not timed", test_first_is_not_timed },
    { "jobs of few or cheap exchanges open nothing", test_cheap_jobs_open_nothing },
    { "a long job finds the best way", test_finds_the_best },
    { "no job takes longer than its share", test_does_no_harm },
    { "where nothing can be opened Open MPI's own stays", test_nothing_can_be_opened },
    { "other traffic is tried again", test_other_traffic },
    { "what has become slower does not stay", test_tried_again },
    { "a rank that spends nothing keeps all from it", test_share_of_nothing },
    { NULL, NULL }
};

int main(void)
{
    return irr_test_main("choice", cases, 60);
}
