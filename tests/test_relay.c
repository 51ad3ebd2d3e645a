/*
 * test_relay.c - exchanges through a grid: headers that are too long for one message, and frozen plans. test_world.c
 * runs every strategy with every trouble, and test_scale.c many ranks.
 */
#include "irr_memory.h"
#include "irr_test.h"
#include "irr_world.h"

enum { LONG_RANKS = 100, FREEZE_RANKS = 6 };

/* ---- headers of two messages ---- */

/*
 * An allocation fails, or a receive of a leader is refused, before the leaders receive headers that are too long for
 * one message. The exchange ends on all ranks, and a rank without an error has all bytes.
 */
static void run_long(size_t nth, bool refuses, irr_job_t *job, uint64_t *state)
{
    irr_status_t result[LONG_RANKS];
    irr_team_t team;
    irr_spy_t *spy;
    int failed = 0;

    irr_team_begin(&team, LONG_RANKS, 0, irr_test_below(state, 2) * 100);
    for (int r = 0; r < LONG_RANKS; r++) {
        team.params[r].node = r / (LONG_RANKS / 2);
    }
    irr_team_create_with(&team, &(irr_settings_t){ .algorithm = irr_algorithm_find("node") });
    spy = team.world->spies[0];
    spy->refusal = IRR_ERR_TRANSPORT;
    spy->refuse_recv = refuses ? spy->recvs + nth : 0;
    irr_memory_fail(refuses ? 0 : nth, NULL);
    irr_team_run(&team, job, result);
    for (int r = 0; r < LONG_RANKS; r++) {
        failed += result[r] != IRR_OK;
        CU_ASSERT(result[r] != IRR_OK || irr_job_verify(job, r));
    }
    CU_ASSERT_EQUAL(failed > 0, refuses || irr_memory_failed());
    irr_memory_fail(0, NULL);
    irr_team_close(&team);
}

static void test_long(void)
{
    uint64_t state = irr_test_seed();
    irr_job_t *job = irr_job_create(LONG_RANKS, IRR_JOB_UNIFORM, irr_test_random(&state));

    irr_job_fill(job);
    for (size_t i = 0; i < 6; i++) {
        run_long(1 + irr_test_below(&state, 20), i % 2 == 0, job, &state);
    }
    irr_job_destroy(job);
}

/* ---- frozen plans ---- */

/* Freezes the plan of the last exchange on a rank. */
static irr_status_t freeze_one(const irr_team_t *team, int rank)
{
    const irr_comm_t *comm = team->comms[rank];
    irr_grid_plan_t frozen;
    irr_status_t status = irr_relay_freeze(&comm->relay, &comm->exchange->problem, &frozen);

    if (status == IRR_OK) {
        irr_grid_plan_fini(&frozen);
    }
    return status;
}

/* Returns IRR_OK or the first error. */
static irr_status_t freeze_all(void *context)
{
    const irr_team_t *team = context;
    irr_status_t status = IRR_OK;

    for (int r = 0; r < team->ranks && status == IRR_OK; r++) {
        status = freeze_one(team, r);
    }
    return status;
}

/* A plan is frozen only after an exchange of this problem without an error on the rank. */
static void run_freeze(irr_team_t *team, irr_job_t *job, irr_job_t *cut)
{
    const irr_comm_t *first = team->comms[0];
    irr_spy_t *spy = team->world->spies[1];
    irr_status_t result[FREEZE_RANKS];
    irr_problem_t other;

    CU_ASSERT_EQUAL(freeze_all(team), IRR_ERR_BAD_PARAM);
    irr_team_expect(team, job, -1);
    CU_ASSERT(irr_memory_fail_each(freeze_all, team) > 10);
    other = first->exchange->problem;
    CU_ASSERT_EQUAL(irr_relay_freeze(&first->relay, &other, NULL), IRR_ERR_BAD_PARAM);
    irr_team_expect(team, cut, 2);
    CU_ASSERT_EQUAL(freeze_one(team, 2), IRR_ERR_BAD_PARAM);
    irr_team_expect(team, job, -1);
    CU_ASSERT_EQUAL(freeze_all(team), IRR_OK);
    spy->refusal = IRR_ERR_TRANSPORT;
    spy->refuse_recv = spy->recvs + 1;
    irr_team_run(team, job, result);
    CU_ASSERT_EQUAL(result[1], IRR_ERR_TRANSPORT);
    CU_ASSERT_EQUAL(freeze_one(team, 1), IRR_ERR_BAD_PARAM);
}

static void test_freeze(void)
{
    for (int overlap = 0; overlap < IRR_OVERLAP_COUNT; overlap++) {
        const irr_settings_t settings = { .algorithm = irr_algorithm_find("balanced-grid"), .slice_min = 1,
                                          .overlap = (irr_overlap_t)overlap };
        irr_job_t *job = irr_job_create(FREEZE_RANKS, IRR_JOB_UNIFORM, 1);
        irr_job_t *cut = irr_job_create(FREEZE_RANKS, IRR_JOB_UNIFORM, 1);
        irr_team_t team;

        irr_job_cut(cut, 2, 3, 0);
        irr_team_open_new(&team, FREEZE_RANKS, 1, SIZE_MAX, &settings);
        run_freeze(&team, job, cut);
        irr_team_close(&team);
        irr_job_destroy(cut);
        irr_job_destroy(job);
    }
}

IRR_TEST_MAIN("relay", 60,
    { "headers that take two messages",             test_long },
    { "plans that are frozen, or refused",          test_freeze })
