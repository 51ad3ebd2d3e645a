/*
 * test_gather_fault.c - a gather where ranks are in trouble, memory is short, sends are late, and messages are not
 * sent or not taken: all ranks end alike, and the next gather is right.
 */
#include "irr_gathers.h"
#include "irr_memory.h"
#include "irr_test.h"

#define ALL_EAGER SIZE_MAX
#define COUNT(array) (sizeof(array) / sizeof(array[0]))

static const size_t eager_max[] = { 0, 30, ALL_EAGER };

static void expect(irr_gathers_t *gathers, unsigned mark)
{
    CU_ASSERT_TRUE_FATAL(irr_gathers_run(gathers, 0, 0));
    CU_ASSERT_EQUAL(irr_gathers_wrong(gathers, mark), 0);
}

/* The rank knows why; the others were told. */
static void test_trouble(void)
{
    uint64_t state = irr_test_seed();

    for (int ranks = 1; ranks <= 20; ranks++) {
        irr_gathers_t *gathers = irr_gathers_create(ranks, irr_test_random(&state), eager_max[ranks % 3],
                                                    SIZE_MAX);

        for (int r = 0; r < ranks; r++) {
            irr_gathers_fill(gathers, &state);
            gathers->rank[r].trouble = true;
            expect(gathers, IRR_MARK_FAILED);
            for (int told = 0; told < ranks; told++) {
                CU_ASSERT_EQUAL(gathers->rank[told].status, told == r ? IRR_ERR_NO_MEMORY : IRR_OK);
            }
            gathers->rank[r].trouble = false;
            expect(gathers, 0);
        }
        irr_gathers_destroy(gathers);
    }
}

/* ---- memory ---- */

static bool not_of_transport(void)
{
    return !irr_spy_sends_now();
}

/* Gathers with the nth allocation failing, and then with memory; false: there are not so many. */
static bool starve(int ranks, size_t eager, size_t nth, bool all, uint64_t *state)
{
    irr_gathers_t *gathers;
    bool failed;

    irr_memory_begin();
    gathers = irr_gathers_create(ranks, irr_test_random(state), eager, SIZE_MAX);
    irr_gathers_fill(gathers, state);
    irr_memory_fail(nth, not_of_transport);
    if (all) {
        irr_memory_fail_all();
    }
    CU_ASSERT_TRUE_FATAL(irr_gathers_run(gathers, 0, 0));
    failed = irr_memory_failed();
    CU_ASSERT_EQUAL(irr_gathers_wrong(gathers, failed ? IRR_MARK_FAILED : 0), 0);
    irr_memory_fail(0, NULL);
    expect(gathers, 0);
    irr_gathers_destroy(gathers);
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
    return failed;
}

static void test_memory(void)
{
    static const int ranks[] = { 1, 2, 3, 6, 8, 13 };
    uint64_t state = irr_test_seed();

    for (size_t i = 0; i < COUNT(ranks); i++) {
        for (size_t e = 0; e < COUNT(eager_max); e++) {
            size_t nth = 1;

            while (starve(ranks[i], eager_max[e], nth, nth % 3 == 0, &state)) {
                nth++;
            }
            CU_ASSERT(nth > (size_t)ranks[i]);
        }
    }
}

/* ---- faults ---- */

static void wrap(irr_gathers_t *gathers, int rank, const irr_fault_t *fault)
{
    irr_fleet_rank_t *member = &gathers->fleet->rank[rank];
    irr_transport_t **inner = &member->spy->pass.inner, *transport = &member->spy->super;

    transport->ops->close_channel(member->channel);
    CU_ASSERT_EQUAL_FATAL(irr_fault_open(*inner, fault, inner), IRR_OK);
    CU_ASSERT_EQUAL_FATAL(transport->ops->open_channel(transport, IRR_FLEET_CHANNEL, gathers->fleet->ranks, rank,
                                                       member->peers, &member->channel), IRR_OK);
}

static void test_late(void)
{
    uint64_t state = irr_test_seed();

    for (int ranks = 2; ranks <= 20; ranks++) {
        irr_gathers_t *gathers = irr_gathers_create(ranks, irr_test_random(&state), eager_max[ranks % 3],
                                                    SIZE_MAX);

        for (int r = 0; r < ranks; r++) {
            irr_fault_t fault = { .seed = irr_test_random(&state), .hold_percent = 40, .hold_rounds = 30 };

            wrap(gathers, r, &fault);
        }
        for (int i = 0; i < 5; i++) {
            irr_gathers_fill(gathers, &state);
            expect(gathers, 0);
        }
        irr_gathers_destroy(gathers);
    }
}

/* A send that fails on one rank, up or down, and goes out later: the rank tells the others in the consensus. */
static void test_failure(void)
{
    uint64_t state = irr_test_seed();

    for (size_t nth = 1; nth <= 2; nth++) {
        irr_gathers_t *gathers = irr_gathers_create(6, irr_test_random(&state), ALL_EAGER, SIZE_MAX);
        irr_spy_t *spy = gathers->fleet->rank[2].spy;

        irr_gathers_fill(gathers, &state);
        spy->refusal = IRR_ERR_TRANSPORT;
        spy->refuse_send = nth;
        for (int r = 0; r < 6; r++) {
            irr_gathers_start(gathers, r);
        }
        irr_gathers_progress(gathers, 50);
        irr_spy_repair(spy);
        CU_ASSERT_TRUE_FATAL(irr_gathers_progress(gathers, IRR_GATHERS_ROUNDS));
        CU_ASSERT_EQUAL(irr_gathers_wrong(gathers, IRR_MARK_FAILED), 0);
        CU_ASSERT_EQUAL(gathers->rank[2].status, IRR_ERR_TRANSPORT);
        irr_gathers_destroy(gathers);
    }
}

/* The message that could not be received is asked for again, and the rank tells the others. */
static void test_take(void)
{
    uint64_t state = irr_test_seed();

    for (size_t nth = 1; nth <= 2; nth++) {
        irr_gathers_t *gathers = irr_gathers_create(6, irr_test_random(&state), eager_max[nth % 3], SIZE_MAX);
        irr_fault_t fault = { .fail_recv = nth, .failure = IRR_ERR_TRANSPORT };

        irr_gathers_fill(gathers, &state);
        wrap(gathers, 2, &fault);
        expect(gathers, IRR_MARK_FAILED);
        CU_ASSERT_EQUAL(gathers->rank[2].status, IRR_ERR_TRANSPORT);
        expect(gathers, 0);
        irr_gathers_destroy(gathers);
    }
}

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "a rank in trouble", test_trouble },
        { "each allocation fails", test_memory },
        { "late sends", test_late },
        { "sends that fail", test_failure },
        { "messages that cannot be received", test_take },
        { NULL, NULL }
    };

    return irr_test_main("gather with faults", cases, 240);
}
