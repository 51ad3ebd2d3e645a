/*
 * plan_input.c - the input of irr_plan: reads or makes the count matrix, scales it, and checks it against the limits of
 * the checker; loads the schedule, which must match the matrix; and places the ranks on hosts.
 */
#include "plan.h"

#include "plan/strategy.h"
#include "study/segments.h"

#include <inttypes.h>
#include <stdlib.h>

static void scale_entries(const irr_matrix_t *matrix, double scale)
{
    size_t count = (size_t)matrix->ranks * (size_t)matrix->ranks;

    for (size_t i = 0; i < count; i++) {
        matrix->entries[i] = irr_cli_scaled(matrix->entries[i], scale);
    }
}

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

static irr_cli_exit_t check_sums(const irr_tool_options_t *options, const irr_matrix_t *matrix)
{
    for (int i = 0; i < matrix->ranks; i++) {
        for (int row = 0; row <= 1; row++) {
            if (irr_cli_sum(matrix, i, row) > (uint64_t)IRR_SEGMENTS_LIMIT) {
                return irr_cli_complain("%.256s: %s %d has more than %td bytes in all", irr_tool_source(options),
                                        row ? "row" : "column", i + 1, IRR_SEGMENTS_LIMIT);
            }
        }
    }
    return IRR_CLI_GOOD;
}

/* Refuses too many bytes: a scheduled order adds the bytes of all ranks. */
static irr_cli_exit_t check_total(const irr_tool_options_t *options, const irr_tool_input_t *input)
{
    uint64_t bytes = 0;

    for (int i = 0; i < input->matrix.ranks; i++) {
        uint64_t row = irr_cli_sum(&input->matrix, i, true);

        bytes = row < UINT64_MAX - bytes ? bytes + row : UINT64_MAX;
    }
    if (options->load == NULL && irr_tool_has_schedule(options, input->algorithm) && bytes > INT64_MAX) {
        return irr_cli_complain("%.256s: more than %" PRId64 " bytes in all, which %s does not schedule",
                                irr_tool_source(options), INT64_MAX, irr_algorithm_name(input->algorithm));
    }
    return IRR_CLI_GOOD;
}

static irr_cli_exit_t check_save(const irr_tool_options_t *options, const irr_tool_input_t *input)
{
    if (options->save != NULL && !irr_tool_has_schedule(options, input->algorithm)) {
        return irr_cli_complain("--save: algorithm %s has no schedule, only xor to tree have",
                                irr_algorithm_name(input->algorithm));
    }
    return IRR_CLI_GOOD;
}

static irr_cli_exit_t make_matrix(const irr_tool_options_t *options, irr_tool_input_t *input)
{
    const int given = options->ranks > 0 ? options->ranks : input->schedule.ranks;
    const int ranks = given > 0 ? given : irr_tool_topology_ranks(input);
    irr_status_t status;

    if (options->matrix != NULL) {
        return options->ranks > 0
                   ? irr_cli_read_matrix_of(options->matrix, options->ranks, "--ranks says", &input->matrix)
                   : irr_cli_read_matrix(options->matrix, &input->matrix);
    }
    if (options->redistribute != NULL) {
        return irr_cli_redistribute(options->redistribute, &options->settings.scheduled.redistribution, &input->matrix);
    }
    if (options->pattern != NULL) {
        return irr_cli_make_matrix(options->pattern, ranks, options->unit, options->settings.scheduled.seed,
                                   &input->matrix);
    }
    status = irr_schedule_matrix(&input->schedule, &input->matrix);
    return irr_cli_status(status, "%.256s", options->load);
}

/* Places the ranks on hosts, if there are any.  The places decide what "auto" resolves to, as in a job. */
static irr_cli_exit_t place(const irr_tool_options_t *options, irr_tool_input_t *input)
{
    irr_cli_exit_t code = IRR_CLI_GOOD;

    input->algorithm = options->algorithm;
    if (options->topology != NULL) {
        code = irr_tool_topology_place(options, input);
        if (input->topology.hosts > 1) {
            input->algorithm = irr_algorithm_resolve(options->algorithm, input->topology.hosts);
        }
    }
    return code;
}

/*
 * Checks the limits, that there is a schedule to save if one is asked for, and that a loaded one delivers the matrix.
 */
static irr_cli_exit_t check_input(const irr_tool_options_t *options, const irr_tool_input_t *input)
{
    irr_cli_exit_t code = check_sums(options, &input->matrix);

    if (code == IRR_CLI_GOOD) {
        code = check_total(options, input);
    }
    if (code == IRR_CLI_GOOD) {
        code = check_save(options, input);
    }
    if (code == IRR_CLI_GOOD && options->load != NULL) {
        code = irr_tool_schedule_match(options, input);
    }
    return code;
}

irr_cli_exit_t irr_tool_input_load(const irr_tool_options_t *options, irr_tool_input_t *input)
{
    irr_cli_exit_t code = options->topology != NULL ? irr_tool_topology_load(options, input) : IRR_CLI_GOOD;

    if (code == IRR_CLI_GOOD && options->load != NULL) {
        code = irr_tool_schedule_load(options, input);
    }
    if (code == IRR_CLI_GOOD) {
        code = make_matrix(options, input);
    }
    if (code == IRR_CLI_GOOD) {
        scale_entries(&input->matrix, options->scale);
        code = place(options, input);
    }
    if (code == IRR_CLI_GOOD) {
        code = check_input(options, input);
    }
    if (code != IRR_CLI_GOOD) {
        irr_tool_input_fini(input);
    }
    return code;
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
