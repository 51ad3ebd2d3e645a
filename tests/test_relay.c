/*
 * test_relay.c - exchanges through a grid on communicators of up to 300 ranks: the messages that are described, the
 * windows, headers that are too long for one message, and frozen plans. test_world.c runs every strategy with every
 * trouble.
 */
#include "irr_memory.h"
#include "irr_test.h"
#include "irr_world.h"

#include <stdlib.h>

enum { LONG_RANKS = 100, FEW_RANKS = 40, FREEZE_RANKS = 6 };

static const char *const rows[] = { "spread", "grid", "balanced-grid", "bruck", "node" };

/* Opens a world whose transports have this limit in their caps. */
static void open_world(irr_world_t *world, int ranks, uint64_t seed, size_t eager_max, size_t zero_copy_min)
{
    irr_transport_t *transports[IRR_JOB_RANKS_MAX];
    irr_fabric_t *fabric;

    irr_test_must(irr_fabric_create(ranks, seed, eager_max, &fabric));
    for (int r = 0; r < ranks; r++) {
        irr_test_must(irr_loopback_open(fabric, r, &transports[r]));
        transports[r]->caps.zero_copy_min = zero_copy_min;
    }
    irr_world_open_on(world, ranks, transports);
    world->fabric = fabric;
}

/* Opens a communicator of nodes with `on_node` ranks each. */
static void open_team(irr_team_t *team, const irr_settings_t *settings, int ranks, int on_node, size_t zero_copy_min,
                      uint64_t *state)
{
    static const size_t eager[] = { 0, 100, SIZE_MAX };
    const bool shuffles = ranks <= FEW_RANKS || irr_test_below(state, 8) == 0;   /* which takes many more rounds */
    const bool one = settings->window_messages == 1 || settings->overlap == IRR_OVERLAP_BLOCKING;
    const bool whole = settings->compose != IRR_COMPOSE_SPLIT && zero_copy_min == SIZE_MAX;
    irr_world_t world;

    open_world(&world, ranks, shuffles ? irr_test_random(state) : 0,
               eager[irr_test_below(state, IRR_TEST_COUNT(eager))], zero_copy_min);
    irr_team_init(team, &world, 0, 1);
    team->own = world;
    team->world = &team->own;
    for (int r = 0; r < ranks; r++) {
        team->params[r].node = r / on_node;
    }
    irr_team_create_with(team, settings);
    for (int r = 0; r < ranks; r++) {
        team->world->spies[r]->window_messages = one && whole ? 1 : 0;
    }
}

static void close_team(irr_team_t *team)
{
    for (int r = 0; r < team->ranks; r++) {
        CU_ASSERT_FALSE(team->world->spies[r]->exceeded);
    }
    irr_team_close(team);
}

/* ---- descriptions ---- */

/* Returns the number of messages that the executor makes of the plan of the last exchange. */
static size_t count_messages(const irr_relay_t *relay)
{
    const irr_plan_t *plan = &relay->plan->plan;
    size_t messages = 0;

    for (size_t i = 0; i < plan->nsteps; i++) {
        const irr_step_t *step = &plan->steps[i];

        messages += step->kind != IRR_STEP_SEND ? 0
                    : irr_relay_messages(relay, step->peer, &plan->pieces[step->first_piece], step->pieces,
                                         step->bytes);
    }
    return messages;
}

/*
 * Runs a job, and returns the number of ranks that sent descriptions. Asserts that a rank without descriptions sends
 * only its messages, and copies no data that it could send from its place.
 */
static int run(irr_team_t *team, irr_job_t *job)
{
    irr_counters_t *before = irr_test_array((size_t)team->ranks, sizeof(*before)), after;
    int describing = 0;

    for (int r = 0; r < team->ranks; r++) {
        irr_engine_counters(team->world->engines[r], &before[r]);
    }
    irr_team_expect(team, job, -1);
    for (int r = 0; r < team->ranks; r++) {
        const irr_relay_t *relay = &team->comms[r]->relay;

        irr_engine_counters(team->world->engines[r], &after);
        if (after.header_bytes > before[r].header_bytes) {
            describing++;
            continue;
        }
        CU_ASSERT(relay->overlap == IRR_OVERLAP_BLOCKING ||   /* which has barriers */
                  after.messages_sent - before[r].messages_sent == count_messages(relay));
    }
    for (int r = 0; r < team->ranks && describing == 0; r++) {
        irr_engine_counters(team->world->engines[r], &after);
        CU_ASSERT_TRUE(irr_job_may_stage(job, r, after.bytes_staged - before[r].bytes_staged));
    }
    free(before);
    return describing;
}

/*
 * The first exchange describes all messages. A repeated exchange describes none. If one message has changed, only ranks
 * on its route describe.
 */
static void run_changed(irr_team_t *team, irr_job_t *job, irr_job_t *other, bool changes)
{
    const irr_stages_t *stages = &team->comms[0]->relay.stages;
    int peers = 0;

    for (int r = 0; r < team->ranks; r++) {
        peers += team->comms[r]->relay.stages.slots > team->comms[r]->relay.stages.count;
    }
    CU_ASSERT_EQUAL(run(team, job), peers);
    for (int i = 0; i < 3; i++) {
        int describing;

        CU_ASSERT_EQUAL(run(team, i == 1 ? other : job), 0);
        describing = run(team, i == 1 ? job : other);
        CU_ASSERT_EQUAL(describing > 0, changes);
        CU_ASSERT(stages->grid.balanced || describing <= stages->count);
    }
}

static void run_ranks(const char *row, int ranks, uint64_t *state)
{
    static const irr_job_kind_t large[] = { IRR_JOB_BANDED, IRR_JOB_HOT_ROW, IRR_JOB_HOT_COLUMN };
    static const size_t apart[] = { SIZE_MAX, SIZE_MAX, 40 };
    const irr_job_kind_t kind = ranks > FEW_RANKS ? large[ranks % 3]
                                                  : (irr_job_kind_t)irr_test_below(state, IRR_JOB_KINDS);
    const irr_settings_t settings = {
        .algorithm = irr_algorithm_find(row), .slice_min = irr_test_below(state, 60),
        .overlap = (irr_overlap_t)irr_test_below(state, IRR_OVERLAP_COUNT),
        .compose = (irr_compose_t)irr_test_below(state, IRR_COMPOSE_COUNT),
        .window_messages = irr_test_below(state, 4) == 0, .window_bytes = irr_test_below(state, 4) == 0 ? 300 : 0
    };
    const int from = (int)irr_test_below(state, (uint64_t)ranks), to = (from + ranks / 2) % ranks;
    const uint64_t seed = irr_test_random(state);
    irr_job_t *job = irr_job_create(ranks, kind, seed), *other = irr_job_create(ranks, kind, seed);
    const size_t length = irr_job_length(job, from, to);
    irr_team_t team;

    if (length > 0) {
        irr_job_shorten(other, from, to, length - 1);
    }
    open_team(&team, &settings, ranks, 3, apart[irr_test_below(state, IRR_TEST_COUNT(apart))], state);
    run_changed(&team, job, other, length > 0 && from != to);
    close_team(&team);
    irr_job_destroy(other);
    irr_job_destroy(job);
}

/* Each rank of spread has a message for each other rank in a stage, so large communicators of spread are rare. */
static void test_ranks(void)
{
    uint64_t state = irr_test_seed();

    for (int ranks = 1; ranks <= IRR_JOB_RANKS_MAX; ranks++) {
        for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
            const uint64_t rare = ranks <= FEW_RANKS ? 1 : i == 0 ? 400 : 80;

            if (irr_test_below(&state, rare) == 0) {
                run_ranks(rows[i], ranks, &state);
            }
        }
    }
}

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

    open_team(&team, &(irr_settings_t){ .algorithm = irr_algorithm_find("node") }, LONG_RANKS, LONG_RANKS / 2, SIZE_MAX,
              state);
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

IRR_TEST_MAIN("relay", 300,
    { "descriptions and windows of 1 to 300 ranks", test_ranks },
    { "headers that take two messages",             test_long },
    { "plans that are frozen, or refused",          test_freeze })
