/*
 * coll_irr_signature.c - checks that coll/irr is the same on all ranks of a communicator.
 *
 * The first call on a communicator begins with an agreement.  A rank without coll/irr, or with a priority below another
 * component's, never enters it.  Each process that opens the component therefore publishes a signature, with the data
 * that MPI_Init exchanges anyway: its version and priority, its modes of choice, and its transport, because ranks with
 * different transports cannot reach each other.
 *
 * A first call begins with a dissemination (coll_irr_agreement.h) among ranks with equal signatures only.  In round k a
 * rank looks up the signatures of the ranks at distance 2^k on both sides.  It sends to the rank ahead and receives
 * from the rank behind, unless their signatures differ from its own.  After round k a rank knows whether one of the
 * 2^(k+1) ranks up to itself differs: the rank at distance 2^k sends it the state of the far half, or differs itself.
 * All ranks with equal signatures therefore get the same result.  If a rank is missing or differs, all of them leave
 * the communicator to Open MPI.
 *
 * Cost: about 30 bytes in the data that MPI_Init exchanges.  The first call on a communicator takes log2(P) messages of
 * a few words, which also carry the vote of the agreement, and 2 log2(P) lookups.  Results are kept in one byte for
 * each process of the job.
 */
#include "coll_irr_agreement.h"
#include "coll_irr_engine.h"
#include "coll_irr_settings.h"
#include "coll_irr_team.h"

#include "core/clock.h"
#include "core/hash.h"

#include <stdlib.h>

#define KEY "coll.irr"

/* A message consists of the words of the caller, and of this word: whether some rank differs. */
enum { UNLIKE = MCA_COLL_IRR_WORDS_MAX };

_Static_assert((int)UNLIKE + 1 == (int)MCA_COLL_IRR_SIGNATURE_WORDS, "there is room");

/* ---- signatures ---- */

/* A signature.  Ranks with equal signatures may serve a communicator together. */
typedef union signature {
    uint64_t word;
    struct {
        int64_t  priority : 13;
        uint64_t domain : 12, provider : 12;   /* digests of parameters */
        uint64_t taken : 3, named : 3;         /* values of coll_irr_transport: in use; 1 + given */
        uint64_t version : 14;
        uint64_t modes : MCA_COLL_IRR_MODES_BITS;
    };
} signature_t;

_Static_assert(sizeof(signature_t) == sizeof(uint64_t), "there is room for all parts");

/* The largest priority; larger values are also out of Open MPI's range. */
#define PRIORITY_MAX ((1 << 12) - 1)

/*
 * Returns 0 for no text.  Two different texts have the same digest with probability 1/4095; their ranks then cannot
 * reach each other.
 */
static unsigned digest(const char *text)
{
    return text != NULL && text[0] != '\0' ? (unsigned)(1 + irr_hash_text(IRR_HASH_BASIS, text) % 4095) : 0;
}

static const mca_coll_irr_setting_t *transport(void)
{
    return mca_coll_irr_setting("transport");
}

static unsigned value_of(const char *name)
{
    unsigned value = 0;

    while (transport()->row->value((int)value) != NULL && strcmp(transport()->row->value((int)value), name) != 0) {
        value++;
    }
    return value;
}

static signature_t sign(void)
{
    const mca_coll_irr_params_t *params = &mca_coll_irr_component.params;
    const int given = params->priority;

    return (signature_t){
        .priority = given > PRIORITY_MAX ? PRIORITY_MAX : given < -PRIORITY_MAX ? -PRIORITY_MAX : given,
        .domain = digest(params->ofi_domain),
        .provider = digest(params->ofi_provider),
        .taken = value_of(mca_coll_irr_transport()->name),
        .named = (unsigned)(transport()->place + 1),
        .version = (IRR_VERSION_MAJOR & 15) << 10 | (IRR_VERSION_MINOR & 31) << 5 | (IRR_VERSION_RELEASE & 31),
        .modes = mca_coll_irr_process_modes() };
}

/* What is known of the signature of a process. */
enum { UNKNOWN, LIKE_ME, UNLIKE_ME };

static struct {
    signature_t    signature;   /* of this process */
    bool           published;
    bool           warned;      /* guarded by the component's lock, like `known` */
    unsigned char *known;       /* of each process of the job; NULL: not used yet, or no memory */
} mine;

void mca_coll_irr_signature_open(void)
{
    mine.signature = sign();
    mine.published = mca_coll_irr_abi_matches(NULL, 0) && mca_coll_irr_modex_put(KEY, mine.signature.word);
    mine.warned = false;
}

void mca_coll_irr_signature_close(void)
{
    free(mine.known);
    mine.known = NULL;
}

/* Sets the signature of a rank.  Returns OMPI_SUCCESS, OMPI_ERR_NOT_FOUND, or a local error. */
static int find(const mca_coll_irr_ranks_t *ranks, int rank, signature_t *signature)
{
    const opal_process_name_t name = mca_coll_irr_process(ranks, rank);

    if (rank != ranks->rank) {
        return mca_coll_irr_modex_get(KEY, &name, &signature->word);
    }
    *signature = mine.signature;
    return mine.published ? OMPI_SUCCESS : OMPI_ERR_NOT_FOUND;
}

/*
 * Returns what is known of a process, after setting it to `becomes` unless that is UNKNOWN.  Without memory returns
 * `becomes`.
 */
static unsigned char known_of(size_t process, unsigned char becomes)
{
    const size_t processes = (size_t)mca_coll_irr_process_info.num_procs;
    unsigned char known = becomes;

    opal_mutex_lock(&mca_coll_irr_component.lock);
    if (mine.known == NULL) {
        mine.known = calloc(processes, sizeof(*mine.known));
    }
    if (mine.known != NULL && process < processes) {
        mine.known[process] = becomes != UNKNOWN ? becomes : mine.known[process];
        known = mine.known[process];
    }
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    return known;
}

/* Sets *like_me_p to whether a rank has the same signature.  IRR_ERR_OOB: this process cannot look it up. */
static irr_status_t is_like_me(const mca_coll_irr_ranks_t *ranks, int rank, bool *like_me_p)
{
    const size_t process = mca_coll_irr_process(ranks, rank).vpid;
    unsigned char known = known_of(process, UNKNOWN);
    signature_t other;
    int result;

    if (known == UNKNOWN) {
        result = find(ranks, rank, &other);
        if (result != OMPI_SUCCESS && result != OMPI_ERR_NOT_FOUND) {
            return IRR_ERR_OOB;
        }
        known = result == OMPI_SUCCESS && mine.published && other.word == mine.signature.word ? LIKE_ME : UNLIKE_ME;
        (void)known_of(process, known);
    }
    *like_me_p = known == LIKE_ME;
    return IRR_OK;
}

/* ---- differences ---- */

static const char *transport_name(unsigned value)
{
    const char *name = transport()->row->value((int)value);

    return name != NULL ? name : "something else";
}

static const char *named(const signature_t *signature)
{
    return signature->named > 0 ? transport_name(signature->named - 1) : "no name";
}

static void text_differs(const char *parameter, const char *value, unsigned process, char *text, size_t size)
{
    snprintf(text, size, MCA_COLL_IRR_PREFIX "ofi_%s is '%s' on rank %u of MPI_COMM_WORLD, and not on rank %u",
             parameter, value != NULL ? value : "", mca_coll_irr_my_process(), process);
}

/* Describes the difference to another process as a clause, with the ranks of both in MPI_COMM_WORLD. */
static void describe(const signature_t *other, unsigned process, char *text, size_t size)
{
    const mca_coll_irr_params_t *params = &mca_coll_irr_component.params;
    const irr_transport_choice_t *choice = mca_coll_irr_transport();
    const signature_t *own = &mine.signature;
    const unsigned me = mca_coll_irr_my_process();

    if (other->priority != own->priority) {
        snprintf(text, size, "coll_irr_priority is %d on rank %u of MPI_COMM_WORLD and %d on rank %u",
                 (int)other->priority, process, (int)own->priority, me);
    } else if (other->named != own->named) {
        snprintf(text, size, "%s is %s on rank %u of MPI_COMM_WORLD and %s on rank %u", transport()->parameter,
                 named(other), process, named(own), me);
    } else if (other->provider != own->provider) {
        text_differs("provider", params->ofi_provider, process, text, size);
    } else if (other->domain != own->domain) {
        text_differs("domain", params->ofi_domain, process, text, size);
    } else if (other->taken != own->taken) {
        snprintf(text, size, "%s is %s, which is %s on rank %u of MPI_COMM_WORLD, and %s on rank %u, where %s: name "
                 "one", transport()->parameter, transport_name(0), transport_name(other->taken), process, choice->name,
                 me, choice->why);
    } else if (other->modes != own->modes) {
        snprintf(text, size, "coll_irr_setup_share, what is to serve a collective, the level of threads, or whether "
                 "there is a coll_irr_memory_file, is not the same on rank %u of MPI_COMM_WORLD as on rank %u",
                 process, me);
    } else {
        snprintf(text, size, "rank %u of MPI_COMM_WORLD has loaded another version than rank %u", process, me);
    }
}

/*
 * Describes the difference to the lowest rank that differs.  Returns whether this rank warns the user.  The lowest of
 * the ranks with the highest priority does so, because it calls this function if any rank does.
 */
static bool explain(const mca_coll_irr_ranks_t *ranks, char *text, size_t size)
{
    bool warns = true;

    text[0] = '\0';
    for (int rank = 0; rank < ranks->size; rank++) {
        const unsigned process = (unsigned)mca_coll_irr_process(ranks, rank).vpid;
        signature_t other = { .word = 0 };
        const bool found = find(ranks, rank, &other) == OMPI_SUCCESS;
        const int above = found ? (int)other.priority - (int)mine.signature.priority : -1;

        warns = warns && above <= 0 && (above < 0 || rank >= ranks->rank);
        if (text[0] == '\0' && !found) {
            snprintf(text, size, "rank %u of MPI_COMM_WORLD has not loaded it, and rank %u has", process,
                     mca_coll_irr_my_process());
        } else if (text[0] == '\0' && other.word != mine.signature.word) {
            describe(&other, process, text, size);
        }
    }
    return warns;
}

/* ---- the agreement ---- */

/* Returns the rank that is `ahead` ranks ahead. */
static int rank_at(const mca_coll_irr_ranks_t *ranks, int64_t ahead)
{
    return (int)((ranks->rank + ahead + ranks->size) % ranks->size);
}

static int64_t distance_of(int round)
{
    return INT64_C(1) << round;
}

irr_status_t mca_coll_irr_signature_partners(const mca_coll_irr_ranks_t *ranks, mca_coll_irr_partners_t *partners)
{
    irr_status_t status = IRR_OK;

    /* A process whose signature cannot be looked up nearly always takes part. */
    *partners = (mca_coll_irr_partners_t){ UINT32_MAX, UINT32_MAX };
    for (int round = 0; distance_of(round) < ranks->size && mca_coll_irr_modex_complete(); round++) {
        bool sends = true, receives = true;
        irr_status_t one = is_like_me(ranks, rank_at(ranks, distance_of(round)), &sends);
        irr_status_t other = is_like_me(ranks, rank_at(ranks, -distance_of(round)), &receives);

        partners->ahead &= sends ? UINT32_MAX : ~(UINT32_C(1) << round);
        partners->behind &= receives ? UINT32_MAX : ~(UINT32_C(1) << round);
        status = status != IRR_OK ? status : one != IRR_OK ? one : other;
    }
    return status;
}

void mca_coll_irr_signature_reduce(mca_coll_irr_reduction_t *reduction, const mca_coll_irr_partners_t *partners,
                                   uint64_t *words)
{
    words[UNLIKE] = 0;
    for (int round = 0; distance_of(round) < reduction->ranks->size; round++) {
        words[UNLIKE] |= (partners->ahead >> round & partners->behind >> round & 1) == 0;
    }
    mca_coll_irr_reduction_maxima(reduction, words, MCA_COLL_IRR_SIGNATURE_WORDS, partners);
}

bool mca_coll_irr_signature_is_same(const mca_coll_irr_ranks_t *ranks, const uint64_t *words, char *why, size_t size)
{
    if (words[UNLIKE] == 0) {
        return true;
    }
    if (mine.warned && ranks->rank != 0) {   /* the text is not used */
        snprintf(why, size, "coll/irr is not the same on all ranks");
    } else {
        const bool warns = explain(ranks, why, size);

        if (mca_coll_irr_warns_first(&mine.warned) && warns) {
            mca_coll_irr_warn("not-everywhere", "%s", why);
        }
    }
    return false;
}
