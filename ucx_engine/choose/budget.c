/*
 * budget.c - the budget for trials (choose/choice.h): how much of it is left, and what the next openings and looks
 * cost.  A look tries a strategy in a few exchanges (choose/trial.h).
 */
#include "choose/choice.h"

/* The fraction of the saved time that trials may cost. */
#define SAVED_SPENT 0.5

/*
 * Relative to an exchange by the current strategy, the additional time of each exchange of a look is estimated as its
 * expected time minus DOUBT, and at least EXTRA_MIN.  DOUBT is less than 1 because the expected time may be too short.
 */
#define DOUBT     0.7
#define EXTRA_MIN 0.25

double irr_choice_budget(const irr_choice_t *choice)
{
    return choice->share * choice->cost_ns + SAVED_SPENT * irr_choice_certain(choice) - choice->spent_ns;
}

double irr_choice_earning(const irr_choice_t *choice)
{
    return choice->mean_ns * (choice->share + SAVED_SPENT * irr_choice_gain(choice));
}

double irr_choice_look(const irr_choice_t *choice, double ratio)
{
    const double extra = ratio * choice->speedup.is - DOUBT;

    return choice->mean_ns * irr_trial_look(choice->mean_ns) * (extra > EXTRA_MIN ? extra : EXTRA_MIN);
}

double irr_choice_next(const irr_choice_t *choice, int strategies)
{
    double ns = (double)choice->setup.first;

    for (int i = choice->next; i < choice->next + strategies; i++) {
        ns += (double)choice->setup.strategy + irr_choice_look(choice, choice->ratios[i]);
    }
    return ns;
}

irr_choice_funds_t irr_choice_funds(const irr_choice_t *choice)
{
    const double recent = choice->mean_ns * (double)(choice->calls - choice->agreed);
    const double each = irr_choice_earning(choice);
    irr_choice_funds_t funds = {
        .cost = choice->cost_ns + recent,
        .spent = choice->spent_ns,
        .budget = irr_choice_budget(choice) + recent * choice->share,
        .wanted = choice->next < choice->list ? irr_choice_next(choice, 1) : 0
    };

    if (each > 0 && funds.wanted > funds.budget) {
        funds.calls = (uint64_t)((funds.wanted - funds.budget) / each) + 1;
    }
    return funds;
}

int irr_choice_payable(const irr_choice_t *choice)
{
    const int busy = (irr_choice_has_trial(choice) ? choice->trial.count : 1) +
                     (choice->strategy != 0);   /* slot 0 stays reserved */
    const int room = IRR_TRIAL_STRATEGIES - busy, rest = choice->list - choice->next;
    int strategies = room < rest ? room : rest;

    while (strategies > 0 && irr_choice_next(choice, strategies) > irr_choice_budget(choice)) {
        strategies--;
    }
    return strategies;
}
