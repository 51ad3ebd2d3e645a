/*
 * pack.c - see pack.h.
 *
 * Rows with equal differences are stored as one run: the difference of each column, with its sign in the lowest bit,
 * and the number of further rows of the run.  A number is stored as bytes of seven bits each, the lowest first; the
 * eighth bit is set in all bytes but the last.  A row takes O(1) time to write or read.
 */
#include "study/pack.h"

#include "core/alloc.h"

#include <string.h>

enum { BITS = 7, MORE = 1 << BITS, BYTES_MAX = 10 };

void irr_pack_fini(irr_pack_t *pack)
{
    irr_free(pack->bytes);
    *pack = (irr_pack_t){ .bytes = NULL };
}

static void write_number(irr_pack_t *pack, uint64_t left)
{
    for (; left >= MORE; left >>= BITS) {
        pack->bytes[pack->count++] = (unsigned char)(left | MORE);
    }
    pack->bytes[pack->count++] = (unsigned char)left;
}

static uint64_t read_number(irr_pack_t *pack)
{
    uint64_t number = 0, byte = MORE;

    for (unsigned shift = 0; byte >= MORE; shift += BITS) {
        byte = pack->bytes[pack->read++];
        number |= (byte & (MORE - 1)) << shift;
    }
    return number;
}

/* Ends the last run: writes the number of its further rows. */
static void end_run(irr_pack_t *pack)
{
    if (pack->count > 0) {
        write_number(pack, pack->repeats);
        pack->repeats = 0;
    }
}

irr_status_t irr_pack_put(irr_pack_t *pack, const uint64_t *row, size_t numbers)
{
    uint64_t change[IRR_PACK_NUMBERS], other = pack->rows == 0;
    const irr_status_t status = IRR_GROW(pack->bytes, pack->max, pack->count + (numbers + 2) * BYTES_MAX);

    if (status != IRR_OK) {
        return status;
    }
    for (size_t i = 0; i < numbers; i++) {
        change[i] = row[i] - pack->last[i];
        other |= change[i] ^ pack->change[i];
        pack->last[i] = row[i];
    }
    pack->rows++;
    if (other == 0) {
        pack->repeats++;
        return IRR_OK;
    }
    end_run(pack);
    for (size_t i = 0; i < numbers; i++) {
        write_number(pack, change[i] << 1 ^ (0 - (change[i] >> 63)));
        pack->change[i] = change[i];
    }
    return IRR_OK;
}

void irr_pack_rewind(irr_pack_t *pack)
{
    pack->read = pack->repeats = 0;
    memset(pack->last, 0, sizeof(pack->last));
}

irr_status_t irr_pack_end(irr_pack_t *pack)
{
    end_run(pack);
    irr_pack_rewind(pack);
    return IRR_TRIM(pack->bytes, pack->max, pack->count);
}

bool irr_pack_get(irr_pack_t *pack, uint64_t *row, size_t numbers)
{
    if (pack->repeats > 0) {
        pack->repeats--;
    } else if (pack->read < pack->count) {
        for (size_t i = 0; i < numbers; i++) {
            const uint64_t number = read_number(pack);

            pack->change[i] = number >> 1 ^ (0 - (number & 1));
        }
        pack->repeats = read_number(pack);
    } else {
        return false;
    }
    for (size_t i = 0; i < numbers; i++) {
        row[i] = pack->last[i] += pack->change[i];
    }
    return true;
}
