/*
 * lessons_file.h - lessons (results of trials) in a text file, from which later jobs read them.
 *
 *     coll_irr memory 2
 *     machine Open MPI 4.1.4, x86_64, 2 processors, transport auto
 *     situation MPI_Alltoallv 8 8 1 0 12 0 0
 *     lived 3 4000
 *     strategy 3 1549 38 direct
 *     end 1
 *
 * situation: the collective, followed by the numbers of irr_situation_t in their order.  lived: number of teams
 * (communicators of the same processes), and their number of exchanges.  strategy: number of trials, speedup, spread of
 * the logarithm of the speedup (both in thousandths), and the text of irr_candidate_text.  end: the number of
 * situations, by which a reader detects a truncated file.  A file is for one machine; its second line has the name.
 *
 * A writer locks the file, merges its lessons, writes a new file and renames it.  Jobs that end at the same time
 * therefore lose nothing.
 *
 * Content of a file is untrusted: each number has a range, each name is printable.
 */
#ifndef IRR_LESSONS_FILE_H
#define IRR_LESSONS_FILE_H

#include "choose/lessons.h"
#include "problem/lines.h"

/* Room for the description of a machine; longer text is cut. */
#define IRR_LESSONS_MACHINE 128

/*
 * Reads a file into empty lessons.  A missing or empty file is no error.  machine: the machine that the file must name;
 * NULL: any machine.  found: NULL, or receives the machine that the file names.  After IRR_ERR_FORMAT, IRR_ERR_IO and
 * IRR_ERR_NO_MEMORY, *error has the reason, and the lessons are empty.  Does not block.
 */
irr_status_t irr_lessons_read(const char *path, const char *machine, irr_lessons_t *lessons, char *found,
                             irr_file_error_t *error);

/*
 * Merges lessons into a file, and creates the file if there is none.  Errors as above; IRR_IN_PROGRESS: another process
 * holds the lock, so the caller may try again.  Does not block.
 */
irr_status_t irr_lessons_add(const char *path, const char *machine, const irr_lessons_t *lessons,
                             irr_file_error_t *error);

#endif
