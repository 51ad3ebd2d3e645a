/*
 * setup.h - private to comm/: the setup of a communicator, as steps that never block in the engine.
 *
 * A step does local work, starts one collective of the caller, and names the step that follows when the collective is
 * over. Each test therefore advances the setup without blocking. If the collectives of the caller block, the first test
 * runs the whole setup.
 *
 *   setup.c    the order of the steps, and the end
 *   agree.c      steps that agree
 *   connect.c    steps that find the members, and a channel that reaches all of them
 *   switches.c   steps that find the switches
 */
#ifndef IRR_SETUP_H
#define IRR_SETUP_H

#include "comm/comm_files.h"
#include "comm/switches.h"

/* The results of the first agreement and of the agreements on addresses. All members have the same results. */
typedef struct irr_agreement {
    bool   one_node;          /* all members have the same label */
    bool   shares;            /* ranks of a node use shared memory */
    bool   network;           /* some pairs of ranks use the network */
    size_t address_bytes;     /* longest transport address */
    bool   addresses_needed;  /* some member lacks addresses of other members */
    size_t path_bytes;        /* length of the longest path through switches; 0: a member has no path, or the algorithm
                                 uses no switches (comm/switches.h) */
} irr_agreement_t;

/* Largest number of words in an agreement (agree_settings.c). */
#define IRR_SETUP_WORDS 60

/* Room for the reason of a failed setup, in bytes. An agreement sends the reason as words. */
#define IRR_SETUP_WHY 256

typedef struct irr_setup irr_setup_t;

/*
 * A step. Returns IRR_OK if the next step may run now, IRR_IN_PROGRESS if the next step must wait for a collective of
 * the caller, and any other status if the setup has failed.
 */
typedef irr_status_t (*irr_step_fn)(irr_setup_t *setup);

struct irr_setup {
    irr_engine_t       *engine;     /* may be NULL if params.trouble is set */
    irr_comm_params_t   params;
    irr_comm_files_t    files;
    irr_agreement_t     agreement;
    irr_comm_t         *comm;       /* NULL in case of trouble; belongs to the engine once `entered` */
    irr_directory_t    *directory;  /* gathered in this setup; NULL: none */
    irr_segment_handle_t host;      /* of the memory in which this node keeps the directory; zeroed: none */
    bool                added;      /* the engine owns the directory */
    char               *gathered;   /* buffer for an all-gather of paths */
    uint32_t            id;         /* the proposed id, later the agreed id; IRR_IDS_NONE: none */
    uint32_t            from;       /* start of the search for an id */
    unsigned            draws;      /* number of random proposals */
    uint64_t            busy_ns;    /* time when the search first found only busy ids; 0: never */
    bool                entered;    /* the engine knows the communicator */
    int                 label;      /* label of this rank */
    bool                placed;     /* the labels of all members are known */
    bool                lacks_memory;   /* this rank has no memory to share with its node */
    int                 unmapped;   /* a member whose memory this rank cannot map; -1: none */
    uint64_t            words[IRR_SETUP_WORDS];     /* words to be reduced */
    const char         *reason;     /* text of the trouble that an agreement reports */
    char                why[IRR_SETUP_WHY];     /* reason of a failed agreement, the same on all ranks */
    irr_status_t        verdict;    /* result of irr_agree_all: IRR_ERR_NOT_SUPPORTED on all ranks if a rank is in
                                       trouble */
    uint64_t            lowest;     /* result of irr_agree_all: marks the lowest rank with `mine` false; 0: none */
    bool                waits;      /* a collective of the caller is running */
    irr_step_fn         next;       /* next step; NULL: the setup is over */
    irr_step_fn         after;      /* step after an agreement */
    irr_step_fn         then;       /* step after connecting, finding switches, or a search for an id */
    irr_status_t        status;
};

/*
 * irr_comm_create in steps. irr_setup_test advances the setup and returns IRR_IN_PROGRESS until the setup is over. Each
 * later call returns the result of the setup. irr_setup_test does not block if the collectives of the caller do not
 * block. The setup object, the targets of params, and the arguments of the caller's collectives must not move before
 * the setup is over.
 */
void         irr_setup_start(irr_setup_t *setup, irr_engine_t *engine, const irr_comm_params_t *params);
irr_status_t irr_setup_test(irr_setup_t *setup, irr_comm_t **comm_p);

/* Local. Ends a setup without a communicator. The caller must not test the setup any more. */
void         irr_setup_abandon(irr_setup_t *setup);

/* ---- steps ---- */

/*
 * Start a collective of the caller, and make `next` the step that runs when the collective is over. The calling step
 * must return the result of irr_setup_reduce or irr_setup_gather.
 */
irr_status_t irr_setup_reduce(irr_setup_t *setup, size_t count, irr_step_fn next);
irr_status_t irr_setup_gather(irr_setup_t *setup, const void *input, void *output, size_t bytes, irr_step_fn next);

/* Finds the labels and the addresses of all members, then runs step `next`. */
irr_status_t irr_connect_find(irr_setup_t *setup, irr_step_fn next);

/*
 * Local. Ends the use of the directory of this setup, when the setup is over. After the last agreement, all ranks of
 * the node have written the memory that they offered. If a setup failed before, a rank finds other bytes there, and
 * keeps its own array.
 */
void irr_connect_settle(irr_setup_t *setup);

/*
 * Opens a channel to the members, unless this rank is in trouble. If a member cannot be reached over the network, this
 * rank is in trouble. Sets setup->unmapped to a member that cannot be reached through shared memory, or to -1.
 */
void irr_connect_all(irr_setup_t *setup);

/*
 * Finds the switches of a communicator of several nodes, then runs step `next`. Collective if agreement.path_bytes is
 * not 0. Sets the topology in files, and changes the labels from nodes to hosts of the topology. Rank 0 warns if the
 * paths form no tree or do not match the nodes. If memory is missing, this rank is in trouble.
 */
irr_status_t irr_switches_find(irr_setup_t *setup, irr_step_fn next);

/* Records the first trouble of this rank and its reason. Ignores any later trouble. */
void irr_setup_note(irr_setup_t *setup, irr_status_t status, const char *reason);
extern const char irr_setup_no_memory[];

/*
 * Records that the transport refused a request, with the reason "rank R of a communicator cannot FORMAT: status". If
 * memory is missing, the reason is irr_setup_no_memory.
 */
void irr_setup_cannot(irr_setup_t *setup, irr_status_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
