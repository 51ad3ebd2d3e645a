/*
 * plan_recommend.c - recommend: sorts strategies for a machine by the times of a model, best first, and prints the
 * options that select each strategy.
 *
 * The model (choose/model.h) needs no plans, so it takes almost no time.  The command simulate is more precise.
 */
#include "plan.h"

#include <math.h>
#include <stdlib.h>

/* A strategy and its time by the model. */
typedef struct ranked {
    const irr_tool_strategy_t *strategy;
    double                     ns;
    int                        place;   /* index in the list: the order of strategies with equal times */
} ranked_t;

static int by_time(const void *a, const void *b)
{
    const ranked_t *x = a, *y = b;

    return x->ns != y->ns ? (x->ns > y->ns) - (x->ns < y->ns) : x->place - y->place;
}

/* Prints the command line that makes a job use a strategy. */
static void print_line(const irr_tool_job_t *job, const irr_tool_strategy_t *strategy)
{
    fprintf(job->stream, "  mpirun -np %d", job->matrix->ranks);
    if (job->options->ranks_per_node > 0) {
        fprintf(job->stream, " --map-by ppr:%d:node", job->options->ranks_per_node);
    }
    if (!strategy->host) {
        fprintf(job->stream, " --mca coll_irr_alltoallv_algorithm %s", irr_algorithm_name(strategy->row));
        for (int i = 0; i < strategy->dims.count; i++) {
            fprintf(job->stream, "%s%d", i == 0 ? " --mca coll_irr_dims " : "x", strategy->dims.size[i]);
        }
        if (strategy->strategy.direct_from != irr_algorithm_strategy(strategy->row)->direct_from) {
            fprintf(job->stream, " --mca coll_irr_direct_bytes %zu", strategy->strategy.direct_from);
        }
        if (strategy->pacing != IRR_PACING_AUTO) {
            fprintf(job->stream, " --mca coll_irr_pacing %s", irr_pacing_name((int)strategy->pacing));
        }
        if (job->options->topology != NULL && irr_algorithm_asks_topology(strategy->row)) {
            fprintf(job->stream, " --mca coll_irr_topology_file %s", job->options->topology);
        }
    }
    fprintf(job->stream, " app\n");
}

static bool is_shown(const ranked_t *one, const ranked_t *fastest)
{
    return one->strategy->host || one->ns <= IRR_MODEL_HOPELESS * fastest->ns;
}

/* The model expects that a message loses its end in a full queue, which TCP sends again after a timeout. */
static bool is_timeout(const irr_machine_t *machine, double ns)
{
    return ns == (double)(machine->timeout + machine->latency);
}

static void print_strategies(const irr_tool_job_t *job, const irr_tool_cluster_t *cluster, const ranked_t *ranked,
                             int count)
{
    const double host = irr_model_host_ns(&cluster->machine, &cluster->traffic);

    irr_tool_cluster_print(job, cluster);
    fprintf(job->stream, "%-20s %14s %10s\n", "strategy", "predicted us", "host/this");
    for (int i = 0; i < count; i++) {
        if (is_shown(&ranked[i], ranked)) {
            fprintf(job->stream, "%-20s %14.1f %10.2f", ranked[i].strategy->name, ranked[i].ns / 1e3,
                    ranked[i].ns > 0 ? host / ranked[i].ns : 1);
            print_line(job, ranked[i].strategy);
        }
    }
    for (int i = 0; i < count; i++) {
        if (is_shown(&ranked[i], ranked) && is_timeout(&cluster->machine, ranked[i].ns)) {
            fprintf(job->stream, "# %s: this time is one timeout of TCP (the constant timeout), because a message is "
                                 "expected to be lost in a full queue\n", ranked[i].strategy->name);
        }
    }
    if (cluster->machine.buffer == 0 && (job->options->topology != NULL || cluster->machine.taper > 1)) {
        fprintf(job->stream, "# the cost of overflowing queues is not predicted, because the machine has no buffer; "
                             "over TCP, also try tree with a topology file\n");
    }
}

irr_cli_exit_t irr_tool_recommend(const irr_tool_job_t *job)
{
    irr_tool_cluster_t cluster;
    irr_tool_strategies_t strategies;
    ranked_t ranked[IRR_TOOL_STRATEGIES_MAX];
    irr_cli_exit_t code = irr_tool_cluster_open(job->options, job->input, &cluster);

    if (code != IRR_CLI_GOOD) {
        return code;
    }
    code = irr_tool_strategies_list(job->options, &cluster, true, &strategies);
    if (code == IRR_CLI_GOOD) {
        for (int i = 0; i < strategies.count; i++) {
            ranked[i] = (ranked_t){ &strategies.list[i], irr_tool_strategy_model(&cluster, &strategies.list[i]), i };
        }
        qsort(ranked, (size_t)strategies.count, sizeof(*ranked), by_time);
        print_strategies(job, &cluster, ranked, strategies.count);
    }
    irr_tool_cluster_close(&cluster);
    return code;
}
