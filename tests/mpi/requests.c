/*
 * requests.c - persistent requests that are tried on their own, where the ranks choose and make no other calls: results
 * byte by byte as Open MPI's own, whichever way a start went.
 *
 *     mpi_requests CASE ... [, CASE ...]   cases of the table at the end
 */
#include "mpi_memory.h"
#include "mpi_op.h"

enum { REQUESTS = 5, STARTS = 120 };

typedef struct scene {
    MPI_Comm irr, host;
    int      rank;
    work_t   works[REQUESTS];
} scene_t;

/* On a communicator that the scene frees. */
static void scene_open_on(scene_t *scene, MPI_Comm comm, uint64_t *state)
{
    scene->irr = comm;
    scene->host = make_host(MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &scene->rank);
    for (int i = 0; i < REQUESTS; i++) {
        work_shape(&scene->works[i], scene->irr, scene->host, 1 + i % (SHAPES - 1), state);
    }
}

static void scene_open(scene_t *scene, uint64_t *state)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    scene_open_on(scene, comm, state);
}

static void scene_close(scene_t *scene)
{
    for (int i = 0; i < REQUESTS; i++) {
        work_close(&scene->works[i]);
    }
    if (scene->irr != MPI_COMM_NULL) {
        MPI_Comm_free(&scene->irr);
    }
    MPI_Comm_free(&scene->host);
}

/* All requests that there are, started and waited for in orders of each rank's own. */
static void scene_round(scene_t *scene, int round)
{
    const int stride = 1 + (scene->rank + round) % (REQUESTS - 1);   /* REQUESTS is prime */

    for (int i = 0; i < REQUESTS; i++) {
        work_fill(&scene->works[i]);
    }
    for (int i = 0; i < REQUESTS; i++) {
        work_t *work = &scene->works[(i * stride + scene->rank) % REQUESTS];

        if (work->request != MPI_REQUEST_NULL) {
            MPI_Start(&work->request);
        }
    }
    for (int i = 0; i < REQUESTS; i++) {
        work_t *work = &scene->works[(i + round) % REQUESTS];

        if (work->request != MPI_REQUEST_NULL) {
            MPI_Wait(&work->request, MPI_STATUS_IGNORE);
            CHECK(work_is_right(work));
        }
    }
}

/* A program that does nothing but start one request comes to be served. */
static void case_alone(uint64_t *state)
{
    const unsigned long long served = mpi_test_served();
    scene_t scene;

    scene_open(&scene, state);
    for (int i = 0; i < 4 * STARTS; i++) {
        CHECK(work_once(&scene.works[0]));
    }
    CHECK(mpi_test_served() > served);
    scene_close(&scene);
}

/* A request that is started a few times opens nothing. */
static void case_few(uint64_t *state)
{
    const unsigned long long served = mpi_test_served();
    scene_t scene;

    scene_open(&scene, state);
    for (int i = 0; i < 15; i++) {
        CHECK(work_once(&scene.works[0]));
    }
    CHECK(mpi_test_served() == served);
    scene_close(&scene);
}

/* One is freed in the midst of its trial, at another number of starts for each. */
static void case_together(uint64_t *state)
{
    scene_t scene;

    scene_open(&scene, state);
    for (int round = 0; round < STARTS; round++) {
        scene_round(&scene, round);
        if (round % 20 == 19 && round / 20 < REQUESTS - 1) {
            MPI_Request_free(&scene.works[round / 20].request);
        }
    }
    scene_close(&scene);
}

/* Calls of the same communicator, blocking and not, while requests are tried. */
static void case_between(uint64_t *state)
{
    scene_t scene;

    scene_open(&scene, state);
    for (int round = 0; round < STARTS; round++) {
        int one = 1, sum = 0, ranks;
        work_t *work = &scene.works[0];
        MPI_Request request;
        call_t call;

        MPI_Comm_size(scene.irr, &ranks);
        work_fill(work);
        MPI_Start(&work->request);
        MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, scene.irr, &request);
        call_init(&call, scene.irr, 1, MPI_CHAR, MPI_CHAR, 0, state);
        MPI_Alltoallv(call.send.base, call.send.counts, call.send.displs, MPI_CHAR, call.recv.base, call.recv.counts,
                      call.recv.displs, MPI_CHAR, scene.irr);
        MPI_Barrier(scene.irr);
        call_fini(&call);
        if (scene.rank % 2 == 0) {
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Wait(&work->request, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(sum == ranks);
        CHECK(work_is_right(work));
    }
    scene_close(&scene);
}

/* The communicator goes while its requests are tried. */
static void case_orphans(uint64_t *state)
{
    scene_t scene;

    scene_open(&scene, state);
    for (int round = 0; round < STARTS; round++) {
        scene_round(&scene, round);
        if (round == 25) {
            MPI_Comm_free(&scene.irr);
        }
    }
    scene_close(&scene);
}

/* Types with gaps, and in place. */
static void case_types(uint64_t *state)
{
    MPI_Comm irr, host = make_host(MPI_COMM_WORLD);
    MPI_Datatype pair = pair_type(), vector = vector_type();
    work_t works[2] = { { .in_place = 0 }, { .in_place = 1 } };

    MPI_Comm_dup(MPI_COMM_WORLD, &irr);
    call_init(&works[0].call, irr, 1, pair, vector, 1, state);
    call_init_in_place(&works[1].call, irr, vector, state);
    for (int i = 0; i < 2; i++) {
        work_open(&works[i], irr, host);
        for (int k = 0; k < STARTS; k++) {
            CHECK(work_once(&works[i]));
        }
        work_close(&works[i]);
    }
    MPI_Type_free(&pair);
    MPI_Type_free(&vector);
    MPI_Comm_free(&irr);
    MPI_Comm_free(&host);
}

/* An active one cannot be freed, also while the ranks agree; nor cancelled; and goes on. */
static void case_active(uint64_t *state)
{
    scene_t scene;
    int class;

    scene_open(&scene, state);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(scene.irr, MPI_ERRORS_RETURN);
    for (int round = 0; round < STARTS; round++) {
        work_t *work = &scene.works[0];

        work_fill(work);
        if (scene.rank > 0) {
            MPI_Start(&work->request);
            if (work->saved.counts[0] > 0) {   /* what rank 0 sends has not come */
                MPI_Error_class(MPI_Request_free(&work->request), &class);
                CHECK(class == MPI_ERR_REQUEST);
            }
        }
        MPI_Barrier(scene.host);
        if (scene.rank == 0) {
            MPI_Start(&work->request);
        }
        MPI_Wait(&work->request, MPI_STATUS_IGNORE);
        CHECK(work_is_right(work));
    }
    scene_close(&scene);
}

/*
 * An allocation fails on one rank during an agreement.  The ranks do not try that strategy, and all results are right.
 * An info key keeps each communicator from what the ones before it learnt.
 */
static void case_memory(uint64_t *state)
{
    scene_t scene;
    long failed = 0;

    mpi_memory_watch();
    for (long nth = 1; nth < 40; nth += 3) {
        scene_open_on(&scene, mpi_test_dup(MPI_COMM_WORLD, "coll_irr_alltoallv_algorithm", "auto"), state);
        if (scene.rank == 1) {
            mpi_memory_fail(nth, 1);
        }
        for (int i = 0; i < 70; i++) {
            CHECK(work_once(&scene.works[0]));
        }
        failed += mpi_memory_fail(0, 0);
        scene_close(&scene);
    }
    CHECK(scene.rank != 1 || failed > 0);
}

/* Requests that nobody frees, in the midst of trials. */
static void case_leaked(uint64_t *state)
{
    scene_t scene;

    scene_open(&scene, state);
    for (int round = 0; round < 30; round++) {
        scene_round(&scene, round);
    }
    MPI_Comm_free(&scene.irr);
    MPI_Comm_free(&scene.host);
}

const op_case_t op_cases[] = {
    { "alone", case_alone }, { "few", case_few }, { "together", case_together }, { "between", case_between },
    { "orphans", case_orphans }, { "types", case_types }, { "active", case_active }, { "memory", case_memory },
    { "leaked", case_leaked }, { NULL, NULL }
};

int main(int argc, char **argv)
{
    return op_main(argc, argv);
}
