/*
 * choice.c - see choice.h.
 */
#include "choose/choice.h"

#include <string.h>

/* Exchanges before the first agreement, and those of them that are timed. */
#define FIRST 32
#define TIMED 8

/* What was found is tried again when so many times as many exchanges are over. */
#define AGAIN 4

/* How much longer than way 0 an exchange of a trial is expected to take: most ways that lose are dropped early. */
#define EXPECTED_EXTRA 0.5

void irr_choice_init(irr_choice_t *choice, uint32_t percent, int node_ranks)
{
    *choice = (irr_choice_t){
        .percent = percent, .next = FIRST, .own_ns = UINT64_MAX, .own_node_ranks = node_ranks };
}

/* In a trial of the winner alone it is way 1. */
int irr_choice_way(const irr_choice_t *choice)
{
    if (!choice->tries) {
        return choice->way;
    }
    return choice->full || choice->trial.way == 0 ? choice->trial.way : choice->way;
}

bool irr_choice_times(const irr_choice_t *choice)
{
    return choice->tries ? irr_trial_times(&choice->trial) : choice->calls + TIMED >= choice->next;
}

bool irr_choice_took(irr_choice_t *choice, uint64_t ns, const irr_choice_load_t *load)
{
    const bool timed = irr_choice_times(choice);

    choice->calls++;
    if (choice->tries) {
        return irr_trial_took(&choice->trial, ns);
    }
    if (timed) {
        choice->own_ns = ns < choice->own_ns ? ns : choice->own_ns;
        choice->own.messages += load->messages;
        choice->own.sent += load->sent;
        choice->own.received += load->received;
        choice->own.longest = load->longest > choice->own.longest ? load->longest : choice->own.longest;
    }
    return choice->calls == choice->next;
}

/* ---- agreements ---- */

void irr_choice_words(const irr_choice_t *choice, uint64_t opening_ns, uint64_t words[IRR_CHOICE_WORDS])
{
    if (choice->tries) {
        memcpy(words, choice->trial.sums, sizeof(choice->trial.sums));
        return;
    }
    memset(words, 0, IRR_CHOICE_WORDS * sizeof(*words));
    words[IRR_CHOICE_THRIFT] = UINT32_MAX - choice->percent;
    words[IRR_CHOICE_NS] = choice->own_ns;
    words[IRR_CHOICE_SPENT_NS] = choice->own_spent_ns;
    words[IRR_CHOICE_OPENING_NS] = opening_ns;
    words[IRR_CHOICE_NODE_RANKS] = (uint64_t)choice->own_node_ranks;
    words[IRR_CHOICE_MESSAGES] = choice->own.messages / TIMED;
    words[IRR_CHOICE_SENT] = choice->own.sent / TIMED;
    words[IRR_CHOICE_RECEIVED] = choice->own.received / TIMED;
    words[IRR_CHOICE_LONGEST] = choice->own.longest;
}

/* Back to exchanges by one way; the ranks agree next when twice as many are over. */
static void begin_epoch(irr_choice_t *choice)
{
    choice->tries = false;
    choice->agreed = choice->calls;
    choice->next = 2 * choice->calls;
    choice->own_ns = UINT64_MAX;
    choice->own = (irr_choice_load_t){ .messages = 0 };
}

static bool twice(uint64_t a, uint64_t b)
{
    return a >= 2 * b + 1 || b >= 2 * a + 1;
}

static bool is_other(const irr_choice_load_t *a, const irr_choice_load_t *b)
{
    return twice(a->messages, b->messages) || twice(a->sent, b->sent) || twice(a->received, b->received);
}

/* What may be spent now pays for a trial of so many ways, and for what opens them. */
static bool can_pay(const irr_choice_t *choice, int ways, double opening_ns)
{
    const double trial_ns = EXPECTED_EXTRA * choice->mean_ns * irr_trial_most(ways);

    return choice->share * choice->cost_ns >= choice->spent_ns + opening_ns + trial_ns;
}

static void take_epoch(irr_choice_t *choice, const uint64_t *words)
{
    choice->share = (double)(UINT32_MAX - (uint32_t)words[IRR_CHOICE_THRIFT]) / 100;
    choice->mean_ns = (double)words[IRR_CHOICE_NS];
    choice->cost_ns += choice->mean_ns * (double)(choice->calls - choice->agreed);
    choice->spent_ns += (double)words[IRR_CHOICE_SPENT_NS];
    choice->own_spent_ns = 0;
    choice->node_ranks = (int)words[IRR_CHOICE_NODE_RANKS];
    choice->load = (irr_choice_load_t){
        .messages = words[IRR_CHOICE_MESSAGES], .sent = words[IRR_CHOICE_SENT],
        .received = words[IRR_CHOICE_RECEIVED], .longest = words[IRR_CHOICE_LONGEST]
    };
}

/* After exchanges by one way: a trial of all, of the winner, or none. */
static irr_choice_act_t after_epoch(irr_choice_t *choice, const uint64_t *words)
{
    const double opening_ns = (double)words[IRR_CHOICE_OPENING_NS];
    bool full;

    take_epoch(choice, words);
    full = !choice->tried || is_other(&choice->load, &choice->settled) ||
           (choice->way == 0 && choice->calls >= choice->again);
    begin_epoch(choice);
    if (full && can_pay(choice, IRR_TRIAL_WAYS, opening_ns)) {
        return IRR_CHOICE_OPENS;
    }
    if (choice->way != 0 && choice->calls >= choice->again && can_pay(choice, 2, 0)) {
        choice->full = false;
        choice->tries = true;
        irr_trial_begin(&choice->trial, 2);
    }
    return IRR_CHOICE_GOES_ON;
}

static irr_choice_act_t after_round(irr_choice_t *choice, const uint64_t *words)
{
    if (!irr_trial_agreed(&choice->trial, words)) {
        return IRR_CHOICE_GOES_ON;
    }
    choice->spent_ns += choice->trial.extra_ns > 0 ? choice->trial.extra_ns : 0;
    choice->way = choice->full || choice->trial.winner == 0 ? choice->trial.winner : choice->way;
    choice->settled = choice->load;
    choice->tried = true;
    begin_epoch(choice);
    choice->again = AGAIN * choice->calls;
    return IRR_CHOICE_SETTLES;
}

irr_choice_act_t irr_choice_agreed(irr_choice_t *choice, const uint64_t words[IRR_CHOICE_WORDS])
{
    return choice->tries ? after_round(choice, words) : after_epoch(choice, words);
}

void irr_choice_opened(irr_choice_t *choice, int ways, uint64_t ns)
{
    choice->own_spent_ns += ns;
    choice->way = 0;
    choice->tried = true;
    choice->settled = choice->load;
    choice->again = AGAIN * choice->calls;
    if (ways > 0) {
        choice->full = true;
        choice->tries = true;
        irr_trial_begin(&choice->trial, 1 + ways);
    }
}

/* ---- traffic ---- */

irr_traffic_t irr_choice_traffic(const irr_choice_t *choice, int ranks)
{
    const irr_choice_load_t *load = &choice->load;

    return (irr_traffic_t){
        .ranks = ranks, .node_ranks = choice->node_ranks, .plain = true, .messages = (double)load->messages,
        .bytes = (double)(load->sent > load->received ? load->sent : load->received),
        .even = (double)(load->sent < load->received ? load->sent : load->received), .longest = (double)load->longest
    };
}
