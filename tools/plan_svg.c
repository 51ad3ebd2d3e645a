/*
 * plan_svg.c - what the charts of draw have in common: the head of the picture, with the algorithm and its input.
 */
#include "plan.h"

#include <inttypes.h>
#include <string.h>

typedef struct head {
    const irr_tool_job_t *job;
    const char           *cell;   /* what it shows, or NULL */
} head_t;

static void write_title(const void *context, FILE *out)
{
    const head_t *head = context;
    const irr_tool_job_t *job = head->job;

    irr_svg_text(out, job->algorithm);
    fprintf(out, ", %d rank%s", job->plans->ranks, job->plans->ranks == 1 ? "" : "s");
    for (int i = 0; i < job->ndims; i++) {
        fprintf(out, "%s%d", i == 0 ? " in a grid of " : " x ", job->dims[i]);
    }
    if (head->cell != NULL) {
        fprintf(out, "; a cell: %s", head->cell);
    }
}

static void write_input(const void *context, FILE *out)
{
    const irr_tool_job_t *job = ((const head_t *)context)->job;
    const irr_tool_options_t *options = job->options;
    const char *source = irr_tool_source(options);

    if (options->load != NULL) {
        fputs("schedule ", out);
        irr_svg_text(out, options->load);
        fputs(source != options->load ? ", " : "", out);
    }
    if (options->matrix != NULL) {
        fputs("matrix ", out);
        irr_svg_text(out, options->matrix);
    } else if (options->redistribute != NULL) {
        fputs("redistribution ", out);
        irr_svg_text(out, options->redistribute);
        fprintf(out, ", elements of %" PRIu64 " bytes", options->unit);
    } else if (options->pattern != NULL) {
        fputs("pattern ", out);
        irr_svg_text(out, options->pattern);
        fprintf(out, ", unit %" PRIu64 " bytes, seed %" PRIu64, options->unit, options->settings.scheduled.seed);
    }
    if (options->scale != 1) {
        fprintf(out, ", scaled by %g", options->scale);
    }
    if (options->topology != NULL) {
        fputs(", topology ", out);
        irr_svg_text(out, options->topology);
    }
}

int irr_tool_svg_width(const irr_tool_job_t *job)
{
    const char *source = irr_tool_source(job->options), *load = job->options->load;
    const char *topology = job->options->topology;
    int letters = (int)strnlen(source, 4096) + 32;

    letters += load != NULL && load != source ? (int)strnlen(load, 4096) : 0;
    letters += topology != NULL ? (int)strnlen(topology, 4096) + 11 : 0;
    return irr_svg_width(letters);
}

void irr_tool_svg_open(const irr_tool_job_t *job, int width, int height, const char *cell, const char *styles,
                       const char *caption)
{
    const head_t head = { job, cell };

    irr_svg_open(job->stream, &(irr_svg_head_t){ width, height, styles, write_title, write_input, caption, &head });
}

void irr_tool_svg_stage(FILE *out, const irr_tool_stage_t *stage)
{
    fprintf(out, "%zu message%s in %d step%s, the largest of %zu bytes", stage->messages,
            stage->messages == 1 ? "" : "s", stage->steps, stage->steps == 1 ? "" : "s", stage->largest);
}
