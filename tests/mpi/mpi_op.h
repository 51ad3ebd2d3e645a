/*
 * mpi_op.h - the main function of programs that run cases, and a nonblocking MPI_Ialltoallv that such a program repeats
 * with other contents.
 */
#ifndef MPI_OP_H
#define MPI_OP_H

#include "mpi_work.h"

static char **keys;
static int nkeys;
static int number;       /* of the case; 0: none was given */

/* The level of MPI_Init_thread.  In Open MPI 4.1 MPI_T_init_thread, which mpi_test_served calls, changes it later. */
static int thread_level;

/* A call that can be made again and again, with other contents. */
static inline void op_open(work_t *op, MPI_Comm irr, MPI_Comm host)
{
    side_t *send = op->in_place ? &op->call.recv : &op->call.send;
    int ranks;

    MPI_Comm_size(irr, &ranks);
    op->comm = irr;
    op->host = host;
    op->number = 0;
    op->request = MPI_REQUEST_NULL;
    keep(send, &op->sent, ranks);
    keep(&op->call.recv, &op->saved, ranks);
}

static inline void op_shape(work_t *op, MPI_Comm irr, MPI_Comm host, int shape, uint64_t *state)
{
    op->in_place = 0;
    call_init(&op->call, irr, shape, MPI_INT, MPI_INT, 1, state);
    op_open(op, irr, host);
}

static inline int *copy_of(const int *array, int count)
{
    int *copy = malloc((size_t)count * sizeof(int));

    memcpy(copy, array, (size_t)count * sizeof(int));
    return copy;
}

/*
 * The datatypes are freed while it is under way; and the arrays overwritten, as programs do that rely on Open MPI,
 * which reads them in the call.
 */
static inline void op_start(work_t *op)
{
    const side_t *send = &op->sent, *recv = &op->saved;
    MPI_Datatype types[2];
    int ranks, *arrays[4];

    MPI_Comm_size(op->host, &ranks);
    arrays[0] = copy_of(send->counts, ranks);
    arrays[1] = copy_of(send->displs, ranks);
    arrays[2] = copy_of(recv->counts, ranks);
    arrays[3] = copy_of(recv->displs, ranks);
    MPI_Type_dup(send->type, &types[0]);
    MPI_Type_dup(recv->type, &types[1]);
    MPI_Ialltoallv(op->in_place ? MPI_IN_PLACE : op->call.send.base, arrays[0], arrays[1], types[0],
                   op->call.recv.base, arrays[2], arrays[3], types[1], op->comm, &op->request);
    for (int i = 0; i < 4; i++) {
        memset(arrays[i], 0x55, (size_t)ranks * sizeof(int));
        free(arrays[i]);
    }
    MPI_Type_free(&types[0]);
    MPI_Type_free(&types[1]);
}

static inline void op_close(work_t *op)
{
    CHECK(op->request == MPI_REQUEST_NULL);
    work_close(op);
}

/* The host's expectation is made by calls of another communicator, so all ranks fill in one order. */
static inline int op_once(work_t *op)
{
    work_fill(op);
    op_start(op);
    MPI_Wait(&op->request, MPI_STATUS_IGNORE);
    return work_is_right(op);
}

static inline void open_comms(MPI_Comm *irr, MPI_Comm *host)
{
    *irr = dup_irr(MPI_COMM_WORLD, keys, nkeys);
    *host = make_host(MPI_COMM_WORLD);
}

static inline void free_comms(MPI_Comm *irr, MPI_Comm *host)
{
    MPI_Comm_free(irr);
    MPI_Comm_free(host);
}

typedef struct op_case {
    const char *name;
    void      (*run)(uint64_t *state);
} op_case_t;

/* Of the program; NULL ends them. */
extern const op_case_t op_cases[];

/* CASE:NUMBER and keys; the first of them may say whether it must be served. */
static void run(char **group, int length)
{
    const char *colon = length > 0 ? strchr(group[0], ':') : NULL;
    const size_t name = length == 0 ? 0 : colon != NULL ? (size_t)(colon - group[0]) : strlen(group[0]);
    const char *served = length > 1 && strncmp(group[1], "served=", 7) == 0 ? group[1] + 7 : NULL;
    unsigned long long before = mpi_test_served();
    uint64_t state = mpi_test_seed();
    const op_case_t *row = op_cases;

    while (row->name != NULL && (strlen(row->name) != name || strncmp(group[0], row->name, name) != 0)) {
        row++;
    }
    if (CHECK(row->name != NULL)) {
        number = colon != NULL ? atoi(colon + 1) : 0;
        keys = group + (served != NULL ? 2 : 1);
        nkeys = length - (served != NULL ? 2 : 1);
        row->run(&state);
    }
    if (served != NULL) {
        CHECK((mpi_test_served() > before) == (strcmp(served, "yes") == 0));
    }
}

static inline int op_main(int argc, char **argv)
{
    int threads = 0;

    for (int i = 1; i < argc; i++) {
        threads = threads || strcmp(argv[i], "threads") == 0;
    }
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &thread_level);
    mpi_test_served();
    mpi_test_groups(argv + 1, argc - 1, run);
    return mpi_test_end();
}

#endif
