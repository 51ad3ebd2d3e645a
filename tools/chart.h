/*
 * chart.h - pictures of the tools: a tool computes the contents of a picture as JSON, the script irr_chart draws it.
 */
#ifndef IRR_CHART_H
#define IRR_CHART_H

#include "cli.h"

#include <jansson.h>

/* Room for a text with three paths. */
#define IRR_CHART_WHOLE_MAX 16384

/*
 * Returns a JSON string.  The middle of a text of more than a kilobyte becomes "...".  Question marks replace bytes
 * that a picture cannot show.  NULL: no memory.
 */
json_t *irr_chart_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Returns a list or an object if it has all its members.  If it has fewer, because memory ran out when they were added,
 * releases it and returns NULL.
 */
json_t *irr_chart_whole(json_t *list, size_t members);

/* Returns a number of bytes as JSON: a real number if it is too large for an integer.  NULL: no memory. */
json_t *irr_chart_bytes(uint64_t bytes);

/* Returns the bytes of columns x rows cells as a list of rows, each a list of numbers.  NULL: no memory. */
json_t *irr_chart_cells(const uint64_t *cells, int columns, int rows);

/* Refuses the name of a picture of another format than SVG, such as x.png. */
irr_cli_exit_t irr_chart_check_name(const char *path);

/*
 * Runs irr_chart from the folder of the program or from PATH.  Blocks until it has written the picture to the stream.
 * Takes ownership of `picture`; NULL means that memory ran out.  On failure prints an error message and returns
 * IRR_CLI_FAILED.
 */
irr_cli_exit_t irr_chart_draw(json_t *picture, FILE *stream);

#endif
