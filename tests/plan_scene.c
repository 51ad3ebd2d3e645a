/*
 * plan_scene.c - see plan_scene.h.
 */
#include "plan_scene.h"

#include "irr_test.h"

static const irr_scene_row_t scene_rows[] = {
    /* step 0 */ { 0, IRR_STEP_RECV, 1, 1, { OUTPUT(1) }, ALONE, 0 },
    /* step 1 */ { 0, IRR_STEP_RECV, 2, 1, { OUTPUT(2) }, ALONE, 0 },
    /* step 2 */ { 0, IRR_STEP_SEND, 1, 1, { INPUT(1), INPUT(2) }, ALONE, 0 },
    /* step 3 */ { 0, IRR_STEP_COPY, 0, 1, { INPUT(0), OUTPUT(0) }, ALONE, 0 },

    /* step 0 */ { 1, IRR_STEP_RECV, 0, 1, { OUTPUT(0), SCRATCH(0) }, ALONE, 0 },
    /* step 1 */ { 1, IRR_STEP_RECV, 2, 1, { OUTPUT(2) }, ALONE, 0 },
    /* step 2 */ { 1, IRR_STEP_SEND, 0, 1, { INPUT(0) }, ALONE, 0 },
    /* step 3 */ { 1, IRR_STEP_SEND, 2, 1, { INPUT(2) }, ALONE, 0 },
    /* step 4 */ { 1, IRR_STEP_SEND, 2, 2, { SCRATCH(0) }, AFTER, 0 },
    /* step 5 */ { 1, IRR_STEP_COPY, 1, 1, { INPUT(1), OUTPUT(1) }, ALONE, 0 },

    /* step 0 */ { 2, IRR_STEP_RECV, 1, 1, { OUTPUT(1) }, ALONE, 0 },
    /* step 1 */ { 2, IRR_STEP_RECV, 1, 2, { OUTPUT(0) }, ALONE, 0 },
    /* step 2 */ { 2, IRR_STEP_SEND, 0, 1, { INPUT(0) }, ALONE, 0 },
    /* step 3 */ { 2, IRR_STEP_SEND, 1, 1, { INPUT(1) }, ALONE, 0 },
    /* step 4 */ { 2, IRR_STEP_COPY, 2, 1, { INPUT(2), OUTPUT(2) }, ALONE, 0 }
};

void irr_scene_open_empty(irr_scene_t *scene)
{
    memset(scene, 0, sizeof(*scene));
    for (int r = 0; r < RANKS; r++) {
        for (int i = 0; i < RANKS; i++) {
            scene->send[r][i] = scene->recv[r][i] = (irr_block_t){ i, i * UNIT, UNIT };
        }
        scene->problems[r] = (irr_problem_t){
            .ranks = RANKS, .rank = r, .send = { scene->send[r], RANKS }, .recv = { scene->recv[r], RANKS }
        };
        irr_plan_init(&scene->plans[r]);
        irr_plan_reset(&scene->plans[r], &scene->problems[r]);
    }
}

void irr_scene_open(irr_scene_t *scene)
{
    irr_scene_open_empty(scene);
    irr_scene_add(scene, ROWS(scene_rows));
}

void irr_scene_open_reuse(irr_scene_t *scene)
{
    static const irr_scene_row_t rows[] = {
        { 1, IRR_STEP_RECV, 2, 2, { SCRATCH(0) }, AFTER, 4 },   /* step 6 */
        { 1, IRR_STEP_SEND, 0, 3, { SCRATCH(0) }, AFTER, 6 }    /* step 7 */
    };
    irr_step_t *receives, *sends;

    irr_scene_open(scene);
    receives = irr_scene_step(scene, 0, 1);
    sends = irr_scene_step(scene, 2, 2);
    receives->peer = sends->peer = 1;
    receives->stage = scene->plans[0].stages = 3;
    sends->stage = 2;
    irr_scene_add(scene, ROWS(rows));
}

void irr_scene_open_place(irr_scene_t *scene)
{
    irr_scene_open_empty(scene);
    for (int r = 0; r < RANKS; r++) {
        size_t first = 0;

        scene->problems[r].in_place = true;
        for (int peer = 0; peer < RANKS; peer++) {
            irr_scene_row_t rows[] = {
                { r, IRR_STEP_COPY, r, 1, { OUTPUT(peer), SCRATCH(0) }, first > 0 ? AFTER : ALONE, 1 },
                { r, IRR_STEP_SEND, peer, 1, { SCRATCH(0) }, AFTER, first },
                { r, IRR_STEP_RECV, peer, 1, { OUTPUT(peer) }, AFTER, first }
            };

            if (peer != r) {
                rows[0].pieces[0].buffer = r == RANKS - 1 ? IRR_BUFFER_INPUT : IRR_BUFFER_OUTPUT;
                irr_scene_add(scene, ROWS(rows));
                first += 3;
            }
        }
    }
}

void irr_scene_close(irr_scene_t *scene)
{
    for (int r = 0; r < RANKS; r++) {
        irr_plan_fini(&scene->plans[r]);
    }
}

void irr_scene_add(irr_scene_t *scene, const irr_scene_row_t *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const irr_scene_row_t *row = &rows[i];
        irr_step_params_t params = {
            .kind = row->kind, .peer = row->peer, .stage = row->stage,
            .number = row->kind == IRR_STEP_SEND || row->kind == IRR_STEP_RECV,
            .pieces = row->pieces, .npieces = row->pieces[1].length > 0 ? 2 : 1,
            .deps = &row->on, .ndeps = row->depends == AFTER ? 1 : 0
        };

        CU_ASSERT_EQUAL_FATAL(irr_plan_add(&scene->plans[row->rank], &params), IRR_OK);
    }
}

irr_status_t irr_scene_check(irr_scene_t *scene)
{
    return irr_plan_check(scene->plans, scene->problems, RANKS, scene->reason, sizeof(scene->reason));
}

void irr_scene_accept(irr_scene_t *scene)
{
    CU_ASSERT_EQUAL(irr_scene_check(scene), IRR_OK);
    CU_ASSERT_STRING_EQUAL(scene->reason, "");
    irr_scene_close(scene);
}

void irr_scene_refuse(irr_scene_t *scene, const char *reason)
{
    CU_ASSERT_EQUAL(irr_scene_check(scene), IRR_ERR_INVALID_PLAN);
    CU_ASSERT_STRING_EQUAL(scene->reason, reason);
    if (strcmp(scene->reason, reason) != 0) {
        printf("# expected: %s\n# got:      %s\n", reason, scene->reason);
    }
    irr_scene_close(scene);
}

void irr_scene_refuse_each(void (*open)(irr_scene_t *scene), const irr_scene_breakage_t *breakages)
{
    for (const irr_scene_breakage_t *b = breakages; b->apply != NULL; b++) {
        irr_scene_t scene;

        open(&scene);
        b->apply(&scene);
        irr_scene_refuse(&scene, b->reason);
    }
}

irr_step_t *irr_scene_step(irr_scene_t *scene, int rank, int i)
{
    return &scene->plans[rank].steps[i];
}

irr_piece_t *irr_scene_piece(irr_scene_t *scene, int rank, int i, int p)
{
    return &scene->plans[rank].pieces[irr_scene_step(scene, rank, i)->first_piece + (size_t)p];
}
