/*
 * place.c - MPI_IN_PLACE with long blocks: every byte is right, memory is bounded, and nothing hangs if ranks or counts
 * differ.
 *
 * Elements are integers. Their datatypes are one run, long runs, or short runs, which are packed. The test counts the
 * allocations of the component. In place, the component may allocate the scratch of the engine (IRR_PAIRS_SCRATCH) and
 * plans, and for short runs also a packed copy.
 */
#include "mpi_call.h"
#include "mpi_memory.h"

enum { SCRATCH = 1 << 20, PLANS = 1 << 20, RUN = 4096, ELEMENTS = 3 };

/* Returns a count, equal in both directions, of 0, few, or many elements: up to spec->most bytes. */
static int count_long(const mpi_spec_t *spec, int from, int to, int edge)
{
    const int low = from < to ? from : to, high = from < to ? to : from;
    uint64_t state = spec->seed + (uint64_t)low * 1000003 + (uint64_t)high * 7919;
    const uint64_t kind = mpi_test_random(&state) % 4;
    const int large = spec->most / (int)sizeof(int) / spec->items;
    const int most = kind == 0 ? 1 : kind == 1 ? 20 : large;

    (void)edge;
    return mpi_test_below(&state, most + (most == 0));
}

/* Returns a spec with elements of one run, of long runs, or of short runs, and blocks of at most bytes_max bytes. */
static mpi_spec_t spec_of(int kind, int element, uint64_t seed, int bytes_max)
{
    static const int items[ELEMENTS] = { 1, 2 * RUN, 3 }, pieces[ELEMENTS] = { 1, 2, 3 };
    mpi_spec_t spec = mpi_spec_plain(kind, count_long, 0, seed);

    spec.items = items[element];
    spec.pieces = pieces[element];
    spec.most = bytes_max;
    return spec;
}

/* Makes one call of integers in place.  Returns its result, and checks the bytes if it succeeded. */
static int place_once(const mpi_pair_t *pair, uint64_t seed, mpi_counts_t counts, int most)
{
    mpi_spec_t spec = spec_of(ALLTOALLV_IN_PLACE, 0, seed, most);
    mpi_call_t call;
    int result;

    spec.counts = counts;
    mpi_call_init(&call, pair, &spec);
    CHECK(mpi_call_once(&call, BLOCKING) || call.result != MPI_SUCCESS);
    result = call.result;
    mpi_call_fini(&call);
    return result;
}

/* Makes two calls of each form with each kind of element. */
static void case_right(void)
{
    const unsigned long long served = mpi_test_served();
    const uint64_t seed = mpi_test_seed();
    mpi_pair_t pair;

    mpi_pair_open(&pair, ALL);
    mpi_call_meet(&pair);
    for (int i = 0; i < ELEMENTS * (FORMS + 1); i++) {
        const int element = i % ELEMENTS, form = i / ELEMENTS;   /* last form: blocking, a type per block */
        const mpi_spec_t spec = spec_of(form < FORMS ? ALLTOALLV_IN_PLACE : ALLTOALLW_IN_PLACE, element,
                                        seed + (uint64_t)i, element < 2 ? 1 << 20 : 1 << 18);
        mpi_call_t call;

        mpi_call_init(&call, &pair, &spec);
        CHECK(mpi_call_once(&call, form < FORMS ? (mpi_form_t)form : BLOCKING));
        CHECK(mpi_call_once(&call, form < FORMS ? (mpi_form_t)form : BLOCKING));
        mpi_call_fini(&call);
    }
    CHECK(mpi_test_served() >= served + 8);
    mpi_pair_fini(&pair);
}

/* Checks the allocations of a call with longer blocks than before. The length of a copy is a power of 2. */
static void case_bounded(void)
{
    const uint64_t seed = mpi_test_seed();
    mpi_pair_t pair;

    mpi_memory_watch();
    mpi_pair_open(&pair, ALL);
    for (int element = 0; element < ELEMENTS; element++) {
        const mpi_spec_t spec = spec_of(ALLTOALLV_IN_PLACE, element, seed, 4 << 20);
        const size_t bytes = (size_t)spec.items * sizeof(int);
        size_t sent = 0;
        mpi_call_t call;

        mpi_call_init(&call, &pair, &spec);
        for (int i = 0; i < pair.ranks; i++) {
            sent += (size_t)call.recv.counts[i] * bytes;
        }
        mpi_call_fill(&call);
        MPI_Barrier(pair.plain);
        mpi_memory_fail(0, 0);
        mpi_call_start(&call, BLOCKING);
        CHECK(mpi_memory_bytes() <= SCRATCH + PLANS + (element == 2 ? 2 * sent : 0));
        CHECK(call.result == MPI_SUCCESS && mpi_call_is_right(&call));
        mpi_call_fini(&call);
    }
    mpi_pair_fini(&pair);
}

/* Makes a wrong call, which must return: some ranks are not in place, or rank 0 has other counts. No count is 0. */
static void wrong_once(const mpi_pair_t *pair, uint64_t seed, int k)
{
    const int mixed = k % 2, out_of_place = mixed && pair->rank % 2 != 0;
    const mpi_spec_t spec = spec_of(out_of_place ? ALLTOALLV : ALLTOALLV_IN_PLACE, 0, seed, 3 << 20);
    mpi_call_t call;

    mpi_call_init(&call, pair, &spec);
    for (int i = 0; i < pair->ranks; i++) {
        const int whole = call.recv.counts[i];   /* the block has room for one more element */

        call.recv.counts[i] = !mixed && pair->rank == 0 ? (whole + 1) / (2 + k) + 1 : whole + (whole == 0);
        call.send.counts[i] = call.recv.counts[i];
    }
    (void)mpi_call_start(&call, BLOCKING);
    mpi_call_fini(&call);
}

/*
 * Checks that the call after a wrong call also returns. The call is right, or returns an error if the communicator has
 * failed. Other communicators must work.
 */
static void case_wrong(void)
{
    const uint64_t seed = mpi_test_seed();
    mpi_pair_t other;

    mpi_pair_open(&other, ALL);
    for (int k = 0; k < 6; k++) {
        mpi_pair_t pair;

        mpi_pair_open(&pair, ALL);
        MPI_Comm_set_errhandler(pair.irr, MPI_ERRORS_RETURN);
        wrong_once(&pair, seed + (uint64_t)k, k);
        (void)place_once(&pair, seed + (uint64_t)k, count_long, 1 << 20);
        CHECK(place_once(&other, seed + (uint64_t)k, count_long, 1 << 20) == MPI_SUCCESS);
        mpi_pair_fini(&pair);
    }
    mpi_pair_fini(&other);
}

/*
 * Makes one process_vm_readv fail on rank 1. The message is sent again, so no call may return an error or a wrong byte,
 * neither this one nor the next.
 */
static void case_kernel(void)
{
    enum { INTEGERS = 20000 };
    const uint64_t seed = mpi_test_seed();
    long failed = 1;

    mpi_memory_watch();
    for (int calls = 0; failed; calls++) {
        mpi_pair_t pair;

        mpi_pair_open(&pair, ALL);
        MPI_Comm_set_errhandler(pair.irr, MPI_ERRORS_RETURN);
        if (pair.rank == 1) {
            mpi_memory_fail_kind(PROCESS_VM_READV, calls + 1, 1);
        }
        CHECK(place_once(&pair, seed, mpi_count_most, INTEGERS) == MPI_SUCCESS);
        failed = mpi_test_sum(mpi_memory_fail_kind(PROCESS_VM_READV, 0, 0) > 0);
        CHECK(failed || calls > 0);
        CHECK(place_once(&pair, seed, mpi_count_most, INTEGERS) == MPI_SUCCESS);
        mpi_pair_fini(&pair);
    }
}

MPI_CASES(mpi_cases_place,
    { "right", case_right, 0 }, { "bounded", case_bounded, 0 }, { "wrong", case_wrong, 0 },
    { "kernel", case_kernel, 0 });
