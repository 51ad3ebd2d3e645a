/*
 * bench_persistent.c - the persistent requests of rows that start them.
 *
 * Open MPI 4.1 has persistent collectives as an extension, under names that MPI 4.0 then took over.
 */
#include "bench.h"

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define ALLTOALLV_INIT MPI_Alltoallv_init
#elif defined(OMPI_MAJOR_VERSION)
#include <mpi-ext.h>
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define ALLTOALLV_INIT MPIX_Alltoallv_init
#endif
#endif

bool irr_bench_persistent(void)
{
#ifdef ALLTOALLV_INIT
    return true;
#else
    return false;
#endif
}

static void create(MPI_Comm comm, const irr_bench_exchange_t *exchange, MPI_Request *request)
{
#ifdef ALLTOALLV_INIT
    const irr_bench_side_t *send = &exchange->send, *recv = &exchange->recv;

    ALLTOALLV_INIT(exchange->from, send->counts, send->offsets, MPI_BYTE, recv->buffer, recv->counts, recv->offsets,
                   MPI_BYTE, comm, MPI_INFO_NULL, request);
#else
    (void)comm;
    (void)exchange;
    (void)request;
#endif
}

void irr_bench_means_create(const irr_bench_work_t *work, const MPI_Comm *comms, const irr_bench_exchange_t *exchange,
                            irr_bench_means_t *means)
{
    for (int i = 0; i < work->rows; i++) {
        means[i] = (irr_bench_means_t){ comms[i], MPI_REQUEST_NULL, work->algorithms[i] == IRR_BENCH_P2P };
        if (work->starts[i]) {
            create(comms[i], exchange, &means[i].request);
        }
    }
}

void irr_bench_means_destroy(const irr_bench_work_t *work, irr_bench_means_t *means)
{
    for (int i = 0; i < work->rows; i++) {
        if (means[i].request != MPI_REQUEST_NULL) {
            MPI_Request_free(&means[i].request);
        }
    }
}
