/*
 * test_sparse.c - the work of a rank in a repeated exchange depends on the number of ranks that it exchanges messages
 * with (its partners), not on the number of all ranks.
 *
 * Nine ranks of a large communicator exchange with each other; the other ranks only create the communicator. The test
 * counts the basic blocks of the engine, without the transport, that one rank runs from the start to the end of an
 * exchange. It therefore detects any loop over all ranks.
 */
#include "irr_visits.h"
#include "irr_world.h"

enum { LIVE = 9, PARTNERS = LIVE - 1, UNIT = 64, RUNS = 20 };

typedef struct job {
    irr_team_t    team;
    irr_block_t   blocks[LIVE][PARTNERS];
    irr_problem_t problems[LIVE];
    unsigned char input[LIVE][PARTNERS * UNIT], output[LIVE][PARTNERS * UNIT];
} job_t;

/* Returns the rank of the i-th live member. */
static int rank_of(const job_t *job, int i)
{
    return i * (job->team.ranks / LIVE);
}

static void open_job(job_t *job, int ranks, const char *algorithm)
{
    irr_team_open_new(&job->team, ranks, 0, SIZE_MAX, &(irr_settings_t){ .algorithm = irr_algorithm_find(algorithm) });
    for (int i = 0; i < LIVE; i++) {
        for (int k = 0, other = 0; k < PARTNERS; k++, other++) {
            other += other == i;
            job->blocks[i][k] = (irr_block_t){ .rank = rank_of(job, other), .offset = k * UNIT, .length = UNIT };
            memset(job->input[i] + k * UNIT, i * LIVE + other, UNIT);
        }
        job->problems[i] = (irr_problem_t){
            .ranks = ranks, .rank = rank_of(job, i), .send = { job->blocks[i], PARTNERS },
            .recv = { job->blocks[i], PARTNERS }
        };
    }
}

/* Closes the world without the progress in which engines discard unexpected messages. */
static void close_job(job_t *job)
{
    irr_team_destroy(&job->team);
    for (int r = 0; r < job->team.ranks; r++) {
        irr_engine_close(job->team.world->engines[r]);
    }
    CU_ASSERT_TRUE(irr_world_drain(job->team.world));
}

static irr_exchange_t *exchange_of(const job_t *job, int i)
{
    return irr_comm_exchange(job->team.comms[rank_of(job, i)]);
}

/* ---- exchanges ---- */

/* Progresses a member once.  Returns false if its exchange is complete. */
static bool progress(const job_t *job, int i)
{
    irr_status_t status;

    irr_visits_count = i == 0;
    irr_engine_progress(job->team.world->engines[rank_of(job, i)]);
    status = irr_exchange_test(exchange_of(job, i));
    irr_visits_count = false;
    CU_ASSERT(status == IRR_OK || status == IRR_IN_PROGRESS);
    return status == IRR_IN_PROGRESS;
}

static void expect_bytes(const job_t *job)
{
    for (int i = 0; i < LIVE; i++) {
        for (int k = 0, other = 0; k < PARTNERS; k++, other++) {
            other += other == i;
            CU_ASSERT_EQUAL(job->output[i][k * UNIT], other * LIVE + i);
            CU_ASSERT_EQUAL(job->output[i][(k + 1) * UNIT - 2], other * LIVE + i);
        }
    }
}

/* Runs an exchange.  Returns the number of basic blocks that rank 0 ran. */
static uint64_t exchange(job_t *job)
{
    bool busy[LIVE];
    int open = LIVE;

    memset(job->output, 0, sizeof(job->output));
    irr_visits = 0;
    for (int i = 0; i < LIVE; i++) {
        irr_visits_count = i == 0;
        irr_test_must(irr_exchange_start(exchange_of(job, i), &job->problems[i], job->input[i], job->output[i]));
        irr_visits_count = false;
        busy[i] = true;
    }
    for (int round = 0; round < 1000 && open > 0; round++) {
        for (int i = 0; i < LIVE; i++) {
            if (busy[i]) {
                busy[i] = progress(job, i);
                open -= !busy[i];
            }
        }
    }
    CU_ASSERT_EQUAL(open, 0);
    expect_bytes(job);
    return irr_visits;
}

/* Returns the number of basic blocks of the last of many exchanges with the same partners. */
static uint64_t visits_of(int ranks, const char *algorithm, bool changes)
{
    static job_t job;
    uint64_t visits = 0;

    open_job(&job, ranks, algorithm);
    for (int run = 0; run < RUNS; run++) {
        if (changes) {
            job.blocks[0][0].length = job.blocks[1][0].length = UNIT - (size_t)run % 2;   /* in both directions */
        }
        visits = exchange(&job);
    }
    close_job(&job);
    return visits;
}

static void expect_alike(const char *algorithm, bool changes)
{
    const uint64_t few = visits_of(2 * LIVE, algorithm, changes), many = visits_of(1024, algorithm, changes);

    if (many == 0) {
        irr_test_skip("this compiler does not count basic blocks");
        return;
    }
    printf("# %s, %d partners, %s: %llu basic blocks among %d ranks, %llu among 1024\n", algorithm, PARTNERS,
           changes ? "other lengths each time" : "equal lengths each time", (unsigned long long)few, 2 * LIVE,
           (unsigned long long)many);
    CU_ASSERT(many <= few + few / 50);
    CU_ASSERT(many <= PARTNERS * (changes ? 500 : 250));
}

IRR_TEST(test_again, "a repeated exchange costs as much in a small as in a large communicator")
{
    expect_alike("direct", false);
    expect_alike("natural", false);
}

IRR_TEST(test_changed, "with changed lengths an exchange costs as much in a small as in a large communicator")
{
    expect_alike("direct", true);
    expect_alike("natural", true);
}

IRR_TEST_MAIN("sparse", 60)
