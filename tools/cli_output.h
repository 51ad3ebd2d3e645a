/*
 * cli_output.h - output files of the tools.
 *
 * A tool writes to FILE.part, and renames this file to FILE when it is complete.  If the tool fails, FILE keeps its
 * earlier contents.  If the tool is killed, FILE.part has what the tool has written so far.  A tool writes directly to
 * anything else than a regular file, such as a pipe, a device or /dev/stdout, and to a file in a folder in which it may
 * not create files.
 */
#ifndef IRR_CLI_OUTPUT_H
#define IRR_CLI_OUTPUT_H

#include "cli.h"

typedef struct irr_cli_output {
    FILE       *stream;   /* NULL: not open */
    const char *path;     /* what the user has written; the caller's, NULL: stdout */
    char       *target;   /* the file that is replaced; NULL: the stream writes directly */
    char       *part;
} irr_cli_output_t;

/*
 * Opens an output; stdout if path is NULL or "-".  Refuses a pipe without a reader.  `path` must live as long as the
 * output.  After an error the output is not open, and an error message has been printed.
 */
irr_cli_exit_t irr_cli_output_open(const char *path, irr_cli_output_t *output);

/*
 * Closes the output of a command that ended with exit status `code`.  Keeps the contents if they are complete: after
 * IRR_CLI_GOOD and IRR_CLI_WRONG.  Returns `code`, or IRR_CLI_FAILED with an error message if the output could not be
 * written.
 */
irr_cli_exit_t irr_cli_output_close(irr_cli_output_t *output, irr_cli_exit_t code);

#endif
