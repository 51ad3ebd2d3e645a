/*
 * coll_irr.h - declarations that all files of the component share.
 *
 * The component converts the arguments of an MPI call to a problem of the engine: the library in ucx_engine/, which
 * does not use MPI.
 *
 *   coll_irr_module.c      the component, and a module for each communicator: query, enable, destruct
 *   coll_irr_entries.c     the functions of MPI, and the table of collectives
 *   coll_irr_dispatch.c    selects the implementation that serves a blocking call
 *   coll_irr_calls.c       selects the implementation that serves a nonblocking or persistent call
 *   coll_irr_request.h     requests, and the state that the nonblocking calls of a collective share
 *   coll_irr_agreement.h   agreements of the ranks, and the reductions that agreements use
 *   coll_irr_team.h        the state of a collective, which communicators of the same processes share
 *   coll_irr_buffer.h      converts counts, displacements and datatypes to blocks of bytes
 *   coll_irr_ranks.h       the ranks of an exchange; coll_irr_ranks.c also finds the neighbors of a topology
 *   coll_irr_settings.h    parameters and info keys
 *   coll_irr_memory.h      measured constants of the machine, and results of earlier trials
 *   coll_irr_engine.h      the engine of the process, its transport, progress and teardown
 *   coll_irr_record.h      the statistics of a collective, which the log, MPI_T and the report of a job read
 *   coll_irr_statistics.h  the log, the statistics and the report
 *   coll_irr_messages.c    output streams of user messages and of the log; bad and misspelt parameters
 *   coll_irr_paths.c       files that parameters name and that a process cannot use
 *   coll_irr_copies.c      copies of coll/irr that Open MPI does not load
 *
 * A strategy is an algorithm with its settings, or Open MPI's implementation.  A candidate is a strategy that is worth
 * a trial.  A trial opens some candidates, and compares the times of calls that they serve.  The fastest strategy
 * serves later calls.
 */
#ifndef MCA_COLL_IRR_H
#define MCA_COLL_IRR_H

#include "coll_irr_buffer.h"
#include "coll_irr_record.h"
#include "choose/candidates.h"
#include "choose/choice.h"
#include "irr.h"

#include <stdatomic.h>
#include <time.h>

/*
 * Insert an item at the head of a list, and remove an item.  The item has the members `next`, and `link`, which points
 * to the pointer to the item.  RELINK is for an item that has moved in memory.
 */
#define MCA_COLL_IRR_RELINK(item)                                                                                  \
    ((void)(*(item)->link = (item), (item)->next != NULL ? (item)->next->link = &(item)->next : NULL))
#define MCA_COLL_IRR_LINK(item, list) ((item)->link = &(list), (item)->next = (list), MCA_COLL_IRR_RELINK(item))
#define MCA_COLL_IRR_UNLINK(item)                                                                                  \
    ((void)(*(item)->link = (item)->next, (item)->next != NULL ? (item)->next->link = (item)->link : NULL))

/* ---- the table of the collectives: what differs between them ---- */

typedef struct mca_coll_irr_module_t mca_coll_irr_module_t;

/* The rows of the table.  The collectives with blocks for neighbors in a topology, not for all ranks, come last. */
typedef enum mca_coll_irr_which_t {
    MCA_COLL_IRR_ALLTOALLV,
    MCA_COLL_IRR_ALLTOALL,
    MCA_COLL_IRR_ALLTOALLW,
    MCA_COLL_IRR_NEIGHBOR_ALLTOALLV,
    MCA_COLL_IRR_NEIGHBOR_ALLTOALL,
    MCA_COLL_IRR_NEIGHBOR_ALLTOALLW,
    MCA_COLL_IRR_COLLECTIVES
} mca_coll_irr_which_t;

/* The forms of a collective in MPI. */
typedef enum mca_coll_irr_form_t {
    MCA_COLL_IRR_BLOCKING,
    MCA_COLL_IRR_NONBLOCKING,
    MCA_COLL_IRR_PERSISTENT,
    MCA_COLL_IRR_FORMS
} mca_coll_irr_form_t;

/* A function of any type; the caller knows the type. */
typedef void (*mca_coll_irr_function_t)(void);

/* A function of MPI: our entry point, and where Open MPI stores pointers to it. */
typedef struct mca_coll_irr_entry_t {
    const char             *call;
    mca_coll_irr_function_t function;
    size_t                  in_module;  /* offset into mca_coll_base_module_t */
    size_t                  in_comm;    /* offsets into mca_coll_base_comm_coll_t */
    size_t                  in_comm_module;
} mca_coll_irr_entry_t;

/*
 * The function and the module that would serve a form of a collective without coll/irr.  Both are NULL if no module
 * offers the form; coll/irr then does not offer it either.  The module is retained.
 */
typedef struct mca_coll_irr_previous_t {
    mca_coll_irr_function_t function;
    mca_coll_base_module_t *module;
} mca_coll_irr_previous_t;

/* Calls a previous function with the arguments of a call.  With MPI_IN_PLACE the send side equals the receive side. */
typedef int (*mca_coll_irr_host_fn_t)(const mca_coll_irr_previous_t *previous, mca_coll_irr_form_t form,
                                      ompi_communicator_t *comm, const mca_coll_irr_call_t *call, ompi_info_t *info,
                                      ompi_request_t **request_p);

typedef struct mca_coll_irr_collective_t {
    mca_coll_irr_entry_t   forms[MCA_COLL_IRR_FORMS];
    const char            *variable;   /* prefix of the names of the collective's MPI_T variables */
    int                    algorithm;  /* index of the parameter that names the collective's algorithm */
    mca_coll_irr_which_t   primary;    /* if its algorithm is the same, its engine communicator serves this one */
    mca_coll_irr_host_fn_t host;
} mca_coll_irr_collective_t;

extern const mca_coll_irr_collective_t mca_coll_irr_collectives[MCA_COLL_IRR_COLLECTIVES];

/* ---- component ---- */

typedef struct mca_coll_irr_group_t mca_coll_irr_group_t;
typedef struct mca_coll_irr_team_t mca_coll_irr_team_t;

/* The parameters that name an algorithm. */
enum {
    MCA_COLL_IRR_ALLTOALLV_ALGORITHM, MCA_COLL_IRR_ALLTOALL_ALGORITHM, MCA_COLL_IRR_NEIGHBOR_ALGORITHM,
    MCA_COLL_IRR_ALGORITHMS
};

/* Settings of the process.  No string is NULL. */
typedef struct mca_coll_irr_params_t {
    int         priority;
    int         setup_share;
    int         verbose;
    int         transport;     /* 0: auto; otherwise 1 + the number that the engine gives the transport */
    const char *ucx_tls;
    const char *ucx_devices;
    const char *ofi_provider;
    const char *ofi_domain;
    size_t      eager_bytes;   /* IRR_BYTES_AUTO: depends on the job */
    const char *machine_file;
    const char *memory_file;
    const char *report;
    const char *trace;
} mca_coll_irr_params_t;

/* CLOSED becomes OPEN or FAILED at the first exchange.  GONE: the job is at its end. */
typedef enum mca_coll_irr_engine_state_t {
    MCA_COLL_IRR_ENGINE_CLOSED,
    MCA_COLL_IRR_ENGINE_OPEN,
    MCA_COLL_IRR_ENGINE_FAILED,
    MCA_COLL_IRR_ENGINE_GONE
} mca_coll_irr_engine_state_t;

typedef struct mca_coll_irr_component_t {
    mca_coll_base_component_t   super;
    mca_coll_irr_params_t       params;
    int                         output;         /* stream of the log */
    int                         help_output;    /* stream of user messages */
    opal_mutex_t                lock;           /* guards the members below */
    mca_coll_irr_engine_state_t engine_state;
    irr_engine_t               *engine;
    bool                        takes_part;     /* this process can have modules of coll/irr */
    bool                        threads;        /* MPI_THREAD_MULTIPLE, as given by MPI_Init */
    bool                        may_sleep;      /* waits may sleep: this node has more ranks than processors */
    bool                        measures;       /* times are measured: for the log, the report or MPI_T */
    irr_counters_t              last_counters;  /* counters of the engine when it was destroyed */
    mca_coll_irr_module_t      *modules;        /* list of all modules */
    uint64_t                    numbers;        /* number of modules created so far */
} mca_coll_irr_component_t;

/* The only symbol that Open MPI sees. */
extern mca_coll_irr_component_t mca_coll_irr_component __attribute__((visibility("default")));

/* Prints a user message that names this process.  Does nothing if the text equals the previous one. */
__attribute__((format(printf, 1, 2)))
void mca_coll_irr_warn(const char *format, ...);

/* Returns true in the first call for a flag, and sets the flag, so that a process prints a message at most once. */
static inline bool mca_coll_irr_warns_first(_Atomic bool *warned)
{
    return !atomic_exchange(warned, true);
}

/* Called when the component opens and closes. */
void mca_coll_irr_messages_open(void);
void mca_coll_irr_messages_close(void);

/*
 * A value of a parameter that names an algorithm: a row of the algorithm table, or the number of rows, which stands for
 * Open MPI's implementation.
 */
#define MCA_COLL_IRR_AUTO 0

static inline bool mca_coll_irr_is_host(int algorithm)
{
    return irr_algorithm_name(algorithm) == NULL;
}

/* The settings of a communicator. */
typedef struct mca_coll_irr_settings_t {
    irr_settings_t engine;          /* all settings except the algorithm; texts are from malloc */
    int            algorithms[MCA_COLL_IRR_ALGORITHMS];
    size_t         ranks_per_node;  /* number of consecutive ranks that form a node; 0: the nodes that Open MPI knows */
} mca_coll_irr_settings_t;

/* ---- module ---- */

/*
 * NEW until the first call on a communicator of the team (communicators of the same processes).  CHOOSING: the ranks
 * choose while the program runs (coll_irr_service.c).
 */
typedef enum mca_coll_irr_state_t {
    MCA_COLL_IRR_NEW,
    MCA_COLL_IRR_CHOOSING,
    MCA_COLL_IRR_SERVING,
    MCA_COLL_IRR_DECLINED,
    MCA_COLL_IRR_FAILED      /* calls return an error, because a rank gave up an agreement */
} mca_coll_irr_state_t;

/*
 * The action of the first call of a collective.  VOTES: the ranks agree whether the engine serves the collective.
 * CHOOSES: the ranks choose by trials while the program runs.  LEAVES: Open MPI serves the collective.
 */
typedef enum mca_coll_irr_mode_t {
    MCA_COLL_IRR_VOTES, MCA_COLL_IRR_CHOOSES, MCA_COLL_IRR_LEAVES, MCA_COLL_IRR_MODES
} mca_coll_irr_mode_t;

/* What the parameters, and the info keys of a communicator if it has any, demand of its services. */
typedef struct mca_coll_irr_demands_t {
    mca_coll_irr_mode_t modes[MCA_COLL_IRR_ALGORITHMS];
    bool                wants_engine;   /* a schedule file or a dump is named, which only the engine can use */
} mca_coll_irr_demands_t;

/* A value that is not allowed. */
typedef struct mca_coll_irr_bad_t {
    const struct mca_coll_irr_setting_t *setting;
    char                                 value[64];
    bool                                 keyed;   /* the value comes from an info key */
} mca_coll_irr_bad_t;

/* The candidates of a service.  Allocated on demand, because most communicators are freed before a trial begins. */
typedef struct mca_coll_irr_candidates_t {
    irr_candidate_t list[IRR_CANDIDATES_MAX];
    irr_candidate_t open[IRR_TRIAL_STRATEGIES];   /* of each open strategy */
    irr_situation_t situation;                  /* in which `list` was last computed */
    bool            lived;                      /* the lessons include the number of exchanges of the service */
} mca_coll_irr_candidates_t;

/*
 * The neighbors of this rank, and the slots of their blocks: their indices in the arguments of the call.  Both are
 * sorted by rank and omit MPI_PROC_NULL.  From malloc.
 */
typedef struct mca_coll_irr_neighbors_t {
    int                  sends, receives;   /* numbers of slots */
    int                  send_entries, recv_entries;   /* numbers of arguments, including MPI_PROC_NULL */
    irr_neighbors_t      ranks;             /* each rank once; stored behind the slots */
    mca_coll_irr_slot_t *recv_order;        /* stored behind `order` */
    mca_coll_irr_slot_t  order[];           /* of the send side */
} mca_coll_irr_neighbors_t;

/* Size in bytes of the text that says why Open MPI or an engine communicator serves a collective. */
#define MCA_COLL_IRR_CAUSE 256

/*
 * State and strategies of one collective, for a team (coll_irr_team.h) or for an operation class (coll_irr_request.h).
 */
typedef struct mca_coll_irr_service_t {
    mca_coll_irr_which_t which;
    const char          *call;       /* name of the MPI function */
    mca_coll_irr_state_t state;
    int                  algorithm;  /* that the settings name */
    /* NULL: Open MPI's implementation, or closed.  In state SERVING only strategies[0] exists. */
    irr_comm_t          *strategies[IRR_TRIAL_STRATEGIES];
    /* 0 if strategy 0 calls Open MPI's implementation; -1 if all strategies use the engine */
    int                  host_strategy;
    bool                 shares;     /* strategies[0] belongs to the primary of the collective */
    uint64_t             first;      /* serial number of the first module of the team that called the collective */
    uint64_t             communicators;   /* number of modules of the team that called the collective */
    uint64_t             passed;     /* calls before which joining the team did not pay */
    bool                 logged;     /* the log names what serves the class */
    bool                 requests_logged;   /* the log names what serves persistent requests */
    char                 why[MCA_COLL_IRR_CAUSE];   /* clause of a message: reason of `state` or `refused` */

    mca_coll_irr_record_t *record;   /* NULL: no measurement */
    uint64_t             agreements, setup_ns;   /* agreements, and the time of this rank in them */

    /* Used while CHOOSING. */
    bool                 voted;      /* the ranks have agreed that all of them choose strategies by trials */
    bool                 needs_transport;   /* also on one node, because sharing memory has failed */
    bool                 refused;           /* no strategy can be opened; one rank has warned the user */
    irr_choice_t         choice;
    uint64_t             logged_exchanges;   /* exchanges of trials when results were last logged */
    mca_coll_irr_candidates_t *candidates;     /* NULL: not needed yet, or no memory */
} mca_coll_irr_service_t;

struct mca_coll_irr_module_t {
    mca_coll_base_module_t      super;
    void                       *pad[16];        /* room for members that newer releases append to super */
    ompi_communicator_t        *comm;           /* not retained */
    mca_coll_irr_ranks_t        ranks;
    /*
     * MPI_Comm_free destroys the info keys of a communicator that requests retain.  The component therefore reads the
     * keys only when Open MPI enables the module.
     */
    bool                        keyed;          /* the communicator has info keys of coll/irr */
    mca_coll_irr_demands_t      demands;
    const mca_coll_irr_settings_t *settings;    /* communicators may share them */
    mca_coll_irr_neighbors_t   *neighbors;      /* NULL: not needed yet, or no memory */
    bool                        logged_above;     /* the log names a component of a higher priority */
    /* IRR_OK, or why this rank cannot use the engine: no memory, a bad value, no data of others (IRR_ERR_OOB) */
    irr_status_t                trouble;
    mca_coll_irr_bad_t          bad;            /* if `trouble` is IRR_ERR_BAD_PARAM */
    mca_coll_irr_operation_t    operation;      /* the current or last blocking call */
    mca_coll_irr_previous_t     previous[MCA_COLL_IRR_COLLECTIVES][MCA_COLL_IRR_FORMS];
    struct mca_coll_irr_class_t *class;         /* of all collectives */
    struct mca_coll_irr_class_t *nonblocking[MCA_COLL_IRR_COLLECTIVES];    /* NULL: no call yet */
    mca_coll_irr_module_t      *next, **link;   /* of the component's list */
    uint64_t                    number;         /* in this process */
    mca_coll_irr_team_t        *team;           /* NULL: no call yet */
    mca_coll_irr_team_t        *own_team;       /* memory for `team`; NULL: in use */
    bool                        barred;         /* this module can join no team; equal on all ranks */
    bool                        failed;         /* an agreement on blocking calls of this communicator has failed */
    bool                        called[MCA_COLL_IRR_COLLECTIVES];   /* on this communicator */
    bool                        joined[MCA_COLL_IRR_COLLECTIVES];
    bool                        logged[MCA_COLL_IRR_COLLECTIVES];   /* as in the service */
    uint64_t                    passed[MCA_COLL_IRR_COLLECTIVES];   /* as in the service */
};

OBJ_CLASS_DECLARATION(mca_coll_irr_module_t);

/* True if engine communicators serve the collective, regardless of the results of trials. */
static inline bool mca_coll_irr_is_served(const mca_coll_irr_service_t *service)
{
    return service->state == MCA_COLL_IRR_SERVING ||
           (service->state == MCA_COLL_IRR_CHOOSING && service->host_strategy != 0);
}

/* Returns the algorithm that the settings name for a collective. */
static inline int mca_coll_irr_algorithm_of(const mca_coll_irr_module_t *module, mca_coll_irr_which_t which)
{
    return module->settings->algorithms[mca_coll_irr_collectives[which].algorithm];
}

/*
 * True if the collective has blocks for neighbors only.  In an inter-communicator these are the ranks of the other
 * group.
 */
static inline bool mca_coll_irr_has_neighbors(const mca_coll_irr_module_t *module, mca_coll_irr_which_t which)
{
    return which >= MCA_COLL_IRR_NEIGHBOR_ALLTOALLV || OMPI_COMM_IS_INTER(module->comm);
}

/* Local: returns the number of nodes of the communicator, from coll_irr_ranks_per_node if the user gives it. */
int mca_coll_irr_nodes(const mca_coll_irr_module_t *module);

/* ---- parameters ---- */

/* Used for a communicator whose settings could not be read. */
extern const mca_coll_irr_settings_t mca_coll_irr_settings_none;

/*
 * Sets *settings_p to the settings of a communicator, from parameters and the info keys of `keyed`, which is `comm`, or
 * NULL if `comm` has none of our info keys. mca_coll_irr_settings_give returns the settings.  Errors:
 * IRR_ERR_NO_MEMORY; IRR_ERR_BAD_PARAM, whose cause mca_coll_irr_find_bad finds.
 */
irr_status_t mca_coll_irr_settings_take(ompi_communicator_t *comm, ompi_communicator_t *keyed,
                                        const mca_coll_irr_settings_t **settings_p);
void mca_coll_irr_settings_give(const mca_coll_irr_settings_t *settings);

/* Called when the component closes. */
void mca_coll_irr_settings_close(void);

/* Returns the name of the parameter that names the algorithm of a collective. */
const char *mca_coll_irr_parameter(mca_coll_irr_which_t which);

int mca_coll_irr_pvars_register(void);

/*
 * Local: finds the neighbors of this rank, if the collective needs them.  Without memory, sets `trouble` of the module.
 */
void mca_coll_irr_find_neighbors(mca_coll_irr_module_t *module, mca_coll_irr_which_t which);

#endif
