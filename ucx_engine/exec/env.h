/*
 * env.h - what a plan meets when it runs.
 */
#ifndef IRR_ENV_H
#define IRR_ENV_H

#include "exec/tag.h"
#include "transport/transport.h"

/* Borrowed until the run is over. */
typedef struct irr_exec_env {
    irr_channel_t    *channel;
    uint16_t          tag_base;
    irr_tag_kind_t    tag_kind;   /* of the messages of a plan */
    const void       *input;
    void             *output;
    void             *scratch;    /* plan->scratch_bytes, NULL if 0 */
    irr_compose_t     compose;
    size_t            window_messages, window_bytes;   /* of sends in flight; 0: no limit */
    irr_counters_t   *counters;
    bool              sourced;    /* the plan has a source, which deals with what did not arrive */
    unsigned          lacks;      /* buffers that this rank has no memory for: IRR_LACKS_INPUT, IRR_LACKS_OUTPUT */
} irr_exec_env_t;

/* The result of a run is its first error. */
static inline void irr_exec_keep(irr_status_t *result, irr_status_t status)
{
    if (status != IRR_OK && *result == IRR_OK) {
        *result = status;
    }
}

#endif
