/*
 * test_scale.c - measures the heap memory of the engine per rank of a large communicator. Each rank has eight partners.
 *
 * All ranks run in one process and one thread, over the loopback fabric.  A figure is the growth of the engine's heap
 * divided by the number of ranks.  The loopback transport contributes 24 bytes for each pair of ranks.
 * IRR_SCALE=RANKS runs another size, up to 4,096 ranks, and prints its figures without a limit.
 */
#include "irr_memory.h"
#include "irr_test.h"

#include "comm/engine.h"
#include "comm/exchange.h"
#include "comm/setup.h"
#include "study/fabric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTNERS = 8, BYTES = 8, ROUNDS = 1000000 };

typedef struct member {
    struct job   *job;
    int           rank;
    irr_engine_t *engine;
    irr_oob_t     oob;
    irr_setup_t   setup;
    irr_comm_t   *comm;
    irr_block_t   blocks[2][PARTNERS];       /* blocks to send, blocks to receive */
    char          bytes[2][PARTNERS * BYTES];
    irr_status_t  status;                    /* result of the exchange */

    /* The last collective of the host that this member has entered. */
    unsigned      entered;
    const void   *input;
    void         *output;
    size_t        length;                    /* length of an allgather; 0: a reduction of `count` values */
    size_t        count;
} member_t;

typedef struct job {
    int           ranks;
    unsigned      completed;                 /* collectives of the host */
    irr_fabric_t *fabric;
    member_t     *members;
} job_t;

/* ---- the collectives of the host ---- */

static irr_status_t enter(member_t *member, const void *input, void *output, size_t length, size_t count)
{
    member->entered++;
    member->input = input;
    member->output = output;
    member->length = length;
    member->count = count;
    return IRR_IN_PROGRESS;
}

static irr_status_t allgather(void *context, const void *input, void *output, size_t bytes)
{
    return enter(context, input, output, bytes, 0);
}

static irr_status_t allreduce_max(void *context, uint64_t *values, size_t count)
{
    return enter(context, values, values, 0, count);
}

static void gather(job_t *job)
{
    for (int to = 0; to < job->ranks; to++) {
        member_t *member = &job->members[to];

        for (int from = 0; from < job->ranks; from++) {
            memcpy((char *)member->output + (size_t)from * member->length, job->members[from].input, member->length);
        }
    }
}

static void reduce(job_t *job)
{
    const size_t count = job->members[0].count;
    uint64_t largest[64] = { 0 };

    for (int r = 0; r < job->ranks; r++) {
        const uint64_t *values = job->members[r].input;

        for (size_t i = 0; i < count; i++) {
            largest[i] = values[i] > largest[i] ? values[i] : largest[i];
        }
    }
    for (int r = 0; r < job->ranks; r++) {
        memcpy(job->members[r].output, largest, count * sizeof(largest[0]));
    }
}

/* Completes a collective that all members have entered. */
static void complete(job_t *job)
{
    for (int r = 0; r < job->ranks; r++) {
        if (job->members[r].entered == job->completed) {
            return;
        }
    }
    if (job->members[0].length > 0) {
        gather(job);
    } else {
        reduce(job);
    }
    job->completed++;
}

static irr_status_t test(void *context)
{
    const member_t *member = context;

    return member->entered == member->job->completed ? IRR_OK : IRR_IN_PROGRESS;
}

static uint64_t process_name(void *context, int rank)
{
    (void)context;
    return (uint64_t)rank + 1;
}

/* ---- the job ---- */

static void open_job(job_t *job, int ranks)
{
    *job = (job_t){ .ranks = ranks, .members = irr_test_array((size_t)ranks, sizeof(*job->members)) };
    irr_test_must(irr_fabric_create(ranks, 0, 0, &job->fabric));
    for (int r = 0; r < ranks; r++) {
        member_t *member = &job->members[r];
        irr_transport_t *transport;

        member->job = job;
        member->rank = r;
        irr_test_must(irr_loopback_open(job->fabric, r, &transport));
        irr_test_must(irr_engine_create_on(transport, false, &member->engine));
        member->oob = (irr_oob_t){ .context = member, .allgather = allgather, .allreduce_max = allreduce_max,
                                   .test = test, .process_name = process_name };
    }
}

static void create_comms(job_t *job, const char *algorithm)
{
    int created = 0;

    for (int r = 0; r < job->ranks; r++) {
        member_t *member = &job->members[r];
        irr_comm_params_t params = { .ranks = job->ranks, .rank = r, .oob = &member->oob, .node = r / 64 };

        params.settings.algorithm = irr_algorithm_find(algorithm);
        irr_setup_start(&member->setup, member->engine, &params);
    }
    for (int round = 0; round < ROUNDS && created < job->ranks; round++) {
        created = 0;
        for (int r = 0; r < job->ranks; r++) {
            created += irr_setup_test(&job->members[r].setup, &job->members[r].comm) != IRR_IN_PROGRESS;
        }
        complete(job);
    }
    for (int r = 0; r < job->ranks; r++) {
        CU_ASSERT_PTR_NOT_NULL_FATAL(job->members[r].comm);
    }
}

static int compare(const void *a, const void *b)
{
    return ((const irr_block_t *)a)->rank - ((const irr_block_t *)b)->rank;
}

/* Starts an exchange of a rank with the four ranks on each side of it. */
static void start(member_t *member)
{
    const int ranks = member->job->ranks;
    irr_problem_t problem = { .ranks = ranks, .rank = member->rank };

    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < PARTNERS; i++) {
            const int distance = i < PARTNERS / 2 ? i + 1 : PARTNERS / 2 - i - 1;

            member->blocks[side][i] = (irr_block_t){
                .rank = (member->rank + distance + ranks) % ranks, .offset = i * BYTES, .length = BYTES };
            memset(member->bytes[0] + i * BYTES, (member->rank * 31 + distance) % 251, BYTES);
        }
        qsort(member->blocks[side], PARTNERS, sizeof(irr_block_t), compare);
    }
    problem.send = (irr_blocks_t){ .list = member->blocks[0], .count = PARTNERS };
    problem.recv = (irr_blocks_t){ .list = member->blocks[1], .count = PARTNERS };
    irr_test_must(irr_exchange_start(irr_comm_exchange(member->comm), &problem, member->bytes[0], member->bytes[1]));
    member->status = IRR_IN_PROGRESS;
}

static bool is_right(const member_t *member)
{
    bool right = true;

    for (int i = 0; i < PARTNERS; i++) {
        const irr_block_t *block = &member->blocks[1][i];
        const int ranks = member->job->ranks, half = ranks / 2;
        const int distance = (member->rank - block->rank + ranks + half) % ranks - half;

        for (int k = 0; k < BYTES; k++) {
            right = right && member->bytes[1][block->offset + k] == (char)((block->rank * 31 + distance) % 251);
        }
    }
    return right;
}

static void exchange(job_t *job)
{
    int over = 0;

    for (int r = 0; r < job->ranks; r++) {
        start(&job->members[r]);
    }
    for (int round = 0; round < ROUNDS && over < job->ranks; round++) {
        over = 0;
        for (int r = 0; r < job->ranks; r++) {
            member_t *member = &job->members[r];

            irr_engine_progress(member->engine);
            if (member->status == IRR_IN_PROGRESS) {
                member->status = irr_exchange_test(irr_comm_exchange(member->comm));
            }
            over += member->status != IRR_IN_PROGRESS;
        }
    }
    for (int r = 0; r < job->ranks; r++) {
        CU_ASSERT_EQUAL(job->members[r].status, IRR_OK);
        CU_ASSERT(is_right(&job->members[r]));
    }
}

static void close_job(job_t *job)
{
    int drained = 0;

    for (int r = 0; r < job->ranks; r++) {
        irr_comm_destroy(job->members[r].comm);
        irr_engine_close(job->members[r].engine);
    }
    for (int round = 0; round < ROUNDS && drained < job->ranks; round++) {
        drained = 0;
        for (int r = 0; r < job->ranks; r++) {
            drained += irr_engine_drain(job->members[r].engine) == IRR_OK;
        }
    }
    CU_ASSERT_EQUAL(drained, job->ranks);
    for (int r = 0; r < job->ranks; r++) {
        irr_engine_destroy(job->members[r].engine);
    }
    irr_fabric_destroy(job->fabric);
    free(job->members);
}

/* ---- cases ---- */

/* Returns the number of heap bytes per rank after an exchange. */
static size_t measure(int ranks, const char *algorithm)
{
    size_t before, opened, used;
    job_t job;

    open_job(&job, ranks);
    before = irr_memory_bytes();
    create_comms(&job, algorithm);
    opened = (irr_memory_bytes() - before) / (size_t)ranks;
    exchange(&job);
    exchange(&job);
    used = (irr_memory_bytes() - before) / (size_t)ranks;
    printf("# %s, %d ranks: %zu bytes a rank open, %zu after exchanges with %d partners\n", algorithm, ranks, opened,
           used, PARTNERS);
    close_job(&job);
    return used;
}

static void test_memory(void)
{
    static const struct { const char *algorithm; size_t limit; } rows[] = {
        { "direct", 60000 }, { "grid", 128000 }, { "node", 220000 }
    };
    const char *scale = getenv("IRR_SCALE");

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        const size_t used = measure(scale != NULL ? atoi(scale) : 256, rows[i].algorithm);

        CU_ASSERT(scale != NULL || used <= rows[i].limit);
    }
}

IRR_TEST_MAIN("scale", 120,
    { "heap of a rank with eight partners", test_memory })
