/*
 * svg_map.c - see svg_map.h.
 *
 * What is coloured alike is one path, and neighbours in a row are one stroke of it, in units of cells: some ten bytes
 * of the file each, so that it stays small.  Time O(levels * cells).
 */
#include "svg_map.h"

#include <inttypes.h>
#include <math.h>

enum { LEVELS = 32, ANCHORS = 5 };

/* Sizes in pixels. */
enum { TICK_MIN = 36, GAPS_MIN = 8, KEY_WIDTH = 18, KEY_HEIGHT = 288, KEY_LINE = 16 };

/* ---- the scale ---- */

void irr_svg_scale_meet(irr_svg_scale_t *scale, const uint64_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        scale->min = bytes[i] > 0 && (scale->min == 0 || bytes[i] < scale->min) ? bytes[i] : scale->min;
        scale->max = bytes[i] > scale->max ? bytes[i] : scale->max;
        scale->white = scale->white || bytes[i] == 0;
    }
}

/* Where on the scale, from 0 for the fewest to 1 for the most. */
static double place_of(const irr_svg_scale_t *scale, double bytes)
{
    const double min = log((double)scale->min), max = log((double)scale->max);

    return max > min ? (log(bytes) - min) / (max - min) : 1;
}

/* -1: there are none. */
static int level_of(const irr_svg_scale_t *scale, uint64_t bytes)
{
    const int level = bytes > 0 ? (int)(place_of(scale, (double)bytes) * LEVELS) : -1;

    return level < LEVELS ? level : LEVELS - 1;
}

bool irr_svg_scale_dark(const irr_svg_scale_t *scale, uint64_t bytes)
{
    return level_of(scale, bytes) >= LEVELS * 5 / 8;
}

/* From light, which is few, to dark. */
static uint32_t colour_of(int level)
{
    static const double anchors[ANCHORS][3] = {
        { 226, 240, 176 }, { 136, 207, 178 }, { 61, 162, 193 }, { 37, 97, 166 }, { 24, 26, 84 }
    };
    const double at = (double)level * (ANCHORS - 1) / (LEVELS - 1);
    const int from = at < ANCHORS - 2 ? (int)at : ANCHORS - 2;
    uint32_t colour = 0;

    for (int i = 0; i < 3; i++) {
        const double value = anchors[from][i] + (anchors[from + 1][i] - anchors[from][i]) * (at - from);

        colour = colour << 8 | (uint32_t)lround(value);
    }
    return colour;
}

void irr_svg_map_styles(char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, ".m { text-anchor: middle; }\n.e { text-anchor: end; }\n"
                                   ".none { fill: #fff; stroke: #bbb; }\n.gap { stroke: #fff; fill: none; }\n"
                                   ".line { stroke: #000; stroke-opacity: 0.12; fill: none; }\n"
                                   "rect.key { stroke: none; }\n"
                                   ".v { font-size: 10px; text-anchor: middle; }\n.d { fill: #fff; }\n");

    for (int i = 0; i < LEVELS && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, ".l%d { fill: #%06" PRIx32 "; stroke: #%06" PRIx32 "; }\n",
                                 i, colour_of(i), colour_of(i));
    }
}

/* ---- the map ---- */

/* All cells of a level. */
static void write_level(FILE *out, const irr_svg_map_t *map, const irr_svg_scale_t *scale, int level)
{
    bool any = false;

    for (int y = 0; y < map->rows; y++) {
        const uint64_t *row = map->bytes + (size_t)y * (size_t)map->columns;

        for (int x = 0, end; x < map->columns; x = end) {
            const int is = level_of(scale, row[x]);

            for (end = x + 1; end < map->columns && level_of(scale, row[end]) == is; end++) {
            }
            if (is == level) {
                fprintf(out, "%sM%d %dh%d", any ? "" : "<path d=\"", x, y, end - x);
                any = true;
            }
        }
    }
    if (any) {
        fprintf(out, "\" class=\"l%d\"/>\n", level);
    }
}

/* Lines in both directions, every so many columns and rows. */
static void write_grid(FILE *out, const irr_svg_map_t *map, int columns, int rows, const char *class)
{
    fputs("<path d=\"", out);
    for (int x = columns; x < map->columns; x += columns) {
        fprintf(out, "M%d %dv%d", map->left + x * map->width, map->top, map->rows * map->height);
    }
    for (int y = rows; y < map->rows; y += rows) {
        fprintf(out, "M%d %dh%d", map->left, map->top + y * map->height, map->columns * map->width);
    }
    fprintf(out, "\" class=\"%s\"/>\n", class);
}

static int tick_of(int pixels)
{
    int step = 1;

    while (step * pixels < TICK_MIN) {
        step *= 2;
    }
    return step;
}

void irr_svg_map(FILE *out, const irr_svg_map_t *map, const irr_svg_scale_t *scale)
{
    fprintf(out, "<rect class=\"none\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", map->left, map->top,
            map->columns * map->width, map->rows * map->height);
    fprintf(out, "<g shape-rendering=\"crispEdges\" transform=\"translate(%d,%g) scale(%d,%d)\">\n",
            map->left, map->top + map->height / 2.0, map->width, map->height);
    for (int level = 0; level < LEVELS; level++) {
        write_level(out, map, scale, level);
    }
    fputs("</g>\n", out);
    if (map->width >= GAPS_MIN && map->height >= GAPS_MIN) {
        write_grid(out, map, 1, 1, "gap");
    }
    write_grid(out, map, tick_of(map->width), tick_of(map->height), "line");
}

void irr_svg_map_columns(FILE *out, const irr_svg_map_t *map, const char *class, int together, int first)
{
    for (int i = 0; i < map->columns; i += tick_of(map->width)) {
        irr_svg_label(out, class, map->left + i * map->width + map->width / 2, map->top - 6, "%lld",
                      (long long)i * together + first);
    }
}

void irr_svg_map_ranks(FILE *out, const irr_svg_map_t *map, int together)
{
    const int step = tick_of(map->height);

    fprintf(out, "<text class=\"m\" transform=\"translate(%d,%d) rotate(-90)\">from rank</text>\n",
            IRR_SVG_MARGIN + 10, map->top + map->rows * map->height / 2);
    for (int i = 0; i < map->rows; i += step) {
        irr_svg_label(out, "rank e", map->left - 6, map->top + i * map->height + map->height / 2 + 4, "%d",
                      i * together);
    }
}

/* ---- the legend ---- */

static void write_legend_text(FILE *out, int x, int y, uint64_t bytes)
{
    char text[32];

    irr_svg_bytes(bytes, text, sizeof(text));
    fprintf(out, "<text x=\"%d\" y=\"%d\">%s</text>\n", x + KEY_WIDTH + 8, y + 4, text);
}

/* Both ends of the scale, and what fits between of powers of ten, or where they are few of 1, 2, 5 times those. */
static void write_legend_texts(FILE *out, const irr_svg_scale_t *scale, int x, int top)
{
    const bool fine = scale->max / scale->min < 1000;
    int last = top + KEY_HEIGHT;

    write_legend_text(out, x, last, scale->min);
    write_legend_text(out, x, top, scale->max);
    for (double power = 1; power <= (double)scale->max; power *= 10) {
        for (int digit = 1; digit <= (fine ? 5 : 1); digit += digit == 2 ? 3 : 1) {
            const int y = top + (int)((1 - place_of(scale, power * digit)) * KEY_HEIGHT);

            if (last - y >= KEY_LINE && y - top >= KEY_LINE) {
                write_legend_text(out, x, y, (uint64_t)(power * digit));
                last = y;
            }
        }
    }
}

void irr_svg_legend(FILE *out, const irr_svg_scale_t *scale, int x, int top, const char *nothing)
{
    const int bottom = scale->max > 0 ? top + KEY_HEIGHT + KEY_LINE : top;

    for (int level = 0; level < LEVELS && scale->max > scale->min; level++) {
        fprintf(out, "<rect class=\"key l%d\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", level, x,
                top + KEY_HEIGHT - (level + 1) * KEY_HEIGHT / LEVELS, KEY_WIDTH, KEY_HEIGHT / LEVELS);
    }
    if (scale->max > scale->min) {
        write_legend_texts(out, scale, x, top);
    } else if (scale->max > 0) {
        fprintf(out, "<rect class=\"key l%d\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", LEVELS - 1, x,
                bottom - KEY_LINE - KEY_WIDTH, KEY_WIDTH, KEY_WIDTH);
        write_legend_text(out, x, bottom - KEY_LINE - KEY_WIDTH / 2, scale->max);
    }
    if (!scale->white) {
        return;
    }
    fprintf(out, "<rect class=\"none\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>"
            "<text x=\"%d\" y=\"%d\">%s</text>\n", x, bottom, KEY_WIDTH, KEY_WIDTH, x + KEY_WIDTH + 8,
            bottom + KEY_WIDTH / 2 + 4, nothing);
}
