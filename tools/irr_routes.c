/*
 * irr_routes.c - is a route as fast as plain contiguous messages, and which overlap of stages is the fastest?
 *
 *     mpirun -np 8 irr_routes --unit 1048576 --algorithms a3,a4
 *
 * Runs the engine as coll/irr does, with MPI for the out-of-band collectives and the barriers, on one node.
 * The exit status is 0, 1 if a wrong byte arrived, 2 if the input was refused or something failed.
 */
#include "routes.h"

#include "cli_options.h"

#include <sched.h>

const char irr_cli_program[] = "irr_routes";

void irr_routes_must(const char *what, irr_status_t status)
{
    if (status != IRR_OK) {
        irr_cli_complain("%s: %s", what, irr_status_text(status));
        MPI_Abort(MPI_COMM_WORLD, IRR_CLI_REFUSED);
    }
}

/* ---- the host of the engine ---- */

static irr_status_t allgather(void *context, const void *input, void *output, size_t bytes)
{
    int length = (int)bytes;

    (void)context;
    return MPI_Allgather(input, length, MPI_BYTE, output, length, MPI_BYTE, MPI_COMM_WORLD) == MPI_SUCCESS
               ? IRR_OK : IRR_ERR_OOB;
}

static irr_status_t allreduce_max(void *context, uint64_t *values, size_t count)
{
    (void)context;
    return MPI_Allreduce(MPI_IN_PLACE, values, (int)count, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD) == MPI_SUCCESS
               ? IRR_OK : IRR_ERR_OOB;
}

static uint64_t process_name(void *context, int rank)
{
    (void)context;
    return (uint64_t)rank;
}

static void log_line(void *context, irr_log_level_t level, const char *text)
{
    (void)context;
    (void)level;
    irr_cli_complain("%s", text);
}

static void open_engine(irr_routes_job_t *job, int ranks)
{
    irr_engine_config_t config = {
        .transport = irr_transport_name(job->options->transport),
        .one_node = true, .job_ranks = (size_t)ranks, .node_ranks = (size_t)ranks
    };

    irr_log_set(log_line, NULL, IRR_LOG_WARN);
    job->oob = (irr_oob_t){
        .allgather = allgather, .allreduce_max = allreduce_max, .process_name = process_name
    };
    irr_routes_must("opening the engine", irr_engine_create(&config, &job->engine));
    irr_routes_must("opening the transport", irr_engine_open_lane(job->engine, IRR_LANE_FAR));
}

/*
 * A rank whose exchange is over may still owe its peers something: where their queues are full, UCX keeps the
 * end of a rendezvous that it has told us of, and sends it when it is progressed.
 */
void irr_routes_barrier(const irr_routes_job_t *job)
{
    MPI_Request request;
    int over = 0;

    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Test(&request, &over, MPI_STATUS_IGNORE);
    while (!over) {
        irr_engine_progress(job->engine);
        sched_yield();
        MPI_Test(&request, &over, MPI_STATUS_IGNORE);
    }
}

static void close_engine(irr_routes_job_t *job)
{
    irr_engine_close(job->engine);
    while (irr_engine_drain(job->engine) == IRR_IN_PROGRESS) {
        sched_yield();
    }
    irr_routes_barrier(job);
    irr_engine_destroy(job->engine);
}

/* ---- a run ---- */

static void print_head(const irr_routes_job_t *job)
{
    const irr_routes_options_t *options = job->options;

    printf("# irr_routes: ranks: %d, %d on a node of `node`, transport %s\n", job->problem.ranks,
           options->ranks_per_node, job->engine->lanes->inner[IRR_LANE_FAR]->caps.name);
    printf("# pattern %s, unit %llu bytes, seed %llu, slices of %llu bytes at least; every byte compared\n",
           irr_pattern_name(options->pattern), (unsigned long long)options->unit,
           (unsigned long long)options->seed, (unsigned long long)options->slice_min);
    printf("# iterations: %d after %d to warm up; ms of the slowest rank, counters of the rank with most\n#\n",
           options->iterations, options->warmup);
    printf("# %-10s %-16s %9s %9s %9s %8s %10s %10s %8s %10s %8s %8s %8s\n", "algorithm", "variant", "median",
           "min", "max", "messages", "staged", "gathered", "headers", "scratch", "min/twin", "cpu/twin",
           "med/twin");
    fflush(stdout);
}

static int run(const irr_routes_options_t *options, int ranks, int rank)
{
    irr_routes_job_t job = { .options = options };
    uint64_t wrong;

    open_engine(&job, ranks);
    irr_routes_job_init(&job, ranks, rank);
    if (rank == 0) {
        print_head(&job);
    }
    for (int i = 0; i < options->algorithms; i++) {
        irr_routes_measure(&job, options->algorithm[i]);
    }
    wrong = job.wrong_bytes;
    allreduce_max(NULL, &wrong, 1);
    close_engine(&job);
    irr_routes_job_fini(&job);
    return wrong > 0 ? IRR_CLI_WRONG : IRR_CLI_GOOD;
}

int main(int argc, char **argv)
{
    irr_routes_options_t options = { .run = false };
    int ranks, rank, code = IRR_CLI_GOOD;

    if (irr_cli_asks_only(argc, argv)) {
        return (int)irr_routes_options_read(argc, argv, &options);
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        code = (int)irr_routes_options_read(argc, argv, &options);
    }
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&options, sizeof(options), MPI_BYTE, 0, MPI_COMM_WORLD);
    if (code == IRR_CLI_GOOD && options.run) {
        code = run(&options, ranks, rank);
    }
    MPI_Finalize();
    return code;
}
