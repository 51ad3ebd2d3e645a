/*
 * coll_irr_engine.h - the engine of the process, from its first use to the end of the job, and its transport.
 */
#ifndef MCA_COLL_IRR_ENGINE_H
#define MCA_COLL_IRR_ENGINE_H

#include "coll_irr.h"
#include "transport/auto.h"

/* Opens the engine of the process unless the engine is open.  Returns IRR_OK or an error. */
irr_status_t mca_coll_irr_engine_open(void);

/* Progresses all of MPI and the engine.  Returns false after the deadline; 0: there is no deadline. */
bool mca_coll_irr_progress(time_t deadline);

/* Destroys the open engine.  All processes that exchanged messages must have drained theirs. */
void mca_coll_irr_engine_close(void);

/* Blocks until an exchange has ended; progresses all of MPI.  Returns the status of the exchange. */
irr_status_t mca_coll_irr_engine_wait(irr_exchange_t *exchange);

/*
 * Blocks until a request has completed, and frees it.  Progresses MPI and the engine, instead of blocking in the PML.
 * Sets *bytes_p, unless NULL, to the number of bytes received.  Returns OMPI_SUCCESS, or OMPI_ERR_TIMEOUT after the
 * deadline; the request then stays active.  Deadline 0 means no deadline.
 */
int mca_coll_irr_complete(ompi_request_t *request, time_t deadline, size_t *bytes_p);

/* Returns true if waits must yield the processor: this node has more processes than processors, or Open MPI yields. */
bool mca_coll_irr_is_crowded(void);

/* Counters of the engine, also before it opens and after it closes. */
void mca_coll_irr_counters(irr_counters_t *counters);

/* Converts a status of the engine to an error of Open MPI. */
int mca_coll_irr_error(irr_status_t status);

/* Chooses the transport from the parameters and the network devices.  Called when the component opens. */
void mca_coll_irr_transport_open(void);

/* Returns the chosen transport and the cause of the choice. */
const irr_transport_choice_t *mca_coll_irr_transport(void);

/* When the engine has opened a network: sets *choice to it, with the cause. It may differ from the chosen transport. */
void mca_coll_irr_network(irr_transport_choice_t *choice);

/* ---- coll_irr_setup.c: the teardown of the engine at the end of the job ---- */

/* The members of a communicator as ascending ranks of MPI_COMM_WORLD; from malloc. */
struct mca_coll_irr_group_t {
    struct mca_coll_irr_group_t *next;
    int                          size;
    int                          ranks[];
};

/*
 * Includes the members of a group, of which this function takes ownership, in the barriers of the teardown.  Either all
 * members must call this function or none.
 */
void mca_coll_irr_teardown_add(mca_coll_irr_group_t *group);

/*
 * Closes and drains the engine, together with all processes that this process exchanged messages with.  Blocks for at
 * most coll_irr_timeout.  MPI_COMM_WORLD must still work.
 */
void mca_coll_irr_teardown(void);

void mca_coll_irr_groups_free(void);

#endif
