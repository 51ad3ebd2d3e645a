/*
 * coll_irr_strategies.c - the choice of a strategy, as steps of an agreement: the ranks reduce measured times to their
 * maxima, open the strategies of a trial, and end the trial.
 *
 * A strategy is an algorithm with its settings, or Open MPI's implementation.  A trial compares the times of calls that
 * open strategies serve.  A service has an engine communicator for each open strategy of the engine.  All ranks pass
 * the same maxima to the functions of choose/choice.h, which decide what step follows.
 *
 * Cost: one reduction; one more for a new list of strategies, if a rank knows results of earlier trials (lessons);
 * about five for each strategy that is opened.
 */
#include "coll_irr_agreement.h"
#include "coll_irr_engine.h"
#include "coll_irr_memory.h"
#include "coll_irr_statistics.h"
#include "coll_irr_team.h"

#include "core/clock.h"
#include "core/log.h"

#include <unistd.h>

/*
 * Estimated times in ns to open shared memory, to open a network transport, in addition if the ranks are on several
 * nodes, and to open a strategy and use it for the first time.  If n ranks share each processor of a node, all of these
 * except the third are n times as long.
 */
#define MEMORY_NS   UINT64_C(250000)
#define ENGINE_NS   UINT64_C(16000000)
#define NETWORK_NS  UINT64_C(20000000)
#define STRATEGY_NS UINT64_C(350000)

/* One more word: the service has failed on a rank. */
_Static_assert(IRR_CHOICE_WORDS + 1 <= MCA_COLL_IRR_REDUCTION_WORDS, "a reduction has room for the words of a choice");

/* ---- strategies ---- */

/* Only strategy 0 and the current strategy stay open after a trial. */
static bool stays(const mca_coll_irr_service_t *service, int strategy)
{
    return strategy == 0 || strategy == service->choice.strategy;
}

static void close_others(mca_coll_irr_service_t *service)
{
    for (int i = 0; i < IRR_TRIAL_STRATEGIES; i++) {
        if (!stays(service, i)) {
            mca_coll_irr_service_close_strategy(service, i);
        }
    }
}

/* Returns true if a strategy that stays open equals the candidate. */
static bool is_open(const mca_coll_irr_service_t *service, const irr_candidate_t *candidate)
{
    bool open = false;

    for (int i = 0; i < IRR_TRIAL_STRATEGIES; i++) {
        open = open || (stays(service, i) && i != service->host_strategy &&
                        irr_candidate_same(candidate, &service->candidates->open[i]));
    }
    return open;
}

/*
 * Returns the expected time divided by Open MPI's time, at most 1 for a strategy with pacing: the model overestimates
 * these, because it ignores the contention that pacing reduces.
 */
static double expected(const irr_candidate_t *candidate, double host_ns)
{
    const double ratio = host_ns > 0 ? candidate->ns / host_ns : 1;

    return candidate->strategy.pacing != &irr_pacing_free && ratio > 1 ? 1 : ratio;
}

/*
 * Lists the candidates of the next trial; all ranks make the same list.  If the user has named an algorithm, all ratios
 * are 1, because the model does not distinguish its strategies.
 */
static void list_strategies(mca_coll_irr_agreement_t *agreement)
{
    mca_coll_irr_module_t *module = agreement->module;
    mca_coll_irr_service_t *service = agreement->service;
    const irr_traffic_t traffic = irr_choice_traffic(&service->choice, module->ranks.size,
                                                     mca_coll_irr_has_neighbors(module, service->which));
    const irr_machine_t *machine = &module->team->machine;
    const bool named = service->host_strategy != 0;
    const double host_ns = named ? 0 : irr_model_host_ns(machine, &traffic);
    irr_candidate_t *list = agreement->list;
    const int all = service->refused ? 0
                    : named ? irr_comm_strategies(service->strategies[0], list)
                            : irr_candidates(machine, &traffic, &module->settings->engine, list);

    agreement->listed = 0;
    for (int i = 0; i < all; i++) {
        if (!is_open(service, &list[i])) {
            agreement->ratios[agreement->listed] = expected(&list[i], host_ns);
            list[agreement->listed++] = list[i];
        }
    }
    if (mca_coll_irr_service_has_candidates(service)) {   /* the setup of the first strategy reports missing memory */
        service->candidates->situation = irr_situation_of(service->call, &traffic);
    }
}

/* Returns true, on all ranks, if all ranks are on one node and can share memory. */
static bool only_shared(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    const irr_choice_t *choice = &service->choice;
    const int ranks = choice->node_ranks > 0 ? choice->node_ranks : choice->own_node_ranks;   /* agreed, or a guess */

    return ranks == module->ranks.size && !service->needs_transport;
}

/* This rank's estimate of the cost of opening strategies. */
static irr_choice_setup_t setup(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    const int ranks = mca_coll_irr_ranks_on_my_node(&module->ranks);
    const uint64_t ranks_per_cpu = cpus > 0 ? ((uint64_t)ranks + (uint64_t)cpus - 1) / (uint64_t)cpus : 1;
    const bool one_node = ranks == module->ranks.size;
    const uint64_t open_ns = only_shared(module, service) ? ranks_per_cpu * MEMORY_NS
                                                          : ranks_per_cpu * ENGINE_NS + (one_node ? 0 : NETWORK_NS);
    irr_counters_t counters;

    mca_coll_irr_counters(&counters);
    return (irr_choice_setup_t){
        .first = counters.endpoints_open > 0 ? 0 : open_ns, .strategy = ranks_per_cpu * STRATEGY_NS };
}

/* ---- steps ---- */

static irr_status_t go_on(mca_coll_irr_agreement_t *agreement, irr_choice_act_t what);

/* All ranks have opened the same number of strategies, `open`. */
static irr_status_t end_strategies(mca_coll_irr_agreement_t *agreement)
{
    mca_coll_irr_service_t *service = agreement->service;

    if (agreement->open > 0 && agreement->params.blocking) {
        mca_coll_irr_team_joined(agreement->module, service->which);
    }
    if (agreement->open > 0) {
        mca_coll_irr_teardown_add(agreement->group);
        agreement->group = NULL;
    }
    irr_choice_spent(&service->choice, irr_clock_ns() - agreement->begin_ns);
    return go_on(agreement, irr_choice_opened(&service->choice, agreement->open));
}

static irr_status_t end_strategy(mca_coll_irr_agreement_t *agreement);

static irr_status_t open_strategy(mca_coll_irr_agreement_t *agreement)
{
    mca_coll_irr_service_t *service = agreement->service;
    const irr_choice_t *choice = &service->choice;
    irr_settings_t settings = agreement->module->settings->engine;
    int slot;

    if (agreement->open == choice->opens) {
        return end_strategies(agreement);
    }
    slot = irr_choice_slot(choice, agreement->open);
    if (service->candidates != NULL) {
        service->candidates->open[slot] = service->candidates->list[choice->next + agreement->open];
        irr_candidate_settings(&service->candidates->open[slot], &settings);
    }
    agreement->only_shared = only_shared(agreement->module, service);
    return mca_coll_irr_setup_begin(agreement, &settings, agreement->trouble, end_strategy);
}

static irr_status_t end_strategy(mca_coll_irr_agreement_t *agreement)
{
    mca_coll_irr_service_t *service = agreement->service;

    if (agreement->setup_result == IRR_OK) {
        service->strategies[irr_choice_slot(&service->choice, agreement->open++)] = agreement->comm;
        agreement->comm = NULL;
        return open_strategy(agreement);
    }
    if (agreement->setup_result != IRR_ERR_NOT_SUPPORTED) {
        return agreement->setup_result;
    }
    if (service->host_strategy == 0) {   /* otherwise `why` keeps the cause of the named algorithm */
        irr_log_fit(service->why, sizeof(service->why), mca_coll_irr_setup_why(agreement));
    }
    service->refused = service->needs_transport || !agreement->only_shared;   /* no strategy can be opened */
    service->needs_transport = true;   /* in later trials, whose costs include the transport */
    return end_strategies(agreement);   /* the other strategies would fail for the same cause */
}

static irr_status_t open_strategies(mca_coll_irr_agreement_t *agreement)
{
    agreement->begin_ns = irr_clock_ns();
    agreement->open = 0;
    agreement->trouble = mca_coll_irr_setup_prepare(agreement);
    if (agreement->service->candidates == NULL) {
        agreement->trouble = IRR_ERR_NO_MEMORY;
    }
    return open_strategy(agreement);
}

/* Passes the list and the agreed lessons to the choice. */
static irr_status_t end_list(mca_coll_irr_agreement_t *agreement, const irr_recall_t *recall)
{
    mca_coll_irr_service_t *service = agreement->service;

    if (service->candidates != NULL) {
        memcpy(service->candidates->list, agreement->list, (size_t)agreement->listed * sizeof(agreement->list[0]));
    }
    return go_on(agreement, irr_choice_listed(&service->choice, agreement->ratios, agreement->listed, recall));
}

static irr_status_t take_lessons(mca_coll_irr_agreement_t *agreement)
{
    const irr_recall_t recall = irr_lessons_agreed(agreement->words, agreement->service->choice.again == 0,
                                                   agreement->list, agreement->ratios, &agreement->listed);

    return end_list(agreement, &recall);
}

static irr_status_t begin_list(mca_coll_irr_agreement_t *agreement)
{
    const irr_recall_t nothing = { .speedup = 0 };

    list_strategies(agreement);
    if (!agreement->service->choice.remembers) {
        return end_list(agreement, &nothing);
    }
    mca_coll_irr_memory_words(agreement->service, agreement->list, agreement->listed, agreement->words);
    return mca_coll_irr_agreement_reduce(agreement, agreement->words, IRR_LESSONS_WORDS, take_lessons);
}

/* Does what the choice demands.  An action that communicates is a step of its own. */
static irr_status_t go_on(mca_coll_irr_agreement_t *agreement, irr_choice_act_t what)
{
    mca_coll_irr_service_t *service = agreement->service;

    while (what == IRR_CHOICE_SETTLES) {
        mca_coll_irr_log(agreement->module, service);
        mca_coll_irr_stats_found(service);
        close_others(service);
        what = irr_choice_settled(&service->choice);
    }
    if (what == IRR_CHOICE_LISTS) {
        return begin_list(agreement);
    }
    agreement->next = NULL;
    return what == IRR_CHOICE_OPENS ? open_strategies(agreement) : IRR_OK;
}

static irr_status_t take_words(mca_coll_irr_agreement_t *agreement)
{
    irr_choice_t *choice = &agreement->service->choice;
    irr_choice_act_t what;

    if (agreement->words[IRR_CHOICE_WORDS] != 0) {
        return IRR_ERR_PEER;
    }
    what = irr_choice_agreed(choice, agreement->words);
    irr_choice_waited(choice, irr_clock_ns() - agreement->begin_ns);
    return go_on(agreement, what);
}

irr_status_t mca_coll_irr_strategies_begin(mca_coll_irr_agreement_t *agreement)
{
    mca_coll_irr_service_t *service = agreement->service;
    const irr_choice_setup_t costs = setup(agreement->module, service);

    irr_choice_words(&service->choice, &costs, agreement->words);
    agreement->words[IRR_CHOICE_REMEMBERS] = service->host_strategy == 0 && mca_coll_irr_memory_is_there();
    agreement->words[IRR_CHOICE_WORDS] = service->state == MCA_COLL_IRR_FAILED;
    agreement->begin_ns = irr_clock_ns();
    return mca_coll_irr_agreement_reduce(agreement, agreement->words, IRR_CHOICE_WORDS + 1, take_words);
}
