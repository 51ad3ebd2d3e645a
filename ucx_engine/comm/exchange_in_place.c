/*
 * exchange_in_place.c - an exchange in place: each block to send is at the place where the block from the same rank
 * arrives.
 *
 * If all messages are sent directly, two ranks exchange their blocks piece by piece, with a small buffer
 * (route/pairs.h). On two kinds of communicators a rank copies all data to send before the exchange. On the first kind,
 * ranks forward data of other ranks: they need about as much memory for this data anyway, and learn only during the
 * exchange what arrives. On the second kind, a message waits for other messages (a pacing other than free): an exchange
 * in pairs has another order of messages, so ranks could wait for each other forever. If the ranks look up schedules,
 * they also agree whether an exchange is in place; then they drop the pacing and need no copy.
 */
#include "comm/exchange.h"

#include "core/alloc.h"
#include "problem/blocks.h"

#include <string.h>

/* Returns true if messages are sent directly, and no message waits for others or the ranks agree to drop the pacing. */
static bool goes_in_pairs(const irr_comm_t *comm)
{
    return irr_strategy_is_local(&comm->unscheduled) &&
           (comm->unscheduled.pacing == &irr_pacing_free || irr_schedules_looks_up(&comm->schedules));
}

irr_status_t irr_exchange_convert_in_place(irr_exchange_t *exchange, irr_problem_t *problem)
{
    const irr_blocks_t blocks = problem->recv;
    irr_status_t status;
    ptrdiff_t offset = 0;

    if (goes_in_pairs(exchange->comm)) {
        return IRR_OK;
    }
    problem->in_place = false;
    status = IRR_GROW(exchange->copied, exchange->copied_max, blocks.count);
    if (status == IRR_OK) {
        status = irr_renew(&exchange->copy, &exchange->copy_max, irr_blocks_bytes(blocks));
    }
    if (status != IRR_OK) {
        return status;
    }
    for (size_t i = 0; i < blocks.count; i++) {
        exchange->copied[i] = blocks.list[i];
        exchange->copied[i].offset = offset;
        offset += (ptrdiff_t)blocks.list[i].length;
    }
    exchange->copies = true;
    problem->send = (irr_blocks_t){ .list = exchange->copied, .count = blocks.count };
    return IRR_OK;
}

const void *irr_exchange_copy(irr_exchange_t *exchange, const void *output)
{
    const irr_blocks_t blocks = exchange->problem.recv;
    unsigned char *to = exchange->copy;

    for (size_t i = 0; i < blocks.count; i++) {
        memcpy(to, (const void *)((uintptr_t)output + (uintptr_t)blocks.list[i].offset), blocks.list[i].length);
        to += blocks.list[i].length;
    }
    return exchange->copy;
}
