/*
 * segment.h - memory that a process writes and the others of its node read.
 *
 * A process has one segment, which it alone writes; the others map it for reading only.  It is a file without a name
 * (memfd_create), so nothing is left of it when the process ends, however it ends.  Others open it through the /proc
 * of its process, which the kernel allows the same user alone.  Its length is fixed and sealed, so that no reader can
 * be hit by a page that is gone.  Pages are backed before they are handed out, by the process that writes them: they
 * are in its memory domain, and lack of memory is an error here and not a signal later.
 *
 * It begins with a table, whose place and meaning readers know; its pages are backed where the writer says.  Behind it
 * are places, one after the other, each a number of pairs of cache lines long.  They are taken and never given back:
 * lanes live as long as their segment.  O(1) an operation.
 */
#ifndef IRR_SEGMENT_H
#define IRR_SEGMENT_H

#include "irr.h"

/* What a reader needs to find a segment on its node: numbers that may be sent as bytes. */
typedef struct irr_segment_card {
    uint64_t process, file;     /* its descriptor there */
    uint64_t device, inode;
    uint64_t bytes;
} irr_segment_card_t;

/* Zeroed is none. */
typedef struct irr_segment {
    unsigned char     *bytes;
    irr_segment_card_t card;
    size_t             backed;   /* of what is behind the table: up to here */
    size_t             end;      /* taken up to here */
} irr_segment_t;

/*
 * Makes a segment of so many bytes of address space, of which the table is a part, and hardly any memory.
 * IRR_ERR_NOT_SUPPORTED: this system has no such memory, or not so much.
 */
irr_status_t irr_segment_init(irr_segment_t *segment, size_t table, size_t bytes);

/* Readers may go on reading. */
void irr_segment_fini(irr_segment_t *segment);

/* The table may be written from that byte on, so many of them.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_segment_back(irr_segment_t *segment, size_t offset, size_t bytes);

/* Takes a place of so many bytes; *offset_p: where it begins.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_segment_take(irr_segment_t *segment, size_t bytes, size_t *offset_p);

/* ---- reading that of another process ---- */

typedef struct irr_view {
    const unsigned char *bytes;
    size_t               length;
} irr_view_t;

/*
 * Maps a segment, also one of this process.  IRR_ERR_NOT_SUPPORTED: it is not what the card says, or not to be had
 * from here, as across the walls of containers.
 */
irr_status_t irr_view_open(irr_view_t *view, const irr_segment_card_t *card);
void         irr_view_close(irr_view_t *view);

#endif
