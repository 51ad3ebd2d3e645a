/* irr_world.c - see irr_world.h. */
#include "irr_world.h"

#include <stddef.h>

#define DRAIN_ROUNDS  1000
#define ROUNDS_IDLE   1024      /* an idle engine acts once in this number of rounds (comm/engine.c) */
#define ROUNDS_HELD   100       /* number of rounds after which no message is held back (irr_fault_t) */
#define ACTS_QUIET    9         /* a world is at rest if all engines act this number of times without an event */
#define ROUNDS_MAX    1000000   /* number of rounds after which a setup or an exchange counts as hanging */

/* ---- memory ---- */

typedef struct irr_world_block {
    struct irr_world_block *next;
    max_align_t             memory[];
} irr_world_block_t;

void *irr_world_array(irr_world_t *world, int count, size_t size)
{
    irr_world_block_t *block = irr_test_array(1, sizeof(*block) + (size_t)count * size);

    block->next = world->blocks;
    world->blocks = block;
    return block->memory;
}

static void free_blocks(irr_world_t *world)
{
    while (world->blocks != NULL) {
        irr_world_block_t *block = world->blocks;

        world->blocks = block->next;
        free(block);
    }
}

/* ---- engines ---- */

static int self;

int irr_world_self(void)
{
    return self;
}

static unsigned progress(const irr_world_t *world, int rank)
{
    self = rank;
    return irr_engine_progress(world->engines[rank]);
}

static void init(irr_world_t *world, int ranks)
{
    memset(world, 0, sizeof(*world));
    world->ranks = ranks;
    world->spies = irr_world_array(world, ranks, sizeof(irr_spy_t *));
    world->engines = irr_world_array(world, ranks, sizeof(irr_engine_t *));
}

void irr_world_open_on(irr_world_t *world, int ranks, irr_transport_t *const *transports)
{
    init(world, ranks);
    for (int r = 0; r < ranks; r++) {
        world->spies[r] = irr_spy_create(transports[r]);
        irr_test_must(irr_engine_create_on(&world->spies[r]->super, false, &world->engines[r]));
    }
}

void irr_world_open_config(irr_world_t *world, int ranks, const irr_engine_config_t *config)
{
    init(world, ranks);
    for (int r = 0; r < ranks; r++) {
        irr_test_must(irr_engine_create(config, &world->engines[r]));
    }
}

void irr_world_open_faulty(irr_world_t *world, int ranks, uint64_t seed, size_t eager_max, const irr_fault_t *faults)
{
    irr_transport_t **transports = irr_test_array((size_t)ranks, sizeof(*transports));
    irr_fabric_t *fabric;

    irr_test_must(irr_fabric_create(ranks, seed, eager_max, &fabric));
    for (int r = 0; r < ranks; r++) {
        irr_test_must(irr_loopback_open(fabric, r, &transports[r]));
        if (faults != NULL) {   /* the inner spy marks allocations of delayed sends; see irr_spy_sends_now */
            irr_test_must(irr_fault_open(&irr_spy_create(transports[r])->super, &faults[r], &transports[r]));
        }
    }
    irr_world_open_on(world, ranks, transports);
    world->fabric = fabric;
    free(transports);
}

void irr_world_open(irr_world_t *world, int ranks, uint64_t seed, size_t eager_max)
{
    irr_world_open_faulty(world, ranks, seed, eager_max, NULL);
}

unsigned irr_world_progress(const irr_world_t *world, int rounds)
{
    unsigned events = 0;

    for (int i = 0; i < rounds * world->ranks; i++) {
        events += progress(world, i % world->ranks);
    }
    return events;
}

void irr_world_hurry(const irr_world_t *world)
{
    for (int r = 0; r < world->ranks; r++) {
        world->engines[r]->idle |= ROUNDS_IDLE - 1;
    }
}

/* Progresses all engines until the world is at rest. */
static void settle(const irr_world_t *world)
{
    for (int act = 0, quiet = 0; act < DRAIN_ROUNDS && quiet < ACTS_QUIET; act++) {
        quiet = irr_world_progress(world, ROUNDS_HELD) > 0 ? 0 : quiet + 1;
        irr_world_hurry(world);
    }
}

bool irr_world_close(irr_world_t *world)
{
    settle(world);   /* during these rounds engines discard unexpected messages, as in a barrier before the end */
    for (int r = 0; r < world->ranks; r++) {
        irr_engine_close(world->engines[r]);
    }
    return irr_world_drain(world);
}

bool irr_world_drain(irr_world_t *world)
{
    const int ranks = world->ranks;
    int drained = 0;

    for (int round = 0; round < DRAIN_ROUNDS && drained < ranks; round++) {
        drained = 0;
        for (int r = 0; r < ranks; r++) {
            drained += irr_engine_drain(world->engines[r]) == IRR_OK;
        }
    }
    for (int r = 0; r < ranks; r++) {
        irr_engine_destroy(world->engines[r]);
    }
    irr_fabric_destroy(world->fabric);
    free_blocks(world);
    return drained == ranks;
}

int irr_world_used_ids(const irr_world_t *world)
{
    int held = 0;

    for (int r = 0; r < world->ranks; r++) {
        for (uint32_t id = 0; id < IRR_IDS_COUNT; id += 64) {
            held += __builtin_popcountll(world->engines[r]->ids.used[id / 64]);
        }
    }
    return held;
}

/* ---- collectives of the host ---- */

/* The setup of a communicator on a member of a team, and the collective that the member entered last. */
typedef struct irr_member {
    irr_team_t  *team;
    irr_oob_t    oob;
    irr_setup_t  setup;
    size_t       entered;   /* number of collectives that the member has entered */
    size_t       tests;     /* number of tests of collectives */
    const void  *input;
    void        *output;
} irr_member_t;

static void gather(const irr_team_t *team)
{
    for (int to = 0; to < team->ranks; to++) {
        for (int from = 0; from < team->ranks; from++) {
            memcpy((char *)team->setups[to].output + (size_t)from * team->length, team->setups[from].input,
                   team->length);
        }
    }
}

static void reduce(const irr_team_t *team)
{
    uint64_t largest[IRR_SETUP_WORDS] = { 0 };

    for (int r = 0; r < team->ranks; r++) {
        const uint64_t *values = team->setups[r].input;

        for (size_t i = 0; i < team->count; i++) {
            largest[i] = values[i] > largest[i] ? values[i] : largest[i];
        }
    }
    for (int r = 0; r < team->ranks; r++) {
        memcpy(team->setups[r].output, largest, team->count * sizeof(largest[0]));
    }
}

/*
 * Enters an all-gather of `length` bytes, or a reduction of `count` words. Asserts that all members enter the same
 * collective. The last member that enters completes it. Every second member detects a failure in its next test.
 */
static irr_status_t enter(irr_member_t *member, const void *input, void *output, size_t length, size_t count)
{
    irr_team_t *team = member->team;

    member->input = input;
    member->output = output;
    if (++member->entered == team->fail_call) {
        return (member - team->setups) % 2 == 0 ? IRR_ERR_TRANSPORT : IRR_IN_PROGRESS;
    }
    CU_ASSERT(team->arrived == 0 || (team->length == length && team->count == count));
    CU_ASSERT_FATAL(count <= IRR_SETUP_WORDS);
    team->length = length;
    team->count = count;
    if (++team->arrived == team->ranks) {
        (length > 0 ? gather : reduce)(team);
        team->gathers += length > 0;
        team->reduces += length == 0;
        team->arrived = 0;
    }
    return IRR_IN_PROGRESS;
}

static irr_status_t allgather(void *context, const void *input, void *output, size_t bytes)
{
    return enter(context, input, output, bytes, 0);
}

static irr_status_t allreduce_max(void *context, uint64_t *values, size_t count)
{
    return enter(context, values, values, 0, count);
}

static irr_status_t test(void *context)
{
    irr_member_t *member = context;
    const irr_team_t *team = member->team;
    const bool looks = ++member->tests % 2 == 0;   /* otherwise returns IRR_IN_PROGRESS anyway */

    if (member->entered == team->fail_call) {
        return IRR_ERR_TRANSPORT;
    }
    return looks && member->entered == team->gathers + team->reduces ? IRR_OK : IRR_IN_PROGRESS;
}

static uint64_t process_name(void *context, int rank)
{
    const irr_member_t *member = context;

    return UINT64_C(0x100000000) * (uint64_t)member->team->members[rank];
}

/* ---- setup ---- */

void irr_team_init(irr_team_t *team, irr_world_t *world, int first, int step)
{
    memset(team, 0, sizeof(*team));
    team->world = world;
    team->members = irr_world_array(world, world->ranks, sizeof(*team->members));
    team->params = irr_world_array(world, world->ranks, sizeof(*team->params));
    team->statuses = irr_world_array(world, world->ranks, sizeof(*team->statuses));
    team->comms = irr_world_array(world, world->ranks, sizeof(irr_comm_t *));
    team->setups = irr_world_array(world, world->ranks, sizeof(*team->setups));
    for (int r = first; r >= 0 && r < world->ranks; r += step) {
        team->members[team->ranks++] = r;
    }
    for (int i = 0; i < team->ranks; i++) {
        team->params[i] = (irr_comm_params_t){ .ranks = team->ranks, .rank = i };
    }
}

void irr_team_set_host(irr_team_t *team)
{
    team->gathers = team->reduces = 0;
    team->arrived = 0;
    for (int i = 0; i < team->ranks; i++) {
        irr_member_t *member = &team->setups[i];

        *member = (irr_member_t){ .team = team };
        member->oob = (irr_oob_t){
            .context = member, .allgather = allgather, .allreduce_max = allreduce_max, .test = test,
            .process_name = process_name
        };
        team->params[i].oob = &member->oob;
    }
}

void irr_team_start_setup(irr_team_t *team)
{
    irr_team_set_host(team);
    for (int i = 0; i < team->ranks; i++) {
        team->comms[i] = NULL;
        team->statuses[i] = IRR_IN_PROGRESS;
        irr_setup_start(&team->setups[i].setup,
                        team->params[i].trouble == IRR_OK ? team->world->engines[team->members[i]] : NULL,
                        &team->params[i]);
    }
}

irr_status_t irr_team_test_setup(irr_team_t *team, int rank)
{
    self = team->members[rank];
    return team->statuses[rank] = irr_setup_test(&team->setups[rank].setup, &team->comms[rank]);
}

const char *irr_team_why(const irr_team_t *team, int rank)
{
    return team->setups[rank].setup.why;
}

void irr_team_abandon_setup(irr_team_t *team)
{
    for (int i = 0; i < team->ranks; i++) {
        irr_setup_abandon(&team->setups[i].setup);
    }
}

irr_status_t irr_team_create(irr_team_t *team)
{
    bool busy = true, alike = true;

    irr_team_start_setup(team);
    for (int round = 0; round < ROUNDS_MAX && busy; round++) {
        busy = false;
        for (int i = 0; i < team->ranks; i++) {
            busy = irr_team_test_setup(team, i) == IRR_IN_PROGRESS || busy;
        }
    }
    for (int i = 0; i < team->ranks; i++) {
        alike = alike && team->statuses[i] == team->statuses[0];
        alike = alike && (team->comms[i] != NULL) == (team->statuses[i] == IRR_OK);
    }
    return alike ? team->statuses[0] : IRR_IN_PROGRESS;
}

void irr_team_destroy(irr_team_t *team)
{
    for (int i = 0; i < team->ranks; i++) {
        if (team->comms[i] != NULL) {
            irr_comm_destroy(team->comms[i]);
        }
        team->comms[i] = NULL;
    }
}

void irr_team_begin(irr_team_t *team, int ranks, uint64_t seed, size_t eager_max)
{
    irr_world_t world;

    irr_world_open(&world, ranks, seed, eager_max);
    irr_team_init(team, &world, 0, 1);
    team->own = world;
    team->world = &team->own;
}

void irr_team_set(irr_team_t *team, const irr_settings_t *settings)
{
    for (int r = 0; r < team->ranks; r++) {
        team->params[r].settings = *settings;
    }
}

void irr_team_create_with(irr_team_t *team, const irr_settings_t *settings)
{
    if (settings != NULL) {
        irr_team_set(team, settings);
    }
    CU_ASSERT_EQUAL_FATAL(irr_team_create(team), IRR_OK);
}

void irr_team_open(irr_team_t *team, irr_world_t *world, const irr_settings_t *settings)
{
    irr_team_init(team, world, 0, 1);
    irr_team_create_with(team, settings);
}

void irr_team_open_new(irr_team_t *team, int ranks, uint64_t seed, size_t eager_max, const irr_settings_t *settings)
{
    irr_team_begin(team, ranks, seed, eager_max);
    irr_team_create_with(team, settings);
}

void irr_team_close(irr_team_t *team)
{
    irr_team_destroy(team);
    CU_ASSERT_TRUE(irr_world_close(team->world));
}

/* ---- exchanges ---- */

irr_status_t irr_team_start(irr_team_t *team, int rank, irr_job_t *job)
{
    irr_status_t status;

    self = team->members[rank];
    irr_job_poison(job, rank);
    status = irr_exchange_start(irr_comm_exchange(team->comms[rank]), &job->problems[rank], irr_job_input(job, rank),
                                irr_job_output(job, rank));
    return status == IRR_OK ? IRR_IN_PROGRESS : status;
}

void irr_team_start_plan(irr_team_t *team, int rank, const irr_problem_t *problem, irr_plan_t *plan, const void *input,
                         void *output)
{
    irr_exchange_t *exchange = irr_comm_exchange(team->comms[rank]);
    irr_run_t *run = &exchange->own;

    self = team->members[rank];
    irr_test_must(irr_exchange_plan(exchange, problem));
    irr_test_must(irr_exchange_test(exchange));
    irr_plan_fini(&run->plan);
    run->plan = *plan;
    irr_plan_init(plan);
    irr_test_must(irr_renew(&run->scratch, &run->scratch_max, run->plan.scratch_bytes));
    irr_test_must(irr_exec_reserve(&run->exec, irr_plan_size(&run->plan)));
    irr_test_must(irr_exchange_restart(exchange, input, output));
}

bool irr_team_progress(irr_team_t *team, irr_status_t *result, int rounds)
{
    bool busy = true;

    for (int round = 0; round < rounds && busy; round++) {
        busy = false;
        for (int r = 0; r < team->ranks; r++) {
            progress(team->world, team->members[r]);
            result[r] = result[r] == IRR_IN_PROGRESS ? irr_exchange_test(irr_comm_exchange(team->comms[r])) : result[r];
            busy = busy || result[r] == IRR_IN_PROGRESS;
        }
    }
    return !busy;
}

void irr_team_run(irr_team_t *team, irr_job_t *job, irr_status_t *result)
{
    for (int r = 0; r < team->ranks; r++) {
        result[r] = irr_team_start(team, r, job);
    }
    CU_ASSERT_TRUE_FATAL(irr_team_progress(team, result, ROUNDS_MAX));
}

void irr_team_expect(irr_team_t *team, irr_job_t *job, int truncated)
{
    irr_status_t *result = irr_test_array((size_t)team->ranks, sizeof(*result));

    irr_job_fill(job);
    irr_team_run(team, job, result);
    for (int r = 0; r < job->ranks; r++) {
        CU_ASSERT_EQUAL(result[r], r == truncated ? IRR_ERR_TRUNCATE : IRR_OK);
        CU_ASSERT_TRUE(irr_job_verify(job, r));
    }
    free(result);
}

void irr_team_expect_failed(irr_team_t *team)
{
    settle(team->world);
    for (int r = 0; r < team->ranks; r++) {
        CU_ASSERT_TRUE(irr_comm_has_failed(team->comms[r]));
    }
}

/* ---- log ---- */

irr_world_log_t irr_world_log;

static void note_line(void *context, irr_log_level_t level, const char *text)
{
    (void)context;
    irr_world_log.lines++;
    irr_world_log.warnings += level == IRR_LOG_WARN;
    snprintf(irr_world_log.last, sizeof(irr_world_log.last), "%s", text);
}

void irr_world_start_log_at(irr_log_level_t level)
{
    irr_world_log = (irr_world_log_t){ .lines = 0 };
    irr_log_set(note_line, NULL, level);
}

void irr_world_stop_log(void)
{
    irr_log_set(NULL, NULL, IRR_LOG_ERROR);
}

void irr_world_end_log(int lines, const char *last)
{
    irr_world_stop_log();
    CU_ASSERT_EQUAL(irr_world_log.lines, lines);
    CU_ASSERT_STRING_EQUAL(irr_world_log.last, last);
}
