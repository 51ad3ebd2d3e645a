/*
 * test_hybrid.c - exchanges that forward messages, without sufficient memory or with ends that disagree.
 *
 * A case plans an exchange of hybrid in which sender and receiver disagree whether a message is long. Other cases have
 * headers that are too long for one message, plans that are frozen (kept after they were learned), and memory that is
 * freed. test_world.c runs every strategy with every trouble.
 */
#include "irr_world.h"

enum { RANKS = 5, ROUNDS = 20000, LIMIT = 200 };

typedef struct scene {
    irr_team_t   team;
    int          ranks;
    irr_status_t result[IRR_WORLD_MAX];
} scene_t;

static void open_scene(scene_t *scene, int ranks, const irr_settings_t *settings, uint64_t seed, size_t eager_max)
{
    irr_settings_t hybrid = *settings;

    hybrid.algorithm = irr_algorithm_find("hybrid");
    scene->ranks = ranks;
    irr_team_open_new(&scene->team, ranks, seed, eager_max, &hybrid);
}

/* ---- ends that disagree ---- */

/* Makes a job of equal messages of this length. */
static irr_job_t *equal(int ranks, size_t length)
{
    irr_job_t *job = irr_job_create_equal(ranks, length);

    for (int i = 0; i < ranks * ranks; i++) {
        irr_job_shorten(job, i / ranks, i % ranks, length);
    }
    return job;
}

/* True if the first bytes of a message arrived. */
static bool arrived(const irr_job_t *job, int from, int to, size_t bytes)
{
    const irr_block_t *sent = NULL, *received = NULL;

    for (size_t i = 0; i < job->problems[from].send.count; i++) {
        sent = job->send[from][i].rank == to ? &job->send[from][i] : sent;
    }
    for (size_t i = 0; i < job->problems[to].recv.count; i++) {
        received = job->recv[to][i].rank == from ? &job->recv[to][i] : received;
    }
    return sent != NULL && received != NULL &&
           memcmp((const char *)irr_job_input(job, from) + sent->offset,
                  (const char *)irr_job_output(job, to) + received->offset, bytes) == 0;
}

/*
 * Makes a job of equal messages, except that rank 0 sends less to rank 1 than rank 1 expects, or rank 1 expects less
 * than rank 0 sends.
 */
static irr_job_t *unequal(int ranks, bool at_sender)
{
    irr_job_t *job = equal(ranks, LIMIT);

    if (at_sender) {
        irr_job_cut_sent(job, 0, 1, LIMIT / 2);
    } else {
        irr_job_cut(job, 1, 0, LIMIT / 2);
    }
    irr_job_fill(job);
    return job;
}

/* An exchange that is planned while the ends disagree gets a plan that waits for no missing message. */
IRR_TEST(test_planned, "a planned exchange whose ends disagree about a length")
{
    for (int i = 0; i < 4; i++) {
        const irr_settings_t settings = { .direct_bytes = LIMIT, .window_messages = i % 2 };
        irr_job_t *job = unequal(RANKS, i / 2 == 0);
        scene_t scene;

        open_scene(&scene, RANKS, &settings, 0, 0);
        for (int r = 0; r < RANKS; r++) {
            irr_exchange_t *exchange = irr_comm_exchange(scene.team.comms[r]);

            CU_ASSERT_EQUAL_FATAL(irr_exchange_plan(exchange, &job->problems[r]), IRR_OK);
            scene.result[r] = IRR_IN_PROGRESS;
        }
        CU_ASSERT_TRUE_FATAL(irr_team_progress(&scene.team, scene.result, ROUNDS));
        for (int k = 0; k < 10; k++) {
            for (int r = 0; r < RANKS; r++) {
                irr_exchange_t *exchange = irr_comm_exchange(scene.team.comms[r]);

                irr_job_poison(job, r);
                CU_ASSERT_EQUAL(irr_exchange_restart(exchange, irr_job_input(job, r), irr_job_output(job, r)), IRR_OK);
                scene.result[r] = IRR_IN_PROGRESS;
            }
            CU_ASSERT_TRUE_FATAL(irr_team_progress(&scene.team, scene.result, ROUNDS));
            for (int r = 0; r < RANKS; r++) {
                CU_ASSERT(scene.result[r] == IRR_OK || (r == 1 && scene.result[r] == IRR_ERR_TRUNCATE));
                CU_ASSERT_TRUE(irr_job_verify(job, r));
                CU_ASSERT(i / 2 == 1 || scene.team.comms[r]->exchange->view == IRR_VIEW_LEARNING);
            }
            CU_ASSERT(i / 2 == 1 || arrived(job, 0, 1, LIMIT / 2));
        }
        irr_team_close(&scene.team);
        irr_job_destroy(job);
    }
}

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

IRR_TEST_SEEDED(test_long, "headers that take two messages")
{
    irr_job_t *job = irr_job_create(LONG_RANKS, IRR_JOB_UNIFORM, irr_test_random(state));

    irr_job_fill(job);
    for (size_t i = 0; i < 6; i++) {
        run_long(1 + irr_test_below(state, 20), i % 2 == 0, job, state);
    }
    irr_job_destroy(job);
}

/* ---- frozen plans ---- */

/* Freezes the plan of the last exchange on a rank. */
static irr_status_t freeze_one(const irr_team_t *team, int rank)
{
    const irr_comm_t *comm = team->comms[rank];
    irr_plan_t frozen;
    irr_status_t status = irr_relay_freeze(&comm->relay, &comm->exchange->problem, &frozen);

    if (status == IRR_OK) {
        irr_plan_fini(&frozen);
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

IRR_TEST(test_freeze, "plans that can be frozen, and plans that cannot")
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

/* ---- memory after an exchange ---- */

/*
 * The first repeated exchange gives memory back. If an allocation fails there, no rank has an error, because a rank can
 * keep its memory, or build its plan again.
 */
IRR_TEST(test_repeat_without_memory, "an allocation fails when a repeated exchange shrinks its memory")
{
    irr_job_t *job = irr_job_create(FREEZE_RANKS, IRR_JOB_UNIFORM, 1);
    const irr_settings_t settings = { .algorithm = irr_algorithm_find("grid") };
    size_t nth = 0;
    bool failed;

    do {
        irr_team_t team;

        irr_team_open_new(&team, FREEZE_RANKS, 1, SIZE_MAX, &settings);
        irr_team_expect(&team, job, -1);
        irr_memory_fail(++nth, irr_spy_engine_allocates);
        irr_team_expect(&team, job, -1);
        failed = irr_memory_failed();
        irr_memory_fail(0, NULL);
        irr_team_expect(&team, job, -1);
        irr_team_close(&team);
    } while (failed);
    CU_ASSERT(nth > FREEZE_RANKS);
    irr_job_destroy(job);
}

/* Plans the exchange of a job, or restarts the planned exchange, on all ranks. Sets the results. */
static void run_planned(irr_team_t *team, irr_job_t *job, bool restart, irr_status_t *result)
{
    for (int r = 0; r < team->ranks; r++) {
        irr_exchange_t *exchange = irr_comm_exchange(team->comms[r]);

        irr_job_poison(job, r);
        irr_test_must(restart ? irr_exchange_restart(exchange, irr_job_input(job, r), irr_job_output(job, r))
                              : irr_exchange_plan(exchange, &job->problems[r]));
        result[r] = IRR_IN_PROGRESS;
    }
    CU_ASSERT_TRUE_FATAL(irr_team_progress(team, result, ROUNDS));
}

/* Restarts the planned exchange, and returns the number of ranks with an error. All other ranks must have all bytes. */
static int restart(irr_team_t *team, irr_job_t *job)
{
    irr_status_t result[FREEZE_RANKS];
    int failed = 0;

    run_planned(team, job, true, result);
    for (int r = 0; r < team->ranks; r++) {
        CU_ASSERT(result[r] != IRR_OK || irr_job_verify(job, r));
        CU_ASSERT(result[r] == IRR_OK || result[r] == IRR_ERR_NO_MEMORY);
        failed += result[r] != IRR_OK;
    }
    return failed;
}

/* Returns true if the ranks have frozen the plan. Either all ranks have, or none. */
static bool is_frozen(const irr_team_t *team)
{
    const irr_view_t view = team->comms[0]->exchange->view;

    for (int r = 0; r < team->ranks; r++) {
        CU_ASSERT_EQUAL(team->comms[r]->exchange->view, view);
        CU_ASSERT(view != IRR_VIEW_LEARNED || team->comms[r]->relay.blocks.list == NULL);
    }
    return view == IRR_VIEW_LEARNED;
}

/*
 * An allocation fails when a planned exchange learns and freezes its plan. If the plan cannot be frozen, or memory
 * cannot shrink, no rank has an error. The ranks freeze the plan later. Then other exchanges run as before.
 */
IRR_TEST(test_freeze_without_memory, "an allocation fails when a planned exchange freezes its plan")
{
    irr_job_t *job = irr_job_create(FREEZE_RANKS, IRR_JOB_UNIFORM, 1);
    irr_job_t *other = irr_job_create(FREEZE_RANKS, IRR_JOB_UNIFORM, 2);
    const irr_settings_t settings = { .algorithm = irr_algorithm_find("grid") };
    int refused = 0, shrunk = 0;
    size_t nth = 0;
    bool failed;

    irr_job_fill(job);
    irr_job_fill(other);
    do {
        irr_status_t result[FREEZE_RANKS];
        irr_team_t team;
        int errors;

        irr_team_open_new(&team, FREEZE_RANKS, 1, SIZE_MAX, &settings);
        run_planned(&team, other, false, result);
        errors = restart(&team, other);   /* connects the ranks, also for the agreement */
        CU_ASSERT(errors == 0 && is_frozen(&team));
        run_planned(&team, job, false, result);
        irr_memory_fail(++nth, irr_spy_engine_allocates);
        errors = restart(&team, job);
        failed = irr_memory_failed();
        irr_memory_fail(0, NULL);
        refused += failed && errors == 0 && !is_frozen(&team);
        shrunk += failed && errors == 0 && is_frozen(&team);
        for (int k = 0; k < 3; k++) {
            errors = restart(&team, job);
        }
        CU_ASSERT(errors == 0 && is_frozen(&team));
        irr_team_expect(&team, other, -1);
        irr_team_expect(&team, other, -1);
        irr_team_expect(&team, job, -1);
        irr_team_close(&team);
    } while (failed);
    CU_ASSERT(refused > FREEZE_RANKS && shrunk > FREEZE_RANKS);
    irr_job_destroy(other);
    irr_job_destroy(job);
}

IRR_TEST_MAIN("hybrid", 60)
