/*
 * mail.c - life: where all that ranks of a node have for other nodes is; see mail.h.
 */
#include "board/mail.h"

#include "core/alloc.h"

#include <string.h>

_Static_assert(sizeof(irr_mail_arrival_t) == 64, "arrivals of servers share no line");

/* ---- places: known from the nodes alone ---- */

static size_t row_bytes(const irr_mail_t *mail)
{
    return irr_board_line_up(mail->elsewhere * sizeof(uint16_t));
}

static size_t blocks_bytes(const irr_mail_t *mail)
{
    return irr_board_line_up(mail->elsewhere * mail->limit);
}

static size_t slots_bytes(const irr_mail_t *mail, const irr_mail_node_t *other)
{
    return irr_board_line_up((size_t)mail->board->count * other->size * sizeof(irr_mail_slot_t));
}

static size_t arrival_bytes(const irr_mail_t *mail, const irr_mail_node_t *other)
{
    return sizeof(irr_mail_arrival_t) + slots_bytes(mail, other) + irr_board_line_up(other->message_max);
}

/* What a member has in a half, up to what it received of a node that it serves. */
static size_t bytes_before(const irr_mail_t *mail, int member, int end)
{
    size_t bytes = row_bytes(mail) + blocks_bytes(mail);

    for (int i = member; i < end; i += mail->board->count) {
        bytes += arrival_bytes(mail, &mail->others[i]);
    }
    return bytes;
}

/* ---- life ---- */

/* The longest message of a node of so many ranks: lengths, blocks, and a byte. */
static size_t message_max(const irr_mail_t *mail, size_t size)
{
    return irr_mail_lengths((size_t)mail->board->count, size) + (size_t)mail->board->count * size * mail->limit + 1;
}

/* Which ranks elsewhere are on which node, and who serves that. */
static void find_others(irr_mail_t *mail, const irr_nodes_t *nodes, int rank)
{
    const int node = nodes->node[rank];
    size_t first = 0;

    for (int i = 0; i < mail->nothers; i++) {
        const int other = irr_nodes_after(nodes, node, i);

        mail->others[i] = (irr_mail_node_t){
            .server = i % mail->board->count, .first = first, .size = (size_t)irr_nodes_size(nodes, other) };
        mail->others[i].message_max = message_max(mail, mail->others[i].size);
        for (size_t k = 0; k < mail->others[i].size; k++) {
            mail->ranks[first + k] = nodes->members[nodes->first[other] + (int)k];
            mail->index[mail->ranks[first + k]] = (int)(first + k);
        }
        first += mail->others[i].size;
    }
    for (int i = 0; i < mail->board->count; i++) {
        mail->index[nodes->members[nodes->first[node] + i]] = -1;
    }
}

/* Pairs of ranks of the nodes that this rank serves. */
static size_t count_pairs(const irr_mail_t *mail)
{
    size_t pairs = 0;

    for (int i = mail->board->me; i < mail->nothers; i += mail->board->count) {
        pairs += mail->others[i].size * (size_t)mail->board->count;
    }
    return pairs;
}

static irr_status_t serve(irr_mail_t *mail, const irr_nodes_t *nodes, int node)
{
    const size_t pairs = count_pairs(mail), count = (size_t)mail->board->count, served = (size_t)mail->nserved;
    uint16_t *lengths;
    size_t *sums;
    const irr_array_t arrays[] = {
        IRR_ARRAY(mail->served, served + 1), IRR_ARRAY(sums, served * count), IRR_ARRAY(lengths, 2 * pairs)
    };
    irr_status_t status = IRR_ALLOC_ARRAYS(arrays);

    for (int i = 0; status == IRR_OK && i < mail->nserved; i++) {
        const int other = mail->board->me + i * mail->board->count, there = irr_nodes_after(nodes, node, other);
        const size_t here = count * mail->others[other].size;

        mail->served[i] = (irr_mail_served_t){
            .node = other, .peer = irr_nodes_speaker(nodes, there, node), .sent = lengths, .received = lengths + here,
            .sums = sums + (size_t)i * count, .changes = 1
        };
        lengths += 2 * here;
    }
    return status;
}

/* No number is that of an exchange; all else is written before it is read. */
static void clear(const irr_mail_t *mail)
{
    const irr_board_t *board = mail->board;

    for (int half = 0; half < 2; half++) {
        unsigned char *bytes = board->segment->bytes + mail->place + (size_t)half * mail->bytes_taken / 2;

        for (int i = board->me; i < mail->nothers; i += board->count) {
            memset(bytes + bytes_before(mail, board->me, i), 0, sizeof(irr_mail_arrival_t));
        }
    }
}

irr_status_t irr_mail_init(irr_mail_t *mail, irr_board_t *board, const irr_nodes_t *nodes, int rank, size_t limit,
                           uint64_t *place_p)
{
    const int node = nodes->node[rank], others = nodes->count - 1;
    const size_t count = (size_t)others;
    irr_status_t status;

    *mail = (irr_mail_t){
        .board = board, .limit = limit, .elsewhere = (size_t)(nodes->ranks - board->count), .nothers = others,
        .nserved = (others - board->me + board->count - 1) / board->count
    };
    const irr_array_t arrays[] = {
        IRR_ARRAY(mail->others, count), IRR_ARRAY(mail->sources, (size_t)board->count),
        IRR_ARRAY(mail->numbers, count), IRR_ARRAY(mail->pieces, irr_mail_pieces_max(mail)),
        IRR_ARRAY(mail->late, count), IRR_ARRAY(mail->index, (size_t)nodes->ranks),
        IRR_ARRAY(mail->ranks, mail->elsewhere), IRR_ARRAY(mail->in, mail->elsewhere)
    };

    mail->nserved = board->me < others ? mail->nserved : 0;
    status = IRR_ALLOC_ARRAYS(arrays);
    if (status == IRR_OK) {
        find_others(mail, nodes, rank);
        mail->bytes_taken = 2 * bytes_before(mail, board->me, others);
        status = serve(mail, nodes, node);
    }
    if (status == IRR_OK) {
        status = irr_segment_take(board->segment, mail->bytes_taken, &mail->place);
    }
    if (status != IRR_OK) {
        mail->bytes_taken = 0;
        irr_mail_fini(mail);
        return status;
    }
    clear(mail);
    *place_p = mail->place;
    return IRR_OK;
}

void irr_mail_fini(irr_mail_t *mail)
{
    if (mail->bytes_taken > 0) {
        irr_segment_give(mail->board->segment, mail->place, mail->bytes_taken);
    }
    irr_free(mail->served);
    irr_free(mail->others);
    memset(mail, 0, sizeof(*mail));
}

irr_status_t irr_mail_join(irr_mail_t *mail, int member, uint64_t place)
{
    const irr_view_t *view = mail->board->members[member].view;
    const size_t half = bytes_before(mail, member, mail->nothers);

    if (place % 64 != 0 || place > view->length || 2 * half > view->length - place) {
        return IRR_ERR_PROTOCOL;
    }
    for (int h = 0; h < 2; h++) {
        const unsigned char *at = view->bytes + place + (size_t)h * half;

        mail->sources[member].row[h] = (const uint16_t *)(const void *)at;
        mail->sources[member].bytes[h] = at + row_bytes(mail);
        at += row_bytes(mail) + blocks_bytes(mail);
        for (int i = member; i < mail->nothers; i += mail->board->count) {
            irr_mail_node_t *other = &mail->others[i];

            other->arrival[h] = (const irr_mail_arrival_t *)(const void *)at;
            other->slots[h] = (const irr_mail_slot_t *)(other->arrival[h] + 1);
            other->message[h] = (const unsigned char *)other->slots[h] + slots_bytes(mail, other);
            at += arrival_bytes(mail, other);
        }
    }
    return IRR_OK;
}
