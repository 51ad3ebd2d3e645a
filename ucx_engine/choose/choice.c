/* choice.c - chooses the strategy of a communicator's exchanges by trials; see choice.h for the terms. */
#include "choose/choice.h"

#include <string.h>

/*
 * Number of exchanges before the first agreement.  It is larger on one node, where an agreement takes longer relative
 * to an exchange.
 */
#define FIRST_NODE  32
#define FIRST_NODES 16

/*
 * Largest number of exchanges between two agreements.  EPOCH_HOST is for strategy 0.  EPOCH_STRATEGY is for any other
 * strategy, which may have become slow; if agreements would then take more than AGREEMENTS_MAX of the share, there are
 * more exchanges between them, but never more than EPOCH_HOST.
 */
#define EPOCH_HOST 2048
#define EPOCH_STRATEGY 256

/*
 * The result of a trial is checked again when the number of exchanges has grown by the factor AGAIN.  If a strategy
 * seemed faster but did not win, the trial may have been disturbed, and is repeated after a growth by AGAIN_SOON.
 */
#define AGAIN      4
#define AGAIN_SOON 1.5

/*
 * The largest fraction of the share that agreements take.  The duration of the first agreement is known only at the
 * second; until then AGREEMENT_NS for each rank of the largest node is assumed.
 */
#define AGREEMENTS_MAX 0.25
#define AGREEMENT_NS   1e4

/*
 * RECENT is the weight of the last agreement in the mean duration of agreements.  A duration above OUTLIER times the
 * mean counts as OUTLIER times the mean.
 */
#define RECENT  0.25
#define OUTLIER 4

/* The largest factor by which the time of an exchange is scaled to an exchange of mean size. */
#define SCALE_MAX 8.0

/* The least speedup over the current strategy with which a strategy from lessons replaces it. */
#define BETTER 1.05

void irr_choice_init(irr_choice_t *choice, uint32_t percent, bool early)
{
    *choice = (irr_choice_t){ .early = early, .percent = percent, .due = early ? 1 : FIRST_NODES, .own_ns = UINT64_MAX,
                               .speedup = IRR_SPEEDUP_NONE };
}

void irr_choice_found(irr_choice_t *choice, const irr_speedup_t *speedup)
{
    choice->strategy = 1;
    choice->speedup = *speedup;
}

/* Sets the next agreement after `calls` exchanges, and resets the sums of timed exchanges. */
static void wait_for(irr_choice_t *choice, uint64_t calls)
{
    choice->due = choice->calls + calls;
    choice->own_ns = UINT64_MAX;
    choice->own_sum_ns = choice->own_timed = 0;
    choice->own = (irr_choice_load_t){ .longest = 0 };
}

bool irr_choice_node_set(irr_choice_t *choice, bool one_node, int node_ranks, bool crowded)
{
    const bool waits = choice->own_node_ranks == 0 && one_node && !choice->early;

    choice->own_node_ranks = node_ranks;
    choice->own_crowded = crowded;
    if (waits) {
        wait_for(choice, FIRST_NODE - FIRST_NODES);
    }
    return !waits;
}

/* Returns whether the next exchange is timed. */
static bool times(const irr_choice_t *choice)
{
    return irr_choice_tries(choice) ? irr_trial_times(&choice->trial) : choice->calls + IRR_CHOICE_TIMED >= choice->due;
}

irr_choice_timing_t irr_choice_begin(irr_choice_t *choice)
{
    irr_choice_timing_t timing = { .strategy = irr_choice_strategy(choice), .timed = times(choice), .sum = -1 };

    choice->calls++;
    if (irr_choice_tries(choice)) {
        timing.sum = irr_trial_sum(&choice->trial);
        timing.due = irr_trial_begins(&choice->trial);
    } else {
        timing.epoch = choice->due;
        timing.due = choice->calls == choice->due;
    }
    return timing;
}

/* Returns the estimated time of an exchange of mean size, from the time of an exchange of this load. */
static uint64_t mean_sized_ns(const irr_choice_t *choice, uint64_t ns, const irr_choice_load_t *load)
{
    const double size = irr_choice_load_size(load);
    const double scale = size > 0 && choice->own_size > 0 ? choice->own_size / size : 1;

    return (uint64_t)((double)ns * (scale > SCALE_MAX ? SCALE_MAX : scale < 1 / SCALE_MAX ? 1 / SCALE_MAX : scale));
}

void irr_choice_end(irr_choice_t *choice, const irr_choice_timing_t *timing, uint64_t ns, const irr_choice_load_t *load)
{
    if (timing->sum >= 0) {
        const uint64_t mean_ns = mean_sized_ns(choice, ns, load);

        irr_trial_took(&choice->trial, timing->sum, mean_ns);
    } else if (timing->epoch == choice->due) {   /* else the first agreement was postponed during this exchange */
        choice->own_ns = ns < choice->own_ns ? ns : choice->own_ns;
        choice->own_sum_ns += ns;
        choice->own_timed++;
        choice->own.sends += load->sends;
        choice->own.receives += load->receives;
        choice->own.sent += load->sent;
        choice->own.received += load->received;
        choice->own.longest = load->longest > choice->own.longest ? load->longest : choice->own.longest;
    }
}

void irr_choice_words(const irr_choice_t *choice, const irr_choice_setup_t *setup, uint64_t words[IRR_CHOICE_WORDS])
{
    const uint64_t timed = choice->own_timed > 0 ? choice->own_timed : 1;

    words[IRR_CHOICE_THRIFT] = UINT32_MAX - choice->percent;
    words[IRR_CHOICE_NS] = choice->own_ns;
    words[IRR_CHOICE_MEAN_NS] = choice->own_sum_ns / timed;
    words[IRR_CHOICE_HASTE] = UINT64_MAX - choice->own_agreement_ns;
    words[IRR_CHOICE_SPENT_NS] = choice->own_spent_ns;
    words[IRR_CHOICE_FIRST_NS] = setup->first;
    words[IRR_CHOICE_STRATEGY_NS] = setup->strategy;
    words[IRR_CHOICE_NODE_RANKS] = (uint64_t)choice->own_node_ranks;
    words[IRR_CHOICE_CROWDED] = choice->own_crowded;
    words[IRR_CHOICE_SENDS] = choice->own.sends / timed;
    words[IRR_CHOICE_RECEIVES] = choice->own.receives / timed;
    words[IRR_CHOICE_SENT] = choice->own.sent / timed;
    words[IRR_CHOICE_RECEIVED] = choice->own.received / timed;
    words[IRR_CHOICE_LONGEST] = choice->own.longest;
    words[IRR_CHOICE_REMEMBERS] = 0;
    irr_trial_words(&choice->trial, &words[IRR_CHOICE_SUMS]);
}

/* ---- epochs ---- */

int irr_choice_first(bool one_node)
{
    return one_node ? FIRST_NODE : FIRST_NODES;
}

/* Returns the least number of exchanges until the next agreement. */
static uint64_t shortest_wait(const irr_choice_t *choice)
{
    const double each = choice->mean_ns * choice->share * AGREEMENTS_MAX;
    const double ns = choice->agreement_ns > 0 ? choice->agreement_ns : AGREEMENT_NS * choice->node_ranks;
    const double wait = each > 0 ? ns / each : 0;

    return wait < IRR_CHOICE_TIMED ? IRR_CHOICE_TIMED : wait < EPOCH_HOST ? (uint64_t)wait : EPOCH_HOST;
}

/*
 * Begins an epoch.  The epoch ends when the budget is likely to reach wanted_ns.  If wanted_ns is 0, it ends after the
 * longest allowed wait.
 */
static void begin_epoch(irr_choice_t *choice, double wanted_ns)
{
    const double each = irr_choice_earning(choice);
    const double lack = wanted_ns - irr_choice_budget(choice);
    const uint64_t most = choice->strategy == 0 ? EPOCH_HOST : EPOCH_STRATEGY;
    const uint64_t least = shortest_wait(choice);
    uint64_t wait = choice->calls < most ? choice->calls : most;

    if (wanted_ns > 0 && lack < each * (double)wait) {
        wait = lack > 0 ? (uint64_t)(lack / each) + 1 : 0;
    }
    choice->agreed = choice->calls;
    wait_for(choice, wait > least ? wait : least);
}

/*
 * Begins a trial of `count` strategies.  The first is the current strategy; the caller has set slots[] of the others.
 */
static void begin_trial(irr_choice_t *choice, int count)
{
    choice->phase = IRR_CHOICE_TRIES;
    choice->slots[0] = choice->strategy;
    irr_trial_begin(&choice->trial, count, choice->mean_ns);
}

/* Begins a check that compares the winner with strategy 0.  Strategy 0 wins if its speedup is at least 1. */
static void begin_check(irr_choice_t *choice)
{
    choice->checks = false;
    choice->slots[1] = 0;
    begin_trial(choice, 2);
    choice->trial.lenient = true;
    choice->again = AGAIN * choice->calls;
}

/*
 * Returns whether the first strategy of the list is used without a trial: its gain, which lessons show, is likely to
 * save more time than opening the strategy takes.
 */
static bool recalls(const irr_choice_t *choice)
{
    const double speedup = choice->recall.speedup / choice->speedup.is, calls = (double)choice->calls;
    const double rest = (double)choice->recall.calls - calls, left = rest > calls ? rest : calls;

    return choice->next == 0 && choice->list > 0 && choice->lost == 0 &&
           speedup > (choice->strategy == 0 ? 1 : BETTER) &&
           choice->mean_ns * (1 - 1 / speedup) * left > (double)(choice->setup.first + choice->setup.strategy);
}

/* Decides the next act while no trial is running. */
static irr_choice_act_t go_on(irr_choice_t *choice)
{
    const double check_ns = irr_choice_look(choice, 1);
    double wanted_ns = 0;

    if (choice->checks && check_ns <= irr_choice_budget(choice)) {
        begin_check(choice);
        return IRR_CHOICE_GOES_ON;
    }
    if (choice->checks && choice->relists) {   /* the known speedup is out of date, and the budget covers no check */
        irr_choice_fall_back(choice);
        return IRR_CHOICE_SETTLES;
    }
    if (choice->relists) {
        choice->relists = false;
        return IRR_CHOICE_LISTS;
    }
    choice->recalls = recalls(choice);
    choice->opens = choice->recalls ? 1 : 0;
    if (!choice->recalls && !choice->recalled) {   /* speedups from lessons must not be compared with measured ones */
        choice->opens = irr_choice_payable(choice);
    }
    if (choice->opens > 0) {
        return IRR_CHOICE_OPENS;
    }
    if (choice->checks) {
        wanted_ns = check_ns;
    } else if (choice->next < choice->list) {
        wanted_ns = irr_choice_next(choice, 1);
    }
    begin_epoch(choice, wanted_ns);
    return IRR_CHOICE_GOES_ON;
}

/* Adds the cost of the exchanges since the last agreement; each took mean_ns with the current strategy. */
static void take_cost(irr_choice_t *choice)
{
    const double calls = (double)(choice->calls - choice->agreed);

    choice->cost_ns += calls * choice->mean_ns;
    choice->account.since_ns += calls * choice->mean_ns;
    choice->agreed = choice->calls;
}

/*
 * Returns the cost of an exchange.  For short exchanges it is the shortest time, because disturbances by other work may
 * not occur again.  For long exchanges it is the mean time, because the network's delays are part of the cost.
 */
static double mean_ns(const uint64_t *words)
{
    const double shortest = (double)words[IRR_CHOICE_NS];

    return irr_trial_is_long(shortest) ? (double)words[IRR_CHOICE_MEAN_NS] : shortest;
}

/* ---- trials ---- */

static irr_choice_act_t settle(irr_choice_t *choice)
{
    const int before = choice->strategy;
    uint64_t soon;

    choice->exchanges += (uint64_t)choice->trial.exchanges;
    choice->phase = IRR_CHOICE_BETWEEN;
    soon = (uint64_t)((irr_choice_judge(choice) ? AGAIN_SOON : AGAIN) * (double)choice->calls);
    if (choice->strategy != before || irr_choice_is_check(choice) || soon < choice->again) {
        choice->again = soon;   /* otherwise the number of exchanges that was set with the list stays */
    }
    return IRR_CHOICE_SETTLES;
}

/* Begins the next round of the trial; or lets the trial pause until the budget covers the round; or ends the trial. */
static irr_choice_act_t go_on_with_trial(irr_choice_t *choice)
{
    const irr_trial_next_t next = irr_trial_go_on(&choice->trial, irr_choice_budget(choice));

    if (next == IRR_TRIAL_ENDS || (next == IRR_TRIAL_WAITS && irr_choice_is_check(choice))) {
        return settle(choice);
    }
    choice->phase = next == IRR_TRIAL_WAITS ? IRR_CHOICE_PAUSED : IRR_CHOICE_TRIES;
    if (next == IRR_TRIAL_WAITS) {
        const double pause_ns = choice->trial.pause_ns;
        const double open_ns = choice->next < choice->list ? irr_choice_next(choice, 1) : pause_ns;

        begin_epoch(choice, open_ns < pause_ns ? open_ns : pause_ns);
    }
    return IRR_CHOICE_GOES_ON;
}

/*
 * Continues a paused trial: opens more strategies, or begins the next round, if the budget allows it.  Ends the trial
 * if messages have changed, because its samples are out of date.
 */
static irr_choice_act_t resume(irr_choice_t *choice)
{
    if (choice->relists) {
        return settle(choice);
    }
    choice->opens = irr_choice_payable(choice);
    return choice->opens > 0 ? IRR_CHOICE_OPENS : go_on_with_trial(choice);
}

static irr_choice_act_t after_round(irr_choice_t *choice, const uint64_t *sums)
{
    irr_trial_t *trial = &choice->trial;
    bool over = false;

    take_cost(choice);
    if (trial->stage == IRR_TRIAL_LOOKS) {
        irr_trial_looked(trial, sums);
    } else {
        over = irr_trial_agreed(trial, sums);
    }
    choice->spent_ns += trial->extra_ns;
    choice->trials_ns += trial->cost_ns;
    trial->extra_ns = trial->cost_ns = 0;
    choice->opens = over || irr_choice_is_check(choice) ? 0 : irr_choice_payable(choice);
    if (choice->opens > 0) {
        return IRR_CHOICE_OPENS;
    }
    return over ? settle(choice) : go_on_with_trial(choice);
}

static irr_choice_act_t after_epoch(irr_choice_t *choice, const uint64_t *words)
{
    choice->share = (double)(UINT32_MAX - (uint32_t)words[IRR_CHOICE_THRIFT]) / 100;
    choice->node_ranks = (int)words[IRR_CHOICE_NODE_RANKS];
    choice->crowded = words[IRR_CHOICE_CROWDED] != 0;
    choice->remembers = words[IRR_CHOICE_REMEMBERS] != 0;
    choice->mean_ns = mean_ns(words);
    choice->load = (irr_choice_load_t){
        .sends = words[IRR_CHOICE_SENDS], .receives = words[IRR_CHOICE_RECEIVES], .sent = words[IRR_CHOICE_SENT],
        .received = words[IRR_CHOICE_RECEIVED], .longest = words[IRR_CHOICE_LONGEST]
    };
    choice->own_size = irr_choice_load_size(&choice->own) / (double)(choice->own_timed > 0 ? choice->own_timed : 1);
    take_cost(choice);
    if (!choice->listed || irr_choice_load_differs(&choice->load, &choice->settled)) {
        choice->settled = choice->load;
        choice->lost = 0;
        choice->losses = 0;
        choice->listed = choice->relists = true;
        choice->checks = choice->strategy != 0;
    } else if (!irr_choice_has_trial(choice) && choice->calls >= choice->again) {
        choice->checks = choice->strategy != 0;
        choice->relists = choice->strategy == 0 && choice->next == choice->list;
    }
    return choice->phase == IRR_CHOICE_PAUSED ? resume(choice) : go_on(choice);
}

void irr_choice_agreement_took(irr_choice_t *choice, double ns)
{
    const double usual = choice->usual_agreement_ns, most = OUTLIER * usual;

    choice->agreement_ns = ns;
    if (ns > 0) {
        choice->usual_agreement_ns = usual > 0 ? usual + RECENT * ((ns < most ? ns : most) - usual) : ns;
    }
}

irr_choice_act_t irr_choice_agreed(irr_choice_t *choice, const uint64_t words[IRR_CHOICE_WORDS])
{
    irr_choice_agreement_took(choice, (double)(UINT64_MAX - words[IRR_CHOICE_HASTE]));
    choice->spent_ns += choice->agreement_ns + (double)words[IRR_CHOICE_SPENT_NS];
    choice->own_spent_ns = 0;
    choice->setup = (irr_choice_setup_t){ words[IRR_CHOICE_FIRST_NS], words[IRR_CHOICE_STRATEGY_NS] };
    return irr_choice_tries(choice) ? after_round(choice, &words[IRR_CHOICE_SUMS]) : after_epoch(choice, words);
}

irr_choice_act_t irr_choice_settled(irr_choice_t *choice)
{
    return go_on(choice);
}

/* ---- strategies ---- */

irr_choice_act_t irr_choice_listed(irr_choice_t *choice, const double *ratios, int count, const irr_recall_t *recall)
{
    choice->recall = *recall;
    memcpy(choice->ratios, ratios, (size_t)count * sizeof(*ratios));
    choice->list = count;
    choice->next = 0;
    choice->best = 0;
    choice->again = AGAIN * choice->calls;
    return go_on(choice);
}

int irr_choice_slot(const irr_choice_t *choice, int i)
{
    bool busy[IRR_TRIAL_STRATEGIES] = { true };
    int slot = 0;

    busy[choice->strategy] = true;
    for (int k = 0; irr_choice_has_trial(choice) && k < choice->trial.count; k++) {
        busy[choice->slots[k]] = true;
    }
    for (int left = i + 1; left > 0; left -= !busy[slot]) {
        slot++;
    }
    return slot;
}

/* Adds the strategies that were opened to the trial. */
static void add_strategies(irr_choice_t *choice, int strategies)
{
    const int first = irr_choice_has_trial(choice) ? choice->trial.count : 1;
    int slots[IRR_TRIAL_STRATEGIES];

    for (int i = 0; i < strategies; i++) {
        slots[i] = irr_choice_slot(choice, i);
    }
    memcpy(&choice->slots[first], slots, (size_t)strategies * sizeof(*slots));
    choice->tried += strategies;
    if (irr_choice_has_trial(choice)) {
        choice->phase = IRR_CHOICE_TRIES;
        irr_trial_add(&choice->trial, strategies);
    } else {
        begin_trial(choice, 1 + strategies);
    }
}

irr_choice_act_t irr_choice_opened(irr_choice_t *choice, int strategies)
{
    if (choice->recalls && strategies > 0) {
        choice->checks = true;
        irr_choice_recall(choice, irr_choice_slot(choice, 0), choice->recall.speedup);
        choice->next = 1;
        return IRR_CHOICE_SETTLES;
    }
    choice->next = strategies < choice->opens ? choice->list : choice->next + strategies;
    if (strategies > 0) {
        add_strategies(choice, strategies);
        return IRR_CHOICE_GOES_ON;
    }
    return irr_choice_has_trial(choice) ? go_on_with_trial(choice) : go_on(choice);
}
