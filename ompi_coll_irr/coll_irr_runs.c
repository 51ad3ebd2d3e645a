/*
 * coll_irr_runs.c - lists or packs the runs of elements of a datatype.  A run is a contiguous range of bytes.
 *
 * If runs are long enough, the engine reads and writes each run in the user's buffer.  If they are shorter, the
 * description of a run costs more than its copy, so this component packs the elements.  Ranks may decide differently,
 * because a message has the same bytes in both cases.
 *
 * Open MPI's convertor, which walks through the elements of a datatype, finds the runs.  This costs as much as packing
 * a short block, so a table keeps the runs.  A new datatype may have the address of a freed one.  The table therefore
 * also keeps a copy of the convertor's description of the datatype, which must equal the description in a call.  For a
 * datatype with many runs or a long description, the table keeps only the mean length of a run, and each call finds the
 * runs again.  If such a datatype is mistaken for another one, the choice between packing and listing may be slow, but
 * it is correct.
 *
 * The first access to a page costs more than the copy of its bytes.  Later calls on any communicator therefore reuse
 * memory for packed bytes.  If all kept buffers are too small for a call, it frees the largest and allocates another
 * one.  All kept buffers together have at most KEPT_MAX bytes.
 *
 * The processor must not access memory of an accelerator.  The convertor copies elements from and to this memory with
 * Open MPI's accelerator framework, or with CUDA in Open MPI 4.1.
 *
 * Cost: a few instructions for each run of a kept datatype; for other datatypes the time of the convertor.  Each call
 * also takes one lock, and searches the few kept buffers.
 */
#include "coll_irr_buffer.h"

#include "core/alloc.h"

#include "opal/datatype/opal_convertor.h"
#include "opal/datatype/opal_datatype_internal.h"

#include <stdalign.h>

/* Runs that the convertor returns in one call. */
#define RUNS_SEEN 16

/* Limit of the runs, and of the elements of the description, of a kept datatype.  All together take at most 5 MB. */
#define RUNS_MAX 256

/* The table has SETS sets with SET entries each.  The key of a datatype selects the set. */
#define SETS 64
#define SET  4

typedef struct known {
    uint64_t        key;           /* 0: empty */
    size_t          mean;          /* mean length of a run in bytes */
    irr_block_t    *runs;          /* relative to the element; NULL: not kept */
    size_t          nruns;
    dt_elem_desc_t *description;   /* NULL: runs are not kept */
} known_t;

static struct {
    opal_mutex_t lock;
    known_t      known[SETS][SET];
    unsigned     next_replaced;    /* modulo SET: the next entry to replace */
} table = { .lock = OPAL_MUTEX_STATIC_INIT };

bool mca_coll_irr_has_devices;

static int prepare(opal_convertor_t *convertor, const mca_coll_irr_elements_t *elements, bool read)
{
    const opal_datatype_t *datatype = &elements->datatype->super;

    OBJ_CONSTRUCT(convertor, opal_convertor_t);
    return read ? opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor, datatype, elements->count,
                                                           elements->address, 0, convertor)
                : opal_convertor_copy_and_prepare_for_recv(ompi_mpi_local_convertor, datatype, elements->count,
                                                           elements->address, 0, convertor);
}

/* ---- finding runs ---- */

/*
 * Extends the last block by a run that follows it in memory; otherwise adds a block.  Only blocks from `first` on may
 * be extended.  There must be room for a block.
 */
static void add_run(mca_coll_irr_end_t *end, size_t first, irr_block_t run)
{
    irr_block_t *last = end->list + end->blocks.count - 1;

    if (end->blocks.count > first && last->offset + (ptrdiff_t)last->length == run.offset) {
        last->length += run.length;
    } else {
        end->list[end->blocks.count++] = run;
    }
}

/* Adds the runs of elements, with offsets from end->base.  Stops when there are more than `most` runs. */
static irr_status_t find_runs(const mca_coll_irr_elements_t *elements, size_t most, mca_coll_irr_end_t *end)
{
    const size_t first = end->blocks.count;
    opal_convertor_t convertor;
    bool done = prepare(&convertor, elements, true) != OMPI_SUCCESS;
    irr_status_t status = done ? IRR_ERR_NO_MEMORY : IRR_OK;

    while (!done && status == IRR_OK && end->blocks.count - first <= most) {
        struct iovec runs[RUNS_SEEN];
        uint32_t count = RUNS_SEEN;
        size_t bytes = SIZE_MAX;

        done = opal_convertor_raw(&convertor, runs, &count, &bytes) != 0;
        status = mca_coll_irr_end_reserve(end, end->blocks.count + count);
        for (uint32_t i = 0; i < count && status == IRR_OK; i++) {
            const ptrdiff_t offset = (ptrdiff_t)((uintptr_t)runs[i].iov_base - (uintptr_t)end->base);

            if (runs[i].iov_len > 0) {
                add_run(end, first, (irr_block_t){
                    .rank = elements->rank, .offset = offset, .length = runs[i].iov_len });
            }
        }
    }
    OBJ_DESTRUCT(&convertor);
    return status;
}

/* ---- kept datatypes ---- */

/* Returns a hash of all facts that determine the runs, except for the description. */
static uint64_t key_of(const ompi_datatype_t *datatype)
{
    const opal_datatype_t *type = &datatype->super;
    const uint64_t words[] = {
        (uintptr_t)datatype, type->size, (uint64_t)type->true_lb, (uint64_t)type->true_ub, (uint64_t)type->lb,
        (uint64_t)type->ub, type->flags, type->opt_desc.used };
    uint64_t key = 0;

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        key = (key ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        key ^= key >> 32;
    }
    return key | 1;
}

/* Returns the entry with a key, or else the entry that the key must replace. */
static known_t *known_at(uint64_t key)
{
    known_t *set = table.known[(key >> 1) % SETS];

    for (int i = 0; i < SET; i++) {
        if (set[i].key == key) {
            return &set[i];
        }
    }
    return &set[table.next_replaced++ % SET];
}

static bool is_described(const known_t *known, const dt_type_desc_t *description)
{
    return known->runs == NULL ||
           memcmp(known->description, description->desc, description->used * sizeof(*description->desc)) == 0;
}

static void forget(known_t *known)
{
    irr_free(known->runs);
    irr_free(known->description);
    *known = (known_t){ .key = 0 };
}

/* Fills an entry with the runs of an element.  Without memory the entry stays empty. */
static void fill(known_t *known, uint64_t key, const mca_coll_irr_elements_t *elements)
{
    const dt_type_desc_t *description = &elements->datatype->super.opt_desc;
    mca_coll_irr_elements_t one = *elements;
    mca_coll_irr_end_t end = { .base = one.address };
    size_t bytes = 0;

    one.count = 1;
    forget(known);
    if (find_runs(&one, RUNS_MAX, &end) == IRR_OK && end.blocks.count > 0) {
        for (size_t i = 0; i < end.blocks.count; i++) {
            bytes += end.list[i].length;
        }
        known->key = key;
        known->mean = bytes / end.blocks.count;
        if (end.blocks.count <= RUNS_MAX && description->used <= RUNS_MAX) {
            known->description = irr_alloc(description->used, sizeof(*description->desc));
        }
        if (known->description != NULL) {
            memcpy(known->description, description->desc, description->used * sizeof(*description->desc));
            known->runs = end.list;
            known->nruns = end.blocks.count;
            return;
        }
    }
    irr_free(end.list);
}

/* The elements must not be empty.  The caller must hold the lock of the table. */
static const known_t *known_of(const mca_coll_irr_elements_t *elements)
{
    const uint64_t key = key_of(elements->datatype);
    known_t *known = known_at(key);

    if (known->key != key || !is_described(known, &elements->datatype->super.opt_desc)) {
        fill(known, key, elements);
    }
    return known;
}

/* ---- listing runs ---- */

/* Adds the kept runs of each element.  Only the first run of an element can extend the last block. */
static irr_status_t repeat(const mca_coll_irr_elements_t *elements, const known_t *known, mca_coll_irr_end_t *end)
{
    const ptrdiff_t extent = elements->datatype->super.ub - elements->datatype->super.lb;
    const size_t first = end->blocks.count;
    ptrdiff_t offset = (ptrdiff_t)((uintptr_t)elements->address - (uintptr_t)end->base);
    irr_status_t status = IRR_ERR_NO_MEMORY;

    if (elements->count <= (SIZE_MAX - first) / known->nruns) {
        status = mca_coll_irr_end_reserve(end, first + elements->count * known->nruns);
    }
    for (size_t i = 0; i < elements->count && status == IRR_OK; i++, offset += extent) {
        add_run(end, first, (irr_block_t){
            .rank = elements->rank, .offset = offset + known->runs[0].offset, .length = known->runs[0].length });
        for (size_t k = 1; k < known->nruns; k++) {
            end->list[end->blocks.count++] = (irr_block_t){
                .rank = elements->rank, .offset = offset + known->runs[k].offset, .length = known->runs[k].length };
        }
    }
    return status;
}

irr_status_t mca_coll_irr_runs_list(const mca_coll_irr_elements_t *elements, mca_coll_irr_end_t *end)
{
    irr_status_t status = IRR_ERR_NOT_SUPPORTED;
    const known_t *known;
    bool finds = false;

    OPAL_THREAD_LOCK(&table.lock);
    known = known_of(elements);
    if (known->mean >= IRR_BLOCK_MIN) {
        finds = known->runs == NULL;
        status = finds ? IRR_OK : repeat(elements, known, end);
    }
    OPAL_THREAD_UNLOCK(&table.lock);
    return finds ? find_runs(elements, SIZE_MAX, end) : status;
}

/* ---- packing ---- */

/* Asks the convertor whether the memory belongs to a device, because the convertor also copies the bytes. */
bool mca_coll_irr_runs_are_device(const void *address)
{
    const mca_coll_irr_elements_t byte = { .datatype = MPI_BYTE, .count = 1, .address = (char *)address };
    opal_convertor_t convertor;
    bool device;

    (void)prepare(&convertor, &byte, true);
    device = (convertor.flags & MCA_COLL_IRR_CONVERTOR_DEVICE) != 0;
    OBJ_DESTRUCT(&convertor);
    return device;
}

int mca_coll_irr_runs_convert(const mca_coll_irr_elements_t *elements, char *packed, bool pack)
{
    size_t position = 0;
    opal_convertor_t convertor;
    int result;

    if (elements->count == 0) {
        return OMPI_SUCCESS;
    }
    result = prepare(&convertor, elements, pack);

    while (result == OMPI_SUCCESS && position < elements->bytes) {
        struct iovec iov = { .iov_base = packed + position, .iov_len = elements->bytes - position };
        uint32_t entries = 1;
        size_t moved = elements->bytes - position;
        int32_t done = pack ? opal_convertor_pack(&convertor, &iov, &entries, &moved) :
                              opal_convertor_unpack(&convertor, &iov, &entries, &moved);

        result = done >= 0 && moved > 0 ? OMPI_SUCCESS : OMPI_ERROR;
        position += moved;
    }
    OBJ_DESTRUCT(&convertor);
    return result;
}

/* ---- memory for packed bytes ---- */

/* Limit of kept memory of a process.  The limit is low, because the ranks of a node share its memory. */
#define KEPT_MAX ((size_t)64 << 20)

/* A buffer is half as long again as its first use needs, and this number of bytes longer. */
#define KEPT_MIN ((size_t)4096)

typedef struct kept {
    struct kept *next;
    size_t       bytes;
    alignas(max_align_t) char memory[];
} kept_t;

static struct {
    opal_mutex_t lock;
    kept_t      *spare;   /* sorted by size, the largest first */
    size_t       bytes;
} pool = { .lock = OPAL_MUTEX_STATIC_INIT };

/*
 * Removes and returns the smallest buffer of at least `bytes` bytes, or else the largest buffer; NULL: no memory is
 * kept.
 */
static kept_t *remove_spare(size_t bytes)
{
    kept_t **link = &pool.spare, *spare;

    while (*link != NULL && (*link)->next != NULL && (*link)->next->bytes >= bytes) {
        link = &(*link)->next;
    }
    spare = *link;
    if (spare != NULL) {
        *link = spare->next;
        pool.bytes -= spare->bytes;
    }
    return spare;
}

void *mca_coll_irr_kept_take(size_t bytes)
{
    const size_t room = bytes / 2 * 3 + KEPT_MIN;   /* pages without access cost no memory */
    kept_t *kept;

    opal_mutex_lock(&pool.lock);
    kept = remove_spare(bytes);
    opal_mutex_unlock(&pool.lock);
    if (kept == NULL || kept->bytes < bytes) {
        free(kept);
        kept = bytes < SIZE_MAX / 2 ? malloc(sizeof(*kept) + room) : NULL;
        if (kept != NULL) {
            kept->bytes = room;
        }
    }
    return kept != NULL ? kept->memory : NULL;
}

void mca_coll_irr_kept_give(void *memory)
{
    kept_t *kept = (kept_t *)((char *)memory - offsetof(kept_t, memory)), **link = &pool.spare;

    opal_mutex_lock(&pool.lock);
    if (kept->bytes <= KEPT_MAX - pool.bytes) {
        while (*link != NULL && (*link)->bytes > kept->bytes) {
            link = &(*link)->next;
        }
        kept->next = *link;
        *link = kept;
        pool.bytes += kept->bytes;
        kept = NULL;
    }
    opal_mutex_unlock(&pool.lock);
    free(kept);
}

void mca_coll_irr_runs_close(void)
{
    for (int i = 0; i < SETS * SET; i++) {
        forget(&table.known[i / SET][i % SET]);
    }
    while (pool.spare != NULL) {
        free(remove_spare(0));
    }
}
