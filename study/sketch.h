/*
 * sketch.h - private to the simulation (simulate.h): the plan of a rank without buffers and offsets, and the state of
 * its steps.
 *
 * A line is a plan with one stage, without dependencies, and with one piece in each message.  Its sketch has no steps:
 * it has only the sends, the number of receives, and the bytes of the copies.
 */
#ifndef IRR_SKETCH_H
#define IRR_SKETCH_H

#include "plan/plan.h"
#include "study/timed.h"

#define IRR_SKETCH_NONE UINT32_MAX

/*
 * The sender of a long message asks its receiver first, and sends the message after the answer (study/timed.h).
 * ANSWERED: the receive has sent the answer, and the message has not arrived yet.
 */
typedef enum irr_sketch_state {
    IRR_SKETCH_WAITING, IRR_SKETCH_STARTED, IRR_SKETCH_ANSWERED, IRR_SKETCH_COMPLETE
} irr_sketch_state_t;

typedef struct irr_sketch_step {
    size_t   bytes;              /* length of the message, or number of bytes that a copy copies */
    union {
        double               time;    /* a started send or signal: time in ns at which its message leaves the rank */
        irr_timed_message_t *early;   /* a receive or wait that has not started: its message, if it has arrived */
    };
    uint32_t pieces;             /* number of pieces that are not empty */
    uint32_t first_dep, deps;    /* the dependencies: `deps` ranges from index first_dep on */
    uint32_t next;               /* a send or signal: index of the next one in the queue of its rank (simulate.c) */
    int      peer;
    uint16_t stage;
    uint8_t  kind, state;        /* irr_step_kind_t, irr_sketch_state_t */
} irr_sketch_step_t;

/* The steps from `begin` to `end` - 1. */
typedef struct irr_sketch_range {
    uint32_t begin, end;
} irr_sketch_range_t;

/* A send of a line. */
typedef struct irr_sketch_send {
    int      ahead;    /* receiver minus sender, modulo the number of ranks */
    uint32_t bytes;
} irr_sketch_send_t;

typedef struct irr_sketch {
    bool               is_line;
    bool               shares;    /* another sketch owns `sends` */
    irr_sketch_send_t *sends;     /* a line: sends, nsends, nrecvs, copied and stage are set */
    size_t             nsends, nrecvs, copied;   /* copied: bytes of all copies */
    uint16_t           stage;
    irr_sketch_step_t *steps;     /* any other plan: this and the following members are set */
    size_t             nsteps;
    irr_sketch_range_t *deps;     /* the dependencies of the steps, as ranges */
    size_t             ndeps, deps_max;
    uint32_t          *sorted;    /* indices of the receives and waits, sorted by kind, stage and peer */
    size_t             nsorted;
} irr_sketch_t;

/* Returns whether steps of this kind take a message: receives and waits. */
static inline bool irr_sketch_takes_message(unsigned kind)
{
    return kind == IRR_STEP_RECV || kind == IRR_STEP_WAIT;
}

void irr_sketch_fini(irr_sketch_t *sketch);

/*
 * Appends the steps of a plan from index `first` on to a sketch.  last: the plan has no further steps.  model: a sketch
 * that exists as long as this one; if both plans are lines with equal sends, the sends are stored only in the model.
 * May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_sketch_take(irr_sketch_t *sketch, const irr_sketch_t *model, const irr_plan_t *plan, size_t first,
                             bool last);

/* Sorts the receives and waits, if this was not done before.  May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_sketch_sort(irr_sketch_t *sketch);

/* Resets all steps to IRR_SKETCH_WAITING before another run. */
void irr_sketch_reset(irr_sketch_t *sketch);

/*
 * Returns the first receive (with `waits`: the first wait) from this peer in this stage for which no message has
 * arrived.  Returns NULL if there is none.
 */
irr_sketch_step_t *irr_sketch_receive(const irr_sketch_t *sketch, int peer, int stage, bool waits);

#endif
