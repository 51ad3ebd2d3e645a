/*
 * coll_irr_rounds.c - see coll_irr_rounds.h.
 *
 * A gather receives in round k the bytes of the rank at distance 2^k behind, followed by those of the ranks behind that
 * rank.  At the end the bytes lie in descending order of ranks, starting from this one; two reversals sort them.
 */
#include "coll_irr_engine.h"

#include "core/clock.h"

#include <stdlib.h>

/*
 * Limit of a gap between two tests that counts as waiting.  During a longer gap the program computes, and messages may
 * have arrived.
 */
#define GAP_NS UINT64_C(100000000)

#define NS_PER_S UINT64_C(1000000000)

int mca_coll_irr_tag(ompi_communicator_t *comm)
{
    return ompi_coll_base_nbc_reserve_tags(comm, 1);   /* tags of nonblocking collectives are assigned in call order */
}

/* ---- a round ---- */

static int64_t distance_of(const mca_coll_irr_rounds_t *rounds)
{
    return INT64_C(1) << rounds->round;
}

static bool is_partner(const mca_coll_irr_rounds_t *rounds, uint32_t side)
{
    return (side >> rounds->round & 1) != 0;
}

/* Returns the rank that is `ahead` members ahead. */
static int rank_at(const mca_coll_irr_rounds_t *rounds, int64_t ahead)
{
    const int place = (int)((rounds->me + ahead + rounds->count) % rounds->count);

    return rounds->members != NULL ? rounds->members[place] : place;
}

/* Returns the bytes of a message of this round. */
static size_t length_of(const mca_coll_irr_rounds_t *rounds)
{
    const int64_t known = distance_of(rounds), rest = rounds->count - known;

    if (rounds->words != NULL) {
        return rounds->size * sizeof(rounds->sent[0]);
    }
    return rounds->size * (size_t)(known < rest ? known : rest);
}

static int post_receive(mca_coll_irr_rounds_t *rounds, void *to, size_t bytes, int rank)
{
    const mca_coll_irr_part_t *part = mca_coll_irr_part(rounds->ranks, rank);

    return MCA_PML_CALL(irecv(to, bytes, MPI_BYTE, rank - part->first, rounds->tag + part->tags, part->comm,
                              &rounds->requests[0]));
}

static int post_send(mca_coll_irr_rounds_t *rounds, const void *from, size_t bytes, int rank)
{
    const mca_coll_irr_part_t *part = mca_coll_irr_part(rounds->ranks, rank);

    return MCA_PML_CALL(isend(from, bytes, MPI_BYTE, rank - part->first, rounds->tag + part->tags,
                              MCA_PML_BASE_SEND_STANDARD, part->comm, &rounds->requests[1]));
}

/* Posts the receive and the send of a round.  Returns an error of Open MPI. */
static int post(mca_coll_irr_rounds_t *rounds)
{
    const int64_t distance = distance_of(rounds);
    const size_t bytes = length_of(rounds);
    const bool has_words = rounds->words != NULL;
    void *from = has_words ? (void *)rounds->sent : rounds->bytes;
    void *to = has_words ? (void *)rounds->received : rounds->bytes + rounds->size * (size_t)distance;
    int result = OMPI_SUCCESS;

    if (is_partner(rounds, rounds->partners.behind)) {
        result = post_receive(rounds, to, bytes, rank_at(rounds, -distance));
    }
    if (is_partner(rounds, rounds->partners.ahead) && result == OMPI_SUCCESS) {
        result = post_send(rounds, from, bytes, rank_at(rounds, distance));
    }
    return result;
}

/* Returns true if the receive and the send of the round have completed. */
static bool is_over(mca_coll_irr_rounds_t *rounds)
{
    bool over = true;

    for (int i = 0; i < 2; i++) {
        ompi_request_t **request = &rounds->requests[i];

        if (*request != NULL && REQUEST_COMPLETE(*request)) {
            rounds->failed = rounds->failed || (*request)->req_status.MPI_ERROR != MPI_SUCCESS;
            rounds->notified = rounds->notified || (i == 0 && (*request)->req_status._ucount < length_of(rounds));
            ompi_request_free(request);
            *request = NULL;
        }
        over = over && *request == NULL;
    }
    return over;
}

static void take_words(mca_coll_irr_rounds_t *rounds)
{
    for (size_t i = 0; rounds->words != NULL && is_partner(rounds, rounds->partners.behind) && i < rounds->size; i++) {
        rounds->sent[i] = rounds->received[i] > rounds->sent[i] ? rounds->received[i] : rounds->sent[i];
    }
}

/*
 * Returns true if there is another round.  If a rank may give up, the last round of the first pass is followed by the
 * second pass.
 */
static bool has_round(mca_coll_irr_rounds_t *rounds)
{
    if (distance_of(rounds) >= rounds->count && rounds->words != NULL && rounds->sent[rounds->size - 1] != 0 &&
        !rounds->confirms) {
        rounds->confirms = true;
        rounds->round = 0;
    }
    return distance_of(rounds) < rounds->count;
}

/* ---- giving up ---- */

/* Returns the rank whose message is missing; -1: none. */
static int awaited(const mca_coll_irr_rounds_t *rounds)
{
    return rounds->requests[0] != NULL ? rank_at(rounds, -distance_of(rounds)) : -1;
}

static void report_timeout(const mca_coll_irr_rounds_t *rounds)
{
    const mca_coll_irr_ranks_t *ranks = rounds->ranks;
    const int rank = awaited(rounds);
    char text[320], who[96] = "";

    if (rank >= 0) {
        snprintf(who, sizeof(who), " for rank %d, which is process %u of the job", rank,
                 (unsigned)mca_coll_irr_process(ranks, rank).vpid);
    }
    snprintf(text, sizeof(text), "rank %d of a communicator of %d ranks has waited %zu s (coll_irr_timeout) in an "
             "agreement%s; calls that coll/irr may serve end in errors on it from now on", ranks->rank, ranks->size,
             ranks->timeout, who);
    mca_coll_irr_warn("engine-message", text);
}

/*
 * Sends an empty message in all remaining rounds.  They need no memory, and this rank does not wait for their
 * completion.
 */
static void notify_others(mca_coll_irr_rounds_t *rounds)
{
    rounds->round++;
    while (has_round(rounds)) {
        rounds->requests[1] = NULL;
        if (is_partner(rounds, rounds->partners.ahead) &&
            post_send(rounds, NULL, 0, rank_at(rounds, distance_of(rounds))) == OMPI_SUCCESS) {
            ompi_request_free(&rounds->requests[1]);
        }
        rounds->round++;
    }
}

/* Gives up.  If Open MPI does not release a request, its memory must stay (ranks->stranded). */
static void give_up(mca_coll_irr_rounds_t *rounds, irr_status_t status)
{
    mca_coll_irr_ranks_t *ranks = rounds->ranks;

    if (status == IRR_ERR_TIMEOUT) {
        report_timeout(rounds);
    }
    if (rounds->requests[0] != NULL) {
        (void)ompi_request_cancel(rounds->requests[0]);
    }
    if (!is_over(rounds)) {
        ranks->stranded = true;
    }
    ranks->given_up = true;
    rounds->status = status;
    notify_others(rounds);
}

/*
 * Returns the timeout in nanoseconds.  Lower ranks give up slightly earlier, and notify others before these print a
 * message.
 */
static uint64_t limit_ns(const mca_coll_irr_ranks_t *ranks)
{
    const uint64_t limit = ranks->timeout * NS_PER_S;

    return limit - limit / 16 / (uint64_t)ranks->size * (uint64_t)(ranks->size - ranks->rank);
}

static bool is_late(mca_coll_irr_rounds_t *rounds)
{
    const uint64_t now_ns = rounds->ranks->timeout > 0 ? irr_clock_ns() : 0;
    const uint64_t gap_ns = rounds->seen_ns > 0 ? now_ns - rounds->seen_ns : 0;

    rounds->waited_ns += gap_ns < GAP_NS ? gap_ns : GAP_NS;
    rounds->seen_ns = now_ns;
    return now_ns > 0 && rounds->waited_ns > limit_ns(rounds->ranks);
}

void *mca_coll_irr_rounds_room(mca_coll_irr_ranks_t *ranks, void *own, size_t bytes)
{
    void *room = ranks->timeout > 0 ? malloc(bytes) : NULL;

    ranks->timeout = room != NULL ? ranks->timeout : 0;
    return room != NULL ? room : own;
}

void mca_coll_irr_rounds_leave(const mca_coll_irr_ranks_t *ranks, void *own, void *room)
{
    if (room != own && !ranks->stranded) {
        free(room);
    }
}

/* ---- bytes of all ranks ---- */

static void swap(unsigned char *a, unsigned char *b, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        const unsigned char kept = a[i];

        a[i] = b[i];
        b[i] = kept;
    }
}

static void reverse(unsigned char *bytes, int count, size_t size)
{
    for (int i = 0; i < count / 2; i++) {
        swap(bytes + (size_t)i * size, bytes + (size_t)(count - 1 - i) * size, size);
    }
}

static void sort_bytes(const mca_coll_irr_rounds_t *rounds)
{
    const int first = rounds->me + 1;

    if (rounds->size > 0) {
        reverse(rounds->bytes, first, rounds->size);
        reverse(rounds->bytes + (size_t)first * rounds->size, rounds->count - first, rounds->size);
    }
}

/* ---- operations ---- */

void mca_coll_irr_rounds_init(mca_coll_irr_rounds_t *rounds, mca_coll_irr_ranks_t *ranks, int tag)
{
    *rounds = (mca_coll_irr_rounds_t){ .ranks = ranks, .tag = tag, .status = IRR_OK };
}

/* Tests the current round, and ends it if it has completed. */
static void test_round(mca_coll_irr_rounds_t *rounds)
{
    if (!is_over(rounds)) {   /* also after an error: requests in progress use our memory */
        if (is_late(rounds)) {
            give_up(rounds, IRR_ERR_TIMEOUT);
        }
        return;
    }
    if (rounds->failed || rounds->notified) {
        give_up(rounds, rounds->failed ? IRR_ERR_OOB : IRR_ERR_PEER);
        return;
    }
    rounds->status = IRR_OK;
    take_words(rounds);
    rounds->round++;
}

/* Starts rounds until one does not complete at once; completes the operation after the last one. */
static void go_on(mca_coll_irr_rounds_t *rounds)
{
    while (rounds->status == IRR_OK && has_round(rounds)) {
        rounds->status = IRR_IN_PROGRESS;
        rounds->failed = post(rounds) != OMPI_SUCCESS;
        test_round(rounds);
    }
    if (rounds->status == IRR_OK && rounds->words != NULL) {
        memcpy(rounds->words, rounds->sent, (rounds->size - 1) * sizeof(rounds->sent[0]));
    } else if (rounds->status == IRR_OK) {
        sort_bytes(rounds);
    }
}

static void start(mca_coll_irr_rounds_t *rounds, const int *members, int count,
                  const mca_coll_irr_partners_t *partners)
{
    rounds->members = members;
    rounds->count = count;
    rounds->me = rounds->ranks->rank;
    for (int i = 0; members != NULL && i < count; i++) {
        rounds->me = members[i] == rounds->ranks->rank ? i : rounds->me;
    }
    rounds->partners = *partners;
    rounds->round = 0;
    rounds->waited_ns = rounds->seen_ns = 0;
    rounds->notified = rounds->confirms = false;
    rounds->status = rounds->ranks->given_up ? IRR_ERR_PEER : IRR_OK;
    go_on(rounds);
}

void mca_coll_irr_rounds_maxima(mca_coll_irr_rounds_t *rounds, uint64_t *words, size_t count,
                                const mca_coll_irr_partners_t *partners)
{
    rounds->words = words;
    rounds->size = count + 1;
    memcpy(rounds->sent, words, count * sizeof(*words));
    rounds->sent[count] = rounds->ranks->timeout > 0;
    start(rounds, NULL, rounds->ranks->size, partners);
}

void mca_coll_irr_rounds_gather(mca_coll_irr_rounds_t *rounds, const void *input, void *output, size_t bytes)
{
    rounds->words = NULL;
    rounds->bytes = output;
    rounds->size = bytes;
    memcpy(output, input, bytes);
    start(rounds, NULL, rounds->ranks->size, &MCA_COLL_IRR_PARTNERS_ALL);
}

void mca_coll_irr_rounds_barrier(mca_coll_irr_rounds_t *rounds, const int *members, int count)
{
    rounds->words = NULL;
    rounds->bytes = NULL;
    rounds->size = 0;
    start(rounds, members, count, &MCA_COLL_IRR_PARTNERS_ALL);
}

irr_status_t mca_coll_irr_rounds_test(mca_coll_irr_rounds_t *rounds)
{
    if (rounds->status == IRR_IN_PROGRESS) {
        test_round(rounds);
        go_on(rounds);
    }
    return rounds->status;
}

irr_status_t mca_coll_irr_rounds_wait(mca_coll_irr_rounds_t *rounds, time_t deadline)
{
    irr_status_t status = mca_coll_irr_rounds_test(rounds);

    while (status == IRR_IN_PROGRESS) {
        if (!mca_coll_irr_progress(deadline)) {
            return IRR_ERR_TIMEOUT;
        }
        status = mca_coll_irr_rounds_test(rounds);
    }
    return status;
}

typedef struct maxima {
    mca_coll_irr_rounds_t rounds;
    uint64_t              words[MCA_COLL_IRR_ROUNDS_WORDS];
} maxima_t;

irr_status_t mca_coll_irr_maxima(mca_coll_irr_ranks_t *ranks, uint64_t *words, size_t count)
{
    maxima_t own, *maxima = mca_coll_irr_rounds_room(ranks, &own, sizeof(own));
    irr_status_t status;

    memcpy(maxima->words, words, count * sizeof(*words));
    mca_coll_irr_rounds_init(&maxima->rounds, ranks, MCA_COLL_IRR_TAG_BLOCKING);
    mca_coll_irr_rounds_maxima(&maxima->rounds, maxima->words, count, &MCA_COLL_IRR_PARTNERS_ALL);
    status = mca_coll_irr_rounds_wait(&maxima->rounds, 0);
    memcpy(words, maxima->words, count * sizeof(*words));
    mca_coll_irr_rounds_leave(ranks, &own, maxima);
    return status;
}
