/*
 * test_forward.c - tests the node route with a schedule (route/forward.h): the messages that leaders send between
 * nodes, on random trees of switches.  test_world.c checks the plans of this route, and runs them.
 */
#include "irr_job.h"
#include "irr_test.h"
#include "tree_scene.h"

#include "order/order.h"
#include "route/forward.h"

#define RANKS_MAX 24

static tree_scene_t scene;

/* ---- a job of ranks on hosts ---- */

/* The nodes of a scene, and the schedule of the messages between them. */
typedef struct crew {
    irr_tree_t     tree;
    irr_nodes_t    nodes;
    irr_job_t     *job;
    irr_matrix_t   matrix, forwarded;
    irr_schedule_t schedule;     /* of the forwarded messages */
    irr_forward_t  forward[RANKS_MAX];
} crew_t;

static void open_crew(crew_t *crew, irr_job_kind_t kind, uint64_t *state)
{
    irr_scheduled_params_t params = { .tree = &crew->tree };

    crew->tree = tree_scene_tree(&scene);
    crew->job = irr_job_create(scene.ranks, kind, irr_test_random(state));
    crew->matrix = irr_job_matrix(crew->job);
    irr_test_must(irr_nodes_init(&crew->nodes, scene.ranks, scene.host_of));
    irr_test_must(irr_forward_matrix(&crew->nodes, &crew->matrix, &crew->forwarded));
    irr_test_must(irr_order_schedule(&irr_order_tree, &crew->forwarded, &params, &crew->schedule));
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
    irr_schedule_fini(&crew->schedule);
    irr_matrix_fini(&crew->forwarded);
    irr_matrix_fini(&crew->matrix);
    irr_nodes_fini(&crew->nodes);
    irr_job_destroy(crew->job);
    irr_tree_fini(&crew->tree);
}

/* Builds the plan of a rank.  Messages of more than piece_max bytes are sent in pieces. */
static irr_status_t make_plan(const crew_t *crew, int rank, uint64_t piece_max, irr_plan_t *plan)
{
    irr_schedule_t own;
    irr_status_t status = irr_schedule_own(&crew->schedule, rank, piece_max, &own);

    if (status == IRR_OK) {
        status = irr_forward_plan_build(&crew->forward[rank], &own, &crew->job->problems[rank], plan);
        irr_schedule_fini(&own);
    }
    CU_ASSERT(status != IRR_OK || plan->scratch_bytes <= irr_forward_scratch(&crew->forward[rank]));
    return status;
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

/* ---- forwarded messages ---- */

/*
 * One node has ranks 0 and 2, the other node ranks 1 and 3. Each rank of a node leads for one rank of the other node.
 */
IRR_TEST(test_matrix, "the matrix of the messages between hosts")
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
                                irr_nodes_rank_leader(&nodes, irr_nodes_of(&nodes, from), to) ==
                                    irr_nodes_index(&nodes, from);
            const uint64_t bytes = *irr_matrix_at(&matrix, from, to) + *irr_matrix_at(&matrix, (from + 2) % 4, to);

            CU_ASSERT_EQUAL(*irr_matrix_at(&forwarded, from, to), serves ? bytes : 0);
        }
    }
    CU_ASSERT_NOT_EQUAL(irr_nodes_rank_leader(&nodes, 0, 1), irr_nodes_rank_leader(&nodes, 0, 3));
    CU_ASSERT_NOT_EQUAL(irr_nodes_rank_leader(&nodes, 1, 0), irr_nodes_rank_leader(&nodes, 1, 2));
    irr_matrix_fini(&forwarded);
    matrix.entries[1] = UINT64_C(1) << 63;
    CU_ASSERT_EQUAL(irr_forward_matrix(&nodes, &matrix, &forwarded), IRR_ERR_BAD_PARAM);
    matrix.ranks = 3;
    CU_ASSERT_EQUAL(irr_forward_matrix(&nodes, &matrix, &forwarded), IRR_ERR_BAD_PARAM);
    matrix.ranks = 4;
    irr_matrix_fini(&matrix);
    irr_nodes_fini(&nodes);
}

/* A rank forwards for some remote ranks. Asserts that their number differs by at most one between ranks of a node. */
static void expect_fair(const irr_nodes_t *nodes)
{
    for (int node = 0; node < nodes->count; node++) {
        int served[RANKS_MAX] = { 0 }, most = 0, least = RANKS_MAX;

        for (int to = 0; to < nodes->ranks; to++) {
            served[irr_nodes_rank_leader(nodes, node, to)] += irr_nodes_of(nodes, to) != node;
        }
        for (int place = 0; place < irr_nodes_size(nodes, node); place++) {
            most = served[place] > most ? served[place] : most;
            least = served[place] < least ? served[place] : least;
        }
        CU_ASSERT(most <= least + 1);
    }
}

/* Links carry equally many bytes with and without forwarding. The ranks of a node forward for equally many ranks. */
IRR_TEST_SEEDED(test_loads, "forwarding changes no load of a link, and leaders share the work")
{
    static uint64_t before[2 * (SCENE_VERTICES + SCENE_RANKS)], after[2 * (SCENE_VERTICES + SCENE_RANKS)];
    irr_plan_t plan;

    irr_plan_init(&plan);
    for (int run = 0; run < 300; run++) {
        crew_t crew;

        draw_scene(state);
        open_crew(&crew, (irr_job_kind_t)irr_test_below(state, IRR_JOB_KINDS), state);
        irr_test_must(irr_tree_loads(&crew.tree, &crew.matrix, before));
        irr_test_must(irr_tree_loads(&crew.tree, &crew.forwarded, after));
        CU_ASSERT_EQUAL(memcmp(before, after, 2 * (size_t)crew.tree.links * sizeof(*before)), 0);
        tree_scene_expect(&crew.tree, &crew.schedule, &crew.forwarded);
        expect_fair(&crew.nodes);
        irr_test_must(make_plan(&crew, (int)irr_test_below(state, (uint64_t)scene.ranks),
                                500 + irr_test_below(state, 4000), &plan));
        close_crew(&crew);
    }
    irr_plan_fini(&plan);
}

/*
 * With four ranks on each of four hosts, a rank sends three messages within its host and three messages to other hosts.
 */
IRR_TEST(test_messages, "one message per node and remote rank")
{
    uint64_t state = 1;
    crew_t crew;
    irr_plan_t plan;

    tree_scene_shape(&scene, "single:4");
    scene.ranks = 16;
    for (int r = 0; r < scene.ranks; r++) {
        scene.host_of[r] = r / 4;
    }
    open_crew(&crew, IRR_JOB_UNIFORM, &state);
    irr_plan_init(&plan);
    for (int r = 0; r < scene.ranks; r++) {
        irr_test_must(make_plan(&crew, r, 0, &plan));
        CU_ASSERT_EQUAL(plan.nsends, 6);
        CU_ASSERT_EQUAL(plan.stages, 2);
    }
    irr_plan_fini(&plan);
    close_crew(&crew);
}

/* ---- memory ---- */

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

/* Builds the plans of all ranks of a crew. */
static irr_status_t make_plans(void *context)
{
    const crew_t *crew = context;
    irr_status_t status = IRR_OK;

    for (int r = 0; r < crew->job->ranks && status == IRR_OK; r++) {
        irr_plan_t plan;

        irr_plan_init(&plan);
        status = make_plan(crew, r, 100, &plan);
        irr_plan_fini(&plan);
    }
    return status;
}

IRR_TEST(test_memory_of_plans, "a failed allocation of a plan is an error")
{
    uint64_t state = irr_test_seed() + 3;
    crew_t crew;

    for (int run = 0; run < irr_test_runs(40); run++) {
        draw_scene(&state);
        open_crew(&crew, run % 2 == 0 ? IRR_JOB_SPARSE : IRR_JOB_UNIFORM, &state);
        CU_ASSERT(irr_memory_fail_each(make_plans, &crew) > 1);
        close_crew(&crew);
    }
}

IRR_TEST(test_memory, "each failed allocation is an error and leaks no memory")
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

IRR_TEST_MAIN("forward", 120)
