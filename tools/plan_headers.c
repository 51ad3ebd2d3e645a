/*
 * plan_headers.c - counts the bytes of headers in the first run of a grid route, where ranks do not know the layout of
 * messages yet.
 *
 * In each stage a rank sends one message, possibly empty, to each neighbour.  A header in front (exec/header.h) names
 * each piece of the message.  A piece of a planned message is one slice.  Adjacent slices were merged before they come
 * here, so they are cut again at the ends of the send's pieces.  A large piece that travels apart from the header may
 * make the header a byte longer; this byte is not counted.  Direct routes need no headers.
 */
#include "plan.h"

#include "exec/header.h"
#include "plan/strategy.h"
#include "route/stages.h"

#include <stdlib.h>

static uint64_t length_of(const irr_slice_t *slices, size_t count)
{
    const irr_header_t header = { .status = IRR_OK, .parts = 0, .slices = count };

    return irr_header_encode(&header, slices, NULL);
}

/* Cuts the slices of a message at the ends of its pieces, which are at least as many as the slices. */
static void cut(const irr_plans_message_t *message, const irr_piece_t *pieces, size_t count,
                irr_slice_t *slices)
{
    const irr_slice_t *merged = message->slices;
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        slices[i] = *merged;
        slices[i].offset += used;
        slices[i].length = pieces[i].length;
        used += pieces[i].length;
        if (used == merged->length) {
            merged++;
            used = 0;
        }
    }
}

bool irr_tool_headers_add(irr_tool_headers_t *headers, const irr_plans_t *plans,
                          const irr_plans_message_t *message)
{
    const irr_plan_t *plan = &plans->plans[message->from];
    const irr_step_t *step = &plan->steps[message->index];
    irr_slice_t *slices = headers->slices;

    if (!headers->self_describing) {
        return true;
    }
    if (headers->max < step->pieces) {
        slices = realloc(slices, step->pieces * sizeof(*slices));
        if (slices == NULL) {
            return false;
        }
        headers->slices = slices;
        headers->max = step->pieces;
    }
    cut(message, plan->pieces + step->first_piece, step->pieces, slices);
    headers->bytes += length_of(slices, step->pieces);
    headers->messages++;
    return true;
}

irr_status_t irr_tool_headers_open(irr_tool_headers_t *headers, const irr_strategy_t *strategy,
                                   const irr_nodes_t *nodes, int ranks)
{
    irr_grid_t grid;

    *headers = (irr_tool_headers_t){ .bytes = 0 };
    if (irr_strategy_grid(strategy, ranks, nodes, &grid) != IRR_OK) {
        return IRR_OK;
    }
    headers->self_describing = true;
    for (int r = 0; r < ranks; r++) {
        irr_stages_t stages;
        irr_status_t status = irr_stages_init(&stages, &grid, ranks, r);

        if (status != IRR_OK) {
            return status;
        }
        headers->neighbours += (uint64_t)(stages.slots - stages.count);
        irr_stages_fini(&stages);
    }
    return IRR_OK;
}

uint64_t irr_tool_headers_close(irr_tool_headers_t *headers)
{
    uint64_t empty = headers->neighbours - headers->messages;

    free(headers->slices);
    return headers->bytes + empty * length_of(NULL, 0);
}
