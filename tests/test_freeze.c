/*
 * test_freeze.c - an exchange that is planned once and runs many times: every byte, no headers, and who may not.
 */
#include "irr_memory.h"
#include "irr_test.h"
#include "irr_world.h"

#include <string.h>

enum { RANKS = 7, RESTARTS = 3 };

typedef struct scene {
    irr_team_t  *team;
    irr_job_t   *job, *other;
    int          wrong;
    int          cut;       /* the rank that has too little room for what comes; -1: none */
} scene_t;

static irr_status_t restart(irr_team_t *team, irr_job_t *job, int rank)
{
    irr_status_t status;

    irr_job_poison(job, rank);
    status = irr_exchange_restart(irr_comm_exchange(team->comms[rank]), irr_job_input(job, rank),
                                  irr_job_output(job, rank));
    return status == IRR_OK ? irr_team_wait(team) : status;
}

/* Restarts once; true if no description travels and the rank copies nothing but its message to itself. */
static bool restart_is_bare(scene_t *scene, int rank, irr_status_t wanted)
{
    irr_engine_t *engine = scene->team->world->engines[rank];
    irr_counters_t before, after;

    irr_engine_counters(engine, &before);
    scene->wrong += restart(scene->team, scene->job, rank) != wanted;
    irr_engine_counters(engine, &after);
    return after.exchanges == before.exchanges + 1 && after.header_bytes == before.header_bytes &&
           irr_job_may_stage(scene->job, rank, after.bytes_staged - before.bytes_staged);
}

static irr_status_t plan(scene_t *scene, int rank)
{
    irr_status_t status = irr_exchange_plan(irr_comm_exchange(scene->team->comms[rank]), &scene->job->problems[rank]);

    return status == IRR_OK ? irr_team_wait(scene->team) : status;
}

/* The first run learns, the others know. */
static void plan_and_restart(int rank, void *context)
{
    scene_t *scene = context;
    irr_comm_t *comm = scene->team->comms[rank];
    irr_status_t wanted = rank == scene->cut ? IRR_ERR_TRUNCATE : IRR_OK;
    irr_counters_t before, after;

    scene->wrong += restart(scene->team, scene->job, rank) != IRR_ERR_BAD_PARAM;
    scene->wrong += irr_team_exchange(scene->team, scene->other) != IRR_OK;
    scene->wrong += restart(scene->team, scene->job, rank) != IRR_ERR_BAD_PARAM;
    scene->wrong += plan(scene, rank) != IRR_OK;
    irr_engine_counters(scene->team->world->engines[rank], &before);
    for (int i = 0; i <= RESTARTS; i++) {
        const bool bare = restart_is_bare(scene, rank, wanted);

        scene->wrong += wanted == IRR_OK && !irr_job_verify(scene->job, rank);
        scene->wrong += scene->cut < 0 && i > 0 && !bare;
        scene->wrong += scene->cut >= 0 && comm->exchange->view == IRR_VIEW_LEARNED;
    }
    irr_engine_counters(scene->team->world->engines[rank], &after);
    scene->wrong += irr_way_is_local(&comm->alone) && after.endpoints_open != before.endpoints_open;
    scene->wrong += after.matrices != before.matrices || after.schedules_reused != before.schedules_reused;
    scene->wrong += irr_team_exchange(scene->team, scene->other) != IRR_OK || !irr_job_verify(scene->other, rank);
    scene->wrong += restart(scene->team, scene->job, rank) != IRR_ERR_BAD_PARAM;
}

static void expect(irr_settings_t settings, irr_job_kind_t kind, int cut, uint64_t *state)
{
    scene_t scene = {
        .job = irr_job_create(RANKS, kind, irr_test_random(state)),
        .other = irr_job_create(RANKS, IRR_JOB_SPARSE, irr_test_random(state)),
        .cut = cut
    };
    irr_team_t team;
    irr_world_t world;

    irr_memory_begin();
    irr_world_open(&world, RANKS, irr_test_random(state), 100);
    irr_team_init(&team, &world, 0, 1);
    for (int r = 0; r < RANKS; r++) {
        team.params[r].settings = settings;
        team.params[r].node = r * r % 3;
    }
    scene.team = &team;
    irr_job_fill(scene.job);
    if (cut >= 0) {
        irr_job_cut(scene.job, cut, 0, irr_job_length(scene.job, 0, cut) - 1);
    }
    irr_job_fill(scene.other);
    CU_ASSERT_EQUAL_FATAL(irr_team_create(&team), IRR_OK);
    CU_ASSERT_TRUE(irr_crew_run(RANKS, plan_and_restart, &scene));
    CU_ASSERT_EQUAL(scene.wrong, 0);
    irr_team_close(&team);
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
    irr_job_destroy(scene.other);
    irr_job_destroy(scene.job);
}

static void test_all(void)
{
    uint64_t state = irr_test_seed();

    for (int a = 1; irr_algorithm_name(a) != NULL; a++) {
        for (int overlap = 0; overlap < IRR_OVERLAP_COUNT; overlap++) {
            for (int kind = 0; kind < IRR_JOB_KINDS; kind++) {
                irr_settings_t settings = {
                    .algorithm = a, .overlap = (irr_overlap_t)overlap, .slice_min = kind % 2 * 100,
                    .direct_bytes = 100,
                    .compose = (irr_compose_t)(kind % IRR_COMPOSE_COUNT),
                    .scheduled.redistribution = { .x = 1, .p = RANKS, .y = 2, .q = RANKS }
                };

                if (irr_test_picks(&state)) {
                    expect(settings, (irr_job_kind_t)kind, -1, &state);
                }
            }
        }
    }
}

/* One rank that cannot is enough for all. */
static void test_refused(void)
{
    uint64_t state = irr_test_seed();

    expect((irr_settings_t){ .algorithm = irr_algorithm_find("a4") }, IRR_JOB_UNIFORM, 3, &state);
}

IRR_TEST_MAIN("freeze", 60,
    { "every algorithm, overlap and kind of job runs again", test_all },
    { "none goes without descriptions if one cannot",                              test_refused })
