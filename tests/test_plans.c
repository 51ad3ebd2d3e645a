/*
 * test_plans.c - the plans of all ranks, and their messages with the slices that they carry, for small jobs.
 * test_proof.c has the messages of all algorithms.
 */
#include "matrix_scene.h"
#include "plan_all.h"
#include "plan_scene.h"

#include "study/plans.h"

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

IRR_TEST(test_refused, "unsupported algorithms and matrices are refused")
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
IRR_TEST(test_scheduled, "messages of a schedule")
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
IRR_TEST(test_scenes, "messages of plans written by hand")
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

IRR_TEST(test_stopped, "the caller stops the listing of messages")
{
    irr_scene_t scene;
    irr_plans_t plans = plans_of(&scene);
    record_t record = { .limit = 2 };

    irr_scene_open(&scene);
    CU_ASSERT_EQUAL(irr_plans_each_message(&plans, record_message, &record), IRR_OK);
    CU_ASSERT_EQUAL(record.messages, 2);
    irr_scene_close(&scene);
}

IRR_TEST(test_broken, "wrong plans have no messages")
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

IRR_TEST_MAIN("plans", 60)
