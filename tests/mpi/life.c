/*
 * life.c - creates and frees communicators, and ends the job, in every order. No call may hang, and no memory may leak.
 */
#include "mpi_call.h"

#include <pthread.h>

static void case_unused(void)
{
    CHECK(mpi_job_served() == 0);
}

/* Leaks communicators, one of them with a module that was never used. */
static void case_leaked(void)
{
    MPI_Comm used, unused;

    MPI_Comm_dup(MPI_COMM_WORLD, &used);
    MPI_Comm_dup(MPI_COMM_WORLD, &unused);
    CHECK(mpi_call_works(used));
    CHECK(mpi_call_works(MPI_COMM_WORLD));
    CHECK(mpi_job_served() >= 1);
}

/* Leaks a communicator that coll/irr must not serve. */
static void case_leaked_to_host(void)
{
    MPI_Comm used;

    MPI_Comm_dup(MPI_COMM_WORLD, &used);
    CHECK(mpi_call_works(used));
    CHECK(mpi_call_works(MPI_COMM_WORLD));
    CHECK(mpi_job_served() == 0);
}

/* Frees communicators in different orders and at different times on the ranks. */
static void case_freed_late(void)
{
    MPI_Comm comms[6];
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 6; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        CHECK(mpi_call_works(comms[i]));
    }
    for (int i = 0; i < 6; i++) {
        CHECK(mpi_call_works(comms[5 - i]));
    }
    for (int i = 0; i < 6; i++) {
        MPI_Comm_free(&comms[i]);
        CHECK(mpi_call_works(MPI_COMM_WORLD));
    }
}

/* Exchanges only in overlapping subsets of the ranks, never with all ranks. */
static void case_subsets(void)
{
    MPI_Comm subset;
    int rank, ranks;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int shift = 0; shift < 3; shift++) {
        MPI_Comm_split(MPI_COMM_WORLD, (rank + shift) / 2, rank % 2 ? rank : -rank, &subset);
        CHECK(mpi_call_works(subset));
        if (shift < 2) {
            MPI_Comm_free(&subset);
        }
    }
}

/* Exchanges without the last rank. */
static void case_some_ranks(void)
{
    MPI_Comm subset;
    int rank, ranks;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split(MPI_COMM_WORLD, rank == ranks - 1 ? MPI_UNDEFINED : 0, 0, &subset);
    if (subset != MPI_COMM_NULL) {
        CHECK(mpi_call_works(subset));
        MPI_Comm_free(&subset);
    }
}

/* Each info key with two good values and a bad one. */
static const struct {
    const char *key, *one, *other, *bad;
} infos[] = {
    { "coll_irr_alltoallv_algorithm", "direct",       "natural",     "fastest" },
    { "coll_irr_alltoall_algorithm",  "host",     "tree",   "none" },
    { "coll_irr_neighbor_algorithm",  "host",     "direct",  "nearest" },
    { "coll_irr_compose",             "iovec",    "gather", "7" },
    { "coll_irr_window_messages",     "5",        "0",      "-3" },
    { "coll_irr_window_bytes",        "64k",      "1m",     "many" },
    { "coll_irr_dims",                "2x2",      "auto",   "1x8" },
    { "coll_irr_slice_min",           "0",        "4k",     "-1" },
    { "coll_irr_direct_bytes",        "0",        "4k",     "-1" },
    { "coll_irr_overlap",             "blocking", "dual",   "foo" },
    { "coll_irr_ranks_per_node",      "2",        "2",      "two" },
    { "coll_irr_pacing",                "loose",    "grant",  "slow" },
    { "coll_irr_grants",              "1",        "5",      "-2" },
    { "coll_irr_piece_bytes",         "0",        "100",    "-5" },
    { "coll_irr_lead_bytes",          "0",        "100",    "soon" },
    { "coll_irr_host_route",          "node",     "direct", "bridge" },
    { "coll_irr_seed",                "0",        "7",      "x" },
    { "coll_irr_lambda",              "search",   "fixed:0.5", "fixed:2" },
    { "coll_irr_latency_bytes",       "0",        "1m",     "-1" },
    { "coll_irr_max_steps",           "0",        "100",    "4g" },
    { "coll_irr_xor_shift",            "0",        "1",      "2" },
    { "coll_irr_redistribution",      "none",     "2,2,3,4", "2,0,3,4" },
    { "coll_irr_matrix_max_bytes",    "0",        "1k",     "1kk" },
    { "coll_irr_schedule_ms",         "0",        "10",     "-1" },
    { "coll_irr_timeout",             "0",        "600",    "-1" },
    { "coll_irr_cache_bytes",         "0",        "1",      "all" },
};

enum { INFOS = sizeof(infos) / sizeof(infos[0]) };

/* Makes an exchange on a duplicate with an info key.  Returns true if coll/irr served it. */
static int info_served(const char *key, const char *value)
{
    unsigned long long before = mpi_test_served();
    MPI_Comm dup = mpi_test_dup(MPI_COMM_WORLD, key, value);

    CHECK(mpi_call_works(dup));
    MPI_Comm_free(&dup);
    return mpi_test_served() == before + 1;
}

static void case_good_info(void)
{
    for (int i = 0; i < INFOS; i++) {
        CHECK(info_served(infos[i].key, infos[i].one));
        CHECK(info_served(infos[i].key, infos[i].other));
    }
}

/* Checks that Open MPI serves a communicator with a bad info key, and coll/irr all others. */
static void case_bad_info(void)
{
    for (int i = 0; i < INFOS; i++) {
        CHECK(!info_served(infos[i].key, infos[i].bad));
    }
    CHECK(mpi_call_works(MPI_COMM_WORLD));
    CHECK(mpi_job_served() == 1);
}

/* Returns a duplicate whose good info keys override all parameters except one. */
static MPI_Comm dup_with_all_but(int one)
{
    MPI_Comm dup;
    MPI_Info info;

    MPI_Info_create(&info);
    for (int i = 0; i < INFOS; i++) {
        if (i != one) {
            MPI_Info_set(info, infos[i].key, infos[i].one);
        }
    }
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &dup);
    MPI_Info_free(&info);
    return dup;
}

/* Checks bad parameters in the environment. With each single bad parameter, Open MPI must serve two communicators. */
static void case_bad_parameters(void)
{
    for (int i = 0; i < 2 * INFOS; i++) {
        char name[128];

        snprintf(name, sizeof(name), "OMPI_MCA_%s", infos[i / 2].key);
        if (getenv(name) != NULL) {
            MPI_Comm dup = dup_with_all_but(i / 2);

            CHECK(mpi_call_works(dup));
            MPI_Comm_free(&dup);
        }
    }
    CHECK(mpi_job_served() == 0);
}

/* Lets an even rank wait in an exchange while an odd rank receives its long point-to-point message. */
static void case_other_traffic(void)
{
    enum { TAG = 5, BYTES = 8 << 20 };
    char *message = calloc(1, BYTES);
    MPI_Request request;
    int rank, ranks;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 5 && rank < ranks / 2 * 2; i++) {
        if (rank % 2 == 0) {
            MPI_Isend(message, BYTES, MPI_CHAR, rank + 1, TAG, MPI_COMM_WORLD, &request);
            CHECK(mpi_call_works(MPI_COMM_WORLD));
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(message, BYTES, MPI_CHAR, rank - 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK(mpi_call_works(MPI_COMM_WORLD));
        }
    }
    free(message);
}

/* Uses inter-communicators: frees one while an agreement is in progress, and leaks another one. */
static void case_inter(void)
{
    uint64_t state = 1;
    mpi_pair_t pair, leaked;
    mpi_call_t calls[3];

    mpi_pair_open(&leaked, INTER_REVERSED);
    CHECK(mpi_call_works(leaked.irr));
    mpi_pair_open(&pair, INTER_REVERSED);
    for (int i = 0; i < 3; i++) {
        mpi_call_init_plain(&calls[i], &pair, ONE, &state);
        mpi_call_fill(&calls[i]);
        mpi_call_start(&calls[i], NONBLOCKING);
    }
    MPI_Comm_free(&pair.irr);
    CHECK(mpi_call_works(MPI_COMM_WORLD));
    for (int i = 0; i < 3; i++) {
        CHECK(mpi_call_wait(&calls[i]) == MPI_SUCCESS && mpi_call_is_right(&calls[i]));
        mpi_call_fini(&calls[i]);
    }
    mpi_pair_fini(&pair);
    CHECK(mpi_job_served() == 4);   /* all except the first nonblocking call */
}

/* MPI does not allow MPI_IN_PLACE on inter-communicators. */
static void case_inter_in_place(void)
{
    mpi_pair_t pair;
    int in[64], zeros[64] = { 0 };

    mpi_pair_open(&pair, INTER_REVERSED);
    MPI_Comm_set_errhandler(pair.irr, MPI_ERRORS_RETURN);
    for (int i = 0; i < 2; i++) {
        CHECK(mpi_test_class(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, in, zeros, zeros, MPI_INT, pair.irr)) ==
              MPI_ERR_ARG);
        CHECK(mpi_call_works(pair.irr));
    }
    mpi_pair_fini(&pair);
}

/* Duplicates MPI_COMM_WORLD with MPI_THREAD_MULTIPLE. The component must not wait for other ranks in this call. */
static void case_first_dup(void)
{
    MPI_Comm dup;

    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    CHECK(mpi_call_works(dup));
    MPI_Comm_free(&dup);
}

static void *exchange_often(void *argument)
{
    MPI_Comm comm = *(MPI_Comm *)argument;
    intptr_t bad = 0;

    for (int i = 0; i < 200; i++) {
        bad += !mpi_call_works(comm);
    }
    return (void *)bad;
}

static void *dup_often(void *argument)
{
    MPI_Comm comm = *(MPI_Comm *)argument, dup;
    intptr_t bad = 0;

    for (int i = 0; i < 100; i++) {
        MPI_Comm_dup(comm, &dup);
        bad += !mpi_call_works(dup);
        MPI_Comm_free(&dup);
    }
    return (void *)bad;
}

/* Runs threads with a communicator each, whose first uses are also concurrent. */
static void run_threads(void *(*run)(void *argument))
{
    enum { THREADS = 4 };
    MPI_Comm comms[THREADS];
    pthread_t threads[THREADS];
    void *bad;

    if (mpi_job.thread_level < MPI_THREAD_MULTIPLE) {
        return;
    }
    for (int i = 0; i < THREADS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, run, &comms[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &bad);
        CHECK(bad == NULL);
        MPI_Comm_free(&comms[i]);
    }
}

static void case_threads(void) { run_threads(exchange_often); }
static void case_thread_dups(void) { run_threads(dup_often); }

/* Makes more exchanges on one communicator than there are sequence numbers. */
static void case_many(void)
{
    for (int i = 0; i < 1000; i++) {
        CHECK(mpi_call_works(MPI_COMM_WORLD));
    }
    CHECK(mpi_job_served() >= 999);
}

MPI_CASES(mpi_cases_life,
    { "unused", case_unused, 0 }, { "leaked", case_leaked, 0 }, { "leaked_to_host", case_leaked_to_host, 0 },
    { "freed_late", case_freed_late, 0 }, { "subsets", case_subsets, 0 }, { "some_ranks", case_some_ranks, 0 },
    { "inter", case_inter, 0 }, { "inter_in_place", case_inter_in_place, 0 }, { "good_info", case_good_info, 0 },
    { "bad_info", case_bad_info, 0 }, { "bad_parameters", case_bad_parameters, 0 },
    { "other_traffic", case_other_traffic, 0 }, { "first_dup", case_first_dup, 1 }, { "threads", case_threads, 1 },
    { "thread_dups", case_thread_dups, 1 }, { "many", case_many, 0 });
