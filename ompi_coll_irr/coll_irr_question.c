/*
 * coll_irr_question.c - see coll_irr_question.h.
 *
 * The ranks learn the maxima of a few words.  Parameters may differ between ranks, so none can tell alone; nor that all
 * have coll/irr, which is found on the way (coll_irr_records.c).
 */
#include "coll_irr_choose.h"
#include "coll_irr_question.h"
#include "coll_irr_settings.h"
#include "coll_irr_tell.h"

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
    return given(module->settings->schedule_file) ? " and there is a schedule file" : " and there is a dump";
}

/*
 * What the algorithm is, if that means that this rank leaves the collective to Open MPI; NULL if it wants it served, as
 * who gives a schedule or asks for the matrices does.
 */
static const char *reason_to_leave(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    const mca_coll_irr_settings_t *settings = module->settings;

    if (service->algorithm == MCA_COLL_IRR_HOST) {
        return "host";
    }
    if (service->state == MCA_COLL_IRR_CHOOSING || service->algorithm != MCA_COLL_IRR_AUTO ||
        given(settings->schedule_file) || given(settings->matrix_dump)) {
        return NULL;
    }
    return "auto and coll_irr_setup_share is 0";
}

/* May the ranks try strategies of the algorithm that is named, as far as this rank's settings say? */
static bool tries(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    const mca_coll_irr_settings_t *settings = module->settings;

    return service->algorithm >= 0 && irr_algorithm_way(service->algorithm)->order->uses_tree &&
           settings->engine.pace == IRR_PACE_AUTO && mca_coll_irr_component.params.setup_share > 0 &&
           !given(settings->schedule_file) && !given(settings->matrix_dump);
}

/* ---- words ---- */

/* What the ranks want, as the maxima of their words; a rank as ranks - rank, so that the lowest one remains. */
enum { BAD_VALUE, WANTED, LEFT, APART, PINNED, MACHINE, WORDS = MACHINE + 2 };

_Static_assert((int)WORDS <= (int)MCA_COLL_IRR_WORDS_MAX, "there is room");

/* Does this rank speak for those that have a bad value, or else for those that leave the collective to Open MPI? */
static bool speaks(const mca_coll_irr_question_t *question)
{
    const mca_coll_irr_ranks_t *ranks = &question->module->ranks;
    const uint64_t *words = question->words;

    return (words[BAD_VALUE] != 0 ? words[BAD_VALUE] : words[LEFT]) == (uint64_t)(ranks->size - ranks->rank);
}

/* Names a bad value, unless MPI_Init has named it, or another trouble. */
static void speak_trouble(const mca_coll_irr_module_t *module, char why[MCA_COLL_IRR_QUESTION_WHY])
{
    const mca_coll_irr_bad_t *bad = module->bad;
    char text[320];

    if (bad == NULL) {
        snprintf(why, MCA_COLL_IRR_QUESTION_WHY, "rank %d: %s", module->ranks.rank,
                 module->reason != NULL ? module->reason : "it has no memory");
        snprintf(text, sizeof(text), "%s; Open MPI's own algorithm serves the communicator", why);
        mca_coll_irr_tell("engine-message", text);
        return;
    }
    snprintf(why, MCA_COLL_IRR_QUESTION_WHY, "%s is '%s' on rank %d, which is not allowed", bad->parameter, bad->value,
             module->ranks.rank);
    if (bad->keyed) {
        mca_coll_irr_tell_bad(bad);
    }
}

/* Local: tells the user, and leaves the cause where all ranks will learn it. */
static void speak(mca_coll_irr_question_t *question, char why[MCA_COLL_IRR_QUESTION_WHY])
{
    const mca_coll_irr_module_t *module = question->module;
    const char *parameter = mca_coll_irr_parameter(question->service->which);
    char text[320];

    if (question->words[BAD_VALUE] != 0) {
        speak_trouble(module, why);
        return;
    }
    snprintf(why, MCA_COLL_IRR_QUESTION_WHY, "%s is %s on rank %d and not on others", parameter, question->why,
             module->ranks.rank);
    snprintf(text, sizeof(text), "%s is %s on some ranks of a communicator and not on others; parameters must be the "
             "same on all ranks; Open MPI's own algorithm serves the communicator", parameter, question->why);
    mca_coll_irr_tell("engine-message", text);
}

/* Some ranks leave the collective to Open MPI, or have a bad value: one of them speaks, and all learn the cause. */
static void divided(mca_coll_irr_question_t *question)
{
    memset(question->text, 0, sizeof(question->text));
    if (speaks(question)) {
        speak(question, (char *)question->text);
    }
    question->divided = true;
    mca_coll_irr_rounds_maxima(&question->rounds, question->text, MCA_COLL_IRR_QUESTION_WORDS,
                               &MCA_COLL_IRR_PARTNERS_ALL);
}

static void decline_divided(mca_coll_irr_question_t *question)
{
    char *why = (char *)question->text;

    why[MCA_COLL_IRR_QUESTION_WHY - 1] = '\0';
    mca_coll_irr_decline(question->module, question->service, why);
}

/* Local: who can be asked.  That this rank cannot tell becomes its trouble. */
static void look(mca_coll_irr_module_t *module, mca_coll_irr_partners_t *partners)
{
    if (mca_coll_irr_records_look(&module->ranks, partners) != IRR_OK && module->trouble == IRR_OK) {
        module->trouble = IRR_ERR_OOB;
        module->reason = strdup("a rank cannot look up what others have published in MPI_Init");
    }
}

/*
 * What this rank wants, and why it leaves the collective to Open MPI if it does.  A rank without memory for a module
 * has read no settings, so it wants what the others do, and tells its trouble later.
 */
static void want(mca_coll_irr_question_t *question, const char *unfit)
{
    mca_coll_irr_module_t *module = question->module;
    const mca_coll_irr_service_t *service = question->service;
    const mca_coll_irr_which_t leader = mca_coll_irr_collectives[service->which].leader;
    const uint64_t me = (uint64_t)(module->ranks.size - module->ranks.rank);
    uint64_t *words = question->words;

    if (module->trouble == IRR_ERR_NO_MEMORY) {
        return;
    }
    if (module->trouble == IRR_OK) {
        question->why = unfit != NULL ? unfit : reason_to_leave(module, service);
    }
    words[BAD_VALUE] = module->trouble != IRR_OK ? me : 0;
    words[WANTED] = question->why == NULL;
    words[LEFT] = question->why != NULL ? me : 0;
    words[APART] = service->algorithm != mca_coll_irr_algorithm_of(module, leader);
    words[PINNED] = !tries(module, service);
    if (service->state == MCA_COLL_IRR_CHOOSING) {
        mca_coll_irr_machine_words(words + MACHINE);
    }
}

/* ---- start, test, end ---- */

void mca_coll_irr_question_start(mca_coll_irr_question_t *question, mca_coll_irr_module_t *module,
                                 mca_coll_irr_service_t *service, int tag, bool everywhere, const char *unfit)
{
    mca_coll_irr_partners_t partners = MCA_COLL_IRR_PARTNERS_ALL;

    *question = (mca_coll_irr_question_t){
        .module = module, .service = service, .everywhere = everywhere, .status = IRR_IN_PROGRESS };
    if (!everywhere) {
        look(module, &partners);
    }
    want(question, unfit);
    mca_coll_irr_rounds_init(&question->rounds, &module->ranks, tag);
    if (everywhere) {
        mca_coll_irr_rounds_maxima(&question->rounds, question->words, WORDS, &partners);
    } else {
        mca_coll_irr_records_ask(&question->rounds, &partners, question->words);
    }
}

/* The words are those of all ranks.  IRR_IN_PROGRESS: there is more to tell. */
static irr_status_t decide(mca_coll_irr_question_t *question)
{
    const char *why = question->why != NULL ? question->why : "not known, for want of memory";
    char text[160];

    if (question->words[WANTED] == 0) {
        snprintf(text, sizeof(text), "%s is %s", mca_coll_irr_parameter(question->service->which), why);
        mca_coll_irr_decline(question->module, question->service, text);
    } else if (question->words[BAD_VALUE] != 0 || question->words[LEFT] != 0) {
        divided(question);
        return IRR_IN_PROGRESS;
    }
    return IRR_OK;
}

/* The first rounds are over. */
static irr_status_t answered(mca_coll_irr_question_t *question)
{
    char why[MCA_COLL_IRR_CAUSE];

    if (!question->everywhere &&
        !mca_coll_irr_records_are_alike(&question->module->ranks, question->words, why, sizeof(why))) {
        mca_coll_irr_decline(question->module, question->service, why);
        return IRR_OK;
    }
    question->everywhere = true;
    return decide(question);
}

irr_status_t mca_coll_irr_question_test(mca_coll_irr_question_t *question)
{
    if (question->status != IRR_IN_PROGRESS) {
        return question->status;
    }
    question->status = mca_coll_irr_rounds_test(&question->rounds);
    if (question->status == IRR_OK && !question->divided) {
        question->status = answered(question);
    } else if (question->status == IRR_OK) {
        decline_divided(question);
    }
    return question->status;
}

irr_status_t mca_coll_irr_question_wait(mca_coll_irr_question_t *question)
{
    const mca_coll_irr_module_t *module = question->module;
    const bool own = mca_coll_irr_mode_is_own(module, question->service);
    char late[256];

    snprintf(late, sizeof(late), "rank %d of communicator %.64s has an info key for coll/irr, such as %s, and waits "
             "for the others; the key must be the same on all ranks", module->ranks.rank, module->comm->c_name,
             mca_coll_irr_parameter(question->service->which));
    (void)mca_coll_irr_rounds_wait(&question->rounds, 0, own && !question->everywhere ? late : NULL);
    if (mca_coll_irr_question_test(question) == IRR_IN_PROGRESS) {
        (void)mca_coll_irr_rounds_wait(&question->rounds, 0, NULL);
    }
    return mca_coll_irr_question_test(question);
}

bool mca_coll_irr_question_is_alike(const mca_coll_irr_question_t *question)
{
    return question->words[APART] == 0;
}

bool mca_coll_irr_question_tries(const mca_coll_irr_question_t *question)
{
    return question->words[PINNED] == 0;
}

const uint64_t *mca_coll_irr_question_machine(const mca_coll_irr_question_t *question)
{
    return question->words + MACHINE;
}
