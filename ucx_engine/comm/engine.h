/*
 * engine.h - private to comm/: the engine of a process, and its communicators.
 *
 * A lane is the connection to another process over one transport: near (shared memory) or far (the network). A plan is
 * the list of the steps of one rank in an exchange; the executor runs it. If ranks forward messages of other ranks, the
 * relay builds the plan during the exchange. A started exchange is open while it runs; before, it may wait in the queue
 * of its communicator.
 */
#ifndef IRR_ENGINE_H
#define IRR_ENGINE_H

#include "comm/directory.h"
#include "comm/failure.h"
#include "comm/ids.h"
#include "comm/peers.h"
#include "comm/run.h"
#include "comm/schedules.h"
#include "comm/unexpected.h"
#include "core/lock.h"
#include "exec/allreduce.h"
#include "exec/relay.h"
#include "order/tree/tree.h"
#include "transport/lanes.h"

/* Largest length of an error message, in bytes. */
#define IRR_ENGINE_LINE 512

struct irr_engine {
    irr_transport_t *transport;  /* `lanes` as one transport */
    irr_lanes_t     *lanes;      /* shared memory and network, each opened when a communicator first needs it */
    irr_engine_config_t config;  /* the engine owns its strings */
    irr_status_t     refused[IRR_LANE_KINDS];   /* error when a transport was opened; IRR_OK: none */
    char             reason[IRR_LANE_KINDS][IRR_ENGINE_LINE];   /* text of the error in `refused` */
    irr_lock_t       lock;       /* guards everything below and every call to the transport */
    irr_peers_t      peers;      /* the connected processes */
    irr_directory_t *directories;   /* addresses of processes */
    irr_ids_t        ids;
    irr_counters_t   counters;
    irr_comm_t      *comms;      /* all communicators */
    irr_comm_t      *busy;       /* communicators with started exchanges that are not over */
    irr_comm_t      *notifying;   /* communicators that failed and inform their other members */
    irr_comm_t      *buried;     /* destroyed communicators whose messages the transport may still access */
    irr_unexpected_t unexpected;
    unsigned         rounds;     /* rounds so far; a round is a call of the transport's progress function */
    unsigned         idle;       /* rounds since the last event */
    bool             changed;    /* the next round continues the exchanges even if the transport reports no event */
    bool             closed;     /* irr_engine_close was called */
    bool             warned;     /* the user was warned that ranks of a node do not share memory */
    bool             doubted;    /* the user was warned of implausible speeds in a topology file */
    bool             switches_warned;   /* the user was warned that Slurm's names of switches are not used */
};

/*
 * The started exchanges of a communicator in the order of their starts: first the open ones, then the waiting ones
 * (queue.c). A zeroed object is empty.
 */
typedef struct irr_queue {
    irr_exchange_t *first, **end;   /* end: the member `next` of the last exchange; undefined if empty */
    irr_exchange_t *waiting;   /* NULL: all exchanges are open */
    size_t          open;
} irr_queue_t;

/* A communicator. The members that every exchange reads come first, to be in few cache lines. */
struct irr_comm {
    irr_engine_t    *engine;
    int              ranks;
    int              rank;
    uint32_t         id;
    uint32_t         sequence;    /* number for the tags of the next exchange; an exchange may use several */
    uint32_t         over;        /* all exchanges with lower numbers are over on this rank */
    uint32_t         gaps;        /* see comm/unexpected.h: 1 + number of the last exchange with gaps; 0: none */
    size_t           unexpected;   /* discarded messages that are not reported yet (comm/unexpected.h) */
    uint64_t         user;        /* current user of the communicator (irr_comm_use) */
    bool             handed;      /* no exchange of the present user is over yet */
    irr_status_t     failed;      /* error of the failed communicator; IRR_OK: not failed */
    uint64_t         failed_ns;   /* time of the failure */
    uint64_t         started_ns;  /* time of the last start of an exchange; 0: there is no timeout */
    unsigned         notified;    /* checks since a notice that another rank failed; 0: no notice */
    bool             serial;      /* exchanges run one at a time, because all use `relay` or `schedules` */
    bool             busy;        /* the communicator is in engine->busy */
    irr_comm_t      *next_busy;
    irr_queue_t      queue;       /* the started exchanges that are not over */
    irr_exchange_t  *exchange;    /* the exchange object that the setup creates */
    irr_exchange_t  *spare;       /* unused exchange objects; see irr_exchange_take */
    bool             takes;       /* irr_exchange_take was called, so `exchange` may be in `spare` */
    irr_channel_t   *channel;     /* connection to all members; NULL until it is opened */
    irr_members_t    members;     /* processes of the members */
    irr_finder_t     finder;      /* connects a member when the channel first needs it */
    irr_strategy_t   unscheduled; /* algorithm and parameters of exchanges without a schedule */
    irr_settings_t   settings;
    int             *labels;      /* by rank: equal on ranks that share a node; NULL after the setup */
    irr_nodes_t      nodes;
    irr_relay_t      relay;
    irr_allreduce_t  agreement;   /* the all-reduce by which the members take decisions during exchanges */
    irr_tree_t       tree;        /* the tree of switches and hosts, for algorithm `tree` */
    irr_schedules_t  schedules;
    irr_run_t        run;         /* if `serial`: plan and executor of exchanges that are not planned */
    irr_notice_t     notice;      /* informs the other members of a failure */
    irr_comm_t      *next, *prev; /* in engine->comms or engine->buried */
    irr_comm_t      *next_notifying;
};

/* Returns true if long messages are sent directly while the relay forwards the short ones (algorithm `hybrid`). */
static inline bool irr_comm_is_split(const irr_comm_t *comm)
{
    return irr_strategy_is_split(&comm->unscheduled);
}

/* Returns the stage number in the tags of messages that are sent directly (exec/tag.h). */
static inline int irr_comm_direct_stage(const irr_comm_t *comm)
{
    return irr_comm_is_split(comm) ? irr_grid_direct_stage(&comm->relay.stages.grid) : 1;
}

/* Sets the id of a communicator, and adds it to engine->comms. */
void irr_comm_enter(irr_comm_t *comm, uint32_t id);

static inline void irr_comm_close_channel(irr_comm_t *comm)
{
    if (comm->channel != NULL) {
        comm->channel->transport->ops->close_channel(comm->channel);
        comm->channel = NULL;
    }
}

/* Frees a communicator that is in no list of the engine. */
void irr_comm_free(irr_comm_t *comm);

/*
 * Opens the transport of a kind of lane unless it is open. If that fails, it is not tried again: every call returns the
 * same error. The text of the error is in engine->reason, and is not logged.
 */
irr_status_t irr_engine_open_lane(irr_engine_t *engine, irr_lane_kind_t kind);

/* Creates an engine that sends all messages over the given open transport, which it owns on success. */
irr_status_t irr_engine_create_on(irr_transport_t *transport, bool threads, irr_engine_t **engine_p);

#endif
