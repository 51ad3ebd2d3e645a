/*
 * chart.h - pictures of the tools: a tool computes what a picture shows, and the script irr_chart draws it.
 */
#ifndef IRR_CHART_H
#define IRR_CHART_H

#include "cli.h"

#include <jansson.h>

/* A string of at most a kilobyte; bytes that a picture cannot show become question marks.  NULL: no memory. */
json_t *irr_chart_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A number of bytes, as a real number where JSON has no such integers.  NULL: no memory. */
json_t *irr_chart_bytes(uint64_t bytes);

/* The bytes of columns x rows cells, a list for each row.  NULL: no memory. */
json_t *irr_chart_cells(const uint64_t *cells, int columns, int rows);

/*
 * Runs irr_chart, which stands beside the program or in PATH, and waits until it has written the picture to the stream.
 * Takes the picture; NULL: no memory.  Complains and returns IRR_CLI_REFUSED if there is no picture.
 */
irr_cli_exit_t irr_chart_draw(json_t *picture, FILE *stream);

#endif
