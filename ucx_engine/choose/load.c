/*
 * load.c - the load of an exchange, the largest numbers of messages and bytes of any rank: its size, the comparison of
 * two loads, and its conversion to traffic for the model.
 */
#include "choose/choice.h"

#include <math.h>

/* Cost of a message without its bytes, as a number of bytes that cost the same. */
#define MESSAGE_BYTES 4096.0

double irr_choice_load_size(const irr_choice_load_t *load)
{
    const double messages = fmax((double)load->sends, (double)load->receives);

    return (double)(load->sent + load->received) + MESSAGE_BYTES * messages;
}

static bool twice(uint64_t a, uint64_t b)
{
    return a >= 2 * b + 1 || b >= 2 * a + 1;
}

bool irr_choice_load_differs(const irr_choice_load_t *a, const irr_choice_load_t *b)
{
    return twice(a->sends, b->sends) || twice(a->receives, b->receives) || twice(a->sent, b->sent) ||
           twice(a->received, b->received);
}

irr_traffic_t irr_choice_traffic(const irr_choice_t *choice, int ranks, bool sparse)
{
    const irr_choice_load_t *load = &choice->load;
    const double sends = (double)load->sends, receives = (double)load->receives;
    const double sent = (double)load->sent, received = (double)load->received;

    return (irr_traffic_t){
        .ranks = ranks, .node_ranks = choice->node_ranks, .own_processors = !choice->crowded,
        .plain = true, .sparse = sparse,
        .messages = fmax(sends, receives), .lesser_messages = fmin(sends, receives),
        .bytes = fmax(sent, received), .lesser_bytes = fmin(sent, received), .longest = (double)load->longest
    };
}
