/*
 * test_comm_pacing.c - the pacing of a communicator: its exchanges obey the settings, start without allocating, and
 * keep no more than they need.
 */
#include "irr_memory.h"
#include "irr_test.h"
#include "irr_world.h"

#include "exec/tag.h"

/* Rows of the table of algorithms. */
enum { AUTO, A1, AC, A2, A3, A4, MULTISTAGE, NODE };

static void set(irr_team_t *team, const irr_settings_t *settings)
{
    for (int r = 0; r < team->group.ranks; r++) {
        team->params[r].settings = *settings;
    }
}

/* ---- what is sent ---- */

/* What a rank sends: messages of data, and empty ones of kind SYNC. */
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

/* The exchange of 5 ranks under these settings, whose ranks send so many grants each. */
static void run(irr_settings_t settings, size_t grants)
{
    irr_job_t *job = irr_job_create(5, IRR_JOB_UNIFORM, 1);
    sent_t sent[5] = { { .data = 0 } };
    irr_team_t team;
    irr_world_t world;

    irr_world_open(&world, 5, 0, 0);
    for (int r = 0; r < 5; r++) {
        world.spies[r]->on_send = see;
        world.spies[r]->context = &sent[r];
    }
    irr_team_open(&team, &world, &settings);
    irr_team_expect(&team, job, -1);
    for (int r = 0; r < 5; r++) {
        irr_counters_t counters;

        irr_engine_counters(world.engines[r], &counters);
        CU_ASSERT_EQUAL(sent[r].grants, grants);
        CU_ASSERT_EQUAL(sent[r].bytes, 0);
        CU_ASSERT_EQUAL(counters.messages_sent, sent[r].data + sent[r].grants);
        CU_ASSERT(grants == 0 || (counters.messages_received == 4 + grants && counters.header_bytes == 0));
        CU_ASSERT(grants == 0 || sent[r].data == 4);
    }
    irr_team_close(&team);
    irr_job_destroy(job);
}

/* Grants are sent where they are asked for, on a direct route, and nowhere else. */
static void test_pacing(void)
{
    run((irr_settings_t){ .algorithm = A1, .pacing = IRR_PACING_GRANT }, 4);
    run((irr_settings_t){ .algorithm = AUTO, .pacing = IRR_PACING_GRANT, .grants = 7 }, 4);
    run((irr_settings_t){ .algorithm = AC, .pacing = IRR_PACING_GRANT, .grants = 1 }, 4);
    run((irr_settings_t){ .algorithm = A1 }, 0);
    run((irr_settings_t){ .algorithm = A1, .grants = 3 }, 0);
    run((irr_settings_t){ .algorithm = AC, .pacing = IRR_PACING_LOOSE }, 0);
    run((irr_settings_t){ .algorithm = A4, .pacing = IRR_PACING_GRANT }, 0);
    run((irr_settings_t){ .algorithm = MULTISTAGE, .pacing = IRR_PACING_GRANT }, 0);
}

/* ---- what fails ---- */

static void test_no_pacing(void)
{
    const irr_settings_t wrong = { .pacing = IRR_PACING_COUNT }, right = { .pacing = IRR_PACING_GRANT };
    irr_team_t team;
    irr_world_t world;

    irr_world_open(&world, 3, 0, 0);
    irr_team_init(&team, &world, 0, 1);
    set(&team, &wrong);
    CU_ASSERT_EQUAL(irr_team_create(&team), IRR_ERR_NOT_SUPPORTED);
    set(&team, &right);
    CU_ASSERT_EQUAL(irr_team_create(&team), IRR_OK);
    irr_team_close(&team);
}

static size_t allocations;

static bool count_allocation(void)
{
    allocations++;
    return false;
}

/* Starting an exchange allocates nothing; what is allocated is loopback's, one message for each that is sent. */
static void test_no_allocation(void)
{
    irr_job_t *job = irr_job_create(5, IRR_JOB_UNIFORM, 2);

    for (int pacing = 0; pacing < (int)IRR_PACING_COUNT; pacing++) {
        const irr_settings_t settings = { .algorithm = A1, .pacing = (irr_pacing_kind_t)pacing };
        irr_team_t team;
        irr_world_t world;

        irr_memory_begin();
        irr_world_open(&world, 5, 0, 0);
        irr_team_open(&team, &world, &settings);
        allocations = 0;
        irr_memory_fail(1, count_allocation);
        irr_team_expect(&team, job, -1);
        irr_team_expect(&team, job, -1);
        CU_ASSERT_EQUAL(allocations, 2 * 5 * (pacing == (int)IRR_PACING_GRANT ? 8 : 4));
        irr_memory_fail(0, NULL);
        irr_team_close(&team);
        CU_ASSERT_EQUAL(irr_memory_end(), 0);
    }
    irr_job_destroy(job);
}

/* Direct sends never look for a schedule. */
static void test_no_cache(void)
{
    irr_world_t world;
    irr_team_t team;

    irr_memory_begin();
    irr_world_open(&world, 2, 0, 0);
    irr_team_open(&team, &world, &(irr_settings_t){ .algorithm = A1 });
    CU_ASSERT_PTR_NULL(team.comms[0]->schedules.cache.slot);
    irr_team_close(&team);
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
}

IRR_TEST_MAIN("comm_pace", 60,
    { "grants are sent where they are asked for", test_pacing },
    { "a pacing that does not exist",               test_no_pacing },
    { "an exchange allocates nothing",            test_no_allocation },
    { "who asks for no schedule has no cache",    test_no_cache })
