/*
 * svg.c - see svg.h.
 */
#include "svg.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* Sizes in pixels. */
enum { WIDTH_MIN = 720, LETTER_WIDTH = 7, TITLE_LETTER_WIDTH = 11 };

/* Pale enough for dark text, and no two that a colour-blind reader would take for each other side by side. */
static const char *const colours[IRR_SVG_COLOURS] = {
    "#9ecbf0", "#fbc98a", "#a5dfae", "#d9bff0", "#f7e58b", "#f4b3c2", "#9fe0e0", "#d6c6b0"
};

/* What XML or the encoding might not allow becomes a question mark. */
void irr_svg_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        default:  fputc(*text >= ' ' && *text <= '~' ? *text : '?', out);
        }
    }
}

void irr_svg_bytes(uint64_t bytes, char *text, size_t size)
{
    static const char *const units[] = { "kB", "MB", "GB", "TB", "PB", "EB" };
    double value = (double)bytes;
    int unit = -1;

    if (bytes < 100000) {
        snprintf(text, size, "%" PRIu64 " B", bytes);
        return;
    }
    while (value >= 999.5) {
        value /= 1000;
        unit++;
    }
    snprintf(text, size, "%.3g %s", value, units[unit]);
}

uint64_t irr_svg_tick(uint64_t span, int most)
{
    static const uint64_t times[] = { 1, 2, 5 };
    uint64_t power = 1;
    int i = 0;

    while (span / power / times[i] > (uint64_t)most) {
        i = (i + 1) % 3;
        power *= i == 0 ? 10 : 1;
    }
    return power * times[i];
}

void irr_svg_add(char line[IRR_SVG_LINE], const char *format, ...)
{
    const size_t used = strlen(line);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line + used, IRR_SVG_LINE - used, format, arguments);
    va_end(arguments);
}

void irr_svg_label(FILE *out, const char *class, double x, double y, const char *format, ...)
{
    va_list arguments;

    fprintf(out, "<text class=\"%s\" x=\"%g\" y=\"%g\">", class, x, y);
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
    fputs("</text>\n", out);
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* The pixels that the lines of the head need. */
static int width_of(const irr_svg_head_t *head)
{
    const int letters = larger((int)strlen(head->input), (int)strlen(head->caption)) * LETTER_WIDTH;

    return larger(WIDTH_MIN, 2 * IRR_SVG_MARGIN + larger(letters, (int)strlen(head->title) * TITLE_LETTER_WIDTH));
}

void irr_svg_open(FILE *out, const irr_svg_head_t *head)
{
    const int width = larger(head->width, width_of(head)), height = head->height;

    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
            width, height, width, height);
    fputs("<title>", out);
    irr_svg_text(out, head->title);
    fputs("</title>\n<style>\n"
          "text { font: 12px sans-serif; fill: #222; }\n"
          ".title { font-size: 18px; font-weight: bold; }\n"
          ".stage { font-size: 14px; font-weight: bold; }\n"
          ".rank, .step { font-size: 11px; fill: #666; }\n"
          ".step { text-anchor: middle; }\n"
          ".cell { stroke: #fff; }\n", out);
    fputs(head->styles, out);
    for (int i = 0; i < IRR_SVG_COLOURS; i++) {
        fprintf(out, ".s%d { fill: %s; }\n", i, colours[i]);
    }
    fprintf(out, "</style>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", width, height);
    fprintf(out, "<text class=\"title\" x=\"%d\" y=\"30\">", IRR_SVG_MARGIN);
    irr_svg_text(out, head->title);
    fprintf(out, "</text>\n<text x=\"%d\" y=\"50\">", IRR_SVG_MARGIN);
    irr_svg_text(out, head->input);
    fprintf(out, "</text>\n<text x=\"%d\" y=\"68\">", IRR_SVG_MARGIN);
    irr_svg_text(out, head->caption);
    fputs("</text>\n", out);
}
