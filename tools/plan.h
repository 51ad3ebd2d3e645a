/*
 * plan.h - irr_plan: shows the plans of all ranks, proves them, runs them on loopback, and draws them.
 *
 *   irr_plan.c         the order of a run: options, matrix, plans, command, output
 *   plan_options.c     the command line
 *   plan_help.c        the text of --help
 *   plan_input.c       the count matrix, the schedule, and the host of each rank on the tree of switches
 *   plan_memory.c      the memory that print, check and draw need
 *   plan_json.c        print --json
 *   plan_check.c       check: the proof while plans are built, the run and the figures
 *   plan_run.c         the run on the loopback transport
 *   plan_draw.c        draw: the contents of a picture; contrib/chart draws it
 *   plan_emit.c        emit-c: writes the C file, whose fixed part is alltoall.c.in
 *   plan_strategies.c  the machine, and the strategies that simulate and recommend compare
 *   plan_simulate.c    simulate: the time of each strategy on a simulated fabric
 *   plan_recommend.c   recommend: the time of each strategy by the model, best first
 *
 * The tool is one process, without MPI and network.
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

/* Maximum number of ranks of all commands; also the maximum of a matrix in a file. */
#define IRR_TOOL_RANKS_MAX IRR_MATRIX_RANKS_MAX

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

/* The command line.  Its strings are arguments of the program or constants. */
typedef struct irr_tool_options {
    irr_tool_command_t command;
    int                algorithm;  /* row of the algorithm table; -1: not given, or a schedule is loaded */
    const char        *load, *save; /* files of schedules, or NULL */
    int                ranks;      /* 0: the ranks of the matrix */
    const char        *matrix;     /* at most one of these three is set; none: the loaded schedule has the matrix */
    const char        *redistribute;
    const char        *pattern;
    const char        *topology;   /* file, or NULL */
    const char        *hosts;      /* a list with a host for each rank; NULL: ranks fill the hosts of the file */
    uint64_t           unit;
    double             scale;
    int                ranks_per_node;   /* 0: the number of ranks of a host, or the algorithm's default */
    bool               in_place;   /* the exchange is in place, as with MPI_IN_PLACE */
    irr_settings_t     settings;   /* those of a job with the same parameters, except its algorithm and its files */
    int                rank;       /* IRR_TOOL_ALL_RANKS, or the rank to print */
    bool               json;
    uint64_t           memory;     /* maximum of the estimate of irr_tool_memory_check in bytes; 0: the default */
    bool               async;      /* draw the schedule without barriers between steps */
    const char        *output;     /* NULL: stdout */
    const char        *machine;    /* file, or NULL: the presets */
    const char        *algorithms; /* strategies to compare; NULL: the usual strategies */
} irr_tool_options_t;

/* Reads the command line.  Prints help or version to stdout, and one line to stderr if it refuses the command line. */
irr_cli_exit_t irr_tool_options_read(int argc, char **argv, irr_tool_options_t *options);

/* Prints the texts that follow the options in --help all. */
void irr_tool_help(void);

/* Prints the options of each command, without those of all commands. */
void irr_tool_help_options(void);

/* ---- input ---- */

/* The input of a command.  A zeroed structure is empty. */
typedef struct irr_tool_input {
    irr_matrix_t   matrix;
    irr_matrix_t   forwarded;    /* the messages that leaders send between hosts; empty unless the route is node */
    irr_schedule_t schedule;
    double         schedule_ms;  /* time to read or compute the schedule */
    irr_names_t    hosts;        /* the names of --hosts */
    irr_topology_t topology;     /* with --topology: of the file; after placement, the subtree that ranks use */
    int           *host_of;      /* host of each rank; NULL: there is no topology */
    irr_tree_t     tree;         /* with --topology: the tree of the ranks on their hosts */
    int            algorithm;    /* row of the algorithm; "auto" is resolved for these hosts */
} irr_tool_input_t;

/* Returns the source of the matrix, as the user named it. */
const char *irr_tool_source(const irr_tool_options_t *options);

/* Loads the matrix of the options, scaled, and the schedule if it is in a file.  Prints an error message on failure. */
irr_cli_exit_t irr_tool_input_load(const irr_tool_options_t *options, irr_tool_input_t *input);
void           irr_tool_input_fini(irr_tool_input_t *input);

/* Returns true if the run has or will have a schedule, with this row of the table of algorithms; -1: no algorithm. */
bool irr_tool_has_schedule(const irr_tool_options_t *options, int algorithm);

/*
 * Computes the schedule of an order; see irr_order_schedule.  With --topology the order knows the tree.  matrix: the
 * matrix of the input, or its forwarded part.
 */
irr_status_t irr_tool_schedule_compute(const irr_tool_options_t *options, const irr_order_t *order,
                                       const irr_matrix_t *matrix, irr_tool_input_t *input);

/* ---- commands ---- */

/* The data of a command. */
typedef struct irr_tool_job {
    const irr_tool_options_t *options;
    irr_tool_input_t         *input;
    const irr_matrix_t       *matrix;
    const irr_strategy_t     *strategy;
    const irr_nodes_t        *nodes;
    irr_plans_t              *plans;       /* check builds them itself, and they have no pieces in the end */
    const irr_plans_known_t  *known;       /* the input of the plans */
    const irr_schedule_t     *schedule;    /* NULL: there is none */
    const irr_matrix_t       *delivered;   /* the bytes that the schedule delivers: the matrix, or its forwarded part */
    const irr_tree_t         *tree;        /* the ranks on the tree of switches; NULL: there is no topology */
    const char               *algorithm;  /* the name, "auto" resolved; "file": the schedule was loaded */
    int                       ndims;      /* dimensions of the grid; 0: the route is direct */
    int                       dims[IRR_GRID_LEVELS_MAX];
    FILE                     *stream;     /* the caller checks for write errors at the end */
} irr_tool_job_t;

/* The commands.  If plans are wrong or memory runs out, they print an error message before they write any output. */
irr_cli_exit_t irr_tool_json(const irr_tool_job_t *job);
irr_cli_exit_t irr_tool_draw(const irr_tool_job_t *job);
irr_cli_exit_t irr_tool_check(const irr_tool_job_t *job);
irr_cli_exit_t irr_tool_emit(const irr_tool_job_t *job);
irr_cli_exit_t irr_tool_schedule_save(const irr_tool_job_t *job);
irr_cli_exit_t irr_tool_simulate(const irr_tool_job_t *job);
irr_cli_exit_t irr_tool_recommend(const irr_tool_job_t *job);

/* Passes the plans of a job's strategy to `take`; see irr_plans_each. */
irr_status_t irr_tool_plans_each(irr_tool_job_t *job, irr_plans_take_t take, void *context);

/* A printed setting of a strategy; 0: no limit, or not used by this strategy. */
typedef struct irr_tool_shown {
    const char *name;
    size_t      value;
} irr_tool_shown_t;

#define IRR_TOOL_SHOWN 4

void irr_tool_shown(const irr_strategy_t *strategy, irr_tool_shown_t shown[IRR_TOOL_SHOWN]);

/* Returns why the plans of a strategy cannot use a pacing, as the end of an error message; NULL if they can. */
const char *irr_tool_wrong_pacing(irr_pacing_kind_t pacing, const irr_strategy_t *strategy);

/*
 * Refuses plans that need more memory than --memory, with an error message.  Uses the matrix, strategy and nodes of the
 * job.
 */
irr_cli_exit_t irr_tool_memory_check(const irr_tool_job_t *job);

/* ---- check ---- */

/* Returns the bytes of memory that a run needs.  A run beyond IRR_TOOL_RUN_BYTES_MAX is skipped. */
uint64_t irr_tool_run_bytes(const irr_plans_t *plans);

#define IRR_TOOL_RUN_BYTES_MAX (UINT64_C(1) << 30)

/*
 * Runs proved plans with the window and the composition of their strategy.  Returns IRR_OK if every byte arrived, or
 * IRR_ERR_NO_MEMORY.  Another status means that the run failed; `reason` is then set to the cause.
 */
irr_status_t irr_tool_run(const irr_strategy_t *strategy, const irr_plans_t *plans, char *reason, size_t size);

/*
 * Returns the exit status for a status of irr_plans_each_message or irr_plans_each_send.  Prints an error message if
 * the status is an error.
 */
irr_cli_exit_t irr_tool_outcome(const irr_tool_job_t *job, irr_status_t status);

/* ---- limits ---- */

/* Maximum number of ranks of draw --topology: the names of more ranks would be unreadable. */
#define IRR_TOOL_DRAW_RANKS_MAX 512

/* Maximum number of ranks of emit-c: the tables grow with the square of the ranks, and compilers take long. */
#define IRR_TOOL_EMIT_RANKS_MAX 1024

/* ---- simulate and recommend ---- */

#define IRR_TOOL_STRATEGIES_MAX 32

/* The machine and its nodes, and the traffic as the model of exchanges needs it (choose/model.h). */
typedef struct irr_tool_cluster {
    irr_machine_t      machine;
    irr_nodes_t        nodes;
    irr_topology_t     topology;   /* without --topology: switches that follow from the constants of the machine */
    irr_tree_t         made;       /* the tree of these switches */
    const irr_tree_t  *tree;       /* that tree, or the tree of --topology */
    irr_traffic_t      traffic;
} irr_tool_cluster_t;

/*
 * Places the matrix of the input on nodes.  Prints an error message on failure.  On success the caller closes the
 * cluster.
 */
irr_cli_exit_t irr_tool_cluster_open(const irr_tool_options_t *options, const irr_tool_input_t *input,
                                     irr_tool_cluster_t *cluster);
void           irr_tool_cluster_close(irr_tool_cluster_t *cluster);

/* Prints the two lines above a table: the traffic and the machine. */
void irr_tool_cluster_print(const irr_tool_job_t *job, const irr_tool_cluster_t *cluster);

typedef struct irr_tool_strategy {
    char            name[64];    /* as the user wrote it */
    bool            host;        /* Open MPI's implementation */
    bool            pairwise;    /* Open MPI's pairwise algorithm, in steps */
    irr_strategy_t  strategy;
    int             row;         /* row of the table of algorithms */
    irr_dims_t      dims;        /* dimensions and pacing in the name */
    irr_pacing_kind_t pacing;
    irr_simulated_t simulated;   /* result of the simulation */
} irr_tool_strategy_t;

typedef struct irr_tool_strategies {
    int            count;
    irr_tool_strategy_t list[IRR_TOOL_STRATEGIES_MAX];
} irr_tool_strategies_t;

/*
 * Lists the strategies of --algorithms.  Without this option, lists the strategies that auto would try if `tried` is
 * true, otherwise all sensible strategies.  Prints an error message on failure.
 */
irr_cli_exit_t irr_tool_strategies_list(const irr_tool_options_t *options, const irr_tool_cluster_t *cluster,
                                        bool tried, irr_tool_strategies_t *strategies);

/* Returns the time in ns that the model predicts. */
double irr_tool_strategy_model(const irr_tool_cluster_t *cluster, const irr_tool_strategy_t *strategy);

#endif
