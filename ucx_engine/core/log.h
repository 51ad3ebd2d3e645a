/*
 * log.h - lines for the user, through the host's logger; see irr_log_set in irr.h.
 *
 * A line names the thing, its value and what is allowed, and is written once: where the error is decided.
 */
#ifndef IRR_LOG_H
#define IRR_LOG_H

#include "irr.h"

/*
 * From now on the first error or warning of this thread is kept in *line, of so many bytes, and all are told to nobody.
 * It is empty if there is none.  NULL: they are told again.
 */
void irr_log_keep(char *line, size_t bytes);

/* The text before the name of a setting in a message. */
const char *irr_log_prefix(void);

void irr_log(irr_log_level_t level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
