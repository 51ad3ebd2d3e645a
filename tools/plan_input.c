/*
 * plan_input.c - the input of irr_plan: the count matrix, the schedule and the tree of switches.
 *
 * The matrix is read from a file, made from a pattern or a redistribution, or taken from a loaded schedule.  Then it is
 * scaled, and checked against the limits of the checker of plans.  A schedule is read from a file or computed; one from
 * a file must deliver the matrix.  If a file describes the switches, each rank is placed on one of its hosts.
 */
#include "plan.h"

#include "core/clock.h"
#include "order/schedule_file.h"
#include "plan/strategy.h"
#include "problem/hostlist.h"
#include "problem/placement.h"
#include "study/segments.h"

#include <inttypes.h>
#include <stdlib.h>

const char *irr_tool_source(const irr_tool_options_t *options)
{
    if (options->matrix != NULL) {
        return options->matrix;
    }
    if (options->redistribute != NULL) {
        return options->redistribute;
    }
    return options->pattern != NULL ? options->pattern : options->load;
}

/* ---- the schedule ---- */

bool irr_tool_has_schedule(const irr_tool_options_t *options, int algorithm)
{
    return options->load != NULL || (algorithm >= 0 && irr_strategy_is_scheduled(irr_algorithm_strategy(algorithm)));
}

/* Reads the schedule file of the options. */
static irr_cli_exit_t schedule_load(const irr_tool_options_t *options, irr_tool_input_t *input)
{
    const uint64_t start = irr_clock_ns();
    irr_file_error_t error = { 0 };
    irr_status_t status = irr_schedule_read(options->load, &input->schedule, &error);
    const int ranks = input->schedule.ranks;

    input->schedule_ms = (double)(irr_clock_ns() - start) / 1e6;
    if (status != IRR_OK) {
        return irr_cli_file_read(options->load, status, &error);
    }
    if (options->ranks > 0 && ranks != options->ranks) {
        return irr_cli_complain("%s: schedule is for %d ranks, --ranks says %d: they must be equal", options->load,
                                ranks, options->ranks);
    }
    return IRR_CLI_GOOD;
}

/* Refuses a schedule file that does not deliver the matrix. */
static irr_cli_exit_t schedule_match(const irr_tool_options_t *options, const irr_tool_input_t *input)
{
    char reason[256];
    irr_status_t status = irr_schedule_check(&input->schedule, &input->matrix, reason, sizeof(reason));

    if (status == IRR_ERR_INVALID_PLAN) {
        return irr_cli_complain("%s does not deliver %s: %s", options->load, irr_tool_source(options), reason);
    }
    return irr_cli_status(status, "%s", options->load);
}

irr_status_t irr_tool_schedule_compute(const irr_tool_options_t *options, const irr_order_t *order,
                                       const irr_matrix_t *matrix, irr_tool_input_t *input)
{
    const uint64_t start = irr_clock_ns();
    irr_scheduled_params_t params = options->settings.scheduled;
    irr_status_t status;

    params.tree = options->topology != NULL ? &input->tree : NULL;
    status = irr_order_schedule(order, matrix, &params, &input->schedule);
    input->schedule_ms = (double)(irr_clock_ns() - start) / 1e6;
    return status;
}

irr_cli_exit_t irr_tool_schedule_save(const irr_tool_job_t *job)
{
    char comment[64];
    irr_status_t status;

    snprintf(comment, sizeof(comment), "algorithm %s", job->algorithm);
    status = irr_schedule_write(job->schedule, comment, job->stream);   /* the caller reports IRR_ERR_IO */
    return status == IRR_ERR_IO ? IRR_CLI_GOOD : irr_cli_status(status, "%s", job->options->save);
}

/* ---- the tree of switches ---- */

/* Returns the default number of ranks: that of the names of --hosts, or of the hosts in the file; 0: neither. */
static int topology_ranks(const irr_tool_input_t *input)
{
    return input->hosts.count > 0 ? (int)input->hosts.count : input->topology.hosts;
}

/* Warns if a LinkSpeed of the file probably has a wrong unit.  It may be right, so this is no error. */
static irr_cli_exit_t warn_about_speeds(const char *path, const irr_topology_t *topology)
{
    char text[256];
    irr_status_t status = irr_topology_doubt(topology, text, sizeof(text));

    if (status == IRR_OK && text[0] != '\0') {
        irr_cli_complain("%s: %s", path, text);
    }
    return irr_cli_status(status, "%s", path);
}

/* Reads the topology file and the names of --hosts. */
static irr_cli_exit_t topology_load(const irr_tool_options_t *options, irr_tool_input_t *input)
{
    irr_file_error_t error = { 0 };
    irr_status_t status = irr_topology_read(options->topology, &input->topology, &error);
    irr_cli_exit_t code = irr_cli_file_read(options->topology, status, &error);
    char reason[160];

    if (code == IRR_CLI_GOOD && options->hosts != NULL &&
        irr_hostlist_expand(options->hosts, &input->hosts, reason, sizeof(reason)) != IRR_OK) {
        return irr_cli_complain("--hosts: %s", reason);
    }
    if (code == IRR_CLI_GOOD && options->ranks == 0 && options->load == NULL &&
        irr_tool_source(options) == options->pattern && topology_ranks(input) > IRR_TOOL_RANKS_MAX) {
        return irr_cli_complain("%s: %d hosts, but irr_plan plans for at most %d ranks; choose fewer with --ranks "
                                "or --hosts", options->topology, topology_ranks(input), IRR_TOOL_RANKS_MAX);
    }
    return code == IRR_CLI_GOOD ? warn_about_speeds(options->topology, &input->topology) : code;
}

/* Places each rank on the host that --hosts names for it. */
static irr_cli_exit_t place_on_named_hosts(const irr_tool_options_t *options, const irr_tool_input_t *input)
{
    const char *const *names = (const char *const *)input->hosts.list;
    const int ranks = input->matrix.ranks;
    char reason[256];

    if (input->hosts.count != (size_t)ranks) {
        return irr_cli_complain("--hosts has %zu names for %d ranks: there must be one each", input->hosts.count,
                                ranks);
    }
    if (irr_placement(&input->topology, names, ranks, input->host_of, reason, sizeof(reason)) != IRR_OK) {
        return irr_cli_complain("%s: %s", options->topology, reason);
    }
    return IRR_CLI_GOOD;
}

/*
 * Places the ranks of the matrix on hosts: rank r on the host that --hosts names for it, or on host r of the file.  If
 * there are more ranks than hosts, consecutive ranks share a host, as with mpirun; the numbers of ranks of two hosts
 * then differ by at most one.  Reduces the topology to these hosts and the switches between them, and makes the tree of
 * switches (order/tree/tree.h), whose leaves are the ranks.
 */
static irr_cli_exit_t topology_place(const irr_tool_options_t *options, irr_tool_input_t *input)
{
    const int ranks = input->matrix.ranks, hosts = input->topology.hosts;
    irr_topology_t subtree;
    irr_status_t status;

    input->host_of = malloc((size_t)ranks * sizeof(*input->host_of));
    if (input->host_of == NULL) {
        return irr_cli_fail("%s", irr_status_text(IRR_ERR_NO_MEMORY));
    }
    for (int r = 0; r < ranks; r++) {
        input->host_of[r] = ranks <= hosts ? r : (int)((int64_t)r * hosts / ranks);
    }
    if (input->hosts.count > 0 && place_on_named_hosts(options, input) != IRR_CLI_GOOD) {
        return IRR_CLI_REFUSED;
    }
    status = irr_topology_cut(&input->topology, ranks, input->host_of, &subtree);
    if (status == IRR_OK) {
        irr_topology_fini(&input->topology);
        input->topology = subtree;
        status = irr_tree_init(&input->tree, &subtree, input->host_of, ranks);
    }
    return irr_cli_status(status, "%s", options->topology);
}

/* ---- the matrix ---- */

static void scale_entries(const irr_matrix_t *matrix, double scale)
{
    size_t count = (size_t)matrix->ranks * (size_t)matrix->ranks;

    for (size_t i = 0; i < count; i++) {
        matrix->entries[i] = irr_cli_scaled(matrix->entries[i], scale);
    }
}

/*
 * Refuses a row or a column with more bytes than the checker supports.  If a schedule is to be computed, refuses a
 * matrix of 2^63 bytes or more, because orders add the bytes of all ranks.
 */
static irr_cli_exit_t check_sums(const irr_tool_options_t *options, const irr_tool_input_t *input)
{
    uint64_t bytes = 0;

    for (int i = 0; i < input->matrix.ranks; i++) {
        for (int row = 0; row <= 1; row++) {
            const uint64_t sum = irr_cli_sum(&input->matrix, i, row);

            if (sum > (uint64_t)IRR_SEGMENTS_LIMIT) {
                return irr_cli_complain("%s: %s %d has more than %td bytes in all", irr_tool_source(options),
                                        row ? "row" : "column", i + 1, IRR_SEGMENTS_LIMIT);
            }
            bytes = irr_cli_plus(bytes, row ? sum : 0);
        }
    }
    if (options->load == NULL && irr_tool_has_schedule(options, input->algorithm) && bytes > INT64_MAX) {
        return irr_cli_complain("%s: more than %" PRId64 " bytes in all, which %s does not schedule",
                                irr_tool_source(options), INT64_MAX, irr_algorithm_name(input->algorithm));
    }
    return IRR_CLI_GOOD;
}

static irr_cli_exit_t check_save(const irr_tool_options_t *options, const irr_tool_input_t *input)
{
    if (options->save != NULL && !irr_tool_has_schedule(options, input->algorithm)) {
        return irr_cli_complain("--save: algorithm %s has no schedule; only xor to tree in the list of --help have one",
                                irr_algorithm_name(input->algorithm));
    }
    return IRR_CLI_GOOD;
}

static irr_cli_exit_t make_matrix(const irr_tool_options_t *options, irr_tool_input_t *input)
{
    const int given = options->ranks > 0 ? options->ranks : input->schedule.ranks;
    const int ranks = given > 0 ? given : topology_ranks(input);
    irr_status_t status;

    if (options->matrix != NULL) {
        return irr_cli_read_matrix(options->matrix, options->ranks, "--ranks says", &input->matrix);
    }
    if (options->redistribute != NULL) {
        return irr_cli_redistribute(options->redistribute, &options->settings.scheduled.redistribution, &input->matrix);
    }
    if (options->pattern != NULL) {
        return irr_cli_make_matrix(options->pattern, ranks, options->unit, options->settings.scheduled.seed,
                                   &input->matrix);
    }
    status = irr_schedule_matrix(&input->schedule, &input->matrix);
    return irr_cli_status(status, "%s", options->load);
}

/* Scales and places the matrix.  With several hosts, "auto" becomes the algorithm of a job on as many hosts. */
static irr_cli_exit_t place(const irr_tool_options_t *options, irr_tool_input_t *input)
{
    scale_entries(&input->matrix, options->scale);
    input->algorithm = options->algorithm;
    if (options->topology != NULL && topology_place(options, input) != IRR_CLI_GOOD) {
        return IRR_CLI_REFUSED;
    }
    if (input->topology.hosts > 1) {
        input->algorithm = irr_algorithm_resolve(options->algorithm, input->topology.hosts);
    }
    return IRR_CLI_GOOD;
}

irr_cli_exit_t irr_tool_input_load(const irr_tool_options_t *options, irr_tool_input_t *input)
{
    if ((options->topology != NULL && topology_load(options, input) != IRR_CLI_GOOD) ||
        (options->load != NULL && schedule_load(options, input) != IRR_CLI_GOOD) ||
        make_matrix(options, input) != IRR_CLI_GOOD || place(options, input) != IRR_CLI_GOOD ||
        check_sums(options, input) != IRR_CLI_GOOD || check_save(options, input) != IRR_CLI_GOOD ||
        (options->load != NULL && schedule_match(options, input) != IRR_CLI_GOOD)) {
        irr_tool_input_fini(input);
        return IRR_CLI_REFUSED;
    }
    return IRR_CLI_GOOD;
}

void irr_tool_input_fini(irr_tool_input_t *input)
{
    irr_matrix_fini(&input->forwarded);
    irr_matrix_fini(&input->matrix);
    irr_schedule_fini(&input->schedule);
    irr_tree_fini(&input->tree);
    irr_topology_fini(&input->topology);
    irr_names_fini(&input->hosts);
    free(input->host_of);
}
