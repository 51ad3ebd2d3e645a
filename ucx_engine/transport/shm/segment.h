/*
 * segment.h - memory that one process writes and the other processes of its node read.
 *
 * A process has one segment. The segment is a file without a name (memfd_create), so nothing is left of it when the
 * process ends, however it ends. Others open the file through /proc of the process, which the kernel permits only to
 * the same user, and map it read-only. The length is fixed and sealed, so no reader can be hit by a page that is gone.
 * The process that writes a page also backs it, before the page is handed out: the page is then in its memory domain,
 * and lack of memory is an error here, not a signal later.
 *
 * A segment begins with a table, whose layout readers know; its pages are backed on request (irr_segment_back). Behind
 * it are places in sequence, each a multiple of a pair of cache lines long. Places are never freed, because lanes live
 * as long as their segment. O(1) per operation.
 */
#ifndef IRR_SEGMENT_H
#define IRR_SEGMENT_H

#include "irr.h"

/* Descriptor of a segment: what a reader on the node needs to open it; may be sent as bytes. */
typedef struct irr_segment_handle {
    uint64_t process, file;     /* number of the process, and the file descriptor there */
    uint64_t device, inode;
    uint64_t bytes;
} irr_segment_handle_t;

/* A zeroed object is no segment. */
typedef struct irr_segment {
    unsigned char     *bytes;
    irr_segment_handle_t handle;
    size_t             backed;   /* end of the backed bytes behind the table */
    size_t             end;      /* end of the places taken */
} irr_segment_t;

/*
 * Makes a segment of `bytes` bytes of address space, including the table; takes hardly any memory. Returns
 * IRR_ERR_NOT_SUPPORTED if the system has no such memory, or not enough address space.
 */
irr_status_t irr_segment_init(irr_segment_t *segment, size_t table, size_t bytes);

/* Frees the segment. Readers may continue to read. */
void irr_segment_fini(irr_segment_t *segment);

/* Backs a range of the table, which may be written then. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_segment_back(irr_segment_t *segment, size_t offset, size_t bytes);

/* Takes a place of `bytes` bytes; *offset_p: its beginning. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_segment_take(irr_segment_t *segment, size_t bytes, size_t *offset_p);

/* ---- reading the segment of another process ---- */

typedef struct irr_view {
    const unsigned char *bytes;
    size_t               length;
} irr_view_t;

/*
 * Maps a segment, which may belong to this process. Returns IRR_ERR_NOT_SUPPORTED if the segment does not match the
 * descriptor or cannot be opened from here, for example from another container.
 */
irr_status_t irr_view_open(irr_view_t *view, const irr_segment_handle_t *handle);
void         irr_view_close(irr_view_t *view);

#endif
