/*
 * test_assignment.c - assignments, which are the bytes that tell a rank its part of a schedule. The tests let
 * allocations fail and damage the bytes. test_schedules.c has the plans of all ranks.
 */
#include "irr_test.h"
#include "schedule_same.h"
#include "tree_scene.h"

#include "comm/assignment.h"
#include "order/order.h"
#include "route/direct.h"
#include "pacing/signals.h"

/* The longest messages have 2^34 bytes. */
enum { RANKS_MAX = 24, PIECE_MAX = 1 << 22 };

static tree_scene_t scene;

/* Kinds of crews. A crew is random ranks with random messages, sent directly, forwarded, or without a schedule. */
enum { DIRECT, FORWARDED, DECLINED, KINDS };

typedef struct crew {
    irr_tree_t     tree;
    irr_nodes_t    nodes;
    const irr_nodes_t *forwards;   /* the nodes; NULL: messages are sent directly */
    irr_matrix_t   matrix;
    irr_computed_t computed;
    irr_bytes_t    entries;
} crew_t;

static void fill(irr_matrix_t *matrix, uint64_t *state)
{
    for (int i = 0; i < matrix->ranks * matrix->ranks; i++) {
        matrix->entries[i] = irr_test_below(state, 3) > 0
                                 ? irr_test_random(state) >> (30 + irr_test_below(state, 30)) : 0;
    }
}

static void compute(crew_t *crew, const irr_matrix_t *matrix)
{
    const irr_scheduled_params_t params = { .tree = &crew->tree, .max_steps = 30 };

    irr_test_must(irr_order_schedule(&irr_order_tree, matrix, &params, &crew->computed.schedule));
    irr_test_must(irr_syncs_find(&crew->tree, &crew->computed.schedule, NULL, &crew->computed.syncs));
}

static void open_crew(crew_t *crew, int kind, uint64_t *state)
{
    irr_matrix_t forwarded;

    memset(crew, 0, sizeof(*crew));
    do {
        tree_scene_random(&scene, state, 8);
        tree_scene_crowd(&scene, state, RANKS_MAX);
    } while (scene.ranks > RANKS_MAX || scene.ranks < 2);
    crew->tree = tree_scene_tree(&scene);
    irr_test_must(irr_matrix_init(&crew->matrix, scene.ranks));
    fill(&crew->matrix, state);
    irr_test_must(irr_nodes_init(&crew->nodes, scene.ranks, scene.host_of));
    crew->computed.declined = kind == DECLINED;
    if (kind == DIRECT) {
        compute(crew, &crew->matrix);
    } else if (kind == FORWARDED) {
        crew->forwards = &crew->nodes;
        irr_test_must(irr_forward_matrix(&crew->nodes, &crew->matrix, &forwarded));
        compute(crew, &forwarded);
        irr_matrix_fini(&forwarded);
    }
    irr_test_must(irr_assignments_write(&crew->computed, &crew->matrix, crew->forwards, 77, &crew->entries));
}

static void close_crew(crew_t *crew)
{
    irr_bytes_fini(&crew->entries);
    irr_computed_fini(&crew->computed);
    irr_nodes_fini(&crew->nodes);
    irr_matrix_fini(&crew->matrix);
    irr_tree_fini(&crew->tree);
}

/* ---- correct assignments ---- */

/* Returns the blocks that a rank sends. list: room for all ranks. */
static irr_blocks_t sent_by(const crew_t *crew, int rank, irr_block_t *list)
{
    irr_blocks_t blocks = { .list = list };

    for (int i = 0; i < scene.ranks; i++) {
        const size_t bytes = (size_t)*irr_matrix_at(&crew->matrix, rank, i);

        if (bytes > 0) {
            list[blocks.count++] = (irr_block_t){ .rank = i, .length = bytes };
        }
    }
    return blocks;
}

/* Calls a function with each rank's entry of the assignments of random crews. */
static void each_entry(uint64_t *state,
                       void (*visit)(const crew_t *crew, int rank, irr_reader_t entry, uint64_t *state))
{
    for (int n = 0; n < 60; n++) {
        irr_reader_t entries;
        crew_t crew;

        open_crew(&crew, n % KINDS, state);
        entries = irr_bytes_read(&crew.entries);
        for (int r = 0; r < scene.ranks; r++) {
            const irr_reader_t entry = irr_bytes_next(&entries);

            CU_ASSERT_FALSE_FATAL(entry.bad);
            visit(&crew, r, entry, state);
        }
        CU_ASSERT_TRUE(irr_reader_ends(&entries));
        close_crew(&crew);
    }
}

/* ---- memory ---- */

typedef struct input {
    const crew_t *crew;
    int           rank;
    irr_reader_t  entry;
} input_t;

static irr_status_t read_entry(void *context)
{
    const input_t *input = context;
    irr_block_t list[RANKS_MAX];
    irr_assignment_t assignment;
    irr_status_t status = irr_assignment_read(input->entry, scene.ranks, input->rank, input->crew->forwards,
                                              sent_by(input->crew, input->rank, list), &assignment);

    if (status == IRR_OK) {
        irr_assignment_fini(&assignment);
    }
    return status;
}

static void fail_entry(const crew_t *crew, int rank, irr_reader_t entry, uint64_t *state)
{
    input_t input = { crew, rank, entry };

    if (irr_test_below(state, 8) == 0) {
        (void)irr_memory_fail_each(read_entry, &input);
    }
}

IRR_TEST(test_memory, "each failed allocation is an error and leaks no memory")
{
    uint64_t state = irr_test_seed() + 2;

    each_entry(&state, fail_entry);
}

/* ---- damaged assignments ---- */

static irr_status_t plan_of(const irr_assignment_t *assignment, bool forwards, const irr_problem_t *problem)
{
    const irr_local_schedule_t *local = &assignment->local;
    irr_signals_t syncs = { .nsignals = 0 };
    irr_schedule_t own = { .ranks = 0 };
    irr_status_t status = irr_schedule_own(&local->schedule, problem->rank, 1 << 20, &own);
    irr_plan_t plan;

    irr_plan_init(&plan);
    if (status == IRR_OK) {
        status = irr_signals_build(&local->schedule, &local->syncs, problem->rank, &own, 2000, &syncs);
    }
    if (status == IRR_OK) {
        status = forwards ? irr_forward_plan_build(&assignment->forward, &own, problem, &plan)
                          : irr_direct_plan_build(&own, problem, &plan);
    }
    irr_plan_fini(&plan);
    irr_signals_fini(&syncs);
    irr_schedule_fini(&own);
    return status;
}

/* Reads an assignment from the end of a block, so that sanitizers detect an access beyond it. */
static void expect_plans(const crew_t *crew, int rank, const unsigned char *in, size_t length)
{
    irr_block_t list[RANKS_MAX];
    const irr_blocks_t blocks = sent_by(crew, rank, list);
    const irr_problem_t problem = { .ranks = scene.ranks, .rank = rank, .send = blocks, .recv = blocks };
    unsigned char *copy = irr_test_array(length + 1, 1);
    irr_assignment_t assignment;
    uint64_t pieces = 0;
    irr_status_t status;

    memcpy(copy + 1, in, length);
    irr_memory_limit(1 << 16);
    status = irr_assignment_read((irr_reader_t){ .in = copy + 1, .length = length }, scene.ranks, rank, crew->forwards,
                                 blocks, &assignment);
    irr_memory_limit(SIZE_MAX);
    CU_ASSERT(status == IRR_OK || status == IRR_ERR_PROTOCOL || status == IRR_ERR_NO_MEMORY);
    if (status == IRR_OK) {
        for (size_t i = 0; i < assignment.local.schedule.count; i++) {
            pieces += assignment.local.schedule.list[i].length >> 20;
        }
        if (!assignment.declined && pieces < 100000) {
            CU_ASSERT_EQUAL(plan_of(&assignment, crew->forwards != NULL, &problem), IRR_OK);
        }
        irr_assignment_fini(&assignment);
    }
    free(copy);
}

static size_t spoil(unsigned char *bytes, size_t length, uint64_t *state)
{
    const size_t times = 1 + irr_test_below(state, 3);

    for (size_t i = 0; i < times; i++) {
        const size_t at = irr_test_below(state, length);

        bytes[at] = irr_test_below(state, 3) == 0 ? (unsigned char)irr_test_random(state)
                                                  : (unsigned char)(bytes[at] + irr_test_below(state, 5) - 2);
    }
    return irr_test_below(state, 4) == 0 ? irr_test_below(state, length + 1) : length;
}

static void spoil_entry(const crew_t *crew, int rank, irr_reader_t entry, uint64_t *state)
{
    for (int i = 0; i < 8; i++) {
        unsigned char *bytes = irr_test_array(entry.length, 1);

        memcpy(bytes, entry.in, entry.length);
        expect_plans(crew, rank, bytes, spoil(bytes, entry.length, state));
        free(bytes);
    }
}

IRR_TEST(test_spoilt, "a damaged assignment is refused, or a plan can be made from it")
{
    uint64_t state = irr_test_seed() + 1;

    each_entry(&state, spoil_entry);
}

IRR_TEST_MAIN("assignment", 120)
