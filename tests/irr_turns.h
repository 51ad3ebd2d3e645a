/*
 * irr_turns.h - jobs that all ranks of a communicator exchange one after the other, and the counters of their engines.
 */
#ifndef IRR_TURNS_H
#define IRR_TURNS_H

#include "irr_script.h"

enum { IRR_TURNS_RANKS = 7, IRR_TURNS_JOBS = 12 };

typedef struct irr_turns {
    irr_team_t     team;
    irr_job_t     *jobs[IRR_TURNS_JOBS];
    uint64_t       random;                        /* state of the random numbers by which ranks progress */
    int            wrong;                         /* number of turns of a rank with a wrong result */
    irr_counters_t counters[IRR_TURNS_RANKS];     /* counters of the engines at the end */
} irr_turns_t;

/* Returns settings with this algorithm and the seed 5. */
irr_settings_t irr_turns_with(const char *algorithm);

/* Makes the world and the parameters, and creates the communicator. */
void irr_turns_open(irr_turns_t *turns, const irr_settings_t *settings, uint64_t *state);
void irr_turns_close(irr_turns_t *turns);

/*
 * irr_turns_tree: a topology file of two switches, with hosts a and b at one switch and hosts c1 to c9 at the other
 * switch. irr_turns_hosts: the host of each rank.
 */
extern const char irr_turns_tree[];
extern const char *const irr_turns_hosts[IRR_TURNS_RANKS];

/*
 * Like irr_turns_open, but with the topology irr_turns_tree. The ranks are on the hosts of irr_turns_hosts, or all on
 * `host` if `host` is not NULL.
 */
void irr_turns_open_on_tree(irr_turns_t *turns, const irr_settings_t *settings, const char *host, uint64_t *state);

void irr_turns_add(irr_turns_t *turns, int number, irr_job_kind_t kind, uint64_t seed);

/* Adds a job of equal messages of at least 100 bytes, which a test may shorten. */
void irr_turns_add_uniform(irr_turns_t *turns, int number);

/*
 * Runs the jobs named by letters, where A is job 0. A small letter plans the job, and + restarts the plan. Asserts that
 * all results are right.
 */
void irr_turns_run(irr_turns_t *turns, const char *letters);

/*
 * Asserts the numbers of matrices that were gathered, and of schedules that were built and reused, since
 * irr_turns_open.
 */
void irr_turns_expect(const irr_turns_t *turns, uint64_t matrices, uint64_t built, uint64_t reused);

#endif
