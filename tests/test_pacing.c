/*
 * test_pacing.c - every direct algorithm with every pacing, which limits when a step may start. The checker accepts the
 * plans, and the plans keep the rule of their pacing even if one step never ends. The tests start steps by the rules of
 * plan.h, without bytes or time. test_world.c runs the plans on bytes, and test_waits.c has examples.
 */
#include "irr_job.h"
#include "plan_all.h"
#include "tree_scene.h"

#include "order/tree/syncs.h"
#include "pacing/pacing.h"
#include "pacing/signals.h"
#include "route/direct.h"

enum { RANKS_MAX = 12, STEPS_MAX = 400, GRANTS_MAX = 3, RUNS = 400, ANY = -1 };

/* ---- steps that start ---- */

typedef struct run {
    int             ranks;
    irr_plan_t      plans[RANKS_MAX];
    irr_schedule_t  schedule;                          /* of all messages */
    size_t          partner[RANKS_MAX][STEPS_MAX];     /* by rank and step of a message: the step at the other end */
    bool            begun[RANKS_MAX][STEPS_MAX];
    bool            ended[RANKS_MAX][STEPS_MAX];
} run_t;

static run_t run;

/* Returns the kind of the other end of a message. */
static irr_step_kind_t other_end(irr_step_kind_t kind)
{
    static const irr_step_kind_t ends[] = {
        [IRR_STEP_SEND] = IRR_STEP_RECV, [IRR_STEP_RECV] = IRR_STEP_SEND, [IRR_STEP_COPY] = IRR_STEP_COPY,
        [IRR_STEP_SIGNAL] = IRR_STEP_WAIT, [IRR_STEP_WAIT] = IRR_STEP_SIGNAL
    };

    return ends[kind];
}

/* Returns the number-th step of a kind and a peer, counted from 0. */
static size_t find_step(const irr_plan_t *plan, irr_step_kind_t kind, int peer, size_t number)
{
    for (size_t i = 0; i < plan->nsteps; i++) {
        if (plan->steps[i].kind == kind && plan->steps[i].peer == peer && number-- == 0) {
            return i;
        }
    }
    return STEPS_MAX;
}

static void find_partners(int rank)
{
    const irr_plan_t *plan = &run.plans[rank];

    CU_ASSERT_FATAL(plan->nsteps < STEPS_MAX);
    for (size_t i = 0; i < plan->nsteps; i++) {
        const irr_step_t *step = &plan->steps[i];
        size_t number = 0;

        for (size_t k = 0; k < i; k++) {
            number += plan->steps[k].kind == step->kind && plan->steps[k].peer == step->peer;
        }
        run.partner[rank][i] = find_step(&run.plans[step->peer], other_end(step->kind), rank, number);
        CU_ASSERT_FATAL(run.partner[rank][i] < STEPS_MAX);
    }
}

/* Returns true if all steps on which a step depends have ended, and earlier steps of its group have begun. */
static bool may_begin(int rank, size_t i)
{
    const irr_plan_t *plan = &run.plans[rank];
    const irr_step_t *step = &plan->steps[i];
    bool may = true;

    for (size_t k = 0; k < step->deps; k++) {
        may = may && run.ended[rank][plan->deps[step->first_dep + k]];
    }
    for (size_t k = 0; k < i; k++) {
        may = may && (run.begun[rank][k] || plan->steps[k].kind != step->kind);
    }
    return may;
}

/* Sends and signals end at once, so that as many steps as possible begin. */
static bool may_end(int rank, size_t i)
{
    const irr_step_t *step = &run.plans[rank].steps[i];
    const bool comes_in = step->kind == IRR_STEP_RECV || step->kind == IRR_STEP_WAIT;

    return run.begun[rank][i] && (!comes_in || run.begun[step->peer][run.partner[rank][i]]);
}

/* Begins and ends all steps that can, except that one step never ends. */
static void run_without(int rank, size_t endless)
{
    bool more = true;

    memset(run.begun, 0, sizeof(run.begun));
    memset(run.ended, 0, sizeof(run.ended));
    while (more) {
        more = false;
        for (int r = 0; r < run.ranks; r++) {
            for (size_t i = 0; i < run.plans[r].nsteps; i++) {
                const bool begins = !run.begun[r][i] && may_begin(r, i);

                run.begun[r][i] = run.begun[r][i] || begins;
                more = more || begins || (!run.ended[r][i] && may_end(r, i) && (r != rank || i != endless));
                run.ended[r][i] = run.ended[r][i] || (may_end(r, i) && (r != rank || i != endless));
            }
        }
    }
}

/* Returns the number of steps of a kind that have begun. peer: their peer; ANY: any peer. */
static size_t count_begun(int rank, irr_step_kind_t kind, int peer)
{
    size_t count = 0;

    for (size_t i = 0; i < run.plans[rank].nsteps; i++) {
        const irr_step_t *step = &run.plans[rank].steps[i];

        count += run.begun[rank][i] && step->kind == kind && (peer == ANY || step->peer == peer);
    }
    return count;
}

/* ---- the rules ---- */

/* loose: while step `endless` has not ended, no send of a later step begins. Returns the number of violations. */
static size_t count_early(int rank, size_t endless)
{
    const irr_plan_t *plan = &run.plans[rank];
    size_t early = 0;

    for (size_t i = 0; i < plan->nsteps; i++) {
        early += run.begun[rank][i] && plan->steps[i].kind == IRR_STEP_SEND &&
                 plan->steps[i].number > plan->steps[endless].number;
    }
    return early;
}

/* grant: at most `grants` granted receives and `grants` sends are open, and every send has a grant. */
static size_t count_ungranted(int rank, size_t endless, size_t grants)
{
    const irr_step_kind_t kind = run.plans[rank].steps[endless].kind;
    size_t before = 0, wrong = 0;

    for (size_t i = 0; i < endless; i++) {
        before += run.plans[rank].steps[i].kind == kind;
    }
    wrong += count_begun(rank, kind == IRR_STEP_RECV ? IRR_STEP_SIGNAL : IRR_STEP_SEND, ANY) > before + grants;
    for (int peer = 0; peer < run.ranks; peer++) {
        wrong += count_begun(rank, IRR_STEP_SEND, peer) > count_begun(peer, IRR_STEP_SIGNAL, rank);
        wrong += count_begun(peer, IRR_STEP_SEND, rank) > count_begun(rank, IRR_STEP_SIGNAL, peer);
    }
    return wrong;
}

static bool share_link(const irr_tree_t *tree, const irr_transmission_t *a, const irr_transmission_t *b)
{
    int path[SCENE_VERTICES], other[SCENE_VERTICES];
    const int edges = irr_tree_path(tree, a->from, a->to, path), others = irr_tree_path(tree, b->from, b->to, other);

    for (int i = 0; i < edges * others; i++) {
        if (path[i / others] == other[i % others] && path[i / others] < 2 * tree->links) {
            return true;
        }
    }
    return false;
}

/* Returns the step of a rank that receives, or sends, a transmission. */
static size_t step_of(const irr_transmission_t *t, bool sends)
{
    const int rank = sends ? t->from : t->to;
    size_t number = 0;

    for (const irr_transmission_t *u = run.schedule.list; u < t; u++) {
        number += u->from == t->from && u->to == t->to;
    }
    return find_step(&run.plans[rank], sends ? IRR_STEP_SEND : IRR_STEP_RECV, sends ? t->to : t->from, number);
}

/* sync: until a message is received, no message of a later step begins that shares a link with it. */
static size_t count_meetings(const irr_tree_t *tree)
{
    size_t meetings = 0;

    for (size_t i = 0; i < run.schedule.count; i++) {
        const irr_transmission_t *t = &run.schedule.list[i];

        run_without(t->to, step_of(t, false));
        for (const irr_transmission_t *u = t + 1; u < run.schedule.list + run.schedule.count; u++) {
            meetings += u->step > t->step && share_link(tree, t, u) && run.begun[u->from][step_of(u, true)];
        }
    }
    return meetings;
}

/*
 * Returns the number of violations of the rule of loose or grant, added over runs in which one message never ends. For
 * sync see count_meetings.
 */
static size_t count_broken(irr_pacing_kind_t rule, size_t grants)
{
    size_t broken = 0;

    for (int r = 0; r < run.ranks; r++) {
        for (size_t i = 0; i < run.plans[r].nsteps; i++) {
            const irr_step_kind_t kind = run.plans[r].steps[i].kind;

            if (kind == IRR_STEP_SEND || kind == IRR_STEP_RECV) {
                run_without(r, i);
                broken += rule == IRR_PACING_LOOSE ? count_early(r, i)
                          : rule == IRR_PACING_GRANT ? count_ungranted(r, i, grants) : 0;
            }
        }
    }
    return broken;
}

/* ---- plans ---- */

static void compute_schedule(const irr_order_t *order, const irr_job_t *job, uint64_t seed, irr_schedule_t *schedule)
{
    /* The redistribution has a message for each pair of ranks. */
    const irr_scheduled_params_t params = {
        .seed = seed, .lambda = { IRR_LAMBDA_FIXED, IRR_LAMBDA_ONE / 2 },
        .redistribution = { .x = 1, .p = job->ranks, .y = 1 + (uint64_t)job->ranks, .q = job->ranks }
    };
    irr_matrix_t matrix = irr_job_matrix(job);

    irr_test_must(irr_order_schedule(order, &matrix, &params, schedule));
    irr_matrix_fini(&matrix);
}

static void draw_schedule(const irr_job_t *job, uint64_t seed, irr_schedule_t *schedule)
{
    uint64_t state = seed, steps = 1 + irr_test_below(&state, 2 * (uint64_t)job->ranks);

    *schedule = (irr_schedule_t){ .ranks = job->ranks };
    for (int i = 0; i < job->ranks * job->ranks; i++) {
        int from = i / job->ranks, to = i % job->ranks;
        uint64_t left = from != to ? irr_job_length(job, from, to) : 0, at = 0;

        while (left > 0) {
            uint64_t length = irr_test_below(&state, 2) == 0 ? left : 1 + irr_test_below(&state, left);

            irr_test_must(irr_schedule_add(schedule, (irr_transmission_t){
                .step = 1 + (int)irr_test_below(&state, steps), .from = from, .to = to, .offset = at,
                .length = length
            }));
            at += length;
            left -= length;
        }
    }
    irr_schedule_sort(schedule);
}

/* Builds the plans of a job by a direct row of the table of algorithms; ANY: by a random schedule. */
static void build(const irr_job_t *job, int algorithm, uint64_t seed)
{
    const irr_order_t *order = algorithm == ANY ? NULL : irr_algorithm_strategy(algorithm)->order;

    run.ranks = job->ranks;
    run.schedule = (irr_schedule_t){ .ranks = 0 };
    if (order == NULL) {
        draw_schedule(job, seed, &run.schedule);
    } else if (order->schedule != NULL) {
        compute_schedule(order, job, seed, &run.schedule);
    }
    for (int r = 0; r < job->ranks; r++) {
        irr_plan_init(&run.plans[r]);
        irr_test_must(run.schedule.ranks > 0 ? irr_direct_plan_build(&run.schedule, &job->problems[r], &run.plans[r])
                                             : irr_plan_one(algorithm, &job->problems[r], &run.plans[r]));
    }
}

/* Asserts that the checker accepts the plans, which have a pacing now. */
static void expect_accepted(const irr_job_t *job)
{
    char reason[200] = "";

    CU_ASSERT_EQUAL(irr_plan_check(run.plans, job->problems, job->ranks, reason, sizeof(reason)), IRR_OK);
    CU_ASSERT_STRING_EQUAL(reason, "");
    for (int r = 0; r < job->ranks; r++) {
        find_partners(r);
    }
}

static void close_run(void)
{
    for (int r = 0; r < run.ranks; r++) {
        irr_plan_fini(&run.plans[r]);
    }
    irr_schedule_fini(&run.schedule);
}

/* Draws a direct row, or a random schedule. */
static int draw_algorithm(uint64_t *state)
{
    uint64_t rows = 0;
    int algorithm;

    while (irr_algorithm_name((int)rows) != NULL) {
        rows++;
    }
    do {
        algorithm = (int)irr_test_below(state, rows + 1) - 1;
    } while (algorithm != ANY && irr_algorithm_strategy(algorithm)->route != &irr_route_direct);
    return algorithm;
}

/* Returns the violations of `rule` by plans with this pacing. */
static size_t violations(const irr_job_t *job, int algorithm, irr_pacing_kind_t pacing, irr_pacing_kind_t rule,
                         size_t grants, uint64_t seed)
{
    const irr_pacing_params_t params = { .grants = grants };
    size_t broken;

    build(job, algorithm, seed);
    for (int r = 0; r < job->ranks; r++) {
        irr_test_must(irr_pacing_add(irr_pacing_of(pacing), &params, &run.plans[r]));
    }
    expect_accepted(job);
    broken = count_broken(rule, grants);
    close_run();
    return broken;
}

IRR_TEST_SEEDED(test_all, "plans of all algorithms keep the rules of loose and grant")
{
    for (int i = 0; i < irr_test_runs(RUNS); i++) {
        const int ranks = 1 + (int)irr_test_below(state, RANKS_MAX / 2), algorithm = draw_algorithm(state);
        const irr_job_kind_t kind = (irr_job_kind_t)irr_test_below(state, IRR_JOB_KINDS);
        const irr_pacing_kind_t pacing = (irr_pacing_kind_t)(1 + i % ((int)IRR_PACING_COUNT - 1));
        const size_t grants = 1 + irr_test_below(state, GRANTS_MAX);
        irr_job_t *job = irr_job_create(ranks, kind, irr_test_random(state));

        CU_ASSERT_EQUAL(violations(job, algorithm, pacing, pacing, grants, irr_test_random(state)), 0);
        irr_job_destroy(job);
    }
}

IRR_TEST(test_violated, "plans with other pacings violate the rules")
{
    static const struct { irr_pacing_kind_t pacing, rule; } rows[] = {
        { IRR_PACING_FREE, IRR_PACING_LOOSE }, { IRR_PACING_FREE, IRR_PACING_GRANT },
        { IRR_PACING_LOOSE, IRR_PACING_GRANT }, { IRR_PACING_GRANT, IRR_PACING_LOOSE }
    };
    irr_job_t *job = irr_job_create(5, IRR_JOB_UNIFORM, 1);

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        CU_ASSERT(violations(job, irr_algorithm_find("direct"), rows[i].pacing, rows[i].rule, 2, 1) > 0);
    }
    irr_job_destroy(job);
}

/* ---- signals on a tree ---- */

/* Builds plans for a tree. */
static void build_on_tree(const irr_tree_t *tree, const irr_job_t *job, irr_pacing_kind_t pacing)
{
    irr_scheduled_params_t params = { .tree = tree };
    irr_matrix_t matrix = irr_job_matrix(job);
    irr_syncs_t syncs = { 0 };

    run.ranks = job->ranks;
    irr_test_must(irr_order_schedule(&irr_order_tree, &matrix, &params, &run.schedule));
    irr_test_must(irr_syncs_find(tree, &run.schedule, NULL, &syncs));
    for (int r = 0; r < job->ranks; r++) {
        irr_pacing_params_t of_rank = { .grants = 0 };
        irr_signals_t mine = { 0 };
        irr_schedule_t own;

        irr_plan_init(&run.plans[r]);
        irr_test_must(irr_schedule_own(&run.schedule, r, 0, &own));
        irr_test_must(irr_signals_build(&run.schedule, &syncs, r, &own, 0, &mine));
        irr_test_must(irr_direct_plan_build(&own, &job->problems[r], &run.plans[r]));
        of_rank.signals = &mine;
        irr_test_must(irr_pacing_add(irr_pacing_of(pacing), &of_rank, &run.plans[r]));
        irr_signals_fini(&mine);
        irr_schedule_fini(&own);
    }
    irr_syncs_fini(&syncs);
    irr_matrix_fini(&matrix);
}

static size_t meetings_on(const tree_scene_t *scene, irr_job_kind_t kind, irr_pacing_kind_t pacing, uint64_t seed)
{
    irr_job_t *job = irr_job_create(scene->ranks, kind, seed);
    irr_tree_t tree = tree_scene_tree(scene);
    size_t meetings;

    build_on_tree(&tree, job, pacing);
    expect_accepted(job);
    meetings = count_meetings(&tree);
    close_run();
    irr_tree_fini(&tree);
    irr_job_destroy(job);
    return meetings;
}

/*
 * On links of equal speed no message begins before the messages of earlier steps on its links are received. Without the
 * pacing some messages do.
 */
IRR_TEST_SEEDED(test_tree, "sync: no two messages use a link of a tree at a time")
{
    static tree_scene_t scene;
    size_t free = 0;

    for (int i = 0; i < irr_test_runs(400); i++) {
        do {
            tree_scene_any(&scene, state, RANKS_MAX);
        } while (scene.ranks > RANKS_MAX || scene.ranks < 2);
        free += meetings_on(&scene, IRR_JOB_UNIFORM, IRR_PACING_FREE, 1);
        for (int v = 0; v < scene.topology.vertices; v++) {
            scene.speed[v] = 1;
        }
        CU_ASSERT_EQUAL(meetings_on(&scene, (irr_job_kind_t)irr_test_below(state, IRR_JOB_KINDS), IRR_PACING_SYNC,
                                    irr_test_random(state)), 0);
    }
    CU_ASSERT(free > 0);
}

IRR_TEST_MAIN("pacing", 120)
