/*
 * irr_turns.c - see irr_turns.h.
 */
#include "irr_turns.h"

#include "irr_text.h"

enum { TURNS_MAX = 40, STEPS_MAX = 2000000 };

/* Makes the world, and the parameters of the communicator. */
static void prepare(irr_turns_t *turns, const irr_settings_t *settings, uint64_t *state)
{
    memset(turns, 0, sizeof(*turns));
    irr_memory_fail(0, NULL);
    turns->random = irr_test_random(state);
    irr_team_begin(&turns->team, IRR_TURNS_RANKS, irr_test_random(state), irr_test_random(state) % 3 * 100);
    irr_team_set(&turns->team, settings);
}

void irr_turns_open(irr_turns_t *turns, const irr_settings_t *settings, uint64_t *state)
{
    prepare(turns, settings, state);
    irr_team_create_with(&turns->team, NULL);
}

const char irr_turns_tree[] =
    "SwitchName=t Switches=s[1-2]\nSwitchName=s1 Nodes=a,b\nSwitchName=s2 Nodes=c[1-9]\n";

const char *const irr_turns_hosts[IRR_TURNS_RANKS] = { "c3.site", "a", "b", "a", "c1", "c9", "b" };

void irr_turns_open_on_tree(irr_turns_t *turns, const irr_settings_t *settings, const char *host, uint64_t *state)
{
    irr_settings_t placed = *settings;

    placed.topology_file = irr_text_open();
    irr_text_fill(irr_turns_tree, strlen(irr_turns_tree));
    prepare(turns, &placed, state);
    for (int r = 0; r < IRR_TURNS_RANKS; r++) {
        turns->team.params[r].host = host != NULL ? host : irr_turns_hosts[r];
    }
    CU_ASSERT_EQUAL_FATAL(irr_team_create(&turns->team), IRR_OK);
    irr_text_close();
}

void irr_turns_add(irr_turns_t *turns, int number, irr_job_kind_t kind, uint64_t seed)
{
    turns->jobs[number] = irr_job_create(IRR_TURNS_RANKS, kind, seed);
}

void irr_turns_add_uniform(irr_turns_t *turns, int number)
{
    turns->jobs[number] = irr_job_create_equal(IRR_TURNS_RANKS, 100);
}

static void end_turn(irr_script_t *script, int rank, const irr_turn_t *turn, irr_status_t status)
{
    irr_turns_t *turns = script->context;

    turns->wrong += status != IRR_OK;
    turns->wrong += turn->act != IRR_ACT_PLAN && !irr_job_verify(turns->jobs[turn->job], rank);
}

/* Returns the turn of a letter. previous: the turn before, or NULL. */
static irr_turn_t turn_of(char letter, const irr_turn_t *previous)
{
    if (letter == '+') {
        return (irr_turn_t){ .act = IRR_ACT_RESTART, .job = previous->job };
    }
    return letter >= 'a' ? (irr_turn_t){ .act = IRR_ACT_PLAN, .job = letter - 'a' }
                         : (irr_turn_t){ .job = letter - 'A' };
}

void irr_turns_run(irr_turns_t *turns, const char *letters)
{
    irr_turn_t list[TURNS_MAX];
    irr_script_t script;
    int count = 0;

    turns->wrong = 0;
    for (; letters[count] != '\0'; count++) {
        list[count] = turn_of(letters[count], count > 0 ? &list[count - 1] : NULL);
        irr_job_fill(turns->jobs[list[count].job]);
    }
    irr_script_open(&script, &turns->team, turns->jobs, 1);
    script.ends = end_turn;
    script.context = turns;
    irr_script_set(&script, list, count);
    CU_ASSERT_TRUE_FATAL(irr_script_run(&script, STEPS_MAX, &turns->random));
    irr_script_close(&script);
    for (int r = 0; r < IRR_TURNS_RANKS; r++) {
        irr_engine_counters(turns->team.world->engines[r], &turns->counters[r]);
    }
    CU_ASSERT_EQUAL(turns->wrong, 0);
}

void irr_turns_close(irr_turns_t *turns)
{
    irr_team_close(&turns->team);
    for (int i = 0; i < IRR_TURNS_JOBS; i++) {
        if (turns->jobs[i] != NULL) {
            irr_job_destroy(turns->jobs[i]);
        }
    }
}

void irr_turns_expect(const irr_turns_t *turns, uint64_t matrices, uint64_t built, uint64_t reused)
{
    for (int r = 0; r < IRR_TURNS_RANKS; r++) {
        CU_ASSERT_EQUAL(turns->counters[r].matrices, matrices);
        CU_ASSERT_EQUAL(turns->counters[r].schedules_built, built);
        CU_ASSERT_EQUAL(turns->counters[r].schedules_reused, reused);
        CU_ASSERT_EQUAL(turns->counters[r].matrix_bytes, turns->counters[0].matrix_bytes);
        CU_ASSERT_EQUAL(turns->counters[r].matrix_bytes > 0, matrices > 0);
        CU_ASSERT_EQUAL(turns->counters[r].matrix_ns > 0, matrices > 0);
        CU_ASSERT_EQUAL(turns->counters[r].schedule_ns > 0, built > 0);
    }
}

irr_settings_t irr_turns_with(const char *algorithm)
{
    return (irr_settings_t){ .algorithm = irr_algorithm_find(algorithm), .scheduled = { .seed = 5 } };
}
