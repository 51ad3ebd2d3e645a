/*
 * engine.h - private to comm/: the process-wide engine and the communicators that stand on it.
 */
#ifndef IRR_ENGINE_H
#define IRR_ENGINE_H

#include "comm/ids.h"
#include "comm/peers.h"
#include "core/lock.h"
#include "exec/exec.h"

struct irr_engine {
    irr_transport_t *transport;
    irr_lock_t       lock;       /* guards everything below and every call to the transport */
    irr_peers_t      peers;
    irr_ids_t        ids;
    irr_counters_t   counters;
    irr_comm_t      *open;       /* communicators with an exchange in progress */
};

struct irr_comm {
    irr_engine_t   *engine;
    int             ranks;
    int             rank;
    uint32_t        id;
    uint32_t        sequence;    /* exchanges started, for the tag */
    irr_settings_t  settings;
    irr_peer_t    **peers;       /* by rank; NULL for this rank */
    irr_plan_t      plan;
    irr_exec_t      exec;
    irr_status_t    result;      /* IRR_IN_PROGRESS while the exchange is open */
    uint64_t        start_ns;    /* when the exchange started */
    bool            started;     /* an exchange is open or its result was not read */
    irr_comm_t     *next_open;
};

/* Nanoseconds of a clock that only goes on. */
uint64_t irr_engine_clock(void);

/* An engine on a transport that the caller opened, which then belongs to the engine. */
irr_status_t irr_engine_create_on(irr_transport_t *transport, bool threads, irr_engine_t **engine_p);

#endif
