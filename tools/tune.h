/*
 * tune.h - irr_tune: measures the constants of a machine (problem/machine.h) by plain MPI, and writes them to a file.
 *
 *   irr_tune.c       a run: rounds of steps until the time is over
 *   tune_options.c   the command line
 *   tune_groups.c    which ranks speak to which
 *   tune_steps.c     what is timed: ping-pong, bursts, streams, copies, pieces
 *   tune_report.c    from times to constants, and the file
 *   tune_show.c      what is in a memory file
 *   tune_learn.c     exchanges of count matrices, which fill one
 *
 * A round has each step, so that what disturbs the machine for a while disturbs all constants in a few rounds and
 * none in all; a constant is the median of its rounds.  Ranks that are not in a step sleep.
 */
#ifndef IRR_TUNE_H
#define IRR_TUNE_H

#include "cli_mpi.h"
#include "problem/machine.h"

/* Rounds that a result needs, and those that are kept. */
#define IRR_TUNE_ROUNDS_MIN 5
#define IRR_TUNE_ROUNDS_MAX 200

#define IRR_TUNE_SECONDS_DEFAULT 20
#define IRR_TUNE_SECONDS_MAX     50

/* All constants are words. */
enum { IRR_TUNE_CONSTANTS = sizeof(irr_machine_t) / sizeof(uint64_t) };

/* The place of a constant in the table. */
#define IRR_TUNE_AT(field) (offsetof(irr_machine_t, field) / sizeof(uint64_t))

typedef struct irr_tune_options {
    bool        run;        /* not only help or the version */
    int         seconds;
    const char *output;     /* NULL: none */
    const char *show;       /* a memory file, and nothing is measured; NULL: none */
    bool        learns;     /* nothing is measured, but nlearn matrices are exchanged */
    int         nlearn;
    char      **learn;      /* their files */
} irr_tune_options_t;

/* Complains and ends in IRR_CLI_REFUSED. */
irr_cli_exit_t irr_tune_options_read(int argc, char **argv, irr_tune_options_t *options);

/* On one rank: prints the table of a memory file, or complains. */
irr_cli_exit_t irr_tune_show(const char *path);

/* Collective; rank 0 has the options.  It complains, and the exit status is alike on all ranks. */
irr_cli_exit_t irr_tune_learn(const irr_tune_options_t *options);

/* ---- groups ---- */

/* Ranks that speak at once: each to those that follow it at distances 1, 1 + stride and so on, around. */
typedef struct irr_tune_group {
    int *members;    /* of MPI_COMM_WORLD */
    int  count;      /* 0: there are no such ranks */
    int  stride;
    int  partners;   /* of each */
    int  me;         /* -1: not in it */
} irr_tune_group_t;

typedef struct irr_tune_groups {
    int              nodes;
    int              ranks, rank;
    irr_tune_group_t inside;    /* of the node with most ranks, as many as it has processors */
    irr_tune_group_t between;   /* one on each node; of two nodes, several, in turn */
    irr_tune_group_t link;      /* of two nodes, several, in turn */
    MPI_Comm         node;      /* of this rank */
} irr_tune_groups_t;

/* Collective; IRR_CLI_REFUSED without memory, alike on all ranks. */
irr_cli_exit_t irr_tune_groups_open(irr_tune_groups_t *groups);
void           irr_tune_groups_close(irr_tune_groups_t *groups);

/* ---- steps ---- */

typedef enum irr_tune_step {
    IRR_TUNE_PING_INSIDE,    /* half of a ping-pong of two ranks */
    IRR_TUNE_BURST_INSIDE,   /* all of a group send irr_tune_burst messages and receive as many */
    IRR_TUNE_PING_BETWEEN,
    IRR_TUNE_BURST_BETWEEN,
    IRR_TUNE_STREAM_ONE,     /* a long message from node to node */
    IRR_TUNE_STREAM_ALL,     /* one of each of several pairs of ranks at once */
    IRR_TUNE_COPY,           /* IRR_TUNE_COPY_BYTES from memory to memory, by all inside a node at once */
    IRR_TUNE_PIECES,         /* IRR_TUNE_PIECES_COUNT short pieces gathered, by all at once */
    IRR_TUNE_STEPS
} irr_tune_step_t;

#define IRR_TUNE_STREAM_BYTES 1048576
#define IRR_TUNE_COPY_BYTES   65536
#define IRR_TUNE_PIECES_COUNT 4096

/* Messages of a burst in a group. */
int irr_tune_burst(const irr_tune_group_t *group, bool between);

/* Memory and the like for steps; collective. */
typedef struct irr_tune_room {
    char   *from, *to;      /* for copies and messages */
    int     repeats[IRR_TUNE_STEPS];   /* of each step in a round */
} irr_tune_room_t;

irr_cli_exit_t irr_tune_room_open(const irr_tune_groups_t *groups, irr_tune_room_t *room);
void           irr_tune_room_close(irr_tune_room_t *room);

/* Do the ranks have what a step needs? */
bool irr_tune_has(const irr_tune_groups_t *groups, irr_tune_step_t step);

/* Collective: nanoseconds that one of a step takes, of the slowest rank; the first time also finds its repeats. */
double irr_tune_measure(const irr_tune_groups_t *groups, irr_tune_room_t *room, irr_tune_step_t step);

/* ---- report ---- */

/* Times of all rounds. */
typedef struct irr_tune_times {
    int    rounds;
    double seconds;
    double ns[IRR_TUNE_STEPS][IRR_TUNE_ROUNDS_MAX];
} irr_tune_times_t;

/* On rank 0: the lines of a machine file, with how sure each constant is. */
void irr_tune_report(FILE *stream, const irr_tune_groups_t *groups, const irr_tune_times_t *times);

#endif
