/*
 * tune_learn.c - irr_tune --learn: makes exchanges with given count matrices, so that coll/irr fills a memory file
 * before an application runs.
 *
 * The program calls MPI_Alltoallv repeatedly with one matrix, then with the next one, and so on.  Each matrix has a
 * communicator of its own, and an equal part of the time.  coll/irr tries strategies as in any other program, and
 * writes the file of coll_irr_memory_file when the job ends.
 */
#include "tune.h"

#include "bench.h"

#include "core/clock.h"
#include "problem/matrix.h"

#include <inttypes.h>
#include <limits.h>

/* Number of exchanges after which rank 0 reads the clock and decides for all ranks whether to continue. */
enum { TURN = 16 };

/* ---- settings of the job, through MPI_T ---- */

/* Returns true if this job writes a memory file. */
static bool remembers(void)
{
    MPI_T_cvar_handle handle;
    char text[4096] = "";
    int index, level, count;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &level);   /* not finalized: Open MPI would load components again */
    if (MPI_T_cvar_get_index("coll_irr_memory_file", &index) == MPI_SUCCESS &&
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS) {
        if (count <= (int)sizeof(text)) {
            MPI_T_cvar_read(handle, text);
        }
        MPI_T_cvar_handle_free(&handle);
    }
    return text[0] != '\0';
}

/* ---- rank 0 ---- */

static irr_cli_exit_t load(const char *path, int ranks, irr_matrix_t *matrix)
{
    irr_cli_exit_t code = irr_cli_read_matrix(path, ranks, "the job has", matrix);

    if (code == IRR_CLI_GOOD && irr_cli_lmax(matrix) > INT_MAX) {
        irr_cli_complain("%s: a rank sends or receives %" PRIu64 " bytes in all; MPI_Alltoallv allows %d", path,
                         irr_cli_lmax(matrix), INT_MAX);
        irr_matrix_fini(matrix);
        return IRR_CLI_REFUSED;
    }
    return code;
}

/* ---- all ranks ---- */

/* Repeats the exchange for `seconds` seconds.  Rank 0 reports the number of exchanges. */
static void repeat(const char *path, const irr_bench_exchange_t *exchange, double seconds)
{
    const uint64_t begin = irr_clock_ns();
    uint64_t exchanges = 0;
    double spent = 0;
    bool more = true;
    MPI_Info info;
    MPI_Comm comm;

    MPI_Info_create(&info);
    MPI_Info_set(info, "coll_irr_alltoallv_algorithm", "auto");   /* comm does not join other trials */
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Info_free(&info);
    for (; more; exchanges += TURN) {
        for (int i = 0; i < TURN; i++) {
            irr_bench_call(exchange, comm, NULL);
        }
        spent = (double)(irr_clock_ns() - begin) / 1e9;
        more = irr_cli_agree(spent < seconds) != 0;
    }
    MPI_Comm_free(&comm);
    if (exchange->rank == 0) {
        printf("%s: %" PRIu64 " exchanges in %.1f s\n", path, exchanges, spent);
    }
}

/* Exchanges one matrix for this number of seconds.  path: the file, on rank 0 only. */
static irr_cli_exit_t learn(const char *path, int ranks, int rank, double seconds)
{
    const irr_bench_work_t work = { .call = IRR_BENCH_ALLTOALLV };
    irr_matrix_t matrix = { .ranks = 0 };
    irr_bench_exchange_t exchange;
    irr_cli_exit_t code = (irr_cli_exit_t)irr_cli_agree(rank == 0 ? (int)load(path, ranks, &matrix) : 0);

    if (code != IRR_CLI_GOOD) {
        return code;
    }
    code = irr_bench_exchange_init(&exchange, &work, &matrix, 0);
    irr_matrix_fini(&matrix);
    if (code == IRR_CLI_GOOD) {
        irr_bench_fill(&exchange, 0);
        repeat(path, &exchange, seconds);
        irr_bench_exchange_fini(&exchange);
    }
    return code;
}

irr_cli_exit_t irr_tune_learn(const irr_tune_options_t *options)
{
    const int files = irr_cli_agree(options->nlearn), seconds = irr_cli_agree(options->seconds);
    irr_cli_exit_t code = IRR_CLI_GOOD;
    int ranks, rank;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!irr_cli_all(remembers())) {
        code = IRR_CLI_REFUSED;
        if (rank == 0) {
            irr_cli_complain("--learn needs coll/irr and a memory file: mpirun --mca coll_irr_memory_file FILE names "
                             "the file");
        }
    }
    for (int i = 0; code == IRR_CLI_GOOD && i < files; i++) {
        code = learn(rank == 0 ? options->learn[i] : "", ranks, rank, (double)seconds / files);
    }
    return code;
}
