/*
 * plan_scene.h - small correct plans, written by hand, for tests that break them.
 *
 * There are three ranks, and every message has 8 bytes. All messages are direct, except the messages that plan_scene.c
 * routes through rank 1.
 */
#ifndef IRR_PLAN_SCENE_H
#define IRR_PLAN_SCENE_H

#include "plan/plan.h"

#define RANKS 3
#define UNIT  8

/* Pieces: the i-th 8 bytes of a buffer. */
#define INPUT(i)   { IRR_BUFFER_INPUT, false, (i) * UNIT, UNIT }
#define OUTPUT(i)  { IRR_BUFFER_OUTPUT, false, (i) * UNIT, UNIT }
#define SCRATCH(i) { IRR_BUFFER_SCRATCH, false, (i) * UNIT, UNIT }
#define NOTHING    { IRR_BUFFER_INPUT, false, 0, 0 }

typedef struct irr_scene {
    irr_block_t   send[RANKS][RANKS], recv[RANKS][RANKS];
    irr_problem_t problems[RANKS];
    irr_plan_t    plans[RANKS];
    char          reason[200];
} irr_scene_t;

/* A step of a rank. The step has no second piece if that piece is empty. */
typedef struct irr_scene_row {
    int             rank;
    irr_step_kind_t kind;
    int             peer, stage;
    irr_piece_t     pieces[2];
    enum { ALONE, AFTER } depends;
    size_t          on;  /* number of the step that this step depends on */
} irr_scene_row_t;

/* Makes the problem and empty plans. */
void irr_scene_open_empty(irr_scene_t *scene);

/* Makes plans of two stages; the message from 0 to 2 goes through the scratch of rank 1. */
void irr_scene_open(irr_scene_t *scene);

/*
 * Makes plans of three stages. The message from 2 to 0 later goes through the scratch that the message from 0 to 2
 * used.
 */
void irr_scene_open_reuse(irr_scene_t *scene);

/*
 * Makes plans in place. For each peer a rank copies its message into its scratch, sends the copy, and receives. All
 * messages use the same scratch.
 */
void irr_scene_open_place(irr_scene_t *scene);

void irr_scene_close(irr_scene_t *scene);

/* Appends count rows to the plans, as steps. */
void irr_scene_add(irr_scene_t *scene, const irr_scene_row_t *rows, size_t count);

#define ROWS(rows) rows, sizeof(rows) / sizeof((rows)[0])

/* Runs the checker.  Its reason, if any, is stored in the scene. */
irr_status_t irr_scene_check(irr_scene_t *scene);

/*
 * Both functions close a scene. irr_scene_accept asserts that the checker accepts the plans. irr_scene_refuse asserts
 * that the checker refuses the plans for exactly this reason.
 */
void irr_scene_accept(irr_scene_t *scene);
void irr_scene_refuse(irr_scene_t *scene, const char *reason);

/* A change that makes plans wrong, and the expected reason of the checker. A list ends with NULL. */
typedef struct irr_scene_breakage {
    void (*apply)(irr_scene_t *scene);
    const char *reason;
} irr_scene_breakage_t;

/* Applies each change to a new scene. Asserts that the checker refuses it for the expected reason. */
void irr_scene_refuse_each(void (*open)(irr_scene_t *scene), const irr_scene_breakage_t *breakages);

/* irr_scene_step returns step i of a rank. irr_scene_piece returns piece p of step i. */
irr_step_t *irr_scene_step(irr_scene_t *scene, int rank, int i);
irr_piece_t *irr_scene_piece(irr_scene_t *scene, int rank, int i, int p);

#endif
