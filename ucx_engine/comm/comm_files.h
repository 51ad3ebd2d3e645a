/*
 * comm_files.h - what a rank reads before it sets up a communicator: a file with a schedule (which messages are sent in
 * which step), and a file with the topology (the tree of switches and hosts). Without a topology file, Slurm's
 * environment may name the switches above this rank's node (comm/switches.h).
 */
#ifndef IRR_COMM_FILES_H
#define IRR_COMM_FILES_H

#include "comm/engine.h"
#include "problem/switch_paths.h"

/* A zeroed object is empty. */
typedef struct irr_comm_files {
    irr_schedule_t schedule;   /* ranks == 0: there is no schedule */
    irr_topology_t topology;   /* hosts == 0: there is no topology */
    int            host;       /* number of this rank's host in the topology */
    char           path[IRR_SWITCH_PATH_MAX];   /* names of the switches above this rank's node, from the environment;
                                                   empty: none */
    bool           misread;                     /* the environment has a path that is not valid */
    char           reason[640];                 /* of an error, for the user */
} irr_comm_files_t;

/*
 * Local. Reads the files that the settings name and the algorithm uses. On an error sets params->trouble, and
 * params->reason, which may point into *files. Does nothing if params->trouble is already set. May block on the file
 * system.
 */
void irr_comm_files_read(irr_comm_params_t *params, irr_comm_files_t *files);

/*
 * Warns the user if the topology file has implausible speeds of links, and exchanges of the new communicator depend on
 * them. Only rank 0 warns, and only once per engine, because most communicators use the same file.
 */
void irr_comm_files_doubt(irr_comm_t *comm, const irr_comm_params_t *params, const irr_comm_files_t *files);

void irr_comm_files_fini(irr_comm_files_t *files);

/* Returns the label of this rank: the number of its host in the topology, or without a topology file, of its node. */
static inline int irr_comm_files_label(const irr_comm_params_t *params, const irr_comm_files_t *files)
{
    return files->topology.hosts > 0 ? files->host : params->node;
}

#endif
