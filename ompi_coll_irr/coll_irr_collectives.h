/*
 * coll_irr_collectives.h - the collectives that coll/irr may serve, in one table: what differs between them.
 */
#ifndef MCA_COLL_IRR_COLLECTIVES_H
#define MCA_COLL_IRR_COLLECTIVES_H

#include "coll_irr_buffer.h"

typedef struct mca_coll_irr_module_t mca_coll_irr_module_t;

/* The rows of the table. */
typedef enum mca_coll_irr_which_t {
    MCA_COLL_IRR_ALLTOALLV,
    MCA_COLL_IRR_ALLTOALL,
    MCA_COLL_IRR_ALLTOALLW,
    MCA_COLL_IRR_NEIGHBOR_ALLTOALLV,
    MCA_COLL_IRR_NEIGHBOR_ALLTOALL,
    MCA_COLL_IRR_NEIGHBOR_ALLTOALLW,
    MCA_COLL_IRR_COLLECTIVES
} mca_coll_irr_which_t;

/* How MPI has each of them. */
typedef enum mca_coll_irr_form_t {
    MCA_COLL_IRR_BLOCKING,
    MCA_COLL_IRR_NONBLOCKING,
    MCA_COLL_IRR_PERSISTENT,
    MCA_COLL_IRR_FORMS
} mca_coll_irr_form_t;

/* Any function; who calls it knows its type. */
typedef void (*mca_coll_irr_function_t)(void);

/* A function of MPI.  Where Open MPI has those of a module, and those that serve a communicator with their modules. */
typedef struct mca_coll_irr_entry_t {
    const char             *call;       /* its name */
    mca_coll_irr_function_t function;   /* ours */
    size_t                  in_module;  /* offset into mca_coll_base_module_t */
    size_t                  in_comm;    /* offsets into mca_coll_base_comm_coll_t */
    size_t                  in_comm_module;
} mca_coll_irr_entry_t;

/*
 * Who served a form of a collective before us; the module is retained, once where rows that follow each other have the
 * same.  NULL: nobody, and we do not offer it.
 */
typedef struct mca_coll_irr_previous_t {
    mca_coll_irr_function_t function;
    mca_coll_base_module_t *module;
} mca_coll_irr_previous_t;

/*
 * Calls it, with the arguments of a call; in place, both sides are the receiving one.  info and request_p: where the
 * form has them.
 */
typedef int (*mca_coll_irr_host_fn_t)(const mca_coll_irr_previous_t *previous, mca_coll_irr_form_t form,
                                      ompi_communicator_t *comm, const mca_coll_irr_call_t *call, ompi_info_t *info,
                                      ompi_request_t **request_p);

typedef struct mca_coll_irr_collective_t {
    mca_coll_irr_entry_t   forms[MCA_COLL_IRR_FORMS];
    const char            *variable;   /* how the names of its MPI_T variables begin */
    int                    algorithm;  /* the parameter that names its algorithm */
    mca_coll_irr_which_t   leader;     /* by whose engine communicator it goes where both have one algorithm */
    mca_coll_irr_host_fn_t host;
    bool                   neighbors;  /* blocks are those of a topology's neighbours, not of all ranks */
} mca_coll_irr_collective_t;

extern const mca_coll_irr_collective_t mca_coll_irr_collectives[MCA_COLL_IRR_COLLECTIVES];

typedef mca_coll_irr_previous_t mca_coll_irr_all_previous_t[MCA_COLL_IRR_COLLECTIVES][MCA_COLL_IRR_FORMS];

/* Does a module offer the blocking form of a collective? */
bool mca_coll_irr_offers(const mca_coll_base_module_t *module, int which);

/* Keeps who serves the communicator so far, and offers those forms that they do and are ours; and lets go of them. */
void mca_coll_irr_previous_keep(mca_coll_irr_all_previous_t previous, const mca_coll_base_comm_coll_t *serving,
                                mca_coll_base_module_t *module);
void mca_coll_irr_previous_drop(mca_coll_irr_all_previous_t previous);

#endif
