/*
 * irr_world.c - see irr_world.h.
 */
#include "irr_world.h"

#include "irr_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DRAIN_ROUNDS  1000
#define ROUNDS_NOTICE 20000   /* number of rounds after which a notice has reached all ranks */

void irr_world_open_on(irr_world_t *world, int ranks, irr_transport_t *const *transports)
{
    memset(world, 0, sizeof(*world));
    world->ranks = ranks;
    for (int r = 0; r < ranks; r++) {
        world->spies[r] = irr_spy_create(transports[r]);
        irr_test_must(irr_engine_create_on(&world->spies[r]->super, false, &world->engines[r]));
    }
}

void irr_world_open_faulty(irr_world_t *world, int ranks, uint64_t seed, size_t eager_max, const irr_fault_t *faults)
{
    irr_transport_t *transports[IRR_CREW_MAX];
    irr_fabric_t *fabric;

    irr_test_must(irr_fabric_create(ranks, seed, eager_max, &fabric));
    for (int r = 0; r < ranks; r++) {
        irr_test_must(irr_loopback_open(fabric, r, &transports[r]));
        if (faults != NULL) {   /* the inner spy marks allocations of held sends; see irr_spy_sends_now */
            irr_test_must(irr_fault_open(&irr_spy_create(transports[r])->super, &faults[r], &transports[r]));
        }
    }
    irr_world_open_on(world, ranks, transports);
    world->fabric = fabric;
}

void irr_world_open(irr_world_t *world, int ranks, uint64_t seed, size_t eager_max)
{
    irr_world_open_faulty(world, ranks, seed, eager_max, NULL);
}

void irr_world_share(irr_world_t *world)
{
    for (int r = 0; r < world->ranks; r++) {
        world->engines[r]->refused[IRR_LANE_NEAR] = IRR_OK;
    }
}

bool irr_world_close(irr_world_t *world)
{
    /* Meanwhile unexpected messages are discarded, as in a barrier before the end. */
    for (int i = 0; i < DRAIN_ROUNDS * 10 * world->ranks; i++) {
        irr_engine_progress(world->engines[i % world->ranks]);
    }
    for (int r = 0; r < world->ranks; r++) {
        irr_engine_close(world->engines[r]);
    }
    return irr_world_drain(world);
}

bool irr_world_drain(irr_world_t *world)
{
    int drained = 0;

    for (int round = 0; round < DRAIN_ROUNDS && drained < world->ranks; round++) {
        drained = 0;
        for (int r = 0; r < world->ranks; r++) {
            drained += irr_engine_drain(world->engines[r]) == IRR_OK;
        }
    }
    for (int r = 0; r < world->ranks; r++) {
        irr_engine_destroy(world->engines[r]);
    }
    irr_fabric_destroy(world->fabric);
    return drained == world->ranks;
}

int irr_world_ids(const irr_world_t *world)
{
    int held = 0;

    for (int r = 0; r < world->ranks; r++) {
        for (uint32_t id = 0; id < IRR_IDS_COUNT; id += 64) {
            held += __builtin_popcountll(world->engines[r]->ids.used[id / 64]);
        }
    }
    return held;
}

void irr_team_init(irr_team_t *team, irr_world_t *world, int first, int step)
{
    memset(team, 0, sizeof(*team));
    team->world = world;
    for (int r = first; r >= 0 && r < world->ranks; r += step) {
        irr_crew_group_add(&team->group, r);
    }
    for (int i = 0; i < team->group.ranks; i++) {
        team->params[i] = (irr_comm_params_t){ .ranks = team->group.ranks, .rank = i };
    }
}

static void create_member(int rank, void *context)
{
    irr_team_t *team = context;
    int me = irr_crew_group_self(&team->group);
    irr_oob_t oob = irr_crew_oob(&team->group);

    if (me < 0) {
        return;
    }
    team->params[me].oob = &oob;
    team->statuses[me] = irr_comm_create(team->params[me].trouble == IRR_OK ? team->world->engines[rank] : NULL,
                                         &team->params[me], &team->comms[me]);
    team->params[me].oob = NULL;
}

irr_status_t irr_team_create(irr_team_t *team)
{
    bool alike;

    memset(team->group.calls, 0, sizeof(team->group.calls));
    memset(team->comms, 0, sizeof(team->comms));
    alike = irr_crew_run(team->world->ranks, create_member, team) && !team->group.misused;
    for (int i = 0; i < team->group.ranks; i++) {
        alike = alike && team->statuses[i] == team->statuses[0];
        alike = alike && (team->comms[i] != NULL) == (team->statuses[i] == IRR_OK);
    }
    return alike ? team->statuses[0] : IRR_IN_PROGRESS;
}

void irr_team_destroy(irr_team_t *team)
{
    for (int i = 0; i < team->group.ranks; i++) {
        if (team->comms[i] != NULL) {
            irr_comm_destroy(team->comms[i]);
        }
    }
    memset(team->comms, 0, sizeof(team->comms));
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
    for (int r = 0; r < team->group.ranks; r++) {
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

bool irr_team_progress(irr_team_t *team, irr_status_t result[IRR_CREW_MAX], int rounds)
{
    bool busy = true;

    for (int round = 0; round < rounds && busy; round++) {
        busy = false;
        for (int r = 0; r < team->group.ranks; r++) {
            irr_engine_progress(team->world->engines[team->group.members[r]]);
            result[r] = result[r] == IRR_IN_PROGRESS ? irr_exchange_test(irr_comm_exchange(team->comms[r])) : result[r];
            busy = busy || result[r] == IRR_IN_PROGRESS;
        }
    }
    return !busy;
}

irr_status_t irr_team_start_rank(irr_team_t *team, int rank, irr_job_t *job)
{
    irr_status_t status;

    irr_job_poison(job, rank);
    status = irr_exchange_start(irr_comm_exchange(team->comms[rank]), &job->problems[rank], irr_job_input(job, rank),
                                irr_job_output(job, rank));
    return status == IRR_OK ? IRR_IN_PROGRESS : status;
}

irr_status_t irr_team_start(irr_team_t *team, irr_job_t *job)
{
    irr_status_t status = irr_team_start_rank(team, irr_crew_group_self(&team->group), job);

    return status == IRR_IN_PROGRESS ? IRR_OK : status;
}

irr_status_t irr_team_wait(irr_team_t *team)
{
    int me = irr_crew_group_self(&team->group);
    irr_engine_t *engine = team->world->engines[irr_crew_self()];
    irr_status_t status;

    while ((status = irr_exchange_test(irr_comm_exchange(team->comms[me]))) == IRR_IN_PROGRESS) {
        if (irr_engine_progress(engine) > 0) {
            irr_crew_moved();
        } else if (!irr_crew_yield()) {
            return IRR_IN_PROGRESS;
        }
    }
    return status;
}

irr_status_t irr_team_exchange(irr_team_t *team, irr_job_t *job)
{
    const irr_status_t status = irr_team_start(team, job);

    return status == IRR_OK ? irr_team_wait(team) : status;
}

void irr_team_expect_failed(irr_team_t *team)
{
    for (int i = 0; i < ROUNDS_NOTICE * team->world->ranks; i++) {
        irr_engine_progress(team->world->engines[i % team->world->ranks]);
    }
    for (int r = 0; r < team->group.ranks; r++) {
        CU_ASSERT_TRUE(irr_comm_has_failed(team->comms[r]));
    }
}

typedef struct expected {
    irr_team_t  *team;
    irr_job_t   *job;
    irr_status_t results[IRR_CREW_MAX];
} expected_t;

static void exchange(int rank, void *context)
{
    expected_t *expected = context;

    expected->results[rank] = irr_team_exchange(expected->team, expected->job);
}

void irr_team_expect(irr_team_t *team, irr_job_t *job, int truncated)
{
    expected_t expected = { .team = team, .job = job };

    irr_job_fill(job);
    CU_ASSERT_TRUE(irr_crew_run(job->ranks, exchange, &expected));
    for (int r = 0; r < job->ranks; r++) {
        CU_ASSERT_EQUAL(expected.results[r], r == truncated ? IRR_ERR_TRUNCATE : IRR_OK);
        CU_ASSERT_TRUE(irr_job_verify(job, r));
    }
}

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

void irr_world_start_log(void)
{
    irr_world_start_log_at(IRR_LOG_INFO);
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
