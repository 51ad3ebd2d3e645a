/*
 * test_exchange.c - exchanges on communicators: counters, windows, pacings, memory, and wrong calls. test_world.c runs
 * every strategy.
 */
#include "irr_world.h"

#include "exec/tag.h"

/* Rows of the table of algorithms. */
enum { AUTO, A1, AC, A4 = 5, HYBRID, MULTISTAGE };

/* ---- one exchange ---- */

/* Only a long exchange is timed. One rank starts after the other ranks have tested a hundred times. */
IRR_TEST(test_times, "only the time of a long wait is counted")
{
    irr_status_t result[IRR_WORLD_MAX] = { IRR_OK };
    irr_counters_t counters;
    irr_team_t team;
    irr_job_t *job = irr_job_create(3, IRR_JOB_UNIFORM, 1);

    irr_team_open_new(&team, 3, 0, 100, NULL);
    irr_job_fill(job);
    for (int r = 1; r < 3; r++) {
        result[r] = irr_team_start(&team, r, job);
    }
    CU_ASSERT_FALSE(irr_team_progress(&team, result, 100));
    result[0] = irr_team_start(&team, 0, job);
    CU_ASSERT_TRUE(irr_team_progress(&team, result, 1000));
    for (int r = 1; r < 3; r++) {
        CU_ASSERT_EQUAL(result[r], IRR_OK);
        irr_engine_counters(team.world->engines[r], &counters);
        CU_ASSERT(counters.waiting_ns > 0);
    }
    irr_job_destroy(job);
    irr_team_close(&team);
}

IRR_TEST(test_counters, "the counters of an engine after one to three exchanges")
{
    irr_job_t *job = irr_job_create(4, IRR_JOB_UNIFORM, 1);
    uint64_t unit = irr_job_length(job, 0, 0);
    irr_team_t team;

    irr_team_open_new(&team, 4, 0, 0, NULL);
    for (uint64_t times = 1; times <= 3; times++) {
        irr_team_expect(&team, job, -1);
        for (int r = 0; r < 4; r++) {
            irr_counters_t expected = {
                .exchanges = times, .messages_sent = 3 * times, .messages_received = 3 * times,
                .bytes_sent = 3 * unit * times, .bytes_received = 3 * unit * times,
                .bytes_staged = unit * times, .largest_message = unit, .endpoints_open = 3,
                .steps = 3 * times
            };
            irr_counters_t counters;

            irr_engine_counters(team.world->engines[r], &counters);
            expected.waiting_ns = counters.waiting_ns;
            CU_ASSERT(memcmp(&counters, &expected, sizeof(expected)) == 0);
        }
    }
    irr_team_close(&team);
    irr_job_destroy(job);
}

/* All sends use rendezvous, so they stay in flight. */
static void run_windowed(irr_job_t *job, size_t messages, size_t bytes, uint64_t seed)
{
    irr_team_t team;

    irr_team_open_new(&team, job->ranks, seed, 0, &(irr_settings_t){
        .algorithm = seed % 2 == 0 ? A1 : AC, .window_messages = messages, .window_bytes = bytes });
    for (int r = 0; r < job->ranks; r++) {
        team.world->spies[r]->window_messages = messages;
        team.world->spies[r]->window_bytes = bytes;
    }
    irr_team_expect(&team, job, -1);
    for (int r = 0; r < job->ranks; r++) {
        const irr_spy_t *spy = team.world->spies[r];
        size_t recvs = 0;

        for (int from = 0; from < job->ranks; from++) {
            recvs += from != r && irr_job_length(job, from, r) > 0;
        }
        CU_ASSERT_FALSE(spy->exceeded);
        CU_ASSERT_EQUAL(spy->in_flight, 0);
        CU_ASSERT(bytes > 0 || spy->in_flight_max == (messages > 0 && messages < spy->sends ? messages : spy->sends));
        CU_ASSERT(spy->sends == 0 || spy->recvs_at_send == recvs);
    }
    irr_team_close(&team);
}

/* Each rank keeps the window of the settings, and uses it. Without a window all sends start at once. */
IRR_TEST_SEEDED(test_window, "each rank keeps to the window of the settings")
{
    static const struct {
        size_t messages, bytes;
    } windows[] = { { 0, 0 }, { 1, 0 }, { 3, 0 }, { 5, 0 }, { 0, 1 }, { 0, 400 }, { 2, 400 } };

    for (int i = 0; i < 8 * (int)IRR_TEST_COUNT(windows); i++) {
        irr_job_t *job = irr_job_create(2 + (int)irr_test_below(state, 14),
                                        (irr_job_kind_t)irr_test_below(state, IRR_JOB_KINDS), irr_test_random(state));

        run_windowed(job, windows[i / 8].messages, windows[i / 8].bytes, irr_test_random(state));
        irr_job_destroy(job);
    }
}

/* ---- pacings ---- */

/* Numbers of the data messages and of the grants that a rank sends. Grants are messages of kind SYNC without bytes. */
typedef struct sent {
    size_t data, grants, bytes;
} sent_t;

static void see(void *context, int to, uint16_t tag, const irr_iov_t *iov, size_t count)
{
    sent_t *sent = context;
    bool grant = irr_tag_kind(tag) == IRR_TAG_SYNC;

    (void)to;
    sent->grants += grant;
    sent->data += !grant;
    for (size_t i = 0; i < count && grant; i++) {
        sent->bytes += iov[i].length;
    }
}

/* Asserts that each of 5 ranks sends this number of grants in an exchange with these settings. */
static void expect_grants(irr_settings_t settings, size_t grants)
{
    irr_job_t *job = irr_job_create(5, IRR_JOB_UNIFORM, 1);
    sent_t sent[5] = { { .data = 0 } };
    irr_team_t team;

    irr_team_begin(&team, 5, 0, 0);
    for (int r = 0; r < 5; r++) {
        team.world->spies[r]->on_send = see;
        team.world->spies[r]->context = &sent[r];
    }
    irr_team_create_with(&team, &settings);
    irr_team_expect(&team, job, -1);
    for (int r = 0; r < 5; r++) {
        irr_counters_t counters;

        irr_engine_counters(team.world->engines[r], &counters);
        CU_ASSERT_EQUAL(sent[r].grants, grants);
        CU_ASSERT_EQUAL(sent[r].bytes, 0);
        CU_ASSERT_EQUAL(counters.messages_sent, sent[r].data + sent[r].grants);
        CU_ASSERT(grants == 0 || (counters.messages_received == 4 + grants && counters.header_bytes == 0));
        CU_ASSERT(grants == 0 || sent[r].data == 4);
    }
    irr_team_close(&team);
    irr_job_destroy(job);
}

IRR_TEST(test_pacing, "only the pacing `grant` on the direct route sends grants")
{
    expect_grants((irr_settings_t){ .algorithm = A1, .pacing = IRR_PACING_GRANT }, 4);
    expect_grants((irr_settings_t){ .algorithm = AUTO, .pacing = IRR_PACING_GRANT, .grants = 7 }, 4);
    expect_grants((irr_settings_t){ .algorithm = AC, .pacing = IRR_PACING_GRANT, .grants = 1 }, 4);
    expect_grants((irr_settings_t){ .algorithm = A1 }, 0);
    expect_grants((irr_settings_t){ .algorithm = A1, .grants = 3 }, 0);
    expect_grants((irr_settings_t){ .algorithm = AC, .pacing = IRR_PACING_LOOSE }, 0);
    expect_grants((irr_settings_t){ .algorithm = A4, .pacing = IRR_PACING_GRANT }, 0);
    expect_grants((irr_settings_t){ .algorithm = HYBRID, .pacing = IRR_PACING_GRANT }, 0);
    expect_grants((irr_settings_t){ .algorithm = MULTISTAGE, .pacing = IRR_PACING_GRANT }, 0);
}

static bool lengthen_grant(void *context, uint16_t *tag, unsigned char *bytes, size_t *length)
{
    (void)context;
    if (irr_tag_kind(*tag) == IRR_TAG_SYNC) {
        memset(bytes, 0, 3);
        *length = 3;
    }
    return false;
}

IRR_TEST(test_hostile_grant, "a grant that contains bytes fails the communicator")
{
    for (size_t grants = 1; grants <= 3; grants++) {
        const irr_settings_t settings = { .algorithm = A1, .pacing = IRR_PACING_GRANT, .grants = grants };
        irr_job_t *job = irr_job_create(5, IRR_JOB_UNIFORM, grants);
        irr_status_t result[IRR_WORLD_MAX];
        int refused = 0;
        irr_team_t team;

        irr_team_open_new(&team, 5, 0, SIZE_MAX, &settings);
        team.world->spies[2]->change = lengthen_grant;
        irr_job_fill(job);
        irr_team_run(&team, job, result);
        for (int r = 0; r < 5; r++) {
            refused += result[r] == IRR_ERR_PROTOCOL;
            CU_ASSERT(result[r] != IRR_OK || irr_job_verify(job, r));
        }
        CU_ASSERT(refused > 0);
        irr_team_expect_failed(&team);
        irr_team_close(&team);
        irr_job_destroy(job);
    }
}

static size_t allocations;

static bool count_allocation(void)
{
    allocations++;
    return false;
}

/* A repeated exchange allocates nothing, except that loopback allocates one block for each message. */
IRR_TEST(test_no_allocation, "a repeated exchange allocates nothing")
{
    irr_job_t *job = irr_job_create(5, IRR_JOB_UNIFORM, 2);

    for (int pacing = 0; pacing < (int)IRR_PACING_COUNT; pacing++) {
        const irr_settings_t settings = { .algorithm = A1, .pacing = (irr_pacing_kind_t)pacing };
        irr_team_t team;

        irr_team_open_new(&team, 5, 0, 0, &settings);
        irr_team_expect(&team, job, -1);
        allocations = 0;
        irr_memory_fail(1, count_allocation);
        irr_team_expect(&team, job, -1);
        irr_team_expect(&team, job, -1);
        CU_ASSERT_EQUAL(allocations, 2 * 5 * (pacing == (int)IRR_PACING_GRANT ? 8 : 4));
        irr_memory_fail(0, NULL);
        irr_team_close(&team);
    }
    irr_job_destroy(job);
}

/* ---- errors ---- */

IRR_TEST(test_misuse, "invalid calls return an error, and open exchanges succeed")
{
    irr_job_t *job = irr_job_create(3, IRR_JOB_UNIFORM, 2);
    irr_status_t result[3];
    irr_team_t team;

    irr_team_open_new(&team, 3, 0, 0, NULL);
    irr_job_fill(job);
    for (int r = 0; r < 3; r++) {
        const irr_problem_t *right = &job->problems[r];
        irr_exchange_t *exchange = irr_comm_exchange(team.comms[r]);
        irr_problem_t wrong[3] = { *right, *right, *right };

        wrong[0].ranks++;
        wrong[1].ranks--;
        wrong[2].rank = (r + 1) % 3;
        CU_ASSERT_EQUAL(irr_exchange_test(exchange), IRR_OK);
        for (int i = 0; i < 3; i++) {
            CU_ASSERT_EQUAL(irr_exchange_start(exchange, &wrong[i], NULL, NULL), IRR_ERR_BAD_PARAM);
        }
        result[r] = irr_team_start(&team, r, job);
        CU_ASSERT_EQUAL(result[r], IRR_IN_PROGRESS);
        CU_ASSERT_EQUAL(irr_exchange_start(exchange, right, NULL, NULL), IRR_ERR_BAD_PARAM);
    }
    CU_ASSERT_TRUE(irr_team_progress(&team, result, 1000));
    for (int r = 0; r < 3; r++) {
        CU_ASSERT_EQUAL(result[r], IRR_OK);
        CU_ASSERT_TRUE(irr_job_verify(job, r));
    }
    irr_team_expect(&team, job, -1);
    irr_team_close(&team);
    irr_job_destroy(job);
}

IRR_TEST_MAIN("exchange", 60)
