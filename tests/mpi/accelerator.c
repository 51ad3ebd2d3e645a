/*
 * accelerator.c - a component "guard" of Open MPI's accelerator framework, whose memory no processor may access.
 *
 * Device memory is mapped twice.  The program and Open MPI get the addresses of the first mapping, which allows neither
 * reading nor writing: an access, other than by the functions of this component, ends the process by a signal.  The
 * functions copy by the second mapping.
 *
 * Open MPI selects the component only if the tests ask for device memory (mpi_device.h).  Open MPI 4.1 has no such
 * framework; this file is empty there.
 */
#include "ompi_config.h"

#if OMPI_MAJOR_VERSION >= 5
#include "mpi_device.h"

#include "opal/constants.h"
#include "opal/mca/accelerator/accelerator.h"
#include "opal/mca/threads/mutex.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A piece of device memory. */
typedef struct piece {
    struct piece *next;
    size_t        bytes;
    char         *device, *alias;   /* the two mappings */
} piece_t;

static opal_mutex_t lock = OPAL_MUTEX_STATIC_INIT;
static piece_t *pieces;

/* ---- pieces ---- */

/* Maps the file once more.  Ends the program if the mapping fails. */
static char *map(int file, size_t bytes, int protection)
{
    void *memory = mmap(NULL, bytes, protection, MAP_SHARED, file, 0);

    if (memory == MAP_FAILED) {
        abort();
    }
    return memory;
}

static piece_t *make(size_t bytes)
{
    piece_t *piece = calloc(1, sizeof(*piece));
    const int file = memfd_create("guard", 0);

    if (piece == NULL || file < 0 || ftruncate(file, (off_t)bytes) != 0) {
        abort();
    }
    piece->bytes = bytes;
    piece->device = map(file, bytes, PROT_NONE);
    piece->alias = map(file, bytes, PROT_READ | PROT_WRITE);
    close(file);
    return piece;
}

static piece_t *find(const void *address)
{
    piece_t *piece;

    opal_mutex_lock(&lock);
    piece = pieces;
    while (piece != NULL && (size_t)((const char *)address - piece->device) >= piece->bytes) {
        piece = piece->next;
    }
    opal_mutex_unlock(&lock);
    return piece;
}

/* Returns an address that the processor may access: the alias of device memory, or the address itself. */
static void *accessible(const void *address)
{
    const piece_t *piece = find(address);

    return piece != NULL ? piece->alias + ((const char *)address - piece->device) : (void *)address;
}

/* ---- functions of the framework ---- */

static int check_addr(const void *address, int *device, uint64_t *flags)
{
    const bool is_device = find(address) != NULL;

    *device = is_device ? 0 : MCA_ACCELERATOR_NO_DEVICE_ID;
    *flags = 0;
    return is_device;
}

static int mem_alloc(int device, void **address, size_t bytes)
{
    piece_t *piece = make(bytes);

    (void)device;
    opal_mutex_lock(&lock);
    piece->next = pieces;
    pieces = piece;
    opal_mutex_unlock(&lock);
    *address = piece->device;
    return OPAL_SUCCESS;
}

static int mem_release(int device, void *address)
{
    piece_t *piece = find(address), **link = &pieces;

    (void)device;
    opal_mutex_lock(&lock);
    while (*link != piece) {
        link = &(*link)->next;
    }
    *link = piece->next;
    opal_mutex_unlock(&lock);
    munmap(piece->device, piece->bytes);
    munmap(piece->alias, piece->bytes);
    free(piece);
    return OPAL_SUCCESS;
}

static int mem_move(int to_device, int from_device, void *to, const void *from, size_t bytes,
                    opal_accelerator_transfer_type_t type)
{
    (void)to_device, (void)from_device, (void)type;
    memmove(accessible(to), accessible(from), bytes);
    return OPAL_SUCCESS;
}

static int mem_copy_async(int to_device, int from_device, void *to, const void *from, size_t bytes,
                          opal_accelerator_stream_t *stream, opal_accelerator_transfer_type_t type)
{
    (void)stream;
    return mem_move(to_device, from_device, to, from, bytes, type);
}

static int get_address_range(int device, const void *address, void **base, size_t *bytes)
{
    const piece_t *piece = find(address);

    (void)device;
    if (piece == NULL) {
        return OPAL_ERR_NOT_FOUND;
    }
    *base = piece->device;
    *bytes = piece->bytes;
    return OPAL_SUCCESS;
}

static int get_buffer_id(int device, const void *address, opal_accelerator_buffer_id_t *id)
{
    (void)device;
    *id = (uintptr_t)find(address);
    return OPAL_SUCCESS;
}

/* Copies are complete when they return, so streams and events are empty. */
static int create_stream(int device, opal_accelerator_stream_t **stream)
{
    (void)device;
    *stream = OBJ_NEW(opal_accelerator_stream_t);
    return OPAL_SUCCESS;
}

#if OMPI_MAJOR_VERSION == 5
static int create_event(int device, opal_accelerator_event_t **event)
#else
static int create_event(int device, opal_accelerator_event_t **event, __attribute__((unused)) bool shared)
#endif
{
    (void)device;
    *event = OBJ_NEW(opal_accelerator_event_t);
    return OPAL_SUCCESS;
}

static int record_event(int device, opal_accelerator_event_t *event, opal_accelerator_stream_t *stream)
{
    (void)device, (void)event, (void)stream;
    return OPAL_SUCCESS;
}

static int query_event(int device, opal_accelerator_event_t *event)
{
    (void)device, (void)event;
    return OPAL_SUCCESS;
}

static int host_register(int device, void *address, size_t bytes)
{
    (void)device, (void)address, (void)bytes;
    return OPAL_SUCCESS;
}

static int host_unregister(int device, void *address)
{
    (void)device, (void)address;
    return OPAL_SUCCESS;
}

static int get_device(int *device)
{
    *device = 0;
    return OPAL_SUCCESS;
}

static int get_device_pci_attr(int device, opal_accelerator_pci_attr_t *attributes)
{
    (void)device, (void)attributes;
    return OPAL_ERR_NOT_IMPLEMENTED;
}

static int device_can_access_peer(int *access, int device, int peer)
{
    (void)device, (void)peer;
    *access = 0;
    return OPAL_SUCCESS;
}

static opal_accelerator_base_module_t module = {
    .check_addr = check_addr,
    .create_stream = create_stream, .create_event = create_event, .record_event = record_event,
    .query_event = query_event,
    .mem_copy_async = mem_copy_async, .mem_copy = mem_move, .mem_move = mem_move,
    .mem_alloc = mem_alloc, .mem_release = mem_release, .get_address_range = get_address_range,
    .host_register = host_register, .host_unregister = host_unregister,
    .get_device = get_device, .get_device_pci_attr = get_device_pci_attr,
    .device_can_access_peer = device_can_access_peer,
    .get_buffer_id = get_buffer_id
};

/* ---- the component ---- */

static opal_accelerator_base_module_t *init(void)
{
    return getenv(MPI_DEVICE_ENVIRONMENT) != NULL ? &module : NULL;
}

static void finalize(opal_accelerator_base_module_t *unused)
{
    (void)unused;
}

__attribute__((visibility("default")))
opal_accelerator_base_component_t mca_accelerator_guard_component = {
    .base_version = {
        OPAL_ACCELERATOR_BASE_VERSION_1_0_0,
        .mca_component_name = "guard",
        MCA_BASE_MAKE_VERSION(component, OPAL_MAJOR_VERSION, OPAL_MINOR_VERSION, OPAL_RELEASE_VERSION)
    },
    .base_data = { MCA_BASE_METADATA_PARAM_CHECKPOINT },
    .accelerator_init = init,
    .accelerator_finalize = finalize
};
#endif
