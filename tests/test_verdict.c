/*
 * test_verdict.c - the statistics of a job whose ranks choose: speedups and saved time, compared with real times.
 */
#include "irr_choosers.h"

#include <string.h>

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

/* A strategy that serves has the reported speedup, however much exchanges differ. */
static void test_log_of_a_winner(void)
{
    uint64_t state = irr_test_seed();
    int intervals = 0, jobs = 0;

    for (int i = 0; i < 300; i++) {
        double ns[1 + IRR_CHOOSERS_LIST];
        irr_saved_t saved;
        irr_choosers_t job;

        for (int k = 0; k <= IRR_CHOOSERS_LIST; k++) {
            ns[k] = (double)(20000 + irr_test_below(&state, 40000));
        }
        job = irr_choosers_of(100, ns, IRR_CHOOSERS_LIST, 1e5);
        job.noise = &state;
        check_log(&job);
        saved = irr_choice_saved(&job.choice[0]);
        jobs += irr_choosers_found(&job) != 0;
        intervals += irr_choosers_found(&job) != 0 && saved.low <= job.saved && job.saved <= saved.high;
    }
    printf("# what was saved is in the interval in %d of %d jobs\n", intervals, jobs);
    CU_ASSERT_TRUE(jobs > 50 && 10 * intervals >= 8 * jobs);
}

/* A check detects a strategy that becomes slower than strategy 0; the interval of saved time includes losses. */
static void test_log_of_a_loser(void)
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

static const irr_test_case_t cases[] = {
    { "the statistics of a strategy that serves", test_log_of_a_winner },
    { "the statistics of a strategy that has lost", test_log_of_a_loser },
    { NULL, NULL }
};

int main(void)
{
    return irr_test_main("verdict", cases, 60);
}
