/*
 * log.h - passes user messages to the caller's logger, one line each; see irr_log_set in irr.h.
 *
 * A line names the setting or object, its value and the allowed values.  The code that detects the error writes the
 * line, once.
 */
#ifndef IRR_LOG_H
#define IRR_LOG_H

#include "irr.h"

/*
 * Sets line[bytes] to "".  From now on the first error or warning of this thread is stored in line, and errors and
 * warnings of this thread are not logged.  line NULL: this thread logs again.
 */
void irr_log_keep(char *line, size_t bytes);

/*
 * Copies a text to to[size], with a 0 at its end.  If the text is too long, its middle becomes "...", because the
 * beginning of a message names the object, and its end the cause or the consequence.  size: at least 16.
 */
void irr_log_fit(char *to, size_t size, const char *text);

/* Returns the prefix of the names of settings in log lines. */
const char *irr_log_prefix(void);

void irr_log(irr_log_level_t level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
