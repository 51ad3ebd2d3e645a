/*
 * test_reduction.c - the maxima of a few words over all ranks. The checker accepts the plans, with nodes and without
 * nodes, and refuses wrong plans. test_world.c and test_failure.c run the plans in agreements, also with failures.
 */
#include "irr_test.h"

#include "exec/allreduce.h"
#include "route/reduction.h"

enum { LAYOUTS = 6, RANKS_MAX = 300 };

/*
 * Makes the nodes of a layout: no nodes; one node; nodes of several sizes, with consecutive or scattered ranks; a node
 * for each rank.
 */
static irr_nodes_t *lay_out(int layout, int ranks, irr_nodes_t *nodes)
{
    int labels[RANKS_MAX] = { 0 };

    for (int r = 0; r < ranks; r++) {
        const int of[LAYOUTS] = { 0, 0, r % 3, r / 4, r * r % 7, r };

        labels[r] = of[layout];
    }
    irr_test_must(irr_nodes_init(nodes, ranks, labels));
    return layout > 0 ? nodes : NULL;
}

static int log2_up(int count)
{
    int rounds = 0;

    while (1 << rounds < count) {
        rounds++;
    }
    return rounds;
}

/* ---- plans ---- */

static irr_plan_t *make_plans(int ranks, const irr_nodes_t *nodes, size_t words)
{
    irr_plan_t *plans = irr_test_array((size_t)ranks, sizeof(*plans));

    for (int r = 0; r < ranks; r++) {
        size_t done;

        irr_plan_init(&plans[r]);
        irr_plan_reset(&plans[r], &(irr_problem_t){ .ranks = ranks, .rank = r });
        irr_test_must(irr_reduction_add(&plans[r], &(irr_reduction_t){
            .words = words, .nodes = nodes, .stage = 1, .number = 1 }, &done));
    }
    return plans;
}

static void free_plans(irr_plan_t *plans, int ranks)
{
    for (int r = 0; r < ranks; r++) {
        irr_plan_fini(&plans[r]);
    }
    free(plans);
}

/* Leaders send between nodes, once in a round; other ranks send only within their node. */
static void expect_messages(const irr_plan_t *plan, const irr_nodes_t *nodes)
{
    const int count = nodes != NULL ? nodes->count : plan->ranks;
    size_t between = 0;

    for (size_t i = 0; i < plan->nsteps; i++) {
        const irr_step_t *step = &plan->steps[i];

        between += step->kind == IRR_STEP_SEND &&
                   (nodes == NULL || irr_nodes_of(nodes, step->peer) != irr_nodes_of(nodes, plan->rank));
    }
    CU_ASSERT_EQUAL(between, nodes == NULL || irr_nodes_index(nodes, plan->rank) == 0 ? (size_t)log2_up(count) : 0);
    CU_ASSERT(plan->nsends <= (size_t)(log2_up(count) + (nodes != NULL ? log2_up(nodes->largest) + 1 : 0)));
}

static void prove(int ranks, int layout, size_t words)
{
    irr_nodes_t laid, *nodes = lay_out(layout, ranks, &laid);
    irr_plan_t *plans = make_plans(ranks, nodes, words);
    char reason[200] = "";

    CU_ASSERT_EQUAL(irr_plan_check_reduction(plans, ranks, words, reason, sizeof(reason)), IRR_OK);
    CU_ASSERT_STRING_EQUAL(reason, "");
    for (int r = 0; r < ranks; r++) {
        expect_messages(&plans[r], nodes);
    }
    free_plans(plans, ranks);
    irr_nodes_fini(&laid);
}

IRR_TEST(test_proof, "the checker accepts plans with nodes and without nodes")
{
    static const int more[] = { 127, 128, 129, 255, 256, 257, 300 };

    for (int ranks = 1; ranks <= 40; ranks++) {
        for (int layout = 0; layout < LAYOUTS; layout++) {
            prove(ranks, layout, 1 + (size_t)(ranks + layout) % 3);
        }
    }
    for (size_t i = 0; i < IRR_TEST_COUNT(more); i++) {
        prove(more[i], (int)i % LAYOUTS, 1);
    }
}

/* ---- plans that the checker refuses ---- */

static size_t find(const irr_plan_t *plan, irr_step_kind_t kind, int nth)
{
    size_t i = 0;

    for (; plan->steps[i].kind != kind || nth-- > 0; i++) {
    }
    return i;
}

/* Rank 1 does not wait for the words that it reduces. */
static void no_wait(irr_plan_t *plans)
{
    plans[1].steps[find(&plans[1], IRR_STEP_REDUCE, 0)].deps = 0;
}

/* Rank 2 does not wait for its send of the words that a reduction changes. */
static void no_wait_for_send(irr_plan_t *plans)
{
    const irr_step_t *step = &plans[2].steps[find(&plans[2], IRR_STEP_REDUCE, 0)];

    plans[2].deps[step->first_dep + step->deps - 1] = plans[2].deps[step->first_dep];
}

/* Rank 3 does not wait for the words that it forwards. */
static void no_news(irr_plan_t *plans)
{
    plans[3].steps[find(&plans[3], IRR_STEP_SEND, 2)].deps = 0;
}

/* Rank 4 reduces only one of two words. */
static void half(irr_plan_t *plans)
{
    irr_step_t *step = &plans[4].steps[find(&plans[4], IRR_STEP_REDUCE, 1)];

    step->bytes /= 2;
    plans[4].pieces[step->first_piece].length /= 2;
    plans[4].pieces[step->first_piece + 1].length /= 2;
}

/* The second word of rank 4 is reduced into the first one. */
static void crossed(irr_plan_t *plans)
{
    half(plans);
    plans[4].pieces[plans[4].steps[find(&plans[4], IRR_STEP_REDUCE, 1)].first_piece].offset += sizeof(uint64_t);
}

static void part_of_word(irr_plan_t *plans)
{
    plans[0].pieces[plans[0].steps[0].first_piece].length--;
    plans[0].steps[0].bytes--;
}

static void copied(irr_plan_t *plans)
{
    plans[0].steps[find(&plans[0], IRR_STEP_REDUCE, 2)].kind = IRR_STEP_COPY;
}

IRR_TEST(test_refused, "the checker refuses wrong plans")
{
    static const struct {
        void      (*spoil)(irr_plan_t *plans);
        const char *reason;
    } rows[] = {
        { no_wait, "on which it does not depend" }, { no_wait_for_send, "and does not depend on step" },
        { no_news, "on which it does not depend" }, { half, "does not depend on word 1 of rank" },
        { crossed, "must not depend on word 1 of rank" }, { part_of_word, "is no list of words" },
        { copied, "does not depend on word" }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        irr_plan_t *plans = make_plans(7, NULL, 2);
        char reason[200] = "";

        rows[i].spoil(plans);
        CU_ASSERT_EQUAL(irr_plan_check_reduction(plans, 7, 2, reason, sizeof(reason)), IRR_ERR_INVALID_PLAN);
        CU_ASSERT_PTR_NOT_NULL(strstr(reason, rows[i].reason));
        free_plans(plans, 7);
    }
}

IRR_TEST(test_exchange, "a plan of an exchange must not reduce")
{
    irr_plan_t *plans = make_plans(1, NULL, 1);
    const irr_piece_t pieces[2] = { { IRR_BUFFER_SCRATCH, false, 8, 8 }, { IRR_BUFFER_SCRATCH, false, 0, 8 } };
    char reason[200] = "";

    irr_test_must(irr_plan_add(&plans[0], &(irr_step_params_t){
        .kind = IRR_STEP_REDUCE, .stage = 1, .pieces = pieces, .npieces = 2 }));
    CU_ASSERT_EQUAL(irr_plan_check(plans, &(irr_problem_t){ .ranks = 1 }, 1, reason, sizeof(reason)),
                    IRR_ERR_INVALID_PLAN);
    CU_ASSERT_PTR_NOT_NULL(strstr(reason, "step kind 5 is not allowed"));
    free_plans(plans, 1);
}

/* ---- memory ---- */

static irr_status_t init(void *context)
{
    irr_allreduce_t allreduce = { .count = 0 };
    irr_status_t status = irr_allreduce_init(&allreduce, 100, *(int *)context, NULL);

    irr_allreduce_fini(&allreduce);
    return status;
}

IRR_TEST(test_memory, "each failed allocation is an error and leaks no memory")
{
    int rank = 7;

    CU_ASSERT(irr_memory_fail_each(init, &rank) > 3);
}

IRR_TEST_MAIN("reduction", 60)
