/*
 * log.h - lines for the user, through the host's logger; see irr_log_set in irr.h.
 *
 * A line names the setting or object, its value and the allowed values.  It is written once, where the error is
 * decided.
 */
#ifndef IRR_LOG_H
#define IRR_LOG_H

#include "irr.h"

/*
 * Keeps the first error or warning of this thread from now on in line[bytes], which is "" until then, and logs no error
 * or warning of this thread.  NULL: this thread logs again.
 */
void irr_log_keep(char *line, size_t bytes);

/* Returns the prefix of the names of settings in log lines. */
const char *irr_log_prefix(void);

void irr_log(irr_log_level_t level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
