/*
 * pack.c - see pack.h.  A number is the difference from its predecessor, with the sign in the lowest bit, in groups of
 * seven bits.  Both directions take O(1) time for a number.
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

irr_status_t irr_pack_put(irr_pack_t *pack, const uint64_t *row, size_t numbers)
{
    const irr_status_t status = IRR_GROW(pack->bytes, pack->max, pack->count + numbers * BYTES_MAX);

    for (size_t i = 0; i < numbers && status == IRR_OK; i++) {
        const uint64_t change = row[i] - pack->last[i];
        uint64_t left = change << 1 ^ (0 - (change >> 63));

        for (; left >= MORE; left >>= BITS) {
            pack->bytes[pack->count++] = (unsigned char)(left | MORE);
        }
        pack->bytes[pack->count++] = (unsigned char)left;
        pack->last[i] = row[i];
    }
    pack->rows += status == IRR_OK;
    return status;
}

irr_status_t irr_pack_end(irr_pack_t *pack)
{
    pack->read = 0;
    memset(pack->last, 0, sizeof(pack->last));
    return IRR_TRIM(pack->bytes, pack->max, pack->count);
}

bool irr_pack_get(irr_pack_t *pack, uint64_t *row, size_t numbers)
{
    if (pack->read == pack->count) {
        return false;
    }
    for (size_t i = 0; i < numbers; i++) {
        uint64_t number = 0, byte = MORE;

        for (unsigned shift = 0; byte >= MORE; shift += BITS) {
            byte = pack->bytes[pack->read++];
            number |= (byte & (MORE - 1)) << shift;
        }
        row[i] = pack->last[i] += number >> 1 ^ (0 - (number & 1));
    }
    return true;
}
