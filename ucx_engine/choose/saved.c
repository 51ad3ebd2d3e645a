/* saved.c - computes with speedups and with the time that they save; see saved.h. */
#include "choose/saved.h"

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

irr_speedup_t irr_speedup_inverse(const irr_speedup_t *speedup)
{
    return (irr_speedup_t){ 1 / speedup->is, 1 / speedup->high, 1 / speedup->low };
}

irr_speedup_t irr_speedup_product(const irr_speedup_t *first, const irr_speedup_t *second)
{
    return (irr_speedup_t){ first->is * second->is, first->low * second->low, first->high * second->high };
}

irr_speedup_t irr_speedup_mean(const irr_speedup_t *a, const irr_speedup_t *b)
{
    return (irr_speedup_t){ (a->is + b->is) / 2, smaller(a->low, b->low), larger(a->high, b->high) };
}

irr_saved_t irr_account_saved(const irr_account_t *account, const irr_speedup_t *speedup)
{
    return (irr_saved_t){
        account->saved.is + account->since_ns * (speedup->is - 1),
        account->saved.low + account->since_ns * (speedup->low - 1),
        account->saved.high + account->since_ns * (speedup->high - 1)
    };
}

void irr_account_book(irr_account_t *account, const irr_speedup_t *speedup)
{
    account->saved = irr_account_saved(account, speedup);
    account->since_ns = 0;
}
