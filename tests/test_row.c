/*
 * test_row.c - rows of the count matrix as bytes. Bytes that are no row are refused. test_gather.c reads rows that were
 * written.
 */
#include "irr_test.h"

#include "exec/row.h"

#include <stdlib.h>
#include <string.h>

/* Reads the bytes from the end of a block of memory, so that the sanitizers detect a read beyond the bytes. */
static irr_status_t check(const unsigned char *bytes, size_t length, int ranks)
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

static void test_known(void)
{
    static const struct {
        unsigned char bytes[14];
        size_t        length;
        bool          good;
    } rows[] = {
        { { 0 }, 1, true },
        { { 1, 1, 5 }, 3, true },            /* 5 bytes to rank 0 */
        { { 2, 1, 5, 0 }, 4, true },         /* and 5 to rank 1 */
        { { 1, 7, 5 }, 3, true },            /* to rank 3, the last */
        { { 1, 9, 5 }, 3, false },           /* to rank 4 */
        { { 2, 7, 5, 0 }, 4, false },        /* behind the last */
        { { 1, 0 }, 2, false },              /* no length */
        { { 1, 1, 0 }, 3, false },           /* an empty one */
        { { 5, 1, 5, 0, 0, 0, 0 }, 7, false },
        { { 4, 1, 5, 0, 0, 0 }, 6, true },
        { { 4, 1, 5, 0, 0 }, 5, false },     /* ends early */
        { { 0, 0 }, 2, false },              /* a byte too many */
        { { 0 }, 0, false },
        { { 1, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f }, 11, true },
        { { 1, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1 }, 12, false },
        { { 2, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0 }, 12, false },   /* the sum */
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        CU_ASSERT_EQUAL(check(rows[i].bytes, rows[i].length, 4), rows[i].good ? IRR_OK : IRR_ERR_PROTOCOL);
    }
}

static void test_random(void)
{
    uint64_t state = irr_test_seed();

    for (int i = 0; i < 300000; i++) {
        unsigned char bytes[40];
        size_t length = irr_test_below(&state, sizeof(bytes));

        for (size_t k = 0; k < sizeof(bytes); k++) {
            bytes[k] = (unsigned char)irr_test_random(&state) & (i % 2 == 0 ? 0xff : 7);
        }
        check(bytes, length, 1 + (int)irr_test_below(&state, 300));
    }
}

/* Entries of equal length for consecutive ranks take one byte each. */
static void test_short(void)
{
    uint64_t lengths[100];
    irr_bytes_t bytes = { .at = NULL };

    for (int i = 0; i < 100; i++) {
        lengths[i] = 1000;
    }
    irr_row_write(&bytes, lengths, 100);
    CU_ASSERT_EQUAL(bytes.length, 1 + 2 + 100);
    CU_ASSERT_EQUAL(check(bytes.at, bytes.length, 100), IRR_OK);
    CU_ASSERT_EQUAL(check(bytes.at, bytes.length, 99), IRR_ERR_PROTOCOL);
    irr_bytes_fini(&bytes);
}

IRR_TEST_MAIN("row", 60,
    { "rows that are known to be good or not", test_known },
    { "random bytes", test_random },
    { "short rows", test_short })
