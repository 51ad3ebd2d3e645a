/* schedules.c - init, lookup and progress of the search for a schedule; schedules.h explains the terms. */
#include "comm/schedules_learn.h"

#include "choose/paced.h"
#include "core/alloc.h"
#include "core/clock.h"
#include "core/log.h"
#include "exec/row.h"

#include <string.h>

/* Index of the last word of a lookup (IRR_LOOKUP_WORDS). */
#define IN_PLACE IRR_CACHE_SLOTS

_Static_assert(IRR_LOOKUP_WORDS <= IRR_ALLREDUCE_WORDS_MAX, "an agreement has room for the words of a lookup");

/* ---- creation and end ---- */

/* Returns true if a matrix of ranks * ranks 64-bit words is longer than max_bytes. */
static bool too_large(int ranks, size_t max_bytes)
{
    size_t entries = (size_t)ranks * (size_t)ranks;

    return max_bytes > 0 && entries > max_bytes / sizeof(uint64_t);
}

/* Allocates the memory for lookups. */
static irr_status_t enable_lookups(irr_schedules_t *schedules)
{
    irr_status_t status;

    if (irr_schedules_looks_up(schedules)) {
        return IRR_OK;
    }
    schedules->lengths = irr_alloc((size_t)schedules->ranks, sizeof(*schedules->lengths));
    status = schedules->lengths != NULL ? irr_bytes_reserve(&schedules->own, irr_row_max(schedules->ranks))
                                        : IRR_ERR_NO_MEMORY;
    if (status == IRR_OK) {
        status = irr_cache_reserve(&schedules->cache);
    }
    return status;
}

/* Allocates the memory for gather, scatter and commit after a miss. */
static irr_status_t enable_learning(irr_schedules_t *schedules, const char *dump)
{
    irr_status_t status;

    schedules->learning = irr_alloc_zero(1, sizeof(*schedules->learning));
    if (schedules->learning == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    status = irr_gather_init(&schedules->learning->gather, schedules->ranks, schedules->rank,
                             irr_row_max(schedules->ranks) + sizeof(uint64_t));
    if (status == IRR_OK && dump != NULL && schedules->rank == 0) {
        status = irr_dump_init(&schedules->dump, dump);
    }
    return status;
}

/* Finds the ranks that share a host of the tree. */
static irr_status_t find_hosts(const irr_tree_t *tree, irr_nodes_t *nodes)
{
    int *labels = irr_alloc((size_t)tree->ranks, sizeof(*labels));
    irr_status_t status = IRR_ERR_NO_MEMORY;

    for (int r = 0; labels != NULL && r < tree->ranks; r++) {
        labels[r] = tree->parent[irr_tree_leaf(tree, r)];
    }
    if (labels != NULL) {
        status = irr_nodes_init(nodes, tree->ranks, labels);
    }
    irr_free(labels);
    return status;
}

unsigned irr_schedules_routes(const irr_schedules_t *schedules, const irr_settings_t *settings)
{
    static const unsigned routes_of[IRR_HOST_ROUTE_COUNT] = {
        [IRR_HOST_ROUTE_AUTO] = IRR_PACED_DIRECT | IRR_PACED_NODE, [IRR_HOST_ROUTE_DIRECT] = IRR_PACED_DIRECT,
        [IRR_HOST_ROUTE_NODE] = IRR_PACED_NODE
    };
    const irr_nodes_t *nodes = &schedules->nodes;

    if (nodes->ranks == 0) {
        return 0;
    }
    return nodes->count > 1 && nodes->largest > 1 ? routes_of[settings->host_route] : IRR_PACED_DIRECT;
}

/*
 * Sets the strategy of exchanges with a schedule. With algorithm `tree`, this is the first strategy of choose/paced.h
 * that the settings allow; with it, ranks of a host may forward messages for each other. A schedule from a file has the
 * pacing `loose` unless the user has set a pacing. computes: true if schedules are computed.
 */
static irr_status_t find_strategy(irr_schedules_t *schedules, const irr_settings_t *settings,
                                  const irr_strategy_t *strategy, bool computes)
{
    const irr_tree_t *tree = settings->scheduled.tree;
    irr_status_t status = IRR_OK;
    irr_strategy_t base = *strategy;
    unsigned routes;

    base.route = &irr_route_direct;
    base.direct_from = 0;
    base.order = computes ? strategy->order : &irr_order_given;
    if (!irr_strategy_is_scheduled(strategy) && settings->pacing == IRR_PACING_AUTO) {
        base.pacing = &irr_pacing_loose;
    }
    if (base.order->uses_tree && tree != NULL) {
        status = find_hosts(tree, &schedules->nodes);
    }
    routes = irr_schedules_routes(schedules, settings);
    schedules->strategy = irr_paced_first(settings, &base, routes, schedules->ranks);
    if (routes == IRR_PACED_NODE && !irr_strategy_forwards(&schedules->strategy) && schedules->rank == 0) {
        irr_log(IRR_LOG_WARN, "%shost_route is node, but %spacing is %s; node needs pacing sync or free, so "
                "messages between hosts are sent directly", irr_log_prefix(), irr_log_prefix(),
                schedules->strategy.pacing->name);
    }
    return status;
}

static uint64_t now_ns(void *context)
{
    (void)context;
    return irr_clock_ns();
}

irr_status_t irr_schedules_init(irr_schedules_t *schedules, const irr_strategy_t *strategy,
                                const irr_settings_t *settings, int ranks, int rank, irr_allreduce_t *agreement)
{
    bool dumps = settings->matrix_dump != NULL && settings->matrix_dump[0] != '\0';
    bool computes = irr_strategy_is_scheduled(strategy), wanted = computes || dumps;
    bool large = too_large(ranks, settings->matrix_max_bytes);
    irr_status_t status = IRR_OK;

    memset(schedules, 0, sizeof(*schedules));
    schedules->params = settings->scheduled;
    schedules->max_bytes = settings->matrix_max_bytes;
    schedules->limit_ms = settings->schedule_ms;
    schedules->now_ns = now_ns;
    schedules->agreement = agreement;
    schedules->learns = wanted && !large;
    schedules->dumps = dumps;
    schedules->ranks = ranks;
    schedules->rank = rank;
    schedules->pairs = irr_strategy_unscheduled(strategy);
    schedules->pairs.pacing = &irr_pacing_free;
    if (wanted && large && rank == 0) {
        irr_log(IRR_LOG_WARN, "exchanges of %d ranks run without a schedule: their count matrix has more bytes than "
                "%smatrix_max_bytes, which is %zu", ranks, irr_log_prefix(), settings->matrix_max_bytes);
    }
    irr_cache_init(&schedules->cache, settings->cache_bytes);
    status = find_strategy(schedules, settings, strategy, computes && !large);
    if (schedules->learns && status == IRR_OK) {
        status = enable_learning(schedules, dumps ? settings->matrix_dump : NULL);
    }
    if (schedules->learns && status == IRR_OK) {
        status = enable_lookups(schedules);
    }
    if (status != IRR_OK) {
        irr_schedules_fini(schedules);
    }
    return status;
}

void irr_schedules_fini(irr_schedules_t *schedules)
{
    irr_schedules_clean(schedules);
    if (schedules->learning != NULL) {
        irr_gather_fini(&schedules->learning->gather);
    }
    irr_nodes_fini(&schedules->nodes);
    irr_free(schedules->scratch);
    irr_bytes_fini(&schedules->own);
    irr_free(schedules->lengths);
    irr_dump_fini(&schedules->dump);
    irr_free(schedules->learning);
    irr_cache_fini(&schedules->cache);
    memset(schedules, 0, sizeof(*schedules));
}

/* ---- rows ---- */

/* Writes this rank's row as bytes, without its message to itself, on which a schedule does not depend. */
static void write_own(irr_schedules_t *schedules)
{
    uint64_t *lengths = schedules->lengths, self = lengths[schedules->rank];

    lengths[schedules->rank] = 0;
    schedules->own.length = 0;
    irr_row_write(&schedules->own, lengths, schedules->ranks);
    lengths[schedules->rank] = self;
}

/* Sets the row from the blocks that this rank sends. */
static void set_row(irr_schedules_t *schedules, irr_blocks_t sent)
{
    memset(schedules->lengths, 0, (size_t)schedules->ranks * sizeof(*schedules->lengths));
    for (size_t i = 0; i < sent.count; i++) {
        schedules->lengths[sent.list[i].rank] += sent.list[i].length;
    }
    write_own(schedules);
}

/* Sets the row from the messages of this rank in a schedule. */
static void set_row_of(irr_schedules_t *schedules, const irr_schedule_t *schedule)
{
    memset(schedules->lengths, 0, (size_t)schedules->ranks * sizeof(*schedules->lengths));
    for (size_t i = 0; i < schedule->count; i++) {
        schedules->lengths[schedule->list[i].to] +=
            schedule->list[i].from == schedules->rank ? schedule->list[i].length : 0;
    }
    write_own(schedules);
}

/* ---- schedules from files ---- */

/* Sets *local to this rank's part of the schedule. */
static irr_status_t cut(const irr_schedules_t *schedules, const irr_schedule_t *schedule, irr_local_schedule_t *local)
{
    irr_syncs_t syncs = { .list = NULL };
    irr_local_schedules_t locals = { .schedule = NULL };
    irr_status_t status = IRR_OK;

    if (schedules->strategy.pacing->syncs) {
        status = irr_syncs_find_any(schedules->params.tree, schedule, NULL, &syncs);
    }
    if (status == IRR_OK) {
        status = irr_local_schedules_init(&locals, schedule, &syncs);
    }
    if (status == IRR_OK) {
        status = irr_local_schedules_take(&locals, schedules->rank, local);
    }
    irr_local_schedules_fini(&locals);
    irr_syncs_fini(&syncs);
    return status;
}

static irr_status_t pin(irr_schedules_t *schedules, const irr_schedule_t *schedule)
{
    irr_assignment_t assignment = { .declined = false };
    irr_cache_entry_t entry;
    irr_status_t status;

    set_row_of(schedules, schedule);
    status = irr_cache_entry_init(&entry, &schedules->own);
    if (status == IRR_OK) {
        status = cut(schedules, schedule, &assignment.local);
    }
    if (status == IRR_OK) {
        status = irr_schedules_keep(schedules, &assignment, &entry);
    }
    irr_assignment_fini(&assignment);
    if (status != IRR_OK) {
        irr_cache_entry_fini(&entry);
        return status;
    }
    entry.pinned = true;
    (void)irr_cache_insert(&schedules->cache, &entry);
    return IRR_OK;
}

irr_status_t irr_schedules_pin(irr_schedules_t *schedules, const irr_schedule_t *schedule)
{
    irr_status_t status;

    if (irr_strategy_forwards(&schedules->strategy)) {
        if (schedules->rank == 0) {
            irr_log(IRR_LOG_WARN, "%sschedule_file is not used: it has messages that are sent directly, but on this "
                    "communicator ranks forward messages", irr_log_prefix());
        }
        return IRR_OK;
    }
    status = enable_lookups(schedules);
    return status == IRR_OK ? pin(schedules, schedule) : status;
}

/* ---- lookup ---- */

void irr_schedules_start(irr_schedules_t *schedules, const irr_problem_t *problem, const irr_exec_env_t *env)
{
    uint64_t words[IRR_LOOKUP_WORDS];

    schedules->env = *env;
    schedules->problem = problem;
    schedules->state = IRR_SCHEDULES_LOOKS_UP;
    schedules->entry = NULL;
    schedules->chosen = NULL;
    schedules->matrix = 0;
    set_row(schedules, problem->send);
    irr_cache_lookup(&schedules->cache, &schedules->own, words);
    words[IN_PLACE] = problem->in_place;
    irr_allreduce_start(schedules->agreement, words, IRR_LOOKUP_WORDS, env);
}

/* Returns the first slot in which all ranks found their rows; -1: there is none. */
static int hit(const irr_schedules_t *schedules)
{
    for (int i = 0; i < IRR_CACHE_SLOTS; i++) {
        if (schedules->agreement->words[i] == 0) {
            return i;
        }
    }
    return -1;
}

/* Ends a search: sets the result. entry: the same on all ranks; NULL: there is no schedule. */
static irr_status_t use(irr_schedules_t *schedules, irr_cache_entry_t *entry)
{
    const bool in_place = schedules->chosen != NULL;

    schedules->entry = entry != NULL && !entry->declined && !in_place ? entry : NULL;
    if (schedules->entry != NULL) {
        schedules->chosen = &schedules->strategy;
    }
    return IRR_OK;
}

static irr_status_t end_hit(irr_schedules_t *schedules, irr_cache_entry_t *entry)
{
    schedules->env.counters->schedules_reused += !entry->declined;
    schedules->matrix = entry->matrix;
    return use(schedules, entry);
}

static irr_status_t end_lookup(irr_schedules_t *schedules)
{
    int slot = hit(schedules);

    schedules->chosen = schedules->agreement->words[IN_PLACE] != 0 ? &schedules->pairs : NULL;
    if (schedules->chosen != NULL && !schedules->dumps) {
        return use(schedules, NULL);
    }
    if (slot >= 0) {
        return end_hit(schedules, irr_cache_use(&schedules->cache, slot));
    }
    if (!schedules->learns) {
        return use(schedules, NULL);
    }
    irr_schedules_begin_gather(schedules);
    return IRR_IN_PROGRESS;
}

/* ---- progress ---- */

static irr_status_t progress_one(irr_schedules_t *schedules)
{
    switch (schedules->state) {
    case IRR_SCHEDULES_GATHERS:
    case IRR_SCHEDULES_SCATTERS: return irr_gather_progress(&schedules->learning->gather);
    default:                     return irr_allreduce_progress(schedules->agreement);
    }
}

static irr_status_t step(irr_schedules_t *schedules)
{
    irr_status_t status = progress_one(schedules);

    if (status != IRR_OK) {
        return status;
    }
    switch (schedules->state) {
    case IRR_SCHEDULES_LOOKS_UP: return end_lookup(schedules);
    case IRR_SCHEDULES_GATHERS:  return irr_schedules_end_gather(schedules);
    case IRR_SCHEDULES_SCATTERS: irr_schedules_end_scatter(schedules); return IRR_IN_PROGRESS;
    case IRR_SCHEDULES_COMMITS:  break;
    }
    return use(schedules, irr_schedules_end_commit(schedules));
}

irr_status_t irr_schedules_progress(irr_schedules_t *schedules)
{
    irr_schedules_state_t state;
    irr_status_t status;

    do {
        state = schedules->state;
        status = step(schedules);
    } while (status == IRR_IN_PROGRESS && schedules->state != state);
    if (status == IRR_OK) {   /* after an error the transport may still use the memory of the gather */
        irr_schedules_clean(schedules);
    }
    return status;
}

int irr_schedules_awaited(const irr_schedules_t *schedules)
{
    switch (schedules->state) {
    case IRR_SCHEDULES_GATHERS:
    case IRR_SCHEDULES_SCATTERS: return irr_exec_awaited(&schedules->learning->gather.moves.exec);
    default:                     return irr_allreduce_awaited(schedules->agreement);
    }
}
