/* row.c - writes and reads a row of the count matrix; see row.h. */
#include "exec/row.h"

#include <string.h>

enum { HAS_LENGTH = 1, WHAT_BITS = 1 };

void irr_row_write(irr_bytes_t *bytes, const uint64_t *lengths, int ranks)
{
    uint64_t entries = 0, before = 0;
    int next = 0;

    for (int to = 0; to < ranks; to++) {
        entries += lengths[to] > 0;
    }
    irr_bytes_put(bytes, entries);
    for (int to = 0; to < ranks; to++) {
        const bool differs = lengths[to] != before;


        if (lengths[to] == 0) {
            continue;
        }
        irr_bytes_put(bytes, (uint64_t)(to - next) << WHAT_BITS | (differs ? HAS_LENGTH : 0));
        if (differs) {
            irr_bytes_put(bytes, lengths[to]);
        }
        before = lengths[to];
        next = to + 1;
    }
}

void irr_row_read(irr_reader_t *reader, int ranks, uint64_t *total, uint64_t *lengths)
{
    const uint64_t entries = irr_varint_get(reader, (uint64_t)ranks);
    uint64_t bytes = 0, to = 0;

    memset(lengths, 0, (size_t)ranks * sizeof(*lengths));
    for (uint64_t i = 0; i < entries; i++, to++) {
        const uint64_t what = irr_varint_get(reader, (uint64_t)ranks << WHAT_BITS);

        bytes = what & HAS_LENGTH ? irr_varint_get(reader, PTRDIFF_MAX) : bytes;
        to += what >> WHAT_BITS;
        if (reader->bad || to >= (uint64_t)ranks || bytes == 0 || bytes > PTRDIFF_MAX - *total) {
            reader->bad = true;
            return;
        }
        lengths[to] = bytes;
        *total += bytes;
    }
}
