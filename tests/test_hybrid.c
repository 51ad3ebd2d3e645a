/*
 * test_hybrid.c - long messages are sent directly, and all other messages travel through the grid. If the two ends of a
 * message disagree whether the message is long, the bytes arrive or the receiver has an error. No rank hangs, and later
 * exchanges are correct.
 */
#include "irr_test.h"
#include "irr_world.h"

#include <string.h>

enum { RANKS = 5, RANKS_MAX = 8, ROUNDS = 20000, LIMIT = 200 };

static const size_t eager[] = { 0, 100, SIZE_MAX };

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

static void run(scene_t *scene, irr_job_t *job)
{
    irr_team_run(&scene->team, job, scene->result);
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

/* A long message is sent once, by its source, and is not copied. */
static void test_sent_once(void)
{
    const irr_settings_t settings = { .direct_bytes = 1 };
    irr_job_t *job = irr_job_create(RANKS_MAX, IRR_JOB_UNIFORM, 1);
    scene_t scene;

    irr_job_fill(job);
    open_scene(&scene, RANKS_MAX, &settings, 0, SIZE_MAX);
    for (uint64_t times = 1; times <= 3; times++) {
        run_well(&scene, job);
        for (int r = 0; r < RANKS_MAX; r++) {
            irr_counters_t counters;

            irr_engine_counters(scene.team.world->engines[r], &counters);
            CU_ASSERT(counters.largest_message == irr_job_length(job, r, (r + 1) % RANKS_MAX));
            CU_ASSERT(counters.bytes_staged == times * irr_job_length(job, r, r));
        }
    }
    irr_team_close(&scene.team);
    irr_job_destroy(job);
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

/*
 * The message is short at one end and long at the other end. If it is short at its sender, the bytes arrive, no rank
 * waits for more bytes, and no later message is mistaken for it. If it is short at its receiver, rank 1 has an error in
 * this exchange or in the next exchange.
 */
static void run_short(bool at_sender, size_t window, size_t eager_max)
{
    const irr_settings_t settings = { .direct_bytes = LIMIT, .window_messages = window };
    irr_job_t *right = equal(RANKS, LIMIT), *wrong = unequal(RANKS, at_sender);
    scene_t scene;

    irr_job_fill(right);
    open_scene(&scene, RANKS, &settings, 0, eager_max);
    for (int k = 0; k < 100 && at_sender; k++) {
        run_well(&scene, right);
        run_well(&scene, wrong);
        CU_ASSERT_TRUE(arrived(wrong, 0, 1, LIMIT / 2));
        run_well(&scene, right);
        CU_ASSERT_TRUE(arrived(right, 0, 1, LIMIT));
    }
    for (int k = 0; k < 150 && !at_sender; k++) {
        int errors;

        run(&scene, wrong);
        errors = scene.result[1] == IRR_ERR_TRUNCATE;
        run(&scene, right);
        errors += scene.result[1] == IRR_ERR_TRUNCATE;
        CU_ASSERT_EQUAL(errors, 1);
        run_well(&scene, right);
    }
    irr_team_close(&scene.team);
    irr_job_destroy(wrong);
    irr_job_destroy(right);
}

static void test_short(void)
{
    for (int i = 0; i < 12; i++) {
        run_short(i % 2 == 0, i / 2 % 2, eager[i / 4]);
    }
}

/* Makes some messages shorter at one end. Returns the number of messages that are shorter at their receiver. */
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

/*
 * Random messages become shorter at random ends. A receiver with too little room has an error, perhaps in a later
 * exchange. No other rank has an error.
 */
static void test_disagree(void)
{
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
        irr_team_close(&scene.team);
    }
}

/* An exchange that is planned while the ends disagree gets a plan that waits for no missing message. */
static void test_planned(void)
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

IRR_TEST_MAIN("hybrid", 60,
    { "long messages are sent once and not copied",   test_sent_once },
    { "a message that is short at one end",           test_short },
    { "ends that disagree at random",                 test_disagree },
    { "ends that disagree about a planned exchange",  test_planned })
