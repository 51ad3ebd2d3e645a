/*
 * directory.h - a table of the addresses of processes, which the setup of a communicator has gathered.
 *
 * A directory is an array of entries of equal length, sorted by the names of the processes; a name is a number that is
 * unique in the job. A process connects to another process when it first sends to it, so that connections take memory
 * only for processes that it sends to. If the array is long, the processes of a node share one copy: each process
 * offers a segment of shared memory in its entry, the lowest rank of the node copies the array into its segment, and
 * the other ranks map this segment and free their own arrays.
 *
 * Cost: 24 bytes and an address for each process. A lookup takes O(log n) time.
 */
#ifndef IRR_DIRECTORY_H
#define IRR_DIRECTORY_H

#include "transport/shm/segment.h"

typedef struct irr_directory_entry {
    uint64_t      name;            /* of the process */
    int32_t       label;           /* equal on ranks that share a node */
    uint32_t      length;          /* of the address, in bytes */
    uint32_t      process, file;   /* handle of the segment that the process offers; 0: none */
    unsigned char address[];
} irr_directory_entry_t;

typedef struct irr_directory irr_directory_t;

struct irr_directory {
    irr_directory_t *next;
    size_t           count, stride;   /* number of entries, and their length in bytes */
    unsigned char   *own;        /* array in the heap; one more entry is the input of the all-gather; NULL: freed */
    irr_segment_t    segment;    /* the segment that this process offers */
    irr_segment_view_t       view;       /* the mapped segment of another process */
    bool             settled;    /* the setup that gathered the directory is over */
};

/*
 * Creates a directory of `count` entries with addresses of at most address_bytes bytes. If `shares` is true and the
 * array is long, the process offers a segment, unless the system has no memory for it. The arguments must be the same
 * on all ranks. May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_directory_create(size_t count, size_t address_bytes, bool shares, irr_directory_t **directory_p);
void         irr_directory_destroy(irr_directory_t *directory);

/* Writes the entry of this process behind the array, and returns it. A too long address is replaced by length 0. */
const void *irr_directory_input(irr_directory_t *directory, int label, const void *address, size_t length);

/* Returns entry i. Before the array is sorted, this is the entry of rank i. */
irr_directory_entry_t *irr_directory_entry(const irr_directory_t *directory, size_t i);

/*
 * Sorts the entries by name. Sets *host to the handle of the segment that the first entry with this label offered
 * before the sort. If it offered none, the handle is zero.
 */
void irr_directory_sort(irr_directory_t *directory, int label, irr_segment_handle_t *host);

/*
 * Two functions, called in this order, after which the processes of a node share one copy of the sorted array.
 * irr_directory_offer copies the array into the segment of this process if *host is the handle of this segment.
 * irr_directory_share may be called when all processes of the node have called irr_directory_offer. It maps the segment
 * of *host, and frees the array of this process if the segment has the same bytes. If a function fails, the process
 * keeps its array.
 */
void irr_directory_offer(irr_directory_t *directory, const irr_segment_handle_t *host);
void irr_directory_share(irr_directory_t *directory, const irr_segment_handle_t *host);

/* ---- lists of directories ---- */

/* Adds a sorted directory to a list. Destroys each settled directory whose processes are all in the new one. */
void irr_directories_add(irr_directory_t **list, irr_directory_t *directory);

/*
 * Returns the address of a process, and sets *length_p to its length in bytes; NULL: no directory has it. The address
 * is valid until a directory is added. The array may be in memory that another process writes: the function checks the
 * length, and the caller must check the address.
 */
const void *irr_directories_find(const irr_directory_t *list, uint64_t name, size_t *length_p);

void irr_directories_destroy(irr_directory_t *list);

#endif
