/*
 * coll_irr_statistics.h - the log of coll_irr_verbose, the statistics of collectives, and the report of a job.
 *
 * A service is the state of a collective on the communicators of a team, or in an operation class: who serves the
 * calls, with which strategy, and why.  Its record holds the numbers for the report (coll_irr_record.h).
 */
#ifndef MCA_COLL_IRR_STATISTICS_H
#define MCA_COLL_IRR_STATISTICS_H

#include "coll_irr_request.h"

/* The name of the algorithm that serves the collective in the state SERVING. */
static inline const char *mca_coll_irr_serving(const mca_coll_irr_service_t *service)
{
    return service->strategies[0] != NULL ? irr_comm_algorithm(service->strategies[0])
                                          : irr_algorithm_name(service->algorithm);
}

/* Writes the name of a strategy for the user; "Open MPI's own" stands for Open MPI's implementation. */
void mca_coll_irr_strategy_text(const mca_coll_irr_service_t *service, int strategy, char *text, size_t size);

/* ---- the log ---- */

/* With coll_irr_verbose 1, rank 0 of the communicator logs the strategy of the collective, and the cause. */
void mca_coll_irr_log(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/* When the communicator or the job ends: logs a collective that was called and is not in the log yet. */
void mca_coll_irr_log_end(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/* Logs, once, which collectives a component of a higher priority serves.  Open MPI must have enabled all modules. */
void mca_coll_irr_log_above(mca_coll_irr_module_t *module);

/* ---- statistics ---- */

/* Allocates the record of a service if the component measures times. */
void mca_coll_irr_stats_reserve(mca_coll_irr_service_t *service);

/* The time of an exchange on this rank, in nanoseconds. */
typedef struct mca_coll_irr_took_t {
    uint64_t ns;        /* from its start to its end */
    uint64_t cost_ns;   /* the part that the program waited */
} mca_coll_irr_took_t;

/*
 * These two functions count an exchange, and the messages of its send side, if the service has a record.  strategy: the
 * engine communicator that served the exchange; NULL: Open MPI.  It must still be open.
 */
void mca_coll_irr_stats_took(mca_coll_irr_service_t *service, const irr_comm_t *strategy,
                             const mca_coll_irr_took_t *took);
void mca_coll_irr_stats_load(const mca_coll_irr_module_t *module, mca_coll_irr_service_t *service,
                             const mca_coll_irr_side_t *side);

/* Counts the messages of a persistent request, and the time since its init call began at begin_ns, unless 0. */
void mca_coll_irr_stats_request(mca_coll_irr_request_t *request, uint64_t begin_ns);

/* Counts an agreement or a setup that began at begin_ns. */
void mca_coll_irr_stats_agreed(mca_coll_irr_service_t *service, uint64_t begin_ns);

/* If a trial has ended since the last call, adds its speedups to the record and to the lessons. */
void mca_coll_irr_stats_found(mca_coll_irr_service_t *service);

/*
 * Sets *record to the current numbers of a service.  Calls and messages are 0 if the component does not measure times.
 */
void mca_coll_irr_stats_record(const mca_coll_irr_service_t *service, mca_coll_irr_record_t *record);

/* Sets the texts and the number of ranks of a record. */
void mca_coll_irr_stats_texts(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service,
                              mca_coll_irr_record_t *record);

/* Sets the members of the record that calls do not set: the texts, and the numbers of communicators and of nodes. */
void mca_coll_irr_stats_complete(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/*
 * Multiplies the messages of a persistent request by the number of its starts, because mca_coll_irr_stats_request
 * counts those of one start.
 */
void mca_coll_irr_stats_starts(mca_coll_irr_record_t *record);

/* Logs the service and completes its record when the communicator or the job ends.  May be called again. */
void mca_coll_irr_stats_end(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/* The records of services that have ended.  The component's lock guards the table. */
typedef struct mca_coll_irr_ended_t {
    bool                 wanted;   /* there is a report, so records are kept */
    mca_coll_irr_table_t table;
} mca_coll_irr_ended_t;

extern mca_coll_irr_ended_t mca_coll_irr_ended;

/* Keeps the completed record for the report when the team or the job ends.  A second call does nothing. */
void mca_coll_irr_stats_close(mca_coll_irr_service_t *service);

/* Completes the record of an operation class, and keeps it for the report. */
void mca_coll_irr_stats_class_end(mca_coll_irr_class_t *class);

/* ---- the report ---- */

/* Called when the component opens and closes. */
void mca_coll_irr_report_open(void);
void mca_coll_irr_report_close(void);

/*
 * Updates the file of the report, at most once in a while; see coll_irr_report.c.  Must be called within a call of MPI
 * from the program, not in progress.
 */
void mca_coll_irr_report_update(void);

/*
 * Rank 0 collects the records of all ranks and writes the report, when MPI_COMM_WORLD is freed.  Each rank waits for a
 * bounded time.
 */
void mca_coll_irr_report_end(void);

#endif
