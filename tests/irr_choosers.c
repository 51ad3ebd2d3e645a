/*
 * irr_choosers.c - see irr_choosers.h.
 */
#include "irr_choosers.h"

irr_choosers_t irr_choosers_of(int percent, const double *ns, int can_open, double first)
{
    irr_choosers_t job = { .first = first, .strategy_ns = first / 20, .can_open = can_open, .bytes = 1000, .doubt = 1 };

    memcpy(job.ns, ns, sizeof(job.ns));
    for (int r = 0; r < IRR_CHOOSERS_RANKS; r++) {
        irr_choice_init(&job.choice[r], (uint32_t)percent, false);
    }
    return job;
}

/* Sets up strategies on one rank. All ranks do the same, so only the last rank adds to the statistics of the job. */
static irr_choice_act_t open_some(irr_choosers_t *job, int rank)
{
    irr_choice_t *choice = &job->choice[rank];
    const int rest = job->can_open - choice->next;
    const int strategies = rest < 0 ? 0 : rest < choice->opens ? rest : choice->opens;

    for (int i = 0; i < strategies; i++) {
        job->list[irr_choice_slot(choice, i)] = choice->next + i + 1;
    }
    irr_choice_spent(choice, (uint64_t)(job->first + strategies * job->strategy_ns));
    if (rank == IRR_CHOOSERS_RANKS - 1) {
        job->opened += strategies > 0;
        job->took += job->first + strategies * job->strategy_ns;
        job->first = strategies > 0 ? 0 : job->first;
    }
    return irr_choice_opened(choice, strategies);
}

static irr_choice_act_t list_all(irr_choosers_t *job, int rank)
{
    double ratios[IRR_CHOOSERS_LIST];

    for (int i = 0; i < IRR_CHOOSERS_LIST; i++) {
        ratios[i] = job->doubt * job->ns[i + 1] / job->ns[0];
    }
    return irr_choice_listed(&job->choice[rank], ratios, IRR_CHOOSERS_LIST, &job->recall);
}

static void act(irr_choosers_t *job, irr_choice_act_t *what)
{
    const irr_choice_act_t all = what[0];

    for (int r = 0; r < IRR_CHOOSERS_RANKS; r++) {
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

static void agree(irr_choosers_t *job)
{
    uint64_t words[IRR_CHOICE_WORDS] = { 0 }, own[IRR_CHOICE_WORDS];
    const irr_choice_setup_t setup = { (uint64_t)job->first, (uint64_t)job->strategy_ns };
    irr_choice_act_t what[IRR_CHOOSERS_RANKS];

    for (int r = 0; r < IRR_CHOOSERS_RANKS; r++) {
        CU_ASSERT_TRUE_FATAL(irr_choice_node_set(&job->choice[r], false, 1 + r % 2, r == 1));
        irr_choice_words(&job->choice[r], &setup, own);
        for (int i = 0; i < IRR_CHOICE_WORDS; i++) {
            words[i] = own[i] > words[i] ? own[i] : words[i];
        }
    }
    for (int r = 0; r < IRR_CHOOSERS_RANKS; r++) {
        what[r] = irr_choice_agreed(&job->choice[r], words);
    }
    for (int turns = 0; what[0] != IRR_CHOICE_GOES_ON; turns++) {
        CU_ASSERT_TRUE_FATAL(turns < 10);
        act(job, what);
    }
    job->agreements++;
    job->took += job->agreement;
    for (int r = 0; r < IRR_CHOOSERS_RANKS && job->agreement > 0; r++) {
        irr_choice_waited(&job->choice[r], (uint64_t)job->agreement);
    }
}

/* Returns the strategy of the next exchange: its number in the list counted from 1, or 0. */
static int gone(const irr_choosers_t *job)
{
    const int strategy = irr_choice_strategy(&job->choice[0]);

    return strategy == 0 ? 0 : job->list[strategy];
}

int irr_choosers_found(const irr_choosers_t *job)
{
    return job->choice[0].strategy == 0 ? 0 : job->list[job->choice[0].strategy];
}

/*
 * Runs an exchange that takes this time. If several exchanges are in progress, the last one ends first. Returns true if
 * an agreement is due.
 */
static bool go(irr_choosers_t *job, int rank, uint64_t ns, const irr_choice_load_t *load)
{
    irr_choice_t *choice = &job->choice[rank];
    const irr_choice_timing_t timing = irr_choice_begin(choice);
    const int most = job->depth > 0 ? job->depth : 1;
    int *open = &job->open[rank];

    job->timing[rank][*open] = timing;
    job->times[rank][(*open)++] = ns;
    for (bool all = timing.due || *open == most; all && *open > 0;) {
        const int i = --*open;

        if (job->timing[rank][i].timed) {
            irr_choice_end(choice, &job->timing[rank][i], job->times[rank][i], load);
        }
    }
    return timing.due;
}

void irr_choosers_run(irr_choosers_t *job, int calls)
{
    for (int n = 0; n < calls; n++) {
        const double fraction = job->counts != NULL ? 1e-3 * (double)irr_test_below(job->counts, 2001) : 1;
        const uint64_t bytes = (uint64_t)(fraction * (double)job->bytes);
        const irr_choice_load_t load = {
            .sends = 2, .receives = 2, .sent = bytes, .received = bytes, .longest = bytes };
        const int strategy = irr_choice_strategy(&job->choice[0]);
        const int item = gone(job);
        const bool used = strategy != 0 && strategy == job->choice[0].strategy;
        const bool lucky = strategy == 0 && job->lucky > 0 && n % job->lucky == 0;
        const double noise = job->noise != NULL ? 0.7 + 0.6e-3 * (double)irr_test_below(job->noise, 1001) : 1;
        const bool cold = job->uses[item]++ < job->cold;
        const double slow = (job->choice[0].calls >= (uint64_t)job->disturbed &&
                            job->choice[0].calls < (uint64_t)job->disturbed_to) || cold ? 10 : 1;
        const double ns = slow * fraction * noise * (lucky ? job->lucky_ns : job->ns[item]);
        int agrees = 0;

        for (int r = 0; r < IRR_CHOOSERS_RANKS; r++) {
            CU_ASSERT_EQUAL_FATAL(irr_choice_strategy(&job->choice[r]), strategy);
            agrees += go(job, r, (uint64_t)ns * (r == 1 ? 1 : 0) + 1, &load);
        }
        job->own += fraction * job->ns[0];
        job->took += ns;
        for (int r = 0; r < IRR_CHOOSERS_RANKS && used; r++) {
            irr_choice_used(&job->choice[r], (uint64_t)ns);
        }
        job->used += used ? ns : 0;
        job->saved += used ? job->ns[0] - job->ns[item] : 0;
        CU_ASSERT_TRUE_FATAL(agrees == 0 || agrees == IRR_CHOOSERS_RANKS);
        if (agrees > 0) {
            agree(job);
        }
    }
}

const double irr_choosers_faster[1 + IRR_CHOOSERS_LIST] = { 1e5, 1.3e5, 5e4, 9e4, 3e5, 2e5, 8e4 };
const double irr_choosers_slower[1 + IRR_CHOOSERS_LIST] = { 1e5, 1.3e5, 1.5e5, 1.2e5, 2.8e5, 2e5, 1.1e5 };
