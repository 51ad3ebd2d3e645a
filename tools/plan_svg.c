/*
 * plan_svg.c - what the charts of draw have in common: the head of the picture with title, input and styles.
 */
#include "plan.h"

#include <inttypes.h>
#include <string.h>

enum { WIDTH_MIN = 720, LETTER_WIDTH = 8 };

/* Pale enough for dark text, and no two that a colour-blind reader would take for each other side by side. */
static const char *const colours[IRR_TOOL_SVG_COLOURS] = {
    "#9ecbf0", "#fbc98a", "#a5dfae", "#d9bff0", "#f7e58b", "#f4b3c2", "#9fe0e0", "#d6c6b0"
};

/* What XML or the encoding might not allow becomes a question mark. */
void irr_tool_svg_text(const irr_tool_job_t *job, const char *text)
{
    FILE *stream = job->stream;

    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&': fputs("&amp;", stream); break;
        case '<': fputs("&lt;", stream); break;
        case '>': fputs("&gt;", stream); break;
        default:  fputc(*text >= ' ' && *text <= '~' ? *text : '?', stream);
        }
    }
}

static void write_title(const irr_tool_job_t *job)
{
    irr_tool_svg_text(job, job->algorithm);
    fprintf(job->stream, ", %d rank%s", job->plans->ranks, job->plans->ranks == 1 ? "" : "s");
    for (int i = 0; i < job->ndims; i++) {
        fprintf(job->stream, "%s%d", i == 0 ? " in a grid of " : " x ", job->dims[i]);
    }
}

static void write_input(const irr_tool_job_t *job)
{
    const irr_tool_options_t *options = job->options;
    const char *source = irr_tool_source(options);

    if (options->load != NULL) {
        fputs("schedule ", job->stream);
        irr_tool_svg_text(job, options->load);
        fputs(source != options->load ? ", " : "", job->stream);
    }
    if (options->matrix != NULL) {
        fputs("matrix ", job->stream);
        irr_tool_svg_text(job, options->matrix);
    } else if (options->redistribute != NULL) {
        fputs("redistribution ", job->stream);
        irr_tool_svg_text(job, options->redistribute);
        fprintf(job->stream, ", elements of %" PRIu64 " bytes", options->unit);
    } else if (options->pattern != NULL) {
        fputs("pattern ", job->stream);
        irr_tool_svg_text(job, options->pattern);
        fprintf(job->stream, ", unit %" PRIu64 " bytes, seed %" PRIu64, options->unit, options->seed);
    }
    if (options->scale != 1) {
        fprintf(job->stream, ", scaled by %g", options->scale);
    }
    if (options->topology != NULL) {
        fputs(", topology ", job->stream);
        irr_tool_svg_text(job, options->topology);
    }
}

int irr_tool_svg_width(const irr_tool_job_t *job)
{
    const char *source = irr_tool_source(job->options), *load = job->options->load;
    const char *topology = job->options->topology;
    int letters = (int)strnlen(source, 4096) + 32;

    letters += load != NULL && load != source ? (int)strnlen(load, 4096) : 0;
    letters += topology != NULL ? (int)strnlen(topology, 4096) + 11 : 0;
    return letters * LETTER_WIDTH > WIDTH_MIN ? letters * LETTER_WIDTH : WIDTH_MIN;
}

void irr_tool_svg_open(const irr_tool_job_t *job, int width, int height, const char *styles, const char *caption)
{
    FILE *out = job->stream;

    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
            width, height, width, height);
    fputs("<title>", out);
    write_title(job);
    fputs("</title>\n<style>\n"
          "text { font: 12px sans-serif; fill: #222; }\n"
          ".title { font-size: 18px; font-weight: bold; }\n"
          ".stage { font-size: 14px; font-weight: bold; }\n"
          ".rank, .step { font-size: 11px; fill: #666; }\n"
          ".step { text-anchor: middle; }\n"
          ".cell { stroke: #fff; }\n", out);
    fputs(styles, out);
    for (int i = 0; i < IRR_TOOL_SVG_COLOURS; i++) {
        fprintf(out, ".s%d { fill: %s; }\n", i, colours[i]);
    }
    fprintf(out, "</style>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", width, height);
    fprintf(out, "<text class=\"title\" x=\"%d\" y=\"30\">", IRR_TOOL_SVG_MARGIN);
    write_title(job);
    fprintf(out, "</text>\n<text x=\"%d\" y=\"50\">", IRR_TOOL_SVG_MARGIN);
    write_input(job);
    fprintf(out, "</text>\n<text x=\"%d\" y=\"68\">%s</text>\n", IRR_TOOL_SVG_MARGIN, caption);
}
