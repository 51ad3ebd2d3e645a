/*
 * test_setup.c - communicators that are set up in steps, with collectives of the host that never block. Ranks of one
 * thread advance in any order, with several communicators at a time. An abandoned setup frees all that it has taken.
 */
#include "irr_memory.h"
#include "irr_test.h"
#include "irr_world.h"

#include "comm/setup.h"
#include "core/clock.h"

#include <string.h>

enum { RANKS = 5, TEAMS = 3, TURNS = 10000 };

/* ---- collectives that do not block ---- */

/*
 * A collective of one communicator. It is complete when the last rank has entered. Each rank detects this when it
 * tests.
 */
typedef struct barrier {
    const void *input[RANKS];
    void       *output[RANKS];   /* NULL: maxima */
    uint64_t   *words[RANKS];
    int         come, fails;     /* number of the collective that fails, from 1; 0: none */
    unsigned    done, seen[RANKS];
} barrier_t;

typedef struct member {
    barrier_t *barrier;
    int        rank;
} member_t;

static void gather(barrier_t *barrier, size_t bytes)
{
    for (int i = 0; i < RANKS; i++) {
        for (int k = 0; k < RANKS; k++) {
            memcpy((char *)barrier->output[i] + (size_t)k * bytes, barrier->input[k], bytes);
        }
    }
}

static void raise(barrier_t *barrier, size_t count)
{
    for (size_t w = 0; w < count; w++) {
        uint64_t most = 0;

        for (int i = 0; i < RANKS; i++) {
            most = barrier->words[i][w] > most ? barrier->words[i][w] : most;
        }
        for (int i = 0; i < RANKS; i++) {
            barrier->words[i][w] = most;
        }
    }
}

static irr_status_t come(const member_t *member, size_t length)
{
    barrier_t *barrier = member->barrier;

    if (++barrier->come == RANKS) {
        barrier->come = 0;
        barrier->done++;
        if (barrier->output[0] != NULL) {
            gather(barrier, length);
        } else {
            raise(barrier, length);
        }
    }
    return IRR_IN_PROGRESS;
}

static irr_status_t allgather(void *context, const void *input, void *output, size_t bytes)
{
    const member_t *member = context;

    member->barrier->input[member->rank] = input;
    member->barrier->output[member->rank] = output;
    return come(member, bytes);
}

static irr_status_t allreduce_max(void *context, uint64_t *values, size_t count)
{
    const member_t *member = context;

    member->barrier->words[member->rank] = values;
    member->barrier->output[member->rank] = NULL;
    return come(member, count);
}

static irr_status_t test(void *context)
{
    const member_t *member = context;
    barrier_t *barrier = member->barrier;

    if (barrier->seen[member->rank] == barrier->done) {
        return IRR_IN_PROGRESS;
    }
    barrier->seen[member->rank]++;
    return barrier->fails > 0 && barrier->seen[member->rank] == (unsigned)barrier->fails ? IRR_ERR_OOB : IRR_OK;
}

static uint64_t process_name(void *context, int rank)
{
    (void)context;
    return irr_crew_name(rank);
}

/* ---- a job of one thread ---- */

typedef struct job {
    irr_world_t   world;
    barrier_t     barriers[TEAMS];
    member_t      members[TEAMS][RANKS];
    irr_oob_t     oobs[TEAMS][RANKS];
    irr_setup_t setups[TEAMS][RANKS];
    irr_comm_t   *comms[TEAMS][RANKS];
} job_t;

static job_t job;

static void start(const char *algorithm)
{
    int row = 0;

    while (strcmp(irr_algorithm_name(row), algorithm) != 0) {
        row++;
    }
    memset(&job, 0, sizeof(job));
    irr_world_open(&job.world, RANKS, irr_test_seed(), 64);
    for (int t = 0; t < TEAMS; t++) {
        for (int r = 0; r < RANKS; r++) {
            const irr_comm_params_t params = {
                .ranks = RANKS, .rank = r, .settings = { .algorithm = row },
                .oob = &job.oobs[t][r], .node = r / 3
            };

            job.members[t][r] = (member_t){ &job.barriers[t], r };
            job.oobs[t][r] = (irr_oob_t){ &job.members[t][r], allgather, allreduce_max, test, process_name };
            irr_setup_start(&job.setups[t][r], job.world.engines[r], &params);
        }
    }
}

/* Lets random ranks test random communicators, `turns` times.  Returns the number of setups that are not complete. */
static int advance(uint64_t *state, int turns)
{
    int open = 1;

    for (int turn = 0; turn < turns && open > 0; turn++) {
        const size_t t = (size_t)(irr_test_random(state) % TEAMS), r = (size_t)(irr_test_random(state) % RANKS);

        (void)irr_setup_test(&job.setups[t][r], &job.comms[t][r]);
        open = 0;
        for (int i = 0; i < TEAMS * RANKS; i++) {
            open += job.setups[i / RANKS][i % RANKS].status == IRR_IN_PROGRESS;
        }
    }
    return open;
}

/*
 * Destroys all setups and communicators. Asserts that all ids are then free, except `ids` ids that the case has taken.
 */
static void destroy_holding(int ids)
{
    for (int i = 0; i < TEAMS * RANKS; i++) {
        irr_comm_t *comm = job.comms[i / RANKS][i % RANKS];

        irr_setup_abandon(&job.setups[i / RANKS][i % RANKS]);
        if (comm != NULL) {
            irr_comm_destroy(comm);
        }
    }
    CU_ASSERT_EQUAL(irr_world_ids(&job.world), ids);
    CU_ASSERT_TRUE(irr_world_close(&job.world));
}

static void destroy(void)
{
    destroy_holding(0);
}

/* ---- cases ---- */

static const char *const algorithms[] = { "direct", "node", "grid", "xor" };

enum { ALGORITHMS = IRR_TEST_COUNT(algorithms) };

/*
 * Ranks advance in any order. All ranks get their communicators. A communicator has the same id on all ranks, and
 * different communicators have different ids.
 */
static void test_any_order(void)
{
    uint64_t state = irr_test_seed();

    for (int a = 0; a < ALGORITHMS; a++) {
        irr_memory_begin();
        start(algorithms[a]);
        CU_ASSERT_EQUAL(advance(&state, TURNS), 0);
        for (int i = 0; i < TEAMS * RANKS; i++) {
            const int t = i / RANKS, r = i % RANKS;

            CU_ASSERT_EQUAL_FATAL(job.setups[t][r].status, IRR_OK);
            CU_ASSERT_EQUAL(job.comms[t][r]->id, job.comms[t][0]->id);
            CU_ASSERT(t == 0 || job.comms[t][r]->id != job.comms[t - 1][r]->id);
        }
        destroy();
        CU_ASSERT_EQUAL(irr_memory_end(), 0);
    }
}

/*
 * Ranks test two communicators in different orders, so a rank reserves for one communicator the id that another rank
 * proposes for the other communicator. The ranks nevertheless agree on ids soon.
 */
static void test_crossed(void)
{
    int open = TEAMS * RANKS;

    start("direct");
    for (int turn = 0; turn < TURNS && open > 0; turn++) {
        open = 0;
        for (int i = 0; i < TEAMS * RANKS; i++) {
            const int r = i / TEAMS, t = r % 2 == 0 ? i % TEAMS : TEAMS - 1 - i % TEAMS;

            open += irr_setup_test(&job.setups[t][r], &job.comms[t][r]) == IRR_IN_PROGRESS;
        }
    }
    CU_ASSERT_EQUAL(open, 0);
    for (int t = 0; t < TEAMS; t++) {
        CU_ASSERT(job.barriers[t].done < 40);
        CU_ASSERT_FATAL(job.comms[t][0] != NULL);
    }
    destroy();
}

/* Setups are abandoned at any step. No id, no memory and no communicator is left. */
static void test_abandoned(void)
{
    uint64_t state = irr_test_seed();

    for (int turns = 0; turns < 400; turns += 7) {
        irr_memory_begin();
        start(algorithms[turns % ALGORITHMS]);
        advance(&state, turns);
        destroy();
        CU_ASSERT_EQUAL(irr_memory_end(), 0);
    }
}

/*
 * A collective of the host fails on all ranks. The setup of its communicator fails on all ranks, and all other setups
 * succeed.
 */
static void test_fails(void)
{
    uint64_t state = irr_test_seed();
    int nth = 1;
    bool failed = true;

    for (; failed && nth < 20; nth++) {
        irr_memory_begin();
        start("direct");
        job.barriers[1].fails = nth;
        CU_ASSERT_EQUAL(advance(&state, TURNS), 0);
        failed = job.setups[1][0].status != IRR_OK;
        for (int i = 0; i < TEAMS * RANKS; i++) {
            CU_ASSERT_EQUAL(job.setups[i / RANKS][i % RANKS].status, i / RANKS == 1 && failed ? IRR_ERR_OOB : IRR_OK);
        }
        destroy();
        CU_ASSERT_EQUAL(irr_memory_end(), 0);
    }
    CU_ASSERT(nth > 5 && nth < 20);   /* five collectives, and one more for each retry of an id */
}

/* ---- ids with messages that are left ---- */

enum { FREE_ID = 12345, FREE_IDS = 8 * TEAMS, BUSY = 1000 };

/*
 * Starts setups in which all ranks have the same few free ids. For `looks` calls, discard returns that messages with
 * these ids may be left.
 */
static void start_busy(const char *algorithm, size_t looks, size_t timeout)
{
    start(algorithm);
    for (int r = 0; r < RANKS; r++) {
        memset(job.world.engines[r]->ids.used, 0xff, sizeof(job.world.engines[r]->ids.used));
        job.world.spies[r]->busy_discards = looks;
        for (uint32_t i = 0; i < FREE_IDS; i++) {
            irr_ids_give(&job.world.engines[r]->ids, FREE_ID + i);
        }
        for (int t = 0; t < TEAMS; t++) {
            job.setups[t][r].params.settings.timeout = timeout;
        }
    }
}

static void destroy_busy(void)
{
    for (int r = 0; r < RANKS; r++) {
        job.world.spies[r]->busy_discards = 0;
    }
    destroy_holding(RANKS * (int)(IRR_IDS_COUNT - FREE_IDS));
}

/* A transport that discards messages delays the setup. The setup then uses the free ids. */
static void test_busy(void)
{
    uint64_t state = irr_test_seed();

    for (int a = 0; a < ALGORITHMS; a++) {
        start_busy(algorithms[a], BUSY, 0);
        CU_ASSERT_EQUAL(advance(&state, 10 * TURNS), 0);
        for (int i = 0; i < TEAMS * RANKS; i++) {
            CU_ASSERT_EQUAL_FATAL(job.setups[i / RANKS][i % RANKS].status, IRR_OK);
            CU_ASSERT(job.comms[i / RANKS][i % RANKS]->id - FREE_ID < FREE_IDS);
        }
        destroy_busy();
    }
}

/* On one rank discarding never ends. After half of the timeout the setup fails on all ranks. */
static void test_busy_for_ever(void)
{
    uint64_t state = irr_test_seed();
    const uint64_t begin_ns = irr_clock_ns();

    start_busy("direct", 0, 1);
    job.world.spies[2]->busy_discards = SIZE_MAX;
    while (advance(&state, TURNS) > 0 && irr_clock_ns() - begin_ns < UINT64_C(30000000000)) {
    }
    for (int i = 0; i < TEAMS * RANKS; i++) {
        CU_ASSERT_EQUAL(job.setups[i / RANKS][i % RANKS].status, IRR_ERR_NOT_SUPPORTED);
    }
    destroy_busy();
}

/* ---- ranks that cannot connect ---- */

/* The reason is memory only if memory is missing. */
static void test_no_connection(void)
{
#define TAIL "; each rank must reach all others with x_transport '', x_ucx_tls '' and x_ucx_devices ''"
    static const struct {
        bool         unreachable;
        irr_status_t connects_end;
        const char  *text;
    } cases[] = {
        { true, IRR_OK, "rank 2 of a communicator cannot reach rank 3: peer cannot be reached" TAIL },
        { false, IRR_ERR_NO_MEMORY, "a rank has no memory for a communicator" },
        { false, IRR_ERR_UNREACHABLE, "rank 2 of a communicator cannot use the address of rank 0: peer cannot be "
          "reached" TAIL },
        { false, IRR_ERR_BAD_PARAM, "rank 2 of a communicator cannot use the address of rank 0: value is not allowed "
          "here" TAIL }
    };
#undef TAIL

    irr_log_prefix_set("x_");
    for (size_t i = 0; i < IRR_TEST_COUNT(cases); i++) {
        irr_team_t team;
        irr_world_t world;

        irr_world_open(&world, 4, 0, 64);
        irr_team_init(&team, &world, 0, 1);
        world.spies[2]->unreachable = world.spies[3]->unreachable = cases[i].unreachable;
        world.spies[2]->connects_end = cases[i].connects_end;
        irr_world_start_log();
        CU_ASSERT_EQUAL(irr_team_create(&team), IRR_ERR_NOT_SUPPORTED);
        irr_world_end_log(1, cases[i].text);
        CU_ASSERT_EQUAL(irr_world_ids(&world), 0);
        CU_ASSERT_TRUE(irr_world_close(&world));
    }
    irr_log_prefix_set("");
}

IRR_TEST_MAIN("setup", 60,
    { "ranks that advance in any order, several communicators at once", test_any_order },
    { "ranks that propose the same ids for different communicators",    test_crossed },
    { "setups that are abandoned",                                      test_abandoned },
    { "a collective of the host fails",                                 test_fails },
    { "a transport that is busy with discarding",                       test_busy },
    { "a transport that is busy with discarding for ever",              test_busy_for_ever },
    { "ranks that cannot connect",                                      test_no_connection })
