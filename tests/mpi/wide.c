/*
 * wide.c - calls with counts, displacements and blocks that need more than 32 bits.
 *
 * The functions of MPI with counts of type MPI_Count exist since MPI 4.0.  Without them there are no cases.
 *
 * A side of a call has a region of some gigabytes for each rank.  A region maps one small file again and again.  All
 * blocks start at the same position of a file, so each copy of a word of a file has the same value.  The length of a
 * file divides neither 2 nor 4 GiB: if coll/irr cut a number to 32 bits, a region would get wrong words, or not all.
 */
#include "mpi_test.h"

#if MPI_VERSION >= 4
#include <sys/mman.h>
#include <unistd.h>

enum { RANKS = 3, START = 1 << 20, SHORT = 1 << 16 };

static const size_t file_bytes = (size_t)6 << 20;
static const size_t two_gib = (size_t)1 << 31, four_gib = (size_t)1 << 32;

typedef struct side {
    char      *base;
    MPI_Count  counts[RANKS];
    MPI_Aint   displs[RANKS];
} side_t;

/* A call: its communicator and its two sides. */
typedef struct wide {
    MPI_Comm comm;
    int      rank, ranks;
    size_t   region;       /* bytes */
    side_t   send, recv;
} wide_t;

typedef void (*call_t)(wide_t *wide);

static MPI_Datatype bytes[RANKS];   /* all MPI_BYTE */

/* ---- memory ---- */

/* Maps a new file `region / file_bytes` times from `at` on. */
static void map_region(char *at, size_t region)
{
    const int file = memfd_create("region", 0);

    if (file < 0 || ftruncate(file, (off_t)file_bytes) != 0) {
        abort();
    }
    for (size_t i = 0; i < region / file_bytes; i++) {
        char *again = at + i * file_bytes;

        if (mmap(again, file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != again) {
            abort();
        }
    }
    close(file);
}

static void open_side(side_t *side, int ranks, size_t region)
{
    side->base = mmap(NULL, (size_t)ranks * region, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (side->base == MAP_FAILED) {
        abort();
    }
    for (int i = 0; i < ranks; i++) {
        map_region(side->base + (size_t)i * region, region);
    }
}

static void open_wide(wide_t *wide, MPI_Comm comm, size_t region)
{
    for (int i = 0; i < RANKS; i++) {
        bytes[i] = MPI_BYTE;
    }
    wide->comm = comm;
    wide->region = region;
    MPI_Comm_rank(comm, &wide->rank);
    MPI_Comm_size(comm, &wide->ranks);
    open_side(&wide->send, wide->ranks, region);
    open_side(&wide->recv, wide->ranks, region);
}

static void close_wide(wide_t *wide)
{
    munmap(wide->send.base, (size_t)wide->ranks * wide->region);
    munmap(wide->recv.base, (size_t)wide->ranks * wide->region);
    MPI_Comm_free(&wide->comm);
}

/* ---- contents ---- */

static uint64_t *words_of(const wide_t *wide, const side_t *side, int peer)
{
    return (uint64_t *)(side->base + (size_t)peer * wide->region);
}

static uint64_t value(int from, int to, size_t word)
{
    return (word + 1) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)(from * RANKS + to);
}

/* Fills a side with the words that this rank sends, or with zeros. */
static void fill(const wide_t *wide, const side_t *side, int sends)
{
    for (int peer = 0; peer < wide->ranks; peer++) {
        uint64_t *words = words_of(wide, side, peer);

        for (size_t i = 0; i < file_bytes / sizeof(*words); i++) {
            words[i] = sends ? value(wide->rank, peer, i) : 0;
        }
    }
}

/* Returns true if the region of a peer has the words of its block. `first` is the position of the block in its file. */
static int block_is_right(const wide_t *wide, int peer, size_t first, size_t bytes, int in_place)
{
    const uint64_t *words = words_of(wide, &wide->recv, peer);
    const size_t begin = first / sizeof(*words), end = (first + bytes) / sizeof(*words);

    for (size_t i = 0; i < file_bytes / sizeof(*words); i++) {
        const int written = bytes >= file_bytes || (i >= begin && i < end);
        const uint64_t old = in_place ? value(wide->rank, peer, i) : 0;

        if (words[i] != (written ? value(peer, wide->rank, i) : old)) {
            fprintf(stderr, "rank %d: the block of %zu bytes from rank %d is wrong\n", wide->rank, bytes, peer);
            return 0;
        }
    }
    return 1;
}

/* ---- calls ---- */

#define SIDES(wide) (wide)->send.base, (wide)->send.counts, (wide)->send.displs, MPI_BYTE,                         \
                    (wide)->recv.base, (wide)->recv.counts, (wide)->recv.displs, MPI_BYTE, (wide)->comm
#define TYPED(wide) (wide)->send.base, (wide)->send.counts, (wide)->send.displs, bytes,                            \
                    (wide)->recv.base, (wide)->recv.counts, (wide)->recv.displs, bytes, (wide)->comm

static void alltoallv(wide_t *wide)
{
    MPI_Alltoallv_c(SIDES(wide));
}

static void alltoallv_in_place(wide_t *wide)
{
    MPI_Alltoallv_c(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, wide->recv.base, wide->recv.counts, wide->recv.displs,
                    MPI_BYTE, wide->comm);
}

static void alltoallw(wide_t *wide)
{
    MPI_Alltoallw_c(TYPED(wide));
}

static void neighbor_alltoallv(wide_t *wide)
{
    MPI_Neighbor_alltoallv_c(SIDES(wide));
}

static void neighbor_alltoallw(wide_t *wide)
{
    MPI_Neighbor_alltoallw_c(TYPED(wide));
}

static void alltoall(wide_t *wide)
{
    const MPI_Count count = (MPI_Count)wide->region;

    MPI_Alltoall_c(wide->send.base, count, MPI_BYTE, wide->recv.base, count, MPI_BYTE, wide->comm);
}

static void ialltoallv(wide_t *wide)
{
    MPI_Request request;

    MPI_Ialltoallv_c(SIDES(wide), &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void alltoallw_init(wide_t *wide)
{
    MPI_Request request;

    MPI_Alltoallw_init_c(TYPED(wide), MPI_INFO_NULL, &request);
    for (int i = 0; i < RANKS; i++) {   /* the request has a copy */
        wide->send.counts[i] = wide->recv.counts[i] = wide->send.displs[i] = wide->recv.displs[i] = -1;
    }
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

/* ---- cases ---- */

/* Makes a call in which rank 0 sends `longest` bytes to rank 1, and all other blocks are short. */
static void make(wide_t *wide, call_t call, size_t longest)
{
    const int in_place = call == alltoallv_in_place;
    size_t lengths[RANKS];

    for (int i = 0; i < wide->ranks; i++) {
        const MPI_Aint region = (MPI_Aint)((size_t)i * wide->region);

        lengths[i] = wide->rank == 1 && i == 0 ? longest : SHORT;
        wide->send.counts[i] = wide->rank == 0 && i == 1 ? (MPI_Count)longest : SHORT;
        wide->recv.counts[i] = (MPI_Count)lengths[i];
        wide->send.displs[i] = region + START;
        wide->recv.displs[i] = region + START + (MPI_Aint)file_bytes;
    }
    fill(wide, &wide->send, 1);
    fill(wide, &wide->recv, in_place);
    call(wide);
    for (int i = 0; i < wide->ranks; i++) {
        CHECK(block_is_right(wide, i, START, lengths[i], in_place));
    }
}

/* Makes a call with short blocks, because Open MPI serves the first nonblocking call; then one with a long block. */
static void check(MPI_Comm comm, call_t call, size_t longest)
{
    MPI_Comm keyed = mpi_test_dup_keys(comm, mpi_job.keys, mpi_job.nkeys);
    unsigned long long served;
    wide_t wide;

    open_wide(&wide, keyed, (four_gib / file_bytes + 4) * file_bytes);
    make(&wide, call, SHORT);
    served = mpi_test_served();
    make(&wide, call, longest);
    CHECK(mpi_test_served() == served + (mpi_job.must_serve != 0));
    close_wide(&wide);
}

static void case_alltoallv(void) { check(MPI_COMM_WORLD, alltoallv, four_gib + START + SHORT); }
static void case_in_place(void) { check(MPI_COMM_WORLD, alltoallv_in_place, SHORT); }
static void case_alltoallw(void) { check(MPI_COMM_WORLD, alltoallw, two_gib + SHORT); }
static void case_ialltoallv(void) { check(MPI_COMM_WORLD, ialltoallv, two_gib + SHORT); }
static void case_alltoallw_init(void) { check(MPI_COMM_WORLD, alltoallw_init, two_gib + SHORT); }

static void case_neighbors(void)
{
    static const int all[RANKS] = { 0, 1, 2 }, weights[RANKS] = { 1, 1, 1 };
    MPI_Comm graph;

    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, RANKS, all, weights, RANKS, all, weights, MPI_INFO_NULL, 0,
                                   &graph);
    check(graph, neighbor_alltoallv, two_gib + SHORT);
    check(graph, neighbor_alltoallw, SHORT);
    MPI_Comm_free(&graph);
}

/* Two ranks exchange equal blocks of more than 2 GiB; the third rank waits. */
static void case_alltoall(void)
{
    const size_t count = (two_gib / file_bytes + 1) * file_bytes;
    const unsigned long long served = mpi_test_served();
    MPI_Comm pair;
    wide_t wide;

    MPI_Comm_split(MPI_COMM_WORLD, mpi_job.rank < 2 ? 0 : MPI_UNDEFINED, 0, &pair);
    if (pair == MPI_COMM_NULL) {
        return;
    }
    open_wide(&wide, mpi_test_dup_keys(pair, mpi_job.keys, mpi_job.nkeys), count);
    fill(&wide, &wide.send, 1);
    fill(&wide, &wide.recv, 0);
    alltoall(&wide);
    CHECK(mpi_test_served() == served + 1);
    for (int i = 0; i < wide.ranks; i++) {
        CHECK(block_is_right(&wide, i, 0, count, 0));
    }
    close_wide(&wide);
    MPI_Comm_free(&pair);
}

MPI_CASES(mpi_cases_wide,
    { "alltoallv", case_alltoallv, 0 }, { "in_place", case_in_place, 0 }, { "alltoallw", case_alltoallw, 0 },
    { "ialltoallv", case_ialltoallv, 0 }, { "alltoallw_init", case_alltoallw_init, 0 },
    { "neighbors", case_neighbors, 0 }, { "alltoall", case_alltoall, 0 });
#else
const mpi_case_t mpi_cases_wide[] = { { NULL, NULL, 0 } };
#endif
