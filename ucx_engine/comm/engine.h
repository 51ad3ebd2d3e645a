/*
 * engine.h - private to comm/: the process-wide engine and the communicators that stand on it.
 */
#ifndef IRR_ENGINE_H
#define IRR_ENGINE_H

#include "comm/failure.h"
#include "comm/ids.h"
#include "comm/peers.h"
#include "comm/run.h"
#include "comm/schedules.h"
#include "comm/stray.h"
#include "core/lock.h"
#include "exec/allreduce.h"
#include "exec/relay.h"
#include "order/tree/tree.h"
#include "transport/lanes.h"

/* Bytes of a line for the user. */
#define IRR_ENGINE_LINE 512

struct irr_engine {
    irr_transport_t *transport;  /* the lanes, as a transport */
    irr_lanes_t     *lanes;      /* neither of the two is open until a communicator needs it */
    irr_engine_config_t config;  /* by which they are opened; its texts belong to the engine */
    irr_status_t     refused[IRR_LANE_KINDS];   /* why one could not be opened, */
    char             reason[IRR_LANE_KINDS][IRR_ENGINE_LINE];   /* in words */
    irr_lock_t       lock;       /* guards everything below and every call to the transport */
    irr_peers_t      peers;
    irr_ids_t        ids;
    irr_counters_t   counters;
    irr_comm_t      *comms;      /* all communicators */
    irr_comm_t      *busy;       /* those with exchanges that are not over */
    irr_comm_t      *telling;    /* those that failed here, while the others are told */
    irr_comm_t      *buried;     /* those that are gone, but not for the transport */
    irr_strays_t     strays;
    unsigned         turns;      /* rounds so far */
    unsigned         idle;       /* rounds since something happened */
    bool             news;       /* something happened outside of them */
    bool             closed;     /* on the way down */
    bool             warned;     /* the user was told that ranks of a node do not share memory, */
    bool             doubted;    /* of speeds in a topology file, */
    bool             switches_told;   /* and why switches that Slurm names are not used */
};

/* Exchanges in the order of their starts: the open ones, then those that wait.  Zeroed it is empty.  See queue.c. */
typedef struct irr_queue {
    irr_exchange_t *first, *last;
    irr_exchange_t *waiting;   /* the first that waits; NULL: all are open */
    size_t          open;
} irr_queue_t;

/* What each exchange asks for comes first. */
struct irr_comm {
    irr_engine_t    *engine;
    int              ranks;
    int              rank;
    uint32_t         id;
    uint32_t         sequence;    /* of tags: an exchange takes one or more */
    uint32_t         over;        /* exchanges of sequences before this are over on this rank */
    uint32_t         gaps;        /* behind the last one in which somebody may send what nobody asks for; 0: none */
    size_t           strays;      /* messages of those that were thrown away and not told yet */
    uint64_t         user;        /* whose exchanges these are, */
    bool             handed;      /* and none of them is over yet */
    irr_status_t     failed;      /* why there are no exchanges any more, */
    uint64_t         failed_ns;   /* and since when */
    unsigned         told;        /* looks since a notice came while an exchange is open; 0: no notice */
    bool             serial;      /* exchanges run one after the other, because each needs the relay or the schedules */
    bool             busy;        /* one of engine->busy */
    irr_comm_t      *next_busy;
    irr_queue_t      queue;       /* exchanges that are not over */
    irr_exchange_t  *exchange;    /* that it has from the start */
    irr_exchange_t  *spare;       /* those that nobody uses; see irr_exchange_take */
    bool             takes;       /* some were taken, so that the one above may be among them */
    irr_channel_t   *channel;     /* among its members; NULL until it is opened */
    irr_peer_t     **peers;       /* by rank; NULL for this rank */
    irr_way_t        alone;       /* the strategy of exchanges that find none */
    irr_settings_t   settings;
    int             *labels;      /* by rank: equal on ranks that share a node */
    irr_nodes_t      nodes;
    irr_relay_t      relay;
    irr_allreduce_t  agreement;   /* on a schedule, on a frozen plan, or to meet */
    irr_tree_t       tree;        /* of the hosts, for schedules that ask */
    irr_schedules_t  schedules;
    irr_run_t        run;         /* for what schedules find, of exchanges that are not planned */
    irr_notice_t     notice;      /* that it failed */
    irr_comm_t      *next, *prev; /* of all, or of those that are buried */
    irr_comm_t      *next_telling;
};

/* Do long messages go directly, beside the relay? */
static inline bool irr_comm_is_split(const irr_comm_t *comm)
{
    return irr_way_is_split(&comm->alone);
}

/* The stage of messages that go directly, which tells their tags. */
static inline int irr_comm_direct_stage(const irr_comm_t *comm)
{
    return irr_comm_is_split(comm) ? irr_grid_direct_stage(&comm->relay.stages.grid) : 1;
}

/* The engine knows the communicator from now on, which has an id; until irr_comm_destroy. */
void irr_comm_enter(irr_comm_t *comm, uint32_t id);

/* Closes its channel, if it has one. */
static inline void irr_comm_close_channel(irr_comm_t *comm)
{
    if (comm->channel != NULL) {
        comm->channel->transport->ops->close_channel(comm->channel);
        comm->channel = NULL;
    }
}

/* Frees a communicator that the engine does not know, or not any more. */
void irr_comm_free(irr_comm_t *comm);

/*
 * Opens one of the two transports of the engine unless it is open.  The error is the same each time.  engine->reason
 * says what is wrong; the user has not been told.
 */
irr_status_t irr_engine_open_lane(irr_engine_t *engine, irr_lane_kind_t kind);

/* An engine whose messages all go over a transport that the caller opened, which then belongs to the engine. */
irr_status_t irr_engine_create_on(irr_transport_t *transport, bool threads, irr_engine_t **engine_p);

#endif
