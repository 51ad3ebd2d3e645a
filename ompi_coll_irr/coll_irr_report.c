/*
 * coll_irr_report.c - the report of a job (coll_irr_report).
 *
 * Each rank sums its records (coll_irr_record.h) in a table, of at most 64 records.  Rank 0 receives the tables of
 * other ranks in MPI_Finalize, when Open MPI frees the module of MPI_COMM_WORLD, and messages still work.  The
 * parameter may differ between ranks, and some ranks may lack coll/irr.  Each process that contributes therefore
 * publishes a key, with the data that MPI_Init exchanges anyway.  Rank 0 waits only for processes that contribute, and
 * a process sends only if rank 0 contributes.  No wait is longer than WAIT_S seconds.
 *
 * A job may end without MPI_Finalize: by MPI_Abort, by a signal of the batch system, by a crash.  Until MPI_Finalize,
 * rank 0 therefore keeps the file of the report up to date, with its own records.  A signal handler would add little:
 * it may neither allocate memory nor take locks, and the signal belongs to the program.  An update is one write to the
 * file, so the file is complete at any time.  With Open MPI 4, MPI_Abort on rank 0 also writes the report, and this may
 * be to stderr.
 *
 * There are no updates under MPI_THREAD_MULTIPLE, because other threads may change the records at the same time.
 */
#include "coll_irr_engine.h"
#include "coll_irr_settings.h"
#include "coll_irr_statistics.h"
#include "coll_irr_team.h"

#include "core/clock.h"

#include <errno.h>
#include <pthread.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY "coll.irr.report"

/* In MPI_Finalize ranks wait for each other for at most this number of seconds. */
#define WAIT_S 10

/*
 * The next update follows after this number of times the duration of the last one, or when the time since the first
 * update has doubled.  Updates of a long job therefore take at most a thousandth of its time.
 */
#define UPDATE_REST 1000

/* Room for the text of any update, which is then a single write. */
#define TEXT_BYTES (128 * 1024)

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define VERSION TEXT(IRR_VERSION_MAJOR) "." TEXT(IRR_VERSION_MINOR) "." TEXT(IRR_VERSION_RELEASE)

static struct {
    char                   *path;     /* a copy, because Open MPI frees its text first */
    int                     reporting;   /* ranks whose records are in the table */
    FILE                   *file;     /* on rank 0; NULL: stderr */
    bool                    updates;  /* the file is a regular file, so it can be written again */
    bool                    busy;     /* the file is being written */
    long                    length;   /* bytes of the longest update */
    uint64_t                first_ns, next_ns;   /* times of the first and of the next update; 0: none */
    pthread_t               thread;   /* that has called MPI_Init */
    mca_coll_irr_abort_fn_t abort;    /* function of Open MPI that abort_reported calls; NULL: not replaced */
    mca_coll_irr_table_t    live;     /* of an update: of all services */
} report;

/* ---- writing ---- */

static void warn(const char *outcome)
{
    mca_coll_irr_warn("coll_irr_report is %s, which cannot be written: %s; %s", report.path,
                      strerror(errno), outcome);
}

static bool is_json(const char *path)
{
    const size_t length = strlen(path);

    return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

/* Writes a table at the beginning of the stream.  Returns false after an error. */
static bool print(mca_coll_irr_table_t *table, bool complete, FILE *stream)
{
    const mca_coll_irr_job_t job = {
        .version = VERSION, .ranks = (int)mca_coll_irr_process_info.num_procs, .reporting = report.reporting,
        .complete = complete };

    if (report.updates) {
        rewind(stream);
    }
    mca_coll_irr_table_sort(table);
    (is_json(report.path) ? mca_coll_irr_table_json : mca_coll_irr_table_print)(table, &job, stream);
    return ferror(stream) == 0;
}

/* Writes to stderr at once, so that output of other processes does not interleave; without memory, line by line. */
static void write_stderr(mca_coll_irr_table_t *table, bool complete)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    (void)print(table, complete, stream != NULL ? stream : stderr);
    if (stream != NULL && fclose(stream) == 0) {
        fwrite(text, 1, size, stderr);
    }
    free(text);
}

/* Writes the report at the end of the job. */
static void write_report(void)
{
    bool failed;

    if (report.file == NULL) {
        write_stderr(&mca_coll_irr_ended.table, true);
        return;
    }
    failed = !print(&mca_coll_irr_ended.table, true, report.file) || fflush(report.file) != 0;
    failed = failed || (report.updates && ftruncate(fileno(report.file), ftell(report.file)) != 0);
    failed = fclose(report.file) != 0 || failed;
    report.file = NULL;
    if (failed) {
        warn("the file is not complete");
    }
}

/* ---- a job that has not ended ---- */

/* The record of a communicator on whose rank 0 another process runs has no counts; those of this process are equal. */
static void add_live(const mca_coll_irr_service_t *service, bool starts)
{
    mca_coll_irr_record_t record;

    if (service->record == NULL || service->record->exchanges == 0) {
        return;
    }
    mca_coll_irr_stats_record(service, &record);
    record.communicators += record.communicators == 0;
    if (starts) {
        mca_coll_irr_stats_starts(&record);
    }
    mca_coll_irr_table_add(&report.live, &record, true);
}

static void add_live_calls(mca_coll_irr_service_t *service)
{
    add_live(service, false);
}

/* Sets report.live to the records of this process so far. */
static void collect(void)
{
    const mca_coll_irr_table_t *ended = &mca_coll_irr_ended.table;

    report.live.count = ended->count;
    memcpy(report.live.records, ended->records, (size_t)ended->count * sizeof(ended->records[0]));
    for (mca_coll_irr_module_t *module = mca_coll_irr_component.modules; module != NULL; module = module->next) {
        for (int i = 0; i < MCA_COLL_IRR_COLLECTIVES; i++) {
            if (module->called[i]) {
                mca_coll_irr_stats_complete(module, mca_coll_irr_team_service(module->team, i));
            }
        }
    }
    mca_coll_irr_teams_each(add_live_calls);
    for (mca_coll_irr_class_t *class = mca_coll_irr_requests.live; class != NULL; class = class->next) {
        mca_coll_irr_stats_complete(class->module, &class->service);
        add_live(&class->service, class->request != NULL);
    }
}

/* Writes an unfinished report; blanks cover the end of an earlier, longer one.  Returns false after an error. */
static bool write_update(void)
{
    bool done = print(&report.live, false, report.file);
    const long length = ftell(report.file);

    if (length < report.length) {
        fprintf(report.file, "%*s", (int)(report.length - length), "\n");
    }
    report.length = length > report.length ? length : report.length;
    done = fflush(report.file) == 0 && done;
    clearerr(report.file);
    return done;
}

void mca_coll_irr_report_update(void)
{
    const uint64_t begin_ns = report.updates ? irr_clock_ns() : 0;
    uint64_t end_ns, rest_ns, age_ns;
    bool done;

    if (begin_ns == 0 || begin_ns < report.next_ns || mca_coll_irr_component.threads) {
        return;
    }
    report.busy = true;
    collect();
    done = write_update();
    report.busy = false;
    end_ns = irr_clock_ns();
    report.first_ns = report.first_ns > 0 ? report.first_ns : begin_ns;
    rest_ns = UPDATE_REST * (end_ns - begin_ns);
    age_ns = end_ns - report.first_ns;
    report.next_ns = !done ? UINT64_MAX   /* MPI_Finalize writes the file, or reports the error */
                           : end_ns + (rest_ns < age_ns ? rest_ns : age_ns);
}

/* Returns true if no other thread can change the records now, and this thread is not changing them either. */
static bool is_quiet(void)
{
    if (report.busy || mca_coll_irr_component.threads || !pthread_equal(report.thread, pthread_self()) ||
        opal_mutex_trylock(&mca_coll_irr_component.lock) != 0) {
        return false;
    }
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    if (opal_mutex_trylock(&mca_coll_irr_requests.lock) != 0) {
        return false;
    }
    opal_mutex_unlock(&mca_coll_irr_requests.lock);
    return true;
}

static void restore_abort(void)
{
    if (report.abort != NULL) {
        (void)mca_coll_irr_abort_replace(report.abort);
    }
    report.abort = NULL;
}

/* Open MPI calls this function in MPI_Abort, before it ends the process without a call of exit. */
static int abort_reported(int status, const char *text, opal_list_t *processes)
{
    const mca_coll_irr_abort_fn_t next = report.abort;

    restore_abort();
    if (mca_coll_irr_ended.wanted && is_quiet()) {
        report.busy = true;
        collect();
        if (report.file == NULL) {
            write_stderr(&report.live, false);
        } else if (report.updates) {
            (void)write_update();
        }
    }
    return next(status, text, processes);
}

/* ---- the report of this rank ---- */

/* The words for true and false of Open MPI's other parameters.  A file of such a name is ./yes. */
static bool is_word(const char *value, const char *const words[])
{
    int i = 0;

    while (words[i] != NULL && strcasecmp(value, words[i]) != 0) {
        i++;
    }
    return words[i] != NULL;
}

static bool is_yes(const char *value)
{
    static const char *const words[] = { "1", "yes", "true", "on", NULL };

    return is_word(value, words);
}

static bool is_no(const char *value)
{
    static const char *const words[] = { "", "0", "no", "false", "off", NULL };

    return is_word(value, words);
}

/*
 * Opens the file when the job starts, so that the user learns of an error before the job runs for hours.  Returns false
 * if there is no report.
 */
static bool open_file(const char *path)
{
    static char text[TEXT_BYTES];
    struct stat about;

    report.path = strdup(path);
    if (report.path == NULL || is_yes(path)) {
        return report.path != NULL;
    }
    report.file = fopen(path, "we");
    if (report.file == NULL) {
        warn("there is no report");
        return false;
    }
    report.updates = fstat(fileno(report.file), &about) == 0 && S_ISREG(about.st_mode) &&
                     setvbuf(report.file, text, _IOFBF, sizeof(text)) == 0;
    return true;
}

void mca_coll_irr_report_open(void)
{
    const char *value = mca_coll_irr_component.params.report;

    mca_coll_irr_component.measures = mca_coll_irr_component.params.verbose > 0;   /* the log also contains times */
    if (is_no(value) || mca_coll_irr_component.params.priority < 0 ||
        !mca_coll_irr_component.takes_part || !mca_coll_irr_modex_works()) {
        return;
    }
    report.reporting = 1;
    report.thread = pthread_self();
    mca_coll_irr_ended.wanted = (mca_coll_irr_my_process() != 0 || open_file(value)) && mca_coll_irr_modex_put(KEY, 1);
    if (mca_coll_irr_ended.wanted && mca_coll_irr_my_process() == 0) {
        report.abort = mca_coll_irr_abort_replace(abort_reported);
    }
    mca_coll_irr_component.measures = mca_coll_irr_component.measures || mca_coll_irr_ended.wanted;
}

/* ---- the report of all ranks ---- */

/* Returns true if a rank contributes to the report. */
static bool has_report(int rank)
{
    const opal_process_name_t name = ompi_group_get_proc_name(ompi_mpi_comm_world.comm.c_local_group, rank);
    uint64_t value;

    return mca_coll_irr_modex_get(KEY, &name, &value) == OMPI_SUCCESS;
}

/* Adds the records of a message of `bytes` bytes to the table. */
static void take(const mca_coll_irr_record_t *records, size_t bytes)
{
    const size_t count = bytes / sizeof(*records);

    for (size_t i = 0; i < count && i < MCA_COLL_IRR_RECORDS; i++) {
        if (mca_coll_irr_record_is_sound(&records[i])) {
            mca_coll_irr_table_add(&mca_coll_irr_ended.table, &records[i], false);
        }
    }
    report.reporting++;
}

static void gather(time_t deadline)
{
    ompi_communicator_t *world = &ompi_mpi_comm_world.comm;
    const size_t most = sizeof(mca_coll_irr_ended.table.records);
    mca_coll_irr_record_t *records = malloc(most);
    ompi_request_t *request;
    size_t bytes;

    for (int i = 1; i < ompi_comm_size(world) && records != NULL; i++) {
        if (!has_report(i)) {
            continue;
        }
        if (MCA_PML_CALL(irecv(records, most, MPI_BYTE, i, MCA_COLL_BASE_TAG_GATHER, world,
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
    const size_t bytes = (size_t)mca_coll_irr_ended.table.count * sizeof(mca_coll_irr_ended.table.records[0]);
    ompi_request_t *request;

    if (has_report(0) &&
        MCA_PML_CALL(isend(mca_coll_irr_ended.table.records, bytes, MPI_BYTE, 0, MCA_COLL_BASE_TAG_GATHER,
                           MCA_PML_BASE_SEND_STANDARD, &ompi_mpi_comm_world.comm, &request)) == OMPI_SUCCESS) {
        (void)mca_coll_irr_complete(request, deadline, NULL);
    }
}

void mca_coll_irr_report_end(void)
{
    const time_t deadline = time(NULL) + WAIT_S;

    if (!mca_coll_irr_ended.wanted) {
        return;
    }
    restore_abort();
    if (mca_coll_irr_my_process() == 0) {
        gather(deadline);
        write_report();
    } else {
        send_records(deadline);
    }
    mca_coll_irr_ended.wanted = false;
}

/* Writes the report of a job of one rank, which has no module of coll/irr. */
void mca_coll_irr_report_close(void)
{
    if (mca_coll_irr_ended.wanted && mca_coll_irr_my_process() == 0) {
        write_report();
    }
    mca_coll_irr_ended.wanted = false;
    restore_abort();
    mca_coll_irr_component.measures = false;
    free(report.path);
    report.path = NULL;
    memset(&mca_coll_irr_ended.table, 0, sizeof(mca_coll_irr_ended.table));
}
