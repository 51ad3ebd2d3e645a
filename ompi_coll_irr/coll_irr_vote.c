/*
 * coll_irr_vote.c - the vote, as steps of an agreement: is coll/irr the same on all ranks, and do all ranks want the
 * engine to serve a collective?  Parameters may differ between ranks, so no rank can decide alone.
 *
 * A vote is a reduction: each rank contributes a few words, and all ranks get the maximum of each word.  If the ranks
 * disagree, a second reduction distributes the cause.
 *
 * A rank takes no part in the vote if it lacks coll/irr, or if another component has a higher priority on this rank.
 * Each process therefore publishes a signature of about 30 bytes, with the data that MPI_Init exchanges anyway: the
 * version, the priority, the modes (coll_irr_team.h) and the transport, because ranks with different transports cannot
 * reach each other.
 *
 * In the first vote of a communicator a rank exchanges messages only with ranks that have its signature.  In round k,
 * rank r receives from rank r - 2^k and sends to rank r + 2^k, if their signatures equal its own.  After round k rank r
 * knows whether any of the ranks r - 2^(k+1) + 1 to r has another signature: either rank r - 2^k has another one, or
 * its message says so.  All ranks with equal signatures therefore get the same result.  If a rank is missing or
 * differs, the others leave the communicator to Open MPI.  A rank looks up 2 log2(P) signatures.
 */
#include "coll_irr_agreement.h"
#include "coll_irr_engine.h"
#include "coll_irr_memory.h"
#include "coll_irr_settings.h"
#include "coll_irr_statistics.h"
#include "coll_irr_team.h"

#include "core/hash.h"

/* ---- signatures ---- */

/* coll/irr can serve a communicator only if all its ranks have the same signature. */
typedef union signature {
    uint64_t word;
    struct {
        int64_t  priority : 13;
        uint64_t domain : 12, provider : 12;   /* digests of parameters */
        uint64_t taken : 3, named : 3;         /* in use; 1 + value of coll_irr_transport */
        uint64_t version : 14;
        uint64_t modes : MCA_COLL_IRR_MODES_BITS;
    };
} signature_t;

_Static_assert(sizeof(signature_t) == sizeof(uint64_t), "there is room for all fields");

/* The signature of a process that has no modules, because it had no memory in MPI_Init. */
#define NO_MEMORY UINT64_C(0)

/* The largest priority that Open MPI allows. */
#define PRIORITY_MAX ((1 << 12) - 1)

/*
 * Returns a digest of a text, or 0 if there is no text.  Of two different texts, one in 4,095 pairs has equal digests;
 * the ranks then do not detect the difference, and cannot reach each other.
 */
static unsigned digest(const char *text)
{
    return text != NULL && text[0] != '\0' ? (unsigned)(1 + irr_hash_text(IRR_HASH_BASIS, text) % 4095) : 0;
}

static const mca_coll_irr_setting_t *transport(void)
{
    return mca_coll_irr_setting("transport");
}

static signature_t sign(void)
{
    const mca_coll_irr_params_t *params = &mca_coll_irr_component.params;
    const int given = params->priority;

    return (signature_t){
        .priority = given > PRIORITY_MAX ? PRIORITY_MAX : given < -PRIORITY_MAX ? -PRIORITY_MAX : given,
        .domain = digest(params->ofi_domain),
        .provider = digest(params->ofi_provider),
        .taken = (unsigned)irr_setting_index(transport()->row, mca_coll_irr_transport()->name),
        .named = (unsigned)(transport()->index + 1),
        .version = (IRR_VERSION_MAJOR & 15) << 10 | (IRR_VERSION_MINOR & 31) << 5 | (IRR_VERSION_RELEASE & 31),
        .modes = mca_coll_irr_process_modes() };
}

static struct {
    signature_t signature;   /* of this process */
    bool        published;
    _Atomic bool warned;     /* report_unlike has run */
} mine;

void mca_coll_irr_signature_open(void)
{
    mine.signature = mca_coll_irr_component.takes_part ? sign() : (signature_t){ .word = NO_MEMORY };
    mine.published = mca_coll_irr_abi_matches(NULL, 0) &&
                     mca_coll_irr_modex_put(MCA_COLL_IRR_SIGNATURE_KEY, mine.signature.word);
    mine.warned = false;
}

/*
 * Returns OMPI_SUCCESS; OMPI_ERR_NOT_FOUND if the rank has published no signature; or another error if the lookup
 * fails.
 */
static int find(const mca_coll_irr_ranks_t *ranks, int rank, signature_t *signature)
{
    if (rank != ranks->rank) {
        return mca_coll_irr_lookup(ranks, rank, MCA_COLL_IRR_SIGNATURE, &signature->word);
    }
    *signature = mine.signature;
    return mine.published ? OMPI_SUCCESS : OMPI_ERR_NOT_FOUND;
}

/*
 * Returns true if a rank has this rank's signature.  If the lookup fails, sets *fails and returns true, because the
 * rank nearly always has it.
 */
static bool is_like_me(const mca_coll_irr_ranks_t *ranks, int rank, bool *fails)
{
    signature_t other;

    switch (find(ranks, rank, &other)) {
    case OMPI_SUCCESS:
        return mine.published && other.word == mine.signature.word;
    case OMPI_ERR_NOT_FOUND:
        return false;
    default:
        *fails = true;
        return true;
    }
}

/* ---- differences ---- */

static const char *transport_name(unsigned value)
{
    const char *name = transport()->row->value((int)value);

    return name != NULL ? name : "something else";
}

static const char *named(const signature_t *signature)
{
    return signature->named > 0 ? transport_name(signature->named - 1) : "not valid";
}

static void text_differs(const char *parameter, const char *value, unsigned process, char *text, size_t size)
{
    snprintf(text, size, MCA_COLL_IRR_PREFIX "ofi_%s is '%.64s' on rank %u of MPI_COMM_WORLD, but not on rank %u",
             parameter, value != NULL ? value : "", mca_coll_irr_my_process(), process);
}

/* Writes a clause that names a difference between two processes. */
static void describe(const signature_t *other, unsigned process, char *text, size_t size)
{
    const mca_coll_irr_params_t *params = &mca_coll_irr_component.params;
    const irr_transport_choice_t *choice = mca_coll_irr_transport();
    const signature_t *own = &mine.signature;
    const unsigned me = mca_coll_irr_my_process();

    if (other->word == NO_MEMORY) {
        snprintf(text, size, "rank %u of MPI_COMM_WORLD had no memory for coll/irr in MPI_Init", process);
    } else if (other->priority != own->priority) {
        snprintf(text, size, "coll_irr_priority is %d on rank %u of MPI_COMM_WORLD and %d on rank %u",
                 (int)other->priority, process, (int)own->priority, me);
    } else if (other->named != own->named) {
        snprintf(text, size, "%s is '%s' on rank %u of MPI_COMM_WORLD and '%s' on rank %u", transport()->parameter,
                 named(other), process, named(own), me);
    } else if (other->provider != own->provider) {
        text_differs("provider", params->ofi_provider, process, text, size);
    } else if (other->domain != own->domain) {
        text_differs("domain", params->ofi_domain, process, text, size);
    } else if (other->taken != own->taken) {
        snprintf(text, size, "%s is %s and selects %s on rank %u of MPI_COMM_WORLD, but %s on rank %u, because %.80s; "
                 "set it to one of the two", transport()->parameter, transport_name(0), transport_name(other->taken),
                 process, choice->name, me, choice->why);
    } else if (other->modes != own->modes) {
        snprintf(text, size, "rank %u of MPI_COMM_WORLD and rank %u differ in an algorithm, in coll_irr_setup_share or "
                 "in the level of threads, or only one has a schedule file, a dump or a coll_irr_memory_file",
                 process, me);
    } else {
        snprintf(text, size, "rank %u of MPI_COMM_WORLD has another version of coll/irr than rank %u", process, me);
    }
}

/*
 * Writes a clause that names the difference to the lowest rank that differs.  Returns true if this rank is the lowest
 * rank with the highest priority: it warns the user.  If any rank calls this function, that rank does.
 */
static bool explain(const mca_coll_irr_ranks_t *ranks, char *text, size_t size)
{
    bool warns = true;

    text[0] = '\0';
    for (int rank = 0; rank < ranks->size; rank++) {
        const unsigned process = (unsigned)mca_coll_irr_process(ranks, rank).vpid;
        signature_t other = { .word = 0 };
        const bool found = find(ranks, rank, &other) == OMPI_SUCCESS;
        const int above = found && other.word != NO_MEMORY ? (int)other.priority - (int)mine.signature.priority : -1;

        warns = warns && above <= 0 && (above < 0 || rank >= ranks->rank);
        if (text[0] == '\0' && !found) {
            snprintf(text, size, "rank %u of MPI_COMM_WORLD has not loaded coll/irr, but rank %u has", process,
                     mca_coll_irr_my_process());
        } else if (text[0] == '\0' && other.word != mine.signature.word) {
            describe(&other, process, text, size);
        }
    }
    return warns;
}

/* Writes why the engine cannot serve ranks that differ.  Warns the user once in a job. */
static void report_unlike(const mca_coll_irr_ranks_t *ranks, char *why, size_t size)
{
    bool warns;

    if (mine.warned && ranks->rank != 0) {   /* only rank 0 uses the details */
        snprintf(why, size, "coll/irr differs between ranks");
        return;
    }
    warns = explain(ranks, why, size);
    if (mca_coll_irr_warns_first(&mine.warned) && warns) {
        mca_coll_irr_warn("coll/irr is not the same on all ranks of a communicator: %s; Open MPI's own algorithm "
                          "serves the communicator; load coll/irr on all ranks with the same parameters, or on no "
                          "rank", why);
    }
}

/* ---- partners: the ranks at distances 2^k with which a rank exchanges messages ---- */

/* Local: marks the ranks with this rank's signature as partners.  The vote reports a failed lookup. */
static void find_partners(mca_coll_irr_module_t *module, mca_coll_irr_partners_t *partners)
{
    const mca_coll_irr_ranks_t *ranks = &module->ranks;
    const int64_t size = ranks->size;
    bool fails = false;

    /*
     * With pmix_base_collect_data 0, MPI_Init does not distribute the published values.  All processes are partners
     * then.
     */
    for (int64_t distance = 1; distance < size && opal_pmix_collect_all_data; distance *= 2) {
        if (!is_like_me(ranks, (int)((ranks->rank + distance) % size), &fails)) {
            partners->ahead &= ~(uint32_t)distance;
        }
        if (!is_like_me(ranks, (int)((ranks->rank - distance + size) % size), &fails)) {
            partners->behind &= ~(uint32_t)distance;
        }
    }
    if (fails && module->trouble == IRR_OK) {
        module->trouble = IRR_ERR_OOB;
    }
}

static bool lacks_partner(const mca_coll_irr_partners_t *partners, int ranks)
{
    bool lacks = false;

    for (int64_t distance = 1; distance < ranks; distance *= 2) {
        lacks = lacks || (partners->ahead & partners->behind & (uint32_t)distance) == 0;
    }
    return lacks;
}

/* ---- reasons ---- */

const char *mca_coll_irr_reason_to_serve(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    if (service->algorithm != MCA_COLL_IRR_AUTO) {
        return "";
    }
    return module->settings->engine.schedule_file[0] != '\0' ? " and there is a schedule file"
                                                             : " and there is a dump";
}

/*
 * Returns NULL if this rank wants the engine.  Otherwise returns the value of the algorithm parameter, and the reason.
 */
static const char *reason_to_leave(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    if (mca_coll_irr_is_host(service->algorithm)) {
        return "host";
    }
    return service->state == MCA_COLL_IRR_CHOOSING || service->algorithm != MCA_COLL_IRR_AUTO ||
           module->demands.wants_engine ? NULL : "auto and coll_irr_setup_share is 0";
}

/* Returns true if this rank's settings allow trials of the strategies of the named algorithm. */
static bool tries(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    return !mca_coll_irr_is_host(service->algorithm) && irr_algorithm_strategy(service->algorithm)->order->uses_tree &&
           module->settings->engine.pacing == IRR_PACING_AUTO && mca_coll_irr_component.params.setup_share > 0 &&
           !module->demands.wants_engine;
}

/* ---- words ---- */

/*
 * The words of a vote.  In BAD_VALUE and LEFT, P - r stands for rank r of P ranks, so the maximum stands for the lowest
 * rank.  UNLIKE is 1 if coll/irr differs on some rank.
 */
enum { BAD_VALUE, WANTED, LEFT, APART = MCA_COLL_IRR_VOTE_APART, PINNED, MACHINE, UNLIKE = MACHINE + 2, WORDS };

_Static_assert((int)MACHINE == (int)MCA_COLL_IRR_VOTE_MACHINE, "the order of coll_irr_agreement.h");

/*
 * Returns true if this rank reports why the ranks disagree: the lowest rank with a bad value, or else the lowest rank
 * that leaves the collective to Open MPI.
 */
static bool reports(const mca_coll_irr_agreement_t *agreement)
{
    const mca_coll_irr_ranks_t *ranks = &agreement->module->ranks;
    const uint64_t *words = agreement->words;

    return (words[BAD_VALUE] != 0 ? words[BAD_VALUE] : words[LEFT]) == (uint64_t)(ranks->size - ranks->rank);
}

/* Writes the bad value or the error of this rank.  MPI_Init has warned the user of bad values of parameters already. */
static void report_trouble(const mca_coll_irr_module_t *module, char why[MCA_COLL_IRR_WHY])
{
    const mca_coll_irr_bad_t *bad = &module->bad;

    if (module->trouble != IRR_ERR_BAD_PARAM) {
        snprintf(why, MCA_COLL_IRR_WHY, "rank %d: %s", module->ranks.rank,
                 module->trouble != IRR_ERR_OOB ? "it has no memory"
                     : "it cannot look up the data that other ranks have published in MPI_Init");
        mca_coll_irr_warn("%s; Open MPI's own algorithm serves the communicator", why);
        return;
    }
    snprintf(why, MCA_COLL_IRR_WHY, "%s is '%s' on rank %d, which is not allowed", bad->setting->parameter, bad->value,
             module->ranks.rank);
    if (bad->keyed) {
        mca_coll_irr_warn_bad(bad);
    }
}

/* Warns the user, and writes why the ranks disagree.  The next reduction sends the text to all ranks. */
static void report(mca_coll_irr_agreement_t *agreement, char why[MCA_COLL_IRR_WHY])
{
    const mca_coll_irr_module_t *module = agreement->module;
    const char *parameter = mca_coll_irr_parameter(agreement->service->which);

    if (agreement->words[BAD_VALUE] != 0) {
        report_trouble(module, why);
        return;
    }
    snprintf(why, MCA_COLL_IRR_WHY, "%s is %s on rank %d, but not on all ranks", parameter, agreement->why,
             module->ranks.rank);
    mca_coll_irr_warn("%s is %s on some ranks of a communicator, but not on all; parameters must be "
                      "the same on all ranks; Open MPI's own algorithm serves the communicator", parameter,
                      agreement->why);
}

static irr_status_t take_cause(mca_coll_irr_agreement_t *agreement)
{
    char *why = (char *)agreement->text;

    why[MCA_COLL_IRR_WHY - 1] = '\0';
    mca_coll_irr_decline(agreement->module, agreement->service, why);
    agreement->next = agreement->then;
    return IRR_OK;
}

/* The step after a vote in which ranks disagree: all ranks get the cause from one rank. */
static irr_status_t divided(mca_coll_irr_agreement_t *agreement)
{
    memset(agreement->text, 0, sizeof(agreement->text));
    if (reports(agreement)) {
        report(agreement, (char *)agreement->text);
    }
    return mca_coll_irr_agreement_reduce(agreement, agreement->text, MCA_COLL_IRR_WHY_WORDS, take_cause);
}

/*
 * Sets the words of this rank, and `why` of the agreement.  If there was no memory for the module, the rank knows no
 * settings: it sets no words, and the setup reports the error.
 */
static void cast_vote(mca_coll_irr_agreement_t *agreement)
{
    mca_coll_irr_module_t *module = agreement->module;
    const mca_coll_irr_service_t *service = agreement->service;
    const mca_coll_irr_which_t primary = mca_coll_irr_collectives[service->which].primary;
    const uint64_t me = (uint64_t)(module->ranks.size - module->ranks.rank);
    uint64_t *words = agreement->words;

    if (module->trouble == IRR_ERR_NO_MEMORY) {
        return;
    }
    if (module->trouble == IRR_OK) {
        agreement->why = agreement->params.unfit != NULL ? agreement->params.unfit : reason_to_leave(module, service);
    }
    words[BAD_VALUE] = module->trouble != IRR_OK ? me : 0;
    words[WANTED] = agreement->why == NULL;
    words[LEFT] = agreement->why != NULL ? me : 0;
    words[APART] = service->algorithm != mca_coll_irr_algorithm_of(module, primary);
    words[PINNED] = !tries(module, service);
    if (service->state == MCA_COLL_IRR_CHOOSING) {
        mca_coll_irr_machine_words(words + MACHINE);
    }
}

/* ---- steps ---- */

static irr_status_t decide(mca_coll_irr_agreement_t *agreement)
{
    const char *why = agreement->why != NULL ? agreement->why : "unknown, because memory is lacking";
    char text[160];

    agreement->next = agreement->then;
    if (agreement->words[WANTED] == 0) {
        snprintf(text, sizeof(text), "%s is %s", mca_coll_irr_parameter(agreement->service->which), why);
        mca_coll_irr_decline(agreement->module, agreement->service, text);
    } else if (agreement->words[BAD_VALUE] != 0 || agreement->words[LEFT] != 0) {
        return divided(agreement);
    }
    return IRR_OK;
}

static irr_status_t take_answers(mca_coll_irr_agreement_t *agreement)
{
    char why[MCA_COLL_IRR_CAUSE];

    if (agreement->words[UNLIKE] != 0) {
        report_unlike(&agreement->module->ranks, why, sizeof(why));
        mca_coll_irr_decline(agreement->module, agreement->service, why);
        agreement->next = agreement->then;
        return IRR_OK;
    }
    agreement->everywhere = true;
    return decide(agreement);
}

irr_status_t mca_coll_irr_vote_begin(mca_coll_irr_agreement_t *agreement, mca_coll_irr_step_t then)
{
    mca_coll_irr_partners_t partners = MCA_COLL_IRR_PARTNERS_ALL;

    memset(agreement->words, 0, WORDS * sizeof(agreement->words[0]));
    if (!agreement->everywhere) {
        find_partners(agreement->module, &partners);
    }
    cast_vote(agreement);
    agreement->words[UNLIKE] = lacks_partner(&partners, agreement->module->ranks.size);
    mca_coll_irr_reduction_maxima(&agreement->reduction, agreement->words, WORDS, &partners);
    agreement->then = then;
    agreement->next = take_answers;
    return IRR_OK;
}
