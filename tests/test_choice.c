/*
 * test_choice.c - the choice of a strategy by trials, in simulated jobs. An exchange by each strategy takes a given
 * time. Strategy 0 is Open MPI's own. A job may spend a given share of its time on setups and trials of strategies. The
 * tests compare the cost of trials with this share, and the found strategy with the best strategy.
 */
#include "irr_choosers.h"

#include <math.h>

IRR_TEST(test_cheap_jobs_open_nothing, "a job of few or cheap exchanges sets up no strategy")
{
    irr_choosers_t job = irr_choosers_of(5, irr_choosers_faster, IRR_CHOOSERS_LIST, 1e7);

    irr_choosers_run(&job, 15);
    CU_ASSERT_EQUAL(job.agreements, 0);
    irr_choosers_run(&job, 1000);
    CU_ASSERT_EQUAL(job.opened, 0);   /* the share is 5 % of 0.1 s, or 5 ms, and a setup costs more */
    CU_ASSERT_EQUAL(job.agreements, 6);
}

IRR_TEST(test_funds, "a job reports how many more exchanges pay for a trial")
{
    irr_choosers_t job = irr_choosers_of(5, irr_choosers_faster, IRR_CHOOSERS_LIST, 1e7);
    irr_choice_funds_t funds;

    irr_choosers_run(&job, 1000);
    funds = irr_choice_funds(&job.choice[0]);
    CU_ASSERT_DOUBLE_EQUAL(funds.cost, 1e8, 1e6);
    CU_ASSERT_TRUE(funds.wanted > 1e7 && funds.budget < funds.wanted && funds.budget > 4e6);
    CU_ASSERT_TRUE(funds.calls > 500 && funds.calls < 5000);
    irr_choosers_run(&job, (int)funds.calls / 2);
    CU_ASSERT_EQUAL(job.opened, 0);
    irr_choosers_run(&job, (int)funds.calls);
    CU_ASSERT_TRUE(job.opened > 0);
}

IRR_TEST(test_agreements_cost, "the cost of an agreement is the shortest time that any rank waited")
{
    irr_choosers_t job = irr_choosers_of(5, irr_choosers_faster, 0, 1e9);

    for (int r = 0; r < IRR_CHOOSERS_RANKS; r++) {
        irr_choice_waited(&job.choice[r], 2000 + 1000000 * (uint64_t)r);
    }
    irr_choosers_run(&job, 16);
    CU_ASSERT_DOUBLE_EQUAL(job.choice[0].spent_ns, 2000, 1);
}

/* If an exchange is as short as an agreement, agreements take at most a quarter of the share. */
IRR_TEST(test_few_agreements, "agreements are rare if they take as long as exchanges")
{
    const double ns[1 + IRR_CHOOSERS_LIST] = { 1e4, 2e4, 2e4, 2e4, 2e4, 2e4, 2e4 };
    irr_choosers_t job = irr_choosers_of(5, ns, IRR_CHOOSERS_LIST, 0);

    job.agreement = 1e4;
    irr_choosers_run(&job, 20000);
    CU_ASSERT_TRUE(job.agreements >= 20 && job.agreements < 20000 / 80);
    CU_ASSERT_TRUE(job.took <= 1.06 * job.own);
}

/* If an agreement takes as long as eight exchanges by the serving strategy, the limit is the same. */
IRR_TEST(test_few_agreements_served, "agreements are rare if they take longer than exchanges")
{
    const double ns[1 + IRR_CHOOSERS_LIST] = { 1e4, 5e3, 2e4, 2e4, 2e4, 2e4, 2e4 };
    irr_choosers_t job = irr_choosers_of(5, ns, IRR_CHOOSERS_LIST, 0);
    int before;

    job.agreement = 4e4;
    irr_choosers_run(&job, 20000);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 1);
    before = job.agreements;
    irr_choosers_run(&job, 60000);
    CU_ASSERT_TRUE(job.agreements > before);
    CU_ASSERT_TRUE((job.agreements - before) * job.agreement <= 0.05 / 4 * 1.1 * 60000 * 5e3);
}

/* Begins and ends an exchange of this load. Returns true if the ranks agree now. */
static bool took(irr_choice_t *choice, const irr_choice_load_t *load)
{
    const irr_choice_timing_t timing = irr_choice_begin(choice);

    if (timing.timed) {
        irr_choice_end(choice, &timing, 10, load);
    }
    return timing.due;
}

IRR_TEST(test_one_node, "if exchanges are as short as agreements, the first agreement is late")
{
    const irr_choice_load_t load = { .sends = 1, .receives = 1, .sent = 8, .received = 8, .longest = 8 };
    irr_choice_t choice;
    int calls = 1;

    irr_choice_init(&choice, 5, false);
    for (; !took(&choice, &load); calls++) {
    }
    CU_ASSERT_EQUAL(calls, 16);
    CU_ASSERT_FALSE(irr_choice_node_set(&choice, true, 4, false));
    for (calls++; !took(&choice, &load); calls++) {
    }
    CU_ASSERT_EQUAL(calls, 32);
    CU_ASSERT_TRUE(irr_choice_node_set(&choice, true, 4, false));
    CU_ASSERT_EQUAL(choice.own.sends, 8);
}

/* If several exchanges run at a time and end in another order, the ranks make the same choice after the same calls. */
IRR_TEST(test_side_by_side, "several exchanges in progress at a time")
{
    irr_choosers_t one = irr_choosers_of(5, irr_choosers_faster, IRR_CHOOSERS_LIST, 1e7), many = one;

    many.depth = IRR_CHOOSERS_DEPTH;
    for (int i = 0; i < 100; i++) {
        irr_choosers_run(&one, 100);
        irr_choosers_run(&many, 100);
        CU_ASSERT_EQUAL(many.agreements, one.agreements);
        CU_ASSERT_EQUAL(many.opened, one.opened);
        CU_ASSERT_EQUAL(irr_choosers_found(&many), irr_choosers_found(&one));
    }
    CU_ASSERT_TRUE(many.settled > 0);
    CU_ASSERT_DOUBLE_EQUAL(many.choice[1].spent_ns, one.choice[1].spent_ns, 1);
}

IRR_TEST(test_finds_the_best, "a long job finds the best strategy")
{
    irr_choosers_t job = irr_choosers_of(5, irr_choosers_faster, IRR_CHOOSERS_LIST, 1e7);

    irr_choosers_run(&job, 10000);
    CU_ASSERT_TRUE(job.opened >= 1);
    for (int r = 0; r < IRR_CHOOSERS_RANKS; r++) {   /* one rank's node has more processes than processors */
        CU_ASSERT_FALSE(irr_choice_traffic(&job.choice[r], IRR_CHOOSERS_RANKS, false).own_processors);
    }
    CU_ASSERT_TRUE(job.settled >= 1);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 2);
    CU_ASSERT_DOUBLE_EQUAL(job.choice[0].speedup.is, 2, 0.04);
    CU_ASSERT_TRUE(job.took < 0.8 * job.own);
}

/* A phase of a job: times of the strategies, number of exchanges, and the strategy that serves at the end. */
typedef struct phase {
    double ns[1 + IRR_CHOOSERS_LIST];
    int    calls, found;
} phase_t;

#define FASTER  { 1e5, 1.3e5, 5e4, 9e4, 3e5, 2e5, 8e4 }     /* irr_choosers_faster */
#define SLOWER  { 1e5, 1.3e5, 1.5e5, 1.2e5, 2.8e5, 2e5, 1.1e5 }
#define SWITCHES { 4.2e8, 3.2e8, 3.9e8, 3.5e8, 3.9e8, 3.6e8, 3.5e8 }

static const struct {
    const char *name;
    int         cannot_open;         /* number of strategies, from the end of the list */
    double      first, most;         /* cost of the first setup, and largest time relative to strategy 0; 0: any */
    int         lucky;               /* as in irr_choosers_t */
    double      lucky_ns, speedup;   /* least speedup; 0: any */
    bool        whole;               /* the whole list is tried, and then few exchanges are trials */
    phase_t     phases[3];
} jobs[] = {
    { "over a slow network a strategy that is twice as fast is found early", .first = 3e7, .most = 1,
      .phases = { { { 1e8, 5e7, 9e7, 2e8, 1.1e8, 8e7, 7e7 }, 60, 1 } } },
    /*
     * Measured times: 16 hosts on four switches at 100 Mbit/s, 64 KiB to each host. The first strategy is slightly
     * faster.
     */
    { "the best of many similar strategies is found", .first = 3.6e7, .whole = true,
      .phases = { { SWITCHES, 60, 1 }, { SWITCHES, 40, 1 } } },
    /* Measured times with 8 KiB: in some exchanges Open MPI loses no message. */
    { "a strategy that is always fast beats one that is rarely fast", .first = 3.6e7, .lucky = 3, .lucky_ns = 4.2e7,
      .speedup = 2, .phases = { { { 2.7e8, 4.2e7, 1.4e8, 1e8, 1.2e8, 1.9e8, 5.2e7 }, 60, 1 } } },
    { "the last strategy of the list is found if the first strategy is not slow", .first = 1e6, .whole = true,
      .phases = { { { 1e5, 9e4, 9e4, 9e4, 9e4, 9e4, 4e4 }, 3000, IRR_CHOOSERS_LIST } } },
    { "a job without a possible setup takes no longer", .cannot_open = IRR_CHOOSERS_LIST, .first = 1e6, .most = 1.05,
      .phases = { { FASTER, 100000, 0 } } },
    { "a winner is replaced when the network changes", .first = 1e6,
      .phases = { { FASTER, 20000, 2 }, { SLOWER, 200000, 0 },
                  { { 1e5, 1.3e5, 1.5e5, 1.2e5, 2.8e5, 3e4, 1.1e5 }, 2000000, 5 } } },
    { "other strategies are tried again when the winner becomes slower",
      .phases = { { { 1e6, 5e5, 6.2e5, 1.1e6, 1.3e6, 1.2e6, 1.4e6 }, 1000, 1 },
                  { { 1e6, 8.2e5, 6.2e5, 1.1e6, 1.3e6, 1.2e6, 1.4e6 }, 9000, 2 } } },
    { "exchanges that take no time", .phases = { { { 0 }, 10000, 0 } } }
};

/* Runs one phase of a job. */
static void run_phase(irr_choosers_t *job, const phase_t *phase, bool steady)
{
    const double before = job->took;

    memcpy(job->ns, phase->ns, sizeof(job->ns));
    irr_choosers_run(job, phase->calls);
    CU_ASSERT_EQUAL(irr_choosers_found(job), phase->found);
    CU_ASSERT(!steady || (job->took - before) * 0.95 <= phase->calls * phase->ns[phase->found]);
}

IRR_TEST(test_jobs, "jobs of one to three phases find the best strategy")
{
    for (size_t i = 0; i < IRR_TEST_COUNT(jobs); i++) {
        const int can_open = IRR_CHOOSERS_LIST - jobs[i].cannot_open;
        irr_choosers_t job = irr_choosers_of(5, jobs[i].phases[0].ns, can_open, jobs[i].first);
        const unsigned failures = CU_get_number_of_failures();

        job.lucky = jobs[i].lucky;
        job.lucky_ns = jobs[i].lucky_ns;
        for (int k = 0; k < 3 && jobs[i].phases[k].calls > 0; k++) {
            run_phase(&job, &jobs[i].phases[k], jobs[i].whole && k > 0);
        }
        CU_ASSERT(can_open > 0 || job.opened == 0);
        CU_ASSERT(jobs[i].most == 0 || job.took <= jobs[i].most * job.own);
        CU_ASSERT(jobs[i].speedup == 0 || job.choice[0].speedup.is > jobs[i].speedup);
        CU_ASSERT(!jobs[i].whole || job.choice[0].next == IRR_CHOOSERS_LIST);
        if (CU_get_number_of_failures() > failures) {
            printf("# %s\n", jobs[i].name);
        }
    }
}

/* Whatever the strategies cost, trials lengthen a job by little more than the allowed share of its time. */
IRR_TEST(test_does_no_harm, "trials take no more than the allowed share of the time")
{
    for (double first = 1e5; first < 1e9; first *= 10) {
        for (int calls = 10; calls < 100000; calls *= 3) {
            irr_choosers_t job = irr_choosers_of(5, irr_choosers_slower, IRR_CHOOSERS_LIST, first);

            irr_choosers_run(&job, calls);
            CU_ASSERT_TRUE(job.took <= 1.06 * job.own);
            CU_ASSERT_EQUAL(job.choice[0].strategy, 0);
        }
    }
}

/* The predictions of all strategies are good, but the strategies are up to nine times as slow as strategy 0. */
IRR_TEST(test_surprises, "strategies far slower than predicted cost little")
{
    const double ns[1 + IRR_CHOOSERS_LIST] = { 1e5, 9e5, 3e5, 4e5, 5e5, 6e5, 7e5 };

    for (int calls = 10; calls < 100000; calls *= 2) {
        irr_choosers_t job = irr_choosers_of(5, ns, IRR_CHOOSERS_LIST, 1e5);

        job.doubt = 0.05;
        irr_choosers_run(&job, calls);
        CU_ASSERT_EQUAL(job.choice[0].strategy, 0);
        CU_ASSERT_TRUE(job.took <= (calls < 1000 ? 2 : 1.06) * job.own);
    }
}

/* The first exchanges by a strategy touch its memory, and take ten times as long as later ones. */
IRR_TEST(test_cold, "strategies are judged by warm exchanges")
{
    irr_choosers_t job = irr_choosers_of(5, irr_choosers_faster, IRR_CHOOSERS_LIST, 1e6);

    job.cold = 4;
    irr_choosers_run(&job, 20000);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 2);
    CU_ASSERT_DOUBLE_EQUAL(job.choice[0].speedup.is, 2, 0.1);
}

/*
 * Loops of exchanges of 40 us, as between 12 ranks on two processors, where an agreement takes 200 us and the first
 * opening 3.6 ms. However long the loop is, and whatever the strategy gains, the loop takes at most 3 % longer than
 * without agreements and trials.
 */
IRR_TEST(test_short_loops, "short loops lose no more than the share")
{
    const double equal[1 + IRR_CHOOSERS_LIST] = { 4e4, 4e4, 4e4, 4e4, 4e4, 4e4, 4e4 };

    for (int calls = 500; calls <= 64000; calls = calls * 5 / 4) {
        irr_choosers_t job = irr_choosers_of(3, equal, 1, 1.5e6);

        job.strategy_ns = 2.1e6;
        job.agreement = 2e5;
        irr_choosers_run(&job, calls);
        CU_ASSERT_TRUE(job.took <= 1.03 * job.own);
        CU_ASSERT_TRUE(calls > 2000 || job.agreements <= 4);
    }
}

IRR_TEST(test_other_traffic, "a change of traffic starts another trial")
{
    irr_choosers_t job = irr_choosers_of(5, irr_choosers_faster, IRR_CHOOSERS_LIST, 1e6);

    irr_choosers_run(&job, 20000);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 2);
    memcpy(job.ns, irr_choosers_slower, sizeof(job.ns));
    job.ns[3] = 40000;
    job.bytes *= 8;
    irr_choosers_run(&job, 600);
    CU_ASSERT_NOT_EQUAL(irr_choosers_found(&job), 2);   /* strategy 2 is slow now, and ranks detect it soon */
    irr_choosers_run(&job, 60000);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 3);
}

/*
 * Counts change in each exchange. A strategy that is 1.8 times as fast is found. A strategy that is as fast as strategy
 * 0 is not chosen.
 */
IRR_TEST_SEEDED(test_new_counts, "counts that change in each exchange")
{
    const double faster[1 + IRR_CHOOSERS_LIST] = { 1e6, 1e6 / 1.8, 1.2e6, 1.1e6, 1e6, 1e6, 1e6 };
    const double alike[1 + IRR_CHOOSERS_LIST] = { 1e6, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6 };
    int found = 0, wrong = 0;

    for (int run = 0; run < 100; run++) {
        irr_choosers_t job = irr_choosers_of(5, run % 2 == 0 ? faster : alike, IRR_CHOOSERS_LIST, 0);

        job.bytes = 1 << 20;
        job.counts = state;
        irr_choosers_run(&job, 20000);
        found += run % 2 == 0 && irr_choosers_found(&job) == 1;
        wrong += run % 2 == 1 && irr_choosers_found(&job) != 0;
    }
    CU_ASSERT(found >= 47);
    CU_ASSERT(wrong <= 3);
}

IRR_TEST(test_disturbed, "a disturbance at any time delays the choice of the best strategy, but does not prevent it")
{
    const double ns[1 + IRR_CHOOSERS_LIST] = { 1e5, 5e4, 1.2e5, 1.1e5, 1.3e5, 1.2e5, 1.4e5 };

    for (int at = 16; at < 400; at += 3) {
        irr_choosers_t job = irr_choosers_of(5, ns, IRR_CHOOSERS_LIST, 0);

        job.disturbed = at;
        job.disturbed_to = at + 12;
        irr_choosers_run(&job, 4000);
        CU_ASSERT_EQUAL(irr_choosers_found(&job), 1);
    }
}

/*
 * Returns ranks that agree after the first exchange. The ranks remember this speedup of the first strategy of the list.
 */
static irr_choosers_t remember(const double *ns, double speedup, uint64_t calls, double first)
{
    irr_choosers_t job = irr_choosers_of(5, ns, IRR_CHOOSERS_LIST, first);

    for (int r = 0; r < IRR_CHOOSERS_RANKS; r++) {
        irr_choice_init(&job.choice[r], 5, true);
    }
    job.recall = (irr_recall_t){ .speedup = speedup, .calls = calls };
    return job;
}

IRR_TEST(test_remembered, "a strategy that all ranks remember runs at once")
{
    const double ns[1 + IRR_CHOOSERS_LIST] = { 1e5, 4e4, 1e5, 1e5, 1e5, 1e5, 1e5 };
    irr_choosers_t job = remember(ns, 2.5, 1000, 1e6);

    irr_choosers_run(&job, 2);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 1);
    CU_ASSERT_EQUAL(job.choice[0].exchanges, 0);
    CU_ASSERT_TRUE(job.choice[0].recalled);
    irr_choosers_run(&job, 10000);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 1);
    CU_ASSERT_FALSE(job.choice[0].recalled);   /* the trial has checked the remembered speedup */
    CU_ASSERT_DOUBLE_EQUAL(job.choice[0].speedup.is, 2.5, 0.1);
}

IRR_TEST(test_remembered_wrong, "a remembered speedup that is no longer true is detected at little cost")
{
    irr_choosers_t job = remember(irr_choosers_slower, 2, 100000, 0);

    irr_choosers_run(&job, 2);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 1);
    irr_choosers_run(&job, 200000);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 0);
    CU_ASSERT(job.took < 1.05 * job.own);
}

/* The setup of a remembered strategy is not made if it costs more than it saves. 1000 exchanges save 60 ms. */
IRR_TEST(test_remembered_dear, "a remembered strategy is not set up if the setup costs too much")
{
    const double ns[1 + IRR_CHOOSERS_LIST] = { 1e5, 4e4, 1e5, 1e5, 1e5, 1e5, 1e5 };
    irr_choosers_t job = remember(ns, 2.5, 1000, 1e8);

    irr_choosers_run(&job, 100);
    CU_ASSERT_EQUAL(job.opened, 0);
    job = remember(ns, 2.5, 10000, 1e8);
    irr_choosers_run(&job, 100);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 1);
}

IRR_TEST(test_share_of_nothing, "a share of 0 on one rank prevents trials on all ranks")
{
    irr_choosers_t job = irr_choosers_of(5, irr_choosers_faster, IRR_CHOOSERS_LIST, 1e6);

    irr_choice_init(&job.choice[2], 0, false);   /* the ranks agree on the smallest share */
    irr_choosers_run(&job, 100000);
    CU_ASSERT_EQUAL(job.opened, 0);
}

IRR_TEST_MAIN("choice", 60)
