/*
 * engine.h - private to comm/: the engine of a process, and its communicators.
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

/* Length of a line for the user, in bytes. */
#define IRR_ENGINE_LINE 512

struct irr_engine {
    irr_transport_t *transport;  /* the lanes as one transport */
    irr_lanes_t     *lanes;      /* shared memory and network; each is opened when a communicator first needs it */
    irr_engine_config_t config;  /* configuration of the transports; the engine owns its strings */
    irr_status_t     refused[IRR_LANE_KINDS];   /* error of opening a lane; IRR_OK: no error */
    char             reason[IRR_LANE_KINDS][IRR_ENGINE_LINE];   /* text of the error in `refused` */
    irr_lock_t       lock;       /* guards everything below and every call to the transport */
    irr_peers_t      peers;      /* processes that this process has connected */
    irr_directory_t *directories;   /* addresses of processes */
    irr_ids_t        ids;
    irr_counters_t   counters;
    irr_comm_t      *comms;      /* all communicators */
    irr_comm_t      *busy;       /* communicators with exchanges that are not over */
    irr_comm_t      *notifying;   /* communicators that failed on this rank and are sending notices */
    irr_comm_t      *buried;     /* destroyed communicators; the transport may still hold their messages */
    irr_unexpected_t unexpected;
    unsigned         rounds;     /* number of rounds of progress */
    unsigned         idle;       /* rounds since the last event */
    bool             changed;    /* the next round of progress continues the exchanges even without an event */
    bool             closed;     /* irr_engine_close was called */
    bool             warned;     /* the user was warned that ranks of a node do not share memory */
    bool             doubted;    /* the user was warned of implausible speeds in a topology file */
    bool             switches_warned;   /* the user was warned why the switches that Slurm names are not used */
};

/*
 * The started exchanges in the order of their starts: first the open exchanges, then the waiting exchanges (queue.c). A
 * zeroed object is empty.
 */
typedef struct irr_queue {
    irr_exchange_t *first, **end;   /* end: `next` of the last exchange; undefined in an empty queue */
    irr_exchange_t *waiting;   /* first waiting exchange; NULL: all exchanges are open */
    size_t          open;
} irr_queue_t;

/* A communicator. The members that every exchange reads come first. */
struct irr_comm {
    irr_engine_t    *engine;
    int              ranks;
    int              rank;
    uint32_t         id;
    uint32_t         sequence;    /* next sequence number for tags; an exchange takes at least one number */
    uint32_t         over;        /* all exchanges of lower sequence numbers are over on this rank */
    uint32_t         gaps;        /* the last exchange that may have caused unexpected messages has the sequence number
                                     before `gaps`; 0: no such exchange (comm/unexpected.h) */
    size_t           unexpected;   /* number of discarded unexpected messages that are not reported yet */
    uint64_t         user;        /* the user of the communicator (irr_comm_use) */
    bool             handed;      /* no exchange of this user is over yet */
    irr_status_t     failed;      /* error of the failed communicator; IRR_OK: not failed */
    uint64_t         failed_ns;   /* time of the failure */
    unsigned         notified;    /* checks since a notice arrived during an open exchange; 0: no notice */
    bool             serial;      /* exchanges run one at a time, because each needs the relay or the schedules */
    bool             busy;        /* the communicator is in engine->busy */
    irr_comm_t      *next_busy;
    irr_queue_t      queue;       /* exchanges that are not over */
    irr_exchange_t  *exchange;    /* the first exchange, created in the setup */
    irr_exchange_t  *spare;       /* unused exchanges; see irr_exchange_take */
    bool             takes;       /* irr_exchange_take was called, so `exchange` may be in `spare` */
    irr_channel_t   *channel;     /* channel to the members; NULL until it is opened */
    irr_members_t    members;     /* processes of the members */
    irr_finder_t     finder;      /* finds the peers of the members, for the channel */
    irr_strategy_t   alone;       /* strategy of exchanges without a schedule */
    irr_settings_t   settings;
    int             *labels;      /* by rank: equal on ranks that share a node; NULL after the setup */
    irr_nodes_t      nodes;
    irr_relay_t      relay;
    irr_allreduce_t  agreement;   /* for lookups of schedules, frozen plans and epoch barriers */
    irr_tree_t       tree;        /* the tree of hosts, for orders that use the tree */
    irr_schedules_t  schedules;
    irr_run_t        run;         /* plan and executor of unplanned exchanges, if exchanges run one at a time */
    irr_notice_t     notice;      /* the notice of a failure */
    irr_comm_t      *next, *prev; /* in the list of all or of destroyed communicators */
    irr_comm_t      *next_notifying;
};

/* Returns true if long messages are sent directly, beside the relay. */
static inline bool irr_comm_is_split(const irr_comm_t *comm)
{
    return irr_strategy_is_split(&comm->alone);
}

/* Returns the stage in the tags of messages that are sent directly. */
static inline int irr_comm_direct_stage(const irr_comm_t *comm)
{
    return irr_comm_is_split(comm) ? irr_grid_direct_stage(&comm->relay.stages.grid) : 1;
}

/* Adds a communicator with this id to the engine. irr_comm_destroy removes the communicator. */
void irr_comm_enter(irr_comm_t *comm, uint32_t id);

/* Closes the channel of the communicator if the channel is open. */
static inline void irr_comm_close_channel(irr_comm_t *comm)
{
    if (comm->channel != NULL) {
        comm->channel->transport->ops->close_channel(comm->channel);
        comm->channel = NULL;
    }
}

/* Frees a communicator that is not in the lists of the engine. */
void irr_comm_free(irr_comm_t *comm);

/*
 * Opens the transport of a lane unless the transport is open. An error is permanent. The function stores the text of
 * the error in engine->reason and does not report the error.
 */
irr_status_t irr_engine_open_lane(irr_engine_t *engine, irr_lane_kind_t kind);

/* Creates an engine that sends all messages over an open transport. On success the engine owns the transport. */
irr_status_t irr_engine_create_on(irr_transport_t *transport, bool threads, irr_engine_t **engine_p);

#endif
