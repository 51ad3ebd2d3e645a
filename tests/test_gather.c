/*
 * test_gather.c - the count matrix on all ranks: right, in as many messages as promised, or refused alike on all.
 */
#include "irr_gathers.h"
#include "irr_memory.h"
#include "irr_test.h"

#define ALL_EAGER SIZE_MAX
#define COUNT(array) (sizeof(array) / sizeof(array[0]))

static const size_t eager_max[] = { 0, 30, ALL_EAGER };

static void expect(irr_gathers_t *gathers, irr_status_t result)
{
    CU_ASSERT_TRUE_FATAL(irr_gathers_run(gathers, 0, 0));
    CU_ASSERT_EQUAL(irr_gathers_wrong(gathers, result), 0);
}

/* ---- what is gathered ---- */

/* A gather and a consensus of one word; of the rows, all but the own one come to each rank once. */
static void expect_counters(const irr_gathers_t *gathers)
{
    int ranks = gathers->fleet->ranks, rounds = irr_gathers_rounds(ranks);
    uint64_t sent = 0, described = 0, bytes = irr_gathers_bytes(gathers);

    for (int r = 0; r < ranks; r++) {
        const irr_counters_t *counters = &gathers->fleet->rank[r].counters;

        CU_ASSERT_EQUAL(counters->messages_sent, 2 * rounds);
        CU_ASSERT_EQUAL(counters->messages_received, 2 * rounds);
        CU_ASSERT_EQUAL(counters->bytes_received, 0);
        sent += counters->bytes_sent;
        described += counters->header_bytes;
    }
    CU_ASSERT_EQUAL(sent, 0);
    CU_ASSERT_EQUAL(described, (uint64_t)(ranks - 1) * bytes + (uint64_t)(ranks * rounds) * sizeof(uint64_t));
}

/* The second time rooms are there; the third time ranks are late. */
static void gather_all(int ranks, size_t eager, uint64_t *state)
{
    irr_gathers_t *gathers = irr_gathers_create(ranks, irr_test_random(state) % 4, eager, SIZE_MAX);

    for (int i = 0; i < 3; i++) {
        int first = (int)irr_test_below(state, (uint64_t)ranks);

        irr_gathers_fill(gathers, state);
        CU_ASSERT_TRUE_FATAL(irr_gathers_run(gathers, first, i == 2 ? 3 : 0));
        CU_ASSERT_EQUAL(irr_gathers_wrong(gathers, IRR_OK), 0);
        expect_counters(gathers);
    }
    irr_gathers_destroy(gathers);
}

static void test_right(void)
{
    static const int more[] = { 127, 128, 129, 200, 300 };
    uint64_t state = irr_test_seed();

    for (int ranks = 1; ranks <= 70; ranks++) {
        for (size_t i = 0; i < COUNT(eager_max); i++) {
            if (ranks <= 18 || irr_test_picks(&state)) {
                gather_all(ranks, eager_max[i], &state);
            }
        }
    }
    for (size_t i = 0; i < COUNT(more); i++) {
        gather_all(more[i], eager_max[i % COUNT(eager_max)], &state);
    }
}

/* The sequence of an exchange has 6 bits. */
static void test_wrap(void)
{
    uint64_t state = irr_test_seed();

    for (size_t i = 0; i < COUNT(eager_max); i++) {
        irr_gathers_t *gathers = irr_gathers_create(7, irr_test_random(&state), eager_max[i], SIZE_MAX);

        for (int n = 0; n < 150; n++) {
            irr_gathers_fill(gathers, &state);
            CU_ASSERT_TRUE_FATAL(irr_gathers_run(gathers, n % 7, n % 4));
            CU_ASSERT_EQUAL(irr_gathers_wrong(gathers, IRR_OK), 0);
        }
        irr_gathers_destroy(gathers);
    }
}

/* ---- what is not ---- */

static void test_sums(void)
{
    irr_gathers_t *gathers = irr_gathers_create(5, 1, 0, SIZE_MAX);

    *irr_gathers_at(gathers, 3, 4) = PTRDIFF_MAX;
    expect(gathers, IRR_OK);
    *irr_gathers_at(gathers, 0, 1) = 1;
    expect(gathers, IRR_ERR_NOT_SUPPORTED);
    *irr_gathers_at(gathers, 0, 1) = 0;
    *irr_gathers_at(gathers, 3, 4) = (size_t)PTRDIFF_MAX + 1;
    expect(gathers, IRR_ERR_NOT_SUPPORTED);
    *irr_gathers_at(gathers, 3, 4) = SIZE_MAX;
    expect(gathers, IRR_ERR_NOT_SUPPORTED);
    irr_gathers_destroy(gathers);
}

static void limit(int ranks, size_t eager, uint64_t *state)
{
    irr_gathers_t *sized = irr_gathers_create(ranks, 0, eager, 0);
    uint64_t seed = irr_test_random(state), again = seed;
    size_t bytes;

    irr_gathers_fill(sized, &again);
    bytes = irr_gathers_bytes(sized);
    expect(sized, IRR_ERR_NOT_SUPPORTED);
    irr_gathers_destroy(sized);
    for (int i = 0; i < 8; i++) {
        size_t max_bytes = i < 3 ? bytes + 1 - (size_t)i : irr_test_below(state, bytes);
        irr_gathers_t *gathers = irr_gathers_create(ranks, irr_test_random(state), eager, max_bytes);

        again = seed;
        irr_gathers_fill(gathers, &again);
        expect(gathers, max_bytes >= bytes ? IRR_OK : IRR_ERR_NOT_SUPPORTED);
        irr_gathers_destroy(gathers);
    }
}

static void test_limit(void)
{
    uint64_t state = irr_test_seed();

    for (int ranks = 1; ranks <= 33; ranks++) {
        limit(ranks, eager_max[ranks % 3], &state);
    }
}

static void test_init(void)
{
    irr_gather_t gather;

    irr_memory_begin();
    CU_ASSERT_EQUAL(irr_gather_init(&gather, IRR_CONSENSUS_RANKS_MAX + 1, 0, 100), IRR_ERR_NOT_SUPPORTED);
    irr_memory_fail(1, NULL);
    CU_ASSERT_EQUAL(irr_gather_init(&gather, 10, 0, 100), IRR_ERR_NO_MEMORY);
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
}

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "right for each number of ranks", test_right },
        { "more gathers than sequence numbers", test_wrap },
        { "lengths and sums that are too large", test_sums },
        { "more bytes than the limit", test_limit },
        { "init fails", test_init },
        { NULL, NULL }
    };

    return irr_test_main("gather", cases, 240);
}
