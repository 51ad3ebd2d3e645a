/*
 * test_exec.c - the executor runs plans: dependencies, a window that slides, a window of split messages, and random
 * plans that the checker accepts. test_exchange.c has windows of all sizes, and test_world.c has errors of messages,
 * transport and memory.
 */
#include "irr_world.h"
#include "plan_scene.h"

#include <limits.h>

#define ALL_EAGER SIZE_MAX
#define STEPS_MAX 20000

/* Row 1 of the table of algorithms: direct. */
enum { DIRECT = 1 };

/* ---- windows ---- */

/* A window slides: the next send starts when a send ends, although other sends are still in flight. */
IRR_TEST(test_window_slides, "a window slides")
{
    static const struct { int rank; size_t sends; } starts[] = { { 0, 2 }, { 2, 3 }, { 1, 3 }, { 3, 3 } };
    irr_status_t result[4] = { IRR_OK };
    irr_job_t *job = irr_job_create(4, IRR_JOB_UNIFORM, 1);
    const irr_spy_t *spy;
    irr_team_t team;

    irr_team_open_new(&team, 4, 0, 0, &(irr_settings_t){ .algorithm = DIRECT, .window_messages = 2 });
    spy = team.world->spies[0];
    irr_job_fill(job);
    for (int i = 0; i < 4; i++) {
        const int r = starts[i].rank;

        result[r] = irr_team_start(&team, r, job);
        (void)irr_team_progress(&team, result, 5);
        CU_ASSERT_EQUAL(spy->sends, starts[i].sends);
        CU_ASSERT(i > 1 || spy->in_flight == 2);
    }
    CU_ASSERT_TRUE_FATAL(irr_team_progress(&team, result, STEPS_MAX));
    for (int r = 0; r < 4; r++) {
        CU_ASSERT_EQUAL(result[r], IRR_OK);
        CU_ASSERT_TRUE(irr_job_verify(job, r));
    }
    irr_team_close(&team);
    irr_job_destroy(job);
}

/* Starts the plan of a rank of a scene. */
static irr_status_t start(irr_team_t *team, irr_scene_t *scene, int rank, const void *input, void *output)
{
    irr_team_start_plan(team, rank, &scene->problems[rank], &scene->plans[rank], input, output);
    return IRR_IN_PROGRESS;
}

/* Two split messages of two pieces within a window of two: both are in flight at once. */
IRR_TEST(test_window_of_split, "a window counts a split message as one message")
{
    irr_scene_row_t rows[4];
    irr_status_t result[RANKS] = { IRR_OK };
    char output[4 * UNIT + 1] = "";
    irr_scene_t scene;
    irr_team_t team;

    for (int i = 0; i < 4; i++) {
        const irr_buffer_t buffer = i < 2 ? IRR_BUFFER_INPUT : IRR_BUFFER_OUTPUT;
        const ptrdiff_t at = i % 2 * 2 * UNIT;

        rows[i] = (irr_scene_row_t){ i / 2, i < 2 ? IRR_STEP_SEND : IRR_STEP_RECV, 1 - i / 2, 1,
                                     { { buffer, false, at, UNIT }, { buffer, false, at + UNIT, UNIT } }, ALONE, 0 };
    }
    irr_scene_open_empty(&scene);
    irr_scene_add(&scene, ROWS(rows));
    irr_team_open_new(&team, RANKS, 0, 0, &(irr_settings_t){
        .algorithm = DIRECT, .window_messages = 2, .compose = IRR_COMPOSE_SPLIT });
    result[0] = start(&team, &scene, 0, "abcdefghijklmnopqrstuvwxyz012345", NULL);
    result[1] = start(&team, &scene, 1, NULL, output);
    CU_ASSERT_TRUE_FATAL(irr_team_progress(&team, result, STEPS_MAX));
    CU_ASSERT_STRING_EQUAL(output, "abcdefghijklmnopqrstuvwxyz012345");
    CU_ASSERT_EQUAL(team.world->spies[0]->in_flight_max, 4);
    irr_team_close(&team);
    irr_scene_close(&scene);
}

/* ---- dependencies ---- */

/* Opens plans of these rows, and a world for them. */
static void open_scene(irr_scene_t *scene, const irr_scene_row_t *rows, size_t count, irr_team_t *team, uint64_t seed,
                       size_t eager_max)
{
    irr_scene_open_empty(scene);
    irr_scene_add(scene, rows, count);
    irr_team_open_new(team, RANKS, seed, eager_max, &(irr_settings_t){ .algorithm = DIRECT });
}

/* Rank 0 sends five bytes to a scratch of `length` bytes. Rank 1 forwards only a message of the right length. */
static void run_forwarding_odd(size_t length, irr_status_t expected, size_t eager_max, uint64_t seed)
{
    const irr_piece_t room = { IRR_BUFFER_SCRATCH, false, 0, length };
    const irr_scene_row_t rows[] = {
        { 0, IRR_STEP_SEND, 1, 1, { { IRR_BUFFER_INPUT, false, 0, 5 } }, ALONE, 0 },
        { 1, IRR_STEP_RECV, 0, 1, { room }, ALONE, 0 },
        { 1, IRR_STEP_SEND, 2, 1, { room }, AFTER, 0 },
        { 2, IRR_STEP_RECV, 1, 1, { { IRR_BUFFER_OUTPUT, false, 0, length } }, ALONE, 0 }
    };
    char output[11] = "??????????";
    irr_status_t result[RANKS];
    irr_scene_t scene;
    irr_team_t team;

    open_scene(&scene, ROWS(rows), &team, seed, eager_max);
    for (int r = 0; r < RANKS; r++) {
        result[r] = start(&team, &scene, r, "first", output);
    }
    CU_ASSERT_TRUE_FATAL(irr_team_progress(&team, result, STEPS_MAX));
    CU_ASSERT_EQUAL(result[1], expected);
    CU_ASSERT_EQUAL(result[2], expected == IRR_OK ? IRR_OK : IRR_ERR_PEER);
    CU_ASSERT_STRING_EQUAL(output, expected == IRR_OK ? "first?????" : "??????????");
    irr_team_close(&team);
    irr_scene_close(&scene);
}

IRR_TEST(test_forwarding_odd, "only a message of the right length is forwarded")
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        const size_t eager_max = seed % 2 == 0 ? ALL_EAGER : 0;

        run_forwarding_odd(5, IRR_OK, eager_max, seed);
        run_forwarding_odd(4, IRR_ERR_PROTOCOL, eager_max, seed);
        run_forwarding_odd(6, IRR_ERR_PEER, eager_max, seed);
    }
}

/* ---- memory ---- */

IRR_TEST(test_fitted, "storage that is fitted to a plan has no spare room")
{
    static const irr_plan_room_t plans[] = {
        { .steps = 9, .pieces = 9, .parts = 9 }, { .steps = 2, .pieces = 4 }, { .steps = 2, .pieces = 4, .parts = 4 },
        { .steps = 2, .pieces = 3, .parts = 3 }, { .steps = 2, .pieces = 3, .parts = 3 }
    };
    irr_exec_t exec;

    irr_exec_init(&exec);
    for (size_t i = 0; i < IRR_TEST_COUNT(plans); i++) {
        irr_test_must(irr_exec_fit(&exec, plans[i]));
        CU_ASSERT(exec.room.steps_max == plans[i].steps && exec.room.pieces_max == plans[i].pieces);
        CU_ASSERT_EQUAL(exec.room.parts_max, plans[i].parts);
    }
    irr_exec_fini(&exec);
}

/* ---- random plans ---- */

#define ROOM 64  /* size of each buffer in bytes */

/* Puts a suspicious number somewhere into the plan of a rank, or swaps two of its steps. */
static void change_something(irr_scene_t *scene, uint64_t *random)
{
    static const long long values[] = {
        0, 1, 2, 3, UNIT / 2, UNIT, 2 * UNIT, -1, INT_MAX, PTRDIFF_MAX, PTRDIFF_MIN
    };
    long long value = values[irr_test_below(random, IRR_TEST_COUNT(values))];
    irr_plan_t *plan = &scene->plans[irr_test_below(random, RANKS)];
    irr_step_t *changed = &plan->steps[irr_test_below(random, plan->nsteps)];
    irr_piece_t *part = &plan->pieces[irr_test_below(random, plan->npieces)];
    size_t nowhere, *dep = plan->ndeps > 0 ? &plan->deps[irr_test_below(random, plan->ndeps)] : &nowhere;
    irr_step_t other;

    switch (irr_test_below(random, 15)) {
    case 0: changed->kind = (irr_step_kind_t)value; break;
    case 1: changed->peer = (int)value; break;
    case 2: changed->stage = (int)value; break;
    case 3: changed->number = (int)value; break;
    case 4: changed->bytes = (size_t)value; break;
    case 5: changed->first_piece = (uint32_t)value; break;
    case 6: changed->pieces = (uint32_t)value; break;
    case 7: changed->first_dep = (uint32_t)value; break;
    case 8: changed->deps = (uint32_t)value; break;
    case 9: part->buffer = (irr_buffer_t)value; break;
    case 10: part->offset = (ptrdiff_t)value; break;
    case 11: part->length = (size_t)value; break;
    case 12: plan->scratch_bytes = (size_t)value % ROOM; break;
    case 13: *dep = (size_t)value; break;
    default:
        other = *changed;
        *changed = plan->steps[0];
        plan->steps[0] = other;
    }
}

/* Opens a world with any window, and with sends that are eager, late, or in another order. */
static void open_world(irr_world_t *world, irr_team_t *team, uint64_t *random)
{
    static const size_t eager_max[] = { 0, UNIT, SIZE_MAX };
    irr_fault_t faults[RANKS];

    for (int r = 0; r < RANKS; r++) {
        faults[r] = (irr_fault_t){ .seed = irr_test_random(random), .hold_percent = 50, .hold_rounds = 5 };
    }
    irr_world_open_faulty(world, RANKS, irr_test_random(random), eager_max[irr_test_below(random, 3)], faults);
    irr_team_open(team, world, &(irr_settings_t){ .algorithm = DIRECT, .window_messages = irr_test_below(random, 5) });
}

/* Runs an accepted plan on real bytes. */
static void expect_delivered(irr_team_t *team, irr_scene_t *scene)
{
    unsigned char input[RANKS][ROOM], output[RANKS][ROOM];
    irr_status_t result[RANKS];

    for (int r = 0; r < RANKS; r++) {
        for (int i = 0; i < ROOM; i++) {
            input[r][i] = (unsigned char)(r * ROOM + i);
            output[r][i] = scene->problems[r].in_place ? input[r][i] : 0xff;
        }
        result[r] = start(team, scene, r, input[r], output[r]);
    }
    CU_ASSERT_TRUE(irr_team_progress(team, result, STEPS_MAX));
    for (int r = 0; r < RANKS; r++) {
        for (int from = 0; from < RANKS; from++) {
            const irr_block_t *send = &scene->send[from][r], *recv = &scene->recv[r][from];

            CU_ASSERT_EQUAL(memcmp(output[r] + recv->offset, input[from] + send->offset, recv->length), 0);
        }
        CU_ASSERT_EQUAL(result[r], IRR_OK);
    }
}

/* Plans with a few random changes do not crash the checker, and each plan that the checker accepts runs. */
IRR_TEST_SEEDED(test_random_changes, "plans with random changes run if the checker accepts them")
{
    enum { WORLDS = 40, ROUNDS = 500 };
    static void (*const open[])(irr_scene_t *scene) = { irr_scene_open, irr_scene_open_reuse, irr_scene_open_place };
    unsigned accepted = 0;
    irr_world_t world;
    irr_team_t team;

    for (int round = 0; round < WORLDS * ROUNDS; round++) {
        irr_scene_t scene;

        if (round % ROUNDS == 0) {
            open_world(&world, &team, state);
        }
        open[irr_test_below(state, 3)](&scene);
        for (uint64_t changes = irr_test_below(state, 4); changes > 0; changes--) {
            change_something(&scene, state);
        }
        if (irr_scene_check(&scene) == IRR_OK) {
            accepted++;
            expect_delivered(&team, &scene);
        } else {
            CU_ASSERT_NOT_EQUAL(scene.reason[0], '\0');
        }
        irr_scene_close(&scene);
        if (round % ROUNDS == ROUNDS - 1) {
            irr_team_close(&team);
        }
    }
    CU_ASSERT(accepted > WORLDS * ROUNDS / 10 && accepted < WORLDS * ROUNDS);
}

IRR_TEST_MAIN("exec", 60)
