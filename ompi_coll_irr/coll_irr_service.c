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

static bool is_given(ompi_communicator_t *keyed, const char *name)
{
    char key[OPAL_MAX_INFO_VAL + 1];

    return mca_coll_irr_setting_text(mca_coll_irr_setting(name), keyed, key, NULL)[0] != '\0';
}

static mca_coll_irr_mode_t mode_of(ompi_communicator_t *keyed, int algorithm, bool wants_engine)
{
    const mca_coll_irr_setting_t *setting = mca_coll_irr_algorithm_setting(algorithm);
    char key[OPAL_MAX_INFO_VAL + 1];
    const int index = irr_setting_index(setting->row, mca_coll_irr_setting_text(setting, keyed, key, NULL));

    if (mca_coll_irr_component.params.setup_share == 0 || wants_engine || index < 0) {
        return MCA_COLL_IRR_VOTES;
    }
    return index == MCA_COLL_IRR_AUTO ? MCA_COLL_IRR_CHOOSES
                                      : mca_coll_irr_is_host(index) ? MCA_COLL_IRR_LEAVES : MCA_COLL_IRR_VOTES;
}

static void read_demands(ompi_communicator_t *keyed, mca_coll_irr_demands_t *demands)
{
    demands->wants_engine = is_given(keyed, "schedule_file") || is_given(keyed, "matrix_dump");
    for (int i = 0; i < MCA_COLL_IRR_ALGORITHMS; i++) {
        demands->modes[i] = mode_of(keyed, i, demands->wants_engine);
    }
}

/* On communicators without info keys.  Reading the parameters takes long relative to creating a communicator. */
static mca_coll_irr_demands_t process_demands;
static bool shares_teams;

_Static_assert(MCA_COLL_IRR_ALGORITHMS == 3 && 4 * MCA_COLL_IRR_MODES * MCA_COLL_IRR_MODES * MCA_COLL_IRR_MODES <=
               1 << MCA_COLL_IRR_MODES_BITS, "there is room in the record");

void mca_coll_irr_demands_open(void)
{
    read_demands(NULL, &process_demands);
    shares_teams = !ompi_mpi_thread_multiple && !process_demands.wants_engine;
}

void mca_coll_irr_demands_take(ompi_communicator_t *keyed, mca_coll_irr_demands_t *demands)
{
    *demands = process_demands;
    if (keyed != NULL) {
        read_demands(keyed, demands);
    }
}

bool mca_coll_irr_teams_are_shared(void)
{
    return shares_teams;
}

uint64_t mca_coll_irr_process_modes(void)
{
    uint64_t modes = mca_coll_irr_teams_are_shared() + 2 * (uint64_t)mca_coll_irr_memory_is_given();

    for (int i = 0; i < MCA_COLL_IRR_ALGORITHMS; i++) {
        modes = modes * MCA_COLL_IRR_MODES + (uint64_t)process_demands.modes[i];
    }
    return modes;
}

bool mca_coll_irr_mode_is_own(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    const int algorithm = mca_coll_irr_collectives[service->which].algorithm;

    return module->demands.modes[algorithm] != process_demands.modes[algorithm];
}

void mca_coll_irr_begin(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    const mca_coll_irr_mode_t mode = module->demands.modes[mca_coll_irr_collectives[service->which].algorithm];
    char text[128];

    if (mode == MCA_COLL_IRR_CHOOSES) {
        service->state = MCA_COLL_IRR_CHOOSING;
        irr_choice_init(&service->choice, (uint32_t)mca_coll_irr_component.params.setup_share,
                        mca_coll_irr_memory_is_given());
        if (module->trouble == IRR_ERR_BAD_PARAM && module->bad.keyed && mca_coll_irr_my_process() == 0) {
            mca_coll_irr_warn_bad(&module->bad);   /* an agreement also reports it, but may come late or never */
        }
    } else if (mode == MCA_COLL_IRR_LEAVES) {
        snprintf(text, sizeof(text), "%s is host", mca_coll_irr_parameter(service->which));
        mca_coll_irr_decline(module, service, text);
    }
}
