/*
 * tree_scene.h - trees of switches for tests, drawn at random or by shape.
 */
#ifndef TREE_SCENE_H
#define TREE_SCENE_H

#include "order/tree/tree.h"

#define SCENE_VERTICES 600
#define SCENE_RANKS    300

/* Its arrays are its own: nothing is freed, so it must not move. */
typedef struct tree_scene {
    irr_topology_t topology;
    int            parent[SCENE_VERTICES];
    uint64_t       speed[SCENE_VERTICES];
    int            ranks;
    int            host_of[SCENE_RANKS];
} tree_scene_t;

/*
 * "single:8", "star:8,8,8,8" (the first switch in the centre) or "chain:8,8,8,8", the first switch at the top;
 * hosts are numbered switch by switch, one rank each.  "paper" is the cluster of the paper's figure 1: switches s0 to
 * s3 are vertices 6 to 9.
 */
void tree_scene_shape(tree_scene_t *scene, const char *shape);

/* Up to so many hosts, one rank each, on any tree: switches without hosts, or in a row, among them. */
void tree_scene_random(tree_scene_t *scene, uint64_t *state, int most_hosts);

/* Puts up to so many ranks on the hosts, in any order; some hosts have none, some many. */
void tree_scene_crowd(tree_scene_t *scene, uint64_t *state, int most_ranks);

/* A random tree, half of them with many ranks a host and half of them with links of any speed. */
void tree_scene_any(tree_scene_t *scene, uint64_t *state, int most);

/* Gives the links between switches a speed, in links of a host. */
void tree_scene_uplinks(tree_scene_t *scene, uint64_t speed);

/* Gives all links speeds: those of hosts alike, or some faster; the others slower, or up to 40 times as fast. */
void tree_scene_speeds(tree_scene_t *scene, uint64_t *state);

/* The tree of a scene; a failure ends the test. */
irr_tree_t tree_scene_tree(const tree_scene_t *scene);

/* As many bytes from each rank to each other. */
irr_matrix_t tree_scene_uniform(int ranks, uint64_t bytes);

/* What all orders on trees promise: irr_schedule_check and irr_tree_check.  Prints what is wrong. */
void tree_scene_expect(const irr_tree_t *tree, const irr_schedule_t *schedule, const irr_matrix_t *matrix);

#endif
