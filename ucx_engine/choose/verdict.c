/*
 * verdict.c - evaluates trials for the strategy in use: its speedup over strategy 0 (Open MPI's implementation), and
 * the time that it has saved.
 *
 * A verdict is the result of a trial that a strategy has won, or of a later check: a trial that compares the strategy
 * with strategy 0 again.  If strategy 0 wins the check, it is used from then on.  The exchanges between two verdicts
 * are assumed to have the mean speedup of both.
 */
#include "choose/choice.h"

/* ---- saved time ---- */

/* Books the exchanges since the last verdict with the mean speedup of the last verdict and this verdict. */
static void book(irr_choice_t *choice, const irr_speedup_t *verdict)
{
    const irr_speedup_t mean = irr_speedup_mean(&choice->speedup, verdict);

    irr_account_book(&choice->account, &mean);
    irr_account_book(&choice->own_account, &mean);
}

irr_saved_t irr_choice_saved(const irr_choice_t *choice)
{
    return irr_account_saved(&choice->own_account, &choice->speedup);
}

/* Returns the lower bound if it is a gain, the estimate if it is a loss, and otherwise 0. */
static double certain(double low, double is)
{
    return low > 0 ? low : is < 0 ? is : 0;
}

double irr_choice_certain(const irr_choice_t *choice)
{
    irr_account_t account = choice->account;
    irr_saved_t saved;

    account.since_ns += (double)(choice->calls - choice->agreed) * choice->mean_ns;
    saved = irr_account_saved(&account, &choice->speedup);
    return certain(saved.low, saved.is);
}

double irr_choice_gain(const irr_choice_t *choice)
{
    return certain(choice->speedup.low - 1, choice->speedup.is - 1);
}

/* ---- verdicts ---- */

void irr_choice_fall_back(irr_choice_t *choice)
{
    book(choice, &choice->speedup);
    choice->checks = false;
    choice->strategy = 0;
    choice->speedup = IRR_SPEEDUP_NONE;
}

/*
 * If the speedup has fallen to less than this fraction of its earlier value, the winner stays, but is compared with the
 * other strategies again.
 */
#define WORSE 0.87

/* Makes a strategy the current one.  Its speedup was measured earlier; the next check shows whether it still holds. */
void irr_choice_recall(irr_choice_t *choice, int strategy, double speedup)
{
    const double over_base = speedup / choice->speedup.is;

    book(choice, &choice->speedup);
    choice->lost = 0;
    choice->strategy = strategy;
    choice->speedup = (irr_speedup_t){ speedup, speedup, speedup };
    choice->mean_ns /= over_base;
    choice->recalled = true;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/*
 * Returns the verdict of a check.  If the check was only a look, that is, a few exchanges, it has no samples.  The
 * verdict is then the previous one, but not above the speedup of the look.
 */
static irr_speedup_t verdict_of(const irr_choice_t *choice)
{
    const irr_speedup_t verdict = irr_speedup_inverse(&choice->trial.speedups[1]);
    const irr_speedup_t *last = &choice->speedup;

    return choice->trial.samples[1].count > 0
               ? verdict
               : (irr_speedup_t){ smaller(last->is, verdict.is), smaller(last->low, verdict.is), last->high };
}

/* Ends a check.  If strategy 0 was faster, the network may have changed, so strategies are listed again. */
static void end_check(irr_choice_t *choice)
{
    irr_trial_t *trial = &choice->trial;

    trial->speedups[0] = verdict_of(choice);
    trial->speedups[1] = IRR_SPEEDUP_NONE;
    book(choice, &trial->speedups[0]);
    choice->relists = choice->relists || trial->speedups[0].is < WORSE * choice->speedup.is;
    choice->speedup = trial->speedups[0];
    if (trial->winner != 0) {
        irr_choice_fall_back(choice);
        choice->lost = trial->speedups[0].is;
        choice->relists = true;
    }
}

static void end_trial(irr_choice_t *choice)
{
    irr_trial_t *trial = &choice->trial;
    const double over_base = trial->speedups[trial->winner].is;

    for (int i = 0; i < trial->count; i++) {
        irr_speedup_t *speedup = &trial->speedups[i];

        *speedup = irr_speedup_product(&choice->speedup, speedup);
        choice->best = i > 0 && i != trial->winner && speedup->is > choice->best ? speedup->is : choice->best;
    }
    if (trial->winner != 0) {
        book(choice, &choice->speedup);
        choice->lost = 0;
        choice->strategy = choice->slots[trial->winner];
        choice->speedup = trial->speedups[trial->winner];
        choice->mean_ns /= over_base;
    }
}

/* Returns true if the trial was too short or too noisy to exclude that a strategy is faster. */
static bool doubts(const irr_choice_t *choice)
{
    const irr_trial_t *trial = &choice->trial;
    bool doubts = choice->losses == 1;

    for (int i = 1; i < trial->count; i++) {
        doubts = doubts || trial->speedups[i].high >= IRR_SPEEDUP_GAIN;
    }
    return doubts;
}

bool irr_choice_judge(irr_choice_t *choice)
{
    const bool check = irr_choice_is_check(choice);

    choice->recalled = false;
    if (check) {
        end_check(choice);
    } else {
        end_trial(choice);
    }
    choice->losses += choice->strategy == 0;
    return choice->strategy == 0 && (check || doubts(choice));
}

int irr_choice_measured(const irr_choice_t *choice, int i, irr_speedup_t *speedup)
{
    *speedup = choice->trial.speedups[i];
    return (i > 0 || irr_choice_is_check(choice)) && speedup->low < speedup->high ? choice->slots[i] : 0;
}
