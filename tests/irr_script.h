/*
 * irr_script.h - turns that all ranks of a communicator take in the same order, each rank at its own speed. A turn
 * runs, plans or restarts an exchange. Several exchanges may be open at a time.
 */
#ifndef IRR_SCRIPT_H
#define IRR_SCRIPT_H

#include "irr_world.h"

enum { IRR_SCRIPT_OBJECTS = 40 };

typedef enum irr_act { IRR_ACT_RUN, IRR_ACT_PLAN, IRR_ACT_RESTART } irr_act_t;

typedef struct irr_turn {
    irr_act_t act;
    int       job;       /* index of a filled job */
    int       object;    /* number of the exchange object; each rank has its own order of the objects */
    bool      planned;   /* restart: the plan of the job exists */
    bool      repeats;   /* the turn before was a run of the same job */
    bool      bare;      /* restart: an earlier restart stored the plan, so ranks send no descriptions of messages */
} irr_turn_t;

typedef struct irr_script_rank {
    irr_exchange_t *object[IRR_SCRIPT_OBJECTS];
    int             runs[IRR_SCRIPT_OBJECTS];   /* by object: the turn of the running exchange; -1: none */
    int             begun, ended;               /* numbers of turns */
} irr_script_rank_t;

typedef struct irr_script irr_script_t;

struct irr_script {
    irr_team_t        *team;
    irr_job_t *const  *jobs;
    const irr_turn_t  *turns;
    int                count;      /* number of turns */
    int                objects;    /* number of exchange objects of a rank */
    irr_script_rank_t *rank;
    void             (*begins)(irr_script_t *script, int rank, const irr_turn_t *turn);   /* or NULL */
    void             (*ends)(irr_script_t *script, int rank, const irr_turn_t *turn, irr_status_t status);
    void              *context;
};

/* Opens a script without turns. The memory belongs to the world. */
void irr_script_open(irr_script_t *script, irr_team_t *team, irr_job_t *const *jobs, int objects);

/* Returns the exchange objects to their communicators. */
void irr_script_close(irr_script_t *script);

/* Replaces the turns. The caller ensures that all old turns have ended. */
void irr_script_set(irr_script_t *script, const irr_turn_t *turns, int count);

/* Returns the object of a turn on a rank. */
irr_exchange_t *irr_script_object(const irr_script_t *script, int rank, const irr_turn_t *turn);

/*
 * irr_script_begin begins the next turn of a rank if its object is free and its job is not in use on the rank.
 * irr_script_look progresses a rank, and ends its turns that are over. irr_script_step does one of both.
 */
void irr_script_begin(irr_script_t *script, int rank);
void irr_script_look(irr_script_t *script, int rank);
void irr_script_step(irr_script_t *script, int rank, uint64_t *state);

/* Returns true if all ranks have ended all turns. */
bool irr_script_is_over(const irr_script_t *script);

/* Runs all turns. Each step advances one random rank. Returns false if more than `steps` steps are needed. */
bool irr_script_run(irr_script_t *script, int steps, uint64_t *state);

#endif
