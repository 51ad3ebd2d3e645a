/*
 * coll_irr_question.c - see coll_irr_question.h.
 *
 * The ranks learn the maxima of a few words.  Parameters may differ between ranks, so none can tell alone; nor that all
 * have coll/irr, which is found on the way (coll_irr_records.c).
 */
#include "coll_irr_choose.h"
#include "coll_irr_question.h"
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

/* ---- words ---- */

/* What the ranks want, as the maxima of their words; a rank as ranks - rank, so that the lowest one remains. */
enum { BAD_VALUE, WANTED, LEFT, APART, MACHINE, WORDS = MACHINE + 2 };

_Static_assert((int)WORDS <= (int)MCA_COLL_IRR_WORDS_MAX, "there is room");

/* Local: some ranks leave the collective to Open MPI, of which the lowest one tells why, or have a bad value. */
static void decline_divided(const mca_coll_irr_question_t *question)
{
    mca_coll_irr_module_t *module = question->module;
    mca_coll_irr_service_t *service = question->service;
    const uint64_t *words = question->words;
    const uint64_t me = (uint64_t)(module->ranks.size - module->ranks.rank);
    char text[256];

    if (words[BAD_VALUE] == me && module->reason != NULL) {
        mca_coll_irr_tell("engine-message", module->reason);
    } else if (words[BAD_VALUE] == 0 && words[LEFT] == me) {
        snprintf(text, sizeof(text), "%s is %s on some ranks of a communicator and not on others; parameters must be "
                 "the same on all ranks", mca_coll_irr_parameter(service), question->why);
        mca_coll_irr_tell("engine-message", text);
    }
    mca_coll_irr_decline(module, service,
                         words[BAD_VALUE] != 0 ? "a rank has a bad value" : "not all ranks want it served");
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

/* The words are those of all ranks. */
static void decide(const mca_coll_irr_question_t *question)
{
    const char *why = question->why != NULL ? question->why : "not known, for want of memory";
    char text[160];

    if (question->words[WANTED] == 0) {
        snprintf(text, sizeof(text), "%s is %s", mca_coll_irr_parameter(question->service), why);
        mca_coll_irr_decline(question->module, question->service, text);
    } else if (question->words[BAD_VALUE] != 0 || question->words[LEFT] != 0) {
        decline_divided(question);
    }
}

irr_status_t mca_coll_irr_question_test(mca_coll_irr_question_t *question)
{
    if (question->status != IRR_IN_PROGRESS) {
        return question->status;
    }
    question->status = mca_coll_irr_rounds_test(&question->rounds);
    if (question->status == IRR_IN_PROGRESS) {
        return question->status;
    }
    if (question->status != IRR_OK) {
        mca_coll_irr_decline(question->module, question->service, "a message of Open MPI failed");
    } else if (!question->everywhere && !mca_coll_irr_records_are_alike(&question->module->ranks, question->words)) {
        mca_coll_irr_decline(question->module, question->service, "coll/irr is not the same on all ranks");
    } else {
        question->everywhere = true;
        decide(question);
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
             mca_coll_irr_parameter(question->service));
    (void)mca_coll_irr_rounds_wait(&question->rounds, 0, own && !question->everywhere ? late : NULL);
    return mca_coll_irr_question_test(question);
}

bool mca_coll_irr_question_is_alike(const mca_coll_irr_question_t *question)
{
    return question->words[APART] == 0;
}

const uint64_t *mca_coll_irr_question_machine(const mca_coll_irr_question_t *question)
{
    return question->words + MACHINE;
}
