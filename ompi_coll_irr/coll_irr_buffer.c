/*
 * coll_irr_buffer.c - converts counts, displacements and datatypes to blocks of bytes.
 *
 * A run is a contiguous range of bytes of a block.  Blocks of one run, or of long runs, are exchanged in the user's
 * buffer.  Other blocks, and blocks in memory of an accelerator, go through a packed copy (coll_irr_runs.c).  With
 * MPI_IN_PLACE there is one side with at most one packed copy, and the engine exchanges its bytes in place
 * (route/pairs.h).
 *
 * Cost: O(1) per rank, and the cost of listing or packing runs.  A call that repeats counts, displacements and datatype
 * of the previous call costs only the comparison.
 */
#include "coll_irr_buffer.h"

#include "core/alloc.h"

#include <stdatomic.h>

/* ---- one side ---- */

static mca_coll_irr_slot_t slot_at(const mca_coll_irr_side_t *side, int k)
{
    return side->order != NULL ? side->order[k] : (mca_coll_irr_slot_t){ .rank = k, .slot = k };
}

static ompi_datatype_t *type_at(const mca_coll_irr_side_t *side, int slot)
{
    return side->datatypes != NULL ? side->datatypes[slot] : side->datatype;
}

static size_t count_at(const mca_coll_irr_side_t *side, int slot)
{
    return side->uniform ? side->count : MCA_COLL_IRR_COUNT(side->counts, slot);
}

/* In bytes from the start of the buffer; extent: of the slot's datatype. */
static ptrdiff_t offset_at(const mca_coll_irr_side_t *side, int slot, ptrdiff_t extent)
{
    if (side->uniform) {
        return (ptrdiff_t)side->count * slot * extent;
    }
    if (side->far) {
        return MCA_COLL_IRR_DISPL(side->offsets, slot);
    }
    return MCA_COLL_IRR_DISPL(side->displs, slot) * (side->datatypes != NULL ? 1 : extent);
}

size_t mca_coll_irr_side_bytes(const mca_coll_irr_side_t *side, int k, int *rank_p)
{
    const mca_coll_irr_slot_t at = slot_at(side, k);
    size_t size;

    ompi_datatype_type_size(type_at(side, at.slot), &size);
    *rank_p = at.rank;
    return count_at(side, at.slot) * size;
}

/* All slots of one rank form one message; they follow each other. */
uint64_t mca_coll_irr_side_load(const mca_coll_irr_side_t *side, int me, uint64_t *bytes_p, uint64_t *longest)
{
    uint64_t total = 0, messages = 0, length = 0;
    int last = me;

    for (int k = 0; k < side->slots; k++) {
        int rank;
        const uint64_t bytes = mca_coll_irr_side_bytes(side, k, &rank);

        if (rank != me && bytes > 0) {
            length = rank == last ? length + bytes : bytes;
            messages += rank != last;
            last = rank;
            total += bytes;
            *longest = length > *longest ? length : *longest;
        }
    }
    *bytes_p = total;
    return messages;
}

irr_choice_load_t mca_coll_irr_load(const mca_coll_irr_call_t *call, int me)
{
    irr_choice_load_t load = { .longest = 0 };

    load.sends = mca_coll_irr_side_load(&call->send, me, &load.sent, &load.longest);
    load.receives = mca_coll_irr_side_load(&call->recv, me, &load.received, &load.longest);
    return load;
}

/* The widest type comes first, so that each array is aligned in memory from malloc. */
size_t mca_coll_irr_side_arrays(const mca_coll_irr_side_t *side)
{
    size_t each = 0;

    each += side->datatypes != NULL ? sizeof(*side->datatypes) : 0;
    each += side->far ? sizeof(MPI_Aint) : 0;
    each += !side->uniform && !side->far ? sizeof(mca_coll_irr_one_displ_t) : 0;
    each += !side->uniform ? sizeof(mca_coll_irr_one_count_t) : 0;
    each *= (size_t)side->entries;
    return (each + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *);   /* the next array is aligned */
}

/* Defines a function that replaces an array by a copy in `memory`, and returns the memory after it. */
#define COPIES(name, array_t, element_t, get, make)                                                                \
static void *name(array_t *array, int entries, element_t *memory)                                                  \
{                                                                                                                  \
    for (int i = 0; i < entries; i++) {                                                                            \
        memory[i] = (element_t)get(*array, i);                                                                     \
    }                                                                                                              \
    *array = make(memory);                                                                                         \
    return memory + entries;                                                                                       \
}

COPIES(copy_counts, mca_coll_irr_counts_t, mca_coll_irr_one_count_t, MCA_COLL_IRR_COUNT, MCA_COLL_IRR_COUNTS)
COPIES(copy_displs, mca_coll_irr_displs_t, mca_coll_irr_one_displ_t, MCA_COLL_IRR_DISPL, MCA_COLL_IRR_DISPLS)
COPIES(copy_offsets, mca_coll_irr_offsets_t, MPI_Aint, MCA_COLL_IRR_DISPL, MCA_COLL_IRR_DISPLS)

void mca_coll_irr_side_copy(mca_coll_irr_side_t *side, void *memory)
{
    const size_t entries = (size_t)side->entries;

    if (entries == 0) {
        return;   /* the arrays may not exist */
    }
    if (side->datatypes != NULL) {
        side->datatypes = memcpy(memory, side->datatypes, entries * sizeof(*side->datatypes));
        memory = (char *)memory + entries * sizeof(*side->datatypes);
    }
    if (!side->uniform) {
        memory = side->far ? copy_offsets(&side->offsets, side->entries, memory)
                           : copy_displs(&side->displs, side->entries, memory);
        (void)copy_counts(&side->counts, side->entries, memory);
    }
}

void mca_coll_irr_side_hold(const mca_coll_irr_side_t *side, bool retains)
{
    const int datatypes = side->datatypes == NULL && side->slots > 0 ? 1 : side->slots;

    for (int i = 0; i < datatypes; i++) {
        ompi_datatype_t *datatype = type_at(side, slot_at(side, i).slot);

        if (ompi_datatype_is_predefined(datatype)) {
            continue;
        }
        if (retains) {
            OBJ_RETAIN(datatype);
        } else {
            OBJ_RELEASE(datatype);
        }
    }
}

/* ---- blocks ---- */

irr_status_t mca_coll_irr_end_reserve(mca_coll_irr_end_t *end, size_t blocks)
{
    end->blocks.serial = blocks > end->max ? 0 : end->blocks.serial;   /* the list may move */
    return IRR_GROW(end->list, end->max, blocks);
}

irr_status_t mca_coll_irr_operation_reserve(mca_coll_irr_operation_t *operation, size_t sent, size_t received)
{
    const irr_status_t status = mca_coll_irr_end_reserve(&operation->input, sent);

    return status == IRR_OK ? mca_coll_irr_end_reserve(&operation->output, received) : status;
}

static void fini(mca_coll_irr_end_t *end)
{
    irr_free(end->list);
    irr_free(end->arrays);
    *end = (mca_coll_irr_end_t){ .list = NULL };
}

void mca_coll_irr_operation_fini(mca_coll_irr_operation_t *operation)
{
    fini(&operation->input);
    fini(&operation->output);
}

static mca_coll_irr_layout_t layout_of(const ompi_datatype_t *datatype)
{
    mca_coll_irr_layout_t layout = {
        .datatype = datatype, .is_run = ompi_datatype_is_contiguous_memory_layout(datatype, 2) };
    ptrdiff_t lower, true_extent;

    ompi_datatype_type_size(datatype, &layout.size);
    ompi_datatype_get_extent(datatype, &lower, &layout.extent);
    ompi_datatype_get_true_extent(datatype, &layout.true_lower, &true_extent);
    return layout;
}

/* *layout is the layout of the previous slot, as most calls have one datatype. */
static mca_coll_irr_elements_t elements_at(const mca_coll_irr_side_t *side, int k, mca_coll_irr_layout_t *layout)
{
    const mca_coll_irr_slot_t at = slot_at(side, k);
    const size_t count = count_at(side, at.slot);

    if (layout->datatype != type_at(side, at.slot)) {
        *layout = layout_of(type_at(side, at.slot));
    }
    return (mca_coll_irr_elements_t){
        .datatype = layout->datatype, .rank = at.rank, .count = count, .bytes = count * layout->size,
        .address = (char *)side->buffer + offset_at(side, at.slot, layout->extent) };
}

static irr_status_t add(mca_coll_irr_end_t *end, int rank, ptrdiff_t offset, size_t length)
{
    const irr_status_t status = mca_coll_irr_end_reserve(end, end->blocks.count + 1);

    if (status == IRR_OK) {
        end->list[end->blocks.count++] = (irr_block_t){ .rank = rank, .offset = offset, .length = length };
    }
    return status;
}

/*
 * Returns IRR_ERR_NOT_SUPPORTED if the runs are too short.  The layout stores this result, because the next block
 * usually has the same datatype.
 */
static irr_status_t add_runs(mca_coll_irr_end_t *end, const mca_coll_irr_elements_t *elements,
                             mca_coll_irr_layout_t *layout)
{
    irr_status_t status = IRR_ERR_NOT_SUPPORTED;

    if (layout->is_run) {
        return add(end, elements->rank, elements->address - (char *)end->base + layout->true_lower, elements->bytes);
    }
    if (!layout->is_packed) {
        status = mca_coll_irr_runs_list(elements, end);
        layout->is_packed = status == IRR_ERR_NOT_SUPPORTED;
    }
    return status;
}

/* Until the copy exists, the block has rank ~rank and an offset relative to the copy. */
static irr_status_t add_packed(mca_coll_irr_end_t *end, const mca_coll_irr_elements_t *elements)
{
    const irr_status_t status = add(end, ~elements->rank, (ptrdiff_t)end->packed_bytes, elements->bytes);

    end->packed_bytes += elements->bytes;
    end->packed_blocks++;
    return status;
}

/*
 * Returns true for memory of an accelerator.  `previous` is the result for the previous block.  All blocks of a buffer
 * are in one memory, but with MPI_BOTTOM each block is a buffer.
 */
static bool is_device(const mca_coll_irr_end_t *end, const mca_coll_irr_side_t *side,
                      const mca_coll_irr_elements_t *elements, bool previous)
{
    return end->blocks.count > 0 && side->buffer != MPI_BOTTOM
               ? previous : mca_coll_irr_has_devices && mca_coll_irr_runs_are_device(elements->address);
}

/*
 * Makes the list of blocks, and sets *layout to the last layout.  Returns false if there is no memory for the list.
 * With packs_all each slot has one block, for which the caller has reserved memory.
 */
static bool list(mca_coll_irr_end_t *end, const mca_coll_irr_side_t *side, bool packs_all,
                 mca_coll_irr_layout_t *layout)
{
    irr_status_t status = IRR_OK;
    bool packs = false;

    end->blocks = (irr_blocks_t){ .count = 0 };
    end->packed_bytes = end->packed_blocks = 0;
    for (int k = 0; k < side->slots && status == IRR_OK; k++) {
        const mca_coll_irr_elements_t elements = elements_at(side, k, layout);

        if (elements.bytes > 0) {
            packs = packs_all || is_device(end, side, &elements, packs);
            status = packs ? IRR_ERR_NOT_SUPPORTED : add_runs(end, &elements, layout);
            status = status == IRR_ERR_NOT_SUPPORTED ? add_packed(end, &elements) : status;
        }
    }
    return status == IRR_OK;
}

/* ---- calls that repeat the previous one, if each block is one run, in the order of the ranks ---- */

__attribute__((noinline))
static bool has_layout(const mca_coll_irr_end_t *end, const ompi_datatype_t *datatype)
{
    const mca_coll_irr_layout_t *last = &end->layout;
    const mca_coll_irr_layout_t layout = layout_of(datatype);

    return layout.is_run && layout.size == last->size && layout.extent == last->extent &&
           layout.true_lower == last->true_lower;
}

/*
 * Equal addresses are sufficient for predefined datatypes only: a new datatype of the user may have the address of a
 * freed one.
 */
static inline bool has_datatype(const mca_coll_irr_end_t *end, const ompi_datatype_t *datatype)
{
    return (end->layout.datatype == datatype && ompi_datatype_is_predefined(datatype)) || has_layout(end, datatype);
}

/* True if the blocks were made from an equal side, in memory of the host. */
static inline bool repeats(const mca_coll_irr_end_t *end, const mca_coll_irr_side_t *side)
{
    const mca_coll_irr_side_t *last = &end->side;

    if (end->blocks.serial == 0 || side->slots != last->slots || side->order != NULL || side->datatypes != NULL ||
        side->uniform != last->uniform || !has_datatype(end, side->datatype) ||
        (mca_coll_irr_has_devices && end->blocks.count > 0 &&
         mca_coll_irr_runs_are_device((char *)side->buffer + end->list[0].offset))) {
        return false;
    }
    return side->uniform ? side->count == last->count
                         : mca_coll_irr_counts_equal(side->counts, last->counts, side->slots) &&
                           mca_coll_irr_displs_equal(side->displs, last->displs, side->slots);
}

/* Without memory for the arrays, the next call makes the list again. */
static void remember(mca_coll_irr_end_t *end, const mca_coll_irr_side_t *side, const mca_coll_irr_layout_t *layout)
{
    static _Atomic uint64_t serial;

    if (irr_renew(&end->arrays, &end->arrays_max, mca_coll_irr_side_arrays(side)) == IRR_OK) {
        end->side = *side;
        end->layout = *layout;
        mca_coll_irr_side_copy(&end->side, end->arrays);
        end->blocks.serial = atomic_fetch_add_explicit(&serial, 1, memory_order_relaxed) + 1;
    }
}

/* Returns false without memory.  If all blocks are packed, the copy becomes the base. */
static bool allocate_copy(mca_coll_irr_end_t *end)
{
    ptrdiff_t delta = 0;

    end->packed = mca_coll_irr_kept_take(end->packed_bytes);
    if (end->packed_blocks == end->blocks.count) {
        end->base = end->packed;
    } else {
        delta = (ptrdiff_t)((uintptr_t)end->packed - (uintptr_t)end->base);
    }
    for (size_t i = 0; i < end->blocks.count; i++) {
        irr_block_t *block = &end->list[i];

        if (block->rank < 0) {
            block->rank = ~block->rank;
            block->offset += delta;
        }
    }
    return end->packed != NULL;
}

/* Returns false if there is no memory for the packed copy. */
static bool open_new(mca_coll_irr_end_t *end, const mca_coll_irr_side_t *side)
{
    mca_coll_irr_layout_t layout = { .datatype = NULL };

    if (!list(end, side, false, &layout)) {
        (void)list(end, side, true, &layout);
    }
    end->blocks.list = end->list;
    if (end->packed_bytes > 0) {
        return allocate_copy(end);
    }
    if (side->order == NULL && side->datatypes == NULL && side->slots > 0 && layout.is_run) {
        remember(end, side, &layout);
    }
    return true;
}

/* Not inlined, so that a call that repeats its counts has few registers to store. */
__attribute__((noinline))
static bool make_problem(mca_coll_irr_operation_t *operation, const mca_coll_irr_ranks_t *ranks, bool in_place)
{
    const mca_coll_irr_call_t *call = operation->call;
    mca_coll_irr_end_t *input = &operation->input, *output = &operation->output;
    bool has_room = repeats(output, &call->recv) || open_new(output, &call->recv);

    if (!in_place && !repeats(input, &call->send)) {
        has_room = open_new(input, &call->send) && has_room;
    }
    operation->problem = (irr_problem_t){
        .ranks = ranks->size, .rank = ranks->rank, .send = in_place ? output->blocks : input->blocks,
        .recv = output->blocks, .neighbors = call->neighbors, .in_place = in_place };
    return has_room;
}

/* A reused request may have belonged to another communicator. */
static inline bool is_for(const irr_problem_t *last, const mca_coll_irr_call_t *call,
                          const mca_coll_irr_ranks_t *ranks, bool in_place)
{
    return in_place == last->in_place && call->neighbors == last->neighbors && ranks->rank == last->rank &&
           ranks->size == last->ranks;
}

void mca_coll_irr_operation_open(mca_coll_irr_operation_t *operation, const mca_coll_irr_call_t *call,
                                 const mca_coll_irr_ranks_t *ranks)
{
    const bool in_place = call->send.buffer == MPI_IN_PLACE;

    operation->call = call;
    operation->failed = OMPI_SUCCESS;
    operation->output.base = call->recv.buffer;
    operation->input.base = call->send.buffer;
    if (is_for(&operation->problem, call, ranks, in_place) && repeats(&operation->output, &call->recv) &&
        (in_place || repeats(&operation->input, &call->send))) {
        return;   /* without packed copies */
    }
    if (!make_problem(operation, ranks, in_place)) {
        operation->failed = OMPI_ERR_OUT_OF_RESOURCE;
    } else if (!operation->repeats) {
        operation->failed = mca_coll_irr_operation_pack(operation);
    }
}

static void free_copy(mca_coll_irr_end_t *end)
{
    if (end->packed != NULL) {
        mca_coll_irr_kept_give(end->packed);
        end->packed = NULL;
    }
}

void mca_coll_irr_operation_free_copies(mca_coll_irr_operation_t *operation)
{
    free_copy(&operation->output);
    free_copy(&operation->input);
}

/* ---- packing ---- */

/* Returns true if the block is in the packed copy, at *at_p. */
static bool is_packed(const mca_coll_irr_end_t *end, const irr_block_t *block, char **at_p)
{
    const uintptr_t at = (uintptr_t)end->base + (uintptr_t)block->offset - (uintptr_t)end->packed;

    *at_p = end->packed + at;
    return at < end->packed_bytes;
}

/* Appends elements if they follow the first ones without a gap. */
static bool joins(mca_coll_irr_elements_t *first, const mca_coll_irr_elements_t *next, ptrdiff_t extent)
{
    if (next->datatype != first->datatype || next->address != first->address + (ptrdiff_t)first->count * extent) {
        return false;
    }
    first->count += next->count;
    first->bytes += next->bytes;
    return true;
}

/*
 * Packs or unpacks a side.  Blocks without gaps between them are copied at once, because a copy from or to an
 * accelerator takes microseconds.  The list of blocks has the order of the side.  A slot with packed elements or a
 * single run has one block in the list; any other slot has one block for each run.
 */
static int convert(const mca_coll_irr_side_t *side, const mca_coll_irr_end_t *end, bool pack)
{
    const irr_block_t *block = end->blocks.list;
    mca_coll_irr_layout_t layout = { .datatype = NULL };
    mca_coll_irr_elements_t joined = { .count = 0 };
    char *at, *joined_at = NULL;
    int result = OMPI_SUCCESS;

    for (int k = 0; k < side->slots && result == OMPI_SUCCESS; k++) {
        const mca_coll_irr_elements_t elements = elements_at(side, k, &layout);

        if (elements.bytes > 0 && is_packed(end, block, &at) && !joins(&joined, &elements, layout.extent)) {
            result = mca_coll_irr_runs_convert(&joined, joined_at, pack);
            joined = elements;
            joined_at = at;
        }
        for (size_t bytes = 0; bytes < elements.bytes; block++) {
            bytes += block->length;
        }
    }
    return result == OMPI_SUCCESS ? mca_coll_irr_runs_convert(&joined, joined_at, pack) : result;
}

int mca_coll_irr_operation_pack(const mca_coll_irr_operation_t *operation)
{
    const bool in_place = operation->problem.in_place;
    const mca_coll_irr_end_t *end = in_place ? &operation->output : &operation->input;
    const mca_coll_irr_side_t *side = in_place ? &operation->call->recv : &operation->call->send;

    return end->packed != NULL ? convert(side, end, true) : OMPI_SUCCESS;
}

int mca_coll_irr_operation_unpack(const mca_coll_irr_operation_t *operation)
{
    const mca_coll_irr_end_t *end = &operation->output;

    return end->packed != NULL ? convert(&operation->call->recv, end, false) : OMPI_SUCCESS;
}
