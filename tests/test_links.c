/*
 * test_links.c - bytes and contention on the links of a tree, compared with a count of each link in each step.
 */
#include "matrix_scene.h"
#include "plan_all.h"

#include "study/links.h"

static uint64_t state;

static int below(int limit)
{
    return (int)irr_test_below(&state, (uint64_t)limit);
}

static void build(const char *algorithm, const irr_matrix_t *matrix, irr_plans_t *plans)
{
    const irr_settings_t settings = { .algorithm = irr_algorithm_find(algorithm) };

    CU_ASSERT_EQUAL_FATAL(irr_plan_all_with(&settings, matrix, plans), IRR_OK);
}

enum { HOSTS = 12, VERTICES = 20, RANKS = 10, STEPS = 64, STAGES = 8 };

typedef struct slow {
    const irr_topology_t *topology;
    const int            *host_of;
    uint64_t              bytes[2 * VERTICES];
    unsigned              used[STAGES][STEPS][2 * VERTICES];
} slow_t;

static bool is_above(const irr_topology_t *topology, int above, int v)
{
    while (v >= 0 && v != above) {
        v = topology->parent[v];
    }
    return v == above;
}

/* Returns the speed of the slowest host with a rank. */
static uint64_t base_of(const slow_t *slow)
{
    uint64_t base = UINT64_MAX;

    for (int r = 0; r < RANKS; r++) {
        const uint64_t speed = slow->topology->speed[slow->host_of[r]];

        base = speed < base ? speed : base;
    }
    return base;
}

/* A message goes up a link if its sender is below the link and its receiver is not. */
static bool meet_message(void *context, const irr_plans_message_t *message)
{
    slow_t *slow = context;

    CU_ASSERT_FATAL(message->stage < STAGES && message->step < STEPS);
    for (int v = 0; v < VERTICES; v++) {
        const bool from = is_above(slow->topology, v, slow->host_of[message->from]);
        const bool to = is_above(slow->topology, v, slow->host_of[message->to]);

        if (from != to) {
            const int edge = 2 * v + to;

            slow->bytes[edge] += message->bytes;
            slow->used[message->stage][message->step][edge]++;
        }
    }
    return true;
}

static size_t contention_of(const slow_t *slow)
{
    const unsigned *used = &slow->used[0][0][0];
    const uint64_t base = base_of(slow);
    size_t contention = 0;

    for (size_t i = 0; i < sizeof(slow->used) / sizeof(*used); i++) {
        const uint64_t speed = slow->topology->speed[i % (2 * VERTICES) / 2];

        contention += used[i] > 1 && used[i] * base > speed;
    }
    return contention;
}

static void check_links(const irr_links_t *links, const slow_t *slow)
{
    const irr_topology_t *topology = slow->topology;
    const double base = (double)base_of(slow);
    double most = 0;

    CU_ASSERT_EQUAL(links->contention, contention_of(slow));
    for (int e = 0; e < 2 * VERTICES; e++) {
        const double load = (double)slow->bytes[e] * base / (double)topology->speed[e / 2];

        CU_ASSERT_EQUAL(links->bytes[e], slow->bytes[e]);
        most = load > most ? load : most;
    }
    CU_ASSERT_EQUAL(links->busiest >= 0, most > 0);
    if (links->busiest >= 0) {
        CU_ASSERT_EQUAL((double)slow->bytes[links->busiest] * base / (double)topology->speed[links->busiest / 2], most);
        CU_ASSERT((double)links->load >= most && (double)links->load < most + 1);
    }
}

/* Some jobs have all ranks on one host, or no messages. */
static void make_random(int *parent, uint64_t *speed, irr_matrix_t *matrix, int *host_of)
{
    const int hosts = below(10) == 0 ? 1 : HOSTS, most = below(10) == 0 ? 1 : 1000;

    for (int v = 0; v < VERTICES; v++) {
        parent[v] = v == VERTICES - 1 ? -1 : v < HOSTS ? HOSTS + below(VERTICES - HOSTS) :
                    v + 1 + below(VERTICES - 1 - v);
        speed[v] = v < HOSTS && below(2) == 0 ? 1 : 1 + (uint64_t)below(5);
    }
    for (int r = 0; r < RANKS; r++) {
        host_of[r] = below(hosts);
    }
    irr_test_must(irr_matrix_init(matrix, RANKS));
    for (int i = 0; i < RANKS * RANKS; i++) {
        matrix->entries[i] = below(3) == 0 ? (uint64_t)below(most) : 0;
    }
}

typedef struct input {
    irr_plans_t plans;
    irr_tree_t  tree;
} input_t;

static irr_status_t count_links(void *context)
{
    const input_t *input = context;
    irr_links_t links = { .contention = 77 };
    irr_status_t status = irr_links_count(&input->plans, &input->tree, &links);

    if (status == IRR_OK) {
        irr_links_fini(&links);
    } else {
        CU_ASSERT_EQUAL(links.contention, 77);
    }
    return status;
}

IRR_TEST(test_random, "bytes and contention on random trees, and failed allocations")
{
    static const char *const algorithms[] = { "direct", "natural", "grid", "balanced-grid", "random-heap", "optimal" };
    static slow_t slow;

    state = irr_test_seed();
    for (int run = 0; run < 160; run++) {
        int parent[VERTICES], host_of[RANKS];
        uint64_t speed[VERTICES];
        const irr_topology_t topology = { .hosts = HOSTS, .vertices = VERTICES, .parent = parent, .speed = speed };
        irr_matrix_t matrix;
        input_t input;
        irr_links_t links;

        make_random(parent, speed, &matrix, host_of);
        build(algorithms[run % 6], &matrix, &input.plans);
        memset(&slow, 0, sizeof(slow));
        slow.topology = &topology;
        slow.host_of = host_of;
        irr_test_must(irr_plans_each_message(&input.plans, meet_message, &slow));
        irr_test_must(irr_tree_init(&input.tree, &topology, host_of, RANKS));
        irr_test_must(irr_links_count(&input.plans, &input.tree, &links));
        check_links(&links, &slow);
        irr_links_fini(&links);
        CU_ASSERT(run % 20 > 0 || irr_memory_fail_each(count_links, &input) > 1);
        irr_tree_fini(&input.tree);
        irr_plans_fini(&input.plans);
        irr_matrix_fini(&matrix);
    }
}

IRR_TEST_MAIN("links", 60)
