/*
 * segment.h - a segment: memory that one process, its owner, writes and the other processes of the node read.
 *
 * The segment is a file without a name (memfd_create), so the kernel frees it when the owner ends, even after a crash.
 * Other processes open the file through /proc/PID/fd of the owner, and map it read-only. The kernel permits this only
 * to processes of the same user. The length of the file is sealed, so a reader never accesses a page that has
 * disappeared.
 *
 * The owner must back pages before it writes to them, that is, make the kernel allocate their memory. If memory is
 * missing, backing returns an error; a write to a page that is not backed would end the process by a signal. Backed
 * pages are in the NUMA domain of the owner.
 *
 * A segment begins with a table, whose layout readers know. The caller backs the pages of the table (irr_segment_back).
 * Behind the table, irr_segment_take allocates ranges one after the other, and backs them. Ranges are aligned to a pair
 * of cache lines, and are never freed. A function takes O(1) time, plus the time to back pages.
 */
#ifndef IRR_SEGMENT_H
#define IRR_SEGMENT_H

#include "irr.h"

/* Where a process of the node finds a segment. May be sent as bytes. */
typedef struct irr_segment_handle {
    uint64_t process, file;   /* PID of the owner, and its descriptor of the file */
    uint64_t device, inode;   /* identify the file; inode 0: unknown, so the reader's caller must check the contents */
    uint64_t bytes;
} irr_segment_handle_t;

/* A segment of this process. A zeroed object is no segment. */
typedef struct irr_segment {
    unsigned char       *bytes;
    irr_segment_handle_t handle;
    size_t               backed;   /* end of the backed bytes behind the table */
    size_t               end;      /* end of the allocated ranges */
} irr_segment_t;

/*
 * Creates a segment of `bytes` bytes of address space, which begins with a table of `table` bytes. Backs no page.
 * Returns IRR_ERR_NOT_SUPPORTED if the system has no memfd_create or not enough address space.
 */
irr_status_t irr_segment_init(irr_segment_t *segment, size_t table, size_t bytes);

/* Frees the segment. Processes that have mapped it may continue to read. */
void irr_segment_fini(irr_segment_t *segment);

/* Backs a range. The process may then write to the range. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_segment_back(irr_segment_t *segment, size_t offset, size_t bytes);

/* Allocates and backs a range of `bytes` bytes, and sets *offset_p to its beginning. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_segment_take(irr_segment_t *segment, size_t bytes, size_t *offset_p);

/* ---- reading the segment of another process ---- */

typedef struct irr_segment_view {
    const unsigned char *bytes;
    size_t               length;
} irr_segment_view_t;

/*
 * Maps a segment of any process of the node, including this one. Returns IRR_ERR_NOT_SUPPORTED if this process cannot
 * open the file, for example in another container, or if the file does not match the handle.
 */
irr_status_t irr_segment_view_open(irr_segment_view_t *view, const irr_segment_handle_t *handle);
void         irr_segment_view_close(irr_segment_view_t *view);

#endif
