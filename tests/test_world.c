/*
 * test_world.c - every strategy in one world: all ranks of a job in one process, with random numbers from one seed.
 *
 * Several ranks run the same exchanges, each at its own speed, often with several exchanges open at a time, and beside
 * the exchanges of another communicator. Meanwhile messages are late, operations fail, memory is missing, a rank gives
 * up, or a hostile rank sends wrong messages. These are the troubles of world_scene.h.
 *
 * The test checks the rules of an irregular all-to-all:
 *   - An exchange that returns IRR_OK has delivered every byte to its place, and has changed no other byte.
 *   - Every exchange ends. A communicator that fails on one rank fails on all ranks. The other communicator does not
 *     fail.
 *   - Without trouble every exchange returns IRR_OK, with two exceptions. A rank whose block is too short gets
 *     IRR_ERR_TRUNCATE; if some messages are forwarded and others not, possibly in a later exchange. A restart without
 *     a plan gets IRR_ERR_BAD_PARAM. A block may be longer than its message.
 *   - A hostile rank may cause wrong bytes. Other ranks may wait for messages that it announced until the communicator
 *     fails.
 */
#include "world_scene.h"

#include "plan/strategy.h"

/*
 * STEPS_HELD: number of steps for each rank after which no message is held back; idle engines then act at once. A world
 * is stuck if its ranks start no message in this number of such acts. A rank with a message in flight may take 65,536
 * rounds, which are 64 acts, to end after a notice (comm/failure.c).
 */
enum { STEPS_HELD = 300, ACTS_STUCK = 150, STEPS_BOTH = 100, BYTES_MAX = 1 << 26 };

typedef irr_world_scene_t scene_t;

/* ---- a rank takes its turns ---- */

/* Returns true if the victim receives a message in this turn for which its block is too short. */
static bool is_cut(const scene_t *scene, int rank, const irr_turn_t *turn)
{
    return turn->job == scene->cut && rank == scene->victim &&
           (turn->act == IRR_ACT_RUN || (turn->act == IRR_ACT_RESTART && turn->planned));
}

/* Returns true if some messages are forwarded and others not: notices of short blocks may then be late. */
static bool is_split(const scene_t *scene)
{
    return irr_strategy_is_split(irr_algorithm_strategy(irr_algorithm_find(scene->row)));
}

static bool is_wanted(const scene_t *scene, int rank, const irr_turn_t *turn, irr_status_t status)
{
    if (turn->act == IRR_ACT_RESTART && !turn->planned) {
        return status == IRR_ERR_BAD_PARAM;
    }
    if (scene->cuts > 0 && is_split(scene) && turn->job < IRR_WORLD_JOBS && rank == scene->victim) {
        return status == IRR_OK || status == IRR_ERR_TRUNCATE;
    }
    return status == (is_cut(scene, rank, turn) ? IRR_ERR_TRUNCATE : IRR_OK);
}

/* Returns true if a rank knows its plan from its own problem.  "auto" is replaced by its choice. */
static bool is_direct(const scene_t *scene)
{
    return irr_strategy_is_local(irr_algorithm_strategy(irr_algorithm_find(irr_comm_algorithm(scene->team.comms[0]))));
}

/* Returns true if runs neither look up a schedule nor count matrices, for which ranks send reductions. */
static bool is_alone(const scene_t *scene)
{
    const char *name = irr_comm_algorithm(scene->team.comms[0]);

    return !irr_strategy_is_scheduled(irr_algorithm_strategy(irr_algorithm_find(name))) &&
           scene->team.params[0].settings.matrix_dump == NULL;
}

/* Returns the bytes that a rank sends, or receives, without its message to itself. */
static size_t bytes_of(const irr_job_t *job, int rank, bool sends)
{
    size_t bytes = 0;

    for (int i = 0; i < job->ranks; i++) {
        bytes += i == rank ? 0 : sends ? irr_job_length(job, rank, i) : irr_job_length(job, i, rank);
    }
    return bytes;
}

/*
 * Checks the counters of a rank in a successful turn. A direct strategy moves every byte once. A restart neither looks
 * up a schedule nor opens an endpoint. A run with the counts of the run before, and a restart whose plan is learned,
 * send no descriptions.
 */
static bool counts_are_right(const scene_t *scene, int rank, const irr_turn_t *turn, const irr_counters_t *after)
{
    const irr_counters_t *before = &scene->before[rank];
    const irr_job_t *job = scene->jobs[turn->job];
    bool right = after->exchanges == before->exchanges + 1;

    if (is_direct(scene)) {
        right = right && after->bytes_sent - before->bytes_sent == bytes_of(job, rank, true) &&
                after->bytes_received - before->bytes_received == bytes_of(job, rank, false);
    }
    if (turn->act == IRR_ACT_RESTART) {
        right = right && after->matrices == before->matrices && after->schedules_reused == before->schedules_reused &&
                (!is_direct(scene) || after->endpoints_open == before->endpoints_open);
    }
    if (turn->bare || (turn->repeats && is_alone(scene))) {
        right = right && after->header_bytes == before->header_bytes;
    }
    if (turn->bare && !job->problems[rank].in_place) {
        right = right && irr_job_may_stage(job, rank, after->bytes_staged - before->bytes_staged);
    }
    return right;
}

static void begin_turn(irr_script_t *script, int rank, const irr_turn_t *turn)
{
    scene_t *scene = script->context;

    (void)turn;
    irr_engine_counters(scene->world.engines[rank], &scene->before[rank]);
}

/* Returns true if the victim is hostile now. Even failed exchanges must then change no byte outside the blocks. */
static bool spoils(const scene_t *scene)
{
    return scene->world.spies[scene->victim]->change != NULL;
}

static void end_turn(irr_script_t *script, int rank, const irr_turn_t *turn, irr_status_t status)
{
    scene_t *scene = script->context;
    const irr_job_t *job = scene->jobs[turn->job];
    irr_counters_t after;

    irr_engine_counters(scene->world.engines[rank], &after);   /* ranks of `team` are ranks of the world */
    scene->cuts += is_cut(scene, rank, turn);
    scene->truncated += status == IRR_ERR_TRUNCATE;
    scene->failed += !is_wanted(scene, rank, turn, status);
    scene->poor = scene->poor || status == IRR_ERR_NO_MEMORY;
    if ((status != IRR_OK && status != IRR_ERR_TRUNCATE && !spoils(scene)) || turn->act == IRR_ACT_PLAN) {
        return;
    }
    scene->wrong += !irr_job_verify(job, rank);
    if (scene->trouble == IRR_TROUBLE_NONE && script == &scene->script && script->objects == 1) {
        scene->wrong += !counts_are_right(scene, rank, turn, &after);
    }
}

/* Returns the number of operations that the ranks have started in their transports. */
static size_t operations(const scene_t *scene)
{
    size_t count = 0;

    for (int r = 0; r < scene->ranks; r++) {
        count += scene->world.spies[r]->sends + scene->world.spies[r]->recvs;
    }
    return count;
}

/* Takes all turns before turn `turns`.  Returns false if the world is stuck. */
static bool take_turns(scene_t *scene, irr_script_t *script, int turns, uint64_t *state)
{
    size_t before = operations(scene);
    bool ended = false;

    script->count = turns;
    for (int acts = 0; !ended && acts < ACTS_STUCK; acts = operations(scene) > before ? 0 : acts + 1) {
        before = operations(scene);
        ended = irr_script_run(script, scene->ranks * STEPS_HELD, state);
        irr_world_hurry(&scene->world);
    }
    return ended;
}

/* Replaces the turns of a script, and forgets errors of earlier turns. */
static void set_turns(scene_t *scene, irr_script_t *script, const irr_turn_t *turns)
{
    irr_script_set(script, turns, 1);
    scene->failed = 0;
}

/* ---- trouble ---- */

/* If `disregards` is true, later checks ignore the bytes of blocks. They always check the other bytes of output. */
static void disregard_blocks(scene_t *scene, bool disregards)
{
    for (int i = 0; i < IRR_WORLD_JOBS; i++) {
        memset(scene->jobs[i]->undefined, disregards, (size_t)(scene->ranks * scene->ranks));
    }
}

/* Runs some of the first turns, or none. */
static void run_some(scene_t *scene, uint64_t *state)
{
    const int steps = (int)(irr_test_below(state, 2) * irr_test_below(state, 1000));

    scene->script.count = IRR_WORLD_TURNS / 2;
    (void)irr_script_run(&scene->script, steps, state);
}

static void make_trouble(scene_t *scene, uint64_t *state)
{
    irr_spy_t *spy = scene->world.spies[scene->victim];

    if (irr_trouble_is_memory(scene->trouble) || scene->trouble == IRR_TROUBLE_GIVES_UP) {
        run_some(scene, state);
    }
    spy->refusal = IRR_ERR_TRANSPORT;
    switch (scene->trouble) {
    case IRR_TROUBLE_SEND:
        spy->refuse_send = spy->sends + 1 + irr_test_below(state, 40);
        break;
    case IRR_TROUBLE_RECV:
        spy->refuse_recv = spy->recvs + 1 + irr_test_below(state, 40);
        break;
    case IRR_TROUBLE_MEMORY:
    case IRR_TROUBLE_POOR:
        irr_memory_fail(1 + irr_test_below(state, irr_test_below(state, 2) > 0 ? 60 : 3), irr_spy_engine_allocates);
        if (scene->trouble == IRR_TROUBLE_POOR) {
            irr_memory_fail_all();
        }
        break;
    case IRR_TROUBLE_GIVES_UP:
        irr_comm_give_up(scene->team.comms[scene->victim], IRR_ERR_NO_MEMORY, "cannot start an exchange");
        break;
    case IRR_TROUBLE_HOSTILE:
        disregard_blocks(scene, true);
        irr_memory_limit(BYTES_MAX);   /* a changed length may request any amount of memory */
        scene->random = irr_test_random(state);
        scene->spoils_data = irr_test_below(state, 4) == 0;
        spy->change = irr_world_spoil;
        spy->context = scene;
        break;
    default:
        break;
    }
}

static bool are_same(irr_blocks_t a, irr_blocks_t b)
{
    bool same = a.count == b.count;

    for (size_t i = 0; same && i < a.count; i++) {
        same = a.list[i].rank == b.list[i].rank && a.list[i].offset == b.list[i].offset &&
               a.list[i].length == b.list[i].length;
    }
    return same;
}

/* Returns true if some rank has the same blocks in two consecutive turns. */
static bool some_repeat(const scene_t *scene)
{
    bool repeat = false;

    for (int i = 1; i < IRR_WORLD_TURNS; i++) {
        const irr_problem_t *before = scene->jobs[scene->turns[i - 1].job]->problems;
        const irr_problem_t *now = scene->jobs[scene->turns[i].job]->problems;

        for (int r = 0; r < scene->ranks; r++) {
            repeat = repeat || (are_same(before[r].send, now[r].send) && are_same(before[r].recv, now[r].recv));
        }
    }
    return repeat;
}

/*
 * Returns true if each failed allocation must end in an error. No error is needed for direct messages, schedules and
 * files, which the next exchange makes again, and for a repeated exchange that cannot shrink its memory.
 */
static bool is_strict(const scene_t *scene)
{
    const irr_strategy_t *strategy = irr_algorithm_strategy(irr_algorithm_find(scene->row));

    return strategy != NULL && strategy->route == &irr_route_grid && !irr_strategy_is_split(strategy) &&
           scene->team.params[0].settings.matrix_dump == NULL && !some_repeat(scene);
}

/* Ends the trouble. Returns true if it has happened and must make the communicator fail on all ranks. */
static bool end_trouble(scene_t *scene)
{
    irr_spy_t *spy = scene->world.spies[scene->victim];
    const bool refused = spy->refused || (spy->refuse_recv > 0 && spy->recvs >= spy->refuse_recv);

    CU_ASSERT(!irr_memory_failed() || scene->failed > 0 || !is_strict(scene));
    if (spoils(scene)) {
        disregard_blocks(scene, false);
    }
    spy->change = NULL;
    irr_memory_limit(SIZE_MAX);
    spy->refuse_send = 0;
    spy->refuse_recv = 0;
    irr_memory_fail(0, NULL);
    return refused || (scene->poor && is_direct(scene));
}

/*
 * If memory is back, a communicator that has not failed delivers every byte and learns plans. In the first turn a rank
 * that had no memory for announced counts may still lack these counts.
 */
static void expect_recovered(scene_t *scene, uint64_t *state)
{
    const int job = (int)irr_test_below(state, IRR_WORLD_JOBS);
    const irr_turn_t turns[] = {
        { .act = IRR_ACT_RUN, .job = job }, { .act = IRR_ACT_RUN, .job = job }, { .act = IRR_ACT_PLAN, .job = job },
        { .act = IRR_ACT_RESTART, .job = job, .planned = true },
        { .act = IRR_ACT_RESTART, .job = job, .planned = true, .bare = true }
    };

    set_turns(scene, &scene->script, turns);
    CU_ASSERT_TRUE_FATAL(take_turns(scene, &scene->script, 1, state));
    scene->trouble = IRR_TROUBLE_NONE;
    scene->failed = 0;
    CU_ASSERT_TRUE_FATAL(take_turns(scene, &scene->script, IRR_TEST_COUNT(turns), state));
    CU_ASSERT_EQUAL(scene->failed, 0);
    for (int r = 0; r < scene->ranks; r++) {
        CU_ASSERT(!irr_world_scene_knows_counts(scene) || scene->jobs[job]->problems[r].in_place ||
                  irr_script_object(&scene->script, r, turns)->view == IRR_VIEW_ALL);
    }
}

/* The communicator has failed on all ranks. A later exchange fails at once, and sends no message. */
static void expect_all_failed(scene_t *scene, uint64_t *state)
{
    size_t sends = 0;

    irr_team_expect_failed(&scene->team);
    for (int r = 0; r < scene->ranks; r++) {
        sends -= scene->world.spies[r]->sends;
    }
    set_turns(scene, &scene->script, &(irr_turn_t){ .act = IRR_ACT_RUN });
    CU_ASSERT_TRUE_FATAL(take_turns(scene, &scene->script, 1, state));
    for (int r = 0; r < scene->ranks; r++) {
        sends += scene->world.spies[r]->sends;
    }
    CU_ASSERT_EQUAL(scene->failed, scene->ranks);
    CU_ASSERT_EQUAL(sends, 0);
}

/* After one more exchange without a short block, the victim has been notified of short blocks, if it had any. */
static void expect_notified(scene_t *scene, uint64_t *state)
{
    set_turns(scene, &scene->script, &(irr_turn_t){ .act = IRR_ACT_RUN, .job = 1 });
    CU_ASSERT_TRUE_FATAL(take_turns(scene, &scene->script, 1, state));
    CU_ASSERT_EQUAL(scene->failed, 0);
    CU_ASSERT((scene->truncated > 0) == (scene->cuts > 0) && scene->truncated <= scene->cuts);
}

/*
 * If exchanges may run side by side, both communicators take some turns at the same time. Otherwise the counters of the
 * engines are checked.
 */
static void run_both(scene_t *scene, uint64_t *state)
{
    for (int i = 0; i < STEPS_BOTH * scene->ranks && scene->objects > 1; i++) {
        irr_script_t *script = irr_test_below(state, 2) == 0 ? &scene->script : &scene->other_script;

        irr_script_step(script, (int)irr_test_below(state, (uint64_t)scene->ranks), state);
    }
}

/* The other communicator takes its turns, or its first turn after a trouble, without an error. */
static void expect_other_well(scene_t *scene, uint64_t *state)
{
    const int turns = scene->trouble == IRR_TROUBLE_NONE ? IRR_WORLD_OTHER_TURNS : 1;

    scene->failed = 0;
    CU_ASSERT_TRUE_FATAL(take_turns(scene, &scene->other_script, turns, state));
    CU_ASSERT_EQUAL(scene->failed, 0);
}

/*
 * Runs all turns. If a hostile rank has announced messages that never arrive, the rank finally fails the communicator.
 */
static bool take_all_turns(scene_t *scene, bool *gives_up, uint64_t *state)
{
    const bool hostile = scene->trouble == IRR_TROUBLE_HOSTILE;
    const bool ended = take_turns(scene, &scene->script, IRR_WORLD_TURNS, state);

    *gives_up = scene->trouble == IRR_TROUBLE_GIVES_UP || (hostile && !ended);
    if (ended || !hostile) {
        return ended;
    }
    irr_comm_give_up(scene->team.comms[scene->victim], IRR_ERR_CANCELED, NULL);
    return take_turns(scene, &scene->script, IRR_WORLD_TURNS, state);
}

/* Asserts that the checker accepts the plans of the last turn, if the ranks have learned these plans before. */
static void check_plans(const scene_t *scene)
{
    const irr_turn_t *last = &scene->turns[IRR_WORLD_TURNS - 1];
    irr_problem_t problems[IRR_WORLD_MAX];   /* in place, possibly of a copy */
    irr_plan_t plans[IRR_WORLD_MAX];
    char reason[200] = "";

    if (scene->trouble == IRR_TROUBLE_NONE && last->bare) {
        for (int r = 0; r < scene->ranks; r++) {
            plans[r] = *irr_script_object(&scene->script, r, last)->running;
            problems[r] = irr_script_object(&scene->script, r, last)->problem;
        }
        CU_ASSERT_EQUAL(irr_plan_check(plans, problems, scene->ranks, reason, sizeof(reason)), IRR_OK);
        CU_ASSERT_STRING_EQUAL(reason, "");
    }
}

static bool any_failed(const scene_t *scene)
{
    bool failed = false;

    for (int r = 0; r < scene->ranks; r++) {
        failed = failed || irr_comm_has_failed(scene->team.comms[r]);
    }
    return failed;
}

static void run_scene(int row, irr_trouble_t trouble, uint64_t *state)
{
    const uint64_t seed = *state;
    scene_t scene;
    bool happened, gives_up, ended;

    irr_world_scene_open(&scene, row, trouble, state);
    scene.script.begins = begin_turn;
    scene.script.ends = scene.other_script.ends = end_turn;
    scene.script.context = scene.other_script.context = &scene;
    if (trouble == IRR_TROUBLE_NONE) {
        run_both(&scene, state);
    }
    make_trouble(&scene, state);
    ended = take_all_turns(&scene, &gives_up, state);
    happened = end_trouble(&scene) || gives_up;
    for (int r = 0; !ended && r < scene.ranks; r++) {
        printf("# rank %d has begun %d turns, and ended %d\n", r, scene.script.rank[r].begun,
               scene.script.rank[r].ended);
    }
    if (!ended || scene.wrong > 0 || (trouble <= IRR_TROUBLE_SHORT && scene.failed > 0)) {
        printf("# %s, trouble %d, %d ranks, %d objects, state %llu\n", scene.row, (int)trouble, scene.ranks,
               scene.objects, (unsigned long long)seed);
    }
    CU_ASSERT_TRUE_FATAL(ended);
    CU_ASSERT_EQUAL(scene.wrong, 0);
    CU_ASSERT(scene.failed > 0 ? trouble > IRR_TROUBLE_SHORT : !happened);
    check_plans(&scene);
    if (trouble == IRR_TROUBLE_SHORT) {
        expect_notified(&scene, state);
    }
    if (happened || any_failed(&scene)) {
        expect_all_failed(&scene, state);
    } else if (irr_trouble_is_memory(trouble)) {
        expect_recovered(&scene, state);
    }
    if (trouble != IRR_TROUBLE_LATE || any_failed(&scene)) {   /* otherwise the failing send is still to come */
        expect_other_well(&scene, state);
    }
    CU_ASSERT_EQUAL(scene.wrong, 0);
    irr_world_scene_close(&scene);
}

/*
 * A scene takes long with sanitizers. Unless all cases run, an eighth of the scenes of each row run, and a quarter of
 * those without memory or with a hostile rank.
 */
static void run_rows(irr_trouble_t trouble, int times)
{
    const bool rare = irr_trouble_is_memory(trouble) || trouble == IRR_TROUBLE_HOSTILE;
    const int some = irr_test_runs(times), runs = some < times && !rare ? some / 2 : some;
    uint64_t state = irr_test_seed();

    for (int row = 0; irr_algorithm_name(row) != NULL; row++) {
        for (int i = 0; i < runs; i++) {
            run_scene(row, trouble, &state);
        }
    }
}

IRR_TEST(test_well, "every algorithm: runs, plans and restarts")
{
    run_rows(IRR_TROUBLE_NONE, 100);
}

IRR_TEST(test_trouble, "every algorithm with each kind of trouble")
{
    static const int times[] = {
        [IRR_TROUBLE_SHORT] = 40, [IRR_TROUBLE_SEND] = 40, [IRR_TROUBLE_RECV] = 40, [IRR_TROUBLE_LATE] = 40,
        [IRR_TROUBLE_MEMORY] = 160, [IRR_TROUBLE_POOR] = 80, [IRR_TROUBLE_GIVES_UP] = 20, [IRR_TROUBLE_HOSTILE] = 80
    };

    for (size_t trouble = IRR_TROUBLE_SHORT; trouble < IRR_TEST_COUNT(times); trouble++) {
        run_rows((irr_trouble_t)trouble, times[trouble]);
    }
}

IRR_TEST_MAIN("world", 300)
