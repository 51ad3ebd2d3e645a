/*
 * world_scene.c - see world_scene.h.
 */
#include "world_scene.h"

#include "irr_text.h"

#include "plan/strategy.h"

enum { RANKS_FEW = 8, LAYOUTS = 5 };

/* ---- the script ---- */

static size_t one_of(uint64_t *state, const size_t *values, size_t count)
{
    return values[irr_test_below(state, count)];
}

static irr_settings_t draw_settings(int row, int ranks, uint64_t *state)
{
    static const size_t windows[] = { 0, 0, 1, 3 }, bytes[] = { 0, 0, 300 }, slices[] = { 0, 1, 100 };
    static const size_t limits[] = { 0, 1, 100, 3000, IRR_BYTES_AUTO }, pieces[] = { 0, 700, IRR_BYTES_AUTO };

    return (irr_settings_t){
        .algorithm = row,
        .compose = (irr_compose_t)irr_test_below(state, IRR_COMPOSE_COUNT),
        .overlap = (irr_overlap_t)irr_test_below(state, IRR_OVERLAP_COUNT),
        .pacing = (irr_pacing_kind_t)irr_test_below(state, IRR_PACING_COUNT),
        .grants = irr_test_below(state, 4),
        .host_route = (irr_host_route_t)irr_test_below(state, IRR_HOST_ROUTE_COUNT),
        .window_messages = one_of(state, windows, IRR_TEST_COUNT(windows)),
        .window_bytes = one_of(state, bytes, IRR_TEST_COUNT(bytes)),
        .slice_min = one_of(state, slices, IRR_TEST_COUNT(slices)),
        .direct_bytes = one_of(state, limits, IRR_TEST_COUNT(limits)),
        .piece_bytes = one_of(state, pieces, IRR_TEST_COUNT(pieces)),
        .lead_bytes = one_of(state, pieces, IRR_TEST_COUNT(pieces)),
        .matrix_dump = irr_test_below(state, 8) == 0 ? "no/such/folder/matrix" : NULL,
        .scheduled = {
            .seed = irr_test_random(state),
            .lambda = { (irr_lambda_rule_t)irr_test_below(state, IRR_LAMBDA_RULES), IRR_LAMBDA_ONE / 2 },
            .redistribution = { .x = 1, .p = ranks, .y = 2, .q = ranks, .elements = 1, .unit = 1 }
        }
    };
}

/*
 * Draws runs, and plans with restarts, of repeated jobs, and some restarts without a plan. If memory is missing, half
 * of the scenes repeat no job (is_strict in test_world.c).
 */
static void draw_turns(irr_world_scene_t *scene, uint64_t *state)
{
    const bool changes = irr_trouble_is_memory(scene->trouble) && irr_test_below(state, 2) == 0;
    int planned[IRR_WORLD_OBJECTS] = { -1, -1, -1, -1 }, restarts[IRR_WORLD_OBJECTS] = { 0 };   /* by object */

    for (int i = 0; i < IRR_WORLD_TURNS; i++) {
        irr_turn_t *turn = &scene->turns[i];
        const uint64_t chance = irr_test_below(state, 8);
        const int object = (int)irr_test_below(state, (uint64_t)scene->objects);
        int *plan = &planned[object];

        *turn = (irr_turn_t){ .object = object, .job = (int)irr_test_below(state, IRR_WORLD_JOBS) };
        /* if memory is missing, all turns are runs */
        if (chance < 3 || i == 0 || irr_trouble_is_memory(scene->trouble)) {
            turn->job = i > 0 && chance % 2 == 0 ? turn[-1].job : turn->job;
            turn->job = (turn->job + (changes && i > 0 && turn->job == turn[-1].job)) % IRR_WORLD_JOBS;
            turn->repeats = i > 0 && turn[-1].act == IRR_ACT_RUN && turn[-1].job == turn->job;
            *plan = -1;
        } else if (*plan < 0 && chance < 7) {
            turn->act = IRR_ACT_PLAN;
            *plan = turn->job;
            restarts[object] = 0;
        } else {
            turn->act = IRR_ACT_RESTART;
            turn->job = *plan < 0 ? 0 : *plan;
            turn->planned = *plan >= 0;
            turn->bare = turn->planned && *plan != scene->uneven && restarts[object]++ > 0;
        }
    }
}

bool irr_world_scene_knows_counts(const irr_world_scene_t *scene)
{
    return irr_strategy_is_scheduled(irr_algorithm_strategy(irr_algorithm_find(scene->row))) &&
           strcmp(scene->row, "redistribution") != 0;
}

/* Makes a few messages shorter. */
static void change_some(irr_job_t *job, uint64_t *state)
{
    for (int i = 0; i < 3; i++) {
        const int from = (int)irr_test_below(state, (uint64_t)job->ranks);
        const int to = (int)irr_test_below(state, (uint64_t)job->ranks);

        irr_job_shorten(job, from, to, irr_job_length(job, from, to) / 3);
    }
}

/* Shortens the message of a rank to the victim at one end. */
static void cut_one(irr_world_scene_t *scene, uint64_t *state)
{
    const int any = (int)irr_test_below(state, (uint64_t)scene->ranks);
    const int from = irr_test_below(state, 4) == 0 ? scene->victim : any;   /* often to itself */
    const size_t length = irr_job_length(scene->jobs[0], from, scene->victim);
    const bool at_sender = irr_test_below(state, 2) == 0;
    /* Between two ranks, an empty block causes an unexpected message, and an empty message is waited for. */
    const size_t least = from == scene->victim || (irr_world_scene_knows_counts(scene) && !at_sender) ? 0 : 1;

    if (length > 1) {
        const size_t some = least + irr_test_below(state, length - least);

        scene->uneven = 0;
        scene->cut = at_sender ? -1 : 0;
        (at_sender ? irr_job_cut_sent : irr_job_cut)(scene->jobs[0], at_sender ? from : scene->victim,
                                                     at_sender ? scene->victim : from,
                                                     irr_test_below(state, 4) == 0 ? least : some);
    }
}

/* Draws a job in place. Few messages are long enough to be sent in chunks. */
static irr_job_t *draw_place(int ranks, uint64_t *state)
{
    const uint64_t most = irr_test_below(state, 16) == 0 && ranks <= RANKS_FEW ? 600000 : 300;
    size_t lengths[IRR_WORLD_MAX * IRR_WORLD_MAX];

    for (int i = 0; i < ranks; i++) {
        for (int j = 0; j <= i; j++) {
            lengths[i * ranks + j] = irr_test_below(state, 3) == 0 ? 0 : irr_test_below(state, most);
            lengths[j * ranks + i] = lengths[i * ranks + j];
        }
    }
    return irr_job_create_place(ranks, lengths, irr_test_random(state));
}

/*
 * Draws the jobs: equal messages, a job of any kind, the same job with other lengths, and a job of several blocks or of
 * any kind. One of these may be in place.
 */
static void draw_jobs(irr_world_scene_t *scene, uint64_t *state)
{
    const irr_job_kind_t kind = (irr_job_kind_t)irr_test_below(state, IRR_JOB_KINDS);
    const irr_job_kind_t last = irr_trouble_is_memory(scene->trouble) ? IRR_JOB_BLOCKS
                                : (irr_job_kind_t)irr_test_below(state, IRR_JOB_KINDS);
    const irr_job_kind_t kinds[IRR_WORLD_JOBS] = { IRR_JOB_UNIFORM, kind, kind, last };
    const int place = irr_trouble_is_memory(scene->trouble) ? 1 : 3;
    uint64_t seed = 0;

    scene->cut = scene->uneven = -1;
    for (int i = 0; i < IRR_WORLD_JOBS; i++) {
        seed = i == 2 ? seed : irr_test_random(state);
        scene->jobs[i] = i == place && irr_test_below(state, 4) == 0 ? draw_place(scene->ranks, state)
                                                                     : irr_job_create(scene->ranks, kinds[i], seed);
    }
    change_some(scene->jobs[2], state);
    scene->jobs[IRR_WORLD_JOBS] = irr_job_create(scene->ranks, kind, irr_test_random(state));
    for (int i = 0; i <= IRR_WORLD_JOBS; i++) {
        irr_job_fill(scene->jobs[i]);
    }
    if (scene->trouble == IRR_TROUBLE_SHORT && scene->ranks > 1) {
        cut_one(scene, state);
    }
}

/* ---- open and close ---- */

/*
 * Opens a communicator. layout: each rank has a node of its own, or shares a node with neighbouring or other ranks, or
 * all ranks share one node. sequence: number of the first exchange, so that some scenes have an epoch barrier.
 */
static void open_team(irr_world_scene_t *scene, irr_team_t *team, const irr_settings_t *settings, bool on_tree,
                      uint64_t layout, bool reversed, uint32_t sequence)
{
    irr_team_init(team, &scene->world, reversed ? scene->ranks - 1 : 0, reversed ? -1 : 1);
    for (int i = 0; i < scene->ranks; i++) {
        const int r = team->members[i];

        team->params[i].node = (const int[LAYOUTS]){ r, r / 2, r % 3, r * r % 3, 0 }[layout];
        team->params[i].host = on_tree ? irr_turns_hosts[r % IRR_TURNS_RANKS] : NULL;
    }
    irr_team_create_with(team, settings);
    for (int r = 0; r < scene->ranks; r++) {
        team->comms[r]->sequence = team->comms[r]->over = sequence;
    }
}

void irr_world_scene_open(irr_world_scene_t *scene, int row, irr_trouble_t trouble, uint64_t *state)
{
    static const size_t eager[] = { 0, 100, SIZE_MAX };
    const bool late = irr_test_below(state, 2) == 0, on_tree = irr_test_below(state, 2) == 0;
    irr_fault_t faults[IRR_WORLD_MAX];
    irr_settings_t settings;
    uint64_t layout;
    uint32_t sequence;

    *scene = (irr_world_scene_t){ .row = irr_algorithm_name(row), .trouble = trouble };
    scene->ranks = 1 + (int)irr_test_below(state, irr_test_below(state, 4) > 0 ? RANKS_FEW : IRR_WORLD_MAX);
    scene->objects = irr_test_below(state, 2) == 0 ? 1 : IRR_WORLD_OBJECTS;
    scene->victim = (int)irr_test_below(state, (uint64_t)scene->ranks);
    for (int r = 0; r < scene->ranks; r++) {
        faults[r] = (irr_fault_t){ .seed = irr_test_random(state), .hold_percent = late ? 30 : 0, .hold_rounds = 40 };
    }
    if (trouble == IRR_TROUBLE_LATE) {
        irr_fault_t *fault = &faults[scene->victim];

        fault->delay_send = 1 + irr_test_below(state, 40);   /* the failing send waits for the delayed send */
        fault->delay_rounds = 1 + irr_test_below(state, 40);
        fault->fail_send = irr_test_below(state, 4) == 0 ? 0 : fault->delay_send + irr_test_below(state, 2);
        fault->fail_recv = fault->fail_send == 0 ? fault->delay_send : 0;
        fault->failure = IRR_ERR_TRANSPORT;
    }
    settings = draw_settings(row, scene->ranks, state);
    settings.topology_file = on_tree ? irr_text_open() : NULL;
    if (on_tree) {
        irr_text_fill(irr_turns_tree, strlen(irr_turns_tree));
    }
    irr_world_open_faulty(&scene->world, scene->ranks, irr_test_below(state, 3) == 0 ? 0 : irr_test_random(state),
                          one_of(state, eager, IRR_TEST_COUNT(eager)), faults);
    layout = irr_test_below(state, LAYOUTS);
    /* the counters are checked if exchanges run one after the other, and messages of a barrier would change them */
    sequence = scene->objects > 1 ? (uint32_t)irr_test_below(state, IRR_TAG_SEQUENCES) : 0;
    open_team(scene, &scene->team, &settings, on_tree, layout, false, sequence);
    open_team(scene, &scene->other, &settings, on_tree, layout, true, 0);
    if (on_tree) {
        irr_text_close();
    }
    draw_jobs(scene, state);
    draw_turns(scene, state);
    irr_script_open(&scene->script, &scene->team, scene->jobs, scene->objects);
    irr_script_set(&scene->script, scene->turns, IRR_WORLD_TURNS);
    for (int i = 0; i < IRR_WORLD_OTHER_TURNS; i++) {
        scene->other_turns[i] = (irr_turn_t){ .act = IRR_ACT_RUN, .job = IRR_WORLD_JOBS };
    }
    irr_script_open(&scene->other_script, &scene->other, scene->jobs, 1);
    irr_script_set(&scene->other_script, scene->other_turns, IRR_WORLD_OTHER_TURNS);
}

void irr_world_scene_close(irr_world_scene_t *scene)
{
    irr_script_close(&scene->script);
    irr_script_close(&scene->other_script);
    irr_team_destroy(&scene->team);
    irr_team_close(&scene->other);
    for (int i = 0; i <= IRR_WORLD_JOBS; i++) {
        irr_job_destroy(scene->jobs[i]);
    }
}
