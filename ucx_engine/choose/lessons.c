/* lessons.c - what trials have shown about the speedups of strategies, by situation; see lessons.h. */
#include "choose/lessons.h"

#include "core/alloc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The least standard deviation of the logarithm of a speedup.  If the trials have a smaller one, this value counts. */
#define SPREAD_MIN 0.02

/* The number of trials after which a strategy without a gain is not tried again; a single trial may be disturbed. */
#define LOST 2

/* In agreements, speedups are integers, in thousandths. */
#define UNIT 1000.0

void irr_lessons_fini(irr_lessons_t *lessons)
{
    irr_free(lessons->list);
    *lessons = (irr_lessons_t){ .list = NULL };
}

/* ---- situations ---- */

/* Returns the rounded binary logarithm; 0 below 1. */
static uint64_t logarithm(double value)
{
    return value > 1 ? (uint64_t)(log2(value) + 0.5) : 0;
}

irr_situation_t irr_situation_of(const char *call, const irr_traffic_t *traffic)
{
    const double messages = traffic->messages > 0 ? traffic->messages : 1, mean = traffic->bytes / messages;
    irr_situation_t situation = {
        .ranks = (uint64_t)traffic->ranks, .node_ranks = (uint64_t)traffic->node_ranks,
        .crowded = !traffic->own_processors, .sparse = traffic->sparse, .block = logarithm(mean),
        .skew = mean > 0 ? logarithm(traffic->longest / mean) : 0, .gaps = logarithm(traffic->ranks / messages)
    };

    snprintf(situation.call, sizeof(situation.call), "%s", call);
    return situation;
}

static bool is_same(const irr_situation_t *a, const irr_situation_t *b)
{
    return strcmp(a->call, b->call) == 0 && a->ranks == b->ranks && a->node_ranks == b->node_ranks &&
           a->crowded == b->crowded && a->sparse == b->sparse && a->block == b->block && a->skew == b->skew &&
           a->gaps == b->gaps;
}

static irr_lesson_t *find(const irr_lessons_t *lessons, const irr_situation_t *situation)
{
    for (size_t i = lessons->count; i > 0; i--) {
        if (is_same(&lessons->list[i - 1].situation, situation)) {
            return &lessons->list[i - 1];
        }
    }
    return NULL;
}

const irr_lesson_t *irr_lessons_find(const irr_lessons_t *lessons, const irr_situation_t *situation)
{
    return find(lessons, situation);
}

/*
 * Returns the lesson of a situation, and creates it if necessary.  If there are too many lessons, the new lesson
 * replaces the oldest.  Returns NULL if there is no memory.
 */
static irr_lesson_t *take(irr_lessons_t *lessons, const irr_situation_t *situation)
{
    irr_lesson_t *lesson = find(lessons, situation);

    if (lesson != NULL) {
        return lesson;
    }
    if (lessons->count == IRR_LESSONS_SITUATIONS) {
        memmove(lessons->list, lessons->list + 1, --lessons->count * sizeof(*lessons->list));
    }
    if (IRR_GROW(lessons->list, lessons->room, lessons->count + 1) != IRR_OK) {
        return NULL;
    }
    lesson = &lessons->list[lessons->count++];
    *lesson = (irr_lesson_t){ .situation = *situation };
    return lesson;
}

/* ---- learning ---- */

/* Scales the sums of a strategy down to IRR_LESSONS_TRIALS trials if it has more, so that old trials lose weight. */
static void forget(irr_found_t *found)
{
    if (found->trials > IRR_LESSONS_TRIALS) {
        const double factor = IRR_LESSONS_TRIALS / found->trials;

        found->trials *= factor;
        found->sum *= factor;
        found->squares *= factor;
    }
}

/*
 * Returns the entry of a strategy, and creates it if necessary.  If there are too many entries, the new entry replaces
 * the entry with the fewest trials.
 */
static irr_found_t *found_of(irr_lesson_t *lesson, const char *strategy)
{
    irr_found_t *least = &lesson->found[0];

    for (int i = 0; i < lesson->strategies; i++) {
        irr_found_t *found = &lesson->found[i];

        if (strcmp(found->strategy, strategy) == 0) {
            return found;
        }
        least = found->trials < least->trials ? found : least;
    }
    if (lesson->strategies < IRR_LESSONS_STRATEGIES) {
        least = &lesson->found[lesson->strategies++];
    }
    *least = (irr_found_t){ .trials = 0 };
    snprintf(least->strategy, sizeof(least->strategy), "%s", strategy);
    return least;
}

static void add(irr_lesson_t *lesson, const irr_found_t *more)
{
    irr_found_t *found = found_of(lesson, more->strategy);

    found->trials += more->trials;
    found->sum += more->sum;
    found->squares += more->squares;
    forget(found);
}

/* The bounds `low` and `high` of a speedup are two standard errors away from its mean. */
irr_status_t irr_lessons_learn(irr_lessons_t *lessons, const irr_situation_t *situation, const char *strategy,
                               const irr_speedup_t *speedup)
{
    const double is = log(speedup->is), error = log(speedup->high / speedup->low) / 4;
    irr_lesson_t *lesson = take(lessons, situation);
    irr_found_t more = { .trials = 1, .sum = is, .squares = is * is + error * error };

    if (lesson == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    snprintf(more.strategy, sizeof(more.strategy), "%s", strategy);
    add(lesson, &more);
    return IRR_OK;
}

/*
 * Adds a number of teams, and the sum of the logarithms of their numbers of exchanges.  Scales both down, as forget()
 * does.
 */
static void add_teams(irr_lesson_t *lesson, double teams, double calls)
{
    lesson->teams += teams;
    lesson->calls += calls;
    if (lesson->teams > IRR_LESSONS_TRIALS) {
        lesson->calls *= IRR_LESSONS_TRIALS / lesson->teams;
        lesson->teams = IRR_LESSONS_TRIALS;
    }
}

irr_status_t irr_lessons_lived(irr_lessons_t *lessons, const irr_situation_t *situation, uint64_t calls)
{
    irr_lesson_t *lesson = take(lessons, situation);

    if (lesson == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    add_teams(lesson, 1, log((double)(calls > 0 ? calls : 1)));
    return IRR_OK;
}

irr_status_t irr_lessons_merge(irr_lessons_t *lessons, const irr_lessons_t *other)
{
    for (size_t i = 0; i < other->count; i++) {
        const irr_lesson_t *from = &other->list[i];
        irr_lesson_t *lesson = take(lessons, &from->situation);

        if (lesson == NULL) {
            return IRR_ERR_NO_MEMORY;
        }
        for (int k = 0; k < from->strategies; k++) {
            add(lesson, &from->found[k]);
        }
        add_teams(lesson, from->teams, from->calls);
    }
    return IRR_OK;
}

/* ---- results ---- */

double irr_found_speedup(const irr_found_t *found)
{
    return exp(found->sum / found->trials);
}

double irr_found_spread(const irr_found_t *found)
{
    const double mean = found->sum / found->trials, variance = found->squares / found->trials - mean * mean;
    const double spread = variance > 0 ? sqrt(variance) : 0;

    return spread > SPREAD_MIN ? spread : SPREAD_MIN;
}

double irr_lesson_calls(const irr_lesson_t *lesson)
{
    return lesson->teams > 0 ? exp(lesson->calls / lesson->teams) : 0;
}

/* ---- agreement ---- */

/*
 * The ranks agree on the maximum of each word.  A lower bound of a speedup, and the expected number of calls, are
 * stored as UINT64_MAX minus the value, so that the maximum gives the least value of all ranks.
 */
enum { CALLS = 2 * IRR_CANDIDATES_MAX };

static uint64_t *low_of(uint64_t *words, int i)
{
    return &words[2 * i];
}

static uint64_t *high_of(uint64_t *words, int i)
{
    return &words[2 * i + 1];
}

static void bounds(const irr_lesson_t *lesson, const irr_candidate_t *candidate, uint64_t *words, int i)
{
    char strategy[IRR_CANDIDATE_TEXT];

    irr_candidate_text(candidate, strategy, sizeof(strategy));
    for (int k = 0; k < lesson->strategies; k++) {
        const irr_found_t *found = &lesson->found[k];
        const double doubt = exp(irr_found_spread(found) / sqrt(found->trials));

        if (strcmp(found->strategy, strategy) == 0) {
            *low_of(words, i) = UINT64_MAX - (uint64_t)(irr_found_speedup(found) / doubt * UNIT);
            if (found->trials >= LOST) {
                *high_of(words, i) = (uint64_t)(irr_found_speedup(found) * doubt * UNIT);
            }
        }
    }
}

void irr_lessons_words(const irr_lesson_t *lesson, const irr_candidate_t *list, int count,
                      uint64_t words[IRR_LESSONS_WORDS])
{
    for (int i = 0; i < IRR_CANDIDATES_MAX; i++) {
        *low_of(words, i) = *high_of(words, i) = UINT64_MAX;
    }
    words[CALLS] = UINT64_MAX - (uint64_t)(lesson != NULL ? irr_lesson_calls(lesson) : 0);
    for (int i = 0; lesson != NULL && i < count; i++) {
        bounds(lesson, &list[i], words, i);
    }
}

static void put_first(irr_candidate_t *list, double *ratios, int i)
{
    const irr_candidate_t first = list[i];
    const double ratio = ratios[i];

    memmove(list + 1, list, (size_t)i * sizeof(*list));
    memmove(ratios + 1, ratios, (size_t)i * sizeof(*ratios));
    list[0] = first;
    ratios[0] = ratio;
}

irr_recall_t irr_lessons_agreed(const uint64_t words[IRR_LESSONS_WORDS], bool drops, irr_candidate_t *list,
                                double *ratios, int *count)
{
    irr_recall_t recall = { .calls = UINT64_MAX - words[CALLS] };
    int kept = 0, best = -1;

    for (int i = 0; i < *count; i++) {
        const double low = (double)(UINT64_MAX - words[2 * i]) / UNIT, high = (double)words[2 * i + 1] / UNIT;

        if (drops && high < IRR_SPEEDUP_GAIN) {
            recall.losers++;
            continue;
        }
        if (low >= IRR_SPEEDUP_GAIN && low > recall.speedup) {
            recall.speedup = low;
            best = kept;
        }
        list[kept] = list[i];
        ratios[kept++] = low > 0 ? 1 / low : ratios[i];
    }
    *count = kept;
    if (best >= 0) {
        put_first(list, ratios, best);
    }
    return recall;
}
