/*
 * world_spoil.c - the messages of a hostile rank (world_scene.h).
 *
 * The rank changes either data, or descriptions and messages of the engine. A message gets other bytes, or another
 * length or kind, or is sent twice. Some descriptions remain well-formed, but describe other slices or announce other
 * messages.
 */
#include "world_scene.h"

#include "exec/header.h"

/* A message, and the random numbers that change it. */
typedef struct message {
    unsigned char *bytes;
    size_t        *length;
    uint64_t      *state;
} message_t;

static size_t below(message_t m, size_t limit)
{
    return (size_t)irr_test_below(m.state, limit);
}

/* ---- bytes ---- */

static void flip(message_t m)
{
    m.bytes[below(m, *m.length)] ^= (unsigned char)(1 << below(m, 8));
}

/* Changes one of the first bytes, which hold most of a description. */
static void flip_early(message_t m)
{
    m.bytes[below(m, *m.length < 12 ? *m.length : 12)] = (unsigned char)irr_test_random(m.state);
}

static void swap(message_t m)
{
    const size_t i = below(m, *m.length), k = (i + 1) % *m.length;
    const unsigned char byte = m.bytes[i];

    m.bytes[i] = m.bytes[k];
    m.bytes[k] = byte;
}

static void cut(message_t m)
{
    *m.length = below(m, *m.length);
}

/* Inserts 1 to 9 bytes: the encoding of a number of this length with all bits set. */
static void insert(message_t m)
{
    const size_t more = 1 + below(m, 9), at = below(m, *m.length + 1);

    memmove(m.bytes + at + more, m.bytes + at, *m.length - at);
    memset(m.bytes + at, 0xff, more);
    m.bytes[at + more - 1] = 0x7f;
    *m.length += more;
}

static void randomize(message_t m)
{
    for (size_t i = 0; i < *m.length; i++) {
        m.bytes[i] = (unsigned char)(irr_test_random(m.state) % (i < 3 ? 8 : 256));
    }
}

/* ---- well-formed descriptions ---- */

/* Changes a slice. Its destination can only grow, so the last slice remains behind the others. */
static void change_slice(message_t m, irr_slice_t *slice, int ranks)
{
    switch (below(m, 5)) {
    case 0:
        slice->destination += (int)below(m, (size_t)(ranks - slice->destination));
        break;
    case 1:
        slice->destination = (int)below(m, (size_t)ranks);
        break;
    case 2:
        slice->source = (int)below(m, (size_t)ranks);
        break;
    case 3:
        slice->offset += below(m, 100);
        break;
    default:
        slice->length = below(m, 2) == 0 ? 1 + below(m, 2 * slice->length) : PTRDIFF_MAX - slice->offset;
    }
}

static void change_fields(message_t m, irr_header_t *header)
{
    switch (below(m, 5)) {
    case 0:
        header->inside = !header->inside;
        break;
    case 3:
        header->slices -= header->slices > 0;
        break;
    case 1:
        header->messages = below(m, header->slices + 2);
        break;
    case 2:
        header->lost = !header->lost;
        break;
    default:
        header->more = 1 + below(m, 2 * IRR_HEADER_MAX);
        header->slices = 0;
    }
}

/* Writes a header in place of the first `old` bytes, if the message has room for it. */
static void write_header(message_t m, const irr_header_t *header, const irr_slice_t *slices, size_t old)
{
    const size_t length = irr_header_encode(header, slices, NULL), behind = header->more > 0 ? 0 : *m.length - old;

    if (length <= old + IRR_SPY_ROOM) {
        memmove(m.bytes + length, m.bytes + old, behind);
        irr_header_encode(header, slices, m.bytes);
        *m.length = length + behind;
    }
}

static void craft(message_t m, int ranks)
{
    irr_slice_t *slices = irr_test_array(*m.length, sizeof(*slices));
    irr_reader_t reader = { .in = m.bytes, .length = *m.length };
    irr_header_t header;

    if (irr_header_read(&reader, &header) == IRR_OK &&
        irr_header_read_slices(&reader, &header, ranks, slices) == IRR_OK) {
        if (header.slices > 0 && below(m, 2) == 0) {
            change_slice(m, &slices[below(m, 2) == 0 ? header.slices - 1 : below(m, header.slices)], ranks);
        } else {
            change_fields(m, &header);
        }
        write_header(m, &header, slices, reader.at);
    }
    free(slices);
}

bool irr_world_spoil(void *context, uint16_t *tag, unsigned char *bytes, size_t *length)
{
    static void (*const changes[])(message_t m) = { cut, insert, flip, flip_early, swap, randomize };
    irr_world_scene_t *scene = context;
    const message_t m = { bytes, length, &scene->random };
    const bool data = irr_tag_is_data(*tag);

    if (*length == 0 || data != scene->spoils_data || below(m, 4) > 0) {
        return false;
    }
    if (irr_tag_kind(*tag) == IRR_TAG_HEADER && below(m, 2) == 0) {
        craft(m, scene->ranks);
    } else if (data && below(m, 4) == 0) {
        *tag ^= 1u << IRR_TAG_KIND_SHIFT;
    } else {
        /* A receiver cannot detect changed data, only another length, which the first two functions cause. */
        changes[below(m, data ? 2 : IRR_TEST_COUNT(changes))](m);
    }
    return below(m, 4) == 0;
}
