/*
 * segment.h - a segment: memory that one process, its owner, writes and the other processes of the node read.
 *
 * The segment is a file without a name (memfd_create), so the kernel frees it when the owner ends, even after a crash.
 * Other processes open the file through /proc/PID/fd of the owner, and map it read-only. The kernel permits this only
 * to processes of the same user.
 *
 * A segment consists of sections of equal length. The owner appends sections, and never removes one: a seal of the file
 * prevents it, so a reader never accesses a page that has disappeared. The owner maps each section separately. A reader
 * has a view, which maps as many sections at a time as the view has windows. The address space of a process therefore
 * grows with the sections that it uses, not with the lengths of the segments.
 *
 * A new section has address space and a place in the file, but no memory. The owner must back pages before it writes to
 * them, that is, make the kernel allocate their memory. If memory is missing, backing returns an error; a write to a
 * page that is not backed would end the process by a signal. Backed pages are in the NUMA domain of the owner.
 *
 * No function raises a signal if a limit of the process is reached. After an error, errno has its cause
 * (core/limit.h). Core dumps leave out segments and views.
 *
 * A function takes O(1) time, plus the time to back pages.
 */
#ifndef IRR_SEGMENT_H
#define IRR_SEGMENT_H

#include "irr.h"

/* Where a process of the node finds a segment. May be sent as bytes. */
typedef struct irr_segment_handle {
    uint64_t process, file;   /* PID of the owner, and its descriptor of the file */
    uint64_t device, inode;   /* identify the file; inode 0: unknown, so the reader's caller must check the contents */
    uint64_t section;         /* length of a section in bytes */
} irr_segment_handle_t;

/* A segment of this process. A zeroed object is no segment. */
typedef struct irr_segment {
    unsigned char       *bytes;        /* the first section */
    irr_segment_handle_t handle;
    unsigned char      **sections;
    size_t               count, max;   /* number of sections, and room of the array */
} irr_segment_t;

/*
 * Creates a segment of one section of `section` bytes. If the segment is to grow, this must be a multiple of the length
 * of a page. Backs no page. Returns IRR_ERR_NOT_SUPPORTED if the system has no memfd_create or a limit is reached, or
 * IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_segment_init(irr_segment_t *segment, size_t section);

/* Frees the segment. Processes that have mapped it may continue to read. */
void irr_segment_fini(irr_segment_t *segment);

/* Appends a section, and sets *offset_p to its beginning. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_segment_grow(irr_segment_t *segment, size_t *offset_p);

/* Backs a range of one section. The process may then write to the range. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_segment_back(const irr_segment_t *segment, size_t offset, size_t bytes);

/* Returns the address of an offset. The address stays valid when the segment grows. */
static inline unsigned char *irr_segment_at(const irr_segment_t *segment, size_t offset)
{
    return segment->sections[offset / segment->handle.section] + offset % segment->handle.section;
}

/* ---- reading the segment of another process ---- */

/* A view. A zeroed object is no view. */
typedef struct irr_segment_view {
    const unsigned char *bytes;    /* the first window, which shows the first section */
    size_t               length;   /* length of all windows in bytes */
} irr_segment_view_t;

/*
 * Maps the first section of a segment of any process of the node, including this one, and reserves address space for
 * `windows` windows of one section. Returns IRR_ERR_NOT_SUPPORTED if this process cannot open the file, for example in
 * another container, if the file does not match the handle, or if a limit is reached.
 */
irr_status_t irr_segment_view_open(irr_segment_view_t *view, const irr_segment_handle_t *handle, unsigned windows);
void         irr_segment_view_close(irr_segment_view_t *view);

/*
 * Maps the section at an offset in window `window`, in which another section may have been, and sets *section_p. Takes
 * no more address space. Returns the errors of irr_segment_view_open, or IRR_ERR_PROTOCOL if the segment has no such
 * section.
 */
irr_status_t irr_segment_view_show(irr_segment_view_t *view, const irr_segment_handle_t *handle, unsigned window,
                                   uint64_t offset, const unsigned char **section_p);

#endif
