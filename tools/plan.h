/*
 * plan.h - irr_plan: the plans of all ranks shown, proved, run on loopback, and drawn.
 *
 *   irr_plan.c       the order of a run: options, matrix, plans, command, output
 *   plan_options.c   the command line
 *   plan_help.c      the text of --help
 *   plan_input.c     a file or a pattern becomes the count matrix
 *   plan_schedule.c  the schedule: read, computed, saved
 *   plan_topology.c  the tree of switches, and which host a rank is on
 *   plan_json.c      print --json
 *   plan_check.c     check: the proof, the run and the figures
 *   plan_headers.c   what describes messages in a first run
 *   plan_phases.c    the steps of a schedule on the tree of switches
 *   plan_run.c       the run, on the loopback transport
 *   plan_draw.c      draw: what a picture shows; contrib/chart draws it
 *   plan_routine.c   emit-c: what each rank does in each phase
 *   plan_emit.c      emit-c: the C file; what all of them have in common is alltoall.c.in
 *   plan_strategies.c      the machine, and the strategies that the next two compare
 *   plan_simulate.c  simulate: how long they take, run on a fabric with times
 *   plan_recommend.c recommend: how long they take by the model, best first
 *
 * One process, no MPI, no network.
 */
#ifndef IRR_TOOL_PLAN_H
#define IRR_TOOL_PLAN_H

#include "cli.h"
#include "cli_options.h"
#include "choose/model.h"
#include "order/order.h"
#include "order/tree/tree.h"
#include "study/links.h"
#include "study/plans.h"
#include "study/simulate.h"
#include "problem/names.h"
#include "route/grid.h"

#define IRR_TOOL_ALL_RANKS (-1)

/* The plans of all ranks are in memory at once, and some have a step for each pair of ranks. */
#define IRR_TOOL_RANKS_MAX 2048

/* ---- options ---- */

typedef enum irr_tool_command {
    IRR_TOOL_PRINT,
    IRR_TOOL_CHECK,
    IRR_TOOL_DRAW,
    IRR_TOOL_EMIT,
    IRR_TOOL_SIMULATE,
    IRR_TOOL_RECOMMEND,
    IRR_TOOL_NOTHING   /* help or version was printed */
} irr_tool_command_t;

/* The strings are the command line's own, or constants. */
typedef struct irr_tool_options {
    irr_tool_command_t command;
    int                algorithm;  /* row of the algorithm table; -1 until it is given, and beside load */
    const char        *load, *save; /* files of schedules, or NULL */
    int                ranks;      /* 0: what the matrix has */
    const char        *matrix;     /* one of three, or none: what the loaded schedule delivers */
    const char        *redistribute;
    const char        *pattern;
    const char        *topology;   /* file, or NULL */
    const char        *hosts;      /* a list, one a rank; NULL: ranks fill the hosts of the file */
    uint64_t           unit;
    double             scale;
    int                ranks_per_node;   /* 0: those of a host, or what goes with the algorithm */
    bool               in_place;   /* as with MPI_IN_PLACE */
    irr_settings_t     settings;   /* as those of a job with the same parameters, without algorithm and files */
    int                rank;       /* IRR_TOOL_ALL_RANKS, or the one to print */
    bool               json;
    bool               async;      /* draw messages that do not wait for steps */
    const char        *output;     /* NULL: stdout */
    const char        *machine;    /* file, or NULL: the presets */
    const char        *algorithms; /* strategies to compare, or NULL: the usual ones */
} irr_tool_options_t;

/* Prints help or version to stdout, or one line to stderr if the command line is refused. */
irr_cli_exit_t irr_tool_options_read(int argc, char **argv, irr_tool_options_t *options);

/* Prints what --help all has behind the options. */
void irr_tool_help(void);

/* ---- input ---- */

/* Zeroed, it is empty. */
typedef struct irr_tool_input {
    irr_matrix_t   matrix;
    irr_matrix_t   forwarded;    /* what hosts' ranks forward of it; empty without the host route node */
    irr_schedule_t schedule;
    double         schedule_ms;  /* that reading or computing it took */
    irr_names_t    hosts;        /* that --hosts lists */
    irr_topology_t topology;     /* with --topology: that of the file, and once ranks are placed what they use */
    int           *host_of;      /* by rank: its host; NULL: there is no topology */
    irr_tree_t     tree;         /* of the ranks on their hosts, with --topology */
    int            algorithm;    /* that of the options, or what "auto" becomes on those hosts */
} irr_tool_input_t;

/* What the matrix is made from, as the user named it. */
const char *irr_tool_source(const irr_tool_options_t *options);

/* The matrix that the options ask for, scaled, and the schedule if it is in a file; complains if there is none. */
irr_cli_exit_t irr_tool_input_load(const irr_tool_options_t *options, irr_tool_input_t *input);
void           irr_tool_input_fini(irr_tool_input_t *input);

/* Is there one, or will there be?  algorithm: of the options, or of the input once it is loaded. */
bool irr_tool_has_schedule(const irr_tool_options_t *options, int algorithm);

/* The file that the options name.  Complains. */
irr_cli_exit_t irr_tool_schedule_load(const irr_tool_options_t *options, irr_tool_input_t *input);

/* Complains unless the schedule of the file delivers the matrix. */
irr_cli_exit_t irr_tool_schedule_match(const irr_tool_options_t *options, const irr_tool_input_t *input);

/*
 * Of an order that computes one; see irr_order_schedule.  With --topology it knows the tree.  The
 * matrix is that of the input, or what is forwarded of it.
 */
irr_status_t irr_tool_schedule_compute(const irr_tool_options_t *options, const irr_order_t *order,
                                       const irr_matrix_t *matrix, irr_tool_input_t *input);

/* The topology of the file and the names of --hosts.  Complains. */
irr_cli_exit_t irr_tool_topology_load(const irr_tool_options_t *options, irr_tool_input_t *input);

/* Ranks if nothing else says how many: one a host of the list, or else of the file; 0: no topology. */
int irr_tool_topology_ranks(const irr_tool_input_t *input);

/* Puts the ranks of the matrix on hosts, cuts the topology down to what they use, makes the tree.  Complains. */
irr_cli_exit_t irr_tool_topology_place(const irr_tool_options_t *options, irr_tool_input_t *input);

/* ---- commands ---- */

/* What a command works on. */
typedef struct irr_tool_job {
    const irr_tool_options_t *options;
    const irr_matrix_t       *matrix;
    const irr_strategy_t     *strategy;
    const irr_nodes_t        *nodes;
    const irr_plans_t        *plans;
    const irr_schedule_t     *schedule;    /* NULL: there is none */
    const irr_matrix_t       *delivered;   /* by the schedule: the matrix, or what is forwarded of it */
    double                    schedule_ms; /* that reading or computing it took */
    const irr_topology_t     *topology;    /* NULL: there is none */
    const int                *host_of;     /* by rank, with a topology */
    const irr_tree_t         *tree;        /* the same, for schedules */
    const struct irr_tool_routine *routine;    /* of emit-c */
    const char               *algorithm;  /* its name, "auto" resolved; "file": the schedule was loaded */
    int                       ndims;      /* of its grid; 0: the route is direct */
    int                       dims[IRR_GRID_LEVELS_MAX];
    irr_tool_input_t         *input;      /* what all of this is of; of simulate and recommend */
    FILE                     *stream;     /* the caller looks for write errors in the end */
} irr_tool_job_t;

/* They complain where plans are wrong or memory runs out, before they have written anything. */
irr_cli_exit_t irr_tool_json(const irr_tool_job_t *job);
irr_cli_exit_t irr_tool_draw_steps(const irr_tool_job_t *job);
irr_cli_exit_t irr_tool_draw_time(const irr_tool_job_t *job);  /* of a schedule */
irr_cli_exit_t irr_tool_draw_tree(const irr_tool_job_t *job);  /* of a topology */
irr_cli_exit_t irr_tool_check(const irr_tool_job_t *job);
irr_cli_exit_t irr_tool_emit(const irr_tool_job_t *job);
irr_cli_exit_t irr_tool_schedule_save(const irr_tool_job_t *job);
irr_cli_exit_t irr_tool_simulate(const irr_tool_job_t *job);
irr_cli_exit_t irr_tool_recommend(const irr_tool_job_t *job);

/* The plans of a job's strategy.  The caller releases them; zeroed, they are empty. */
irr_status_t irr_tool_plans_build(irr_tool_job_t *job, irr_tool_input_t *input, irr_plans_t *plans);

/* The settings of a strategy as they are printed; 0: no limit, or not with this strategy. */
typedef struct irr_tool_shown {
    const char *name;
    size_t      value;
} irr_tool_shown_t;

#define IRR_TOOL_SHOWN 4

void irr_tool_shown(const irr_strategy_t *strategy, irr_tool_shown_t shown[IRR_TOOL_SHOWN]);

/* Why a pacing does not go with the plans of a strategy; NULL if it does. */
const char *irr_tool_wrong_pacing(irr_pacing_kind_t pacing, const irr_strategy_t *strategy);

/* ---- parts of check ---- */

/* Counts the headers of the first run while the messages go by. */
typedef struct irr_tool_headers {
    bool         self_describing;  /* the route is a grid */
    uint64_t     neighbours;       /* messages of all ranks and stages, empty ones included */
    uint64_t     messages, bytes;  /* of those that are not empty */
    irr_slice_t *slices;           /* room for one message */
    size_t       max;
} irr_tool_headers_t;

/* IRR_ERR_NO_MEMORY; to be closed in any case. */
irr_status_t irr_tool_headers_open(irr_tool_headers_t *headers, const irr_strategy_t *strategy,
                                   const irr_nodes_t *nodes,
                                   int ranks);

/* False: memory ran out. */
bool irr_tool_headers_add(irr_tool_headers_t *headers, const irr_plans_t *plans,
                          const irr_plans_message_t *message);

/* All bytes of headers. */
uint64_t irr_tool_headers_close(irr_tool_headers_t *headers);

/* The steps of a schedule on the tree. */
typedef struct irr_tool_phases {
    bool     is_aapc;        /* the order, which promises steps without contention */
    bool     contended;      /* messages of a step share a directed link: then syncs are not known */
    int      root;           /* tree: vertex of the topology */
    uint64_t bound;          /* see irr_tree_bound */
    uint64_t syncs, removed; /* see irr_syncs_t */
} irr_tool_phases_t;

/* The job has a schedule and a topology.  Set on success only.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_tool_phases_count(const irr_tool_job_t *job, irr_tool_phases_t *phases);
void         irr_tool_phases_print(const irr_tool_job_t *job, const irr_tool_phases_t *phases);

/* Memory that a run takes; one that would take more than the limit is left out. */
uint64_t irr_tool_run_bytes(const irr_plans_t *plans);

#define IRR_TOOL_RUN_BYTES_MAX (UINT64_C(1) << 30)

/*
 * Runs plans that are proved, with the window and the composition of their strategy.  IRR_OK: every byte arrived;
 * IRR_ERR_NO_MEMORY; any other status: the run failed, and reason says how.
 */
irr_status_t irr_tool_run(const irr_strategy_t *strategy, const irr_plans_t *plans, char *reason, size_t size);

/* The exit status for a status of irr_plans_each_message or irr_plans_each_send; complains about what is not good. */
irr_cli_exit_t irr_tool_outcome(const irr_tool_job_t *job, irr_status_t status);

/* ---- draw ---- */

/* More messages than that are drawn as a map, of which --async has none. */
#define IRR_TOOL_DRAW_MESSAGES_MAX 4096

/* draw --topology refuses more ranks: nobody could read their names. */
#define IRR_TOOL_DRAW_RANKS_MAX 512

/* ---- parts of emit-c ---- */

/* emit-c refuses more ranks: the tables grow with their square, and compilers take long. */
#define IRR_TOOL_EMIT_RANKS_MAX 1024

#define IRR_TOOL_NOBODY (-1)

/* What a rank does in a phase. */
typedef struct irr_tool_step {
    int    phase;         /* from 1 */
    int    to, from;      /* or IRR_TOOL_NOBODY */
    size_t sync;          /* its entries: first those that the send waits for, then those to send */
    int    waits, signals;  /* how many of each */
} irr_tool_step_t;

/* A synchronisation at one of its ends: the rank at the other, and the phase of the message that waits. */
typedef struct irr_tool_entry {
    int peer, phase;
} irr_tool_entry_t;

/* Zeroed is empty. */
typedef struct irr_tool_routine {
    int               ranks, phases;
    int              *count;      /* by rank: its steps */
    irr_tool_step_t  *steps;      /* those of rank r from r * room on, by phase */
    size_t            room;
    irr_tool_entry_t *entries;    /* 2 * syncs, each once where it is waited for and once where it is told */
    size_t            syncs;
    uint64_t          removed;    /* see irr_syncs_t */
    int               steps_max, waits_max, signals_max;   /* of a rank, of a step, of a rank */
} irr_tool_routine_t;

/* Two ranks at least.  On success the caller's to irr_tool_routine_fini.  Errors as irr_tree_aapc. */
irr_status_t irr_tool_routine_make(const irr_tree_t *tree, irr_tool_routine_t *routine);
void         irr_tool_routine_fini(irr_tool_routine_t *routine);

/* ---- parts of simulate and recommend ---- */

#define IRR_TOOL_STRATEGIES_MAX 32

/* The machine, and what the model knows of the traffic. */
typedef struct irr_tool_cluster {
    irr_machine_t      machine;
    irr_nodes_t        nodes;
    irr_topology_t     topology;   /* made up, as is the tree of it, where no file has the switches */
    irr_tree_t         made;
    const irr_tree_t  *tree;
    irr_traffic_t      traffic;
} irr_tool_cluster_t;

/* The matrix of the input is placed on nodes.  Complains.  To be closed on success. */
irr_cli_exit_t irr_tool_cluster_open(const irr_tool_options_t *options, const irr_tool_input_t *input,
                                     irr_tool_cluster_t *cluster);
void           irr_tool_cluster_close(irr_tool_cluster_t *cluster);

/* Two lines in front of a table. */
void irr_tool_cluster_print(const irr_tool_job_t *job, const irr_tool_cluster_t *cluster);

typedef struct irr_tool_strategy {
    char            name[64];    /* as the user has it */
    bool            host;        /* Open MPI's own */
    bool            pairwise;    /* by its other algorithm, in steps */
    irr_strategy_t  strategy;
    int             row;         /* of the table of algorithms */
    irr_dims_t      dims;        /* that the name has, and the pacing */
    irr_pacing_kind_t pacing;
    irr_simulated_t simulated;   /* once it is */
} irr_tool_strategy_t;

typedef struct irr_tool_strategies {
    int            count;
    irr_tool_strategy_t list[IRR_TOOL_STRATEGIES_MAX];
} irr_tool_strategies_t;

/* Those that --algorithms names; else those that auto would try, or all that have sense.  Complains. */
irr_cli_exit_t irr_tool_strategies_list(const irr_tool_options_t *options, const irr_tool_cluster_t *cluster,
                                        bool tried,
                                        irr_tool_strategies_t *strategies);

/* The time in ns that the model predicts. */
double irr_tool_strategy_model(const irr_tool_cluster_t *cluster, const irr_tool_strategy_t *strategy);

#endif
