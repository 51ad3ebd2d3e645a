/*
 * irr_script.c - see irr_script.h.
 */
#include "irr_script.h"

void irr_script_open(irr_script_t *script, irr_team_t *team, irr_job_t *const *jobs, int objects)
{
    *script = (irr_script_t){ .team = team, .jobs = jobs, .objects = objects };
    script->rank = irr_world_array(team->world, team->ranks, sizeof(*script->rank));
    for (int r = 0; r < team->ranks; r++) {
        for (int i = 0; i < objects; i++) {
            irr_test_must(irr_exchange_take(team->comms[r], &script->rank[r].object[i]));
            script->rank[r].runs[i] = -1;
        }
    }
}

void irr_script_close(irr_script_t *script)
{
    for (int r = 0; r < script->team->ranks; r++) {
        for (int i = 0; i < script->objects; i++) {
            irr_exchange_give(script->rank[r].object[i]);
        }
    }
}

void irr_script_set(irr_script_t *script, const irr_turn_t *turns, int count)
{
    script->turns = turns;
    script->count = count;
    for (int r = 0; r < script->team->ranks; r++) {
        script->rank[r].begun = script->rank[r].ended = 0;
    }
}

static int object_of(const irr_script_t *script, int rank, const irr_turn_t *turn)
{
    return (turn->object + rank) % script->objects;
}

irr_exchange_t *irr_script_object(const irr_script_t *script, int rank, const irr_turn_t *turn)
{
    return script->rank[rank].object[object_of(script, rank, turn)];
}

static bool uses(const irr_script_t *script, int rank, int job)
{
    for (int i = 0; i < script->objects; i++) {
        const int run = script->rank[rank].runs[i];

        if (run >= 0 && script->turns[run].job == job) {
            return true;
        }
    }
    return false;
}

static void end(irr_script_t *script, int rank, const irr_turn_t *turn, irr_status_t status)
{
    script->rank[rank].ended++;
    if (script->ends != NULL) {
        script->ends(script, rank, turn, status);
    }
}

static irr_status_t start(const irr_script_t *script, int rank, const irr_turn_t *turn)
{
    irr_exchange_t *exchange = irr_script_object(script, rank, turn);
    irr_job_t *job = script->jobs[turn->job];

    irr_job_poison(job, rank);
    switch (turn->act) {
    case IRR_ACT_PLAN:
        return irr_exchange_plan(exchange, &job->problems[rank]);
    case IRR_ACT_RESTART:
        return irr_exchange_restart(exchange, irr_job_input(job, rank), irr_job_output(job, rank));
    default:
        return irr_exchange_start(exchange, &job->problems[rank], irr_job_input(job, rank), irr_job_output(job, rank));
    }
}

void irr_script_begin(irr_script_t *script, int rank)
{
    irr_script_rank_t *member = &script->rank[rank];
    const irr_turn_t *turn = &script->turns[member->begun];
    irr_status_t status;
    int *run;

    if (member->begun == script->count || uses(script, rank, turn->job)) {
        return;
    }
    run = &member->runs[object_of(script, rank, turn)];
    if (*run >= 0) {
        return;
    }
    if (script->begins != NULL) {
        script->begins(script, rank, turn);
    }
    *run = member->begun++;
    status = start(script, rank, turn);
    if (status != IRR_OK) {
        *run = -1;
        end(script, rank, turn, status);
    }
}

void irr_script_look(irr_script_t *script, int rank)
{
    irr_script_rank_t *member = &script->rank[rank];

    irr_engine_progress(script->team->world->engines[script->team->members[rank]]);
    for (int i = 0; i < script->objects; i++) {
        const int run = member->runs[i];
        const irr_status_t status = run >= 0 ? irr_exchange_test(member->object[i]) : IRR_IN_PROGRESS;

        if (status != IRR_IN_PROGRESS) {
            member->runs[i] = -1;
            end(script, rank, &script->turns[run], status);
        }
    }
}

void irr_script_step(irr_script_t *script, int rank, uint64_t *state)
{
    (irr_test_below(state, 3) == 0 ? irr_script_begin : irr_script_look)(script, rank);
}

bool irr_script_is_over(const irr_script_t *script)
{
    for (int r = 0; r < script->team->ranks; r++) {
        if (script->rank[r].ended < script->count) {
            return false;
        }
    }
    return true;
}

bool irr_script_run(irr_script_t *script, int steps, uint64_t *state)
{
    while (!irr_script_is_over(script) && steps-- > 0) {
        irr_script_step(script, (int)irr_test_below(state, (uint64_t)script->team->ranks), state);
    }
    return irr_script_is_over(script);
}
