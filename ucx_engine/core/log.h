/*
 * log.h - passes user messages to the logger that irr_log_set (irr.h) has set, one line each.
 *
 * A line names the setting or object, its value and the allowed values. Only the code that detects an error logs it.
 */
#ifndef IRR_LOG_H
#define IRR_LOG_H

#include "irr.h"

/*
 * Captures the errors and warnings of this thread instead of logging them. Sets `line`, an array of `bytes` bytes, to
 * "". The first error or warning is stored there, and later ones are lost. line NULL ends the capture.
 */
void irr_log_keep(char *line, size_t bytes);

/*
 * Copies a text, with a 0 at its end, to the array `to` of `size` bytes, at least 16. If the text is too long, its
 * middle becomes "...", because the beginning names the object, and the end names the cause or the consequence.
 */
void irr_log_fit(char *to, size_t size, const char *text);

/* Returns the text that precedes the name of a setting in log lines (irr_log_prefix_set in irr.h). */
const char *irr_log_prefix(void);

/* Logs one line in the format of printf. */
void irr_log(irr_log_level_t level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
