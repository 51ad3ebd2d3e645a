/*
 * test_boards.c - communicators with boards: what goes over them, within nodes and between them, and what does not;
 * what one member lacks, and what is left of them.
 */
#include "irr_onboard.h"
#include "irr_memory.h"
#include "irr_test.h"

#include <string.h>

/* Where ranks share processors, longer messages go over boards; of short blocks they do so everywhere. */
static void test_block(void)
{
    for (int crowded = 0; crowded < 2; crowded++) {
        irr_onboard_t scene;
        irr_onboard_open(&scene, "board", 0, IRR_BYTES_AUTO, 1 << 20);
        scene.world.engines[0]->config.crowded = crowded == 1;
        CU_ASSERT_EQUAL_FATAL(irr_team_create(&scene.team), IRR_OK);
        CU_ASSERT_EQUAL(scene.team.comms[0]->board->block_max, crowded == 1 ? 65536 : 4096);
        CU_ASSERT_EQUAL(scene.team.comms[0]->board->short_max, 65536);
        irr_onboard_close(&scene);
    }
}

/*
 * Kinds in turn on one communicator, of ranks that can lend or not, each twice, so that plans are left and kept; more
 * of them than tags.
 */
static void test_kinds(void)
{
    static const struct { size_t block, bytes; } sizes[] = { { 0, 0 }, { 300, 2000 }, { 1 << 20, 1 << 20 } };

    for (int i = 0; i < 2 * IRR_ONBOARD_LAYOUTS * 3; i++) {
        irr_onboard_t scene;

        irr_onboard_blind(i % 4 < 2 ? -1 : 1);
        irr_onboard_open(&scene, "board", i % IRR_ONBOARD_LAYOUTS, sizes[i % 3].block,
                         sizes[i % 3].bytes);
        CU_ASSERT_EQUAL_FATAL(irr_team_create(&scene.team), IRR_OK);
        for (int turn = 0; turn < irr_test_runs(300); turn++) {
            irr_onboard_expect_kind(&scene, (irr_job_kind_t)irr_test_below(&scene.state, IRR_JOB_KINDS), 2);
        }
        irr_onboard_close(&scene);
    }
    irr_onboard_blind(-1);
}

static void exchange_from_nowhere(int rank, void *context)
{
    irr_onboard_t *scene = context;

    scene->results[rank] = irr_exchange_start(irr_comm_exchange(scene->team.comms[rank]),
                                              &scene->job->problems[rank], NULL, NULL);
    if (scene->results[rank] == IRR_OK) {
        scene->results[rank] = irr_team_wait(&scene->team);
    }
}

/* Offsets from no base, which are addresses, as with MPI_BOTTOM: a rank that has none lacks nothing. */
static void expect_no_base(const char *row, int layout)
{
    irr_onboard_t scene;

    irr_onboard_open(&scene, row, layout, 1000, 1 << 20);
    CU_ASSERT_EQUAL_FATAL(irr_team_create(&scene.team), IRR_OK);
    scene.job = irr_job_create(IRR_ONBOARD_RANKS, IRR_JOB_BLOCKS, irr_test_random(&scene.state));
    irr_job_fill(scene.job);
    for (int r = 0; r < IRR_ONBOARD_RANKS; r++) {
        for (size_t i = 0; i < scene.job->problems[r].send.count; i++) {
            scene.job->send[r][i].offset += (ptrdiff_t)(uintptr_t)irr_job_input(scene.job, r);
        }
        for (size_t i = 0; i < scene.job->problems[r].recv.count; i++) {
            scene.job->recv[r][i].offset += (ptrdiff_t)(uintptr_t)irr_job_output(scene.job, r);
        }
    }
    CU_ASSERT_TRUE(irr_crew_run(IRR_ONBOARD_RANKS, exchange_from_nowhere, &scene));
    for (int r = 0; r < IRR_ONBOARD_RANKS; r++) {
        CU_ASSERT_EQUAL(scene.results[r], IRR_OK);
        for (size_t i = 0; i < scene.job->problems[r].recv.count; i++) {
            scene.job->recv[r][i].offset -= (ptrdiff_t)(uintptr_t)irr_job_output(scene.job, r);
        }
        CU_ASSERT_TRUE(irr_job_verify(scene.job, r));
    }
    irr_job_destroy(scene.job);
    irr_onboard_close(&scene);
}

static void test_no_base(void)
{
    expect_no_base("board", 0);
    expect_no_base("board", 1);
}

/* On one node short blocks cost no message and no endpoint, and no allocation the second time. */
static void test_cost(void)
{
    irr_onboard_t scene;

    irr_memory_begin();
    irr_onboard_open(&scene, "board", 0, 1000, 1 << 20);
    CU_ASSERT_EQUAL_FATAL(irr_team_create(&scene.team), IRR_OK);
    scene.job = irr_job_create(IRR_ONBOARD_RANKS, IRR_JOB_SPARSE, 1);
    irr_onboard_expect(&scene, -1);
    irr_onboard_expect(&scene, -1);
    irr_memory_fail(1, NULL);
    irr_memory_fail_all();
    irr_onboard_expect(&scene, -1);
    CU_ASSERT_FALSE(irr_memory_failed());
    irr_memory_fail(0, NULL);
    for (int r = 0; r < IRR_ONBOARD_RANKS; r++) {
        irr_counters_t counters;
        size_t bytes = 0;

        for (int i = 0; i < IRR_ONBOARD_RANKS; i++) {
            bytes += i != r ? irr_job_length(scene.job, r, i) + irr_job_length(scene.job, i, r) : 0;
        }
        irr_exchange_counters(irr_comm_exchange(scene.team.comms[r]), &counters);
        CU_ASSERT_EQUAL(counters.messages_sent + counters.messages_received + counters.header_bytes, 0);
        CU_ASSERT_EQUAL(counters.bytes_boarded, bytes);
        CU_ASSERT_EQUAL(counters.bytes_staged, irr_job_length(scene.job, r, r));
        irr_engine_counters(scene.world.engines[r], &counters);
        CU_ASSERT(counters.board_memory > 0 && counters.board_memory < 100000);
    }
    irr_job_destroy(scene.job);
    irr_onboard_close(&scene);
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
}

/* A block that is shorter than its message, which goes over a board or directly. */
static void test_truncated(void)
{
    for (int i = 0; i < 2 * IRR_ONBOARD_LAYOUTS; i++) {
        const int layout = i / 2;

        for (size_t block = 0; block <= 4000; block += 4000) {
            irr_onboard_t scene;

            irr_onboard_open(&scene, "board", layout, block, 1 << 20);
            CU_ASSERT_EQUAL_FATAL(irr_team_create(&scene.team), IRR_OK);
            for (int shorter = 0; shorter < 2; shorter++) {
                scene.job = irr_job_create(IRR_ONBOARD_RANKS, IRR_JOB_UNIFORM, irr_test_random(&scene.state));
                irr_job_fill(scene.job);
                irr_job_cut(scene.job, 4, 2, shorter == 0 ? irr_job_length(scene.job, 2, 4) - 1 : 0);
                irr_job_disregard(scene.job, 4, 2);
                if (layout == 0 || shorter == 0) {
                    /* else a stray message of another node is told later */
                    irr_onboard_expect(&scene, 4);
                }
                irr_job_destroy(scene.job);
                irr_onboard_expect_kind(&scene, IRR_JOB_SPARSE, 2);
            }
            irr_onboard_close(&scene);
        }
    }
}

/* ---- neighbours ---- */

/* Those with whom a rank exchanges something, and the next rank, whether or not there is something for it. */
typedef struct neighbors {
    irr_neighbors_t lists;
    int             to[IRR_ONBOARD_RANKS], from[IRR_ONBOARD_RANKS];
} neighbors_t;

static void list_neighbors(const irr_job_t *job, int me, neighbors_t *neighbors)
{
    neighbors->lists = (irr_neighbors_t){ .to = neighbors->to, .from = neighbors->from };
    for (int i = 0; i < IRR_ONBOARD_RANKS; i++) {
        if (irr_job_length(job, me, i) > 0 || i == me + 1) {
            neighbors->to[neighbors->lists.nto++] = i;
        }
        if (irr_job_length(job, i, me) > 0 || me == i + 1) {
            neighbors->from[neighbors->lists.nfrom++] = i;
        }
    }
}

/* The same blocks, of neighbours and not, in turns; nobody else is waited for, nothing is written over too early. */
static void test_neighbors(void)
{
    neighbors_t neighbors[IRR_ONBOARD_RANKS];

    for (int i = 0; i < 2 * IRR_ONBOARD_LAYOUTS; i++) {
        irr_onboard_t scene;

        irr_onboard_open(&scene, "board", i / 2, 300, 2000);
        CU_ASSERT_EQUAL_FATAL(irr_team_create(&scene.team), IRR_OK);
        for (int turn = 0; turn < 50; turn++) {
            scene.job = irr_job_create(IRR_ONBOARD_RANKS, IRR_JOB_SPARSE, irr_test_random(&scene.state));
            for (int time = 0; time < 6; time++) {
                for (int r = 0; r < IRR_ONBOARD_RANKS; r++) {
                    list_neighbors(scene.job, r, &neighbors[r]);
                    scene.job->problems[r].neighbors = time % 4 < 2 ? &neighbors[r].lists : NULL;
                }
                irr_onboard_expect(&scene, -1);
            }
            irr_job_destroy(scene.job);
        }
        irr_onboard_close(&scene);
    }
}

/* ---- to sleep ---- */

/* Who waits for boards may sleep on them, and wakes if something is there. */
static void test_sleep(void)
{
    irr_status_t result[IRR_CREW_MAX];
    irr_engine_t *engine;
    irr_onboard_t scene;

    irr_onboard_open(&scene, "board", 0, 1000, 1 << 20);
    CU_ASSERT_EQUAL_FATAL(irr_team_create(&scene.team), IRR_OK);
    scene.job = irr_job_create(IRR_ONBOARD_RANKS, IRR_JOB_UNIFORM, 1);
    irr_job_fill(scene.job);
    engine = scene.world.engines[1];
    CU_ASSERT_FALSE(irr_engine_needs_boards_alone(engine));
    CU_ASSERT_EQUAL(irr_engine_wait_for_boards(engine, 1), IRR_ERR_NOT_SUPPORTED);
    result[1] = irr_team_start_rank(&scene.team, 1, scene.job);
    CU_ASSERT_TRUE(irr_engine_needs_boards_alone(engine));
    CU_ASSERT_EQUAL(irr_engine_wait_for_boards(engine, 1), IRR_ERR_TIMEOUT);
    CU_ASSERT_EQUAL(irr_engine_wait(engine, 1), IRR_ERR_TIMEOUT);
    result[0] = irr_team_start_rank(&scene.team, 0, scene.job);
    CU_ASSERT_EQUAL(irr_engine_wait_for_boards(engine, 1000000), IRR_OK);
    for (int r = 2; r < IRR_ONBOARD_RANKS; r++) {
        result[r] = irr_team_start_rank(&scene.team, r, scene.job);
    }
    CU_ASSERT_TRUE(irr_team_progress(&scene.team, result, 100));
    for (int r = 0; r < IRR_ONBOARD_RANKS; r++) {
        CU_ASSERT_EQUAL(result[r], IRR_OK);
        CU_ASSERT_TRUE(irr_job_verify(scene.job, r));
    }
    CU_ASSERT_EQUAL(irr_engine_wait_for_boards(engine, 1), IRR_ERR_NOT_SUPPORTED);
    irr_job_destroy(scene.job);
    irr_onboard_close(&scene);
}

/* ---- what a member lacks ---- */

static bool victim_runs(void)
{
    return irr_crew_self() == 3;
}

/* Whatever a member has no memory for: all have boards, or none, or no communicator; alike, and exchanges are right. */
static void test_no_memory(void)
{
    bool failed = true;

    for (size_t nth = 1; failed; nth++) {
        irr_onboard_t scene;
        irr_status_t status;
        bool has;

        irr_memory_begin();
        irr_onboard_open(&scene, "board", 0, 1000, 1 << 20);
        irr_memory_fail(nth, victim_runs);
        status = irr_team_create(&scene.team);
        failed = irr_memory_failed();
        irr_memory_fail(0, NULL);
        CU_ASSERT(status == IRR_OK || (failed && status == IRR_ERR_NOT_SUPPORTED));
        has = status == IRR_OK && scene.team.comms[0]->board != NULL;
        CU_ASSERT(failed || has);
        for (int r = 0; status == IRR_OK && r < IRR_ONBOARD_RANKS; r++) {
            CU_ASSERT_EQUAL(scene.team.comms[r]->board != NULL, has);
        }
        if (status == IRR_OK) {
            irr_onboard_expect_kind(&scene, IRR_JOB_BLOCKS, 2);
            irr_onboard_close(&scene);
        } else {
            CU_ASSERT_TRUE(irr_world_close(&scene.world));
        }
        CU_ASSERT_EQUAL(irr_memory_end(), 0);
    }
}

static void plan(int rank, void *context)
{
    irr_onboard_t *scene = context;

    scene->results[rank] = irr_exchange_plan(irr_comm_exchange(scene->team.comms[rank]),
                                             &scene->job->problems[rank]);
    if (scene->results[rank] == IRR_OK) {
        scene->results[rank] = irr_team_wait(&scene->team);
    }
}

static void restart(int rank, void *context)
{
    irr_onboard_t *scene = context;

    irr_job_poison(scene->job, rank);
    scene->results[rank] = irr_exchange_restart(irr_comm_exchange(scene->team.comms[rank]),
                                                irr_job_input(scene->job, rank), irr_job_output(scene->job, rank));
    if (scene->results[rank] == IRR_OK) {
        scene->results[rank] = irr_team_wait(&scene->team);
    }
}

/* Of the engine; the transport has all it needs. */
static bool is_ours(void)
{
    return !irr_spy_sends_now();
}

/* Starts of a planned exchange take no memory, but what the transport does. */
static void expect_restarts(irr_onboard_t *scene)
{
    irr_memory_fail(1, is_ours);
    irr_memory_fail_all();
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_TRUE(irr_crew_run(IRR_ONBOARD_RANKS, restart, scene));
        for (int r = 0; r < IRR_ONBOARD_RANKS; r++) {
            CU_ASSERT_EQUAL(scene->results[r], IRR_OK);
            CU_ASSERT_TRUE(irr_job_verify(scene->job, r));
        }
    }
    CU_ASSERT_FALSE(irr_memory_failed());
    irr_memory_fail(0, NULL);
}

/* One that is planned without room for several blocks a rank runs without buffers, each time: no byte is wrong. */
static void expect_lacking_restarts(irr_onboard_t *scene)
{
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_TRUE(irr_crew_run(IRR_ONBOARD_RANKS, restart, scene));
        for (int r = 0; r < IRR_ONBOARD_RANKS; r++) {
            const irr_status_t result = scene->results[r];

            CU_ASSERT(result == IRR_OK || result == (r == 3 ? IRR_ERR_NO_MEMORY : IRR_ERR_PEER));
            CU_ASSERT(result != IRR_OK || irr_job_verify(scene->job, r));
        }
    }
}

/* Who cannot plan says so, and the communicator goes on. */
static void lack_memory_to_plan(const char *name)
{
    bool failed = true;

    for (size_t nth = 1; failed; nth++) {
        irr_onboard_t scene;

        irr_memory_begin();
        irr_onboard_open(&scene, name, 2, 60, 1 << 20);
        CU_ASSERT_EQUAL_FATAL(irr_team_create(&scene.team), IRR_OK);
        scene.job = irr_job_create(IRR_ONBOARD_RANKS, IRR_JOB_BLOCKS, irr_test_random(&scene.state));
        irr_job_fill(scene.job);
        irr_memory_fail(nth, victim_runs);
        CU_ASSERT_TRUE(irr_crew_run(IRR_ONBOARD_RANKS, plan, &scene));
        failed = irr_memory_failed();
        irr_memory_fail(0, NULL);
        for (int r = 0; r < IRR_ONBOARD_RANKS; r++) {
            CU_ASSERT(scene.results[r] == IRR_OK || (failed && r == 3 && scene.results[r] == IRR_ERR_NO_MEMORY));
        }
        if (!failed) {
            expect_restarts(&scene);
        } else if (scene.results[3] == IRR_OK) {
            expect_lacking_restarts(&scene);
        }
        irr_job_destroy(scene.job);
        irr_onboard_expect_kind(&scene, IRR_JOB_SPARSE, 2);
        irr_onboard_close(&scene);
        CU_ASSERT_EQUAL(irr_memory_end(), 0);
    }
}

static void test_plan(void)
{
    lack_memory_to_plan("board");
}

/* ---- what is left ---- */

/* Boards are given back when all have read them, and communicators take turns in the same memory. */
static void test_many(void)
{
    size_t most = 0;
    irr_onboard_t scene;

    irr_onboard_open(&scene, "board", 1, 1000, 1 << 20);
    for (int turn = 0; turn < 200; turn++) {
        CU_ASSERT_EQUAL_FATAL(irr_team_create(&scene.team), IRR_OK);
        scene.state = 5;   /* lengths are those of the turn before */
        irr_onboard_expect_kind(&scene, IRR_JOB_UNIFORM, 1 + turn % 3);
        if (turn < 20) {
            most = scene.world.engines[0]->boards.segment.end;
        }
        CU_ASSERT_EQUAL(scene.world.engines[0]->boards.segment.end, most);
        irr_team_destroy(&scene.team);
    }
    CU_ASSERT_TRUE(irr_world_close(&scene.world));
}

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "what goes over boards by itself", test_block },
        { "every kind of job, on one node and on several",  test_kinds },
        { "offsets that are addresses",                     test_no_base },
        { "no message, no header, no allocation",           test_cost },
        { "blocks that are too short",                      test_truncated },
        { "among neighbours",                               test_neighbors },
        { "a rank that sleeps",                             test_sleep },
        { "a member has no memory",                         test_no_memory },
        { "plans, and a member that has no memory for one", test_plan },
        { "two hundred communicators, one after the other", test_many },
        { NULL, NULL }
    };

    return irr_test_main("boards", cases, 120);
}
