/*
 * place.c - MPI_IN_PLACE with long blocks: every byte, bounded memory, and no hang where ranks or counts differ.
 *
 *     mpi_place WHAT [INFO_KEY=VALUE ...] [, WHAT ...]   the keys go to the communicators; WHAT is bounded if there
 *                                                        must be no copy of all that is sent, wrong for wrong programs,
 *                                                        kernel for calls of the kernel that fail, or several of these
 *
 * Elements are integers, whose datatypes are one run, long runs, or short ones, which are packed.  What the component
 * allocates is counted: in place no more than the engine says (IRR_PAIRS_SCRATCH), and plans; for short runs a packed
 * copy besides.
 */
#include "mpi_call.h"
#include "mpi_memory.h"

#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { SCRATCH = 1 << 20, PLANS = 1 << 20, RUN = 4096 };

typedef enum form { BLOCKING, NONBLOCKING, PERSISTENT, EACH_TYPE, FORMS } form_t;

/* Elements of a type: `runs` runs of `run` integers, each with as many behind it. */
typedef struct element {
    MPI_Datatype type;
    int          integers, extent, run;
} element_t;

static element_t element_of(int run, int runs)
{
    element_t element = { .integers = run * runs, .extent = runs > 1 ? 2 * run * runs : run, .run = run };

    MPI_Datatype vector;

    MPI_Type_vector(runs, run, 2 * run, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, (MPI_Aint)(element.extent * (int)sizeof(int)), &element.type);
    MPI_Type_commit(&element.type);
    MPI_Type_free(&vector);
    return element;
}

/* A call in place: blocks with an element between them. */
typedef struct place {
    MPI_Comm      comm;
    int           ranks, rank;
    element_t     element;
    int          *counts, *displs, *bytes;
    MPI_Datatype *types;
    int          *buffer;
    size_t        integers;
    size_t        sent;       /* bytes */
} place_t;

/* Alike for both ranks: nothing, a few, or more than a piece. */
static int count_of(uint64_t seed, int a, int b, const element_t *element, int bytes_max)
{
    uint64_t state = seed + (uint64_t)(a < b ? a : b) * 1000003 + (uint64_t)(a < b ? b : a) * 7919;
    const uint64_t kind = mpi_test_random(&state) % 4;
    const uint64_t large = (uint64_t)bytes_max / sizeof(int) / (uint64_t)element->integers;
    const uint64_t most = kind == 0 ? 1 : kind == 1 ? 20 : large;

    return (int)(mpi_test_random(&state) % (most + (most == 0)));
}

static int integer(int from, int to, int i, int salt)
{
    return from * 1000003 + to * 10007 + i + salt * 7919;
}

/* Calls a function for each integer of the messages, and for those between them with peer -1. */
static int each(const place_t *place, int salt, int receives, int sets)
{
    const element_t *element = &place->element;
    int wrong = 0;

    for (int peer = 0; peer < place->ranks; peer++) {
        int *at = place->buffer + (size_t)place->displs[peer] * (size_t)element->extent;
        int k = 0;

        for (int i = 0; i < (place->counts[peer] + 1) * element->extent; i++) {
            const int inside = i / element->extent < place->counts[peer] &&
                               (element->extent == element->integers || i / element->run % 2 == 0);
            const int value = !inside ? -1 : receives ? integer(peer, place->rank, k, salt)
                                                      : integer(place->rank, peer, k, salt);

            k += inside;
            wrong += at[i] != value;
            at[i] = sets ? value : at[i];
        }
    }
    return wrong;
}

static void place_init(place_t *place, MPI_Comm comm, element_t element, uint64_t seed, int bytes_max)
{
    int at = 0;

    *place = (place_t){ .comm = comm, .element = element };
    MPI_Comm_size(comm, &place->ranks);
    MPI_Comm_rank(comm, &place->rank);
    place->counts = calloc((size_t)place->ranks * 3, sizeof(int));
    place->displs = place->counts + place->ranks;
    place->bytes = place->displs + place->ranks;
    place->types = calloc((size_t)place->ranks, sizeof(MPI_Datatype));
    for (int peer = 0; peer < place->ranks; peer++) {
        place->counts[peer] = count_of(seed, place->rank, peer, &element, bytes_max);
        place->displs[peer] = at;
        place->bytes[peer] = at * element.extent * (int)sizeof(int);
        place->types[peer] = element.type;
        place->sent += (size_t)place->counts[peer] * (size_t)element.integers * sizeof(int);
        at += place->counts[peer] + 1;
    }
    place->integers = (size_t)at * (size_t)element.extent;
    place->buffer = malloc(place->integers * sizeof(int));
}

static void place_fini(place_t *place)
{
    free(place->buffer);
    free(place->types);
    free(place->counts);
}

static int place_call(const place_t *place, form_t form)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int result = MPI_SUCCESS;

    switch (form) {
    case BLOCKING:
        return MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, place->buffer, place->counts, place->displs,
                             place->element.type, place->comm);
    case EACH_TYPE:
        return MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, place->buffer, place->counts, place->bytes, place->types,
                             place->comm);
    case NONBLOCKING:
        result = MPI_Ialltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, place->buffer, place->counts,
                                place->displs, place->element.type, place->comm, &request);
        break;
    default:
        ALLTOALLV_INIT(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, place->buffer, place->counts, place->displs,
                       place->element.type, place->comm, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        break;
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (form == PERSISTENT) {
        MPI_Request_free(&request);
    }
    return result;
}

/* ---- right programs ---- */

static void check_right(place_t *place, form_t form, int salt)
{
    each(place, salt, 0, 1);
    CHECK(place_call(place, form) == MPI_SUCCESS);
    CHECK(each(place, salt, 1, 0) == 0);
}

/* All that the component allocates in a call whose blocks are longer than before. */
static void check_memory(MPI_Comm comm, const element_t *element, int packs, uint64_t seed)
{
    place_t place;

    place_init(&place, comm, *element, seed, 4 << 20);
    each(&place, 1, 0, 1);
    MPI_Barrier(comm);
    mpi_memory_fail(0, 0);
    CHECK(place_call(&place, BLOCKING) == MPI_SUCCESS);
    CHECK(mpi_memory.bytes <= SCRATCH + PLANS + (packs ? 2 * place.sent : 0));   /* a copy's length is a power of 2 */
    CHECK(each(&place, 1, 1, 0) == 0);
    place_fini(&place);
}

/* ---- wrong programs ---- */

static int call_either(place_t *place, int in_place)
{
    int *input = place->buffer, result;

    if (in_place) {
        return place_call(place, BLOCKING);
    }
    place->buffer = malloc(place->integers * sizeof(int));
    result = MPI_Alltoallv(input, place->counts, place->displs, place->element.type, place->buffer, place->counts,
                           place->displs, place->element.type, place->comm);
    free(place->buffer);
    place->buffer = input;
    return result;
}

/*
 * Some ranks are in place, or rank 0 has other counts, none of them 0: all return.  The next call returns too: right,
 * or with an error because the communicator has failed.  Other communicators go on.
 */
static void check_wrong(MPI_Comm other, const element_t *element, uint64_t seed, char **keys, int nkeys)
{
    int rank;

    MPI_Comm_rank(other, &rank);
    for (int k = 0; k < 6; k++) {
        const int mixed = k % 2;
        MPI_Comm comm = dup_irr(MPI_COMM_WORLD, keys, nkeys);
        place_t place;

        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        place_init(&place, comm, *element, seed + (uint64_t)k, 3 << 20);
        each(&place, k, 0, 1);
        for (int peer = 0; peer < place.ranks; peer++) {
            const int whole = place.counts[peer];

            place.counts[peer] = !mixed && rank == 0 ? (whole + 1) / (2 + k) + 1 : whole + (whole == 0);
        }
        call_either(&place, !mixed || rank % 2 == 0);
        place_fini(&place);
        place_init(&place, comm, *element, seed + (uint64_t)k, 1 << 20);
        each(&place, k, 0, 1);
        CHECK(place_call(&place, BLOCKING) != MPI_SUCCESS || each(&place, k, 1, 0) == 0);
        place.comm = other;
        check_right(&place, BLOCKING, k);
        place_fini(&place);
        MPI_Comm_free(&comm);
    }
}

/* ---- calls of the kernel that fail ---- */

static int kernel_calls = -1;   /* before one fails, once; negative: none fails */

static int kernel_fails(void)
{
    errno = ENOMEM;
    return kernel_calls >= 0 && kernel_calls-- == 0;
}

/* It stands before that of the C library, as malloc does. */
MPI_MEMORY_VISIBLE ssize_t process_vm_readv(pid_t process, const struct iovec *to, unsigned long tos,
                                            const struct iovec *from, unsigned long froms, unsigned long flags)
{
    return kernel_fails() ? -1 : syscall(SYS_process_vm_readv, process, to, tos, from, froms, flags);
}

/*
 * On rank 1 one call fails, and the communicator with it: no rank has a wrong byte without an error, in this call and
 * in the next one.  Other communicators go on.
 */
static void check_kernel(MPI_Comm other, const element_t *element, uint64_t seed, char **keys, int nkeys)
{
    int failed = 1;

    for (int calls = 0; failed; calls++) {
        MPI_Comm comm = dup_irr(MPI_COMM_WORLD, keys, nkeys);
        place_t place;
        int errors, result;

        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        place_init(&place, comm, *element, seed, 1);
        for (int peer = 0, at = 0; peer < place.ranks; peer++, at += place.counts[0] + 1) {
            place.counts[peer] = 80000 / (int)sizeof(int);
            place.displs[peer] = at;
        }
        place.integers = (size_t)place.ranks * (size_t)(place.counts[0] + 1);
        free(place.buffer);
        place.buffer = malloc(place.integers * sizeof(int));
        each(&place, calls, 0, 1);
        kernel_calls = place.rank == 1 ? calls : -1;
        result = place_call(&place, BLOCKING);
        failed = place.rank == 1 && kernel_calls < 0;
        kernel_calls = -1;
        errors = result != MPI_SUCCESS;
        CHECK(errors || each(&place, calls, 1, 0) == 0);
        MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allreduce(MPI_IN_PLACE, &errors, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        CHECK((errors > 0) == failed);
        CHECK(failed || calls >= 2);
        each(&place, calls, 0, 1);
        CHECK(place_call(&place, BLOCKING) != MPI_SUCCESS || each(&place, calls, 1, 0) == 0);
        place.comm = other;
        check_right(&place, BLOCKING, calls + 1);
        place_fini(&place);
        MPI_Comm_free(&comm);
    }
}

/* The first nonblocking call is Open MPI's, whose libnbc has wrong bytes in place (4.1.4).  So it is not in place. */
static void warm_up(MPI_Comm comm)
{
    MPI_Request request;
    int ranks, *input, *output, *counts, *displs;

    MPI_Comm_size(comm, &ranks);
    input = calloc((size_t)ranks * 4, sizeof(int));
    output = input + ranks;
    counts = output + ranks;
    displs = counts + ranks;
    for (int i = 0; i < ranks; i++) {
        counts[i] = 1;
        displs[i] = i;
    }
    MPI_Ialltoallv(input, counts, displs, MPI_INT, output, counts, displs, MPI_INT, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    free(input);
}

static void run(char **group, int length)
{
    const int bounded = strstr(group[0], "bounded") != NULL, wrong = strstr(group[0], "wrong") != NULL;
    const element_t elements[] = { element_of(1, 1), element_of(RUN, 2), element_of(1, 3) };
    MPI_Comm comm = dup_irr(MPI_COMM_WORLD, group + 1, length - 1);
    unsigned long long served = mpi_test_served();
    uint64_t seed = mpi_test_seed();

    warm_up(comm);
    for (int i = 0; i < 3; i++) {
        for (int form = 0; form < FORMS; form++) {
            place_t place;

            place_init(&place, comm, elements[i], seed + (uint64_t)(i * FORMS + form), i < 2 ? 1 << 20 : 1 << 18);
            check_right(&place, (form_t)form, form);
            check_right(&place, (form_t)form, form + 1);
            place_fini(&place);
        }
    }
    for (int i = 0; i < 3 && bounded; i++) {
        check_memory(comm, &elements[i], i == 2, seed + 100);
    }
    if (wrong) {
        check_wrong(comm, &elements[0], seed + 200, group + 1, length - 1);
    }
    if (strstr(group[0], "kernel") != NULL) {
        check_kernel(comm, &elements[0], seed + 300, group + 1, length - 1);
    }
    CHECK(mpi_test_served() >= served + 8);
    for (int i = 0; i < 3; i++) {
        MPI_Datatype type = elements[i].type;

        MPI_Type_free(&type);
    }
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    mpi_test_served();
    mpi_memory_watch();
    mpi_test_groups(argv + 1, argc - 1, run);
    return mpi_test_end();
}
