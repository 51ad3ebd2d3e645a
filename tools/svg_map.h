/*
 * svg_map.h - heat maps: cells coloured by bytes on a logarithmic scale, and the legend of that scale.
 */
#ifndef IRR_SVG_MAP_H
#define IRR_SVG_MAP_H

#include "svg.h"

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the palest and the darkest colour; both 0: no cell has any. */
typedef struct irr_svg_scale {
    uint64_t min, max;
    bool     white;     /* some cell has no bytes */
} irr_svg_scale_t;

/* Takes in the bytes of more cells. */
void irr_svg_scale_meet(irr_svg_scale_t *scale, const uint64_t *bytes, size_t count);

/* Is the colour of these bytes so dark that a text on it must be pale? */
bool irr_svg_scale_dark(const irr_svg_scale_t *scale, uint64_t bytes);

/* The bytes of columns x rows cells, row by row, and where they are drawn. */
typedef struct irr_svg_map {
    int             columns, rows;
    int             width, height;  /* of a cell, in pixels */
    int             left, top;
    const uint64_t *bytes;          /* 0: the cell stays white */
} irr_svg_map_t;

/* CSS for the head of the picture, with a size that holds it. */
enum { IRR_SVG_MAP_STYLES = 3072 };
void irr_svg_map_styles(char *text, size_t size);

/* Frame, cells, and lines every so many of them, as the numbers beside them. */
void irr_svg_map(FILE *out, const irr_svg_map_t *map, const irr_svg_scale_t *scale);

/* Numbers of the columns, above the map, of a class; the first one, if each is of so many. */
void irr_svg_map_columns(FILE *out, const irr_svg_map_t *map, const char *class, int together, int first);

/* Numbers of the rows, to the left of the map, if each is of `together` ranks. */
void irr_svg_map_ranks(FILE *out, const irr_svg_map_t *map, int together);

/* The legend; nothing: what a white cell means, if there is one. */
void irr_svg_legend(FILE *out, const irr_svg_scale_t *scale, int x, int top, const char *nothing);

/* Pixels of the legend. */
enum { IRR_SVG_LEGEND_WIDTH = 114, IRR_SVG_LEGEND_HEIGHT = 336 };

#endif
