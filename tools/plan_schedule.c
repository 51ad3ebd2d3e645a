/*
 * plan_schedule.c - the schedule of irr_plan: reads it from a file, or computes it by a row of the table; and saves it.
 *
 * A file is checked when it is read.  If a count matrix is given, too, the schedule must deliver it.
 */
#include "plan.h"

#include "order/schedule_file.h"
#include "plan/strategy.h"

#include <time.h>

static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

bool irr_tool_has_schedule(const irr_tool_options_t *options, int algorithm)
{
    return options->load != NULL || (algorithm >= 0 && irr_strategy_is_scheduled(irr_algorithm_strategy(algorithm)));
}

irr_cli_exit_t irr_tool_schedule_load(const irr_tool_options_t *options, irr_tool_input_t *input)
{
    const double start = now_ms();
    irr_file_error_t error = { 0 };
    irr_status_t status = irr_schedule_read(options->load, &input->schedule, &error);
    const int ranks = input->schedule.ranks;

    input->schedule_ms = now_ms() - start;
    if (status != IRR_OK) {
        return irr_cli_file_read(options->load, status, &error);
    }
    if (ranks > IRR_TOOL_RANKS_MAX) {
        return irr_cli_complain("%.256s: schedule is for %d ranks, irr_plan plans for at most %d", options->load, ranks,
                                IRR_TOOL_RANKS_MAX);
    }
    if (options->ranks > 0 && ranks != options->ranks) {
        return irr_cli_complain("%.256s: schedule is for %d ranks, --ranks says %d: they must be equal", options->load,
                                ranks, options->ranks);
    }
    return IRR_CLI_GOOD;
}

irr_cli_exit_t irr_tool_schedule_match(const irr_tool_options_t *options, const irr_tool_input_t *input)
{
    char reason[256];
    irr_status_t status = irr_schedule_check(&input->schedule, &input->matrix, reason, sizeof(reason));

    if (status == IRR_ERR_INVALID_PLAN) {
        return irr_cli_complain("%.256s does not deliver %.256s: %s", options->load, irr_tool_source(options), reason);
    }
    return irr_cli_status(status, "%.256s", options->load);
}

irr_status_t irr_tool_schedule_compute(const irr_tool_options_t *options, const irr_order_t *order,
                                       const irr_matrix_t *matrix, irr_tool_input_t *input)
{
    const double start = now_ms();
    irr_scheduled_params_t params = options->settings.scheduled;
    irr_status_t status;

    params.tree = options->topology != NULL ? &input->tree : NULL;
    status = irr_order_schedule(order, matrix, &params, &input->schedule);
    input->schedule_ms = now_ms() - start;
    return status;
}

irr_cli_exit_t irr_tool_schedule_save(const irr_tool_job_t *job)
{
    char comment[64];
    irr_status_t status;

    snprintf(comment, sizeof(comment), "algorithm %s", job->algorithm);
    status = irr_schedule_write(job->schedule, comment, job->stream);
    return status == IRR_ERR_IO ? IRR_CLI_GOOD : irr_cli_status(status, "%.256s", job->options->save);
}
