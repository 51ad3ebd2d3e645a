/*
 * setup.h - private to comm/: the setup of a communicator, as a sequence of steps (functions) that do not block.
 *
 * An agreement is an all-reduce of the caller after which all ranks take the same decision. A rank is in trouble if it
 * cannot take part, for example for lack of memory; the next agreement then ends the setup on all ranks. The label of a
 * rank is the number of its node, or of its host in a topology file. A directory is a table of addresses
 * (comm/directory.h).
 *
 * A step does local work, starts one collective of the caller, and sets the step that follows it. irr_setup_test runs
 * steps until it has to wait for a collective. If the collectives of the caller block, the first test runs the whole
 * setup.
 *
 *   setup.c      the order of the steps, and the end
 *   agree.c      agreements
 *   connect.c    steps that find the members and open a channel to them
 *   switches.c   steps that find the switches between the nodes
 */
#ifndef IRR_SETUP_H
#define IRR_SETUP_H

#include "comm/comm_files.h"
#include "comm/switches.h"

/* The results of agreements, which are equal on all ranks. */
typedef struct irr_agreement {
    bool   one_node;          /* all ranks have the same label */
    bool   shares;            /* ranks of a node use shared memory */
    bool   network;           /* some pairs of ranks use the network */
    size_t address_bytes;     /* longest transport address */
    bool   addresses_needed;  /* some rank lacks addresses of other ranks */
    size_t path_bytes;        /* largest length of the names of switches above a rank; 0: not used (comm/switches.h) */
} irr_agreement_t;

/* Largest number of words in an agreement. */
#define IRR_SETUP_WORDS 60

/* Largest length of the reason of a failed setup, in bytes; an agreement sends it to all ranks. */
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
    irr_comm_t         *comm;       /* NULL if this rank is in trouble; `entered`: in the lists of the engine */
    irr_directory_t    *directory;  /* gathered in this setup; NULL: none */
    irr_segment_handle_t host;      /* segment in which this node keeps the directory; zeroed: none */
    bool                added;      /* the engine owns the directory */
    char               *gathered;   /* buffer for an all-gather of names of switches */
    uint32_t            id;         /* proposed or agreed id of the communicator; IRR_IDS_NONE: none */
    uint32_t            from;       /* start of the search for an id */
    unsigned            draws;      /* number of random proposals */
    uint64_t            busy_ns;    /* time when the search for an id began to wait; 0: it did not */
    bool                entered;    /* the communicator is in the lists of the engine */
    int                 label;      /* label of this rank */
    bool                placed;     /* the labels of all ranks are known */
    bool                lacks_memory;   /* this rank has no memory to share with its node */
    int                 unmapped;   /* a rank of this node with which this rank cannot share memory; -1: none */
    char                unshared[IRR_SETUP_WHY / 2];    /* the reason */
    uint64_t            words[IRR_SETUP_WORDS];     /* words of the present agreement, later their maxima */
    const char         *reason;     /* reason of this rank's trouble, for the present agreement */
    char                why[IRR_SETUP_WHY];     /* reason of the failed setup, equal on all ranks */
    irr_status_t        verdict;    /* result of irr_agree_all: IRR_ERR_NOT_SUPPORTED if a rank is in trouble */
    uint64_t            lowest;     /* result of irr_agree_all; 0: `mine` was true on all ranks; otherwise the number of
                                       ranks minus the lowest rank on which it was false */
    bool                waits;      /* a collective of the caller is running */
    irr_step_fn         next;       /* next step; NULL: the setup is over */
    irr_step_fn         after;      /* step after an agreement */
    irr_step_fn         then;       /* step after several steps with agreements between them */
    irr_status_t        status;
};

/*
 * irr_comm_create without blocking. irr_setup_start starts a setup; irr_setup_test continues it, and returns
 * IRR_IN_PROGRESS until it is over, then its result. irr_setup_test blocks only if the collectives of the caller block.
 * Until the setup is over, the setup object must not move, and the objects to which params points must exist.
 */
void         irr_setup_start(irr_setup_t *setup, irr_engine_t *engine, const irr_comm_params_t *params);
irr_status_t irr_setup_test(irr_setup_t *setup, irr_comm_t **comm_p);

/* Local. Ends a setup that is not over, without a communicator. irr_setup_test must not be called after it. */
void         irr_setup_abandon(irr_setup_t *setup);

/* ---- steps ---- */

/*
 * Start a collective of the caller; `next` is the step that runs when it is complete. The calling step must return the
 * result of this function. irr_setup_reduce computes the maxima of the first `count` words of setup->words.
 */
irr_status_t irr_setup_reduce(irr_setup_t *setup, size_t count, irr_step_fn next);
irr_status_t irr_setup_gather(irr_setup_t *setup, const void *input, void *output, size_t bytes, irr_step_fn next);

/* Finds the labels and the addresses of all members, then runs step `next`. */
irr_status_t irr_connect_find(irr_setup_t *setup, irr_step_fn next);

/*
 * Local. Called when the setup is over, so that shared copies of directories are complete. Replaces this rank's copy by
 * the shared copy of its node, unless they differ, as they may after a failed setup.
 */
void irr_connect_settle(irr_setup_t *setup);

/*
 * Local. Opens a channel to all ranks, unless this rank is in trouble. If a rank cannot be reached over the network,
 * this rank is in trouble. Sets setup->unmapped.
 */
void irr_connect_all(irr_setup_t *setup);

/*
 * Local. Called after the ranks have agreed whether all ranks of a node share memory. If they do, maps what the other
 * ranks have made for this rank; otherwise gives back the memory that irr_connect_all has mapped.
 */
void irr_connect_share(irr_setup_t *setup, bool works);

/*
 * Finds the switches of a communicator of several nodes, then runs step `next`. Sets the topology in setup->files, and
 * replaces each label, a node, by the host in this topology. Starts collectives if agreement.path_bytes is not 0. Rank
 * 0 warns if the names of the switches form no tree or do not match the nodes. If memory is missing, this rank is in
 * trouble.
 */
irr_status_t irr_switches_find(irr_setup_t *setup, irr_step_fn next);

/* If status is an error, this rank is in trouble from now on. Only the first error and its reason are stored. */
void irr_setup_note(irr_setup_t *setup, irr_status_t status, const char *reason);
extern const char irr_setup_no_memory[];

/*
 * As irr_setup_note, for an error of the transport. The reason is "rank R of a communicator cannot FORMAT: status"; for
 * IRR_ERR_NO_MEMORY it is irr_setup_no_memory.
 */
void irr_setup_cannot(irr_setup_t *setup, irr_status_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
