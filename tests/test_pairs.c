/*
 * test_pairs.c - exchanges in place, in pairs with little scratch. The checker accepts the plans. Every byte arrives in
 * any order of messages. Exchanges end even if the counts at both ends differ, or if peers do not exchange in place.
 */
#include "irr_test.h"
#include "irr_world.h"

#include "pacing/pacing.h"
#include "problem/blocks.h"
#include "route/direct.h"
#include "route/pairs.h"
#include "route/route.h"

#include <stdlib.h>
#include <string.h>

#define RANKS_MAX 12
#define LENGTH_MAX 2000
#define BLOCKS_MAX 4   /* number of blocks of a message */
#define BUFFER (RANKS_MAX * (LENGTH_MAX + 1))
#define ROUNDS_MAX 100000

/* Row 1 of the table of algorithms: direct. */
enum { DIRECT = 1 };

/* Each rank has a buffer with the blocks of its messages, and bytes between them. */
typedef struct scene {
    int            ranks;
    size_t         length[RANKS_MAX][RANKS_MAX];
    irr_block_t    blocks[RANKS_MAX][RANKS_MAX * BLOCKS_MAX];
    irr_problem_t  problems[RANKS_MAX];
    unsigned char *buffer[RANKS_MAX];
} scene_t;

/* Returns byte i of the message from one rank to another. */
static unsigned char byte_of(int from, int to, size_t i)
{
    return (unsigned char)(from * 31 + to * 17 + (int)(i * 7 % 251) + 1);
}

/* Appends some blocks for a message. The bytes of gaps are 0. */
static size_t cut(scene_t *scene, int rank, int peer, size_t offset, size_t *count, uint64_t *state)
{
    size_t left = scene->length[rank][peer];

    for (int k = 0; k < BLOCKS_MAX && left > 0; k++) {
        const size_t length = k == BLOCKS_MAX - 1 ? left : 1 + (size_t)irr_test_below(state, left);

        scene->blocks[rank][(*count)++] = (irr_block_t){
            .rank = peer, .offset = (ptrdiff_t)offset, .length = length };
        left -= length;
        offset += length + (left > 0 && k < 2);
    }
    return offset + 1;
}

static void lay_out(scene_t *scene, int rank, uint64_t *state)
{
    irr_problem_t *problem = &scene->problems[rank];
    size_t count = 0, offset = 0;

    for (int peer = 0; peer < scene->ranks; peer++) {
        offset = cut(scene, rank, peer, offset, &count, state);
    }
    *problem = (irr_problem_t){
        .ranks = scene->ranks, .rank = rank, .in_place = true,
        .send = { scene->blocks[rank], count }, .recv = { scene->blocks[rank], count } };
    scene->buffer[rank] = irr_test_array(BUFFER + RANKS_MAX * BLOCKS_MAX, 1);
    for (int peer = 0; peer < scene->ranks; peer++) {
        irr_blocks_cursor_t cursor = irr_blocks_at(irr_blocks_of(problem->send, peer), 0);

        for (size_t i = 0; i < scene->length[rank][peer]; i++) {
            scene->buffer[rank][irr_blocks_next(&cursor, 1).offset] = byte_of(rank, peer, i);
        }
    }
}

/* Draws lengths that are equal in both directions. Many lengths are close to a multiple of a chunk. */
static void fill(scene_t *scene, int ranks, const irr_pairs_limits_t *limits, uint64_t *state)
{
    scene->ranks = ranks;
    for (int i = 0; i < ranks; i++) {
        for (int j = 0; j <= i; j++) {
            const size_t about = limits->chunk * (size_t)irr_test_below(state, 5) + (size_t)irr_test_below(state, 9);
            const size_t any = (size_t)irr_test_below(state, LENGTH_MAX);
            const size_t length = irr_test_below(state, 4) == 0 ? 0 : irr_test_below(state, 2) == 0 ? about : any;

            scene->length[i][j] = scene->length[j][i] = length < LENGTH_MAX ? length : LENGTH_MAX;
        }
    }
}

static void finish(scene_t *scene)
{
    for (int r = 0; r < scene->ranks; r++) {
        free(scene->buffer[r]);
    }
}

/*
 * Returns the number of wrong bytes among the first `length` bytes of the message of a peer, plus the number of changed
 * bytes between blocks.
 */
static size_t count_wrong(const scene_t *scene, int rank, int peer, size_t length)
{
    const irr_blocks_t blocks = irr_blocks_of(scene->problems[rank].recv, peer);
    irr_blocks_cursor_t cursor = irr_blocks_at(blocks, 0);
    size_t wrong = 0;

    for (size_t i = 0; i < length; i++) {
        wrong += scene->buffer[rank][irr_blocks_next(&cursor, 1).offset] != byte_of(peer, rank, i);
    }
    for (size_t i = 0; i + 1 < blocks.count; i++) {
        const size_t end = (size_t)blocks.list[i].offset + blocks.list[i].length;

        wrong += end < (size_t)blocks.list[i + 1].offset && scene->buffer[rank][end] != 0;
    }
    return wrong;
}

/* ---- correct programs ---- */

static const irr_pairs_limits_t limits[] = {
    { .scratch = 128, .chunk = 64 }, { .scratch = 512, .chunk = 64 }, { .scratch = 1024, .chunk = 200 },
    { .scratch = 4096, .chunk = 1000 }, { .scratch = (size_t)1 << 20, .chunk = (size_t)1 << 18 }
};

enum { LIMITS = IRR_TEST_COUNT(limits) };

/* Returns a step of a plan that sends or receives bytes; NULL if there is none. */
static irr_step_t *some_step(const irr_plan_t *plan, uint64_t *state)
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

/*
 * Asserts that the checker accepts the plans, and refuses changed plans in which a send or a receive may run before the
 * copy that it needs.
 */
static void check_plans(const scene_t *scene, irr_plan_t *plans, uint64_t *state)
{
    char reason[200] = "";
    irr_step_t *step;

    CU_ASSERT_EQUAL(irr_plan_check(plans, scene->problems, scene->ranks, reason, sizeof(reason)), IRR_OK);
    CU_ASSERT_STRING_EQUAL(reason, "");
    step = some_step(&plans[irr_test_below(state, (uint64_t)scene->ranks)], state);
    if (step != NULL) {
        const uint32_t deps = step->deps;

        step->deps = 0;
        CU_ASSERT_EQUAL(irr_plan_check(plans, scene->problems, scene->ranks, reason, sizeof(reason)),
                        IRR_ERR_INVALID_PLAN);
        CU_ASSERT_STRING_NOT_EQUAL(reason, "");
        step->deps = deps;
    }
}

/* Runs the plans of all ranks in place, on a communicator of these settings. Stores the results. */
static void run_plans(const scene_t *scene, irr_plan_t *plans, size_t eager_max, const irr_settings_t *settings,
                      uint64_t *state, irr_status_t *result)
{
    irr_team_t team;

    irr_team_open_new(&team, scene->ranks, irr_test_random(state), eager_max, settings);
    for (int r = 0; r < scene->ranks; r++) {
        irr_team_start_plan(&team, r, &scene->problems[r], &plans[r], scene->buffer[r],
                            scene->buffer[r]);
        result[r] = IRR_IN_PROGRESS;
    }
    CU_ASSERT_TRUE_FATAL(irr_team_progress(&team, result, ROUNDS_MAX));
    irr_team_close(&team);
}

static void check_one(const irr_pairs_limits_t *limit, int ranks, size_t eager_max, uint64_t *state)
{
    irr_status_t result[RANKS_MAX];
    irr_plan_t plans[RANKS_MAX];
    scene_t scene;

    fill(&scene, ranks, limit, state);
    for (int r = 0; r < ranks; r++) {
        lay_out(&scene, r, state);
        irr_plan_init(&plans[r]);
        irr_test_must(irr_pairs_build(&scene.problems[r], limit, &plans[r]));
        CU_ASSERT(plans[r].scratch_bytes <= limit->scratch);
    }
    check_plans(&scene, plans, state);
    run_plans(&scene, plans, eager_max, &(irr_settings_t){ .algorithm = DIRECT }, state, result);
    for (int r = 0; r < ranks; r++) {
        CU_ASSERT_EQUAL(result[r], IRR_OK);
        for (int peer = 0; peer < ranks; peer++) {
            CU_ASSERT_EQUAL(count_wrong(&scene, r, peer, scene.length[r][peer]), 0);
        }
    }
    finish(&scene);
}

/* All, some, or no messages are eager. */
static void test_random(void)
{
    static const size_t eager_max[] = { 0, 100, SIZE_MAX };
    uint64_t state = irr_test_seed();

    for (int ranks = 1; ranks <= RANKS_MAX; ranks++) {
        for (int i = 0; i < irr_test_runs(12 * LIMITS); i++) {
            check_one(&limits[i % LIMITS], ranks, eager_max[irr_test_below(&state, 3)], &state);
        }
    }
}

/* Messages of up to 256 GiB in each direction, with the limits of exchanges, never need more scratch than the limit. */
static void test_bound(void)
{
    static const size_t lengths[] = {
        1, IRR_PAIRS_CHUNK, IRR_PAIRS_CHUNK + 1, IRR_PAIRS_SCRATCH, (size_t)1 << 30, (size_t)1 << 38 };
    irr_block_t blocks[64];
    irr_plan_t plan;

    irr_plan_init(&plan);
    for (size_t i = 0; i < IRR_TEST_COUNT(lengths); i++) {
        const int ranks = lengths[i] > IRR_PAIRS_SCRATCH ? 2 : 64;
        size_t sent = 0;

        for (int r = 0; r < ranks; r++) {
            blocks[r] = (irr_block_t){ .rank = r, .offset = (ptrdiff_t)((size_t)r * lengths[i]), .length = lengths[i] };
        }
        irr_test_must(irr_pairs_build(&(irr_problem_t){
            .ranks = ranks, .rank = ranks - 1, .recv = { blocks, (size_t)ranks }, .in_place = true },
            &irr_pairs_limits, &plan));
        for (size_t s = 0; s < plan.nsteps; s++) {
            sent += plan.steps[s].kind == IRR_STEP_SEND ? plan.steps[s].bytes : 0;
        }
        CU_ASSERT_EQUAL(sent, (size_t)(ranks - 1) * lengths[i]);
        CU_ASSERT(plan.scratch_bytes <= IRR_PAIRS_SCRATCH);
        CU_ASSERT_EQUAL(plan.nrecvs, plan.nsends);
    }
    irr_plan_fini(&plan);
}

/* ---- wrong programs ---- */

/* Gives the last rank other counts than its peers expect. */
static void spoil(scene_t *scene, const irr_pairs_limits_t *limit, uint64_t *state)
{
    const int last = scene->ranks - 1;

    for (int peer = 0; peer < last; peer++) {
        const size_t length = limit->chunk * (size_t)irr_test_below(state, 5) + (size_t)irr_test_below(state, 5);

        scene->length[last][peer] = length < LENGTH_MAX ? length : LENGTH_MAX;
    }
}

/*
 * Changes lengths that the test cannot use. The first are empty messages: a message from a peer with an empty block
 * would be unexpected, which is no case for pairs. The second is a length that both ends cannot distinguish from
 * another length.
 */
static void avoid(scene_t *scene, const irr_pairs_limits_t *limit)
{
    for (int i = 0; i < scene->ranks; i++) {
        for (int j = 0; j < scene->ranks; j++) {
            size_t *length = &scene->length[i][j];

            *length += *length == 0 || *length == limit->chunk + 1;
        }
    }
}

/* Builds the plan of a rank that does not exchange in place. */
static void build_direct(const irr_problem_t *problem, const irr_pacing_t *pacing, irr_plan_t *plan)
{
    irr_plan_reset(plan, problem);
    irr_test_must(irr_route_direct.build(problem, &irr_order_rotate, plan));
    irr_test_must(irr_pacing_add(pacing, &(irr_pacing_params_t){ .grants = 0 }, plan));
}

/*
 * Runs an exchange in which counts differ, or in which every second rank has this pacing and is not in place. Returns
 * true if a rank has failed.
 */
static bool check_wrong(const irr_pairs_limits_t *limit, int ranks, bool counts, const irr_pacing_t *pacing,
                        uint64_t *state)
{
    const size_t window = (size_t)irr_test_below(state, 2);
    irr_status_t result[RANKS_MAX];
    irr_plan_t plans[RANKS_MAX];
    bool failed = false;
    scene_t scene;

    fill(&scene, ranks, limit, state);
    if (counts) {
        spoil(&scene, limit, state);
    }
    avoid(&scene, limit);
    for (int r = 0; r < ranks; r++) {
        lay_out(&scene, r, state);
        irr_plan_init(&plans[r]);
        if (!counts && r % 2 == 1) {
            scene.problems[r].in_place = false;
            build_direct(&scene.problems[r], pacing, &plans[r]);
        } else {
            irr_test_must(irr_pairs_build(&scene.problems[r], limit, &plans[r]));
        }
    }
    run_plans(&scene, plans, irr_test_below(state, 2) * 100,
              &(irr_settings_t){ .algorithm = DIRECT, .window_messages = window }, state, result);
    for (int r = 0; r < ranks; r++) {
        CU_ASSERT(result[r] == IRR_OK || result[r] == IRR_ERR_TRUNCATE || result[r] == IRR_ERR_PEER);
        CU_ASSERT(result[r] != IRR_ERR_TRUNCATE || !counts || r == ranks - 1 ||
                  scene.length[r][ranks - 1] != scene.length[ranks - 1][r]);
        failed = failed || result[r] == IRR_ERR_PEER;
        for (int peer = 0; counts && peer < ranks - 1 && r < ranks - 1 && result[r] != IRR_ERR_PEER; peer++) {
            CU_ASSERT_EQUAL(count_wrong(&scene, r, peer, scene.length[r][peer]), 0);   /* these two agree */
        }
    }
    finish(&scene);
    return failed;
}

static void test_wrong(void)
{
    static const irr_pacing_t *const pacings[] = { &irr_pacing_free, &irr_pacing_loose };
    uint64_t state = irr_test_seed();
    int runs = 0, failed = 0;

    for (int ranks = 2; ranks <= RANKS_MAX; ranks++) {
        for (int i = 0; i < irr_test_runs(12 * LIMITS); i++) {
            failed += check_wrong(&limits[i % LIMITS], ranks, i % 2 == 0, pacings[i / 2 % 2], &state);
            runs++;
        }
    }
    CU_ASSERT(failed > 0 && failed < runs);
}

IRR_TEST_MAIN("pairs", 120,
    { "plans are accepted, and every byte arrives", test_random },
    { "scratch is bounded", test_bound },
    { "counts that differ, and peers that are not in place", test_wrong })
