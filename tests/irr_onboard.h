/*
 * irr_onboard.h - a job of six ranks, on one node or on several, with a communicator whose algorithm has boards.
 */
#ifndef IRR_ONBOARD_H
#define IRR_ONBOARD_H

#include "irr_world.h"

#define IRR_ONBOARD_RANKS   6
#define IRR_ONBOARD_LAYOUTS 5

typedef struct irr_onboard {
    irr_world_t  world;
    irr_team_t   team;
    irr_job_t   *job;
    irr_status_t results[IRR_CREW_MAX];
    uint64_t     state;
} irr_onboard_t;

/* One node of all; nodes of three and more ranks that are not neighbours, one of a single rank; neighbours; alone. */
int irr_onboard_node(int layout, int rank);

/* From now on this rank cannot read the memory of any process; -1: all can. */
void irr_onboard_blind(int rank);

/* Opens the job, and says what the communicator is to be; its team is to be created. */
void irr_onboard_open(irr_onboard_t *scene, const char *name, int layout, size_t block, size_t bytes);
void irr_onboard_close(irr_onboard_t *scene);

/* Member of a crew: an exchange of scene->job, whose result is in `results`. */
void irr_onboard_exchange(int rank, void *context);

/* Runs the job; all must end well but `truncated`, -1 for none.  Or a random job of that kind, so many times. */
void irr_onboard_expect(irr_onboard_t *scene, int truncated);
void irr_onboard_expect_kind(irr_onboard_t *scene, irr_job_kind_t kind, int times);

#endif
