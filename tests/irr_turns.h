/*
 * irr_turns.h - jobs that all ranks of a communicator exchange one after the other, and what their engines counted.
 */
#ifndef IRR_TURNS_H
#define IRR_TURNS_H

#include "irr_world.h"

enum { IRR_TURNS_RANKS = 7, IRR_TURNS_JOBS = 12, IRR_TURNS_MAX = 40 };

/* Messages that a rank sends, and receives, in an agreement of ranks that share no nodes. */
enum { IRR_TURNS_AGREEMENT = 3 };

typedef struct irr_turns {
    irr_team_t     team;
    irr_world_t    world;
    irr_job_t     *jobs[IRR_TURNS_JOBS];
    int            turns, turn[IRR_TURNS_MAX];    /* into jobs */
    irr_status_t   wanted[IRR_TURNS_RANKS];       /* how each turn ends on a rank */
    int            wrong;
    irr_counters_t counters[IRR_TURNS_RANKS];     /* of the engines, in the end */
} irr_turns_t;

/* The algorithm of that name, and the seed 5. */
irr_settings_t irr_turns_with(const char *algorithm);

/*
 * Makes the world, and what the communicator is to be made with.  Memory is watched until close.
 */
void irr_turns_prepare(irr_turns_t *turns, const irr_settings_t *settings, uint64_t *state);

/* The same, and makes the communicator. */
void irr_turns_open(irr_turns_t *turns, const irr_settings_t *settings, uint64_t *state);
void irr_turns_close(irr_turns_t *turns);

/* A topology file of two switches, the hosts a and b at one and c1 to c9 at the other, and the host of each rank. */
extern const char irr_turns_tree[];
extern const char *const irr_turns_hosts[IRR_TURNS_RANKS];

/* As open, by that file, with the ranks on their hosts, or, if a host is given, on that alone. */
void irr_turns_open_on_tree(irr_turns_t *turns, const irr_settings_t *settings, const char *host, uint64_t *state);

void irr_turns_add(irr_turns_t *turns, int number, irr_job_kind_t kind, uint64_t seed);

/* A job of equal messages of at least 100 bytes, to be shortened. */
void irr_turns_add_uniform(irr_turns_t *turns, int number);

/* Runs the jobs named by letters, A is job 0, and counts in `wrong` the turns of a rank that were not as wanted. */
void irr_turns_try(irr_turns_t *turns, const char *letters);

/* The same; none may be wrong. */
void irr_turns_run(irr_turns_t *turns, const char *letters);

/* A job in which that rank exchanges nothing, from now on. */
void irr_turns_isolate(irr_turns_t *turns, int number, int rank);

/* All ranks have gathered so many matrices, and computed, and found, so many schedules, since open. */
void irr_turns_expect(const irr_turns_t *turns, uint64_t matrices, uint64_t built, uint64_t reused);

#endif
