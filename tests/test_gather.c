/*
 * test_gather.c - rows to rank 0 and back to all ranks: right, in as many messages as promised, or refused alike on
 * all.
 */
#include "irr_gathers.h"
#include "irr_test.h"

#define ALL_EAGER SIZE_MAX
#define COUNT(array) (sizeof(array) / sizeof(array[0]))

static const size_t eager_max[] = { 0, 30, ALL_EAGER };

static void expect(irr_gathers_t *gathers, unsigned mark)
{
    CU_ASSERT_TRUE_FATAL(irr_gathers_run(gathers, 0, 0));
    CU_ASSERT_EQUAL(irr_gathers_wrong(gathers, mark), 0);
}

/* ---- what is gathered ---- */

/* Up and down, both a word and what it announces, and a consensus of one word. */
static void expect_counters(const irr_gathers_t *gathers)
{
    const uint64_t ranks = (uint64_t)gathers->fleet->ranks, edges = ranks - 1;
    const uint64_t rounds = (uint64_t)irr_gathers_rounds(gathers->fleet->ranks);
    uint64_t sent = 0, received = 0, bytes = 0;

    for (int r = 0; r < gathers->fleet->ranks; r++) {
        const irr_counters_t *counters = &gathers->fleet->rank[r].counters;

        CU_ASSERT(counters->messages_sent <= 2 + 3 * rounds);
        CU_ASSERT_EQUAL(counters->bytes_received, 0);
        CU_ASSERT(counters->largest_message <= 2 * irr_gathers_bytes(gathers) + 2 * ranks + 8);
        sent += counters->messages_sent;
        received += counters->messages_received;
        bytes += counters->bytes_sent;
    }
    CU_ASSERT_EQUAL(bytes, 0);
    CU_ASSERT_EQUAL(sent, received);
    CU_ASSERT_EQUAL(sent, 4 * edges + ranks * rounds);
}

/* The second time rooms are there; the third time ranks are late. */
static void gather_all(int ranks, size_t eager, uint64_t *state)
{
    irr_gathers_t *gathers = irr_gathers_create(ranks, irr_test_random(state) % 4, eager, SIZE_MAX);

    for (int i = 0; i < 3; i++) {
        int first = (int)irr_test_below(state, (uint64_t)ranks);

        irr_gathers_fill(gathers, state);
        CU_ASSERT_TRUE_FATAL(irr_gathers_run(gathers, first, i == 2 ? 3 : 0));
        CU_ASSERT_EQUAL(irr_gathers_wrong(gathers, 0), 0);
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
            CU_ASSERT_EQUAL(irr_gathers_wrong(gathers, 0), 0);
        }
        irr_gathers_destroy(gathers);
    }
}

/* ---- what is not ---- */

static void test_sums(void)
{
    irr_gathers_t *gathers = irr_gathers_create(5, 1, 0, SIZE_MAX);

    *irr_gathers_at(gathers, 3, 4) = PTRDIFF_MAX;
    expect(gathers, 0);
    *irr_gathers_at(gathers, 0, 1) = 1;
    expect(gathers, IRR_MARK_FAILED);
    *irr_gathers_at(gathers, 0, 1) = 0;
    *irr_gathers_at(gathers, 3, 4) = (uint64_t)PTRDIFF_MAX + 1;
    expect(gathers, IRR_MARK_FAILED);
    *irr_gathers_at(gathers, 3, 4) = UINT64_MAX;
    expect(gathers, IRR_MARK_FAILED);
    irr_gathers_destroy(gathers);
}

static void limit(int ranks, size_t eager, uint64_t *state)
{
    irr_gathers_t *sized = irr_gathers_create(ranks, 0, eager, 1);
    uint64_t seed = irr_test_random(state), again = seed;
    size_t bytes;

    irr_gathers_fill(sized, &again);
    bytes = irr_gathers_bytes(sized);
    expect(sized, IRR_MARK_LARGE);
    irr_gathers_destroy(sized);
    for (int i = 0; i < 8; i++) {
        size_t max_bytes = i < 3 ? bytes + 1 - (size_t)i : 1 + irr_test_below(state, bytes - 1);
        irr_gathers_t *gathers = irr_gathers_create(ranks, irr_test_random(state), eager, max_bytes);

        again = seed;
        irr_gathers_fill(gathers, &again);
        expect(gathers, max_bytes >= bytes ? 0 : IRR_MARK_LARGE);
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

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "right for each number of ranks", test_right },
        { "more gathers than sequence numbers", test_wrap },
        { "lengths and sums that are too large", test_sums },
        { "more bytes than the limit", test_limit },
        { NULL, NULL }
    };

    return irr_test_main("gather", cases, 240);
}
