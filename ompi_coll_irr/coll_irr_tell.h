/*
 * coll_irr_tell.h - what the user is told of: lines of coll_irr_verbose, what was measured, and the report of a job.
 */
#ifndef MCA_COLL_IRR_TELL_H
#define MCA_COLL_IRR_TELL_H

#include "coll_irr_request.h"

/* ---- the cause ---- */

/*
 * Why the collective is served by what serves it now: a clause, to be put behind "because".  Local, at any time until
 * the engine goes; MCA_COLL_IRR_CAUSE bytes are room enough.
 */
void mca_coll_irr_cause(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service, char *text,
                        size_t size);

/* While SERVING: the name of the algorithm. */
static inline const char *mca_coll_irr_serving(const mca_coll_irr_service_t *service)
{
    return service->irr_comm != NULL ? irr_comm_algorithm(service->irr_comm) : irr_algorithm_name(service->algorithm);
}

/* A way of a service, as a user would name it. */
void mca_coll_irr_way_text(const mca_coll_irr_service_t *service, int way, char *text, size_t size);

/* What serves it: the name of an algorithm, or of a way that was found; or "Open MPI's own". */
void mca_coll_irr_served_by(const mca_coll_irr_service_t *service, char *text, size_t size);

/* ---- lines of coll_irr_verbose ---- */

/* With verbosity 1 rank 0 of the communicator says what serves the collective now, and the cause. */
void mca_coll_irr_say(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/* The same when the communicator, or the job, ends, for a collective that was called and of which no line tells yet. */
void mca_coll_irr_say_end(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/* Once, when all components have been asked: of collectives that one of a higher priority serves. */
void mca_coll_irr_say_above(mca_coll_irr_module_t *module);

/* What its communicator is called; Open MPI names most, and no inter-communicator of MPI_Intercomm_create. */
const char *mca_coll_irr_name(const mca_coll_irr_module_t *module);

/* Nodes of the communicator, without asking its ranks; what coll_irr_ranks_per_node makes them, if it is given. */
int mca_coll_irr_nodes(const mca_coll_irr_module_t *module);

/* With the component. */
void mca_coll_irr_say_close(void);

/* ---- what was measured ---- */

/* After a blocking call that took so long, agreements left out, and sent this; counted if somebody asked. */
void mca_coll_irr_tally_call(const mca_coll_irr_module_t *module, mca_coll_irr_service_t *service,
                             const mca_coll_irr_side_t *sent, uint64_t ns);

/* After an agreement of a service, or a preparation, that began then. */
void mca_coll_irr_tally_agreed(mca_coll_irr_service_t *service, uint64_t begin_ns);

/* A trial is over, if there was one since the last call: its speedups go to the report, and into memory. */
void mca_coll_irr_tally_found(mca_coll_irr_service_t *service);

/*
 * Sets the numbers of the record of a service until now.  Numbers of calls, messages and their times are 0 unless they
 * are measured.
 */
void mca_coll_irr_tally_record(const mca_coll_irr_service_t *service, mca_coll_irr_record_t *record);

/* Sets its texts and ranks, as they are on a communicator. */
void mca_coll_irr_tally_texts(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service,
                              mca_coll_irr_record_t *record);

/* The communicator, or the job, ends: what was measured is known by the communicator's name.  Twice does no harm. */
void mca_coll_irr_tally_end(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service);

/* Behind that, its team, or the job, ends: what was measured goes to the report.  Twice does no harm. */
void mca_coll_irr_tally_close(mca_coll_irr_service_t *service);

/* Before a nonblocking call: is its service measured?  Then it has a row from now on. */
void mca_coll_irr_tally_ask(mca_coll_irr_service_t *service);

/* Such a call starts. */
void mca_coll_irr_tally_start(mca_coll_irr_series_t *series, const mca_coll_irr_call_t *call);

/* A persistent request can be started from now on; its init call began then, or nothing is measured (0). */
void mca_coll_irr_tally_request(mca_coll_irr_request_t *request, uint64_t begin_ns);

/* The same as of a communicator. */
void mca_coll_irr_tally_series_end(mca_coll_irr_series_t *series);

/* ---- report ---- */

/* With the component. */
void mca_coll_irr_report_open(void);
void mca_coll_irr_report_close(void);

/* Local: one row more, if there is a report. */
void mca_coll_irr_report_add(const mca_coll_irr_record_t *record);

/* When MPI_COMM_WORLD goes: rank 0 writes what all ranks tell; waits for them, for a bounded time. */
void mca_coll_irr_report_end(void);

#endif
