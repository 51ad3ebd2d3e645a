/*
 * coll_irr_statistics.c - fills the records of collectives (coll_irr_record.h), and writes the report of a job.
 *
 * Each collective of a team (all communicators of the same processes) has a record for blocking calls.  The nonblocking
 * calls of a collective on a communicator have a record, and so has each persistent request.  The component measures
 * calls only if a report, MPI_T or coll_irr_verbose needs the numbers.  A measured call costs two clock readings and
 * one pass over its counts.  The time of a call excludes agreements.
 *
 * For the report (coll_irr_report) each rank sums its records in a table, of at most 64 records.  Rank 0 receives the
 * tables of other ranks in MPI_Finalize, when Open MPI frees the module of MPI_COMM_WORLD, and messages still work.
 * The parameter may differ between ranks, and some ranks may lack coll/irr.  Each process that contributes therefore
 * publishes a key, with the data that MPI_Init exchanges anyway.  Rank 0 waits only for processes that contribute, and
 * a process sends only if rank 0 contributes.  No wait is longer than WAIT_S seconds.
 */
#include "coll_irr_engine.h"
#include "coll_irr_memory.h"
#include "coll_irr_settings.h"
#include "coll_irr_statistics.h"
#include "coll_irr_team.h"

#include "core/clock.h"

#include <errno.h>

/* ---- measurement ---- */

/* The number of other ranks that this rank may send to in a call. */
static uint64_t receivers(const mca_coll_irr_module_t *module, mca_coll_irr_which_t which)
{
    const mca_coll_irr_neighbors_t *neighbors = module->neighbors;
    uint64_t count = 0;

    if (neighbors == NULL || !mca_coll_irr_has_neighbors(module, which)) {
        return (uint64_t)module->ranks.size - 1;
    }
    for (size_t i = 0; i < neighbors->ranks.nto; i++) {
        count += neighbors->ranks.to[i] != module->ranks.rank;
    }
    return count;
}

void mca_coll_irr_stats_load(const mca_coll_irr_module_t *module, mca_coll_irr_service_t *service,
                             const mca_coll_irr_side_t *side)
{
    mca_coll_irr_record_t *record = service->record;
    uint64_t bytes;

    if (record != NULL) {
        record->messages += mca_coll_irr_side_load(side, module->ranks.rank, &bytes, &record->longest);
        record->bytes += bytes;
        record->all_messages += receivers(module, service->which);
    }
}

void mca_coll_irr_stats_reserve(mca_coll_irr_service_t *service)
{
    if (service->record == NULL && mca_coll_irr_component.measures) {
        service->record = calloc(1, sizeof(*service->record));   /* NULL: the report lacks this service */
    }
}

/* Returns true if this engine communicator has replaced Open MPI as the result of trials. */
static bool is_chosen(const mca_coll_irr_service_t *service, const irr_comm_t *strategy)
{
    return strategy != NULL && service->state == MCA_COLL_IRR_CHOOSING && service->host_strategy == 0 &&
           strategy == service->strategies[service->choice.strategy];
}

void mca_coll_irr_stats_took(mca_coll_irr_service_t *service, const irr_comm_t *strategy,
                             const mca_coll_irr_took_t *took)
{
    mca_coll_irr_record_t *record = service->record;

    if (record == NULL) {
        return;
    }
    record->ns += took->ns;
    record->exchanges++;
    record->served += strategy != NULL;
    if (is_chosen(service, strategy)) {
        record->strategy_ns += took->cost_ns;
        irr_choice_used(&service->choice, took->cost_ns);
    }
}

void mca_coll_irr_stats_request(mca_coll_irr_request_t *request, uint64_t begin_ns)
{
    mca_coll_irr_service_t *service = &request->class->service;

    mca_coll_irr_stats_reserve(service);
    mca_coll_irr_stats_load(request->class->module, service, &request->call.send);
    if (begin_ns > 0) {
        mca_coll_irr_stats_agreed(service, begin_ns);
    }
}

void mca_coll_irr_stats_agreed(mca_coll_irr_service_t *service, uint64_t begin_ns)
{
    service->setup_ns += irr_clock_ns() - begin_ns;
    service->agreements++;
}

void mca_coll_irr_stats_found(mca_coll_irr_service_t *service)
{
    const irr_choice_t *choice = &service->choice;
    const bool is_new = choice->exchanges > service->logged_exchanges && service->host_strategy == 0;

    mca_coll_irr_stats_reserve(service);
    service->logged_exchanges = choice->exchanges;
    for (int i = 0; i < choice->trial.count && is_new; i++) {
        mca_coll_irr_tried_t tried = { .trials = 1 };
        irr_speedup_t speedup;
        const int slot = irr_choice_measured(choice, i, &speedup);

        if (slot == 0) {
            continue;
        }
        mca_coll_irr_strategy_text(service, slot, tried.strategy, sizeof(tried.strategy));
        mca_coll_irr_memory_learn(service, tried.strategy, &speedup);
        tried.speedup = (mca_coll_irr_range_t){ speedup.is, speedup.is };
        if (service->record != NULL) {
            mca_coll_irr_record_tried(service->record, &tried);
        }
    }
}

/* ---- the record ---- */

static int64_t whole_ns(double ns)
{
    const double most = MCA_COLL_IRR_NS_MAX;

    return (int64_t)(ns > most ? most : ns < -most ? -most : ns);
}

static void record_choice(const mca_coll_irr_service_t *service, mca_coll_irr_record_t *record)
{
    const irr_choice_t *choice = &service->choice;
    const double other = choice->best > 0 ? choice->best : choice->lost;
    const irr_saved_t saved = irr_choice_saved(choice);
    const double cost = (double)record->setup_ns + choice->trials_ns;

    record->setup_ns = (uint64_t)whole_ns(cost);
    record->tried = (uint64_t)choice->tried;
    record->trial_exchanges = choice->exchanges + (irr_choice_has_trial(choice) ? (uint64_t)choice->trial.exchanges : 0);
    if (service->host_strategy != 0) {
        return;   /* Open MPI's implementation is no strategy, so its time is unknown */
    }
    record->saves = 1;
    record->saved_ns = (double)whole_ns(saved.is - cost);
    record->saved_low_ns = (double)whole_ns(saved.low - cost);
    record->saved_high_ns = (double)whole_ns(saved.high - cost);
    if (choice->strategy != 0) {
        record->speedup = (mca_coll_irr_range_t){ choice->speedup.is, choice->speedup.is };
    } else {
        record->other = (mca_coll_irr_range_t){ other, other };
    }
}

static int algorithm_of(const mca_coll_irr_service_t *service)
{
    if (service->state == MCA_COLL_IRR_SERVING) {
        return irr_algorithm_find(mca_coll_irr_serving(service));
    }
    return service->state == MCA_COLL_IRR_CHOOSING && service->choice.strategy != service->host_strategy
               ? service->candidates->open[service->choice.strategy].row
               : irr_setting_index(mca_coll_irr_setting("alltoall_algorithm")->row, "host");
}

void mca_coll_irr_stats_record(const mca_coll_irr_service_t *service, mca_coll_irr_record_t *record)
{
    *record = service->record != NULL ? *service->record : (mca_coll_irr_record_t){ .ranks = 0 };
    record->algorithm = algorithm_of(service);
    record->agreements = service->agreements;
    record->setup_ns = service->setup_ns;
    if (service->state == MCA_COLL_IRR_CHOOSING) {
        record_choice(service, record);
    }
}

/* ---- the report of this rank ---- */

#define KEY "coll.irr.report"

/* In MPI_Finalize ranks wait for each other for at most this number of seconds. */
#define WAIT_S 10

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define VERSION TEXT(IRR_VERSION_MAJOR) "." TEXT(IRR_VERSION_MINOR) "." TEXT(IRR_VERSION_RELEASE)

static struct {
    bool                 wanted;
    char                *path;     /* a copy, because Open MPI frees its text first */
    int                  reporting;   /* ranks whose records are in the table */
    FILE                *file;     /* on rank 0; NULL: stderr */
    mca_coll_irr_table_t table;    /* guarded by the component's lock */
} report;

static void warn(const char *outcome)
{
    mca_coll_irr_warn("coll_irr_report is %s, which cannot be written: %s; %s", report.path,
                      strerror(errno), outcome);
}

/*
 * Opens the file when the job starts, so that the user learns of an error before the job runs for hours.  Returns false
 * if there is no report.
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
    if (value[0] == '\0' || strcmp(value, "0") == 0 || mca_coll_irr_component.params.priority < 0 ||
        !mca_coll_irr_component.takes_part || !mca_coll_irr_modex_works()) {
        return;
    }
    report.reporting = 1;
    report.wanted = (mca_coll_irr_my_process() != 0 || open_file(value)) && mca_coll_irr_modex_put(KEY, 1);
    mca_coll_irr_component.measures = mca_coll_irr_component.measures || report.wanted;
}

static void add_record(const mca_coll_irr_record_t *record)
{
    if (report.wanted) {
        opal_mutex_lock(&mca_coll_irr_component.lock);
        mca_coll_irr_table_add(&report.table, record, true);
        opal_mutex_unlock(&mca_coll_irr_component.lock);
    }
}

/* ---- the end of a service ---- */

void mca_coll_irr_stats_end(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    mca_coll_irr_record_t *record = service->record;

    mca_coll_irr_log_end(module, service);
    if (record == NULL) {
        return;
    }
    mca_coll_irr_stats_texts(module, service, record);
    if (module->ranks.rank == 0) {   /* rank 0 counts for the whole communicator */
        record->communicators = service->communicators > 0 ? service->communicators : 1;
        record->nodes = mca_coll_irr_nodes(module);
    }
}

void mca_coll_irr_stats_close(mca_coll_irr_service_t *service)
{
    mca_coll_irr_record_t record;

    mca_coll_irr_memory_lived(service);
    mca_coll_irr_stats_record(service, &record);
    free(service->record);
    service->record = NULL;
    if (record.exchanges > 0) {
        add_record(&record);
    }
}

/*
 * Logs an operation class at its end; of several persistent requests of a collective without a trial, only the first.
 */
static void log_class(mca_coll_irr_class_t *class)
{
    mca_coll_irr_service_t *service = &class->service;

    if (class->request != NULL) {
        mca_coll_irr_service_t *calls = mca_coll_irr_team_service(class->module->team, service->which);

        service->logged = service->logged || calls->requests_logged;
        calls->requests_logged = true;
    } else if (service->state == MCA_COLL_IRR_NEW && !service->logged) {
        mca_coll_irr_log(class->module, service);
    }
}

void mca_coll_irr_stats_class_end(mca_coll_irr_class_t *class)
{
    mca_coll_irr_record_t *record = class->service.record;

    log_class(class);
    if (record != NULL && class->request != NULL) {
        record->messages *= record->exchanges;   /* mca_coll_irr_stats_request counts the messages of one start */
        record->bytes *= record->exchanges;
        record->all_messages *= record->exchanges;
    }
    mca_coll_irr_stats_end(class->module, &class->service);
    mca_coll_irr_stats_close(&class->service);
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
            mca_coll_irr_table_add(&report.table, &records[i], false);
        }
    }
    report.reporting++;
}

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

/* Writes to stderr at once, so that output of other processes does not interleave; without memory, line by line. */
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

/* Writes the report of a job of one rank, which has no module of coll/irr. */
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
