/*
 * test_exchanges.c - many exchanges of a communicator at a time, over loopback with delays and over UCX. Every byte
 * arrives, whichever object runs an exchange and whichever rank is late. Some exchanges fail, are given up, or get an
 * unexpected message.
 */
#include "irr_test.h"
#include "irr_world.h"

#include <stdlib.h>

enum { RANKS = 5, MANY = 40, STEPS_MAX = 4000000 };

/* The exchanges of one rank. */
typedef struct member {
    irr_exchange_t *object[MANY];
    int             runs[MANY];      /* by object: number of the running exchange; -1: none */
    irr_status_t    result[3 * MANY];
    int             started, over;
} member_t;

typedef struct scene {
    irr_world_t world;
    irr_team_t  team;
    irr_job_t  *jobs[2 * MANY];
    member_t    members[RANKS];
    int         count;      /* number of objects of a rank */
    int         total;      /* number of exchanges, the same for all ranks */
    int         wrong;      /* number of exchanges that succeeded with wrong bytes */
} scene_t;

static scene_t scene;

/* Creates the communicator, the jobs, and the exchange objects of all ranks, in a world that is open. */
static void open_scene(const char *algorithm, int count, int total, uint64_t *state)
{
    const irr_settings_t settings = { .algorithm = irr_algorithm_find(algorithm), .scheduled.seed = 5 };

    scene.count = count;
    scene.total = total;
    scene.wrong = 0;
    irr_team_open(&scene.team, &scene.world, &settings);
    for (int i = 0; i < 2 * count; i++) {
        scene.jobs[i] = irr_job_create(RANKS, (irr_job_kind_t)irr_test_below(state, IRR_JOB_KINDS),
                                       irr_test_random(state));
        irr_job_fill(scene.jobs[i]);
    }
    for (int r = 0; r < RANKS; r++) {
        member_t *member = &scene.members[r];

        member->started = 0;
        member->over = 0;
        for (int i = 0; i < count; i++) {
            member->runs[i] = -1;
            irr_test_must(irr_exchange_take(scene.team.comms[r], &member->object[i]));
        }
    }
}

static void close_exchanges(void)
{
    for (int r = 0; r < RANKS; r++) {
        for (int i = 0; i < scene.count; i++) {
            irr_exchange_give(scene.members[r].object[i]);
        }
    }
    irr_team_destroy(&scene.team);
}

static void close_scene(void)
{
    close_exchanges();
    CU_ASSERT_TRUE(irr_world_close(&scene.world));
    for (int i = 0; i < 2 * scene.count; i++) {
        irr_job_destroy(scene.jobs[i]);
    }
}

static irr_job_t *job_of(int number)
{
    return scene.jobs[number % (2 * scene.count)];
}

/* Starts the next exchange of a rank in a random free object, unless its job is still in use on this rank. */
static void start_next(int r, uint64_t *state)
{
    member_t *member = &scene.members[r];
    const int number = member->started, first = (int)irr_test_below(state, (uint64_t)scene.count);
    const bool repeats = number >= 2 * scene.count;
    irr_job_t *job = job_of(number);

    if (number == scene.total || (repeats && member->result[number - 2 * scene.count] == IRR_IN_PROGRESS)) {
        return;
    }
    for (int k = 0; k < scene.count; k++) {
        const int i = (first + k) % scene.count;

        if (member->runs[i] < 0) {
            irr_job_poison(job, r);
            member->result[number] = irr_exchange_start(member->object[i], &job->problems[r], irr_job_input(job, r),
                                                        irr_job_output(job, r));
            if (member->result[number] == IRR_OK) {
                member->result[number] = IRR_IN_PROGRESS;
                member->runs[i] = number;
            } else {
                member->over++;
            }
            member->started++;
            return;
        }
    }
}

static void look(int r)
{
    member_t *member = &scene.members[r];

    irr_engine_progress(scene.world.engines[r]);
    for (int i = 0; i < scene.count; i++) {
        const int number = member->runs[i];
        irr_status_t status = number >= 0 ? irr_exchange_test(member->object[i]) : IRR_IN_PROGRESS;

        if (status != IRR_IN_PROGRESS) {
            member->result[number] = status;
            member->runs[i] = -1;
            member->over++;
            scene.wrong += status == IRR_OK && !irr_job_verify(job_of(number), r);
        }
    }
}

/* Runs all exchanges on all ranks, which progress at random.  Returns false if they do not end. */
static bool run_scene(uint64_t *state)
{
    int open = RANKS;

    for (int step = 0; step < STEPS_MAX && open > 0; step++) {
        const int r = (int)irr_test_below(state, RANKS);

        if (irr_test_below(state, 3) == 0) {
            start_next(r, state);
        } else {
            look(r);
        }
        open = 0;
        for (int i = 0; i < RANKS; i++) {
            open += scene.members[i].over < scene.total;
        }
    }
    return open == 0;
}

static int count_results(int r, irr_status_t status)
{
    int count = 0;

    for (int i = 0; i < scene.members[r].started; i++) {
        count += scene.members[r].result[i] == status;
    }
    return count;
}

static void expect_well(uint64_t *state)
{
    CU_ASSERT_TRUE(run_scene(state));
    CU_ASSERT_EQUAL(scene.wrong, 0);
    for (int r = 0; r < RANKS; r++) {
        CU_ASSERT_EQUAL(count_results(r, IRR_OK), scene.total);
        CU_ASSERT_EQUAL(scene.team.comms[r]->sequence, scene.team.comms[0]->sequence);
    }
}

/* ---- exchanges that succeed ---- */

/* Opens a world where each message is held back for a while with this probability. */
static void open_delayed(uint64_t *state, unsigned hold_percent)
{
    irr_fault_t faults[RANKS];

    for (int r = 0; r < RANKS; r++) {
        faults[r] = (irr_fault_t){ .seed = irr_test_random(state), .hold_percent = hold_percent, .hold_rounds = 60 };
    }
    irr_world_open_faulty(&scene.world, RANKS, irr_test_random(state), irr_test_below(state, 2) * 200, faults);
}

static void test_many(void)
{
    static const char *const algorithms[] = { "direct", "natural", "grid", "balanced-grid", "random" };
    uint64_t state = irr_test_seed();

    for (size_t i = 0; i < 2 * IRR_TEST_COUNT(algorithms); i++) {
        const int count = i % 2 == 0 ? 16 : MANY;

        open_delayed(&state, (unsigned)irr_test_below(&state, 2) * 30);
        open_scene(algorithms[i / 2], count, 3 * count, &state);
        expect_well(&state);
        for (int again = 0; again < 3 && i == 1; again++) {   /* so many exchanges that the ranks pass epoch barriers */
            for (int r = 0; r < RANKS; r++) {
                scene.members[r].started = 0;
                scene.members[r].over = 0;
            }
            expect_well(&state);
        }
        CU_ASSERT(i != 1 || scene.team.comms[0]->sequence > 3 * IRR_TAG_SEQUENCES / 2);
        close_scene();
    }
}

static bool open_ucx(const char *tls, const char *devices)
{
    irr_transport_t *transports[RANKS];
    const irr_engine_config_t config = {
        .ucx_tls = tls, .ucx_devices = devices, .one_node = tls == NULL, .job_ranks = RANKS, .node_ranks = RANKS
    };

    for (int r = 0; r < RANKS; r++) {
        if (irr_transport_open(&config, &transports[r]) != IRR_OK) {
            while (r-- > 0) {
                transports[r]->ops->free(transports[r]);
            }
            return false;
        }
    }
    irr_world_open_on(&scene.world, RANKS, transports);
    return true;
}

static void run_ucx(const char *tls, const char *devices)
{
    static const char *const algorithms[] = { "direct", "grid" };
    uint64_t state = irr_test_seed();

    for (int i = 0; i < 2; i++) {
        if (!open_ucx(tls, devices)) {
            irr_test_skip("UCX has none of these transports here");
            return;
        }
        open_scene(algorithms[i], MANY, 3 * MANY, &state);
        expect_well(&state);
        close_scene();
    }
}

static void test_shared(void)
{
    run_ucx(NULL, NULL);
}

static void test_tcp(void)
{
    run_ucx("tcp,self", "lo");
}

/* ---- exchanges that fail ---- */

/*
 * One rank fails the communicator at some time. All exchanges of all ranks end, and no successful exchange has a wrong
 * byte.
 */
static void test_failure(void)
{
    static const char *const algorithms[] = { "direct", "grid", "random" };
    uint64_t state = irr_test_seed();

    for (int i = 0; i < 12; i++) {
        const int victim = (int)irr_test_below(&state, RANKS);
        uint64_t rounds = irr_test_below(&state, 400);

        open_delayed(&state, 20);
        open_scene(algorithms[i % 3], 16, 3 * 16, &state);
        for (; rounds > 0; rounds--) {
            const int r = (int)irr_test_below(&state, RANKS);

            start_next(r, &state);
            look(r);
        }
        irr_comm_fail(scene.team.comms[victim], IRR_ERR_TRANSPORT, "was made to fail by a test");
        CU_ASSERT_TRUE(run_scene(&state));
        CU_ASSERT_EQUAL(scene.wrong, 0);
        irr_team_expect_failed(&scene.team);
        close_scene();
    }
}

/*
 * A rank sends to a rank that expects no message. The receiver has an error in one or two exchanges; all other
 * exchanges are correct.
 */
static void test_unexpected(void)
{
    uint64_t state = irr_test_seed();

    for (int i = 0; i < 10; i++) {
        const int to = (int)irr_test_below(&state, RANKS), from = (to + 1) % RANKS;
        int errors;

        irr_world_open(&scene.world, RANKS, 0, irr_test_below(&state, 2) * 200);   /* no message overtakes another */
        open_scene("direct", 16, 3 * 16, &state);
        for (int k = 0; k < 2 * 16; k++) {
            irr_job_destroy(scene.jobs[k]);
            scene.jobs[k] = irr_job_create(RANKS, IRR_JOB_UNIFORM, irr_test_random(&state));
            irr_job_fill(scene.jobs[k]);
        }
        irr_job_cut(scene.jobs[irr_test_below(&state, 16)], to, from, 0);
        CU_ASSERT_TRUE(run_scene(&state));
        CU_ASSERT_EQUAL(scene.wrong, 0);
        errors = count_results(to, IRR_ERR_TRUNCATE);
        CU_ASSERT(errors >= 1 && errors <= 2);   /* the job of the unexpected message runs twice */
        CU_ASSERT_EQUAL(count_results(to, IRR_OK), scene.total - errors);
        for (int r = 0; r < RANKS; r++) {
            CU_ASSERT(r == to || count_results(r, IRR_OK) == scene.total);
        }
        close_scene();
    }
}

/* The engines close while some exchanges are open and other exchanges wait. All exchanges get a result. */
static void test_close(void)
{
    static const char *const algorithms[] = { "direct", "grid" };
    uint64_t state = irr_test_seed();

    for (int i = 0; i < 2; i++) {
        irr_world_open(&scene.world, RANKS, irr_test_random(&state), SIZE_MAX);   /* all messages are eager */
        open_scene(algorithms[i], MANY, MANY, &state);
        for (int k = 0; k < MANY; k++) {
            start_next(0, &state);
        }
        for (int r = 0; r < RANKS; r++) {
            irr_engine_close(scene.world.engines[r]);
        }
        look(0);
        CU_ASSERT_EQUAL(scene.members[0].over, MANY);
        CU_ASSERT_EQUAL(count_results(0, IRR_ERR_CANCELED) + count_results(0, IRR_OK), MANY);
        close_exchanges();
        irr_world_drain(&scene.world);
        for (int k = 0; k < 2 * MANY; k++) {
            irr_job_destroy(scene.jobs[k]);
        }
    }
}

/* If an exchange is given up while it runs, the communicator fails, and so do the other open exchanges. */
static void test_given_up(void)
{
    uint64_t state = irr_test_seed();
    bool given = false;

    open_delayed(&state, 0);
    open_scene("direct", 16, 16, &state);
    for (int k = 0; k < 4; k++) {
        start_next(0, &state);
    }
    for (int i = 0; i < 16; i++) {
        const int run = scene.members[0].runs[i];

        if (!given && run >= 0 && scene.members[0].object[i]->result == IRR_IN_PROGRESS) {
            given = true;
            irr_exchange_give(scene.members[0].object[i]);
            irr_test_must(irr_exchange_take(scene.team.comms[0], &scene.members[0].object[i]));
            scene.members[0].runs[i] = -1;
            scene.members[0].over++;
            scene.members[0].result[run] = IRR_ERR_CANCELED;
        }
    }
    CU_ASSERT_TRUE(run_scene(&state));
    CU_ASSERT_EQUAL(scene.wrong, 0);
    if (given) {
        irr_team_expect_failed(&scene.team);
    }
    close_scene();
}

/* Objects that are given back are taken again, including the first object of the communicator. */
static void test_taken(void)
{
    irr_exchange_t *taken[3], *again[3];
    uint64_t state = irr_test_seed();

    open_delayed(&state, 0);
    open_scene("direct", 4, 4, &state);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++) {
            irr_test_must(irr_exchange_take(scene.team.comms[0], &again[i]));
        }
        for (int i = 0; round > 0 && i < 3; i++) {
            CU_ASSERT_PTR_EQUAL(again[i], taken[i]);
        }
        for (int i = 3; i-- > 0;) {
            taken[i] = again[i];
            irr_exchange_give(again[i]);
        }
    }
    CU_ASSERT_PTR_EQUAL(scene.members[0].object[0], irr_comm_exchange(scene.team.comms[0]));
    CU_ASSERT_TRUE(run_scene(&state));
    close_scene();
}

IRR_TEST_MAIN("exchanges", 120,
    { "16 and 40 at a time, more than sequence numbers",  test_many },
    { "over the memory of the node",                      test_shared },
    { "over tcp",                                         test_tcp },
    { "a communicator that fails",                        test_failure },
    { "an unexpected message",                            test_unexpected },
    { "engines that close",                               test_close },
    { "an exchange that is given up",                     test_given_up },
    { "objects that are taken and given back",            test_taken })
