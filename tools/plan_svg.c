/*
 * plan_svg.c - what the charts of draw have in common: the head of the picture, with the algorithm and its input.
 */
#include "plan.h"

#include <inttypes.h>

static void make_title(const irr_tool_job_t *job, const char *cell, char *line)
{
    irr_svg_add(line, "%s, %d rank%s", job->algorithm, job->plans->ranks, job->plans->ranks == 1 ? "" : "s");
    for (int i = 0; i < job->ndims; i++) {
        irr_svg_add(line, "%s%d", i == 0 ? " in a grid of " : " x ", job->dims[i]);
    }
    if (cell != NULL) {
        irr_svg_add(line, "; a cell: %s", cell);
    }
}

static void make_input(const irr_tool_options_t *options, char *line)
{
    if (options->load != NULL) {
        irr_svg_add(line, "schedule %.256s%s", options->load,
                    irr_tool_source(options) != options->load ? ", " : "");
    }
    if (options->matrix != NULL) {
        irr_svg_add(line, "matrix %.256s", options->matrix);
    } else if (options->redistribute != NULL) {
        irr_svg_add(line, "redistribution %s, elements of %" PRIu64 " bytes", options->redistribute, options->unit);
    } else if (options->pattern != NULL) {
        irr_svg_add(line, "pattern %s, unit %" PRIu64 " bytes, seed %" PRIu64, options->pattern, options->unit,
                    options->settings.scheduled.seed);
    }
    if (options->scale != 1) {
        irr_svg_add(line, ", scaled by %g", options->scale);
    }
    if (options->topology != NULL) {
        irr_svg_add(line, ", topology %.256s", options->topology);
    }
}

void irr_tool_svg_open(const irr_tool_job_t *job, int width, int height, const char *cell, const char *styles,
                       const char *caption)
{
    char title[IRR_SVG_LINE] = "", input[IRR_SVG_LINE] = "";

    make_title(job, cell, title);
    make_input(job->options, input);
    irr_svg_open(job->stream, &(irr_svg_head_t){ width, height, styles, title, input, caption });
}

void irr_tool_svg_stage(FILE *out, const irr_tool_stage_t *stage)
{
    fprintf(out, "%zu message%s in %d step%s, the largest of %zu bytes", stage->messages,
            stage->messages == 1 ? "" : "s", stage->steps, stage->steps == 1 ? "" : "s", stage->largest);
}
