/*
 * mail_run.c - an exchange: rows and blocks, and the messages of servers; see mail.h.
 */
#include "board/mail.h"

#include "problem/blocks.h"

#include <string.h>

/* Lengths that are none. */
#define DIRECT  UINT16_MAX         /* the block goes directly, */
#define LACKING (UINT16_MAX - 1)   /* or its rank has no memory for its input */

_Static_assert(IRR_MAIL_BLOCK_MAX < LACKING, "no length is that of a block");

/* The own memory behind what is read. */
static void *own(const irr_mail_t *mail, const void *read)
{
    const irr_board_t *board = mail->board;

    return board->segment->bytes + ((const unsigned char *)read - board->members[board->me].view->bytes);
}

static int half_of(const irr_mail_t *mail)
{
    return (int)(mail->number & 1);
}

/* ---- sides ---- */

static void side_of(const irr_mail_t *mail, irr_blocks_t blocks, irr_board_message_t *side)
{
    size_t count;

    memset(side, 0, mail->elsewhere * sizeof(*side));
    for (size_t i = 0; i < blocks.count; i += count) {
        const irr_blocks_t message = irr_blocks_first(irr_blocks_after(blocks, i));
        const int index = mail->index[message.list[0].rank];

        count = message.count;
        if (index >= 0) {
            side[index] = (irr_board_message_t){ .first = i, .count = count, .bytes = irr_blocks_bytes(message) };
        }
    }
}

void irr_mail_sides_of(const irr_mail_t *mail, const irr_problem_t *problem, irr_board_sides_t sides)
{
    side_of(mail, problem->send, sides.sent);
    side_of(mail, problem->recv, sides.received);
}

/* ---- to write ---- */

static uint16_t length_of(const irr_mail_t *mail, const irr_board_message_t *message, unsigned lacks)
{
    if (message->bytes > mail->limit) {
        return DIRECT;
    }
    return (lacks & IRR_LACKS_INPUT) != 0 && message->bytes > 0 ? LACKING : (uint16_t)message->bytes;
}

static bool is_length(const irr_mail_t *mail, uint16_t length)
{
    return length <= mail->limit;
}

/* For one node: the blocks lie one behind the other. */
static void write_node(irr_mail_t *mail, const irr_mail_node_t *other, const irr_problem_t *problem,
                       const irr_board_buffers_t *buffers)
{
    const irr_mail_source_t *source = &mail->sources[mail->board->me];
    uint16_t *row = own(mail, source->row[half_of(mail)]);
    unsigned char *bytes = (unsigned char *)own(mail, source->bytes[half_of(mail)]) + other->first * mail->limit;

    for (size_t i = other->first; i < other->first + other->size; i++) {
        const irr_board_message_t *message = &mail->sides.sent[i];

        row[i] = length_of(mail, message, buffers->lacks);
        if (is_length(mail, row[i])) {
            irr_board_gather(problem->send.list + message->first, message->count, buffers->input, bytes);
            bytes += message->bytes;
            mail->bytes += message->bytes;
        }
    }
}

void irr_mail_start(irr_mail_t *mail, const irr_problem_t *problem, irr_board_sides_t sides,
                    irr_board_buffers_t buffers)
{
    irr_board_t *board = mail->board;

    mail->number = board->number + 1;
    mail->sides = sides;
    mail->status = IRR_OK;
    mail->bytes = 0;
    mail->busy = true;
    mail->serves = false;
    mail->lost = false;
    mail->nin = 0;
    mail->nopen = mail->nserved;
    board->nlate = 0;
    board->late = mail->numbers;
    for (int i = 0; i < mail->nserved; i++) {
        mail->served[i].open = true;
    }
    for (int i = 0; i < mail->nothers; i++) {
        write_node(mail, &mail->others[i], problem, &buffers);
        if (mail->others[i].server != board->me) {
            mail->numbers[board->nlate] = &mail->others[i].arrival[half_of(mail)]->number;
            mail->late[board->nlate++] = i;
        }
    }
}

/* ---- to send ---- */

/* The lengths of a member for a node are written over what was told, if they are others. */
static bool take_row(const irr_mail_t *mail, const irr_mail_node_t *other, int member, irr_mail_served_t *served)
{
    const uint16_t *row = mail->sources[member].row[half_of(mail)] + other->first;
    uint16_t *sent = served->sent + (size_t)member * other->size;
    size_t sum = 0;

    if (served->known && memcmp(sent, row, other->size * sizeof(*row)) == 0) {
        return false;
    }
    for (size_t i = 0; i < other->size; i++) {
        const uint16_t length = row[i];

        sent[i] = is_length(mail, length) || length == DIRECT ? length : LACKING;
        sum += is_length(mail, sent[i]) ? sent[i] : 0;
    }
    served->sums[member] = sum;
    return true;
}

static size_t no_less_than_a_byte(size_t bytes)
{
    return bytes > 0 ? bytes : 1;
}

static void add_piece(irr_mail_t *mail, size_t *count, const void *bytes, size_t length)
{
    mail->pieces[*count] = (irr_piece_t){
        .buffer = IRR_BUFFER_BOARD, .joined = *count > 0, .offset = (ptrdiff_t)(uintptr_t)bytes, .length = length };
    *count += length > 0;
}

/* One piece becomes two: so it is gathered, not registered, where it lies in what may only be read. */
static size_t cut(irr_mail_t *mail, size_t count)
{
    irr_piece_t *first = mail->pieces;

    if (count == 1 && first->length > 1) {
        add_piece(mail, &count, (void *)((uintptr_t)first->offset + 1), first->length - 1);
        first->length = 1;
    }
    return count;
}

size_t irr_mail_send(irr_mail_t *mail, irr_mail_served_t *served, size_t *described_p)
{
    static const unsigned char byte = 0;
    const irr_mail_node_t *other = &mail->others[served->node];
    const size_t lengths = irr_mail_lengths((size_t)mail->board->count, other->size);
    const size_t before = no_less_than_a_byte(served->sent_bytes);
    bool changed = false;
    size_t count = 0, bytes = 0;

    for (int i = 0; i < mail->board->count; i++) {
        changed = take_row(mail, other, i, served) || changed;
        bytes += served->sums[i];
    }
    *described_p = changed ? lengths : 0;
    add_piece(mail, &count, served->sent, *described_p);
    for (int i = 0; i < mail->board->count; i++) {
        add_piece(mail, &count, mail->sources[i].bytes[half_of(mail)] + other->first * mail->limit, served->sums[i]);
    }
    if (*described_p + bytes == (changed ? before : 0)) {
        add_piece(mail, &count, &byte, 1);
    }
    served->sent_bytes = bytes;
    served->known = true;
    return cut(mail, count);
}

/* ---- to receive ---- */

irr_piece_t irr_mail_room(const irr_mail_t *mail, const irr_mail_served_t *served)
{
    const irr_mail_node_t *other = &mail->others[served->node];

    return (irr_piece_t){
        .buffer = IRR_BUFFER_BOARD, .offset = (ptrdiff_t)(uintptr_t)own(mail, other->message[half_of(mail)]),
        .length = other->message_max };
}

/* Takes in the lengths in front of a message; false: they are none. */
static bool take_lengths(irr_mail_t *mail, irr_mail_served_t *served, const unsigned char *message, size_t bytes)
{
    const size_t pairs = (size_t)mail->board->count * mail->others[served->node].size;
    const size_t before = no_less_than_a_byte(served->received_bytes);
    const size_t lengths = irr_mail_lengths(mail->others[served->node].size, (size_t)mail->board->count);
    size_t sum = 0, whole;

    if (bytes < lengths) {
        return false;
    }
    memcpy(served->received, message, lengths);
    for (size_t i = 0; i < pairs; i++) {
        const uint16_t length = served->received[i];

        if (!is_length(mail, length) && length != DIRECT && length != LACKING) {
            return false;
        }
        sum += is_length(mail, length) ? length : 0;
    }
    whole = lengths + sum;
    served->received_bytes = sum;
    served->changes++;
    return bytes == whole + (whole == before);
}

static void write_slots(const irr_mail_t *mail, const irr_mail_served_t *served)
{
    const irr_mail_node_t *other = &mail->others[served->node];
    const size_t here = (size_t)mail->board->count, there = other->size;
    irr_mail_slot_t *slots = own(mail, other->slots[half_of(mail)]);
    uint32_t offset = 0;

    for (size_t from = 0; from < there; from++) {
        for (size_t to = 0; to < here; to++) {
            const uint16_t length = served->received[from * here + to];

            slots[to * there + from] = (irr_mail_slot_t){ .offset = offset, .length = length };
            offset += is_length(mail, length) ? length : 0;
        }
    }
}

/* ---- to read ---- */

static void keep(irr_mail_t *mail, irr_status_t status)
{
    if (mail->status == IRR_OK) {
        mail->status = status;
    }
}

/* What a slot says is read once, and then checked. */
static void read_slot(irr_mail_t *mail, int index, irr_mail_slot_t slot, const unsigned char *bytes, size_t max)
{
    const irr_board_message_t *message = &mail->sides.received[index];
    irr_board_t *board = mail->board;

    if (slot.length == DIRECT) {
        mail->in[mail->nin] = index;
        mail->nin += message->bytes <= mail->limit;
        return;
    }
    mail->lost = mail->lost || message->bytes > mail->limit;
    if (slot.length == LACKING) {
        keep(mail, IRR_ERR_PEER);
        return;
    }
    if (slot.length > mail->limit || slot.offset > max || slot.length > max - slot.offset) {
        keep(mail, IRR_ERR_PROTOCOL);
        return;
    }
    if (slot.length > message->bytes) {
        keep(mail, IRR_ERR_TRUNCATE);
        slot.length = (uint32_t)message->bytes;
    }
    if ((board->buffers.lacks & IRR_LACKS_OUTPUT) == 0) {
        irr_board_scatter(board, message, bytes + slot.offset, slot.length);
    }
}

static void read_node(irr_mail_t *mail, const irr_mail_node_t *other)
{
    const int half = half_of(mail);
    const irr_mail_slot_t *slots = other->slots[half] + (size_t)mail->board->me * other->size;
    const unsigned char *message = other->message[half];
    const size_t base = other->arrival[half]->base, max = other->message_max;

    if (base > max) {
        keep(mail, IRR_ERR_PROTOCOL);
        return;
    }
    for (size_t i = 0; i < other->size; i++) {
        read_slot(mail, (int)(other->first + i), slots[i], message + base, max - base);
    }
}

irr_status_t irr_mail_received(irr_mail_t *mail, irr_mail_served_t *served, size_t bytes)
{
    const irr_mail_node_t *other = &mail->others[served->node];
    const int half = half_of(mail);
    irr_mail_arrival_t *arrival = own(mail, other->arrival[half]);
    const size_t lengths = irr_mail_lengths(other->size, (size_t)mail->board->count);
    const bool told = bytes != no_less_than_a_byte(served->received_bytes);

    if (told && !take_lengths(mail, served, other->message[half], bytes)) {
        return IRR_ERR_PROTOCOL;
    }
    if (served->written[half] != served->changes) {
        write_slots(mail, served);
        served->written[half] = served->changes;
    }
    arrival->base = told ? (uint32_t)lengths : 0;
    atomic_store_explicit(&arrival->number, mail->number, memory_order_release);
    irr_board_wake(mail->board, &arrival->number);
    served->open = false;
    mail->nopen--;
    read_node(mail, other);
    return IRR_OK;
}

irr_status_t irr_mail_progress(irr_mail_t *mail)
{
    irr_board_t *board = mail->board;
    int left = 0;

    for (int i = 0; i < board->nlate; i++) {
        if (atomic_load_explicit(mail->numbers[i], memory_order_acquire) == mail->number) {
            read_node(mail, &mail->others[mail->late[i]]);
            board->news++;
        } else {
            mail->numbers[left] = mail->numbers[i];
            mail->late[left++] = mail->late[i];
        }
    }
    board->nlate = left;
    return left > 0 || mail->nopen > 0 ? IRR_IN_PROGRESS : mail->status;
}
