/*
 * hostlist.h - lists of host names with ranges in brackets, as Slurm writes them.
 *
 *     n[0-7,9],login1          n0 to n7, n9, login1
 *     n[008-010]               n008, n009, n010: padded with zeros to the width of the first number
 *     rack[1-2]n[0-3]-ib       any number of groups, with or without text after them; the last group varies fastest
 *
 * Names are separated by commas, blanks or both.  As in Slurm, separators may be repeated, and a list may begin or end
 * with separators.  Unlike Slurm, this reader rejects an open range such as [5-], blanks in brackets, and any byte for
 * which irr_name_has returns false.
 */
#ifndef IRR_HOSTLIST_H
#define IRR_HOSTLIST_H

#include "problem/names.h"

/* Largest number of names of a list: Slurm's limit of nodes. */
#define IRR_HOSTLIST_MAX 65536

/*
 * Appends the names of a text to a list, in the order of the text.  The list may have IRR_HOSTLIST_MAX names at most,
 * and the same name several times.  Returns IRR_ERR_BAD_PARAM if the text is wrong or has no names.  May return
 * IRR_ERR_NO_MEMORY.  After an error the list is unchanged, and reason[size] has the cause, which may quote the text.
 * O(n) time for n bytes of all names.
 */
irr_status_t irr_hostlist_expand(const char *text, irr_names_t *names, char *reason, size_t size);

#endif
