/*
 * engine.h - private to comm/: the process-wide engine and the communicators that stand on it.
 */
#ifndef IRR_ENGINE_H
#define IRR_ENGINE_H

#include "comm/failure.h"
#include "comm/ids.h"
#include "comm/peers.h"
#include "comm/schedules.h"
#include "comm/stray.h"
#include "core/lock.h"
#include "exec/consensus.h"
#include "exec/exec.h"
#include "exec/relay.h"
#include "order/tree/tree.h"
#include "problem/blocks.h"

struct irr_engine {
    irr_transport_t *transport;
    irr_lock_t       lock;       /* guards everything below and every call to the transport */
    irr_peers_t      peers;
    irr_ids_t        ids;
    irr_counters_t   counters;
    irr_comm_t      *comms;      /* all communicators */
    irr_comm_t      *open;       /* those with an exchange in progress */
    irr_comm_t      *telling;    /* those that failed here, while the others are told */
    irr_comm_t      *buried;     /* those that are gone, but not for the transport */
    irr_strays_t     strays;
    unsigned         idle;       /* rounds since something happened */
    bool             news;       /* something happened outside of them */
    bool             closed;     /* on the way down */
    bool             doubted;    /* the user was told of speeds in a topology file */
};

/* What an open exchange does now. */
typedef enum irr_comm_state {
    IRR_COMM_MEETS,       /* the ranks wait for each other; see comm/stray.h */
    IRR_COMM_SCHEDULES,   /* the ranks find a schedule */
    IRR_COMM_RUNS,        /* the executor runs a plan */
    IRR_COMM_RELAYS,      /* the relay finds its way */
    IRR_COMM_FREEZES      /* the ranks agree whether what the relay learnt may run alone */
} irr_comm_state_t;

/* Which plan is there; other numbers are serials of schedules. */
enum { IRR_COMM_BUILT_NOTHING, IRR_COMM_BUILT_ALONE };

_Static_assert(IRR_COMM_BUILT_ALONE < IRR_CACHE_FIRST, "a serial is neither");

struct irr_comm {
    irr_engine_t    *engine;
    int              ranks;
    int              rank;
    uint32_t         id;
    uint32_t         sequence;    /* of tags: an exchange takes one or more */
    uint32_t         over;        /* exchanges of sequences before this are over on this rank */
    size_t           strays;      /* messages of theirs that were thrown away and not told yet */
    bool             had_gaps;    /* in the last exchange somebody may have sent what nobody asked for */
    irr_settings_t   settings;
    irr_peer_t     **peers;       /* by rank; NULL for this rank */
    irr_channel_t   *channel;     /* among them */
    irr_way_t        alone;       /* that exchanges without a schedule go */
    bool             direct;      /* its plan is known from the start; else the relay learns it */
    int             *labels;      /* by rank: equal on ranks that share a node, if the algorithm asks */
    irr_nodes_t      nodes;
    irr_relay_t      relay;
    irr_grid_plan_t  frozen;      /* what the relay learnt */
    void            *scratch;     /* of the frozen plan */
    bool             agrees;      /* there are few enough ranks for a consensus */
    irr_consensus_t  consensus;   /* on the frozen plan, or to meet */
    irr_plan_t       plan;        /* of a direct route, or a schedule */
    irr_blocks_memory_t blocks;   /* that it was built for, with room for two a rank */
    size_t           more;        /* of them, beyond the first one of their rank */
    bool             merged;      /* there is no memory for so many: it runs without buffers */
    uint64_t         built;       /* for which schedule: its serial, or IRR_COMM_BUILT_... */
    const irr_way_t *built_way;   /* and which way */
    irr_tree_t       tree;        /* of the hosts, for schedules that ask */
    irr_schedules_t  schedules;
    const irr_way_t *way;         /* that the exchange goes, */
    bool             found;       /* with what the schedules have found, which is timed; else there is nothing */
    irr_exec_t       exec;

    irr_problem_t    problem;     /* of the exchange that is open, or planned, or was the last one */
    const void      *input;
    void            *output;
    unsigned         lacks;       /* which of them this rank has no memory for */
    irr_comm_state_t state;
    bool             calm;        /* its look is left out, and it goes without a schedule */
    bool             plans;       /* there are no buffers yet */
    bool             planned;     /* irr_exchange_plan was here, so irr_exchange_restart may come */
    bool             exact;       /* all ranks have a frozen plan of the planned exchange */
    const irr_plan_t *running;    /* by the executor; NULL: none, or by the relay */
    irr_status_t     relayed;     /* result of the relay, while the ranks agree */
    irr_status_t     result;      /* IRR_IN_PROGRESS while the exchange is open */
    irr_counters_t   counters;    /* of the exchange that is open, or the last one */
    uint64_t         start_ns;    /* when the exchange started */
    uint64_t         run_ns;      /* when its schedule did */
    bool             started;     /* an exchange is open or its result was not read */
    unsigned         rounds;      /* of progress in the exchange that is open */
    irr_status_t     failed;      /* why there are no exchanges any more */
    irr_notice_t     notice;      /* that it failed */
    irr_comm_t      *next, *prev; /* of all, or of those that are buried */
    irr_comm_t      *next_open;
    irr_comm_t      *next_telling;
};

/* Goes on with the open exchange of a communicator; the engine is locked. */
irr_status_t irr_comm_progress(irr_comm_t *comm);

/* Frees a communicator that the engine does not know any more. */
void irr_comm_free(irr_comm_t *comm);

/* An engine on a transport that the caller opened, which then belongs to the engine. */
irr_status_t irr_engine_create_on(irr_transport_t *transport, bool threads, irr_engine_t **engine_p);

#endif
