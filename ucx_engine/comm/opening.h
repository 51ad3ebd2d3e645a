/*
 * opening.h - private to comm/: a communicator that is being set up, in steps between which nobody waits.
 *
 * A step does what is local, starts one collective of the host, and names the step that follows when that is over.  So
 * set-up advances whenever it is looked at, also where it may not block; and a host whose collectives block has gone
 * through all of it at the first look.
 *
 *   opening.c    what is set up, in which order, and the end of it
 *   agree.c      steps that agree
 *   connect.c    where the members are, and a channel that reaches all of them
 *   switches.c   steps to switches
 */
#ifndef IRR_OPENING_H
#define IRR_OPENING_H

#include "comm/comm_files.h"
#include "comm/switches.h"

/* What all members learn from the first agreement. */
typedef struct irr_agreement {
    bool   one_node;          /* all members have the same label */
    bool   shares;            /* ranks of a node send to each other through shared memory */
    bool   network;           /* some others, or all, over the network */
    size_t address_bytes;     /* longest transport address */
    bool   addresses_needed;  /* some member does not know those of all others */
    size_t path_bytes;        /* longest path through switches, where all were told one and ask (comm/switches.h) */
} irr_agreement_t;

/* Most words of an agreement: see agree_settings.c. */
#define IRR_OPENING_WORDS 60

/* Room for the cause of a set-up that fails, which travels in words of an agreement. */
#define IRR_OPENING_WHY 256

typedef struct irr_opening irr_opening_t;

/* IRR_OK: the step that is next may be taken now; IRR_IN_PROGRESS: later; else the set-up has failed. */
typedef irr_status_t (*irr_step_fn)(irr_opening_t *opening);

struct irr_opening {
    irr_engine_t       *engine;     /* NULL with trouble */
    irr_comm_params_t   params;
    irr_comm_files_t    files;
    irr_agreement_t     agreement;
    irr_comm_t         *comm;       /* NULL with trouble; the engine knows it once it has an id */
    char               *gathered;   /* room for an all-gather of labels and addresses, or paths */
    uint32_t            id;         /* proposed, then agreed; IRR_IDS_NONE: there is none */
    uint32_t            from;       /* where the search for it begins, */
    unsigned            draws;      /* how often that was drawn, */
    uint64_t            busy_ns;    /* and when it first had to look again; 0: not yet */
    bool                entered;    /* the engine knows the communicator */
    int                 label;      /* of this rank */
    bool                placed;     /* the labels of all are known */
    bool                lacks_memory;   /* that it could share with others of its node */
    int                 unmapped;   /* the member whose memory this rank cannot map; -1: none */
    uint64_t            words[IRR_OPENING_WORDS];   /* that are reduced */
    const char         *reason;     /* of the trouble that was taken into the agreement, for the user */
    char                why[IRR_OPENING_WHY];   /* alike: the cause, once an agreement has failed; or empty */
    irr_status_t        verdict;    /* of an agreement on trouble: IRR_ERR_NOT_SUPPORTED on all ranks if one has some */
    uint64_t            lowest;     /* and the word of the lowest member that does not say yes; 0: all do */
    bool                waits;      /* for a collective of the host */
    irr_step_fn         next;       /* NULL: it is over */
    irr_step_fn         after;      /* follows an agreement, */
    irr_step_fn         then;       /* and the steps to a transport, or switches, and an id that was found */
    irr_status_t        status;
};

/*
 * irr_comm_create in steps: test advances it, and does not block if the host's collectives do not, until it returns
 * something else than IRR_IN_PROGRESS, and the same ever after.  What params point to, and the set-up itself, stay
 * where they are meanwhile; so does what the host's collectives were told.
 */
void         irr_opening_start(irr_opening_t *opening, irr_engine_t *engine, const irr_comm_params_t *params);
irr_status_t irr_opening_test(irr_opening_t *opening, irr_comm_t **comm_p);

/* Local: it will not be tested any more, and there is no communicator. */
void         irr_opening_abandon(irr_opening_t *opening);

/* ---- steps, and what they are made of ---- */

/* Go into a step's return: the collective is started, and `next` follows. */
irr_status_t irr_opening_reduce(irr_opening_t *opening, size_t count, irr_step_fn next);
irr_status_t irr_opening_gather(irr_opening_t *opening, const void *input, void *output, size_t bytes,
                                irr_step_fn next);

/* Steps to the labels and the addresses of all members. */
irr_status_t irr_connect_find(irr_opening_t *opening, irr_step_fn next);

/*
 * A channel among the members, unless this rank is in trouble.  It is trouble not to reach a member over the network;
 * opening->unmapped says who is not reached through shared memory.
 */
void irr_connect_all(irr_opening_t *opening);

/*
 * Steps to the switches of a communicator of several nodes, collective if agreement.path_bytes is not 0: the topology
 * in files; the labels, which told who shares a node, then tell hosts of it.  Where paths are no tree, or not of these
 * nodes, rank 0 says so.  Without memory this rank is in trouble.
 */
irr_status_t irr_switches_find(irr_opening_t *opening, irr_step_fn next);

/* In trouble a rank says why, but not what came of an earlier one. */
void irr_opening_note(irr_opening_t *opening, irr_status_t status, const char *reason);
extern const char irr_opening_no_memory[];

/* The same for what the transport refuses: "rank R of a communicator cannot DO: status", unless memory is missing. */
void irr_opening_cannot(irr_opening_t *opening, irr_status_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
