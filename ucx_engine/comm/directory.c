/* directory.c - a table of the addresses of processes; see directory.h. */
#include "comm/directory.h"

#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Length of the shortest array that the processes of a node share, in bytes. */
#define SHARED_MIN ((size_t)8192)

/* ---- one directory ---- */

irr_status_t irr_directory_create(size_t count, size_t address_bytes, bool shares, irr_directory_t **directory_p)
{
    irr_directory_t *directory = irr_alloc_zero(1, sizeof(*directory));

    if (directory == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    directory->count = count;
    directory->stride = sizeof(irr_directory_entry_t) + (address_bytes + 7) / 8 * 8;
    if (shares && count * directory->stride >= SHARED_MIN) {
        (void)irr_segment_init(&directory->segment, count * directory->stride);
    }
    directory->own = irr_alloc(count + 1, directory->stride);
    if (directory->own == NULL) {
        irr_directory_destroy(directory);
        return IRR_ERR_NO_MEMORY;
    }
    memset(irr_directory_entry(directory, count), 0, directory->stride);
    *directory_p = directory;
    return IRR_OK;
}

void irr_directory_destroy(irr_directory_t *directory)
{
    irr_segment_view_close(&directory->view);
    irr_segment_fini(&directory->segment);
    irr_free(directory->own);
    irr_free(directory);
}

/* Returns the array: in the heap, in the mapped segment, or in the segment of this process. */
static const unsigned char *array_of(const irr_directory_t *directory)
{
    return directory->own != NULL ? directory->own
           : directory->view.bytes != NULL ? directory->view.bytes : directory->segment.bytes;
}

irr_directory_entry_t *irr_directory_entry(const irr_directory_t *directory, size_t i)
{
    return (irr_directory_entry_t *)(array_of(directory) + i * directory->stride);
}

/* Returns the largest length of an address in an entry. */
static size_t room_of(const irr_directory_t *directory)
{
    return directory->stride - sizeof(irr_directory_entry_t);
}

const void *irr_directory_input(irr_directory_t *directory, int label, const void *address, size_t length)
{
    irr_directory_entry_t *entry = irr_directory_entry(directory, directory->count);

    entry->label = label;
    entry->process = (uint32_t)directory->segment.handle.process;
    entry->file = (uint32_t)directory->segment.handle.file;
    entry->length = length <= room_of(directory) ? (uint32_t)length : 0;
    if (entry->length > 0) {
        memcpy(entry->address, address, length);
    }
    return entry;
}

static int compare(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

_Static_assert(offsetof(irr_directory_entry_t, name) == 0, "compare reads the name at the beginning of an entry");

/* Returns true if the entries need no sort, as in most communicators. */
static bool is_sorted(const irr_directory_t *directory)
{
    size_t i = 1;

    while (i < directory->count &&
           compare(irr_directory_entry(directory, i - 1), irr_directory_entry(directory, i)) < 0) {
        i++;
    }
    return i >= directory->count;
}

void irr_directory_sort(irr_directory_t *directory, int label, irr_segment_handle_t *host)
{
    size_t i = 0;

    *host = (irr_segment_handle_t){ .process = 0 };
    while (i < directory->count && irr_directory_entry(directory, i)->label != label) {
        i++;
    }
    if (i < directory->count) {
        host->process = irr_directory_entry(directory, i)->process;
        host->file = irr_directory_entry(directory, i)->file;
        host->section = directory->count * directory->stride;
    }
    if (!is_sorted(directory)) {
        qsort(directory->own, directory->count, directory->stride, compare);
    }
}

/* ---- memory of the node ---- */

void irr_directory_offer(irr_directory_t *directory, const irr_segment_handle_t *host)
{
    irr_segment_t *segment = &directory->segment;
    const size_t bytes = directory->count * directory->stride;

    if (segment->bytes != NULL && segment->handle.process == host->process && segment->handle.file == host->file &&
        irr_segment_back(segment, 0, bytes) == IRR_OK) {
        memcpy(segment->bytes, directory->own, bytes);
    } else {
        irr_segment_fini(segment);
    }
}

void irr_directory_share(irr_directory_t *directory, const irr_segment_handle_t *host)
{
    const size_t bytes = directory->count * directory->stride;

    if (directory->segment.bytes == NULL &&
        (host->process == 0 || irr_segment_view_open(&directory->view, host, 1) != IRR_OK)) {
        return;
    }
    if (directory->segment.bytes == NULL && memcmp(directory->view.bytes, directory->own, bytes) != 0) {
        irr_segment_view_close(&directory->view);
        return;
    }
    irr_free(directory->own);
    directory->own = NULL;
}

/* ---- lists of directories ---- */

static const irr_directory_entry_t *find(const irr_directory_t *directory, uint64_t name)
{
    return bsearch(&name, array_of(directory), directory->count, directory->stride, compare);
}

static bool has_all_of(const irr_directory_t *directory, const irr_directory_t *other)
{
    for (size_t i = 0; i < other->count; i++) {
        if (find(directory, irr_directory_entry(other, i)->name) == NULL) {
            return false;
        }
    }
    return true;
}

void irr_directories_add(irr_directory_t **list, irr_directory_t *directory)
{
    for (irr_directory_t **at = list; *at != NULL;) {
        irr_directory_t *old = *at;

        if (old->settled && has_all_of(directory, old)) {
            *at = old->next;
            irr_directory_destroy(old);
        } else {
            at = &old->next;
        }
    }
    directory->next = *list;
    *list = directory;
}

const void *irr_directories_find(const irr_directory_t *list, uint64_t name, size_t *length_p)
{
    for (; list != NULL; list = list->next) {
        const irr_directory_entry_t *entry = find(list, name);

        if (entry != NULL) {
            *length_p = entry->length < room_of(list) ? entry->length : room_of(list);
            return entry->address;
        }
    }
    return NULL;
}

void irr_directories_destroy(irr_directory_t *list)
{
    while (list != NULL) {
        irr_directory_t *next = list->next;

        irr_directory_destroy(list);
        list = next;
    }
}
