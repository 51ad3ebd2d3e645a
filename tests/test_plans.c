/*
 * test_plans.c - the plans of all ranks, and their messages with the slices that they carry.
 *
 * Small jobs have exact expectations. For all algorithms, a replay moves every byte, and uses only the slices.
 */
#include "irr_test.h"
#include "matrix_scene.h"
#include "plan_all.h"
#include "plan_scene.h"

#include "study/plans.h"

#include <stdlib.h>
#include <string.h>

/* Messages as text, one line each: stage.step from>to bytes, and source>destination[offset,end) for each slice. */
typedef struct record {
    char   text[2000];
    size_t used;
    int    messages, limit;  /* number of messages; the listing stops after `limit` messages, 0: never */
} record_t;

static bool record_message(void *context, const irr_plans_message_t *message)
{
    record_t *record = context;
    char *text = record->text;
    size_t size = sizeof(record->text);

    record->used += (size_t)snprintf(text + record->used, size - record->used, "%d.%d %d>%d %zu:",
                                     message->stage, message->step, message->from, message->to,
                                     message->bytes);
    for (size_t i = 0; i < message->nslices && record->used < size; i++) {
        const irr_slice_t *slice = &message->slices[i];

        record->used += (size_t)snprintf(text + record->used, size - record->used, " %d>%d[%zu,%zu)",
                                         slice->source, slice->destination, slice->offset,
                                         slice->offset + slice->length);
    }
    if (record->used < size) {
        record->used += (size_t)snprintf(text + record->used, size - record->used, "\n");
    }
    CU_ASSERT_FATAL(record->used < size);
    return ++record->messages != record->limit;
}

static void expect_messages(const irr_plans_t *plans, const char *text)
{
    record_t record = { .limit = 0 };

    CU_ASSERT_EQUAL(irr_plans_each_message(plans, record_message, &record), IRR_OK);
    CU_ASSERT_STRING_EQUAL(record.text, text);
}

static irr_plans_t plans_of(irr_scene_t *scene)
{
    return (irr_plans_t){ .ranks = RANKS, .problems = scene->problems, .plans = scene->plans };
}

/* entry(i, j) = 10 * i + j + 1 */
static irr_matrix_t numbered_matrix(int ranks)
{
    irr_matrix_t matrix = matrix_scene_zero(ranks);

    for (int i = 0; i < ranks * ranks; i++) {
        matrix.entries[i] = (uint64_t)(10 * (i / ranks) + i % ranks + 1);
    }
    return matrix;
}

/* ---- building ---- */

static void test_layout(void)
{
    irr_matrix_t matrix = numbered_matrix(3);
    irr_plans_t plans;

    CU_ASSERT_EQUAL_FATAL(irr_plan_all(irr_algorithm_find("direct"), 0, &matrix, &plans), IRR_OK);
    CU_ASSERT_EQUAL(plans.ranks, 3);
    for (int r = 0; r < 3; r++) {
        CU_ASSERT_EQUAL(plans.problems[r].rank, r);
        CU_ASSERT_EQUAL(plans.plans[r].rank, r);
    }
    CU_ASSERT_EQUAL(plans.problems[1].send.list[0].offset, 0);
    CU_ASSERT_EQUAL(plans.problems[1].send.list[2].offset, 11 + 12);
    CU_ASSERT_EQUAL(plans.problems[1].send.list[2].length, 13);
    CU_ASSERT_EQUAL(plans.problems[1].recv.list[2].offset, 2 + 12);
    CU_ASSERT_EQUAL(plans.problems[1].recv.list[2].length, 22);
    irr_plans_fini(&plans);
    CU_ASSERT_PTR_NULL(plans.plans);
    irr_matrix_fini(&matrix);
}

static void test_refused(void)
{
    irr_matrix_t matrix = numbered_matrix(2);
    irr_plans_t plans = { .ranks = 77 };
    const irr_plans_known_t known = { .matrix = &matrix };

    CU_ASSERT_EQUAL(irr_plans_build(irr_algorithm_strategy(irr_algorithm_find("node")), &known, &plans),
                    IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(irr_plans_build(irr_algorithm_strategy(irr_algorithm_find("xor")), &known, &plans),
                    IRR_ERR_BAD_PARAM);
    *irr_matrix_at(&matrix, 0, 1) = INT64_MAX;
    CU_ASSERT_EQUAL(irr_plan_all(irr_algorithm_find("direct"), 0, &matrix, &plans), IRR_ERR_BAD_PARAM);
    CU_ASSERT_EQUAL(plans.ranks, 77);
    irr_matrix_fini(&matrix);
}

/* ---- messages ---- */

/* The parts of a message may be sent in any order. Only their order distinguishes the parts. */
static void test_scheduled(void)
{
    irr_transmission_t list[] = {
        { 1, 0, 1, 1, 1, 0 }, { 1, 1, 2, 0, 13, 0 }, { 2, 0, 2, 0, 3, 0 }, { 2, 1, 0, 6, 5, 0 }, { 2, 2, 1, 0, 22, 0 },
        { 3, 0, 1, 0, 1, 0 }, { 4, 1, 0, 0, 6, 0 }
    };
    irr_schedule_t schedule = { .ranks = 3, .steps = 4, .list = list, .count = IRR_TEST_COUNT(list) };
    irr_matrix_t matrix = numbered_matrix(3);
    const irr_plans_known_t known = { .matrix = &matrix, .schedule = &schedule };
    const irr_strategy_t strategy = {
        .route = &irr_route_direct, .order = &irr_order_given, .pacing = &irr_pacing_free
    };
    irr_plans_t plans = { .ranks = 77 };

    *irr_matrix_at(&matrix, 2, 0) = 0;
    CU_ASSERT_EQUAL_FATAL(irr_schedule_check(&schedule, &matrix, NULL, 0), IRR_OK);
    CU_ASSERT_EQUAL_FATAL(irr_plans_build(&strategy, &known, &plans), IRR_OK);
    expect_messages(&plans, "1.1 0>1 1: 0>1[1,2)\n"
                            "1.1 1>2 13: 1>2[0,13)\n"
                            "1.2 0>2 3: 0>2[0,3)\n"
                            "1.2 1>0 5: 1>0[6,11)\n"
                            "1.2 2>1 22: 2>1[0,22)\n"
                            "1.3 0>1 1: 0>1[0,1)\n"
                            "1.4 1>0 6: 1>0[0,6)\n");
    list[6].length = 5;
    irr_plans_fini(&plans);
    CU_ASSERT_EQUAL_FATAL(irr_plans_build(&strategy, &known, &plans), IRR_OK);
    CU_ASSERT_EQUAL(irr_plan_check(plans.plans, plans.problems, 3, NULL, 0), IRR_ERR_INVALID_PLAN);
    irr_plans_fini(&plans);
    irr_matrix_fini(&matrix);
}

#define RANGE(buffer, offset, length) { IRR_BUFFER_##buffer, false, offset, length }

/* Two consecutive pieces are one slice. Two pieces in another order are two slices. */
static const irr_scene_row_t pieced_rows[] = {
    { 0, IRR_STEP_RECV, 1, 1, { OUTPUT(1) }, ALONE, 0 },
    { 0, IRR_STEP_RECV, 2, 1, { OUTPUT(2) }, ALONE, 0 },
    { 0, IRR_STEP_SEND, 1, 1, { RANGE(INPUT, 8, 3), RANGE(INPUT, 11, 5) }, ALONE, 0 },
    { 0, IRR_STEP_SEND, 2, 1, { RANGE(INPUT, 20, 4), RANGE(INPUT, 16, 4) }, ALONE, 0 },
    { 0, IRR_STEP_COPY, 0, 1, { INPUT(0), OUTPUT(0) }, ALONE, 0 },

    { 1, IRR_STEP_RECV, 0, 1, { RANGE(OUTPUT, 0, 3), RANGE(OUTPUT, 3, 5) }, ALONE, 0 },
    { 1, IRR_STEP_RECV, 2, 1, { OUTPUT(2) }, ALONE, 0 },
    { 1, IRR_STEP_SEND, 2, 1, { INPUT(2) }, ALONE, 0 },
    { 1, IRR_STEP_SEND, 0, 1, { INPUT(0) }, ALONE, 0 },
    { 1, IRR_STEP_COPY, 1, 1, { INPUT(1), OUTPUT(1) }, ALONE, 0 },

    { 2, IRR_STEP_RECV, 0, 1, { RANGE(OUTPUT, 4, 4), RANGE(OUTPUT, 0, 4) }, ALONE, 0 },
    { 2, IRR_STEP_RECV, 1, 1, { OUTPUT(1) }, ALONE, 0 },
    { 2, IRR_STEP_SEND, 0, 1, { INPUT(0) }, ALONE, 0 },
    { 2, IRR_STEP_SEND, 1, 1, { INPUT(1) }, ALONE, 0 },
    { 2, IRR_STEP_COPY, 2, 1, { INPUT(2), OUTPUT(2) }, ALONE, 0 }
};

static void open_pieced(irr_scene_t *scene)
{
    irr_scene_open_empty(scene);
    irr_scene_add(scene, ROWS(pieced_rows));
}

/*
 * Checks the messages of plans that forward, of plans that use their scratch twice, and of plans whose messages have
 * several pieces.
 */
static void test_scenes(void)
{
    static const struct { void (*open)(irr_scene_t *scene); const char *messages; } rows[] = {
        { irr_scene_open, "1.1 0>1 16: 0>1[0,8) 0>2[0,8)\n"
                          "1.1 1>0 8: 1>0[0,8)\n"
                          "1.1 1>2 8: 1>2[0,8)\n"
                          "1.1 2>0 8: 2>0[0,8)\n"
                          "1.1 2>1 8: 2>1[0,8)\n"
                          "2.1 1>2 8: 0>2[0,8)\n" },
        { irr_scene_open_reuse, "1.1 0>1 16: 0>1[0,8) 0>2[0,8)\n"
                                "1.1 1>0 8: 1>0[0,8)\n"
                                "1.1 1>2 8: 1>2[0,8)\n"
                                "1.1 2>1 8: 2>1[0,8)\n"
                                "2.1 1>2 8: 0>2[0,8)\n"
                                "2.1 2>1 8: 2>0[0,8)\n"
                                "3.1 1>0 8: 2>0[0,8)\n" },
        { open_pieced, "1.1 0>1 8: 0>1[0,8)\n"
                       "1.1 0>2 8: 0>2[4,8) 0>2[0,4)\n"
                       "1.1 1>2 8: 1>2[0,8)\n"
                       "1.1 1>0 8: 1>0[0,8)\n"
                       "1.1 2>0 8: 2>0[0,8)\n"
                       "1.1 2>1 8: 2>1[0,8)\n" }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        irr_scene_t scene;
        irr_plans_t plans = plans_of(&scene);

        rows[i].open(&scene);
        expect_messages(&plans, rows[i].messages);
        irr_scene_close(&scene);
    }
}

static void test_stopped(void)
{
    irr_scene_t scene;
    irr_plans_t plans = plans_of(&scene);
    record_t record = { .limit = 2 };

    irr_scene_open(&scene);
    CU_ASSERT_EQUAL(irr_plans_each_message(&plans, record_message, &record), IRR_OK);
    CU_ASSERT_EQUAL(record.messages, 2);
    irr_scene_close(&scene);
}

static void test_broken(void)
{
    irr_scene_t scene;
    irr_plans_t plans = plans_of(&scene);
    record_t record = { .limit = 0 };

    irr_scene_open(&scene);
    irr_scene_piece(&scene, 2, 1, 0)->offset = UNIT;
    CU_ASSERT_EQUAL(irr_plans_each_message(&plans, record_message, &record), IRR_ERR_INVALID_PLAN);
    CU_ASSERT_EQUAL(record.messages, 0);
    irr_scene_close(&scene);
}

/* ---- replay ---- */

#define REPLAY_RANKS  12
#define REPLAY_LENGTH 24

/* since: the stage from which a rank holds a byte, by rank, source, destination and byte; 0: from the start. */
typedef struct replay {
    const irr_matrix_t *matrix;
    int                 since[REPLAY_RANKS][REPLAY_RANKS][REPLAY_RANKS][REPLAY_LENGTH];
    int                 last[3];  /* stage, step and sender of the last message */
    size_t              wrong;
} replay_t;

static bool sorted(const int *a, const int *b)
{
    for (int i = 0; i < 3; i++) {
        if (a[i] != b[i]) {
            return a[i] < b[i];
        }
    }
    return true;
}

static bool continues(const irr_slice_t *a, const irr_slice_t *b)
{
    return a->source == b->source && a->destination == b->destination && a->offset + a->length == b->offset;
}

/* Returns true if the bytes of a slice exist, and the sender has received them in an earlier stage. */
static bool replay_slice(replay_t *replay, const irr_plans_message_t *message, const irr_slice_t *slice)
{
    bool right = slice->length > 0 && slice->source < replay->matrix->ranks &&
                 slice->destination < replay->matrix->ranks;

    right = right && slice->offset + slice->length <= *irr_matrix_at(replay->matrix, slice->source,
                                                                      slice->destination);
    for (size_t i = slice->offset; right && i < slice->offset + slice->length; i++) {
        int *to = &replay->since[message->to][slice->source][slice->destination][i];

        right = replay->since[message->from][slice->source][slice->destination][i] < message->stage;
        *to = message->stage < *to ? message->stage : *to;
    }
    return right;
}

static bool replay_message(void *context, const irr_plans_message_t *message)
{
    replay_t *replay = context;
    int now[3] = { message->stage, message->step, message->from };
    size_t bytes = 0;

    for (size_t i = 0; i < message->nslices; i++) {
        bytes += message->slices[i].length;
        replay->wrong += !replay_slice(replay, message, &message->slices[i]);
        replay->wrong += i > 0 && continues(&message->slices[i - 1], &message->slices[i]);
    }
    replay->wrong += bytes != message->bytes || message->from == message->to || !sorted(replay->last, now);
    memcpy(replay->last, now, sizeof(now));
    return true;
}

static void check_replay(const irr_settings_t *settings, const irr_matrix_t *matrix)
{
    const int algorithm = settings->algorithm;
    static replay_t replay;
    irr_plans_t plans;

    memset(&replay, 0x7f, sizeof(replay));  /* at first, no rank has any byte before a very late stage */
    replay.matrix = matrix;
    replay.wrong = 0;
    memset(replay.last, 0, sizeof(replay.last));
    for (int s = 0; s < matrix->ranks; s++) {
        memset(replay.since[s][s], 0, sizeof(replay.since[s][s]));
    }
    CU_ASSERT_EQUAL_FATAL(irr_plan_all_with(settings, matrix, &plans), IRR_OK);
    CU_ASSERT_EQUAL(irr_plans_each_message(&plans, replay_message, &replay), IRR_OK);
    for (int s = 0; s < matrix->ranks; s++) {
        for (int d = 0; d < matrix->ranks; d++) {
            for (uint64_t i = 0; i < *irr_matrix_at(matrix, s, d); i++) {
                replay.wrong += replay.since[d][s][d][i] > plans.plans[d].stages;
            }
        }
    }
    CU_ASSERT_EQUAL(replay.wrong, 0);
    if (replay.wrong > 0) {
        printf("# %s, %d ranks: %zu wrong\n", irr_algorithm_name(algorithm), matrix->ranks, replay.wrong);
    }
    irr_plans_fini(&plans);
}

/* Replays random jobs. About a third of the messages are empty. */
static void test_replay(void)
{
    uint64_t state = irr_test_seed();

    for (int ranks = 1; ranks <= REPLAY_RANKS; ranks++) {
        irr_matrix_t matrix = matrix_scene_mixed(ranks, REPLAY_LENGTH + 1, &state);

        for (int a = 0; irr_algorithm_name(a) != NULL; a++) {
            check_replay(&(irr_settings_t){ .algorithm = a }, &matrix);
        }
        irr_matrix_fini(&matrix);
    }
}

IRR_TEST_MAIN("plans", 60,
    { "blocks lie without gaps, by rank", test_layout },
    { "rows and matrices that cannot be planned are refused", test_refused },
    { "messages of a schedule", test_scheduled },
    { "messages of plans made by hand", test_scenes },
    { "the caller can stop", test_stopped },
    { "plans that are wrong have no messages", test_broken },
    { "the slices deliver every byte, for all algorithms", test_replay })
