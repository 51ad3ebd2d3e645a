/*
 * coll_irr.h - the component: what its files share.
 *
 * The component is thin: it translates the arguments of MPI into a problem of the engine, and the life of
 * communicators and of the job into the life of engine objects.
 *
 *   coll_irr_entries.c     the functions of MPI, and the table of collectives
 *   coll_irr_dispatch.h    who serves a call: blocking,
 *   coll_irr_nonblocking.c nonblocking,
 *   coll_irr_persistent.c  and persistent ones
 *   coll_irr_operation.h   one exchange by an engine communicator: start, progress, finish
 *   coll_irr_request.h     requests, and the class that they come in; coll_irr_request_run.c moves them
 *   coll_irr_agreement.h   what ranks agree on, in steps
 *   coll_irr_rounds.h      reductions and gathers beside MPI's collectives
 *   coll_irr_service.h     the state of a collective
 *   coll_irr_team.h        what communicators of the same processes have in common
 *   coll_irr_buffer.h      counts, displacements and datatypes to blocks of bytes
 *   coll_irr_ranks.h       the ranks of an exchange; coll_irr_ranks.c finds those of a topology, too
 *   coll_irr_settings.h    parameters and info keys; coll_irr_check.c tells what is wrong with them
 *   coll_irr_choose.h      who chooses, the machine that is chosen for, and what trials have found
 *   coll_irr_signature.c   whether coll/irr is the same on all ranks
 *   coll_irr_engine.h      the engine of the process, what moves its messages, and the way down at the end of the job
 *   coll_irr_record.h      the record of a collective, which lines, MPI_T and the report of a job read
 *   coll_irr_statistics.h  lines, statistics and the report
 *   coll_irr_messages.c    streams of messages for the user and of lines
 *   coll_irr_module.c      a module for each communicator: query, enable, destruct
 *   coll_irr_component.c   open, close, the table Open MPI looks for
 */
#ifndef MCA_COLL_IRR_H
#define MCA_COLL_IRR_H

#include "coll_irr_collectives.h"
#include "coll_irr_operation.h"
#include "coll_irr_rounds.h"
#include "coll_irr_record.h"
#include "choose/candidates.h"
#include "choose/choice.h"
#include "irr.h"

#include <time.h>

/* ---- component ---- */

typedef struct mca_coll_irr_group_t mca_coll_irr_group_t;
typedef struct mca_coll_irr_bad_t mca_coll_irr_bad_t;
typedef struct mca_coll_irr_team_t mca_coll_irr_team_t;

/* The parameters that name an algorithm. */
enum {
    MCA_COLL_IRR_ALLTOALLV_ALGORITHM, MCA_COLL_IRR_ALLTOALL_ALGORITHM, MCA_COLL_IRR_NEIGHBOR_ALGORITHM,
    MCA_COLL_IRR_ALGORITHMS
};

/* Settings of the process; a bad value has the default in its place, and no text is NULL. */
typedef struct mca_coll_irr_params_t {
    int         priority;
    int         setup_share;
    int         verbose;
    int         transport;     /* 0: auto; 1 + the engine's number */
    const char *ucx_tls;
    const char *ucx_devices;
    const char *ofi_provider;
    const char *ofi_domain;
    size_t      eager_bytes;   /* IRR_BYTES_AUTO: as the job is */
    const char *machine_file;
    const char *memory_file;
    const char *report;
    const char *trace;
} mca_coll_irr_params_t;

/* CLOSED -> OPEN or FAILED at the first exchange; GONE after the job's last. */
typedef enum mca_coll_irr_engine_state_t {
    MCA_COLL_IRR_ENGINE_CLOSED,
    MCA_COLL_IRR_ENGINE_OPEN,
    MCA_COLL_IRR_ENGINE_FAILED,
    MCA_COLL_IRR_ENGINE_GONE
} mca_coll_irr_engine_state_t;

typedef struct mca_coll_irr_component_t {
    mca_coll_base_component_t   super;
    mca_coll_irr_params_t       params;
    int                         output;         /* stream of verbose lines */
    int                         help_output;    /* stream of texts for the user */
    opal_mutex_t                lock;           /* guards what follows */
    mca_coll_irr_engine_state_t engine_state;
    irr_engine_t               *engine;
    bool                        threads;        /* MPI_THREAD_MULTIPLE, as MPI_Init said */
    bool                        may_sleep;      /* waits may: more ranks than processors on this node */
    bool                        measures;       /* somebody has asked what exchanges take */
    irr_counters_t              last_counters;  /* of the engine when it went */
    mca_coll_irr_module_t      *modules;        /* all that live, */
    uint64_t                    numbers;        /* and as many have lived */
} mca_coll_irr_component_t;

/* The one symbol that Open MPI may see. */
extern mca_coll_irr_component_t mca_coll_irr_component __attribute__((visibility("default")));

/* Writes a text for the user, as a topic of the help file tells it; unless it was the last one. */
void mca_coll_irr_warn(const char *topic, const char *text);

/* The same if this rank tells, and unless told, which is set: all ranks that come here know that one has told. */
void mca_coll_irr_warn_once(const char *topic, const char *text, bool *warned, bool warns);

/* With the component. */
void mca_coll_irr_messages_open(void);
void mca_coll_irr_messages_close(void);

/* In place of a row of the algorithm table: the previous module serves. */
#define MCA_COLL_IRR_HOST (-1)

/* Row 0 of it. */
#define MCA_COLL_IRR_AUTO 0

/* What a communicator uses. */
typedef struct mca_coll_irr_settings_t {
    irr_settings_t engine;          /* but for the algorithm; its texts are from malloc */
    int            algorithms[MCA_COLL_IRR_ALGORITHMS];   /* rows of the algorithm table, or MCA_COLL_IRR_HOST */
    size_t         ranks_per_node;  /* so many consecutive ranks are a node; 0: the nodes that Open MPI knows */
} mca_coll_irr_settings_t;

/* ---- module ---- */

/*
 * NEW until the first call on a communicator of the team, which decides once and for all; but where the ranks choose as
 * they go, they agree on that later (coll_irr_choose.c).
 */
typedef enum mca_coll_irr_state_t {
    MCA_COLL_IRR_NEW,
    MCA_COLL_IRR_CHOOSING,
    MCA_COLL_IRR_SERVING,
    MCA_COLL_IRR_DECLINED,
    MCA_COLL_IRR_FAILED      /* an agreement was given up: each call ends in an error */
} mca_coll_irr_state_t;

/* Most communicators come to an end before anything is tried on them. */
typedef struct mca_coll_irr_candidates_t {
    irr_candidate_t list[IRR_CANDIDATES_MAX];   /* what is tried, */
    irr_candidate_t open[IRR_TRIAL_STRATEGIES];   /* and what is behind the strategies that are open */
    irr_situation_t situation;                  /* in which they were listed last */
    bool            lived;                      /* the memory has counted the end of the service */
} mca_coll_irr_candidates_t;

/* Neighbours, and their slots, MPI_PROC_NULL left out, by rank; from malloc. */
typedef struct mca_coll_irr_neighbors_t {
    int                  sends, receives;   /* slots, */
    int                  send_places, recv_places;   /* and with MPI_PROC_NULL */
    irr_neighbors_t      ranks;             /* each once; behind the slots */
    mca_coll_irr_slot_t *recv_order;        /* behind the other list */
    mca_coll_irr_slot_t  order[];           /* of what is sent */
} mca_coll_irr_neighbors_t;

/* Room for the cause of what serves a collective. */
#define MCA_COLL_IRR_CAUSE 256

/* A collective of a team of communicators (coll_irr_team.h), or of a class: who serves it, and by what. */
typedef struct mca_coll_irr_service_t {
    mca_coll_irr_which_t which;
    const char          *call;       /* its name, or that of a form which is served on its own */
    mca_coll_irr_state_t state;
    int                  algorithm;  /* row of the algorithm table, or MCA_COLL_IRR_HOST */
    irr_comm_t          *irr_comm;   /* while SERVING */
    /* the strategy that is Open MPI's own: 0, or -1: none, and strategy 0 is ours */
    int                  host_strategy;
    bool                 shares;     /* irr_comm is that of the collective's leader */
    uint64_t             first;      /* the number of the first module of the team that has called it, */
    uint64_t             communicators;   /* how many have, */
    uint64_t             passed;     /* and calls of those that did not join, which went to the host's uncounted */
    bool                 logged;     /* a line of coll_irr_verbose has named what serves a class, */
    bool                 requests_logged;   /* or one of its persistent requests, which have no line each */
    char                 why[MCA_COLL_IRR_CAUSE];   /* SERVING, named, DECLINED, or refused: the cause, as a clause */

    mca_coll_irr_record_t *record;   /* NULL: nothing is measured */
    uint64_t             agreements, setup_ns;   /* and what these and preparations took this rank */

    /* While CHOOSING. */
    bool                 asked;      /* the ranks have agreed that all choose, */
    bool                 grouped;    /* and have opened strategies, */
    bool                 needs_transport;   /* also on one node, where memory could not be shared */
    bool                 refused;           /* all ranks know that no way can be opened, which one of them has told */
    irr_choice_t         choice;
    uint64_t             logged_exchanges;   /* its count when results were logged last */
    mca_coll_irr_candidates_t *candidates;     /* NULL: none were listed yet, or there was no memory */
    irr_comm_t          *strategies[IRR_TRIAL_STRATEGIES];   /* NULL: the host's strategy, and those that are closed */
} mca_coll_irr_service_t;

struct mca_coll_irr_module_t {
    mca_coll_base_module_t      super;
    void                       *pad[16];        /* newer releases of a class write behind their own members */
    ompi_communicator_t        *comm;           /* not retained: it owns the module */
    mca_coll_irr_ranks_t        ranks;          /* of its exchanges */
    ompi_communicator_t        *keyed;          /* the same, or NULL if it has no info keys of ours */
    const mca_coll_irr_settings_t *settings;    /* many communicators may have the same */
    mca_coll_irr_neighbors_t   *neighbors;      /* NULL: no call has asked for them yet, or no memory */
    bool                        logged_above;     /* a line has told of a component of a higher priority */
    irr_status_t                trouble;        /* a bad value, or no memory for a module; told in the first call */
    char                       *reason;         /* of it, or why the engine cannot be opened, for the user */
    mca_coll_irr_bad_t         *bad;            /* the bad value, from malloc; NULL: there is none, or no memory */
    mca_coll_irr_operation_t    operation;      /* of blocking calls, while an engine communicator may serve them */
    mca_coll_irr_all_previous_t previous;       /* who served before us */
    struct mca_coll_irr_class_t *class;         /* room for those below, from malloc: no call has to find memory */
    struct mca_coll_irr_class_t *nonblocking[MCA_COLL_IRR_COLLECTIVES];    /* calls; NULL: none so far */
    mca_coll_irr_module_t      *next, *prev;    /* of the component's list */
    bool                        spare;          /* of no communicator yet: for one that finds no memory */
    uint64_t                    number;         /* of this module, among all of this process */
    mca_coll_irr_team_t        *team;           /* NULL: there was no call yet */
    mca_coll_irr_team_t        *own_team;       /* room for one: no call has to find memory; NULL: it is in use */
    bool                        barred;         /* all ranks know that it cannot join its team */
    bool                        called[MCA_COLL_IRR_COLLECTIVES];   /* on this communicator */
    bool                        joined[MCA_COLL_IRR_COLLECTIVES];
    bool                        logged[MCA_COLL_IRR_COLLECTIVES];   /* a line has named what serves it */
    uint64_t                    passed[MCA_COLL_IRR_COLLECTIVES];   /* calls that went to the host's uncounted */
};

OBJ_CLASS_DECLARATION(mca_coll_irr_module_t);

/* Is a service served by engine communicators, whatever a trial finds? */
static inline bool mca_coll_irr_is_served(const mca_coll_irr_service_t *service)
{
    return service->state == MCA_COLL_IRR_SERVING ||
           (service->state == MCA_COLL_IRR_CHOOSING && service->host_strategy != 0);
}

/* The row of the algorithm table that the settings have for a collective, or MCA_COLL_IRR_HOST. */
static inline int mca_coll_irr_algorithm_of(const mca_coll_irr_module_t *module, mca_coll_irr_which_t which)
{
    return module->settings->algorithms[mca_coll_irr_collectives[which].algorithm];
}

/*
 * Are blocks those of neighbours, and not of all ranks?  On an inter-communicator these are the ranks of the other
 * group.
 */
static inline bool mca_coll_irr_has_neighbors(const mca_coll_irr_module_t *module, mca_coll_irr_which_t which)
{
    return mca_coll_irr_collectives[which].neighbors || OMPI_COMM_IS_INTER(module->comm);
}

/* Local, at the end of the job: closes the engine and all that goes by it; nothing is served any more. */
void mca_coll_irr_modules_strand(void);

/* With the component: the modules that no communicator has. */
void mca_coll_irr_modules_close(void);

int mca_coll_irr_init_query(bool progress_threads, bool mpi_threads);
mca_coll_base_module_t *mca_coll_irr_comm_query(ompi_communicator_t *comm, int *priority);

/* ---- parameters ---- */

/* Those of a communicator for which they could not be read. */
extern const mca_coll_irr_settings_t mca_coll_irr_settings_none;

/*
 * Settings of a communicator from parameters and the info keys of `keyed`, which is it, or NULL if it has none of ours.
 * To be given back.  IRR_ERR_NO_MEMORY; IRR_ERR_BAD_PARAM and in *bad_p what is wrong, from malloc.
 */
irr_status_t mca_coll_irr_settings_take(ompi_communicator_t *comm, ompi_communicator_t *keyed,
                                        const mca_coll_irr_settings_t **settings_p, mca_coll_irr_bad_t **bad_p);
void mca_coll_irr_settings_give(const mca_coll_irr_settings_t *settings);

/* With the component. */
void mca_coll_irr_settings_close(void);

/* What is behind value i of the parameters for algorithms: a row of the algorithm table, or MCA_COLL_IRR_HOST. */
int mca_coll_irr_algorithm(int i);

/* The other way round. */
int mca_coll_irr_algorithm_value(int algorithm);

/* The names of the parameters that name an algorithm, and that of a collective's. */
extern const char *const mca_coll_irr_algorithm_parameters[MCA_COLL_IRR_ALGORITHMS];

static inline const char *mca_coll_irr_parameter(mca_coll_irr_which_t which)
{
    return mca_coll_irr_algorithm_parameters[mca_coll_irr_collectives[which].algorithm];
}

/* Seconds of the parameter coll_irr_timeout, for what belongs to no communicator; 0: for ever. */
size_t mca_coll_irr_timeout(void);

int mca_coll_irr_pvars_register(void);

/* ---- the same on all ranks ---- */

/* Publishes the signature of this process; when the component is opened, before MPI_Init exchanges them. */
void mca_coll_irr_signature_open(void);
void mca_coll_irr_signature_close(void);

/* Sets the ranks that this one talks to and that have the same signature.  Local.  IRR_ERR_OOB: some are unknown. */
irr_status_t mca_coll_irr_signature_look(const mca_coll_irr_ranks_t *ranks, mca_coll_irr_partners_t *partners);

/*
 * Collective over the ranks that have the component: starts rounds in which words become the maxima of all ranks, of
 * which there are MCA_COLL_IRR_WORDS_MAX, and room for one more.
 */
#define MCA_COLL_IRR_WORDS_MAX 7
#define MCA_COLL_IRR_SIGNATURE_WORDS (MCA_COLL_IRR_WORDS_MAX + 1)
void mca_coll_irr_signature_ask(mca_coll_irr_rounds_t *rounds, const mca_coll_irr_partners_t *partners,
                                uint64_t *words);

/*
 * After these rounds: returns false, alike on all ranks that have the component, if a member lacks it or differs; then
 * why is the cause, of which the user is warned once.
 */
bool mca_coll_irr_signature_is_same(const mca_coll_irr_ranks_t *ranks, const uint64_t *words, char *why, size_t size);

/* Returns how many ranks of the communicator are on this one's node. */
static inline int mca_coll_irr_node_ranks(const mca_coll_irr_module_t *module)
{
    return mca_coll_irr_ranks_on_my_node(&module->ranks);
}

/*
 * Local: whose neighbour this rank is, before the first call of a collective that asks for that.  Without memory that
 * is the module's trouble.
 */
void mca_coll_irr_meet_neighbors(mca_coll_irr_module_t *module, mca_coll_irr_which_t which);

#endif
