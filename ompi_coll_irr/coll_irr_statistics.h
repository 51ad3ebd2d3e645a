/*
 * coll_irr_statistics.h - the log of coll_irr_verbose, the statistics of collectives, and the report of a job.
 */
#ifndef MCA_COLL_IRR_STATISTICS_H
#define MCA_COLL_IRR_STATISTICS_H

#include "coll_irr_request.h"

/* ---- the cause ---- */

/*
 * Local: writes why the collective is served by its current strategy, as a clause that follows "because".  Valid until
 * the engine closes.  MCA_COLL_IRR_CAUSE bytes are enough.
 */
void mca_coll_irr_cause(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service, char *text,
                        size_t size);

/* In state SERVING: returns the name of the algorithm. */
static inline const char *mca_coll_irr_serving(const mca_coll_irr_service_t *service)
{
    return service->irr_comm != NULL ? irr_comm_algorithm(service->irr_comm) : irr_algorithm_name(service->algorithm);
}

/*
 * Writes the name of a strategy of a service for the user; "Open MPI's own" is the name of Open MPI's implementation.
 */
void mca_coll_irr_strategy_text(const mca_coll_irr_service_t *service, int strategy, char *text, size_t size);

/* Writes the name of the current strategy for the user, or of the algorithm in state SERVING. */
void mca_coll_irr_served_by(const mca_coll_irr_service_t *service, char *text, size_t size);

/* ---- the log ---- */

/* With verbosity 1, rank 0 of the communicator logs what serves the collective now, and the cause. */
void mca_coll_irr_log(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/* Calls mca_coll_irr_log when the communicator or the job ends, if the collective was called and not logged yet. */
void mca_coll_irr_log_end(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/* Logs once which collectives a component of a higher priority serves.  Call after Open MPI has enabled all modules. */
void mca_coll_irr_log_above(mca_coll_irr_module_t *module);

/* Returns the name of the communicator; Open MPI gives no name to communicators of MPI_Intercomm_create. */
const char *mca_coll_irr_name(const mca_coll_irr_module_t *module);

/* Local: returns the number of nodes of the communicator; coll_irr_ranks_per_node defines them if it is given. */
int mca_coll_irr_nodes(const mca_coll_irr_module_t *module);

/* ---- statistics ---- */

/* Allocates the record of a service if times are measured.  Call before a nonblocking call. */
void mca_coll_irr_stats_reserve(mca_coll_irr_service_t *service);

/* Counts an exchange of `ns` nanoseconds, if the service has a record. */
void mca_coll_irr_stats_took(mca_coll_irr_service_t *service, uint64_t ns);

/*
 * Counts a blocking call of `ns` nanoseconds without agreements, and the load of its send side, if times are measured.
 */
void mca_coll_irr_stats_call(const mca_coll_irr_module_t *module, mca_coll_irr_service_t *service,
                             const mca_coll_irr_side_t *sent, uint64_t ns);

/* Counts the load of the send side of a call, if the service has a record.  Call when a nonblocking call starts. */
void mca_coll_irr_stats_load(const mca_coll_irr_module_t *module, mca_coll_irr_service_t *service,
                             const mca_coll_irr_side_t *side);

/* Counts a persistent request that can be started.  begin_ns: time when its init call began, or 0 if not measured. */
void mca_coll_irr_stats_request(mca_coll_irr_request_t *request, uint64_t begin_ns);

/* Counts an agreement or a preparation of a service that began at begin_ns. */
void mca_coll_irr_stats_agreed(mca_coll_irr_service_t *service, uint64_t begin_ns);

/* If a trial has ended since the last call, adds its speedups to the record and to the lessons. */
void mca_coll_irr_stats_found(mca_coll_irr_service_t *service);

/*
 * Sets *record to the current numbers of a service.  Numbers and times of calls and messages are 0 if they are not
 * measured.
 */
void mca_coll_irr_stats_record(const mca_coll_irr_service_t *service, mca_coll_irr_record_t *record);

/* Sets the texts of the record, and the number of ranks, from a communicator. */
void mca_coll_irr_stats_texts(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service,
                              mca_coll_irr_record_t *record);

/* Completes the texts of the record when the communicator or the job ends.  May be called again. */
void mca_coll_irr_stats_end(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/*
 * Adds the record of a service to the report.  Called when the team or the job ends and the texts are complete.  A
 * second call does nothing.
 */
void mca_coll_irr_stats_close(mca_coll_irr_service_t *service);

/* Completes the record of an operation class, and adds it to the report. */
void mca_coll_irr_stats_class_end(mca_coll_irr_class_t *class);

/* ---- the report ---- */

/* Called when the component opens and closes. */
void mca_coll_irr_report_open(void);
void mca_coll_irr_report_close(void);

/* Writes the report of all ranks on rank 0, when MPI_COMM_WORLD is freed.  Waits for other ranks for a bounded time. */
void mca_coll_irr_report_end(void);

#endif
