/*
 * coll_irr_statistics.h - the log of coll_irr_verbose, the statistics of collectives, and the report of a job.
 *
 * A service is the state of a collective on the communicators of a team, or in an operation class.  Open MPI or the
 * engine serves the calls, with a strategy that the service names.  The cause is the reason for the strategy.  A record
 * holds the numbers of a service for the report (coll_irr_record.h).
 */
#ifndef MCA_COLL_IRR_STATISTICS_H
#define MCA_COLL_IRR_STATISTICS_H

#include "coll_irr_request.h"

/* Returns the name of the algorithm that serves the collective.  The state must be SERVING. */
static inline const char *mca_coll_irr_serving(const mca_coll_irr_service_t *service)
{
    return service->strategies[0] != NULL ? irr_comm_algorithm(service->strategies[0])
                                          : irr_algorithm_name(service->algorithm);
}

/*
 * Writes the name of a strategy of a service for the user; "Open MPI's own" is the name of Open MPI's implementation.
 */
void mca_coll_irr_strategy_text(const mca_coll_irr_service_t *service, int strategy, char *text, size_t size);

/* ---- the log ---- */

/* With coll_irr_verbose 1, rank 0 of the communicator logs the current strategy of the collective, and the cause. */
void mca_coll_irr_log(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/*
 * Called when the communicator or the job ends.  Calls mca_coll_irr_log if the collective was called and is not in the
 * log yet.
 */
void mca_coll_irr_log_end(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/*
 * Logs which collectives a component of a higher priority serves; a second call does nothing.  Call after Open MPI has
 * enabled all modules.
 */
void mca_coll_irr_log_above(mca_coll_irr_module_t *module);

/* ---- statistics ---- */

/* Allocates the record of a service if the component measures times.  Runs before a nonblocking call starts. */
void mca_coll_irr_stats_reserve(mca_coll_irr_service_t *service);

/* Counts an exchange of `ns` nanoseconds, if the service has a record. */
void mca_coll_irr_stats_took(mca_coll_irr_service_t *service, uint64_t ns);

/* Counts the messages of the send side of a call, if the service has a record. */
void mca_coll_irr_stats_load(const mca_coll_irr_module_t *module, mca_coll_irr_service_t *service,
                             const mca_coll_irr_side_t *side);

/*
 * Counts the messages of a persistent request, and the time of its init call.  begin_ns: time when the init call began,
 * or 0 if the time does not count.
 */
void mca_coll_irr_stats_request(mca_coll_irr_request_t *request, uint64_t begin_ns);

/* Counts an agreement or a setup of a service, and the time since it began at begin_ns. */
void mca_coll_irr_stats_agreed(mca_coll_irr_service_t *service, uint64_t begin_ns);

/* If a trial has ended since the last call, adds its speedups to the record and to the lessons for later trials. */
void mca_coll_irr_stats_found(mca_coll_irr_service_t *service);

/*
 * Sets *record to the current numbers of a service.  Numbers and times of calls and messages are 0 if the component
 * does not measure times.
 */
void mca_coll_irr_stats_record(const mca_coll_irr_service_t *service, mca_coll_irr_record_t *record);

/* Sets the texts and the number of ranks of a record, from a communicator. */
void mca_coll_irr_stats_texts(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service,
                              mca_coll_irr_record_t *record);

/* Completes the record of a service when the communicator or the job ends.  May be called again. */
void mca_coll_irr_stats_end(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/*
 * Adds the record of a service to the report when the team or the job ends.  The texts of the record must be complete.
 * A second call does nothing.
 */
void mca_coll_irr_stats_close(mca_coll_irr_service_t *service);

/* Completes the record of an operation class, and adds it to the report. */
void mca_coll_irr_stats_class_end(mca_coll_irr_class_t *class);

/* ---- the report ---- */

/* Called when the component opens and closes. */
void mca_coll_irr_report_open(void);
void mca_coll_irr_report_close(void);

/*
 * Collects the records of all ranks on rank 0, which writes the report.  Called when MPI_COMM_WORLD is freed.  Waits
 * for other ranks for a bounded time.
 */
void mca_coll_irr_report_end(void);

#endif
