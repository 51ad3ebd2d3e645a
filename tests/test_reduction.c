/*
 * test_reduction.c - the maxima of a few words over all ranks. The checker proves the plans, with nodes and without
 * nodes, and refuses wrong plans. Runs are right, and no failed run ends in a wrong maximum.
 */
#include "irr_fleet.h"
#include "irr_memory.h"
#include "irr_test.h"

#include "exec/allreduce.h"
#include "route/reduction.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 20000, LAYOUTS = 6, RANKS_MAX = 300 };

/*
 * Makes the nodes of a layout: no nodes; one node; nodes of several sizes, with consecutive or scattered ranks; a node
 * for each rank.
 */
static irr_nodes_t *lay_out(int layout, int ranks, irr_nodes_t *nodes)
{
    int labels[RANKS_MAX];

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
    CU_ASSERT_EQUAL(between, nodes == NULL || irr_nodes_place(nodes, plan->rank) == 0 ? (size_t)log2_up(count) : 0);
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

static void test_proof(void)
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

static void test_refused(void)
{
    static const struct {
        void      (*spoil)(irr_plan_t *plans);
        const char *reason;
    } rows[] = {
        { no_wait, "on which it does not depend" }, { no_wait_for_send, "on which it does not depend" },
        { no_news, "on which it does not depend" }, { half, "lacks word 1 of rank" },
        { crossed, "is wrongly a maximum with word 1 of rank" }, { part_of_word, "is not of words" },
        { copied, "lacks word" }
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

/* An exchange reduces nothing. */
static void test_exchange(void)
{
    irr_plan_t *plans = make_plans(1, NULL, 1);
    const irr_piece_t pieces[2] = { { IRR_BUFFER_SCRATCH, false, 8, 8 }, { IRR_BUFFER_SCRATCH, false, 0, 8 } };
    char reason[200] = "";

    irr_test_must(irr_plan_add(&plans[0], &(irr_step_params_t){
        .kind = IRR_STEP_REDUCE, .stage = 1, .pieces = pieces, .npieces = 2 }));
    CU_ASSERT_EQUAL(irr_plan_check(plans, &(irr_problem_t){ .ranks = 1 }, 1, reason, sizeof(reason)),
                    IRR_ERR_INVALID_PLAN);
    CU_ASSERT_PTR_NOT_NULL(strstr(reason, "no kind of step"));
    free_plans(plans, 1);
}

/* ---- runs ---- */

typedef struct team {
    irr_fleet_t     *fleet;
    irr_nodes_t      nodes;
    irr_allreduce_t *allreduce;   /* by rank */
    irr_status_t    *result;
    uint64_t         most[IRR_ALLREDUCE_WORDS_MAX];
    int              started;     /* number of ranks that have started, the lowest first */
} team_t;

static void open_team(team_t *team, int ranks, int layout, uint64_t seed, size_t eager_max)
{
    irr_nodes_t *nodes = lay_out(layout, ranks, &team->nodes);

    team->fleet = irr_fleet_create(ranks, seed % 4, eager_max);
    team->allreduce = irr_test_array((size_t)ranks, sizeof(*team->allreduce));
    team->result = irr_test_array((size_t)ranks, sizeof(*team->result));
    for (int r = 0; r < ranks; r++) {
        irr_test_must(irr_allreduce_init(&team->allreduce[r], ranks, r, nodes));
    }
}

static void close_team(team_t *team)
{
    const int ranks = team->fleet->ranks;

    irr_fleet_destroy(team->fleet);
    for (int r = 0; r < ranks; r++) {
        irr_allreduce_fini(&team->allreduce[r]);
    }
    irr_nodes_fini(&team->nodes);
    free(team->allreduce);
    free(team->result);
}

/* Progresses the started ranks until no rank runs. Returns false if some ranks do not finish. */
static bool progress(team_t *team, int rounds)
{
    bool busy = true;

    for (int round = 0; round < rounds && busy; round++) {
        busy = false;
        for (int r = 0; r < team->fleet->ranks; r++) {
            irr_transport_t *transport = &team->fleet->rank[r].spy->super;

            transport->ops->progress(transport);
            if (r < team->started && team->result[r] == IRR_IN_PROGRESS) {
                team->result[r] = irr_allreduce_progress(&team->allreduce[r]);
                busy = busy || team->result[r] == IRR_IN_PROGRESS;
            }
        }
    }
    return !busy;
}

/* Random words of any magnitude. */
static void start(team_t *team, int r, uint32_t sequence, size_t count, uint64_t *state)
{
    irr_fleet_rank_t *rank = &team->fleet->rank[r];
    uint64_t words[IRR_ALLREDUCE_WORDS_MAX];

    for (size_t i = 0; i < count; i++) {
        words[i] = irr_test_random(state) >> irr_test_below(state, 64);
        team->most[i] = r > 0 && team->most[i] > words[i] ? team->most[i] : words[i];
    }
    rank->counters = (irr_counters_t){ 0 };
    irr_allreduce_start(&team->allreduce[r], words, count, &(irr_exec_env_t){
        .channel = rank->channel, .tag_base = irr_tag_base(sequence), .counters = &rank->counters });
    team->result[r] = IRR_IN_PROGRESS;
    team->started = r + 1;
}

static void expect_right(const team_t *team, size_t count)
{
    for (int r = 0; r < team->fleet->ranks; r++) {
        const irr_counters_t *counters = &team->fleet->rank[r].counters;

        CU_ASSERT_EQUAL(team->result[r], IRR_OK);
        CU_ASSERT_EQUAL(memcmp(team->allreduce[r].words, team->most, count * sizeof(*team->most)), 0);
        CU_ASSERT_EQUAL(counters->messages_sent, team->allreduce[r].moves.plan.nsends);
        CU_ASSERT_EQUAL(counters->header_bytes, counters->messages_sent * count * sizeof(uint64_t));
        CU_ASSERT_EQUAL(counters->bytes_sent + counters->bytes_received, 0);
    }
}

/* Runs several reductions. In some reductions each rank starts a while after the previous rank. */
static void run(int ranks, int layout, uint32_t runs, uint64_t *state)
{
    team_t team;

    open_team(&team, ranks, layout, irr_test_random(state), irr_test_below(state, 2) == 0 ? 0 : SIZE_MAX);
    for (uint32_t sequence = 0; sequence < runs; sequence++) {
        const size_t count = 1 + irr_test_below(state, IRR_ALLREDUCE_WORDS_MAX);

        for (int r = 0; r < ranks; r++) {
            start(&team, r, sequence, count, state);
            (void)progress(&team, sequence % 3 == 1 ? 2 : 0);
        }
        CU_ASSERT_TRUE_FATAL(progress(&team, ROUNDS_MAX));
        expect_right(&team, count);
    }
    close_team(&team);
}

static void test_runs(void)
{
    static const int ranks[] = { 1, 2, 3, 5, 8, 13, 33, 70, 300 };
    uint64_t state = irr_test_seed();

    for (size_t i = 0; i < IRR_TEST_COUNT(ranks); i++) {
        for (int layout = 0; layout < LAYOUTS; layout++) {
            run(ranks[i], layout, 3, &state);
        }
    }
    run(5, 0, IRR_TAG_SEQUENCES + 75, &state);
}

/* ---- runs that fail ---- */

/* Asserts that no rank has a wrong maximum. Rank `failed` has an error at once; other ranks may wait for its notice. */
static void expect_failure(team_t *team, int failed, size_t count)
{
    (void)progress(team, 200);
    CU_ASSERT(team->result[failed] != IRR_OK && team->result[failed] != IRR_IN_PROGRESS);
    for (int r = 0; r < team->fleet->ranks; r++) {
        CU_ASSERT(team->result[r] != IRR_OK ||
                  memcmp(team->allreduce[r].words, team->most, count * sizeof(*team->most)) == 0);
    }
}

/* One rank has another number of words. */
static void run_length(int ranks, int layout, size_t odd_count, uint64_t *state)
{
    const int odd = (int)irr_test_below(state, (uint64_t)ranks);
    team_t team;

    open_team(&team, ranks, layout, irr_test_random(state), irr_test_below(state, 2) == 0 ? 0 : SIZE_MAX);
    for (int r = 0; r < ranks; r++) {
        start(&team, r, 0, r == odd ? odd_count : 3, state);
    }
    (void)progress(&team, 200);
    for (int r = 0; r < ranks; r++) {
        CU_ASSERT_NOT_EQUAL(team.result[r], IRR_OK);
    }
    close_team(&team);
}

/* The transport refuses a send or a receive of one rank. */
static void run_refused(int ranks, int layout, size_t nth, bool sends, uint64_t *state)
{
    const int failed = (int)irr_test_below(state, (uint64_t)ranks);
    team_t team;
    irr_spy_t *spy;

    open_team(&team, ranks, layout, irr_test_random(state), SIZE_MAX);
    spy = team.fleet->rank[failed].spy;
    nth = 1 + nth % team.allreduce[failed].moves.plan.nsends;
    spy->refusal = IRR_ERR_TRANSPORT;
    spy->refuse_send = sends ? nth : 0;
    spy->refuse_recv = sends ? 0 : nth;
    for (int r = 0; r < ranks; r++) {
        start(&team, r, 0, 1, state);
    }
    expect_failure(&team, failed, 1);
    irr_spy_repair(spy);
    (void)progress(&team, 200);
    close_team(&team);
}

static void test_failure(void)
{
    uint64_t state = irr_test_seed();

    for (int ranks = 2; ranks <= 20; ranks++) {
        for (int layout = 0; layout < LAYOUTS; layout++) {
            run_length(ranks, layout, 2, &state);
            run_length(ranks, layout, 8, &state);
            run_refused(ranks, layout, (size_t)ranks, true, &state);
            run_refused(ranks, layout, (size_t)layout, false, &state);
        }
    }
}

static irr_status_t init(void *context)
{
    irr_allreduce_t allreduce = { .count = 0 };
    irr_status_t status = irr_allreduce_init(&allreduce, 100, *(int *)context, NULL);

    irr_allreduce_fini(&allreduce);
    return status;
}

static void test_memory(void)
{
    int rank = 7;

    CU_ASSERT(irr_memory_fail_each(init, &rank) > 3);
}

IRR_TEST_MAIN("reduction", 60,
    { "the plans are proven, with nodes and without", test_proof },
    { "wrong plans are refused", test_refused },
    { "an exchange reduces nothing", test_exchange },
    { "runs are right", test_runs },
    { "other lengths, sends and receives that fail", test_failure },
    { "no memory", test_memory })
