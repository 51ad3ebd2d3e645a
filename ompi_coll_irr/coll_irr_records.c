/*
 * coll_irr_records.c - is coll/irr the same on all ranks of a communicator?
 *
 * The first call on a communicator begins with an agreement, which a rank without coll/irr, or with a priority below
 * another component's, never enters.  So each process that opens the component publishes a record, its version and
 * priority, how it chooses algorithms and what moves its messages, with all that MPI_Init exchanges anyway.  A first
 * call begins with a dissemination (coll_irr_rounds.h) among those alone that have equal records: in round k a rank
 * looks at the records of the ranks at distance 2^k on both sides, sends what it knows to the one and receives what the
 * other knows, but neither to nor from a rank that is unlike it.  After round k a rank knows whether one of the 2^(k+1)
 * ranks up to itself is unlike it: the one at distance 2^k tells it of the far half, or is unlike it itself.  So all
 * ranks with equal records come to the same result, and if one is missing or unlike they all leave the communicator to
 * Open MPI.
 *
 * Cost: a record of some 30 bytes in what MPI_Init exchanges.  In the first call on a communicator log2(P) messages of
 * some words, which carry what the ranks want as well, and 2 log2(P) lookups; what was looked up is kept, in one byte a
 * process of the job.
 */
#include "coll_irr_choose.h"
#include "coll_irr_network.h"

#include "core/clock.h"

#include <stdlib.h>

#define KEY "coll.irr"

/* A message: the words of the caller, and whether somebody is unlike. */
enum { UNLIKE = MCA_COLL_IRR_WORDS_MAX };

_Static_assert((int)UNLIKE + 1 == (int)MCA_COLL_IRR_RECORDS_WORDS, "there is room");

/* Where a record has its parts: the priority, the network, the version, and the modes. */
enum {
    PRIORITY_BITS = 13,
    NETWORK_SHIFT = PRIORITY_BITS,
    VERSION_SHIFT = NETWORK_SHIFT + MCA_COLL_IRR_NETWORK_BITS,
    MODES_SHIFT = VERSION_SHIFT + 14
};

_Static_assert(MODES_SHIFT + MCA_COLL_IRR_MODES_BITS <= 64, "there is room for all parts");

/* Most of a priority, in either direction; what is beyond is out of range anyway. */
#define PRIORITY_MAX ((1 << (PRIORITY_BITS - 1)) - 1)

/* How collectives are served, a version, and what moves messages, above a priority, which may be negative. */
static uint64_t my_record(void)
{
    const uint64_t version =
        (IRR_VERSION_MAJOR & 15) << 10 | (IRR_VERSION_MINOR & 31) << 5 | (IRR_VERSION_RELEASE & 31);
    const int given = mca_coll_irr_component.params.priority;
    const int priority = given > PRIORITY_MAX ? PRIORITY_MAX : given < -PRIORITY_MAX ? -PRIORITY_MAX : given;

    return mca_coll_irr_process_modes() << MODES_SHIFT | version << VERSION_SHIFT |
           mca_coll_irr_network_word() << NETWORK_SHIFT | (uint64_t)(priority + PRIORITY_MAX);
}

static int priority_of(uint64_t record)
{
    return (int)(record & ((UINT64_C(1) << PRIORITY_BITS) - 1)) - PRIORITY_MAX;
}

static uint64_t network_of(uint64_t record)
{
    return record >> NETWORK_SHIFT & ((UINT64_C(1) << MCA_COLL_IRR_NETWORK_BITS) - 1);
}

/* What is known of a process. */
enum { UNKNOWN, LIKE_ME, UNLIKE_ME };

static struct {
    bool           published;
    bool           told;     /* guarded by the component's lock, as what follows */
    unsigned char *known;    /* of the processes of the job; NULL: not yet, or no memory */
} records;

void mca_coll_irr_records_open(void)
{
    char running[32];

    records.published = mca_coll_irr_abi_matches(running, sizeof(running)) &&
                        mca_coll_irr_modex_put(KEY, my_record());
    records.told = false;
}

void mca_coll_irr_records_close(void)
{
    free(records.known);
    records.known = NULL;
}

/* The record of a rank: OMPI_SUCCESS, OMPI_ERR_NOT_FOUND, or why this process cannot tell. */
static int find(const mca_coll_irr_ranks_t *ranks, int rank, uint64_t *record)
{
    const opal_process_name_t name = mca_coll_irr_process(ranks, rank);

    if (rank != ranks->rank) {
        return mca_coll_irr_modex_get(KEY, &name, record);
    }
    *record = my_record();
    return records.published ? OMPI_SUCCESS : OMPI_ERR_NOT_FOUND;
}

/* Where a process is remembered; the lock is held.  NULL without memory. */
static unsigned char *place_of(size_t process)
{
    const size_t processes = (size_t)mca_coll_irr_process_info.num_procs;

    if (records.known == NULL) {
        records.known = calloc(processes, sizeof(*records.known));
    }
    return records.known != NULL && process < processes ? &records.known[process] : NULL;
}

/* IRR_ERR_OOB if this process cannot tell. */
static irr_status_t look(const mca_coll_irr_ranks_t *ranks, int rank, bool *like_me_p)
{
    unsigned char *place, known;
    uint64_t record;
    int result;

    opal_mutex_lock(&mca_coll_irr_component.lock);
    place = place_of(mca_coll_irr_process(ranks, rank).vpid);
    known = place != NULL ? *place : UNKNOWN;
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    if (known == UNKNOWN) {
        result = find(ranks, rank, &record);
        if (result != OMPI_SUCCESS && result != OMPI_ERR_NOT_FOUND) {
            return IRR_ERR_OOB;
        }
        known = result == OMPI_SUCCESS && records.published && record == my_record() ? LIKE_ME : UNLIKE_ME;
        opal_mutex_lock(&mca_coll_irr_component.lock);
        if (place != NULL) {
            *place = known;
        }
        opal_mutex_unlock(&mca_coll_irr_component.lock);
    }
    *like_me_p = known == LIKE_ME;
    return IRR_OK;
}

/* What is unlike on the lowest rank that is unlike this one, as a clause.  False: a lower rank than this one tells. */
static bool explain(const mca_coll_irr_ranks_t *ranks, char *text, size_t size)
{
    const int me = ranks->rank, priority = priority_of(my_record());
    const unsigned my_process = (unsigned)OMPI_PROC_MY_NAME->vpid;
    uint64_t other_record = 0;
    int other = -1;
    unsigned process;
    bool there = false, tells = true;

    for (int rank = 0; rank < ranks->size; rank++) {
        uint64_t record = 0;
        const bool found = find(ranks, rank, &record) == OMPI_SUCCESS;

        tells = tells && !(found && (priority_of(record) > priority ||
                                     (priority_of(record) == priority && rank < me)));
        if (other < 0 && (!found || record != my_record())) {
            other = rank;
            there = found;
            other_record = record;
        }
    }
    process = (unsigned)mca_coll_irr_process(ranks, other < 0 ? me : other).vpid;
    if (!there) {
        snprintf(text, size, "rank %u of MPI_COMM_WORLD has not loaded it, and rank %u has", process, my_process);
    } else if (priority_of(other_record) != priority) {
        snprintf(text, size, "coll_irr_priority is %d on rank %u of MPI_COMM_WORLD and %d on rank %u",
                 priority_of(other_record), process, priority, my_process);
    } else if (network_of(other_record) != network_of(my_record())) {
        mca_coll_irr_network_unlike(network_of(other_record), process, my_process, text, size);
    } else if (other_record >> MODES_SHIFT != my_record() >> MODES_SHIFT) {
        snprintf(text, size, "coll_irr_setup_share, what is to serve a collective, the level of threads, or whether "
                 "there is a coll_irr_memory_file, is not the same on rank %u of MPI_COMM_WORLD as on rank %u",
                 process, my_process);
    } else {
        snprintf(text, size, "rank %u of MPI_COMM_WORLD has loaded another version than rank %u", process,
                 my_process);
    }
    return tells;
}

/*
 * Tells the user what is unlike, at the first communicator of this process.  The lowest of the ranks of the highest
 * priority tells, because it comes here if any rank does.
 */
static void tell_once(const char *text, bool tells)
{
    bool told;

    opal_mutex_lock(&mca_coll_irr_component.lock);
    told = records.told;
    records.told = true;
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    if (!told && tells) {
        mca_coll_irr_tell("not-everywhere", text);
    }
}

/* The ranks at distance 2^round on both sides. */
static int ahead(const mca_coll_irr_ranks_t *ranks, int round)
{
    return (int)(((int64_t)ranks->rank + (INT64_C(1) << round)) % ranks->size);
}

static int behind(const mca_coll_irr_ranks_t *ranks, int round)
{
    return (int)(((int64_t)ranks->rank - (INT64_C(1) << round) + ranks->size) % ranks->size);
}

static bool has_round(const mca_coll_irr_ranks_t *ranks, int round)
{
    return INT64_C(1) << round < ranks->size;
}

irr_status_t mca_coll_irr_records_look(const mca_coll_irr_ranks_t *ranks, mca_coll_irr_partners_t *partners)
{
    irr_status_t status = IRR_OK;

    /* Who cannot be looked up is nearly always there. */
    *partners = (mca_coll_irr_partners_t){ UINT32_MAX, UINT32_MAX };
    for (int round = 0; has_round(ranks, round) && mca_coll_irr_modex_complete(); round++) {
        bool sends = true, receives = true;
        irr_status_t one = look(ranks, ahead(ranks, round), &sends);
        irr_status_t other = look(ranks, behind(ranks, round), &receives);

        partners->ahead &= sends ? UINT32_MAX : ~(UINT32_C(1) << round);
        partners->behind &= receives ? UINT32_MAX : ~(UINT32_C(1) << round);
        status = status != IRR_OK ? status : one != IRR_OK ? one : other;
    }
    return status;
}

void mca_coll_irr_records_ask(mca_coll_irr_rounds_t *rounds, const mca_coll_irr_partners_t *partners, uint64_t *words)
{
    words[UNLIKE] = 0;
    for (int round = 0; has_round(rounds->ranks, round); round++) {
        words[UNLIKE] |= (partners->ahead >> round & partners->behind >> round & 1) == 0;
    }
    mca_coll_irr_rounds_maxima(rounds, words, MCA_COLL_IRR_RECORDS_WORDS, partners);
}

bool mca_coll_irr_records_are_alike(const mca_coll_irr_ranks_t *ranks, const uint64_t *words, char *why, size_t size)
{
    if (words[UNLIKE] == 0) {
        return true;
    }
    if (records.told && ranks->rank != 0) {   /* nobody reads it */
        snprintf(why, size, "coll/irr is not the same on all ranks");
    } else {
        const bool tells = explain(ranks, why, size);

        tell_once(why, tells);
    }
    return false;
}
