/*
 * test_choice.c - the choice of a way, on jobs whose exchanges take what a function says.
 *
 * A job here is a few ranks that agree by maxima, and a cost for each way.  What is spent is held against what was
 * promised, and what is found against what is best.
 */
#include "choose/choice.h"
#include "irr_test.h"

#include <math.h>
#include <string.h>

enum { RANKS = 3 };

/* ---- jobs ---- */

enum { LIST = 6 };

enum { DEPTH = 7 };

typedef struct job {
    irr_choice_t choice[RANKS];
    double       ns[1 + LIST];       /* of an exchange by way 0, and by those of the list */
    int          lucky;              /* so many exchanges by way 0, one loses nothing on its way; 0: all alike */
    double       lucky_ns;           /* and takes so long */
    double       doubt;              /* times as long as it takes is expected of each one */
    double       first, way_ns;      /* what ranks think that opening costs, and what it does */
    int          can_open;           /* of the list */
    int          list[IRR_TRIAL_WAYS];   /* which one of it is in a slot; 0: way 0 */
    uint64_t     bytes;
    double       agreement;          /* what it takes */
    double       own, took;          /* what way 0 would have taken so far, and what was taken */
    int          opened, settled, agreements;
    uint64_t     *noise;    /* exchanges take 0.7 to 1.3 times as long, by these random numbers; NULL: not */
    double       saved;              /* what the ways gone, but for trials, take less than way 0 would have */
    int          depth;              /* exchanges under way at a time at most; 0: each ends before the next begins */
    int          open[RANKS];
    irr_choice_turn_t turns[RANKS][DEPTH];   /* of those that are under way */
    uint64_t     times[RANKS][DEPTH];
} job_t;

static job_t job_of(int percent, const double *ns, int can_open, double first)
{
    job_t job = { .first = first, .way_ns = first / 20, .can_open = can_open, .bytes = 1000, .doubt = 1 };

    memcpy(job.ns, ns, sizeof(job.ns));
    for (int r = 0; r < RANKS; r++) {
        irr_choice_init(&job.choice[r], (uint32_t)percent);
    }
    return job;
}

/* All ranks do the same, so the first one's books are kept. */
static irr_choice_act_t open_some(job_t *job, int rank)
{
    irr_choice_t *choice = &job->choice[rank];
    const int rest = job->can_open - choice->next;
    const int ways = rest < 0 ? 0 : rest < choice->opens ? rest : choice->opens;

    for (int i = 0; i < ways; i++) {
        job->list[irr_choice_slot(choice, i)] = choice->next + i + 1;
    }
    irr_choice_spent(choice, (uint64_t)(job->first + ways * job->way_ns));
    if (rank == RANKS - 1) {
        job->opened += ways > 0;
        job->took += job->first + ways * job->way_ns;
        job->first = ways > 0 ? 0 : job->first;
    }
    return irr_choice_opened(choice, ways);
}

static irr_choice_act_t list_all(job_t *job, int rank)
{
    double ratios[LIST];

    for (int i = 0; i < LIST; i++) {
        ratios[i] = job->doubt * job->ns[i + 1] / job->ns[0];
    }
    return irr_choice_listed(&job->choice[rank], ratios, LIST);
}

static void act(job_t *job, irr_choice_act_t *what)
{
    const irr_choice_act_t all = what[0];

    for (int r = 0; r < RANKS; r++) {
        CU_ASSERT_EQUAL_FATAL(what[r], all);
        switch (what[r]) {
        case IRR_CHOICE_LISTS:   what[r] = list_all(job, r); break;
        case IRR_CHOICE_OPENS:   what[r] = open_some(job, r); break;
        case IRR_CHOICE_SETTLES: what[r] = irr_choice_settled(&job->choice[r]); break;
        case IRR_CHOICE_GOES_ON: break;
        }
    }
    job->settled += all == IRR_CHOICE_SETTLES;
}

static void agree(job_t *job)
{
    uint64_t words[IRR_CHOICE_WORDS] = { 0 }, own[IRR_CHOICE_WORDS];
    const irr_choice_opening_t opening = { (uint64_t)job->first, (uint64_t)job->way_ns };
    irr_choice_act_t what[RANKS];

    for (int r = 0; r < RANKS; r++) {
        CU_ASSERT_TRUE_FATAL(irr_choice_place(&job->choice[r], false, 1 + r % 2, r == 1));
        irr_choice_words(&job->choice[r], &opening, own);
        for (int i = 0; i < IRR_CHOICE_WORDS; i++) {
            words[i] = own[i] > words[i] ? own[i] : words[i];
        }
    }
    for (int r = 0; r < RANKS; r++) {
        what[r] = irr_choice_agreed(&job->choice[r], words);
    }
    for (int turns = 0; what[0] != IRR_CHOICE_GOES_ON; turns++) {
        CU_ASSERT_TRUE_FATAL(turns < 10);
        act(job, what);
    }
    job->agreements++;
    job->took += job->agreement;
    for (int r = 0; r < RANKS && job->agreement > 0; r++) {
        irr_choice_waited(&job->choice[r], (uint64_t)job->agreement);
    }
}

/* Of the list, or 0, that exchanges go now. */
static int gone(const job_t *job)
{
    const int way = irr_choice_way(&job->choice[0]);

    return way == 0 ? 0 : job->list[way];
}

static int found(const job_t *job)
{
    return job->choice[0].way == 0 ? 0 : job->list[job->choice[0].way];
}

/* One that takes so long; where several are under way at a time, the last of them is over first.  True: agree now. */
static bool go(job_t *job, int rank, uint64_t ns, const irr_choice_load_t *load)
{
    irr_choice_t *choice = &job->choice[rank];
    irr_choice_turn_t turn;
    int *open = &job->open[rank];

    if (job->depth == 0) {
        return irr_choice_took(choice, ns, load);
    }
    turn = irr_choice_begin(choice);
    job->turns[rank][*open] = turn;
    job->times[rank][(*open)++] = ns;
    for (bool all = turn.due || *open == job->depth; all && *open > 0;) {
        const int i = --*open;

        if (job->turns[rank][i].timed) {
            irr_choice_end(choice, &job->turns[rank][i], job->times[rank][i], load);
        }
    }
    return turn.due;
}

static void run(job_t *job, int calls)
{
    for (int n = 0; n < calls; n++) {
        const irr_choice_load_t load = {
            .messages = 2, .sent = job->bytes, .received = job->bytes, .longest = job->bytes };
        const int way = irr_choice_way(&job->choice[0]);
        const bool lucky = way == 0 && job->lucky > 0 && n % job->lucky == 0;
        const double noise = job->noise != NULL ? 0.7 + 0.6e-3 * (double)irr_test_below(job->noise, 1001) : 1;
        const double ns = noise * (lucky ? job->lucky_ns : job->ns[gone(job)]);
        int agrees = 0;

        for (int r = 0; r < RANKS; r++) {
            CU_ASSERT_EQUAL_FATAL(irr_choice_way(&job->choice[r]), way);
            agrees += go(job, r, (uint64_t)ns * (r == 1 ? 1 : 0) + 1, &load);
        }
        job->own += job->ns[0];
        job->took += ns;
        job->saved += job->ns[0] - job->ns[found(job)];
        CU_ASSERT_TRUE_FATAL(agrees == 0 || agrees == RANKS);
        if (agrees > 0) {
            agree(job);
        }
    }
}

static const double faster[1 + LIST] = { 1e5, 1.3e5, 5e4, 9e4, 3e5, 2e5, 8e4 };
static const double slower[1 + LIST] = { 1e5, 1.3e5, 1.5e5, 1.2e5, 2.8e5, 2e5, 1.1e5 };

static void test_cheap_jobs_open_nothing(void)
{
    job_t job = job_of(5, faster, LIST, 1e7);

    run(&job, 15);
    CU_ASSERT_EQUAL(job.agreements, 0);
    run(&job, 1000);
    CU_ASSERT_EQUAL(job.opened, 0);   /* a tenth of a second pays for 5 milliseconds */
    CU_ASSERT_EQUAL(job.agreements, 6);
}

/* A job that has opened nothing knows how many more exchanges pay for a trial. */
static void test_funds(void)
{
    job_t job = job_of(5, faster, LIST, 1e7);
    irr_choice_funds_t funds;

    run(&job, 1000);
    funds = irr_choice_funds(&job.choice[0]);
    CU_ASSERT_DOUBLE_EQUAL(funds.cost, 1e8, 1e6);
    CU_ASSERT_TRUE(funds.wanted > 1e7 && funds.budget < funds.wanted && funds.budget > 4e6);
    CU_ASSERT_TRUE(funds.calls > 500 && funds.calls < 5000);
    run(&job, (int)funds.calls / 2);
    CU_ASSERT_EQUAL(job.opened, 0);
    run(&job, (int)funds.calls);
    CU_ASSERT_TRUE(job.opened > 0);
}

/* Of an agreement the least time of all ranks counts. */
static void test_agreements_cost(void)
{
    job_t job = job_of(5, faster, 0, 1e9);

    for (int r = 0; r < RANKS; r++) {
        irr_choice_waited(&job.choice[r], 2000 + 1000000 * (uint64_t)r);
    }
    run(&job, 16);
    CU_ASSERT_DOUBLE_EQUAL(job.choice[0].spent_ns, 2000, 1);
}

/* Exchanges are as short as an agreement is long: these take no more than a quarter of the share. */
static void test_few_agreements(void)
{
    const double ns[1 + LIST] = { 1e4, 2e4, 2e4, 2e4, 2e4, 2e4, 2e4 };
    job_t job = job_of(5, ns, LIST, 0);

    job.agreement = 1e4;
    run(&job, 20000);
    CU_ASSERT_TRUE(job.agreements >= 20 && job.agreements < 20000 / 80);
    CU_ASSERT_TRUE(job.took <= 1.06 * job.own);
}

/* On one node exchanges are as short as agreements: the first one waits. */
static void test_one_node(void)
{
    const irr_choice_load_t load = { .messages = 1, .sent = 8, .received = 8, .longest = 8 };
    irr_choice_t choice;
    int calls = 1;

    irr_choice_init(&choice, 5);
    for (; !irr_choice_took(&choice, 10, &load); calls++) {
    }
    CU_ASSERT_EQUAL(calls, 16);
    CU_ASSERT_FALSE(irr_choice_place(&choice, true, 4, false));
    for (calls++; !irr_choice_took(&choice, 10, &load); calls++) {
    }
    CU_ASSERT_EQUAL(calls, 32);
    CU_ASSERT_TRUE(irr_choice_place(&choice, true, 4, false));
    CU_ASSERT_EQUAL(choice.own.messages, 8);
}

/* Several at a time, which end in another order than they began, lead to the same choice after the same calls. */
static void test_side_by_side(void)
{
    job_t one = job_of(5, faster, LIST, 1e7), many = one;

    many.depth = DEPTH;
    for (int i = 0; i < 100; i++) {
        run(&one, 100);
        run(&many, 100);
        CU_ASSERT_EQUAL(many.agreements, one.agreements);
        CU_ASSERT_EQUAL(many.opened, one.opened);
        CU_ASSERT_EQUAL(found(&many), found(&one));
    }
    CU_ASSERT_TRUE(many.settled > 0);
    CU_ASSERT_DOUBLE_EQUAL(many.choice[1].spent_ns, one.choice[1].spent_ns, 1);
}

static void test_finds_the_best(void)
{
    job_t job = job_of(5, faster, LIST, 1e7);

    run(&job, 10000);
    CU_ASSERT_TRUE(job.opened >= 1);
    for (int r = 0; r < RANKS; r++) {   /* one rank's node has more processes than processors */
        CU_ASSERT_FALSE(irr_choice_traffic(&job.choice[r], RANKS, false).alone);
    }
    CU_ASSERT_TRUE(job.settled >= 1);
    CU_ASSERT_EQUAL(found(&job), 2);
    CU_ASSERT_DOUBLE_EQUAL(job.choice[0].speedup.is, 2, 0.04);
    CU_ASSERT_TRUE(job.took < 0.8 * job.own);
}

/* Exchanges over slow networks: what is twice as fast is gone early. */
static void test_finds_early(void)
{
    const double ns[1 + LIST] = { 1e8, 5e7, 9e7, 2e8, 1.1e8, 8e7, 7e7 };
    job_t job = job_of(5, ns, LIST, 3e7);

    run(&job, 60);
    CU_ASSERT_EQUAL(found(&job), 1);
    CU_ASSERT_TRUE(job.took < job.own);
}

/*
 * As measured: 16 hosts on four switches at 100 Mbit/s, 64 KiB to each.  The likely best is the first of the list, but
 * not by much.
 */
static void test_many_alike(void)
{
    const double ns[1 + LIST] = { 4.2e8, 3.2e8, 3.9e8, 3.5e8, 3.9e8, 3.6e8, 3.5e8 };
    job_t job = job_of(5, ns, LIST, 3.6e7);
    double before;

    run(&job, 60);
    CU_ASSERT_EQUAL(found(&job), 1);
    CU_ASSERT_EQUAL(job.choice[0].next, LIST);
    before = job.took;
    run(&job, 40);
    CU_ASSERT_TRUE((job.took - before) * 0.95 <= 40 * 3.2e8);
}

/* The same with 8 KiB: now and then one by Open MPI's own loses no message. */
static void test_lucky_ones(void)
{
    const double ns[1 + LIST] = { 2.7e8, 4.2e7, 1.4e8, 1e8, 1.2e8, 1.9e8, 5.2e7 };
    job_t job = job_of(5, ns, LIST, 3.6e7);

    job.lucky = 3;
    job.lucky_ns = 4.2e7;
    run(&job, 60);
    CU_ASSERT_EQUAL(found(&job), 1);
    CU_ASSERT_TRUE(job.choice[0].speedup.is > 2);
}

/* One that is not the first of the list is found, too, where the first is not bad. */
static void test_goes_through_the_list(void)
{
    const double ns[1 + LIST] = { 1e5, 9e4, 9e4, 9e4, 9e4, 9e4, 4e4 };
    job_t job = job_of(5, ns, LIST, 1e6);

    run(&job, 3000);
    CU_ASSERT_EQUAL(found(&job), LIST);
    CU_ASSERT_EQUAL(job.choice[0].next, LIST);
}

/* Whatever ways cost, a job takes its share longer at most, and what a look may surprise with. */
static void test_does_no_harm(void)
{
    for (double first = 1e5; first < 1e9; first *= 10) {
        for (int calls = 10; calls < 100000; calls *= 3) {
            job_t job = job_of(5, slower, LIST, first);

            run(&job, calls);
            CU_ASSERT_TRUE(job.took <= 1.06 * job.own);
            CU_ASSERT_EQUAL(job.choice[0].way, 0);
        }
    }
}

/* A list that promises half of the time, of ways that take up to nine times as long. */
static void test_surprises(void)
{
    const double ns[1 + LIST] = { 1e5, 9e5, 3e5, 4e5, 5e5, 6e5, 7e5 };

    for (int calls = 10; calls < 100000; calls *= 2) {
        job_t job = job_of(5, ns, LIST, 1e5);

        job.doubt = 0.05;
        run(&job, calls);
        CU_ASSERT_EQUAL(job.choice[0].way, 0);
        CU_ASSERT_TRUE(job.took <= (calls < 1000 ? 2 : 1.06) * job.own);
    }
}

static void test_nothing_can_be_opened(void)
{
    job_t job = job_of(5, faster, 0, 1e6);

    run(&job, 100000);
    CU_ASSERT_EQUAL(job.opened, 0);
    CU_ASSERT_EQUAL(irr_choice_way(&job.choice[0]), 0);
    CU_ASSERT_TRUE(job.took <= 1.05 * job.own);
}

static void test_other_traffic(void)
{
    job_t job = job_of(5, faster, LIST, 1e6);

    run(&job, 20000);
    CU_ASSERT_EQUAL(found(&job), 2);
    memcpy(job.ns, slower, sizeof(job.ns));
    job.ns[3] = 40000;
    job.bytes *= 8;
    run(&job, 600);
    CU_ASSERT_NOT_EQUAL(found(&job), 2);   /* it is a bad one now, and that shows soon */
    run(&job, 60000);
    CU_ASSERT_EQUAL(found(&job), 3);
}

/* The same traffic, but the network has become another one: the winner does not stay. */
static void test_tried_again(void)
{
    job_t job = job_of(5, faster, LIST, 1e6);

    run(&job, 20000);
    CU_ASSERT_EQUAL(found(&job), 2);
    memcpy(job.ns, slower, sizeof(job.ns));
    run(&job, 200000);
    CU_ASSERT_EQUAL(found(&job), 0);
    job.ns[5] = 30000;
    run(&job, 2000000);
    CU_ASSERT_EQUAL(found(&job), 5);
}

static void test_share_of_nothing(void)
{
    job_t job = job_of(5, faster, LIST, 1e6);

    irr_choice_init(&job.choice[2], 0);   /* the least of all counts */
    run(&job, 100000);
    CU_ASSERT_EQUAL(job.opened, 0);
}

/* Numbers of nothing: no time, no list. */
static void test_empty(void)
{
    const double ns[1 + LIST] = { 0 };
    job_t job = job_of(5, ns, LIST, 0);

    run(&job, 10000);
    CU_ASSERT_EQUAL(found(&job), 0);
}

/* ---- what is told ---- */

/* Runs a job of exchanges that differ, and checks what it tells of itself after each few of them. */
static void check_tells(job_t *job)
{
    for (int i = 0; i < 60; i++) {
        const irr_choice_t *choice = &job->choice[0];
        irr_saved_t saved;

        run(job, 40);
        saved = irr_choice_saved(choice);
        CU_ASSERT_TRUE(choice->way == 0 ? choice->speedup.is == 1 : choice->speedup.is > 1);
        CU_ASSERT_TRUE(choice->speedup.low <= choice->speedup.is && choice->speedup.is <= choice->speedup.high);
        CU_ASSERT_TRUE(saved.low <= saved.is + 1 && saved.is <= saved.high + 1);
        CU_ASSERT_TRUE(choice->trials_ns >= 0);
    }
}

/* A way that serves is faster by what is told of it, however much exchanges differ. */
static void test_tells_of_one_who_serves(void)
{
    uint64_t state = irr_test_seed();
    int intervals = 0, jobs = 0;

    for (int i = 0; i < 300; i++) {
        double ns[1 + LIST];
        irr_saved_t saved;
        job_t job;

        for (int k = 0; k <= LIST; k++) {
            ns[k] = (double)(20000 + irr_test_below(&state, 40000));
        }
        job = job_of(100, ns, LIST, 1e5);
        job.noise = &state;
        check_tells(&job);
        saved = irr_choice_saved(&job.choice[0]);
        jobs += found(&job) != 0;
        intervals += found(&job) != 0 && saved.low <= job.saved && job.saved <= saved.high;
    }
    printf("# what was saved is in the interval in %d of %d jobs\n", intervals, jobs);
    CU_ASSERT_TRUE(jobs > 50 && 10 * intervals >= 8 * jobs);
}

/* A way that has become slower than way 0: the check tells of it, and what was saved is not sure any more. */
static void test_tells_of_one_who_lost(void)
{
    job_t job = job_of(5, faster, LIST, 1e6);
    irr_saved_t saved;

    run(&job, 20000);
    saved = irr_choice_saved(&job.choice[0]);
    CU_ASSERT_EQUAL(found(&job), 2);
    CU_ASSERT_TRUE(saved.low > 0 && saved.low < 1.01 * job.saved && job.saved < 1.01 * saved.high);   /* no noise */
    memcpy(job.ns, slower, sizeof(job.ns));
    while (found(&job) == 2) {
        run(&job, 1);
    }
    saved = irr_choice_saved(&job.choice[0]);
    CU_ASSERT_TRUE(saved.low < 0 && saved.low <= job.saved && job.saved <= saved.high);
}

static const irr_test_case_t cases[] = {
    { "what is told of a way that serves", test_tells_of_one_who_serves },
    { "what is told of a way that has lost", test_tells_of_one_who_lost },
    { "jobs of few or cheap exchanges open nothing", test_cheap_jobs_open_nothing },
    { "a job knows when a trial is paid for", test_funds },
    { "agreements cost what the last rank waits", test_agreements_cost },
    { "agreements that are as long as exchanges are few", test_few_agreements },
    { "on one node the first agreement waits", test_one_node },
    { "several exchanges at a time",   test_side_by_side },
    { "a long job finds the best way", test_finds_the_best },
    { "over slow networks a good way is found by exchange 60", test_finds_early },
    { "of many that are alike the best is gone by exchange 60", test_many_alike },
    { "what is fast now and then is no match for what is always", test_lucky_ones },
    { "the list is gone through to its end", test_goes_through_the_list },
    { "no job takes longer than its share", test_does_no_harm },
    { "ways that are far slower than expected cost little", test_surprises },
    { "where nothing can be opened Open MPI's own stays", test_nothing_can_be_opened },
    { "other traffic is tried again", test_other_traffic },
    { "what has become slower does not stay", test_tried_again },
    { "a rank that spends nothing keeps all from it", test_share_of_nothing },
    { "exchanges that take no time", test_empty },
    { NULL, NULL }
};

int main(void)
{
    return irr_test_main("choice", cases, 60);
}
