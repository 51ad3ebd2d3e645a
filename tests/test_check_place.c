/*
 * test_check_place.c - the plan checker with exchanges in place: it accepts correct plans, including those of
 * route/pairs.h, and detects bytes that are overwritten before they are sent.
 */
#include "irr_test.h"
#include "plan_scene.h"

#include "route/pairs.h"

/* ---- plans by hand ---- */

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

/* ---- plans in pairs ---- */

enum { RANKS_MAX = 12, LENGTH_MAX = 1200, BLOCKS_MAX = 3 };

typedef struct place {
    int           ranks;
    irr_block_t   blocks[RANKS_MAX][RANKS_MAX * BLOCKS_MAX];
    irr_problem_t problems[RANKS_MAX];
    irr_plan_t    plans[RANKS_MAX];
    char          reason[200];
} place_t;

/* Returns the length of the messages between two ranks, equal in both directions and often 0. */
static size_t length_of(uint64_t seed, int a, int b)
{
    uint64_t state = seed + (uint64_t)((a < b ? a : b) * RANKS_MAX + (a < b ? b : a));

    return irr_test_below(&state, 4) == 0 ? 0 : (size_t)irr_test_below(&state, LENGTH_MAX);
}

/* Makes messages of up to BLOCKS_MAX blocks, with a gap of one byte behind each block. */
static void open_place(place_t *place, int ranks, const irr_pairs_limits_t *limits, uint64_t *state)
{
    const uint64_t seed = irr_test_random(state);

    place->ranks = ranks;
    place->reason[0] = '\0';
    for (int r = 0; r < ranks; r++) {
        ptrdiff_t offset = 0;
        size_t count = 0;

        for (int peer = 0; peer < ranks; peer++) {
            size_t left = length_of(seed, r, peer);

            for (int k = 1; left > 0; k++) {
                const size_t length = k == BLOCKS_MAX ? left : 1 + (size_t)irr_test_below(state, left);

                place->blocks[r][count++] = (irr_block_t){ .rank = peer, .offset = offset, .length = length };
                offset += (ptrdiff_t)length + 1;
                left -= length;
            }
        }
        place->problems[r] = (irr_problem_t){
            .ranks = ranks, .rank = r, .send = { place->blocks[r], count }, .recv = { place->blocks[r], count },
            .in_place = true };
        irr_plan_init(&place->plans[r]);
        irr_test_must(irr_pairs_build(&place->problems[r], limits, &place->plans[r]));
    }
}

static void close_place(place_t *place)
{
    for (int r = 0; r < place->ranks; r++) {
        irr_plan_fini(&place->plans[r]);
    }
}

static irr_status_t check(place_t *place)
{
    return irr_plan_check(place->plans, place->problems, place->ranks, place->reason, sizeof(place->reason));
}

static const irr_pairs_limits_t limits[] = {
    { .scratch = 128, .piece = 64 }, { .scratch = 512, .piece = 64 }, { .scratch = 1024, .piece = 200 },
    { .scratch = (size_t)1 << 20, .piece = (size_t)1 << 18 }
};

enum { LIMITS = IRR_TEST_COUNT(limits) };

/* Plans in pairs are accepted for all limits. */
static void test_pairs(void)
{
    uint64_t state = irr_test_seed();
    place_t place;

    for (int i = 0; i < irr_test_runs(20 * RANKS_MAX); i++) {
        open_place(&place, 1 + i % RANKS_MAX, &limits[irr_test_below(&state, LIMITS)], &state);
        CU_ASSERT_EQUAL(check(&place), IRR_OK);
        CU_ASSERT_STRING_EQUAL(place.reason, "");
        close_place(&place);
    }
}

/* Returns a step of a rank that sends or receives bytes; NULL if there is none. */
static irr_step_t *some_waiting(const irr_plan_t *plan, uint64_t *state)
{
    const size_t first = plan->nsteps > 0 ? (size_t)irr_test_below(state, plan->nsteps) : 0;

    for (size_t i = 0; i < plan->nsteps; i++) {
        irr_step_t *step = &plan->steps[(first + i) % plan->nsteps];

        if (step->kind != IRR_STEP_COPY && step->bytes > 0) {
            return step;
        }
    }
    return NULL;
}

/* A send or a receive without its dependencies may run before the copy that it needs: it is never accepted. */
static void test_pairs_broken(void)
{
    uint64_t state = irr_test_seed();
    place_t place;

    for (int i = 0; i < irr_test_runs(20 * RANKS_MAX); i++) {
        irr_step_t *step;

        open_place(&place, 2 + i % (RANKS_MAX - 1), &limits[irr_test_below(&state, LIMITS)], &state);
        step = some_waiting(&place.plans[irr_test_below(&state, (uint64_t)place.ranks)], &state);
        if (step != NULL) {
            step->deps = 0;
            CU_ASSERT_EQUAL(check(&place), IRR_ERR_INVALID_PLAN);
            CU_ASSERT_STRING_NOT_EQUAL(place.reason, "");
        }
        close_place(&place);
    }
}

IRR_TEST_MAIN("check place", 120,
    { "a correct plan is accepted", test_right },
    { "each rule broken", test_broken },
    { "bytes overwritten before they are sent", test_overwritten },
    { "bytes that stay where they are", test_nothing_to_do },
    { "plans in pairs are accepted", test_pairs },
    { "plans in pairs without a dependency are refused", test_pairs_broken })
