/*
 * coll_irr_service.c - see coll_irr_team.h: the state of a collective, and its mode.
 *
 * A service begins in state NEW.  The first call declines the collective, or lets the ranks choose while the program
 * runs, or begins an agreement after which an engine communicator may serve the collective.  This mode follows from
 * parameters and info keys.
 *
 * Without an agreement a rank does not know whether all ranks choose.  Ranks that choose therefore vote in their first
 * agreement, after some calls.  A rank with other parameters may start an agreement in the first call already.  No rank
 * then waits for another: a rank exchanges messages only with ranks of its own signature, which contains the modes
 * (coll_irr_vote.c), and Open MPI serves all ranks.
 */
#include "coll_irr_engine.h"
#include "coll_irr_memory.h"
#include "coll_irr_settings.h"
#include "coll_irr_statistics.h"
#include "coll_irr_team.h"

#include "core/log.h"

irr_status_t mca_coll_irr_rooms_reserve(mca_coll_irr_module_t *module)
{
    const mca_coll_irr_neighbors_t *neighbors = module->neighbors;
    const size_t ranks = (size_t)module->ranks.size;
    const irr_status_t status = mca_coll_irr_operation_reserve(&module->operation, ranks, ranks);

    if (status != IRR_OK || neighbors == NULL) {
        return status;
    }
    return mca_coll_irr_operation_reserve(&module->operation, (size_t)neighbors->sends, (size_t)neighbors->receives);
}

/* ---- states ---- */

void mca_coll_irr_serve(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service, const char *because)
{
    service->state = service->host_strategy == 0 ? MCA_COLL_IRR_SERVING : MCA_COLL_IRR_CHOOSING;
    snprintf(service->why, sizeof(service->why), "%s is %s%s", mca_coll_irr_parameter(service->which),
             irr_algorithm_name(service->algorithm), because);
    mca_coll_irr_log(module, service);
}

/* Returns true if a service of the module needs the memory for blocks. */
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
        mca_coll_irr_operation_fini(&module->operation);
    }
    irr_log_fit(service->why, sizeof(service->why), why);
    mca_coll_irr_log(module, service);
}

int mca_coll_irr_fail(mca_coll_irr_service_t *service, irr_status_t status)
{
    service->state = MCA_COLL_IRR_FAILED;
    return mca_coll_irr_error(status);
}

void mca_coll_irr_service_close_strategy(mca_coll_irr_service_t *service, int strategy)
{
    if (service->strategies[strategy] != NULL && !service->shares) {
        irr_comm_destroy(service->strategies[strategy]);
    }
    service->strategies[strategy] = NULL;
}

void mca_coll_irr_service_close(mca_coll_irr_service_t *service)
{
    for (int i = 0; i < IRR_TRIAL_STRATEGIES; i++) {
        mca_coll_irr_service_close_strategy(service, i);
    }
}

void mca_coll_irr_service_end(mca_coll_irr_service_t *service)
{
    mca_coll_irr_service_close(service);
    service->state = service->state == MCA_COLL_IRR_NEW ? MCA_COLL_IRR_NEW : MCA_COLL_IRR_DECLINED;
}

bool mca_coll_irr_service_is_open(const mca_coll_irr_service_t *service)
{
    bool open = false;

    for (int i = 0; i < IRR_TRIAL_STRATEGIES; i++) {
        open = open || service->strategies[i] != NULL;
    }
    return open;
}

bool mca_coll_irr_service_has_failed(const mca_coll_irr_service_t *service)
{
    bool failed = false;

    for (int i = 0; i < IRR_TRIAL_STRATEGIES; i++) {
        failed = failed || (service->strategies[i] != NULL && irr_comm_has_failed(service->strategies[i]));
    }
    return failed;
}

bool mca_coll_irr_service_settings(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service,
                                   irr_settings_t *settings)
{
    const int strategy = service->choice.strategy;

    *settings = module->settings->engine;
    if (service->state == MCA_COLL_IRR_CHOOSING && strategy != service->host_strategy) {
        irr_candidate_settings(&service->candidates->open[strategy], settings);
        return true;
    }
    settings->algorithm = service->algorithm;
    return service->state == MCA_COLL_IRR_SERVING;
}

/* ---- choosing ---- */

/* On a node: coll_irr_ranks_per_node, or as Open MPI counts if it is not given. */
static int node_ranks(const mca_coll_irr_module_t *module)
{
    const size_t given = module->settings->ranks_per_node, ranks = (size_t)module->ranks.size;

    return given == 0 ? mca_coll_irr_ranks_on_my_node(&module->ranks) : (int)(given < ranks ? given : ranks);
}

bool mca_coll_irr_service_has_candidates(mca_coll_irr_service_t *service)
{
    if (service->candidates == NULL) {
        service->candidates = calloc(1, sizeof(*service->candidates));
    }
    return service->candidates != NULL;
}

void mca_coll_irr_choose_from(mca_coll_irr_service_t *service)
{
    irr_candidate_t list[IRR_CANDIDATES_MAX];

    if (irr_comm_strategies(service->strategies[0], list) < 2) {
        return;
    }
    service->host_strategy = -1;
    service->voted = true;
    service->candidates->open[0] = list[0];
    irr_choice_init(&service->choice, (uint32_t)mca_coll_irr_component.params.setup_share, false);
}

bool mca_coll_irr_choose_is_due(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    if (service->choice.own_node_ranks > 0) {
        return true;
    }
    /* Parameters may still differ between ranks, so only the nodes that Open MPI knows determine the result. */
    return irr_choice_node_set(&service->choice,
                               mca_coll_irr_ranks_on_my_node(&module->ranks) == module->ranks.size,
                               node_ranks(module), mca_coll_irr_is_crowded());
}

/* ---- modes ---- */

/*
 * The action of the first call.  VOTES: the ranks agree whether the engine serves the collective.  CHOOSES: the ranks
 * choose by trials while the program runs.  LEAVES: Open MPI serves the collective.
 */
typedef enum mode { VOTES, CHOOSES, LEAVES, MODES } call_mode_t;

static bool is_given(ompi_communicator_t *comm, const char *name)
{
    char key[OPAL_MAX_INFO_VAL + 1];

    return mca_coll_irr_setting_text(mca_coll_irr_setting(name), comm, key, NULL)[0] != '\0';
}

bool mca_coll_irr_wants_engine(ompi_communicator_t *comm)
{
    return is_given(comm, "schedule_file") || is_given(comm, "matrix_dump");
}

/*
 * Returns the mode of a collective; NULL: on communicators without info keys.  Reads parameters and info keys itself,
 * because a rank with a bad value or without memory has no settings.
 */
static call_mode_t mode_of(ompi_communicator_t *comm, int algorithm)
{
    const mca_coll_irr_setting_t *setting = mca_coll_irr_algorithm_setting(algorithm);
    char key[OPAL_MAX_INFO_VAL + 1];
    const int index = irr_setting_index(setting->row, mca_coll_irr_setting_text(setting, comm, key, NULL));

    if (mca_coll_irr_component.params.setup_share == 0 || mca_coll_irr_wants_engine(comm) || index < 0) {
        return VOTES;
    }
    return index == MCA_COLL_IRR_AUTO ? CHOOSES : mca_coll_irr_is_host(index) ? LEAVES : VOTES;
}

/*
 * The modes on communicators without info keys.  Reading the parameters takes long relative to creating a communicator.
 */
static call_mode_t process_modes[MCA_COLL_IRR_ALGORITHMS];
static bool shares_teams;

_Static_assert(MCA_COLL_IRR_ALGORITHMS == 3 && 4 * MODES * MODES * MODES <=
               1 << MCA_COLL_IRR_MODES_BITS, "there is room in the record");

void mca_coll_irr_modes_open(void)
{
    for (int i = 0; i < MCA_COLL_IRR_ALGORITHMS; i++) {
        process_modes[i] = mode_of(NULL, i);
    }
    shares_teams = !ompi_mpi_thread_multiple && !mca_coll_irr_wants_engine(NULL);
}

bool mca_coll_irr_teams_are_shared(void)
{
    return shares_teams;
}

uint64_t mca_coll_irr_process_modes(void)
{
    uint64_t modes = mca_coll_irr_teams_are_shared() + 2 * (uint64_t)mca_coll_irr_memory_is_given();

    for (int i = 0; i < MCA_COLL_IRR_ALGORITHMS; i++) {
        modes = modes * MODES + (uint64_t)process_modes[i];
    }
    return modes;
}

static call_mode_t mode_of_service(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    const int algorithm = mca_coll_irr_collectives[service->which].algorithm;

    return module->keyed == NULL ? process_modes[algorithm] : mode_of(module->keyed, algorithm);
}

bool mca_coll_irr_mode_is_own(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    return mode_of_service(module, service) != process_modes[mca_coll_irr_collectives[service->which].algorithm];
}

void mca_coll_irr_begin(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    const call_mode_t mode = mode_of_service(module, service);
    mca_coll_irr_bad_t bad;
    char text[128];

    if (mode == CHOOSES) {
        service->state = MCA_COLL_IRR_CHOOSING;
        irr_choice_init(&service->choice, (uint32_t)mca_coll_irr_component.params.setup_share,
                        mca_coll_irr_memory_is_given());
        if (module->trouble == IRR_ERR_BAD_PARAM && mca_coll_irr_my_process() == 0 &&
            mca_coll_irr_find_bad(module->keyed, &bad) && bad.keyed) {
            mca_coll_irr_warn_bad(&bad);   /* an agreement also reports it, but may come late or never */
        }
    } else if (mode == LEAVES) {
        snprintf(text, sizeof(text), "%s is host", mca_coll_irr_parameter(service->which));
        mca_coll_irr_decline(module, service, text);
    }
}
