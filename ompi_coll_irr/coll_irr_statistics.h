/*
 * coll_irr_statistics.h - the log of coll_irr_verbose, the statistics of collectives, and the report of a job.
 */
#ifndef MCA_COLL_IRR_STATISTICS_H
#define MCA_COLL_IRR_STATISTICS_H

#include "coll_irr_request.h"

/* ---- the cause ---- */

/*
 * Writes why the collective is served by what serves it now: a clause that follows "because".  Local, at any time until
 * the engine goes; MCA_COLL_IRR_CAUSE bytes are room enough.
 */
void mca_coll_irr_cause(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service, char *text,
                        size_t size);

/* While SERVING: returns the name of the algorithm. */
static inline const char *mca_coll_irr_serving(const mca_coll_irr_service_t *service)
{
    return service->irr_comm != NULL ? irr_comm_algorithm(service->irr_comm) : irr_algorithm_name(service->algorithm);
}

/* Writes a strategy of a service, as a user would name it; or "Open MPI's own". */
void mca_coll_irr_strategy_text(const mca_coll_irr_service_t *service, int strategy, char *text, size_t size);

/* The same for the one that serves now, or the name of an algorithm. */
void mca_coll_irr_served_by(const mca_coll_irr_service_t *service, char *text, size_t size);

/* ---- the log ---- */

/* With verbosity 1 rank 0 of the communicator logs what serves the collective now, and the cause. */
void mca_coll_irr_log(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/* The same when the communicator, or the job, ends, if the collective was called and has no line yet. */
void mca_coll_irr_log_end(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/* Logs once, when all components have been asked, which collectives one of a higher priority serves. */
void mca_coll_irr_log_above(mca_coll_irr_module_t *module);

/* Returns the name of the communicator; Open MPI gives none to those of MPI_Intercomm_create. */
const char *mca_coll_irr_name(const mca_coll_irr_module_t *module);

/* Returns the nodes of the communicator, without asking its ranks; coll_irr_ranks_per_node defines them if given. */
int mca_coll_irr_nodes(const mca_coll_irr_module_t *module);

/* ---- statistics ---- */

/* Before a nonblocking call: makes the record of its service, if it is measured. */
void mca_coll_irr_stats_ask(mca_coll_irr_service_t *service);

/* Counts an exchange that took this time, if the service is measured. */
void mca_coll_irr_stats_took(mca_coll_irr_service_t *service, uint64_t ns);

/* Counts a blocking call that took this time, without agreements, and sent this, if it is measured. */
void mca_coll_irr_stats_call(const mca_coll_irr_module_t *module, mca_coll_irr_service_t *service,
                             const mca_coll_irr_side_t *sent, uint64_t ns);

/* Counts what a nonblocking call sends, when it starts. */
void mca_coll_irr_stats_start(mca_coll_irr_class_t *class, const mca_coll_irr_call_t *call);

/* Counts a persistent request when it can be started; its init call began at begin_ns; 0: it is not measured. */
void mca_coll_irr_stats_request(mca_coll_irr_request_t *request, uint64_t begin_ns);

/* Counts an agreement of a service, or a preparation, that began at begin_ns. */
void mca_coll_irr_stats_agreed(mca_coll_irr_service_t *service, uint64_t begin_ns);

/* Takes the speedups of a trial, if one has ended since the last call, into the record and into memory. */
void mca_coll_irr_stats_found(mca_coll_irr_service_t *service);

/*
 * Sets the numbers of the record of a service until now.  Numbers of calls, messages and their times are 0 unless they
 * are measured.
 */
void mca_coll_irr_stats_record(const mca_coll_irr_service_t *service, mca_coll_irr_record_t *record);

/* Sets its texts and ranks, as they are on a communicator. */
void mca_coll_irr_stats_texts(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service,
                              mca_coll_irr_record_t *record);

/* The communicator, or the job, ends: the record gets its name.  A second call does nothing. */
void mca_coll_irr_stats_end(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/* After that its team, or the job, ends: adds the record to the report.  A second call does nothing. */
void mca_coll_irr_stats_close(mca_coll_irr_service_t *service);

/* The same two for a class. */
void mca_coll_irr_stats_class_end(mca_coll_irr_class_t *class);

/* ---- the report ---- */

/* With the component. */
void mca_coll_irr_report_open(void);
void mca_coll_irr_report_close(void);

/* Local: adds a record, if there is a report. */
void mca_coll_irr_report_add(const mca_coll_irr_record_t *record);

/* When MPI_COMM_WORLD goes: rank 0 writes the report of all ranks; waits for them, for a bounded time. */
void mca_coll_irr_report_end(void);

#endif
