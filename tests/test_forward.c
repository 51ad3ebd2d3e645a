/*
 * test_forward.c - the node route in front of a schedule: forwarded messages, plans that pass the checker, and runs of
 * random jobs on random trees with random delays, some with a receive block that is too short.
 */
#include "irr_fleet.h"
#include "irr_job.h"
#include "irr_memory.h"
#include "irr_test.h"
#include "tree_scene.h"

#include "order/order.h"
#include "order/tree/syncs.h"
#include "pacing/pacing.h"
#include "route/forward.h"
#include "pacing/signals.h"

#include <string.h>

#define RANKS_MAX 24

static tree_scene_t scene;

/* ---- a job on hosts ---- */

/* The ranks of a scene, and the messages that they forward. */
typedef struct crew {
    irr_tree_t     tree;
    irr_nodes_t    nodes;
    irr_job_t     *job;
    irr_matrix_t   matrix, forwarded;
    irr_schedule_t schedule;     /* of the forwarded messages */
    irr_syncs_t    syncs;
    irr_forward_t  forward[RANKS_MAX];
    uint64_t       piece_max, lead;
} crew_t;

static void fill_matrix(const irr_job_t *job, irr_matrix_t *matrix)
{
    irr_test_must(irr_matrix_init(matrix, job->ranks));
    for (int i = 0; i < job->ranks * job->ranks; i++) {
        matrix->entries[i] = irr_job_length(job, i / job->ranks, i % job->ranks);
    }
}

static void open_crew(crew_t *crew, irr_job_kind_t kind, uint64_t *state)
{
    irr_scheduled_params_t params = { .tree = &crew->tree };

    crew->tree = tree_scene_tree(&scene);
    crew->job = irr_job_create(scene.ranks, kind, irr_test_random(state));
    fill_matrix(crew->job, &crew->matrix);
    irr_test_must(irr_nodes_init(&crew->nodes, scene.ranks, scene.host_of));
    irr_test_must(irr_forward_matrix(&crew->nodes, &crew->matrix, &crew->forwarded));
    irr_test_must(irr_order_schedule(&irr_order_tree, &crew->forwarded, &params, &crew->schedule));
    irr_test_must(irr_syncs_find(&crew->tree, &crew->schedule, NULL, &crew->syncs));
    for (int r = 0; r < scene.ranks; r++) {
        irr_test_must(irr_forward_init(&crew->forward[r], &crew->nodes, &crew->matrix,
                                       crew->job->problems[r].send, r));
    }
}

static void close_crew(crew_t *crew)
{
    for (int r = 0; r < crew->job->ranks; r++) {
        irr_forward_fini(&crew->forward[r]);
    }
    irr_syncs_fini(&crew->syncs);
    irr_schedule_fini(&crew->schedule);
    irr_matrix_fini(&crew->forwarded);
    irr_matrix_fini(&crew->matrix);
    irr_nodes_fini(&crew->nodes);
    irr_job_destroy(crew->job);
    irr_tree_fini(&crew->tree);
}

/* Builds the plan of a rank. */
static void make_plan(const crew_t *crew, int rank, bool with_syncs, irr_plan_t *plan)
{
    const irr_forward_t *forward = &crew->forward[rank];
    irr_signals_t mine = { 0 };
    irr_schedule_t own;

    irr_test_must(irr_schedule_own(&crew->schedule, rank, crew->piece_max, &own));
    if (with_syncs) {
        irr_test_must(irr_signals_build(&crew->schedule, &crew->syncs, rank, &own, crew->lead, &mine));
    }
    irr_test_must(irr_forward_plan_build(forward, &own, &crew->job->problems[rank], plan));
    if (with_syncs) {
        const irr_pacing_params_t params = { .signals = &mine };

        irr_test_must(irr_pacing_add(&irr_pacing_sync, &params, plan));
    }
    CU_ASSERT(plan->scratch_bytes <= irr_forward_scratch(forward));
    irr_signals_fini(&mine);
    irr_schedule_fini(&own);
}

static void draw_scene(uint64_t *state)
{
    do {
        tree_scene_random(&scene, state, 8);
        if (irr_test_below(state, 8) > 0) {
            tree_scene_crowd(&scene, state, RANKS_MAX);
        }
    } while (scene.ranks > RANKS_MAX || scene.ranks < 2);
}

static irr_job_kind_t draw_kind(uint64_t *state)
{
    return (irr_job_kind_t)irr_test_below(state, IRR_JOB_KINDS);
}

/* ---- forwarded messages ---- */

/* Two hosts with ranks 0 and 2, and 1 and 3.  Each rank of a host serves one rank of the other. */
static void test_matrix(void)
{
    const int labels[] = { 5, 7, 5, 7 };
    irr_matrix_t matrix, forwarded;
    irr_nodes_t nodes;

    irr_test_must(irr_nodes_init(&nodes, 4, labels));
    irr_test_must(irr_matrix_init(&matrix, 4));
    for (int i = 0; i < 16; i++) {
        matrix.entries[i] = 1u << i;
    }
    irr_test_must(irr_forward_matrix(&nodes, &matrix, &forwarded));
    for (int from = 0; from < 4; from++) {
        for (int to = 0; to < 4; to++) {
            const bool serves = from % 2 != to % 2 &&
                                irr_nodes_server(&nodes, nodes.node[from], to) == nodes.place[from];
            const uint64_t bytes = *irr_matrix_at(&matrix, from, to) + *irr_matrix_at(&matrix, (from + 2) % 4, to);

            CU_ASSERT_EQUAL(*irr_matrix_at(&forwarded, from, to), serves ? bytes : 0);
        }
    }
    CU_ASSERT_NOT_EQUAL(irr_nodes_server(&nodes, 0, 1), irr_nodes_server(&nodes, 0, 3));
    CU_ASSERT_NOT_EQUAL(irr_nodes_server(&nodes, 1, 0), irr_nodes_server(&nodes, 1, 2));
    irr_matrix_fini(&forwarded);
    matrix.entries[1] = UINT64_C(1) << 63;
    CU_ASSERT_EQUAL(irr_forward_matrix(&nodes, &matrix, &forwarded), IRR_ERR_BAD_PARAM);
    matrix.ranks = 3;
    CU_ASSERT_EQUAL(irr_forward_matrix(&nodes, &matrix, &forwarded), IRR_ERR_BAD_PARAM);
    matrix.ranks = 4;
    irr_matrix_fini(&matrix);
    irr_nodes_fini(&nodes);
}

/* Each rank of a node serves as many ranks as the others, or one more. */
static void expect_fair(const irr_nodes_t *nodes)
{
    for (int node = 0; node < nodes->count; node++) {
        int served[RANKS_MAX] = { 0 }, most = 0, least = RANKS_MAX;

        for (int to = 0; to < nodes->ranks; to++) {
            served[irr_nodes_server(nodes, node, to)] += nodes->node[to] != node;
        }
        for (int place = 0; place < irr_nodes_size(nodes, node); place++) {
            most = served[place] > most ? served[place] : most;
            least = served[place] < least ? served[place] : least;
        }
        CU_ASSERT(most <= least + 1);
    }
}

/* Forwarding changes neither the bytes on the links nor the fairness among the ranks of a node. */
static void test_loads(void)
{
    static uint64_t before[2 * (SCENE_VERTICES + SCENE_RANKS)], after[2 * (SCENE_VERTICES + SCENE_RANKS)];
    uint64_t state = irr_test_seed();

    for (int run = 0; run < 300; run++) {
        crew_t crew = { .lead = 0 };

        draw_scene(&state);
        open_crew(&crew, draw_kind(&state), &state);
        irr_test_must(irr_tree_loads(&crew.tree, &crew.matrix, before));
        irr_test_must(irr_tree_loads(&crew.tree, &crew.forwarded, after));
        CU_ASSERT_EQUAL(memcmp(before, after, 2 * (size_t)crew.tree.links * sizeof(*before)), 0);
        tree_scene_expect(&crew.tree, &crew.schedule, &crew.forwarded);
        expect_fair(&crew.nodes);
        close_crew(&crew);
    }
}

/* With four ranks on each of four hosts, a rank sends three messages within its host and three to others. */
static void test_messages(void)
{
    uint64_t state = 1;
    crew_t crew = { .lead = 0 };
    irr_plan_t plan;

    tree_scene_shape(&scene, "single:4");
    scene.ranks = 16;
    for (int r = 0; r < scene.ranks; r++) {
        scene.host_of[r] = r / 4;
    }
    open_crew(&crew, IRR_JOB_UNIFORM, &state);
    irr_plan_init(&plan);
    for (int r = 0; r < scene.ranks; r++) {
        make_plan(&crew, r, false, &plan);
        CU_ASSERT_EQUAL(plan.nsends, 6);
        CU_ASSERT_EQUAL(plan.stages, 2);
    }
    irr_plan_fini(&plan);
    close_crew(&crew);
}

/* ---- runs ---- */

static irr_fleet_t *open_fleet(const crew_t *crew, irr_pacing_kind_t pacing, uint64_t *state)
{
    irr_fault_t faults[RANKS_MAX] = { { .seed = 0 } };
    irr_fleet_t *fleet;

    for (int r = 0; r < crew->job->ranks; r++) {
        faults[r] = (irr_fault_t){ .seed = irr_test_random(state), .hold_percent = 40, .hold_rounds = 6 };
    }
    fleet = irr_fleet_create_faulty(crew->job->ranks, irr_test_random(state), irr_test_below(state, 200), faults);
    fleet->compose = (irr_compose_t)irr_test_below(state, IRR_COMPOSE_COUNT);
    for (int r = 0; r < crew->job->ranks; r++) {
        make_plan(crew, r, pacing == IRR_PACING_SYNC, &fleet->rank[r].plan);
    }
    return fleet;
}

/* Makes the receive block of one rank too short for a message.  Returns the rank; -1 if the message was empty. */
static int cut_one(const crew_t *crew, uint64_t *state)
{
    const int ranks = crew->job->ranks, to = (int)irr_test_below(state, (uint64_t)ranks);
    const int from = (to + 1 + (int)irr_test_below(state, (uint64_t)ranks - 1)) % ranks;
    const size_t length = irr_job_length(crew->job, from, to);

    if (length == 0) {
        return -1;
    }
    irr_job_cut(crew->job, to, from, irr_test_below(state, length));
    irr_job_disregard(crew->job, to, from);
    return to;
}

static void check_plans(const crew_t *crew, const irr_fleet_t *fleet)
{
    irr_plan_t plans[RANKS_MAX];
    char reason[200] = "";

    for (int r = 0; r < crew->job->ranks; r++) {
        plans[r] = fleet->rank[r].plan;
    }
    CU_ASSERT_EQUAL(irr_plan_check(plans, crew->job->problems, crew->job->ranks, reason, sizeof(reason)), IRR_OK);
    CU_ASSERT_STRING_EQUAL(reason, "");
}

/*
 * The plans pass the checker, and every byte arrives, forwarded or not.  If a block is too short, its rank has an
 * error, and the bytes beyond the block do not change.
 */
static bool run(crew_t crew, irr_job_kind_t kind, irr_pacing_kind_t pacing, bool cuts, uint64_t *state)
{
    irr_fleet_t *fleet;
    int cut;

    draw_scene(state);
    open_crew(&crew, kind, state);
    irr_job_fill(crew.job);
    cut = cuts ? cut_one(&crew, state) : -1;
    fleet = open_fleet(&crew, pacing, state);
    if (cut < 0) {
        check_plans(&crew, fleet);
    }
    for (int r = 0; r < crew.job->ranks; r++) {
        irr_fleet_start(fleet, r, irr_job_input(crew.job, r), irr_job_output(crew.job, r));
    }
    CU_ASSERT_TRUE_FATAL(irr_fleet_run(fleet));
    for (int r = 0; r < crew.job->ranks; r++) {
        CU_ASSERT_EQUAL(fleet->rank[r].result, r == cut ? IRR_ERR_TRUNCATE : IRR_OK);
        CU_ASSERT_TRUE(irr_job_verify(crew.job, r));
    }
    irr_fleet_destroy(fleet);
    close_crew(&crew);
    return cut >= 0;
}

static void test_runs(void)
{
    uint64_t state = irr_test_seed();
    int cuts = 0;

    for (int i = 0; i < 400; i++) {
        const irr_pacing_kind_t pacing = i % 4 < 2 ? IRR_PACING_SYNC : IRR_PACING_FREE;
        const irr_job_kind_t kind = draw_kind(&state);
        const bool small = i % 2 == 0 && kind != IRR_JOB_MIXED;   /* its messages would have thousands of pieces */
        crew_t crew = { .lead = irr_test_below(&state, 3000) };

        crew.piece_max = small ? irr_test_below(&state, 41) : 500 + irr_test_below(&state, 4000);
        (void)run(crew, kind, pacing, false, &state);
        crew = (crew_t){ .piece_max = irr_test_below(&state, 30), .lead = 10 };
        cuts += i >= 200 && run(crew, i % 2 == 0 ? IRR_JOB_UNIFORM : IRR_JOB_SPARSE, pacing, true, &state);
    }
    CU_ASSERT(cuts > 100);
}

typedef struct input {
    irr_nodes_t  nodes;
    irr_matrix_t matrix;
} input_t;

static irr_status_t init_forward(void *context)
{
    const input_t *input = context;
    irr_forward_t forward = { .step = NULL };
    irr_status_t status = irr_forward_init(&forward, &input->nodes, &input->matrix, (irr_blocks_t){ .list = NULL }, 1);

    CU_ASSERT_EQUAL(forward.step == NULL, status != IRR_OK);
    CU_ASSERT_EQUAL(irr_forward_bytes(&forward) == 0, status != IRR_OK);
    irr_forward_fini(&forward);
    return status;
}

static void test_memory(void)
{
    const int labels[] = { 0, 0, 1, 1, 1 };
    irr_matrix_t forwarded;
    input_t input;

    irr_test_must(irr_nodes_init(&input.nodes, 5, labels));
    irr_test_must(irr_matrix_init(&input.matrix, 5));
    *irr_matrix_at(&input.matrix, 0, 3) = 9;
    irr_memory_fail(1, NULL);
    CU_ASSERT_EQUAL(irr_forward_matrix(&input.nodes, &input.matrix, &forwarded), IRR_ERR_NO_MEMORY);
    CU_ASSERT(irr_memory_fail_each(init_forward, &input) > 7);
    irr_matrix_fini(&input.matrix);
    irr_nodes_fini(&input.nodes);
}

IRR_TEST_MAIN("forward", 120,
    { "messages between hosts",                     test_matrix },
    { "links carry the same bytes",                 test_loads },
    { "one message per host and rank served",       test_messages },
    { "plans are accepted, and every byte arrives", test_runs },
    { "no memory",                                  test_memory })
