/*
 * test_gather.c - entries that rank 0 gathers and scatters. The checker accepts their plans as exchanges. In
 * test_world.c exchanges with schedules run these plans, also without memory and with a hostile rank.
 */
#include "irr_test.h"

#include "exec/gather.h"
#include "route/binomial.h"

/* ---- plans ---- */

/* Makes problems: rank 0 has one block per rank, in sequence, and each other rank has one block. */
static void make_problems(int ranks, const uint64_t *lengths, bool down, irr_block_t *blocks, irr_problem_t *problems)
{
    ptrdiff_t offset = 0;
    size_t count = 0;

    for (int r = 0; r < ranks; r++) {
        irr_block_t *own = &blocks[(size_t)ranks + (size_t)r];
        const size_t some = lengths[r] > 0;

        *own = (irr_block_t){ .rank = 0, .length = lengths[r] };
        if (some) {
            blocks[count++] = (irr_block_t){ .rank = r, .offset = offset, .length = lengths[r] };
        }
        offset += (ptrdiff_t)lengths[r];
        problems[r] = (irr_problem_t){ .ranks = ranks, .rank = r };
        *(down ? &problems[r].recv : &problems[r].send) = (irr_blocks_t){ .list = own, .count = some };
    }
    *(down ? &problems[0].send : &problems[0].recv) = (irr_blocks_t){ .list = blocks, .count = count };
}

static void prove(int ranks, bool down, uint64_t *state)
{
    uint64_t *lengths = irr_test_array((size_t)ranks, sizeof(*lengths));
    irr_block_t *blocks = irr_test_array(2 * (size_t)ranks, sizeof(*blocks));
    irr_problem_t *problems = irr_test_array((size_t)ranks, sizeof(*problems));
    irr_plan_t *plans = irr_test_array((size_t)ranks, sizeof(*plans));
    char reason[200] = "";

    for (int r = 0; r < ranks; r++) {
        lengths[r] = irr_test_below(state, 3) == 0 ? 0 : irr_test_below(state, 100);
    }
    make_problems(ranks, lengths, down, blocks, problems);
    for (int r = 0; r < ranks; r++) {
        const irr_plan_room_t bounds = irr_binomial_bounds(ranks, r);

        irr_plan_reset(&plans[r], &problems[r]);
        irr_test_must(irr_binomial_add(&plans[r], &lengths[r], down));
        CU_ASSERT(plans[r].nsteps <= bounds.steps && plans[r].npieces <= bounds.pieces);
        CU_ASSERT(plans[r].ndeps <= bounds.deps);
        CU_ASSERT(r > 0 || plans[r].nsteps <= 11);
    }
    CU_ASSERT_EQUAL(irr_plan_check(plans, problems, ranks, reason, sizeof(reason)), IRR_OK);
    CU_ASSERT_STRING_EQUAL(reason, "");
    for (int r = 0; r < ranks; r++) {
        irr_plan_fini(&plans[r]);
    }
    free(plans);
    free(problems);
    free(blocks);
    free(lengths);
}

IRR_TEST_SEEDED(test_proof, "the checker accepts the plans as those of exchanges")
{
    for (int ranks = 1; ranks <= 300; ranks += ranks < 70 ? 1 : 37) {
        prove(ranks, false, state);
        prove(ranks, true, state);
    }
}

/* ---- memory ---- */

static irr_status_t init(void *context)
{
    irr_gather_t gather = { .family = 0 };
    irr_status_t status = irr_gather_init(&gather, 8, *(int *)context, 100);

    irr_gather_fini(&gather);
    return status;
}

IRR_TEST(test_memory, "each failed allocation is an error and leaks no memory")
{
    int rank = 4;

    CU_ASSERT(irr_memory_fail_each(init, &rank) > 3);
}

IRR_TEST(test_no_list, "rank 0 refuses to scatter a list without entries for all ranks")
{
    irr_gather_t gather = { .family = 0 };

    irr_test_must(irr_gather_init(&gather, 2, 0, 100));
    irr_bytes_end(&gather.entries, irr_gather_begin(&gather));
    irr_gather_down(&gather, &(irr_exec_env_t){ .channel = NULL });
    CU_ASSERT_EQUAL(irr_gather_progress(&gather), IRR_ERR_PROTOCOL);
    irr_gather_fini(&gather);
}

IRR_TEST_MAIN("gather", 60)
