/*
 * test_check_place.c - the plan checker with exchanges in place: it accepts correct plans, and detects bytes that are
 * overwritten before they are sent. test_pairs.c checks the plans of route/pairs.h by the checker.
 */
#include "irr_test.h"
#include "plan_scene.h"

static void test_right(void)
{
    irr_scene_t scene;

    irr_scene_open_place(&scene);
    irr_scene_accept(&scene);
}

static irr_step_t *step(irr_scene_t *scene, int rank, int i)
{
    return irr_scene_step(scene, rank, i);
}

static irr_piece_t *piece(irr_scene_t *scene, int rank, int i, int p)
{
    return irr_scene_piece(scene, rank, i, p);
}

/* A row of the list has a function that breaks one thing, and the reason that the checker must give. */
#define BREAK(name, statement, reason)     static void name(irr_scene_t *s) { statement; }
#define BREAK_ROW(name, statement, reason) { name, reason },

#define BROKEN(ROW) \
    ROW(one_alone, s->problems[1].in_place = false, "problem of rank 1 is not in place, that of rank 0 is") \
    ROW(first_alone, s->problems[0].in_place = false, "problem of rank 1 is in place, that of rank 0 is not") \
    ROW(lists_differ, s->send[1][2].offset += 1, "problem of rank 1 is in place, but its lists differ in block 2") \
    ROW(lists_shorter, s->problems[2].send.count = 2, \
        "problem of rank 2 is in place, but its lists differ in block 2") \
    ROW(not_copied, step(s, 0, 2)->deps = 0, \
        "rank 0 step 2 writes OUTPUT[8,16), which step 0 uses, on which it does not depend") \
    ROW(not_sent, *piece(s, 0, 1, 0) = *piece(s, 0, 0, 0), \
        "rank 0 step 2 writes OUTPUT[8,16), which step 1 uses, on which it does not depend") \
    ROW(not_sent_input, *piece(s, 2, 1, 0) = *piece(s, 2, 0, 0), \
        "rank 2 step 2 writes OUTPUT[0,8), which step 1 uses, on which it does not depend") \
    ROW(read_later, *piece(s, 0, 3, 0) = *piece(s, 0, 0, 0), \
        "rank 0 step 3 reads OUTPUT[8,16) of step 2, on which it does not depend") \
    ROW(other_block, *piece(s, 1, 0, 0) = *piece(s, 1, 3, 0), \
        "rank 0: byte 0 of the block from rank 1 should be INPUT[0] of that rank, but is INPUT[16] of rank 1") \
    ROW(written_twice, *piece(s, 0, 5, 0) = *piece(s, 0, 2, 0), \
        "rank 0 step 5 writes OUTPUT[8,16), which step 2 wrote already") \
    ROW(never, piece(s, 0, 5, 0)->buffer = IRR_BUFFER_SCRATCH; piece(s, 0, 5, 0)->offset = UNIT; \
        s->plans[0].scratch_bytes = 2 * UNIT, \
        "rank 0: byte 0 of the block from rank 2 should be INPUT[0] of that rank, but is INPUT[16] of rank 0") \
    ROW(own_block, piece(s, 0, 5, 0)->offset = 0, \
        "rank 0: byte 0 of the block from rank 0 should be INPUT[0] of that rank, but is INPUT[0] of rank 2") \
    ROW(outside, piece(s, 1, 3, 0)->offset = RANKS * UNIT, \
        "rank 1 step 3 reads OUTPUT[24,32), which is not inside the send blocks") \
    ROW(little_scratch, s->plans[2].scratch_bytes = UNIT - 1, \
        "rank 2 step 0: piece of 8 bytes at 0 is outside the scratch of 7") \
    ROW(scratch_early, step(s, 0, 3)->deps = 0, \
        "rank 0 step 3 writes SCRATCH[0,8), which step 0 uses, on which it does not depend") \
    ROW(onto_itself, *piece(s, 2, 0, 1) = (irr_piece_t)OUTPUT(0), "rank 2 step 0 copies a range onto itself")

BROKEN(BREAK)

static void test_broken(void)
{
    static const irr_scene_breakage_t breakages[] = { BROKEN(BREAK_ROW) { NULL, NULL } };

    irr_scene_refuse_each(irr_scene_open_place, breakages);
}

/* Each rank receives before it copies and sends: dependencies are correct, but the bytes are overwritten. */
static void test_overwritten(void)
{
    static const irr_scene_row_t rows[] = {
        { 0, IRR_STEP_RECV, 1, 1, { OUTPUT(1) }, ALONE, 0 },
        { 0, IRR_STEP_COPY, 0, 1, { OUTPUT(1), SCRATCH(0) }, AFTER, 0 },
        { 0, IRR_STEP_SEND, 1, 1, { SCRATCH(0) }, AFTER, 1 },
        { 1, IRR_STEP_COPY, 1, 1, { OUTPUT(0), SCRATCH(0) }, ALONE, 0 },
        { 1, IRR_STEP_RECV, 0, 1, { OUTPUT(0) }, AFTER, 0 },
        { 1, IRR_STEP_SEND, 0, 1, { SCRATCH(0) }, AFTER, 0 }
    };
    irr_scene_t scene;

    irr_scene_open_empty(&scene);
    for (int r = 0; r < RANKS; r++) {
        scene.problems[r].in_place = true;
        scene.problems[r].send.count = scene.problems[r].recv.count = r < 2 ? 2 : 0;
    }
    irr_scene_add(&scene, ROWS(rows));
    irr_scene_refuse(&scene, "rank 1: byte 0 of the block from rank 0 should be INPUT[8] of that rank, "
                             "but is INPUT[0] of rank 1");
}

/* Bytes that stay where they are need no plan. */
static void test_nothing_to_do(void)
{
    irr_scene_t scene;

    irr_scene_open_empty(&scene);
    for (int r = 0; r < RANKS; r++) {
        scene.problems[r].in_place = true;
        scene.problems[r].send = scene.problems[r].recv = (irr_blocks_t){ .list = &scene.recv[r][r], .count = 1 };
    }
    irr_scene_accept(&scene);
}

IRR_TEST_MAIN("check place", 120,
    { "a correct plan is accepted", test_right },
    { "each rule broken", test_broken },
    { "bytes overwritten before they are sent", test_overwritten },
    { "bytes that stay where they are", test_nothing_to_do })
