/*
 * coll_irr_runs.c - elements of a datatype as runs of bytes, by Open MPI's convertor: listed, or packed.
 *
 * Where runs are long the engine sends each from where it is, or writes it to where it belongs.  Below RUN_MIN bytes
 * the description of a run costs more than its copy: those are packed.  That is a local matter, because the bytes of a
 * message are the same either way, so ranks may differ in it.
 *
 * Whether runs are long is looked at once, and kept: the look costs as much as to pack a short block.  A datatype may
 * lie where another one was that is freed, and be as long, but then it is packed or listed as the other one was, which
 * may cost time, and no more.
 *
 * Cost: a look at RUNS_SEEN runs the first time, and one at each that is listed.
 */
#include "coll_irr_buffer.h"

#include "core/alloc.h"

#include "opal/datatype/opal_convertor.h"

#include <stdatomic.h>

/* Bytes of a run, in the mean of the first RUNS_SEEN. */
#define RUN_MIN   1024
#define RUNS_SEEN 16

/* Answers that are kept. */
#define ANSWERS 256

/* To read `count` elements from an address, or to write them. */
static int prepare(opal_convertor_t *convertor, const ompi_datatype_t *datatype, size_t count, void *address, bool read)
{
    OBJ_CONSTRUCT(convertor, opal_convertor_t);
    return read ? opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor, &datatype->super, count, address,
                                                           0, convertor)
                : opal_convertor_copy_and_prepare_for_recv(ompi_mpi_local_convertor, &datatype->super, count, address,
                                                           0, convertor);
}

static bool look(const ompi_datatype_t *datatype, size_t count, void *address)
{
    struct iovec runs[RUNS_SEEN];
    uint32_t seen = RUNS_SEEN;
    opal_convertor_t convertor;
    size_t bytes = 0;

    if (prepare(&convertor, datatype, count, address, true) == OMPI_SUCCESS) {
        (void)opal_convertor_raw(&convertor, runs, &seen, &bytes);
    }
    OBJ_DESTRUCT(&convertor);
    return seen > 0 && bytes / seen >= RUN_MIN;
}

/* A number for what the runs of so many elements depend on, but for what a datatype tells of itself alone.  Even. */
static uint64_t key_of(const ompi_datatype_t *datatype, size_t count)
{
    const uint64_t parts[] = {
        (uintptr_t)datatype, count, datatype->super.size, (uint64_t)datatype->super.true_lb,
        (uint64_t)datatype->super.true_ub, datatype->super.desc.used };
    uint64_t key = 0;

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        key = (key ^ parts[i]) * UINT64_C(0x9e3779b97f4a7c15);
        key ^= key >> 32;
    }
    return key & ~UINT64_C(1);
}

bool mca_coll_irr_runs_are_long(const ompi_datatype_t *datatype, size_t count, void *address)
{
    static _Atomic uint64_t answers[ANSWERS];   /* a key, and in its lowest bit the answer */
    const uint64_t key = key_of(datatype, count);
    _Atomic uint64_t *answer = &answers[(key >> 1) % ANSWERS];
    uint64_t known = atomic_load_explicit(answer, memory_order_relaxed);

    if ((known & ~UINT64_C(1)) != key) {
        known = key | look(datatype, count, address);
        atomic_store_explicit(answer, known, memory_order_relaxed);
    }
    return (known & 1) != 0;
}

/* One run more for a rank: a block of its own, or the end of the last one. */
static irr_status_t add_run(mca_coll_irr_room_t *room, size_t *count, size_t first, irr_block_t run)
{
    irr_block_t *last = room->list + *count - 1;
    irr_status_t status;

    if (*count > first && last->offset + (ptrdiff_t)last->length == run.offset) {
        last->length += run.length;
        return IRR_OK;
    }
    status = IRR_GROW(room->list, room->max, *count + 1);
    if (status == IRR_OK) {
        room->list[(*count)++] = run;
    }
    return status;
}

irr_status_t mca_coll_irr_runs_list(const ompi_datatype_t *datatype, size_t elements, void *address, const void *base,
                                    int rank, mca_coll_irr_room_t *room, size_t *count)
{
    const size_t first = *count;
    irr_status_t status = IRR_OK;
    opal_convertor_t convertor;
    int done = prepare(&convertor, datatype, elements, address, true) != OMPI_SUCCESS;

    if (done) {
        status = IRR_ERR_NO_MEMORY;
    }
    while (!done && status == IRR_OK) {
        struct iovec runs[RUNS_SEEN];
        uint32_t seen = RUNS_SEEN;
        size_t bytes = SIZE_MAX;

        done = opal_convertor_raw(&convertor, runs, &seen, &bytes);
        for (uint32_t i = 0; i < seen && status == IRR_OK; i++) {
            const ptrdiff_t offset = (ptrdiff_t)((uintptr_t)runs[i].iov_base - (uintptr_t)base);

            if (runs[i].iov_len > 0) {
                status = add_run(room, count, first,
                                 (irr_block_t){ .rank = rank, .offset = offset, .length = runs[i].iov_len });
            }
        }
    }
    OBJ_DESTRUCT(&convertor);
    return status;
}

int mca_coll_irr_runs_convert(const ompi_datatype_t *datatype, size_t elements, void *address, char *packed,
                              size_t bytes, bool pack)
{
    size_t position = 0;
    opal_convertor_t convertor;
    int result = prepare(&convertor, datatype, elements, address, pack);

    while (result == OMPI_SUCCESS && position < bytes) {
        struct iovec iov = { .iov_base = packed + position, .iov_len = bytes - position };
        uint32_t entries = 1;
        size_t moved = bytes - position;
        int32_t done = pack ? opal_convertor_pack(&convertor, &iov, &entries, &moved) :
                              opal_convertor_unpack(&convertor, &iov, &entries, &moved);

        result = done >= 0 && moved > 0 ? OMPI_SUCCESS : OMPI_ERROR;
        position += moved;
    }
    OBJ_DESTRUCT(&convertor);
    return result;
}
