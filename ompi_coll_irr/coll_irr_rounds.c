/*
 * coll_irr_rounds.c - see coll_irr_rounds.h.
 *
 * What was received belongs to the rank at distance 2^k behind and to those behind that one, which is what a rank has
 * no bytes of yet; so in the end they lie in falling order from this rank on, and two reversals bring them into place.
 */
#include "coll_irr_engine.h"

#include "core/clock.h"

#include "opal/runtime/opal_progress.h"

/* Who waits so long is told why that may be. */
#define LATE_NS UINT64_C(10000000000)

int mca_coll_irr_tag(ompi_communicator_t *comm)
{
    return ompi_coll_base_nbc_reserve_tags(comm, 1);   /* those of nonblocking collectives are given in their order */
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

/* The rank that is so many members ahead. */
static int rank_at(const mca_coll_irr_rounds_t *rounds, int64_t ahead)
{
    const int place = (int)((rounds->me + ahead + rounds->count) % rounds->count);

    return rounds->members != NULL ? rounds->members[place] : place;
}

/* Bytes that travel in this round. */
static size_t length_of(const mca_coll_irr_rounds_t *rounds)
{
    const int64_t known = distance_of(rounds), rest = rounds->count - known;

    if (rounds->words != NULL) {
        return rounds->size * sizeof(*rounds->words);
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

/* Posts what is received and what is sent; an error of Open MPI. */
static int post(mca_coll_irr_rounds_t *rounds)
{
    const int64_t distance = distance_of(rounds);
    const size_t bytes = length_of(rounds);
    const bool has_words = rounds->words != NULL;
    void *from = has_words ? (void *)rounds->words : rounds->bytes;
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

/* Is what was posted over? */
static bool is_over(mca_coll_irr_rounds_t *rounds)
{
    bool over = true;

    for (int i = 0; i < 2; i++) {
        ompi_request_t **request = &rounds->requests[i];

        if (*request != NULL && REQUEST_COMPLETE(*request)) {
            rounds->failed = rounds->failed || (*request)->req_status.MPI_ERROR != MPI_SUCCESS;
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
        rounds->words[i] = rounds->received[i] > rounds->words[i] ? rounds->received[i] : rounds->words[i];
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

    if (rounds->size > 0 && rounds->words == NULL) {
        reverse(rounds->bytes, first, rounds->size);
        reverse(rounds->bytes + (size_t)first * rounds->size, rounds->count - first, rounds->size);
    }
}

/* ---- operations ---- */

void mca_coll_irr_rounds_init(mca_coll_irr_rounds_t *rounds, const mca_coll_irr_ranks_t *ranks, int tag)
{
    *rounds = (mca_coll_irr_rounds_t){ .ranks = ranks, .tag = tag, .status = IRR_OK };
}

/* The round runs: is it over? */
static void test_round(mca_coll_irr_rounds_t *rounds)
{
    if (!is_over(rounds)) {
        return;   /* also if something has failed: what is under way uses our memory */
    }
    rounds->status = rounds->failed ? IRR_ERR_OOB : IRR_OK;
    if (!rounds->failed) {
        take_words(rounds);
        rounds->round++;
    }
}

/* No round runs: goes on until one has to wait. */
static void go_on(mca_coll_irr_rounds_t *rounds)
{
    while (rounds->status == IRR_OK && distance_of(rounds) < rounds->count) {
        rounds->status = IRR_IN_PROGRESS;
        rounds->failed = post(rounds) != OMPI_SUCCESS;
        test_round(rounds);
    }
    if (rounds->status == IRR_OK) {
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
    rounds->status = IRR_OK;
    go_on(rounds);
}

void mca_coll_irr_rounds_maxima(mca_coll_irr_rounds_t *rounds, uint64_t *words, size_t count,
                                const mca_coll_irr_partners_t *partners)
{
    rounds->words = words;
    rounds->size = count;
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

irr_status_t mca_coll_irr_rounds_wait(mca_coll_irr_rounds_t *rounds, time_t deadline, const char *late)
{
    const uint64_t begin_ns = late != NULL ? irr_clock_ns() : 0;
    irr_status_t status = mca_coll_irr_rounds_test(rounds);

    while (status == IRR_IN_PROGRESS) {
        if (deadline != 0 && time(NULL) > deadline) {
            return IRR_ERR_TIMEOUT;
        }
        if (late != NULL && irr_clock_ns() - begin_ns > LATE_NS) {
            mca_coll_irr_tell("engine-message", late);
            late = NULL;
        }
        opal_progress();
        mca_coll_irr_engine_progress();
        status = mca_coll_irr_rounds_test(rounds);
    }
    return status;
}
