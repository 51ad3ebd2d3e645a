/*
 * comm_files.h - the schedule and the topology that settings of a communicator name by files, or the path through
 * switches that the environment names instead (comm/switches.h).
 */
#ifndef IRR_COMM_FILES_H
#define IRR_COMM_FILES_H

#include "comm/engine.h"
#include "problem/switch_paths.h"

/* A zeroed object is empty. */
typedef struct irr_comm_files {
    irr_schedule_t schedule;   /* schedule for certain counts; no ranks: none */
    irr_topology_t topology;   /* no hosts: none */
    int            host;       /* host of this rank in the topology */
    char           path[IRR_SWITCH_PATH_MAX];   /* this rank's path from the environment, without a file; empty: none */
    bool           misread;                     /* the environment has no valid path */
    char           reason[640];
} irr_comm_files_t;

/*
 * Local. Reads the files that the settings name and the algorithm uses, unless params->trouble is set. On an error sets
 * params->trouble and params->reason, which points into files. May block on the file system.
 */
void irr_comm_files_read(irr_comm_params_t *params, irr_comm_files_t *files);

/*
 * Rank 0 of a new communicator warns of implausible speeds in the topology file if exchanges depend on them. Once per
 * engine, because most communicators use the same file.
 */
void irr_comm_files_doubt(irr_comm_t *comm, const irr_comm_params_t *params, const irr_comm_files_t *files);

void irr_comm_files_fini(irr_comm_files_t *files);

/* Returns the label of this rank: equal on ranks that share a host of the topology, or else a node. */
static inline int irr_comm_files_label(const irr_comm_params_t *params, const irr_comm_files_t *files)
{
    return files->topology.hosts > 0 ? files->host : params->node;
}

#endif
