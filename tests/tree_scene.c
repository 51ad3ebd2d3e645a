/*
 * tree_scene.c - see tree_scene.h.
 */
#include "tree_scene.h"

#include "irr_test.h"

static void begin(tree_scene_t *scene, int hosts, int switches)
{
    scene->topology = (irr_topology_t){ .hosts = hosts, .vertices = hosts + switches, .parent = scene->parent,
                                        .speed = scene->speed };
    scene->ranks = hosts;
    for (int v = 0; v < SCENE_VERTICES; v++) {
        scene->speed[v] = 1;
        scene->parent[v] = -1;
    }
    for (int r = 0; r < SCENE_RANKS; r++) {
        scene->host_of[r] = r;
    }
}

static void take_paper(tree_scene_t *scene)
{
    static const int parents[] = { 6, 6, 8, 9, 9, 7, 7, -1, 6, 7 };

    begin(scene, 6, 4);
    memcpy(scene->parent, parents, sizeof(parents));
}

void tree_scene_shape(tree_scene_t *scene, const char *shape)
{
    const bool star = strncmp(shape, "star:", 5) == 0;
    int sizes[64], switches = 0, hosts = 0;

    if (strcmp(shape, "paper") == 0) {
        take_paper(scene);
        return;
    }
    for (const char *at = strchr(shape, ':'); at != NULL; at = strchr(at + 1, ',')) {
        sizes[switches] = atoi(at + 1);
        hosts += sizes[switches++];
    }
    begin(scene, hosts, switches);
    for (int s = 0, host = 0; s < switches; s++) {
        scene->parent[hosts + s] = s == 0 ? -1 : star ? hosts : hosts + s - 1;
        for (int end = host + sizes[s]; host < end; host++) {
            scene->parent[host] = hosts + s;
        }
    }
}

/* The vertices are in any order, so a parent may follow its children. */
void tree_scene_random(tree_scene_t *scene, uint64_t *state, int most_hosts)
{
    const int hosts = 1 + (int)irr_test_below(state, (uint64_t)most_hosts);
    const int switches = 1 + (int)irr_test_below(state, 1 + irr_test_below(state, (uint64_t)hosts + 4));
    const int reach = 1 + (int)irr_test_below(state, (uint64_t)switches);
    int names[SCENE_VERTICES];

    begin(scene, hosts, switches);
    for (int s = 0; s < switches; s++) {
        int other = (int)irr_test_below(state, (uint64_t)s + 1);

        names[s] = names[other];
        names[other] = hosts + s;
    }
    for (int s = 1; s < switches; s++) {
        const int near = s < reach ? s : reach;

        scene->parent[names[s]] = names[s - 1 - (int)irr_test_below(state, (uint64_t)near)];
    }
    for (int h = 0; h < hosts; h++) {
        scene->parent[h] = names[irr_test_below(state, irr_test_below(state, 2) == 0 ? (uint64_t)switches : 1)];
    }
}

void tree_scene_crowd(tree_scene_t *scene, uint64_t *state, int most_ranks)
{
    const int hosts = scene->topology.hosts, used = 1 + (int)irr_test_below(state, (uint64_t)hosts);

    scene->ranks = 1 + (int)irr_test_below(state, (uint64_t)most_ranks);
    for (int r = 0; r < scene->ranks; r++) {
        const uint64_t choice = irr_test_below(state, (uint64_t)used);

        scene->host_of[r] = (int)irr_test_below(state, choice + 1);
    }
}

void tree_scene_uplinks(tree_scene_t *scene, uint64_t speed)
{
    for (int v = scene->topology.hosts; v < scene->topology.vertices; v++) {
        scene->speed[v] = speed;
    }
}

/*
 * Sets the speeds of all links. Links of hosts have equal speeds, or some are faster. Links between switches are
 * slower, or up to 40 times as fast.
 */
static void set_speeds(tree_scene_t *scene, uint64_t *state)
{
    const uint64_t base = 1 + irr_test_below(state, 10), most = 1 + irr_test_below(state, 40 * base);
    const bool alike = irr_test_below(state, 2) == 0;

    for (int v = 0; v < scene->topology.vertices; v++) {
        const bool host = v < scene->topology.hosts;

        scene->speed[v] = 1 + irr_test_below(state, most);
        if (host && (alike || scene->speed[v] < base)) {
            scene->speed[v] = base;
        }
    }
}

void tree_scene_any(tree_scene_t *scene, uint64_t *state, int most)
{
    tree_scene_random(scene, state, most);
    if (irr_test_below(state, 2) == 0) {
        tree_scene_crowd(scene, state, most);
    }
    if (irr_test_below(state, 2) == 0) {
        set_speeds(scene, state);
    }
}

irr_tree_t tree_scene_tree(const tree_scene_t *scene)
{
    irr_tree_t tree = { 0 };

    irr_test_must(irr_tree_init(&tree, &scene->topology, scene->host_of, scene->ranks));
    return tree;
}

irr_matrix_t tree_scene_uniform(int ranks, uint64_t bytes)
{
    irr_matrix_t matrix;

    irr_test_must(irr_matrix_init(&matrix, ranks));
    for (int i = 0; i < ranks * ranks; i++) {
        matrix.entries[i] = i / ranks != i % ranks ? bytes : 0;
    }
    return matrix;
}

void tree_scene_expect(const irr_tree_t *tree, const irr_schedule_t *schedule, const irr_matrix_t *matrix)
{
    char reason[160] = "";
    irr_tree_clash_t clash;

    if (irr_schedule_check(schedule, matrix, reason, sizeof(reason)) != IRR_OK) {
        printf("# %s\n", reason);
        CU_FAIL("broken schedule");
    } else if (irr_tree_check(tree, schedule, &clash) != IRR_OK) {
        printf("# transmissions %zu and %zu share edge %d\n", clash.first, clash.second, clash.edge);
        CU_FAIL("contention");
    }
}
