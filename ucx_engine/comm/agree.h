/*
 * agree.h - the agreements among the members of a communicator, on the host's out-of-band collectives.
 */
#ifndef IRR_AGREE_H
#define IRR_AGREE_H

#include "comm/comm_files.h"

/* What all members learn from the first agreement. */
typedef struct irr_agreement {
    size_t address_bytes;     /* longest transport address */
    bool   addresses_needed;  /* some member does not know all others */
    bool   one_node;          /* all members have the same label */
    size_t path_bytes;        /* longest path through switches, where all were told one and ask (comm/switches.h) */
} irr_agreement_t;

/*
 * Agrees that all members can go on with equal settings and equal files.  IRR_ERR_NOT_SUPPORTED,
 * alike on all, if one has trouble or others.  engine may be NULL with trouble.  What it says of addresses holds where
 * all have opened their transports.
 */
irr_status_t irr_agree_start(irr_engine_t *engine, const irr_comm_params_t *params, const irr_comm_files_t *files,
                             irr_agreement_t *agreement);

/* Says that, for those that have opened them since; errors as above. */
irr_status_t irr_agree_addresses(irr_engine_t *engine, const irr_comm_params_t *params, irr_agreement_t *agreement);

/* Agrees that params->trouble is unset at all members since; IRR_ERR_NOT_SUPPORTED, alike on all, if not. */
irr_status_t irr_agree_no_trouble(const irr_comm_params_t *params);

/* The same; and is it so at all members? */
irr_status_t irr_agree_all(const irr_comm_params_t *params, bool mine, bool *all_p);

/*
 * Agrees on an id that is free at all members and takes it, until irr_ids_give.  All members must be out of
 * trouble.  IRR_ERR_NOT_SUPPORTED, alike on all, if there is none.
 */
irr_status_t irr_agree_id(irr_engine_t *engine, const irr_oob_t *oob, uint32_t *id_p);

#endif
