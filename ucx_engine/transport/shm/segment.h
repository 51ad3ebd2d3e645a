/*
 * segment.h - memory that one process writes and the other processes of its node read.
 *
 * A process has one segment. The segment is a file without a name (memfd_create), so the kernel frees the segment when
 * the process ends, even after a crash. Other processes open the file through /proc of the process, and map the file
 * read-only. The kernel permits this only to processes of the same user. The length is fixed and sealed, so no page
 * disappears under a reader. The process that writes a page also allocates the memory of the page (backs it) before it
 * first writes to it. The page is then in the memory domain of this process. If there is no memory, the allocation
 * returns an error; otherwise a signal would kill the process later.
 *
 * A segment begins with a table, whose layout readers know. The pages of the table are backed on request
 * (irr_segment_back). Behind the table, ranges of the segment are allocated one after the other; the length of a range
 * is a multiple of a pair of cache lines. Ranges are never freed, because lanes live as long as their segment. O(1) per
 * operation.
 */
#ifndef IRR_SEGMENT_H
#define IRR_SEGMENT_H

#include "irr.h"

/* Descriptor of a segment, by which a process of the node opens the segment. May be sent as bytes. */
typedef struct irr_segment_handle {
    uint64_t process, file;     /* number of the process, and its descriptor of the file */
    uint64_t device, inode;   /* 0: unknown; the reader must then recognize the segment by its contents */
    uint64_t bytes;
} irr_segment_handle_t;

/* A zeroed object is no segment. */
typedef struct irr_segment {
    unsigned char     *bytes;
    irr_segment_handle_t handle;
    size_t             backed;   /* end of the backed bytes behind the table */
    size_t             end;      /* end of the allocated ranges */
} irr_segment_t;

/*
 * Makes a segment of `bytes` bytes of address space. The table takes the first `table` bytes. Takes hardly any memory.
 * Returns IRR_ERR_NOT_SUPPORTED if the system has no memory files (memfd_create) or not enough address space.
 */
irr_status_t irr_segment_init(irr_segment_t *segment, size_t table, size_t bytes);

/* Frees the segment. Readers may continue to read. */
void irr_segment_fini(irr_segment_t *segment);

/* Backs a range of the table. The process may then write to the range. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_segment_back(irr_segment_t *segment, size_t offset, size_t bytes);

/* Allocates a range of `bytes` bytes. Sets *offset_p to the beginning of the range. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_segment_take(irr_segment_t *segment, size_t bytes, size_t *offset_p);

/* ---- reading the segment of another process ---- */

typedef struct irr_segment_view {
    const unsigned char *bytes;
    size_t               length;
} irr_segment_view_t;

/*
 * Maps a segment, which may belong to this process. Returns IRR_ERR_NOT_SUPPORTED if the segment does not match the
 * descriptor, or if this process cannot open the segment, for example in another container.
 */
irr_status_t irr_segment_view_open(irr_segment_view_t *view, const irr_segment_handle_t *handle);
void         irr_segment_view_close(irr_segment_view_t *view);

#endif
