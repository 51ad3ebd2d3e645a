/*
 * test_lacking.c - a rank that has no memory for a buffer serves its peers: who misses something says so, all other
 * bytes are right, and so is the next exchange.
 */
#include "irr_memory.h"
#include "irr_test.h"
#include "irr_world.h"

#include <string.h>

enum { RANKS = 5, ROUNDS = 20000 };

typedef struct scene {
    irr_world_t  world;
    irr_team_t   team;
    irr_job_t   *job, *next;
    irr_status_t result[IRR_CREW_MAX];
    int          rank;        /* that lacks */
    unsigned     lacks;
} scene_t;

static void open_scene(scene_t *scene, int algorithm, irr_pacing_t pace, irr_job_kind_t kind, uint64_t *state)
{
    const bool boards = irr_test_random(state) % 2 == 0;

    memset(scene, 0, sizeof(*scene));
    irr_memory_begin();
    irr_world_open(&scene->world, RANKS, irr_test_random(state), irr_test_random(state) % 3 * 100);
    irr_team_init(&scene->team, &scene->world, 0, 1);
    for (int r = 0; r < RANKS; r++) {
        scene->team.params[r].node = r / 2;
        scene->team.params[r].settings = (irr_settings_t){
            .algorithm = algorithm, .pace = pace, .piece_bytes = kind == IRR_JOB_MIXED ? 1000 : 0,
            .scheduled.redistribution = { 1, RANKS, 2, RANKS, 1, 1 },
            .board_block = 1000, .board_bytes = boards ? 1 << 16 : 0
        };
    }
    CU_ASSERT_EQUAL_FATAL(irr_team_create(&scene->team), IRR_OK);
    scene->job = irr_job_create(RANKS, kind, irr_test_random(state));
    scene->next = irr_job_create(RANKS, kind, irr_test_random(state));
    irr_job_fill(scene->job);
    irr_job_fill(scene->next);
    scene->rank = (int)irr_test_below(state, RANKS);
}

static void close_scene(scene_t *scene)
{
    irr_team_destroy(&scene->team);
    CU_ASSERT_TRUE(irr_world_close(&scene->world));
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
    irr_job_destroy(scene->job);
    irr_job_destroy(scene->next);
}

static void start_lacking(scene_t *scene, irr_job_t *job)
{
    const int r = scene->rank;
    const bool input = (scene->lacks & IRR_LACKS_INPUT) == 0, output = (scene->lacks & IRR_LACKS_OUTPUT) == 0;

    irr_job_poison(job, r);
    CU_ASSERT_EQUAL(irr_exchange_start_lacking(irr_comm_exchange(scene->team.comms[r]), &job->problems[r],
                                               input ? irr_job_input(job, r) : NULL,
                                               output ? irr_job_output(job, r) : NULL, scene->lacks), IRR_OK);
    scene->result[r] = IRR_IN_PROGRESS;
}

/* What the others have: all but what the one that lacks its input should have sent. */
static void expect_rest(scene_t *scene, bool forwards)
{
    const int lacking = scene->rank;

    CU_ASSERT_EQUAL(scene->result[lacking], IRR_ERR_NO_MEMORY);
    for (int r = 0; r < RANKS; r++) {
        const bool misses = (scene->lacks & IRR_LACKS_INPUT) != 0 && irr_job_length(scene->job, lacking, r) > 0;

        if (r == lacking) {
            continue;
        }
        if (!forwards) {
            CU_ASSERT_EQUAL(scene->result[r], misses ? IRR_ERR_PEER : IRR_OK);
            if (misses) {
                irr_job_disregard(scene->job, r, lacking);
            }
        }
        CU_ASSERT(!forwards || scene->result[r] != IRR_OK || !misses);
        CU_ASSERT((forwards && scene->result[r] != IRR_OK) || irr_job_verify(scene->job, r));
    }
}

static void run_next(scene_t *scene, irr_job_t *job)
{
    for (int r = 0; r < RANKS; r++) {
        scene->result[r] = irr_team_start_rank(&scene->team, r, job);
    }
    CU_ASSERT_TRUE_FATAL(irr_team_progress(&scene->team, scene->result, ROUNDS));
    for (int r = 0; r < RANKS; r++) {
        CU_ASSERT_EQUAL(scene->result[r], IRR_OK);
        CU_ASSERT_TRUE(irr_job_verify(job, r));
    }
}

/* May what a rank misses be another's, that came by the one that lacks? */
static bool may_forward(const irr_comm_t *comm)
{
    bool forwards = !comm->direct;

    for (int i = 0; i < comm->schedules.ways; i++) {
        forwards = forwards || irr_way_forwards(&comm->schedules.way[i]);
    }
    return forwards;
}

static void run(int algorithm, irr_job_kind_t kind, unsigned lacks, bool known, uint64_t *state)
{
    bool forwards;
    scene_t scene;

    open_scene(&scene, algorithm, IRR_PACE_AUTO, kind, state);
    forwards = may_forward(scene.team.comms[0]);
    scene.lacks = lacks;
    for (int i = 0; i < 2 && known; i++) {
        run_next(&scene, scene.job);
    }
    for (int r = 0; r < RANKS; r++) {
        if (r != scene.rank) {
            scene.result[r] = irr_team_start_rank(&scene.team, r, scene.job);
        }
    }
    start_lacking(&scene, scene.job);
    CU_ASSERT_TRUE_FATAL(irr_team_progress(&scene.team, scene.result, ROUNDS));
    expect_rest(&scene, forwards);
    run_next(&scene, scene.next);
    run_next(&scene, scene.next);
    close_scene(&scene);
}

/* Every algorithm, whatever is lacked, in the first exchange or in one like those before. */
static void test_all(void)
{
    static const irr_job_kind_t kinds[] = { IRR_JOB_UNIFORM, IRR_JOB_BLOCKS, IRR_JOB_MIXED };
    uint64_t state = irr_test_seed();

    for (int algorithm = 0; irr_algorithm_name(algorithm) != NULL; algorithm++) {
        for (unsigned lacks = 1; lacks <= 3; lacks++) {
            for (int i = 0; i < 6; i++) {
                run(algorithm, kinds[i % 3], lacks, i < 3, &state);
            }
        }
    }
}

/* Of the engine; the transport has all it needs. */
static bool is_ours(void)
{
    return !irr_spy_sends_now();
}

/* A plan needs more room where a rank has several blocks for another one; who has none lacks its buffers. */
static void run_blocks(int algorithm, irr_pacing_t pace, uint64_t *state)
{
    scene_t scene;
    int r;

    open_scene(&scene, algorithm, pace, IRR_JOB_BLOCKS, state);
    r = scene.rank;
    scene.lacks = IRR_LACKS_INPUT | IRR_LACKS_OUTPUT;
    for (int i = 0; i < RANKS; i++) {
        if (i != r) {
            scene.result[i] = irr_team_start_rank(&scene.team, i, scene.job);
        }
    }
    irr_memory_fail(1, is_ours);
    irr_memory_fail_all();
    scene.result[r] = irr_team_start_rank(&scene.team, r, scene.job);
    CU_ASSERT_EQUAL(irr_memory_failed(), irr_job_more(scene.job, r) > 0);
    irr_memory_fail(0, NULL);
    CU_ASSERT_TRUE_FATAL(irr_team_progress(&scene.team, scene.result, ROUNDS));
    if (irr_job_more(scene.job, r) > 0) {
        expect_rest(&scene, false);
    }
    run_next(&scene, scene.job);
    run_next(&scene, scene.next);
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

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "serves its peers, and the next exchange is right", test_all },
        { "no room for several blocks a rank",                test_blocks },
        { NULL, NULL }
    };

    return irr_test_main("lacking", cases, 60);
}
