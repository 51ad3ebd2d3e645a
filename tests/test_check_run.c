/*
 * test_check_run.c - the executor runs every plan that the checker accepts, and no plan crashes the checker.
 */
#include "irr_fleet.h"
#include "irr_memory.h"
#include "irr_test.h"
#include "plan_scene.h"

#include <limits.h>
#include <string.h>

#define ROOM 64  /* bytes of each buffer */

/* Puts a suspicious number somewhere into the plan of some rank, or swaps two of its steps. */
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
    case 5: changed->first_piece = (size_t)value; break;
    case 6: changed->pieces = (size_t)value; break;
    case 7: changed->first_dep = (size_t)value; break;
    case 8: changed->deps = (size_t)value; break;
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

/* Runs an accepted plan on real bytes, with any window, and with sends that are eager, late, or in another order. */
static void expect_delivered(const irr_scene_t *scene, uint64_t *random)
{
    static const size_t eager_max[] = { 0, UNIT, SIZE_MAX };
    unsigned char input[RANKS][ROOM], output[RANKS][ROOM];
    irr_fault_t faults[RANKS];
    irr_fleet_t *fleet;

    for (int r = 0; r < RANKS; r++) {
        faults[r] = (irr_fault_t){ .seed = irr_test_random(random), .hold_percent = 50, .hold_rounds = 5 };
    }
    fleet = irr_fleet_create_faulty(RANKS, irr_test_random(random), eager_max[irr_test_below(random, 3)], faults);
    fleet->window_messages = irr_test_below(random, 5);
    for (int r = 0; r < RANKS; r++) {
        for (int i = 0; i < ROOM; i++) {
            input[r][i] = (unsigned char)(r * ROOM + i);
            output[r][i] = scene->problems[r].in_place ? input[r][i] : 0xff;
        }
        fleet->rank[r].plan = scene->plans[r];
        irr_fleet_start(fleet, r, scene->problems[r].in_place ? output[r] : input[r], output[r]);
    }
    CU_ASSERT_TRUE(irr_fleet_run(fleet));
    for (int r = 0; r < RANKS; r++) {
        for (int from = 0; from < RANKS; from++) {
            const irr_block_t *send = &scene->send[from][r], *recv = &scene->recv[r][from];

            CU_ASSERT_EQUAL(memcmp(output[r] + recv->offset, input[from] + send->offset, recv->length), 0);
        }
        CU_ASSERT_EQUAL(fleet->rank[r].result, IRR_OK);
        irr_plan_init(&fleet->rank[r].plan);   /* the plan is the scene's */
    }
    irr_fleet_destroy(fleet);
}

/* Plans with a few numbers changed at random never crash the checker, and run if it accepts them. */
static void test_random_changes(void)
{
    enum { ROUNDS = 20000 };
    static void (*const open[])(irr_scene_t *scene) = { irr_scene_open, irr_scene_open_reuse, irr_scene_open_place };
    uint64_t random = irr_test_seed();
    unsigned accepted = 0;

    for (int round = 0; round < ROUNDS; round++) {
        irr_scene_t scene;

        open[irr_test_below(&random, 3)](&scene);
        for (uint64_t changes = irr_test_below(&random, 4); changes > 0; changes--) {
            change_something(&scene, &random);
        }
        if (irr_scene_check(&scene) == IRR_OK) {
            accepted++;
            expect_delivered(&scene, &random);
        } else {
            CU_ASSERT_NOT_EQUAL(scene.reason[0], '\0');
        }
        irr_scene_close(&scene);
    }
    CU_ASSERT(accepted > ROUNDS / 10 && accepted < ROUNDS);
}

static irr_status_t check(void *context)
{
    return irr_scene_check(context);
}

static void test_no_memory(void)
{
    irr_scene_t scene;

    irr_scene_open_reuse(&scene);
    CU_ASSERT(irr_memory_fail_each(check, &scene) > 10);
    irr_scene_close(&scene);
    irr_scene_open_place(&scene);
    CU_ASSERT(irr_memory_fail_each(check, &scene) > 10);
    irr_scene_close(&scene);
}

IRR_TEST_MAIN("check run", 120,
    { "plans with random changes", test_random_changes },
    { "no memory", test_no_memory })
