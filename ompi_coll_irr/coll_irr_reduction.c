/*
 * coll_irr_reduction.c - see coll_irr_agreement.h: maxima, gathers and barriers by point-to-point messages.
 *
 * In round k of a gather rank r receives the bytes of rank r - 2^k and of the ranks below it that rank r - 2^k has.
 * After the last round rank r has the bytes of all ranks in descending order, starting with rank r.  Two reversals
 * bring them into ascending order.
 */
#include "coll_irr_agreement.h"
#include "coll_irr_engine.h"

#include "core/clock.h"

/* If the time between two tests is longer, the program has computed, and messages may have arrived. */
#define GAP_NS UINT64_C(100000000)

#define NS_PER_S UINT64_C(1000000000)

int mca_coll_irr_tag(ompi_communicator_t *comm)
{
    return ompi_coll_base_nbc_reserve_tags(comm, 1);   /* Open MPI assigns these tags in call order */
}

/* ---- a round ---- */

static int64_t distance_of(const mca_coll_irr_reduction_t *reduction)
{
    return INT64_C(1) << reduction->round;
}

static bool is_partner(const mca_coll_irr_reduction_t *reduction, uint32_t side)
{
    return (side >> reduction->round & 1) != 0;
}

/* The rank of the member that is `ahead` members ahead of this rank. */
static int rank_at(const mca_coll_irr_reduction_t *reduction, int64_t ahead)
{
    const int index = (int)((reduction->me + ahead + reduction->count) % reduction->count);

    return reduction->members != NULL ? reduction->members[index] : index;
}

/* In bytes, of a message of this round. */
static size_t length_of(const mca_coll_irr_reduction_t *reduction)
{
    const int64_t known = distance_of(reduction), rest = reduction->count - known;

    if (reduction->words != NULL) {
        return reduction->size * sizeof(reduction->sent[0]);
    }
    return reduction->size * (size_t)(known < rest ? known : rest);
}

static int post_send(mca_coll_irr_reduction_t *reduction, const void *from, size_t bytes, int rank)
{
    const mca_coll_irr_ranks_group_t *group = mca_coll_irr_ranks_group(reduction->ranks, rank);

    return MCA_PML_CALL(isend(from, bytes, MPI_BYTE, rank - group->first, reduction->tag + group->tags,
                              MCA_PML_BASE_SEND_STANDARD, group->comm, &reduction->requests[1]));
}

/* Posts the messages of a round.  Returns an error of Open MPI. */
static int post(mca_coll_irr_reduction_t *reduction)
{
    const int64_t distance = distance_of(reduction);
    const size_t bytes = length_of(reduction);
    const bool has_words = reduction->words != NULL;
    void *from = has_words ? (void *)reduction->sent : reduction->bytes;
    void *to = has_words ? (void *)reduction->received : reduction->bytes + reduction->size * (size_t)distance;
    int result = OMPI_SUCCESS;

    if (is_partner(reduction, reduction->partners.behind)) {
        const int rank = rank_at(reduction, -distance);
        const mca_coll_irr_ranks_group_t *group = mca_coll_irr_ranks_group(reduction->ranks, rank);

        result = MCA_PML_CALL(irecv(to, bytes, MPI_BYTE, rank - group->first, reduction->tag + group->tags, group->comm,
                                    &reduction->requests[0]));
    }
    if (is_partner(reduction, reduction->partners.ahead) && result == OMPI_SUCCESS) {
        result = post_send(reduction, from, bytes, rank_at(reduction, distance));
    }
    return result;
}

/* Returns true if the messages of the round have completed. */
static bool is_over(mca_coll_irr_reduction_t *reduction)
{
    bool over = true;

    for (int i = 0; i < 2; i++) {
        ompi_request_t **request = &reduction->requests[i];

        if (*request != NULL && REQUEST_COMPLETE(*request)) {
            reduction->failed = reduction->failed || (*request)->req_status.MPI_ERROR != MPI_SUCCESS;
            reduction->notified =
                reduction->notified || (i == 0 && (*request)->req_status._ucount < length_of(reduction));
            ompi_request_free(request);
            *request = NULL;
        }
        over = over && *request == NULL;
    }
    return over;
}

static void take_words(mca_coll_irr_reduction_t *reduction)
{
    const bool receives = reduction->words != NULL && is_partner(reduction, reduction->partners.behind);

    for (size_t i = 0; receives && i < reduction->size; i++) {
        if (reduction->received[i] > reduction->sent[i]) {
            reduction->sent[i] = reduction->received[i];
        }
    }
}

/* Returns true if another round follows.  If a rank may give up, the rounds run twice. */
static bool has_round(mca_coll_irr_reduction_t *reduction)
{
    if (distance_of(reduction) >= reduction->count && reduction->words != NULL && !reduction->confirms &&
        reduction->sent[reduction->size - 1] != 0) {
        reduction->confirms = true;
        reduction->round = 0;
    }
    return distance_of(reduction) < reduction->count;
}

/* ---- giving up a reduction after a timeout or an error ---- */

static void report_timeout(const mca_coll_irr_reduction_t *reduction)
{
    const mca_coll_irr_ranks_t *ranks = reduction->ranks;
    const int rank = rank_at(reduction, -distance_of(reduction));
    char who[96] = "";

    if (reduction->requests[0] != NULL) {   /* the message of this rank is missing */
        snprintf(who, sizeof(who), " for rank %d, which is process %u of the job", rank,
                 (unsigned)mca_coll_irr_process(ranks, rank).vpid);
    }
    mca_coll_irr_warn("rank %d of a communicator of %d ranks has waited %zu s (coll_irr_timeout) in "
                      "an agreement%s; from now on, collectives that coll/irr may serve return errors on it",
                      ranks->rank, ranks->size, ranks->timeout, who);
}

/* Sends an empty message in each remaining round, which needs no memory, and does not wait for its completion. */
static void notify_others(mca_coll_irr_reduction_t *reduction)
{
    reduction->round++;
    while (has_round(reduction)) {
        reduction->requests[1] = NULL;
        if (is_partner(reduction, reduction->partners.ahead) &&
            post_send(reduction, NULL, 0, rank_at(reduction, distance_of(reduction))) == OMPI_SUCCESS) {
            ompi_request_free(&reduction->requests[1]);
        }
        reduction->round++;
    }
}

/* Gives up the reduction.  If Open MPI does not release a request of the reduction, sets ranks->stranded. */
static void give_up(mca_coll_irr_reduction_t *reduction, irr_status_t status)
{
    mca_coll_irr_ranks_t *ranks = reduction->ranks;

    if (status == IRR_ERR_TIMEOUT) {
        report_timeout(reduction);
    }
    if (reduction->requests[0] != NULL) {
        (void)ompi_request_cancel(reduction->requests[0]);
    }
    if (!is_over(reduction)) {
        ranks->stranded = true;
    }
    ranks->given_up = true;
    reduction->status = status;
    notify_others(reduction);
}

/*
 * Lower ranks have slightly shorter timeouts, so that their notices arrive before other ranks print the same warning.
 */
static uint64_t limit_ns(const mca_coll_irr_ranks_t *ranks)
{
    const uint64_t limit = ranks->timeout * NS_PER_S;

    return limit - limit / 16 / (uint64_t)ranks->size * (uint64_t)(ranks->size - ranks->rank);
}

static bool is_late(mca_coll_irr_reduction_t *reduction)
{
    const uint64_t now_ns = reduction->ranks->timeout > 0 ? irr_clock_ns() : 0;
    const uint64_t gap_ns = reduction->seen_ns > 0 ? now_ns - reduction->seen_ns : 0;

    reduction->waited_ns += gap_ns < GAP_NS ? gap_ns : GAP_NS;
    reduction->seen_ns = now_ns;
    return now_ns > 0 && reduction->waited_ns > limit_ns(reduction->ranks);
}

void *mca_coll_irr_reduction_room(mca_coll_irr_ranks_t *ranks, void *own, size_t bytes)
{
    void *room = ranks->timeout > 0 ? malloc(bytes) : NULL;

    ranks->timeout = room != NULL ? ranks->timeout : 0;
    return room != NULL ? room : own;
}

void mca_coll_irr_reduction_leave(const mca_coll_irr_ranks_t *ranks, void *own, void *room)
{
    if (room != own && !ranks->stranded) {
        free(room);
    }
}

/* ---- bytes of all ranks ---- */

static void reverse(unsigned char *bytes, int count, size_t size)
{
    for (int i = 0; i < count / 2; i++) {
        unsigned char *a = bytes + (size_t)i * size, *b = bytes + (size_t)(count - 1 - i) * size;

        for (size_t k = 0; k < size; k++) {
            const unsigned char kept = a[k];

            a[k] = b[k];
            b[k] = kept;
        }
    }
}

static void sort_bytes(const mca_coll_irr_reduction_t *reduction)
{
    const int first = reduction->me + 1;

    if (reduction->size > 0) {
        reverse(reduction->bytes, first, reduction->size);
        reverse(reduction->bytes + (size_t)first * reduction->size, reduction->count - first, reduction->size);
    }
}

/* ---- operations ---- */

void mca_coll_irr_reduction_init(mca_coll_irr_reduction_t *reduction, mca_coll_irr_ranks_t *ranks, int tag)
{
    *reduction = (mca_coll_irr_reduction_t){ .ranks = ranks, .tag = tag, .status = IRR_OK };
}

/* Ends the current round if its messages have completed. */
static void test_round(mca_coll_irr_reduction_t *reduction)
{
    if (!is_over(reduction)) {   /* also after an error, because active requests use the reduction's memory */
        if (is_late(reduction)) {
            give_up(reduction, IRR_ERR_TIMEOUT);
        }
        return;
    }
    if (reduction->failed || reduction->notified) {
        give_up(reduction, reduction->failed ? IRR_ERR_OOB : IRR_ERR_PEER);
        return;
    }
    reduction->status = IRR_OK;
    take_words(reduction);
    reduction->round++;
}

/* Starts rounds until one does not complete at once, or the reduction ends. */
static void go_on(mca_coll_irr_reduction_t *reduction)
{
    while (reduction->status == IRR_OK && has_round(reduction)) {
        reduction->status = IRR_IN_PROGRESS;
        reduction->failed = post(reduction) != OMPI_SUCCESS;
        test_round(reduction);
    }
    if (reduction->status == IRR_OK && reduction->words != NULL) {
        memcpy(reduction->words, reduction->sent, (reduction->size - 1) * sizeof(reduction->sent[0]));
    } else if (reduction->status == IRR_OK) {
        sort_bytes(reduction);
    }
}

static void start(mca_coll_irr_reduction_t *reduction, const int *members, int count,
                  const mca_coll_irr_partners_t *partners)
{
    reduction->members = members;
    reduction->count = count;
    reduction->me = reduction->ranks->rank;
    for (int i = 0; members != NULL && i < count; i++) {
        reduction->me = members[i] == reduction->ranks->rank ? i : reduction->me;
    }
    reduction->partners = *partners;
    reduction->round = 0;
    reduction->waited_ns = reduction->seen_ns = 0;
    reduction->notified = reduction->confirms = false;
    reduction->status = reduction->ranks->given_up ? IRR_ERR_PEER : IRR_OK;
    go_on(reduction);
}

void mca_coll_irr_reduction_maxima(mca_coll_irr_reduction_t *reduction, uint64_t *words, size_t count,
                                   const mca_coll_irr_partners_t *partners)
{
    reduction->words = words;
    reduction->size = count + 1;
    memcpy(reduction->sent, words, count * sizeof(*words));
    reduction->sent[count] = reduction->ranks->timeout > 0;
    start(reduction, NULL, reduction->ranks->size, partners);
}

void mca_coll_irr_reduction_gather(mca_coll_irr_reduction_t *reduction, const void *input, void *output, size_t bytes)
{
    reduction->words = NULL;
    reduction->bytes = output;
    reduction->size = bytes;
    memcpy(output, input, bytes);
    start(reduction, NULL, reduction->ranks->size, &MCA_COLL_IRR_PARTNERS_ALL);
}

void mca_coll_irr_reduction_barrier(mca_coll_irr_reduction_t *reduction, const int *members, int count)
{
    reduction->words = NULL;
    reduction->bytes = NULL;
    reduction->size = 0;
    start(reduction, members, count, &MCA_COLL_IRR_PARTNERS_ALL);
}

irr_status_t mca_coll_irr_reduction_test(mca_coll_irr_reduction_t *reduction)
{
    if (reduction->status == IRR_IN_PROGRESS) {
        test_round(reduction);
        go_on(reduction);
    }
    return reduction->status;
}

irr_status_t mca_coll_irr_reduction_wait(mca_coll_irr_reduction_t *reduction, time_t deadline)
{
    irr_status_t status = mca_coll_irr_reduction_test(reduction);

    while (status == IRR_IN_PROGRESS) {
        if (!mca_coll_irr_progress(deadline)) {
            return IRR_ERR_TIMEOUT;
        }
        status = mca_coll_irr_reduction_test(reduction);
    }
    return status;
}

typedef struct maxima {
    mca_coll_irr_reduction_t reduction;
    uint64_t              words[MCA_COLL_IRR_REDUCTION_WORDS];
} maxima_t;

irr_status_t mca_coll_irr_maxima(mca_coll_irr_ranks_t *ranks, uint64_t *words, size_t count)
{
    maxima_t own, *maxima = mca_coll_irr_reduction_room(ranks, &own, sizeof(own));
    irr_status_t status;

    memcpy(maxima->words, words, count * sizeof(*words));
    mca_coll_irr_reduction_init(&maxima->reduction, ranks, MCA_COLL_IRR_TAG_BLOCKING);
    mca_coll_irr_reduction_maxima(&maxima->reduction, maxima->words, count, &MCA_COLL_IRR_PARTNERS_ALL);
    status = mca_coll_irr_reduction_wait(&maxima->reduction, 0);
    memcpy(words, maxima->words, count * sizeof(*words));
    mca_coll_irr_reduction_leave(ranks, &own, maxima);
    return status;
}
