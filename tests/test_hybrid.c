/*
 * test_hybrid.c - long messages go directly and the others through the grid: every byte, whichever are long; and where
 * the two ends of a message do not agree whether it is, an error or the bytes, no hang, and nothing wrong in what
 * follows.
 */
#include "irr_test.h"
#include "irr_world.h"

#include <string.h>

enum { RANKS_MAX = 8, ROUNDS = 20000, LIMIT = 200 };

typedef struct scene {
    irr_world_t  world;
    irr_team_t   team;
    int          ranks;
    irr_status_t result[IRR_CREW_MAX];
} scene_t;

static void open_scene(scene_t *scene, int ranks, const irr_settings_t *settings, uint64_t seed, size_t eager_max)
{
    memset(scene, 0, sizeof(*scene));
    scene->ranks = ranks;
    irr_world_open(&scene->world, ranks, seed, eager_max);
    irr_team_init(&scene->team, &scene->world, 0, 1);
    for (int r = 0; r < ranks; r++) {
        scene->team.params[r].settings = *settings;
        scene->team.params[r].settings.algorithm = irr_algorithm_find("hybrid");
    }
    CU_ASSERT_EQUAL_FATAL(irr_team_create(&scene->team), IRR_OK);
}

static void close_scene(scene_t *scene)
{
    irr_team_close(&scene->team);
}

static void run(scene_t *scene, irr_job_t *job)
{
    for (int r = 0; r < scene->ranks; r++) {
        scene->result[r] = irr_team_start_rank(&scene->team, r, job);
    }
    CU_ASSERT_TRUE_FATAL(irr_team_progress(&scene->team, scene->result, ROUNDS));
    for (int r = 0; r < scene->ranks; r++) {
        CU_ASSERT_TRUE(irr_job_verify(job, r));
    }
}

static void run_well(scene_t *scene, irr_job_t *job)
{
    run(scene, job);
    for (int r = 0; r < scene->ranks; r++) {
        CU_ASSERT_EQUAL(scene->result[r], IRR_OK);
    }
}

static size_t pick(uint64_t *state, const size_t *from, size_t count)
{
    return from[irr_test_random(state) % count];
}

/* ---- every byte ---- */

/* A long message is sent once, by its source; no message of the grid has so much. */
static void test_sent_once(void)
{
    enum { RANKS = 7 };
    const irr_settings_t settings = { .direct_bytes = 1 };
    irr_job_t *job = irr_job_create(RANKS, IRR_JOB_UNIFORM, 1);
    scene_t scene;

    irr_job_fill(job);
    open_scene(&scene, RANKS, &settings, 0, SIZE_MAX);
    for (uint64_t times = 1; times <= 3; times++) {
        run_well(&scene, job);
        for (int r = 0; r < RANKS; r++) {
            irr_counters_t counters;

            irr_engine_counters(scene.world.engines[r], &counters);
            CU_ASSERT(counters.largest_message == irr_job_length(job, r, (r + 1) % RANKS));
            CU_ASSERT(counters.bytes_staged == times * irr_job_length(job, r, r));
        }
    }
    close_scene(&scene);
    irr_job_destroy(job);
}

/* ---- ends that do not agree ---- */

/* Equal messages of a length. */
static irr_job_t *equal(int ranks, size_t length)
{
    irr_job_t *job;
    uint64_t seed = 1;

    for (job = irr_job_create(ranks, IRR_JOB_UNIFORM, seed); irr_job_length(job, 0, ranks - 1) < length;) {
        irr_job_destroy(job);
        job = irr_job_create(ranks, IRR_JOB_UNIFORM, ++seed);
    }
    for (int i = 0; i < ranks * ranks; i++) {
        irr_job_shorten(job, i / ranks, i % ranks, length);
    }
    return job;
}

/* Have so many bytes of a message arrived? */
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
 * Rank 0 has less for rank 1 than this awaits, and so little that it goes through the grid.  The bytes arrive, as with
 * any way; nobody waits for more, and no later message is taken for it.
 */
static void test_short_at_sender(void)
{
    enum { RANKS = 5 };
    static const size_t windows[] = { 0, 1 };

    for (int i = 0; i < 6; i++) {
        const irr_settings_t settings = { .direct_bytes = LIMIT, .window_messages = windows[i % 2] };
        irr_job_t *right = equal(RANKS, LIMIT), *wrong = equal(RANKS, LIMIT);
        scene_t scene;

        irr_job_cut_sent(wrong, 0, 1, LIMIT / 2);
        irr_job_fill(right);
        irr_job_fill(wrong);
        open_scene(&scene, RANKS, &settings, 0, i / 2 == 0 ? 0 : i / 2 == 1 ? 100 : SIZE_MAX);
        for (int k = 0; k < 300; k++) {
            const bool is_wrong = k % 3 == 1;

            run_well(&scene, is_wrong ? wrong : right);
            CU_ASSERT_TRUE(arrived(is_wrong ? wrong : right, 0, 1, is_wrong ? LIMIT / 2 : LIMIT));
        }
        close_scene(&scene);
        irr_job_destroy(wrong);
        irr_job_destroy(right);
    }
}

/* Rank 1 awaits less from rank 0, which sends it directly: rank 1 is told in this exchange or in the next one. */
static void test_short_at_receiver(void)
{
    enum { RANKS = 5 };

    for (int i = 0; i < 6; i++) {
        const irr_settings_t settings = { .direct_bytes = LIMIT, .window_messages = i % 2 };
        irr_job_t *right = equal(RANKS, LIMIT), *wrong = equal(RANKS, LIMIT);
        scene_t scene;

        irr_job_cut(wrong, 1, 0, LIMIT / 2);
        irr_job_fill(right);
        irr_job_fill(wrong);
        open_scene(&scene, RANKS, &settings, 0, i / 2 == 0 ? 0 : i / 2 == 1 ? 100 : SIZE_MAX);
        for (int k = 0; k < 150; k++) {
            int errors;

            run(&scene, wrong);
            errors = scene.result[1] == IRR_ERR_TRUNCATE;
            run(&scene, right);
            errors += scene.result[1] == IRR_ERR_TRUNCATE;
            CU_ASSERT_EQUAL(errors, 1);
            run_well(&scene, right);
        }
        close_scene(&scene);
        irr_job_destroy(wrong);
        irr_job_destroy(right);
    }
}

/* Makes some messages shorter at one end; how many receivers have less than comes. */
static int disagree(irr_job_t *job, uint64_t *state)
{
    int shorter = 0;

    for (int from = 0; from < job->ranks; from++) {
        for (int to = 0; to < job->ranks; to++) {
            const size_t length = irr_job_length(job, from, to);
            const size_t left = length > 1 ? 1 + irr_test_random(state) % (length - 1) : length;
            const int end = (int)(irr_test_random(state) % 8);

            if (from == to || left == length || end > 1) {
                continue;
            }
            if (end == 0) {
                irr_job_cut_sent(job, from, to, left);
            } else {
                irr_job_cut(job, to, from, irr_test_random(state) % 3 == 0 ? 0 : left);
                shorter++;
            }
        }
    }
    return shorter;
}

static irr_settings_t random_settings(uint64_t *state)
{
    static const size_t lengths[] = { 0, 1, 7, 100, LIMIT, 3000, IRR_BYTES_AUTO }, windows[] = { 0, 0, 1, 3 };

    return (irr_settings_t){
        .direct_bytes = pick(state, lengths, IRR_TEST_COUNT(lengths)),
        .window_messages = pick(state, windows, IRR_TEST_COUNT(windows)),
        .overlap = (irr_overlap_t)(irr_test_random(state) % IRR_OVERLAP_COUNT),
        .compose = (irr_compose_t)(irr_test_random(state) % IRR_COMPOSE_COUNT)
    };
}

/* Any messages, any ends: who has room for less may be told later, and nobody else is told. */
static void test_disagree(void)
{
    static const size_t eager[] = { 0, 100, SIZE_MAX };
    uint64_t state = irr_test_seed();

    for (int round = 0; round < 60; round++) {
        const int ranks = 2 + (int)(irr_test_random(&state) % (RANKS_MAX - 1));
        const irr_settings_t settings = random_settings(&state);
        int shorter = 0, errors = 0;
        scene_t scene;

        open_scene(&scene, ranks, &settings, irr_test_random(&state), pick(&state, eager, 3));
        for (int i = 0; i < 10; i++) {
            irr_job_t *job = irr_job_create(ranks, i % 2 == 0 ? IRR_JOB_UNIFORM : IRR_JOB_MIXED,
                                            irr_test_random(&state));

            shorter += i < 8 ? disagree(job, &state) : 0;
            irr_job_fill(job);
            run(&scene, job);
            for (int r = 0; r < ranks; r++) {
                CU_ASSERT(scene.result[r] == IRR_OK || scene.result[r] == IRR_ERR_TRUNCATE);
                errors += scene.result[r] != IRR_OK;
            }
            irr_job_destroy(job);
        }
        CU_ASSERT((errors > 0) == (shorter > 0) && errors <= shorter);
        close_scene(&scene);
    }
}

/* What is planned while the ends disagree goes on without a plan that would wait for what does not come. */
static void test_planned(void)
{
    enum { RANKS = 5 };

    for (int i = 0; i < 4; i++) {
        const irr_settings_t settings = { .direct_bytes = LIMIT, .window_messages = i % 2 };
        irr_job_t *job = equal(RANKS, LIMIT);
        scene_t scene;

        if (i / 2 == 0) {
            irr_job_cut_sent(job, 0, 1, LIMIT / 2);
        } else {
            irr_job_cut(job, 1, 0, LIMIT / 2);
        }
        irr_job_fill(job);
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
        close_scene(&scene);
        irr_job_destroy(job);
    }
}

IRR_TEST_MAIN("hybrid", 60,
    { "long messages are sent once and not copied",  test_sent_once },
    { "a message that is short at its sender",       test_short_at_sender },
    { "a message that is short at its receiver",     test_short_at_receiver },
    { "ends that disagree at random",                test_disagree },
    { "ends that disagree of what is planned",       test_planned })
