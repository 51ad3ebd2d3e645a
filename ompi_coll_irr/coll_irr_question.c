/*
 * coll_irr_question.c - steps of an agreement: the question, in which the ranks learn whether they want a collective
 * served.
 *
 * The ranks reduce a few words to their maxima.  Parameters may differ between ranks, so no rank can decide alone.  The
 * same reduction checks whether all ranks have coll/irr (coll_irr_signature.c).
 *
 * Cost: one reduction; if the ranks disagree, one more that distributes the cause.
 */
#include "coll_irr_agreement.h"
#include "coll_irr_memory.h"
#include "coll_irr_team.h"
#include "coll_irr_settings.h"
#include "coll_irr_statistics.h"

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

/* The words of the question; ranks learn their maxima.  A rank r is stored as ranks - r, so the lowest rank remains. */
enum { BAD_VALUE, WANTED, LEFT, APART, PINNED, MACHINE, WORDS = MACHINE + 2 };

_Static_assert((int)WORDS <= (int)MCA_COLL_IRR_WORDS_MAX, "there is room");

/*
 * Returns true if this rank reports the cause: the lowest rank with a bad value, or else the lowest one that leaves the
 * collective to Open MPI.
 */
static bool speaks(const mca_coll_irr_agreement_t *agreement)
{
    const mca_coll_irr_ranks_t *ranks = &agreement->module->ranks;
    const uint64_t *words = agreement->words;

    return (words[BAD_VALUE] != 0 ? words[BAD_VALUE] : words[LEFT]) == (uint64_t)(ranks->size - ranks->rank);
}

/*
 * Writes the cause if this rank has a bad value or another trouble.  Warns the user, unless MPI_Init has named the
 * value.
 */
static void speak_trouble(const mca_coll_irr_module_t *module, char why[MCA_COLL_IRR_WHY])
{
    const mca_coll_irr_bad_t *bad = module->bad;
    char text[320];

    if (bad == NULL) {
        snprintf(why, MCA_COLL_IRR_WHY, "rank %d: %s", module->ranks.rank,
                 module->reason != NULL ? module->reason : "it has no memory");
        snprintf(text, sizeof(text), "%s; Open MPI's own algorithm serves the communicator", why);
        mca_coll_irr_warn("engine-message", text);
        return;
    }
    snprintf(why, MCA_COLL_IRR_WHY, "%s is '%s' on rank %d, which is not allowed", bad->parameter, bad->value,
             module->ranks.rank);
    if (bad->keyed) {
        mca_coll_irr_warn_bad(bad);
    }
}

/* Local: warns the user, and writes the cause for all ranks. */
static void speak(mca_coll_irr_agreement_t *agreement, char why[MCA_COLL_IRR_WHY])
{
    const mca_coll_irr_module_t *module = agreement->module;
    const char *parameter = mca_coll_irr_parameter(agreement->service->which);
    char text[320];

    if (agreement->words[BAD_VALUE] != 0) {
        speak_trouble(module, why);
        return;
    }
    snprintf(why, MCA_COLL_IRR_WHY, "%s is %s on rank %d and not on others", parameter, agreement->why,
             module->ranks.rank);
    snprintf(text, sizeof(text), "%s is %s on some ranks of a communicator and not on others; parameters must be the "
             "same on all ranks; Open MPI's own algorithm serves the communicator", parameter, agreement->why);
    mca_coll_irr_warn("engine-message", text);
}

static irr_status_t wait_for_cause(mca_coll_irr_agreement_t *agreement)
{
    const irr_status_t status = mca_coll_irr_rounds_test(&agreement->rounds);
    char *why = (char *)agreement->text;

    if (status == IRR_OK) {
        why[MCA_COLL_IRR_WHY - 1] = '\0';
        mca_coll_irr_decline(agreement->module, agreement->service, why);
        agreement->next = agreement->then;
    }
    return status;
}

/* Some ranks leave the collective to Open MPI or have a bad value: one rank reports the cause, and all learn it. */
static irr_status_t divided(mca_coll_irr_agreement_t *agreement)
{
    memset(agreement->text, 0, sizeof(agreement->text));
    if (speaks(agreement)) {
        speak(agreement, (char *)agreement->text);
    }
    mca_coll_irr_rounds_maxima(&agreement->rounds, agreement->text, MCA_COLL_IRR_WHY_WORDS,
                               &MCA_COLL_IRR_PARTNERS_ALL);
    agreement->next = wait_for_cause;
    return IRR_OK;
}

/* Local: sets the partners.  A failed lookup becomes the trouble of this rank. */
static void look(mca_coll_irr_module_t *module, mca_coll_irr_partners_t *partners)
{
    if (mca_coll_irr_signature_look(&module->ranks, partners) != IRR_OK && module->trouble == IRR_OK) {
        module->trouble = IRR_ERR_OOB;
        module->reason = strdup("a rank cannot look up what others have published in MPI_Init");
    }
}

/*
 * Sets the words of this rank, and `why` if it leaves the collective to Open MPI.  A rank without memory for a module
 * has read no settings.  It agrees with the others here, and reports its trouble in the setup.
 */
static void want(mca_coll_irr_agreement_t *agreement)
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

static irr_status_t wait_for_answers(mca_coll_irr_agreement_t *agreement)
{
    const irr_status_t status = mca_coll_irr_rounds_test(&agreement->rounds);
    char why[MCA_COLL_IRR_CAUSE];

    if (status != IRR_OK) {
        return status;
    }
    if (!agreement->everywhere &&
        !mca_coll_irr_signature_is_same(&agreement->module->ranks, agreement->words, why, sizeof(why))) {
        mca_coll_irr_decline(agreement->module, agreement->service, why);
        agreement->next = agreement->then;
        return IRR_OK;
    }
    agreement->everywhere = true;
    return decide(agreement);
}

irr_status_t mca_coll_irr_question_begin(mca_coll_irr_agreement_t *agreement, mca_coll_irr_step_t then)
{
    mca_coll_irr_partners_t partners = MCA_COLL_IRR_PARTNERS_ALL;

    memset(agreement->words, 0, MCA_COLL_IRR_SIGNATURE_WORDS * sizeof(agreement->words[0]));
    if (!agreement->everywhere) {
        look(agreement->module, &partners);
    }
    want(agreement);
    if (agreement->everywhere) {
        mca_coll_irr_rounds_maxima(&agreement->rounds, agreement->words, WORDS, &partners);
    } else {
        mca_coll_irr_signature_ask(&agreement->rounds, &partners, agreement->words);
    }
    agreement->then = then;
    agreement->next = wait_for_answers;
    return IRR_OK;
}

bool mca_coll_irr_question_is_alike(const mca_coll_irr_agreement_t *agreement)
{
    return agreement->words[APART] == 0;
}

bool mca_coll_irr_question_tries(const mca_coll_irr_agreement_t *agreement)
{
    return agreement->words[PINNED] == 0;
}

const uint64_t *mca_coll_irr_question_machine(const mca_coll_irr_agreement_t *agreement)
{
    return agreement->words + MACHINE;
}
