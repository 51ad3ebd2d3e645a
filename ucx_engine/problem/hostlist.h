/*
 * hostlist.h - lists of host names with ranges in brackets, as Slurm writes them.
 *
 *     n[0-7,9],login1          n0 to n7, n9, login1
 *     n[008-010]               n008, n009, n010: as wide as the first number
 *     rack[1-2]n[0-3]-ib       any number of groups, the last one fastest, with or without text after them
 *
 * Names are separated by commas, blanks or both.  As in Slurm, separators may be repeated, and may be at either end.
 * Unlike Slurm, this rejects an open range such as [5-], blanks in brackets, and any byte that irr_name_has rejects.
 */
#ifndef IRR_HOSTLIST_H
#define IRR_HOSTLIST_H

#include "problem/names.h"

/* Most names of a list: Slurm's limit of nodes. */
#define IRR_HOSTLIST_MAX 65536

/*
 * Appends the names of a text, in its order, IRR_HOSTLIST_MAX at most; names may repeat.  IRR_ERR_BAD_PARAM, also for
 * an empty list, and IRR_ERR_NO_MEMORY: the names are unchanged, and reason[size] has the cause, which may quote the
 * text. O(bytes of all names).
 */
irr_status_t irr_hostlist_expand(const char *text, irr_names_t *names, char *reason, size_t size);

#endif
