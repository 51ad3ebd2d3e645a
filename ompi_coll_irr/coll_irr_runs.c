/*
 * coll_irr_runs.c - elements of a datatype as runs of bytes: listed, or packed.
 *
 * Where runs are long enough the engine reads each from where it is, or writes it to where it belongs.  Below that the
 * description of a run costs more than its copy: those are packed.  That is a local matter, because the bytes of a
 * message are the same either way, so ranks may differ in it.
 *
 * The runs of an element are found once, by Open MPI's convertor, and kept: to find them costs as much as to pack a
 * short block.  A datatype may lie where another one was that is freed.  So what is kept has a copy of the description
 * that the convertor goes by, and is used where that is the same, byte by byte.  Of a datatype with many runs, or a
 * long description, only their mean length is kept; if another one is taken for it, that is packed or listed as the
 * first one was, which may cost time, and no more.  Its runs are found in each call.
 *
 * Cost: a few instructions for each run of a datatype that is kept; else what the convertor takes.
 */
#include "coll_irr_buffer.h"

#include "core/alloc.h"

#include "opal/datatype/opal_convertor.h"
#include "opal/datatype/opal_datatype_internal.h"

/* Runs that the convertor is asked for at a time, and whose mean is taken where not all are kept. */
#define RUNS_SEEN 16

/* Of a datatype that is kept: runs, and elements of its description.  So all take three megabytes at most. */
#define RUNS_MAX 256

/* Datatypes that are kept, SET of them for one remainder of the key. */
#define SETS 64
#define SET  4

typedef struct run {
    ptrdiff_t offset;   /* from the element */
    size_t    length;
} run_t;

/* What is kept of a datatype. */
typedef struct known {
    uint64_t        key;           /* 0: nothing */
    size_t          mean;          /* bytes of a run */
    run_t          *runs;          /* NULL: they are not kept; */
    size_t          nruns;
    dt_elem_desc_t *description;   /* in one memory with them */
} known_t;

static struct {
    opal_mutex_t lock;
    known_t      known[SETS][SET];
    unsigned     turn;             /* which one of a set goes next */
} table;

/* To read elements, or to write them. */
static int prepare(opal_convertor_t *convertor, const mca_coll_irr_elements_t *elements, bool read)
{
    const opal_datatype_t *datatype = &elements->datatype->super;

    OBJ_CONSTRUCT(convertor, opal_convertor_t);
    return read ? opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor, datatype, elements->count,
                                                           elements->address, 0, convertor)
                : opal_convertor_copy_and_prepare_for_recv(ompi_mpi_local_convertor, datatype, elements->count,
                                                           elements->address, 0, convertor);
}

/* ---- to find runs ---- */

/* The next few, which may be empty; true: there are no more. */
static bool next_runs(opal_convertor_t *convertor, struct iovec runs[RUNS_SEEN], uint32_t *count)
{
    size_t bytes = SIZE_MAX;

    *count = RUNS_SEEN;
    return opal_convertor_raw(convertor, runs, count, &bytes) != 0;
}

/* One more, or the end of the last one.  What has no room is only counted. */
static void found_run(run_t runs[RUNS_MAX], size_t *found, run_t run)
{
    run_t *last = *found > 0 && *found <= RUNS_MAX ? &runs[*found - 1] : NULL;

    if (run.length == 0) {
        return;
    }
    if (last != NULL && last->offset + (ptrdiff_t)last->length == run.offset) {
        last->length += run.length;
    } else if ((*found)++ < RUNS_MAX) {
        runs[*found - 1] = run;
    }
}

/* The runs of one element, up to so many.  Returns how many it has, or more than RUNS_MAX. */
static size_t find_runs(const mca_coll_irr_elements_t *elements, run_t runs[RUNS_MAX])
{
    mca_coll_irr_elements_t one = *elements;
    opal_convertor_t convertor;
    size_t found = 0;
    bool done;

    one.count = 1;
    done = prepare(&convertor, &one, true) != OMPI_SUCCESS;
    while (!done && found <= RUNS_MAX) {
        struct iovec some[RUNS_SEEN];
        uint32_t count;

        done = next_runs(&convertor, some, &count);
        for (uint32_t i = 0; i < count; i++) {
            const ptrdiff_t offset = (ptrdiff_t)((uintptr_t)some[i].iov_base - (uintptr_t)one.address);

            found_run(runs, &found, (run_t){ .offset = offset, .length = some[i].iov_len });
        }
    }
    OBJ_DESTRUCT(&convertor);
    return found;
}

/* ---- what is kept ---- */

/* Of all that the runs of an element come from, but for the description. */
static uint64_t key_of(const ompi_datatype_t *datatype)
{
    const opal_datatype_t *type = &datatype->super;
    const uint64_t parts[] = {
        (uintptr_t)datatype, type->size, (uint64_t)type->true_lb, (uint64_t)type->true_ub, (uint64_t)type->lb,
        (uint64_t)type->ub, type->flags, type->opt_desc.used };
    uint64_t key = 0;

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        key = (key ^ parts[i]) * UINT64_C(0x9e3779b97f4a7c15);
        key ^= key >> 32;
    }
    return key | 1;
}

/* The one of a datatype, or the next one of its set that something else is put into. */
static known_t *known_at(uint64_t key)
{
    known_t *set = table.known[(key >> 1) % SETS];

    for (int i = 0; i < SET; i++) {
        if (set[i].key == key) {
            return &set[i];
        }
    }
    return &set[table.turn++ % SET];
}

static bool is_described(const known_t *known, const dt_type_desc_t *description)
{
    return known->runs == NULL ||
           memcmp(known->description, description->desc, description->used * sizeof(*description->desc)) == 0;
}

/* Without memory the runs are not kept. */
static void keep_runs(known_t *known, const run_t *runs, size_t count, const dt_type_desc_t *description)
{
    const irr_array_t arrays[] = { IRR_ARRAY(known->runs, count), IRR_ARRAY(known->description, description->used) };

    if (IRR_ALLOC_ARRAYS(arrays) == IRR_OK) {
        memcpy(known->runs, runs, count * sizeof(*runs));
        memcpy(known->description, description->desc, description->used * sizeof(*description->desc));
        known->nruns = count;
    }
}

/* Without memory to find any, nothing is kept. */
static void fill(known_t *known, uint64_t key, const mca_coll_irr_elements_t *elements)
{
    const dt_type_desc_t *description = &elements->datatype->super.opt_desc;
    run_t runs[RUNS_MAX];
    const size_t found = find_runs(elements, runs), seen = found < RUNS_MAX ? found : RUNS_MAX;
    size_t bytes = 0;

    for (size_t i = 0; i < seen; i++) {
        bytes += runs[i].length;
    }
    irr_free(known->runs);
    *known = (known_t){ .key = 0 };
    if (seen > 0) {
        known->key = key;
        known->mean = bytes / seen;
    }
    if (found == seen && seen > 0 && description->used <= RUNS_MAX) {
        keep_runs(known, runs, seen, description);
    }
}

/* Of elements that have bytes; the table is locked. */
static const known_t *known_of(const mca_coll_irr_elements_t *elements)
{
    const uint64_t key = key_of(elements->datatype);
    known_t *known = known_at(key);

    if (known->key != key || !is_described(known, &elements->datatype->super.opt_desc)) {
        fill(known, key, elements);
    }
    return known;
}

void mca_coll_irr_runs_open(void)
{
    OBJ_CONSTRUCT(&table.lock, opal_mutex_t);
}

void mca_coll_irr_runs_close(void)
{
    for (int i = 0; i < SETS * SET; i++) {
        known_t *known = &table.known[i / SET][i % SET];

        irr_free(known->runs);
        *known = (known_t){ .key = 0 };
    }
    OBJ_DESTRUCT(&table.lock);
}

/* ---- to list ---- */

/* One run more for a rank: a block of its own, or the end of the last one.  There is room. */
static void add_run(mca_coll_irr_listing_t *listing, size_t first, irr_block_t run)
{
    irr_block_t *last = listing->end->list + listing->count - 1;

    if (listing->count > first && last->offset + (ptrdiff_t)last->length == run.offset) {
        last->length += run.length;
    } else {
        listing->end->list[listing->count++] = run;
    }
}

/* Of what is kept, element by element.  Only the first run of an element can go on with what was before. */
static irr_status_t repeat(const mca_coll_irr_elements_t *elements, const known_t *known, const void *base,
                           mca_coll_irr_listing_t *listing)
{
    const ptrdiff_t extent = elements->datatype->super.ub - elements->datatype->super.lb;
    const size_t first = listing->count;
    ptrdiff_t offset = (ptrdiff_t)((uintptr_t)elements->address - (uintptr_t)base);
    irr_status_t status = IRR_ERR_NO_MEMORY;

    if (elements->count <= (SIZE_MAX - first) / known->nruns) {
        status = mca_coll_irr_end_reserve(listing->end, first + elements->count * known->nruns);
    }
    for (size_t i = 0; i < elements->count && status == IRR_OK; i++, offset += extent) {
        add_run(listing, first, (irr_block_t){
            .rank = elements->rank, .offset = offset + known->runs[0].offset, .length = known->runs[0].length });
        for (size_t k = 1; k < known->nruns; k++) {
            listing->end->list[listing->count++] = (irr_block_t){
                .rank = elements->rank, .offset = offset + known->runs[k].offset, .length = known->runs[k].length };
        }
    }
    return status;
}

static irr_status_t find_all(const mca_coll_irr_elements_t *elements, const void *base,
                             mca_coll_irr_listing_t *listing)
{
    const size_t first = listing->count;
    opal_convertor_t convertor;
    bool done = prepare(&convertor, elements, true) != OMPI_SUCCESS;
    irr_status_t status = done ? IRR_ERR_NO_MEMORY : IRR_OK;

    while (!done && status == IRR_OK) {
        struct iovec runs[RUNS_SEEN];
        uint32_t count;

        done = next_runs(&convertor, runs, &count);
        status = mca_coll_irr_end_reserve(listing->end, listing->count + count);
        for (uint32_t i = 0; i < count && status == IRR_OK; i++) {
            const ptrdiff_t offset = (ptrdiff_t)((uintptr_t)runs[i].iov_base - (uintptr_t)base);

            if (runs[i].iov_len > 0) {
                add_run(listing, first, (irr_block_t){
                    .rank = elements->rank, .offset = offset, .length = runs[i].iov_len });
            }
        }
    }
    OBJ_DESTRUCT(&convertor);
    return status;
}

irr_status_t mca_coll_irr_runs_list(const mca_coll_irr_elements_t *elements, size_t least, const void *base,
                                    mca_coll_irr_listing_t *listing)
{
    irr_status_t status = IRR_ERR_NOT_SUPPORTED;
    const known_t *known;
    bool finds = false;

    OPAL_THREAD_LOCK(&table.lock);
    known = known_of(elements);
    if (known->mean >= least) {
        finds = known->runs == NULL;
        status = finds ? IRR_OK : repeat(elements, known, base, listing);
    }
    OPAL_THREAD_UNLOCK(&table.lock);
    return finds ? find_all(elements, base, listing) : status;
}

/* ---- to pack ---- */

int mca_coll_irr_runs_convert(const mca_coll_irr_elements_t *elements, char *packed, bool pack)
{
    size_t position = 0;
    opal_convertor_t convertor;
    int result = prepare(&convertor, elements, pack);

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
