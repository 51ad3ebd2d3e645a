/*
 * irr_plan.c - shows, proves and draws the plans of all ranks; see plan.h.
 */
#include "chart.h"
#include "cli_output.h"
#include "plan.h"

#include "plan/strategy.h"
#include "problem/lines.h"
#include "route/forward.h"
#include "study/print.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

const char irr_cli_program[] = "irr_plan";

void irr_tool_shown(const irr_strategy_t *strategy, irr_tool_shown_t shown[IRR_TOOL_SHOWN])
{
    shown[0] = (irr_tool_shown_t){ "lead_bytes", strategy->pacing->syncs ? strategy->lead : 0 };
    shown[1] = (irr_tool_shown_t){ "piece_bytes", irr_strategy_is_scheduled(strategy) ? strategy->piece_max : 0 };
    shown[2] = (irr_tool_shown_t){ "window_messages", strategy->window_messages };
    shown[3] = (irr_tool_shown_t){ "window_bytes", strategy->window_bytes };
}

static irr_cli_exit_t print_text(const irr_tool_job_t *job)
{
    irr_tool_shown_t shown[IRR_TOOL_SHOWN];
    int rank = job->options->rank;

    irr_tool_shown(job->strategy, shown);
    fprintf(job->stream, "# %s, pacing %s", job->algorithm, job->strategy->pacing->name);
    for (int i = 0; i < IRR_TOOL_SHOWN; i++) {
        fprintf(job->stream, ", %s %zu", shown[i].name, shown[i].value);
    }
    fputc('\n', job->stream);
    for (int r = 0; r < job->plans->ranks; r++) {
        if (rank == IRR_TOOL_ALL_RANKS || rank == r) {
            if (job->options->topology != NULL) {
                fprintf(job->stream, "rank %d is on %s\n", r, job->input->topology.names[job->input->host_of[r]]);
            }
            irr_plan_print(&job->plans->plans[r], job->stream);
        }
    }
    return IRR_CLI_GOOD;
}

irr_cli_exit_t irr_tool_outcome(const irr_tool_job_t *job, irr_status_t status)
{
    const irr_plans_t *plans = job->plans;
    char reason[256] = "";

    if (status == IRR_ERR_INVALID_PLAN) {
        irr_plan_check(plans->plans, plans->problems, plans->ranks, reason, sizeof(reason));
        irr_cli_complain("algorithm %s: %s", job->algorithm, reason);
        return IRR_CLI_WRONG;
    }
    if (status != IRR_OK) {
        return irr_cli_complain("%s", irr_status_text(status));
    }
    return IRR_CLI_GOOD;
}

static irr_cli_exit_t run_command(const irr_tool_job_t *job)
{
    switch (job->options->command) {
    case IRR_TOOL_PRINT: return job->options->json ? irr_tool_json(job) : print_text(job);
    case IRR_TOOL_CHECK: return irr_tool_check(job);
    case IRR_TOOL_DRAW:  return irr_tool_draw(job);
    case IRR_TOOL_EMIT:  return irr_tool_emit(job);
    case IRR_TOOL_SIMULATE:  return irr_tool_simulate(job);
    case IRR_TOOL_RECOMMEND: return irr_tool_recommend(job);
    case IRR_TOOL_NOTHING: break;
    }
    return IRR_CLI_GOOD;
}

/* Opens the output (stdout if path is NULL), and calls `write`.  Returns an error if the output cannot be written. */
static irr_cli_exit_t write_output(irr_tool_job_t *job, const char *path,
                                   irr_cli_exit_t (*write)(const irr_tool_job_t *job))
{
    irr_cli_output_t output;
    irr_cli_exit_t code = irr_cli_output_open(path, &output);

    if (code != IRR_CLI_GOOD) {
        return code;
    }
    job->stream = output.stream;
    return irr_cli_output_close(&output, write(job));
}

/* Returns the name of the algorithm; "file" if the schedule was loaded. */
static const char *name_of(const irr_tool_options_t *options, int algorithm)
{
    return options->load != NULL ? "file" : irr_algorithm_name(algorithm);
}

/* Returns the strategy of all ranks, as in a job with the same settings.  A loaded schedule has the order `given`. */
static irr_strategy_t strategy_of(const irr_tool_options_t *options, const irr_tool_input_t *input)
{
    irr_settings_t settings = options->settings;
    irr_strategy_t strategy;

    settings.algorithm = options->load == NULL ? input->algorithm : 0;
    strategy = irr_strategy_of(&settings, 1);
    if (options->load != NULL) {
        strategy.order = &irr_order_given;
    }
    if (options->settings.host_route == IRR_HOST_ROUTE_NODE) {
        strategy.route = &irr_route_node;
    }
    if (options->in_place && irr_strategy_is_scheduled(&strategy)) {   /* as in a job (comm/schedules.h) */
        strategy = irr_strategy_unscheduled(&strategy);
        strategy.pacing = &irr_pacing_free;
    }
    return strategy;
}

/* Sets the name of the algorithm, and the dimensions of its grid: those of rank 0, which has the longest rows. */
static void describe(int algorithm, irr_tool_job_t *job)
{
    const int ranks = job->matrix->ranks;
    irr_grid_t grid;

    job->algorithm = name_of(job->options, irr_algorithm_resolve(algorithm, 1));
    if (job->strategy->route != &irr_route_grid || irr_strategy_grid(job->strategy, ranks, NULL, &grid) != IRR_OK) {
        return;
    }
    job->ndims = grid.levels;
    for (int i = 0; i < grid.levels; i++) {
        job->dims[i] = irr_grid_level(&grid, ranks, i, 0).rows.columns;
    }
}

/* Returns the number of consecutive ranks that share a node, or 0 if each host of the topology is a node. */
static int ranks_per_node(const irr_tool_job_t *job)
{
    if (job->options->ranks_per_node > 0 || job->input->host_of != NULL) {
        return job->options->ranks_per_node;
    }
    return job->strategy->route == &irr_route_node ? irr_grid_square_columns(job->matrix->ranks) : job->matrix->ranks;
}

static irr_status_t make_nodes(const irr_tool_job_t *job, irr_nodes_t *nodes)
{
    const int ranks = job->matrix->ranks, per_node = ranks_per_node(job);
    int *labels = malloc((size_t)ranks * sizeof(*labels));
    irr_status_t status;

    if (labels == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    for (int r = 0; r < ranks; r++) {
        labels[r] = per_node > 0 ? r / per_node : job->input->host_of[r];
    }
    status = irr_nodes_init(nodes, ranks, labels);
    free(labels);
    return status;
}

/* Refuses --ranks-per-node if a node would have ranks on several hosts of the topology. */
static irr_cli_exit_t check_nodes(const irr_tool_job_t *job, const irr_nodes_t *nodes)
{
    for (int r = 0; job->input->host_of != NULL && r < nodes->ranks; r++) {
        const int index = irr_nodes_index(nodes, r);
        const int other = index > 0 ? irr_nodes_member(nodes, irr_nodes_of(nodes, r), index - 1) : r;

        if (job->input->host_of[other] != job->input->host_of[r]) {
            return irr_cli_complain("--ranks-per-node %d: ranks %d and %d are not on one host",
                                    job->options->ranks_per_node, other, r);
        }
    }
    return IRR_CLI_GOOD;
}

/* If the strategy needs them, computes the schedule, and the matrix of the messages that leaders of nodes exchange. */
static irr_status_t prepare(irr_tool_job_t *job, irr_plans_known_t *known)
{
    const irr_tool_options_t *options = job->options;
    irr_tool_input_t *input = job->input;
    const bool one = options->command == IRR_TOOL_PRINT && !options->json && options->rank != IRR_TOOL_ALL_RANKS;
    irr_status_t status = IRR_OK;

    *known = (irr_plans_known_t){
        .matrix = job->matrix, .nodes = job->nodes, .tree = job->tree, .in_place = options->in_place,
        .only = one ? &options->rank : NULL };
    if (irr_strategy_forwards(job->strategy)) {
        status = irr_forward_matrix(job->nodes, job->matrix, &input->forwarded);
        job->delivered = &input->forwarded;
    }
    if (irr_strategy_is_scheduled(job->strategy)) {
        if (status == IRR_OK && options->load == NULL) {
            status = irr_tool_schedule_compute(options, job->strategy->order, job->delivered, input);
        }
        job->schedule = known->schedule = &input->schedule;
    }
    return status;
}

/* Builds the plans; for most pictures an outline, with sends only.  check proves its plans while it builds them. */
static irr_status_t build_plans(const irr_tool_job_t *job, irr_plans_t *plans)
{
    if (job->options->command == IRR_TOOL_CHECK) {
        return IRR_OK;
    }
    return job->options->command == IRR_TOOL_DRAW && job->options->topology == NULL
               ? irr_plans_outline(job->strategy, job->known, plans)
               : irr_plans_build(job->strategy, job->known, plans);
}

irr_status_t irr_tool_plans_each(irr_tool_job_t *job, irr_plans_take_t take, void *context)
{
    irr_plans_known_t known;
    irr_status_t status = prepare(job, &known);

    return status == IRR_OK ? irr_plans_each(job->strategy, &known, take, context) : status;
}

const char *irr_tool_wrong_pacing(irr_pacing_kind_t pacing, const irr_strategy_t *strategy)
{
    const bool scheduled = irr_strategy_is_scheduled(strategy);

    if (pacing <= IRR_PACING_FREE) {
        return NULL;
    }
    if (!scheduled && !irr_strategy_is_local(strategy)) {
        return "goes with direct messages and schedules only";
    }
    if (!scheduled && pacing == IRR_PACING_SYNC) {
        return "goes with a schedule only";
    }
    return irr_strategy_forwards(strategy) && pacing != IRR_PACING_SYNC ? "does not go with --host-route node" : NULL;
}

/* Refuses a setting that does not apply to the strategy. */
static irr_cli_exit_t check_settings(const irr_settings_t *settings, const irr_strategy_t *strategy)
{
    const char *wrong = irr_tool_wrong_pacing(settings->pacing, strategy);

    if (wrong != NULL) {
        return irr_cli_complain("--pacing %s %s", irr_pacing_name((int)settings->pacing), wrong);
    }
    if (settings->grants > 0 && strategy->pacing != &irr_pacing_grant) {
        return irr_cli_complain("--grants goes with the pacing grant only");
    }
    if (settings->lead_bytes != IRR_BYTES_AUTO && !strategy->pacing->syncs) {
        return irr_cli_complain("--lead goes with the pacing sync only");
    }
    if (settings->piece_bytes != IRR_BYTES_AUTO && !irr_strategy_is_scheduled(strategy)) {
        return irr_cli_complain("--piece goes with a schedule only");
    }
    return IRR_CLI_GOOD;
}

/* Refuses --in-place for strategies that would copy all data before they send, and for counts that MPI refuses. */
static irr_cli_exit_t check_place(const irr_tool_job_t *job)
{
    int i, j;

    if (!irr_strategy_is_local(job->strategy) || job->strategy->pacing != &irr_pacing_free) {
        return irr_cli_complain("--in-place needs direct messages with the pacing free, or an algorithm with a "
                                "schedule, which it ignores; it does not support grids");
    }
    if (irr_cli_is_symmetric(job->matrix, &i, &j)) {
        return IRR_CLI_GOOD;
    }
    return irr_cli_complain("--in-place: rank %d sends %" PRIu64 " bytes to rank %d and receives %" PRIu64
                            "; they must be equal", i, *irr_matrix_at(job->matrix, i, j), j,
                            *irr_matrix_at(job->matrix, j, i));
}

/* Saves the schedule if the options ask for it, and runs the command. */
static irr_cli_exit_t write_all(irr_tool_job_t *job)
{
    const irr_tool_options_t *options = job->options;
    irr_cli_exit_t code = IRR_CLI_GOOD;

    if (options->save != NULL) {
        code = write_output(job, options->save, irr_tool_schedule_save);
    }
    return code == IRR_CLI_GOOD ? write_output(job, options->output, run_command) : code;
}

static irr_cli_exit_t plan_all(const irr_tool_options_t *options, irr_tool_input_t *input)
{
    const irr_strategy_t strategy = strategy_of(options, input);
    const int ranks = input->matrix.ranks;
    irr_plans_t plans = { .ranks = 0 };
    irr_plans_known_t known;
    irr_nodes_t nodes;
    irr_tool_job_t job = {
        .options = options, .input = input, .matrix = &input->matrix, .delivered = &input->matrix,
        .strategy = &strategy, .nodes = &nodes, .plans = &plans,
        .tree = options->topology != NULL ? &input->tree : NULL
    };
    irr_cli_exit_t code = IRR_CLI_REFUSED;
    irr_status_t status;

    if (options->settings.host_route == IRR_HOST_ROUTE_NODE && strategy.order != &irr_order_tree) {
        return irr_cli_complain("--host-route node goes with the algorithm tree only, not with %s",
                                irr_algorithm_name(input->algorithm));
    }
    if (check_settings(&options->settings, &strategy) != IRR_CLI_GOOD ||
        (options->in_place && check_place(&job) != IRR_CLI_GOOD)) {
        return IRR_CLI_REFUSED;
    }
    status = make_nodes(&job, &nodes);
    if (status == IRR_OK &&
        (check_nodes(&job, &nodes) != IRR_CLI_GOOD || irr_tool_memory_check(&job) != IRR_CLI_GOOD)) {
        irr_nodes_fini(&nodes);
        return IRR_CLI_REFUSED;
    }
    if (status == IRR_OK) {
        job.known = &known;
        status = prepare(&job, &known);
        status = status == IRR_OK ? build_plans(&job, &plans) : status;
        if (status == IRR_OK) {
            describe(input->algorithm, &job);
            code = write_all(&job);
        }
        irr_plans_fini(&plans);
        irr_nodes_fini(&nodes);
    }
    return status == IRR_OK ? code : irr_cli_status(status, "algorithm %s for %d ranks",
                                                    name_of(options, input->algorithm), ranks);
}

/* Runs emit-c and recommend, which need no plans, or simulate, which makes the plans of one strategy at a time. */
static irr_cli_exit_t run_alone(const irr_tool_options_t *options, irr_tool_input_t *input)
{
    irr_tool_job_t job = { .options = options, .input = input, .matrix = &input->matrix, .tree = &input->tree };

    return write_output(&job, options->output, run_command);
}

/* Checks the options that depend on the number of ranks, which may come from the matrix. */
static irr_cli_exit_t check_ranks(const irr_tool_options_t *options, int ranks)
{
    if (options->rank >= ranks) {
        return irr_cli_complain("--rank %d is not one of %d ranks; they count from 0", options->rank, ranks);
    }
    if (options->command == IRR_TOOL_DRAW && irr_chart_check_name(options->output) != IRR_CLI_GOOD) {
        return IRR_CLI_REFUSED;
    }
    if (options->command == IRR_TOOL_DRAW && options->topology != NULL && ranks > IRR_TOOL_DRAW_RANKS_MAX) {
        return irr_cli_complain("draw --topology shows at most %d ranks, not %d, because the names of more ranks would "
                                "be unreadable", IRR_TOOL_DRAW_RANKS_MAX, ranks);
    }
    if (options->command == IRR_TOOL_EMIT && (ranks < 2 || ranks > IRR_TOOL_EMIT_RANKS_MAX)) {
        return irr_cli_complain("emit-c writes for 2 to %d ranks, not %d; compilers take long for the tables of more",
                                IRR_TOOL_EMIT_RANKS_MAX, ranks);
    }
    return IRR_CLI_GOOD;
}

int main(int argc, char **argv)
{
    irr_tool_options_t options;
    irr_tool_input_t input = { .schedule_ms = 0 };
    irr_cli_exit_t code = irr_tool_options_read(argc, argv, &options);

    (void)mallopt(M_MMAP_THRESHOLD, 1 << 18);   /* holes of freed arrays would take a quarter of the memory */
    irr_lines_take_pipes();
    if (code != IRR_CLI_GOOD || options.command == IRR_TOOL_NOTHING) {
        return irr_cli_exit(code);
    }
    code = irr_tool_input_load(&options, &input);
    if (code != IRR_CLI_GOOD) {
        return irr_cli_exit(code);
    }
    code = check_ranks(&options, input.matrix.ranks);
    if (code == IRR_CLI_GOOD) {
        code = options.command < IRR_TOOL_EMIT ? plan_all(&options, &input) : run_alone(&options, &input);
    }
    irr_tool_input_fini(&input);
    return irr_cli_exit(code);
}
