/*
 * mpi_work.h - a persistent MPI_Alltoallv, and what its starts must bring, by Open MPI's own MPI_Alltoallv.
 *
 * Every start has other contents.  The arrays of counts are overwritten and the datatypes freed once the request
 * exists.
 */
#ifndef MPI_WORK_H
#define MPI_WORK_H

#include "mpi_call.h"

/* A request, and what its starts must bring. */
typedef struct work {
    call_t      call;
    int         in_place;
    MPI_Comm    comm;      /* of the request */
    MPI_Comm    host;      /* where Open MPI's own algorithm runs */
    side_t      saved;     /* arrays of the receiving side, and what is expected */
    side_t      sent;      /* arrays of the sending side, and what is sent */
    MPI_Request request;
    uint64_t    number;    /* of the start */
} work_t;

static inline void keep(const side_t *side, side_t *kept, int ranks)
{
    side_init(kept, ranks);
    memcpy(kept->counts, side->counts, (size_t)ranks * sizeof(int));
    memcpy(kept->displs, side->displs, (size_t)ranks * sizeof(int));
    kept->bytes = side->bytes;
    kept->buffer = malloc(side->bytes + 1);
    kept->base = kept->buffer + (side->base - side->buffer);
    MPI_Type_dup(side->type, &kept->type);
}

static inline void scribble(side_t *side, int ranks)
{
    memset(side->counts, 0x55, (size_t)ranks * sizeof(int));
    memset(side->displs, 0x55, (size_t)ranks * sizeof(int));
}

/* Makes the request of a call that was made; frees the types that were made for it. */
static inline void work_open(work_t *work, MPI_Comm comm, MPI_Comm host)
{
    side_t *send = work->in_place ? &work->call.recv : &work->call.send, *recv = &work->call.recv;
    MPI_Datatype types[2];
    int ranks;

    MPI_Comm_size(comm, &ranks);
    work->comm = comm;
    work->host = host;
    work->number = 0;
    keep(send, &work->sent, ranks);
    keep(recv, &work->saved, ranks);
    MPI_Type_dup(send->type, &types[0]);
    MPI_Type_dup(recv->type, &types[1]);
    ALLTOALLV_INIT(work->in_place ? MPI_IN_PLACE : send->base, send->counts, send->displs, types[0], recv->base,
                   recv->counts, recv->displs, types[1], comm, MPI_INFO_NULL, &work->request);
    MPI_Type_free(&types[0]);
    MPI_Type_free(&types[1]);
    scribble(send, ranks);
    scribble(recv, ranks);
}

static inline void work_close(work_t *work)
{
    if (work->request != MPI_REQUEST_NULL) {
        MPI_Request_free(&work->request);
    }
    CHECK(work->request == MPI_REQUEST_NULL);
    MPI_Type_free(&work->sent.type);
    MPI_Type_free(&work->saved.type);
    side_fini(&work->sent);
    side_fini(&work->saved);
    call_fini(&work->call);
}

static inline void work_shape(work_t *work, MPI_Comm comm, MPI_Comm host, int shape, uint64_t *state)
{
    work->in_place = 0;
    call_init(&work->call, comm, shape, MPI_INT, MPI_INT, 1, state);
    work_open(work, comm, host);
}

/* New contents; the reference is made before, with buffers of its own. */
static inline void work_fill(work_t *work)
{
    side_t *send = &work->sent, *recv = &work->saved;
    int rank;

    MPI_Comm_rank(work->host, &rank);
    work->number++;
    fill(send->buffer, send->bytes, (uint64_t)rank + 1000 * work->number);
    if (work->in_place) {
        memcpy(recv->buffer, send->buffer, recv->bytes);
        memcpy(work->call.recv.buffer, send->buffer, send->bytes);
    } else {
        fill(recv->buffer, recv->bytes, work->number + 7);
        memcpy(work->call.recv.buffer, recv->buffer, recv->bytes);
        memcpy(work->call.send.buffer, send->buffer, send->bytes);
    }
    MPI_Alltoallv(send->base, send->counts, send->displs, send->type, recv->base, recv->counts, recv->displs,
                  recv->type, work->host);
}

static inline int work_is_right(const work_t *work)
{
    return memcmp(work->call.recv.buffer, work->saved.buffer, work->saved.bytes) == 0;
}

/* One start; returns if the bytes are right. */
static inline int work_once(work_t *work)
{
    work_fill(work);
    MPI_Start(&work->request);
    MPI_Wait(&work->request, MPI_STATUS_IGNORE);
    return work_is_right(work);
}

/* Starts and waits a few times; every start must be served by coll/irr, or none. */
static inline void work_run(work_t *work, int starts, int served_by_irr)
{
    for (int i = 0; i < starts; i++) {
        unsigned long long served = mpi_test_served();

        CHECK(work_once(work));
        CHECK(mpi_test_served() == served + (served_by_irr ? 1 : 0));
    }
}

static inline MPI_Comm make_host(MPI_Comm comm)
{
    return mpi_test_dup(comm, "ompi_comm_coll_preference", "^irr");
}

#endif
