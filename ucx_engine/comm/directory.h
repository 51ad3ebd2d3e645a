/*
 * directory.h - the addresses of processes that a setup has gathered.
 *
 * A directory is an array of entries of equal length, sorted by the names of the processes. A process connects to
 * another process when it first sends to it, so that only the directory grows with the number of ranks. If the array is
 * long, the processes of a node keep it once: each process offers a segment in its entry, the lowest rank of the node
 * copies the array into its segment, and the other ranks map the segment and free their own arrays.
 *
 * Cost: 24 bytes and an address for each process. A lookup takes O(log n) time.
 */
#ifndef IRR_DIRECTORY_H
#define IRR_DIRECTORY_H

#include "transport/shm/segment.h"

typedef struct irr_directory_entry {
    uint64_t      name;            /* of the process, in the job */
    int32_t       label;           /* equal on ranks that share a node */
    uint32_t      length;          /* of the address, in bytes */
    uint32_t      process, file;   /* handle of the segment that the process offers; 0: none */
    unsigned char address[];
} irr_directory_entry_t;

typedef struct irr_directory irr_directory_t;

struct irr_directory {
    irr_directory_t *next;
    size_t           count, stride;   /* number of entries, and their length in bytes */
    unsigned char   *own;        /* array in the heap, with a last entry for the input of the gather; NULL: freed */
    irr_segment_t    segment;    /* memory of this process for its node */
    irr_segment_view_t       view;       /* memory of another process of the node */
    bool             settled;    /* the setup that gathered the directory is over */
};

/*
 * Creates a directory of `count` entries with addresses of at most address_bytes bytes. If `shares` is true and the
 * array is long, the process offers memory to its node, unless the system has none. The arguments must be the same on
 * all ranks. May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_directory_create(size_t count, size_t address_bytes, bool shares, irr_directory_t **directory_p);
void         irr_directory_destroy(irr_directory_t *directory);

/* Writes the entry of this process behind the others, and returns it. An address without room gets the length 0. */
const void *irr_directory_input(irr_directory_t *directory, int label, const void *address, size_t length);

/* Returns entry i. Before the array is sorted, this is the entry of rank i. */
irr_directory_entry_t *irr_directory_entry(const irr_directory_t *directory, size_t i);

/*
 * Sorts the entries by name. Sets *host to the segment that the first entry with this label offers, a zeroed handle if
 * it offers none.
 */
void irr_directory_sort(irr_directory_t *directory, int label, irr_segment_handle_t *host);

/*
 * The two steps after which the processes of a node keep a sorted array once. irr_directory_offer copies the array into
 * the segment of this process if *host is its handle. When all processes of the node have called it,
 * irr_directory_share maps the segment of *host, and frees the array of this process if the segment has the same bytes.
 * If a step fails, the process keeps its array.
 */
void irr_directory_offer(irr_directory_t *directory, const irr_segment_handle_t *host);
void irr_directory_share(irr_directory_t *directory, const irr_segment_handle_t *host);

/* ---- lists of directories ---- */

/* Adds a sorted directory to a list, and destroys the settled directories whose processes it all has. */
void irr_directories_add(irr_directory_t **list, irr_directory_t *directory);

/*
 * Returns the address of a process and sets its length in bytes, or returns NULL. The address is valid until a
 * directory is added. The bytes may come from another process, so the length is checked, but not the address.
 */
const void *irr_directories_find(const irr_directory_t *list, uint64_t name, size_t *length_p);

void irr_directories_destroy(irr_directory_t *list);

#endif
