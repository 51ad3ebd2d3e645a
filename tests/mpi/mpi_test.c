/*
 * mpi_test.c - common parts of the MPI test programs (mpi_test.h).
 */
#include "mpi_test.h"

#include <time.h>

mpi_job_t mpi_job;

static int failures;

int mpi_test_check(int condition, const char *text, const char *file, int line)
{
    int rank;

    if (!condition && failures++ < 10) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        fprintf(stderr, "rank %d: %s:%d: %s\n", rank, file, line, text);
    }
    return condition;
}

int mpi_test_failures(void)
{
    return failures;
}

int mpi_test_end(void)
{
    const int total = mpi_test_sum(failures);

    MPI_Finalize();
    return total == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- cases ---- */

static const mpi_case_t *const *all_tables;

/* Returns the row of CASE or CASE:NUMBER, or NULL. */
static const mpi_case_t *find(const char *text)
{
    const size_t length = strcspn(text, ":");

    for (const mpi_case_t *const *table = all_tables; *table != NULL; table++) {
        for (const mpi_case_t *row = *table; row->name != NULL; row++) {
            if (strlen(row->name) == length && strncmp(text, row->name, length) == 0) {
                return row;
            }
        }
    }
    return NULL;
}

static void run_case(char **group, int length)
{
    const mpi_case_t *row = find(length > 0 ? group[0] : "");
    const int says_served = length > 1 && strncmp(group[1], "served=", 7) == 0;
    const char *colon;

    if (!CHECK(row != NULL)) {
        return;
    }
    colon = strchr(group[0], ':');
    mpi_job.number = colon != NULL ? atoi(colon + 1) : 0;
    mpi_job.keys = group + 1 + says_served;
    mpi_job.nkeys = length - 1 - says_served;
    mpi_job.must_serve = says_served ? strcmp(group[1], "served=yes") == 0 : -1;
    mpi_job.served = mpi_test_served();
    row->run();
    CHECK(!says_served || (mpi_job_served() > 0) == mpi_job.must_serve);
}

int mpi_job_number(int standard)
{
    return mpi_job.number > 0 ? mpi_job.number : standard;
}

unsigned long long mpi_job_served(void)
{
    return mpi_test_served() - mpi_job.served;
}

int mpi_job_is_named(void)
{
    static const char key[] = "coll_irr_alltoallv_algorithm=";

    for (int i = 0; i < mpi_job.nkeys && mpi_job.must_serve != 0; i++) {
        if (strncmp(mpi_job.keys[i], key, sizeof(key) - 1) == 0) {
            return strcmp(mpi_job.keys[i] + sizeof(key) - 1, "auto") != 0;
        }
    }
    return 0;
}

void mpi_test_groups(char **arguments, int count, void (*run)(char **group, int length))
{
    for (int first = 0, number = 1, end; first <= count; first = end + 1, number++) {
        const int before = failures;
        int rank, bad;

        for (end = first; end < count && strcmp(arguments[end], ",") != 0; end++) {
        }
        run(arguments + first, end - first);
        bad = mpi_test_sum(failures - before);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (rank == 0) {
            printf("group %d: %s\n", number, bad == 0 ? "right" : "wrong");
            fflush(stdout);
        }
    }
}

int mpi_test_main(int argc, char **argv, const mpi_case_t *const *tables)
{
    int threads = 0;

    all_tables = tables;
    for (int i = 1; i < argc; i++) {
        const mpi_case_t *row = find(argv[i]);

        threads = threads || (row != NULL && row->threads);
    }
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &mpi_job.thread_level);
    MPI_Comm_rank(MPI_COMM_WORLD, &mpi_job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mpi_job.ranks);
    mpi_job.program = argv[0];
    mpi_test_served();
    mpi_test_groups(argv + 1, argc - 1, run_case);
    return mpi_test_end();
}

/* ---- numbers ---- */

uint64_t mpi_test_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

int mpi_test_below(uint64_t *state, int limit)
{
    return (int)(mpi_test_random(state) % (uint64_t)limit);
}

uint64_t mpi_test_seed(void)
{
    const char *text = getenv("IRR_SEED");
    uint64_t seed = text != NULL ? strtoull(text, NULL, 0) : (uint64_t)time(NULL);
    int rank;

    MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        printf("IRR_SEED=%llu\n", (unsigned long long)seed);
        fflush(stdout);
    }
    return seed;
}

int mpi_test_sum(int value)
{
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return value;
}

int mpi_test_class(int error)
{
    int class;

    MPI_Error_class(error, &class);
    return class;
}

/* ---- coll/irr ---- */

MPI_Comm mpi_test_dup_keys(MPI_Comm comm, char **keys, int nkeys)
{
    MPI_Comm dup;
    MPI_Info info;

    if (nkeys == 0) {
        MPI_Comm_dup(comm, &dup);
        return dup;
    }
    MPI_Info_create(&info);
    for (int i = 0; i < nkeys; i++) {
        char key[128];
        const size_t length = strcspn(keys[i], "=");

        snprintf(key, sizeof(key), "%.*s", (int)length, keys[i]);
        MPI_Info_set(info, key, keys[i] + length + 1);
    }
    MPI_Comm_dup_with_info(comm, info, &dup);
    MPI_Info_free(&info);
    return dup;
}

MPI_Comm mpi_test_dup(MPI_Comm comm, const char *key, const char *value)
{
    char text[256], *keys[] = { text };

    snprintf(text, sizeof(text), "%s=%s", key, value);
    return mpi_test_dup_keys(comm, keys, 1);
}

MPI_T_pvar_handle mpi_test_pvar_open(const char *name, int class, MPI_T_pvar_session *session)
{
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    int provided, index = 0, count = 0;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(session);
    if (MPI_T_pvar_get_index(name, class, &index) == MPI_SUCCESS) {
        MPI_T_pvar_handle_alloc(*session, index, NULL, &handle, &count);
    }
    return handle;
}

unsigned long long mpi_test_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    unsigned long long value = 0;

    if (handle != MPI_T_PVAR_HANDLE_NULL) {
        MPI_T_pvar_read(session, handle, &value);
    }
    return value;
}

unsigned long long mpi_test_served(void)
{
    static MPI_T_pvar_session session;
    static MPI_T_pvar_handle handle;
    static int opened;

    if (!opened) {
        handle = mpi_test_pvar_open("coll_irr_exchanges", MPI_T_PVAR_CLASS_COUNTER, &session);
        opened = 1;
    }
    return mpi_test_pvar_read(session, handle);
}
