/* blocks.c - lists of blocks, sorted by rank; see blocks.h. */
#include "problem/blocks.h"

#include "core/alloc.h"

#include <string.h>

/* The loop has no branch that depends on a block: lists may be long, and each collective call checks its lists. */
bool irr_blocks_are_good(irr_blocks_t blocks, int ranks)
{
    size_t bad = 0;
    int before = -1;

    for (size_t i = 0; i < blocks.count; i++) {
        const irr_block_t *block = &blocks.list[i];

        bad += (block->rank < before) + (block->length == 0);
        before = block->rank;
    }
    return bad == 0 && (blocks.count == 0 || (blocks.list[0].rank >= 0 && before < ranks));
}

/* Returns the number of blocks of the ranks below `rank`. */
static size_t count_below(irr_blocks_t blocks, int rank)
{
    size_t low = 0, high = blocks.count;

    /* fast path: if each rank has one block, the index of the block is the rank */
    if ((size_t)rank < high && blocks.list[rank].rank == rank && (rank == 0 || blocks.list[rank - 1].rank < rank)) {
        return (size_t)rank;
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (blocks.list[middle].rank < rank) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

irr_blocks_t irr_blocks_first(irr_blocks_t blocks)
{
    size_t count = 0;

    while (count < blocks.count && blocks.list[count].rank == blocks.list[0].rank) {
        count++;
    }
    return (irr_blocks_t){ .list = blocks.list, .count = count };
}

irr_blocks_t irr_blocks_of(irr_blocks_t blocks, int rank)
{
    irr_blocks_t found = irr_blocks_first(irr_blocks_after(blocks, count_below(blocks, rank)));

    found.count = found.count > 0 && found.list[0].rank == rank ? found.count : 0;
    return found;
}

size_t irr_blocks_bytes(irr_blocks_t blocks)
{
    size_t bytes = 0;

    for (size_t i = 0; i < blocks.count; i++) {
        bytes += blocks.list[i].length;
    }
    return bytes;
}

/* ---- the last problem ---- */

void irr_blocks_memory_fini(irr_blocks_memory_t *memory)
{
    irr_free(memory->list);
    *memory = (irr_blocks_memory_t){ .list = NULL };
}

/* Compares field by field, because a block has padding. */
static bool same(const irr_block_t *a, irr_blocks_t b)
{
    size_t differ = 0;

    for (size_t i = 0; i < b.count && differ == 0; i++) {
        differ = (size_t)(a[i].rank ^ b.list[i].rank) | (size_t)(a[i].offset ^ b.list[i].offset) |
                 (a[i].length ^ b.list[i].length);
    }
    return differ == 0;
}

bool irr_blocks_are_same(const irr_blocks_memory_t *memory, const irr_problem_t *problem)
{
    return memory->known && memory->sent == problem->send.count && memory->received == problem->recv.count &&
           same(memory->list, problem->send) && same(memory->list + memory->sent, problem->recv);
}

irr_status_t irr_blocks_remember(irr_blocks_memory_t *memory, const irr_problem_t *problem)
{
    const size_t sent = problem->send.count, received = problem->recv.count;
    irr_status_t status = IRR_GROW(memory->list, memory->max, sent + received);

    memory->known = false;
    memory->sent_serial = memory->received_serial = 0;
    if (status != IRR_OK) {
        return status;
    }
    if (sent > 0) {
        memcpy(memory->list, problem->send.list, sent * sizeof(*memory->list));
    }
    if (received > 0) {
        memcpy(memory->list + sent, problem->recv.list, received * sizeof(*memory->list));
    }
    memory->known = true;
    memory->sent = sent;
    memory->received = received;
    memory->sent_serial = problem->send.serial;
    memory->received_serial = problem->recv.serial;
    return IRR_OK;
}
