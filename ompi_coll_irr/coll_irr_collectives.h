/*
 * coll_irr_collectives.h - the table of the collectives that coll/irr may serve: what differs between them.
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

/* The forms of a collective in MPI. */
typedef enum mca_coll_irr_form_t {
    MCA_COLL_IRR_BLOCKING,
    MCA_COLL_IRR_NONBLOCKING,
    MCA_COLL_IRR_PERSISTENT,
    MCA_COLL_IRR_FORMS
} mca_coll_irr_form_t;

/* A function of any type; the caller knows the type. */
typedef void (*mca_coll_irr_function_t)(void);

/*
 * A function of MPI: its entry point here, and where Open MPI stores the functions of a module and of a communicator.
 */
typedef struct mca_coll_irr_entry_t {
    const char             *call;       /* name of the function */
    mca_coll_irr_function_t function;   /* our entry point */
    size_t                  in_module;  /* offset into mca_coll_base_module_t */
    size_t                  in_comm;    /* offsets into mca_coll_base_comm_coll_t */
    size_t                  in_comm_module;
} mca_coll_irr_entry_t;

/*
 * The function and the module that served a form of a collective before this module.  NULL: none, so the form is not
 * offered.  The module is retained, once for consecutive rows with the same module.
 */
typedef struct mca_coll_irr_previous_t {
    mca_coll_irr_function_t function;
    mca_coll_base_module_t *module;
} mca_coll_irr_previous_t;

/*
 * Calls a previous function with the arguments of a call.  With MPI_IN_PLACE both sides are the receive side.  info and
 * request_p are used by the forms that have them.
 */
typedef int (*mca_coll_irr_host_fn_t)(const mca_coll_irr_previous_t *previous, mca_coll_irr_form_t form,
                                      ompi_communicator_t *comm, const mca_coll_irr_call_t *call, ompi_info_t *info,
                                      ompi_request_t **request_p);

typedef struct mca_coll_irr_collective_t {
    mca_coll_irr_entry_t   forms[MCA_COLL_IRR_FORMS];
    const char            *variable;   /* prefix of the names of its MPI_T variables */
    int                    algorithm;  /* index of the parameter that names its algorithm */
    mca_coll_irr_which_t   leader;     /* collective whose engine communicator it shares if both use one algorithm */
    mca_coll_irr_host_fn_t host;
    bool                   neighbors;  /* has blocks for neighbors of a topology, not for all ranks */
} mca_coll_irr_collective_t;

extern const mca_coll_irr_collective_t mca_coll_irr_collectives[MCA_COLL_IRR_COLLECTIVES];

typedef mca_coll_irr_previous_t mca_coll_irr_all_previous_t[MCA_COLL_IRR_COLLECTIVES][MCA_COLL_IRR_FORMS];

/* Returns true if a module offers the blocking form of a collective. */
bool mca_coll_irr_offers(const mca_coll_base_module_t *module, int which);

/*
 * mca_coll_irr_previous_keep retains the modules that serve the communicator so far, and sets the functions of `module`
 * for each form that they offer.  mca_coll_irr_previous_drop releases them.
 */
void mca_coll_irr_previous_keep(mca_coll_irr_all_previous_t previous, const mca_coll_base_comm_coll_t *serving,
                                mca_coll_base_module_t *module);
void mca_coll_irr_previous_drop(mca_coll_irr_all_previous_t previous);

#endif
