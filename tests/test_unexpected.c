/*
 * test_unexpected.c - a message that nobody asks for: told to its receiver, thrown away, and never taken for another
 * one.
 */
#include "irr_memory.h"
#include "irr_test.h"
#include "irr_world.h"

#include "plan/strategy.h"

#include <string.h>

enum { RANKS = 3, FROM = 0, TO = 1, ROUNDS = 20000, HALF = IRR_TAG_SEQUENCES / 2 };

typedef struct scene {
    irr_world_t  world;
    irr_team_t   team;
    irr_job_t   *wrong;     /* FROM sends to TO, whose block for it is empty */
    irr_job_t   *nothing;
    irr_job_t   *all;
    irr_job_t   *back;      /* as wrong, but TO knows */
    irr_status_t result[IRR_CREW_MAX];
} scene_t;

enum { SHORT = 8 };

static void open_team(scene_t *scene, const char *algorithm)
{
    const irr_settings_t settings = { .algorithm = irr_algorithm_find(algorithm), .direct_bytes = SHORT };

    irr_team_open(&scene->team, &scene->world, &settings);
}

/* Equal messages that are longer than SHORT. */
static irr_job_t *uniform(void)
{
    irr_job_t *job = irr_job_create(RANKS, IRR_JOB_UNIFORM, 1);

    for (uint64_t seed = 2; irr_job_length(job, FROM, TO) <= SHORT; seed++) {
        irr_job_destroy(job);
        job = irr_job_create(RANKS, IRR_JOB_UNIFORM, seed);
    }
    return job;
}

/* One message of this length, from FROM to TO. */
static irr_job_t *one_message(size_t length)
{
    irr_job_t *job = uniform();

    for (int i = 0; i < RANKS * RANKS; i++) {
        irr_job_shorten(job, i / RANKS, i % RANKS, i == FROM * RANKS + TO ? length : 0);
    }
    return job;
}

static void open_scene(scene_t *scene, const char *algorithm, size_t eager_max)
{
    memset(scene, 0, sizeof(*scene));
    irr_memory_begin();
    irr_world_open(&scene->world, RANKS, 0, eager_max);
    open_team(scene, algorithm);
    scene->all = uniform();
    scene->wrong = one_message(SHORT);
    irr_job_cut(scene->wrong, TO, FROM, 0);
    scene->back = one_message(SHORT);
    scene->nothing = one_message(0);
    irr_job_fill(scene->wrong);
    irr_job_fill(scene->nothing);
    irr_job_fill(scene->all);
    scene->back->salt = 77;
    irr_job_fill(scene->back);
}

static void close_scene(scene_t *scene)
{
    irr_team_close(&scene->team);
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
    irr_job_destroy(scene->wrong);
    irr_job_destroy(scene->nothing);
    irr_job_destroy(scene->all);
    irr_job_destroy(scene->back);
}

static void start(scene_t *scene, int rank, irr_job_t *job)
{
    scene->result[rank] = irr_team_start_rank(&scene->team, rank, job);
}

/* All ranks exchange a job; returns whether TO was told of an unexpected message.  All else must be right. */
static bool run(scene_t *scene, irr_job_t *job)
{
    for (int r = 0; r < RANKS; r++) {
        start(scene, r, job);
    }
    CU_ASSERT_TRUE_FATAL(irr_team_progress(&scene->team, scene->result, ROUNDS));
    for (int r = 0; r < RANKS; r++) {
        CU_ASSERT(scene->result[r] == IRR_OK || (r == TO && scene->result[r] == IRR_ERR_TRUNCATE));
        CU_ASSERT_TRUE(irr_job_verify(job, r));
    }
    return scene->result[TO] != IRR_OK;
}

/* It is told in the exchange or in the next one, once; also where its sender waits until it is received. */
static void test_warned(void)
{
    static const char *const rows[] = { "direct", "natural", "auto", "hybrid" };

    for (int i = 0; i < 8; i++) {
        scene_t scene;
        int errors;

        open_scene(&scene, rows[i / 2], i % 2 == 0 ? SIZE_MAX : 0);
        errors = run(&scene, scene.wrong);
        errors += run(&scene, scene.all);
        CU_ASSERT_EQUAL(errors, 1);
        for (int k = 0; k < 200; k++) {
            CU_ASSERT_FALSE(run(&scene, k % 3 == 0 ? scene.all : scene.back));
        }
        close_scene(&scene);
    }
}

/* The receiver hears from the sender again after any number of exchanges: never the old bytes, and it is told once. */
static void test_later(void)
{
    for (int between = 0; between < 3 * HALF; between += between < 5 ? 1 : 7) {
        scene_t scene;
        int errors;

        open_scene(&scene, "direct", SIZE_MAX);
        errors = run(&scene, scene.wrong);
        for (int k = 0; k < between; k++) {
            errors += run(&scene, scene.nothing);
        }
        errors += run(&scene, scene.back);
        errors += run(&scene, scene.back);
        CU_ASSERT_EQUAL(errors, 1);
        close_scene(&scene);
    }
}

/* The sender is late: the receiver, which has left the exchange, serves it while it does nothing. */
static void test_late_sender(void)
{
    for (int rendezvous = 0; rendezvous < 2; rendezvous++) {
        scene_t scene;
        int errors = 0;

        open_scene(&scene, "direct", rendezvous ? 0 : SIZE_MAX);
        for (int r = 0; r < RANKS; r++) {
            if (r != FROM) {
                start(&scene, r, scene.wrong);
            }
        }
        CU_ASSERT_TRUE(irr_team_progress(&scene.team, scene.result, ROUNDS));
        start(&scene, FROM, scene.wrong);
        CU_ASSERT_TRUE(irr_team_progress(&scene.team, scene.result, ROUNDS));
        CU_ASSERT_EQUAL(scene.result[FROM], IRR_OK);
        errors += run(&scene, scene.nothing);
        errors += run(&scene, scene.all);
        CU_ASSERT_EQUAL(errors, 1);
        close_scene(&scene);
    }
}

/* All ranks send to each other what nobody asks for, and wait until it is received. */
static void test_mutual(void)
{
    for (int rendezvous = 0; rendezvous < 2; rendezvous++) {
        irr_job_t *job = uniform();
        scene_t scene;

        for (int i = 0; i < RANKS * RANKS; i++) {
            if (i / RANKS != i % RANKS) {
                irr_job_cut(job, i / RANKS, i % RANKS, 0);
            }
        }
        irr_job_fill(job);
        open_scene(&scene, "direct", rendezvous ? 0 : SIZE_MAX);
        for (int r = 0; r < RANKS; r++) {
            start(&scene, r, job);
        }
        CU_ASSERT_TRUE_FATAL(irr_team_progress(&scene.team, scene.result, ROUNDS));
        for (int r = 0; r < RANKS; r++) {
            CU_ASSERT(scene.result[r] == IRR_ERR_TRUNCATE || (scene.result[r] == IRR_OK && !rendezvous));
            CU_ASSERT_TRUE(irr_job_verify(job, r));
        }
        for (int r = 0; r < RANKS; r++) {
            start(&scene, r, scene.all);
        }
        CU_ASSERT_TRUE_FATAL(irr_team_progress(&scene.team, scene.result, ROUNDS));
        for (int r = 0; r < RANKS; r++) {
            CU_ASSERT_TRUE(irr_job_verify(scene.all, r));
        }
        CU_ASSERT_FALSE(run(&scene, scene.all));
        close_scene(&scene);
        irr_job_destroy(job);
    }
}

/* The others are in the next exchange when the sender starts; the last few before the meeting, and in it. */
static void test_in_barrier(void)
{
    for (uint32_t left = 1; left < 20; left++) {
        scene_t scene;
        bool errors;

        open_scene(&scene, "direct", 0);
        for (int r = 0; r < RANKS; r++) {
            scene.team.comms[r]->sequence = HALF - left;
            scene.team.comms[r]->over = HALF - left;
        }
        do {
            CU_ASSERT_FALSE(run(&scene, scene.nothing));
        } while (irr_unexpected_meet(scene.team.comms[0]->sequence));
        for (int r = FROM + 1; r < RANKS; r++) {
            start(&scene, r, scene.wrong);
        }
        CU_ASSERT_TRUE(irr_team_progress(&scene.team, scene.result, ROUNDS));
        for (int r = FROM + 1; r < RANKS; r++) {
            start(&scene, r, scene.nothing);
        }
        start(&scene, FROM, scene.wrong);
        for (int i = 0; i < ROUNDS && scene.result[FROM] == IRR_IN_PROGRESS; i++) {
            irr_team_progress(&scene.team, scene.result, 1);
        }
        CU_ASSERT_EQUAL_FATAL(scene.result[FROM], IRR_OK);
        errors = scene.result[TO] == IRR_ERR_TRUNCATE;
        start(&scene, FROM, scene.nothing);
        CU_ASSERT_TRUE(irr_team_progress(&scene.team, scene.result, ROUNDS));
        errors = errors || scene.result[TO] == IRR_ERR_TRUNCATE;
        CU_ASSERT_TRUE(errors || run(&scene, scene.all));
        CU_ASSERT_FALSE(run(&scene, scene.all));
        close_scene(&scene);
    }
}

static void use(scene_t *scene, uint64_t user)
{
    for (int r = 0; r < RANKS; r++) {
        irr_comm_use(scene->team.comms[r], user);
    }
}

/* Who uses the communicator next is not told of what came for the user before, but of its own. */
static void test_users(void)
{
    for (int rendezvous = 0; rendezvous < 2; rendezvous++) {
        scene_t scene;
        int errors;

        open_scene(&scene, "direct", rendezvous ? 0 : SIZE_MAX);
        use(&scene, 1);
        for (int r = FROM + 1; r < RANKS; r++) {
            start(&scene, r, scene.wrong);
        }
        CU_ASSERT_TRUE(irr_team_progress(&scene.team, scene.result, ROUNDS));
        CU_ASSERT_EQUAL(scene.result[TO], IRR_OK);
        start(&scene, FROM, scene.wrong);
        CU_ASSERT_TRUE(irr_team_progress(&scene.team, scene.result, ROUNDS));
        use(&scene, 2);
        CU_ASSERT_FALSE(run(&scene, scene.all));
        errors = run(&scene, scene.wrong);
        errors += run(&scene, scene.all);
        CU_ASSERT_EQUAL(errors, 1);
        CU_ASSERT_FALSE(run(&scene, scene.all));
        close_scene(&scene);
    }
}

/* The communicator of the receiver is gone when the message comes; another one gets its id. */
static void test_next_communicator(void)
{
    for (int i = 0; i < 4; i++) {
        const bool rendezvous = i % 2 == 1, freed = i / 2 == 1;
        irr_comm_t *sender;
        scene_t scene;
        uint32_t id;

        open_scene(&scene, "direct", rendezvous ? 0 : SIZE_MAX);
        id = scene.team.comms[0]->id;
        for (int r = RANKS - 1; r >= 0; r--) {
            start(&scene, r, scene.wrong);
            if (freed && r > 0) {
                irr_engine_progress(scene.world.engines[r]);
                CU_ASSERT_EQUAL(irr_exchange_test(irr_comm_exchange(scene.team.comms[r])), IRR_OK);
                irr_comm_destroy(scene.team.comms[r]);
                scene.team.comms[r] = NULL;
                scene.result[r] = IRR_OK;
            }
        }
        CU_ASSERT_TRUE(irr_team_progress(&scene.team, scene.result, ROUNDS));
        sender = scene.team.comms[FROM];
        CU_ASSERT_EQUAL(scene.result[FROM], IRR_OK);
        CU_ASSERT_PTR_NOT_NULL(sender);
        irr_team_destroy(&scene.team);
        for (int r = 0; r < RANKS; r++) {
            scene.world.engines[r]->ids.next = id;
        }
        open_team(&scene, "direct");
        CU_ASSERT_EQUAL(scene.team.comms[0]->id, id);
        for (int k = 0; k < 5; k++) {
            CU_ASSERT_FALSE(run(&scene, scene.back));
        }
        close_scene(&scene);
    }
}

/* A sender that is far ahead sends what will be asked for: nothing of that is thrown away, however the numbers wrap. */
static void test_ahead(void)
{
    enum { AHEAD = 300 };

    for (uint32_t before = 0; before < HALF; before += 19) {
        scene_t scene;
        int done[RANKS] = { 0 };

        open_scene(&scene, "direct", SIZE_MAX);
        for (int r = 0; r < RANKS; r++) {
            scene.team.comms[r]->sequence = HALF * (1 + before % 2) - 1 - before;
            scene.team.comms[r]->over = scene.team.comms[r]->sequence;
        }
        CU_ASSERT_EQUAL(run(&scene, scene.wrong) + run(&scene, scene.all), 1);
        memset(scene.result, 0, sizeof(scene.result));
        for (int round = 0; round < 300 * AHEAD; round++) {
            const int r = round % 20 == 0 ? TO : round % 3 == 1 ? FROM : 2;

            /* Each as fast as it can, TO seldom. */
            irr_engine_progress(scene.world.engines[r]);
            if (done[r] < AHEAD && scene.result[r] != IRR_IN_PROGRESS) {
                start(&scene, r, scene.back);
            }
            if (scene.result[r] == IRR_IN_PROGRESS) {
                scene.result[r] = irr_exchange_test(irr_comm_exchange(scene.team.comms[r]));
                done[r] += scene.result[r] != IRR_IN_PROGRESS;
                CU_ASSERT(scene.result[r] == IRR_IN_PROGRESS || scene.result[r] == IRR_OK);
                CU_ASSERT(r != TO || scene.result[r] != IRR_OK || irr_job_verify(scene.back, TO));
            }
        }
        CU_ASSERT(done[FROM] == AHEAD && done[TO] == AHEAD && done[2] == AHEAD);
        close_scene(&scene);
    }
}

IRR_TEST_MAIN("unexpected", 60,
    { "is told once, and nothing else is wrong",              test_warned },
    { "is not what a later exchange receives",                test_later },
    { "of a sender that is late does not make it wait",       test_late_sender },
    { "is served in a meeting, too",                          test_in_barrier },
    { "on all ranks at once",                                 test_mutual },
    { "is not told to who uses the communicator next",        test_users },
    { "is not what another communicator receives",            test_next_communicator },
    { "is told from what is to come, on ranks far apart",     test_ahead })
