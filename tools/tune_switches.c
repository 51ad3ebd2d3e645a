/*
 * tune_switches.c - irr_tune --switches: finds the switches between hosts by measurement; see tune_tree.h.
 *
 *   1. Tournaments show which hosts are on one switch.  In a round the hosts form pairs, and all pairs transfer long
 *      messages at the same time.  In the rounds of a tournament each host is the partner of each other host once.  Two
 *      hosts on one switch always have the whole bandwidth of their links.  Other pairs often share a link between
 *      switches, and lose bandwidth.
 *   2. A flow is a stream of messages from the hosts of one switch to those of another.  Two flows run alone and then
 *      together, for each pair of flows.  If they lose bandwidth together, they share a link.
 *
 * All ranks have the same times, so they take the same decisions.  Cost: 8 to 10 n rounds for n hosts, and 2 rounds for
 * each pair of flows.  A round takes from 0.1 s to some tenths of a second.
 */
#include "tune.h"
#include "tune_tree.h"

#include "cli_options.h"

#include "core/clock.h"
#include "core/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TAG          2
#define TOURNAMENTS     4
#define TOURNAMENTS_MAX 5   /* if the hosts form no clear groups after TOURNAMENTS */
#define ROUND_NS     100e6
#define BATCH        8
#define MESSAGES_MAX 4096
#define STREAMS_MAX  4      /* maximum number of hosts that send for a group at once */
#define AGAIN        2      /* number of measurements of which the shortest counts: a disturbance only lengthens them */
#define HOSTS_MIN    4

/* A host loses bandwidth if its time divided by its time without contention is above this number. */
#define LOSES 1.33

/* A round of a tournament: the partner of each host, -1: none; and the time of each host. */
typedef struct match {
    int    partner[IRR_TUNE_HOSTS_MAX];
    double ns[IRR_TUNE_HOSTS_MAX];
} match_t;

typedef struct run {
    const irr_tune_group_t *hosts;      /* one rank of each host */
    const irr_tune_room_t  *room;
    int                     messages;   /* number of messages of a flow in a round */
    int                     rounds;     /* number of rounds played */
    match_t                 matches[TOURNAMENTS_MAX * IRR_TUNE_HOSTS_MAX];
    int                     nmatches;
    irr_tune_tree_t        *tree;
    double                  alone[IRR_TUNE_GROUPS_MAX][IRR_TUNE_GROUPS_MAX][STREAMS_MAX + 1];   /* 0: not measured */
} run_t;

/* ---- a round ---- */

/* Sends and receives messages; -1: no target, no source. */
static void transfer(const run_t *run, int to, int from)
{
    MPI_Request requests[2 * BATCH];

    for (int first = 0; first < run->messages; first += BATCH) {
        int count = 0;

        for (int i = first; i < first + BATCH && i < run->messages; i++) {
            if (from >= 0) {
                MPI_Irecv(run->room->to + (size_t)(i - first) * IRR_TUNE_STREAM_BYTES, IRR_TUNE_STREAM_BYTES, MPI_BYTE,
                          run->hosts->members[from], TAG, MPI_COMM_WORLD, &requests[count++]);
            }
            if (to >= 0) {
                MPI_Isend(run->room->from, IRR_TUNE_STREAM_BYTES, MPI_BYTE, run->hosts->members[to], TAG,
                          MPI_COMM_WORLD, &requests[count++]);
            }
        }
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    }
}

/*
 * Collective.  Host i sends to host to[i]; -1: to none.  Sets the time in ns of each host, and returns that of the
 * slowest.
 */
static double play(run_t *run, const int *to, double *ns)
{
    const int me = run->hosts->me;
    double most = 0;
    int from = -1;

    memset(ns, 0, IRR_TUNE_HOSTS_MAX * sizeof(*ns));
    for (int i = 0; i < run->hosts->count && me >= 0; i++) {
        from = to[i] == me ? i : from;
    }
    irr_tune_rest();
    if (me >= 0 && (to[me] >= 0 || from >= 0)) {
        const uint64_t begin = irr_clock_ns();

        transfer(run, to[me], from);
        ns[me] = (double)(irr_clock_ns() - begin);
    }
    irr_tune_rest();
    MPI_Allreduce(MPI_IN_PLACE, ns, run->hosts->count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    run->rounds++;
    for (int i = 0; i < run->hosts->count; i++) {
        most = ns[i] > most ? ns[i] : most;
    }
    return most;
}

static void no_flow(const run_t *run, int *to)
{
    for (int i = 0; i < run->hosts->count; i++) {
        to[i] = -1;
    }
}

/* Doubles the number of messages until a flow between two hosts takes ROUND_NS. */
static void calibrate(run_t *run)
{
    int to[IRR_TUNE_HOSTS_MAX];
    double ns[IRR_TUNE_HOSTS_MAX];

    no_flow(run, to);
    to[0] = 1;
    for (run->messages = 1; play(run, to, ns) < ROUND_NS && run->messages < MESSAGES_MAX; run->messages *= 2) {
    }
}

/* ---- tournaments ---- */

/*
 * Lets one host of each pair, drawn at random, send to the other.  In both directions at once, the two flows of a pair
 * would disturb each other.
 */
static void play_match(run_t *run, match_t *match, uint64_t *random)
{
    int to[IRR_TUNE_HOSTS_MAX];
    double ns[IRR_TUNE_HOSTS_MAX];

    for (int i = 0; i < run->hosts->count; i++) {
        to[i] = match->partner[i];
        if (to[i] >= 0 && to[i] < i) {
            const int receiver = irr_random_below(random, 2) > 0 ? i : to[i];

            to[receiver] = -1;
        }
    }
    for (int again = 0; again < AGAIN; again++) {
        play(run, to, ns);
        for (int i = 0; i < run->hosts->count; i++) {
            const int partner = match->partner[i] >= 0 ? match->partner[i] : i;
            const double longer = fmax(ns[i], ns[partner]);   /* a sender may end early */

            match->ns[i] = again == 0 ? longer : fmin(longer, match->ns[i]);
        }
    }
}

/* Plays a tournament in which each host meets each other host once. */
static void play_tournament(run_t *run, uint64_t *random)
{
    const int hosts = run->hosts->count, even = hosts + hosts % 2;
    int order[IRR_TUNE_HOSTS_MAX];

    irr_cli_shuffle(order, even, random);
    for (int round = 0; round < even - 1; round++) {
        match_t *match = &run->matches[run->nmatches++];

        for (int i = 0; i < even; i++) {   /* the last host stays; the other hosts rotate around it */
            const int at = i == even - 1 ? round : (2 * round - i + 2 * (even - 1)) % (even - 1);
            const int other = i != even - 1 && at == i ? even - 1 : at;

            if (order[i] < hosts) {
                match->partner[order[i]] = order[other] < hosts ? order[other] : -1;
            }
        }
        play_match(run, match, random);
    }
}

/* Estimates the time of a host without contention, in ns: one tenth of its rounds were shorter. */
static double fast(const run_t *run, int host)
{
    double ns[TOURNAMENTS_MAX * IRR_TUNE_HOSTS_MAX];
    int count = 0;

    for (int i = 0; i < run->nmatches; i++) {
        if (run->matches[i].partner[host] >= 0) {
            ns[count++] = run->matches[i].ns[host];
        }
    }
    irr_cli_sort(ns, count);
    return ns[count / 10];
}

/* Sets lost[i][j] to the fraction of the rounds of the pair of hosts i and j in which this pair lost bandwidth. */
static void count_lost(const run_t *run, double (*lost)[IRR_TUNE_HOSTS_MAX])
{
    double fastest[IRR_TUNE_HOSTS_MAX];

    for (int i = 0; i < run->hosts->count; i++) {
        fastest[i] = fast(run, i);
        for (int j = 0; j < i; j++) {
            const double longer = fmax(fastest[i], fastest[j]);
            int met = 0, slow = 0;

            for (int k = 0; k < run->nmatches; k++) {
                const match_t *match = &run->matches[k];

                met += match->partner[i] == j;
                slow += match->partner[i] == j && match->ns[i] > LOSES * longer;
            }
            lost[i][j] = lost[j][i] = (double)slow / met;
        }
    }
}

/* ---- flows ---- */

/* Returns host number `number` of a group. */
static int host_of(const irr_tune_tree_t *tree, int group, int number)
{
    int host = 0;

    while (tree->group[host] != group || number-- > 0) {
        host++;
    }
    return host;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Returns the number of hosts that send in each flow. */
static int streams_of(const irr_tune_tree_t *tree, const irr_tune_flows_t *flows)
{
    const int sources = flows->a == flows->c ? tree->size[flows->a] / 2
                                             : least(tree->size[flows->a], tree->size[flows->c]);
    const int targets = flows->b == flows->d ? tree->size[flows->b] / 2
                                             : least(tree->size[flows->b], tree->size[flows->d]);

    return least(least(sources, targets), STREAMS_MAX);
}

/* Adds the streams of a flow to a round.  from, target: numbers of the first hosts in their groups. */
static void add_flow(const irr_tune_tree_t *tree, int group, int from, int to_group, int target, int streams, int *to)
{
    for (int i = 0; i < streams; i++) {
        to[host_of(tree, group, from + i)] = host_of(tree, to_group, target + i);
    }
}

/* Returns the time in ns of the slowest host of a round, played AGAIN times. */
static double play_again(run_t *run, const int *to)
{
    double ns[IRR_TUNE_HOSTS_MAX], best = INFINITY;

    for (int i = 0; i < AGAIN; i++) {
        best = fmin(best, play(run, to, ns));
    }
    return best;
}

static double alone_ns(run_t *run, int group, int to_group, int streams)
{
    double *ns = &run->alone[group][to_group][streams];
    int to[IRR_TUNE_HOSTS_MAX];

    if (*ns == 0) {
        no_flow(run, to);
        add_flow(run->tree, group, 0, to_group, 0, streams, to);
        *ns = play_again(run, to);
    }
    return *ns;
}

static double measure_ratio(run_t *run, const irr_tune_flows_t *flows)
{
    const int streams = streams_of(run->tree, flows);
    const double one = alone_ns(run, flows->a, flows->b, streams), other = alone_ns(run, flows->c, flows->d, streams);
    int to[IRR_TUNE_HOSTS_MAX];

    no_flow(run, to);
    add_flow(run->tree, flows->a, 0, flows->b, 0, streams, to);
    add_flow(run->tree, flows->c, flows->a == flows->c ? streams : 0, flows->d, flows->b == flows->d ? streams : 0,
             streams, to);
    return fmax(one, other) / play_again(run, to);
}

/* ---- all ---- */

/* Plays the tournaments.  Returns the reason if the hosts form no clear groups; otherwise NULL. */
static const char *find_groups(run_t *run)
{
    double lost[IRR_TUNE_HOSTS_MAX][IRR_TUNE_HOSTS_MAX];
    uint64_t random = 1;
    const char *reason = NULL;

    for (int i = 1; i <= TOURNAMENTS || (i <= TOURNAMENTS_MAX && reason != NULL); i++) {
        play_tournament(run, &random);
        if (i >= TOURNAMENTS) {
            count_lost(run, lost);
            reason = irr_tune_tree_group(lost, run->hosts->count, run->tree);
        }
    }
    return reason;
}

/* Plays all rounds.  Returns the reason if no tree explains them; otherwise NULL. */
static const char *find(run_t *run)
{
    const char *reason;

    calibrate(run);
    reason = find_groups(run);
    if (reason != NULL) {
        return reason;
    }
    for (int i = 0; i < run->tree->nflows; i++) {
        run->tree->flows[i].ratio = measure_ratio(run, &run->tree->flows[i]);
    }
    return irr_tune_tree_find(run->tree);
}

/* Collective.  Returns the names of the hosts, IRR_TUNE_NAME_MAX bytes each; NULL: no memory on some rank. */
static char *gather_names(const irr_tune_groups_t *groups)
{
    char name[MPI_MAX_PROCESSOR_NAME + IRR_TUNE_NAME_MAX] = "";
    char *names = malloc((size_t)groups->ranks * IRR_TUNE_NAME_MAX);
    int length;

    if (irr_cli_all_have(names != NULL, "not enough memory for %d ranks", groups->ranks) != IRR_CLI_GOOD) {
        free(names);
        return NULL;
    }
    MPI_Get_processor_name(name, &length);
    name[IRR_TUNE_NAME_MAX - 1] = '\0';
    MPI_Allgather(name, IRR_TUNE_NAME_MAX, MPI_CHAR, names, IRR_TUNE_NAME_MAX, MPI_CHAR, MPI_COMM_WORLD);
    return names;
}

void irr_tune_switches_write(FILE *stream, const irr_tune_switches_t *switches)
{
    const irr_tune_tree_t *tree = &switches->tree;

    fprintf(stream, "# irr_tune %s --switches: %d hosts, %d rounds in %.0f s\n", irr_cli_version(), tree->hosts,
            switches->rounds, switches->seconds);
    if (switches->reason != NULL) {
        fprintf(stream, "# unknown: %s\n", switches->reason);
        return;
    }
    if (tree->groups > 2) {
        fprintf(stream, "# a flow kept at most %.0f %% of its bandwidth with contention, at least %.0f %% without;\n"
                "# up to %.0f %% count as contention, and %.0f %% or more as none\n", 100 * tree->shared_most,
                100 * tree->free_least, 100 * IRR_TUNE_SHARED_MAX, 100 * IRR_TUNE_FREE_MIN);
    }
    irr_tune_tree_write(stream, tree, switches->names);
}

irr_cli_exit_t irr_tune_switches_find(const irr_tune_groups_t *groups, const irr_tune_room_t *room,
                                      irr_tune_switches_t *switches)
{
    static run_t run;
    const uint64_t begin = irr_clock_ns();

    if (groups->nodes < HOSTS_MIN || groups->nodes > IRR_TUNE_HOSTS_MAX) {
        return groups->rank == 0 ? irr_cli_complain("--switches needs from %d to %d hosts; this job has %d", HOSTS_MIN,
                                                    IRR_TUNE_HOSTS_MAX, groups->nodes) : IRR_CLI_REFUSED;
    }
    run.hosts = &groups->between;
    run.room = room;
    run.tree = &switches->tree;
    switches->text = gather_names(groups);
    if (switches->text == NULL) {
        return IRR_CLI_REFUSED;
    }
    for (int i = 0; i < run.hosts->count; i++) {
        switches->names[i] = switches->text + (size_t)run.hosts->members[i] * IRR_TUNE_NAME_MAX;
    }
    switches->reason = find(&run);
    switches->rounds = run.rounds;
    switches->seconds = (double)(irr_clock_ns() - begin) / 1e9;
    return IRR_CLI_GOOD;
}
