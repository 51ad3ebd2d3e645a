/*
 * irr_crew.c - see irr_crew.h.
 *
 * The baton is a mutex, which the running thread holds. Every other thread waits for its turn on its own condition
 * variable.
 */
#include "irr_crew.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of times that each member may pass the baton on while nothing happens. */
#define PATIENCE 5000   /* more than a rank waits after a notice (comm/failure.c) */

static struct {
    pthread_mutex_t baton;
    pthread_cond_t  turns[IRR_CREW_MAX];
    bool            alive[IRR_CREW_MAX];
    int             ranks;
    int             turn;       /* the rank that runs */
    int             idle;       /* number of passes of the baton since something happened */
    bool            stuck;
    void          (*member)(int rank, void *context);
    void           *context;
} crew = { .baton = PTHREAD_MUTEX_INITIALIZER };

static void wait_for_turn(int rank)
{
    while (crew.turn != rank) {
        pthread_cond_wait(&crew.turns[rank], &crew.baton);
    }
}

/* Gives the turn to the next member that is alive. */
static void pass(void)
{
    int next = crew.turn;

    for (int i = 0; i < crew.ranks; i++) {
        next = (next + 1) % crew.ranks;
        if (crew.alive[next]) {
            break;
        }
    }
    crew.turn = next;
    pthread_cond_signal(&crew.turns[next]);
}

int irr_crew_self(void)
{
    return crew.turn;
}

void irr_crew_moved(void)
{
    crew.idle = 0;
}

bool irr_crew_yield(void)
{
    int self = crew.turn;

    if (++crew.idle > PATIENCE * crew.ranks) {
        crew.stuck = true;
    }
    if (crew.stuck) {
        return false;
    }
    pass();
    wait_for_turn(self);
    return !crew.stuck;
}

static void *run_member(void *argument)
{
    int rank = (int)(intptr_t)argument;

    pthread_mutex_lock(&crew.baton);
    wait_for_turn(rank);
    crew.member(rank, crew.context);
    crew.alive[rank] = false;
    crew.idle = 0;
    pass();
    pthread_mutex_unlock(&crew.baton);
    return NULL;
}

bool irr_crew_run(int ranks, void (*member)(int rank, void *context), void *context)
{
    pthread_t threads[IRR_CREW_MAX];

    crew.ranks = ranks;
    crew.turn = 0;
    crew.idle = 0;
    crew.stuck = false;
    crew.member = member;
    crew.context = context;
    for (int r = 0; r < ranks; r++) {
        crew.alive[r] = true;
        pthread_cond_init(&crew.turns[r], NULL);
    }
    pthread_mutex_lock(&crew.baton);
    for (int r = 0; r < ranks; r++) {
        if (pthread_create(&threads[r], NULL, run_member, (void *)(intptr_t)r) != 0) {
            abort();
        }
    }
    pthread_mutex_unlock(&crew.baton);
    for (int r = 0; r < ranks; r++) {
        pthread_join(threads[r], NULL);
    }
    for (int r = 0; r < ranks; r++) {
        pthread_cond_destroy(&crew.turns[r]);
    }
    return !crew.stuck;
}

/* ---- groups ---- */

void irr_crew_group_add(irr_crew_group_t *group, int rank)
{
    group->members[group->ranks++] = rank;
}

void irr_crew_group_all(irr_crew_group_t *group, int ranks)
{
    memset(group, 0, sizeof(*group));
    for (int r = 0; r < ranks; r++) {
        irr_crew_group_add(group, r);
    }
}

int irr_crew_group_self(const irr_crew_group_t *group)
{
    for (int i = 0; i < group->ranks; i++) {
        if (group->members[i] == crew.turn) {
            return i;
        }
    }
    return -1;
}

/* Completes a collective that all members have entered. */
static void complete(irr_crew_group_t *group)
{
    memcpy(group->result, group->input, sizeof(group->result));
    group->arrived = 0;
    group->round++;
    group->gathers += group->gather;
    group->reduces += !group->gather;
    irr_crew_moved();
}

/* Copies the input of each member to group->result. Collective over the members. */
static irr_status_t meet(irr_crew_group_t *group, bool gather, const void *input, size_t bytes)
{
    int me = irr_crew_group_self(group);
    unsigned round = group->round;

    if (++group->calls[me] == group->fail_call) {
        return IRR_ERR_TRANSPORT;
    }
    if (group->arrived == 0) {
        group->gather = gather;
        group->bytes = bytes;
    }
    if (group->gather != gather || group->bytes != bytes || bytes > IRR_CREW_BYTES_MAX) {
        group->misused = true;
        return IRR_ERR_TRANSPORT;
    }
    memcpy(group->input[me], input, bytes);
    if (++group->arrived == group->ranks) {
        complete(group);
    }
    while (group->round == round) {
        if (!irr_crew_yield()) {
            return IRR_ERR_TIMEOUT;
        }
    }
    return IRR_OK;
}

static irr_status_t allgather(void *context, const void *input, void *output, size_t bytes)
{
    irr_crew_group_t *group = context;
    irr_status_t status = meet(group, true, input, bytes);

    for (int i = 0; i < group->ranks && status == IRR_OK; i++) {
        memcpy((char *)output + (size_t)i * bytes, group->result[i], bytes);
    }
    return status;
}

static irr_status_t allreduce_max(void *context, uint64_t *values, size_t count)
{
    irr_crew_group_t *group = context;
    irr_status_t status = meet(group, false, values, count * sizeof(*values));

    for (int i = 0; i < group->ranks && status == IRR_OK; i++) {
        for (size_t k = 0; k < count; k++) {
            uint64_t value;

            memcpy(&value, group->result[i] + k * sizeof(value), sizeof(value));
            values[k] = value > values[k] ? value : values[k];
        }
    }
    return status;
}

uint64_t irr_crew_name(int rank)
{
    return UINT64_C(0x100000000) * (uint64_t)rank;
}

static uint64_t process_name(void *context, int rank)
{
    const irr_crew_group_t *group = context;

    return irr_crew_name(group->members[rank]);
}

irr_oob_t irr_crew_oob(irr_crew_group_t *group)
{
    return (irr_oob_t){
        .context = group, .allgather = allgather, .allreduce_max = allreduce_max, .process_name = process_name
    };
}
