/*
 * coll_irr_report.c - coll_irr_report: rank 0 writes a report of the collectives at the end of the job.
 *
 * Each rank sums its records in a table.  Rank 0 receives the tables of other ranks in MPI_Finalize, when the module of
 * MPI_COMM_WORLD is freed: all processes still exist then, and point-to-point messages work (coll_irr_teardown.c).  The
 * parameter may differ between ranks, and some may lack coll/irr.  Each process that contributes to the report
 * therefore publishes this with the data that MPI_Init exchanges anyway.  Rank 0 waits for no other process, and no
 * process sends to a rank 0 that does not wait.  No wait is longer than WAIT_S.
 *
 * Cost: one message per rank, with one record for each kind of communicator, at most 64.  None if the report is off.
 */
#include "coll_irr_engine.h"
#include "coll_irr_team.h"
#include "coll_irr_statistics.h"

#include <errno.h>
#include <time.h>

#define KEY "coll.irr.report"

/* Limit in seconds for rank 0 to wait for other ranks, and for them to wait for rank 0, in MPI_Finalize. */
#define WAIT_S 10

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define VERSION TEXT(IRR_VERSION_MAJOR) "." TEXT(IRR_VERSION_MINOR) "." TEXT(IRR_VERSION_RELEASE)

static struct {
    bool                 wanted;
    char                *path;     /* copy of the parameter, which is freed earlier */
    int                  reporting;   /* number of ranks whose records are in the table */
    FILE                *file;     /* on rank 0; NULL: stderr */
    mca_coll_irr_table_t table;    /* guarded by the component's lock */
} report;

/* ---- begin ---- */

static bool is_given(const char *value)
{
    return value[0] != '\0' && strcmp(value, "0") != 0;
}

static void warn(const char *outcome)
{
    char text[512];

    snprintf(text, sizeof(text), "coll_irr_report is %s, which cannot be written: %s; %s", report.path,
             strerror(errno), outcome);
    mca_coll_irr_warn("engine-message", text);
}

/*
 * Opens the file at once, so that an error is reported at the start of the job, not after hours.  Returns false if
 * there is no report.
 */
static bool open_file(const char *path)
{
    report.path = strdup(path);
    if (report.path == NULL || strcmp(path, "1") == 0) {
        return report.path != NULL;
    }
    report.file = fopen(path, "we");
    if (report.file == NULL) {
        warn("there is no report");
    }
    return report.file != NULL;
}

void mca_coll_irr_report_open(void)
{
    const char *value = mca_coll_irr_component.params.report;

    mca_coll_irr_component.measures = mca_coll_irr_component.params.verbose > 0;   /* the log also contains times */
    if (!is_given(value) || mca_coll_irr_component.params.priority < 0 ||
        !mca_coll_irr_abi_matches(NULL, 0) || !mca_coll_irr_modex_works()) {
        return;
    }
    report.reporting = 1;
    report.wanted = (mca_coll_irr_my_process() != 0 || open_file(value)) && mca_coll_irr_modex_put(KEY, 1);
    mca_coll_irr_component.measures = mca_coll_irr_component.measures || report.wanted;
}

void mca_coll_irr_report_add(const mca_coll_irr_record_t *record)
{
    if (report.wanted) {
        opal_mutex_lock(&mca_coll_irr_component.lock);
        mca_coll_irr_table_add(&report.table, record, true);
        opal_mutex_unlock(&mca_coll_irr_component.lock);
    }
}

/* ---- the end ---- */

/* Returns true if a rank of MPI_COMM_WORLD contributes to the report. */
static bool has_report(int rank)
{
    const opal_process_name_t name = ompi_group_get_proc_name(ompi_mpi_comm_world.comm.c_local_group, rank);
    uint64_t value;

    return mca_coll_irr_modex_get(KEY, &name, &value) == OMPI_SUCCESS;
}

/* Adds the records of a message of this length. */
static void take(const mca_coll_irr_record_t *records, size_t bytes)
{
    const size_t count = bytes / sizeof(*records);

    for (size_t i = 0; i < count && i < MCA_COLL_IRR_RECORDS; i++) {
        if (mca_coll_irr_record_is_sound(&records[i])) {
            mca_coll_irr_table_add(&report.table, &records[i], false);
        }
    }
    report.reporting++;
}

/* Rank 0: collects the records of all contributing ranks. */
static void gather(time_t deadline)
{
    ompi_communicator_t *world = &ompi_mpi_comm_world.comm;
    mca_coll_irr_record_t *records = malloc(sizeof(report.table.records));
    ompi_request_t *request;
    size_t bytes;

    for (int i = 1; i < ompi_comm_size(world) && records != NULL; i++) {
        if (!has_report(i)) {
            continue;
        }
        if (MCA_PML_CALL(irecv(records, sizeof(report.table.records), MPI_BYTE, i, MCA_COLL_BASE_TAG_GATHER, world,
                               &request)) != OMPI_SUCCESS) {
            break;
        }
        if (mca_coll_irr_complete(request, deadline, &bytes) != OMPI_SUCCESS) {
            return;   /* a late message may still use the memory */
        }
        take(records, bytes);
    }
    free(records);
}

static void send_records(time_t deadline)
{
    const size_t bytes = (size_t)report.table.count * sizeof(report.table.records[0]);
    ompi_request_t *request;

    if (has_report(0) &&
        MCA_PML_CALL(isend(report.table.records, bytes, MPI_BYTE, 0, MCA_COLL_BASE_TAG_GATHER,
                           MCA_PML_BASE_SEND_STANDARD, &ompi_mpi_comm_world.comm, &request)) == OMPI_SUCCESS) {
        (void)mca_coll_irr_complete(request, deadline, NULL);
    }
}

static bool is_json(const char *path)
{
    const size_t length = strlen(path);

    return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

/*
 * Writes the report.  On stderr it is written as a whole, so that output of other processes does not interleave;
 * without memory for this, line by line.
 */
static void write_report(void)
{
    const mca_coll_irr_job_t job = {
        .version = VERSION, .ranks = (int)mca_coll_irr_process_info.num_procs, .reporting = report.reporting };
    char *text = NULL;
    size_t size = 0;
    FILE *stream = report.file != NULL ? report.file : open_memstream(&text, &size);
    bool failed;

    stream = stream != NULL ? stream : stderr;
    mca_coll_irr_table_sort(&report.table);
    (is_json(report.path) ? mca_coll_irr_table_json : mca_coll_irr_table_print)(&report.table, &job, stream);
    failed = ferror(stream) != 0;
    failed = (stream != stderr && fclose(stream) != 0) || failed;
    if (report.file != NULL && failed) {
        warn("the file is not complete");
    } else if (text != NULL) {
        fwrite(text, 1, size, stderr);
    }
    report.file = NULL;
    free(text);
}

void mca_coll_irr_report_end(void)
{
    const time_t deadline = time(NULL) + WAIT_S;

    if (!report.wanted) {
        return;
    }
    if (mca_coll_irr_my_process() == 0) {
        gather(deadline);
        write_report();
    } else {
        send_records(deadline);
    }
    report.wanted = false;
}

/* Writes the report of a job of one rank, which has no module of coll/irr but may have a file. */
void mca_coll_irr_report_close(void)
{
    if (report.wanted && mca_coll_irr_my_process() == 0) {
        write_report();
    }
    report.wanted = false;
    mca_coll_irr_component.measures = false;
    free(report.path);
    report.path = NULL;
    memset(&report.table, 0, sizeof(report.table));
}
