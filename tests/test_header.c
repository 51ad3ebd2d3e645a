/*
 * test_header.c - headers, which list the slices of blocks in a message, and rows of the count matrix. A reader gets
 * what was written, and hostile bytes are refused or harmless. test_gather.c reads rows that were written.
 *
 * Bytes are read from blocks of exactly their length, so that sanitizers detect an access beyond them.
 */
#include "plan_all.h"

#include "exec/header.h"
#include "exec/row.h"
#include "study/matrices.h"

enum { SLICES_MAX = 40, HEADER_MAX = IRR_HEADER_PREFIX_MAX + SLICES_MAX * 40, SHORT_MAX = 400 };

typedef struct list {
    int          ranks;
    irr_header_t header;
    irr_slice_t  slices[SLICES_MAX];
} list_t;

/* Returns a number from 1 to limit, of any magnitude. */
static uint64_t magnitude(uint64_t *state, uint64_t limit)
{
    uint64_t value = irr_test_random(state) >> irr_test_below(state, 64);

    return value % limit + 1;
}

/* Replaces a slice by a later slice in the order of headers. Returns false if there is no later slice. */
static bool advance(uint64_t *state, int ranks, irr_slice_t *slice)
{
    size_t end = slice->offset + slice->length;

    switch (irr_test_below(state, 3)) {
    case 0:
        if (end < PTRDIFF_MAX - 1) {
            slice->offset = end + magnitude(state, PTRDIFF_MAX - end - 1) - 1;
            break;
        }
        /* fall through */
    case 1:
        if (slice->source + 1 < ranks) {
            slice->source += (int)magnitude(state, (uint64_t)(ranks - 1 - slice->source));
            slice->offset = irr_test_below(state, 2) * (magnitude(state, PTRDIFF_MAX) - 1);
            break;
        }
        /* fall through */
    default:
        if (slice->destination + 1 >= ranks) {
            return false;
        }
        slice->destination += (int)magnitude(state, (uint64_t)(ranks - 1 - slice->destination));
        slice->source = (int)irr_test_below(state, (uint64_t)ranks);
        slice->offset = irr_test_below(state, 2) * (magnitude(state, PTRDIFF_MAX) - 1);
    }
    if (irr_test_below(state, 2) == 0 || slice->length > PTRDIFF_MAX - slice->offset) {
        slice->length = magnitude(state, PTRDIFF_MAX - slice->offset);
    }
    return true;
}

/* Makes a list in which about half of the slices have the length of the previous slice. */
static list_t make_list(uint64_t *state, size_t most)
{
    list_t list = { .ranks = 2 + (int)magnitude(state, 1000000) };
    irr_slice_t slice = { .source = 0, .destination = 0, .offset = 0, .length = 1 };
    size_t wanted = irr_test_below(state, most + 1), count = 0;

    while (count < wanted && advance(state, list.ranks, &slice)) {
        if (slice.source != slice.destination) {
            list.slices[count++] = slice;
        }
    }
    list.header = (irr_header_t){
        .status = (irr_status_t)-(int)irr_test_below(state, 14), .lost = irr_test_below(state, 2) > 0, .slices = count,
        .messages = irr_test_below(state, count + 1), .inside = irr_test_below(state, 2) > 0
    };
    return list;
}

static size_t encode(const list_t *list, unsigned char *bytes)
{
    size_t length = irr_header_encode(&list->header, list->slices, NULL);

    CU_ASSERT_FATAL(length < HEADER_MAX);
    memset(bytes, 0xa5, HEADER_MAX);
    CU_ASSERT_EQUAL(irr_header_encode(&list->header, list->slices, bytes), length);
    for (size_t i = length; i < HEADER_MAX; i++) {
        CU_ASSERT_EQUAL_FATAL(bytes[i], 0xa5);
    }
    return length;
}

/* Returns true if the slices keep the rules that a receiver relies on. */
static bool is_sound(const irr_slice_t *slices, size_t count, int ranks)
{
    bool sound = true;

    for (size_t i = 0; i < count && sound; i++) {
        const irr_slice_t *now = &slices[i], *before = i > 0 ? &slices[i - 1] : NULL;

        sound = now->source >= 0 && now->source < ranks && now->destination >= 0 && now->destination < ranks &&
                now->source != now->destination && now->length > 0 && now->length <= PTRDIFF_MAX &&
                now->offset <= PTRDIFF_MAX - now->length;
        if (sound && before != NULL && before->destination == now->destination) {
            sound = before->source < now->source ||
                    (before->source == now->source && before->offset + before->length <= now->offset);
        } else if (sound && before != NULL) {
            sound = before->destination < now->destination;
        }
    }
    return sound;
}

/* Reads from a copy that ends at the end of its memory. Sets *slices_p only on IRR_OK; the caller frees *slices_p. */
static irr_status_t decode(const unsigned char *bytes, size_t length, int ranks, irr_header_t *header,
                           irr_slice_t **slices_p)
{
    unsigned char *copy = malloc(length > 0 ? length : 1), *in = length > 0 ? copy : copy + 1;
    irr_reader_t reader = { .in = in, .length = length };
    irr_slice_t *slices;
    irr_status_t status;

    memcpy(in, bytes, length);
    status = irr_header_read(&reader, header);
    if (status == IRR_OK) {
        CU_ASSERT_FATAL(reader.at <= length && header->slices <= length - reader.at);
        CU_ASSERT_FATAL(header->messages <= header->slices || header->messages == 1);
        CU_ASSERT(header->status <= 0);
        CU_ASSERT_PTR_NOT_NULL(irr_status_text(header->status));
        slices = malloc(header->slices * sizeof(*slices) + 1);
        status = irr_header_read_slices(&reader, header, ranks, slices);
        CU_ASSERT(reader.at <= length);
        if (status == IRR_OK) {
            *slices_p = slices;
        } else {
            free(slices);
        }
    }
    free(copy);
    return status;
}

/* Asserts that any bytes are refused or read as sound slices. */
static void meet(const unsigned char *bytes, size_t length, int ranks)
{
    irr_header_t header;
    irr_slice_t *slices;
    irr_status_t status = decode(bytes, length, ranks, &header, &slices);

    CU_ASSERT(status == IRR_OK || status == IRR_ERR_PROTOCOL);
    if (status == IRR_OK) {
        CU_ASSERT(is_sound(slices, header.slices, ranks));
        free(slices);
    }
}

IRR_TEST_SEEDED(test_round_trip, "a header that is written and read back is unchanged")
{
    static unsigned char bytes[HEADER_MAX];

    for (int round = 0; round < 20000; round++) {
        list_t list = make_list(state, SLICES_MAX);
        size_t length = encode(&list, bytes), payload = irr_test_below(state, 20);
        irr_header_t header = { .slices = 0 };
        irr_slice_t *slices = NULL;

        CU_ASSERT_FATAL(is_sound(list.slices, list.header.slices, list.ranks));
        CU_ASSERT_EQUAL_FATAL(decode(bytes, length + payload, list.ranks, &header, &slices), IRR_OK);
        CU_ASSERT_EQUAL(header.status, list.header.status);
        CU_ASSERT_EQUAL(header.lost, list.header.lost);
        CU_ASSERT_EQUAL(header.messages, list.header.messages);
        CU_ASSERT_EQUAL(header.inside, list.header.inside);
        CU_ASSERT_EQUAL_FATAL(header.slices, list.header.slices);
        CU_ASSERT_EQUAL(memcmp(slices, list.slices, header.slices * sizeof(*slices)), 0);
        free(slices);
    }
}

IRR_TEST(test_largest, "the largest numbers of a header")
{
    const irr_header_t header = { .status = IRR_ERR_PROTOCOL, .messages = SIZE_MAX / 2, .slices = 0 };
    const irr_slice_t slice = { .source = 1, .destination = 0, .offset = 0, .length = PTRDIFF_MAX };
    list_t list = { .ranks = 2, .header = { .slices = 1 }, .slices = { slice } };
    unsigned char bytes[HEADER_MAX];
    irr_slice_t *slices;
    irr_header_t read;

    CU_ASSERT(irr_header_encode(&header, NULL, NULL) + 9 <= IRR_HEADER_PREFIX_MAX);
    CU_ASSERT_EQUAL_FATAL(decode(bytes, encode(&list, bytes), 2, &read, &slices), IRR_OK);
    CU_ASSERT_EQUAL(slices[0].length, PTRDIFF_MAX);
    free(slices);
    /* A rank that does not exist, and a slice that ends beyond the largest offset. */
    CU_ASSERT_EQUAL(decode(bytes, encode(&list, bytes), 1, &read, &slices), IRR_ERR_PROTOCOL);
    list.slices[0].offset = 1;
    CU_ASSERT_EQUAL(decode(bytes, encode(&list, bytes), 2, &read, &slices), IRR_ERR_PROTOCOL);
}

IRR_TEST_SEEDED(test_truncated, "every truncated header is refused")
{
    static unsigned char bytes[HEADER_MAX];

    for (int round = 0; round < 500; round++) {
        list_t list = make_list(state, SLICES_MAX);
        size_t length = encode(&list, bytes);

        for (size_t left = 0; left < length; left++) {
            irr_slice_t *slices;
            irr_header_t header;

            CU_ASSERT_EQUAL_FATAL(decode(bytes, left, list.ranks, &header, &slices), IRR_ERR_PROTOCOL);
        }
    }
}

IRR_TEST_SEEDED(test_changed, "headers with one changed byte are refused or harmless")
{
    static unsigned char bytes[HEADER_MAX];

    for (int round = 0; round < 60; round++) {
        list_t list = make_list(state, 8);
        size_t length = encode(&list, bytes);

        for (size_t i = 0; i < length * 256; i++) {
            unsigned char was = bytes[i / 256];

            bytes[i / 256] = (unsigned char)(i % 256);
            meet(bytes, length, list.ranks);
            bytes[i / 256] = was;
        }
    }
}

typedef struct sums {
    size_t headers, payload;
} sums_t;

static bool add_message(void *context, const irr_plans_message_t *message)
{
    sums_t *sums = context;
    const irr_header_t header = { .status = IRR_OK, .slices = message->nslices };

    sums->headers += irr_header_encode(&header, message->slices, NULL);
    sums->payload += message->bytes;
    return true;
}

IRR_TEST(test_size, "descriptions of short messages are short")
{
    irr_matrix_t matrix;
    irr_plans_t plans;
    sums_t sums = { 0 };

    CU_ASSERT_EQUAL_FATAL(irr_matrix_pattern("uniform", 64, 8, 1, &matrix), IRR_OK);
    CU_ASSERT_EQUAL_FATAL(irr_plan_all(irr_algorithm_find("grid"), 0, &matrix, &plans), IRR_OK);
    CU_ASSERT_EQUAL(irr_plans_each_message(&plans, add_message, &sums), IRR_OK);
    CU_ASSERT(sums.payload > 0 && sums.headers > 0);
    CU_ASSERT(sums.headers <= 2 * sums.payload);
    printf("# 8 bytes, 64 ranks: %zu bytes of headers for %zu\n", sums.headers, sums.payload);
    irr_plans_fini(&plans);
    irr_matrix_fini(&matrix);
}

IRR_TEST(test_status, "a header has IRR_OK or an error, with or without lost layouts; other values are refused")
{
    unsigned char bytes[4] = { 0, 0, 0, 0 };
    int accepted = 0, errors = 0;

#define STATUS_COUNT(name, value, text) errors += (value) <= 0;
    IRR_STATUS_MAP(STATUS_COUNT)
#undef STATUS_COUNT
    for (int byte = 0; byte <= 0xff; byte++) {
        irr_header_t header = { .status = IRR_IN_PROGRESS };
        irr_reader_t reader = { .in = bytes, .length = sizeof(bytes) };
        irr_status_t status;

        bytes[0] = (unsigned char)byte;
        status = irr_header_read(&reader, &header);
        CU_ASSERT(status == IRR_OK ? (int)header.status == -(byte % 128) && header.lost == (byte >= 128)
                                   : status == IRR_ERR_PROTOCOL);
        accepted += status == IRR_OK;
    }
    CU_ASSERT_EQUAL(accepted, 2 * errors);
}

/* ---- rows of the count matrix ---- */

/* Reads the bytes from the end of a block of memory, so that the sanitizers detect a read beyond the bytes. */
static irr_status_t check_row(const unsigned char *bytes, size_t length, int ranks)
{
    unsigned char *copy = irr_test_array(length + 1, 1);
    uint64_t *lengths = irr_test_array((size_t)ranks, sizeof(*lengths)), total = 0;
    irr_reader_t reader = { .in = copy + 1, .length = length };

    memcpy(copy + 1, bytes, length);
    irr_row_read(&reader, ranks, &total, lengths);
    CU_ASSERT(total <= PTRDIFF_MAX && reader.at <= length);
    free(lengths);
    free(copy);
    return irr_reader_ends(&reader) ? IRR_OK : IRR_ERR_PROTOCOL;
}

IRR_TEST(test_known_rows, "valid and invalid rows written by hand")
{
    static const struct {
        unsigned char bytes[14];
        size_t        length;
        bool          good;
    } rows[] = {
        { { 0 }, 1, true },
        { { 1, 1, 5 }, 3, true },            /* rank 0 gets 5 bytes */
        { { 2, 1, 5, 0 }, 4, true },         /* ranks 0 and 1 get 5 bytes each */
        { { 1, 7, 5 }, 3, true },            /* rank 3, the last rank, gets 5 bytes */
        { { 1, 9, 5 }, 3, false },           /* rank 4 does not exist */
        { { 2, 7, 5, 0 }, 4, false },        /* an entry after the last rank */
        { { 1, 0 }, 2, false },              /* the length is missing */
        { { 1, 1, 0 }, 3, false },           /* a length of 0 */
        { { 5, 1, 5, 0, 0, 0, 0 }, 7, false },
        { { 4, 1, 5, 0, 0, 0 }, 6, true },
        { { 4, 1, 5, 0, 0 }, 5, false },     /* an entry is missing */
        { { 0, 0 }, 2, false },              /* one byte too many */
        { { 0 }, 0, false },
        { { 1, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f }, 11, true },
        { { 1, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1 }, 12, false },
        { { 2, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0 }, 12, false },   /* the sum overflows */
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        CU_ASSERT_EQUAL(check_row(rows[i].bytes, rows[i].length, 4), rows[i].good ? IRR_OK : IRR_ERR_PROTOCOL);
    }
}

IRR_TEST_SEEDED(test_random_rows, "random bytes are refused or read as a row")
{
    for (int i = 0; i < 300000; i++) {
        unsigned char bytes[40];
        size_t length = irr_test_below(state, sizeof(bytes));

        for (size_t k = 0; k < sizeof(bytes); k++) {
            bytes[k] = (unsigned char)irr_test_random(state) & (i % 2 == 0 ? 0xff : 7);
        }
        check_row(bytes, length, 1 + (int)irr_test_below(state, 300));
    }
}

IRR_TEST(test_short_rows, "entries of equal length for consecutive ranks take one byte each")
{
    uint64_t lengths[100];
    irr_bytes_t bytes = { .at = NULL };

    for (int i = 0; i < 100; i++) {
        lengths[i] = 1000;
    }
    irr_row_write(&bytes, lengths, 100);
    CU_ASSERT_EQUAL(bytes.length, 1 + 2 + 100);
    CU_ASSERT_EQUAL(check_row(bytes.at, bytes.length, 100), IRR_OK);
    CU_ASSERT_EQUAL(check_row(bytes.at, bytes.length, 99), IRR_ERR_PROTOCOL);
    irr_bytes_fini(&bytes);
}

IRR_TEST_MAIN("header", 120)
