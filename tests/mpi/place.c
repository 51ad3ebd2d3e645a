/*
 * place.c - MPI_IN_PLACE with long blocks: every byte, bounded memory, and no hang where ranks or counts differ.
 *
 *     mpi_place CASE [INFO_KEY=VALUE ...] [, CASE ...]   cases of the table at the end
 *
 * Elements are integers, whose datatypes are one run, long runs, or short ones, which are packed.  What the component
 * allocates is counted: in place no more than the engine says (IRR_PAIRS_SCRATCH), and plans; for short runs a packed
 * copy besides.
 */
#include "mpi_call.h"
#include "mpi_fail.h"

enum { SCRATCH = 1 << 20, PLANS = 1 << 20, RUN = 4096, ELEMENTS = 3 };

/* Alike in both directions: nothing, a few, or more than a piece, up to so many bytes. */
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

/* Elements of one run, of long runs, or of short ones; blocks of up to so many bytes. */
static mpi_spec_t spec_of(int kind, int element, uint64_t seed, int bytes_max)
{
    static const int items[ELEMENTS] = { 1, 2 * RUN, 3 }, pieces[ELEMENTS] = { 1, 2, 3 };
    mpi_spec_t spec = mpi_spec_plain(kind, count_long, 0, seed);

    spec.items = items[element];
    spec.pieces = pieces[element];
    spec.most = bytes_max;
    return spec;
}

/* One call in place of integers; returns its result, and checks the bytes if that is good. */
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

/* Each form twice, with each element. */
static void case_right(void)
{
    const unsigned long long served = mpi_test_served();
    const uint64_t seed = mpi_test_seed();
    mpi_pair_t pair;

    mpi_pair_open(&pair, ALL);
    mpi_call_meet(&pair);
    for (int i = 0; i < ELEMENTS * (FORMS + 1); i++) {
        const int element = i % ELEMENTS, form = i / ELEMENTS;   /* the last one is blocking, with types of their own */
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

/* All that the component allocates in a call whose blocks are longer than before; a copy's length is a power of 2. */
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
        CHECK(mpi_memory.bytes <= SCRATCH + PLANS + (element == 2 ? 2 * sent : 0));
        CHECK(call.result == MPI_SUCCESS && mpi_call_is_right(&call));
        mpi_call_fini(&call);
    }
    mpi_pair_fini(&pair);
}

/* Some ranks are in place, or rank 0 has other counts, none of them 0: all return. */
static void wrong_once(const mpi_pair_t *pair, uint64_t seed, int k)
{
    const int mixed = k % 2, out_of_place = mixed && pair->rank % 2 != 0;
    const mpi_spec_t spec = spec_of(out_of_place ? ALLTOALLV : ALLTOALLV_IN_PLACE, 0, seed, 3 << 20);
    mpi_call_t call;

    mpi_call_init(&call, pair, &spec);
    for (int i = 0; i < pair->ranks; i++) {
        const int whole = call.recv.counts[i];   /* there is room for one more */

        call.recv.counts[i] = !mixed && pair->rank == 0 ? (whole + 1) / (2 + k) + 1 : whole + (whole == 0);
        call.send.counts[i] = call.recv.counts[i];
    }
    (void)mpi_call_start(&call, BLOCKING);
    mpi_call_fini(&call);
}

/* The call after a wrong one returns too: right, or with an error if the communicator has failed.  Others go on. */
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
 * On rank 1 one process_vm_readv fails, and the communicator with it: no rank has a wrong byte without an error, in
 * this call and in the next one.  Other communicators go on.
 */
static void case_kernel(void)
{
    enum { INTEGERS = 20000 };
    const uint64_t seed = mpi_test_seed();
    mpi_pair_t other;
    long failed = 1;

    mpi_memory_watch();
    mpi_pair_open(&other, ALL);
    for (int calls = 0; failed; calls++) {
        mpi_pair_t pair;
        int errors;

        mpi_pair_open(&pair, ALL);
        MPI_Comm_set_errhandler(pair.irr, MPI_ERRORS_RETURN);
        if (pair.rank == 1) {
            fail(PROCESS_VM_READV, calls + 1, 1);
        }
        errors = place_once(&pair, seed, mpi_count_most, INTEGERS) != MPI_SUCCESS;
        failed = mpi_test_sum(fail(PROCESS_VM_READV, 0, 0) > 0);
        errors = mpi_test_sum(errors);
        CHECK((errors > 0) == failed);
        CHECK(failed || calls >= 2);
        (void)place_once(&pair, seed, mpi_count_most, INTEGERS);
        CHECK(place_once(&other, seed, mpi_count_most, INTEGERS) == MPI_SUCCESS);
        mpi_pair_fini(&pair);
    }
    mpi_pair_fini(&other);
}

static const mpi_case_t cases[] = {
    { "right", case_right, 0 }, { "bounded", case_bounded, 0 }, { "wrong", case_wrong, 0 },
    { "kernel", case_kernel, 0 }, { NULL, NULL, 0 }
};

int main(int argc, char **argv)
{
    return mpi_test_main(argc, argv, cases);
}
