/*
 * test_lacking.c - a rank that has no memory to take part fails its communicator on all ranks: nobody hangs, no byte is
 * wrong where there is no error, and other communicators go on.
 */
#include "irr_memory.h"
#include "irr_test.h"
#include "irr_world.h"

#include <string.h>

enum { RANKS = 5, ROUNDS = 20000 };

typedef struct scene {
    irr_world_t  world;
    irr_team_t   team, other;   /* the communicator that fails, and another one of the same ranks */
    irr_job_t   *job, *next;
    irr_status_t result[IRR_CREW_MAX];
    int          rank;        /* that lacks */
} scene_t;

static void open_scene(scene_t *scene, int algorithm, irr_pacing_t pace, irr_job_kind_t kind, uint64_t *state)
{
    memset(scene, 0, sizeof(*scene));
    irr_memory_begin();
    irr_world_open(&scene->world, RANKS, irr_test_random(state), irr_test_random(state) % 3 * 100);
    irr_team_init(&scene->team, &scene->world, 0, 1);
    for (int r = 0; r < RANKS; r++) {
        scene->team.params[r].node = r / 2;
        scene->team.params[r].settings = (irr_settings_t){
            .algorithm = algorithm, .pace = pace, .piece_bytes = kind == IRR_JOB_MIXED ? 1000 : 0,
            .scheduled.redistribution = { 1, RANKS, 2, RANKS, 1, 1 }
        };
    }
    scene->other = scene->team;
    CU_ASSERT_EQUAL_FATAL(irr_team_create(&scene->team), IRR_OK);
    CU_ASSERT_EQUAL_FATAL(irr_team_create(&scene->other), IRR_OK);
    scene->job = irr_job_create(RANKS, kind, irr_test_random(state));
    scene->next = irr_job_create(RANKS, kind, irr_test_random(state));
    irr_job_fill(scene->job);
    irr_job_fill(scene->next);
    scene->rank = (int)irr_test_below(state, RANKS);
}

static void close_scene(scene_t *scene)
{
    irr_team_destroy(&scene->team);
    irr_team_close(&scene->other);
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
    irr_job_destroy(scene->job);
    irr_job_destroy(scene->next);
}

static void start_all_but(scene_t *scene, int but, irr_job_t *job)
{
    for (int r = 0; r < RANKS; r++) {
        if (r != but) {
            scene->result[r] = irr_team_start_rank(&scene->team, r, job);
        }
    }
}

/* All come to an end: right, or in an error; the rank that lacks memory in this one. */
static void expect_end(scene_t *scene, irr_job_t *job)
{
    CU_ASSERT_TRUE_FATAL(irr_team_progress(&scene->team, scene->result, ROUNDS));
    CU_ASSERT_EQUAL(scene->result[scene->rank], IRR_ERR_NO_MEMORY);
    for (int r = 0; r < RANKS; r++) {
        CU_ASSERT(scene->result[r] != IRR_OK || irr_job_verify(job, r));
    }
}

/* The communicator has failed on all ranks, and later exchanges end in errors at once. */
static void expect_failed(scene_t *scene)
{
    for (int i = 0; i < ROUNDS; i++) {
        irr_engine_progress(scene->world.engines[i % RANKS]);
    }
    for (int r = 0; r < RANKS; r++) {
        CU_ASSERT_NOT_EQUAL(scene->team.comms[r]->failed, IRR_OK);
        CU_ASSERT_EQUAL(irr_team_start_rank(&scene->team, r, scene->next), scene->team.comms[r]->failed);
    }
}

static void run_right(irr_team_t *team, irr_job_t *job)
{
    irr_status_t result[IRR_CREW_MAX];

    for (int r = 0; r < RANKS; r++) {
        result[r] = irr_team_start_rank(team, r, job);
    }
    CU_ASSERT_TRUE_FATAL(irr_team_progress(team, result, ROUNDS));
    for (int r = 0; r < RANKS; r++) {
        CU_ASSERT_EQUAL(result[r], IRR_OK);
        CU_ASSERT_TRUE(irr_job_verify(job, r));
    }
}

/* A rank that cannot take part gives up, before the others have started or while they wait for it. */
static void run(int algorithm, irr_job_kind_t kind, bool known, uint64_t *state)
{
    const bool early = irr_test_random(state) % 2 == 0;
    scene_t scene;

    open_scene(&scene, algorithm, IRR_PACE_AUTO, kind, state);
    for (int i = 0; i < 2 && known; i++) {
        run_right(&scene.team, scene.job);
    }
    if (!early) {
        start_all_but(&scene, scene.rank, scene.job);
    }
    irr_comm_give_up(scene.team.comms[scene.rank], IRR_ERR_NO_MEMORY, "cannot start an exchange");
    scene.result[scene.rank] = irr_team_start_rank(&scene.team, scene.rank, scene.job);
    if (early) {
        start_all_but(&scene, scene.rank, scene.job);
    }
    expect_end(&scene, scene.job);
    expect_failed(&scene);
    run_right(&scene.other, scene.next);
    close_scene(&scene);
}

/* Every algorithm, in the first exchange or in one like those before. */
static void test_all(void)
{
    static const irr_job_kind_t kinds[] = { IRR_JOB_UNIFORM, IRR_JOB_BLOCKS, IRR_JOB_MIXED };
    uint64_t state = irr_test_seed();

    for (int algorithm = 0; irr_algorithm_name(algorithm) != NULL; algorithm++) {
        for (int i = 0; i < 12; i++) {
            run(algorithm, kinds[i % 3], i < 6, &state);
        }
    }
}

/* Of the engine; the transport has all it needs. */
static bool is_ours(void)
{
    return !irr_spy_sends_now();
}

/* A plan needs more room where a rank has several blocks for another one. */
static void run_blocks(int algorithm, irr_pacing_t pace, uint64_t *state)
{
    scene_t scene;
    int r;

    open_scene(&scene, algorithm, pace, IRR_JOB_BLOCKS, state);
    r = scene.rank;
    start_all_but(&scene, r, scene.job);
    irr_memory_fail(1, is_ours);
    irr_memory_fail_all();
    scene.result[r] = irr_team_start_rank(&scene.team, r, scene.job);
    CU_ASSERT_EQUAL(irr_memory_failed(), irr_job_more(scene.job, r) > 0);
    irr_memory_fail(0, NULL);
    if (irr_job_more(scene.job, r) > 0) {
        expect_end(&scene, scene.job);
        expect_failed(&scene);
    } else {
        CU_ASSERT_TRUE_FATAL(irr_team_progress(&scene.team, scene.result, ROUNDS));
        run_right(&scene.team, scene.next);
    }
    run_right(&scene.other, scene.next);
    close_scene(&scene);
}

static void test_blocks(void)
{
    static const irr_pacing_t paces[] = { IRR_PACE_FREE, IRR_PACE_LOOSE, IRR_PACE_GRANT };
    uint64_t state = irr_test_seed();

    for (int i = 0; i < 30; i++) {
        run_blocks(irr_algorithm_find(i % 2 == 0 ? "a1" : "ac"), paces[i % 3], &state);
    }
}

IRR_TEST_MAIN("lacking", 60,
    { "gives up, and all hear of it",                     test_all },
    { "no room for several blocks a rank",                test_blocks })
