/*
 * coll_irr_activate.c - the first call of a collective on a communicator decides whether coll/irr serves it.
 *
 * All members are there by definition, so this is where ranks agree, in two parts.  First the maxima of a few words:
 * does any rank want the collective served, and do all?  Parameters may differ between ranks, so none can tell alone;
 * nor that all have coll/irr, which is found on the way (coll_irr_records.c).  Where none wants it, which is so with
 * nothing configured, that is all: nothing was opened.  Then the engine's agreement, into which local trouble (no
 * memory, no transport) is taken, so that either all ranks are served or all are left to the previous module.
 *
 * An engine communicator has one algorithm.  A collective uses that of its leader, as MPI_Alltoall does that of
 * MPI_Alltoallv, if it has the same algorithm on all ranks, which these words tell as well, and one of its own if not.
 * Where an algorithm that is named leaves several strategies open, the collective is served by the likely best, and the
 * ranks choose among all of them as calls go; such a collective has engine communicators of its own.
 */
#include "coll_irr_choose.h"
#include "coll_irr_engine.h"
#include "coll_irr_question.h"
#include "coll_irr_team.h"
#include "coll_irr_tell.h"

#include "core/clock.h"

#include <stdlib.h>

typedef struct maxima {
    mca_coll_irr_rounds_t rounds;
    uint64_t              words[MCA_COLL_IRR_ROUNDS_WORDS];
} maxima_t;

irr_status_t mca_coll_irr_maxima(mca_coll_irr_module_t *module, uint64_t *words, size_t count)
{
    maxima_t own, *maxima = mca_coll_irr_rounds_room(&module->ranks, &own, sizeof(own));
    irr_status_t status;

    memcpy(maxima->words, words, count * sizeof(*words));
    mca_coll_irr_rounds_init(&maxima->rounds, &module->ranks, MCA_COLL_IRR_TAG_BLOCKING);
    mca_coll_irr_rounds_maxima(&maxima->rounds, maxima->words, count, &MCA_COLL_IRR_PARTNERS_ALL);
    status = mca_coll_irr_rounds_wait(&maxima->rounds, 0, NULL);
    memcpy(words, maxima->words, count * sizeof(*words));
    mca_coll_irr_rounds_leave(&module->ranks, &own, maxima);
    return status;
}

/*
 * From what Open MPI knows without asking anybody.  It makes the procs of its node when it starts, so a proc that does
 * not exist yet is elsewhere.
 */
bool mca_coll_irr_on_my_node(const mca_coll_irr_module_t *module, int rank)
{
    const mca_coll_irr_part_t *part = mca_coll_irr_part(&module->ranks, rank);
    ompi_proc_t *proc = ompi_group_get_proc_ptr_raw(part->group, rank - part->first);

    return !ompi_proc_is_sentinel(proc) && OPAL_PROC_ON_LOCAL_NODE(proc->super.proc_flags);
}

int mca_coll_irr_node_ranks(const mca_coll_irr_module_t *module)
{
    int count = 1;

    for (int i = 0; i < module->ranks.size; i++) {
        count += i != module->ranks.rank && mca_coll_irr_on_my_node(module, i);
    }
    return count;
}

irr_status_t mca_coll_irr_prepare_rooms(mca_coll_irr_module_t *module)
{
    const mca_coll_irr_neighbors_t *neighbors = module->neighbors;
    const size_t ranks = (size_t)module->ranks.size;
    const irr_status_t status = mca_coll_irr_bytes_reserve(&module->bytes, ranks, ranks);

    if (status != IRR_OK || neighbors == NULL) {
        return status;
    }
    return mca_coll_irr_bytes_reserve(&module->bytes, (size_t)neighbors->sends, (size_t)neighbors->receives);
}

/* What only this rank can know: no memory, no transport. */
irr_status_t mca_coll_irr_prepare(mca_coll_irr_module_t *module, mca_coll_irr_group_t **group_p)
{
    *group_p = mca_coll_irr_group_create(&module->ranks);
    if (mca_coll_irr_prepare_rooms(module) != IRR_OK || *group_p == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    return mca_coll_irr_engine_open();
}

void mca_coll_irr_serve_from_now(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    service->state = service->host_way == 0 ? MCA_COLL_IRR_SERVING : MCA_COLL_IRR_CHOOSING;
    module->joined[service->which] = true;
    snprintf(service->why, sizeof(service->why), "%s is %s%s", mca_coll_irr_parameter(service->which),
             irr_algorithm_name(service->algorithm), mca_coll_irr_reason_to_serve(module, service));
    mca_coll_irr_say(module, service);
}

/* Somebody needs room for problems. */
static bool is_in_use(mca_coll_irr_module_t *module)
{
    bool in_use = false;

    for (int i = 0; i < MCA_COLL_IRR_COLLECTIVES; i++) {
        const mca_coll_irr_service_t *service = mca_coll_irr_service_called(module, i);

        in_use = in_use || (service != NULL && (service->state == MCA_COLL_IRR_SERVING ||
                                                service->state == MCA_COLL_IRR_CHOOSING));
    }
    return in_use;
}

void mca_coll_irr_decline(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service, const char *why)
{
    service->state = MCA_COLL_IRR_DECLINED;
    if (!is_in_use(module)) {
        mca_coll_irr_bytes_fini(&module->bytes);
    }
    snprintf(service->why, sizeof(service->why), "%s", why);
    mca_coll_irr_say(module, service);
}

int mca_coll_irr_fail(mca_coll_irr_service_t *service, irr_status_t status)
{
    service->state = MCA_COLL_IRR_FAILED;
    return mca_coll_irr_error(status);
}

void mca_coll_irr_service_close(mca_coll_irr_service_t *service)
{
    mca_coll_irr_choose_end(service);
    if (service->irr_comm != NULL && !service->shares) {
        irr_comm_destroy(service->irr_comm);
    }
    service->irr_comm = NULL;
}

void mca_coll_irr_service_end(mca_coll_irr_service_t *service)
{
    mca_coll_irr_service_close(service);
    service->state = service->state == MCA_COLL_IRR_NEW ? MCA_COLL_IRR_NEW : MCA_COLL_IRR_DECLINED;
}

bool mca_coll_irr_service_is_open(const mca_coll_irr_service_t *service)
{
    bool open = service->irr_comm != NULL;

    for (int i = 0; i < IRR_TRIAL_WAYS; i++) {
        open = open || service->ways[i] != NULL;
    }
    return open;
}

static bool is_sound(irr_comm_t *irr_comm)
{
    return irr_comm != NULL && !irr_comm_has_failed(irr_comm);
}

static bool way_is_sound(const mca_coll_irr_service_t *service, int way)
{
    return way == service->host_way || is_sound(service->ways[way]);
}

bool mca_coll_irr_service_is_sound(const mca_coll_irr_service_t *service)
{
    const irr_choice_t *choice = &service->choice;
    bool sound = way_is_sound(service, 0) && way_is_sound(service, choice->way);

    if (service->state != MCA_COLL_IRR_CHOOSING) {
        return is_sound(service->irr_comm);
    }
    for (int i = 0; i < choice->trial.count && choice->tries; i++) {
        sound = sound && way_is_sound(service, choice->slots[i]);
    }
    return sound;
}

bool mca_coll_irr_service_settings(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service,
                                   irr_settings_t *settings)
{
    const int way = service->choice.way;

    *settings = module->settings->engine;
    if (service->state == MCA_COLL_IRR_CHOOSING && way != service->host_way) {
        irr_candidate_settings(&service->candidates->open[way], settings);
        return true;
    }
    settings->algorithm = service->algorithm;
    return service->state == MCA_COLL_IRR_SERVING;
}

/* Collective: an engine communicator for a service that all ranks want served, or none.  tries: strategies, too. */
static int decide(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service, bool tries)
{
    mca_coll_irr_group_t *group = NULL;
    irr_status_t status = module->trouble == IRR_OK ? mca_coll_irr_prepare(module, &group) : module->trouble;
    const mca_coll_irr_purpose_t purpose = { .parameter = mca_coll_irr_parameter(service->which) };
    mca_coll_irr_opening_t own, *opening = mca_coll_irr_rounds_room(&module->ranks, &own, sizeof(own));
    int result = OMPI_SUCCESS;
    irr_settings_t settings;

    if (tries && !mca_coll_irr_choose_prepare(service)) {
        status = status == IRR_OK ? IRR_ERR_NO_MEMORY : status;
    }
    mca_coll_irr_service_settings(module, service, &settings);
    mca_coll_irr_opening_start(opening, module, MCA_COLL_IRR_TAG_BLOCKING, &settings, &purpose, status, module->reason);
    status = mca_coll_irr_opening_wait(opening, &service->irr_comm);
    if (status == IRR_OK) {
        mca_coll_irr_teardown_add(group);
        if (tries) {
            mca_coll_irr_choose_from(service);
        }
        mca_coll_irr_serve_from_now(module, service);
    } else {
        free(group);
    }
    if (status == IRR_ERR_NOT_SUPPORTED) {
        mca_coll_irr_decline(module, service, mca_coll_irr_opening_why(opening));
    } else if (status != IRR_OK) {
        result = mca_coll_irr_fail(service, status);
    }
    mca_coll_irr_rounds_leave(&module->ranks, &own, opening);
    return result;
}

static mca_coll_irr_service_t *leader_of(mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    return mca_coll_irr_service(module, mca_coll_irr_collectives[service->which].leader);
}

/* Collective: a service goes by the engine communicator of its leader, which all ranks want served as well then. */
static int share(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    mca_coll_irr_service_t *leader = leader_of(module, service);
    int result = leader->state == MCA_COLL_IRR_NEW ? decide(module, leader, false) : OMPI_SUCCESS;

    if (mca_coll_irr_team_awaits(module, leader)) {   /* another communicator had it opened: not for this service */
        return decide(module, service, false);
    }
    if (leader->state == MCA_COLL_IRR_FAILED) {
        return mca_coll_irr_fail(service, IRR_ERR_PEER);
    }
    if (result != OMPI_SUCCESS || leader->state != MCA_COLL_IRR_SERVING) {
        mca_coll_irr_decline(module, service, leader->why);
        return result;
    }
    service->irr_comm = leader->irr_comm;
    service->shares = true;
    mca_coll_irr_serve_from_now(module, service);
    return OMPI_SUCCESS;
}

/* ---- the first call ---- */

/* May it go by the engine communicator of its leader?  Not of one that may choose among strategies. */
static bool may_share(mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service,
                      const mca_coll_irr_question_t *question)
{
    const mca_coll_irr_service_t *leader = leader_of(module, service);

    return service != leader && mca_coll_irr_question_is_alike(question) &&
           (leader->state == MCA_COLL_IRR_SERVING || !mca_coll_irr_question_tries(question));
}

/* The ranks have told each other what they want. */
static int answer(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service,
                  const mca_coll_irr_question_t *question)
{
    irr_status_t status = IRR_OK;

    switch (service->state) {
    case MCA_COLL_IRR_DECLINED:
        return OMPI_SUCCESS;
    case MCA_COLL_IRR_CHOOSING:
        status = mca_coll_irr_machine_agreed(module, mca_coll_irr_question_machine(question));
        return status == IRR_OK ? OMPI_SUCCESS : mca_coll_irr_fail(service, status);
    default:
        return may_share(module, service, question) ? share(module, service)
                                                    : decide(module, service, mca_coll_irr_question_tries(question));
    }
}

int mca_coll_irr_ask(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    mca_coll_irr_question_t own, *question = mca_coll_irr_rounds_room(&module->ranks, &own, sizeof(own));
    irr_status_t status;
    int result;

    mca_coll_irr_question_start(question, module, service, MCA_COLL_IRR_TAG_BLOCKING, module->team->everywhere, NULL);
    status = mca_coll_irr_question_wait(question);
    module->team->everywhere = module->team->everywhere || question->everywhere;
    result = status == IRR_OK ? answer(module, service, question) : mca_coll_irr_fail(service, status);
    if (service->state == MCA_COLL_IRR_DECLINED || service->state == MCA_COLL_IRR_FAILED) {
        mca_coll_irr_team_retire(module->team);   /* the next communicator asks again */
    }
    mca_coll_irr_rounds_leave(&module->ranks, &own, question);
    return result;
}

void mca_coll_irr_meet_neighbors(mca_coll_irr_module_t *module, mca_coll_irr_which_t which)
{
    if (!mca_coll_irr_has_neighbors(module, which)) {
        return;
    }
    if (module->neighbors == NULL) {
        module->neighbors = mca_coll_irr_neighbors_create(module);
    }
    if (module->neighbors == NULL && module->trouble == IRR_OK) {
        module->trouble = IRR_ERR_NO_MEMORY;
    }
}

/* The first call: now, or as the calls go. */
static int begin(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    uint64_t begin_ns;
    char text[128];
    int result;

    switch (mca_coll_irr_mode(module, service)) {
    case MCA_COLL_IRR_CHOOSES:
        mca_coll_irr_choose_begin(module, service);
        return OMPI_SUCCESS;
    case MCA_COLL_IRR_LEAVES:
        snprintf(text, sizeof(text), "%s is host", mca_coll_irr_parameter(service->which));
        mca_coll_irr_decline(module, service, text);
        return OMPI_SUCCESS;
    default:
        begin_ns = irr_clock_ns();
        result = mca_coll_irr_ask(module, service);
        mca_coll_irr_tally_agreed(service, begin_ns);
        return result;
    }
}

int mca_coll_irr_settle(mca_coll_irr_module_t *module, mca_coll_irr_service_t **service_p)
{
    const mca_coll_irr_which_t which = (*service_p)->which;
    int result = OMPI_SUCCESS;

    if (mca_coll_irr_team_awaits(module, *service_p)) {
        result = mca_coll_irr_team_join(module, *service_p);
        *service_p = mca_coll_irr_service(module, which);   /* of another team, if it could not join */
    }
    if (result == OMPI_SUCCESS && (*service_p)->state == MCA_COLL_IRR_NEW) {
        result = begin(module, *service_p);
    }
    return (*service_p)->state == MCA_COLL_IRR_FAILED ? mca_coll_irr_error(IRR_ERR_PEER) : result;
}
