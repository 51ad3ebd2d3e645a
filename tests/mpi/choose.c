/*
 * choose.c - many calls where the ranks choose the way as they go: each result is right, whichever way it went.
 *
 *     mpi_choose CALLS served|left|any   some exchanges were coll/irr's, none was, or that is not asked
 *
 * Half of the calls have blocks of other lengths, so that the ranks choose again; some are in place, some have empty
 * blocks.  The calls are on a communicator of all ranks and on one of every other rank, where the choice is another.
 * Then there is a persistent request, which goes the way that was found.
 */
#include "mpi_call.h"

enum { LONGEST = 600 };

typedef struct exchange {
    MPI_Comm       comm;
    int            ranks, rank;
    int           *send_counts, *send_displs, *recv_counts, *recv_displs;
    unsigned char *in, *out;
} exchange_t;

static exchange_t exchange_open(MPI_Comm comm)
{
    exchange_t exchange = { .comm = comm };
    size_t ranks;

    MPI_Comm_size(comm, &exchange.ranks);
    MPI_Comm_rank(comm, &exchange.rank);
    ranks = (size_t)exchange.ranks;
    exchange.send_counts = calloc(ranks, sizeof(int));
    exchange.send_displs = calloc(ranks, sizeof(int));
    exchange.recv_counts = calloc(ranks, sizeof(int));
    exchange.recv_displs = calloc(ranks, sizeof(int));
    exchange.in = calloc(ranks, LONGEST);
    exchange.out = calloc(ranks, LONGEST);
    return exchange;
}

static void exchange_close(exchange_t *exchange)
{
    free(exchange->send_counts);
    free(exchange->send_displs);
    free(exchange->recv_counts);
    free(exchange->recv_displs);
    free(exchange->in);
    free(exchange->out);
}

/* Bytes from one rank to another in a call: symmetric, because some calls are in place. */
static int length_of(int call, int calls, int a, int b)
{
    const int most = call < calls / 2 ? 40 : LONGEST;

    return (a + b + call) % 5 == 0 ? 0 : (a * b + a + b + call * 7) % most;
}

static unsigned char byte_of(int call, int from, int to, int i)
{
    return (unsigned char)(call * 31 + from * 17 + to * 5 + i);
}

static void prepare(exchange_t *exchange, int call, int calls)
{
    for (int i = 0; i < exchange->ranks; i++) {
        exchange->send_counts[i] = exchange->recv_counts[i] = length_of(call, calls, exchange->rank, i);
        exchange->send_displs[i] = exchange->recv_displs[i] = i * LONGEST;
        for (int k = 0; k < exchange->send_counts[i]; k++) {
            exchange->in[i * LONGEST + k] = byte_of(call, exchange->rank, i, k);
        }
    }
    memset(exchange->out, 0xee, (size_t)exchange->ranks * LONGEST);
}

static int is_right(const exchange_t *exchange, int call)
{
    for (int i = 0; i < exchange->ranks; i++) {
        for (int k = 0; k < LONGEST; k++) {
            const unsigned char wanted = k < exchange->recv_counts[i] ? byte_of(call, i, exchange->rank, k) : 0xee;

            if (exchange->out[i * LONGEST + k] != wanted) {
                return 0;
            }
        }
    }
    return 1;
}

static void exchange_once(exchange_t *exchange, int call, int calls)
{
    prepare(exchange, call, calls);
    if (call % 7 == 3) {
        for (int i = 0; i < exchange->ranks; i++) {
            memcpy(exchange->out + i * LONGEST, exchange->in + i * LONGEST, (size_t)exchange->send_counts[i]);
        }
        MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_BYTE, exchange->out, exchange->recv_counts, exchange->recv_displs,
                      MPI_BYTE, exchange->comm);
    } else {
        MPI_Alltoallv(exchange->in, exchange->send_counts, exchange->send_displs, MPI_BYTE, exchange->out,
                      exchange->recv_counts, exchange->recv_displs, MPI_BYTE, exchange->comm);
    }
    CHECK(is_right(exchange, call));
}

/* Equal blocks, of a length that grows in the second half. */
static void exchange_equally(exchange_t *exchange, int call, int calls)
{
    const int bytes = call < calls / 2 ? 8 : 256;

    for (int i = 0; i < exchange->ranks; i++) {
        for (int k = 0; k < bytes; k++) {
            exchange->in[i * bytes + k] = byte_of(call, exchange->rank, i, k);
        }
    }
    MPI_Alltoall(exchange->in, bytes, MPI_BYTE, exchange->out, bytes, MPI_BYTE, exchange->comm);
    for (int i = 0; i < exchange->ranks; i++) {
        for (int k = 0; k < bytes; k++) {
            CHECK(exchange->out[i * bytes + k] == byte_of(call, i, exchange->rank, k));
        }
    }
}

static void exchange_persistently(exchange_t *exchange, int call, int calls)
{
    MPI_Request request;

    prepare(exchange, call, calls);
    ALLTOALLV_INIT(exchange->in, exchange->send_counts, exchange->send_displs, MPI_BYTE, exchange->out,
                   exchange->recv_counts, exchange->recv_displs, MPI_BYTE, exchange->comm, MPI_INFO_NULL, &request);
    for (int i = 0; i < 3; i++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(is_right(exchange, call));
    }
    MPI_Request_free(&request);
}

int main(int argc, char **argv)
{
    const int calls = argc > 1 ? atoi(argv[1]) : 0;
    const char *wanted = argc > 2 ? argv[2] : "any";
    exchange_t all, half;
    unsigned long long served;
    MPI_Comm dup, every_other;
    int rank;

    MPI_Init(&argc, &argv);
    mpi_test_served();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &every_other);
    all = exchange_open(dup);
    half = exchange_open(every_other);
    for (int call = 0; call < calls; call++) {
        exchange_once(&all, call, calls);
        if (call % 3 == 0) {
            exchange_once(&half, call, calls);
        }
        exchange_equally(&all, call, calls);
    }
    exchange_persistently(&all, calls, calls);
    served = mpi_test_served();
    CHECK(strcmp(wanted, "served") != 0 || served > 0);
    CHECK(strcmp(wanted, "left") != 0 || served == 0);
    exchange_close(&half);
    exchange_close(&all);
    MPI_Comm_free(&every_other);
    MPI_Comm_free(&dup);
    return mpi_test_end();
}
