/*
 * engine.h - private to comm/: the engine of a process, and its communicators.
 */
#ifndef IRR_ENGINE_H
#define IRR_ENGINE_H

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
    irr_status_t     refused[IRR_LANE_KINDS];   /* why a transport could not be opened */
    char             reason[IRR_LANE_KINDS][IRR_ENGINE_LINE];   /* the same as text */
    irr_lock_t       lock;       /* guards everything below and every call to the transport */
    irr_peers_t      peers;
    irr_ids_t        ids;
    irr_counters_t   counters;
    irr_comm_t      *comms;      /* all communicators */
    irr_comm_t      *busy;       /* communicators with exchanges that are not over */
    irr_comm_t      *notifying;   /* communicators that failed on this rank and are sending notices */
    irr_comm_t      *buried;     /* destroyed communicators that the transport still has messages of */
    irr_unexpected_t unexpected;
    unsigned         turns;      /* rounds of progress so far */
    unsigned         idle;       /* rounds since the last event */
    bool             news;       /* something changed outside of a round of progress */
    bool             closed;     /* irr_engine_close was called */
    bool             warned;     /* the user was warned that ranks of a node do not share memory */
    bool             doubted;    /* the user was warned of speeds in a topology file */
    bool             switches_warned;   /* the user was warned why switches that Slurm names are not used */
};

/* Exchanges in the order of their starts: open ones, then waiting ones (queue.c). A zeroed object is empty. */
typedef struct irr_queue {
    irr_exchange_t *first, *last;
    irr_exchange_t *waiting;   /* first waiting exchange; NULL: all are open */
    size_t          open;
} irr_queue_t;

/* A communicator. The members that every exchange reads come first. */
struct irr_comm {
    irr_engine_t    *engine;
    int              ranks;
    int              rank;
    uint32_t         id;
    uint32_t         sequence;    /* next sequence number for tags; an exchange takes one or more */
    uint32_t         over;        /* all exchanges of lower sequence numbers are over on this rank */
    uint32_t         gaps;        /* sequence number behind the last exchange that may have caused unexpected messages;
                                     0: none (comm/unexpected.h) */
    size_t           unexpected;   /* discarded unexpected messages not reported yet */
    uint64_t         user;        /* the user of the communicator (irr_comm_use) */
    bool             handed;      /* no exchange of this user is over yet */
    irr_status_t     failed;      /* why the communicator failed; IRR_OK: it has not */
    uint64_t         failed_ns;   /* time of the failure */
    unsigned         notified;    /* checks since a notice arrived during an open exchange; 0: no notice */
    bool             serial;      /* exchanges run one at a time, because each needs the relay or the schedules */
    bool             busy;        /* the communicator is in engine->busy */
    irr_comm_t      *next_busy;
    irr_queue_t      queue;       /* exchanges that are not over */
    irr_exchange_t  *exchange;    /* the exchange that exists from the start */
    irr_exchange_t  *spare;       /* unused exchanges; see irr_exchange_take */
    bool             takes;       /* irr_exchange_take was called, so `exchange` may be in `spare` */
    irr_channel_t   *channel;     /* channel to the members; NULL until it is opened */
    irr_peer_t     **peers;       /* by rank; NULL for this rank */
    irr_strategy_t   alone;       /* strategy of exchanges without a schedule */
    irr_settings_t   settings;
    int             *labels;      /* by rank: equal on ranks that share a node */
    irr_nodes_t      nodes;
    irr_relay_t      relay;
    irr_allreduce_t  agreement;   /* for lookups of schedules, frozen plans and epoch barriers */
    irr_tree_t       tree;        /* the tree of hosts, for orders that use it */
    irr_schedules_t  schedules;
    irr_run_t        run;         /* plan and executor of exchanges that are not planned, if they run one at a time */
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

/* Adds the communicator, which has an id now, to the engine; irr_comm_destroy removes it. */
void irr_comm_enter(irr_comm_t *comm, uint32_t id);

/* Closes the channel of the communicator, if there is one. */
static inline void irr_comm_close_channel(irr_comm_t *comm)
{
    if (comm->channel != NULL) {
        comm->channel->transport->ops->close_channel(comm->channel);
        comm->channel = NULL;
    }
}

/* Frees a communicator that is not in the lists of the engine. */
void irr_comm_free(irr_comm_t *comm);

/* Opens a transport unless it is open. An error is permanent and described in engine->reason, but not yet reported. */
irr_status_t irr_engine_open_lane(irr_engine_t *engine, irr_lane_kind_t kind);

/* Creates an engine that sends all messages over an open transport, which then belongs to the engine. */
irr_status_t irr_engine_create_on(irr_transport_t *transport, bool threads, irr_engine_t **engine_p);

#endif
