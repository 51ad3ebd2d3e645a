/*
 * tree_scene.h - makes trees of switches for tests.  A tree has a given shape, or is random.
 */
#ifndef TREE_SCENE_H
#define TREE_SCENE_H

#include "order/tree/tree.h"

#define SCENE_VERTICES 600
#define SCENE_RANKS    300

/* A topology with the hosts of all ranks.  It contains its arrays, so nothing has to be freed, and it must not move. */
typedef struct tree_scene {
    irr_topology_t topology;
    int            parent[SCENE_VERTICES];
    uint64_t       speed[SCENE_VERTICES];
    int            ranks;
    int            host_of[SCENE_RANKS];
} tree_scene_t;

/*
 * Makes a tree by shape: "single:8", "star:8,8,8,8" (the first switch in the centre) or "chain:8,8,8,8" (the first
 * switch at the top).  Hosts are numbered switch by switch and have one rank each.  "paper" is the cluster of the
 * paper's figure 1, where switches s0 to s3 are vertices 6 to 9.
 */
void tree_scene_shape(tree_scene_t *scene, const char *shape);

/* Makes a random tree with at most `most_hosts` hosts of one rank each. Some switches have no hosts, or form chains. */
void tree_scene_random(tree_scene_t *scene, uint64_t *state, int most_hosts);

/*
 * Places at most `most_ranks` ranks on the hosts, in any order. Some hosts get no rank, and some hosts get many ranks.
 */
void tree_scene_crowd(tree_scene_t *scene, uint64_t *state, int most_ranks);

/* Makes a random tree. Half of the trees have many ranks on a host, and half of the trees have links of any speed. */
void tree_scene_any(tree_scene_t *scene, uint64_t *state, int most);

/* Sets the speed of the links between switches, relative to a host's link. */
void tree_scene_uplinks(tree_scene_t *scene, uint64_t speed);

/* Returns the tree of a scene; a failure ends the test. */
irr_tree_t tree_scene_tree(const tree_scene_t *scene);

/* Returns a matrix with equal bytes from each rank to each other rank. */
irr_matrix_t tree_scene_uniform(int ranks, uint64_t bytes);

/* Asserts the rules of all orders on trees: irr_schedule_check and irr_tree_check. Prints the defect. */
void tree_scene_expect(const irr_tree_t *tree, const irr_schedule_t *schedule, const irr_matrix_t *matrix);

#endif
