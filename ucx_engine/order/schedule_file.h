/*
 * schedule_file.h - a schedule as a text file.
 *
 *     irr_schedule 1
 *     # any number of comments, anywhere below the first line
 *     RANKS STEPS TRANSMISSIONS
 *     STEP FROM TO OFFSET LENGTH [MORE]     once for each transmission; MORE: number of further steps
 *     end
 *
 * Steps count from 1, ranks from 0.  OFFSET and LENGTH are the range of bytes of the message from FROM to TO.  Lines
 * are sorted by step, then by sender.  STEPS is the number of steps; any step may be empty.  In a valid file no rank
 * sends twice or receives twice in a step, and each message is sent from byte 0 on, without a gap or an overlap.  The
 * line `end` shows that the file is not truncated.
 */
#ifndef IRR_SCHEDULE_FILE_H
#define IRR_SCHEDULE_FILE_H

#include "order/schedule.h"
#include "problem/lines.h"

/*
 * Reads a file of at most IRR_MATRIX_RANKS_MAX ranks and INT64_MAX bytes in all; no matrix is needed.  The caller frees
 * the schedule with irr_schedule_fini.  After IRR_ERR_IO, IRR_ERR_FORMAT and IRR_ERR_NO_MEMORY, *error is set and
 * *schedule is unchanged.  May block on the file system.
 */
irr_status_t irr_schedule_read(const char *path, irr_schedule_t *schedule, irr_file_error_t *error);

/*
 * Writes a schedule file to a stream, and does not flush the stream.  comment: one line, or NULL.  Writes nothing and
 * returns IRR_ERR_BAD_PARAM if irr_schedule_read would reject the file.  After IRR_ERR_NO_MEMORY nothing is written.
 * Returns IRR_ERR_IO if the stream has an error.  May block.
 */
irr_status_t irr_schedule_write(const irr_schedule_t *schedule, const char *comment, FILE *stream);

#endif
