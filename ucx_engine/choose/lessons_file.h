/*
 * lessons_file.h - lessons (results of trials) in a text file.  A job adds its lessons to the file, and later jobs read
 * them.
 *
 *     coll_irr memory 2
 *     machine Open MPI 4.1.4, x86_64, 2 processors, transport auto
 *     situation MPI_Alltoallv 8 8 1 0 12 0 0
 *     lived 3 4000
 *     strategy 3 1549 38 direct
 *     end 1
 *
 * The line `situation` has the collective, followed by the numbers of irr_situation_t in their order.  The line `lived`
 * has the number of teams (a team is all communicators of the same processes), and the mean number of their exchanges.
 * A line `strategy` has the number of trials, the speedup and the spread of its logarithm in thousandths, and the
 * strategy as text (irr_candidate_text).  The line `end` has the number of situations, so that a reader detects a
 * truncated file.  The lessons of a file are valid for one machine, which the second line describes.
 *
 * A writer locks the file, reads it, merges its own lessons with those of the file, writes a new file, and renames the
 * new file.  Jobs that end at the same time therefore overwrite no lesson of each other.
 *
 * The content of a file is not trusted: the reader checks the range of each number, and that each name is printable.
 */
#ifndef IRR_LESSONS_FILE_H
#define IRR_LESSONS_FILE_H

#include "choose/lessons.h"
#include "problem/lines.h"

/* Room for the description of a machine in bytes.  A longer description is cut. */
#define IRR_LESSONS_MACHINE 128

/*
 * Reads a file into empty lessons.  A missing or empty file is no error.  machine: the machine for which the file must
 * be; NULL: any machine. found: NULL, or room for the machine that the file names.  After IRR_ERR_FORMAT, IRR_ERR_IO
 * and IRR_ERR_NO_MEMORY, *error has the reason, and the lessons are empty.  Does not block.
 */
irr_status_t irr_lessons_read(const char *path, const char *machine, irr_lessons_t *lessons, char *found,
                             irr_file_error_t *error);

/*
 * Merges lessons into a file, and creates the file if there is none.  Returns IRR_IN_PROGRESS if another process holds
 * the lock; the caller may then try again.  Returns the errors of irr_lessons_read.  Does not block.
 */
irr_status_t irr_lessons_add(const char *path, const char *machine, const irr_lessons_t *lessons,
                             irr_file_error_t *error);

#endif
