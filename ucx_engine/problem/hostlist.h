/*
 * hostlist.h - lists of host names with ranges in brackets, as Slurm writes them.
 *
 *     n[0-7,9],login1          n0 to n7, n9, login1
 *     n[008-010]               n008, n009, n010: as wide as the first number is written
 *     rack[1-2]n[0-3]-ib       any number of groups, the last one fastest, and text behind them
 *
 * Names are separated by commas, blanks or both; as in Slurm, separators may be repeated and stand at either end.
 * Refused, though Slurm takes it: an open range such as [5-], blanks in brackets, and any byte that irr_name_has
 * does not allow.
 */
#ifndef IRR_HOSTLIST_H
#define IRR_HOSTLIST_H

#include "problem/names.h"

/* Most names in a list; Slurm's own limit of nodes. */
#define IRR_HOSTLIST_MAX 65536

/*
 * Appends the names of a text, in its order, until there are IRR_HOSTLIST_MAX; a name may be there twice.
 * IRR_ERR_BAD_PARAM, also where there is none, and IRR_ERR_NO_MEMORY: the names are as before and reason, of size
 * bytes, says why; it may quote the text.  O(bytes of all names).
 */
irr_status_t irr_hostlist_expand(const char *text, irr_names_t *names, char *reason, size_t size);

#endif
