/*
 * coll_irr_engine.h - the engine of the process, from its first use to the end of the job, and what
 * moves its messages.
 */
#ifndef MCA_COLL_IRR_ENGINE_H
#define MCA_COLL_IRR_ENGINE_H

#include "coll_irr.h"
#include "transport/auto.h"

/* Opens the engine of the process if it is not open; IRR_OK or why not, and the reason from malloc. */
irr_status_t mca_coll_irr_engine_open(void);

/* Progresses all of MPI, and the engine if it is open.  Returns false past the deadline (0: there is none). */
bool mca_coll_irr_progress(time_t deadline);

/* Destroys the open engine; all processes that talked to each other must have drained theirs. */
void mca_coll_irr_engine_close(void);

/* Waits for an exchange while it progresses all of MPI; returns its result. */
irr_status_t mca_coll_irr_engine_wait(irr_exchange_t *exchange);

/*
 * Waits for a request without blocking in the PML, and frees it: requests of Open MPI and our endpoints move together.
 * OMPI_ERR_TIMEOUT past the deadline (0: there is none), and it goes on.  The bytes received, if they are wanted.
 */
int mca_coll_irr_complete(ompi_request_t *request, time_t deadline, size_t *bytes_p);

/* Has this node more processes of the job than processors?  Then who waits must let others run. */
bool mca_coll_irr_is_crowded(void);

/* The counters of the engine, also before it was opened and after it went. */
void mca_coll_irr_counters(irr_counters_t *counters);

/* True once messages have gone over the network. */
bool mca_coll_irr_engine_has_network(void);

/* The one place where the engine's status becomes Open MPI's. */
int mca_coll_irr_error(irr_status_t status);

/* ---- coll_irr_teardown.c ---- */

/* Members as ranks of MPI_COMM_WORLD, ascending; from malloc. */
struct mca_coll_irr_group_t {
    struct mca_coll_irr_group_t *next;
    int                          size;
    int                          ranks[];
};

/* NULL without memory. */
mca_coll_irr_group_t *mca_coll_irr_group_create(const mca_coll_irr_ranks_t *ranks);

/*
 * Remembers that this process exchanges with the members of a group, for the barrier at the end; takes the
 * group.  To be called on all members or on none.
 */
void mca_coll_irr_teardown_add(mca_coll_irr_group_t *group);

/* Closes the engine together with all processes it exchanged with; MPI_COMM_WORLD must still work. */
void mca_coll_irr_teardown(void);

/* Frees the groups. */
void mca_coll_irr_groups_free(void);

/* ---- coll_irr_network.c ---- */

/* Chooses the transport from parameters and devices, when the component is opened. */
void mca_coll_irr_network_open(void);

/* Returns that transport, and the cause. */
const irr_transport_choice_t *mca_coll_irr_network_choice(void);

/* Sets a configuration to the parameters of transports; its texts live as long as the component. */
void mca_coll_irr_network_config(irr_engine_config_t *config);

/* Logs once which transport the engine has opened, if it has, and why. */
void mca_coll_irr_network_log(void);

#endif
