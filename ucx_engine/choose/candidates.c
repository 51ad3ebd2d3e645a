/* candidates.c - lists the strategies that are worth a trial, by a model of their times; see candidates.h. */
#include "choose/candidates.h"

#include "choose/paced.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
 * Least length, in bytes, of the longest message with which trials compare pacings (conditions under which a message
 * may start).  Such messages may fill the queues of switches.
 */
#define PACED_FROM 4096

/*
 * Mean length of messages, in bytes, from which pacing sync is tried before pacing loose.  With sync, a message waits
 * for a signal that its links are free; with loose, only for earlier messages of its own rank.  Measured on emulated
 * Ethernet (contrib/lab) at 100 Mbit/s: with 8 KiB, loose was the fastest pacing, or nearly the fastest; from 64 KiB
 * on, sync was the fastest.
 */
#define SIGNALS_FROM 16384

/*
 * Range of mean lengths of messages, in bytes, in which two copies through shared memory may be faster than a single
 * copy out of the sender's memory, because the sender does not wait for the receiver.  The faster method depends on
 * caches and on the number of ranks that share a processor.
 */
#define TWO_COPIES_FROM 4096
#define TWO_COPIES_TO   131072

/* The shortest message, in bytes, that is sent with a single copy. */
#define ONE_COPY_FROM 16384

typedef struct all {
    irr_candidate_t list[IRR_CANDIDATES_ALL];
    bool            taken[IRR_CANDIDATES_ALL];
    int             count;
} all_t;

/* ---- all strategies ---- */

static bool is_one_node(const irr_traffic_t *traffic)
{
    return traffic->node_ranks >= traffic->ranks;
}

static int algorithm_row(const char *name)
{
    return irr_algorithm_find(name);
}

static bool same_dims(const irr_dims_t *a, const irr_dims_t *b)
{
    return a->count == b->count && memcmp(a->size, b->size, (size_t)a->count * sizeof(a->size[0])) == 0;
}

bool irr_candidate_same(const irr_candidate_t *a, const irr_candidate_t *b)
{
    const irr_strategy_t *x = &a->strategy, *y = &b->strategy;

    return a->row == b->row && x->route == y->route && x->pacing == y->pacing && x->piece_max == y->piece_max &&
           (!x->pacing->syncs || x->lead == y->lead) && (x->pacing != &irr_pacing_grant || x->grants == y->grants) &&
           x->compose == y->compose && x->direct_from == y->direct_from && same_dims(&x->dims, &y->dims);
}

static void add(all_t *all, int row, const irr_strategy_t *strategy)
{
    const irr_candidate_t candidate = { .row = row, .strategy = *strategy };

    for (int i = 0; i < all->count; i++) {
        if (irr_candidate_same(&all->list[i], &candidate)) {
            return;
        }
    }
    if (all->count < IRR_CANDIDATES_ALL) {
        all->list[all->count++] = candidate;
    }
}

static irr_strategy_t strategy_of(const irr_settings_t *settings, int row)
{
    irr_settings_t named = *settings;

    named.algorithm = row;
    return irr_strategy_of(&named, 1);
}

static void add_algorithm(all_t *all, const irr_settings_t *settings, const char *name)
{
    const irr_strategy_t strategy = strategy_of(settings, algorithm_row(name));

    add(all, algorithm_row(name), &strategy);
}

static void add_grid(all_t *all, const irr_settings_t *settings, const irr_dims_t *dims)
{
    irr_settings_t shaped = *settings;

    shaped.dims = *dims;
    add_algorithm(all, &shaped, "grid");
}

/*
 * Returns whether grids are worth a trial.  From four ranks on, a grid needs fewer messages than direct.  If the ranks
 * of a node share processors, a rank would wait for a processor in each stage of a grid.
 */
static bool should_try_grids(const irr_traffic_t *traffic)
{
    return traffic->ranks > 3 && (!is_one_node(traffic) || traffic->own_processors);
}

/* Returns number ^ power, rounded up and at least 2: the side of a square or cube with room for the ranks. */
static int root(int number, double power)
{
    const int found = (int)(pow((double)number, power) + 0.999);

    return found > 2 ? found : 2;
}

/*
 * Adds bruck, and grid with the dimensions that the user has set.  If none are set, adds a grid of two nearly equal
 * dimensions, and depending on the numbers of ranks and nodes: ranks of a node x nodes; the same with the nodes in two
 * dimensions; three nearly equal dimensions.
 */
static void add_grids(all_t *all, const irr_settings_t *settings, const irr_traffic_t *traffic)
{
    const int size = traffic->node_ranks, count = (traffic->ranks + size - 1) / size;
    const int half = root(count, 0.5), side = root(traffic->ranks, 1.0 / 3);

    add_algorithm(all, settings, "grid");
    add_algorithm(all, settings, "bruck");
    if (settings->dims.count > 0) {
        return;
    }
    if (size > 1 && count > 1 && size != irr_grid_square_columns(traffic->ranks)) {
        add_grid(all, settings, &(irr_dims_t){ .count = 2, .size = { size, count } });
    }
    if (size > 1 && count > 3) {
        add_grid(all, settings, &(irr_dims_t){ .count = 3, .size = { size, half, half } });
    }
    if (traffic->ranks >= 27) {
        add_grid(all, settings, &(irr_dims_t){ .count = 3, .size = { side, side, side } });
    }
}

/*
 * Adds the algorithm hybrid, which sends long messages directly and all others through a grid.  A message is long if it
 * has at least the bytes that the user sets; without such a setting, from the length on at which a direct message costs
 * less according to the model.
 *
 * The lengths of single messages are unknown, so all long messages are assumed to be as long as the longest message;
 * there are at most `longs` of them.  The hybrid is added if the longest message is long, fewer than a quarter of the
 * messages are long, and the mean of the others is not long.
 */
static void add_hybrid(all_t *all, const irr_settings_t *settings, const irr_machine_t *machine,
                      const irr_traffic_t *traffic)
{
    const double longs = traffic->longest > 0 ? floor(traffic->lesser_bytes / traffic->longest) : 0;
    irr_settings_t split = *settings;

    if (split.direct_bytes == IRR_BYTES_AUTO) {
        split.direct_bytes = irr_model_direct_from(machine, traffic);
    }
    if (traffic->longest >= (double)split.direct_bytes && 4 * longs < traffic->lesser_messages &&
        traffic->lesser_bytes - longs * traffic->longest <
            (double)split.direct_bytes * (traffic->lesser_messages - longs)) {
        add_algorithm(all, &split, "hybrid");
    }
}

/*
 * Adds direct for ranks on one node.  If two copies may be faster, also adds direct with compose gather, which copies
 * each message into shared memory and out of it.
 */
static void add_copies(all_t *all, const irr_settings_t *settings, const irr_traffic_t *traffic)
{
    const double mean = traffic->messages > 0 ? traffic->bytes / traffic->messages : 0;
    irr_settings_t copied = *settings;

    add_algorithm(all, settings, "direct");
    if (settings->compose == IRR_COMPOSE_AUTO && traffic->longest >= ONE_COPY_FROM && mean >= TWO_COPIES_FROM &&
        mean <= TWO_COPIES_TO) {
        copied.compose = IRR_COMPOSE_GATHER;
        add_algorithm(all, &copied, "direct");
    }
}

/* Returns the routes to try, as a set of IRR_PACED_DIRECT and IRR_PACED_NODE. */
static unsigned routes_of(const irr_settings_t *settings, const irr_traffic_t *traffic)
{
    if (traffic->node_ranks == 1 || settings->host_route == IRR_HOST_ROUTE_DIRECT) {
        return IRR_PACED_DIRECT;
    }
    return settings->host_route == IRR_HOST_ROUTE_NODE ? IRR_PACED_NODE : IRR_PACED_DIRECT | IRR_PACED_NODE;
}

_Static_assert(IRR_PACED_STRATEGIES_MAX <= IRR_CANDIDATES_MAX, "there is room for all pacings");

int irr_candidates_paced(const irr_settings_t *settings, const irr_strategy_t *base, int row, unsigned routes,
                         int ranks, irr_candidate_t list[IRR_CANDIDATES_MAX])
{
    irr_strategy_t strategies[IRR_PACED_STRATEGIES_MAX];
    const int count = irr_paced_strategies(settings, base, routes, ranks, strategies);

    for (int i = 0; i < count; i++) {
        list[i] = (irr_candidate_t){
            .row = irr_strategy_is_scheduled(&strategies[i]) ? row : algorithm_row("direct"), .strategy = strategies[i]
        };
    }
    return count;
}

static void add_paced(all_t *all, const irr_settings_t *settings, const irr_traffic_t *traffic)
{
    const int row = algorithm_row("tree");
    const irr_strategy_t base = strategy_of(settings, row);
    irr_candidate_t list[IRR_CANDIDATES_MAX];
    const int count =
        irr_candidates_paced(settings, &base, row, routes_of(settings, traffic), traffic->ranks, list);

    for (int i = 0; i < count; i++) {
        add(all, list[i].row, &list[i].strategy);
    }
}

/* Returns whether messages between nodes are so long that the pacing matters. */
static bool should_try_pacings(const irr_traffic_t *traffic)
{
    return !is_one_node(traffic) && traffic->longest >= PACED_FROM;
}

static void find_all(all_t *all, const irr_settings_t *settings, const irr_machine_t *machine,
                     const irr_traffic_t *traffic)
{
    all->count = 0;
    if (is_one_node(traffic)) {
        add_copies(all, settings, traffic);
    } else {
        add_algorithm(all, settings, "direct");
    }
    if (should_try_grids(traffic)) {
        add_grids(all, settings, traffic);
    }
    if (!is_one_node(traffic)) {
        if (traffic->node_ranks > 1) {
            add_algorithm(all, settings, "node");
        }
        add_hybrid(all, settings, machine, traffic);
    }
    if (should_try_pacings(traffic)) {
        add_paced(all, settings, traffic);
    }
}

int irr_candidates_all(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_settings_t *settings,
                       irr_candidate_t list[IRR_CANDIDATES_ALL])
{
    all_t all;

    find_all(&all, settings, machine, traffic);
    memcpy(list, all.list, (size_t)all.count * sizeof(*list));
    return all.count;
}

/* ---- the choice among them ---- */

/*
 * Returns the candidate with the least predicted time among the candidates that were not taken.  Returns -1 if the
 * predicted times of all of them are above the limit.
 */
static int next_by_model(const all_t *all, double limit)
{
    int next = -1;

    for (int i = 0; i < all->count; i++) {
        const double ns = all->list[i].ns;

        next = !all->taken[i] && ns <= limit && (next < 0 || ns < all->list[next].ns) ? i : next;
    }
    return next;
}

/*
 * Returns the first candidate with this pacing; -1: there is none, or it was taken.  Among candidates with one pacing,
 * the first is probably the fastest (choose/paced.h).
 */
static int first_with(const all_t *all, const irr_pacing_t *pacing)
{
    for (int i = 0; i < all->count; i++) {
        if (all->list[i].strategy.pacing == pacing) {
            return all->taken[i] ? -1 : i;
        }
    }
    return -1;
}

static int take(all_t *all, int which, irr_candidate_t *list, int count)
{
    if (which < 0 || count == IRR_CANDIDATES_MAX) {
        return count;
    }
    all->taken[which] = true;
    list[count] = all->list[which];
    return count + 1;
}

enum { PACINGS = 3 };

/* Returns the pacings that are tried.  The pacing that is probably the fastest comes first. */
static const irr_pacing_t *const *pacings_for(const irr_traffic_t *traffic)
{
    static const irr_pacing_t *const of_short[PACINGS] = { &irr_pacing_loose, &irr_pacing_sync, &irr_pacing_grant };
    static const irr_pacing_t *const of_long[PACINGS] = { &irr_pacing_sync, &irr_pacing_grant, &irr_pacing_loose };

    return traffic->bytes < SIGNALS_FROM * traffic->messages ? of_short : of_long;
}

/*
 * Adds to the list, alternately, a candidate with the next pacing of pacings_for(), and the candidate with the least
 * predicted time.
 */
static int take_alternately(all_t *all, const irr_traffic_t *traffic, double limit, irr_candidate_t *list)
{
    const irr_pacing_t *const *pacings = pacings_for(traffic);
    int count = 0;

    for (int i = 0; i < PACINGS; i++) {
        count = take(all, first_with(all, pacings[i]), list, count);
        count = take(all, next_by_model(all, limit), list, count);
    }
    return count;
}

int irr_candidates(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_settings_t *settings,
                   irr_candidate_t list[IRR_CANDIDATES_MAX])
{
    double best = irr_model_host_ns(machine, traffic);
    all_t all = { .count = 0 };
    int count = 0, last;

    find_all(&all, settings, machine, traffic);
    for (int i = 0; i < all.count; i++) {
        all.list[i].ns = irr_model_ns(machine, traffic, &all.list[i].strategy);
        best = fmin(best, all.list[i].ns);
    }
    if (should_try_pacings(traffic)) {
        count = take_alternately(&all, traffic, IRR_MODEL_HOPELESS * best, list);
    }
    do {
        last = count;
        count = take(&all, next_by_model(&all, IRR_MODEL_HOPELESS * best), list, count);
    } while (count > last);
    return count;
}

/* ---- one candidate ---- */

static irr_pacing_kind_t pacing_of(const irr_pacing_t *pacing)
{
    int kind = IRR_PACING_FREE;

    while (irr_pacing_of((irr_pacing_kind_t)kind) != pacing) {
        kind++;
    }
    return (irr_pacing_kind_t)kind;
}

void irr_candidate_settings(const irr_candidate_t *candidate, irr_settings_t *settings)
{
    const irr_strategy_t *strategy = &candidate->strategy;

    settings->algorithm = candidate->row;
    settings->pacing = pacing_of(strategy->pacing);
    settings->grants = strategy->grants;
    settings->piece_bytes = strategy->piece_max;
    settings->lead_bytes = strategy->lead;
    settings->host_route = irr_strategy_forwards(strategy) ? IRR_HOST_ROUTE_NODE : IRR_HOST_ROUTE_DIRECT;
    settings->compose = strategy->compose;
    settings->dims = strategy->dims;
    settings->direct_bytes = irr_strategy_is_split(strategy) ? strategy->direct_from : settings->direct_bytes;
}

__attribute__((format(printf, 3, 4)))
static void append(char *text, size_t size, const char *format, ...)
{
    const size_t length = strlen(text);
    va_list values;

    va_start(values, format);
    vsnprintf(text + length, size - length, format, values);
    va_end(values);
}

void irr_candidate_text(const irr_candidate_t *candidate, char *text, size_t size)
{
    const irr_strategy_t *strategy = &candidate->strategy;
    const bool scheduled = irr_strategy_is_scheduled(strategy);

    snprintf(text, size, "%s", irr_algorithm_name(candidate->row));
    if (irr_strategy_forwards(strategy)) {
        append(text, size, ", host route %s", strategy->route->name);
    }
    if (scheduled || strategy->pacing != irr_algorithm_strategy(candidate->row)->pacing) {
        append(text, size, ", pacing %s", strategy->pacing->name);
    }
    if (scheduled && strategy->piece_max > 0) {
        append(text, size, ", pieces of %zu bytes", strategy->piece_max);
    }
    if (strategy->pacing->syncs) {
        append(text, size, ", lead of %zu", strategy->lead);
    } else if (strategy->pacing == &irr_pacing_grant) {
        append(text, size, ", %zu grants", strategy->grants);
    }
    if (strategy->compose != IRR_COMPOSE_AUTO) {
        append(text, size, ", compose %s", irr_compose_name(strategy->compose));
    }
    if (irr_strategy_is_hybrid(strategy)) {
        append(text, size, ", direct from %zu bytes", strategy->direct_from);
    }
    for (int i = 0; i < strategy->dims.count; i++) {
        append(text, size, i == 0 ? ", dims %d" : "x%d", strategy->dims.size[i]);
    }
}
