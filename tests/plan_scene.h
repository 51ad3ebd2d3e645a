/*
 * plan_scene.h - small right plans, written by hand, for tests that break them.
 *
 * Three ranks, every message of 8 bytes, all direct but those that plan_scene.c leads through rank 1.
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

/* A step of some rank; its last piece may be empty, which leaves it out. */
typedef struct irr_scene_row {
    int             rank;
    irr_step_kind_t kind;
    int             peer, stage;
    irr_piece_t     pieces[2];
    enum { ALONE, AFTER } depends;
    size_t          on;  /* this step */
} irr_scene_row_t;

/* The problem and empty plans. */
void irr_scene_open_empty(irr_scene_t *scene);

/* Two stages; the message from 0 to 2 goes through the scratch of rank 1. */
void irr_scene_open(irr_scene_t *scene);

/* Three stages; later, that from 2 to 0 goes through the same scratch. */
void irr_scene_open_reuse(irr_scene_t *scene);

/* In place: each rank copies what goes to a peer to its scratch, which is used again, sends it and receives. */
void irr_scene_open_place(irr_scene_t *scene);

void irr_scene_close(irr_scene_t *scene);

/* Appends steps to the plans; count is that of the array. */
void irr_scene_add(irr_scene_t *scene, const irr_scene_row_t *rows, size_t count);

#define ROWS(rows) rows, sizeof(rows) / sizeof((rows)[0])

/* Runs the checker; the reason, if any, is left in the scene. */
irr_status_t irr_scene_check(irr_scene_t *scene);

/* Closes a scene, which must be accepted; or refused for exactly this reason. */
void irr_scene_accept(irr_scene_t *scene);
void irr_scene_refuse(irr_scene_t *scene, const char *reason);

/* One thing that is broken, and what the checker says then.  A list ends with NULL. */
typedef struct irr_scene_breakage {
    void (*apply)(irr_scene_t *scene);
    const char *reason;
} irr_scene_breakage_t;

/* Each of them in a scene of its own. */
void irr_scene_refuse_each(void (*open)(irr_scene_t *scene), const irr_scene_breakage_t *breakages);

/* Step i of a rank, and its piece p. */
irr_step_t *irr_scene_step(irr_scene_t *scene, int rank, int i);
irr_piece_t *irr_scene_piece(irr_scene_t *scene, int rank, int i, int p);

#endif
