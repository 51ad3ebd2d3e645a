/* sketch.h - private to the simulation: the plan of a rank without buffers and offsets, and the state of its steps. */
#ifndef IRR_SKETCH_H
#define IRR_SKETCH_H

#include "plan/plan.h"
#include "study/timed.h"

#define IRR_SKETCH_NONE UINT32_MAX

/* ANSWERED: a receive that has answered the question of a rendezvous; the message has not arrived yet. */
typedef enum irr_sketch_state {
    IRR_SKETCH_WAITING, IRR_SKETCH_STARTED, IRR_SKETCH_ANSWERED, IRR_SKETCH_COMPLETE
} irr_sketch_state_t;

typedef struct irr_sketch_step {
    size_t   bytes;              /* of a copy: the bytes that it copies */
    union {
        double               time;    /* of a send or signal that has started: when its message leaves */
        irr_timed_message_t *early;   /* of a receive or wait that has not started: its message, if the message has
                                         arrived */
    };
    uint32_t pieces;             /* number of pieces that are not empty */
    uint32_t first_dep, deps;
    uint32_t next;               /* of a send or signal: the next one in the queue of its rank */
    int      peer;
    uint16_t stage;
    uint8_t  kind, state;        /* irr_step_kind_t, irr_sketch_state_t */
} irr_sketch_step_t;

/* The steps from `begin` to `end` - 1. */
typedef struct irr_sketch_range {
    uint32_t begin, end;
} irr_sketch_range_t;

/* A send of a line; see simulate.h. */
typedef struct irr_sketch_send {
    int      ahead;    /* receiver minus sender, modulo the number of ranks */
    uint32_t bytes;
} irr_sketch_send_t;

typedef struct irr_sketch {
    bool               is_line;
    bool               shares;    /* the sends belong to another sketch */
    irr_sketch_send_t *sends;     /* sends, nsends, nrecvs, copied and stage are set for a line */
    size_t             nsends, nrecvs, copied;   /* copied: bytes of all copies */
    uint16_t           stage;
    irr_sketch_step_t *steps;     /* of other plans */
    size_t             nsteps;
    irr_sketch_range_t *deps;     /* the dependencies of the steps, as ranges */
    size_t             ndeps, deps_max;
    uint32_t          *comes;     /* the receives and waits, sorted by kind, stage and peer */
    size_t             ncomes;
} irr_sketch_t;

static inline bool irr_sketch_comes(unsigned kind)
{
    return kind == IRR_STEP_RECV || kind == IRR_STEP_WAIT;
}

void irr_sketch_fini(irr_sketch_t *sketch);

/*
 * Takes the steps of a plan from index `first` on.  last: no steps follow.  model: a sketch that exists as long as this
 * one, with which this one shares the sends of a line if they are equal.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_sketch_take(irr_sketch_t *sketch, const irr_sketch_t *model, const irr_plan_t *plan, size_t first,
                             bool last);

/* Sorts the receives and waits, once.  May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_sketch_sort(irr_sketch_t *sketch);

/* Makes all steps wait. */
void irr_sketch_reset(irr_sketch_t *sketch);

/* Returns the first receive, or wait if `waits`, of a peer and stage for which no message has arrived; or NULL. */
irr_sketch_step_t *irr_sketch_receive(const irr_sketch_t *sketch, int peer, int stage, bool waits);

#endif
