/* local_schedule_bytes.c - writes and reads a local schedule; see local_schedule_bytes.h. */
#include "exec/local_schedule_bytes.h"

#include "core/alloc.h"

enum { SENDS = 1, HAS_OFFSET = 2, GOES_ON = 4, STEP_SHIFT = 3, SIGNALS = 1, PLACE_SHIFT = 1 };

/* ---- write ---- */

static void put_transmission(irr_bytes_t *bytes, const irr_transmission_t *t, int before, int rank)
{
    const bool sends = t->from == rank;

    irr_bytes_put(bytes, (uint64_t)(t->step - before) << STEP_SHIFT | (t->more > 0 ? GOES_ON : 0) |
                         (t->offset > 0 ? HAS_OFFSET : 0) | (sends ? SENDS : 0));
    irr_bytes_put(bytes, (uint64_t)(sends ? t->to : t->from));
    if (t->more > 0) {
        irr_bytes_put(bytes, (uint64_t)t->more);
    }
    if (t->offset > 0) {
        irr_bytes_put(bytes, t->offset);
    }
    irr_bytes_put(bytes, t->length);
}

static void put_sync(irr_bytes_t *bytes, const irr_sync_t *sync, int rank)
{
    const bool signals = sync->from == rank;

    irr_bytes_put(bytes, (uint64_t)(signals ? sync->after : sync->before) << PLACE_SHIFT | (signals ? SIGNALS : 0));
    irr_bytes_put(bytes, (uint64_t)(signals ? sync->to : sync->from));
}

void irr_local_schedule_write(const irr_local_schedule_t *local, int rank, irr_bytes_t *bytes)
{
    const irr_schedule_t *schedule = &local->schedule;

    irr_bytes_put(bytes, (uint64_t)schedule->steps);
    irr_bytes_put(bytes, schedule->count);
    for (size_t i = 0; i < schedule->count; i++) {
        put_transmission(bytes, &schedule->list[i], i > 0 ? schedule->list[i - 1].step : 0, rank);
    }
    irr_bytes_put(bytes, local->syncs.count);
    for (size_t i = 0; i < local->syncs.count; i++) {
        put_sync(bytes, &local->syncs.list[i], rank);
    }
}

/* ---- read: invalid numbers are read as 0, and irr_local_schedule_read reports the error at the end ---- */

static irr_transmission_t get_transmission(irr_reader_t *reader, const irr_schedule_t *schedule, int before, int rank)
{
    const uint64_t most = (uint64_t)(schedule->steps - before) << STEP_SHIFT | (SENDS | HAS_OFFSET | GOES_ON);
    const uint64_t what = irr_varint_get(reader, most);
    const int peer = (int)irr_varint_get(reader, (uint64_t)schedule->ranks - 1);
    const uint64_t more = what & GOES_ON ? irr_varint_get(reader, (uint64_t)schedule->steps) : 0;
    const uint64_t offset = what & HAS_OFFSET ? irr_varint_get(reader, PTRDIFF_MAX) : 0;

    return (irr_transmission_t){
        .step = before + (int)(what >> STEP_SHIFT), .from = what & SENDS ? rank : peer,
        .to = what & SENDS ? peer : rank, .more = (int)more, .offset = offset,
        .length = irr_varint_get(reader, PTRDIFF_MAX)
    };
}

static irr_sync_t get_sync(irr_reader_t *reader, int ranks, int rank)
{
    const uint64_t what = irr_varint_get(reader, PTRDIFF_MAX);
    const int peer = (int)irr_varint_get(reader, (uint64_t)ranks - 1);
    const size_t place = (size_t)(what >> PLACE_SHIFT);

    return what & SIGNALS ? (irr_sync_t){ .after = place, .from = rank, .to = peer }
                        : (irr_sync_t){ .before = place, .from = peer, .to = rank };
}

/*
 * Reads the number of entries of a list, and allocates memory for them. An entry has at least two bytes, which limits
 * the number. NULL: no memory.
 */
static void *get_room(irr_reader_t *reader, size_t size, size_t *count_p)
{
    *count_p = (size_t)irr_varint_get(reader, (reader->length - reader->at) / 2);
    return irr_alloc(*count_p, size);
}

static irr_status_t get_schedule(irr_reader_t *reader, int rank, irr_schedule_t *schedule)
{
    schedule->steps = (int)irr_varint_get(reader, INT32_MAX);
    schedule->list = get_room(reader, sizeof(*schedule->list), &schedule->max);
    if (schedule->list == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    for (int before = 0; schedule->count < schedule->max; before = schedule->list[schedule->count++].step) {
        schedule->list[schedule->count] = get_transmission(reader, schedule, before, rank);
    }
    return IRR_OK;
}

static irr_status_t get_syncs(irr_reader_t *reader, int ranks, int rank, irr_syncs_t *syncs)
{
    syncs->list = get_room(reader, sizeof(*syncs->list), &syncs->max);
    if (syncs->list == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    while (syncs->count < syncs->max) {
        syncs->list[syncs->count++] = get_sync(reader, ranks, rank);
    }
    return IRR_OK;
}

irr_status_t irr_local_schedule_read(irr_reader_t *reader, int ranks, int rank, irr_local_schedule_t *local)
{
    irr_local_schedule_t read = { .schedule = { .ranks = ranks } };
    irr_status_t status = get_schedule(reader, rank, &read.schedule);

    if (status == IRR_OK) {
        status = get_syncs(reader, ranks, rank, &read.syncs);
    }
    if (status == IRR_OK) {
        status = reader->bad ? IRR_ERR_PROTOCOL : irr_local_schedule_check(&read, rank);
    }
    if (status != IRR_OK) {
        irr_local_schedule_fini(&read);
        return status;
    }
    *local = read;
    return IRR_OK;
}
