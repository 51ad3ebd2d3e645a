/*
 * test_schedules_calm.c - exchanges that go without a look: no message more than the data, every byte right whatever
 * the counts are, and a look again after so many.
 */
#include "irr_test.h"
#include "irr_turns.h"

#include "comm/comm_route.h"

enum { RANKS = IRR_TURNS_RANKS };

/* A run that is longer than any period of looks and skips. */
enum { LONG = 2 * (IRR_CALM_LOOKS + IRR_CALM_SKIPS) };

/* ---- a communicator that has chosen ---- */

static irr_settings_t tries(void)
{
    irr_settings_t settings = irr_turns_with("aapc");

    settings.piece_bytes = IRR_BYTES_AUTO;
    settings.lead_bytes = IRR_BYTES_AUTO;
    return settings;
}

/* Job A is one of short messages; B and C differ from it in one message each. */
static void open_with_jobs(irr_turns_t *scene, const irr_settings_t *settings, uint64_t *state)
{
    irr_turns_open_on_tree(scene, settings, NULL, state);
    for (int i = 0; i < 3; i++) {
        irr_turns_add_uniform(scene, i);
    }
    irr_job_shorten(scene->jobs[1], 2, 3, 1);
    irr_job_shorten(scene->jobs[2], 5, 0, 7);
}

static irr_tune_t *tune_of(irr_turns_t *scene, int rank)
{
    return &scene->team.comms[rank]->schedules.entry->tune;
}

/* Pretends that the ways with this pace were faster than all others in all their runs. */
static void pretend(irr_turns_t *scene, const irr_pace_t *pace)
{
    for (int i = 0; i < RANKS * IRR_PACED_WAYS_MAX * IRR_TUNE_RUNS; i++) {
        const int rank = i % RANKS, way = i / RANKS % IRR_PACED_WAYS_MAX;
        const bool wins = scene->team.comms[rank]->schedules.way[way].pace == pace;

        tune_of(scene, rank)->times[way][i / RANKS / IRR_PACED_WAYS_MAX] = wins ? 1 : UINT64_MAX;
    }
}

/* Runs job A until the next exchange will choose one with this pace. */
static void settle(irr_turns_t *scene, const irr_pace_t *pace)
{
    irr_turns_run(scene, "A");
    for (int left = scene->team.comms[0]->schedules.ways; left > 1; left = (left + 1) / 2) {
        for (int i = 1; i < IRR_TUNE_ROUNDS * left; i++) {
            irr_turns_run(scene, "A");
        }
        CU_ASSERT_TRUE(irr_tune_due(tune_of(scene, 0)));
        CU_ASSERT_EQUAL(tune_of(scene, 0)->left, left);
        pretend(scene, pace);
        if (left > 2) {
            irr_turns_run(scene, "A");   /* halves, and is the first of the next rounds */
        }
    }
}

/* Runs a job, in which each rank sends the data, and the messages of so many agreements. */
static void expect(irr_turns_t *scene, const char *letter, int agreements)
{
    size_t before[RANKS];

    for (int r = 0; r < RANKS; r++) {
        before[r] = scene->world.spies[r]->sends;
    }
    irr_turns_run(scene, letter);
    for (int r = 0; r < RANKS; r++) {
        const irr_comm_t *comm = scene->team.comms[r];
        const size_t sends = RANKS - 1 + (size_t)agreements * comm->agreement.moves.plan.nsends;

        CU_ASSERT_EQUAL(scene->world.spies[r]->sends - before[r], sends);
        CU_ASSERT(agreements > 0 || comm->exchange->view == IRR_VIEW_OWN);
    }
}

/* The looks that come before the first skips; the first one chooses. */
static void look(irr_turns_t *scene, const irr_pace_t *pace)
{
    for (int i = 0; i < IRR_CALM_LOOKS; i++) {
        expect(scene, "A", i == 0 ? 2 : 1);
        CU_ASSERT_PTR_EQUAL(scene->team.comms[0]->exchange->way->pace, pace);
    }
}

/* One whose next exchange is the first without a look. */
static void open_calm_with(irr_turns_t *scene, const irr_pace_t *pace, uint64_t *state)
{
    const irr_settings_t settings = tries();

    open_with_jobs(scene, &settings, state);
    settle(scene, pace);
    look(scene, pace);
}

static void open_calm(irr_turns_t *scene, uint64_t *state)
{
    open_calm_with(scene, &irr_pace_free, state);
}

/* ---- skips ---- */

static void expect_skips(irr_turns_t *scene)
{
    const uint64_t reused = scene->counters[0].schedules_reused;

    for (int k = 0; k < IRR_CALM_SKIPS; k++) {
        expect(scene, "A", 0);
    }
    CU_ASSERT_EQUAL(scene->counters[0].schedules_reused, reused);
    expect(scene, "A", 1);
    CU_ASSERT_EQUAL(scene->counters[0].schedules_reused, reused + 1);
    CU_ASSERT_EQUAL_FATAL(scene->team.comms[0]->exchange->view, IRR_VIEW_ALL);
}

/* Whatever pace goes without a schedule. */
static void test_skips(void)
{
    static const irr_pace_t *const paces[] = { &irr_pace_free, &irr_pace_loose };
    uint64_t state = irr_test_seed();

    for (size_t i = 0; i < sizeof(paces) / sizeof(paces[0]); i++) {
        irr_turns_t scene;

        open_calm_with(&scene, paces[i], &state);
        for (int k = 0; k < 3; k++) {
            expect_skips(&scene);
            CU_ASSERT_PTR_EQUAL(scene.team.comms[0]->run.built_way->pace, paces[i]);
        }
        CU_ASSERT_EQUAL(scene.counters[0].matrices, 1);
        irr_turns_close(&scene);
    }
}

/* A rank sends to the one after it first, so not all to the same one. */
static void test_direct_order(void)
{
    uint64_t state = irr_test_seed();
    irr_turns_t scene;

    open_calm(&scene, &state);
    expect(&scene, "A", 0);
    for (int r = 0; r < RANKS; r++) {
        const irr_plan_t *plan = &scene.team.comms[r]->run.plan;
        int to = r;

        for (size_t i = 0; i < plan->nsteps; i++) {
            if (plan->steps[i].kind == IRR_STEP_SEND && plan->steps[i].peer != r) {
                to = (to + 1) % RANKS;
                CU_ASSERT_EQUAL(plan->steps[i].peer, to);
            }
        }
        CU_ASSERT_EQUAL(to, (r + RANKS - 1) % RANKS);
        CU_ASSERT_PTR_EQUAL(scene.team.comms[r]->run.built_way->pace, &irr_pace_free);
    }
    irr_turns_close(&scene);
}

/* Counts that change between two ranks are no one's business until the next look, which learns them. */
static void test_change(void)
{
    uint64_t state = irr_test_seed();
    irr_turns_t scene;

    open_calm(&scene, &state);
    irr_turns_add(&scene, 3, IRR_JOB_MIXED, irr_test_random(&state));
    irr_turns_add(&scene, 4, IRR_JOB_ZERO, 1);
    irr_turns_add(&scene, 5, IRR_JOB_HOT_COLUMN, irr_test_random(&state));
    for (int k = 0; k < IRR_CALM_SKIPS; k++) {
        expect(&scene, (const char *[]){ "A", "B", "C" }[irr_test_below(&state, 3)], 0);
    }
    CU_ASSERT_EQUAL(scene.counters[0].matrices, 1);
    expect(&scene, "A", 1);
    for (int k = 0; k < IRR_CALM_SKIPS; k++) {
        irr_turns_run(&scene, (const char *[]){ "A", "D", "E", "F" }[irr_test_below(&state, 4)]);
    }
    CU_ASSERT_EQUAL(scene.counters[0].matrices, 1);
    irr_turns_run(&scene, "B");
    irr_turns_expect(&scene, 2, 2, scene.counters[0].schedules_reused);
    irr_turns_run(&scene, "B");
    irr_turns_expect(&scene, 2, 2, scene.counters[0].schedules_reused);
    CU_ASSERT_EQUAL(tune_of(&scene, 0)->runs, 2);
    for (int i = 0; i < IRR_CALM_LOOKS; i++) {
        expect(&scene, "A", 1);   /* what was found before counts from zero */
    }
    expect(&scene, "A", 0);
    irr_turns_close(&scene);
}

/* ---- counts that are new each time ---- */

/* More matrices in turn than the cache has slots: none is known when it comes again. */
static void run_new(irr_turns_t *scene, uint64_t turn)
{
    irr_turns_run(scene, (const char[]){ (char)('A' + turn % IRR_TURNS_JOBS), '\0' });
}

static void open_new(irr_turns_t *scene, const irr_settings_t *settings, uint64_t *state)
{
    irr_turns_open_on_tree(scene, settings, NULL, state);
    for (int i = 0; i < IRR_TURNS_JOBS; i++) {
        irr_turns_add_uniform(scene, i);
        irr_job_shorten(scene->jobs[i], 2, 3, (size_t)(1 + i));
    }
}

/* Their schedules are computed a few times, and then seldom. */
static void test_new(void)
{
    uint64_t state = irr_test_seed();
    irr_settings_t settings = tries();
    irr_turns_t scene;

    open_new(&scene, &settings, &state);
    for (uint64_t looks = 1; looks <= IRR_CALM_LOOKS + 2; looks++) {
        const int skips = looks > IRR_CALM_LOOKS ? (int)((IRR_CALM_SKIPS + 1) << (looks - IRR_CALM_LOOKS - 1)) - 1 : 0;

        for (int i = 0; i < skips; i++) {
            run_new(&scene, irr_test_random(&state));
            CU_ASSERT_EQUAL(scene.team.comms[0]->exchange->view, IRR_VIEW_OWN);
            CU_ASSERT_PTR_EQUAL(scene.team.comms[0]->exchange->way, scene.team.comms[0]->schedules.calm_way);
        }
        run_new(&scene, looks);
        irr_turns_expect(&scene, looks, looks, 0);
    }
    irr_turns_close(&scene);
}

/* Who asks for a pace has each of them scheduled. */
static void test_new_set(void)
{
    uint64_t state = irr_test_seed();
    irr_settings_t settings = tries();
    irr_turns_t scene;

    settings.pace = IRR_PACE_SYNC;
    open_new(&scene, &settings, &state);
    for (uint64_t i = 1; i <= 3 * IRR_CALM_LOOKS; i++) {
        run_new(&scene, i);
        irr_turns_expect(&scene, i, i, 0);
    }
    irr_turns_close(&scene);
}

/* What was best for the last counts comes first. */
static void test_favourite(void)
{
    static const irr_pace_t *const paces[] = { &irr_pace_sync, &irr_pace_grant, &irr_pace_loose, &irr_pace_free };
    uint64_t state = irr_test_seed();

    for (size_t i = 0; i < sizeof(paces) / sizeof(paces[0]); i++) {
        const irr_settings_t settings = tries();
        irr_turns_t scene;

        open_with_jobs(&scene, &settings, &state);
        settle(&scene, paces[i]);
        irr_turns_run(&scene, "AB");
        CU_ASSERT_PTR_EQUAL(scene.team.comms[0]->exchange->way->pace, paces[i]);
        CU_ASSERT_TRUE(tune_of(&scene, 0)->chosen < 0);
        irr_turns_close(&scene);
    }
}

/* ---- no skips ---- */

/* Every exchange finds its schedule. */
static void expect_looks(irr_turns_t *scene)
{
    const uint64_t reused = scene->counters[0].schedules_reused;

    for (int i = 0; i < LONG; i++) {
        irr_turns_run(scene, "A");
        CU_ASSERT_EQUAL_FATAL(scene->team.comms[0]->exchange->view, IRR_VIEW_ALL);
    }
    irr_turns_expect(scene, scene->counters[0].matrices, scene->counters[0].schedules_built, reused + LONG);
}

/* Where another way was chosen, or an order is wanted even so. */
static void test_none(void)
{
    enum { SYNC, GRANT, WINDOW_MESSAGES, WINDOW_BYTES, PIECES, KINDS };
    uint64_t state = irr_test_seed();

    for (int kind = 0; kind < KINDS; kind++) {
        const irr_pace_t *pace = kind == SYNC ? &irr_pace_sync : kind == GRANT ? &irr_pace_grant : &irr_pace_free;
        irr_settings_t settings = tries();
        irr_turns_t scene;

        settings.window_messages = kind == WINDOW_MESSAGES ? 3 : 0;
        settings.window_bytes = kind == WINDOW_BYTES ? 1000 : 0;
        settings.piece_bytes = kind == PIECES ? 50 : settings.piece_bytes;
        open_with_jobs(&scene, &settings, &state);
        settle(&scene, pace);
        expect_looks(&scene);
        CU_ASSERT_PTR_EQUAL(scene.team.comms[0]->exchange->way->pace, pace);
        irr_turns_close(&scene);
    }
}

/* A row that tries nothing keeps the order that it has, also with the pace free. */
static void test_set(void)
{
    static const char *const rows[] = { "rs_n", "aapc" };
    uint64_t state = irr_test_seed();

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        irr_settings_t settings = tries();
        irr_turns_t scene;

        settings.algorithm = irr_algorithm_find(rows[i]);
        settings.pace = IRR_PACE_FREE;
        open_with_jobs(&scene, &settings, &state);
        irr_turns_run(&scene, "A");
        expect_looks(&scene);
        irr_turns_close(&scene);
    }
}

/* A dump wants each matrix, so that all looks are made; alike on all ranks, though rank 0 alone writes. */
static void test_dump(void)
{
    uint64_t state = irr_test_seed();
    irr_settings_t settings = tries();
    irr_turns_t scene;

    settings.matrix_dump = "no/such/folder/matrix";
    open_with_jobs(&scene, &settings, &state);
    settle(&scene, &irr_pace_free);
    expect_looks(&scene);
    irr_turns_run(&scene, "B");
    CU_ASSERT_EQUAL(scene.counters[0].matrices, 2);
    irr_turns_close(&scene);
}

/* ---- beside others ---- */

/* A planned exchange of other counts, and a run of it. */
static void plan_member(int rank, void *context)
{
    irr_turns_t *scene = context;
    irr_comm_t *comm = scene->team.comms[rank];
    irr_job_t *job = scene->jobs[1];
    irr_status_t status = irr_exchange_plan(irr_comm_exchange(comm), &job->problems[rank]);

    status = status == IRR_OK ? irr_team_wait(&scene->team) : status;
    if (status == IRR_OK) {
        irr_job_poison(job, rank);
        status = irr_exchange_restart(irr_comm_exchange(comm), irr_job_input(job, rank), irr_job_output(job, rank));
    }
    status = status == IRR_OK ? irr_team_wait(&scene->team) : status;
    scene->wrong += status != IRR_OK || !irr_job_verify(job, rank);
    scene->wrong += comm->schedules.entry->tune.left != 1 || comm->schedules.entry->tune.runs != 0;
}

/* It looks, and changes nothing in what the others leave out; nor does it count as a look. */
static void test_planned(void)
{
    uint64_t state = irr_test_seed();
    const int looks = (int)irr_test_below(&state, IRR_CALM_LOOKS);
    const int skips = (int)irr_test_below(&state, IRR_CALM_SKIPS);
    irr_settings_t settings = tries();
    irr_turns_t scene;

    open_with_jobs(&scene, &settings, &state);
    irr_job_fill(scene.jobs[1]);
    settle(&scene, &irr_pace_free);
    for (int i = 0; i < IRR_CALM_LOOKS + IRR_CALM_SKIPS; i++) {
        if (i == looks || i == IRR_CALM_LOOKS + skips) {
            CU_ASSERT_TRUE(irr_crew_run(RANKS, plan_member, &scene));
            CU_ASSERT_EQUAL(scene.wrong, 0);
        }
        expect(&scene, "A", i == 0 ? 2 : i < IRR_CALM_LOOKS);
    }
    expect(&scene, "A", 1);
    expect(&scene, "A", 0);
    irr_turns_expect(&scene, 2, 2, scene.counters[0].schedules_reused);
    irr_turns_close(&scene);
}

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "what goes free needs a look now and then",           test_skips },
        { "without a look a rank begins with the next one",     test_direct_order },
        { "counts that change are exchanged, and learnt later", test_change },
        { "counts that are new each time are seldom learnt",    test_new },
        { "but where a pace is asked for",                      test_new_set },
        { "a new trial begins with what won the last one",      test_favourite },
        { "no look is left out where an order is wanted",       test_none },
        { "what the user has set keeps its order",              test_set },
        { "a dump sees all",                                    test_dump },
        { "planned exchanges look, and do not count",           test_planned },
        { NULL, NULL }
    };

    return irr_test_main("schedules_calm", cases, 60);
}
