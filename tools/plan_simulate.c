/*
 * plan_simulate.c - simulate: prints a table of the times of some strategies on a machine.
 *
 * The plans of all ranks run on a simulated network with the costs of messages, bytes and copies (study/simulate.h).
 * Receivers know the counts from an earlier exchange, so messages have no headers, which would list their contents.
 * Blocks of a rank for itself are not simulated.
 */
#include "plan.h"

#include "choose/candidates.h"
#include "study/simulate.h"

#include <stdlib.h>
#include <string.h>

/* ---- progress ---- */

static struct {
    const char *name;
    int         number, count;
} watch;   /* the strategy that is being simulated */

static void show_progress(void)
{
    irr_cli_progress("simulates %.64s, %d of %d", watch.name, watch.number, watch.count);
}

/* ---- one strategy ---- */

/* Over TCP, Open MPI 4.1 asks the receiver before it sends more than 64 KiB with the header; the engine never asks. */
#define HOST_ASKS_FROM 65472

/* Numbers of exchanges before the measured ones, and of measured ones: if packets are lost, their times differ. */
#define WARM_UP   3
#define EXCHANGES 9

static int by_time(const void *a, const void *b)
{
    const irr_simulated_t *x = a, *y = b;

    return (x->ns > y->ns) - (x->ns < y->ns);
}

/* Sets the times at which ranks begin.  They differ by the cost of a few messages, as after a barrier. */
static void begin_apart(const irr_machine_t *machine, int ranks, int exchange, double *begin)
{
    uint64_t state = (uint64_t)exchange + 1;

    for (int r = 0; r < ranks; r++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        begin[r] = 2 * (double)(machine->message + machine->latency) * (double)(state >> 33) / (double)(1U << 31);
    }
}

/* Simulates several exchanges over the same connections, and sets the result to the exchange of median time. */
static irr_status_t simulate_packets(irr_simulation_t *simulation, const irr_timed_config_t *config,
                                     irr_simulated_t *simulated)
{
    irr_timed_config_t own = *config;
    irr_simulated_t results[WARM_UP + EXCHANGES];
    const int ranks = config->tree->ranks;
    double *begin = malloc((size_t)ranks * sizeof(*begin));
    irr_status_t status = begin != NULL ? irr_packets_create(config->machine, config->tree, &own.packets)
                                        : IRR_ERR_NO_MEMORY;

    for (int i = 0; i < WARM_UP + EXCHANGES && status == IRR_OK; i++) {
        begin_apart(config->machine, ranks, i, begin);
        status = irr_simulation_run(simulation, &own, begin, &results[i]);
        status = status == IRR_OK ? irr_packets_rest(own.packets) : status;
    }
    if (status == IRR_OK) {
        qsort(results + WARM_UP, EXCHANGES, sizeof(results[0]), by_time);
        *simulated = results[WARM_UP + EXCHANGES / 2];
    }
    irr_packets_destroy(own.packets);
    free(begin);
    return status;
}

/* Simulates one strategy.  If host is true, the strategy represents Open MPI's implementation. */
static irr_status_t simulate_strategy(const irr_tool_job_t *job, const irr_tool_cluster_t *cluster,
                                      const irr_strategy_t *strategy, bool host, const irr_matrix_t *matrix,
                                      irr_simulated_t *simulated)
{
    const irr_timed_config_t config = {
        .machine = &cluster->machine, .tree = cluster->tree, .ask_from = host ? HOST_ASKS_FROM : 0,
        .progress = show_progress
    };
    irr_tool_job_t own = *job;
    irr_simulation_t *simulation = NULL;
    irr_status_t status = irr_simulation_create(matrix->ranks, &simulation);

    own.strategy = strategy;
    own.matrix = own.delivered = matrix;
    own.nodes = &cluster->nodes;
    own.tree = cluster->tree;
    if (status == IRR_OK) {
        status = irr_tool_plans_each(&own, irr_simulation_take, simulation);
        irr_schedule_fini(&job->input->schedule);
    }
    if (status == IRR_OK) {
        status = cluster->machine.buffer > 0 ? simulate_packets(simulation, &config, simulated)
                                             : irr_simulation_run(simulation, &config, NULL, simulated);
    }
    irr_simulation_destroy(simulation);
    return status;
}

/* Returns whether some rank has no message for some other rank. */
static bool has_empty(const irr_matrix_t *matrix)
{
    return irr_cli_messages(matrix, false).count < (uint64_t)matrix->ranks * (uint64_t)(matrix->ranks - 1);
}

/* Makes a matrix for Open MPI, which also sends empty messages.  An empty message costs as much as one byte. */
static irr_status_t fill_empty(const irr_matrix_t *matrix, irr_matrix_t *filled)
{
    irr_status_t status = irr_matrix_init(filled, matrix->ranks);

    for (int i = 0; status == IRR_OK && i < matrix->ranks; i++) {
        for (int j = 0; j < matrix->ranks; j++) {
            const uint64_t bytes = *irr_matrix_at(matrix, i, j);

            *irr_matrix_at(filled, i, j) = bytes == 0 && i != j ? 1 : bytes;
        }
    }
    return status;
}

/*
 * Returns the strategy to simulate.  Open MPI sends to rank 0 first, then to rank 1, and so on.  The simulation does so
 * on a machine whose queues overflow.  On other machines a real adapter sends to all ranks at once, so the order does
 * not matter; there the simulation, which sends message by message, lets each rank begin with the rank after it.
 */
static const irr_strategy_t *strategy_of(const irr_tool_cluster_t *cluster, const irr_tool_strategy_t *strategy)
{
    const bool natural = strategy->host && !strategy->pairwise && cluster->machine.buffer > 0;

    return natural ? irr_algorithm_strategy(irr_algorithm_find("natural")) : &strategy->strategy;
}

static irr_cli_exit_t simulate_one(const irr_tool_job_t *job, const irr_tool_cluster_t *cluster,
                                   irr_tool_strategy_t *strategy)
{
    irr_matrix_t filled = { .ranks = 0 };
    const bool fills = strategy->host && has_empty(job->matrix);
    irr_status_t status = fills ? fill_empty(job->matrix, &filled) : IRR_OK;

    if (status == IRR_OK) {
        status = simulate_strategy(job, cluster, strategy_of(cluster, strategy), strategy->host,
                                   fills ? &filled : job->matrix, &strategy->simulated);
    }
    irr_matrix_fini(&filled);
    return irr_cli_status(status, "%.64s for %d ranks", strategy->name, job->matrix->ranks);
}

/*
 * Returns an earlier strategy of the list whose simulation has the same result; NULL: there is none.  Open MPI's
 * implementation of a strategy differs from coll/irr's if queues can overflow, or if Open MPI sends empty messages.
 */
static const irr_tool_strategy_t *find_same(const irr_tool_job_t *job, const irr_tool_cluster_t *cluster,
                                            const irr_tool_strategies_t *strategies, int which)
{
    const irr_tool_strategy_t *list = strategies->list;
    const bool differs = cluster->machine.buffer > 0 || has_empty(job->matrix);
    const irr_candidate_t one = { .row = list[which].row, .strategy = list[which].strategy };

    for (int i = 0; i < which; i++) {
        if ((list[i].host == list[which].host || !differs) &&
            irr_candidate_same(&one, &(irr_candidate_t){ .row = list[i].row, .strategy = list[i].strategy })) {
            return &list[i];
        }
    }
    return NULL;
}

/* Returns the strategy direct, or the first strategy if direct is not in the list. */
static const irr_tool_strategy_t *find_base(const irr_tool_strategies_t *strategies)
{
    for (int i = 0; i < strategies->count; i++) {
        if (strcmp(strategies->list[i].name, "direct") == 0) {
            return &strategies->list[i];
        }
    }
    return &strategies->list[0];
}

static void print_table(const irr_tool_job_t *job, const irr_tool_cluster_t *cluster,
                        const irr_tool_strategies_t *strategies)
{
    const irr_tool_strategy_t *base = find_base(strategies);
    char heading[sizeof(base->name) + 8];
    const int width = snprintf(heading, sizeof(heading), "%s/this", base->name);

    irr_tool_cluster_print(job, cluster);
    fprintf(job->stream, "%-20s %14s %s %10s %14s\n", "strategy", "us", heading, "messages", "predicted us");
    for (int i = 0; i < strategies->count; i++) {
        const irr_tool_strategy_t *strategy = &strategies->list[i];
        const double ns = strategy->simulated.ns;

        fprintf(job->stream, "%-20s %14.1f %*.2f %10zu %14.1f\n", strategy->name, ns / 1e3, width,
                ns > 0 ? base->simulated.ns / ns : 1, strategy->simulated.messages,
                irr_tool_strategy_model(cluster, strategy) / 1e3);
    }
}

irr_cli_exit_t irr_tool_simulate(const irr_tool_job_t *job)
{
    irr_tool_cluster_t cluster;
    irr_tool_strategies_t strategies;
    const irr_tool_strategy_t *same;
    irr_cli_exit_t code = irr_tool_cluster_open(job->options, job->input, &cluster);

    if (code != IRR_CLI_GOOD) {
        return code;
    }
    for (int r = 0; r < job->matrix->ranks; r++) {
        *irr_matrix_at(job->matrix, r, r) = 0;
    }
    code = irr_tool_strategies_list(job->options, &cluster, false, &strategies);
    irr_cli_progress("begins");
    for (int i = 0; i < strategies.count && code == IRR_CLI_GOOD; i++) {
        watch.name = strategies.list[i].name;
        watch.number = i + 1;
        watch.count = strategies.count;
        same = find_same(job, &cluster, &strategies, i);
        if (same != NULL) {
            strategies.list[i].simulated = same->simulated;
        } else {
            code = simulate_one(job, &cluster, &strategies.list[i]);
        }
    }
    irr_cli_progress_end();
    if (code == IRR_CLI_GOOD) {
        print_table(job, &cluster, &strategies);
    }
    irr_tool_cluster_close(&cluster);
    return code;
}
