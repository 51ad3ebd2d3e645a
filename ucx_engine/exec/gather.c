/*
 * gather.c - see gather.h.
 *
 * What a rank sends may be on its way while it receives, and a large message is over only when its receiver takes
 * it, so the rows cannot be moved within a round: if they outgrow their place, they are copied to a larger one,
 * and the old one is freed at the end of the round.  Rooms at least double, so this costs O(1) a byte.
 */
#include "exec/gather.h"

#include "core/alloc.h"

#include <assert.h>
#include <string.h>

/* What the ranks agree on: who failed, the worst. */
enum { NOBODY, LARGE, OTHERWISE };

/* ---- life ---- */

irr_status_t irr_gather_init(irr_gather_t *gather, int ranks, int rank, size_t max_bytes)
{
    irr_status_t status;

    memset(gather, 0, sizeof(*gather));
    gather->ranks = ranks;
    gather->rank = rank;
    gather->max_bytes = max_bytes;
    gather->state = IRR_GATHER_AGREES;
    status = irr_consensus_init(&gather->consensus, ranks, rank);
    if (status != IRR_OK) {
        return status;
    }
    gather->ends = irr_alloc_zero((size_t)ranks + 1, sizeof(*gather->ends));
    return gather->ends != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;
}

void irr_gather_fini(irr_gather_t *gather)
{
    irr_free(gather->retired);
    irr_free(gather->bytes);
    irr_free(gather->ends);
    memset(gather, 0, sizeof(*gather));
}

/* ---- rows ---- */

static void keep(irr_gather_t *gather, irr_status_t status)
{
    if (gather->status == IRR_OK) {
        gather->status = status;
    }
}

/* Makes room for more bytes behind those of the first `rows`; at most once a round. */
static irr_status_t make_room(irr_gather_t *gather, int rows, size_t more)
{
    size_t used = gather->ends[rows], room = gather->room;
    unsigned char *bytes;

    if (more > gather->max_bytes || used > gather->max_bytes - more) {
        return IRR_ERR_NOT_SUPPORTED;
    }
    if (more <= room - used) {
        return IRR_OK;
    }
    room = room > gather->max_bytes / 2 ? gather->max_bytes : 2 * room;
    room = room < used + more ? used + more : room;
    bytes = irr_alloc(room, 1);
    if (bytes == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    if (used > 0) {
        memcpy(bytes, gather->bytes, used);
    }
    gather->retired = gather->bytes;
    gather->bytes = bytes;
    gather->room = room;
    return IRR_OK;
}

static void retire(irr_gather_t *gather)
{
    irr_free(gather->retired);
    gather->retired = NULL;
}

/* Takes in so many bytes behind the first `rows`, if they are the `more` rows that come next. */
static irr_status_t append(irr_gather_t *gather, int rows, int more, size_t bytes)
{
    size_t used = gather->ends[rows];

    return irr_row_check(gather->bytes, used, used + bytes, gather->ranks, more, &gather->ends[rows + 1],
                         &gather->total);
}

/* The own row is checked as those of others are: a length or a sum may be too large in it, too. */
static irr_status_t put_own(irr_gather_t *gather, const irr_block_t *row)
{
    size_t bytes = irr_row_encode(row, gather->ranks, NULL);
    irr_status_t status = make_room(gather, 0, bytes);

    retire(gather);
    if (status != IRR_OK) {
        return status;
    }
    irr_row_encode(row, gather->ranks, gather->bytes);
    return append(gather, 0, 1, bytes);
}

/* ---- rounds ---- */

/* Rows that are sent, and received, in this round. */
static int rows_of(const irr_gather_t *gather)
{
    int missing = gather->ranks - gather->distance;

    return missing < gather->distance ? missing : gather->distance;
}

static void over(irr_transfer_t *transfer)
{
    irr_gather_t *gather = (irr_gather_t *)transfer;

    gather->state = IRR_GATHER_HEARD;
}

_Static_assert(offsetof(irr_gather_t, transfer) == 0, "over takes a transfer for its gather");

static void send(irr_gather_t *gather)
{
    const irr_exec_env_t *env = &gather->env;
    size_t length = gather->status == IRR_OK ? gather->ends[rows_of(gather)] : 0;
    int to = (gather->rank - gather->distance + gather->ranks) % gather->ranks;

    gather->iov[0] = (irr_iov_t){ gather->bytes, length };
    irr_transfer_send(&gather->transfer, &gather->parts[0], to,
                      irr_tag(env->tag_base, IRR_TAG_HEADER, gather->round), &gather->iov[0], length > 0,
                      IRR_FORM_IOVEC, length);
}

/* Goes on to the round of this distance, or to the consensus if there is none. */
static void begin_round(irr_gather_t *gather)
{
    uint64_t failed = gather->status == IRR_OK ? NOBODY : gather->status == IRR_ERR_NOT_SUPPORTED ? LARGE : OTHERWISE;

    if (gather->distance >= gather->ranks) {
        gather->state = IRR_GATHER_AGREES;
        irr_consensus_start(&gather->consensus, &failed, 1, &gather->env);
        return;
    }
    gather->state = IRR_GATHER_LISTENS;
    irr_transfer_begin(&gather->transfer, gather->env.channel, gather->env.counters, over);
    gather->transfer.describes = true;
    send(gather);
}

/* Receives what was found behind the rows that are here, or throws it away. */
static void take(irr_gather_t *gather, const irr_message_t *message)
{
    irr_form_t form = IRR_FORM_IOVEC;

    if (message->bytes == 0) {
        keep(gather, IRR_ERR_NOT_SUPPORTED);
    }
    if (gather->status == IRR_OK) {
        keep(gather, make_room(gather, gather->distance, message->bytes));
    }
    gather->incoming = message->bytes;
    gather->iov[1] = (irr_iov_t){ NULL, IRR_SINK_BYTES };
    if (gather->status == IRR_OK) {
        gather->iov[1] = (irr_iov_t){ gather->bytes + gather->ends[gather->distance], message->bytes };
    } else {
        form = IRR_FORM_GATHER;
    }
    gather->state = IRR_GATHER_BUSY;
    irr_transfer_take(&gather->transfer, &gather->parts[1], message, &gather->iov[1], 1, form);
    irr_transfer_end(&gather->transfer);
}

int irr_gather_awaited(const irr_gather_t *gather)
{
    return gather->state == IRR_GATHER_AGREES ? irr_consensus_awaited(&gather->consensus)
                                              : (gather->rank + gather->distance) % gather->ranks;
}

static bool listen(irr_gather_t *gather)
{
    irr_channel_t *channel = gather->env.channel;
    uint16_t tag = irr_tag(gather->env.tag_base, IRR_TAG_HEADER, gather->round);
    irr_message_t message;

    if (channel->transport->ops->probe(channel, irr_gather_awaited(gather), tag, IRR_TAG_FULL_MASK, &message) != IRR_OK) {
        return false;
    }
    take(gather, &message);
    return true;
}

static void end_round(irr_gather_t *gather)
{
    retire(gather);
    keep(gather, gather->transfer.status);
    if (gather->status == IRR_OK) {
        keep(gather, append(gather, gather->distance, rows_of(gather), gather->incoming));
    }
    gather->distance *= 2;
    gather->round++;
    begin_round(gather);
}

/* ---- the gather ---- */

void irr_gather_start(irr_gather_t *gather, const irr_block_t *row, irr_status_t trouble,
                      const irr_exec_env_t *env)
{
    assert(gather->state == IRR_GATHER_AGREES && !gather->consensus.busy);
    gather->env = *env;
    gather->status = trouble;
    gather->total = 0;
    gather->round = 1;
    gather->distance = 1;
    if (trouble == IRR_OK) {
        keep(gather, put_own(gather, row));
    }
    begin_round(gather);
}

static irr_status_t agree(irr_gather_t *gather)
{
    irr_status_t status = irr_consensus_progress(&gather->consensus);

    if (status != IRR_OK) {
        return status;
    }
    gather->too_large = gather->consensus.words[0] == LARGE;
    return gather->consensus.words[0] == NOBODY ? IRR_OK : IRR_ERR_NOT_SUPPORTED;
}

irr_status_t irr_gather_progress(irr_gather_t *gather)
{
    bool moved = true;

    while (moved && gather->state != IRR_GATHER_AGREES) {
        if (gather->state == IRR_GATHER_HEARD) {
            end_round(gather);
        } else {
            moved = gather->state == IRR_GATHER_LISTENS && listen(gather);
        }
    }
    return gather->state == IRR_GATHER_AGREES ? agree(gather) : IRR_IN_PROGRESS;
}

/* ---- the result ---- */

void irr_gather_row(const irr_gather_t *gather, int from, irr_row_t *row)
{
    int i = (from - gather->rank + gather->ranks) % gather->ranks;

    irr_row_begin(row, gather->bytes, gather->ends[i], gather->ends[i + 1], gather->ranks);
}

void irr_gather_matrix(const irr_gather_t *gather, irr_matrix_t *matrix)
{
    irr_row_t row;

    assert(matrix->ranks == gather->ranks);
    for (int from = 0; from < gather->ranks; from++) {
        irr_gather_row(gather, from, &row);
        memset(irr_matrix_at(matrix, from, 0), 0, (size_t)gather->ranks * sizeof(*matrix->entries));
        while (irr_row_next(&row)) {
            *irr_matrix_at(matrix, from, row.to) = row.bytes;
        }
    }
}
