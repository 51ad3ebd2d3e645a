/*
 * tune_learn.c - exchanges count matrices, so that coll/irr fills a memory file before an application runs.
 *
 * MPI_Alltoallv by each matrix in turn, each on a communicator of its own, for its share of the time.  The ranks try
 * strategies meanwhile, as in any other program, and coll/irr writes coll_irr_memory_file when the job ends.
 */
#include "tune.h"

#include "core/clock.h"
#include "problem/matrix.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

/* Exchanges between two looks at the clock. */
enum { TURN = 16 };

/* What a rank sends and receives, in bytes, and where. */
typedef struct side {
    int   *counts, *displs;
    size_t bytes;
    char  *buffer;
} side_t;

/* ---- what MPI_T says ---- */

/* Does this job write a memory file? */
static bool remembers(void)
{
    MPI_T_cvar_handle handle;
    char text[4096] = "";
    int index, level, count;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &level);   /* and no end: components of Open MPI would be loaded again */
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
    irr_cli_exit_t code = irr_cli_read_job_matrix(path, ranks, matrix);

    if (code == IRR_CLI_GOOD && irr_cli_lmax(matrix) > INT_MAX) {
        irr_cli_complain("%.256s: a rank sends or receives %" PRIu64 " bytes in all; MPI_Alltoallv allows %d", path,
                         irr_cli_lmax(matrix), INT_MAX);
        irr_matrix_fini(matrix);
        return IRR_CLI_REFUSED;
    }
    return code;
}

/* ---- all ranks ---- */

static bool side_open(side_t *side, int ranks)
{
    *side = (side_t){ .counts = malloc((size_t)ranks * sizeof(int)), .displs = malloc((size_t)ranks * sizeof(int)) };
    return side->counts != NULL && side->displs != NULL;
}

static bool side_fill(side_t *side, int ranks)
{
    for (int i = 0; i < ranks; i++) {
        side->displs[i] = (int)side->bytes;
        side->bytes += (size_t)side->counts[i];
    }
    side->buffer = calloc(side->bytes + 1, 1);
    return side->buffer != NULL;
}

static void side_close(side_t *side)
{
    free(side->counts);
    free(side->displs);
    free(side->buffer);
}

/* Gives each rank its row of the matrix that rank 0 has, column by column; a rank learns its column from the others. */
static void deal(const irr_matrix_t *matrix, int ranks, int rank, side_t *send, side_t *recv, int *row)
{
    for (int i = 0; i < ranks; i++) {
        for (int j = 0; rank == 0 && j < ranks; j++) {
            row[j] = (int)*irr_matrix_at(matrix, j, i);
        }
        MPI_Scatter(row, 1, MPI_INT, &send->counts[i], 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Alltoall(send->counts, 1, MPI_INT, recv->counts, 1, MPI_INT, MPI_COMM_WORLD);
}

static void exchange(const char *path, const side_t *send, const side_t *recv, double seconds)
{
    const uint64_t begin = irr_clock_ns();
    uint64_t exchanges = 0;
    double spent = 0;
    int rank, more = 1;
    MPI_Info info;
    MPI_Comm comm;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&info);
    MPI_Info_set(info, "coll_irr_alltoallv_algorithm", "auto");   /* with an info key it chooses alone */
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Info_free(&info);
    for (; more; exchanges += TURN) {
        for (int i = 0; i < TURN; i++) {
            MPI_Alltoallv(send->buffer, send->counts, send->displs, MPI_BYTE, recv->buffer, recv->counts,
                          recv->displs, MPI_BYTE, comm);
        }
        spent = (double)(irr_clock_ns() - begin) / 1e9;
        more = spent < seconds;
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Comm_free(&comm);
    if (rank == 0) {
        printf("%s: %" PRIu64 " exchanges in %.1f s\n", path, exchanges, spent);
    }
}

static irr_cli_exit_t learn(const char *path, int ranks, int rank, double seconds)
{
    side_t send = { NULL }, recv = { NULL };
    irr_matrix_t matrix = { .ranks = 0 };
    irr_cli_exit_t code = IRR_CLI_GOOD;
    int *row = calloc((size_t)ranks, sizeof(int));
    int have = row != NULL && side_open(&send, ranks) && side_open(&recv, ranks);

    if (rank == 0) {
        code = load(path, ranks, &matrix);
    }
    MPI_Bcast(&code, (int)sizeof(code), MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &have, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (code == IRR_CLI_GOOD && have) {
        deal(&matrix, ranks, rank, &send, &recv, row);
        have = side_fill(&send, ranks) && side_fill(&recv, ranks);
        MPI_Allreduce(MPI_IN_PLACE, &have, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    }
    if (code == IRR_CLI_GOOD && have) {
        exchange(path, &send, &recv, seconds);
    } else if (code == IRR_CLI_GOOD) {
        code = IRR_CLI_REFUSED;
        if (rank == 0) {
            irr_cli_complain("%.256s: not enough memory", path);
        }
    }
    irr_matrix_fini(&matrix);
    side_close(&send);
    side_close(&recv);
    free(row);
    return code;
}

irr_cli_exit_t irr_tune_learn(const irr_tune_options_t *options)
{
    irr_cli_exit_t code = IRR_CLI_GOOD;
    int numbers[] = { options->nlearn, options->seconds }, ranks, rank, good = remembers();

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!good && rank == 0) {
        irr_cli_complain("--learn fills a coll_irr_memory_file, and there is none, or no coll/irr: give mpirun "
                         "--mca coll_irr_memory_file FILE");
    }
    MPI_Bcast(numbers, 2, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; good && code == IRR_CLI_GOOD && i < numbers[0]; i++) {
        code = learn(rank == 0 ? options->learn[i] : "", ranks, rank, (double)numbers[1] / numbers[0]);
    }
    return good ? code : IRR_CLI_REFUSED;
}
