/*
 * tune.h - irr_tune: measures the constants of a machine (problem/machine.h) with plain MPI, and writes them to a file.
 *
 *   irr_tune.c       the command line; a run: rounds of steps until the time is over
 *   tune_groups.c    the groups of ranks that communicate
 *   tune_steps.c     the measurements: ping-pong, bursts, streams, copies, pieces
 *   tune_report.c    computes the constants from the times, and writes the file
 *   tune_show.c      shows the contents of a memory file
 *   tune_learn.c     exchanges count matrices, which fills a memory file
 *   tune_switches.c  measures contention between hosts, which shows the switches
 *   tune_tree.c      finds the tree of switches from this contention
 *
 * A step is a measurement, such as a ping-pong of two ranks.  A round measures each step once.  A short disturbance of
 * the machine therefore affects all constants in a few rounds, and no constant in all rounds.  A constant is the median
 * of its rounds.  Ranks that have no part in a step sleep.
 */
#ifndef IRR_TUNE_H
#define IRR_TUNE_H

#include "cli_mpi.h"
#include "tune_tree.h"

#include "problem/machine.h"

/* Minimum number of rounds for a result, and maximum number of rounds that are kept. */
#define IRR_TUNE_ROUNDS_MIN 5
#define IRR_TUNE_ROUNDS_MAX 200

#define IRR_TUNE_SECONDS_DEFAULT 20
#define IRR_TUNE_SECONDS_MAX     50

/* The number of constants; each is a 64-bit word. */
enum { IRR_TUNE_CONSTANTS = sizeof(irr_machine_t) / sizeof(uint64_t) };

/* The index of a constant in the table. */
#define IRR_TUNE_AT(field) (offsetof(irr_machine_t, field) / sizeof(uint64_t))

typedef struct irr_tune_options {
    int         seconds;
    const char *output;     /* NULL: none */
    const char *show;       /* a memory file to show instead of measuring; NULL: none */
    bool        switches;   /* true: find the switches instead of the constants */
    bool        learns;     /* true: exchange nlearn matrices instead of measuring */
    int         nlearn;
    char      **learn;      /* names of nlearn files of matrices */
} irr_tune_options_t;

/* On one rank: prints the table of a memory file, or an error message. */
irr_cli_exit_t irr_tune_show(const char *path);

/* Collective; rank 0 has the options.  Rank 0 prints error messages; all ranks return the same exit status. */
irr_cli_exit_t irr_tune_learn(const irr_tune_options_t *options);

/* ---- groups ---- */

/* Maximum number of ranks in a group.  More ranks would give the same results. */
#define IRR_TUNE_MEMBERS_MAX 64

/*
 * Ranks that communicate at the same time.  The members form a ring; each sends to the members at distances 1, 1 +
 * stride, 1 + 2 stride and so on.
 */
typedef struct irr_tune_group {
    int members[IRR_TUNE_MEMBERS_MAX];   /* ranks of MPI_COMM_WORLD */
    int count;                           /* number of members; 0: the group does not exist */
    int stride;
    int partners;                        /* number of partners of each member */
    int me;                              /* index of this rank; -1: not a member */
} irr_tune_group_t;

typedef struct irr_tune_groups {
    int              nodes;
    int              ranks, rank;
    irr_tune_group_t inside;    /* ranks of the node with most ranks; at most one for each processor */
    irr_tune_group_t between;   /* one rank on each node; if there are two nodes, several ranks of each, alternating */
    irr_tune_group_t link;      /* several ranks of two nodes, alternating */
} irr_tune_groups_t;

/* Collective.  Returns IRR_CLI_FAILED on all ranks if a rank has no memory. */
irr_cli_exit_t irr_tune_groups_init(irr_tune_groups_t *groups);

/* ---- steps ---- */

typedef enum irr_tune_step {
    IRR_TUNE_PING_INSIDE,    /* half the time of a ping-pong of two ranks */
    IRR_TUNE_BURST_INSIDE,   /* each member of a group sends and receives irr_tune_burst messages */
    IRR_TUNE_PING_BETWEEN,
    IRR_TUNE_BURST_BETWEEN,
    IRR_TUNE_STREAM_ONE,     /* a long message between two nodes */
    IRR_TUNE_STREAM_ALL,     /* several pairs of ranks send a long message at the same time */
    IRR_TUNE_COPY,           /* copy IRR_TUNE_COPY_BYTES, on all ranks of a node at once */
    IRR_TUNE_PIECES,         /* gather IRR_TUNE_PIECES_COUNT short pieces, on all ranks at once */
    IRR_TUNE_STEPS
} irr_tune_step_t;

#define IRR_TUNE_STREAM_BYTES 1048576
#define IRR_TUNE_COPY_BYTES   65536
#define IRR_TUNE_PIECES_COUNT 4096

/* Returns the number of messages that a member sends in a burst. */
int irr_tune_burst(const irr_tune_group_t *group, bool between);

/* The memory of the steps, and how often they are repeated.  Opening it is collective. */
typedef struct irr_tune_room {
    char   *from, *to;      /* for copies and messages */
    int     repeats[IRR_TUNE_STEPS];   /* number of executions of each step in a round */
} irr_tune_room_t;

irr_cli_exit_t irr_tune_room_open(const irr_tune_groups_t *groups, irr_tune_room_t *room);
void           irr_tune_room_close(irr_tune_room_t *room);

/* Returns true if the groups have enough ranks for a step. */
bool irr_tune_has(const irr_tune_groups_t *groups, irr_tune_step_t step);

/*
 * Collective.  Returns the time in ns of one execution of a step on the slowest rank.  The first call also determines
 * how often the step is repeated in a round.
 */
double irr_tune_measure(const irr_tune_groups_t *groups, irr_tune_room_t *room, irr_tune_step_t step);

/* Collective.  Waits for all ranks without using the processor. */
void irr_tune_rest(void);

/* ---- switches ---- */

#define IRR_TUNE_NAME_MAX 256   /* bytes of the name of a host, with the end */

typedef struct irr_tune_switches {
    irr_tune_tree_t tree;
    const char     *names[IRR_TUNE_HOSTS_MAX];
    char           *text;       /* memory of the names */
    int             rounds;
    double          seconds;
    const char     *reason;     /* the reason why the switches are unknown; NULL: they are known.  Static text */
} irr_tune_switches_t;

/*
 * Collective.  Finds the switches; *switches must be zeroed, and the caller frees its text.  Returns
 * IRR_CLI_REFUSED on all ranks if the job has too few or too many hosts, IRR_CLI_FAILED if a rank has no memory.
 */
irr_cli_exit_t irr_tune_switches_find(const irr_tune_groups_t *groups, const irr_tune_room_t *room,
                                      irr_tune_switches_t *switches);

/* Writes the switches in the format of Slurm's topology.conf, or the reason why they are unknown. */
void irr_tune_switches_write(FILE *stream, const irr_tune_switches_t *switches);

/* ---- report ---- */

/* The times of all rounds. */
typedef struct irr_tune_times {
    int    rounds;
    double seconds;
    double ns[IRR_TUNE_ROUNDS_MAX][IRR_TUNE_STEPS];
} irr_tune_times_t;

/* On rank 0: writes the lines of a machine file, with the uncertainty of each constant. */
void irr_tune_report(FILE *stream, const irr_tune_groups_t *groups, const irr_tune_times_t *times);

#endif
