/* coll_irr_team.c - see coll_irr_team.h: finds, joins and ends teams. */
#include "coll_irr_engine.h"
#include "coll_irr_statistics.h"
#include "coll_irr_team.h"

#include "core/clock.h"
#include "core/hash.h"

/* The most teams without communicators that keep engine communicators for later communicators. */
#define KEPT 64

/* Lists of teams, selected by the first hash of their processes. */
#define LISTS 1024

/* The component's lock guards `teams` and `kept`. */
static mca_coll_irr_team_t *teams[LISTS];
static int kept;   /* teams that have engine communicators, but no communicators */

mca_coll_irr_team_t *mca_coll_irr_team_create(void)
{
    mca_coll_irr_team_t *team = malloc(sizeof(*team));

    if (team != NULL) {
        memset(team, 0, offsetof(mca_coll_irr_team_t, services));
        memset(team->index, -1, sizeof(team->index));
    }
    return team;
}

/* ---- finding a team ---- */

/* Different teams have equal hashes with probability 2^-128. */
static void hash_processes(const mca_coll_irr_ranks_t *ranks, uint64_t hash[2])
{
    hash[0] = irr_hash_word(IRR_HASH_BASIS, (uint64_t)ranks->size);
    hash[1] = UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < ranks->size; i++) {
        const uint64_t process = mca_coll_irr_process(ranks, i).vpid + UINT64_C(1);

        hash[0] = irr_hash_word(hash[0], process);
        hash[1] = (hash[1] + process) * UINT64_C(0xd1342543de82ef95);
        hash[1] ^= hash[1] >> 32;
    }
}

static mca_coll_irr_team_t **list_of(const uint64_t processes[2])
{
    return &teams[processes[0] % LISTS];
}

/* The caller must hold the lock.  NULL: there is no shared team of these processes. */
static mca_coll_irr_team_t *find_shared(const uint64_t processes[2])
{
    for (mca_coll_irr_team_t *team = *list_of(processes); team != NULL; team = team->next) {
        if (team->shared && team->processes[0] == processes[0] && team->processes[1] == processes[1]) {
            return team;
        }
    }
    return NULL;
}

/* Makes module->own_team the team of the module.  The caller must hold the lock. */
static void start_team(mca_coll_irr_module_t *module, const uint64_t processes[2], bool is_shared)
{
    mca_coll_irr_team_t *team = module->own_team;

    module->own_team = NULL;
    team->shared = is_shared;
    team->modules = 1;
    memcpy(team->processes, processes, sizeof(team->processes));
    MCA_COLL_IRR_LINK(team, *list_of(processes));
    module->team = team;
}

static size_t size_of(const mca_coll_irr_team_t *team)
{
    return offsetof(mca_coll_irr_team_t, services) + (size_t)team->used * sizeof(team->services[0]);
}

static bool has_engine_comms(const mca_coll_irr_team_t *team)
{
    bool has = false;

    for (int i = 0; i < team->used; i++) {
        has = has || mca_coll_irr_service_is_open(&team->services[i]);
    }
    return has;
}

/* Moves a team without communicators into the memory of module->own_team.  The caller must hold the lock. */
static void move_in(mca_coll_irr_module_t *module, mca_coll_irr_team_t *team)
{
    kept -= has_engine_comms(team);
    team->modules = 1;
    memcpy(module->own_team, team, size_of(team));
    MCA_COLL_IRR_RELINK(module->own_team);
    free(team);
    module->team = module->own_team;
    module->own_team = NULL;
}

/* Reduces a team without communicators to the services in use.  The caller must hold the lock. */
static void shrink(mca_coll_irr_team_t *team)
{
    mca_coll_irr_team_t *small = realloc(team, size_of(team));

    if (small != NULL) {
        MCA_COLL_IRR_RELINK(small);
    }
}

void mca_coll_irr_team_find(mca_coll_irr_module_t *module)
{
    const bool shares = mca_coll_irr_teams_are_shared() && !ompi_mpi_thread_multiple && !module->keyed &&
                        !OMPI_COMM_IS_INTER(module->comm);
    uint64_t processes[2] = { 0, 0 };

    if (module->team != NULL) {
        return;
    }
    if (shares) {
        hash_processes(&module->ranks, processes);
    }
    opal_mutex_lock(&mca_coll_irr_component.lock);
    module->team = shares ? find_shared(processes) : NULL;
    if (module->team == NULL) {
        start_team(module, processes, shares);
    } else if (module->team->modules > 0) {
        module->team->modules++;
    } else {
        move_in(module, module->team);
    }
    opal_mutex_unlock(&mca_coll_irr_component.lock);
}

/* ---- services ---- */

mca_coll_irr_service_t *mca_coll_irr_service_begin(mca_coll_irr_module_t *module, mca_coll_irr_which_t which)
{
    mca_coll_irr_service_t *service;

    mca_coll_irr_team_find(module);
    if (module->team->index[which] < 0) {
        module->team->index[which] = (signed char)module->team->used++;
        *mca_coll_irr_team_service(module->team, which) = (mca_coll_irr_service_t){
            .which = which,
            .call = mca_coll_irr_collectives[which].forms[MCA_COLL_IRR_BLOCKING].call,
            .algorithm = mca_coll_irr_algorithm_of(module, which),
            .first = module->number
        };
    }
    service = mca_coll_irr_team_service(module->team, which);
    mca_coll_irr_find_neighbors(module, which);
    module->called[which] = true;
    service->communicators++;
    if (service->state == MCA_COLL_IRR_DECLINED) {
        mca_coll_irr_log(module, service);
    }
    return service;
}

/* ---- the end of a team ---- */

static void destroy(mca_coll_irr_team_t *team)
{
    opal_mutex_lock(&mca_coll_irr_component.lock);
    MCA_COLL_IRR_UNLINK(team);
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    for (int i = 0; i < team->used; i++) {   /* a record reads an engine communicator, which services may share */
        mca_coll_irr_stats_close(&team->services[i]);
    }
    for (int i = 0; i < team->used; i++) {
        mca_coll_irr_service_end(&team->services[i]);
        free(team->services[i].candidates);
    }
    free(team);
}

/* Returns true if a later communicator can use the team; equal on all ranks. */
static bool is_reusable(const mca_coll_irr_team_t *team)
{
    bool has = false;

    for (int i = 0; i < team->used; i++) {
        const mca_coll_irr_state_t state = team->services[i].state;

        has = has || state == MCA_COLL_IRR_SERVING || state == MCA_COLL_IRR_CHOOSING;
    }
    return team->shared && has;
}

static bool has_joined(const mca_coll_irr_module_t *module)
{
    bool has = false;

    for (int i = 0; i < MCA_COLL_IRR_COLLECTIVES; i++) {
        has = has || module->joined[i];
    }
    return has;
}

void mca_coll_irr_team_joined(mca_coll_irr_module_t *module, mca_coll_irr_which_t which)
{
    module->team->joined += !has_joined(module);
    module->joined[which] = true;
}

/* Removes a module from a team that it has joined or not. */
static void leave(mca_coll_irr_team_t *team, bool joined)
{
    team->joined -= joined;
    if (--team->modules > 0) {
        return;
    }
    if (!is_reusable(team)) {
        destroy(team);
        return;
    }
    if (has_engine_comms(team) && ++kept > KEPT) {
        for (int i = 0; i < team->used; i++) {   /* the next communicator then starts in a new team when it joins */
            mca_coll_irr_service_close(&team->services[i]);
        }
        kept--;
    }
    opal_mutex_lock(&mca_coll_irr_component.lock);
    shrink(team);
    opal_mutex_unlock(&mca_coll_irr_component.lock);
}

void mca_coll_irr_team_leave(mca_coll_irr_module_t *module)
{
    if (module->team != NULL) {
        leave(module->team, has_joined(module));
        module->team = NULL;
    }
}

void mca_coll_irr_teams_each(void (*visit)(mca_coll_irr_service_t *service))
{
    for (int k = 0; k < LISTS; k++) {
        for (mca_coll_irr_team_t *team = teams[k]; team != NULL; team = team->next) {
            for (int i = 0; i < team->used; i++) {
                visit(&team->services[i]);
            }
        }
    }
}

void mca_coll_irr_teams_close(void)
{
    for (int k = 0; k < LISTS; k++) {
        while (teams[k] != NULL) {
            destroy(teams[k]);
        }
    }
    kept = 0;
}

/* ---- joining ---- */

/*
 * Words of the agreement to join, of which the ranks get the maxima.  CALLS and STRATEGY must be equal on all ranks;
 * the maxima of their complements show whether they are.  TIME is the time of an agreement.  NO_TIME is its complement,
 * so that its maximum gives the shortest time.
 */
enum { FITNESS, CALLS, NO_CALLS, STRATEGY, NO_STRATEGY, TIME, NO_TIME, WORDS };

/* Every PROBES-th communicator joins in any case, to measure the cost of an agreement. */
#define PROBES 16

/*
 * Returns true, on all ranks, if the budget for trials covers an agreement to join.  The exchanges of communicators
 * that have not joined add to the budget, too.
 */
static bool can_pay(const mca_coll_irr_service_t *service)
{
    const irr_choice_t *choice = &service->choice;
    const double others_ns = choice->mean_ns * (double)service->passed;

    return irr_choice_funds(choice).budget + choice->share * others_ns >= choice->usual_agreement_ns;
}

/*
 * Returns true, on all ranks, if the gain by joining will probably exceed the time of the agreement to join: the gain
 * of an exchange times the expected number of exchanges of a communicator, or the number that this one has made if it
 * is larger.  The gain is an estimate, so the budget limits what the agreements cost in total.
 */
static bool pays(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    const irr_choice_t *choice = &service->choice;
    const double expected = (double)(choice->calls + service->passed) / (double)service->communicators;
    const double here = (double)module->passed[service->which] + 1;
    const double saves = choice->mean_ns * (choice->speedup.is - 1);

    return mca_coll_irr_is_served(service) || irr_choice_tries(choice) ||
           (can_pay(service) && (service->communicators % PROBES == 0 ||
                                 saves * (expected > here ? expected : here) >= choice->usual_agreement_ns));
}

bool mca_coll_irr_team_is_lost(const mca_coll_irr_module_t *module)
{
    bool lost = false;

    for (int i = 0; i < module->team->used; i++) {
        lost = lost || module->team->services[i].state == MCA_COLL_IRR_FAILED;
    }
    return lost && !module->failed && !module->barred;
}

/*
 * FIT: the rank can join.  TAKEN: there is a timeout, and another communicator has joined the team.  UNSOUND: the
 * team's engine communicators are closed, or one has failed, or an agreement has failed.  UNFIT: the module has an
 * error, or there is no memory for blocks.  BARRED: there is no memory for another team.
 */
enum { FIT, TAKEN, UNSOUND, UNFIT, BARRED };

static uint64_t fitness(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    if (module->own_team == NULL) {
        module->own_team = mca_coll_irr_team_create();
    }
    if (module->own_team == NULL) {
        return BARRED;
    }
    if (module->trouble != IRR_OK || mca_coll_irr_rooms_reserve(module) != IRR_OK) {
        return UNFIT;
    }
    if (!mca_coll_irr_service_is_open(service) || mca_coll_irr_service_has_failed(service) ||
        mca_coll_irr_team_is_lost(module)) {
        return UNSOUND;
    }
    return module->ranks.timeout > 0 && module->team->joined > has_joined(module) ? TAKEN : FIT;
}

/*
 * Moves a communicator to a new team, on all ranks, because some rank cannot join.  If `replaces` is true, the old team
 * is the cause, and later communicators find the new team, otherwise the old team.
 */
static void begin_anew(mca_coll_irr_module_t *module, bool replaces)
{
    mca_coll_irr_team_t *old = module->team;
    const bool joined = has_joined(module);

    memset(module->called, 0, sizeof(module->called));
    memset(module->joined, 0, sizeof(module->joined));
    opal_mutex_lock(&mca_coll_irr_component.lock);
    start_team(module, old->processes, replaces && old->shared);
    old->shared = old->shared && !replaces;
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    leave(old, joined);
}

/*
 * Returns the cost in ns of an agreement.  The rank that arrives last does not wait for others, so its time is the
 * cost.  However, ranks that share processors take the agreement in turns, so the longest time is the cost.
 */
static double cost_of(const mca_coll_irr_service_t *service, const uint64_t words[WORDS])
{
    return service->choice.crowded ? (double)words[TIME] : (double)~words[NO_TIME];
}

int mca_coll_irr_team_join(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    const uint64_t calls = service->choice.calls, strategy = (uint64_t)service->choice.strategy;
    uint64_t words[WORDS] = {
        [CALLS] = calls, [NO_CALLS] = ~calls, [STRATEGY] = strategy, [NO_STRATEGY] = ~strategy,
        [TIME] = service->choice.own_agreement_ns, [NO_TIME] = ~service->choice.own_agreement_ns };
    const uint64_t begin_ns = irr_clock_ns();
    irr_status_t status;

    if (module->barred || (!mca_coll_irr_team_is_lost(module) && !pays(module, service))) {
        module->passed[service->which]++;
        service->passed++;
        return OMPI_SUCCESS;
    }
    words[FITNESS] = fitness(module, service);
    status = mca_coll_irr_maxima(&module->ranks, words, WORDS);
    if (status != IRR_OK) {
        module->team->shared = false;
        module->failed = true;
        return mca_coll_irr_fail(service, status);
    }
    irr_choice_paid(&service->choice, cost_of(service, words));
    irr_choice_waited(&service->choice, irr_clock_ns() - begin_ns);
    mca_coll_irr_stats_agreed(service, begin_ns);
    if (words[FITNESS] == BARRED) {
        module->barred = true;
    } else if (words[FITNESS] != FIT) {
        begin_anew(module, words[FITNESS] <= UNSOUND);
    } else if (words[CALLS] != ~words[NO_CALLS] || words[STRATEGY] != ~words[NO_STRATEGY]) {
        begin_anew(module, true);
    } else {
        mca_coll_irr_team_joined(module, service->which);
        if (mca_coll_irr_is_served(service)) {
            mca_coll_irr_log(module, service);
        }
    }
    return OMPI_SUCCESS;
}
