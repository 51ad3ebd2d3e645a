/*
 * coll_irr_cause.c - why a collective of a communicator is served by what serves it, as a clause: the one text that a
 * line of coll_irr_verbose and the report give as the cause.
 *
 * Where the ranks have decided once and for all, the cause is a text that was kept then.  Where they choose, it follows
 * from the state of the choice, so it is true at any time, also for a communicator that ends before its first trial.
 */
#include "coll_irr_choose.h"
#include "coll_irr_tell.h"

/* The exchanges so far, and their time if it is measured. */
static void exchanges_text(const mca_coll_irr_service_t *service, char *text, size_t size)
{
    const unsigned long long calls = (unsigned long long)service->choice.calls;
    const double ns = service->row != NULL ? (double)service->row->ns : 0;
    char took[MCA_COLL_IRR_UNITS];

    snprintf(text, size, "%llu exchange%s", calls, calls == 1 ? "" : "s");
    if (ns > 0) {
        const size_t length = strlen(text);

        mca_coll_irr_time_text((int64_t)ns, took);
        snprintf(text + length, size - length, " took rank 0 %s", took);
    }
}

/* Fewer exchanges than the ranks wait for before they agree for the first time. */
static void too_few_text(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service, char *text,
                         size_t size)
{
    const bool one_node = mca_coll_irr_node_ranks(module) == module->ranks.size;
    char exchanges[64];

    exchanges_text(service, exchanges, sizeof(exchanges));
    snprintf(text, size, "%s, and the ranks first look for a faster algorithm after %d", exchanges,
             irr_choice_first(one_node));
}

/* The exchanges so far do not pay for a trial. */
static void unpaid_text(const mca_coll_irr_service_t *service, const irr_choice_funds_t *funds, char *text,
                        size_t size)
{
    const double share = service->choice.share;
    const int tried = service->choice.tried;
    char before[48] = "", exchanges[64], counted[MCA_COLL_IRR_UNITS];
    char allowed[MCA_COLL_IRR_UNITS], spent[MCA_COLL_IRR_UNITS], wanted[MCA_COLL_IRR_UNITS];
    char more[64] = "";

    exchanges_text(service, exchanges, sizeof(exchanges));
    mca_coll_irr_time_text((int64_t)funds->cost, counted);
    mca_coll_irr_time_text((int64_t)(share * funds->cost), allowed);
    mca_coll_irr_time_text((int64_t)funds->spent, spent);
    mca_coll_irr_time_text((int64_t)funds->wanted, wanted);
    if (tried > 0) {   /* what they showed is old now */
        snprintf(before, sizeof(before), "%d algorithm%s in earlier trials; ", tried, tried == 1 ? "" : "s");
    }
    if (funds->calls > 0) {
        snprintf(more, sizeof(more), ", which about %llu more pay for", (unsigned long long)funds->calls);
    }
    snprintf(text, size, "%s%s, and count as %s; coll_irr_setup_share allows %.0f %% of it, %s, of which %s count as "
             "spent; the next trial takes %s%s", before, exchanges, counted,
             100 * share, allowed, spent, wanted, more);
}

/* Open MPI's own serves, and nothing that was tried says why. */
static void untried_text(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service, char *text,
                         size_t size)
{
    const irr_choice_funds_t funds = irr_choice_funds(&service->choice);

    if (!service->choice.listed) {
        too_few_text(module, service, text, size);
    } else if (funds.wanted > 0) {
        unpaid_text(service, &funds, text, size);
    } else if (service->choice.recall.losers > 0) {
        snprintf(text, size, "no other algorithm was faster for such messages in earlier trials");
    } else {
        snprintf(text, size, "the model expects no other algorithm to be faster for these messages");
    }
}

/* Open MPI's own serves, and other algorithms were tried, or will be. */
static void host_text(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service, char *text,
                      size_t size)
{
    const irr_choice_t *choice = &service->choice;

    if (choice->relists && choice->exchanges == service->told_exchanges) {
        snprintf(text, size, "messages have changed, and a comparison with the algorithm used so far does not pay yet");
    } else if (choice->tries) {
        snprintf(text, size, "a trial of %d algorithm%s is not over yet", choice->trial.count - 1,
                 choice->trial.count == 2 ? "" : "s");
    } else if (choice->tried > 0 && choice->best > 0) {
        snprintf(text, size, "the best other algorithm has speedup %.2f%s", choice->best,
                 choice->best > 1 ? ", which is no gain of 3 % beyond doubt" : "");
    } else if (choice->lost > 0) {
        snprintf(text, size, "the algorithm used before has speedup %.2f now", choice->lost);
    } else if (service->refused) {
        snprintf(text, size, "no other algorithm can be opened: %s", service->why);
    } else {
        untried_text(module, service, text, size);
    }
}

/* An algorithm is named, and the ranks choose among its strategies. */
static void named_text(const mca_coll_irr_service_t *service, char *text, size_t size)
{
    char speedup[64] = "";

    if (service->choice.way != 0) {
        snprintf(speedup, sizeof(speedup), ", and it has speedup %.2f over the strategy used at first",
                 service->choice.speedup.is);
    }
    snprintf(text, size, "%s%s", service->why, speedup);
}

void mca_coll_irr_cause(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service, char *text,
                        size_t size)
{
    if (service->state == MCA_COLL_IRR_NEW) {
        snprintf(text, size, "the ranks agree on it after the first call");
    } else if (service->state != MCA_COLL_IRR_CHOOSING) {
        snprintf(text, size, "%s", service->why);
    } else if (service->host_way != 0) {
        named_text(service, text, size);
    } else if (service->choice.recalled) {
        snprintf(text, size, "it had speedup %.2f at least in earlier trials", service->choice.speedup.is);
    } else if (service->choice.way != 0) {
        snprintf(text, size, "it has speedup %.2f in trials%s", service->choice.speedup.is,
                 service->choice.exchanges > 0 ? "" : " of calls");
    } else {
        host_text(module, service, text, size);
    }
}

void mca_coll_irr_served_by(const mca_coll_irr_service_t *service, char *text, size_t size)
{
    if (service->state == MCA_COLL_IRR_SERVING) {
        snprintf(text, size, "%s", mca_coll_irr_serving(service));
    } else {
        const bool chooses = service->state == MCA_COLL_IRR_CHOOSING;

        mca_coll_irr_way_text(service, chooses ? service->choice.way : service->host_way, text, size);
    }
}

void mca_coll_irr_way_text(const mca_coll_irr_service_t *service, int way, char *text, size_t size)
{
    if (way == service->host_way) {
        snprintf(text, size, "Open MPI's own");
    } else {
        irr_candidate_text(&service->candidates->open[way], text, size);
    }
}
