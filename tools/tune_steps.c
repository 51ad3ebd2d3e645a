/*
 * tune_steps.c - the steps that irr_tune times: measurements, such as a ping-pong; see tune.h.
 *
 * A step is repeated until it lasts some milliseconds.  Before a step with messages is timed, its ranks exchange short
 * messages, so that all of them begin at nearly the same time.
 */
#include "tune.h"

#include "core/clock.h"
#include "core/random.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SHORT_BYTES 8
#define TAG         1

/* Intended duration of a run of a step, in ns, and the maximum number of repetitions in a run. */
#define STEP_NS      2e6
#define REPEATS_MAX  4096

/* Duration and maximum number of repetitions of a step with long messages. */
#define STREAM_NS    50e6
#define STREAMS_MAX  8

/* Number of timed runs of a step without long messages.  The fastest counts: other processes may disturb a run. */
#define RUNS         5

#define COPY_REGION  (16 << 20)   /* bytes of each buffer; copies walk through it */
#define REST_NS      100000       /* time between two tests for the end of a barrier */
#define BURST_MAX    80           /* irr_tune_burst returns less */

/* A piece has PIECE_BYTES + 4 n bytes, for a random n below PIECE_MORE; pieces begin PIECE_STRIDE bytes apart. */
#define PIECE_BYTES  8
#define PIECE_MORE   5
#define PIECE_STRIDE 72

/* ---- messages ---- */

/* Returns the member at a distance from this rank in the ring of the group. */
static int at(const irr_tune_group_t *group, int distance)
{
    return group->members[(group->me + distance + group->count) % group->count];
}

/*
 * Returns the number of messages that each member sends at once, a multiple of its number of partners.  If a member
 * has at least three partners on other nodes, each partner gets one message, because a second message to the same rank
 * could travel together with the first.
 */
int irr_tune_burst(const irr_tune_group_t *group, bool between)
{
    const int least = between && group->partners >= 3 ? group->partners : 16;

    return group->partners > 0 ? (least + group->partners - 1) / group->partners * group->partners : 0;
}

/* Sends and receives short messages, by turns to and from each partner. */
static void exchange(const irr_tune_group_t *group, irr_tune_room_t *room, int messages)
{
    MPI_Request requests[2 * BURST_MAX];

    for (int i = 0; i < messages; i++) {
        MPI_Irecv(room->to + i * SHORT_BYTES, SHORT_BYTES, MPI_BYTE,
                  at(group, -1 - i % group->partners * group->stride), TAG, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < messages; i++) {
        MPI_Isend(room->from, SHORT_BYTES, MPI_BYTE, at(group, 1 + i % group->partners * group->stride), TAG,
                  MPI_COMM_WORLD, &requests[messages + i]);
    }
    MPI_Waitall(2 * messages, requests, MPI_STATUSES_IGNORE);
}

/* Runs ping-pongs between the first two members of a group. */
static void bounce(const irr_tune_group_t *group, irr_tune_room_t *room, int times)
{
    const int peer = group->members[1 - group->me];

    for (int i = 0; i < times; i++) {
        if (group->me == 0) {
            MPI_Send(room->from, SHORT_BYTES, MPI_BYTE, peer, TAG, MPI_COMM_WORLD);
        }
        MPI_Recv(room->to, SHORT_BYTES, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (group->me == 1) {
            MPI_Send(room->from, SHORT_BYTES, MPI_BYTE, peer, TAG, MPI_COMM_WORLD);
        }
    }
}

/* Each even member sends `messages` long messages at once to the next member, which returns a short message. */
static void stream(const irr_tune_group_t *group, irr_tune_room_t *room, int messages)
{
    const bool sends = group->me % 2 == 0;
    const int peer = group->members[sends ? group->me + 1 : group->me - 1];
    MPI_Request requests[STREAMS_MAX];

    for (int i = 0; i < messages; i++) {
        if (sends) {
            MPI_Isend(room->from, IRR_TUNE_STREAM_BYTES, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &requests[i]);
        } else {
            MPI_Irecv(room->to + (size_t)i * IRR_TUNE_STREAM_BYTES, IRR_TUNE_STREAM_BYTES, MPI_BYTE, peer, TAG,
                      MPI_COMM_WORLD, &requests[i]);
        }
    }
    MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE);
    if (sends) {
        MPI_Recv(room->to, 1, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(room->from, 1, MPI_BYTE, peer, TAG, MPI_COMM_WORLD);
    }
}

/* ---- memory ---- */

static void copy(const irr_tune_group_t *group, irr_tune_room_t *room, int times)
{
    (void)group;
    for (int i = 0; i < times; i++) {
        const size_t offset = (size_t)i * IRR_TUNE_COPY_BYTES % COPY_REGION;

        memcpy(room->to + offset, room->from + offset, IRR_TUNE_COPY_BYTES);
    }
}

/* Pieces come from different cache lines in random order, and their lengths vary. */
static struct piece {
    uint32_t offset, length;
} pieces[IRR_TUNE_PIECES_COUNT];

static void shuffle_pieces(void)
{
    uint64_t random = 1;

    for (uint32_t k = 0; k < IRR_TUNE_PIECES_COUNT; k++) {
        const uint32_t other = (uint32_t)irr_random_below(&random, k + 1);

        pieces[k] = pieces[other];
        pieces[other].offset = k * PIECE_STRIDE;
        pieces[other].length = PIECE_BYTES + (uint32_t)irr_random_below(&random, PIECE_MORE) * 4;
    }
}

static void gather(const irr_tune_group_t *group, irr_tune_room_t *room, int times)
{
    (void)group;
    for (int i = 0; i < times; i++) {
        char *to = room->to;

        for (const struct piece *piece = pieces; piece < pieces + IRR_TUNE_PIECES_COUNT; piece++) {
            memcpy(to, room->from + piece->offset, piece->length);
            to += piece->length;
        }
    }
}

/* ---- all ---- */

/* Returns the ranks that execute a step.  If no node has two ranks, rank 0 alone copies. */
static const irr_tune_group_t *group_of(const irr_tune_groups_t *groups, irr_tune_step_t step)
{
    static irr_tune_group_t single = { .count = 1 };

    switch (step) {
    case IRR_TUNE_PING_BETWEEN:
    case IRR_TUNE_BURST_BETWEEN:
        return &groups->between;
    case IRR_TUNE_STREAM_ONE:
    case IRR_TUNE_STREAM_ALL:
        return &groups->link;
    default:
        single.me = groups->rank == 0 ? 0 : -1;
        return groups->inside.count > 0 || step < IRR_TUNE_COPY ? &groups->inside : &single;
    }
}

bool irr_tune_has(const irr_tune_groups_t *groups, irr_tune_step_t step)
{
    return group_of(groups, step)->count > 0;
}

/*
 * Calls `once` on the first `count` members of a group, `calls` times.  number: the number of messages or copies of a
 * call.  Before the first call, each of these members sends a short message to `partners` of them, so that all begin at
 * nearly the same time.  Returns the time of all calls in ns; 0 on other ranks.
 */
static double time_of(void (*once)(const irr_tune_group_t *, irr_tune_room_t *, int), const irr_tune_group_t *group,
                      int count, int partners, irr_tune_room_t *room, int number, int calls)
{
    irr_tune_group_t part = *group;
    uint64_t begin;

    if (group->me < 0 || group->me >= count) {
        return 0;
    }
    part.count = count;
    part.partners = partners;
    exchange(&part, room, partners);
    begin = irr_clock_ns();
    for (int i = 0; i < calls; i++) {
        once(&part, room, number);
    }
    return (double)(irr_clock_ns() - begin);
}

static double run(const irr_tune_groups_t *groups, irr_tune_room_t *room, irr_tune_step_t step, int repeats)
{
    const irr_tune_group_t *group = group_of(groups, step);
    const int all = group->count, burst = irr_tune_burst(group, step == IRR_TUNE_BURST_BETWEEN);

    switch (step) {
    case IRR_TUNE_PING_INSIDE:
    case IRR_TUNE_PING_BETWEEN:  return time_of(bounce, group, 2, 1, room, repeats, 1) / (2 * repeats);
    case IRR_TUNE_BURST_INSIDE:
    case IRR_TUNE_BURST_BETWEEN: return time_of(exchange, group, all, group->partners, room, burst, repeats) / repeats;
    case IRR_TUNE_STREAM_ONE:    return time_of(stream, group, 2, 1, room, repeats, 1) / repeats;
    case IRR_TUNE_STREAM_ALL:    return time_of(stream, group, all, all / 2, room, repeats, 1) / repeats;
    case IRR_TUNE_COPY:          return time_of(copy, group, all, 0, room, repeats, 1) / repeats;
    default:                     return time_of(gather, group, all, 0, room, repeats, 1) / repeats;
    }
}

void irr_tune_rest(void)
{
    MPI_Request request;
    int done = 0;

    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    while (!done) {
        nanosleep(&(struct timespec){ .tv_nsec = REST_NS }, NULL);
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
}

/* Collective.  Returns the time in ns of one execution on the slowest rank. */
static double slowest_ns(const irr_tune_groups_t *groups, irr_tune_room_t *room, irr_tune_step_t step, int repeats)
{
    double ns;

    irr_tune_rest();
    ns = run(groups, room, step, repeats);
    irr_tune_rest();
    MPI_Allreduce(MPI_IN_PLACE, &ns, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return ns;
}

double irr_tune_measure(const irr_tune_groups_t *groups, irr_tune_room_t *room, irr_tune_step_t step)
{
    const bool streams = step == IRR_TUNE_STREAM_ONE || step == IRR_TUNE_STREAM_ALL;
    const int most = streams ? STREAMS_MAX : REPEATS_MAX;
    double ns;

    if (room->repeats[step] == 0) {
        const double once = slowest_ns(groups, room, step, 1);
        const double often = (streams ? STREAM_NS : STEP_NS) / (once > 1 ? once : 1);

        room->repeats[step] = often < 1 ? 1 : often < most ? (int)often : most;
    }
    ns = slowest_ns(groups, room, step, room->repeats[step]);
    for (int i = 1; i < RUNS && !streams; i++) {
        const double again = slowest_ns(groups, room, step, room->repeats[step]);

        ns = again < ns ? again : ns;
    }
    return ns;
}

/* ---- buffers ---- */

irr_cli_exit_t irr_tune_room_open(const irr_tune_groups_t *groups, irr_tune_room_t *room)
{
    const bool takes_part = groups->inside.me >= 0 || groups->between.me >= 0 || groups->link.me >= 0 ||
                            groups->rank == 0;
    irr_cli_exit_t code;

    *room = (irr_tune_room_t){ .from = NULL };
    room->from = takes_part ? malloc(COPY_REGION) : NULL;
    room->to = takes_part ? malloc(COPY_REGION) : NULL;
    code = irr_cli_all_have(!takes_part || (room->from != NULL && room->to != NULL),
                            "not enough memory: each rank needs %d MiB", 2 * COPY_REGION >> 20);
    if (code == IRR_CLI_GOOD && takes_part) {
        memset(room->from, 1, COPY_REGION);
        memset(room->to, 2, COPY_REGION);
    }
    shuffle_pieces();
    return code;
}

void irr_tune_room_close(irr_tune_room_t *room)
{
    free(room->from);
    free(room->to);
}
