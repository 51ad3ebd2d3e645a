/*
 * coll_irr_report.c - coll_irr_report: at the end of the job rank 0 tells what its collectives did.
 *
 * Each rank sums the rows of what it has measured in a table.  Rank 0 receives those of the others in MPI_Finalize,
 * when the module of MPI_COMM_WORLD goes: all processes are there then, and point-to-point messages still work
 * (coll_irr_teardown.c).  The parameter may differ between ranks, and coll/irr be missing on some.  So each process
 * that has a report to give publishes that with what MPI_Init exchanges anyway: rank 0 waits for no other, and nobody
 * sends to a rank 0 that does not wait.  Nor does anybody wait longer than WAIT_S.
 *
 * Cost: one message a rank, with a row for each kind of communicator, 64 at most.  Nothing if it is off.
 */
#include "coll_irr_engine.h"
#include "coll_irr_team.h"
#include "coll_irr_tell.h"

#include <errno.h>
#include <time.h>

#define KEY "coll.irr.report"

/* Seconds that rank 0 waits for others, and they for rank 0, all of which are in MPI_Finalize. */
#define WAIT_S 10

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define VERSION TEXT(IRR_VERSION_MAJOR) "." TEXT(IRR_VERSION_MINOR) "." TEXT(IRR_VERSION_RELEASE)

static struct {
    bool                 wanted;
    char                *path;     /* what the parameter says, which goes before we do */
    int                  told;     /* ranks whose rows are in the table */
    FILE                *file;     /* on rank 0; NULL: stderr */
    mca_coll_irr_table_t table;    /* guarded by the component's lock */
} report;

/* ---- begin ---- */

static bool is_given(const char *value)
{
    return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}

static bool is_first(void)
{
    return mca_coll_irr_my_process() == 0;
}

/* Rank 0 finds out at once, not after hours, that a file cannot be written.  False: the user was told. */
static bool open_file(const char *path)
{
    char text[512];

    report.path = strdup(path);
    if (report.path == NULL || strcmp(path, "1") == 0) {
        return report.path != NULL;
    }
    report.file = fopen(path, "we");
    if (report.file == NULL) {
        snprintf(text, sizeof(text), "coll_irr_report is %s, which cannot be written: %s; there is no report", path,
                 strerror(errno));
        mca_coll_irr_tell("engine-message", text);
    }
    return report.file != NULL;
}

void mca_coll_irr_report_open(void)
{
    const char *value = mca_coll_irr_component.params.report;
    char running[32];

    mca_coll_irr_component.measures = mca_coll_irr_component.params.verbose > 0;   /* lines tell times, too */
    if (!is_given(value) || mca_coll_irr_component.params.priority < 0 ||
        !mca_coll_irr_abi_matches(running, sizeof(running)) || !mca_coll_irr_modex_works()) {
        return;
    }
    report.told = 1;
    report.wanted = (!is_first() || open_file(value)) && mca_coll_irr_modex_put(KEY, 1);
    mca_coll_irr_component.measures = mca_coll_irr_component.measures || report.wanted;
}

void mca_coll_irr_report_add(const mca_coll_irr_row_t *row)
{
    if (report.wanted) {
        opal_mutex_lock(&mca_coll_irr_component.lock);
        mca_coll_irr_table_add(&report.table, row, true);
        opal_mutex_unlock(&mca_coll_irr_component.lock);
    }
}

/* ---- the end ---- */

/* Has the rank of MPI_COMM_WORLD a report to give? */
static bool has_report(int rank)
{
    const opal_process_name_t name = ompi_group_get_proc_name(ompi_mpi_comm_world.comm.c_local_group, rank);
    uint64_t value;

    return mca_coll_irr_modex_get(KEY, &name, &value) == OMPI_SUCCESS;
}

/* Rows that came in so many bytes. */
static void take(const mca_coll_irr_row_t *rows, size_t bytes)
{
    const size_t count = bytes / sizeof(*rows);

    for (size_t i = 0; i < count && i < MCA_COLL_IRR_ROWS; i++) {
        if (mca_coll_irr_row_is_sound(&rows[i])) {
            mca_coll_irr_table_add(&report.table, &rows[i], false);
        }
    }
    report.told++;
}

/* Rank 0: joins the rows of all that have some. */
static void gather(time_t deadline)
{
    ompi_communicator_t *world = &ompi_mpi_comm_world.comm;
    mca_coll_irr_row_t *rows = malloc(sizeof(report.table.rows));
    ompi_request_t *request;
    size_t bytes;

    for (int i = 1; i < ompi_comm_size(world) && rows != NULL; i++) {
        if (!has_report(i)) {
            continue;
        }
        if (MCA_PML_CALL(irecv(rows, sizeof(report.table.rows), MPI_BYTE, i, MCA_COLL_BASE_TAG_GATHER, world,
                               &request)) != OMPI_SUCCESS) {
            break;
        }
        if (mca_coll_irr_complete(request, deadline, &bytes) != OMPI_SUCCESS) {
            return;   /* the memory is left to a message that may still come */
        }
        take(rows, bytes);
    }
    free(rows);
}

static void send_rows(time_t deadline)
{
    ompi_communicator_t *world = &ompi_mpi_comm_world.comm;
    ompi_request_t *request;

    if (has_report(0) &&
        MCA_PML_CALL(isend(report.table.rows, (size_t)report.table.count * sizeof(report.table.rows[0]), MPI_BYTE, 0,
                           MCA_COLL_BASE_TAG_GATHER, MCA_PML_BASE_SEND_STANDARD, world, &request)) == OMPI_SUCCESS) {
        (void)mca_coll_irr_complete(request, deadline, NULL);
    }
}

static bool is_json(const char *path)
{
    const size_t length = strlen(path);

    return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

static void write_table(FILE *stream)
{
    const mca_coll_irr_job_t job = {
        .version = VERSION, .ranks = (int)mca_coll_irr_process_info.num_procs, .told = report.told };

    if (is_json(report.path)) {
        mca_coll_irr_table_json(&report.table, &job, stream);
    } else {
        mca_coll_irr_table_print(&report.table, &job, stream);
    }
}

/* As one piece, so that lines of others do not come between. */
static void write_to_stderr(void)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    if (stream == NULL) {
        write_table(stderr);
        return;
    }
    write_table(stream);
    if (fclose(stream) == 0) {
        fwrite(text, 1, size, stderr);
    }
    free(text);
}

static void write_to_file(void)
{
    char text[512];
    bool failed;

    write_table(report.file);
    failed = ferror(report.file) != 0;
    failed = fclose(report.file) != 0 || failed;
    report.file = NULL;
    if (failed) {
        snprintf(text, sizeof(text), "coll_irr_report is %s, which cannot be written: %s; the file is not complete",
                 report.path, strerror(errno));
        mca_coll_irr_tell("engine-message", text);
    }
}

static void write_report(void)
{
    mca_coll_irr_table_sort(&report.table);
    if (report.file != NULL) {
        write_to_file();
    } else {
        write_to_stderr();
    }
}

void mca_coll_irr_report_end(void)
{
    const time_t deadline = time(NULL) + WAIT_S;

    for (mca_coll_irr_module_t *module = mca_coll_irr_component.modules; module != NULL; module = module->next) {
        for (int i = 0; i < MCA_COLL_IRR_COLLECTIVES; i++) {
            if (module->called[i]) {
                mca_coll_irr_tally_end(module, mca_coll_irr_team_service(module->team, i));
            }
        }
    }
    mca_coll_irr_teams_each(mca_coll_irr_tally_close);
    mca_coll_irr_requests_tally();
    if (!report.wanted) {
        return;
    }
    if (is_first()) {
        gather(deadline);
        write_report();
    } else {
        send_rows(deadline);
    }
    report.wanted = false;
}

/* A job of one rank has no module of ours, but may have a file. */
void mca_coll_irr_report_close(void)
{
    if (report.wanted && is_first()) {
        write_report();
    }
    report.wanted = false;
    mca_coll_irr_component.measures = false;
    free(report.path);
    report.path = NULL;
    memset(&report.table, 0, sizeof(report.table));
}
