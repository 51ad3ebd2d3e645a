/*
 * test_pairs.c - exchanges in place, in pairs with little scratch. The checker accepts the plans. Every byte arrives in
 * any order of messages. Exchanges end even if the counts at both ends differ, or if peers do not exchange in place.
 */
#include "irr_world.h"

#include "pacing/pacing.h"
#include "route/direct.h"
#include "route/pairs.h"
#include "route/route.h"

enum { RANKS_MAX = 12, LENGTH_MAX = 2000, ROUNDS_MAX = 100000 };

/* Row 1 of the table of algorithms: direct. */
enum { DIRECT = 1 };

/* Draws lengths that are equal in both directions. Many lengths are close to a multiple of a chunk. */
static void draw(size_t *lengths, int ranks, const irr_pairs_limits_t *limit, uint64_t *state)
{
    for (int i = 0; i < ranks; i++) {
        for (int j = 0; j <= i; j++) {
            const size_t about = limit->chunk * (size_t)irr_test_below(state, 5) + (size_t)irr_test_below(state, 9);
            const size_t any = (size_t)irr_test_below(state, LENGTH_MAX);
            const size_t length = irr_test_below(state, 4) == 0 ? 0 : irr_test_below(state, 2) == 0 ? about : any;

            lengths[i * ranks + j] = lengths[j * ranks + i] = length < LENGTH_MAX ? length : LENGTH_MAX;
        }
    }
}

/* ---- ranks that agree ---- */

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
static void check_plans(const irr_job_t *job, irr_plan_t *plans, uint64_t *state)
{
    char reason[200] = "";
    irr_step_t *step;

    CU_ASSERT_EQUAL(irr_plan_check(plans, job->problems, job->ranks, reason, sizeof(reason)), IRR_OK);
    CU_ASSERT_STRING_EQUAL(reason, "");
    step = some_step(&plans[irr_test_below(state, (uint64_t)job->ranks)], state);
    if (step != NULL) {
        const uint32_t deps = step->deps;

        step->deps = 0;
        CU_ASSERT_EQUAL(irr_plan_check(plans, job->problems, job->ranks, reason, sizeof(reason)),
                        IRR_ERR_INVALID_PLAN);
        CU_ASSERT_STRING_NOT_EQUAL(reason, "");
        step->deps = deps;
    }
}

/* Runs the plans of all ranks of a filled job on a communicator of these settings. Stores the results. */
static void run_plans(irr_job_t *job, irr_plan_t *plans, size_t eager_max, const irr_settings_t *settings,
                      uint64_t *state, irr_status_t *result)
{
    irr_team_t team;

    irr_team_open_new(&team, job->ranks, irr_test_random(state), eager_max, settings);
    for (int r = 0; r < job->ranks; r++) {
        irr_team_start_plan(&team, r, &job->problems[r], &plans[r], irr_job_output(job, r), irr_job_output(job, r));
        result[r] = IRR_IN_PROGRESS;
    }
    CU_ASSERT_TRUE_FATAL(irr_team_progress(&team, result, ROUNDS_MAX));
    irr_team_close(&team);
}

static void check_one(const irr_pairs_limits_t *limit, int ranks, size_t eager_max, uint64_t *state)
{
    size_t lengths[RANKS_MAX * RANKS_MAX];
    irr_status_t result[RANKS_MAX];
    irr_plan_t plans[RANKS_MAX];
    irr_job_t *job;

    draw(lengths, ranks, limit, state);
    job = irr_job_create_place(ranks, lengths, irr_test_random(state));
    irr_job_fill(job);
    for (int r = 0; r < ranks; r++) {
        irr_plan_init(&plans[r]);
        irr_test_must(irr_pairs_build(&job->problems[r], limit, &plans[r]));
        CU_ASSERT(plans[r].scratch_bytes <= limit->scratch);
    }
    check_plans(job, plans, state);
    run_plans(job, plans, eager_max, &(irr_settings_t){ .algorithm = DIRECT }, state, result);
    for (int r = 0; r < ranks; r++) {
        CU_ASSERT_EQUAL(result[r], IRR_OK);
        CU_ASSERT_TRUE(irr_job_verify(job, r));
    }
    irr_job_destroy(job);
}

/* All, some, or no messages are eager. */
IRR_TEST_SEEDED(test_random, "the checker accepts the plans, and every byte arrives")
{
    static const size_t eager_max[] = { 0, 100, SIZE_MAX };

    for (int ranks = 1; ranks <= RANKS_MAX; ranks++) {
        for (int i = 0; i < irr_test_runs(12 * LIMITS); i++) {
            check_one(&limits[i % LIMITS], ranks, eager_max[irr_test_below(state, 3)], state);
        }
    }
}

/* Messages of up to 256 GiB in each direction, with the limits of exchanges, never need more scratch than the limit. */
IRR_TEST(test_bound, "scratch is not longer than its limit")
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

/* ---- ranks that disagree ---- */

/* Changes the counts of the last rank, so that they differ from the counts of its peers. */
static void spoil(size_t *lengths, int ranks, const irr_pairs_limits_t *limit, uint64_t *state)
{
    for (int peer = 0; peer < ranks - 1; peer++) {
        const size_t length = limit->chunk * (size_t)irr_test_below(state, 5) + (size_t)irr_test_below(state, 5);

        lengths[(ranks - 1) * ranks + peer] = length < LENGTH_MAX ? length : LENGTH_MAX;
    }
}

/*
 * Changes lengths of two kinds that the test cannot use. The first is 0: the message of the peer would be unexpected,
 * and the plans of pairs receive no unexpected messages. The second is taken for another length by the other end.
 */
static void avoid(size_t *lengths, int ranks, const irr_pairs_limits_t *limit)
{
    for (int i = 0; i < ranks * ranks; i++) {
        lengths[i] += lengths[i] == 0 || lengths[i] == limit->chunk + 1;
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
    size_t lengths[RANKS_MAX * RANKS_MAX];
    irr_status_t result[RANKS_MAX];
    irr_plan_t plans[RANKS_MAX];
    bool failed = false;
    irr_job_t *job;

    draw(lengths, ranks, limit, state);
    if (counts) {
        spoil(lengths, ranks, limit, state);
    }
    avoid(lengths, ranks, limit);
    job = irr_job_create_place(ranks, lengths, irr_test_random(state));
    irr_job_fill(job);
    for (int r = 0; r < ranks; r++) {
        irr_plan_init(&plans[r]);
        if (!counts && r % 2 == 1) {
            job->problems[r].in_place = false;
            build_direct(&job->problems[r], pacing, &plans[r]);
        } else {
            irr_test_must(irr_pairs_build(&job->problems[r], limit, &plans[r]));
        }
    }
    run_plans(job, plans, irr_test_below(state, 2) * 100,
              &(irr_settings_t){ .algorithm = DIRECT, .window_messages = window }, state, result);
    for (int r = 0; r < ranks; r++) {
        CU_ASSERT(result[r] == IRR_OK || result[r] == IRR_ERR_TRUNCATE || result[r] == IRR_ERR_PEER);
        CU_ASSERT(result[r] != IRR_ERR_TRUNCATE || !counts || r == ranks - 1 ||
                  lengths[r * ranks + ranks - 1] != lengths[(ranks - 1) * ranks + r]);
        CU_ASSERT(!counts || result[r] == IRR_ERR_PEER || irr_job_verify(job, r));   /* verifies agreed lengths */
        failed = failed || result[r] == IRR_ERR_PEER;
    }
    irr_job_destroy(job);
    return failed;
}

IRR_TEST_SEEDED(test_wrong, "different counts at both ends, and peers that do not exchange in place")
{
    static const irr_pacing_t *const pacings[] = { &irr_pacing_free, &irr_pacing_loose };
    int runs = 0, failed = 0;

    for (int ranks = 2; ranks <= RANKS_MAX; ranks++) {
        for (int i = 0; i < irr_test_runs(12 * LIMITS); i++) {
            failed += check_wrong(&limits[i % LIMITS], ranks, i % 2 == 0, pacings[i / 2 % 2], state);
            runs++;
        }
    }
    CU_ASSERT(failed > 0 && failed < runs);
}

IRR_TEST_MAIN("pairs", 120)
