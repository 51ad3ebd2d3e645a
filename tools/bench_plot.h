/*
 * bench_plot.h - a run of irr_bench as a picture.
 *
 *   bench_plot.c         what was measured so far, the head of the picture, and how a row looks
 *   bench_plot_lines.c   several units: time and ratio over the unit
 *   bench_plot_bars.c    one unit: a bar a row
 */
#ifndef IRR_BENCH_PLOT_H
#define IRR_BENCH_PLOT_H

#include "bench.h"

#include "svg.h"

enum { IRR_BENCH_UNITS_MAX = 64 };

/* Microseconds.  ratio is host/this, below 0 without a host. */
typedef struct irr_bench_point {
    double median, min, max, ratio;
    bool   misled;   /* the row was not served by what its name says */
} irr_bench_point_t;

typedef struct irr_bench_plot {
    const irr_bench_options_t *options;
    FILE                      *stream;
    int                        ranks, units;
    uint64_t                   unit[IRR_BENCH_UNITS_MAX];
    irr_bench_point_t          points[IRR_BENCH_UNITS_MAX][IRR_BENCH_ROWS_MAX];
    char                       names[IRR_BENCH_ROWS_MAX][IRR_BENCH_NAME_MAX];
} irr_bench_plot_t;

/* Begins the picture; the caller ends it with </svg>.  caption: plain text. */
void irr_bench_plot_head(const irr_bench_plot_t *plot, int height, const char *caption);

/* The classes of a row: its colour, and whether its lines are dashed. */
void irr_bench_plot_class(const irr_bench_plot_t *plot, int row, char *text, size_t size);

/* The mark of a row at a place; hollow if its point was misled. */
void irr_bench_plot_mark(const irr_bench_plot_t *plot, int row, bool misled, double x, double y);

/* Was some point misled? */
bool irr_bench_plot_misled(const irr_bench_plot_t *plot);

/* The first row of Open MPI without coll/irr that calls, to which host/this refers; -1: none. */
int irr_bench_plot_host(const irr_bench_plot_t *plot);

void irr_bench_plot_lines(const irr_bench_plot_t *plot);
void irr_bench_plot_bars(const irr_bench_plot_t *plot);

#endif
