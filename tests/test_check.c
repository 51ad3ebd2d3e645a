/*
 * test_check.c - the plan checker detects each broken rule.
 *
 * Most cases take the correct plans of plan_scene.h, break one thing in them, and expect the reason. test_exec.c runs
 * random plans that the checker accepts, and test_pairs.c checks the plans of route/pairs.h by the checker.
 */
#include "irr_test.h"
#include "plan_scene.h"

#include <limits.h>

#define step  irr_scene_step
#define piece irr_scene_piece

IRR_TEST(test_no_reason, "the checker accepts NULL in place of a buffer for the reason")
{
    irr_scene_t scene;

    irr_scene_open(&scene);
    CU_ASSERT_EQUAL(irr_plan_check(scene.plans, scene.problems, RANKS, NULL, 0), IRR_OK);
    CU_ASSERT_EQUAL(irr_plan_check(scene.plans, scene.problems, 0, NULL, 0), IRR_ERR_BAD_PARAM);
    step(&scene, 0, 0)->peer = RANKS;
    CU_ASSERT_EQUAL(irr_plan_check(scene.plans, scene.problems, RANKS, NULL, 0), IRR_ERR_INVALID_PLAN);
    irr_scene_close(&scene);
}

/* ---- one change that makes plans wrong ---- */

/* A row has a function that makes one change, and the reason that the checker must give. */
#define BREAK(name, statement, reason)     static void name(irr_scene_t *s) { statement; }
#define BREAK_ROW(name, statement, reason) { name, reason },

#define SHAPES(ROW) \
    ROW(no_blocks, s->problems[1].send.list = NULL, "problem of rank 1 has no send blocks") \
    ROW(wild_block, s->recv[1][2].length = SIZE_MAX, "problem of rank 1: recv block 2 is out of range") \
    ROW(empty_block, s->send[1][2].length = 0, "problem of rank 1: send blocks are empty, or not sorted by rank") \
    ROW(not_sorted, s->recv[0][1].rank = 2; s->recv[0][2].rank = 1, \
        "problem of rank 0: recv blocks are empty, or not sorted by rank") \
    ROW(other_problem, s->problems[2].rank = 0, "problem of rank 2 of 3 is for rank 0 of 3") \
    ROW(disagree, s->recv[2][1].length = 9, "problems disagree: rank 1 sends 8 bytes to rank 2, which expects 9") \
    ROW(other_plan, s->plans[2].ranks = 4, "plan of rank 2 of 3 is for rank 2 of 4") \
    ROW(no_room, s->plans[0].nsteps = s->plans[0].steps_max + 1, \
        "plan of rank 0 has more steps, pieces or dependencies than room") \
    ROW(wild_kind, step(s, 0, 1)->kind = 7, "rank 0 step 1: step kind 7 is not allowed") \
    ROW(wild_peer, step(s, 0, 2)->peer = RANKS, "rank 0 step 2: peer 3 is not allowed") \
    ROW(negative_peer, step(s, 0, 2)->peer = -1, "rank 0 step 2: peer -1 is not allowed") \
    ROW(copy_to_other, step(s, 0, 3)->peer = 1, "rank 0 step 3: peer 1 is not allowed") \
    ROW(stage_zero, step(s, 1, 2)->stage = 0, "rank 1 step 2: stage 0 is not from 1 to 2") \
    ROW(stage_high, step(s, 1, 2)->stage = 3, "rank 1 step 2: stage 3 is not from 1 to 2") \
    ROW(number_zero, step(s, 1, 2)->number = 0, "rank 1 step 2: number 0 is not allowed") \
    ROW(copy_numbered, step(s, 1, 5)->number = 1, "rank 1 step 5: number 1 is not allowed") \
    ROW(no_pieces, step(s, 0, 0)->pieces = 0, "rank 0 step 0: 0 pieces from index 0 on, the plan has 6") \
    ROW(wild_pieces, step(s, 0, 0)->first_piece = UINT32_MAX, \
        "rank 0 step 0: 1 pieces from index 4294967295 on, the plan has 6") \
    ROW(wild_buffer, piece(s, 0, 0, 0)->buffer = 3, "rank 0 step 0: buffer 3 is not allowed") \
    ROW(wild_length, piece(s, 0, 0, 0)->length = SIZE_MAX, \
        "rank 0 step 0: piece of 18446744073709551615 bytes at 8 is out of range") \
    ROW(wild_offset, piece(s, 0, 0, 0)->offset = PTRDIFF_MAX, \
        "rank 0 step 0: piece of 8 bytes at 9223372036854775807 is out of range") \
    ROW(outside_scratch, piece(s, 1, 4, 0)->offset = 1, \
        "rank 1 step 4: piece of 8 bytes at 1 is outside the scratch of 8") \
    ROW(before_scratch, piece(s, 1, 4, 0)->offset = -1, \
        "rank 1 step 4: piece of 8 bytes at -1 is outside the scratch of 8") \
    ROW(wrong_sum, step(s, 0, 2)->bytes = 15, "rank 0 step 2: pieces have 16 bytes, the step 15") \
    ROW(short_copy, piece(s, 0, 3, 1)->length = 7, "rank 0 step 3: copies 8 bytes into 7") \
    ROW(wild_scratch, s->plans[1].scratch_bytes = SIZE_MAX, \
        "plan of rank 1 has a scratch of 18446744073709551615 bytes") \
    ROW(wild_deps, step(s, 1, 4)->deps = 2, "rank 1 step 4: 2 dependencies from index 0 on, the plan has 1") \
    ROW(dep_on_itself, s->plans[1].deps[0] = 4, "rank 1 step 4: depends on step 4, which is not an earlier one")

SHAPES(BREAK)

#define RULES_1_TO_4(ROW) \
    ROW(no_send, step(s, 1, 2)->stage = 2, "rank 0 step 0 receives from rank 1 in stage 1, which has no send for it") \
    ROW(no_receive, step(s, 1, 1)->stage = 2, "rank 2 step 3 sends to rank 1 in stage 1, which has no receive for it") \
    ROW(other_length, step(s, 0, 2)->bytes = 15; piece(s, 0, 2, 0)->length = 7, \
        "rank 0 step 2 sends 15 bytes to rank 1 in stage 1, whose step 0 receives 16") \
    ROW(other_pieces, piece(s, 0, 2, 0)->length = 9; piece(s, 0, 2, 1)->length = 7, \
        "rank 0 step 2 and rank 1 step 0 differ in part 0 of their message") \
    ROW(no_dep, step(s, 1, 4)->deps = 0, "rank 1 step 4 reads SCRATCH[0,8) of step 0, on which it does not depend") \
    ROW(other_dep, s->plans[1].deps[0] = 1, "rank 1 step 4 reads SCRATCH[0,8) of step 0, on which it does not depend") \
    ROW(empty_scratch, s->plans[1].scratch_bytes = 16; piece(s, 1, 4, 0)->offset = 8, \
        "rank 1 step 4 reads SCRATCH[8,16), which earlier steps have not fully written") \
    ROW(not_owned, piece(s, 1, 2, 0)->offset = -4, \
        "rank 1 step 2 reads INPUT[-4,4), which is not inside the send blocks") \
    ROW(write_input, piece(s, 1, 1, 0)->buffer = IRR_BUFFER_INPUT, "rank 1 step 1 writes INPUT[16,24)") \
    ROW(written_twice, piece(s, 1, 1, 0)->offset = 4, "rank 1 step 1 writes OUTPUT[4,12), which step 0 wrote already") \
    ROW(outside, piece(s, 1, 1, 0)->offset = 17, \
        "rank 1 step 1 writes OUTPUT[17,25), which is not inside the recv blocks") \
    ROW(shared_block, s->recv[1][2].offset = 15, "problem of rank 1: recv blocks of ranks 1 and 2 overlap") \
    ROW(never, piece(s, 0, 0, 0)->buffer = IRR_BUFFER_SCRATCH; s->plans[0].scratch_bytes = 16, \
        "rank 0: byte 0 of the block from rank 1 never arrives") \
    ROW(swapped, piece(s, 0, 2, 0)->offset = 2 * UNIT; piece(s, 0, 2, 1)->offset = UNIT, \
        "rank 1: byte 0 of the block from rank 0 should be INPUT[8] of that rank, but is INPUT[16] of rank 0") \
    ROW(shifted, piece(s, 2, 2, 0)->offset = 1, \
        "rank 0: byte 0 of the block from rank 2 should be INPUT[0] of that rank, but is INPUT[1] of rank 2") \
    ROW(onto_itself, *piece(s, 0, 3, 0) = *piece(s, 0, 3, 1), "rank 0 step 3 copies a range onto itself")

RULES_1_TO_4(BREAK)

/*
 * The k-th send matches the k-th receive, so two halves that are sent in the wrong order are exchanged at the receiver.
 */
IRR_TEST(test_message_order, "rule 1: messages between two ranks match in order")
{
    static const irr_piece_t
        first_in = { IRR_BUFFER_INPUT, false, 0, UNIT / 2 },
        second_in = { IRR_BUFFER_INPUT, false, UNIT / 2, UNIT / 2 },
        second_out = { IRR_BUFFER_OUTPUT, false, UNIT + UNIT / 2, UNIT / 2 };
    static const irr_scene_row_t second_half[] = {
        { 0, IRR_STEP_RECV, 1, 1, { second_out }, ALONE, 0 },
        { 1, IRR_STEP_SEND, 0, 1, { second_in }, ALONE, 0 }
    };
    irr_scene_t scene;

    irr_scene_open(&scene);
    irr_scene_add(&scene, ROWS(second_half));
    step(&scene, 0, 0)->bytes = piece(&scene, 0, 0, 0)->length = UNIT / 2;
    step(&scene, 1, 2)->bytes = piece(&scene, 1, 2, 0)->length = UNIT / 2;
    CU_ASSERT_EQUAL(irr_scene_check(&scene), IRR_OK);
    *piece(&scene, 1, 2, 0) = second_in;
    *piece(&scene, 1, 6, 0) = first_in;
    irr_scene_refuse(&scene, "rank 0: byte 0 of the block from rank 1 should be INPUT[0] of that rank, "
                           "but is INPUT[4] of rank 1");
}

/* Step 6 of rank 1 writes before step 4 may have read, or step 7 reads before step 6 may have written. */
#define REUSES(ROW) \
    ROW(write_early, s->plans[1].deps[1] = 0, \
        "rank 1 step 6 writes SCRATCH[0,8) and does not depend on step 4, which uses the same bytes") \
    ROW(write_alone, step(s, 1, 6)->deps = 0, \
        "rank 1 step 6 writes SCRATCH[0,8) and does not depend on step 0, which uses the same bytes") \
    ROW(read_early, s->plans[1].deps[2] = 4, \
        "rank 1 step 7 reads SCRATCH[0,8) of step 6, on which it does not depend") \
    ROW(scratch_twice, *piece(s, 1, 0, 0) = *piece(s, 1, 0, 1), \
        "rank 1 step 0 writes SCRATCH[0,8), which step 0 wrote already")

REUSES(BREAK)

/* ---- signals and waits ---- */

/* The last steps of ranks 0 and 1. */
enum { SIGNAL = 4, WAIT = 6 };

static void open_notified(irr_scene_t *scene)
{
    static const irr_scene_row_t rows[] = {
        { 0, IRR_STEP_SIGNAL, 1, 1, { NOTHING }, AFTER, 0 },
        { 1, IRR_STEP_WAIT, 0, 1, { NOTHING }, AFTER, 2 }
    };

    irr_scene_open(scene);
    irr_scene_add(scene, ROWS(rows));
}

#define SIGNALS(ROW) \
    ROW(signal_nobody, s->plans[1].nsteps--, "rank 0 step 4 signals rank 1 in stage 1, which has no wait for it") \
    ROW(signal_another, step(s, 0, SIGNAL)->peer = 2, \
        "rank 1 step 6 waits for rank 0 in stage 1, which has no signal for it") \
    ROW(signal_itself, step(s, 0, SIGNAL)->peer = 0, "rank 0 step 4: peer 0 is not allowed") \
    ROW(signal_in_a_step, step(s, 0, SIGNAL)->number = 1, "rank 0 step 4: number 1 is not allowed") \
    ROW(signal_bytes, step(s, 0, SIGNAL)->bytes = piece(s, 0, SIGNAL, 0)->length = 3, \
        "rank 0 step 4: a signal or a wait of 3 bytes") \
    ROW(wait_nobody, s->plans[0].nsteps--, "rank 1 step 6 waits for rank 0 in stage 1, which has no signal for it") \
    ROW(wait_later, step(s, 1, WAIT)->stage = 2, "rank 0 step 4 signals rank 1 in stage 1, which has no wait for it") \
    ROW(wait_itself, step(s, 1, WAIT)->peer = 1, "rank 1 step 6: peer 1 is not allowed") \
    ROW(wait_in_pieces, step(s, 1, WAIT)->first_piece--; step(s, 1, WAIT)->pieces = 2, \
        "rank 1 step 6: 2 pieces from index 7 on, the plan has 9")

SIGNALS(BREAK)

/* ---- in place ---- */

#define PLACES(ROW) \
    ROW(one_alone, s->problems[1].in_place = false, "problem of rank 1 is not in place, that of rank 0 is") \
    ROW(first_alone, s->problems[0].in_place = false, "problem of rank 1 is in place, that of rank 0 is not") \
    ROW(lists_differ, s->send[1][2].offset += 1, "problem of rank 1 is in place, but its lists differ in block 2") \
    ROW(lists_shorter, s->problems[2].send.count = 2, \
        "problem of rank 2 is in place, but its lists differ in block 2") \
    ROW(not_copied, step(s, 0, 2)->deps = 0, \
        "rank 0 step 2 writes OUTPUT[8,16) and does not depend on step 0, which uses the same bytes") \
    ROW(not_sent, *piece(s, 0, 1, 0) = *piece(s, 0, 0, 0), \
        "rank 0 step 2 writes OUTPUT[8,16) and does not depend on step 1, which uses the same bytes") \
    ROW(not_sent_input, *piece(s, 2, 1, 0) = *piece(s, 2, 0, 0), \
        "rank 2 step 2 writes OUTPUT[0,8) and does not depend on step 1, which uses the same bytes") \
    ROW(read_later, *piece(s, 0, 3, 0) = *piece(s, 0, 0, 0), \
        "rank 0 step 3 reads OUTPUT[8,16) of step 2, on which it does not depend") \
    ROW(other_block, *piece(s, 1, 0, 0) = *piece(s, 1, 3, 0), \
        "rank 0: byte 0 of the block from rank 1 should be INPUT[0] of that rank, but is INPUT[16] of rank 1") \
    ROW(place_written_twice, *piece(s, 0, 5, 0) = *piece(s, 0, 2, 0), \
        "rank 0 step 5 writes OUTPUT[8,16), which step 2 wrote already") \
    ROW(place_never, piece(s, 0, 5, 0)->buffer = IRR_BUFFER_SCRATCH; piece(s, 0, 5, 0)->offset = UNIT; \
        s->plans[0].scratch_bytes = 2 * UNIT, \
        "rank 0: byte 0 of the block from rank 2 should be INPUT[0] of that rank, but is INPUT[16] of rank 0") \
    ROW(own_block, piece(s, 0, 5, 0)->offset = 0, \
        "rank 0: byte 0 of the block from rank 0 should be INPUT[0] of that rank, but is INPUT[0] of rank 2") \
    ROW(place_outside, piece(s, 1, 3, 0)->offset = RANKS * UNIT, \
        "rank 1 step 3 reads OUTPUT[24,32), which is not inside the send blocks") \
    ROW(place_onto_itself, *piece(s, 2, 0, 1) = (irr_piece_t)OUTPUT(0), "rank 2 step 0 copies a range onto itself")

PLACES(BREAK)

#define LIST(open, ROWS) { open, (const irr_scene_breakage_t[]){ ROWS(BREAK_ROW) { NULL, NULL } } }

IRR_TEST(test_broken, "the checker accepts correct plans, and refuses them after each change")
{
    const struct {
        void (*open)(irr_scene_t *scene);
        const irr_scene_breakage_t *breakages;
    } lists[] = {
        LIST(irr_scene_open, SHAPES), LIST(irr_scene_open, RULES_1_TO_4), LIST(irr_scene_open_reuse, REUSES),
        LIST(open_notified, SIGNALS), LIST(irr_scene_open_place, PLACES)
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(lists); i++) {
        irr_scene_t scene;

        lists[i].open(&scene);
        irr_scene_accept(&scene);
        irr_scene_refuse_each(lists[i].open, lists[i].breakages);
    }
}

/* Each rank receives before it copies and sends: dependencies are correct, but the bytes are overwritten. */
IRR_TEST(test_overwritten, "in place: bytes that a receive overwrites before their send")
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

/*
 * Send blocks may overlap, as in MPI: a byte may be sent to several ranks, but is received once. Ranks without blocks,
 * and bytes that stay where they are in place, need no plan.
 */
IRR_TEST(test_accepted, "overlapping send blocks, and ranks with nothing to send")
{
    irr_scene_t scene;

    irr_scene_open(&scene);
    for (int i = 0; i < RANKS; i++) {
        scene.send[1][i].offset = i;
    }
    piece(&scene, 1, 2, 0)->offset = 0;
    piece(&scene, 1, 3, 0)->offset = 2;
    piece(&scene, 1, 5, 0)->offset = 1;
    irr_scene_accept(&scene);
    for (int place = 0; place <= 1; place++) {
        irr_scene_open_empty(&scene);
        for (int r = 0; r < RANKS; r++) {
            scene.problems[r].in_place = place > 0;
            scene.problems[r].send = scene.problems[r].recv =
                (irr_blocks_t){ .list = &scene.recv[r][r], .count = (size_t)place };
        }
        irr_scene_accept(&scene);
    }
}

/* ---- rule 5: no deadlock ---- */

enum { DEADLOCK_STEPS = 6 };

/* Steps of ranks 0 and 1; unused rows have stage 0. */
static const struct {
    irr_scene_row_t rows[DEADLOCK_STEPS];
    const char     *reason;
} deadlocks[] = {
    /* Two ranks post their receives only after their sends are complete. */
    { { { 0, IRR_STEP_SEND, 1, 1, { INPUT(1) }, ALONE, 0 },
        { 0, IRR_STEP_RECV, 1, 1, { OUTPUT(1) }, AFTER, 0 },
        { 1, IRR_STEP_SEND, 0, 1, { INPUT(0) }, ALONE, 0 },
        { 1, IRR_STEP_RECV, 0, 1, { OUTPUT(0) }, AFTER, 0 } },
      "deadlock: 4 steps never end; rank 0 step 0 waits for rank 1 step 1" },
    /*
     * Rank 0 could start step 2 at once. In the order of the plan, however, step 2 follows a step that waits for the
     * answer to step 2.
     */
    { { { 0, IRR_STEP_RECV, 1, 1, { OUTPUT(1) }, ALONE, 0 },
        { 0, IRR_STEP_SEND, 1, 2, { INPUT(2) }, AFTER, 0 },
        { 0, IRR_STEP_SEND, 1, 1, { INPUT(1) }, ALONE, 0 },
        { 1, IRR_STEP_RECV, 0, 1, { OUTPUT(0) }, ALONE, 0 },
        { 1, IRR_STEP_RECV, 0, 2, { SCRATCH(0) }, ALONE, 0 },
        { 1, IRR_STEP_SEND, 0, 1, { INPUT(0) }, AFTER, 0 } },
      "deadlock: 6 steps never end; rank 1 step 2 waits for rank 1 step 0" },
    /* Each of two ranks signals the other rank only after it has received a signal from that rank. */
    { { { 0, IRR_STEP_WAIT, 1, 1, { NOTHING }, ALONE, 0 },
        { 0, IRR_STEP_SIGNAL, 1, 1, { NOTHING }, AFTER, 0 },
        { 1, IRR_STEP_WAIT, 0, 1, { NOTHING }, ALONE, 0 },
        { 1, IRR_STEP_SIGNAL, 0, 1, { NOTHING }, AFTER, 0 } },
      "deadlock: 4 steps never end; rank 0 step 0 waits for rank 1 step 1" },
    /* A send waits for a signal that its receiver sends only after it has the message. */
    { { { 0, IRR_STEP_WAIT, 1, 1, { NOTHING }, ALONE, 0 },
        { 0, IRR_STEP_SEND, 1, 1, { INPUT(1) }, AFTER, 0 },
        { 1, IRR_STEP_RECV, 0, 1, { OUTPUT(0) }, ALONE, 0 },
        { 1, IRR_STEP_SIGNAL, 0, 1, { NOTHING }, AFTER, 0 } },
      "deadlock: 4 steps never end; rank 0 step 0 waits for rank 1 step 1" },
    /*
     * The send of rank 1 waits for the second signal. The second signal follows the first signal, which waits for the
     * send.
     */
    { { { 0, IRR_STEP_RECV, 1, 1, { OUTPUT(1) }, ALONE, 0 },
        { 0, IRR_STEP_SIGNAL, 1, 1, { NOTHING }, AFTER, 0 },
        { 0, IRR_STEP_SIGNAL, 1, 1, { NOTHING }, ALONE, 0 },
        { 1, IRR_STEP_WAIT, 0, 1, { NOTHING }, ALONE, 0 },
        { 1, IRR_STEP_WAIT, 0, 1, { NOTHING }, ALONE, 0 },
        { 1, IRR_STEP_SEND, 0, 1, { INPUT(0) }, AFTER, 1 } },
      "deadlock: 6 steps never end; rank 1 step 2 waits for rank 1 step 1" }
};

IRR_TEST(test_deadlocks, "rule 5: steps that wait for each other in a cycle")
{
    for (size_t i = 0; i < IRR_TEST_COUNT(deadlocks); i++) {
        irr_scene_t scene;
        size_t count = 0;

        while (count < DEADLOCK_STEPS && deadlocks[i].rows[count].stage > 0) {
            count++;
        }
        irr_scene_open_empty(&scene);
        irr_scene_add(&scene, deadlocks[i].rows, count);
        irr_scene_refuse(&scene, deadlocks[i].reason);
    }
}

/*
 * Each copy doubles the number of segments of the previous copy. The checker refuses the plan long before memory runs
 * out.
 */
IRR_TEST(test_bomb, "a plan whose copies double the number of segments")
{
    enum { DOUBLINGS = 40 };
    irr_scene_row_t row = {
        0, IRR_STEP_COPY, 0, 1, { { IRR_BUFFER_INPUT, false, 0, 1 }, { IRR_BUFFER_SCRATCH, false, 0, 1 } }, ALONE, 0
    };
    irr_scene_t scene;

    irr_scene_open_empty(&scene);
    irr_scene_add(&scene, &row, 1);
    row.pieces[0].buffer = IRR_BUFFER_SCRATCH;
    row.depends = AFTER;
    for (row.on = 0; row.on < DOUBLINGS; row.on++) {
        row.pieces[0].length = row.pieces[1].length = (size_t)1 << row.on;
        row.pieces[1].offset = (ptrdiff_t)row.pieces[0].length;
        irr_scene_add(&scene, &row, 1);
    }
    irr_scene_refuse(&scene, "rank 0 handles some bytes more than 4 times in a stage");
}

/* ---- memory ---- */

static irr_status_t check(void *context)
{
    return irr_scene_check(context);
}

IRR_TEST(test_no_memory, "each failed allocation is an error and leaks no memory")
{
    irr_scene_t scene;

    irr_scene_open_reuse(&scene);
    CU_ASSERT(irr_memory_fail_each(check, &scene) > 10);
    irr_scene_close(&scene);
    irr_scene_open_place(&scene);
    CU_ASSERT(irr_memory_fail_each(check, &scene) > 10);
    irr_scene_close(&scene);
}

IRR_TEST_MAIN("check", 240)
