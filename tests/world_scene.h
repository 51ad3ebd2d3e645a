/*
 * world_scene.h - a random scene of test_world.c: ranks, settings, jobs, turns and a trouble.
 */
#ifndef IRR_WORLD_SCENE_H
#define IRR_WORLD_SCENE_H

#include "irr_turns.h"

enum { IRR_WORLD_JOBS = 4, IRR_WORLD_TURNS = 14, IRR_WORLD_OBJECTS = 4, IRR_WORLD_OTHER_TURNS = 4 };

/* The trouble of a scene, which is the failure that the test injects. */
typedef enum irr_trouble {
    IRR_TROUBLE_NONE,
    IRR_TROUBLE_SHORT,     /* a message of a job is shorter than its block, or longer */
    IRR_TROUBLE_SEND,      /* a send of one rank is refused */
    IRR_TROUBLE_RECV,      /* a receive of one rank is refused */
    IRR_TROUBLE_LATE,      /* an operation of one rank fails, a send after it was accepted */
    IRR_TROUBLE_MEMORY,    /* an allocation fails */
    IRR_TROUBLE_POOR,      /* from some allocation on, all allocations fail */
    IRR_TROUBLE_GIVES_UP,  /* a rank fails the communicator */
    IRR_TROUBLE_HOSTILE    /* a rank sends wrong messages */
} irr_trouble_t;

static inline bool irr_trouble_is_memory(irr_trouble_t trouble)
{
    return trouble == IRR_TROUBLE_MEMORY || trouble == IRR_TROUBLE_POOR;
}

typedef struct irr_world_scene {
    irr_world_t    world;
    irr_team_t     team, other;             /* `other` has the same ranks in reverse order, and no trouble */
    int            objects;                 /* number of exchanges that a rank may have open */
    const char    *row;
    int            ranks, victim;           /* the rank in trouble */
    int            uneven, cut;             /* the job whose ends differ, and the job with a short block; -1: none */
    irr_trouble_t  trouble;
    irr_job_t     *jobs[IRR_WORLD_JOBS + 1];   /* the last one is the job of `other` */
    irr_turn_t     turns[IRR_WORLD_TURNS], other_turns[IRR_WORLD_OTHER_TURNS];
    irr_script_t   script, other_script;
    irr_counters_t before[IRR_WORLD_MAX];    /* counters of the engine at the start of the turn */
    bool           spoils_data;             /* the hostile victim changes data, otherwise all other messages */
    uint64_t       random;                  /* state of the random numbers of the hostile victim */
    int            failed;                  /* number of turns that ended in an unexpected error on a rank */
    int            cuts, truncated;         /* numbers of turns of the victim with a short block, and of their errors */
    bool           poor;                    /* an exchange ended in IRR_ERR_NO_MEMORY */
    int            wrong;                   /* number of turns with wrong bytes, or with a description where no
                                                 description may travel */
} irr_world_scene_t;

/* Makes a random scene of this row, and opens its world and both communicators. */
void irr_world_scene_open(irr_world_scene_t *scene, int row, irr_trouble_t trouble, uint64_t *state);
void irr_world_scene_close(irr_world_scene_t *scene);

/* Returns true if every exchange has a schedule, for which all ranks learn all counts. */
bool irr_world_scene_knows_counts(const irr_world_scene_t *scene);

/*
 * Changes some messages of a hostile rank; `change` of irr_spy_t. context: the scene. Returns true if the message is
 * to be sent twice.
 */
bool irr_world_spoil(void *context, uint16_t *tag, unsigned char *bytes, size_t *length);

#endif
