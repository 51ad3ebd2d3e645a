/*
 * test_choice.c - the choice of a strategy, on jobs whose exchanges take what a function says.
 *
 * A job here is a few ranks that agree by maxima, and a cost for each way.  What is spent is held against what was
 * promised, and what is found against what is best.
 */
#include "irr_choosers.h"

#include <math.h>
#include <string.h>

static void test_cheap_jobs_open_nothing(void)
{
    irr_choosers_t job = irr_choosers_of(5, irr_choosers_faster, IRR_CHOOSERS_LIST, 1e7);

    irr_choosers_run(&job, 15);
    CU_ASSERT_EQUAL(job.agreements, 0);
    irr_choosers_run(&job, 1000);
    CU_ASSERT_EQUAL(job.opened, 0);   /* a tenth of a second pays for 5 milliseconds */
    CU_ASSERT_EQUAL(job.agreements, 6);
}

/* A job that has opened nothing knows how many more exchanges pay for a trial. */
static void test_funds(void)
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

/* Of an agreement the least time of all ranks counts. */
static void test_agreements_cost(void)
{
    irr_choosers_t job = irr_choosers_of(5, irr_choosers_faster, 0, 1e9);

    for (int r = 0; r < IRR_CHOOSERS_RANKS; r++) {
        irr_choice_waited(&job.choice[r], 2000 + 1000000 * (uint64_t)r);
    }
    irr_choosers_run(&job, 16);
    CU_ASSERT_DOUBLE_EQUAL(job.choice[0].spent_ns, 2000, 1);
}

/* Exchanges are as short as an agreement is long: these take no more than a quarter of the share. */
static void test_few_agreements(void)
{
    const double ns[1 + IRR_CHOOSERS_LIST] = { 1e4, 2e4, 2e4, 2e4, 2e4, 2e4, 2e4 };
    irr_choosers_t job = irr_choosers_of(5, ns, IRR_CHOOSERS_LIST, 0);

    job.agreement = 1e4;
    irr_choosers_run(&job, 20000);
    CU_ASSERT_TRUE(job.agreements >= 20 && job.agreements < 20000 / 80);
    CU_ASSERT_TRUE(job.took <= 1.06 * job.own);
}

/*
 * An agreement is as long as eight exchanges by the strategy that is served: also then they take a quarter of the
 * share.
 */
static void test_few_agreements_served(void)
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

/* Begins and ends an exchange of this load.  Returns whether the ranks agree now. */
static bool took(irr_choice_t *choice, const irr_choice_load_t *load)
{
    const irr_choice_turn_t turn = irr_choice_begin(choice);

    if (turn.timed) {
        irr_choice_end(choice, &turn, 10, load);
    }
    return turn.due;
}

/* On one node exchanges are as short as agreements: the first one waits. */
static void test_one_node(void)
{
    const irr_choice_load_t load = { .sends = 1, .receives = 1, .sent = 8, .received = 8, .longest = 8 };
    irr_choice_t choice;
    int calls = 1;

    irr_choice_init(&choice, 5, false);
    for (; !took(&choice, &load); calls++) {
    }
    CU_ASSERT_EQUAL(calls, 16);
    CU_ASSERT_FALSE(irr_choice_place(&choice, true, 4, false));
    for (calls++; !took(&choice, &load); calls++) {
    }
    CU_ASSERT_EQUAL(calls, 32);
    CU_ASSERT_TRUE(irr_choice_place(&choice, true, 4, false));
    CU_ASSERT_EQUAL(choice.own.sends, 8);
}

/* Several at a time, which end in another order than they began, lead to the same choice after the same calls. */
static void test_side_by_side(void)
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

static void test_finds_the_best(void)
{
    irr_choosers_t job = irr_choosers_of(5, irr_choosers_faster, IRR_CHOOSERS_LIST, 1e7);

    irr_choosers_run(&job, 10000);
    CU_ASSERT_TRUE(job.opened >= 1);
    for (int r = 0; r < IRR_CHOOSERS_RANKS; r++) {   /* one rank's node has more processes than processors */
        CU_ASSERT_FALSE(irr_choice_traffic(&job.choice[r], IRR_CHOOSERS_RANKS, false).alone);
    }
    CU_ASSERT_TRUE(job.settled >= 1);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 2);
    CU_ASSERT_DOUBLE_EQUAL(job.choice[0].speedup.is, 2, 0.04);
    CU_ASSERT_TRUE(job.took < 0.8 * job.own);
}

/* Exchanges over slow networks: what is twice as fast is gone early. */
static void test_finds_early(void)
{
    const double ns[1 + IRR_CHOOSERS_LIST] = { 1e8, 5e7, 9e7, 2e8, 1.1e8, 8e7, 7e7 };
    irr_choosers_t job = irr_choosers_of(5, ns, IRR_CHOOSERS_LIST, 3e7);

    irr_choosers_run(&job, 60);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 1);
    CU_ASSERT_TRUE(job.took < job.own);
}

/*
 * As measured: 16 hosts on four switches at 100 Mbit/s, 64 KiB to each.  The likely best is the first of the list, but
 * not by much.
 */
static void test_many_alike(void)
{
    const double ns[1 + IRR_CHOOSERS_LIST] = { 4.2e8, 3.2e8, 3.9e8, 3.5e8, 3.9e8, 3.6e8, 3.5e8 };
    irr_choosers_t job = irr_choosers_of(5, ns, IRR_CHOOSERS_LIST, 3.6e7);
    double before;

    irr_choosers_run(&job, 60);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 1);
    CU_ASSERT_EQUAL(job.choice[0].next, IRR_CHOOSERS_LIST);
    before = job.took;
    irr_choosers_run(&job, 40);
    CU_ASSERT_TRUE((job.took - before) * 0.95 <= 40 * 3.2e8);
}

/* The same with 8 KiB: now and then one by Open MPI's own loses no message. */
static void test_lucky_ones(void)
{
    const double ns[1 + IRR_CHOOSERS_LIST] = { 2.7e8, 4.2e7, 1.4e8, 1e8, 1.2e8, 1.9e8, 5.2e7 };
    irr_choosers_t job = irr_choosers_of(5, ns, IRR_CHOOSERS_LIST, 3.6e7);

    job.lucky = 3;
    job.lucky_ns = 4.2e7;
    irr_choosers_run(&job, 60);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 1);
    CU_ASSERT_TRUE(job.choice[0].speedup.is > 2);
}

/* One that is not the first of the list is found, too, where the first is not bad. */
static void test_goes_through_the_list(void)
{
    const double ns[1 + IRR_CHOOSERS_LIST] = { 1e5, 9e4, 9e4, 9e4, 9e4, 9e4, 4e4 };
    irr_choosers_t job = irr_choosers_of(5, ns, IRR_CHOOSERS_LIST, 1e6);

    irr_choosers_run(&job, 3000);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), IRR_CHOOSERS_LIST);
    CU_ASSERT_EQUAL(job.choice[0].next, IRR_CHOOSERS_LIST);
}

/* Whatever strategies cost, a job takes its share longer at most, and what a look may surprise with. */
static void test_does_no_harm(void)
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

/* A list that promises half of the time, of strategies that take up to nine times as long. */
static void test_surprises(void)
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

static void test_nothing_can_be_opened(void)
{
    irr_choosers_t job = irr_choosers_of(5, irr_choosers_faster, 0, 1e6);

    irr_choosers_run(&job, 100000);
    CU_ASSERT_EQUAL(job.opened, 0);
    CU_ASSERT_EQUAL(irr_choice_strategy(&job.choice[0]), 0);
    CU_ASSERT_TRUE(job.took <= 1.05 * job.own);
}

static void test_other_traffic(void)
{
    irr_choosers_t job = irr_choosers_of(5, irr_choosers_faster, IRR_CHOOSERS_LIST, 1e6);

    irr_choosers_run(&job, 20000);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 2);
    memcpy(job.ns, irr_choosers_slower, sizeof(job.ns));
    job.ns[3] = 40000;
    job.bytes *= 8;
    irr_choosers_run(&job, 600);
    CU_ASSERT_NOT_EQUAL(irr_choosers_found(&job), 2);   /* it is a bad one now, and that shows soon */
    irr_choosers_run(&job, 60000);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 3);
}

/* The same traffic, but the network has become another one: the winner does not stay. */
static void test_tried_again(void)
{
    irr_choosers_t job = irr_choosers_of(5, irr_choosers_faster, IRR_CHOOSERS_LIST, 1e6);

    irr_choosers_run(&job, 20000);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 2);
    memcpy(job.ns, irr_choosers_slower, sizeof(job.ns));
    irr_choosers_run(&job, 200000);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 0);
    job.ns[5] = 30000;
    irr_choosers_run(&job, 2000000);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 5);
}

/*
 * Counts change in each exchange: a strategy that is 1.8 times as fast is found; equal strategies are not taken for
 * better.
 */
static void test_new_counts(void)
{
    const double faster[1 + IRR_CHOOSERS_LIST] = { 1e6, 1e6 / 1.8, 1.2e6, 1.1e6, 1e6, 1e6, 1e6 };
    const double alike[1 + IRR_CHOOSERS_LIST] = { 1e6, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6 };
    uint64_t state = irr_test_seed();
    int found = 0, wrong = 0;

    for (int run = 0; run < 100; run++) {
        irr_choosers_t job = irr_choosers_of(5, run % 2 == 0 ? faster : alike, IRR_CHOOSERS_LIST, 0);

        job.bytes = 1 << 20;
        job.counts = &state;
        irr_choosers_run(&job, 20000);
        found += run % 2 == 0 && irr_choosers_found(&job) == 1;
        wrong += run % 2 == 1 && irr_choosers_found(&job) != 0;
    }
    CU_ASSERT(found >= 47);
    CU_ASSERT(wrong <= 3);
}

/* A disturbance, wherever it falls, does not hide the best strategy for good. */
static void test_disturbed(void)
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

/* A winner becomes slower, though not than strategy 0: the others are compared with it again. */
static void test_worse_winner(void)
{
    const double then[1 + IRR_CHOOSERS_LIST] = { 1e6, 5e5, 6.2e5, 1.1e6, 1.3e6, 1.2e6, 1.4e6 };
    irr_choosers_t job = irr_choosers_of(5, then, IRR_CHOOSERS_LIST, 0);

    irr_choosers_run(&job, 1000);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 1);
    job.ns[1] = 8.2e5;
    irr_choosers_run(&job, 9000);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 2);
}

/* Ranks that agree after the first exchange, and remember that the first of the list has this speedup. */
static irr_choosers_t remember(const double *ns, double speedup, uint64_t calls, double first)
{
    irr_choosers_t job = irr_choosers_of(5, ns, IRR_CHOOSERS_LIST, first);

    for (int r = 0; r < IRR_CHOOSERS_RANKS; r++) {
        irr_choice_init(&job.choice[r], 5, true);
    }
    job.recall = (irr_recall_t){ .speedup = speedup, .calls = calls };
    return job;
}

static void test_remembered(void)
{
    const double ns[1 + IRR_CHOOSERS_LIST] = { 1e5, 4e4, 1e5, 1e5, 1e5, 1e5, 1e5 };
    irr_choosers_t job = remember(ns, 2.5, 1000, 1e6);

    irr_choosers_run(&job, 2);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 1);
    CU_ASSERT_EQUAL(job.choice[0].exchanges, 0);
    CU_ASSERT_TRUE(job.choice[0].recalled);
    irr_choosers_run(&job, 10000);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 1);
    CU_ASSERT_FALSE(job.choice[0].recalled);   /* it was checked meanwhile */
    CU_ASSERT_DOUBLE_EQUAL(job.choice[0].speedup.is, 2.5, 0.1);
}

/* What is not so any more is found out, and costs little. */
static void test_remembered_wrong(void)
{
    irr_choosers_t job = remember(irr_choosers_slower, 2, 100000, 0);

    irr_choosers_run(&job, 2);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 1);
    irr_choosers_run(&job, 200000);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 0);
    CU_ASSERT(job.took < 1.05 * job.own);
}

/* What would not save what it takes to open it is not opened: 1000 exchanges save 60 ms. */
static void test_remembered_dear(void)
{
    const double ns[1 + IRR_CHOOSERS_LIST] = { 1e5, 4e4, 1e5, 1e5, 1e5, 1e5, 1e5 };
    irr_choosers_t job = remember(ns, 2.5, 1000, 1e8);

    irr_choosers_run(&job, 100);
    CU_ASSERT_EQUAL(job.opened, 0);
    job = remember(ns, 2.5, 10000, 1e8);
    irr_choosers_run(&job, 100);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 1);
}

static void test_share_of_nothing(void)
{
    irr_choosers_t job = irr_choosers_of(5, irr_choosers_faster, IRR_CHOOSERS_LIST, 1e6);

    irr_choice_init(&job.choice[2], 0, false);   /* the least of all counts */
    irr_choosers_run(&job, 100000);
    CU_ASSERT_EQUAL(job.opened, 0);
}

/* Numbers of nothing: no time, no list. */
static void test_empty(void)
{
    const double ns[1 + IRR_CHOOSERS_LIST] = { 0 };
    irr_choosers_t job = irr_choosers_of(5, ns, IRR_CHOOSERS_LIST, 0);

    irr_choosers_run(&job, 10000);
    CU_ASSERT_EQUAL(irr_choosers_found(&job), 0);
}

static const irr_test_case_t cases[] = {
    { "jobs of few or cheap exchanges open nothing", test_cheap_jobs_open_nothing },
    { "a job knows when a trial is paid for", test_funds },
    { "agreements cost what the last rank waits", test_agreements_cost },
    { "agreements that are as long as exchanges are few", test_few_agreements },
    { "agreements longer than what is served are few", test_few_agreements_served },
    { "on one node the first agreement waits", test_one_node },
    { "several exchanges at a time",   test_side_by_side },
    { "a long job finds the best strategy", test_finds_the_best },
    { "over slow networks a good strategy is found by exchange 60", test_finds_early },
    { "of many that are alike the best is gone by exchange 60", test_many_alike },
    { "what is fast now and then is no match for what is always", test_lucky_ones },
    { "the list is gone through to its end", test_goes_through_the_list },
    { "no job takes longer than its share", test_does_no_harm },
    { "strategies that are far slower than expected cost little", test_surprises },
    { "where nothing can be opened Open MPI's own stays", test_nothing_can_be_opened },
    { "other traffic is tried again", test_other_traffic },
    { "what has become slower does not stay", test_tried_again },
    { "counts that are new in each exchange", test_new_counts },
    { "what was disturbed is found later", test_disturbed },
    { "when a winner becomes slower the others are tried again", test_worse_winner },
    { "what all remember is gone at once", test_remembered },
    { "and is found out if it is not so", test_remembered_wrong },
    { "but is not opened where that does not pay", test_remembered_dear },
    { "a rank that spends nothing keeps all from it", test_share_of_nothing },
    { "exchanges that take no time", test_empty },
    { NULL, NULL }
};

int main(void)
{
    return irr_test_main("choice", cases, 60);
}
