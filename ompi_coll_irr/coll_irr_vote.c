/*
 * coll_irr_vote.c - steps of an agreement: the vote, in which the ranks learn whether they want a collective
 * served.
 *
 * The ranks reduce a few words to their maxima.  Parameters may differ between ranks, so no rank can decide alone.  The
 * same reduction checks whether all ranks have coll/irr (coll_irr_signature.c).
 *
 * Cost: one reduction; if the ranks disagree, one more that distributes the cause.
 */
#include "coll_irr_agreement.h"
#include "coll_irr_memory.h"
#include "coll_irr_settings.h"
#include "coll_irr_statistics.h"
#include "coll_irr_team.h"

#include <stdlib.h>

/* ---- reasons ---- */

static bool given(const char *path)
{
    return path != NULL && path[0] != '\0';
}

const char *mca_coll_irr_reason_to_serve(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    if (service->algorithm != MCA_COLL_IRR_AUTO) {
        return "";
    }
    return given(module->settings->engine.schedule_file) ? " and there is a schedule file" : " and there is a dump";
}

/*
 * Returns the algorithm if this rank leaves the collective to Open MPI, or NULL if it wants the collective served.  A
 * schedule file or a dump of the matrices also means that it does.
 */
static const char *reason_to_leave(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    const mca_coll_irr_settings_t *settings = module->settings;

    if (service->algorithm == MCA_COLL_IRR_HOST) {
        return "host";
    }
    if (service->state == MCA_COLL_IRR_CHOOSING || service->algorithm != MCA_COLL_IRR_AUTO ||
        given(settings->engine.schedule_file) || given(settings->engine.matrix_dump)) {
        return NULL;
    }
    return "auto and coll_irr_setup_share is 0";
}

/* Returns true if this rank's settings allow trials of the strategies of the named algorithm. */
static bool tries(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    const mca_coll_irr_settings_t *settings = module->settings;

    return service->algorithm >= 0 && irr_algorithm_strategy(service->algorithm)->order->uses_tree &&
           settings->engine.pacing == IRR_PACING_AUTO && mca_coll_irr_component.params.setup_share > 0 &&
           !given(settings->engine.schedule_file) && !given(settings->engine.matrix_dump);
}

/* ---- words ---- */

/* A rank r is stored in a word as ranks - r, so the maximum is the lowest rank. */
enum { BAD_VALUE, WANTED, LEFT, APART = MCA_COLL_IRR_VOTE_APART, PINNED, MACHINE, WORDS = MACHINE + 2 };

_Static_assert((int)WORDS <= (int)MCA_COLL_IRR_WORDS_MAX && (int)MACHINE == (int)MCA_COLL_IRR_VOTE_MACHINE,
               "the words have room, and the order of coll_irr_agreement.h");

/*
 * Returns true if this rank reports the cause: the lowest rank with a bad value, or else the lowest one that leaves the
 * collective to Open MPI.
 */
static bool reports(const mca_coll_irr_agreement_t *agreement)
{
    const mca_coll_irr_ranks_t *ranks = &agreement->module->ranks;
    const uint64_t *words = agreement->words;

    return (words[BAD_VALUE] != 0 ? words[BAD_VALUE] : words[LEFT]) == (uint64_t)(ranks->size - ranks->rank);
}

/*
 * Writes the cause if this rank has a bad value or another trouble.  Warns the user, unless MPI_Init has named the
 * value.
 */
static void report_trouble(const mca_coll_irr_module_t *module, char why[MCA_COLL_IRR_WHY])
{
    const mca_coll_irr_bad_t *bad = module->bad;

    if (bad == NULL) {
        snprintf(why, MCA_COLL_IRR_WHY, "rank %d: %s", module->ranks.rank,
                 module->reason != NULL ? module->reason : "it has no memory");
        mca_coll_irr_warn("engine-message", "%s; Open MPI's own algorithm serves the communicator", why);
        return;
    }
    snprintf(why, MCA_COLL_IRR_WHY, "%s is '%s' on rank %d, which is not allowed", bad->parameter, bad->value,
             module->ranks.rank);
    if (bad->keyed) {
        mca_coll_irr_warn_bad(bad);
    }
}

/* Local: warns the user, and writes the cause for all ranks. */
static void report(mca_coll_irr_agreement_t *agreement, char why[MCA_COLL_IRR_WHY])
{
    const mca_coll_irr_module_t *module = agreement->module;
    const char *parameter = mca_coll_irr_parameter(agreement->service->which);

    if (agreement->words[BAD_VALUE] != 0) {
        report_trouble(module, why);
        return;
    }
    snprintf(why, MCA_COLL_IRR_WHY, "%s is %s on rank %d and not on others", parameter, agreement->why,
             module->ranks.rank);
    mca_coll_irr_warn("engine-message", "%s is %s on some ranks of a communicator and not on others; parameters must "
                      "be the same on all ranks; Open MPI's own algorithm serves the communicator", parameter,
                      agreement->why);
}

static irr_status_t take_cause(mca_coll_irr_agreement_t *agreement)
{
    char *why = (char *)agreement->text;

    why[MCA_COLL_IRR_WHY - 1] = '\0';
    mca_coll_irr_decline(agreement->module, agreement->service, why);
    agreement->next = agreement->then;
    return IRR_OK;
}

/* Some ranks leave the collective to Open MPI or have a bad value: one rank reports the cause, and all learn it. */
static irr_status_t divided(mca_coll_irr_agreement_t *agreement)
{
    memset(agreement->text, 0, sizeof(agreement->text));
    if (reports(agreement)) {
        report(agreement, (char *)agreement->text);
    }
    return mca_coll_irr_agreement_reduce(agreement, agreement->text, MCA_COLL_IRR_WHY_WORDS, take_cause);
}

/* Local: sets the partners.  A failed lookup becomes the trouble of this rank. */
static void find_partners(mca_coll_irr_module_t *module, mca_coll_irr_partners_t *partners)
{
    if (mca_coll_irr_signature_partners(&module->ranks, partners) != IRR_OK && module->trouble == IRR_OK) {
        module->trouble = IRR_ERR_OOB;
        module->reason = strdup("a rank cannot look up what others have published in MPI_Init");
    }
}

/*
 * Sets the words of this rank, and `why` if it leaves the collective to Open MPI.  A rank without memory for a module
 * has read no settings.  It agrees with the others here, and reports its trouble in the setup.
 */
static void cast_vote(mca_coll_irr_agreement_t *agreement)
{
    mca_coll_irr_module_t *module = agreement->module;
    const mca_coll_irr_service_t *service = agreement->service;
    const mca_coll_irr_which_t leader = mca_coll_irr_collectives[service->which].leader;
    const uint64_t me = (uint64_t)(module->ranks.size - module->ranks.rank);
    uint64_t *words = agreement->words;

    if (module->trouble == IRR_ERR_NO_MEMORY) {
        return;
    }
    if (module->trouble == IRR_OK) {
        agreement->why = agreement->aim.unfit != NULL ? agreement->aim.unfit : reason_to_leave(module, service);
    }
    words[BAD_VALUE] = module->trouble != IRR_OK ? me : 0;
    words[WANTED] = agreement->why == NULL;
    words[LEFT] = agreement->why != NULL ? me : 0;
    words[APART] = service->algorithm != mca_coll_irr_algorithm_of(module, leader);
    words[PINNED] = !tries(module, service);
    if (service->state == MCA_COLL_IRR_CHOOSING) {
        mca_coll_irr_machine_words(words + MACHINE);
    }
}

/* ---- steps ---- */

/* Decides by the maxima of the words of all ranks. */
static irr_status_t decide(mca_coll_irr_agreement_t *agreement)
{
    const char *why = agreement->why != NULL ? agreement->why : "not known, for want of memory";
    char text[160];

    agreement->next = agreement->then;
    if (agreement->words[WANTED] == 0) {
        snprintf(text, sizeof(text), "%s is %s", mca_coll_irr_parameter(agreement->service->which), why);
        mca_coll_irr_decline(agreement->module, agreement->service, text);
    } else if (agreement->words[BAD_VALUE] != 0 || agreement->words[LEFT] != 0) {
        return divided(agreement);
    }
    return IRR_OK;
}

static irr_status_t take_answers(mca_coll_irr_agreement_t *agreement)
{
    char why[MCA_COLL_IRR_CAUSE];

    if (!agreement->everywhere &&
        !mca_coll_irr_signature_is_same(&agreement->module->ranks, agreement->words, why, sizeof(why))) {
        mca_coll_irr_decline(agreement->module, agreement->service, why);
        agreement->next = agreement->then;
        return IRR_OK;
    }
    agreement->everywhere = true;
    return decide(agreement);
}

irr_status_t mca_coll_irr_vote_begin(mca_coll_irr_agreement_t *agreement, mca_coll_irr_step_t then)
{
    mca_coll_irr_partners_t partners = MCA_COLL_IRR_PARTNERS_ALL;

    memset(agreement->words, 0, MCA_COLL_IRR_SIGNATURE_WORDS * sizeof(agreement->words[0]));
    if (!agreement->everywhere) {
        find_partners(agreement->module, &partners);
    }
    cast_vote(agreement);
    if (agreement->everywhere) {
        mca_coll_irr_reduction_maxima(&agreement->reduction, agreement->words, WORDS, &partners);
    } else {
        mca_coll_irr_signature_reduce(&agreement->reduction, &partners, agreement->words);
    }
    agreement->then = then;
    agreement->next = take_answers;
    return IRR_OK;
}
