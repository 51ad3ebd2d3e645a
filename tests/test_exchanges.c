/*
 * test_exchanges.c - more exchanges of a communicator at a time than may run, over loopback with delays and over UCX.
 * Every byte arrives, whichever object runs an exchange and whichever rank is late. Some engines close, an
 * exchange is given up, or memory is missing. test_world.c has a few exchanges at a time, and communicators that fail.
 */
#include "irr_script.h"

enum { RANKS = 5, MANY = IRR_SCRIPT_OBJECTS, STEPS_MAX = 4000000, STEPS_FEW = 200000 };

typedef struct scene {
    irr_world_t  world;
    irr_team_t   team;
    irr_job_t   *jobs[2 * MANY];
    irr_turn_t   turns[3 * MANY];
    irr_script_t script;
    int          count;                     /* number of objects of a rank */
    int          results[RANKS][1 - IRR_ERR_PEER];   /* by rank and negated status: number of exchanges */
    int          wrong;                     /* number of exchanges that succeeded with wrong bytes */
} scene_t;

static scene_t scene;

static void end_turn(irr_script_t *script, int rank, const irr_turn_t *turn, irr_status_t status)
{
    scene.results[rank][-status]++;
    scene.wrong += status == IRR_OK && !irr_job_verify(script->jobs[turn->job], rank);
}

/* Creates the communicator, the jobs, and the exchange objects of all ranks, in a world that is open. */
static void open_scene(const char *algorithm, int count, int total, uint64_t *state)
{
    const irr_settings_t settings = { .algorithm = irr_algorithm_find(algorithm), .direct_bytes = 1,
                                      .scheduled.seed = 5 };

    scene.count = count;
    scene.wrong = 0;
    memset(scene.results, 0, sizeof(scene.results));
    irr_team_open(&scene.team, &scene.world, &settings);
    for (int i = 0; i < 2 * count; i++) {
        scene.jobs[i] = irr_job_create(RANKS, (irr_job_kind_t)irr_test_below(state, IRR_JOB_KINDS),
                                       irr_test_random(state));
        irr_job_fill(scene.jobs[i]);
    }
    for (int i = 0; i < total; i++) {
        scene.turns[i] = (irr_turn_t){ .job = i % (2 * count), .object = i % count };
    }
    irr_script_open(&scene.script, &scene.team, scene.jobs, count);
    irr_script_set(&scene.script, scene.turns, total);
    scene.script.ends = end_turn;
}

static void close_exchanges(void)
{
    irr_script_close(&scene.script);
    irr_team_destroy(&scene.team);
}

static void free_jobs(void)
{
    for (int i = 0; i < 2 * scene.count; i++) {
        irr_job_destroy(scene.jobs[i]);
    }
}

static void close_scene(void)
{
    close_exchanges();
    CU_ASSERT_TRUE(irr_world_close(&scene.world));
    free_jobs();
}

static void expect_well(uint64_t *state)
{
    memset(scene.results, 0, sizeof(scene.results));
    CU_ASSERT_TRUE(irr_script_run(&scene.script, STEPS_MAX, state));
    CU_ASSERT_EQUAL(scene.wrong, 0);
    for (int r = 0; r < RANKS; r++) {
        CU_ASSERT_EQUAL(scene.results[r][-IRR_OK], scene.script.count);
        CU_ASSERT_EQUAL(scene.team.comms[r]->sequence, scene.team.comms[0]->sequence);
    }
}

/* ---- exchanges that succeed ---- */

/* Opens a world where each message is held back for a while with this probability. */
static void open_delayed(uint64_t *state, unsigned hold_percent)
{
    irr_fault_t faults[RANKS];

    for (int r = 0; r < RANKS; r++) {
        faults[r] = (irr_fault_t){ .seed = irr_test_random(state), .hold_percent = hold_percent, .hold_rounds = 60 };
    }
    irr_world_open_faulty(&scene.world, RANKS, irr_test_random(state), irr_test_below(state, 2) * 200, faults);
}

IRR_TEST_SEEDED(test_many, "16 and 40 exchanges at a time, until sequence numbers wrap")
{
    static const char *const algorithms[] = { "direct", "natural", "grid", "balanced-grid", "random" };

    for (size_t i = 0; i < 2 * IRR_TEST_COUNT(algorithms); i++) {
        const int count = i % 2 == 0 ? 16 : MANY;

        open_delayed(state, (unsigned)irr_test_below(state, 2) * 30);
        open_scene(algorithms[i / 2], count, 3 * count, state);
        expect_well(state);
        for (int again = 0; again < 3 && i == 1; again++) {   /* so many exchanges that the ranks pass epoch barriers */
            irr_script_set(&scene.script, scene.turns, 3 * count);
            expect_well(state);
        }
        CU_ASSERT(i != 1 || scene.team.comms[0]->sequence > 3 * IRR_TAG_SEQUENCES / 2);
        close_scene();
    }
}

static bool open_ucx(const char *tls, const char *devices)
{
    irr_transport_t *transports[RANKS];
    const irr_engine_config_t config = {
        .ucx_tls = tls, .ucx_devices = devices, .one_node = tls == NULL, .job_ranks = RANKS, .node_ranks = RANKS
    };

    for (int r = 0; r < RANKS; r++) {
        if (irr_transport_open(&config, &transports[r]) != IRR_OK) {
            while (r-- > 0) {
                transports[r]->ops->free(transports[r]);
            }
            return false;
        }
    }
    irr_world_open_on(&scene.world, RANKS, transports);
    return true;
}

static void run_ucx(const char *tls, const char *devices)
{
    static const char *const algorithms[] = { "direct", "grid" };
    uint64_t state = irr_test_seed();

    for (int i = 0; i < 2; i++) {
        if (!open_ucx(tls, devices)) {
            irr_test_skip("UCX has none of these transports here");
            return;
        }
        open_scene(algorithms[i], MANY, 3 * MANY, &state);
        expect_well(&state);
        close_scene();
    }
}

IRR_TEST(test_tcp, "40 exchanges at a time over tcp")
{
    run_ucx("tcp,self", "lo");
}

/* ---- exchanges that fail ---- */

/* The engines close while some exchanges are open and other exchanges wait. All exchanges get a result. */
IRR_TEST_SEEDED(test_close, "irr_engine_close() on some ranks while exchanges are open")
{
    static const char *const algorithms[] = { "direct", "grid" };

    for (int i = 0; i < 2; i++) {
        irr_world_open(&scene.world, RANKS, irr_test_random(state), SIZE_MAX);   /* all messages are eager */
        open_scene(algorithms[i], MANY, MANY, state);
        for (int k = 0; k < MANY; k++) {
            irr_script_begin(&scene.script, 0);
        }
        for (int r = 0; r < RANKS; r++) {
            irr_engine_close(scene.world.engines[r]);
        }
        irr_script_look(&scene.script, 0);
        CU_ASSERT_EQUAL(scene.results[0][-IRR_ERR_CANCELED] + scene.results[0][-IRR_OK], MANY);
        close_exchanges();
        irr_world_drain(&scene.world);
        free_jobs();
    }
}

/* If an exchange is given up while it runs, the communicator fails, and so do the other open exchanges. */
IRR_TEST_SEEDED(test_given_up, "an exchange that is abandoned while it runs")
{
    irr_script_rank_t *first;
    int given = 0;

    open_delayed(state, 0);
    open_scene("direct", 16, 16, state);
    first = &scene.script.rank[0];
    for (int k = 0; k < 4; k++) {
        irr_script_begin(&scene.script, 0);
    }
    while (given < 3 && (first->runs[given] < 0 || first->object[given]->result != IRR_IN_PROGRESS)) {
        given++;
    }
    if (first->runs[given] >= 0 && first->object[given]->result == IRR_IN_PROGRESS) {
        irr_exchange_give(first->object[given]);
        irr_test_must(irr_exchange_take(scene.team.comms[0], &first->object[given]));
        first->runs[given] = -1;
        first->ended++;
    } else {
        given = -1;
    }
    CU_ASSERT_TRUE(irr_script_run(&scene.script, STEPS_MAX, state));
    CU_ASSERT_EQUAL(scene.wrong, 0);
    if (given >= 0) {
        irr_team_expect_failed(&scene.team);
    }
    close_scene();
}

/*
 * Each rank starts three exchanges, of which two wait, and the engines have no memory from the nth allocation on. If a
 * waiting exchange fails when it is opened, the next exchange ends at once, because it posts no receives.
 */
static void run_poor(const char *algorithm, size_t nth, uint64_t *state)
{
    irr_world_open(&scene.world, RANKS, irr_test_random(state), SIZE_MAX);
    open_scene(algorithm, 3, 3, state);
    irr_memory_fail(nth, irr_spy_engine_allocates);
    irr_memory_fail_all();
    CU_ASSERT_TRUE(irr_script_run(&scene.script, STEPS_FEW, state));
    CU_ASSERT_EQUAL(scene.wrong, 0);
}

IRR_TEST_SEEDED(test_poor, "all allocations from the nth on fail")
{
    static const char *const algorithms[] = { "direct", "hybrid", "node" };

    for (size_t i = 0; i < IRR_TEST_COUNT(algorithms); i++) {
        bool failed = true;

        for (size_t nth = 1; failed; nth++) {
            run_poor(algorithms[i], nth, state);
            failed = irr_memory_failed();
            irr_memory_fail(0, NULL);
            close_scene();
        }
    }
}

IRR_TEST_MAIN("exchanges", 120)
