/*
 * excerpt_bytes.c - see excerpt_bytes.h.
 */
#include "exec/excerpt_bytes.h"

#include "core/alloc.h"
#include "exec/varint.h"

enum { SENDS = 1, HAS_OFFSET = 2, GOES_ON = 4, STEP_SHIFT = 3, TELLS = 1, PLACE_SHIFT = 1 };

static size_t put_transmission(const irr_transmission_t *t, int before, int rank, unsigned char *out, size_t at)
{
    const bool sends = t->from == rank;
    const uint64_t what = (uint64_t)(t->step - before) << STEP_SHIFT | (t->more > 0 ? GOES_ON : 0) |
                          (t->offset > 0 ? HAS_OFFSET : 0) | (sends ? SENDS : 0);

    at = irr_varint_put(out, at, what);
    at = irr_varint_put(out, at, (uint64_t)(sends ? t->to : t->from));
    if (t->more > 0) {
        at = irr_varint_put(out, at, (uint64_t)t->more);
    }
    if (t->offset > 0) {
        at = irr_varint_put(out, at, t->offset);
    }
    return irr_varint_put(out, at, t->length);
}

size_t irr_excerpt_encode(const irr_excerpt_t *excerpt, int rank, unsigned char *out)
{
    const irr_schedule_t *schedule = &excerpt->schedule;
    size_t at = irr_varint_put(out, 0, (uint64_t)schedule->steps);

    at = irr_varint_put(out, at, schedule->count);
    for (size_t i = 0; i < schedule->count; i++) {
        at = put_transmission(&schedule->list[i], i > 0 ? schedule->list[i - 1].step : 0, rank, out, at);
    }
    at = irr_varint_put(out, at, excerpt->syncs.count);
    for (size_t i = 0; i < excerpt->syncs.count; i++) {
        const irr_sync_t *sync = &excerpt->syncs.list[i];
        const bool tells = sync->from == rank;

        at = irr_varint_put(out, at, (uint64_t)(tells ? sync->after : sync->before) << PLACE_SHIFT | tells);
        at = irr_varint_put(out, at, (uint64_t)(tells ? sync->to : sync->from));
    }
    return at;
}

/* ---- decode ---- */

typedef struct reader {
    const unsigned char *in;
    size_t               length, at;
} reader_t;

static bool get(reader_t *reader, uint64_t max, uint64_t *value)
{
    return irr_varint_get(reader->in, reader->length, &reader->at, max, value);
}

static bool get_transmission(reader_t *reader, int ranks, int rank, irr_schedule_t *schedule)
{
    const int before = schedule->count > 0 ? schedule->list[schedule->count - 1].step : 0;
    uint64_t what, peer, more = 0, offset = 0, length;

    if (!get(reader, (uint64_t)(schedule->steps - before) << STEP_SHIFT | (SENDS | HAS_OFFSET | GOES_ON), &what) ||
        !get(reader, (uint64_t)ranks - 1, &peer) ||
        ((what & GOES_ON) && !get(reader, (uint64_t)schedule->steps, &more)) ||
        ((what & HAS_OFFSET) && !get(reader, PTRDIFF_MAX, &offset)) || !get(reader, PTRDIFF_MAX, &length)) {
        return false;
    }
    schedule->list[schedule->count++] = (irr_transmission_t){
        .step = before + (int)(what >> STEP_SHIFT), .from = what & SENDS ? rank : (int)peer,
        .to = what & SENDS ? (int)peer : rank, .more = (int)more, .offset = offset, .length = length
    };
    return true;
}

static bool get_sync(reader_t *reader, int ranks, int rank, irr_syncs_t *syncs)
{
    uint64_t what, peer;

    if (!get(reader, PTRDIFF_MAX, &what) || !get(reader, (uint64_t)ranks - 1, &peer)) {
        return false;
    }
    syncs->list[syncs->count++] = what & TELLS
        ? (irr_sync_t){ .after = (size_t)(what >> PLACE_SHIFT), .from = rank, .to = (int)peer }
        : (irr_sync_t){ .before = (size_t)(what >> PLACE_SHIFT), .from = (int)peer, .to = rank };
    return true;
}

/* A number of entries, each of which has two bytes at least, and room for them. */
static irr_status_t get_room(reader_t *reader, size_t size, size_t *count_p, void **list_p)
{
    uint64_t count;

    if (!get(reader, (reader->length - reader->at) / 2, &count)) {
        return IRR_ERR_PROTOCOL;
    }
    *count_p = (size_t)count;
    *list_p = irr_alloc((size_t)count, size);
    return *list_p != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;
}

static irr_status_t get_schedule(reader_t *reader, int ranks, int rank, irr_schedule_t *schedule)
{
    void *list = NULL;
    uint64_t steps;
    bool good = get(reader, INT32_MAX, &steps);
    irr_status_t status = good ? get_room(reader, sizeof(*schedule->list), &schedule->max, &list) : IRR_ERR_PROTOCOL;

    if (status != IRR_OK) {
        return status;
    }
    schedule->list = list;
    schedule->ranks = ranks;
    schedule->steps = (int)steps;
    for (size_t i = 0; i < schedule->max && good; i++) {
        good = get_transmission(reader, ranks, rank, schedule);
    }
    return good ? IRR_OK : IRR_ERR_PROTOCOL;
}

static irr_status_t get_syncs(reader_t *reader, int ranks, int rank, irr_syncs_t *syncs)
{
    void *list = NULL;
    irr_status_t status = get_room(reader, sizeof(*syncs->list), &syncs->max, &list);
    bool good = status == IRR_OK;

    syncs->list = list;
    for (size_t i = 0; i < syncs->max && good; i++) {
        good = get_sync(reader, ranks, rank, syncs);
    }
    return good || status != IRR_OK ? status : IRR_ERR_PROTOCOL;
}

irr_status_t irr_excerpt_decode(const unsigned char *in, size_t length, size_t *at, int ranks, int rank,
                                irr_excerpt_t *excerpt)
{
    reader_t reader = { in, length, *at };
    irr_excerpt_t read = { .schedule = { .ranks = ranks } };
    irr_status_t status = get_schedule(&reader, ranks, rank, &read.schedule);

    if (status == IRR_OK) {
        status = get_syncs(&reader, ranks, rank, &read.syncs);
    }
    if (status == IRR_OK) {
        status = irr_excerpt_check(&read, rank);
    }
    if (status != IRR_OK) {
        irr_excerpt_fini(&read);
        return status;
    }
    *at = reader.at;
    *excerpt = read;
    return IRR_OK;
}
